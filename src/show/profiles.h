/*
 * profiles.h - tables of what a job called (record/profile.h).
 */
#ifndef HS_VIEW_PROFILES_H
#define HS_VIEW_PROFILES_H

#include "model/plan.h"
#include "record/profile_call.h"
#include "show/sheet.h"

/* The whole of it: what ran, what of its time was in collectives, and the calls, at most `most`. */
void hs_profile_show(struct hs_sheet *sheet, const struct hs_profile *profile, size_t most);

/* Seconds of the job's mean rank in collectives of MPI, and waiting in them where it is known. */
struct hs_profile_times {
    double spent, waited;
};
struct hs_profile_times hs_profile_times_of(const struct hs_profile *profile);
/* Different nodes. */
size_t hs_profile_nodes(const struct hs_profile *profile);

/* The calls alone. */
void hs_profile_calls_table(struct hs_table *table, const struct hs_profile *profile, size_t most);

/* Kinds of calls added up, with what the job's mean rank spends in them; by size to powers of two.
 */
enum hs_profile_by { HS_PROFILE_BY_CALL, HS_PROFILE_BY_GROUP, HS_PROFILE_BY_SIZE };
void hs_profile_parts_table(struct hs_table *table, const struct hs_profile *profile,
                            enum hs_profile_by by);

/* What of a job's profile is shown, by itself. */
struct hs_calls_question {
    int64_t top;
    struct hs_print print;
};
#define HS_ROW_CALLS_TOP(place)                                                                    \
    HS_ROW_COUNT("top", "kinds of calls", 1, HS_PROFILE_CALLS_MAX, "16", NULL, place,              \
                 "show so many kinds of calls, those that took longest first")

#endif
