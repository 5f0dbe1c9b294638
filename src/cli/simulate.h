/*
 * simulate.h - what the files of `hiersearch simulate` share.
 *
 * cmd_simulate.c reads the settings, prints the table and saves the result; simulate_plans.c
 * chooses the plans; simulate_run.c has them simulated by hiersearch-simulate under smpirun;
 * simulate_progress.c says on stderr how far it is.
 */
#ifndef HS_CLI_SIMULATE_H
#define HS_CLI_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/option_rows.h"
#include "console/command.h"
#include "console/progress_line.h"
#include "result/result.h"
#include "view/sheet.h"

/* The largest simulation: plans, processes, and bytes per process. */
#define HS_SIMULATE_PLANS_MAX 4096
#define HS_SIMULATE_NP_MAX    16384
#define HS_SIMULATE_BYTES_MAX ((uint64_t)1 << 36)

/* As the option rows fill it; texts point into argv. */
struct hs_simulate_settings {
    const char *system; /* as typed */
    struct hs_argument_list plans;
    int64_t np;            /* 0: not given, the mesh says it */
    struct hs_range bytes; /* one value */
    enum hs_collective collective;
    enum hs_order order;
    struct hs_mesh_words words;
    struct hs_mesh mesh; /* what they say */
    int64_t top;         /* 0: not given */
    bool all;
    struct hs_count_list chunks; /* empty: not given */
    bool quiet;
    struct hs_print print;
    const char *output; /* path; NULL: no file */
};

/* simulate_plans.c: adds the message with its plans, predicted and ranked: the plans as typed; or
 * all; or the K with the shortest predicted time, and the flat split. HS_INVALID: a plan's text is
 * wrong or there twice, or there are more than HS_SIMULATE_PLANS_MAX. HS_MEMORY. */
enum hs_status hs_simulate_choose(struct hs_result *result, const struct hs_system *system,
                                  const struct hs_simulate_settings *settings,
                                  struct hs_error *err);

/* simulate_run.c: whether a simulation can be had at all, before one is prepared. HS_FAILED
 * with what to install where smpirun or hiersearch-simulate is missing. */
enum hs_status hs_simulate_available(struct hs_error *err);
/* Replaces the result by what hiersearch-simulate makes of it: all its plans simulated, and ranked
 * by that. Works in a scratch folder that is gone afterwards. `platform` and `hosts` are SimGrid's
 * files. On SIGINT, SIGTERM and SIGHUP ends the simulation, cleans up, and ends this process by the
 * same signal. HS_IO, HS_MEMORY, HS_FAILED with the simulation's last words. */
enum hs_status hs_simulate_run(struct hs_result *result, const struct hs_text *platform,
                               const struct hs_text *hosts, bool quiet, struct hs_error *err);

/* simulate_progress.c: how far the simulation is. */
struct hs_simulate_progress {
    struct hs_progress_line line;
    const struct hs_result_message *message; /* its candidates are simulated in their order */
    size_t done;
    double done_at;         /* seconds after the beginning at which the last plan was done */
    double work, work_done; /* messages per process; what a simulation takes is about that */
};
void hs_simulate_progress_init(struct hs_simulate_progress *progress,
                               const struct hs_result_message *message, bool quiet);
/* The next plan is done. */
void hs_simulate_progress_done(struct hs_simulate_progress *progress);
/* Often enough: draws where it is time to. */
void hs_simulate_progress_draw(struct hs_simulate_progress *progress);

#endif
