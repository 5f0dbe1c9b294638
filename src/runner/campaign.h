/*
 * campaign.h - one run of `hiersearch measure` or `hiersearch calibrate` on all ranks: where it is,
 * on what, and the loop that measures.
 *
 * What is measured next is a planner's decision, the loop does the rest: it tells the other ranks,
 * has the bench take the step (bench.h), and tells the planner what came of it. A planner is pure:
 * no MPI, no clock, no files.
 *
 * Rank 0 (of the ranks in their order by node) decides, keeps what was measured, and is the only
 * one that touches files and prints. Planners are called there, with the guard's lock held: what
 * they keep may be read by the guard's on_end at any time.
 */
#ifndef HS_MEASURE_CAMPAIGN_H
#define HS_MEASURE_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/campaign_options.h"
#include "model/backends.h"
#include "model/problem.h"
#include "runner/bench.h"
#include "runner/guard.h"
#include "runner/journal.h"
#include "runner/machine.h"
#include "runner/placement.h"
#include "runner/progress.h"
#include "runner/ranks.h"
#include "runner/step.h"
#include "system/system.h"

/* Decides what is measured. Both are called on rank 0 only; an error ends the run on all ranks. */
struct hs_planner {
    /* `elapsed_seconds` after the run began. step->end: there is nothing more. */
    enum hs_status (*next)(void *state, struct hs_step *step, double elapsed_seconds,
                           struct hs_error *err);
    /* What came of the step. */
    enum hs_status (*tell)(void *state, const struct hs_step *step,
                           const struct hs_step_outcome *outcome, double elapsed_seconds,
                           struct hs_error *err);
};

struct hs_campaign {
    const char *command;                       /* "measure": whose notes these are */
    const struct hs_campaign_options *options; /* of the settings, which outlive it */
    struct hs_guard *guard;                    /* the caller's */
    char created[HS_CLOCK_UTC];                /* when it began */
    struct hs_rank_order order;
    struct hs_ranks ranks;               /* of order.ordered, once that is there */
    double crowded_ranks, crowded_cores; /* of the most crowded machine; see hs_campaign_crowded */
    bool has_system;
    struct hs_system system;        /* the description */
    const struct hs_system *played; /* by the null backend; the caller's */
    const struct hs_backend *backend;
    const struct hs_memory *memory; /* see hs_buffers_choose */
    struct hs_machine machine;      /* empty where the backend plays one */
    struct hs_journal journal;
    struct hs_progress progress;
    double checkpoint_seconds;    /* when the journal was last synced */
    struct hs_step step;          /* being taken; step.end: none is */
    double seconds;               /* that the last run has taken so far */
    char device[HS_DEVICE_TEXT];  /* what rank 0's backend runs on; "": nothing to say */
    uint64_t memory_bytes;        /* most that a rank's bench held so far */
    double copy_bytes_per_second; /* of the last run, of packed calls (copy_rate.h); 0: others */
};

/* All functions are collective unless marked local, and their status is that of all ranks.
 *
 * Over MPI_COMM_WORLD, after MPI_Init: the order of the ranks, what the guard calls at the end, and
 * notes for people. campaign->options and guard are set, ranks.rank is that in MPI_COMM_WORLD.
 * HS_INVALID: they are not as many as the mesh has. */
enum hs_status hs_campaign_begin(struct hs_campaign *campaign,
                                 void (*on_end)(void *context, const struct hs_guard_end *end),
                                 void *context, struct hs_error *err);
/* The description of that text, or (NULL) one made from where the ranks are. */
enum hs_status hs_campaign_system(struct hs_campaign *campaign, struct hs_system *system,
                                  const char *text, struct hs_error *err);
/* The backend, and the memory that messages lie in. */
enum hs_status hs_campaign_backend(struct hs_campaign *campaign, struct hs_error *err);

/* Local. What is called with messages of so many bytes, by all ranks or all groups of the mesh. */
struct hs_problem hs_campaign_problem(const struct hs_campaign *campaign, double bytes);

/* Local. How many ranks share *cores (may be NULL) cores of a machine, where they outnumber them
 * and where a real clock runs; else 0. */
int64_t hs_campaign_crowded(const struct hs_campaign *campaign, int64_t *cores);

/* Rank 0's files, before anything is measured: whether the output can be written, and the journal,
 * begun or gone on with. HS_INVALID: the journal is of another run. HS_IO. */
enum hs_status hs_campaign_open_files(struct hs_campaign *campaign, struct hs_error *err);
/* Rank 0, locked, local. After something was journaled, of which `status` says how it went; and to
 * bring it to the disk, which happens every second anyhow. What goes wrong is noted once, the run
 * goes on. */
void hs_campaign_journaled(struct hs_campaign *campaign, enum hs_status status,
                           const struct hs_error *error);
void hs_campaign_sync(struct hs_campaign *campaign);
/* Rank 0, locked, local; for on_end. Where what took too long was a stage alone, journals that its
 * layer cannot be measured. */
bool hs_campaign_hung(struct hs_campaign *campaign, uint64_t message_bytes,
                      const struct hs_guard_end *end);

/* Opens a bench for messages of `count` elements, asks the planner and takes steps until there are
 * no more, and closes it. A step that fails is the planner's business; what is returned is its
 * errors, and what ends a bench. */
enum hs_status hs_campaign_run(struct hs_campaign *campaign, size_t count,
                               const struct hs_planner *planner, void *state, struct hs_error *err);

enum hs_status hs_campaign_agree(struct hs_campaign *campaign, enum hs_status status,
                                 struct hs_error *err);
void hs_campaign_release(struct hs_campaign *campaign);

#endif
