/*
 * compare_show.h - a comparison as people read it: one case in full, several as a table, and what
 * they say together.
 */
#ifndef HS_CLI_COMPARE_SHOW_H
#define HS_CLI_COMPARE_SHOW_H

#include "compare/compare.h"
#include "console/command.h"

/* Which rows of a case's table are shown. */
enum hs_compare_rows { HS_COMPARE_NO_ROWS, HS_COMPARE_WORST_ROWS, HS_COMPARE_ALL_ROWS };

struct hs_compare_view {
    struct hs_context *context;
    const struct hs_comparison *comparison;
    const char *predictor; /* what to call the system that replaces the files' predictions; NULL */
    bool noise;            /* a choice within the winner's noise counts as found */
};

/* One case: table of plans, then error, order, winner, regret and rule, a line or two each. */
void hs_compare_show_case(const struct hs_compare_view *view, const struct hs_compare_case *one,
                          enum hs_compare_rows rows);
/* One row per case. */
void hs_compare_show_cases(const struct hs_compare_view *view);
/* How measured winners follow from smaller ones; nothing where there is no chain. */
void hs_compare_show_growths(const struct hs_compare_view *view);
void hs_compare_show_summary(const struct hs_compare_view *view);

/* What both files of the view write with. 100 x with that many decimals, never "-0.0"; returns
 * text. */
#define HS_COMPARE_FIGURE 40
char *hs_compare_percent(char text[HS_COMPARE_FIGURE], double value, int decimals);
/* The same with its sign. */
char *hs_compare_error(char text[HS_COMPARE_FIGURE], double error);

#endif
