/*
 * The published rule: "the large optimum contains the small optimum" (Ueno and Yokota, CCGRID 2019,
 * section V).
 *
 * Scales are the divisors of P in ascending order. The plans kept at scale d are extended to every
 * scale d q, q prime, that divides P: by one more layer of q, by a last layer that grows by q and,
 * widened, by any layer that grows by q. Each scale is priced as a machine of its own size, and the
 * best `keep` are kept.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "search/letters.h"

#define KEEP_DEFAULT 4

/* Plans seen at one scale; the ranking keeps the best. */
struct scale {
    struct hs_ranking kept;
    struct hs_plan *seen; /* every plan looked at here, to price none twice */
    size_t seen_count, seen_capacity;
};

struct containment {
    struct hs_strategy_run *run;
    struct scale *scales; /* [node_count] */
};

static bool already_seen(const struct scale *scale, const struct hs_plan *plan)
{
    for (size_t i = 0; i < scale->seen_count; i++)
        if (hs_plan_compare(&scale->seen[i], plan) == 0)
            return true;
    return false;
}

static enum hs_status remember(struct scale *scale, const struct hs_plan *plan,
                               struct hs_error *err)
{
    struct hs_plan *added =
        hs_grow(&scale->seen, &scale->seen_capacity, scale->seen_count, sizeof(*added), err);

    if (!added)
        return HS_MEMORY;
    *added = *plan;
    scale->seen_count++;
    return HS_OK;
}

/* Prices a split with every chunk count and offers the plans to the scale's ranking. */
static enum hs_status offer(struct containment *state, size_t node, const struct hs_split *split,
                            struct hs_error *err)
{
    const struct hs_search_request *request = state->run->request;
    struct scale *scale = &state->scales[node];
    struct hs_plan plan = {.split = *split, .chunks = request->chunks[0]};
    struct hs_search_request at_scale = *request; /* a machine of the split's size */
    enum hs_status status = HS_OK;

    at_scale.problem.group.size = hs_split_product(split);
    at_scale.problem.group.ranks =
        hs_group_span(&request->problem.group, at_scale.problem.group.size);

    if (already_seen(scale, &plan) || hs_group_check_split(&request->problem.group, split, NULL))
        return HS_OK;
    status = remember(scale, &plan, err);
    for (size_t c = 0; c < request->chunk_count && !status; c++) {
        struct hs_plan chosen = plan;
        hs_ticks ticks;

        chosen.chunks = request->chunks[c];
        state->run->looked_at++;
        status = hs_plan_choose(&chosen, &ticks, &at_scale, state->run->tick_seconds, err);
        if (!status)
            status = hs_ranking_add(&scale->kept, ticks, &chosen, err);
    }
    return status;
}

/* Offers what the rules make of one kept split when it grows by `factor`. */
static enum hs_status extend(struct containment *state, size_t node, const struct hs_split *small,
                             int64_t factor, struct hs_error *err)
{
    bool widen = state->run->request->widen && !state->run->stopped;
    int first = widen ? 0 : small->count - 1;
    struct hs_split split = *small;
    enum hs_status status = HS_OK;

    if (small->count < HS_LAYERS_MAX) {
        split.sizes[split.count++] = factor;
        status = offer(state, node, &split, err);
    }
    for (int i = first; i < small->count && !status; i++) {
        split = *small;
        split.sizes[i] *= factor;
        status = offer(state, node, &split, err);
    }
    return status;
}

/* Of a search that has been stopped, what is left: the best plan of each scale alone is followed.
 */
static void narrow(struct containment *state, size_t node)
{
    struct hs_strategy_run *run = state->run;
    struct hs_ranking *kept = &state->scales[node].kept;

    if (run->left_out[0] == '\0')
        snprintf(run->left_out, sizeof(run->left_out),
                 "from %" PRId64 " processes on all but the best plan of each scale%s",
                 run->lattice.divisors[node], run->request->widen ? ", and --widen" : "");
    hs_ranking_sort(kept);
    kept->count = kept->count > 0;
}

/* Extends everything kept at `node` to the scales a prime factor away. */
static enum hs_status extend_scale(struct containment *state, size_t node, struct hs_error *err)
{
    const struct hs_lattice *lattice = &state->run->lattice;
    const struct hs_ranking *kept = &state->scales[node].kept;
    enum hs_status status = HS_OK;

    if (!hs_search_goes_on(state->run, node, lattice->node_count))
        narrow(state, node);

    for (size_t e = lattice->first_edge[node]; e < lattice->first_edge[node + 1] && !status; e++) {
        int64_t factor = lattice->divisors[lattice->edge_end[e]] / lattice->divisors[node];
        struct hs_split flat = hs_split_flat(factor);

        if (!hs_is_prime(factor))
            continue;
        if (node == 0)
            status = offer(state, lattice->edge_end[e], &flat, err);
        for (size_t i = 0; i < kept->count && !status; i++)
            status = extend(state, lattice->edge_end[e], &kept->plans[i].plan.split, factor, err);
    }
    return status;
}

static void release(struct containment *state)
{
    for (size_t i = 0; i < state->run->lattice.node_count; i++) {
        hs_ranking_release(&state->scales[i].kept);
        free(state->scales[i].seen);
    }
    free(state->scales);
}

/* The last scale keeps what was asked for, not `keep`: it is extended no further. */
enum hs_status hs_strategy_containment(struct hs_strategy_run *run, struct hs_error *err)
{
    struct containment state = {.run = run};
    size_t nodes = run->lattice.node_count;
    size_t keep = run->request->keep ? run->request->keep : KEEP_DEFAULT;
    enum hs_status status = HS_OK;

    state.scales = calloc(nodes, sizeof(*state.scales));
    if (!state.scales)
        return hs_no_memory(err);
    for (size_t i = 0; i < nodes; i++)
        hs_ranking_init(&state.scales[i].kept,
                        i + 1 < nodes ? keep : run->ranking.top + run->request->chunk_count - 1);
    if (nodes == 1) {
        struct hs_split flat = hs_split_flat(1);

        status = offer(&state, 0, &flat, err);
    }
    for (size_t i = 0; i + 1 < nodes && !status; i++)
        status = extend_scale(&state, i, err);
    for (size_t i = 0; i < state.scales[nodes - 1].kept.count && !status; i++) {
        const struct hs_ranked *ranked = &state.scales[nodes - 1].kept.plans[i];

        if (hs_plan_is_offered(run->request, &ranked->plan))
            status = hs_ranking_add(&run->ranking, ranked->ticks, &ranked->plan, err);
    }
    release(&state);
    return status;
}
