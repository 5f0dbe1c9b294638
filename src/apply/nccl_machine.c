/* nccl_machine.c - see nccl_machine.h. */
#include "apply/nccl_machine.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply/loaded.h"
#include "apply/nccl_handles.h"

uint64_t hs_nccl_host(void)
{
    const char *given = getenv("NCCL_HOSTID");
    char name[256] = "";
    ssize_t length = -1;
    int fd = given ? -1 : open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        length = read(fd, name, sizeof(name) - 1);
        close(fd);
    }
    if (!given && length <= 0)
        gethostname(name, sizeof(name) - 1);
    return hs_nccl_hash(given ? given : name, strlen(given ? given : name)) | 1;
}

/* nvmlGpuFabricInfo_t of nvml.h (from CUDA 12.1 on), and NVML_GPU_FABRIC_STATE_COMPLETED. */
struct fabric {
    unsigned char cluster[16];
    int status;
    unsigned clique;
    unsigned char state;
};
#define COMPLETED 3

static bool ask_fabric(struct fabric *fabric)
{
    int (*current)(int *device), (*bus)(char *id, int bytes, int device);
    int (*find)(const char *id, void **device), (*ask)(void *device, struct fabric *fabric);
    void *const functions[] = {hs_loaded_cuda("cuCtxGetDevice"),
                               hs_loaded_cuda("cuDeviceGetPCIBusId"),
                               hs_loaded_nvml("nvmlDeviceGetHandleByPciBusId_v2"),
                               hs_loaded_nvml("nvmlDeviceGetGpuFabricInfo")};
    char id[32] = "";
    void *handle;
    int device;

    for (int i = 0; i < 4; i++)
        if (!functions[i])
            return false;
    memcpy(&current, &functions[0], sizeof(current));
    memcpy(&bus, &functions[1], sizeof(bus));
    memcpy(&find, &functions[2], sizeof(find));
    memcpy(&ask, &functions[3], sizeof(ask));
    return current(&device) == 0 && bus(id, sizeof(id), device) == 0 && find(id, &handle) == 0 &&
           ask(handle, fabric) == 0 && fabric->state == COMPLETED && fabric->status == 0;
}

uint64_t hs_nccl_clique(void)
{
    static const unsigned char none[sizeof(((struct fabric *)NULL)->cluster)];
    const char *enabled = getenv("NCCL_MNNVL_ENABLE");
    struct fabric fabric = {{0}, 0, 0, 0};

    if ((enabled && strcmp(enabled, "0") == 0) || !ask_fabric(&fabric) ||
        memcmp(fabric.cluster, none, sizeof(none)) == 0)
        return 0;
    return (hs_nccl_hash(fabric.cluster, sizeof(fabric.cluster)) +
            fabric.clique * UINT64_C(1000003)) |
           1;
}
