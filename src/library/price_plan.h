/*
 * price_plan.h - what a stage and a plan cost on a system, whoever carries them out: by the levels
 * (model/price.h), single links (links/graph.h), or a library's calls (price_nccl.h,
 * price_native.h). Figures that were fitted (system/fit.h) replace those described.
 */
#ifndef HS_LIBRARY_PRICE_PLAN_H
#define HS_LIBRARY_PRICE_PLAN_H

#include "model/price.h"

/* Prices a stage of a call of all `ranks` ranks by itself; stride * size must divide ranks. Cannot
 * fail. The system outlives the price, but for one by lines. */
struct hs_stage_price hs_stage_price(const struct hs_system *system, int64_t ranks,
                                     struct hs_stage_key key);
/* The same of a call of a group's ranks and of all groups like it at once, for so many bytes
 * entering it alone, 0: any, which saves pricing anew where a price depends on them. */
struct hs_stage_price hs_stage_price_at(const struct hs_system *system,
                                        const struct hs_group *group, struct hs_stage_key key,
                                        double bytes);
/* hs_stage_price_at of a stage of the problem: with both, among the launches. */
struct hs_stage_price hs_problem_price(const struct hs_system *system,
                                       const struct hs_problem *problem, struct hs_stage_key key,
                                       double bytes);
/* The largest of its lines for m bytes entering it; zeros where there is none. */
struct hs_price_line hs_stage_line(const struct hs_stage_price *price, double bytes);
/* Seconds of the stage for m bytes entering it. */
double hs_stage_seconds(const struct hs_stage_price *price, double bytes);
/* The bandwidth part of that alone. */
double hs_stage_bandwidth_seconds(const struct hs_stage_price *price, double bytes);

/* Cost of a plan for a problem. Both stages of a layer are one pair here where they go by the same
 * algorithm. */
struct hs_plan_cost {
    /* sum of t_i(n/C) + (C - 1) max over paces of the time that one is busy per chunk */
    double seconds;
    /* parts of the sum for one chunk, times C */
    double latency_seconds, bandwidth_seconds, launch_seconds;
    /* With chunks: what sets the pace, a level or, level_count, the GPUs' processors; else the
     * slowest stage's bottleneck. */
    int pacing_level;
    /* How long its bytes keep the busiest link of each level busy, and the GPUs' processors. */
    double busy_seconds[HS_PACES_MAX];
    /* Half width of its 95 % interval: layers measured themselves err independently, the others
     * together. NaN where the system is not calibrated or a layer's level was never measured. */
    double ci95_seconds;
    bool extrapolated; /* any stage is */
    int count;
    struct hs_stage_cost {
        struct hs_stage_key key;
        int layer;      /* index in the split, from 0 */
        double bytes;   /* entering it, all chunks */
        double seconds; /* all chunks, if nothing overlapped */
        double latency_seconds, bandwidth_seconds, launch_seconds;
        double relative_ci95; /* the price's, wider where the bytes lie outside of those measured */
        bool extrapolated;    /* its price is, or its bytes (of one chunk) lie outside of those
                                 measured */
        /* As in its price. */
        double ring_bytes_per_second;
        int64_t rings_per_link;
        int level, bottleneck;
        bool misaligned;
        enum hs_fit_scope fit_scope;
    } stages[HS_STAGES_MAX];
};

/* Of one call, in seconds, of a plan that hs_problem_check lets pass. In C chunks of n / C bytes
 * the first goes through all stages, and each of the others follows at the pace of what is busiest:
 * sum_i t_i(n / C) + (C - 1) max over paces of sum_i occupancy_i t_i(n / C); one chunk is the sum
 * of its stages. Cannot fail. */
struct hs_plan_cost hs_plan_cost(const struct hs_system *system, const struct hs_problem *problem,
                                 const struct hs_plan *plan);
/* Its seconds alone. */
double hs_plan_seconds(const struct hs_system *system, const struct hs_problem *problem,
                       const struct hs_plan *plan);
/* Makes all its times so many times as long: its layers then add up to an estimate. */
void hs_plan_cost_scale(struct hs_plan_cost *cost, double factor);

/* From now on prices of its stages are kept from call to call, for as long as it lies where it lies
 * and stays as it is; then it is for one thread at a time, even where it is const. Without memory
 * they are not. */
void hs_system_keep(struct hs_system *system);

#endif
