/*
 * changes.h - what became of a job's calls from one profile to another: a table, each kind of calls
 * beside itself.
 */
#ifndef HS_VIEW_CHANGES_H
#define HS_VIEW_CHANGES_H

#include "record/profile_call.h"
#include "show/sheet.h"

/* Both jobs' time in collectives, and the table, costliest before first: of people the first `most`
 * rows. Kinds of calls are the same by function, group shape, type, operation, and size to powers
 * of two. HS_MEMORY. */
enum hs_status hs_changes_show(struct hs_sheet *sheet, const struct hs_profile *before,
                               const struct hs_profile *after, size_t most, struct hs_error *err);

#endif
