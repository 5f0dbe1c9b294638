/*
 * gains.h - what the best plans gain a job, of which there is a profile, kind of call by kind of
 * call: by the model of a system, or by what results measured.
 */
#ifndef HS_API_GAINS_H
#define HS_API_GAINS_H

#include "answer/inputs.h"
#include "answer/question.h"
#include "record/profile_call.h"

/* const char *: the path of a profile. */
#define HS_ROW_GAINS(place)                                                                        \
    HS_ROW_FILE(                                                                                   \
        "profile", 0, "A job", place, false,                                                       \
        "what the best plans gain a job that `hiersearch profile` counted (or FILE.ranks, "        \
        "which it left): kind of call by kind of call, by the model of SYSTEM; or, with "          \
        "result files in its place, by the times that were measured of the plans that "            \
        "`hiersearch run` would take and of the library's own")

/* What of a job's profile is shown, by itself. */
struct hs_calls_question {
    int64_t top;
    struct hs_print print;
};
#define HS_ROW_CALLS_TOP(place)                                                                    \
    HS_ROW_COUNT("top", "kinds of calls", 1, HS_PROFILE_CALLS_MAX, "16", NULL, place,              \
                 "show so many kinds of calls, those that took longest first")

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
/* Where the library's own times are from: what `by` of a gain points to. */
extern const char hs_gain_by_model[], hs_gain_by_profile[], hs_gain_by_result[];

struct hs_gains {
    const struct hs_profile *profile; /* borrowed */
    struct hs_profile_gain *gains;    /* [count] owned, one for each kind of calls; those that cost
                                         the job most first */
    char (*whys)[HS_PROFILE_WHY];     /* [count] owned */
    size_t count;
};

/* By the model: each kind of calls asked as what is asked, but for its collective, group, size and
 * type. Where the library has no price, its time is the profile's. HS_MEMORY, HS_INVALID as
 * hs_point_search but for what has no price, which a gain says; release in any case. */
enum hs_status hs_gains_by_model(struct hs_gains *gains, const struct hs_asked *asked,
                                 const struct hs_profile *profile, struct hs_error *err);
/* By what the results measured, and by the rules that `run` makes of them; sorts their messages.
 * HS_INVALID where they are of other jobs; HS_MEMORY; release in any case. */
enum hs_status hs_gains_by_results(struct hs_gains *gains, const struct hs_inputs *inputs,
                                   const struct hs_profile *profile, struct hs_error *err);
void hs_gains_release(struct hs_gains *gains);

#endif
