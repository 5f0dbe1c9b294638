#include "search/lattice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static int compare_int64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Multiplies the divisors found so far by 1, prime, ..., prime^exponent; returns their new number.
 * */
static size_t extend_divisors(int64_t *divisors, size_t count, int64_t prime, int exponent)
{
    size_t total = count;

    for (int e = 1; e <= exponent; e++) {
        for (size_t i = 0; i < count; i++)
            divisors[total + i] = divisors[total - count + i] * prime;
        total += count;
    }
    return total;
}

/* No number up to 2^31 has more than 1536 divisors (OEIS A066150). */
#define DIVISORS_MAX 1536

static enum hs_status find_divisors(struct hs_lattice *lattice, struct hs_error *err)
{
    int64_t rest = lattice->np;

    lattice->divisors = malloc(DIVISORS_MAX * sizeof(*lattice->divisors));
    if (!lattice->divisors)
        return hs_no_memory(err);
    lattice->divisors[0] = 1;
    lattice->node_count = 1;
    for (int64_t prime = 2; rest > 1; prime++) {
        int exponent = 0;

        if (prime * prime > rest)
            prime = rest;
        for (; rest % prime == 0; rest /= prime)
            exponent++;
        lattice->node_count =
            extend_divisors(lattice->divisors, lattice->node_count, prime, exponent);
    }
    qsort(lattice->divisors, lattice->node_count, sizeof(*lattice->divisors), compare_int64);
    return HS_OK;
}

/* Calls for every pair (i, j) with divisors[i] | divisors[j], i < j; with NULL it only counts. */
static size_t list_edges(const struct hs_lattice *lattice, uint32_t *edge_end, size_t *first_edge)
{
    size_t count = 0;

    for (size_t i = 0; i < lattice->node_count; i++) {
        /* np <= 2^31: 32-bit remainders are several times faster. */
        uint32_t start = (uint32_t)lattice->divisors[i];

        if (first_edge)
            first_edge[i] = count;
        for (size_t j = i + 1; j < lattice->node_count; j++) {
            if ((uint32_t)lattice->divisors[j] % start != 0)
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

enum hs_status hs_lattice_init(struct hs_lattice *lattice, int64_t np, struct hs_error *err)
{
    memset(lattice, 0, sizeof(*lattice));
    if (np < 1 || np > HS_NP_MAX)
        return hs_fail(err, HS_INVALID, "expected 1 to %" PRId64 " processes, found %" PRId64,
                       HS_NP_MAX, np);
    lattice->np = np;
    if (find_divisors(lattice, err))
        return HS_MEMORY;
    lattice->edge_count = list_edges(lattice, NULL, NULL);
    lattice->edge_end = malloc((lattice->edge_count + 1) * sizeof(*lattice->edge_end));
    lattice->first_edge = malloc((lattice->node_count + 1) * sizeof(*lattice->first_edge));
    if (!lattice->edge_end || !lattice->first_edge) {
        hs_lattice_release(lattice);
        return hs_no_memory(err);
    }
    list_edges(lattice, lattice->edge_end, lattice->first_edge);
    return HS_OK;
}

void hs_lattice_release(struct hs_lattice *lattice)
{
    free(lattice->divisors);
    free(lattice->edge_end);
    free(lattice->first_edge);
    memset(lattice, 0, sizeof(*lattice));
}

uint64_t hs_lattice_path_count(const struct hs_lattice *lattice)
{
    uint64_t paths[DIVISORS_MAX] = {1};

    for (size_t i = 0; i < lattice->node_count; i++) {
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            uint64_t *end = &paths[lattice->edge_end[e]];

            *end = *end > UINT64_MAX - paths[i] ? UINT64_MAX : *end + paths[i];
        }
    }
    return paths[lattice->node_count - 1];
}
