/*
 * stages.h - the table of what a plan's layers cost by the model: predict --explain and the report.
 */
#ifndef HS_VIEW_STAGES_H
#define HS_VIEW_STAGES_H

#include "library/price_plan.h"
#include "show/table.h"

/* A row per layer, then one for all of them. Shares are of all layers, those of latency, bandwidth
 * and launch of the layer. `report`: headings for readers who do not know the model. */
void hs_stages_table(struct hs_table *table, const struct hs_system *system,
                     const struct hs_plan_cost *cost, bool report);

#endif
