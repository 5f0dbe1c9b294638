/*
 * campaign.h - one run of `hiersearch measure`: where it is and on what, and what it has measured
 * so far.
 *
 * Rank 0 (of the ranks in their order by node) decides, keeps what was measured, and is the only
 * one that touches files and prints.
 */
#ifndef HS_RUNNER_CAMPAIGN_H
#define HS_RUNNER_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/cmd_measure.h"
#include "model/problem.h"
#include "runner/bench.h"
#include "runner/candidates.h"
#include "runner/grid.h"
#include "runner/guard.h"
#include "runner/journal.h"
#include "runner/machine.h"
#include "runner/placement.h"
#include "runner/planner.h"
#include "runner/progress.h"
#include "runner/race.h"
#include "runner/ranks.h"
#include "system/system.h"

/* One message size, and its race. Rank 0's but for the size. */
struct hs_size_run {
    uint64_t bytes;
    struct hs_candidates candidates;
    struct hs_certificate certificate; /* {0} where no layers were measured */
    double share_seconds;              /* of the budget: for layers and race */
    double layers_seconds;             /* that they took */
    struct hs_race race;
    uint64_t padded_bytes; /* 0: not padded, or not known yet */
    bool begun;
};

struct hs_campaign {
    struct hs_measure_settings settings; /* first: the option rows fill it */
    const char *command_line;
    struct hs_guard *guard;     /* the caller's */
    char created[HS_CLOCK_UTC]; /* when it began */
    struct hs_rank_order order;
    struct hs_ranks ranks; /* of order.ordered, once that is there */
    /* Of the most oversubscribed machine; see hs_campaign_oversubscribed: */
    double oversubscribed_ranks, oversubscribed_cores;
    bool has_system;
    struct hs_system system; /* the description; at the end of a calibration the fitted one */
    struct hs_system played; /* by the null backend; {0} for others */
    const struct hs_backend *backend;
    const struct hs_memory *memory; /* see hs_buffers_choose */
    struct hs_machine machine;      /* empty where the backend plays one */
    struct hs_journal journal;
    struct hs_progress progress;
    const struct hs_planner *planner; /* of the run that goes on */
    double begin_seconds;             /* of the measurements, by the monotonic clock */
    double checkpoint_seconds;        /* when all that is new was last journaled */
    struct hs_step step;              /* being taken; step.end: none is */
    double seconds;                   /* that the last run of a planner has taken so far */
    char device[HS_DEVICE_TEXT];      /* what rank 0's backend runs on; "": nothing to say */
    uint64_t memory_bytes;            /* most that a rank's bench held so far */
    double copy_bytes_per_second; /* of the last run, of packed calls (copy_rate.h); 0: others */

    size_t current;            /* number of the planner's run */
    struct hs_size_run *sizes; /* [size_count] owned; of a race */
    size_t size_count;
    bool lazy;                /* layers are measured before the plans are chosen */
    struct hs_layers *layers; /* owned by planner_layers.c; rank 0 */
    struct hs_grid grid;      /* of a calibration; rank 0 */
};

/* Collective. */
void hs_campaign_release(struct hs_campaign *campaign);

/* The rest is local.
 *
 * What is called with messages of so many bytes, by all ranks or all groups of the mesh. */
struct hs_problem hs_campaign_problem(const struct hs_campaign *campaign, double bytes);
/* Of the race that goes on: the size, and what is called with it. */
struct hs_size_run *hs_campaign_size(struct hs_campaign *campaign);

/* How many ranks share *cores (may be NULL) cores of a machine, where they outnumber them and where
 * a real clock runs; else 0. */
int64_t hs_campaign_oversubscribed(const struct hs_campaign *campaign, int64_t *cores);

/* Rank 0, locked. After something was journaled, of which `status` says how it went; and to bring
 * it to the disk. What goes wrong is noted once, the run goes on. */
void hs_campaign_journaled(struct hs_campaign *campaign, enum hs_status status,
                           const struct hs_error *error);
void hs_campaign_sync(struct hs_campaign *campaign);

#endif
