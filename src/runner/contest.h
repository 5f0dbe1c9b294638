/*
 * contest.h - the plans and baselines that are measured against each other for one message size:
 * their samples, and what is run next. Pure: no clock, no MPI.
 *
 * Rank 0 asks hs_contest_next for a step, all ranks take it, and what came out is fed back.
 * Contestants are sampled in rounds, one run each, so that drift of the machine hits all alike. A
 * contestant's part ends
 *
 *  - when the 95 % confidence interval of its median is within `precision` of the median, or it has
 *    `max_samples`;
 *  - when it cannot win any more: the interval lies above the best plan's (racing; not for
 *    baselines);
 *  - when the budget is spent. A contestant that has used up its share, the total time divided by
 *    those still open, sits out until the share has grown, so slow plans do not eat the time of
 *    fast ones;
 *  - with a fault: wrong data, an error of the backend, no answer in time.
 *
 * The result is verified at a contestant's first sample and at its last. Runs with layer times
 * follow, best plan first.
 */
#ifndef HS_RUNNER_CONTEST_H
#define HS_RUNNER_CONTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/statistics.h"
#include "model/plan.h"
#include "result/result.h"

/* Why a contestant's part is over. name, text (in journals), meaning */
/* clang-format off */
#define HS_ENDINGS(row)                                                   \
    row(OPEN, "open", "not over")                                         \
    row(PRECISE, "precision", "the interval is as narrow as asked for")   \
    row(FULL, "max-samples", "as many samples as allowed")                \
    row(RACED, "racing", "it cannot win any more")                        \
    row(SPENT, "budget", "the time is spent")                             \
    row(FAULT, "fault", "wrong data, an error, or no answer: see status")
/* clang-format on */

enum hs_ending {
#define HS_ROW(name, text, meaning) HS_ENDING_##name,
    HS_ENDINGS(HS_ROW)
#undef HS_ROW
        HS_ENDING_COUNT
};
extern const char *const hs_ending_names[HS_ENDING_COUNT];

#define HS_REASON_BYTES 256

/* Growing list of numbers; {0} is empty. */
struct hs_samples {
    double *values; /* [count] owned */
    size_t count, capacity;
};

struct hs_contestant {
    char name[HS_SPLIT_TEXT]; /* the plan as text, or the baseline's name; no two are the same */
    struct hs_plan plan;      /* split.count 0: a baseline */
    size_t baseline;          /* its row in the backend's table */
    enum hs_ending ending;
    enum hs_measure_status status;
    char reason[HS_REASON_BYTES]; /* "" = nothing to say */
    struct hs_samples seconds;    /* each the maximum over ranks */
    struct hs_samples device;     /* by the device's clock; empty, or as many as above */
    uint64_t wrong_elements;
    size_t verified_at;    /* samples when it was last verified, 0: not yet in this session */
    bool prepared, paused; /* paused: its share is used up */
    double spent_seconds;  /* in this session, warm-up and checks included */
    size_t runs;           /* in that time */
    size_t layer_runs;     /* runs with layer times; their medians: */
    struct hs_samples phases[2 * HS_LAYERS_MAX]; /* reduce-scatter of layer i at i, allgather at
                                                    HS_LAYERS_MAX + i; one value per run */
    struct hs_samples whole;                     /* the same runs as a whole */
    size_t journaled;                            /* samples already in the journal */
    size_t journaled_layers;
    bool journaled_ending;
};

struct hs_contest_rules {
    double precision;   /* half width of the interval over the median */
    size_t min_samples; /* before precision and racing count, >= 1 */
    size_t max_samples; /* >= min_samples */
    size_t layer_runs;  /* runs with layer times, 0 = none */
    double budget_seconds;
};

enum hs_contest_phase { HS_CONTEST_SAMPLES, HS_CONTEST_LAYERS, HS_CONTEST_OVER };

struct hs_contest {
    struct hs_contestant *items; /* [count] owned */
    size_t count;
    struct hs_contest_rules rules;
    enum hs_contest_phase phase;
    size_t cursor; /* next in the round */
};

enum hs_step_kind { HS_STEP_PREPARE, HS_STEP_SAMPLE, HS_STEP_LAYERS, HS_STEP_END };

struct hs_step {
    enum hs_step_kind kind;
    size_t contestant;
    bool verify; /* HS_STEP_SAMPLE: spoil the output before, count wrong elements after */
};

/* Adds a plan, or a baseline (plan NULL) of that name and row. Names must differ. HS_MEMORY. */
enum hs_status hs_contest_add(struct hs_contest *contest, const char *name,
                              const struct hs_plan *plan, size_t baseline, struct hs_error *err);
void hs_contest_release(struct hs_contest *contest);

/* The next step, `elapsed_seconds` after the contest's begin. HS_STEP_END when all is done. */
struct hs_step hs_contest_next(struct hs_contest *contest, double elapsed_seconds);

/* What came of a step. cost_seconds: all the time that it took, against the contestant's share. */
void hs_contest_prepared(struct hs_contest *contest, size_t index, double cost_seconds);
/* device_seconds NaN: no such clock. HS_MEMORY. */
enum hs_status hs_contest_sampled(struct hs_contest *contest, const struct hs_step *step,
                                  double seconds, double device_seconds, uint64_t wrong_elements,
                                  double cost_seconds, struct hs_error *err);
/* phases[2 * HS_LAYERS_MAX] as in struct hs_contestant. HS_MEMORY. */
enum hs_status hs_contest_layered(struct hs_contest *contest, size_t index, const double *phases,
                                  double whole_seconds, struct hs_error *err);
/* Ends a contestant with a fault. */
void hs_contest_fault(struct hs_contest *contest, size_t index, enum hs_measure_status status,
                      const char *reason);

/* Whether nothing more is to be sampled of it. */
bool hs_contestant_done(const struct hs_contestant *contestant);
/* Median, NaN without samples. */
double hs_contestant_median(const struct hs_contestant *contestant);
/* Median of one phase, numbered as in `phases`; NaN where it was not measured. */
double hs_contestant_phase_median(const struct hs_contestant *contestant, size_t phase);
/* Contestants that are done, and plans that racing dropped. */
size_t hs_contest_done(const struct hs_contest *contest);
size_t hs_contest_raced(const struct hs_contest *contest);
/* The plan with the smallest median among those without fault, NULL: none. */
const struct hs_contestant *hs_contest_best(const struct hs_contest *contest);
/* NULL where there is none of that name. */
struct hs_contestant *hs_contest_find(const struct hs_contest *contest, const char *name);

/* Appends one number. HS_MEMORY. */
enum hs_status hs_samples_add(struct hs_samples *samples, double value, struct hs_error *err);
/* NaN where there are none. */
double hs_samples_median(const struct hs_samples *samples);

#endif
