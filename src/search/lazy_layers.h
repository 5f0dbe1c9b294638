/*
 * lazy_layers.h - the layers of a lattice, of which some are measured, and what these say of its
 * plans: the best one, and those that the noise does not tell from it. A layer by another algorithm
 * is another layer here: a parallel edge. So is one that goes out by one algorithm and comes back
 * by another: what it takes is known once both were measured, and it is there for plans where that
 * is less than either by more than noise.
 *
 * Two plans differ only in the layers that they do not share, so only these layers' noise counts
 * between them. The winner was chosen for being the smallest of several noisy sums and is likely to
 * be an underestimate; with k plans that noise alone could have put in front, each statement is
 * made at 1 - 5 %/k, so that all hold together in 95 % of cases (Bonferroni).
 */
#ifndef HS_SEARCH_LAZY_LAYERS_H
#define HS_SEARCH_LAZY_LAYERS_H

#include "estimate/certificate.h"
#include "search/lattice.h"
#include "system/fit.h"

/* In this order: what is known of a layer. */
enum hs_lazy_status { HS_LAZY_FAILED, HS_LAZY_OPEN, HS_LAZY_ROUGH, HS_LAZY_MEASURED };

/* The second measurement of a layer of the winner, which was not chosen for it. */
struct hs_lazy_again {
    double seconds;  /* of all its phases */
    double variance; /* of the noise, seconds squared */
    double share;    /* of its seconds that go out; 0.5 where not known */
    double noise;    /* relative standard error */
};

/* What holds a layer up, as described. */
struct hs_lazy_bottleneck {
    int level;     /* whose link does */
    double hidden; /* how near another level comes to that: 0 not at all, 1 as slow */
};

/* An edge of the lattice, in its order. */
struct hs_lazy_layer {
    struct hs_stage_key key; /* all its phases in one, by the algorithm that goes out */
    enum hs_algorithm back;  /* that comes back: key.algorithm, or it is made of two other edges */
    size_t halves[2];        /* which: that it goes out as, and comes back as */
    size_t start, end;       /* nodes of the lattice */
    enum hs_lazy_status status; /* FAILED, too, where noise explains two algorithms */
    double seconds;       /* all its phases: measured, roughly or not; else what can be expected */
    double variance;      /* measured: of the noise, seconds squared */
    double order_seconds; /* more than those, in the order of the problem's blocks (price.h) */
    double share;         /* of its seconds that go out; 0.5 where not known */
    struct hs_lazy_again again; /* seconds 0: not measured a second time */
    /* Of the planner, which measures it (lazy_planner.h). */
    struct hs_fit_point point; /* measured: all its phases in one */
    double deviation;          /* of its seconds, given all points: standard deviation */
    double low_seconds;        /* no machine is drawn on which it takes less */
    struct hs_lazy_bottleneck bottleneck;
};

static inline bool hs_lazy_layer_is_mixed(const struct hs_lazy_layer *item)
{
    return item->back != item->key.algorithm;
}
/* Works out edges by two algorithms from those that they are made of. */
void hs_lazy_layers_mix(struct hs_lazy_layer *layers, const struct hs_lattice *lattice);
/* Whether the plan of such a group has this layer, by these algorithms. */
bool hs_lazy_layer_in_plan(const struct hs_lazy_layer *item, const struct hs_plan *plan,
                           const struct hs_group *group);

/* By one algorithm. NULL where the lattice has none such. */
struct hs_lazy_layer *hs_lazy_layers_find(struct hs_lazy_layer *layers,
                                          const struct hs_lattice *lattice,
                                          struct hs_stage_key key);

/* Seconds of the shortest path when edge e takes times[e], over layers of which at least `least` is
 * known; infinity: there is none. `seconds`, [node_count], is working space; into[i] (may be NULL)
 * is the edge by which it gets to node i. */
double hs_lazy_layers_shortest(double *seconds, size_t *into, const struct hs_lattice *lattice,
                               const struct hs_lazy_layer *layers, const double *times,
                               enum hs_lazy_status least);

/* The best of the plans through precisely measured layers; where there is none, through roughly
 * measured ones; no layers: nor of these. HS_MEMORY. */
enum hs_status hs_lazy_layers_winner(struct hs_plan *winner, const struct hs_lattice *lattice,
                                     const struct hs_lazy_layer *layers, struct hs_error *err);
/* Fills all of a certificate but `within`; the caller releases it. Where all layers of the winner
 * were measured a second time, its time is that of the second time, which did not choose it: no
 * Bonferroni, and wider where the two times differ by more than their noise, by the variance
 * between them (DerSimonian and Laird 1986). HS_MEMORY. */
enum hs_status hs_lazy_layers_certify(struct hs_certificate *certificate,
                                      const struct hs_lattice *lattice,
                                      const struct hs_lazy_layer *layers, struct hs_error *err);

#endif
