/*
 * constants_mpi.h - the constants of price_mpi.h, a row each: name, unit, prior, deviation,
 * deviation in its family, what ships, width, meaning (constants.h).
 *
 * Families are of machines, in the order of enum hs_mpi_machine; a system's own are in none, and
 * its latencies and rates those of its levels. What ships was fitted to 438 published times
 * (docs/model.md). Units: us, ns/B, MiB, "-" a part or an exponent, "x" times.
 */
#ifndef HS_LIBRARY_CONSTANTS_MPI_H
#define HS_LIBRARY_CONSTANTS_MPI_H

#include "library/constants.h"
#include "system/system.h"

/* clang-format off */
#define HS_MPI_CONSTANTS(row)                                                             \
    row(STEP_LEONARDO, "step_leonardo", "us", 1.5, 0.6, 0.35, 1.473565082, 0.4,           \
        "one step, short message, neighbours: leonardo")                                  \
    row(STEP_LUMI, "step_lumi", "us", 1.5, 0.6, 0.35, 2.96541042, 0.4,                    \
        "one step, short message, neighbours: lumi")                                      \
    row(STEP_MN5, "step_mn5", "us", 1.5, 0.6, 0.35, 1.645805968, 0.4,                     \
        "one step, short message, neighbours: mn5")                                       \
    row(STEP_SYSTEM, "step", "x", 1, 0.4, 0, 1, 0.4,                                      \
        "a step, times its level's latency")                                              \
    row(STEP_NODE, "step_node", "x", 1, 0.5, 0, 1, 0.5,                                   \
        "the same inside a node whose ranks share its memory")                            \
    row(REDUCE_LEONARDO, "reduce_leonardo", "ns/B", 0.15, 0.6, 0.5, 0.06587868117, 0.4,   \
        "reduction, data in cache: leonardo")                                             \
    row(REDUCE_LUMI, "reduce_lumi", "ns/B", 0.15, 0.6, 0.5, 0.1985318028, 0.4,            \
        "reduction, data in cache: lumi")                                                 \
    row(REDUCE_MN5, "reduce_mn5", "ns/B", 0.15, 0.6, 0.5, 0.1030707981, 0.4,              \
        "reduction, data in cache: mn5")                                                  \
    row(REDUCE_SYSTEM, "reduce", "ns/B", 0.1, 0.5, 0, 0.1, 0.4,                           \
        "reduction, data in cache: of a system")                                          \
    row(MEMORY_LEONARDO, "memory_leonardo", "x", 1.6, 0.4, 0.4, 2.742762354, 0.3,         \
        "reduction and copy beyond the cache, times: leonardo")                           \
    row(MEMORY_LUMI, "memory_lumi", "x", 1.6, 0.4, 0.4, 0.9017297327, 0.3,                \
        "reduction and copy beyond the cache, times: lumi")                               \
    row(MEMORY_MN5, "memory_mn5", "x", 1.6, 0.4, 0.4, 1.367084559, 0.3,                   \
        "reduction and copy beyond the cache, times: mn5")                                \
    row(MEMORY_SYSTEM, "memory", "x", 1.6, 0.4, 0, 1.6, 0.3,                              \
        "reduction and copy beyond the cache, times: of a system")                        \
    row(FAR_LEONARDO, "far_leonardo", "x", 1.4, 0.3, 0.25, 1.362815135, 0.2,              \
        "step of halving and doubling (far partners, both wait), times: leonardo")        \
    row(FAR_LUMI, "far_lumi", "x", 1.4, 0.3, 0.25, 1.140274367, 0.2,                      \
        "step of halving and doubling (far partners, both wait), times: lumi")            \
    row(FAR_MN5, "far_mn5", "x", 1.4, 0.3, 0.25, 1.671886689, 0.2,                        \
        "step of halving and doubling (far partners, both wait), times: mn5")             \
    row(FAR_SYSTEM, "far", "x", 1.4, 0.3, 0, 1.4, 0.2,                                    \
        "step of halving and doubling, times: of a system")                               \
    row(RATE_LEONARDO, "rate_leonardo", "-", 0.8, 0.2, 0.15, 0.6164059645, 0.15,          \
        "part of the NIC's line rate: leonardo")                                          \
    row(RATE_LUMI, "rate_lumi", "-", 0.8, 0.2, 0.15, 0.6577617505, 0.15,                  \
        "part of the NIC's line rate: lumi")                                              \
    row(RATE_MN5, "rate_mn5", "-", 0.8, 0.2, 0.15, 0.6901202386, 0.15,                    \
        "part of the NIC's line rate: mn5")                                               \
    row(RATE_SYSTEM, "rate", "x", 1, 0.15, 0, 1, 0.15,                                    \
        "what a byte goes at where nothing is reduced, times its level's")                \
    row(RATE_NODE, "rate_node", "x", 1, 0.4, 0, 1, 0.4,                                   \
        "the same inside a node whose ranks share its memory")                            \
    row(WAIT, "wait", "-", 0.9, 0.3, 0, 0.9, 0.3,                                         \
        "ring of ranks that share memory: part of the longest latency, beyond the "       \
        "mean, that each step waits")                                                     \
    row(GRAIN, "grain", "-", 0.15, 0.5, 0, 0.1214364839, 0.2,                             \
        "step grows by this part per doubling of 1 + bytes / 32")                         \
    row(RENDEZVOUS, "rendezvous", "us", 2, 0.7, 0, 1.31591935, 0.4,                       \
        "more per step where the message is above 8 KiB")                                 \
    row(COPY, "copy", "x", 0.8, 0.5, 0, 0.9389286969, 0.3,                                \
        "copy of the n bytes at the start, in reductions of n bytes")                     \
    row(CACHE, "cache", "MiB", 20, 0.5, 0, 17.01764951, 0.3,                              \
        "message from which data are beyond the cache: part 1 / (1 + (cache/n)^3) of it") \
    row(STREAM, "stream", "-", 0.5, 0.5, 0, 0.3851128279, 0.3,                            \
        "ring: part of what memory adds (pieces are small)")                              \
    row(SPREAD, "spread", "-", 0.5, 1, 0, 0.8850619192, 0.5,                              \
        "step of a job over more than 64 processes, plus this part (to 128, then no "     \
        "more)")                                                                          \
    row(INSIDE, "inside", "x", 0.3, 0.5, 0, 0.1485938184, 0.3,                            \
        "step between processes of one node, times")                                      \
    row(SHARING, "sharing", "-", 0.7, 0.4, 0, 0.8975967173, 0.3,                          \
        "tasks of a node: bytes cost tasks^this, reductions tasks^(this/2)")
/* clang-format on */

enum hs_mpi_constant {
#define HS_ROW(name, text, unit, prior, deviation, family, fitted, width, meaning) HS_MPI_K_##name,
    HS_MPI_CONSTANTS(HS_ROW)
#undef HS_ROW
        HS_MPI_K_COUNT
};

extern const struct hs_constant hs_mpi_constants[HS_MPI_K_COUNT];

/* Whether it counts only where ranks share the memory of a node. */
static inline bool hs_mpi_constant_is_of_memory(enum hs_mpi_constant k)
{
    return k == HS_MPI_K_STEP_NODE || k == HS_MPI_K_RATE_NODE || k == HS_MPI_K_WAIT;
}

/* The values of the constants for a system's own call: its figures in place of those that ship.
 * Where it has none of its own but those of its levels, steps and bytes cost these and no more, as
 * those of plans do. */
void hs_mpi_system_values(double *values, const struct hs_system *system);

#endif
