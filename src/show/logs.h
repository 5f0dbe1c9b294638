/*
 * logs.h - calls of logs as a table: the library's measured time, its price, and the fastest
 * measured plan beside it.
 */
#ifndef HS_VIEW_LOGS_H
#define HS_VIEW_LOGS_H

#include "answer/compare.h"
#include "show/table.h"

/* `files`: people see the name of each one's log, too. */
void hs_logs_table(struct hs_table *table, const struct hs_comparison *comparison, bool files);

#endif
