/*
 * messages.h - the messages of a stage of all units of a graph of single links (links.h), in the
 * order and with the waits of the engine's executors: what play.h plays.
 */
#ifndef HS_LINKS_MESSAGES_H
#define HS_LINKS_MESSAGES_H

#include "links/packing.h"
#include "links/play.h"
#include "system/system.h"

struct hs_messages {
    struct hs_play play;              /* of these: */
    struct hs_play_message *messages; /* [play.count] owned, as all below */
    struct hs_play_way *ways;
    int *links; /* that the ways pass */
    double *rates;
};

/* Of `bytes` bytes (as packing.h's seconds_per_byte) over trees, whose parts are cut into so many
 * segments: engine/executor_forest.c. All three: HS_MEMORY; release it all the same. */
enum hs_status hs_messages_of_trees(struct hs_messages *messages, const struct hs_level *level,
                                    const struct hs_packing *packing, double bytes, int segments,
                                    struct hs_error *err);
/* Of recursive halving and doubling, and of direct exchange, of `bytes` bytes (all blocks
 * together), in a reduce-scatter, an allgather or an allreduce: engine/executor_halving.c,
 * executor_direct.c. */
enum hs_status hs_messages_of_halving(struct hs_messages *messages, const struct hs_level *level,
                                      enum hs_phase phase, double bytes, struct hs_error *err);
enum hs_status hs_messages_of_direct(struct hs_messages *messages, const struct hs_level *level,
                                     enum hs_phase phase, double bytes, struct hs_error *err);
/* Releases what it owns and zeroes it; of {0}, too. */
void hs_messages_release(struct hs_messages *messages);

#endif
