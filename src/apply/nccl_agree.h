/*
 * nccl_agree.h - what the ranks of a communicator that blocks tell each other right behind its
 * making, before the program has it: a few numbers of each, by an AllGather on the communicator
 * itself. Each rank gets to know all that is told, so that all come to the same conclusion.
 *
 * That costs no communicator, where splitting by what ranks have in common costs one as large as
 * this; and connects its ring, which the program's first call does otherwise. The host waits for
 * the GPU, whose ranks all come to this next: kernels that are at work meanwhile have to end, or
 * leave room.
 */
#ifndef HS_APPLY_NCCL_AGREE_H
#define HS_APPLY_NCCL_AGREE_H

#include "apply/nccl_family.h"

enum { HS_NCCL_TOLD = 8 };

/* What one rank tells. */
struct hs_nccl_told {
    uint64_t numbers[HS_NCCL_TOLD];
};
/* What all ranks tell, [family->size]; the caller frees it. NULL: NCCL or CUDA failed, which the
 * communicator does not survive. */
struct hs_nccl_told *hs_nccl_tell(struct hs_nccl_family *family, const struct hs_nccl_told *mine);

#endif
