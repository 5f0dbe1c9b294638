/*
 * lazy.h - the best split from few measured layers: which layer to measure next, and when to stop.
 *
 * A layer's cost does not depend on the rest of the path, so a split takes the sum of its layers.
 * What the measured layers say of the others is a joint distribution (model/posterior.h), of which
 * a few hundred machines are drawn. In each of them the best split is a shortest path. Where it is
 * never faster than the best measured split by more than a tolerance, but for 2 % of the machines,
 * nothing that is still unknown can matter, and the search ends. Else the layer is measured next
 * that makes most of the difference: that lies most often on paths that would win, weighed by what
 * they would win and by how little is known of it. (Thompson sampling over the edges of a graph;
 * shortest paths with lazily evaluated edges: Dellin and Srinivasa, ICAPS 2016.)
 *
 * A layer is measured roughly first, with a few samples, which tells whether it matters; those that
 * may be part of the answer are measured again, precisely.
 *
 *     hs_lazy_init(&lazy, &system, &problem, &options, err);
 *     while (hs_lazy_next(&step, &lazy, err) == HS_OK && step.wanted)
 *         measure step.layer's phases; hs_lazy_add(&lazy, points, count, step.rough, err);
 *     hs_lazy_certificate(&certificate, &lazy, err);
 *
 * Pure: no clock, no files; the same measurements give the same steps. One chunk.
 *
 * No machine is drawn with links more than `optimism` times as fast as described, as long as no
 * measured layer says otherwise; and before the search ends, each level has had a look, so that a
 * description that is far off does not stand unseen.
 */
#ifndef HS_SEARCH_LAZY_H
#define HS_SEARCH_LAZY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/calibration.h"
#include "model/certificate.h"
#include "model/fit.h"
#include "model/price.h"
#include "model/problem.h"
#include "search/lattice.h"

/* A rough look at a phase of a layer: runs that do not count, and those that do. */
#define HS_LAZY_ROUGH_WARMUP  1
#define HS_LAZY_ROUGH_SAMPLES 3

struct hs_lazy_options {
    double optimism;  /* >= 1; 0: the default, 1.5 */
    double tolerance; /* what a split may win unnoticed, relative; 0: the default, 0.01 */
    bool shape_only;  /* the system's figures mean nothing (see neutral_system.h), its levels do */
    double noise;     /* relative standard error of points that do not say theirs; 0: 0.05 */
};

/* In this order: what is known of a layer. */
enum hs_lazy_status { HS_LAZY_FAILED, HS_LAZY_OPEN, HS_LAZY_ROUGH, HS_LAZY_MEASURED };

/* An edge of the lattice, in its order. */
struct hs_lazy_layer {
    struct hs_layer layer;
    size_t start, end; /* nodes of the lattice */
    enum hs_lazy_status status;
    double seconds;  /* measured, roughly or not: all its phases; else what can be expected */
    double variance; /* measured: of the noise, seconds squared; else 0 */
    /* no machine is drawn on which it takes less, see hs_lazy_options.optimism */
    double low_seconds;
    int bottleneck;     /* level whose link holds it up, as described */
    double hidden;      /* how near another level comes to that: 0 not at all, 1 as slow */
    size_t first_point; /* measured: where its points begin */
    size_t points;      /* and how many: 1 or 2 */
};

struct hs_lazy {
    struct hs_lazy_options options; /* with the defaults filled in */
    struct hs_problem problem;
    struct hs_lattice lattice;
    struct hs_system base;        /* figures only, without fits */
    struct hs_lazy_layer *layers; /* [lattice.edge_count] owned */
    struct hs_fit_point *points;  /* [point_count] owned: the system's, learned, measured here */
    size_t point_count, point_capacity;
    size_t learned;    /* points before the first that was measured here */
    double *draws;     /* [draw_count][edge_count] owned: seconds of each layer on machines drawn */
    size_t draw_count; /* 0: none yet */
    bool stale;        /* draws are older than points */
};

/* The system is copied as far as it is needed. The points of a calibrated system are learned.
 * HS_INVALID: problem or options out of range. HS_MEMORY. {0} may be released. */
enum hs_status hs_lazy_init(struct hs_lazy *lazy, const struct hs_system *system,
                            const struct hs_problem *problem, const struct hs_lazy_options *options,
                            struct hs_error *err);
void hs_lazy_release(struct hs_lazy *lazy);

/* The layer to measure next, with bytes / stride entering it. Not wanted: nothing is left that
 * could change the answer by more than the tolerance. */
struct hs_lazy_step {
    bool wanted;
    struct hs_layer layer;
    bool rough; /* a few samples will do; else it was measured so, and matters */
};
/* HS_MEMORY; HS_FAILED: see posterior.h. */
enum hs_status hs_lazy_next(struct hs_lazy_step *step, struct hs_lazy *lazy, struct hs_error *err);
/* What was measured of a layer: one point for each of its phases, or one PAIR. Takes the place of
 * an earlier measurement. HS_INVALID: no layer of this np, phases missing, times that are not
 * positive. HS_MEMORY. */
enum hs_status hs_lazy_add(struct hs_lazy *lazy, const struct hs_fit_point *points, size_t count,
                           bool rough, struct hs_error *err);
/* Points that say something of the machine but are no measurement of this message size. As above,
 * points of other process counts are welcome. */
enum hs_status hs_lazy_learn(struct hs_lazy *lazy, const struct hs_fit_point *points, size_t count,
                             struct hs_error *err);
/* It cannot be measured: no split may use it. */
void hs_lazy_fail(struct hs_lazy *lazy, struct hs_layer layer);

/* State of a layer; NULL where the lattice has none such. What is expected of layers that are not
 * measured is as of the last hs_lazy_next. */
const struct hs_lazy_layer *hs_lazy_find(const struct hs_lazy *lazy, struct hs_layer layer);
/* How many layers were measured, roughly or precisely; *rough (may be NULL): how many only so. */
size_t hs_lazy_measured(const struct hs_lazy *lazy, size_t *rough);
/* The described system with fits to all points so far, owned by the caller (hs_system_release);
 * without fits where there are too few or they make no sense together. HS_MEMORY. */
enum hs_status hs_lazy_fitted(struct hs_system *system, const struct hs_lazy *lazy,
                              struct hs_error *err);

/* The answer so far; the caller releases it. Valid at any time: `within` says what it leaves open.
 * HS_MEMORY, HS_FAILED. */
enum hs_status hs_lazy_certificate(struct hs_certificate *certificate, struct hs_lazy *lazy,
                                   struct hs_error *err);

#endif
