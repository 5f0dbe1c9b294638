/*
 * constants_nccl.h - the constants of price_nccl.h, a row each: name, unit, prior, deviation,
 * deviation in its family, what ships, width, meaning (constants.h).
 *
 * Priors are of NCCL's sources where they say so, else usual figures. What ships was fitted to 3350
 * published times of 66 systems (docs/model.md); what ends with _P, and pcie_share, to those of 6
 * nodes of boards (an L40S node's calls of 4 and 8 boards beyond 16 KiB left out: 1.4 GB/s is its
 * own). Units: us, GB/s, MB (10^6 bytes), "-" a part or an exponent, "x" times. A, H, B, P at the
 * end of a name: generations of GPUs, in the order of parts.h; so are classes of NICs.
 */
#ifndef HS_LIBRARY_CONSTANTS_NCCL_H
#define HS_LIBRARY_CONSTANTS_NCCL_H

/* clang-format off */
#define HS_NCCL_CONSTANTS(row)                                                            \
    row(CALL_A, "call_A", "us", 6, 0.3, 0.2, 8.4409194, 0.2,                              \
        "one call on one node, Ampere; prior NCCL tuning.cc baseLatencies")               \
    row(CALL_H, "call_H", "us", 6, 0.3, 0.2, 4.333463284, 0.2,                            \
        "one call on one node, Hopper; prior NCCL tuning.cc baseLatencies")               \
    row(CALL_B, "call_B", "us", 6, 0.3, 0.2, 7.092700427, 0.2,                            \
        "one call on one node, Blackwell; prior NCCL tuning.cc baseLatencies")            \
    row(CALL_P, "call_P", "us", 6, 0.3, 0.2, 5.136, 0.2,                            \
        "one call on one node, PCIe boards; prior NCCL tuning.cc baseLatencies")          \
    row(CALL_MULTI, "call_multi", "us", 8, 0.5, 0, 9.041814328, 0.7,                      \
        "the same over several nodes, more")                                              \
    row(CALL_TORCH, "call_torch", "us", 15, 0.7, 0, 17.03736032, 0.3,                     \
        "more where torch.distributed and a host clock measured")                         \
    row(CALL_THREADS, "call_threads", "-", 0.2, 0.7, 0, 0.2356819721, 0.2,                \
        "LL: call grows by this part while threads per channel grow from 64 to 512 "      \
        "(512 B to 4 KiB of piece)")                                                      \
    row(HOP_LL_A, "hop_ll_A", "us", 0.8, 0.5, 0.2, 0.820958814, 0.1,                      \
        "LL: step inside a node, A; prior NCCL tuning.cc hwLatencies .6 to 1")            \
    row(HOP_LL_H, "hop_ll_H", "us", 0.8, 0.5, 0.2, 0.9329838945, 0.1,                     \
        "LL: step inside a node, H; prior NCCL tuning.cc hwLatencies .6 to 1")            \
    row(HOP_LL_B, "hop_ll_B", "us", 0.8, 0.5, 0.2, 1.216407978, 0.1,                      \
        "LL: step inside a node, B; prior NCCL tuning.cc hwLatencies .6 to 1")            \
    row(HOP_LL_P, "hop_ll_P", "us", 0.8, 0.5, 0.2, 1.535, 0.1,                      \
        "LL: step inside a node, P; prior NCCL tuning.cc hwLatencies .6 to 1")            \
    row(HOP_LL128, "hop_ll128", "us", 3, 0.6, 0, 1.984948104, 0.12,                       \
        "LL128: step inside a node; prior NCCL tuning.cc 1.9")                            \
    row(HOP_SIMPLE_A, "hop_simple_A", "us", 5, 0.6, 0.4, 7.395978354, 0.15,               \
        "Simple: step inside a node, A; prior NCCL tuning.cc 3.4 to 5.7")                 \
    row(HOP_SIMPLE_H, "hop_simple_H", "us", 5, 0.6, 0.4, 7.434021857, 0.15,               \
        "Simple: step inside a node, H; prior NCCL tuning.cc 3.4 to 5.7")                 \
    row(HOP_SIMPLE_B, "hop_simple_B", "us", 5, 0.6, 0.4, 10.6590733, 0.15,                \
        "Simple: step inside a node, B; prior NCCL tuning.cc 3.4 to 5.7")                 \
    row(HOP_SIMPLE_P, "hop_simple_P", "us", 5, 0.6, 0.4, 4.398, 0.15,               \
        "Simple: step inside a node, P; prior NCCL tuning.cc 3.4 to 5.7")                 \
    row(FILL_SIMPLE_A, "fill_simple_A", "us", 8, 0.8, 0.5, 12.04288798, 0.2,              \
        "Simple, ring and tree: once per call, A; prior NCCL tuning.cc base 8.4")         \
    row(FILL_SIMPLE_H, "fill_simple_H", "us", 8, 0.8, 0.5, 6.77221796, 0.2,               \
        "Simple, ring and tree: once per call, H; prior NCCL tuning.cc base 8.4")         \
    row(FILL_SIMPLE_B, "fill_simple_B", "us", 8, 0.8, 0.5, 6.233072897, 0.2,              \
        "Simple, ring and tree: once per call, B; prior NCCL tuning.cc base 8.4")         \
    row(FILL_SIMPLE_P, "fill_simple_P", "us", 8, 0.8, 0.5, 5.275, 0.2,              \
        "Simple, ring and tree: once per call, P; prior NCCL tuning.cc base 8.4")         \
    row(FILL_LL128, "fill_ll128", "us", 4, 0.8, 0, 10.99832426, 0.2,                      \
        "LL128, ring and tree: once per call; prior NCCL tuning.cc base 14 against 6.6")  \
    row(HOP_MULTI, "hop_multi", "x", 1.2, 0.4, 0, 1.564229908, 0.3,                       \
        "step inside a node where the call spans nodes, times; prior NCCL tuning.cc "     \
        "netOverhead")                                                                    \
    row(NET_LL, "net_ll", "us", 1.5, 0.6, 0, 0.9832974322, 0.4,                           \
        "LL: step over the network, NIC's part left out; prior NCCL tuning.cc 2.7 with "  \
        "it")                                                                             \
    row(NET_LL128, "net_ll128", "us", 3, 0.6, 0, 4.448055408, 0.4,                        \
        "LL128: the same; prior 4.0, tree 8.5")                                           \
    row(NET_SIMPLE, "net_simple", "us", 13, 0.6, 0, 24.69989367, 0.4,                     \
        "Simple: the same; prior 14")                                                     \
    row(NIC_IB, "nic_ib", "us", 1, 0.8, 0, 0.7480686292, 0.7,                             \
        "NIC's part of a network step, any protocol: InfiniBand")                         \
    row(NIC_SS, "nic_ss", "us", 3, 0.8, 0, 4.608230891, 0.7,                              \
        "Slingshot 11 (libfabric plugin)")                                                \
    row(NIC_ROCE, "nic_roce", "us", 3, 0.8, 0, 1.799757022, 0.7,                          \
        "RoCE")                                                                           \
    row(NIC_TCPXO, "nic_tcpxo", "us", 20, 0.8, 0, 47.43552628, 0.7,                       \
        "GPUDirect-TCPXO (kernel sockets for control)")                                   \
    row(NIC_EFA, "nic_efa", "us", 50, 0.8, 0, 69.02261943, 0.7,                           \
        "EFA of p4; prior aws-ofi-nccl (declares 75 us against NCCL's 0)")                \
    row(NIC_LATER_EFA, "nic_later_efa", "us", 15, 0.8, 0, 20.13239626, 0.7,               \
        "EFA of p5 and later")                                                            \
    row(NIC_TCP, "nic_tcp", "us", 20, 0.8, 0, 20, 0.8,                                    \
        "sockets of the kernel; a guess (no machine)")                                    \
    row(SHORT, "short", "x", 0.8, 0.5, 0, 0.2988760645, 0.4,                              \
        "network steps of an LL ring below 1 KiB in all, times (u > 1)")                  \
    row(EFF_A, "eff_A", "-", 0.93, 0.1, 0.04, 0.941126104, 0.03,                          \
        "Simple ring: part of the rate inside, A")                                        \
    row(EFF_H, "eff_H", "-", 0.93, 0.1, 0.04, 1.029536042, 0.03,                          \
        "Simple ring: part of the rate inside, H")                                        \
    row(EFF_B, "eff_B", "-", 0.93, 0.1, 0.04, 0.9786470123, 0.03,                         \
        "Simple ring: part of the rate inside, B")                                        \
    row(EFF_P, "eff_P", "-", 0.8, 0.1, 0.04, 1.053, 0.03,                           \
        "Simple ring: part of the rate inside, P")                                        \
    row(PART_LL, "part_ll", "-", 0.45, 0.3, 0, 0.5480773336, 0.12,                        \
        "LL: part of that (a flag per 8 bytes: below .5)")                                \
    row(PART_LL128, "part_ll128", "-", 0.8, 0.2, 0, 0.9647137814, 0.1,                    \
        "LL128: part of that (120/128 at best)")                                          \
    row(EFF_IB, "eff_ib", "-", 0.95, 0.08, 0, 0.9726457019, 0.1,                          \
        "Simple: part of the NICs' line rate, InfiniBand")                                \
    row(EFF_SS, "eff_ss", "-", 0.92, 0.08, 0, 0.8330837874, 0.1,                          \
        "Slingshot 11")                                                                   \
    row(EFF_ROCE, "eff_roce", "-", 0.93, 0.1, 0, 0.8778240617, 0.1,                       \
        "RoCE")                                                                           \
    row(EFF_TCPXO, "eff_tcpxo", "-", 0.9, 0.15, 0, 0.908581072, 0.1,                      \
        "TCPXO")                                                                          \
    row(EFF_EFA, "eff_efa", "-", 0.9, 0.15, 0, 0.9635602222, 0.1,                         \
        "EFA of p4")                                                                      \
    row(EFF_LATER_EFA, "eff_later_efa", "-", 0.9, 0.15, 0, 0.8083821599, 0.1,             \
        "EFA of p5 and later")                                                            \
    row(EFF_TCP, "eff_tcp", "-", 0.6, 0.3, 0, 0.6, 0.3,                                   \
        "sockets of the kernel; a guess (no machine)")                                    \
    row(HOST_LL, "host_ll", "GB/s", 5, 0.5, 0, 3.919996417, 0.4,                          \
        "LL over the network goes through host memory and a proxy: one NIC, PCIe 4 "      \
        "(PCIe 5 twice)")                                                                 \
    row(HOST_LL_EXP, "host_ll_exp", "-", 0.5, 0.6, 0, 0.534154033, 0.1,                   \
        "the same, times NICs^this")                                                      \
    row(NET_PART_LL128, "net_part_ll128", "-", 0.85, 0.15, 0, 0.9648946493, 0.1,          \
        "LL128: part of the network rate")                                                \
    row(TREE_CHUNK, "tree_chunk", "-", 0.5, 0.5, 0, 0.3142791968, 0.2,                    \
        "tree, LL and LL128: part of a network step that each further chunk costs")       \
    row(GROW_LL128, "grow_ll128", "-", 0.05, 0.8, 0, 0.04774015129, 0.5,                  \
        "LL128: part of the network rate lost per doubling from 2 to 16 nodes")           \
    row(BEHIND, "behind", "x", 0.8, 0.1, 0, 0.8310883425, 0.1,                            \
        "network rate where the NICs are behind the CPU (A100 mesh boards; GPUDirect "    \
        "through the root complex), times")                                               \
    row(ONE, "one", "x", 0.9, 0.1, 0, 0.9092889429, 0.15,                                 \
        "network rate with one GPU per node whose slot the NIC fills (sends and "         \
        "receives share it), times")                                                      \
    row(GROW, "grow", "-", 0.01, 0.3, 0, 0.009328243509, 1,                               \
        "network rate falls by this part per doubling from 2 to 32 nodes (then no "       \
        "more); near 0 jointly, free in a machine's own fit")                             \
    row(GROW_NET, "grow_net", "-", 0.01, 0.3, 0, 0.0103954729, 1.5,                       \
        "network steps of ring, tree, PAT longer by this part (linear) per doubling "     \
        "beyond 2 nodes; near 0 jointly, free in a machine's own fit")                    \
    row(Q_LL, "q_ll", "-", 1.5, 0.3, 0, 1.01925645, 0.1,                                  \
        "LL, LL128: how latency and bytes of a step add: (a^q + b^q)^(1/q); 1 sum, "      \
        "large max")                                                                      \
    row(Q_SIMPLE, "q_simple", "-", 1.5, 0.3, 0, 1.808096712, 0.15,                        \
        "the same for Simple")                                                            \
    row(RAMP, "ramp", "MB", 0.3, 1, 0, 0.2955122803, 0.5,                                 \
        "Simple over several nodes: n + sqrt(ramp n) bytes")                              \
    row(RAMP_IN_A, "ramp_in_A", "MB", 0.3, 1, 0.5, 0.5602172394, 0.5,                     \
        "Simple on one node, and all-to-all inside: n + sqrt(ramp_in n) bytes, A")        \
    row(RAMP_IN_H, "ramp_in_H", "MB", 0.3, 1, 0.5, 0.5700073367, 0.5,                     \
        "Simple on one node, and all-to-all inside: n + sqrt(ramp_in n) bytes, H")        \
    row(RAMP_IN_B, "ramp_in_B", "MB", 0.3, 1, 0.5, 0.4590114906, 0.5,                     \
        "Simple on one node, and all-to-all inside: n + sqrt(ramp_in n) bytes, B")        \
    row(RAMP_IN_P, "ramp_in_P", "MB", 0.3, 1, 0.5, 0.07359, 0.5,                    \
        "Simple on one node, and all-to-all inside: n + sqrt(ramp_in n) bytes, P")        \
    row(OWN, "own", "-", 0.45, 0.5, 0, 0.5001532159, 0.2,                                 \
        "own piece: n/P once at full rate x part of the protocol, times")                 \
    row(NVLS, "nvls", "us", 15, 0.5, 0, 8.628905146, 0.15,                                \
        "NVLS: latency")                                                                  \
    row(NVLS_EFF_H, "nvls_eff_H", "-", 0.85, 0.1, 0, 0.9256954936, 0.05,                  \
        "NVLS: part of the rate, n (1 + 1/u) bytes, Hopper")                              \
    row(NVLS_EFF_B, "nvls_eff_B", "-", 0.75, 0.1, 0, 0.7123070905, 0.05,                  \
        "Blackwell")                                                                      \
    row(NVLS_RAMP, "nvls_ramp", "MB", 10, 1, 0, 19.14396315, 0.3,                         \
        "NVLS: n + sqrt(ramp u/8 n) bytes")                                               \
    row(NVLSTREE, "nvlstree", "us", 20, 0.7, 0, 39.26563166, 0.4,                         \
        "NVLSTree: network step, NIC's part left out; prior NCCL tuning.cc 20.9 with it") \
    row(NVLSTREE_RACK, "nvlstree_rack", "x", 2, 0.5, 0, 2.223393212, 0.3,                 \
        "the same between NVLink domains of more than 8 GPUs, times (one machine)")       \
    row(NVLSTREE_IN, "nvlstree_in", "-", 0.9, 0.1, 0, 0.8750466541, 0.1,                  \
        "NVLSTree: part of the rate of NVLS")                                             \
    row(A2A_CALL, "a2a_call", "x", 1.2, 0.3, 0, 1.360748094, 0.15,                        \
        "all-to-all: call, times")                                                        \
    row(A2A_PEER, "a2a_peer", "us", 0.3, 0.5, 0, 0.2907553905, 0.2,                       \
        "per peer")                                                                       \
    row(A2A_PEER_NET, "a2a_peer_net", "us", 1, 0.8, 0, 3.936607705, 0.8,                  \
        "per peer, over the network; mostly one machine")                                 \
    row(A2A_LARGE, "a2a_large", "us", 4, 0.6, 0, 4.522801508, 0.2,                        \
        "added while bytes per peer grow from 4 to 32 KiB")                               \
    row(A2A_EFF, "a2a_eff", "-", 0.9, 0.1, 0, 0.9022020374, 0.1,                          \
        "part of the rate inside")                                                        \
    row(A2A_OWN_A, "a2a_own_A", "-", 0.4, 0.6, 0.6, 0.4760134741, 0.3,                    \
        "own block as part of a full-rate step, A")                                       \
    row(A2A_OWN_H, "a2a_own_H", "-", 0.4, 0.6, 0.6, 0.3064477179, 0.3,                    \
        "own block as part of a full-rate step, H")                                       \
    row(A2A_OWN_B, "a2a_own_B", "-", 0.4, 0.6, 0.6, 0.9879123472, 0.3,                    \
        "own block as part of a full-rate step, B")                                       \
    row(A2A_OWN_P, "a2a_own_P", "-", 0.4, 0.6, 0.6, 0.162, 0.3,                   \
        "own block as part of a full-rate step, P")                                       \
    row(A2A_NET, "a2a_net", "-", 0.85, 0.3, 0, 0.9211718176, 0.25,                        \
        "part of the NICs' rate; prior NVIDIA/nccl issue 1138, .85 to .92")               \
    row(A2A_RAMP, "a2a_ramp", "MB", 0.1, 0.8, 0, 0.08442459468, 0.4,                      \
        "over the network: b + sqrt(ramp b) bytes of each peer")                          \
    row(PCIE_SHARE, "pcie_share", "-", 0.6, 0.5, 0, 0.6325, 0.7,                           \
        "PCIe boards: rate / (u/2)^this where no word says what joins them")              \
    row(SYM_CALL, "sym_call", "us", 7, 0.3, 0, 6.6586, 0.3,                               \
        "registered: one call; prior NCCL sym_kernels.cc, mean of Hopper's 4.5 and "      \
        "Blackwell's 11")                                                                 \
    row(SYM_GRAPH, "sym_graph", "x", 0.53, 0.3, 0, 0.5202, 0.3,                           \
        "registered: call from a CUDA graph, times; prior RCCL's floors, 6 to 10 us of "  \
        "13 to 17")                                                                       \
    row(SYM_TWICE, "sym_twice", "us", 5.3, 0.4, 0, 4.3393, 0.3,                           \
        "registered, Simple: more, for two barriers; prior NCCL sym_kernels.cc, mean of " \
        "3.3 and 8.5")                                                                    \
    row(SYM_PART, "sym_part", "-", 1, 0.15, 0, 1.0301, 0.1,                               \
        "registered, Simple: part of the rate of NVLS")                                   \
    row(RAIL_STEP, "rail_step", "us", 14, 0.6, 0, 14, 0.6,                                \
        "registered, between nodes: a step; prior NCCL tuning.cc 14 (no machine)")        \
    row(COPY_CALL, "copy_call", "us", 20, 0.7, 0, 20, 0.7,                                \
        "copy engines: one call; a guess (no machine)")                                   \
    row(COPY_PART, "copy_part", "-", 0.8, 0.2, 0, 0.8, 0.2,                               \
        "copy engines: part of the rate inside; a guess (no machine)")
/* clang-format on */

/* From here on of kernels of registered buffers, of which no call without has any. */
#define HS_NCCL_K_REGISTERED HS_NCCL_K_SYM_CALL

enum hs_nccl_constant {
#define HS_ROW(name, text, unit, prior, deviation, family, fitted, width, meaning) HS_NCCL_K_##name,
    HS_NCCL_CONSTANTS(HS_ROW)
#undef HS_ROW
        HS_NCCL_K_COUNT
};

#endif
