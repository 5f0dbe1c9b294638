/*
 * price.h - what a stage costs: the alpha-beta-s model with links shared as they are. Who prices a
 * stage or a plan, whoever carries it out, asks library/price_plan.h.
 *
 * A stage's price is fixed seconds and seconds per byte entering it; where it lies, which level
 * holds it up and how busy it keeps each level. An algorithm's row (algorithm.h) counts its traffic
 * on the links; figures that were fitted (fit.h) then replace those described. docs/model.md
 * derives all of this.
 *
 * The ring, on layer (d, p) of the machine's ranks, where level l has children of c_l ranks:
 *
 *  - it crosses level l if a child's border cuts one of its blocks of d p ranks: where they nest,
 *    if d p > c_l;
 *  - on level l the busiest child's link carries f_l of its rings at once. Where blocks of d p
 *    ranks and children nest this is min(d, c_l); elsewhere the rings that a block boundary cuts
 *    through are counted (hs_traffic_per_link);
 *  - a ring gets bandwidth_l / f_l there; inside a mesh a layer that visits k < arity children
 *    draws on k - 1 of a child's arity - 1 links only; where rings are not striped they get the
 *    share of the busiest port and, inside a mesh, of the busiest link between two children;
 *  - beta = 1 / (smallest share), alpha = largest latency over the levels crossed;
 *  - an allreduce of m bytes takes 2 s alpha (p - 1) + 2 beta m (p - 1) / p (Ueno and Yokota,
 *    CCGRID 2019, eq. 2-4); a reduce-scatter or an allgather half of it; launch_seconds per call,
 *    and gap_seconds where another call follows.
 */
#ifndef HS_MODEL_PRICE_H
#define HS_MODEL_PRICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/problem.h"
#include "system/system.h"

/* What a stage's time grows along with the bytes, launches apart:
 *     latency_seconds + seconds_per_byte * m * (p - 1) / p */
struct hs_price_line {
    double latency_seconds;
    double seconds_per_byte;
};

/* What chunks of several stages share: the levels, and behind the last of them the processors of
 * the GPUs (hs_system_paces). */
#define HS_PACES_MAX (HS_LEVELS_MAX + 1)

/* Of a ring: two per level and one more. */
#define HS_PRICE_LINES_MAX (2 * HS_LEVELS_MAX + 1)

/* What the largest line of a price for some bytes is found by. */
enum hs_price_regime {
    HS_PRICED_BY_LINES,
    /* Where long messages wait for a rendezvous (hs_system_waits), or what an algorithm sends
     * depends on the bytes (algorithm.h), a library's rule included: priced anew with the bytes
     * asked for. The lines are of messages that do not wait, in any number. */
    HS_PRICED_ANEW,
    /* NCCL's default call on the system's machine, whose time is no line: the one through the bytes
     * asked for. The lines are what the levels let pass, which the call is never below. */
    HS_PRICED_AS_CALL
};

/* Price of a stage, apart from the bytes. With m bytes entering it takes launch_seconds and what
 * the largest of its lines says. (21 fields: what every table shows of a stage, and what fits and
 * chunks need.) */
struct hs_stage_price {
    struct hs_stage_key key;
    /* From the line of no bytes to that of long messages: each is the largest somewhere. None:
     * nothing travels. */
    struct hs_price_line lines[HS_PRICE_LINES_MAX];
    int line_count;
    double launch_seconds;        /* of its calls, and the gaps before those that follow */
    double steps;                 /* messages one after the other: latencies that it pays */
    double ring_bytes_per_second; /* 1 / beta: what one of its groups gets */
    int level;                    /* outermost level it crosses: where the layer lies */
    int bottleneck;               /* level with the smallest share (the outermost of equals) */
    int64_t rings_per_link;       /* f of the bottleneck level */
    /* Part of its time that the stage keeps each level busy: 1 at the bottleneck, share ratio on
     * other levels it crosses, 0 elsewhere. With chunks, stages that meet on a level add up there.
     * Behind the levels, where it is known: the part of a GPU's processors that it holds. */
    double occupancy[HS_PACES_MAX];
    /* Of a calibrated system (fit.h): what the price comes from, the half width of the 95 %
     * interval of the stage's time relative to it, and the bytes entering it that were measured.
     * NONE, NaN and 0 elsewhere. */
    enum hs_fit_scope fit_scope;
    bool misaligned; /* has hops of more than one level */
    /* reaches beyond the described machine, or is of a size that no fit covers */
    bool extrapolated;
    /* Another layer of the call follows, or comes before: ranks that are through early, or may
     * begin late, are not waited for. Not of an allreduce, nor of the layer that reaches to the
     * last rank of a group: that takes as long as the last of all groups. */
    bool goes_on;
    double relative_ci95;
    double min_bytes, max_bytes;
    enum hs_price_regime regime;
    const struct hs_system *system; /* that is asked where it is not by lines; else NULL */
    int64_t ranks;
    double bytes; /* entering it, of which its lines are: messages are parts of these; 0: any */
};

/* How many of its paces stages may be busy on: its levels and, where the blocks that a GPU has at
 * once are known, its processors. */
int hs_system_paces(const struct hs_system *system);
/* What pace `pace` of a sentence is: "level ib", "the processors of the GPUs". In `text`. */
#define HS_PACE_TEXT (HS_SYSTEM_NAME + 8)
const char *hs_pace_text(char text[HS_PACE_TEXT], const struct hs_system *system, int pace);

/* What a price by levels leaves unexplained of any kind of layers, of log(time / price), calibrated
 * on pairs of published AllReduces of other machines than the shipped system with such a table
 * (docs/model.md, section 10). */
#define HS_PRICE_DEVIATION 0.2
/* The same of the bytes of a ring that hs_stage_price_is_least, so one-sided. Rings that stay in a
 * node nobody published beside others: they err as any layer. */
#define HS_MISALIGNED_DEVIATION 0.3
/* Before anything of a calibrated machine was measured: of misaligned layers from those that are
 * not, either way. A ring that shares a link with few others seldom fills it. */
#define HS_MISALIGNED_PRIOR_DEVIATION 0.35
/* Whether it is a library's ring that goes in and out of nodes, which takes longer than its slowest
 * link on every machine that published it. */
bool hs_stage_price_is_least(const struct hs_system *system, const struct hs_stage_price *price);
/* What a layer's place in the order of the blocks adds to its stage, as a launch does
 * (collective.h): of a packed call the copy, on the innermost of several layers. */
double hs_order_seconds(const struct hs_system *system, const struct hs_problem *problem,
                        struct hs_layer layer);
/* What lies between its calls and those that follow in the problem (hs_system.gap_seconds), which
 * nobody sees who measures the stage alone. */
double hs_stage_gap_seconds(const struct hs_system *system, const struct hs_problem *problem,
                            struct hs_stage_key key);
/* The largest of its lines for m bytes entering it; zeros where there is none. */
struct hs_price_line hs_stage_largest_line(const struct hs_stage_price *price, double bytes);
/* What a line's bytes take of m bytes entering the stage. */
double hs_stage_moving_seconds(const struct hs_stage_price *price, struct hs_price_line line,
                               double bytes);
/* The largest of its lines alone: of NCCL's default call what its links take at least. */
double hs_stage_least_seconds(const struct hs_stage_price *price, double bytes);
/* Adds a line to a price that is being made, and drops those that are then nowhere the largest.
 * Where there are too many all the same it is left out. */
void hs_stage_add_line(struct hs_stage_price *price, struct hs_price_line line);
/* Whether stages by an algorithm have a price: all but the library's own where no MPI library is
 * named (library), or, of a calibrated system, none of them was measured. */
bool hs_system_prices(const struct hs_system *system, enum hs_algorithm algorithm);
/* Whether every stage has a price (hs_system_prices); what has none costs as a ring would. */
bool hs_plan_is_priced(const struct hs_system *system, const struct hs_plan *plan);

#endif
