/*
 * limit.h - what no plan can beat on a described machine: the least time in which its links carry a
 * problem, whatever the algorithm.
 *
 * Let a level part the ranks into U units, its children, that can send B each. Take one byte of an
 * AllReduce's result: before the first unit knows it, each other one has sent something for it, and
 * after that each other one has still to receive something. So units send 2 (U - 1) n bytes in all
 * (Patarasuk and Yuan, JPDC 2009, for processes), which takes
 *
 *     2 (U - 1) n / (sum of B)                 of equal units: 2 (U - 1) / U n / B
 *
 * The same of two units, a child S and all others, between which B(S) goes either way, is n / B(S):
 * more where the last child is a partial one with fewer ports; S is the first child, too. What
 * happens inside units is free in this, reducing in NVSwitch included. Where the switch between
 * units reduces, each must still send what it has, and n / B(S) is left.
 *
 * Of a reduce-scatter each unit sends something for every byte of the others' blocks, of an
 * allgather it receives them: half of the above, (U - 1) n in all, and a child with the share f of
 * the ranks n max(f, 1 - f) one way or the other, in whatever order blocks lie; no switch saves any
 * of that. Of an all-to-all a child with the share f of N ranks has n / N bytes from each of them
 * for each other one: n N f (1 - f).
 *
 * Of groups that call at once, bytes are added up. Something has to cross the level, so a latency
 * is paid at least once: its own, or that of a level further out where that is smaller. The limit
 * is the largest over the levels. None of this asks how a plan goes about it: by price.h none takes
 * less (tests/library/test_limit.c), a few take just as long.
 *
 * Where single links join the units of the first level, and all ranks of one of them are a group,
 * the links' own cuts and partitions count (cuts.h); of other groups there each unit's B is that of
 * the unit with the most links.
 *
 * What a child can send, of its bytes_per_second (where stages are NCCL's calls, of NVLink's
 * full rate, which is more than the figure of a ring; where RCCL's, of xGMI's): all; of a mesh
 * whose one unit holds all ranks, what its links to the k - 1 other children in use carry,
 * (k - 1) / (arity - 1); where it is not striped, of its ports those that its ranks are assigned
 * to.
 */
#ifndef HS_LIBRARY_LIMIT_H
#define HS_LIBRARY_LIMIT_H

#include "model/problem.h"
#include "system/system.h"

/* seconds = latency_seconds + what the bytes take. {0, 0, -1}: there is none, because nothing
 * travels, or because the system was calibrated: then its figures are those of layers, and do not
 * say what a link can do. Where stages are NCCL's calls the limit is of the levels as
 * described, NVLink's full rate apart, and NVSwitch reduces. Where constants of a library were
 * fitted to the machine's own times, or drawn (machines.h), links are as fast as these say. */
struct hs_limit {
    double seconds, latency_seconds;
    int level; /* that sets it */
};
/* The limit by each level that the problem's bytes cross, the outermost first; returns how many. */
int hs_limit_each(struct hs_limit limits[HS_LEVELS_MAX], const struct hs_system *system,
                  const struct hs_problem *problem);
/* Of one call of all of the problem's groups at once; in any order of blocks. Cannot fail. */
struct hs_limit hs_limit_of(const struct hs_system *system, const struct hs_problem *problem);
/* The larger one: no price of the problem is below its limit. NaN stays NaN. Of samples NCCL's are
 * not either, whatever they err by; elsewhere each is one of a machine with links of its own, whose
 * limit it is not below but for what the price errs by (machines.h). */
double hs_limit_keep(double seconds, const struct hs_system *system,
                     const struct hs_problem *problem);
/* The same of a stage alone that so many bytes enter, of a call of `ranks` ranks. */
double hs_limit_keep_stage(double seconds, const struct hs_system *system, int64_t ranks,
                           struct hs_stage_key key, double bytes);
/* The problem that a stage is; a pair is its first half, and takes twice as long. */
struct hs_problem hs_limit_stage(int64_t ranks, struct hs_stage_key key, double bytes);
/* What the problem's bytes take at least to cross level `level`, latencies apart; 0: none do. */
double hs_limit_crossing_seconds(const struct hs_system *system, const struct hs_problem *problem,
                                 size_t level);
/* What a time reaches of it: 1 is just the limit, less than 1 takes longer; NaN without a limit. */
double hs_limit_reached(const struct hs_limit *limit, double seconds);

#endif
