/* copy_rate.c - see copy_rate.h. */
#include "runner/copy_rate.h"

#include <math.h>

#include "base/clock.h"
#include "engine/packing.h"
#include "runner/guard.h"

#define RUNS 7 /* behind one that touches the memory */

/* Two layers as near to each other as can be; one of a prime number. */
static struct hs_plan plan_of(int64_t size)
{
    struct hs_plan plan = hs_plan_flat(size);

    for (int64_t inside = (int64_t)sqrt((double)size); inside > 1; inside--)
        if (size % inside == 0) {
            plan.split = (struct hs_split){.count = 2, .sizes = {inside, size / inside}};
            break;
        }
    return plan;
}

static enum hs_status copy_runs(struct hs_samples *samples, struct hs_bench *bench,
                                const struct hs_pack *packing, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (int run = 0; run <= RUNS; run++) {
        double begin, seconds;

        hs_ranks_barrier(bench->ranks);
        begin = hs_clock_seconds();
        hs_packing_copy(packing, bench->output, bench->input, false);
        seconds = hs_clock_seconds() - begin;
        hs_ranks_largest(bench->ranks, &seconds, 1);
        if (run > 0 && status == HS_OK)
            status = hs_samples_add(samples, seconds, err);
    }
    return hs_ranks_agree(bench->ranks, status, err);
}

enum hs_status hs_copy_rate(double *bytes_per_second, struct hs_bench *bench, struct hs_error *err)
{
    const struct hs_bench_config *config = &bench->config;
    struct hs_task task = {.kind = HS_TASK_PLAN,
                           .plan = plan_of(config->group.size),
                           .collective = HS_COLLECTIVE_REDUCE_SCATTER,
                           .layout = HS_PACKED,
                           .group = config->group,
                           .count = config->count};
    struct hs_pack packing = {.memory = bench->memory,
                              .queue = bench->queue,
                              .rank = bench->ranks->rank,
                              .work = {.task = &task, .datatype = config->datatype, .line = 1}};
    double bytes = (double)hs_task_padded(&task, 1) * (double)hs_datatype_bytes(config->datatype);
    struct hs_samples samples = {.values = NULL};
    enum hs_status status;

    if (config->backend->virtual_clock) {
        *bytes_per_second = hs_system_copy_rate(config->play->system);
        return HS_OK;
    }
    if (bench->guard)
        hs_guard_expect(bench->guard, "copying", HS_GUARD_NOBODY, config->timeout_seconds);
    status = copy_runs(&samples, bench, &packing, err);
    *bytes_per_second = bytes / hs_samples_median(&samples);
    hs_samples_release(&samples);
    return status;
}
