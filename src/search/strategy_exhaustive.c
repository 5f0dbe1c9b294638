/*
 * Every ordered factorization, one after the other, nothing stored: the oracle.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/letters.h"

#define PLANS_PER_CALL ((uint64_t)1 << 20) /* a tenth of a second's work, or so */

/* A walk down the lattice: fronts[i] has the sums of the layers before layer i. */
struct walk {
    struct hs_strategy_run *run;
    struct hs_weights weights;
    struct hs_plan plan;
    struct hs_sums sums;
    struct hs_front fronts[HS_LAYERS_MAX + 1];
    struct hs_error *err;
};

static uint64_t count_plans(const struct hs_strategy_run *run)
{
    return run->lattice.path_count * run->request->chunk_count;
}

static enum hs_status finish(struct walk *walk, int layers)
{
    hs_ticks ticks = hs_front_least(&walk->sums, walk->fronts[layers]);

    walk->run->looked_at++;
    if (walk->run->looked_at % PLANS_PER_CALL == 0)
        hs_search_goes_on(walk->run, walk->run->looked_at, count_plans(walk->run));
    if (!hs_ranking_admits(&walk->run->ranking, ticks))
        return HS_OK;
    walk->plan.split.count = layers;
    if (!hs_plan_is_offered(walk->run->request, &walk->plan))
        return HS_OK;
    return hs_ranking_add(&walk->run->ranking, ticks, &walk->plan, walk->err);
}

static enum hs_status visit(struct walk *walk, size_t node, int layers)
{
    static const hs_ticks nothing[HS_PACES_MAX];
    const struct hs_lattice *lattice = &walk->run->lattice;
    const size_t *first = walk->weights.first;
    struct hs_front_step step = {.rest = nothing, .bound = INT64_MAX};
    enum hs_status status = HS_OK;

    if (node + 1 == lattice->node_count)
        return finish(walk, layers);
    for (size_t e = lattice->first_edge[node];
         e < lattice->first_edge[node + 1] && !status && !walk->run->stopped; e++) {
        size_t end = lattice->edge_end[e];

        step.rows = &walk->weights.ticks[first[e] * walk->weights.components];
        step.row_count = first[e + 1] - first[e];
        status = hs_front_extend(&walk->fronts[layers + 1], &walk->sums, walk->fronts[layers],
                                 &step, walk->err);
        walk->plan.split.sizes[layers] = lattice->divisors[end] / lattice->divisors[node];
        if (!status)
            status = visit(walk, end, layers + 1);
        walk->sums.count = walk->fronts[layers + 1].first;
    }
    return status;
}

static enum hs_status walk_chunks(struct hs_strategy_run *run, int chunks, struct hs_error *err)
{
    struct walk walk = {.run = run, .plan.chunks = chunks, .err = err};
    enum hs_status status = hs_weights_init(&walk.weights, run, chunks, err);

    if (status)
        return status;
    walk.sums.components = walk.weights.components;
    status = hs_front_begin(&walk.fronts[0], &walk.sums, err);
    if (!status && run->lattice.group.size == 1) {
        walk.plan.split = hs_split_flat(1);
        walk.fronts[1] = walk.fronts[0];
        status = finish(&walk, 1);
    } else if (!status) {
        status = visit(&walk, 0, 0);
    }
    free(walk.sums.ticks);
    hs_weights_release(&walk.weights);
    return status;
}

enum hs_status hs_strategy_exhaustive(struct hs_strategy_run *run, struct hs_error *err)
{
    uint64_t splits = run->lattice.path_count;
    enum hs_status status = HS_OK;

    if (splits > HS_EXHAUSTIVE_MAX)
        return hs_fail(err, HS_INVALID,
                       "%" PRId64 " processes have %" PRIu64
                       " splits, exhaustive search agrees to %" PRIu64
                       "; use --search lattice, which is exact too",
                       run->lattice.group.size, splits, HS_EXHAUSTIVE_MAX);
    run->layers_priced = run->lattice.edge_count;
    for (size_t c = 0; c < run->request->chunk_count && !status && !run->stopped; c++)
        status = walk_chunks(run, run->request->chunks[c], err);
    if (run->stopped)
        snprintf(run->left_out, sizeof(run->left_out), "%" PRIu64 " of %" PRIu64 " plans",
                 count_plans(run) - run->looked_at, count_plans(run));
    return status;
}
