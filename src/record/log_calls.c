#include "record/log_calls.h"
#include "library/limit.h"
#include "library/price_nccl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/list.h"
#include "library/library_mpi.h"
#include "library/mpi_steps.h"
#include "system/link_rates.h"

#define ELEMENT_BYTES 4.0     /* MPICH's rule counts elements: of floats */
#define BYTES_MOST    0x1p+62 /* of a call */

void hs_call_list_release(struct hs_call_list *list)
{
    free(list->items);
    *list = (struct hs_call_list){0};
}

/* ---- the machine ----------------------------------------------------------------------------- */

const struct hs_price_model *hs_calls_model(const struct hs_system *system)
{
    enum hs_library library = hs_system_library(system);

    if (system->fits.count > 0)
        return NULL;
    return library == HS_LIBRARY_NCCL && system->parts         ? &hs_nccl_price_model
           : hs_library_mpi_rule(library) != HS_LIBRARY_UNSAID ? &hs_mpi_price_model
                                                               : NULL;
}

void hs_calls_values(double *values, const struct hs_system *system)
{
    if (hs_calls_model(system) != &hs_nccl_price_model) {
        hs_mpi_system_values(values, system);
        return;
    }
    hs_constants_shipped(values, &hs_nccl_price_model);
    for (size_t k = 0; k < hs_nccl_price_model.count; k++)
        if (system->nccl.own[k] > 0)
            values[k] = system->nccl.own[k];
}

/* Whether the log's times can be those of the machine's library. */
static enum hs_status check_library(const struct hs_system *system, enum hs_log_of of,
                                    const char *name, struct hs_error *err)
{
    static const char *const written[] = {NULL, "NCCL", "RCCL", "MPI"};
    const struct hs_price_model *model = hs_calls_model(system);
    bool fits = model == &hs_nccl_price_model ? of == HS_LOG_OF_NCCL : of == HS_LOG_OF_MPI;

    if (system->fits.count > 0)
        return hs_fail(err, HS_INVALID,
                       "%s: times of a library's calls, and this machine is calibrated: its "
                       "stages are priced by fits alone",
                       name);
    if (!model && hs_system_library(system) == HS_LIBRARY_RCCL)
        return hs_fail(err, HS_INVALID,
                       "%s: nothing is fitted to RCCL's times, and `check` judges them", name);
    if (!model && system->levels[0].fabric == HS_FABRIC_LINKS)
        return hs_fail(err, HS_INVALID,
                       "%s: NCCL's calls have no price on GPUs that single links join: boards with "
                       "bridges take a log as boards in slots, such as '4xA100-pcie4'",
                       name);
    if (!model)
        return hs_fail(err, HS_INVALID,
                       "%s: times of a library's calls need a machine that says which it has: "
                       "parts, such as '8xH100, 8xNDR400', or levels with \";library=mpich\" (or "
                       "openmpi) behind them",
                       name);
    if (of != HS_LOG_OF_UNSAID && !fits)
        return hs_fail(err, HS_INVALID, "%s: has times of %s, and the machine's library is %s",
                       name, written[of], hs_library_written(hs_system_library(system)));
    return HS_OK;
}

/* ---- what a log leaves out ------------------------------------------------------------------- */

/* The numbers of ranks that a ratio allows, "16" or "500 to 520". */
static const char *format_ratio(char out[64], const struct hs_log_ratio *ratio)
{
    double least = ceil(ratio->least * (1 - 1e-9)), most = floor(ratio->most * (1 + 1e-9));

    if (!(least <= most))
        return "no number of";
    if (isinf(most))
        snprintf(out, 64, "at least %.0f", least);
    else if (most > least)
        snprintf(out, 64, "%.0f to %.0f", least, most);
    else
        snprintf(out, 64, "%.0f", least);
    return out;
}

/* Where a log's own words on its ranks contradict each other, in words; "": they do not. */
static void find_contradiction(char out[256], const struct hs_log *log,
                               const struct hs_log_run *run)
{
    const struct hs_nccl_job *job = &log->info.job;
    char allowed[64];

    out[0] = '\0';
    if (run->ranks == 0)
        return;
    if (run->ratio.least > 0 && ((double)run->ranks < run->ratio.least * (1 - 1e-9) ||
                                 (double)run->ranks > run->ratio.most * (1 + 1e-9)))
        snprintf(out, 256,
                 "says %" PRId64 " ranks, but busbw / algbw in line %zu is that of %s ranks",
                 run->ranks, run->ratio.line, format_ratio(allowed, &run->ratio));
    else if (log->run_count == 1 && job->ranks > 0 && job->ranks != run->ranks)
        snprintf(out, 256, "says %" PRId64 " ranks, but line %zu is of %" PRId64 " ranks",
                 run->ranks, job->line, job->ranks);
    else if (log->run_count == 1 && run->listed == run->ranks && run->nodes > 0 && job->nodes > 0 &&
             job->ranks == run->ranks && job->nodes > run->nodes)
        snprintf(out, 256, "lists ranks of %" PRId64 " nodes, but line %zu says %" PRId64 " nodes",
                 run->nodes, job->nodes_line, job->nodes);
}

bool hs_log_is_contradictory(const struct hs_log *log, const struct hs_log_run *run)
{
    char unused[256];

    find_contradiction(unused, log, run);
    return unused[0] != '\0';
}

/* What the log says goes before what was asked for, unless it contradicts itself. People cut the
 * list of ranks, and then its hosts are not all, either. */
static enum hs_status complete(struct hs_log_run *run, const struct hs_log *log, const char *name,
                               const struct hs_log_facts *facts, struct hs_error *err)
{
    char contradiction[256];

    find_contradiction(contradiction, log, run);
    if (contradiction[0] && facts->ranks == 0)
        return hs_fail(err, HS_INVALID, "%s: %s: give --np N and --nodes N", name, contradiction);
    if (contradiction[0])
        run->ranks = facts->ranks;
    if (contradiction[0] || (run->listed > 0 && run->listed < run->ranks))
        run->nodes = facts->nodes                        ? facts->nodes
                     : log->info.job.ranks == run->ranks ? hs_nccl_info_hosts(&log->info)
                                                         : 0;
    run->ranks = run->ranks ? run->ranks : facts->ranks;
    run->nodes = run->nodes ? run->nodes : facts->nodes;
    if (!run->call_known) {
        run->call = facts->call;
        run->call_known = facts->call_known;
    }
    if (!run->call_known)
        return hs_fail(err, HS_INVALID, "%s: does not say which collective it ran: --call NAME",
                       name);
    if (run->ranks == 0)
        return hs_fail(err, HS_INVALID, "%s: does not say how many ranks there were: --np N", name);
    if (run->nodes == 0 && !facts->may_lack_price)
        return hs_fail(err, HS_INVALID, "%s: does not say on how many nodes it ran: --nodes N",
                       name);
    return HS_OK;
}

static enum hs_status fail_uneven(const struct hs_log_call *call, int64_t nodes,
                                  struct hs_error *err)
{
    return hs_fail(err, HS_INVALID,
                   "%s: %" PRId64 " ranks on %" PRId64 " nodes: expected as many on each",
                   call->file, call->ranks, nodes);
}

/* ---- NCCL ------------------------------------------------------------------------------------ */

/* A rack's trays are hosts of one NVLink domain. */
static enum hs_status shape_of(struct hs_shape *shape, const struct hs_parts *parts,
                               const struct hs_log_call *call, struct hs_error *err)
{
    int64_t domains = call->nodes;

    if (parts->gpu_count >= HS_RACK_GPUS)
        domains = (call->ranks + parts->gpu_count - 1) / parts->gpu_count;
    if (call->ranks % domains != 0)
        return fail_uneven(call, domains, err);
    if (hs_nccl_shape(shape, parts,
                      &(struct hs_nccl_ask){
                          .kind = call->kind, .domains = domains, .gpus = call->ranks / domains},
                      err))
        return hs_error_prefix(err, HS_INVALID, call->file);
    return HS_OK;
}

/* What NCCL_ALGO leaves: the reader's word, else the log's, else the machine's; 0: all. */
static enum hs_status find_algorithms(unsigned *among, const struct hs_system *system,
                                      const struct hs_log_run *run,
                                      const struct hs_log_facts *facts, struct hs_error *err)
{
    size_t algorithm;

    *among = facts->algorithm ? 0 : run->among ? run->among : system->nccl.among;
    if (!facts->algorithm || !*facts->algorithm)
        return HS_OK;
    if (hs_name_find(&algorithm, facts->algorithm, "algorithm", hs_nccl_algorithm_names,
                     HS_NCCL_ALGORITHM_COUNT, err))
        return hs_error_prefix(err, HS_INVALID, "--algorithm");
    *among = 1U << algorithm;
    return HS_OK;
}

static enum hs_status take_nccl(struct hs_log_call *call, const struct hs_system *system,
                                const struct hs_log_run *run, const struct hs_log_facts *facts,
                                struct hs_error *err)
{
    struct hs_nccl_call made = {.kind = call->kind,
                                .bytes = (double)call->bytes,
                                .version = run->nccl_version      ? run->nccl_version
                                           : system->nccl.version ? system->nccl.version
                                                                  : HS_NCCL_VERSION_USUAL};
    struct hs_nccl_choice choice;
    unsigned among;

    if (shape_of(&made.shape, &system->nccl.parts, call, err) ||
        find_algorithms(&among, system, run, facts, err))
        return HS_INVALID;
    call->among = among;
    if (!hs_nccl_choose(&choice, &made, among ? among : HS_NCCL_ANY)) {
        if (facts->algorithm && *facts->algorithm)
            return hs_fail(err, HS_INVALID, "%s: NCCL has no %s for its %s there: --algorithm",
                           call->file, facts->algorithm, hs_library_call_names[call->kind]);
        hs_nccl_choose(&choice, &made, HS_NCCL_ANY); /* as NCCL does with a wish it cannot meet */
    }
    call->nccl = hs_nccl_run(&made, choice);
    call->library = HS_LIBRARY_NCCL;
    return HS_OK;
}

/* ---- MPI ------------------------------------------------------------------------------------- */

static enum hs_status place_on_levels(struct hs_mpi_call *made, const struct hs_log_call *call,
                                      struct hs_error *err)
{
    const struct hs_system *system = made->system;
    int64_t node = hs_system_node_ranks(system);
    int64_t tasks = call->ranks / call->nodes;

    if (call->ranks % call->nodes != 0)
        return fail_uneven(call, call->nodes, err);
    if (node == INT64_MAX && call->nodes > 1) /* no level lies between nodes */
        node = 1;
    made->tasks = call->nodes > 1 && tasks == node ? node : 1;
    made->stride = call->nodes > 1 && tasks == 1 ? node : 1;
    if (call->nodes > 1 ? tasks == 1 || tasks == node : system->level_count == 1 || tasks <= node)
        return HS_OK;
    return hs_fail(err, HS_INVALID,
                   "%s: %" PRId64 " ranks on each of %" PRId64 " nodes: expected %s%" PRId64
                   ", as the machine has",
                   call->file, tasks, call->nodes, call->nodes > 1 && node > 1 ? "1 or " : "",
                   node);
}

static enum hs_status find_mpi_algorithm(struct hs_mpi_call *made, const struct hs_log_call *call,
                                         enum hs_library library, const char *forced,
                                         struct hs_error *err)
{
    static const enum hs_phase phases[] = {[HS_CALL_ALLREDUCE] = HS_ALLREDUCE,
                                           [HS_CALL_ALLGATHER] = HS_ALLGATHER,
                                           [HS_CALL_REDUCE_SCATTER] = HS_REDUCE_SCATTER,
                                           [HS_CALL_ALLTOALL] = HS_EXCHANGE};
    struct hs_mpi_choice choice;
    size_t algorithm;

    if (forced && hs_name_find(&algorithm, forced, "algorithm", hs_mpi_algorithm_names,
                               HS_MPI_ALGORITHM_COUNT, err))
        return hs_error_prefix(err, HS_INVALID, "--algorithm");
    if (forced && !hs_mpi_has_steps((enum hs_mpi_algorithm)algorithm, phases[call->kind]))
        return hs_fail(err, HS_INVALID, "%s: a %s by %s has no price: --algorithm ring or halving",
                       call->file, hs_library_call_names[call->kind], forced);
    if (forced) {
        made->algorithm = (enum hs_mpi_algorithm)algorithm;
        return HS_OK;
    }
    if (call->kind == HS_CALL_REDUCE_SCATTER) /* benchmarks call MPI_Reduce_scatter */
        choice = hs_mpi_choose_counted(library, made->ranks, made->bytes);
    else
        choice = hs_mpi_choose(library, phases[call->kind], made->ranks, made->tasks, made->bytes,
                               made->bytes / ELEMENT_BYTES);
    made->algorithm = choice.algorithm;
    made->in_nodes = choice.in_nodes;
    return HS_OK;
}

static enum hs_status take_mpi(struct hs_log_call *call, const struct hs_system *system,
                               const struct hs_log_facts *facts, struct hs_error *err)
{
    struct hs_mpi_call made = {.machine = HS_MPI_SYSTEM,
                               .kind = call->kind,
                               .ranks = call->ranks,
                               .bytes = (double)call->bytes,
                               .system = system};
    const char *forced = facts->algorithm ? facts->algorithm : system->library_algorithm;

    if (forced && !*forced)
        forced = NULL;
    if (place_on_levels(&made, call, err))
        return HS_INVALID;
    if (call->kind == HS_CALL_ALLTOALL && made.stride > 1) /* one rank a node of several */
        return HS_OK;
    if (find_mpi_algorithm(&made, call, hs_system_library(system), forced, err))
        return HS_INVALID;
    call->among = forced ? 1U << made.algorithm : 0;
    call->mpi = made;
    call->library = hs_system_library(system);
    return HS_OK;
}

/* ---- RCCL ------------------------------------------------------------------------------------ */

/* Calls within a node, or of full ones: how the other GPUs of a node share its NICs is no fact of a
 * log. */
static void take_rccl(struct hs_log_call *call, const struct hs_system *system)
{
    struct hs_group group = hs_group_world(call->ranks);
    struct hs_stage_key key = {.layer = {1, call->ranks}};
    enum hs_collective collective = HS_COLLECTIVE_ALLREDUCE;

    if (call->ranks < 2 ||
        (call->nodes > 1 && (call->ranks % call->nodes != 0 ||
                             call->ranks / call->nodes != hs_system_node_ranks(system))))
        return;
    while (hs_nccl_call_of(hs_collectives[collective].last) != call->kind)
        collective++;
    key.phase = hs_collectives[collective].last;
    call->rccl = hs_rccl_call_of(system, &group, key, (double)call->bytes);
    call->library = HS_LIBRARY_RCCL;
}

/* ---- all calls ------------------------------------------------------------------------------- */

static enum hs_status find_price(struct hs_log_call *call, const struct hs_system *system,
                                 const struct hs_log_run *run, const struct hs_log_facts *facts,
                                 struct hs_error *err)
{
    if (facts->may_lack_price && hs_system_library(system) == HS_LIBRARY_RCCL &&
        (run->of == HS_LOG_OF_RCCL || run->of == HS_LOG_OF_UNSAID)) {
        take_rccl(call, system);
        return HS_OK;
    }
    if (check_library(system, run->of, call->file, err))
        return HS_INVALID;
    if (call->ranks < 2)
        return hs_fail(err, HS_INVALID, "%s: one rank does not communicate", call->file);
    return hs_calls_model(system) == &hs_nccl_price_model ? take_nccl(call, system, run, facts, err)
                                                          : take_mpi(call, system, facts, err);
}

static enum hs_status make_call(struct hs_log_call *call, const struct hs_system *system,
                                const struct hs_log_run *run, const struct hs_log_facts *facts,
                                struct hs_error *err)
{
    struct hs_error unused;

    call->kind = run->call;
    call->ranks = run->ranks;
    call->nodes = run->nodes;
    if (run->per_rank && (double)call->bytes * (double)call->ranks > BYTES_MOST)
        return hs_fail(err, HS_INVALID, "%s: %" PRIu64 " bytes of each of %" PRId64 " ranks",
                       call->file, call->bytes, call->ranks);
    call->bytes *= run->per_rank ? (uint64_t)call->ranks : 1;
    if (!facts->may_lack_price)
        return find_price(call, system, run, facts, err);
    if (system && call->nodes > 0)
        find_price(call, system, run, facts, &unused);
    return HS_OK;
}

enum hs_status hs_log_calls(struct hs_call_list *list, const struct hs_system *system,
                            const struct hs_log *log, const char *name,
                            const struct hs_log_facts *facts, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t p = 0; p < log->point_count && status == HS_OK; p++) {
        const struct hs_log_point *point = &log->points[p];
        struct hs_log_run run = log->runs[point->run];
        struct hs_log_call call = {.file = name,
                                   .bytes = point->bytes,
                                   .in_place = point->in_place,
                                   .seconds = point->seconds};
        struct hs_log_call *added;

        if (!facts->may_lack_price)
            status = check_library(system, run.of, name, err);
        if (status == HS_OK)
            status = complete(&run, log, name, facts, err);
        if (status == HS_OK)
            status = make_call(&call, system, &run, facts, err);
        if (status != HS_OK)
            return status;
        added = hs_grow(&list->items, &list->capacity, list->count, sizeof(*added), err);
        if (!added)
            return HS_MEMORY;
        *added = call;
        list->count++;
    }
    return status;
}

const void *hs_log_call_priced(const struct hs_log_call *call)
{
    return call->library == HS_LIBRARY_UNSAID ? NULL
           : call->library == HS_LIBRARY_NCCL ? (const void *)&call->nccl
           : call->library == HS_LIBRARY_RCCL ? (const void *)&call->rccl
                                              : (const void *)&call->mpi;
}

/* The call as a problem that has a limit, of groups that would call at once with their part of the
 * bytes each; false: nodes are not full, and not of such groups. */
static bool find_problem(struct hs_problem *problem, const struct hs_log_call *call,
                         const struct hs_system *system)
{
    int64_t full = system->nccl.gpus, gpus = call->nccl.call.shape.gpus, groups = 1;
    bool nccl = call->library == HS_LIBRARY_NCCL;

    *problem = (struct hs_problem){.group = hs_group_world(call->ranks)};
    while (hs_nccl_call_of(hs_collectives[problem->collective].last) != call->kind)
        problem->collective++;
    if (nccl && call->nccl.call.shape.domains > 1 && gpus < full) {
        if (full % gpus != 0)
            return false;
        groups = full / gpus;
        if (gpus == 1)
            problem->group.stride = full;
        else
            problem->group.skips[0] = (struct hs_skip){gpus, groups};
    } else if (!nccl && call->library != HS_LIBRARY_RCCL) {
        groups = problem->group.stride = call->mpi.stride;
    }
    problem->group.ranks *= groups;
    problem->bytes = (double)call->bytes / (double)groups;
    return true;
}

/* What leaves a node, at least, through the slots of those of its GPUs that call: a log is often of
 * one GPU a node, which has all NICs, but one slot. */
static double slots_seconds(const struct hs_log_call *call, enum hs_collective collective)
{
    const struct hs_shape *shape = &call->nccl.call.shape;
    double leaves = hs_collectives[collective].crossing(shape->gpus, call->ranks);

    return leaves * (double)call->bytes /
           ((double)shape->gpus * 1e9 * shape->parts.gpu.slot_GBps * HS_SLOT_PEAK);
}

struct hs_call_price hs_log_call_price(const struct hs_log_call *call,
                                       const struct hs_system *system)
{
    double values[HS_CONSTANTS_MAX], seconds, deviation, range, least;
    struct hs_problem problem;
    const void *priced = hs_log_call_priced(call);

    if (!priced)
        return (struct hs_call_price){NAN, NAN, NAN};
    if (call->library == HS_LIBRARY_RCCL) {
        hs_constants_shipped(values, &hs_rccl_price_model);
        seconds = hs_rccl_price_model.seconds(priced, values);
    } else {
        hs_calls_values(values, system);
        seconds = hs_calls_model(system)->seconds(priced, values);
    }
    if (call->library == HS_LIBRARY_RCCL)
        deviation = hs_rccl_deviation(&call->rccl, values);
    else if (call->library == HS_LIBRARY_NCCL)
        deviation =
            hs_nccl_deviation(&call->nccl, values, system->nccl.doubt, system->nccl.residual);
    else
        deviation = hs_mpi_deviation(&call->mpi, values, hs_mpi_system_doubt(system),
                                     system->constants.residual);
    least = find_problem(&problem, call, system) ? hs_limit_of(system, &problem).seconds : 0;
    if (call->library == HS_LIBRARY_NCCL && call->nccl.call.shape.domains > 1)
        least = fmax(least, slots_seconds(call, problem.collective));
    range = exp(HS_PRICE_RANGE * deviation);
    return (struct hs_call_price){fmax(seconds, least), fmax(seconds / range, least),
                                  fmax(seconds * range, least)};
}
