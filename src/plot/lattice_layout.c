#include "plot/lattice_layout.h"

#include <math.h>
#include <stdlib.h>

#define PRIMES_MAX 9    /* 2 3 5 ... 23 is the longest product below 2^31 + 1 */
#define TOO_NEAR   0.30 /* of a line to a node that is not its own */

struct primes {
    int64_t data[PRIMES_MAX];
    int count;
};

static struct primes factor(int64_t np)
{
    struct primes primes = {.count = 0};

    for (int64_t p = 2; p * p <= np; p++) {
        if (np % p)
            continue;
        primes.data[primes.count++] = p;
        while (np % p == 0)
            np /= p;
    }
    if (np > 1)
        primes.data[primes.count++] = np;
    return primes;
}

/* While nodes are sorted into columns. */
struct place {
    size_t node;
    int column;
    double height; /* decides the order within a column */
};

static struct place place_of(int64_t divisor, size_t node, const struct primes *primes)
{
    struct place place = {.node = node};

    for (int i = 0; i < primes->count; i++)
        for (; divisor % primes->data[i] == 0; divisor /= primes->data[i]) {
            place.column++;
            place.height += i - (primes->count - 1) / 2.0;
        }
    return place;
}

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    if (a->height < b->height || a->height > b->height)
        return a->height < b->height ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

struct hs_plot_node *hs_lattice_layout(const struct hs_lattice *lattice)
{
    size_t count = lattice->node_count;
    struct hs_plot_node *nodes = calloc(count, sizeof(*nodes));
    struct place *places = calloc(count, sizeof(*places));
    struct primes primes = factor(lattice->group.size);

    for (size_t i = 0; nodes && places && i < count; i++)
        places[i] = place_of(lattice->divisors[i], i, &primes);
    if (nodes && places)
        qsort(places, count, sizeof(*places), compare_places);
    for (size_t begin = 0, end; nodes && places && begin < count; begin = end) {
        for (end = begin; end < count && places[end].column == places[begin].column; end++)
            ;
        for (size_t i = begin; i < end; i++)
            nodes[places[i].node] = (struct hs_plot_node){
                places[i].column, (double)(i - begin) - (double)(end - begin - 1) / 2};
    }
    free(places);
    return nodes;
}

/* ---- lines ---- */

static struct hs_plot_node point_at(const struct hs_plot_node *a, const struct hs_plot_node *b,
                                    double height, double t)
{
    return (struct hs_plot_node){a->x + t * (b->x - a->x),
                                 a->y + t * (b->y - a->y) + height * 4 * t * (1 - t)};
}

/* Smallest distance, up or down, from the line to a node that is not one of its ends. */
static double clearance(const struct hs_plot_node *nodes, size_t node_count, size_t from, size_t to,
                        double height)
{
    const struct hs_plot_node *a = &nodes[from], *b = &nodes[to];
    double smallest = INFINITY;

    for (size_t i = 0; i < node_count; i++) {
        if (nodes[i].x <= a->x || nodes[i].x >= b->x)
            continue;
        double y = point_at(a, b, height, (nodes[i].x - a->x) / (b->x - a->x)).y;

        smallest = fmin(smallest, fabs(y - nodes[i].y));
    }
    return smallest;
}

/* How far the line's middle leaves the straight one: more for longer lines, so that bent ones do
 * not lie on each other, and away from the drawing's axis first. */
static double bend(const struct hs_plot_node *nodes, size_t node_count, size_t from, size_t to)
{
    static const double factors[] = {0, 1, -1, 1.6, -1.6, 2.2, -2.2, 0.6, -0.6, 3, -3};
    const struct hs_plot_node *a = &nodes[from], *b = &nodes[to];
    double unit = (a->y + b->y < 0 ? -1 : 1) * (0.15 + 0.25 * (b->x - a->x));
    double best = 0, best_clearance = -1;

    for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
        double here = clearance(nodes, node_count, from, to, factors[i] * unit);

        if (here >= TOO_NEAR)
            return factors[i] * unit;
        if (here > best_clearance) {
            best_clearance = here;
            best = factors[i] * unit;
        }
    }
    return best;
}

void hs_lattice_curve(struct hs_plot_node curve[HS_CURVE_POINTS], const struct hs_plot_node *nodes,
                      size_t node_count, size_t from, size_t to)
{
    double height = bend(nodes, node_count, from, to);

    for (int i = 0; i < HS_CURVE_POINTS; i++)
        curve[i] = point_at(&nodes[from], &nodes[to], height, (double)i / (HS_CURVE_POINTS - 1));
}
