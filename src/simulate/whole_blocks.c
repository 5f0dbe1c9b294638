/*
 * What the simulation asks of the ring: segments as long as blocks, and a launch at every start.
 *
 * The host backend limits its segments, because slots take memory; here they take none.
 */
#include <simgrid/actor.h>

#include "simulate/simulate.h"

#define SEGMENT_BYTES_MAX ((size_t)1 << 30) /* an int counts a message's bytes */

/* The same on all ranks, which share them. */
static size_t segment_bytes_wanted;
static double launch;

size_t hs_whole_blocks_init(size_t block_bytes, double launch_seconds)
{
    segment_bytes_wanted = (block_bytes + 63) / 64 * 64;
    if (segment_bytes_wanted > SEGMENT_BYTES_MAX)
        segment_bytes_wanted = SEGMENT_BYTES_MAX;
    launch = launch_seconds;
    return segment_bytes_wanted;
}

enum hs_status __wrap_hs_ring_new(struct hs_ring **out, const struct hs_memory *memory,
                                  size_t segment_bytes, int lanes, bool reduces,
                                  struct hs_error *err)
{
    (void)segment_bytes;
    return __real_hs_ring_new(out, memory, segment_bytes_wanted, lanes, reduces, err);
}

void __wrap_hs_ring_start(struct hs_ring *ring, const struct hs_ring_call *call)
{
    if (launch > 0)
        sg_actor_sleep_for(launch);
    __real_hs_ring_start(ring, call);
}
