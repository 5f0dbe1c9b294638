/*
 * cmd_calibrate.h - the options of `hiersearch calibrate`, and what they say taken together.
 */
#ifndef HS_CLI_CMD_CALIBRATE_H
#define HS_CLI_CMD_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/campaign_options.h"
#include "model/stage.h"
#include "show/sheet.h"

/* As the option rows fill it; texts point into argv. */
struct hs_calibrate_settings {
    struct hs_campaign_options campaign;
    unsigned algorithms;         /* bits; 0: not given */
    int64_t layers;              /* at most so many; 0: all */
    struct hs_stage_list stages; /* these alone; empty: not given */
    double budget_seconds, precision;
    double max_residual;
    int64_t rounds, min_samples, max_samples, warmup;
    struct hs_print print;
    const char *plays; /* by the null backend; NULL: the system */
};

/* What no row can check alone: sizes that are no whole elements, the call (hs_call_check), which
 * may not be an exchange, stages beside what would choose them, too, options of the null backend
 * for another one, a journal without a file. HS_INVALID. */
enum hs_status hs_calibrate_settings_check(struct hs_calibrate_settings *settings,
                                           struct hs_error *err);

#endif
