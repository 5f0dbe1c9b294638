/*
 * constants_rccl.h - the constants of price_rccl.h, a row each, as in constants_nccl.h: name, unit,
 * prior, deviation, deviation in its family, what ships, width, meaning (constants.h).
 *
 * What ships was fitted to published times of 10 machines: inside a node 4 of MI300X, MI325X and
 * MI355X; between nodes 7 of MI250X, MI300X, MI308X, MI325X and MI355X, 2 nodes each but for one
 * of 4 (the only one with Slingshot) and one of 2 to 8. Priors of the first three rows are figures
 * of 4 more tables of 2 machines with one process per GPU (docs/model.md, section 8).
 */
#ifndef HS_LIBRARY_CONSTANTS_RCCL_H
#define HS_LIBRARY_CONSTANTS_RCCL_H

/* clang-format off */
#define HS_RCCL_CONSTANTS(row)                                                                \
    row(CALL, "call", "us", 13.4, 0.15, 0, 12.59, 0.25,                                        \
        "one call on one node, a process per GPU; published floors are 13 to 17 us")          \
    row(FILL, "fill", "us", 12.3, 0.4, 0, 14.68, 0.3,                                          \
        "added while bytes grow to some MB, one node")                                        \
    row(FILL_AT, "fill_at", "MB", 1, 0.5, 0, 0.9205, 0.4, "bytes of half of that")                 \
    row(ONE_PROCESS, "one_process", "us", 36, 0.2, 0, 31.19, 0.2,                                \
        "more where one process drives 8 GPUs, whose launches then follow each other")        \
    row(EFF, "eff", "-", 0.95, 0.06, 0, 0.9436, 0.05,                                           \
        "part of the rate of the level inside a node")                                        \
    row(NET_CALL, "net_call", "us", 15, 0.4, 0, 13.12, 0.3, "one call over several nodes, more") \
    row(NET_STEP, "net_step", "us", 13, 0.5, 0, 13.91, 0.4, "per doubling of the nodes")         \
    row(NET_SLINGSHOT, "net_slingshot", "x", 2, 0.4, 0, 1.983, 0.5,                               \
        "both, and net_ramp, on Slingshot (one machine), times")                              \
    row(NET_RAMP, "net_ramp", "MB", 40, 1, 0, 53.35, 0.7,                                        \
        "over several nodes: n + sqrt(ramp n) bytes")                                         \
    row(NET_EFF, "net_eff", "-", 0.97, 0.05, 0, 1.074, 0.08,                                   \
        "part of the rate of the levels between nodes")                                       \
    row(A2A_PEER, "a2a_peer", "us", 0.3, 0.8, 0, 0.1241, 0.8,                                    \
        "all-to-all: per peer; prior NCCL's")                                                 \
    row(A2A_EFF, "a2a_eff", "-", 0.87, 0.08, 0, 0.8679, 0.12,                                   \
        "all-to-all: part of the rate inside (one machine)")                                  \
    row(A2A_RAMP, "a2a_ramp", "MB", 0.1, 1, 0, 0.07653, 0.7,                                      \
        "all-to-all over several nodes: the same as net_ramp (one machine)")                  \
    row(A2A_NET_EFF, "a2a_net_eff", "-", 0.97, 0.05, 0, 0.986, 0.1,                            \
        "all-to-all: part of the rate between nodes (one machine)")
/* clang-format on */

enum hs_rccl_constant {
#define HS_ROW(name, text, unit, prior, deviation, family, fitted, width, meaning) HS_RCCL_K_##name,
    HS_RCCL_CONSTANTS(HS_ROW)
#undef HS_ROW
        HS_RCCL_K_COUNT
};

/* Nodes of the published times, at most, of one machine. */
#define HS_RCCL_NODES 8

#endif
