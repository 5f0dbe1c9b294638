/*
 * cmd_calibrate.h - the options of `hiersearch calibrate`, and what they say taken together.
 */
#ifndef HS_CLI_CMD_CALIBRATE_H
#define HS_CLI_CMD_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/units.h"
#include "model/datatype.h"
#include "model/stage.h"
#include "view/sheet.h"

/* As the option rows fill it; texts point into argv. */
struct hs_calibrate_settings {
    const char *system; /* description to start from; NULL: made from where the ranks are */
    struct hs_range sizes;
    const char *backend;
    enum hs_datatype datatype;
    enum hs_operation operation;
    unsigned algorithms;         /* bits; 0: not given */
    int64_t layers;              /* at most so many; 0: all */
    struct hs_stage_list stages; /* these alone; empty: not given */
    double budget_seconds, timeout_seconds, precision;
    double max_residual;
    int64_t rounds, min_samples, max_samples, warmup;
    bool resume, retry;
    const char *journal; /* NULL: beside the output */
    const char *output;  /* "-": stdout */
    bool quiet, verbose;
    struct hs_print print;
    int64_t seed;
    const char *plays, *faults; /* null backend */
};

/* What no row can check alone. HS_INVALID. */
enum hs_status hs_calibrate_settings_check(struct hs_calibrate_settings *settings,
                                           struct hs_error *err);

#endif
