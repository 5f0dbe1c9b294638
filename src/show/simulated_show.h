/*
 * simulated_show.h - plans that were simulated, beside their predictions, as people read them.
 */
#ifndef HS_SHOW_SIMULATED_SHOW_H
#define HS_SHOW_SIMULATED_SHOW_H

#include "answer/simulated.h"
#include "show/sheet.h"

/* The table, and where model and simulation mean different things as notes; `label` is what to call
 * the system. HS_INVALID where it was not simulated; HS_MEMORY. */
enum hs_status hs_simulated_show(struct hs_sheet *sheet, struct hs_text *notes,
                                 const struct hs_result *result, const char *label,
                                 struct hs_error *err);

#endif
