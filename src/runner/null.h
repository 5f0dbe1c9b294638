/*
 * null.h - backend `null`: plays a model instead of moving data, to test everything around it.
 *
 * Work takes no time. Its device_seconds is the model's price (bytes that travel, padding included)
 * times what the faults say (cli/faults.h). Noise is drawn from the seed, what runs, the message
 * size, and the number of the run of that: a job that is resumed, or that measures in another
 * order, draws the same. Each run puts the expected result of the first elements into the output,
 * and only those are there and verified, so any number of processes and any message size will do. A
 * layer alone that is the whole flat split fails, hangs and crashes as that plan does.
 *
 * Its native, "model flat ring", is the predicted time of the flat split (of groups with a gap of
 * the one with the fewest layers) with noise, outlier, slow
 * and delay, but without the faults of plans.
 */
#ifndef HS_RUNNER_NULL_H
#define HS_RUNNER_NULL_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "system/system.h"

#define HS_NULL_ELEMENTS 64 /* of a buffer that are really there, at most */

/* What it plays: hs_engine_config's `play`. */
struct hs_play {
    const struct hs_system *system;
    const char *faults; /* text of faults.h; NULL: none. Its plans are of `callers` ranks */
    uint64_t seed;
    int64_t callers; /* of a group; 0: all */
};

extern const struct hs_backend hs_backend_null;

#endif
