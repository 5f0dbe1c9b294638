/*
 * nvml.c - GPUs and NVLink from NVML, the driver's library.
 *
 * It is loaded and its header is not needed: the few declarations below are NVML's binary
 * interface, which the driver keeps (functions with a new meaning get a new name: _v2, _v3).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detect/node.h"

#define NVML_SUCCESS    0
#define NVLINK_UP       1
#define REMOTE_NPU      1
#define REMOTE_SWITCH   2
#define NVLINKS_PER_GPU 32 /* NVML knows 18; the first that it does not know ends the loop */

struct nvml_pci {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char name[32];
};

/* name, arguments */
/* clang-format off */
#define NVML_FUNCTIONS(row)                                                     \
    row(Init_v2, (void))                                                        \
    row(Shutdown, (void))                                                       \
    row(DeviceGetCount_v2, (unsigned *))                                        \
    row(SystemGetDriverVersion, (char *, unsigned))                             \
    row(DeviceGetHandleByIndex_v2, (unsigned, void **))                         \
    row(DeviceGetName, (void *, char *, unsigned))                              \
    row(DeviceGetPciInfo_v3, (void *, struct nvml_pci *))                       \
    row(DeviceGetCudaComputeCapability, (void *, int *, int *))                 \
    row(DeviceGetMaxPcieLinkGeneration, (void *, unsigned *))                   \
    row(DeviceGetMaxPcieLinkWidth, (void *, unsigned *))                        \
    row(DeviceGetNvLinkState, (void *, unsigned, int *))                        \
    row(DeviceGetNvLinkRemoteDeviceType, (void *, unsigned, int *))             \
    row(DeviceGetNvLinkRemotePciInfo_v2, (void *, unsigned, struct nvml_pci *)) \
    row(DeviceGetTopologyCommonAncestor, (void *, void *, int *))
/* clang-format on */

struct nvml {
    void *library;
#define HS_ROW(name, arguments) int(*name) arguments; /* NOLINT(bugprone-macro-parentheses) */
    NVML_FUNCTIONS(HS_ROW)
#undef HS_ROW
};

static bool load(struct nvml *nvml, struct hs_text *notes)
{
    const char *named = getenv("HIERSEARCH_NVML"), *missing = NULL;
    void *symbol;
    nvml->library = dlopen(named != NULL ? named : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (nvml->library == NULL) {
        hs_text_append(notes, "no NVML (GPUs and NVLink are not known): %s\n", dlerror());
        return false;
    }
#define HS_ROW(function, arguments)                                                                \
    symbol = dlsym(nvml->library, "nvml" #function);                                               \
    memcpy(&nvml->function, &symbol, sizeof symbol);                                               \
    if (symbol == NULL)                                                                            \
        missing = #function;
    NVML_FUNCTIONS(HS_ROW)
#undef HS_ROW
    if (missing == NULL)
        return true;
    hs_text_append(notes, "NVML is too old: it has no nvml%s\n", missing);
    dlclose(nvml->library);
    return false;
}

static enum hs_node_path path_of(int level)
{
    switch (level) {
    case 0:
    case 10:
        return HS_PATH_SWITCH;
    case 20:
        return HS_PATH_SWITCHES;
    case 30:
        return HS_PATH_HOST_BRIDGE;
    case 40:
        return HS_PATH_NUMA_NODE;
    case 50:
        return HS_PATH_SYSTEM;
    default:
        return HS_PATH_UNKNOWN;
    }
}

static bool same_device(const struct hs_pci *a, const struct nvml_pci *b)
{
    return a->domain == b->domain && a->bus == b->bus && a->device == b->device;
}

static void read_gpu(const struct nvml *nvml, void *device, struct hs_node_gpu *gpu)
{
    struct nvml_pci pci = {.domain = 0};
    int major = 0, minor = 0;
    gpu->numa_node = -1;
    if (nvml->DeviceGetName(device, gpu->name, sizeof gpu->name) != NVML_SUCCESS)
        snprintf(gpu->name, sizeof gpu->name, "GPU");
    if (nvml->DeviceGetPciInfo_v3(device, &pci) == NVML_SUCCESS)
        gpu->pci = (struct hs_pci){pci.domain, pci.bus, pci.device};
    if (nvml->DeviceGetCudaComputeCapability(device, &major, &minor) == NVML_SUCCESS)
        gpu->capability = 10 * major + minor;
    if (nvml->DeviceGetMaxPcieLinkGeneration(device, &gpu->pcie_generation) != NVML_SUCCESS)
        gpu->pcie_generation = 0;
    if (nvml->DeviceGetMaxPcieLinkWidth(device, &gpu->pcie_width) != NVML_SUCCESS)
        gpu->pcie_width = 0;
}

/* Whether a link leads to none of the node's GPUs; else counts it for the one. Guests of a virtual
 * machine do not see the switches: a link that is up and leads to nothing known leads to one (NCCL
 * takes it for that, too: 2.28.9, src/graph/xml.cc). */
static bool leads_to_switch(const struct nvml *nvml, void *device, unsigned link,
                            struct hs_node *node, size_t i)
{
    struct nvml_pci remote = {.domain = 0};
    int type = REMOTE_SWITCH;
    bool known = nvml->DeviceGetNvLinkRemoteDeviceType(device, link, &type) == NVML_SUCCESS;

    if (known && type == REMOTE_NPU)
        node->gpus[i].cpu_links++;
    if (known && (type == REMOTE_SWITCH || type == REMOTE_NPU))
        return type == REMOTE_SWITCH;
    if (nvml->DeviceGetNvLinkRemotePciInfo_v2(device, link, &remote) == NVML_SUCCESS)
        for (size_t j = 0; j < node->gpu_count; j++)
            if (same_device(&node->gpus[j].pci, &remote)) {
                node->nvlinks[i][j]++;
                return false;
            }
    return true;
}

static void read_links(const struct nvml *nvml, void *device, struct hs_node *node, size_t i)
{
    for (unsigned link = 0; link < NVLINKS_PER_GPU; link++) {
        int up = 0;
        if (nvml->DeviceGetNvLinkState(device, link, &up) != NVML_SUCCESS)
            return;
        if (up != NVLINK_UP)
            continue;
        node->gpus[i].links++;
        node->gpus[i].switch_links += leads_to_switch(nvml, device, link, node, i);
    }
}

static void read_all(const struct nvml *nvml, struct hs_node *node)
{
    void *devices[HS_NODE_GPUS_MAX] = {NULL};
    unsigned count = 0;
    nvml->DeviceGetCount_v2(&count);
    for (unsigned i = 0; i < count && node->gpu_count < HS_NODE_GPUS_MAX; i++)
        if (nvml->DeviceGetHandleByIndex_v2(i, &devices[node->gpu_count]) == NVML_SUCCESS) {
            read_gpu(nvml, devices[node->gpu_count], &node->gpus[node->gpu_count]);
            node->gpu_count++;
        }
    if (count > HS_NODE_GPUS_MAX)
        hs_text_append(&node->notes, "%u GPUs: the first %d are shown\n", count, HS_NODE_GPUS_MAX);
    for (size_t i = 0; i < node->gpu_count; i++) {
        read_links(nvml, devices[i], node, i);
        for (size_t j = 0; j < node->gpu_count; j++) {
            int level = -1;
            if (i != j && nvml->DeviceGetTopologyCommonAncestor(devices[i], devices[j], &level) !=
                              NVML_SUCCESS)
                level = -1;
            node->gpu_paths[i][j] = i == j ? HS_PATH_SAME : path_of(level);
        }
    }
}

void hs_node_read_nvml(struct hs_node *node)
{
    struct nvml nvml = {.library = NULL};
    if (!load(&nvml, &node->notes))
        return;
    int code = nvml.Init_v2();
    if (code == NVML_SUCCESS) {
        node->has_nvml = true;
        if (nvml.SystemGetDriverVersion(node->driver, sizeof node->driver) != NVML_SUCCESS)
            node->driver[0] = '\0';
        read_all(&nvml, node);
        nvml.Shutdown();
    } else
        hs_text_append(&node->notes, "NVML does not start (its error %d): no driver?\n", code);
    dlclose(nvml.library);
}
