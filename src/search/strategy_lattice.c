/*
 * The default strategy: K shortest paths in the divisor lattice, exact.
 */
#include <stdlib.h>

#include "search/pareto.h"
#include "search/paths.h"
#include "search/strategies.h"

/* One weight per edge (no chunks, or one level): dynamic programming. */
static enum hs_status search_paths(struct hs_ranking *ranking, const struct hs_lattice *lattice,
                                   const hs_ticks *weights, int chunks, uint64_t *labels,
                                   struct hs_error *err)
{
    size_t last = lattice->node_count - 1;
    struct hs_paths paths;
    enum hs_status status = hs_paths_init(&paths, lattice, weights, 1, ranking->top, err);

    if (status)
        return status;
    for (size_t i = 0; i < lattice->node_count; i++)
        *labels += paths.nodes[i].count;
    for (size_t i = 0; i < paths.nodes[last].count && !status; i++) {
        struct hs_plan plan = {.split = hs_paths_split(&paths, last, i), .chunks = chunks};

        status = hs_ranking_add(ranking, paths.nodes[last].data[i].ticks, &plan, err);
    }
    hs_paths_release(&paths);
    return status;
}

static enum hs_status search_chunks(struct hs_strategy_run *run, int chunks, struct hs_error *err)
{
    int components = hs_weight_components(run->request->system, chunks);
    hs_ticks *weights =
        hs_lattice_weights(&run->lattice, run->prices, run->request, chunks, run->tick_seconds);
    enum hs_status status;

    if (!weights)
        return hs_no_memory(err);
    if (components == 1)
        status = search_paths(&run->ranking, &run->lattice, weights, chunks, &run->looked_at, err);
    else
        status = hs_pareto_search(&run->ranking, &run->lattice, weights, components, chunks,
                                  &run->looked_at, err);
    free(weights);
    return status;
}

enum hs_status hs_strategy_lattice(struct hs_strategy_run *run, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    run->layers_priced = run->lattice.edge_count;
    for (size_t c = 0; c < run->request->chunk_count && !status; c++)
        status = search_chunks(run, run->request->chunks[c], err);
    return status;
}
