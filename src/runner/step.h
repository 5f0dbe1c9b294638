/*
 * step.h - one thing to measure, and what came of it.
 *
 * A step is a value: rank 0 decides it, one broadcast brings it to all ranks. It is the same run
 * again and again, so many times as its rules say.
 *
 * A sample is one run, as long as the slowest rank takes for it (as nccl-tests and the OSU
 * benchmarks count). Times of stages are means over ranks instead: a rank that is early waits in
 * its next stage, so that means add up to the whole, where maxima would count such time twice.
 */
#ifndef HS_RUNNER_STEP_H
#define HS_RUNNER_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/task.h"
#include "runner/samples.h"

/* When a step has enough samples: with the first one after which there are max_samples, or
 * budget_seconds of rank 0's clock are over since the step began, or there are min_samples and
 * their median is precise (hs_samples_precise). A failure ends it at once. */
struct hs_rules {
    int warmup_runs;       /* not counted */
    size_t min_samples;    /* >= 1; before precision counts */
    size_t max_samples;    /* >= min_samples */
    double precision;      /* at most: half width of the 95 % interval over the median */
    double budget_seconds; /* warm-up included; one sample is taken always */
};

struct hs_step {
    struct hs_task task;
    struct hs_rules rules;
    bool end;     /* there is nothing more to measure; the rest means nothing */
    bool prepare; /* its first in this session: communicators and scratch are made */
    bool verify;  /* spoil the output before each run, count wrong elements after it */
    bool timed;   /* plans: with the times of their stages */
    bool rough;   /* the planner's own: a look, to be followed by a measurement */
    bool by_rank; /* what each rank took is wanted */
    size_t item;  /* the planner's own number of what is measured */
};

#define HS_STEP_TEXT (HS_SPLIT_TEXT + 64)
/* "4x8x4", "MPI_Allreduce", "the reduce-scatter of size 4 at stride 8"; natives are the engine's.
 * Returns `text`. */
char *hs_step_format(char text[HS_STEP_TEXT], const struct hs_step *step,
                     const char *const (*natives)[HS_NATIVES_MAX + 1]);

#define HS_REASON_BYTES 256

/* The same on all ranks, but for rank_seconds and choices. Start with {0}; may be used again and
 * again; owns its samples and rank_seconds, until hs_step_outcome_release. */
struct hs_step_outcome {
    struct hs_samples seconds;           /* each the maximum over ranks */
    struct hs_samples device;            /* by the device's clock; empty, or as many as above */
    struct hs_samples eager;             /* likewise; by the host's, where it is not that above */
    double stage_seconds[HS_STAGES_MAX]; /* of a timed step: means over ranks */
    uint64_t wrong_elements;             /* over all ranks, of the last verified run */
    int wrong_rank;                      /* the lowest that has some; np: none has */
    double cost_seconds;                 /* all the time that it took */
    bool failed, timed_out;              /* what was sampled before still counts */
    /* Of a step that prepared a plan or a native: what the library took for each stage, as this
     * rank saw it; "": not known. */
    char choices[HS_STAGES_MAX][HS_CHOICE_TEXT];
    char reason[HS_REASON_BYTES]; /* of the failure; "": none */
    /* [np] owned; of `by_rank`, rank 0 only, NULL elsewhere and where it failed: each rank's own
     * median, from which a straggler is told (a group is as slow as its slowest rank). */
    double *rank_seconds;
};

/* Ready for the next step. */
void hs_step_outcome_clear(struct hs_step_outcome *outcome);
void hs_step_outcome_release(struct hs_step_outcome *outcome);

#endif
