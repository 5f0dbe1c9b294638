/*
 * profiles.h - tables of what a job called (record/profile.h), and of what plans gain it.
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

#define HS_PROFILE_GROUP_TEXT 64
/* "all 16", "2 x 8, 2 apart". Returns `text`. */
char *hs_profile_group_format(char text[HS_PROFILE_GROUP_TEXT], const struct hs_profile *profile,
                              const struct hs_profile_call *call);

/* A kind of calls, and what a call of the library's and its best plan take of the same source: both
 * by the model, or both as measured. */
struct hs_profile_gain {
    const struct hs_profile *profile;
    const struct hs_profile_call *call;
    struct hs_plan plan;                  /* split.count 0: none is known */
    double library_seconds, plan_seconds; /* of a call; NaN: not known */
    double compared_seconds;              /* what else the library would take than it did; NaN */
    double sure;                          /* part of the library's time that is no skew */
    bool scales;                          /* the plan's time is a part of the library's */
    bool left_alone;                      /* no plan is better than the library's own call */
    const char *by;                       /* where the library's time is from */
    const char *why;                      /* no gain is known; NULL: one is */
};
/* What the job's mean rank gains in all these calls; 0: the library is left alone; NaN: not known.
 */
double hs_profile_gain_seconds(const struct hs_profile_gain *gain);
/* The same where the skew between ranks stays as it is. */
double hs_profile_gain_least(const struct hs_profile_gain *gain);
void hs_profile_gains_init(struct hs_table *table);
void hs_profile_gains_add(struct hs_table *table, const struct hs_profile_gain *gain);

#endif
