/*
 * jobs.h - what `predict` is asked of a whole job, in place of one collective: where the axes of
 * its mesh are to lie, in how many shards a model, or what plans gain a job that was counted.
 */
#ifndef HS_API_JOBS_H
#define HS_API_JOBS_H

#include "api/gains.h"
#include "api/placed.h"
#include "api/sharded.h"

/* All that the library's "predict" is asked. */
struct hs_job_question {
    struct hs_question ask;
    struct hs_placed_words place;
    struct hs_sharded_words hsdp;
    const char *profile; /* path; NULL: not given */
};

/* What is asked of a job goes together, and units are some. `elsewise`: it is to be shown in a way
 * that a job's answer is not. HS_INVALID. */
enum hs_status hs_job_take(const struct hs_question *ask, const struct hs_placed_words *place,
                           struct hs_sharded_words *hsdp, bool elsewise, struct hs_error *err);
/* The option that asks it, "place" or "hsdp"; NULL: one collective is asked. */
const char *hs_job_asked(const struct hs_placed_words *place, const struct hs_sharded_words *hsdp);

/* With --profile nothing is asked that the profile says itself. `elsewise`: also in a way that its
 * answer is not shown. HS_INVALID. */
enum hs_status hs_job_check_profile(const struct hs_question *ask, bool elsewise,
                                    struct hs_error *err);

/* What is asked of every message of a job, but for its problem. */
struct hs_search_request hs_job_request(const struct hs_asked *asked);

/* The tables of the answer, and the end of the sheet; `profile` is that of the question, read, or
 * NULL. As hs_placed_make, hs_sharded_make and hs_gains_by_model. */
enum hs_status hs_job_answer(struct hs_sheet *sheet, const struct hs_asked *asked,
                             const struct hs_job_question *question,
                             const struct hs_profile *profile, struct hs_error *err);

#endif
