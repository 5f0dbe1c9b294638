/*
 * exporters.h - the table of formats that results are exported to.
 */
#ifndef HS_VIEW_EXPORTERS_H
#define HS_VIEW_EXPORTERS_H

#include "record/result.h"
#include "show/sheet.h"

/* Those that can say the collective of a result, whose file is called `name`, with the command line
 * that exports it: of the libraries that its calls are of, or all others. */
void hs_exporters_of_result(struct hs_table *table, const struct hs_result *result,
                            const char *name, bool of_library);
/* The whole of them, printed. HS_MEMORY. */
enum hs_status hs_export_list(struct hs_sheet *sheet, struct hs_error *err);

#endif
