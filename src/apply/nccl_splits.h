/*
 * nccl_splits.h - what a communicator of the program's is split into, and what its ranks agree upon
 * by that: those of one mind split with one color, and find as many as they are themselves.
 *
 * Where nobody waits (blocking = 0) a split ends while the program asks how its communicator goes.
 * What takes several is begun anew whenever one has ended, and gets the results of those before
 * again: so it can be written as if it waited. It is the same on all ranks, and changes nothing
 * else until its last.
 */
#ifndef HS_APPLY_NCCL_SPLITS_H
#define HS_APPLY_NCCL_SPLITS_H

#include <stdbool.h>
#include <stdint.h>

#include "apply/nccl_family.h"

/* This rank's in what is split off, of the size *size; -1: NCCL failed, which it has said itself,
 * or it is waited for. */
int hs_nccl_split(struct hs_nccl_family *family, int color, hs_nccl_comm *made, int *size);
/* Begins anew, where the program's communicator is ready. False: what was waited for is not. */
bool hs_nccl_splits_again(struct hs_nccl_family *family);

/* How many ranks have this in common, and which of them this one is; -1 as above. */
int hs_nccl_look_for_alike(struct hs_nccl_family *family, uint64_t value, int *size);
/* Whether all ranks are able, and have the same value: the same on all of them. */
bool hs_nccl_agree(struct hs_nccl_family *family, bool able, uint64_t value);

#endif
