/*
 * hwloc.c - PCI devices from hwloc: NICs, GPUs where NVML is missing, and how far they are from
 * each other.
 *
 * Loaded at run time; built without its header it only says that it is missing.
 */
#include "detect/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HS_HAVE_HWLOC
#include <dlfcn.h>
#include <hwloc.h>
#include <math.h>

/* From version 3 on an OS device may be of several kinds, and an object's infos are a struct. */
#if HWLOC_API_VERSION >= 0x00030000
#define IS_KIND(device, kind) (((device)->attr->osdev.types & (kind)) != 0)
#define INFO_COUNT(object)    ((object)->infos.count)
#define INFO(object, i)       ((object)->infos.array[i])
#else
#define IS_KIND(device, kind) ((device)->attr->osdev.type == (kind))
#define INFO_COUNT(object)    ((object)->infos_count)
#define INFO(object, i)       ((object)->infos[i])
#endif
#define CLASS_DISPLAY 0x03 /* VGA and 3D controllers */
#define PORTS_MAX     4    /* of an adapter, looked at */

/* clang-format off */
#define HWLOC_FUNCTIONS(row)          \
    row(topology_init)                \
    row(topology_set_io_types_filter) \
    row(topology_load)                \
    row(topology_destroy)             \
    row(get_type_depth)               \
    row(get_nbobjs_by_depth)          \
    row(get_obj_by_depth)             \
    row(bitmap_first)                 \
    row(bitmap_weight)
/* clang-format on */

struct hwloc {
    void *library;
#define HS_ROW(name) __typeof__(&hwloc_##name) name; /* NOLINT(bugprone-macro-parentheses) */
    HWLOC_FUNCTIONS(HS_ROW)
#undef HS_ROW
    hwloc_topology_t topology;
};

static bool load(struct hwloc *hwloc, struct hs_text *notes)
{
    const char *named = getenv("HIERSEARCH_HWLOC"), *missing = NULL;
    void *symbol;
    hwloc->library = dlopen(named != NULL ? named : "libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
    if (hwloc->library == NULL) {
        hs_text_append(notes, "no hwloc (NICs and distances are not known): %s\n", dlerror());
        return false;
    }
#define HS_ROW(function)                                                                           \
    symbol = dlsym(hwloc->library, "hwloc_" #function);                                            \
    memcpy(&hwloc->function, &symbol, sizeof symbol);                                              \
    if (symbol == NULL)                                                                            \
        missing = #function;
    HWLOC_FUNCTIONS(HS_ROW)
#undef HS_ROW
    if (missing == NULL)
        return true;
    hs_text_append(notes, "hwloc is too old: it has no hwloc_%s\n", missing);
    dlclose(hwloc->library);
    return false;
}

/* The next object of a type; `at` NULL: the first. */
static hwloc_obj_t next_of(const struct hwloc *hwloc, hwloc_obj_type_t type, hwloc_obj_t at)
{
    if (at != NULL)
        return at->next_cousin;
    return hwloc->get_obj_by_depth(hwloc->topology, hwloc->get_type_depth(hwloc->topology, type),
                                   0);
}

static struct hs_pci pci_of(hwloc_obj_t device)
{
    const struct hwloc_pcidev_attr_s *pci = &device->attr->pcidev;
    return (struct hs_pci){pci->domain, pci->bus, pci->dev};
}

/* First line of a small file below /sys. */
static bool read_sysfs(char *line, int bytes, const char *folder, const char *name,
                       const char *file)
{
    const char *root = getenv("HIERSEARCH_SYSFS");
    char path[256];
    snprintf(path, sizeof path, "%s/%s/%s/%s", root != NULL ? root : "/sys", folder, name, file);
    FILE *stream = fopen(path, "r");
    bool got = stream != NULL && fgets(line, bytes, stream) != NULL;
    if (stream != NULL)
        fclose(stream);
    return got;
}

/* "400 Gb/sec (4X NDR)" of the fastest port whose state is "4: ACTIVE" or not known, and megabits
 * per second (-1: no link). */
static void read_ports(struct hs_node_nic *nic)
{
    char line[64], file[32];
    if (!nic->rdma && read_sysfs(line, sizeof line, "class/net", nic->name, "speed"))
        nic->bytes_per_second = fmax(0, strtod(line, NULL) * 1e6 / 8);
    for (unsigned port = 1; nic->rdma && port <= PORTS_MAX; port++) {
        snprintf(file, sizeof file, "ports/%u/state", port);
        bool known = read_sysfs(line, sizeof line, "class/infiniband", nic->name, file);
        bool active = !known || strtol(line, NULL, 10) == 4;
        if (known && active)
            nic->state = HS_PORTS_ACTIVE;
        else if (known && nic->state == HS_PORTS_UNKNOWN)
            nic->state = HS_PORTS_DOWN;
        snprintf(file, sizeof file, "ports/%u/rate", port);
        if (!active || !read_sysfs(line, sizeof line, "class/infiniband", nic->name, file))
            continue;
        double rate = strtod(line, NULL) * 1e9 / 8;
        if (rate > nic->bytes_per_second)
            nic->ports = 0;
        if (rate > 0 && rate >= nic->bytes_per_second)
            nic->ports |= 1U << port;
        nic->bytes_per_second = fmax(rate, nic->bytes_per_second);
    }
}

static hwloc_obj_t pci_parent(hwloc_obj_t object)
{
    while (object != NULL && object->type != HWLOC_OBJ_PCI_DEVICE)
        object = object->parent;
    return object;
}

/* An RDMA device and its network interface are one NIC: the former's name is kept. */
static void add_nic(struct hs_node *node, hwloc_obj_t os_device, hwloc_obj_t pci, bool rdma)
{
    struct hs_pci at = pci_of(pci);
    struct hs_node_nic *nic = node->nics;
    while (nic < node->nics + node->nic_count && memcmp(&nic->pci, &at, sizeof at) != 0)
        nic++;
    if (nic == node->nics + HS_NODE_NICS_MAX)
        return;
    bool known = nic < node->nics + node->nic_count;
    if (known && !rdma)
        return;
    node->nic_count += !known;
    nic->pci = at;
    nic->numa_node = -1;
    nic->vendor = pci->attr->pcidev.vendor_id;
    nic->device = pci->attr->pcidev.device_id;
    nic->device_class = pci->attr->pcidev.class_id;
    nic->rdma = rdma;
    nic->bytes_per_second = 0;
    snprintf(nic->name, sizeof nic->name, "%.31s", os_device->name);
    read_ports(nic);
}

static void read_nics(const struct hwloc *hwloc, struct hs_node *node)
{
    for (hwloc_obj_t at = next_of(hwloc, HWLOC_OBJ_OS_DEVICE, NULL); at != NULL;
         at = next_of(hwloc, HWLOC_OBJ_OS_DEVICE, at)) {
        hwloc_obj_t pci = pci_parent(at);
        bool rdma = IS_KIND(at, HWLOC_OBJ_OSDEV_OPENFABRICS);
        if (pci != NULL && at->name != NULL && (rdma || IS_KIND(at, HWLOC_OBJ_OSDEV_NETWORK)))
            add_nic(node, at, pci, rdma);
    }
}

/* Where NVML said nothing: what PCI says. */
static void read_gpus(const struct hwloc *hwloc, struct hs_node *node)
{
    for (hwloc_obj_t at = next_of(hwloc, HWLOC_OBJ_PCI_DEVICE, NULL);
         at != NULL && node->gpu_count < HS_NODE_GPUS_MAX;
         at = next_of(hwloc, HWLOC_OBJ_PCI_DEVICE, at)) {
        const struct hwloc_pcidev_attr_s *pci = &at->attr->pcidev;
        if (pci->vendor_id != HS_PCI_NVIDIA || pci->class_id >> 8 != CLASS_DISPLAY)
            continue;
        struct hs_node_gpu *gpu = &node->gpus[node->gpu_count++];
        gpu->pci = pci_of(at);
        gpu->numa_node = -1;
        gpu->vendor = pci->vendor_id;
        gpu->device = pci->device_id;
        snprintf(gpu->name, sizeof gpu->name, "NVIDIA device %04x", (unsigned)pci->device_id);
    }
}

static hwloc_obj_t find(const struct hwloc *hwloc, const struct hs_pci *wanted)
{
    for (hwloc_obj_t at = next_of(hwloc, HWLOC_OBJ_PCI_DEVICE, NULL); at != NULL;
         at = next_of(hwloc, HWLOC_OBJ_PCI_DEVICE, at)) {
        struct hs_pci pci = pci_of(at);
        if (memcmp(&pci, wanted, sizeof pci) == 0)
            return at;
    }
    return NULL;
}

static size_t depth_of(hwloc_obj_t object)
{
    size_t depth = 0;
    for (; object->parent != NULL; object = object->parent)
        depth++;
    return depth;
}

/* What the two have in common decides: a bridge, something with a NUMA node, or the whole machine.
 */
static enum hs_node_path path_between(hwloc_obj_t a, hwloc_obj_t b)
{
    unsigned bridges = 0;
    if (a == NULL || b == NULL)
        return HS_PATH_UNKNOWN;
    if (a == b)
        return HS_PATH_SAME;
    while (a != b) {
        hwloc_obj_t *lower = depth_of(a) >= depth_of(b) ? &a : &b;
        *lower = (*lower)->parent;
        bridges += (*lower)->type == HWLOC_OBJ_BRIDGE;
    }
    if (a->type == HWLOC_OBJ_BRIDGE && a->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_HOST)
        return HS_PATH_HOST_BRIDGE;
    if (a->type == HWLOC_OBJ_BRIDGE)
        return bridges <= 2 ? HS_PATH_SWITCH : HS_PATH_SWITCHES;
    if (a->type == HWLOC_OBJ_MACHINE && a->memory_arity == 0)
        return HS_PATH_SYSTEM;
    return HS_PATH_NUMA_NODE;
}

/* Of what holds the device, where that is one node and not several. */
static int numa_node_of(const struct hwloc *hwloc, hwloc_obj_t device)
{
    while (device != NULL && device->nodeset == NULL)
        device = device->parent;
    if (device == NULL || hwloc->bitmap_weight(device->nodeset) != 1)
        return -1;
    return hwloc->bitmap_first(device->nodeset);
}

static void read_paths(const struct hwloc *hwloc, struct hs_node *node)
{
    hwloc_obj_t gpus[HS_NODE_GPUS_MAX] = {NULL};
    for (size_t g = 0; g < node->gpu_count; g++) {
        gpus[g] = find(hwloc, &node->gpus[g].pci);
        node->gpus[g].numa_node = numa_node_of(hwloc, gpus[g]);
    }
    for (size_t n = 0; n < node->nic_count; n++)
        node->nics[n].numa_node = numa_node_of(hwloc, find(hwloc, &node->nics[n].pci));
    for (size_t g = 0; g < node->gpu_count; g++) {
        for (size_t n = 0; n < node->nic_count; n++)
            node->nic_paths[n][g] = path_between(find(hwloc, &node->nics[n].pci), gpus[g]);
        for (size_t other = 0; other < node->gpu_count && !node->has_nvml; other++)
            node->gpu_paths[g][other] = path_between(gpus[g], gpus[other]);
    }
}

static unsigned count_of(const struct hwloc *hwloc, hwloc_obj_type_t type)
{
    int depth = hwloc->get_type_depth(hwloc->topology, type);
    int count = (int)hwloc->get_nbobjs_by_depth(hwloc->topology, depth);
    return count > 0 ? (unsigned)count : 0;
}

static void read_cpu(const struct hwloc *hwloc, struct hs_node_cpu *cpu)
{
    hwloc_obj_t package = next_of(hwloc, HWLOC_OBJ_PACKAGE, NULL);
    hwloc_obj_t machine = next_of(hwloc, HWLOC_OBJ_MACHINE, NULL);
    cpu->packages = count_of(hwloc, HWLOC_OBJ_PACKAGE);
    cpu->numa_nodes = count_of(hwloc, HWLOC_OBJ_NUMANODE);
    cpu->cores = count_of(hwloc, HWLOC_OBJ_CORE);
    cpu->hardware_threads = count_of(hwloc, HWLOC_OBJ_PU);
    if (machine != NULL)
        cpu->memory_bytes = machine->total_memory;
    for (unsigned i = 0; package != NULL && i < INFO_COUNT(package); i++)
        if (strcmp(INFO(package, i).name, "CPUModel") == 0)
            snprintf(cpu->model, sizeof cpu->model, "%.95s", INFO(package, i).value);
}

void hs_node_read_hwloc(struct hs_node *node)
{
    struct hwloc hwloc = {.library = NULL};
    if (!load(&hwloc, &node->notes))
        return;
    bool made = hwloc.topology_init(&hwloc.topology) == 0;
    bool loaded =
        made &&
        hwloc.topology_set_io_types_filter(hwloc.topology, HWLOC_TYPE_FILTER_KEEP_ALL) == 0 &&
        hwloc.topology_load(hwloc.topology) == 0;
    if (loaded) {
        node->has_hwloc = true;
        read_cpu(&hwloc, &node->cpu);
        read_nics(&hwloc, node);
        if (!node->has_nvml)
            read_gpus(&hwloc, node);
        read_paths(&hwloc, node);
    } else
        hs_text_append(&node->notes, "hwloc cannot read this machine\n");
    if (made)
        hwloc.topology_destroy(hwloc.topology);
    dlclose(hwloc.library);
}

#else

void hs_node_read_hwloc(struct hs_node *node)
{
    hs_text_append(
        &node->notes,
        "built without hwloc: NICs and distances are not known (install libhwloc-dev)\n");
}

#endif
