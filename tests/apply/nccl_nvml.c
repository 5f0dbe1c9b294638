/*
 * nccl_nvml.c - NVML's functions that libhiersearch-nccl.so calls where NCCL has loaded it:
 * $JOB_CLIQUE is the number of the GPU's clique in a cluster of several machines; without it the
 * GPU is in none.
 */
#include <stdlib.h>
#include <string.h>

struct fabric {
    unsigned char cluster[16];
    int status;
    unsigned clique;
    unsigned char state;
};
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device);
int nvmlDeviceGetGpuFabricInfo(void *device, struct fabric *fabric);

int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device)
{
    static char gpu;

    *device = &gpu;
    return strcmp(id, "0000:0B:00.0") == 0 ? 0 : 6; /* not found */
}

int nvmlDeviceGetGpuFabricInfo(void *device, struct fabric *fabric)
{
    const char *clique = getenv("JOB_CLIQUE");

    (void)device;
    memset(fabric, 0, sizeof(*fabric));
    if (clique) {
        fabric->cluster[3] = 7;
        fabric->clique = (unsigned)atoi(clique);
    }
    fabric->state = 3;
    return 0;
}
