/*
 * candidates.h - the table of plans with their times, predicted and measured, and of the library's
 * own: what predict, simulate, measure and the report show of it.
 */
#ifndef HS_VIEW_CANDIDATES_H
#define HS_VIEW_CANDIDATES_H

#include "library/price_plan.h"
#include "record/result.h"
#include "show/table.h"

/* Whose table it is: which columns people see, in which order. */
enum hs_candidates_of {
    HS_OF_PREDICT,
    HS_OF_DETAILS, /* the same with all that is known */
    HS_OF_SIMULATE,
    HS_OF_RACE,    /* of measure */
    HS_OF_MEASURE, /* the same with all that is known */
    HS_OF_REPORT
};

/* What the table needs besides a result. */
struct hs_candidates_source {
    const struct hs_result *result;
    const struct hs_result_message *message;
    size_t ranked; /* the candidates behind the first `ranked` are there for comparison, as the flat
                      split is; 0: all are ranked */
    size_t limit;  /* of candidates; 0: none */
    bool ties_once; /* predicted: of ranked splits that take the same in a row the first, with how
                       many more there are */
    /* Seconds of the whole of those runs in which a plan's layers were timed; NaN: not known, as
     * for all where it is NULL. `timings` is handed to it. */
    double (*whole_seconds)(const void *timings, const struct hs_result_message *message,
                            const struct hs_plan *plan);
    const void *timings;
};

/* One row per candidate, then one per baseline. The time of a row is the measured one, of a result
 * that is a prediction the predicted one. A flat split that takes far longer than the others has a
 * bar that is cut. */
void hs_candidates_table(struct hs_table *table, enum hs_candidates_of view,
                         const struct hs_candidates_source *candidates);

#endif
