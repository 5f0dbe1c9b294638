/*
 * ring.h - a ring collective as a state machine: started, then driven by calls that never wait.
 *
 * Place k of p sends to k + 1 and receives from k - 1. The m elements are p blocks; in step t of
 * the reduce-scatter it sends block k - 1 - t, receives block k - 2 - t and adds its own part;
 * after p - 1 steps block k is complete there. The allgather passes complete blocks on for p - 1
 * more steps. An allreduce is both in one pipeline, not one after the other.
 *
 * Every block is cut into segments. The stream of work is ordered (group, step, lane): a group is
 * one segment per lane in every block, it makes all its steps before the next group's, and its
 * lanes are what is in flight at once. So a segment that was received is reduced and sent on while
 * it is in the cache, and few slots are enough for any message size. A slot holds a segment from
 * its receive, through its reduction in place, to the end of its send; the last reduction writes
 * straight to the output. The first send reads straight from the input, the allgather receives
 * straight into the output.
 *
 * Messages may lie in any kind of memory (memory.h). A GPU reduces later than it is told to: a
 * segment is ready when its mark is passed, and only then sent on. Where MPI cannot be handed
 * pointers to the memory, every segment that travels lies in a slot of staging memory: what is
 * received is reduced there, copied to the output where it is a result, and sent on from there; a
 * place's own part is copied to a slot before its first send.
 *
 * With at least one slot more than lanes the ring cannot lock up: a rank that cannot post a
 * receive for want of a slot has then posted it for every segment its own next send waits for.
 */
#ifndef HS_RUNNER_RING_H
#define HS_RUNNER_RING_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/datatype.h"
#include "runner/backend.h"
#include "runner/memory.h"

#define HS_RING_LANES_MAX 64

/* What a collective works on. */
struct hs_ring_call {
    enum hs_phase phase;
    MPI_Comm comm;
    int tag, place, size;
    int previous, next; /* ranks in comm of the neighbours */
    const void *input;  /* m elements in the ring's memory; for an allgather unused */
    /* Reduce-scatter: block `place` alone, m / size elements. Else m elements; an allgather finds
     * block `place` there. May be, or lie in, the input: then the input is used up. */
    void *output;
    size_t count; /* m: a multiple of size, except for an allreduce */
    enum hs_datatype datatype;
    enum hs_operation operation;
    int64_t average_over; /* processes to divide by in the last reduction; 0: not now */
};

struct hs_ring; /* the machine: slots and request arrays, used again and again */

/* Local. For messages in `memory`, which outlives the ring. Segments of at most `segment_bytes` (a
 * multiple of 64), `lanes` of them in flight. `reduces`: with slots; without it can do allgathers
 * only. HS_MEMORY. */
enum hs_status hs_ring_new(struct hs_ring **out, const struct hs_memory *memory,
                           size_t segment_bytes, int lanes, bool reduces, struct hs_error *err);
void hs_ring_free(struct hs_ring *ring);
size_t hs_ring_memory_bytes(const struct hs_ring *ring);

/* Begins a collective; the one before must be through. Local: all places make the same calls in the
 * same order per communicator and tag, and calls in flight at the same time have different tags. */
void hs_ring_start(struct hs_ring *ring, const struct hs_ring_call *call);
/* Does what is ready, without waiting; *moved becomes true if that was anything. Returns true when
 * the collective is through on this rank: the output is valid and nothing is in flight. */
bool hs_ring_progress(struct hs_ring *ring, bool *moved);

#endif
