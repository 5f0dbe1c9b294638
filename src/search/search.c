#include "search/search.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library/price_plan.h"
#include "search/letters.h"

const struct hs_search_strategy hs_search_strategies[] = {
#define HS_ROW(name, summary) {#name, hs_strategy_##name},
    HS_SEARCH_STRATEGIES(HS_ROW)
#undef HS_ROW
        {NULL, NULL},
};

const char *const hs_search_strategy_names[] = {
#define HS_ROW(name, summary) #name,
    HS_SEARCH_STRATEGIES(HS_ROW)
#undef HS_ROW
        NULL,
};

const struct hs_search_strategy *hs_search_strategy_find(const char *name)
{
    for (const struct hs_search_strategy *s = hs_search_strategies; s->name; s++)
        if (strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

static enum hs_status check_chunks(const struct hs_search_request *request, struct hs_error *err)
{
    const struct hs_problem *problem = &request->problem;

    if (request->chunk_count < 1 || request->chunk_count > HS_CHUNK_CHOICES)
        return hs_fail(err, HS_INVALID, "expected 1 to %d chunk counts, found %zu",
                       HS_CHUNK_CHOICES, request->chunk_count);
    for (size_t c = 0; c < request->chunk_count; c++) {
        if (request->chunks[c] < 1 || request->chunks[c] > HS_CHUNKS_MAX)
            return hs_fail(err, HS_INVALID, "expected chunk counts from 1 to %d, found %d",
                           HS_CHUNKS_MAX, request->chunks[c]);
        if (c > 0 && request->chunks[c] <= request->chunks[c - 1])
            return hs_fail(err, HS_INVALID, "chunk counts must ascend, found %d behind %d",
                           request->chunks[c], request->chunks[c - 1]);
    }
    if (request->chunks[request->chunk_count - 1] > 1 &&
        hs_collective_is_one_way(problem->collective))
        return hs_fail(err, HS_INVALID,
                       "chunks of %s would leave a process a piece of each in place of its block: "
                       "they are for AllReduce",
                       hs_collectives[problem->collective].written);
    return HS_OK;
}

/* Calls of NCCL's leave a node by its NICs. */
static enum hs_status check_parts(const struct hs_system *system, int64_t ranks,
                                  struct hs_error *err)
{
    const struct hs_parts *parts = &system->nccl.parts;

    if (!hs_system_is_nccl_native(system) || parts->nic_count > 0 || ranks <= parts->gpu_count)
        return HS_OK;
    return hs_fail(err, HS_INVALID,
                   "%" PRId64 " processes are more than the %" PRId64
                   " GPUs of a node, and \"%s\" names no NICs, as \"8xH100, 8xNDR400\" does",
                   ranks, parts->gpu_count, system->parts);
}

static enum hs_status check_request(const struct hs_search_request *request, struct hs_error *err)
{
    if (check_parts(request->system, request->problem.group.ranks, err))
        return HS_INVALID;
    if (!(request->problem.bytes > 0 && isfinite(request->problem.bytes)))
        return hs_fail(err, HS_INVALID, "expected a message of more than 0 bytes, found %g",
                       request->problem.bytes);
    if (request->top < 1 || request->top > HS_TOP_MAX)
        return hs_fail(err, HS_INVALID, "expected 1 to %d plans, found %zu", HS_TOP_MAX,
                       request->top);
    return check_chunks(request, err);
}

static enum hs_status price_layers(struct hs_strategy_run *run, struct hs_error *err)
{
    run->prices = hs_lattice_prices(&run->lattice, run->request);
    if (!run->prices)
        return hs_no_memory(err);
    return hs_tick_choose(&run->tick_seconds, run->request, &run->lattice, run->prices, err);
}

bool hs_search_goes_on(struct hs_strategy_run *run, uint64_t done, uint64_t all)
{
    if (!run)
        return true;
    if (!run->stopped && run->request->progress)
        run->stopped = !run->request->progress(run->request->watcher, run->step * all + done,
                                               run->steps * all);
    return !run->stopped;
}

/* Turns the run's ranking into the result. */
static enum hs_status fill_result(struct hs_search_result *out, struct hs_strategy_run *run,
                                  struct hs_error *err)
{
    const struct hs_search_request *request = run->request;
    struct hs_plan flat = hs_problem_flat(&request->problem);
    enum hs_status status = HS_OK;
    hs_ticks ticks;

    hs_ranking_sort(&run->ranking);
    out->plans = malloc((run->ranking.count + 1) * sizeof(*out->plans));
    if (!out->plans)
        return hs_no_memory(err);
    for (size_t i = 0; i < run->ranking.count && !status; i++) {
        out->plans[i].plan = run->ranking.plans[i].plan;
        status = hs_plan_choose(&out->plans[i].plan, &ticks, request, run->tick_seconds, err);
        out->plans[i].seconds =
            hs_plan_seconds(request->system, &request->problem, &out->plans[i].plan);
    }
    out->count = run->ranking.count;
    out->splits = run->lattice.path_count;
    out->looked_at = run->looked_at;
    out->layers_priced = run->layers_priced;
    memcpy(out->left_out, run->left_out, sizeof(out->left_out));
    out->flat_seconds = hs_plan_seconds(request->system, &request->problem, &flat);
    return status;
}

enum hs_status hs_search(struct hs_search_result *out, const struct hs_search_strategy *strategy,
                         const struct hs_search_request *request, struct hs_error *err)
{
    static const int one_chunk = 1;
    struct hs_search_request checked = *request;
    struct hs_strategy_run run = {.request = &checked, .steps = 1};
    enum hs_status status;

    memset(out, 0, sizeof(*out));
    if (!checked.chunks) {
        checked.chunks = &one_chunk;
        checked.chunk_count = 1;
    }
    status = check_request(&checked, err);
    if (!status)
        status = hs_lattice_init(&run.lattice, checked.problem.group, err);
    if (status)
        return status;
    hs_ranking_init(&run.ranking, checked.top);
    status = price_layers(&run, err);
    if (!status)
        status = strategy->run(&run, err);
    if (!status)
        status = fill_result(out, &run, err);
    if (status)
        hs_search_result_release(out);
    hs_ranking_release(&run.ranking);
    free(run.prices);
    hs_lattice_release(&run.lattice);
    return status;
}

void hs_search_result_release(struct hs_search_result *result)
{
    free(result->plans);
    memset(result, 0, sizeof(*result));
}
