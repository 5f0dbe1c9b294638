/* kernels.c - cuda_kernels.h and pattern_kernels.h on the stand-in's streams. See standin.h. */
#include <string.h>

#include "engine/cuda_kernels.h"
#include "engine/reduce.h"
#include "runner/pattern_kernels.h"
#include "standin.h"

static struct hs_pattern pattern_of(const struct standin_work *work)
{
    return (struct hs_pattern){(enum hs_datatype)work->datatype, (enum hs_operation)work->operation,
                               work->number, work->kind};
}

/* `first` holds the first element, `host` the rank: a kernel's arguments. */
static bool fill_step(struct standin_work *work)
{
    struct hs_pattern pattern = pattern_of(work);
    standin_memory_open();
    hs_pattern_fill(work->output, &pattern, (int64_t)(intptr_t)work->host, (size_t)work->first,
                    work->count);
    standin_memory_close();
    return true;
}

cudaError_t hs_cuda_fill(void *data, const struct hs_pattern *pattern, int64_t rank, size_t first,
                         size_t count, cudaStream_t stream)
{
    struct standin_work work = {
        .name = "the fill kernel",
        .step = fill_step,
        .output = data,
        .count = count,
        .datatype = (int)pattern->datatype,
        .operation = (int)pattern->operation,
        .number = pattern->np,
        .kind = pattern->carried,
        .first = (int64_t)first,
        .host = (void *)(intptr_t)rank,
        .ranges = {{data, count * hs_datatype_bytes(pattern->datatype), true}}};
    standin_stream_put(stream, &work);
    return cudaGetLastError();
}

static bool count_step(struct standin_work *work)
{
    struct hs_pattern pattern = pattern_of(work);
    unsigned long long *wrong = work->output;
    standin_memory_open();
    *wrong += hs_pattern_wrong(
        work->inputs[0], &pattern,
        (struct hs_pattern_part){(int64_t)(intptr_t)work->host, (size_t)work->first, work->count});
    standin_memory_close();
    return true;
}

cudaError_t hs_cuda_count_wrong(unsigned long long *wrong, const void *data,
                                const struct hs_pattern *pattern, struct hs_pattern_part part,
                                cudaStream_t stream)
{
    struct standin_work work = {
        .name = "the count kernel",
        .step = count_step,
        .output = wrong,
        .inputs = {data},
        .count = part.count,
        .datatype = (int)pattern->datatype,
        .operation = (int)pattern->operation,
        .number = pattern->np,
        .kind = pattern->carried,
        .first = (int64_t)part.first,
        .host = (void *)(intptr_t)part.rank,
        .ranges = {{(char *)wrong, sizeof *wrong, true},
                   {(char *)data, part.count * hs_datatype_bytes(pattern->datatype), false}}};
    standin_stream_put(stream, &work);
    return cudaGetLastError();
}

static bool divide_step(struct standin_work *work)
{
    standin_memory_open();
    hs_reduce_finish(
        work->output, work->count,
        (struct hs_reduction){(enum hs_datatype)work->datatype, HS_AVERAGE, work->number});
    standin_memory_close();
    return true;
}

cudaError_t hs_cuda_divide(void *data, size_t count, enum hs_datatype datatype, int64_t np,
                           cudaStream_t stream)
{
    struct standin_work work = {.name = "the division kernel",
                                .step = divide_step,
                                .output = data,
                                .count = count,
                                .datatype = (int)datatype,
                                .number = np,
                                .ranges = {{data, count * hs_datatype_bytes(datatype), true}}};
    standin_stream_put(stream, &work);
    return cudaGetLastError();
}

/* number, first and count are rows, columns and bytes of a run; offset says how many times. */
static bool regroup_step(struct standin_work *work)
{
    const char *from = work->inputs[0];
    char *to = work->output;
    size_t one = (size_t)(work->number * work->first) * work->count;
    standin_memory_open();
    for (uint64_t time = 0; time < work->offset; time++)
        for (int64_t row = 0; row < work->number; row++)
            for (int64_t column = 0; column < work->first; column++)
                memcpy(to + time * one + (size_t)(column * work->number + row) * work->count,
                       from + time * one + (size_t)(row * work->first + column) * work->count,
                       work->count);
    standin_memory_close();
    return true;
}

cudaError_t hs_cuda_regroup(void *to, const void *from, struct hs_cuda_runs runs,
                            cudaStream_t stream)
{
    size_t times = runs.times > 0 ? runs.times : 1;
    size_t bytes = runs.rows * runs.columns * runs.bytes * times;
    struct standin_work work = {.name = "the regrouping kernel",
                                .step = regroup_step,
                                .output = to,
                                .inputs = {from},
                                .number = (int64_t)runs.rows,
                                .first = (int64_t)runs.columns,
                                .offset = times,
                                .count = runs.bytes,
                                .ranges = {{to, bytes, true}, {(char *)from, bytes, false}}};
    if ((const char *)from < (char *)to + bytes && (char *)to < (const char *)from + bytes)
        standin_broken("memory", "runs are regrouped in place");
    standin_stream_put(stream, &work);
    return cudaGetLastError();
}

static bool wait_step(struct standin_work *work)
{
    const volatile uint32_t *passed = work->inputs[0];
    return (int32_t)(*passed - (uint32_t)work->number) >= 0;
}

cudaError_t hs_cuda_wait(const volatile uint32_t *turn_passed, uint32_t turn, cudaStream_t stream)
{
    struct standin_work work = {.name = "the wait kernel",
                                .step = wait_step,
                                .gate = true,
                                .inputs = {(const void *)turn_passed},
                                .number = turn};
    standin_stream_put(stream, &work);
    return cudaGetLastError();
}

static bool reduce_step(struct standin_work *work)
{
    standin_memory_open();
    hs_reduce(work->output, work->inputs[0], work->inputs[1], work->count,
              (struct hs_reduction){(enum hs_datatype)work->datatype,
                                    (enum hs_operation)work->operation, 0});
    standin_memory_close();
    return true;
}

cudaError_t hs_cuda_add_by_blocks(float *to, const float *from, size_t count, unsigned blocks,
                                  cudaStream_t stream)
{
    if (blocks == 0 || count % (HS_CUDA_PACK_BYTES / sizeof(*to)) != 0)
        return cudaErrorInvalidValue;
    return hs_cuda_reduce(to, to, from, count, (struct hs_reduction){HS_FLOAT32, HS_SUM, 0},
                          stream);
}

cudaError_t hs_cuda_reduce(void *dst, const void *a, const void *b, size_t count,
                           struct hs_reduction reduction, cudaStream_t stream)
{
    size_t bytes = count * hs_datatype_bytes(reduction.datatype);
    struct standin_work work = {
        .name = "the reduction kernel",
        .step = reduce_step,
        .output = dst,
        .inputs = {a, b},
        .count = count,
        .datatype = (int)reduction.datatype,
        .operation = (int)reduction.operation,
        .ranges = {{dst, bytes, true}, {(char *)a, bytes, false}, {(char *)b, bytes, false}}};
    standin_stream_put(stream, &work);
    return cudaGetLastError();
}
