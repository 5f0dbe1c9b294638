#include "search/lattice.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int compare_int64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Multiplies the divisors found so far by 1, prime, ..., prime^exponent. */
static bool extend_divisors(struct hs_lattice *lattice, int64_t prime, int exponent)
{
    size_t count = lattice->node_count, total = count * (size_t)(exponent + 1);
    int64_t *divisors = realloc(lattice->divisors, total * sizeof(*divisors));

    if (!divisors)
        return false;
    for (size_t i = count; i < total; i++)
        divisors[i] = divisors[i - count] * prime;
    lattice->divisors = divisors;
    lattice->node_count = total;
    return true;
}

/* Those that lie within a gap. */
static void drop_divisors(struct hs_lattice *lattice)
{
    size_t kept = 0;

    for (size_t i = 0; i < lattice->node_count; i++)
        if (hs_group_has_node(&lattice->group, lattice->divisors[i]))
            lattice->divisors[kept++] = lattice->divisors[i];
    lattice->node_count = kept;
}

static bool find_divisors(struct hs_lattice *lattice)
{
    int64_t rest = lattice->group.size;

    lattice->divisors = malloc(sizeof(*lattice->divisors));
    if (!lattice->divisors)
        return false;
    lattice->divisors[0] = 1;
    lattice->node_count = 1;
    for (int64_t prime = 2; rest > 1; prime++) {
        int exponent = 0;

        if (prime * prime > rest)
            prime = rest;
        for (; rest % prime == 0; rest /= prime)
            exponent++;
        if (exponent > 0 && !extend_divisors(lattice, prime, exponent))
            return false;
    }
    qsort(lattice->divisors, lattice->node_count, sizeof(*lattice->divisors), compare_int64);
    drop_divisors(lattice);
    return true;
}

/* Every pair (i, j) with divisors[i] | divisors[j], i < j, and no gap between; with NULL it only
 * counts. */
static size_t list_edges(const struct hs_lattice *lattice, uint32_t *edge_end, size_t *first_edge)
{
    size_t count = 0;

    for (size_t i = 0; i < lattice->node_count; i++) {
        /* At most 2^31 ranks: 32-bit remainders are several times faster. */
        uint32_t start = (uint32_t)lattice->divisors[i];

        if (first_edge)
            first_edge[i] = count;
        for (size_t j = i + 1; j < lattice->node_count; j++) {
            if ((uint32_t)lattice->divisors[j] % start != 0 ||
                !hs_group_has_layer(&lattice->group, start, lattice->divisors[j]))
                continue;
            if (edge_end)
                edge_end[count] = (uint32_t)j;
            count++;
        }
    }
    if (first_edge)
        first_edge[lattice->node_count] = count;
    return count;
}

/* The paths that lead to each node, inside out; at the last all of them. */
static bool count_paths(struct hs_lattice *lattice)
{
    uint64_t *paths = calloc(lattice->node_count + 1, sizeof(*paths));

    if (!paths)
        return false;
    paths[0] = 1;
    for (size_t i = 0; i < lattice->node_count; i++) {
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            uint64_t *end = &paths[lattice->edge_end[e]];

            *end = *end > UINT64_MAX - paths[i] ? UINT64_MAX : *end + paths[i];
        }
    }
    lattice->path_count = paths[lattice->node_count - 1];
    free(paths);
    return true;
}

static bool find_edges(struct hs_lattice *lattice)
{
    lattice->edge_count = list_edges(lattice, NULL, NULL);
    lattice->edge_end = malloc((lattice->edge_count + 1) * sizeof(*lattice->edge_end));
    lattice->first_edge = malloc((lattice->node_count + 1) * sizeof(*lattice->first_edge));
    if (!lattice->edge_end || !lattice->first_edge)
        return false;
    list_edges(lattice, lattice->edge_end, lattice->first_edge);
    return true;
}

enum hs_status hs_lattice_init(struct hs_lattice *lattice, struct hs_group group,
                               struct hs_error *err)
{
    *lattice = (struct hs_lattice){.group = group};
    if (hs_group_check(&group, err))
        return HS_INVALID;
    if (find_divisors(lattice) && find_edges(lattice) && count_paths(lattice))
        return HS_OK;
    hs_lattice_release(lattice);
    return hs_no_memory(err);
}

enum hs_status hs_lattice_repeat(struct hs_lattice *lattice, const size_t *copies,
                                 struct hs_error *err)
{
    size_t total = 0, count = 0;
    uint32_t *ends;

    for (size_t e = 0; e < lattice->edge_count; e++)
        total += copies[e];
    ends = malloc((total + 1) * sizeof(*ends));
    if (!ends)
        return hs_no_memory(err);
    for (size_t i = 0, e = 0; i < lattice->node_count; i++) {
        lattice->first_edge[i] = count;
        for (size_t end = lattice->first_edge[i + 1]; e < end; e++)
            for (size_t copy = 0; copy < copies[e]; copy++)
                ends[count++] = lattice->edge_end[e];
    }
    lattice->first_edge[lattice->node_count] = count;
    free(lattice->edge_end);
    lattice->edge_end = ends;
    lattice->edge_count = total;
    return count_paths(lattice) ? HS_OK : hs_no_memory(err);
}

struct hs_layer hs_lattice_layer(const struct hs_lattice *lattice, size_t i, size_t e)
{
    return (struct hs_layer){hs_group_stride(&lattice->group, lattice->divisors[i]),
                             lattice->divisors[lattice->edge_end[e]] / lattice->divisors[i]};
}

void hs_lattice_release(struct hs_lattice *lattice)
{
    free(lattice->divisors);
    free(lattice->edge_end);
    free(lattice->first_edge);
    memset(lattice, 0, sizeof(*lattice));
}
