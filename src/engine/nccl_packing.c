#include "engine/nccl_packing.h"

#include "engine/packing.h"

enum hs_status hs_nccl_regroup(char *to, const char *from, struct hs_cuda_runs runs,
                               cudaStream_t stream, struct hs_error *err)
{
    return hs_cuda_status(hs_cuda_regroup(to, from, runs, stream), "bringing runs together", err);
}

/* Blocks of a packed message lie by the digits of their ranks the other way round: each pass brings
 * the outermost digit left to where the innermost is. Ends in the output, and alternates with what
 * is between. */
static enum hs_status reverse(const struct hs_nccl_lanes *lanes, const struct hs_work *work,
                              const char *from, bool back, struct hs_error *err)
{
    const struct hs_split *split = &work->task->plan.split;
    struct hs_block block = hs_task_block(work->task, work->line, lanes->comms->rank);
    struct hs_cuda_runs runs = {.rows = (size_t)hs_split_product(split),
                                .bytes = block.count * hs_datatype_bytes(work->datatype),
                                .times = 1};
    enum hs_status status = HS_OK;

    for (int i = 0; i + 1 < split->count && status == HS_OK; i++) {
        char *to = (split->count - i) % 2 == 0 ? work->output : lanes->between.data;

        runs.columns = (size_t)split->sizes[back ? split->count - 1 - i : i];
        runs.rows /= runs.columns;
        status = hs_nccl_regroup(to, from, runs, lanes->streams[0], err);
        runs.times *= runs.columns;
        from = to;
    }
    return status;
}

static enum hs_status copy_block(const struct hs_nccl_lanes *lanes, const struct hs_work *work,
                                 char *to, const char *from, struct hs_error *err)
{
    size_t bytes = hs_task_block(work->task, work->line, lanes->comms->rank).count *
                   hs_datatype_bytes(work->datatype);

    return to == from ? HS_OK
                      : hs_cuda_status(
                            cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, lanes->streams[0]),
                            "cudaMemcpyAsync", err);
}

/* A block of this rank, in the order of ranks and in that of the layers. */
static void own_blocks(size_t bytes[2], const struct hs_nccl_lanes *lanes,
                       const struct hs_work *work)
{
    struct hs_problem problem = hs_task_problem(work->task);
    struct hs_block block = hs_task_block(work->task, work->line, lanes->comms->rank);
    size_t width = hs_datatype_bytes(work->datatype);

    bytes[0] = block.first * width;
    problem.layout = HS_REVERSED;
    bytes[1] = (size_t)hs_problem_block(&problem, &work->task->plan.split,
                                        hs_group_place(&problem.group, lanes->comms->rank)) *
               block.count * width;
}

enum hs_status hs_nccl_pack(struct hs_work *run, const struct hs_nccl_lanes *lanes,
                            struct hs_error *err)
{
    struct hs_work asked = *run;
    size_t own[2];

    if (!hs_task_packs(run->task))
        return HS_OK;
    own_blocks(own, lanes, run);
    if (hs_collectives[run->task->collective].begins_large) {
        run->input = run->output;
        return reverse(lanes, run, asked.input, false, err);
    }
    if (run->task->plan.split.count % 2 == 0)
        run->output = lanes->between.data;
    return copy_block(lanes, run, (char *)run->output + own[1], (char *)asked.output + own[0], err);
}

enum hs_status hs_nccl_unpack(const struct hs_work *run, const struct hs_work *asked,
                              const struct hs_nccl_lanes *lanes, struct hs_error *err)
{
    size_t own[2];

    if (!hs_task_packs(run->task))
        return HS_OK;
    own_blocks(own, lanes, run);
    if (hs_collectives[run->task->collective].begins_large)
        return copy_block(lanes, run, (char *)asked->output + own[0],
                          (char *)asked->output + own[1], err);
    return reverse(lanes, asked, run->output, true, err);
}
