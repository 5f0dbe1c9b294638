/*
 * The default strategy: K shortest paths in the divisor lattice, exact.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "search/pareto.h"
#include "search/paths.h"
#include "search/strategies.h"

/* One weight per edge (no chunks, or one level): dynamic programming. Where the run is stopped,
 * nothing is added. */
static enum hs_status search_paths(struct hs_strategy_run *run,
                                   const struct hs_paths_problem *problem, int chunks,
                                   struct hs_error *err)
{
    size_t last = run->lattice.node_count - 1;
    struct hs_paths paths;
    enum hs_status status = hs_paths_init(&paths, problem, err);

    if (status)
        return status;
    for (size_t i = 0; i < run->lattice.node_count; i++)
        run->looked_at += paths.nodes[i].count;
    for (size_t i = 0; i < paths.nodes[last].count && !status; i++) {
        struct hs_plan plan = {.split = hs_paths_split(&paths, last, i), .chunks = chunks};

        if (hs_plan_is_offered(run->request, &plan))
            status = hs_ranking_add(&run->ranking, paths.nodes[last].data[i].ticks, &plan, err);
    }
    hs_paths_release(&paths);
    return status;
}

/* The `top` best plans in so many chunks; a run of NULL is not asked whether to go on. */
static enum hs_status search_chunks(struct hs_strategy_run *run, int chunks, size_t top,
                                    struct hs_strategy_run *asked, struct hs_error *err)
{
    struct hs_weights weights;
    enum hs_status status = hs_weights_init(&weights, run, chunks, err);
    const struct hs_paths_problem problem = {.lattice = &run->lattice,
                                             .weights = weights.ticks,
                                             .stride = 1,
                                             .top =
                                                 top + hs_plans_not_offered(run->request, chunks),
                                             .run = asked};

    if (status)
        return status;
    if (weights.components == 1)
        status = search_paths(run, &problem, chunks, err);
    else
        status = hs_pareto_search(run, &weights, chunks, err);
    hs_weights_release(&weights);
    return status;
}

/* Chunk counts from `from` on. */
static void say_left_out(struct hs_strategy_run *run, size_t from)
{
    struct hs_text text = {0};

    hs_text_append(&text, "%s", from == 0 ? "all but the best plan without chunks" : "plans with ");
    for (size_t c = from; from > 0 && c < run->request->chunk_count; c++)
        hs_text_append(&text, "%s%d", c > from ? ", " : "", run->request->chunks[c]);
    snprintf(run->left_out, sizeof(run->left_out), "%.120s%s", text.failed ? "" : text.data,
             from > 0 ? " chunks" : "");
    hs_text_release(&text);
}

enum hs_status hs_strategy_lattice(struct hs_strategy_run *run, struct hs_error *err)
{
    const struct hs_search_request *request = run->request;
    enum hs_status status = HS_OK;
    size_t done = 0;

    run->layers_priced = run->lattice.edge_count;
    run->steps = 0;
    for (size_t c = 0; c < request->chunk_count; c++) {
        int components = hs_weight_components(request->system, request->chunks[c]);

        run->steps += components == 1 ? 1 : (uint64_t)components + 1;
    }
    for (size_t c = 0; c < request->chunk_count && !status && !run->stopped; c++) {
        status = search_chunks(run, request->chunks[c], run->ranking.top, run, err);
        run->step++;
        done += !run->stopped;
    }
    if (!status && run->stopped) {
        say_left_out(run, done);
        if (done == 0) /* the best plan in one piece takes next to no time */
            status = search_chunks(run, 1, 1, NULL, err);
    }
    return status;
}
