/*
 * nccl_handles.h - which communicator of NCCL a handle is: what it was made of, which is the same
 * on all of its ranks, so that files of processes that never talked to each other can be put
 * together.
 *
 * Its size, this process's rank and GPU are asked for at the first call on it, in the moment before
 * that call: a program may not make it before the communicator is ready, and NCCL looks for the
 * same then. Nothing here waits, or talks to another rank.
 */
#ifndef HS_APPLY_NCCL_HANDLES_H
#define HS_APPLY_NCCL_HANDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apply/nccl_abi.h"
#include "library/price_nccl.h"
#include "record/counts.h"

/* FNV-1a of these bytes. */
uint64_t hs_nccl_hash(const void *data, size_t bytes);

/* What a communicator is made of: a hash, 0: nothing. The unique ids; this process alone (a new one
 * at each call); which split of which communicator, and the color; which shrinking of which. Each
 * call counts: to be called once, before the call that makes it. */
uint64_t hs_nccl_of_ids(const hs_nccl_id *ids, int count);
uint64_t hs_nccl_of_process(void);
uint64_t hs_nccl_of_split(hs_nccl_comm parent, int color);
uint64_t hs_nccl_of_shrink(hs_nccl_comm parent);

/* A communicator was, or will be, put at `place`, where `before` was until then: in a group, and
 * where nobody waits, NCCL puts it there later. */
void hs_nccl_made(hs_nccl_comm *place, hs_nccl_comm before, uint64_t made_of);
/* It ends: what has its address from now on is another one. */
void hs_nccl_ended(hs_nccl_comm handle);

/* What NCCL says of a communicator that is ready. */
struct hs_nccl_said {
    int size, rank, device; /* device -1: not known */
};
struct hs_nccl_group {
    int group, size; /* its index in the counts, -1: no room, or not known; its ranks */
};
/* Asks by `ask`, which is false where NCCL does not say, at the first time. */
typedef bool hs_nccl_ask(struct hs_nccl_said *said, hs_nccl_comm handle, const void *caller);
struct hs_nccl_group hs_nccl_group_of(struct hs_counts *counts, hs_nccl_comm handle,
                                      hs_nccl_ask *ask, const void *caller);

#endif
