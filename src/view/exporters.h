/*
 * exporters.h - the table of formats that results are exported to.
 */
#ifndef HS_VIEW_EXPORTERS_H
#define HS_VIEW_EXPORTERS_H

#include "view/table.h"

/* All that there are. With `result`, the name of a result file, people see the command line that
 * exports it; without it what each format can express. */
void hs_exporters_table(struct hs_table *table, const char *result);

#endif
