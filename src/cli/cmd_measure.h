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
#include "cli/campaign_options.h"
#include "show/sheet.h"

#define HS_SEARCH_AUTO "auto" /* by what is known of the system */
#define HS_SEARCH_LAZY "lazy" /* layers first */

#define HS_CANDIDATES_MAX 4096 /* plans measured in one run */

/* The job whose sizes are measured; and the collective as typed, which it may choose. */
struct hs_measure_job {
    const char *profile;            /* path; NULL: sizes are given */
    const char *collective;         /* NULL: not given */
    int64_t ranks;                  /* of the profile */
    double shares[HS_RANGE_VALUES]; /* of the budget, by size; they add up to 1 */
    struct hs_text notes;           /* owned; lines: what of the profile is measured, what not */
};

/* As the option rows fill it; texts point into argv. */
struct hs_measure_settings {
    struct hs_campaign_options campaign;
    struct hs_measure_job job;
    const char *buffers_name;
    int64_t top;    /* 0 from the rows means that it was not given */
    bool top_given; /* by hs_measure_settings_check, which puts the default in its place */
    bool all;
    const char *plans;  /* "4x8x4,4x32/8", NULL: the search decides */
    const char *search; /* name of a strategy, or one of the two below */
    struct hs_count_list chunks;
    unsigned algorithms; /* bits; 0: not given */
    bool serial_calls;   /* by the backend: chunks of a plan of one stage gain nothing */
    double budget_seconds, precision;
    int64_t min_samples, max_samples, warmup, layers;
    bool no_layers;
    struct hs_print print;
};

/* What no row can check alone: combinations, names, sizes that are no whole elements. HS_INVALID.
 */
enum hs_status hs_measure_settings_check(struct hs_measure_settings *settings,
                                         struct hs_error *err);

/* measure_profile.c: collective, groups and sizes of what costs the job of the profile most, as far
 * as they are not given. HS_INVALID: not a profile, or nothing in it is what is asked for. */
enum hs_status hs_measure_take_profile(struct hs_measure_settings *settings, struct hs_error *err);

#endif
