/*
 * compare_show.h - a comparison as people read it: one case in full, several as a table, and what
 * they say together.
 */
#ifndef HS_API_COMPARE_SHOW_H
#define HS_API_COMPARE_SHOW_H

#include "answer/compared.h"
#include "show/sheet.h"

/* Which rows of a case's table are shown: none, those furthest off, or all. */
enum hs_compare_rows { HS_COMPARE_NO_ROWS, HS_COMPARE_WORST_ROWS, HS_COMPARE_ALL_ROWS };

/* What is shown, and where. Borrowed; nothing is owned. */
struct hs_compare_view {
    struct hs_sheet *sheet;
    const struct hs_comparison *comparison;
    const char *predictor; /* what to call the system that replaces the files' predictions; NULL */
    bool noise;            /* a choice within the winner's noise counts as found */
};

/* One case: table of plans, then error, order, winner, regret and rule, a line or two each.
 * HS_MEMORY. */
enum hs_status hs_compare_show_case(const struct hs_compare_view *view,
                                    const struct hs_compare_case *one, enum hs_compare_rows rows,
                                    struct hs_error *err);
/* One row per case. */
void hs_compare_show_cases(const struct hs_compare_view *view);
/* How measured winners follow from smaller ones; nothing where there is no chain. */
void hs_compare_show_growths(const struct hs_compare_view *view);
/* Error, choice and regret over all cases. */
void hs_compare_show_summary(const struct hs_compare_view *view);
/* Calls of logs, and what they say together; nothing where there are none. `priced_for`: the
 * machine that prices them. */
void hs_compare_show_logs(const struct hs_compare_view *view, const char *priced_for);

/* The whole of it: the document of JSON, or tables. HS_MEMORY. */
enum hs_status hs_compared_print(struct hs_text *out, const struct hs_compared *compared,
                                 const struct hs_compared_words *words,
                                 const struct hs_print *print, const struct hs_terminal *terminal,
                                 struct hs_error *err);

#endif
