/*
 * library_nccl.h - what NCCL runs of itself: the algorithm and protocol of a call whose time is the
 * smallest in NCCL's own model.
 *
 * NCCL prices each algorithm with each protocol by latency + bytes / bandwidth, from constants of
 * its sources, and takes the cheapest (src/graph/tuning.cc: ncclTopoTuneModel; bandwidths from the
 * channels that src/graph/search.cc finds). Here is the same for machines in parts, by version:
 * 2.18 to 2.30. Its times are not what calls take (price_nccl.h says that), only what it goes by.
 * What runs on registered buffers is in library_nccl_registered.c.
 * Known to it and not modelled: algorithms by CollNet, and what the environment or a tuner forces
 * (that of EFA's plugin from p5 on is one), but for `among`; 8-bit floats.
 */
#ifndef HS_LIBRARY_LIBRARY_NCCL_H
#define HS_LIBRARY_LIBRARY_NCCL_H

#include <stdbool.h>
#include <stddef.h>

#include "system/library.h"
#include "system/parts.h"

/* In NCCL's order, which decides between equal times, and in NCCL_ALGO's letters. name, text,
 * meaning */
/* clang-format off */
#define HS_NCCL_ALGORITHMS(row)                                                       \
    row(RING, "Ring", "around all ranks, node after node")                            \
    row(TREE, "Tree", "chains inside nodes, two trees over them; allreduce")          \
    row(NVLS, "NVLS", "NVSwitch reduces and multicasts; one node")                    \
    row(NVLSTREE, "NVLSTree", "the same, and two trees over nodes; allreduce")        \
    row(PAT, "PAT", "logarithmic; one GPU a node, allgather and reduce-scatter")      \
    row(DIRECT, "direct", "each sends to each: the only way of an all-to-all")

/* What runs on registered buffers alone, whatever NCCL_ALGO says. */
#define HS_NCCL_KERNELS(row)                                                          \
    row(SYMMETRIC, "symmetric", "GPUs of a domain use each other's memory")           \
    row(RAIL, "rail", "GPUs send to those of their number in other nodes")            \
    row(COPY, "copy engines", "no kernel; long allgathers on Blackwell")

#define HS_NCCL_PROTOCOLS(row)                                                        \
    row(LL, "LL", "a flag with every 4 bytes: lowest latency, half the rate")         \
    row(LL128, "LL128", "a flag with every 120 bytes; NVLink only")                   \
    row(SIMPLE, "Simple", "no flags, a fence per step: highest rate")
/* clang-format on */

enum hs_nccl_algorithm {
#define HS_ROW(name, text, meaning) HS_NCCL_##name,
    HS_NCCL_ALGORITHMS(HS_ROW) HS_NCCL_ALGORITHM_COUNT, /* of registered buffers: */
    HS_NCCL_KERNELS(HS_ROW)
#undef HS_ROW
        HS_NCCL_KERNEL_COUNT
};

enum hs_nccl_protocol {
#define HS_ROW(name, text, meaning) HS_NCCL_##name,
    HS_NCCL_PROTOCOLS(HS_ROW)
#undef HS_ROW
        HS_NCCL_PROTOCOL_COUNT
};

extern const char *const hs_nccl_algorithm_names[HS_NCCL_KERNEL_COUNT]; /* of COUNT: NULL */
extern const char *const hs_nccl_protocol_names[HS_NCCL_PROTOCOL_COUNT];

struct hs_nccl_call {
    enum hs_library_call kind;
    struct hs_shape shape;
    double bytes; /* > 0; library.h says which */
    int version;
    unsigned among; /* hs_nccl_choose's, of who prices it; 0: all */
    struct hs_nccl_use use;
};

struct hs_nccl_choice {
    enum hs_nccl_algorithm algorithm;
    enum hs_nccl_protocol protocol;
    double modelled_seconds; /* NCCL's own estimate; 0 of an all-to-all, which it does not price */
};

/* What NCCL's search finds: channels, and GB/s of one, of rings and of a tree inside a node. A
 * kernel runs twice the channels, at most 32 (hs_nccl_kernel_channels).
 * The search tries falling speeds until rings of one fit on all links, and doubles the channels of
 * fast ones (src/graph/search.cc: ncclTopoCompute; ncclTopoDupChannels). */
struct hs_nccl_graph {
    int channels;
    double ring_GBps, tree_GBps;
};
struct hs_nccl_graph hs_nccl_graph(const struct hs_shape *shape);
int hs_nccl_kernel_channels(const struct hs_nccl_graph *graph);

/* Bytes of one channel's chunk in a tree, which goes up and down in so many at a time
 * (src/enqueue.cc: calcCollChunking). */
double hs_nccl_tree_chunk(const struct hs_nccl_call *call, enum hs_nccl_protocol protocol);

/* All that NCCL has for the call, with its own estimates of their seconds, in no order; returns how
 * many. */
#define HS_NCCL_CHOICES_MAX (2 * HS_NCCL_PROTOCOL_COUNT + 3)
size_t hs_nccl_choices(struct hs_nccl_choice out[HS_NCCL_CHOICES_MAX],
                       const struct hs_nccl_call *call);

/* The kernels of registered buffers, from SYMMETRIC on, are no choice by time: where both buffers
 * of a call are in symmetric windows (ncclCommWindowRegister) and NCCL has such a kernel, it runs
 * (src/scheduler/symmetric_sched.cc), NCCL_ALGO or not; which of them goes by NCCL's own model of
 * them (src/sym_kernels.cc). False: there is none, by version, element and operation, domains and
 * NICs, and what else runs. */
bool hs_nccl_choose_registered(struct hs_nccl_choice *out, const struct hs_nccl_call *call);
/* Whether the symmetric kernels of the call's domain multicast in its switch. */
bool hs_nccl_multicasts(const struct hs_nccl_call *call);

/* The one it takes among algorithms of these bits, 1 << enum hs_nccl_algorithm (NCCL_ALGO), kernels
 * of registered buffers before all others. False: it has none of them for such a call. */
#define HS_NCCL_ANY (~0U)
bool hs_nccl_choose(struct hs_nccl_choice *out, const struct hs_nccl_call *call, unsigned among);
/* The bits of what NCCL_ALGO names, "Ring" or "tree,nvls", up to a blank; 0 where there is more to
 * it. */
unsigned hs_nccl_algorithms(const char *text);

#endif
