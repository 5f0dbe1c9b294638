/*
 * cmd_measure.h - the options of `hiersearch measure`, and what they say taken together.
 */
#ifndef HS_CLI_CMD_MEASURE_H
#define HS_CLI_CMD_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/options.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/option_rows.h"
#include "model/backends.h"
#include "model/collective.h"
#include "model/stage.h"
#include "show/sheet.h"
#include "system/datatype.h"

#define HS_SEARCH_AUTO "auto" /* by what is known of the system */
#define HS_SEARCH_LAZY "lazy" /* layers first */

#define HS_CANDIDATES_MAX 4096 /* plans measured in one run */

/* What is called, and by whom. */
struct hs_call_options {
    enum hs_collective collective;
    enum hs_layout layout;
    struct hs_mesh_words words;
    struct hs_mesh mesh; /* what they say; none: all processes call */
};

/* The machine as typed (NULL: none is described), and which GPUs of each node the job got (empty:
 * all, or the first). */
struct hs_machine_words {
    const char *system;
    struct hs_count_list gpus;
};

/* Of the null backend: the machine that it plays (NULL: the one that is described), its faults
 * (cli/faults.h; NULL: none), and the seed of its noise. */
struct hs_play_options {
    const char *system;
    const char *faults;
    int64_t seed;
};

/* As the option rows fill it; texts point into argv. */
struct hs_campaign_options {
    const char *backend;
    enum hs_buffers buffers;
    enum hs_datatype datatype;
    enum hs_operation operation;
    struct hs_call_options call;
    struct hs_range sizes;
    double timeout_seconds; /* of one run */
    struct hs_machine_words described;
    const char *output;  /* path; NULL: none; "-": stdout; not the machine's */
    const char *journal; /* path; NULL: beside the output, where that is a file */
    bool registered;     /* buffers with NCCL's communicators */
    bool resume, retry;
    struct hs_play_options play;
    bool quiet, verbose;
};

/* The job whose sizes are measured; and the collective as typed, which it may choose. */
struct hs_measure_job {
    const char *profile;            /* path; NULL: sizes are given */
    const char *collective;         /* NULL: not given */
    int64_t ranks;                  /* of the profile */
    double shares[HS_RANGE_VALUES]; /* of the budget, by size; they add up to 1 */
    struct hs_text notes;           /* owned; lines: what of the profile is measured, what not */
};

/* As the option rows fill it; texts point into argv. Numbers that the rows leave at 0 were not
 * given: hs_measure_settings_check puts the defaults in their place. */
struct hs_measure_settings {
    struct hs_campaign_options campaign;
    struct hs_measure_job job;
    const char *buffers_name;
    unsigned algorithms; /* bits; 0: not given */
    double budget_seconds, precision;
    int64_t min_samples, max_samples, warmup;
    struct hs_print print;
    bool details;

    /* Plans: */
    int64_t top;
    bool top_given; /* by the check, which puts the default in its place */
    bool all;
    const char *plans;  /* "4x8x4,4x32/8", NULL: the search decides */
    const char *search; /* name of a strategy, or one of the two above */
    struct hs_count_list chunks;
    bool serial_calls;  /* by the backend: chunks of a plan of one stage gain nothing */
    bool native;        /* the library's algorithms, too */
    int64_t layer_runs; /* of each plan, with the times of its layers */

    /* --calibrate: */
    bool calibrate;
    int64_t layers;              /* at most so many; 0: all */
    struct hs_stage_list stages; /* these alone; empty: not given */
    int64_t rounds;
    double max_residual;
};

/* What no row can check alone: combinations, names, sizes that are no whole elements. Fills
 * campaign.call.mesh. HS_INVALID. */
enum hs_status hs_measure_settings_check(struct hs_measure_settings *settings,
                                         struct hs_error *err);

/* measure_profile.c: collective, groups and sizes of what costs the job of the profile most, as far
 * as they are not given. HS_INVALID: not a profile, or nothing in it is what is asked for. */
enum hs_status hs_measure_take_profile(struct hs_measure_settings *settings, struct hs_error *err);

#endif
