/*
 * cases.h - a comparison of several results as tables: a row per case, and how winners grow.
 */
#ifndef HS_VIEW_CASES_H
#define HS_VIEW_CASES_H

#include "answer/compare.h"
#include "show/sheet.h"

/* `noise`: the rank of the fastest is the best of all that tie it. `predictors`: where another file
 * than the measured one predicts, its name stands behind. */
void hs_cases_table(struct hs_table *table, const struct hs_comparison *comparison, bool noise,
                    bool predictors);
/* Prints how the winner of each case follows from that of a smaller process count, and what the
 * rule would have lost on the way. */
void hs_growths_print(struct hs_sheet *sheet, const struct hs_comparison *comparison);

#endif
