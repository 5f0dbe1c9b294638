/*
 * session.h - one run of `hiersearch measure` from settings to exit status, on all ranks.
 *
 * Rank 0 (of the ranks in their order by node) decides, keeps the samples, and is the only one that
 * touches files and prints. Order of things: where the ranks are, the system, the backend and its
 * memory, what the nodes are made of, whether the output can be written, the candidates of all
 * sizes, the journal; then one contest per message size; then the result on disk, and the tables.
 * A lazy run has no candidates before the layers of a message size are measured; its contest
 * follows at once, before the next size.
 */
#ifndef HS_MEASURE_SESSION_H
#define HS_MEASURE_SESSION_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/cmd_measure.h"
#include "measure/candidates.h"
#include "measure/machine.h"
#include "measure/progress.h"
#include "model/system.h"
#include "runner/backend.h"
#include "runner/contest.h"
#include "runner/guard.h"
#include "runner/idle.h"
#include "runner/journal.h"
#include "runner/placement.h"

/* One message size. */
struct hs_bout {
    uint64_t bytes;
    struct hs_candidates candidates;   /* plans on all ranks, the rest on rank 0 */
    struct hs_certificate certificate; /* rank 0; {0} where no layers were measured */
    double layers_seconds;             /* that they took */
    struct hs_contest contest;
    uint64_t padded_bytes; /* 0: not padded, or not known yet */
    bool begun;
};

struct hs_session {
    struct hs_measure_settings settings;
    const char *command_line;
    char created[HS_CLOCK_UTC];
    int rank, np; /* of order.ordered, once that is there */
    struct hs_guard *guard;
    struct hs_rank_order order;
    struct hs_idle idle;
    bool has_system;
    struct hs_system system;
    bool lazy; /* layers are measured before the candidates are chosen (lazy_plan.h) */
    struct hs_fit_point *layer_points; /* [layer_point_count] owned: of all sizes so far; rank 0 */
    size_t layer_point_count;
    struct hs_layer layer; /* being measured alone; size 0: none; rank 0 */
    const struct hs_backend *backend;
    const struct hs_memory *memory; /* see hs_buffers_choose */
    struct hs_machine machine;      /* empty where the backend plays one */
    struct hs_bout *bouts;          /* [bout_count] owned */
    size_t bout_count, current;
    struct hs_journal journal;
    double begin_seconds;        /* of the measurements, by the monotonic clock */
    double checkpoint_seconds;   /* when the journal was last written */
    char device[HS_DEVICE_TEXT]; /* what rank 0's backend runs on; "": nothing to say */
    uint64_t memory_bytes;       /* most that a rank's backend held so far */
    struct hs_progress progress;
};

/* Collective over MPI_COMM_WORLD, after MPI_Init; session->settings, command_line and guard are
 * set. On return everything is on disk and the guard is finishing. HS_WRONG: data was wrong (the
 * result is written all the same). */
enum hs_status hs_session_run(struct hs_session *session, struct hs_error *err);
/* Collective. */
void hs_session_release(struct hs_session *session);

#endif
