/*
 * profiles.h - tables of what a job called (record/profile.h), and of what plans gain it.
 */
#ifndef HS_VIEW_PROFILES_H
#define HS_VIEW_PROFILES_H

#include "answer/gains.h"
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

#define HS_PROFILE_GROUP_TEXT 64
/* "all 16", "2 x 8, 2 apart". Returns `text`. */
char *hs_profile_group_format(char text[HS_PROFILE_GROUP_TEXT], const struct hs_profile *profile,
                              const struct hs_profile_call *call);

void hs_profile_gains_init(struct hs_table *table);
void hs_profile_gains_add(struct hs_table *table, const struct hs_profile_gain *gain);
/* A row for each kind of calls. */
void hs_gains_show(struct hs_sheet *sheet, const struct hs_gains *gains);

#endif
