/*
 * campaign_run.h - one run of `hiersearch measure` from settings to exit status, on all ranks.
 *
 * Order of things: where the ranks are, the system, the backend and its memory, what the nodes are
 * made of, what is to be measured, whether the output can be written, the journal; then a planner's
 * runs (planner.h): one race of plans per message size, a lazy one after the layers of that size;
 * or the grid of a calibration. Then the result or the machine on disk, and the report.
 */
#ifndef HS_RUNNER_CAMPAIGN_RUN_H
#define HS_RUNNER_CAMPAIGN_RUN_H

#include "base/error.h"
#include "runner/campaign.h"

/* Collective over MPI_COMM_WORLD, after MPI_Init; settings, command_line, guard and ranks.rank are
 * set. On return everything is on disk and the guard is finishing. HS_WRONG: data was wrong (the
 * result is written all the same). HS_INVALID also where a calibration has too few points;
 * HS_FAILED: no candidate can be used, or no fit; HS_IO. */
enum hs_status hs_campaign_run(struct hs_campaign *campaign, struct hs_error *err);

#endif
