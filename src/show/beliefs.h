/*
 * beliefs.h - the answer to one question by what was believed of a machine, a row each: before a
 * measurement and with it.
 */
#ifndef HS_VIEW_BELIEFS_H
#define HS_VIEW_BELIEFS_H

#include "library/price_library.h"
#include "model/plan.h"
#include "search/expected.h"
#include "show/table.h"

struct hs_belief_row {
    const char *by;                         /* "before" */
    const struct hs_plan *plan;             /* the verdict's */
    const struct hs_estimate *estimate;     /* of it */
    const char *advice;                     /* static text */
    const struct hs_library_price *library; /* NULL: it has no price */
};

void hs_beliefs_init(struct hs_table *table);
void hs_beliefs_add(struct hs_table *table, const struct hs_belief_row *row);

#endif
