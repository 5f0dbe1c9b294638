/*
 * beliefs.h - the answer to one question by what was believed of a machine, a row each: before a
 * measurement and with it.
 */
#ifndef HS_VIEW_BELIEFS_H
#define HS_VIEW_BELIEFS_H

#include "model/plan.h"
#include "model/price_library.h"
#include "search/regret.h"
#include "view/table.h"

struct hs_belief_row {
    const char *by;                         /* "before" */
    const struct hs_plan *plan;             /* the best */
    const struct hs_regret *regret;         /* of it; NULL: no machines were drawn */
    double seconds;                         /* by the figures as they stand */
    const struct hs_library_price *library; /* with its advice; NULL: it has no price */
};

void hs_beliefs_init(struct hs_table *table);
void hs_beliefs_add(struct hs_table *table, const struct hs_belief_row *row);

#endif
