/*
 * calibrate.h - one run of `hiersearch calibrate` from settings to exit status, on all ranks.
 *
 * Order of things: where the ranks are, the description, the backend, the plan, whether the output
 * can be written, the journal; then the layers (grid.h); then the fit, the file on disk, and the
 * tables. A run that is cut short writes what the points so far allow, or leaves the old file
 * alone.
 */
#ifndef HS_MEASURE_CALIBRATE_H
#define HS_MEASURE_CALIBRATE_H

#include "base/error.h"
#include "cli/cmd_calibrate.h"
#include "runner/campaign.h"
#include "runner/grid.h"

struct hs_calibrate_run {
    struct hs_calibrate_settings settings;
    struct hs_campaign campaign; /* its system: the description, then the calibrated one */
    struct hs_system played;     /* what the null backend plays; {0} for others */
    struct hs_grid grid;         /* rank 0 */
};

/* Collective over MPI_COMM_WORLD, after MPI_Init; settings, campaign.guard and
 * campaign.ranks.rank are set. On return everything is on disk and the guard is finishing.
 * HS_INVALID: too few points; HS_FAILED: no fit; HS_IO. */
enum hs_status hs_calibrate_run(struct hs_calibrate_run *run, struct hs_error *err);
/* Collective. */
void hs_calibrate_release(struct hs_calibrate_run *run);

#endif
