/*
 * jobs.h - what `predict` is asked of a whole job, in place of one collective: where the axes of
 * its mesh are to lie, in how many shards a model, or what plans gain a job that was counted.
 */
#ifndef HS_API_JOBS_H
#define HS_API_JOBS_H

#include "answer/gains.h"
#include "answer/placed.h"
#include "answer/sharded.h"

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

#endif
