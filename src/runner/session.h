/*
 * session.h - one run of `hiersearch measure` from settings to exit status, on all ranks.
 *
 * Order of things: where the ranks are, the system, the backend and its
 * memory, what the nodes are made of, whether the output can be written, the candidates of all
 * sizes, the journal; then one contest per message size; then the result on disk, and the tables.
 * A lazy run has no candidates before the layers of a message size are measured; its contest
 * follows at once, before the next size.
 */
#ifndef HS_MEASURE_SESSION_H
#define HS_MEASURE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/cmd_measure.h"
#include "runner/campaign.h"
#include "runner/candidates.h"
#include "runner/contest.h"

/* One message size. */
struct hs_bout {
    uint64_t bytes;
    struct hs_candidates candidates;   /* rank 0 */
    struct hs_certificate certificate; /* rank 0; {0} where no layers were measured */
    double share_seconds;              /* of the budget: for layers and contest */
    double layers_seconds;             /* that they took */
    struct hs_contest contest;         /* rank 0 */
    uint64_t padded_bytes;             /* 0: not padded, or not known yet */
    bool begun;
};

struct hs_session {
    struct hs_measure_settings settings;
    const char *command_line;
    struct hs_campaign campaign;
    bool lazy; /* layers are measured before the candidates are chosen (lazy_plan.h) */
    struct hs_fit_point *layer_points; /* [layer_point_count] owned: of all sizes so far; rank 0 */
    size_t layer_point_count;
    struct hs_bout *bouts; /* [bout_count] owned */
    size_t bout_count, current;
    double begin_seconds;      /* of the measurements, by the monotonic clock */
    double checkpoint_seconds; /* when all contestants were last journaled */
};

/* What a bout is about. Local. */
struct hs_problem hs_session_problem(const struct hs_session *session, const struct hs_bout *bout);

/* Collective over MPI_COMM_WORLD, after MPI_Init; settings, command_line, campaign.guard and
 * campaign.ranks.rank are set. On return everything is on disk and the guard is finishing.
 * HS_WRONG: data was wrong (the result is written all the same). */
enum hs_status hs_session_run(struct hs_session *session, struct hs_error *err);
/* Collective. */
void hs_session_release(struct hs_session *session);

#endif
