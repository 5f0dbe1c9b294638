/*
 * check.h - an answer of `hiersearch check` for people: at most eight lines, and a table of sizes.
 */
#ifndef HS_VIEW_CHECK_H
#define HS_VIEW_CHECK_H

#include "answer/check.h"
#include "show/sheet.h"

/* The table comes where `details` are asked for, and in formats for programs alone. */
void hs_check_show(struct hs_sheet *sheet, const struct hs_check_answer *checked, bool details);

/* "Check: as expected: ...": its verdict on the default call of a result that was measured; where
 * that is low what to run on its file; nothing where nothing can be judged. */
void hs_check_append_line(struct hs_text *line, const struct hs_check_answer *checked,
                          const char *file);

#endif
