/*
 * race.h - the plans and baselines that are measured against each other for one message size:
 * their samples, and what is run next. Pure: no clock, no MPI.
 *
 * A planner (step.h): asked for a step, told what came of it. Arms are sampled in rounds,
 * one run each, so that drift of the machine hits all alike. An arm's part ends
 *
 *  - when the 95 % confidence interval of its median is within `precision` of the median, or it has
 *    `max_samples`;
 *  - when it cannot win any more: the interval lies above the best plan's (racing; not for
 *    baselines);
 *  - when the budget is spent. An arm that has used up its share, the total time divided by
 *    those still open, sits out until the share has grown, so slow plans do not eat the time of
 *    fast ones;
 *  - with a fault: wrong data, an error of the backend, no answer in time.
 *
 * The result is verified at an arm's first sample and at its last. Runs with layer times
 * follow, best plan first.
 */
#ifndef HS_RUNNER_RACE_H
#define HS_RUNNER_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/problem.h"
#include "model/stage.h"
#include "record/result.h"
#include "runner/samples.h"
#include "runner/step.h"

/* Why an arm's part is over. name, text (in journals), meaning */
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

/* Seconds of one stage of a plan. */
struct hs_stage_samples {
    struct hs_stage_key key;
    struct hs_samples seconds; /* one per run */
};

/* What was done with an arm since the program was started. */
struct hs_arm_session {
    size_t verified_at;    /* samples when it was last verified, 0: not yet */
    bool prepared, paused; /* paused: its share is used up */
    double spent_seconds;  /* warm-up and checks included */
    size_t runs;           /* in that time */
};

/* Its runs with the times of stages. */
struct hs_arm_layers {
    size_t runs;
    struct hs_stage_samples stages[HS_STAGES_MAX]; /* in their order */
    int count;                                     /* of stages; 0 for a baseline */
    struct hs_samples whole;                       /* the same runs as a whole */
};

/* What of it the journal has. */
struct hs_arm_journaled {
    size_t runs, layer_runs;
    bool ending;
};

struct hs_arm {
    char name[HS_SPLIT_TEXT]; /* the plan as text, or the baseline's name; no two are the same */
    struct hs_plan plan;      /* split.count 0: a baseline */
    int native;               /* its number among the engine's natives */
    enum hs_ending ending;
    enum hs_measure_status status;
    char reason[HS_REASON_BYTES]; /* "" = nothing to say */
    struct hs_samples seconds;    /* each the maximum over ranks */
    struct hs_samples device;     /* by the device's clock; empty, or as many as above */
    struct hs_samples eager;      /* by the host's where the above are not; likewise */
    uint64_t wrong_elements;
    struct hs_arm_session session;
    struct hs_arm_layers layers;
    /* [choice_count] owned: what the library took for a stage, by the stage's key; of a baseline by
     * its phase. None where that is not known. */
    struct hs_fact *choices;
    size_t choice_count;
    struct hs_arm_journaled journaled;
};

struct hs_race_rules {
    double precision;   /* half width of the interval over the median */
    size_t min_samples; /* before precision and racing count, >= 1 */
    size_t max_samples; /* >= min_samples */
    size_t layer_runs;  /* runs with layer times, 0 = none */
    int warmup_runs;    /* before an arm's first sample of a session; not counted */
    double budget_seconds;
};

enum hs_race_phase { HS_RACE_SAMPLES, HS_RACE_LAYERS, HS_RACE_OVER };

struct hs_race {
    struct hs_arm *items; /* [count] owned */
    size_t count;
    size_t elements;           /* of the message, per process */
    struct hs_problem problem; /* what all do; of its bytes nothing is asked; group {0}: all */
    struct hs_race_rules rules;
    enum hs_race_phase phase;
    size_t cursor; /* next in the round */
};

/* Adds a plan; or a baseline, the engine's native of that number. Names must differ. HS_MEMORY. */
enum hs_status hs_race_add(struct hs_race *race, const struct hs_plan *plan, struct hs_error *err);
enum hs_status hs_race_add_baseline(struct hs_race *race, const char *name, int native,
                                    struct hs_error *err);
void hs_race_release(struct hs_race *race);

/* The next step, `elapsed_seconds` after the race's begin; its item is the arm. */
struct hs_step hs_race_next(struct hs_race *race, double elapsed_seconds);
/* What came of it. HS_MEMORY. */
enum hs_status hs_race_tell(struct hs_race *race, const struct hs_step *step,
                            const struct hs_step_outcome *outcome, struct hs_error *err);
/* Ends an arm with a fault. */
void hs_race_fault(struct hs_race *race, size_t index, enum hs_measure_status status,
                   const char *reason);

/* Whether nothing more is to be sampled of it. */
bool hs_arm_done(const struct hs_arm *arm);
/* Median, NaN without samples. */
double hs_arm_median(const struct hs_arm *arm);
/* How many arms are done, faults and dropped ones among them, and how many plans racing
 * dropped. */
size_t hs_race_done(const struct hs_race *race);
size_t hs_race_dropped(const struct hs_race *race);
/* The plan with the smallest median among those without fault, NULL: none. */
const struct hs_arm *hs_race_best(const struct hs_race *race);
/* NULL where there is none of that name. */
struct hs_arm *hs_race_find(const struct hs_race *race, const char *name);

#endif
