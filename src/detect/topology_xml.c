/*
 * topology_xml.c - XML of NCCL (and RCCL) and of hwloc. See topology_file.h.
 *
 * Read with expat, which takes any text; built without its header it only says that it is missing.
 * Both kinds are trees of the same things: hosts or bridges, PCI devices below them, GPUs and NICs
 * in these.
 */
#include "detect/topology_file.h"

#ifdef HS_HAVE_EXPAT

#include <expat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "system/link_rates.h"

#define DEPTH_MAX    64
#define ELEMENTS_MAX 100000
#define LINKS_MAX    64
#define HOSTS_MAX    1024
#define CLASS_SWITCH 0x0680 /* of what an NVLink leads to: bridge, other */
#define CLASS_CPU    0x068001
#define OBJECTS_MAX  128 /* of a matrix of NVLinkBandwidth */
#define NOTES_MAX    4   /* of values out of range */

enum kind {
    KIND_OTHER,
    KIND_MACHINE,
    KIND_NUMA,
    KIND_HOST_BRIDGE, /* NCCL: a CPU */
    KIND_PCI,         /* bridge or device */
    KIND_GPU
};

struct element {
    enum kind kind;
    unsigned long number; /* hwloc's gp_index; 0: none */
    int parent;           /* index; -1: none */
    int host;             /* NCCL: which of several; hwloc: 0 */
    struct hs_pci pci;
    unsigned vendor, device, device_class; /* 0: not known */
    unsigned generation, width;            /* of its PCI link; 0: not known */
    bool is_device;                        /* a GPU or NIC is in it */
};

/* Links of a GPU, until all GPUs are known. */
struct links {
    size_t gpu;
    struct hs_pci target;
    unsigned count, target_class;
};

/* hwloc's matrix of bandwidths: its text while it is read, and its objects. */
struct bandwidths {
    bool is_open, in_indexes, in_values;
    struct hs_text indexes, values;
};

struct tree {
    struct element *elements; /* [count] owned */
    size_t count, capacity;
    int stack[DEPTH_MAX]; /* those that are open */
    int depth;
    size_t out_of_range; /* attributes that were */
};

struct link_list {
    struct links *items; /* [count] owned */
    size_t count, capacity;
};

/* NCCL's host_hash: XML of several hosts has several. */
struct hosts {
    char names[HOSTS_MAX][24];
    size_t count;
    size_t gpus; /* in all of them */
};

struct reader {
    struct hs_node *node;
    const char *name;
    struct hs_error *err;
    enum hs_status status;
    XML_Parser parser;
    struct tree tree;
    struct link_list links;
    struct hosts hosts;
    bool is_hwloc, in_gpu, has_gpus; /* elements gpu, of what NCCL wrote */
    bool has_kind_bits;              /* hwloc 3: an OS device may be of several kinds */
    struct bandwidths bandwidths;
    int gpu_elements[HS_NODE_GPUS_MAX], nic_elements[HS_NODE_NICS_MAX];
};

/* ---- errors and attributes ------------------------------------------------------------------- */

static void fail(struct reader *r, const char *expected, const char *found)
{
    if (r->status != HS_OK)
        return;
    r->status = hs_fail(r->err, HS_INVALID, "%s:%lu: expected %s, found \"%.40s\"", r->name,
                        (unsigned long)XML_GetCurrentLineNumber(r->parser), expected, found);
    XML_StopParser(r->parser, XML_FALSE);
}

/* NULL: the element has none of the name. */
static const char *attribute(const char **attributes, const char *name)
{
    for (; *attributes != NULL; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

/* 0, not known, where it is absent, and with a note where it is out of range: NCCL itself writes
 * speed="-1" of some NICs. Refused where it is no number of that base. */
static unsigned number(struct reader *r, const char **attributes, const char *name, int base,
                       unsigned max)
{
    const char *text = attribute(attributes, name);
    char *end = NULL, expected[80];
    unsigned long value;

    if (text == NULL || text[0] == '\0')
        return 0;
    value = strtoul(text, &end, base);
    if (end != text && *end == '\0' && text[0] != '-' && value <= max)
        return (unsigned)value;
    if (end != text && *end == '\0' && r->tree.out_of_range++ < NOTES_MAX) {
        hs_text_append(&r->node->notes, "line %lu: %.20s=\"%.20s\" is out of range: not known\n",
                       (unsigned long)XML_GetCurrentLineNumber(r->parser), name,
                       text + strspn(text, " \t\r\n\v\f"));
    } else if (end == text || *end != '\0') {
        snprintf(expected, sizeof(expected), "a whole number of at most %u as %.20s", max, name);
        fail(r, expected, text);
    }
    return 0;
}

/* "0000:07:00.0"; false: something else, as "fffffff:ffff:ff" of what a guest does not see. */
static bool parse_pci(struct hs_pci *pci, const char *text)
{
    unsigned function;
    char rest;

    *pci = (struct hs_pci){0, 0, 0};
    return text != NULL && sscanf(text, "%8x:%2x:%2x.%1x%c", &pci->domain, &pci->bus, &pci->device,
                                  &function, &rest) == 4;
}

static bool same_pci(const struct hs_pci *a, const struct hs_pci *b)
{
    return a->domain == b->domain && a->bus == b->bus && a->device == b->device;
}

/* GT/s of a lane, by generation 3 to 6: "16.0 GT/s PCIe", "16 GT/s". */
static unsigned generation_of(const char *speed)
{
    double transfers = speed ? strtod(speed, NULL) : 0;

    return transfers >= 64 ? 6 : transfers >= 32 ? 5 : transfers >= 16 ? 4 : transfers > 0 ? 3 : 0;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static struct element *top(struct reader *r)
{
    return r->tree.depth > 0 && r->tree.stack[r->tree.depth - 1] >= 0
               ? &r->tree.elements[r->tree.stack[r->tree.depth - 1]]
               : NULL;
}

/* NULL: no room, and said so. */
static struct element *push(struct reader *r, enum kind kind)
{
    struct element *parent = top(r), *element;
    int host = parent ? parent->host : 0;

    if (r->tree.count == ELEMENTS_MAX) {
        fail(r, "at most 100000 elements", "more");
        return NULL;
    }
    element =
        hs_grow(&r->tree.elements, &r->tree.capacity, r->tree.count, sizeof(*element), r->err);
    if (element == NULL) {
        r->status = HS_MEMORY;
        XML_StopParser(r->parser, XML_FALSE);
        return NULL;
    }
    *element = (struct element){.kind = kind, .host = host, .parent = -1};
    if (r->tree.depth > 0)
        element->parent = r->tree.stack[r->tree.depth - 1];
    r->tree.stack[r->tree.depth] = (int)r->tree.count++;
    return element;
}

/* The PCI device that an element is in; NULL: none. */
static struct element *device_of(struct reader *r, int element)
{
    while (element >= 0 && r->tree.elements[element].kind != KIND_PCI)
        element = r->tree.elements[element].parent;
    return element >= 0 ? &r->tree.elements[element] : NULL;
}

/* A GPU that is in the PCI device; NULL: one of another host, which is counted only, or one too
 * many. */
static struct hs_node_gpu *add_gpu(struct reader *r, struct element *device)
{
    struct hs_node *node = r->node;
    struct hs_node_gpu *gpu;

    device->is_device = true;
    r->hosts.gpus++;
    r->in_gpu = device->host == 0;
    if (device->host > 0)
        return NULL;
    if (node->gpu_count == HS_NODE_GPUS_MAX) {
        fail(r, "at most 16 GPUs in a node", "one more");
        return NULL;
    }
    r->gpu_elements[node->gpu_count] = (int)(device - r->tree.elements);
    gpu = &node->gpus[node->gpu_count++];
    *gpu = (struct hs_node_gpu){.pci = device->pci,
                                .numa_node = -1,
                                .pcie_generation = device->generation,
                                .pcie_width = device->width,
                                .vendor = device->vendor,
                                .device = device->device};
    return gpu;
}

/* A NIC, in the PCI device where that is not NULL. */
static struct hs_node_nic *add_nic(struct reader *r, struct element *device, const char *name)
{
    struct hs_node *node = r->node;
    struct hs_node_nic *nic;

    if (device != NULL)
        device->is_device = true;
    if (device != NULL && device->host > 0)
        return NULL;
    if (node->nic_count == HS_NODE_NICS_MAX) {
        fail(r, "at most 64 NICs in a node", "one more");
        return NULL;
    }
    r->nic_elements[node->nic_count] = device ? (int)(device - r->tree.elements) : -1;
    nic = &node->nics[node->nic_count++];
    *nic = (struct hs_node_nic){.numa_node = -1};
    hs_node_name(nic->name, sizeof(nic->name), name ? name : "");
    if (device != NULL) {
        nic->pci = device->pci;
        nic->vendor = device->vendor;
        nic->device = device->device;
        nic->device_class = device->device_class;
    }
    return nic;
}

/* ---- NCCL ------------------------------------------------------------------------------------ */

static int find_host(struct reader *r, const char *hash)
{
    size_t i = 0;

    if (hash == NULL)
        return 0;
    while (i < r->hosts.count &&
           strncmp(r->hosts.names[i], hash, sizeof(r->hosts.names[0]) - 1) != 0)
        i++;
    if (i == HOSTS_MAX) {
        fail(r, "at most 1024 hosts", hash);
        return 0;
    }
    if (i == r->hosts.count)
        snprintf(r->hosts.names[r->hosts.count++], sizeof(r->hosts.names[0]), "%s", hash);
    return (int)i;
}

/* From CPU to CPU; 0: none that NCCL knows. */
static double cpu_link_rate(const char *arch, const char *vendor, unsigned model)
{
    if (arch == NULL)
        return 0;
    if (strcmp(arch, "ppc64") == 0)
        return HS_CPU_LINK_POWER9;
    if (strcmp(arch, "arm64") == 0)
        return HS_CPU_LINK_BROADWELL;
    if (vendor != NULL && strcmp(vendor, "AuthenticAMD") == 0)
        return HS_CPU_LINK_AMD;
    if (vendor == NULL || strcmp(vendor, "GenuineIntel") != 0)
        return 0;
    return model >= 0xCF   ? HS_CPU_LINK_EMERALD
           : model >= 0x8F ? HS_CPU_LINK_SAPPHIRE
           : model >= 0x55 ? HS_CPU_LINK_SKYLAKE
                           : HS_CPU_LINK_BROADWELL;
}

static void start_cpu(struct reader *r, const char **attributes)
{
    struct element *cpu = push(r, KIND_HOST_BRIDGE);
    const char *arch = attribute(attributes, "arch");

    if (cpu == NULL)
        return;
    r->node->cpu.link_bytes_per_second = cpu_link_rate(
        arch, attribute(attributes, "vendor"), number(r, attributes, "modelid", 10, 0xffff));
    cpu->host = find_host(r, attribute(attributes, "host_hash"));
    if (arch != NULL && (strcmp(arch, "arm64") == 0 || strcmp(arch, "aarch64") == 0))
        r->node->is_arm = true;
}

static void start_pci(struct reader *r, const char **attributes)
{
    struct element *pci = push(r, KIND_PCI);

    if (pci == NULL)
        return;
    if (!parse_pci(&pci->pci, attribute(attributes, "busid")))
        fail(r, "a busid such as 0000:07:00.0",
             attribute(attributes, "busid") ? attribute(attributes, "busid") : "none");
    pci->device_class = number(r, attributes, "class", 16, 0xffffff) >> 8;
    pci->vendor = number(r, attributes, "vendor", 16, 0xffff);
    pci->device = number(r, attributes, "device", 16, 0xffff);
    pci->generation = generation_of(attribute(attributes, "link_speed"));
    pci->width = number(r, attributes, "link_width", 10, 64);
}

/* What stands for its generation where PCI's number is not in the file, as RCCL names it: 910 is
 * older files' for gfx90a. 0: another. */
static unsigned device_of_gcn(const char *gcn)
{
    static const struct {
        const char *old, *arch;
        unsigned device;
    } rows[] = {{"906", "gfx906", 0x66a1},
                {"908", "gfx908", 0x738c},
                {"910", "gfx90a", 0x740c},
                {"940", "gfx94", 0x74a0},
                {"950", "gfx95", 0x75a0}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (strcmp(gcn, rows[i].old) == 0 || strncmp(gcn, rows[i].arch, strlen(rows[i].arch)) == 0)
            return rows[i].device;
    return 0;
}

static void start_gpu(struct reader *r, const char **attributes)
{
    struct element *device = device_of(r, r->tree.stack[r->tree.depth - 1]);
    struct hs_node_gpu *gpu;
    unsigned sm = number(r, attributes, "sm", 10, 100000);

    if (device == NULL) {
        fail(r, "a gpu in a pci", "one outside");
        return;
    }
    gpu = add_gpu(r, device);
    r->has_gpus = true;
    if (gpu != NULL && attribute(attributes, "gcn") == NULL) /* else: compute units */
        gpu->capability = (int)sm;
    if (gpu != NULL && attribute(attributes, "gcn") != NULL && gpu->vendor == 0)
        gpu->vendor = HS_PCI_AMD;
    if (gpu != NULL && gpu->vendor == HS_PCI_AMD && gpu->device == 0 &&
        attribute(attributes, "gcn") != NULL)
        gpu->device = device_of_gcn(attribute(attributes, "gcn"));
}

static void start_link(struct reader *r, const char **attributes)
{
    struct links *links;
    struct hs_pci target;
    unsigned count = number(r, attributes, "count", 10, LINKS_MAX);
    unsigned target_class = number(r, attributes, "tclass", 16, 0xffffff);

    if (!r->in_gpu || r->node->gpu_count == 0 || r->status != HS_OK)
        return;
    links = hs_grow(&r->links.items, &r->links.capacity, r->links.count, sizeof(*links), r->err);
    if (links == NULL) {
        r->status = HS_MEMORY;
        XML_StopParser(r->parser, XML_FALSE);
        return;
    }
    if (!parse_pci(&target, attribute(attributes, "target")))
        target.domain = UINT32_MAX;
    *links = (struct links){r->node->gpu_count - 1, target, count, target_class};
    r->links.count++;
}

static void start_net(struct reader *r, const char **attributes)
{
    struct element *device = device_of(r, r->tree.stack[r->tree.depth - 1]);
    struct hs_node_nic *nic = add_nic(r, device, attribute(attributes, "name"));
    unsigned megabits = number(r, attributes, "speed", 10, 100000000);
    const char *name = attribute(attributes, "name");

    if (nic == NULL)
        return;
    nic->bytes_per_second = megabits * 1e6 / 8;
    nic->rdma = name != NULL && strncmp(name, "eth", 3) != 0 && strncmp(name, "en", 2) != 0;
}

static void start_nccl(struct reader *r, const char *name, const char **attributes)
{
    if (strcmp(name, "cpu") == 0) {
        start_cpu(r, attributes);
    } else if (strcmp(name, "pci") == 0) {
        start_pci(r, attributes);
    } else {
        if (strcmp(name, "gpu") == 0)
            start_gpu(r, attributes);
        else if (strcmp(name, "nvlink") == 0 || strcmp(name, "xgmi") == 0)
            start_link(r, attributes);
        else if (strcmp(name, "net") == 0)
            start_net(r, attributes);
        push(r, KIND_OTHER);
    }
}

/* A file for NCCL_TOPO_FILE leaves GPUs and NICs to NCCL: what the device's class says is there. */
static void end_pci(struct reader *r, size_t index)
{
    struct element *device = &r->tree.elements[index];
    unsigned class = device->device_class >> 8;

    if (device->kind != KIND_PCI || device->is_device || r->is_hwloc || r->status != HS_OK)
        return;
    if (class == 0x03 || class == 0x12)
        add_gpu(r, device);
    else if (class == 0x02)
        add_nic(r, device, NULL);
}

/* ---- hwloc ----------------------------------------------------------------------------------- */

/* Kinds of OS devices: numbers up to version 2, bits of them from 3 on. */
#define OS_GPU         1
#define OS_NETWORK     2
#define OS_RDMA        3
#define OS_COPROCESSOR 5
#define OS_GPU_BIT     (3u << 2) /* or a coprocessor: CUDA's */
#define OS_NETWORK_BIT (1u << 4)
#define OS_RDMA_BIT    (1u << 5)
#define OS_KINDS_MAX   0xffff

/* An RDMA device and its network interface are one NIC: the former's name is kept. */
static void start_os_nic(struct reader *r, const char **attributes, bool rdma)
{
    struct element *device = device_of(r, r->tree.stack[r->tree.depth - 1]);
    struct hs_node *node = r->node;
    struct hs_node_nic *nic = NULL;

    if (device == NULL)
        return;
    for (size_t n = 0; n < node->nic_count; n++)
        if (r->nic_elements[n] == (int)(device - r->tree.elements))
            nic = &node->nics[n];
    if (nic == NULL)
        nic = add_nic(r, device, attribute(attributes, "name"));
    else if (rdma && attribute(attributes, "name") != NULL)
        hs_node_name(nic->name, sizeof(nic->name), attribute(attributes, "name"));
    if (nic != NULL)
        nic->rdma = nic->rdma || rdma;
}

static void start_os_device(struct reader *r, const char **attributes)
{
    unsigned what = number(r, attributes, "osdev_type", 10, OS_KINDS_MAX);
    bool gpu = r->has_kind_bits ? what & OS_GPU_BIT : what == OS_GPU || what == OS_COPROCESSOR;
    bool rdma = r->has_kind_bits ? what & OS_RDMA_BIT : what == OS_RDMA;
    bool network = r->has_kind_bits ? what & OS_NETWORK_BIT : what == OS_NETWORK;

    if (network || rdma)
        start_os_nic(r, attributes, rdma);
    push(r, gpu ? KIND_GPU : KIND_OTHER);
}

/* "0302 [10de:2330] [10de:16c1] a1"; its link in GB/s, of 16 lanes: 15.75 of PCIe 3. */
static void start_pci_object(struct reader *r, const char **attributes)
{
    struct element *device = push(r, KIND_PCI);
    const char *type = attribute(attributes, "pci_type");
    const char *speed = attribute(attributes, "pci_link_speed");
    double GBps = speed ? strtod(speed, NULL) : 0;

    if (device == NULL)
        return;
    if (!parse_pci(&device->pci, attribute(attributes, "pci_busid")))
        fail(r, "a pci_busid such as 0000:07:00.0",
             attribute(attributes, "pci_busid") ? attribute(attributes, "pci_busid") : "none");
    if (type == NULL ||
        sscanf(type, "%4x [%4x:%4x]", &device->device_class, &device->vendor, &device->device) != 3)
        fail(r, "a pci_type such as 0302 [10de:2330]", type ? type : "none");
    device->generation = GBps > 100 ? 6 : GBps > 40 ? 5 : GBps > 20 ? 4 : GBps > 0 ? 3 : 0;
    if (device->device_class >> 8 == 0x03 || device->device_class >> 8 == 0x12)
        if (device->vendor == HS_PCI_NVIDIA || device->vendor == HS_PCI_AMD)
            add_gpu(r, device);
}

static void start_object(struct reader *r, const char **attributes)
{
    const char *type = attribute(attributes, "type"), *between;
    struct hs_node_cpu *cpu = &r->node->cpu;

    if (type == NULL)
        type = "";
    if (strcmp(type, "PCIDev") == 0) {
        start_pci_object(r, attributes);
        return;
    }
    if (strcmp(type, "Bridge") == 0) {
        between = attribute(attributes, "bridge_type");
        push(r, between != NULL && between[0] == '0' ? KIND_HOST_BRIDGE : KIND_PCI);
        return;
    }
    if (strcmp(type, "OSDev") == 0) {
        start_os_device(r, attributes);
        return;
    }
    cpu->packages += strcmp(type, "Package") == 0 || strcmp(type, "Socket") == 0;
    cpu->cores += strcmp(type, "Core") == 0;
    cpu->hardware_threads += strcmp(type, "PU") == 0;
    cpu->numa_nodes += strcmp(type, "NUMANode") == 0;
    push(r, strcmp(type, "Machine") == 0    ? KIND_MACHINE
            : strcmp(type, "NUMANode") == 0 ? KIND_NUMA
                                            : KIND_OTHER);
}

/* "Port1State" of an RDMA device: 4 is active (IBV_PORT_ACTIVE). */
static void read_port_state(struct reader *r, const struct element *device, const char *value)
{
    for (size_t n = 0; device != NULL && n < r->node->nic_count; n++) {
        struct hs_node_nic *nic = &r->node->nics[n];

        if (r->nic_elements[n] != (int)(device - r->tree.elements))
            continue;
        if (strcmp(value, "4") == 0)
            nic->state = HS_PORTS_ACTIVE;
        else if (nic->state == HS_PORTS_UNKNOWN)
            nic->state = HS_PORTS_DOWN;
    }
}

static void read_info(struct reader *r, const char **attributes)
{
    const char *name = attribute(attributes, "name"), *value = attribute(attributes, "value");
    struct element *object = top(r), *device;

    if (name == NULL || value == NULL || object == NULL)
        return;
    if (strcmp(name, "CPUModel") == 0)
        hs_node_name(r->node->cpu.model, sizeof(r->node->cpu.model), value);
    device = device_of(r, r->tree.stack[r->tree.depth - 1]);
    if (strncmp(name, "Port", 4) == 0 &&
        strcmp(name + 4 + strspn(name + 4, "0123456789"), "State") == 0)
        read_port_state(r, device, value);
    if (strcmp(name, "GPUModel") != 0 || object->kind != KIND_GPU)
        return;
    for (size_t g = 0; device != NULL && g < r->node->gpu_count; g++)
        if (r->gpu_elements[g] == (int)(device - r->tree.elements))
            hs_node_name(r->node->gpus[g].name, sizeof(r->node->gpus[g].name), value);
}

static void start_hwloc(struct reader *r, const char *name, const char **attributes)
{
    struct bandwidths *matrix = &r->bandwidths;
    const char *index = attribute(attributes, "gp_index"), *what = attribute(attributes, "name");

    if (strcmp(name, "object") == 0) {
        start_object(r, attributes);
        if (index != NULL && r->status == HS_OK)
            r->tree.elements[r->tree.count - 1].number = strtoul(index, NULL, 10);
        return;
    }
    if (strcmp(name, "info") == 0)
        read_info(r, attributes);
    if (strncmp(name, "distances2", 10) == 0)
        matrix->is_open = what != NULL && strcmp(what, "NVLinkBandwidth") == 0;
    matrix->in_indexes = matrix->is_open && strcmp(name, "indexes") == 0;
    matrix->in_values = matrix->is_open && strcmp(name, "u64values") == 0;
    push(r, KIND_OTHER);
}

/* ---- expat's calls --------------------------------------------------------------------------- */

static void XMLCALL on_start(void *data, const char *name, const char **attributes)
{
    struct reader *r = data;
    const char *version = attribute(attributes, "version");

    if (r->status != HS_OK)
        return;
    if (r->tree.depth == DEPTH_MAX) {
        fail(r, "at most 64 elements inside each other", name);
        return;
    }
    if (r->tree.depth == 0) {
        r->is_hwloc = strcmp(name, "topology") == 0;
        if (!r->is_hwloc && strcmp(name, "system") != 0)
            fail(r, "the element system (NCCL) or topology (hwloc)", name);
        if (r->is_hwloc && version != NULL && !(strtod(version, NULL) < 4))
            fail(r, "hwloc's XML of version 1 to 3", version);
        r->has_kind_bits = r->is_hwloc && version != NULL && strtod(version, NULL) >= 3;
        push(r, KIND_OTHER);
    } else if (r->is_hwloc) {
        start_hwloc(r, name, attributes);
    } else {
        start_nccl(r, name, attributes);
    }
    r->tree.depth++;
}

static void XMLCALL on_end(void *data, const char *name)
{
    struct reader *r = data;

    (void)name;
    if (r->status != HS_OK || r->tree.depth == 0)
        return;
    r->bandwidths.in_indexes = r->bandwidths.in_values = false;
    r->tree.depth--;
    end_pci(r, (size_t)r->tree.stack[r->tree.depth]);
}

static void XMLCALL on_text(void *data, const char *text, int length)
{
    struct reader *r = data;

    if (r->bandwidths.in_indexes)
        hs_text_append_bytes(&r->bandwidths.indexes, text, (size_t)length);
    if (r->bandwidths.in_values)
        hs_text_append_bytes(&r->bandwidths.values, text, (size_t)length);
}

/* Nothing that is read has such, and expanding them can take for ever. */
static void XMLCALL on_entity(void *data, const char *name, int is_parameter, const char *value,
                              int length, const char *base, const char *system, const char *public,
                              const char *notation)
{
    (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public;
    (void)notation;
    fail(data, "no declarations of entities", name);
}

/* ---- what the tree says ---------------------------------------------------------------------- */

static int depth_of(const struct reader *r, int element)
{
    int depth = 0;

    for (; r->tree.elements[element].parent >= 0; element = r->tree.elements[element].parent)
        depth++;
    return depth;
}

/* What the two have in common decides, as in hwloc.c: a bridge, a CPU, or the whole machine. */
static enum hs_node_path path_between(const struct reader *r, int a, int b)
{
    int bridges = 0;

    if (a < 0 || b < 0)
        return HS_PATH_UNKNOWN;
    if (a == b)
        return HS_PATH_SAME;
    while (a != b) {
        int *lower = depth_of(r, a) >= depth_of(r, b) ? &a : &b;

        *lower = r->tree.elements[*lower].parent;
        bridges += *lower >= 0 && r->tree.elements[*lower].kind == KIND_PCI;
    }
    switch (r->tree.elements[a].kind) {
    case KIND_PCI:
        return bridges <= 2 ? HS_PATH_SWITCH : HS_PATH_SWITCHES;
    case KIND_HOST_BRIDGE:
        return HS_PATH_HOST_BRIDGE;
    case KIND_MACHINE:
        return r->node->cpu.numa_nodes > 1 ? HS_PATH_SYSTEM : HS_PATH_NUMA_NODE;
    default:
        return r->is_hwloc ? HS_PATH_NUMA_NODE : HS_PATH_SYSTEM;
    }
}

static void place_devices(struct reader *r)
{
    struct hs_node *node = r->node;

    for (size_t g = 0; g < node->gpu_count; g++) {
        for (size_t other = 0; other < node->gpu_count; other++)
            node->gpu_paths[g][other] = path_between(r, r->gpu_elements[g], r->gpu_elements[other]);
        for (size_t n = 0; n < node->nic_count; n++)
            node->nic_paths[n][g] = path_between(r, r->nic_elements[n], r->gpu_elements[g]);
    }
}

/* The element of that number; -1: none. */
static int find_number(const struct reader *r, unsigned long number)
{
    size_t i = 0;

    while (i < r->tree.count && r->tree.elements[i].number != number)
        i++;
    return number > 0 && i < r->tree.count ? (int)i : -1;
}

/* The GPU that an element is, or is in; gpu_count: none. */
static size_t gpu_of(struct reader *r, int element)
{
    const struct element *device = element >= 0 ? device_of(r, element) : NULL;
    size_t g = 0;

    while (g < r->node->gpu_count &&
           (device == NULL || r->gpu_elements[g] != (int)(device - r->tree.elements)))
        g++;
    return g;
}

/* The objects of hwloc's matrix: "OSDev:102 Package:10", or numbers alone. */
static size_t read_objects(int objects[OBJECTS_MAX], const struct reader *r, const char *text)
{
    size_t count = 0;

    for (const char *at = text; count < OBJECTS_MAX; count++) {
        const char *colon;

        at += strspn(at, " \t\r\n");
        if (*at == '\0')
            break;
        colon = memchr(at, ':', strcspn(at, " \t\r\n"));
        objects[count] = find_number(r, strtoul(colon ? colon + 1 : at, NULL, 10));
        at += strcspn(at, " \t\r\n");
    }
    return count;
}

/* hwloc's NVLinkBandwidth, in MB/s one way as vendors count: how many links that is of a GPU whose
 * links are in the catalogue. Other columns than GPUs are CPUs, where they are packages or NUMA
 * nodes, or switches. */
static void place_bandwidths(struct reader *r)
{
    struct hs_node *node = r->node;
    int objects[OBJECTS_MAX];
    size_t count =
        read_objects(objects, r, r->bandwidths.indexes.data ? r->bandwidths.indexes.data : "");
    const char *at = r->bandwidths.values.data ? r->bandwidths.values.data : "";

    for (size_t i = 0; i < count * count && *at != '\0'; i++) {
        size_t from = gpu_of(r, objects[i / count]), to = gpu_of(r, objects[i % count]);
        char *end;
        double megabytes = strtod(at, &end), each;
        struct hs_gpu part;
        unsigned links;

        if (end == at)
            return;
        at = end;
        if (from == node->gpu_count || from == to || !(megabytes > 0 && megabytes < 1e7) ||
            !hs_node_gpu_part(&part, &node->gpus[from]) || part.link != HS_LINK_NVLINK)
            continue;
        each = part.peak_GBps * hs_nvlink_bytes_per_second(part.capability) / part.nvlink_GBps;
        links = (unsigned)lround(megabytes * 1e6 / each);
        if (links > LINKS_MAX)
            continue;
        node->gpus[from].links += links;
        if (to < node->gpu_count)
            node->nvlinks[from][to] += links;
        else if (objects[i % count] >= 0 && device_of(r, objects[i % count]) == NULL)
            node->gpus[from].cpu_links += links;
        else
            node->gpus[from].switch_links += links;
        node->origin.links_known = node->origin.links_known || links > 0;
    }
}

static void place_links(struct reader *r)
{
    struct hs_node *node = r->node;
    bool to_itself = false;

    for (size_t i = 0; i < r->links.count; i++) {
        const struct links *links = &r->links.items[i];
        struct hs_node_gpu *gpu = &node->gpus[links->gpu];
        size_t other = 0;

        if (same_pci(&gpu->pci, &links->target)) {
            to_itself = true;
            continue;
        }
        while (other < node->gpu_count && !same_pci(&node->gpus[other].pci, &links->target))
            other++;
        gpu->links += links->count;
        if (other < node->gpu_count)
            node->nvlinks[links->gpu][other] += links->count;
        else if (links->target_class == CLASS_CPU)
            gpu->cpu_links += links->count;
        else if (links->target_class == 0 || links->target_class >> 8 == CLASS_SWITCH)
            gpu->switch_links += links->count;
    }
    if (to_itself)
        hs_text_append(&node->notes, "links of a GPU that lead to itself are left out: which GPUs "
                                     "are joined is not known (`nvidia-smi topo -m` shows it)\n");
    /* A file for NCCL_TOPO_FILE leaves them to NCCL: none is no evidence. RCCL's are dumps. */
    node->origin.links_known =
        node->gpu_count > 0 && r->has_gpus && node->gpus[0].vendor == HS_PCI_AMD;
    for (size_t g = 0; g < node->gpu_count; g++)
        node->origin.links_known = node->origin.links_known || node->gpus[g].links > 0;
    node->origin.links_seen_by = r->is_hwloc ? "hwloc's XML" : "NCCL's XML";
}

static enum hs_status finish(struct reader *r)
{
    struct hs_node *node = r->node;
    size_t where[HS_NODE_GPUS_MAX];

    if (node->gpu_count == 0 && node->nic_count == 0)
        return hs_fail(r->err, HS_INVALID, "%s: expected GPUs or NICs in the XML of %s, found none",
                       r->name, r->is_hwloc ? "hwloc" : "NCCL");
    node->has_hwloc = r->is_hwloc;
    if (r->hosts.count > 1) {
        if (r->hosts.gpus != node->gpu_count * r->hosts.count)
            return hs_fail(r->err, HS_INVALID,
                           "%s: expected as many GPUs in each of %zu hosts, found %zu in the first "
                           "and %zu in all",
                           r->name, r->hosts.count, node->gpu_count, r->hosts.gpus);
        node->network.hosts = (unsigned)r->hosts.count;
        hs_text_append(&node->notes, "%s: %zu hosts share the NVLinks: the first is shown\n",
                       r->name, r->hosts.count);
    }
    place_devices(r);
    place_links(r);
    place_bandwidths(r);
    hs_node_drop_displays(node, where);
    if (r->bandwidths.indexes.failed || r->bandwidths.values.failed || node->notes.failed)
        return hs_no_memory(r->err);
    return HS_OK;
}

static enum hs_status parse_all(struct reader *r, const char *text, size_t length)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetCharacterDataHandler(r->parser, on_text);
    XML_SetEntityDeclHandler(r->parser, on_entity);
    if (XML_Parse(r->parser, text, (int)length, XML_TRUE) != XML_STATUS_OK && r->status == HS_OK)
        r->status = hs_fail(r->err, HS_INVALID, "%s:%lu:%lu: XML: %s", r->name,
                            (unsigned long)XML_GetCurrentLineNumber(r->parser),
                            (unsigned long)XML_GetCurrentColumnNumber(r->parser) + 1,
                            XML_ErrorString(XML_GetErrorCode(r->parser)));
    return r->status == HS_OK ? finish(r) : r->status;
}

enum hs_status hs_topology_parse_xml(struct hs_node *node, const char *name, const char *text,
                                     size_t length, struct hs_error *err)
{
    struct reader *r = calloc(1, sizeof(*r));
    enum hs_status status = HS_MEMORY;

    hs_node_init(node);
    if (r == NULL)
        return hs_no_memory(err);
    r->node = node;
    r->name = name;
    r->err = err;
    r->parser = XML_ParserCreate(NULL);
    if (r->parser != NULL)
        status = parse_all(r, text, length);
    else
        hs_no_memory(err);
    XML_ParserFree(r->parser);
    free(r->tree.elements);
    free(r->links.items);
    hs_text_release(&r->bandwidths.indexes);
    hs_text_release(&r->bandwidths.values);
    free(r);
    return status;
}

#else

enum hs_status hs_topology_parse_xml(struct hs_node *node, const char *name, const char *text,
                                     size_t length, struct hs_error *err)
{
    (void)text, (void)length;
    hs_node_init(node);
    return hs_fail(err, HS_FAILED,
                   "%s: built without expat: XML cannot be read (install libexpat1-dev and build "
                   "again)",
                   name);
}

#endif
