/*
 * cost.h - what a layer and a plan cost: the alpha-beta-s model with links shared as they are.
 *
 * Layer (d, p) of np processes on a system whose level l has children of c_l ranks (docs/model.md
 * derives all of this):
 *
 *  - it crosses level l if a child's border cuts one of its blocks of d p ranks: where they nest,
 * if d p > c_l;
 *  - on level l the busiest child's link carries f_l of its rings at once. Where blocks of d p
 * ranks and children nest this is min(d, c_l); elsewhere the rings that a block boundary cuts
 * through are counted (hs_rings_per_link);
 *  - a ring gets bandwidth_l / f_l there; inside a mesh a layer that visits k < arity children
 * draws on k - 1 of a child's arity - 1 links only; where rings are not striped they get the share
 * of the busiest port and, inside a mesh, of the busiest link between two children;
 *  - beta = 1 / (smallest share), alpha = largest latency over the levels crossed;
 *  - a ring allreduce of m bytes takes 2 s alpha (p - 1) + 2 beta m (p - 1) / p (Ueno and Yokota,
 *    CCGRID 2019, eq. 2-4); a reduce-scatter or an allgather half of it; launch_seconds per call.
 *
 * Layer i of a split gets m = n / stride bytes. Layers before the last make two calls
 * (reduce-scatter, allgather), the last makes one (allreduce).
 */
#ifndef HS_MODEL_COST_H
#define HS_MODEL_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/plan.h"
#include "model/rings.h"
#include "model/system.h"

/* What a layer's time grows along with the bytes, launches apart:
 *     latency_seconds + seconds_per_byte * m * (p - 1) / p */
struct hs_price_line {
    double latency_seconds;  /* 2 s alpha (p - 1) */
    double seconds_per_byte; /* 2 beta */
};

/* Price of a layer, apart from the bytes. A layer with m bytes entering takes
 *     latency_seconds + launch_seconds + seconds_per_byte * m * (p - 1) / p
 * for its phases together, or what `outer` says instead where that is more. */
struct hs_layer_price {
    struct hs_layer layer;
    double latency_seconds;  /* 2 s alpha (p - 1) */
    double launch_seconds;   /* launch of its calls: one on the last layer, else two */
    double seconds_per_byte; /* 2 beta */
    /* Hops that leave an unstriped mesh do not use the link between two children that holds the
     * ring up, but have the larger latency: the slower of two kinds of hops sets the pace. Zeros
     * where there is one kind. */
    struct hs_price_line outer;
    double ring_bytes_per_second; /* 1 / beta: what one of its rings gets */
    int level;                    /* outermost level it crosses: where the layer lies */
    int bottleneck;               /* level with the smallest share (the outermost of equals) */
    int64_t rings_per_link;       /* f of the bottleneck level */
    bool straddles;               /* its rings have hops of more than one level */
    bool
        extrapolated; /* reaches beyond the described machine, or is of a size that no fit covers */
    /* Part of its time that the layer keeps each level busy: 1 at the bottleneck, share ratio on
     * other levels it crosses, 0 elsewhere. With chunks, layers that meet on a level add up there.
     */
    double occupancy[HS_LEVELS_MAX];
    /* Of a calibrated system (fit.h): what the price comes from, the half width of the 95 %
     * interval of the layer's time relative to it, and the bytes entering it that were measured.
     * NONE, NaN and 0 elsewhere. */
    enum hs_fit_scope fit_scope;
    double relative_ci95;
    double min_bytes, max_bytes;
};

/* Prices layer (stride, size) of np processes; stride * size must divide np. Cannot fail. */
struct hs_layer_price hs_layer_price(const struct hs_system *system, int64_t np,
                                     struct hs_layer layer);
/* The slower of its lines for m bytes entering it. */
struct hs_price_line hs_layer_line(const struct hs_layer_price *price, double bytes);
/* Seconds of the layer for m bytes entering it. */
double hs_layer_seconds(const struct hs_layer_price *price, double bytes);
/* The bandwidth part of that alone. */
double hs_layer_bandwidth_seconds(const struct hs_layer_price *price, double bytes);

/* Cost of a plan for n bytes per process. */
struct hs_plan_cost {
    double seconds; /* sum of t_i(n/C) + (C - 1) max over levels of the time that level is busy per
                       chunk */
    double latency_seconds, bandwidth_seconds,
        launch_seconds; /* parts of the sum for one chunk, times C */
    int pacing_level;   /* with chunks: the level that sets the pace; else the slowest layer's
                           bottleneck */
    /* Half width of its 95 % interval: layers measured themselves err independently, the others
     * together. NaN where the system is not calibrated or a layer's level was never measured. */
    double ci95_seconds;
    bool extrapolated; /* any layer is */
    int count;
    struct hs_layer_cost {
        struct hs_layer_price price;
        double bytes;   /* entering the layer, all chunks */
        double seconds; /* all chunks, if nothing overlapped */
        double latency_seconds, bandwidth_seconds, launch_seconds;
        double relative_ci95; /* the price's, wider where the bytes lie outside of those measured */
        bool extrapolated;    /* its price is, or its bytes (of one chunk) lie outside of those
                                 measured */
    } layers[HS_LAYERS_MAX];
};

struct hs_plan_cost hs_plan_cost(const struct hs_system *system, const struct hs_plan *plan,
                                 double bytes);

/* Bus bandwidth as nccl-tests defines it: n / t * 2 (np - 1) / np. Bytes per second;
 * NaN where t is 0 or unknown. */
double hs_bus_bandwidth(double bytes, double seconds, int64_t np);

#endif
