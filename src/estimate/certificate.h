/*
 * certificate.h - what a lazy search found, and how sure it is (search/lazy_planner.h makes it).
 *
 * Times are sums of layer times: of a plan whose layers were all measured, the sum of their
 * medians; of any other plan what the measured layers let one expect. That the whole takes as long
 * as the sum is measured afterwards, end to end.
 */
#ifndef HS_ESTIMATE_CERTIFICATE_H
#define HS_ESTIMATE_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/plan.h"

/* A plan that the measurements cannot tell from the winner. */
struct hs_certified_plan {
    struct hs_plan plan;
    double seconds;      /* sum of its layers */
    double ci95_seconds; /* half width of its 95 % interval, on its own */
};

struct hs_certificate {
    struct hs_plan winner; /* without layers: no plan is measured throughout; one chunk */
    double seconds;        /* sum of its layers */
    double ci95_seconds;   /* half width */
    bool again; /* its layers were measured a second time, which is what seconds is of; else the
                   interval is widened for having been chosen among the ties */
    /* hs_certificate_is_certain, and what was found out afterwards of the machine and of wholes
     * does not contradict it. */
    bool certain;
    size_t layers_measured, layers; /* of the lattice, by each algorithm that was looked at */
    size_t layers_rough;            /* of those measured: with a few samples only */
    size_t layers_failed;           /* could not be measured: plans that need them are left out */
    /* No plan takes less than the winner's time / (1 + within), at 95 %. 0: the winner is the
     * best. Infinite where nothing is known of a plan that may count. */
    double within;
    /* The smallest sum among the other plans, and whose it is; without layers: there is none. */
    struct hs_plan runner_up;
    double runner_up_seconds;
    bool runner_up_measured; /* else the sum is expected */
    /* Plans measured throughout that cannot be told from the winner, best first; the winner is not
     * among them. At most HS_CERTIFICATE_TIES, `more_ties` says that there are others. */
    struct hs_certified_plan *ties; /* [tie_count] owned */
    size_t tie_count;
    bool more_ties;
};

#define HS_CERTIFICATE_TIES 64

/* Whether the winner is the best by its layers: nothing is left open, nothing ties, and the lead is
 * more than its time is known to. */
bool hs_certificate_is_certain(const struct hs_certificate *certificate);
/* Widens the interval where the winner's whole, measured afterwards, is off the sum by more than
 * both intervals say: by that much. */
void hs_certificate_widen(struct hs_certificate *certificate, double whole_seconds,
                          double whole_ci95_seconds);
/* How much longer than the winner the runner-up takes, relative to the winner; NaN
 * without one. */
double hs_certificate_margin(const struct hs_certificate *certificate);
/* Sum of layers and half width of its interval: what the certificate says of a plan that was
 * measured throughout; false: it says nothing of it. */
bool hs_certificate_find(double *seconds, double *ci95_seconds,
                         const struct hs_certificate *certificate, const struct hs_plan *plan);
void hs_certificate_release(struct hs_certificate *certificate);

#endif
