/*
 * planner.h - what decides the steps of a campaign: the race of plans, the few layers that tell
 * which plans are worth one, and the grid of a calibration.
 *
 * What is measured next is a planner's decision; the campaign does the rest: it tells the other
 * ranks, has the bench take the step (bench.h), and tells the planner what came of it. The
 * decisions themselves are pure, without MPI, clock and files: race.h, search/lazy_planner.h,
 * grid.h. A planner joins one of them to the campaign's settings, journal and progress.
 */
#ifndef HS_RUNNER_PLANNER_H
#define HS_RUNNER_PLANNER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "runner/step.h"

struct hs_campaign;

/* All are called on rank 0 only; an error ends the campaign on all ranks. All but `prepare` with
 * the guard's lock held: what they keep may be read by the guard's on_end at any time. */
struct hs_planner {
    /* Before files are opened: whether what the settings ask for can be measured. Sets *count to
     * how many runs of begin ... end there are. */
    enum hs_status (*prepare)(struct hs_campaign *campaign, size_t *count, struct hs_error *err);
    /* With --resume, after the journal is opened: what an earlier run measured. */
    enum hs_status (*restore)(struct hs_campaign *campaign, struct hs_error *err);
    /* Run number campaign->current. Sets *elements to those of the largest message of a step. */
    enum hs_status (*begin)(struct hs_campaign *campaign, size_t *elements, struct hs_error *err);
    /* `elapsed_seconds` after the run began. step->end: there is nothing more. */
    enum hs_status (*next)(struct hs_campaign *campaign, struct hs_step *step,
                           double elapsed_seconds, struct hs_error *err);
    /* What came of the step. */
    enum hs_status (*tell)(struct hs_campaign *campaign, const struct hs_step *step,
                           const struct hs_step_outcome *outcome, double elapsed_seconds,
                           struct hs_error *err);
    /* Now and then, and at the end: writes what the journal does not have yet. NULL: nothing. */
    void (*journal)(struct hs_campaign *campaign);
    /* What follows from it, campaign->seconds after it began. NULL: nothing. */
    enum hs_status (*end)(struct hs_campaign *campaign, struct hs_error *err);
};

extern const struct hs_planner hs_race_planner;   /* planner_race.c: of plans; a run is a size */
extern const struct hs_planner hs_layers_planner; /* planner_layers.c: before each race, if lazy */
extern const struct hs_planner hs_grid_planner;   /* planner_grid.c: --calibrate */

/* Whether settings and system ask for layers before the race. Local, the same on all ranks. */
bool hs_layers_wanted(const struct hs_campaign *campaign);
/* Frees what layers keep between two runs. */
void hs_layers_release(struct hs_campaign *campaign);

/* Local. What is left of the budget, divided among the sizes left, evenly or by what they cost a
 * job: at the beginning of a size, for its layers and its race together. */
double hs_size_share(const struct hs_campaign *campaign);

#endif
