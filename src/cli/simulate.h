/*
 * simulate.h - what the files of `hiersearch simulate` share.
 *
 * cmd_simulate.c reads the settings and saves the result (answer/simulated.h chooses plans and
 * shows it); simulate_run.c has them simulated by hiersearch-simulate under smpirun;
 * simulate_progress.c says on stderr how far it is.
 */
#ifndef HS_CLI_SIMULATE_H
#define HS_CLI_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "answer/simulated.h"
#include "cli/progress_line.h"

/* simulate_run.c: whether a simulation can be had at all, before one is prepared. HS_FAILED
 * with what to install where smpirun or hiersearch-simulate is missing. */
enum hs_status hs_simulate_available(struct hs_error *err);
/* Replaces the result by what hiersearch-simulate makes of it: all its plans simulated, and ranked
 * by that. Works in a scratch folder that is gone afterwards, with the files of hs_simulated_files.
 * On SIGINT, SIGTERM and SIGHUP ends the simulation, cleans up, and ends this process by the same
 * signal. HS_IO, HS_MEMORY, HS_FAILED with the simulation's last words. */
enum hs_status hs_simulate_run(struct hs_result *result, const struct hs_export_output *files,
                               bool quiet, struct hs_error *err);

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
