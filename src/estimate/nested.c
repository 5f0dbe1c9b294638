#include "estimate/nested.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

static size_t own_count(const struct hs_nested *n, size_t node)
{
    return node > 0 ? n->own : n->root;
}

/* Unknowns of a node and of all it is part of. */
static size_t width_of(const struct hs_nested *n, size_t node)
{
    return n->root + n->own * n->depths[node];
}

/* The coefficients of the longest row, and c. */
static size_t pitch_of(const struct hs_nested *n)
{
    return n->root + n->own * n->depth + 1;
}

size_t hs_nested_unknowns(const struct hs_nested *n, size_t count)
{
    return count > 0 ? n->root + n->own * (count - 1) : 0;
}

static size_t first_of(const struct hs_nested *n, size_t node)
{
    return hs_nested_unknowns(n, node);
}

static double *front_of(const struct hs_nested *n, size_t node)
{
    return n->fronts + node * pitch_of(n) * pitch_of(n);
}

bool hs_nested_room(struct hs_nested *n, size_t capacity)
{
    size_t front = pitch_of(n) * pitch_of(n);
    size_t *parents = realloc(n->parents, capacity * sizeof(*parents));
    size_t *depths = realloc(n->depths, capacity * sizeof(*depths));
    double *fronts = realloc(n->fronts, capacity * front * sizeof(*fronts));

    n->parents = parents ? parents : n->parents;
    n->depths = depths ? depths : n->depths;
    n->fronts = fronts ? fronts : n->fronts;
    return parents && depths && fronts;
}

void hs_nested_release(struct hs_nested *n)
{
    free(n->parents);
    free(n->depths);
    free(n->fronts);
    *n = (struct hs_nested){0};
}

void hs_nested_forget(struct hs_nested *n, size_t first)
{
    size_t pitch = pitch_of(n);

    for (size_t i = first; i < n->count; i++) {
        memset(front_of(n, i), 0, pitch * pitch * sizeof(*n->fronts));
        for (size_t k = 0; k < own_count(n, i); k++)
            front_of(n, i)[k * pitch + k] = 1;
    }
}

/* The outer product, in the upper triangle. */
void hs_nested_observe(struct hs_nested *n, size_t node, const double *row, double observed,
                       double sigma)
{
    size_t pitch = pitch_of(n), width = width_of(n, node);
    double scaled[HS_NESTED_ROW_MAX], *front = front_of(n, node);

    memcpy(scaled, row, width * sizeof(*scaled));
    scaled[width] = observed - row[width];
    for (size_t c = 0; c <= width; c++)
        scaled[c] /= sigma;
    for (size_t r = 0; r <= width; r++)
        for (size_t c = r; c <= width; c++)
            front[r * pitch + c] += scaled[r] * scaled[c];
}

/* Cholesky's method on each node's own rows, from the leaves to the root; what is left is part of
 * the equations of the node that it is part of. By its prior no pivot is below 1; rounding, where
 * observations say far more than priors, must not make it so. */
void hs_nested_eliminate(struct hs_nested *n)
{
    size_t pitch = pitch_of(n);

    for (size_t i = n->count; i-- > 0;) {
        size_t own = own_count(n, i), width = width_of(n, i);
        double *front = front_of(n, i), *parent = front_of(n, n->parents[i]);

        for (size_t k = 0; k < own; k++) {
            double *pivot = front + k * pitch, root;

            pivot[k] = fmax(1, pivot[k]);
            root = sqrt(pivot[k]);
            for (size_t c = k; c <= width; c++)
                pivot[c] /= root;
            for (size_t r = k + 1; r <= width; r++)
                for (size_t c = r; c <= width; c++)
                    front[r * pitch + c] -= pivot[r] * pivot[c];
        }
        for (size_t r = own; i > 0 && r <= width; r++)
            for (size_t c = r; c <= width; c++)
                parent[(r - own) * pitch + c - own] += front[r * pitch + c];
    }
}

/* The unknowns of a node and of all it is part of, in the order of a row. */
static void gather(double *path, const struct hs_nested *n, const double *z, size_t node)
{
    for (;; node = n->parents[node]) {
        size_t own = own_count(n, node);

        memcpy(path, z + first_of(n, node), own * sizeof(*path));
        path += own;
        if (node == 0)
            return;
    }
}

/* The solution, from the root to the leaves; with a seed a draw around it. */
static void substitute(double *z, const struct hs_nested *n, double scatter, uint64_t *seed)
{
    for (size_t i = 0; i < n->count; i++) {
        size_t width = width_of(n, i), first = first_of(n, i);
        double path[HS_NESTED_ROW_MAX];

        gather(path, n, z, i);
        for (size_t k = own_count(n, i); k-- > 0;) {
            const double *row = front_of(n, i) + k * pitch_of(n);
            double sum = row[width] + (seed ? scatter * hs_random_normal(seed) : 0);

            for (size_t c = k + 1; c < width; c++)
                sum -= row[c] * path[c];
            z[first + k] = path[k] = sum / row[k];
        }
    }
}

void hs_nested_mean(double *z, const struct hs_nested *n)
{
    substitute(z, n, 0, NULL);
}

void hs_nested_draw(double *z, const struct hs_nested *n, double scatter, uint64_t *seed)
{
    substitute(z, n, scatter, seed);
}

double hs_nested_sum(const double *row, const struct hs_nested *n, const double *z, size_t node)
{
    size_t width = width_of(n, node);
    double path[HS_NESTED_ROW_MAX], sum = row[width];

    gather(path, n, z, node);
    for (size_t c = 0; c < width; c++)
        sum += row[c] * path[c];
    return sum;
}

double hs_nested_variance(const double *row, const struct hs_nested *n, size_t node)
{
    double rest[HS_NESTED_ROW_MAX], *at = rest, sum = 0;

    memcpy(rest, row, width_of(n, node) * sizeof(*rest));
    for (;; node = n->parents[node]) {
        size_t own = own_count(n, node), width = width_of(n, node);

        for (size_t k = 0; k < own; k++) {
            const double *pivot = front_of(n, node) + k * pitch_of(n);
            double value = at[k] / pivot[k];

            for (size_t c = k + 1; c < width; c++)
                at[c] -= pivot[c] * value;
            sum += value * value;
        }
        at += own;
        if (node == 0)
            return sum;
    }
}
