/*
 * calibration_terms.h - the unknowns of a calibration, and the row of each point. Internal to
 * calibration.
 *
 * Unknowns, one column each, in this order: launch; one latency factor per level with points; one
 * slowness factor per group (level, straddling or not); then for each class (group, size) and each
 * layer measured two deviations, of latency and of slowness.
 */
#ifndef HS_MODEL_CALIBRATION_TERMS_H
#define HS_MODEL_CALIBRATION_TERMS_H

#include "model/calibration.h"

#define HS_GROUPS_MAX                                                                              \
    (2 * HS_LEVELS_MAX) /* nested ones of level l at 2 l, straddling ones at 2 l + 1 */

/* What layers have in common that share a deviation: a class (stride 0), or one layer. */
struct hs_kind {
    int group;
    int64_t size, stride;
    size_t parent;         /* of a layer: its class */
    size_t column;         /* of its latency deviation; the slowness deviation is the next */
    int64_t points, terms; /* measurements, and equations that they make */
    double min_bytes, max_bytes;
    double steps, transfer_seconds; /* of one phase of its longest message */
    double square_sum;              /* of relative residuals */
    double shortest;                /* used of its messages, relative to the longest; 0: all */
    bool refused, flat;             /* flat: refused because its times do not grow with the bytes */
};

/* One equation: a point, or a reduce-scatter and an allgather joined (hs_fit_points_pair). */
struct hs_term {
    size_t layer;            /* index of its kind */
    int64_t points;          /* 1 or 2 */
    double calls, passes;    /* launches, and phases' worth of steps and bytes */
    double steps;            /* of one phase, in units of the level's latency */
    double transfer_seconds; /* of one phase, at the described bandwidth */
    double bytes;            /* entering */
    double seconds, sigma;   /* measured, and its standard error */
    bool used;               /* not of a refused layer, nor too short */
};

struct hs_terms {
    const struct hs_system *system;        /* described: without fits */
    struct hs_calibration_options options; /* with the defaults filled in */
    struct hs_kind *classes, *layers;      /* owned */
    size_t class_count, layer_count;
    struct hs_term *items; /* [count] owned, in the order of the points, at most one each */
    size_t count;
    int level_column[HS_LEVELS_MAX], group_column[HS_GROUPS_MAX]; /* -1: no points */
    double latency_unit[HS_LEVELS_MAX]; /* seconds: what a latency factor of 1 means */
    size_t columns;
    /* Solution: [columns], and [columns][columns]; owned. */
    double *x, *covariance;
    bool flat[HS_GROUPS_MAX];        /* solved: times that do not grow with the bytes */
    bool clamped[HS_LEVELS_MAX + 1]; /* latency of a level (the last: launch) held at 0 */
};

/* Sorts points into kinds. HS_INVALID for a point that is not of the system, HS_MEMORY. */
enum hs_status hs_terms_init(struct hs_terms *terms, const struct hs_system *system,
                             const struct hs_fit_point *points, size_t count,
                             const struct hs_calibration_options *options, struct hs_error *err);
void hs_terms_release(struct hs_terms *terms);

/* Sets which points are used, by what is said of their layers, and counts them anew. Returns how
 * many there are. */
size_t hs_terms_select(struct hs_terms *terms);

/* Solves for x and covariance, by the points used; negative latencies are held at 0, and groups
 * that do not grow with the bytes are noted in `flat`. HS_MEMORY. */
enum hs_status hs_terms_solve(struct hs_terms *terms, struct hs_error *err);

/* The row of `calls` launches and `passes` phases of a kind of layer with steps and
 * transfer_seconds per phase; kind and its class may be NULL for what is common to the group.
 * Linearised at x. */
void hs_terms_row(double *row, const struct hs_terms *terms, int group, const struct hs_kind *class,
                  const struct hs_kind *layer, double calls, double passes, double steps,
                  double transfer_seconds);
/* Seconds the solution gives a term. */
double hs_terms_fitted(const struct hs_terms *terms, const struct hs_term *term);
/* Latency and slowness factors of a group, class or layer (class and layer may be NULL). */
void hs_terms_factors(double *latency, double *slowness, const struct hs_terms *terms, int group,
                      const struct hs_kind *class, const struct hs_kind *layer);

#endif
