/*
 * jobs.h - what the answers about whole jobs share (place.h, shard.h): the price of a message as
 * `predict` would run it, sums of such over the samples, and the verdict between two of them.
 */
#ifndef HS_ANSWER_JOBS_H
#define HS_ANSWER_JOBS_H

#include "answer/question.h"
#include "base/fields.h"
#include "model/job.h"
#include "model/transformer.h"
#include "record/answer.h"

/* A job is asked of a system, which becomes that of the GPUs that the question chooses; draws the
 * samples. `typed` is the system as a word of a command. All but `asked` outlive it; release the
 * machines where there are some. HS_INVALID, HS_MEMORY. */
enum hs_status hs_job_ask(struct hs_asked *asked, struct hs_machines *machines,
                          struct hs_system *system, const struct hs_question *question,
                          const char *typed, struct hs_error *err);

/* One call of a message. */
struct hs_job_price {
    struct hs_problem problem;
    struct hs_plan plan;    /* what runs: HS_DEFAULT_CALL unless the verdict is to use a plan, or
                                 the default has no price */
    double seconds;         /* expected over the samples */
    double library_seconds; /* of the library's default call; NaN: without a price */
    double *each;           /* [samples] owned; NULL: times are nominal */
    bool guess;             /* no machine with such parts was measured */
    struct hs_answer
        *answer; /* owned: evidence and assumptions; NULL: of one rank, or a sendrecv */
};

/* Whether times are expected over samples, hs_job_samples of them; 0: nominal. */
size_t hs_job_samples(const struct hs_asked *asked);
/* The price of a message of the problem. HS_INVALID as hs_search; HS_MEMORY; release it in any
 * case. */
enum hs_status hs_job_price(struct hs_job_price *out, const struct hs_asked *asked,
                            const struct hs_job_message *message, const struct hs_problem *problem,
                            struct hs_error *err);
void hs_job_price_release(struct hs_job_price *price);

/* What the calls of a step take one after the other. */
struct hs_job_sum {
    double seconds;                   /* expected */
    double low_seconds, high_seconds; /* 90 % of the samples lie between; NaN: nominal */
    double *each;                     /* [samples] owned; NULL: nominal */
    bool guess;                       /* some price of it is one */
};
/* HS_MEMORY. */
enum hs_status hs_job_sum_init(struct hs_job_sum *sum, size_t samples, struct hs_error *err);
void hs_job_sum_add(struct hs_job_sum *sum, const struct hs_job_price *price, double calls,
                    size_t samples);
/* Its range, which contains the estimate. HS_MEMORY. */
enum hs_status hs_job_sum_end(struct hs_job_sum *sum, size_t samples, struct hs_error *err);
void hs_job_sum_release(struct hs_job_sum *sum);

/* clang-format off */
#define HS_JOB_ADVICES(row)                                                       \
    row(KEEP, "keep", "nothing is expected to be 3 % faster than what it is now") \
    row(USE, "use", "use the first row")                                          \
    row(UNDECIDED, "undecided", "cannot tell: measure what `next` names")         \
    row(NONE, "none", "nothing fits")
/* clang-format on */
enum hs_job_advice {
#define HS_ROW(name, text, meaning) HS_JOB_##name,
    HS_JOB_ADVICES(HS_ROW)
#undef HS_ROW
        HS_JOB_ADVICE_COUNT
};
extern const char *const hs_job_advice_names[HS_JOB_ADVICE_COUNT];

/* Gains are over what the job has now: its time over the first row's. */
struct hs_job_verdict {
    enum hs_job_advice advice;
    double gain, gain_low, gain_high; /* expected, and its 90 % range; NaN: nominal */
    double share;                     /* of the samples with a gain; NaN likewise */
};
/* As the verdict on a plan (record/answer.h): USE where the gain is expected to be HS_ADVICE_GAIN
 * and one on HS_ADVICE_SHARE of the samples, and, where prices are guesses, on 95 % of them. The
 * same sum twice, or less of a gain: KEEP, with a gain of 1. HS_MEMORY. */
enum hs_status hs_job_decide(struct hs_job_verdict *out, const struct hs_job_sum *best,
                             const struct hs_job_sum *now, size_t samples, struct hs_error *err);
extern const struct hs_fields hs_job_verdict_fields;

/* Lists of texts, each owned, as files have them. */
struct hs_job_lines {
    char **items;
    size_t count;
};
extern const struct hs_fields hs_job_line_fields;
void hs_job_lines_release(struct hs_job_lines *lines);
/* Sets a text that is owned; adds one. HS_MEMORY. */
enum hs_status hs_job_write(char **out, struct hs_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum hs_status hs_job_add_line(struct hs_job_lines *lines, struct hs_error *err, const char *format,
                               ...) __attribute__((format(printf, 3, 4)));
/* What the price assumes of the machine. HS_MEMORY. */
enum hs_status hs_job_add_assumptions(struct hs_job_lines *lines, const struct hs_job_price *price,
                                      struct hs_error *err);
/* How many parameters are counted of a model that does not say it. HS_INVALID as
 * hs_transformer_count, HS_MEMORY. */
enum hs_status hs_job_add_model(struct hs_job_lines *lines, const struct hs_transformer *model,
                                struct hs_error *err);
/* With --profile nothing is asked that the profile says itself. `elsewise`: also in a way that its
 * answer is not shown. HS_INVALID. */
enum hs_status hs_job_check_profile(const struct hs_question *ask, bool elsewise,
                                    struct hs_error *err);

#endif
