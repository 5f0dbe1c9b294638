/*
 * play.h - how long messages over single links (links.h) take that wait for each other, played
 * event by event as the engine and src/simulate carry them out:
 *
 *  - a rank has flows (engine/flow.h): what one sends leaves in order, what comes is used in order,
 *    HS_WINDOW_MAX at most are under way each way;
 *  - a rank's messages leave HS_MESSAGE_SECONDS apart or more;
 *  - on a way from one rank to another, of which the engine has one, a message moves at a time, the
 *    next behind it; what has moved has come when the latency of its way is over;
 *  - messages that pass the same link at a time share it fairly (max-min).
 */
#ifndef HS_LINKS_PLAY_H
#define HS_LINKS_PLAY_H

#include <stddef.h>

#include "base/error.h"

/* What a message passes. */
struct hs_play_way {
    const int *links; /* [count] numbers of links, of hs_play's rates */
    int count;
    double latency_seconds;
    int nth; /* of the ways from its first unit to its last: 0 .. ways_each - 1 */
};

struct hs_play_message {
    int from, to;    /* units */
    int way;         /* of the play's */
    int sends, uses; /* flows 0 .. units * ways_each - 1 of `from` and of `to`; each in the
                        messages' order */
    /* Messages to `from` that is used before this one is sent; from `to` that has left before its
     * receive is posted, without which it does not move; to `to` that is used before it. -1: none.
     */
    int sent_behind, posted_behind, used_behind;
    double bytes;
};

struct hs_play {
    const struct hs_play_message
        *messages; /* [count]; what waits stands behind what it waits for */
    size_t count;
    const struct hs_play_way *ways; /* [way_count] */
    int way_count;
    const double *rates; /* [link_count] bytes per second, each way a link of its own */
    int link_count;
    int units;     /* >= 2 */
    int ways_each; /* from one unit to another at most; >= 1 */
};

/* Until all are used; of the last one's way, what was spent on latencies and on moving bytes: the
 * rest was kept apart. */
struct hs_played {
    double seconds, latency_seconds, moving_seconds;
};

/* HS_MEMORY. */
enum hs_status hs_play(struct hs_played *played, const struct hs_play *play, struct hs_error *err);

#endif
