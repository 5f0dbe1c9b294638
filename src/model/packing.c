#include "model/packing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/cuts.h"
#include "model/packing_parts.h"

void hs_packing_release(struct hs_packing *packing)
{
    free(packing->trees);
    free(packing->routes);
    memset(packing, 0, sizeof(*packing));
}

/* By root, the largest share first; of equal ones by their arcs. */
static int compare_trees(const void *a, const void *b)
{
    const struct hs_tree *one = a, *other = b;
    int down;

    if (one->root != other->root)
        return one->root < other->root ? -1 : 1;
    if (fabs(one->share - other->share) > 1e-9)
        return one->share > other->share ? -1 : 1;
    down = memcmp(one->down, other->down, sizeof(one->down));
    return down ? down : memcmp(one->up, other->up, sizeof(one->up));
}

/* Makes shares of the weights. */
static void share_out(struct hs_packing *packing)
{
    double sums[HS_LINKS_UNITS] = {0};
    bool together = packing->phase == HS_ALLREDUCE;

    for (size_t i = 0; i < packing->count; i++)
        sums[together ? 0 : packing->trees[i].root] += packing->trees[i].share;
    for (size_t i = 0; i < packing->count; i++)
        packing->trees[i].share /= sums[together ? 0 : packing->trees[i].root];
}

/* How long the busiest link needs for a byte of all. */
static enum hs_status time_links(struct hs_packing *packing, const struct hs_packer *packer,
                                 struct hs_error *err)
{
    size_t rows = (size_t)packer->row_count + 1;
    double *loads = calloc(3 * rows, sizeof(*loads)), *rates = loads + rows, *sums = rates + rows;
    double each = packing->phase == HS_ALLREDUCE ? 1 : packing->units;

    if (!loads)
        return hs_no_memory(err);
    hs_packer_row_rates(rates, packer);
    for (size_t t = 0; t < packing->count; t++) {
        hs_packer_loads(loads, packer, &packing->trees[t]);
        for (size_t i = 1; i < rows; i++)
            sums[i] += loads[i] * packing->trees[t].share;
    }
    for (size_t i = 1; i < rows; i++)
        packing->seconds_per_byte =
            fmax(packing->seconds_per_byte, sums[i] / rates[i] / packer->scale / each);
    free(loads);
    return HS_OK;
}

/* Leaves out routes that no tree takes. */
static void drop_routes(struct hs_packing *packing)
{
    size_t kept = 0;

    for (size_t r = 0; r < packing->route_count; r++) {
        bool used = false;

        for (size_t t = 0; t < packing->count; t++)
            for (int u = 0; u < packing->units; u++) {
                struct hs_tree *tree = &packing->trees[t];

                used = used || (size_t)tree->up_route[u] == r || (size_t)tree->down_route[u] == r;
            }
        if (!used)
            continue;
        for (size_t t = 0; t < packing->count && kept < r; t++)
            for (int u = 0; u < packing->units; u++) {
                struct hs_tree *tree = &packing->trees[t];

                if ((size_t)tree->up_route[u] == r)
                    tree->up_route[u] = (short)kept;
                if ((size_t)tree->down_route[u] == r)
                    tree->down_route[u] = (short)kept;
            }
        packing->routes[kept++] = packing->routes[r];
    }
    packing->route_count = kept;
}

/* `rate`: what the limit is, in bytes per second of a root (allgather), or of the message. */
static enum hs_status pack(struct hs_packing *packing, const struct hs_links *links,
                           const int *groups, struct hs_error *err)
{
    struct hs_cuts cuts = hs_cuts_of(links, packing->phase);
    double each = packing->phase == HS_ALLREDUCE ? 1 : packing->units;
    struct hs_packer packer;
    enum hs_status status;

    if (isinf(cuts.seconds_per_byte))
        return hs_fail(err, HS_INVALID, "links: not joined: no way between some of %d units",
                       links->units);
    status = hs_packer_init(&packer, packing, links, groups, err);
    if (!status)
        status =
            hs_packer_solve(&packer, 1 / (cuts.seconds_per_byte * each * packer.scale), err);
    if (!status) {
        share_out(packing);
        status = time_links(packing, &packer, err);
    }
    if (!status)
        status = hs_packer_finish(&packer, err);
    hs_packer_release(&packer);
    if (status)
        return status;
    drop_routes(packing);
    qsort(packing->trees, packing->count, sizeof(*packing->trees), compare_trees);
    return HS_OK;
}

static enum hs_status make(struct hs_packing *packing, const struct hs_links *links,
                           const int *groups, enum hs_phase phase, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    *packing = (struct hs_packing){.phase = phase, .units = links->units};
    if (phase != HS_ALLGATHER && phase != HS_REDUCE_SCATTER && phase != HS_ALLREDUCE)
        return hs_fail(err, HS_INVALID, "packing trees: expected a reduce-scatter, an allgather "
                                        "or an allreduce, found %s",
                       hs_phase_names[phase]);
    if (links->units > 1)
        status = pack(packing, links, groups, err);
    if (status)
        hs_packing_release(packing);
    return status;
}

enum hs_status hs_packing_make(struct hs_packing *packing, const struct hs_links *links,
                               enum hs_phase phase, struct hs_error *err)
{
    return make(packing, links, NULL, phase, err);
}
