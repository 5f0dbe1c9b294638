/* buffers.c - see buffers.h. */
#include "runner/buffers.h"

#include "engine/cuda_aware.h"
#ifdef HS_HAVE_NCCL
#include "engine/cuda_device.h"
#endif

#ifdef HS_HAVE_NCCL
static enum hs_status find_gpu_memory(const struct hs_memory **memory, struct hs_ranks *ranks,
                                      struct hs_error *err)
{
    struct hs_cuda_device device;
    char why[256];
    double staged = !hs_mpi_takes_gpu_pointers(); /* by all ranks or by none */
    enum hs_status status = HS_OK;

    if (!hs_cuda_device_exists(why, sizeof(why)))
        status = hs_fail(err, HS_INVALID, "%s", why);
    status = hs_ranks_agree(ranks, status, err);
    if (status == HS_OK)
        status = hs_cuda_device_take(&device, ranks->comm, &ranks->idle, err);
    if (status != HS_OK)
        return status;
    hs_ranks_largest(ranks, &staged, 1);
    *memory = staged > 0 ? &hs_memory_gpu_staged : &hs_memory_gpu_direct;
    return HS_OK;
}
#else
static enum hs_status find_gpu_memory(const struct hs_memory **memory, struct hs_ranks *ranks,
                                      struct hs_error *err)
{
    (void)memory, (void)ranks;
    return hs_fail(err, HS_INVALID, "this program was built without CUDA");
}
#endif

enum hs_status hs_buffers_choose(const struct hs_memory **memory, const struct hs_backend *backend,
                                 enum hs_buffers wanted, struct hs_ranks *ranks,
                                 struct hs_error *err)
{
    struct hs_error why;
    enum hs_status status;

    *memory = NULL;
    if (backend->memory_use == HS_MEMORY_OWN && wanted != HS_BUFFERS_AUTO)
        return hs_fail(err, HS_INVALID, "--buffers %s: the backend %s has no choice",
                       hs_buffers_names[wanted], backend->name);
    if (backend->memory_use == HS_MEMORY_OWN || wanted == HS_BUFFERS_HOST)
        return HS_OK;
    status = find_gpu_memory(memory, ranks, &why);
    if (status == HS_OK && backend->memory_use == HS_MEMORY_DIRECT && !(*memory)->direct)
        status = hs_fail(&why, HS_INVALID,
                         "the MPI library takes no GPU pointers (CUDA-aware: %s), which backend "
                         "mpi needs; backend host goes through pinned host memory instead",
                         hs_mpi_cuda_aware());
    if (status == HS_OK)
        return HS_OK;
    *memory = NULL;
    if (wanted == HS_BUFFERS_AUTO && status == HS_INVALID)
        return HS_OK;
    return hs_fail(err, status, "--buffers device: %s", why.message);
}
