#include "result/log_fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/statistics.h"

void hs_call_list_release(struct hs_call_list *list)
{
    free(list->runs);
    free(list->seconds);
    *list = (struct hs_call_list){0};
}

/* What the log says goes before what was asked for. */
static enum hs_status complete(struct hs_log_run *run, const char *name,
                               const struct hs_log_facts *facts, struct hs_error *err)
{
    if (run->is_mpi)
        return hs_fail(err, HS_INVALID,
                       "%s: has times of MPI, and constants are fitted to those of NCCL alone",
                       name);
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
    if (run->nodes == 0)
        return hs_fail(err, HS_INVALID, "%s: does not say on how many nodes it ran: --nodes N",
                       name);
    return HS_OK;
}

/* A rack's trays are hosts of one NVLink domain. */
static enum hs_status shape_of(struct hs_shape *shape, const struct hs_parts *parts,
                               const struct hs_log_run *run, const char *name, struct hs_error *err)
{
    int64_t domains = run->nodes;

    if (parts->gpu_count >= HS_RACK_GPUS)
        domains = (run->ranks + parts->gpu_count - 1) / parts->gpu_count;
    if (run->ranks % domains != 0)
        return hs_fail(err, HS_INVALID,
                       "%s: %" PRId64 " ranks on %" PRId64 " nodes: expected as many on each", name,
                       run->ranks, domains);
    if (hs_parts_shape(shape, parts, domains, run->ranks / domains, err))
        return hs_error_prefix(err, HS_INVALID, name);
    return HS_OK;
}

static enum hs_status add(struct hs_call_list *list, const struct hs_nccl_run *run, double seconds,
                          struct hs_error *err)
{
    struct hs_nccl_run *added =
        hs_grow(&list->runs, &list->run_capacity, list->count, sizeof(*added), err);
    double *time =
        added ? hs_grow(&list->seconds, &list->seconds_capacity, list->count, sizeof(*time), err)
              : NULL;

    if (!time)
        return HS_MEMORY;
    *added = *run;
    *time = seconds;
    list->count++;
    return HS_OK;
}

enum hs_status hs_log_calls(struct hs_call_list *list, const struct hs_system *system,
                            const struct hs_log *log, const char *name,
                            const struct hs_log_facts *facts, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    if (!system->parts)
        return hs_fail(
            err, HS_INVALID,
            "%s: times of a library's own calls are fitted to a machine in parts, such as "
            "'8xH100, 8xNDR400'",
            name);
    for (size_t p = 0; p < log->point_count && status == HS_OK; p++) {
        struct hs_log_run run = log->runs[log->points[p].run];
        struct hs_nccl_call call = {.bytes = (double)log->points[p].bytes};
        struct hs_nccl_choice choice;
        struct hs_nccl_run made;

        status = complete(&run, name, facts, err);
        if (status == HS_OK)
            status = shape_of(&call.shape, &system->nccl.parts, &run, name, err);
        if (status != HS_OK)
            break;
        call.kind = run.call;
        call.version = run.nccl_version ? run.nccl_version : HS_NCCL_VERSION_USUAL;
        hs_nccl_choose(&choice, &call, HS_NCCL_ANY);
        made = hs_nccl_run(&call, choice);
        status = add(list, &made, log->points[p].seconds, err);
    }
    return status;
}

static double error_of(const struct hs_price_point *points, size_t count, const double *values)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += fabs(log(hs_nccl_price_model.seconds(points[i].call, values) / points[i].seconds));
    return exp(sum / (double)count) - 1;
}

/* Keeps what the times said much of. */
static enum hs_status keep(struct hs_system *system, const double *values, const double *deviations,
                           struct hs_error *err)
{
    struct hs_own_constants kept = {0};

    for (size_t k = 0; k < hs_nccl_price_model.count; k++) {
        const struct hs_constant *row = &hs_nccl_price_model.constants[k];
        double range = exp(HS_NORMAL95 * deviations[k]);
        struct hs_own_constant *own;

        system->nccl.own[k] = 0;
        if (!(deviations[k] < HS_CONSTANT_LEARNED * row->width))
            continue;
        own = hs_grow(&kept.items, NULL, kept.count, sizeof(*own), err);
        if (!own) {
            free(kept.items);
            return HS_MEMORY;
        }
        snprintf(own->name, sizeof(own->name), "%s", row->name);
        own->value = system->nccl.own[k] = values[k];
        own->low = values[k] / range;
        own->high = values[k] * range;
        kept.count++;
    }
    free(system->constants.items);
    system->constants = kept;
    system->nccl.doubt = kept.count > 0 ? HS_NCCL_DOUBT_OWN : 0;
    return HS_OK;
}

enum hs_status hs_calls_fit(struct hs_system *system, const struct hs_call_list *list,
                            double *before, double *after, struct hs_error *err)
{
    double values[HS_CONSTANTS_MAX], shipped[HS_CONSTANTS_MAX], deviations[HS_CONSTANTS_MAX];
    struct hs_price_point *points = calloc(list->count + 1, sizeof(*points));
    struct hs_constants_question question = {.model = &hs_nccl_price_model,
                                             .points = points,
                                             .count = list->count,
                                             .around = shipped,
                                             .deviations = deviations};
    enum hs_status status;

    if (!points)
        return hs_no_memory(err);
    for (size_t i = 0; i < list->count; i++)
        points[i] = (struct hs_price_point){&list->runs[i], list->seconds[i]};
    hs_constants_shipped(shipped, &hs_nccl_price_model);
    memcpy(values, shipped, sizeof(values));
    *before = error_of(points, list->count, values);
    status = hs_constants_fit(values, NULL, &question, err);
    if (status == HS_OK)
        status = keep(system, values, deviations, err);
    for (size_t k = 0; k < hs_nccl_price_model.count && status == HS_OK; k++)
        if (system->nccl.own[k] == 0)
            values[k] = shipped[k];
    *after = status == HS_OK ? error_of(points, list->count, values) : NAN;
    free(points);
    return status;
}
