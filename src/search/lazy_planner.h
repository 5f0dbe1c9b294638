/*
 * lazy_planner.h - the best plan from few measured layers: what to measure next, told what came
 * out, and the certificate.
 *
 * A layer's cost does not depend on the rest of the path, so a plan takes the sum of its layers. By
 * another algorithm a layer is another one: a parallel edge, that is measured if it may matter.
 * What the measured layers say of the others is a joint distribution (estimate/belief.h), of which
 * a few hundred machines are drawn. In each of them the best plan is a shortest path. Where it is
 * never faster than the best measured plan by more than a tolerance, but for 2 % of the machines,
 * nothing that is still unknown can matter, and the search ends. Else the layer is measured next
 * that makes most of the difference: that lies most often on paths that would win, weighed by what
 * they would win and by how little is known of it. (Thompson sampling over the edges of a graph;
 * shortest paths with lazily evaluated edges: Dellin and Srinivasa, ICAPS 2016.)
 *
 * A layer is measured roughly first, with a few samples, which tells whether it matters; those that
 * may be part of the answer are measured again, precisely. At the end come the winner's layers once
 * more: what chose it for being small is no fair measure of it.
 *
 *     hs_lazy_planner_init(&planner, &system, &problem, &options, err);
 *     while (hs_lazy_planner_next(&step, &planner, err) == HS_OK && step.wanted)
 *         measure step.key's phases; hs_lazy_planner_tell(&planner, points, count, rough, err);
 *     hs_lazy_planner_certify(&certificate, &planner, err);
 *
 * Pure: no clock, no files; the same measurements give the same steps. One chunk.
 *
 * No machine is drawn with links more than `optimism` times as fast as described, as long as no
 * measured layer says otherwise; and before the search ends, each level has had a look, so that a
 * description that is far off does not stand unseen.
 */
#ifndef HS_SEARCH_LAZY_PLANNER_H
#define HS_SEARCH_LAZY_PLANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "estimate/certificate.h"
#include "library/price_plan.h"
#include "model/problem.h"
#include "search/lazy_layers.h"
#include "system/fit.h"

/* A rough look at a phase of a layer: runs that do not count, and those that do. */
#define HS_LAZY_ROUGH_WARMUP  1
#define HS_LAZY_ROUGH_SAMPLES 3

struct hs_lazy_options {
    double optimism;     /* >= 1; 0: the default, 1.5 */
    double tolerance;    /* what a plan may win unnoticed, relative; 0: the default, 0.01 */
    unsigned algorithms; /* bits 1 << enum hs_algorithm; the ring is always among them */
    bool shape_only; /* the system's figures mean nothing (see neutral_system.h), its levels do */
    double noise;    /* relative standard error of points that do not say theirs; 0: 0.05 */
};

struct hs_lazy_planner {
    struct hs_lazy_options options; /* with the defaults filled in */
    struct hs_problem problem;
    struct hs_lattice lattice;    /* with an edge for each algorithm of a layer */
    struct hs_system base;        /* figures only, without fits */
    struct hs_lazy_layer *layers; /* [lattice.edge_count] owned */
    size_t layer_count;           /* of them, those by one algorithm: what can be measured */
    struct hs_fit_point *points;  /* [point_count] owned: learned; then room for the layers' */
    size_t point_count;
    double *draws; /* [draw_count][edge_count] owned: seconds of each layer on machines drawn */
    size_t draw_count;
    bool stale; /* draws, and what is expected of layers, are older than points */
    /* Working space, owned: [node_count] twice, [draw_count], [edge_count]. */
    double *seconds, *gains, *votes;
    size_t *into;
};

/* The system is copied as far as it is needed. The points of a calibrated system are learned.
 * HS_INVALID: problem or options out of range. HS_MEMORY. {0} may be released. */
enum hs_status hs_lazy_planner_init(struct hs_lazy_planner *planner, const struct hs_system *system,
                                    const struct hs_problem *problem,
                                    const struct hs_lazy_options *options, struct hs_error *err);
void hs_lazy_planner_release(struct hs_lazy_planner *planner);

/* The layer to measure next, with hs_problem_entering bytes. Not wanted: nothing is left that could
 * change the answer by more than the tolerance. */
struct hs_lazy_step {
    bool wanted;
    struct hs_stage_key key; /* its phases in one */
    bool rough;              /* a few samples will do; else it was measured so, and matters */
    bool again;              /* it is one of the winner's, measured before */
};
/* HS_FAILED: points that have nothing to do with the description. HS_MEMORY. */
enum hs_status hs_lazy_planner_next(struct hs_lazy_step *step, struct hs_lazy_planner *planner,
                                    struct hs_error *err);
/* What was measured of a layer: one point for each of its phases, or one PAIR. Takes the place of
 * a rough measurement; of a precise one it is the second time. HS_INVALID: no layer of this
 * problem, phases missing, times that are not positive. */
enum hs_status hs_lazy_planner_tell(struct hs_lazy_planner *planner,
                                    const struct hs_fit_point *points, size_t count, bool rough,
                                    struct hs_error *err);
/* Points that say something of the machine but are no measurement of this message size: of other
 * process counts, too. HS_MEMORY. */
enum hs_status hs_lazy_planner_learn(struct hs_lazy_planner *planner,
                                     const struct hs_fit_point *points, size_t count,
                                     struct hs_error *err);
/* It cannot be measured: no plan may use it. */
void hs_lazy_planner_fail(struct hs_lazy_planner *planner, struct hs_stage_key key);

/* What is known of a layer; NULL where the lattice has none such. */
const struct hs_lazy_layer *hs_lazy_planner_find(const struct hs_lazy_planner *planner,
                                                 struct hs_stage_key key);
/* How many measurements may still come, at most. */
size_t hs_lazy_planner_left(const struct hs_lazy_planner *planner);
/* How many layers were measured, roughly or precisely; *rough (may be NULL): how many only so. */
size_t hs_lazy_planner_measured(const struct hs_lazy_planner *planner, size_t *rough);
/* The described system with fits to all points so far, owned by the caller (hs_system_release);
 * without fits where there are too few or they make no sense together. HS_MEMORY. */
enum hs_status hs_lazy_planner_fitted(struct hs_system *system,
                                      const struct hs_lazy_planner *planner, struct hs_error *err);

/* The answer so far; the caller releases it. Valid at any time: `within` says what it leaves open.
 * HS_FAILED, HS_MEMORY: as hs_lazy_planner_next. */
enum hs_status hs_lazy_planner_certify(struct hs_certificate *certificate,
                                       struct hs_lazy_planner *planner, struct hs_error *err);

#endif
