/*
 * reasons.h - why a call for which there may be a plan is left to the library, by MPI's plans or
 * NCCL's, and how that is said at the end.
 */
#ifndef HS_APPLY_REASONS_H
#define HS_APPLY_REASONS_H

#include "base/text.h"

/* clang-format off */
#define HS_REASONS(row)                                                   \
    row(GROUP, "of communicators without a rule for them")                \
    row(SIZE, "of sizes for which the library's default call is best")        \
    row(TYPE, "of types or operations that plans do not have")            \
    row(UNEVEN, "with parts of different sizes")                          \
    row(WRONG, "after a plan's result was wrong")                         \
    row(LOST, "after a plan lost against the library")                    \
    row(FAILED, "that could not be prepared")                             \
    row(LIMIT, "of communicators beyond the 256 that have plans at once") \
    row(GROUPED, "in groups of several calls")                            \
    row(PLAN, "of plans in chunks or by other algorithms than NCCL's") \
    row(WINDOWS, "of communicators with windows of memory")               \
    row(MEMORY, "of more bytes than there is memory for beside")          \
    row(NONBLOCKING, "of nonblocking communicators, which have no memory beside") \
    row(CAPTURED, "in graphs, whose memory beside would not be theirs alone")
/* clang-format on */
enum hs_reason {
#define HS_ROW(name, text) HS_REASON_##name,
    HS_REASONS(HS_ROW)
#undef HS_ROW
        HS_REASON_COUNT
};

/* Appends ", 5 left to the library (3 of ..., 2 with ...)" of these calls, by reason; nothing where
 * there are none. */
void hs_reasons_append(struct hs_text *text, const double calls[HS_REASON_COUNT]);

#endif
