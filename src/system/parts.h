/*
 * parts.h - a machine of GPUs by what it is made of, and the share of it that a call has.
 *
 *     8xH100, 8xNDR400          8 GPUs behind NVSwitch and 8 NICs in a node
 *     4xA100-mesh, 4xSS11       NVLinks join the GPUs pairwise, without a switch (no NVLS)
 *     8xV100-cube, 4xEDR100     a DGX-1: single links, each pair with others, or none (links.h)
 *     8xL40S-pcie4              boards without NVLink, in slots of PCIe 3, 4 or 5
 *     8xRTXPRO6000-switch       the same, behind PCIe switches with peer access
 *     8xRTX4090-p2p=no          without peer access: all passes through the host's memory
 *     72xGB200, 72xNDR400       a rack that is one NVLink domain: what NCCL calls a node
 *     8xH100, 8xNDR400, 32:2    32 nodes under a switch that passes half of what they send on
 *     8xMI300X, 8xRoCE400-tcp   the NICs through the kernel's sockets
 *     1xCPU, 1xHDR200           one process a node, without GPUs
 *     96xMilan, 1xHDR100; library=openmpi    96 ranks a node, which share its memory
 *
 *     PARTS := COUNT "x" GPU {"-" VARIANT} [", " COUNT "x" NIC ["-tcp"] [", " NODES [":" TAPER]]]
 *     VARIANT := "mesh" | WIRING | "pcie3" | "pcie4" | "pcie5" | "switch" | "p2p=no" |
 *                "sxm" | MEMORY
 *     MEMORY := "16" | "32" | "40" | "80"
 *
 * Behind a line of processors there may be the settings of a line of levels (system.h), such as the
 * MPI library. There may be blanks around an x. "sxm" is how people write the usual GPU, and MEMORY
 * are its GB.
 * Rates are in GB/s per direction, because NCCL's rule compares them with round figures in GB/s.
 * The catalogue is catalogue.c.
 */
#ifndef HS_SYSTEM_PARTS_H
#define HS_SYSTEM_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "system/figure.h"
#include "system/library.h"
#include "system/links.h"

#define HS_TCP_STEP_US 30 /* of a short message of MPI's through the kernel's sockets */

#define HS_PARTS_MAX 1024 /* GPUs or NICs of a node */
/* From as many GPUs on, a node in a line of parts is a rack: trays of one NVLink domain. */
#define HS_RACK_GPUS 72
/* Most domains of any machine whose times the constants were fitted to. */
#define HS_FITTED_DOMAINS 16
/* What a line leaves open is taken to be no worse than this. */
#define HS_OPEN_NODES 32
#define HS_OPEN_TAPER 2.0

/* GPUs that share constants of their price. name, letter, meaning */
/* clang-format off */
#define HS_GPU_GENERATIONS(row)                                \
    row(AMPERE, 'A', "A100; V100, P100 for want of times")     \
    row(HOPPER, 'H', "H100 and its kin")                       \
    row(BLACKWELL, 'B', "B200 and its kin")                    \
    row(BOARD, 'P', "boards without NVLink")                   \
    row(OTHER, '-', "not NCCL's: priced by levels alone")

/* What joins the processors of a node. name, text (of their level, too), meaning */
#define HS_LINKS(row)                                   \
    row(NVLINK, "nvlink", "NVLinks, behind NVSwitch or pairwise") \
    row(PCIE, "pcie", "slots of PCI Express")           \
    row(XGMI, "xgmi", "Infinity Fabric between GPUs")   \
    row(MEMORY, "memory", "the memory of a host")

/* Single links, as a variant of the GPU says. name, text, meaning */
#define HS_WIRINGS(row)                                                    \
    row(EVENLY, "", "none: a switch, or links alike between all")          \
    row(CUBE, "cube", "8 P100 or V100 of a DGX-1, a hybrid cube mesh")     \
    row(POWER, "power9", "4 or 6 V100 of an AC922, its CPUs by NVLink")    \
    row(BRIDGED, "bridged", "boards in pairs under NVLink bridges")        \
    row(DIES, "dies", "8 or 16 dies of MI250X, which are never otherwise")

/* NICs that do. name, text, meaning */
#define HS_NIC_CLASSES(row)                              \
    row(INFINIBAND, "ib", "InfiniBand")                  \
    row(SLINGSHOT, "ss", "Slingshot 11, libfabric")      \
    row(ROCE, "roce", "Ethernet with RoCE")              \
    row(TCPXO, "tcpxo", "GPUDirect-TCPXO")               \
    row(EFA, "efa", "Elastic Fabric Adapter, p4")        \
    row(LATER_EFA, "efa", "the same, p5 and later")      \
    row(TCP, "tcp", "sockets of the kernel")
/* clang-format on */

enum hs_gpu_generation {
#define HS_ROW(name, letter, meaning) HS_GPU_##name,
    HS_GPU_GENERATIONS(HS_ROW)
#undef HS_ROW
        HS_GPU_GENERATION_COUNT
};

enum hs_gpu_link {
#define HS_ROW(name, text, meaning) HS_LINK_##name,
    HS_LINKS(HS_ROW)
#undef HS_ROW
        HS_LINK_COUNT
};

enum hs_wiring {
#define HS_ROW(name, text, meaning) HS_WIRED_##name,
    HS_WIRINGS(HS_ROW)
#undef HS_ROW
};
#define HS_WIRING_COUNT (HS_WIRED_DIES + 1)

/* What joins boards in slots. Without a word it is not known, which differs by a factor of ten. */
enum hs_slot_paths { HS_PATHS_UNSAID, HS_PATHS_SWITCH, HS_PATHS_HOST };

enum hs_nic_class {
#define HS_ROW(name, text, meaning) HS_NIC_##name,
    HS_NIC_CLASSES(HS_ROW)
#undef HS_ROW
        HS_NIC_CLASS_COUNT
};

extern const char *const hs_link_names[HS_LINK_COUNT];
extern const char *const hs_wiring_names[HS_WIRING_COUNT];
extern const char *const hs_nic_class_names[HS_NIC_CLASS_COUNT];

/* The host enters NCCL's rule, and nothing else. */
enum hs_cpu { HS_CPU_INTEL, HS_CPU_AMD, HS_CPU_ARM };

/* A GPU, or what stands for one. Kinds of figures (figure.h) say how far off they may be. */
struct hs_gpu {
    const char *name;
    enum hs_gpu_generation generation;
    enum hs_gpu_link link;
    int capability;     /* compute capability, times 10: "SM90" is 90; 0: not NVIDIA's */
    double nvlink_GBps; /* all links: the library's figure of one (src/graph/topo.h) times their
                           number; boards: the slot */
    double peak_GBps;   /* the same by the data sheet, which no figure of a machine exceeds; of
                           processors the memory of a node */
    double slot_GBps;   /* PCIe to the host, effective */
    double memory_GB;   /* its own, by the data sheet; 0: not known */
    enum hs_cpu cpu;    /* the usual one beside it */
    bool nvls;          /* its NVSwitch reduces */
    enum hs_figure_kind rate;  /* of nvlink_GBps */
    enum hs_figure_kind times; /* of what its steps and calls take: FITTED where its generation's
                                  constants were fitted to GPUs like it */
    const char *source;        /* of nvlink_GBps and peak_GBps */
};

struct hs_nic {
    const char *name;
    double line_GBps; /* the standard's */
    enum hs_nic_class class;
    double mpi_step_us;        /* of a short message of MPI's, between hosts: a guess */
    enum hs_figure_kind times; /* FITTED where the constants of its class were fitted to NICs like
                                  it */
    const char *source;
};

/* Nodes whose calls over the network were among the times that the constants were fitted to. */
struct hs_fitted_node {
    const char *gpu;
    bool mesh;
    const char *nic;
    int64_t domains; /* at most so many together */
    const char *source;
};

extern const struct hs_gpu hs_gpus[];
extern const struct hs_nic hs_nics[];
extern const struct hs_fitted_node hs_fitted_nodes[];
extern const size_t hs_gpu_count, hs_nic_count, hs_fitted_node_count;

/* What NCCL's kernels have of a GPU: a channel is a block. 0: not known, no limit (gpu_probe.h). */
struct hs_gpu_blocks {
    double GBps;     /* that one adds to others, at most */
    int64_t at_once; /* that the processors take */
};

/* A node. A plain value. */
struct hs_parts {
    struct hs_gpu gpu; /* as its variant is: of boards the slot's rate, of a mesh no NVLS */
    struct hs_nic nic;
    int64_t gpu_count;
    int64_t nic_count;    /* 0: one node alone */
    int64_t switch_nodes; /* under one switch; 0: not known (open), taken as all */
    double taper;         /* what they send over what leads on from there, >= 1 */
    bool mesh;
    enum hs_slot_paths paths; /* of boards */
    enum hs_wiring wiring;    /* of such a node NCCL's calls have no price */
    /* How calls over the network are known: FITTED for an hs_fitted_node; VENDOR where GPU and NIC
     * are each known from others; else GUESS. And up to how many domains. */
    enum hs_figure_kind network;
    int64_t fitted_domains;
    struct hs_gpu_blocks blocks; /* of no line: measured */
};
/* Whether a line leaves open what joins the nodes. */
static inline bool hs_parts_are_open(const struct hs_parts *parts)
{
    return parts->nic_count > 0 && parts->switch_nodes == 0;
}

/* NCCL's for GPUs of NVIDIA, RCCL for AMD's; a CPU says none. */
enum hs_library hs_parts_library(const struct hs_parts *parts);

/* HS_INVALID: what was expected, and of an unknown GPU or NIC the nearest name. */
enum hs_status hs_parts_parse(struct hs_parts *parts, const char *text, struct hs_error *err);

/* What one call sees of the machine. */
struct hs_shape {
    struct hs_parts parts;
    int64_t domains, gpus, ranks; /* NVLink domains, GPUs used in each, their product */
    int64_t least;                /* where not all have as many: of the narrowest; `gpus` is then
                                     the most, `ranks` no product, NICs are the narrowest's */
    double nvlink_GBps;           /* what a GPU can inject: of a mesh the links to GPUs in use */
    double link_GBps;             /* most that goes to one other GPU */
    double nics;                  /* of a domain, in use: one may be shared */
    double network_share;         /* of what the NICs send, that the network passes: 0 to 1 */
    bool behind; /* NICs of A100 mesh boards are behind the CPU (NCCL's path PHB): no LL128 */
};

/* `gpus` of each of `domains` NVLink domains. NICs come with the GPUs in use; of a rack one with
 * each. HS_INVALID: fewer than two GPUs in all, more than there are, or no NIC to leave by. */
enum hs_status hs_parts_shape(struct hs_shape *shape, const struct hs_parts *parts, int64_t domains,
                              int64_t gpus, struct hs_error *err);

/* The graph of a node whose wiring is checked, and is not HS_WIRED_EVENLY: GPUs, PCIe switches,
 * CPUs, in this order. HS_MEMORY: it is {0}. */
enum hs_status hs_parts_links(struct hs_links *links, const struct hs_parts *parts,
                              struct hs_error *err);
/* What its rates and who is joined are from. */
const char *hs_parts_links_source(const struct hs_parts *parts);

#endif
