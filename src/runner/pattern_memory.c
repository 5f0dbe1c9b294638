/* pattern_memory.c - see pattern_memory.h. */
#include "runner/pattern_memory.h"

#ifdef HS_HAVE_NCCL
#include "engine/nccl_api.h"
#include "runner/pattern_kernels.h"

static enum hs_status put_on_gpu(const struct hs_elements *elements,
                                 const struct hs_pattern *pattern, int64_t rank,
                                 struct hs_error *err)
{
    cudaStream_t stream = elements->memory->stream(elements->queue);
    enum hs_status status = hs_cuda_status(
        hs_cuda_fill(elements->data, pattern, rank, elements->first, elements->count, stream),
        "filling the input", err);

    elements->memory->wait(elements->queue);
    return status == HS_OK ? elements->memory->failure(elements->queue, err) : status;
}

static enum hs_status check_on_gpu(uint64_t *wrong, const struct hs_elements *elements,
                                   const struct hs_pattern *pattern, struct hs_pattern_part part,
                                   struct hs_error *err)
{
    const struct hs_memory *memory = elements->memory;
    unsigned long long found = 0;
    void *count;
    enum hs_status status = memory->allocate(&count, sizeof(found), "a count", err);

    if (status != HS_OK)
        return status;
    status = hs_cuda_status(
        hs_cuda_count_wrong(count, elements->data, pattern, part, memory->stream(elements->queue)),
        "counting wrong elements", err);
    memory->copy(elements->queue, &found, count, sizeof(found));
    memory->wait(elements->queue);
    memory->release(count);
    *wrong = found;
    return status == HS_OK ? memory->failure(elements->queue, err) : status;
}
#else
static enum hs_status put_on_gpu(const struct hs_elements *elements,
                                 const struct hs_pattern *pattern, int64_t rank,
                                 struct hs_error *err)
{
    (void)elements, (void)pattern, (void)rank;
    return hs_fail(err, HS_FAILED, "this program was built without CUDA");
}

static enum hs_status check_on_gpu(uint64_t *wrong, const struct hs_elements *elements,
                                   const struct hs_pattern *pattern, struct hs_pattern_part part,
                                   struct hs_error *err)
{
    (void)wrong, (void)elements, (void)pattern, (void)part;
    return hs_fail(err, HS_FAILED, "this program was built without CUDA");
}
#endif

static bool on_host(const struct hs_elements *elements)
{
    return !elements->memory->stream(elements->queue);
}

enum hs_status hs_pattern_put(const struct hs_elements *elements, const struct hs_pattern *pattern,
                              int64_t rank, struct hs_error *err)
{
    if (!on_host(elements))
        return put_on_gpu(elements, pattern, rank, err);
    hs_pattern_fill(elements->data, pattern, rank, elements->first, elements->count);
    return HS_OK;
}

enum hs_status hs_pattern_check(uint64_t *wrong, const struct hs_elements *elements,
                                const struct hs_pattern *pattern, int64_t rank,
                                struct hs_error *err)
{
    struct hs_pattern_part part = {rank, elements->first, elements->count};

    *wrong = 0;
    if (!on_host(elements))
        return check_on_gpu(wrong, elements, pattern, part, err);
    *wrong = hs_pattern_wrong(elements->data, pattern, part);
    return HS_OK;
}
