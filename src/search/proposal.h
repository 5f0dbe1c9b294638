/*
 * proposal.h - what to measure: which uncertain parameter, which stage or which two plans beside
 * each other would take most off the expected loss of a choice (expected.h), of rows.
 */
#ifndef HS_SEARCH_PROPOSAL_H
#define HS_SEARCH_PROPOSAL_H

#include "search/expected.h"

/* Samples over which a measurement is looked for: what it gains is a small difference of means, so
 * more than a plan is chosen on. */
#define HS_EXPECTED_ASKED 1000
/* By how much the expected loss falls where a figure is known, `figure[j]` of machine j: machines
 * are sorted by it into groups, each with its own best plan, and compared with groups by chance
 * (expected value of perfect information on one parameter: Raiffa and Schlaifer 1961; by groups:
 * Strong and Oakley 2013). May come out a little below 0. HS_MEMORY. */
enum hs_status hs_expected_drop(double *out, struct hs_expected *expected, const double *figure,
                                struct hs_error *err);
/* The same where the time of one layer by one algorithm is known, measured alone:
 * drops[row_count], 0 of rows by two. HS_MEMORY. */
enum hs_status hs_expected_stage_drops(double *drops, struct hs_expected *expected,
                                       struct hs_error *err);
/* The stage to measure first, and what the expected loss falls by: of those that tell 98 %
 * of what the best one tells, that of the fewest ranks. HS_MEMORY. */
enum hs_status hs_expected_stage(struct hs_stage_key *key, double *drop,
                                 struct hs_expected *expected, struct hs_error *err);

/* The same where two plans as a whole are known beside each other, what lies between their calls
 * included. HS_MEMORY. */
enum hs_status hs_expected_pair_drop(double *out, struct hs_expected *expected,
                                     const struct hs_plan *one, const struct hs_plan *other,
                                     struct hs_error *err);

/* What decides, and what to measure first. */
struct hs_proposal {
    const struct hs_machines_figure *figure; /* of the machines, which tells most; NULL: none */
    double known;                            /* what the expected loss falls by with it */
    struct hs_stage_key stage;               /* hs_expected_stage's */
    double measured;                         /* what it falls by with that */
    bool whole;           /* no stage tells as much as two plans beside each other: that shown, */
    struct hs_plan rival; /* and, where so, this one */
    double compared;      /* what it falls by with two plans */
};

/* Of a plan that is shown, of the rows' layers. HS_MEMORY. */
enum hs_status hs_propose(struct hs_proposal *out, struct hs_expected *expected,
                          const struct hs_plan *shown, struct hs_error *err);

#endif
