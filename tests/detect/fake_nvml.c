/*
 * fake_nvml.c - a libnvidia-ml.so.1 for tests: four GPUs, at PCI 0000:02:00, :04:, :06: and :08:.
 *
 * $FAKE_NVML says what joins them: "switch" (18 links each, to a switch; Hopper), "mesh" (2 links
 * between each pair; Volta), "power" (3 to one other and 3 to the CPU; Volta on POWER9), "guest"
 * (as "switch", in a virtual machine that does not see what is behind the links), "pcie" (nothing
 * but PCIe 4 x16) or "broken" (nvmlInit fails).
 * $FAKE_NVML_DRIVER: the driver.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GPUS 4

struct pci {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char name[32];
};

static int is(const char *shape)
{
    const char *text = getenv("FAKE_NVML");
    return text != NULL && strcmp(text, shape) == 0;
}

static unsigned number(void *device)
{
    return (unsigned)((size_t)device - 1);
}

int nvmlInit_v2(void)
{
    return is("broken") ? 9 : 0;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlSystemGetDriverVersion(char *text, unsigned bytes)
{
    const char *version = getenv("FAKE_NVML_DRIVER");
    snprintf(text, bytes, "%s", version != NULL ? version : "999.1");
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = GPUS;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    *device = (void *)(size_t)(index + 1);
    return 0;
}

int nvmlDeviceGetName(void *device, char *name, unsigned bytes)
{
    snprintf(name, bytes, "fake GPU %u", number(device));
    return 0;
}

int nvmlDeviceGetPciInfo_v3(void *device, struct pci *pci)
{
    memset(pci, 0, sizeof *pci);
    pci->bus = 2 + 2 * number(device);
    return 0;
}

int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor)
{
    (void)device;
    *major = is("mesh") || is("power") ? 7 : 9;
    *minor = 0;
    return 0;
}

int nvmlDeviceGetMaxPcieLinkGeneration(void *device, unsigned *generation)
{
    (void)device;
    *generation = 4;
    return 0;
}

int nvmlDeviceGetMaxPcieLinkWidth(void *device, unsigned *width)
{
    (void)device;
    *width = 16;
    return 0;
}

int nvmlDeviceGetNvLinkState(void *device, unsigned link, int *up)
{
    (void)device;
    if (is("pcie") || link >= (is("mesh") || is("power") ? 6u : 18u))
        return is("pcie") ? 3 : 2; /* not supported; no such link */
    *up = 1;
    return 0;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(void *device, unsigned link, int *type)
{
    (void)device;
    *type = is("mesh") ? 0 : is("power") ? link / 3 : is("guest") ? 255 : 2;
    return 0;
}

/* Two links to each of the others. */
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void *device, unsigned link, struct pci *pci)
{
    if (is("guest"))
        return 3;
    if (is("power"))
        return nvmlDeviceGetPciInfo_v3((void *)(size_t)(1 + (number(device) ^ 1u)), pci);
    unsigned other = link / 2;
    return nvmlDeviceGetPciInfo_v3((void *)(size_t)(1 + other + (other >= number(device))), pci);
}

int nvmlDeviceGetTopologyCommonAncestor(void *a, void *b, int *level)
{
    *level = number(a) / 2 == number(b) / 2 ? 40 : 50;
    return 0;
}
