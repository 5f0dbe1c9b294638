/*
 * lazy.h - the best split from few measured layers: which layer to measure next, and when to stop.
 *
 * A layer's cost does not depend on the rest of the path, so a split takes the sum of its layers.
 * With a lower bound for each layer that is not measured, a shortest path through measured times
 * and bounds is either measured throughout, and then no other split can be faster; or it names a
 * layer to measure. (Shortest paths with lazily evaluated edges: Dellin and Srinivasa, ICAPS 2016.)
 *
 *     hs_lazy_init(&lazy, &system, np, bytes, &options, err);
 *     while (hs_lazy_next(&wanted, &layer, &lazy, err) == HS_OK && wanted)
 *         measure the layer's phases; hs_lazy_add(&lazy, layer, points, count, err);
 *     hs_lazy_certificate(&certificate, &lazy, err);
 *
 * Pure: no clock, no files. One chunk.
 *
 * Lower bounds of a layer that is not measured, of which the largest counts (lazy_bounds.c has the
 * reasons):
 *
 *  - by the description, where there is one: its bandwidth part, as if every link were `optimism`
 *    times as fast as described. Nothing is taken from measurements of inner levels: an outer level
 *    can well be the faster one, where messages inside a node go through memory;
 *  - by a fit (calibration.h, over all points so far): fitted latency and bandwidth, each at the
 *    fast end of its 95 % interval;
 *  - by each measured layer of the same level: its time, in the ratio of steps or of bytes,
 *    whichever is smaller, less what two layers of one level differ by in 95 % of cases.
 *
 * On a level never measured and not described the bound is 0. Equal bounds are decided by the
 * expected time. Where the measurements contradict the model by more than it allows for, bounds
 * from measurements are lowered by as much.
 */
#ifndef HS_SEARCH_LAZY_H
#define HS_SEARCH_LAZY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/calibration.h"
#include "model/certificate.h"
#include "model/cost.h"
#include "model/fit.h"
#include "search/lattice.h"

struct hs_lazy_options {
    double optimism; /* >= 1; 0: the default, 1.5 */
    bool shape_only; /* the system's figures mean nothing (see neutral_system.h), its levels do */
    double noise;    /* relative standard error of points that do not say theirs; 0: 0.05 */
};

enum hs_lazy_status { HS_LAZY_OPEN, HS_LAZY_MEASURED, HS_LAZY_FAILED };

/* An edge of the lattice, in its order. */
struct hs_lazy_layer {
    struct hs_layer layer;
    size_t start, end; /* nodes of the lattice */
    bool last;         /* ends at np: one allreduce; else a reduce-scatter and an allgather */
    enum hs_lazy_status status;
    double seconds;          /* measured: all its phases; else its lower bound */
    double variance;         /* of that, seconds squared; 0 of a bound */
    double own_variance;     /* the same by its own points alone */
    double expected_seconds; /* by the best knowledge so far */
    size_t first_point;      /* measured: where its points begin */
};

struct hs_lazy {
    struct hs_lazy_options options; /* with the defaults filled in */
    struct hs_calibration_options calibration;
    double bytes;
    struct hs_lattice lattice;
    struct hs_system base;        /* figures only, without fits */
    struct hs_system fitted;      /* the same with fits to all points, where there are enough */
    struct hs_lazy_layer *layers; /* [lattice.edge_count] owned */
    struct hs_fit_point *points;  /* [point_count] owned: measured here, learned, the system's */
    size_t point_count, point_capacity;
    size_t fitted_points; /* points that `fitted` knows */
    bool stale;           /* bounds are older than points */
};

/* `bytes` per process, > 0; the system is copied as far as it is needed. The points of a calibrated
 * system are learned. HS_INVALID: np or options out of range. HS_MEMORY. {0} may be released. */
enum hs_status hs_lazy_init(struct hs_lazy *lazy, const struct hs_system *system, int64_t np,
                            double bytes, const struct hs_lazy_options *options,
                            struct hs_error *err);
void hs_lazy_release(struct hs_lazy *lazy);

/* The layer to measure next, with bytes / stride entering it; *wanted is false where nothing is
 * left that could change the answer: the best path is measured throughout, and so are all paths
 * that are not told from it by more than the noise. HS_MEMORY. */
enum hs_status hs_lazy_next(bool *wanted, struct hs_layer *layer, struct hs_lazy *lazy,
                            struct hs_error *err);
/* Phases of a layer to measure: an allreduce, or a reduce-scatter and an allgather. Returns how
 * many. */
size_t hs_lazy_phases(enum hs_fit_phase phases[2], const struct hs_lazy *lazy,
                      struct hs_layer layer);

/* What was measured of a layer: one point for each of its phases, or one PAIR. Replaces an earlier
 * measurement. HS_INVALID: no layer of this np, phases missing, times that are not positive.
 * HS_MEMORY. */
enum hs_status hs_lazy_add(struct hs_lazy *lazy, const struct hs_fit_point *points, size_t count,
                           struct hs_error *err);
/* Points that say something of the machine but are no measurement of this message size. As above,
 * points of other process counts are welcome. */
enum hs_status hs_lazy_learn(struct hs_lazy *lazy, const struct hs_fit_point *points, size_t count,
                             struct hs_error *err);
/* It cannot be measured: no split may use it. */
void hs_lazy_fail(struct hs_lazy *lazy, struct hs_layer layer);

/* State of a layer; NULL where the lattice has none such. Bounds are those of the last
 * hs_lazy_next. */
const struct hs_lazy_layer *hs_lazy_find(const struct hs_lazy *lazy, struct hs_layer layer);
size_t hs_lazy_measured(const struct hs_lazy *lazy);

/* The answer so far; the caller releases it. Valid at any time: what is not measured counts with
 * its lower bound, and `within` says what that leaves open. HS_MEMORY. */
enum hs_status hs_lazy_certificate(struct hs_certificate *certificate, struct hs_lazy *lazy,
                                   struct hs_error *err);

#endif
