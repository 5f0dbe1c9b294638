/* buffers.c - see buffers.h. */
#include "runner/buffers.h"

#include "runner/check.h"
#include "runner/cuda_aware.h"
#include "runner/layer_comms.h"
#ifdef HS_HAVE_NCCL
#include "runner/nccl_device.h"
#endif

#ifdef HS_HAVE_NCCL
/* By all ranks or by none. */
static bool all_take_pointers(MPI_Comm world, struct hs_idle *idle)
{
    int mine = hs_mpi_takes_gpu_pointers(), all;
    MPI_Request request;

    CHECK_MPI(MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MIN, world, &request));
    hs_idle_wait(idle, &request);
    return all != 0;
}

static enum hs_status find_gpu_memory(const struct hs_memory **memory, MPI_Comm world,
                                      struct hs_idle *idle, struct hs_error *err)
{
    struct hs_nccl_device device;
    char why[256];
    enum hs_status status = HS_OK;

    if (!hs_nccl_device_exists(why, sizeof(why)))
        status = hs_fail(err, HS_INVALID, "%s", why);
    status = hs_agree(world, idle, status, err);
    if (status == HS_OK)
        status = hs_nccl_device_take(&device, world, idle, err);
    if (status == HS_OK)
        *memory = all_take_pointers(world, idle) ? &hs_memory_gpu_direct : &hs_memory_gpu_staged;
    return status;
}
#else
static enum hs_status find_gpu_memory(const struct hs_memory **memory, MPI_Comm world,
                                      struct hs_idle *idle, struct hs_error *err)
{
    (void)memory, (void)world, (void)idle;
    return hs_fail(err, HS_INVALID, "this program was built without CUDA");
}
#endif

enum hs_status hs_buffers_choose(const struct hs_memory **memory, const struct hs_backend *backend,
                                 enum hs_buffers wanted, MPI_Comm world, struct hs_idle *idle,
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
    status = find_gpu_memory(memory, world, idle, &why);
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
