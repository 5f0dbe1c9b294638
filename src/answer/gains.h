/*
 * gains.h - what the best plans gain a job, of which there is a profile, kind of call by kind of
 * call: by the model of a system, or by what results measured. The answer is complete before
 * anything of it is printed; docs/profile.md has its document.
 */
#ifndef HS_ANSWER_GAINS_H
#define HS_ANSWER_GAINS_H

#include "answer/inputs.h"
#include "answer/jobs.h"
#include "record/profile_call.h"

/* const char *: the path of a profile. */
#define HS_ROW_GAINS(place)                                                                        \
    HS_ROW_FILE(                                                                                   \
        "profile", 0, "A job", place, false,                                                       \
        "what the best plans gain a job that `hiersearch profile` counted (or FILE.ranks, "        \
        "which it left): kind of call by kind of call, by the model of SYSTEM; or, with "          \
        "result files in its place, by the times that were measured of the plans that "            \
        "`hiersearch run` would take and of the library's default calls")

/* Where the library's own times are from: what `by` of a gain points to. */
extern const char hs_gain_by_model[], hs_gain_by_profile[], hs_gain_by_result[];

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
    bool left_alone;                      /* no plan is better than the library's default call */
    const char *by;                       /* where the library's time is from */
    const char *why;                      /* no gain is known; NULL: one is */
    double gain, least_gain; /* of the job's mean rank in all these calls, and where the skew
                                between ranks stays as it is; 0: the library is kept; NaN */
};

struct hs_gains {
    const struct hs_profile *profile; /* borrowed */
    char *source;                     /* owned: the machine as typed, or the results */
    struct hs_profile_gain *gains;    /* [count] owned, one for each kind of calls; those that cost
                                         the job most first */
    char (*whys)[HS_PROFILE_WHY];     /* [count] owned */
    size_t count;
    enum hs_job_advice advice;
    char *reason; /* owned: why it cannot tell; NULL */
    /* Seconds of the job's mean rank, of the rows with a gain but where said otherwise. */
    double spent, waited;     /* measured, of all calls that are not only begun */
    double working, compared; /* measured without waiting, and what plans are compared with */
    double gain, least_gain;
    size_t gained, by_profile; /* rows with a gain, and those whose library time is the profile's */
    struct hs_job_lines next;
};

/* By the model: each kind of calls asked as what is asked, but for its collective, group, size and
 * type. Where the library has no price, its time is the profile's. `path` is the profile's, as a
 * word of a command. HS_MEMORY, HS_INVALID as hs_point_search but for what has no price, which a
 * gain says; release in any case. */
enum hs_status hs_gains_by_model(struct hs_gains *gains, const struct hs_asked *asked,
                                 const struct hs_profile *profile, const char *path,
                                 struct hs_error *err);
/* By what the results measured, and by the rules that `run` makes of them; sorts their messages.
 * HS_INVALID where they are of other jobs; HS_MEMORY; release in any case. */
enum hs_status hs_gains_by_results(struct hs_gains *gains, const struct hs_inputs *inputs,
                                   const struct hs_profile *profile, struct hs_error *err);
void hs_gains_release(struct hs_gains *gains);

/* Appends the document of docs/gains.schema.json, and that schema. HS_MEMORY. */
enum hs_status hs_gains_print(struct hs_text *out, const struct hs_gains *gains,
                              struct hs_error *err);
enum hs_status hs_gains_print_schema(struct hs_text *out, struct hs_error *err);

#endif
