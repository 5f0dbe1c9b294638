/*
 * node.h - what this node is made of: CPUs, GPUs, what joins each pair, NICs and how far they are
 * from each GPU.
 *
 * Found with NVML (GPUs and NVLink) and hwloc (PCI devices and where they hang). Both are loaded
 * when they are asked for, so the program needs neither; what could not be asked is said in
 * `notes`. $HIERSEARCH_NVML and $HIERSEARCH_HWLOC name other libraries, $HIERSEARCH_SYSFS another
 * /sys (tests).
 */
#ifndef HS_MACHINE_NODE_H
#define HS_MACHINE_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "system/parts.h"
#include "system/system.h"

#define HS_NODE_GPUS_MAX 16
#define HS_NODE_NICS_MAX 64

/* What two devices have in common on the way to each other, nearest first. Text as in `nvidia-smi
 * topo`, meaning. */
/* clang-format off */
#define HS_NODE_PATHS(row)                                   \
    row(SAME, "X", "the same device")                        \
    row(SWITCH, "PIX", "one PCIe switch")                    \
    row(SWITCHES, "PXB", "several PCIe switches")            \
    row(HOST_BRIDGE, "PHB", "a PCIe host bridge of the CPU") \
    row(NUMA_NODE, "NODE", "a NUMA node")                    \
    row(SYSTEM, "SYS", "the link between CPUs")              \
    row(UNKNOWN, "?", "not known")
/* clang-format on */

enum hs_node_path {
#define HS_ROW(name, text, meaning) HS_PATH_##name,
    HS_NODE_PATHS(HS_ROW)
#undef HS_ROW
        HS_PATH_COUNT
};
extern const char *const hs_node_path_names[HS_PATH_COUNT];

#define HS_PCI_NVIDIA   0x10de
#define HS_PCI_AMD      0x1002
#define HS_PCI_MELLANOX 0x15b3

/* PCI classes of NICs. */
#define HS_PCI_ETHERNET   0x0200
#define HS_PCI_INFINIBAND 0x0207

struct hs_pci {
    unsigned domain, bus, device;
};

struct hs_node_gpu {
    char name[96];
    struct hs_pci pci;
    int numa_node;                        /* its number, of a file of those alike; -1: not known */
    int capability;                       /* 90 for 9.0; 0: not known */
    unsigned pcie_generation, pcie_width; /* 0: not known */
    unsigned links;                       /* NVLinks (or xGMI) that are up */
    unsigned switch_links;                /* of them to an NVSwitch */
    unsigned cpu_links;                   /* of them to its CPU */
    unsigned vendor, device;              /* PCI's; 0: not known */
};

enum hs_node_ports { HS_PORTS_UNKNOWN, HS_PORTS_ACTIVE, HS_PORTS_DOWN };

struct hs_node_nic {
    char name[32]; /* mlx5_0, eth0 */
    struct hs_pci pci;
    int numa_node; /* its number; -1: not known */
    bool rdma;
    enum hs_node_ports state; /* active: at least one of its ports */
    unsigned ports;           /* bits of its ports that are active at its rate; 0: it has one */
    double bytes_per_second;  /* of a port; 0: not known */
    unsigned vendor, device, device_class; /* PCI's, the class as in 0x0207; 0: not known */
};

/* From hwloc: what this process may use. 0: not known. */
struct hs_node_cpu {
    char model[96]; /* "": not known */
    unsigned packages, numa_nodes, cores, hardware_threads;
    unsigned long long memory_bytes;
    double link_bytes_per_second; /* to another CPU, as NCCL counts it (src/graph/topo.h) */
};

/* What is known of where the node stands. 0: not known. */
struct hs_node_network {
    unsigned hosts;      /* that share the NVLinks of its GPUs */
    int64_t leaf_nodes;  /* nodes under one leaf switch */
    int64_t block_nodes; /* nodes of one of Slurm's blocks: an NVLink domain */
};

/* Of what was read from files. {0}: this machine. */
struct hs_node_origin {
    char *files;               /* owned: their names */
    const char *links_seen_by; /* literal, for sources of figures; NULL: NVML */
    bool links_known;          /* a GPU without links has none */
};

struct hs_node {
    struct hs_node_cpu cpu;
    char driver[80]; /* NVIDIA's, "580.95.05"; "": none */
    size_t gpu_count, nic_count;
    struct hs_node_gpu gpus[HS_NODE_GPUS_MAX];
    struct hs_node_nic nics[HS_NODE_NICS_MAX];
    unsigned nvlinks[HS_NODE_GPUS_MAX][HS_NODE_GPUS_MAX];            /* direct, between each pair */
    enum hs_node_path gpu_paths[HS_NODE_GPUS_MAX][HS_NODE_GPUS_MAX]; /* over PCIe */
    enum hs_node_path nic_paths[HS_NODE_NICS_MAX][HS_NODE_GPUS_MAX];
    bool has_nvml, has_hwloc, is_arm;
    struct hs_node_network network;
    struct hs_node_origin origin;
    struct hs_text notes; /* owned; lines: what could not be found, and why */
};

/* Nothing is known of it. */
void hs_node_init(struct hs_node *node);
/* Cannot fail: what is missing is noted. */
void hs_node_read(struct hs_node *node);
void hs_node_release(struct hs_node *node);

/* What joins two GPUs, as `nvidia-smi topo -m` says it: "X", "NV4", "PIX", ... Returns text. */
#define HS_NODE_LINK_TEXT 16
const char *hs_node_link_format(char text[HS_NODE_LINK_TEXT], const struct hs_node *node, size_t a,
                                size_t b);

/* Tables for people. */
void hs_node_print(struct hs_text *out, const struct hs_node *node);

/* The NIC's index; nic_count: none has the name, or that is "". */
size_t hs_node_find_nic(const struct hs_node *node, const char *name);

/* NICs that GPUs use: of those that are not down RDMA devices where there are any, of these the
 * fastest, of these those that share a PCIe switch with a GPU where each GPU has such, of these
 * InfiniBand where there is any. Fills chosen[] with their indices and returns how many; none where
 * no speed is known. */
size_t hs_node_choose_nics(size_t chosen[HS_NODE_NICS_MAX], const struct hs_node *node);
/* Active ports of these NICs: NCCL counts each as a device. */
size_t hs_node_count_ports(const struct hs_node *node, const size_t *chosen, size_t count);

/* Leaves out, with a note, GPUs that are in no catalogue where most of the others are: those for a
 * display. Returns how many; where[] has the old number of each that stays. */
size_t hs_node_drop_displays(struct hs_node *node, size_t where[HS_NODE_GPUS_MAX]);

/* Appends the line of parts (parts.h) that the node is, "8xH100, 8xNDR400, 32": by the GPUs' names,
 * else by PCI's numbers, else by capability and links; a kind that is not certain is noted in
 * *notes, a line each. Returns false, and appends nothing, where its GPUs or NICs are in no
 * catalogue or have other links than these. */
bool hs_node_parts(struct hs_text *line, struct hs_text *notes, const struct hs_node *node);

/* A system of nodes like this one: that of its parts where it has such, else a level for its GPUs
 * where it has several, and a level for its NICs where their speed is known. Figures of levels are
 * those of link counts and NCCL's tables, all marked unverified, to be replaced by `measure
 * --calibrate`.
 * HS_FAILED where there is nothing to build a level from. */
enum hs_status hs_node_propose(struct hs_system *system, const struct hs_node *node,
                               struct hs_error *err);

/* Whether all links of all GPUs lead to a switch; whether there are as many links between each pair
 * as between any other. */
bool hs_node_is_switched(const struct hs_node *node);
bool hs_node_is_meshed(const struct hs_node *node);
/* NCCL's effective bandwidth of one of a GPU's links, RCCL's of xGMI, MI300's where the GPU is not
 * known; of its PCIe, where that is not known as in the catalogue, else 16 lanes of PCIe 4, or 3
 * of one with links; from CPU to CPU, POWER9's or Skylake's where nothing says. */
double hs_node_link_rate(const struct hs_node_gpu *gpu);
double hs_node_pcie_rate(const struct hs_node_gpu *gpu);
double hs_node_cpu_rate(const struct hs_node *node);
/* Whether it is AMD's and its links are those of MI200: a package of MI250X has two dies. */
bool hs_node_has_dies(const struct hs_node_gpu *gpu);
/* What the catalogue has under its name, or PCI's numbers; false: nothing. */
bool hs_node_gpu_part(struct hs_gpu *part, const struct hs_node_gpu *gpu);

/* Whether links join GPUs, but neither all to a switch nor all alike. */
bool hs_node_is_irregular(const struct hs_node *node);
/* What joins the GPUs of such a node, as single links: those between them; and how they hang on
 * PCIe, as the paths between them, the NICs that they share a switch with and their NUMA nodes say:
 * first a relay per PCIe switch of several GPUs, then one per CPU. Where nothing says it there is
 * neither, but for one CPU where GPUs are not joined without it. *switches and *cpus are how many.
 * HS_MEMORY. */
enum hs_status hs_node_links(struct hs_links *links, int *switches, int *cpus,
                             const struct hs_node *node, struct hs_error *err);

/* A name from elsewhere, what is not fit to be shown replaced; of at most `bytes` with its NUL. */
void hs_node_name(char *name, size_t bytes, const char *foreign);

/* The two halves of hs_node_read. */
void hs_node_read_nvml(struct hs_node *node);
void hs_node_read_hwloc(struct hs_node *node);

#endif
