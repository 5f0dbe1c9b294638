/*
 * nccl_pairs.h - what plans of NCCL's calls save: of the calls of a rule that are of the same
 * bytes, type and operation some go by the library, in pairs with some by plan (pairs.h), and
 * CUDA's events around both say how long each was at its stream's head, waiting for other ranks
 * included.
 *
 * Which these are is the same on all ranks, by the number of the call; calls in graphs have none.
 * What a rank has timed is its own: events are looked at when they have passed, and a pair for
 * which a rank has none left is not timed there.
 *
 * A plan that loses is left. All ranks have to do that at the same call, so they add up what they
 * have timed by an AllReduce of 2 KiB at most, on the program's communicator and stream, behind the
 * calls 96, 192, 384 and so on of a kind. What comes out is looked at behind 1024 more kernels. The
 * host must not wait for the GPU there, as the program may hold a stream until it has made more
 * calls: but a GPU's queue takes no more kernels of a stream than that before the host waits by
 * itself, so that there is no wait that the program did not have. In time it is hundreds of calls.
 */
#ifndef HS_APPLY_NCCL_PAIRS_H
#define HS_APPLY_NCCL_PAIRS_H

#include "apply/nccl_steps.h"
#include "apply/pairs.h"

/* Kinds of calls of a communicator that are timed; those of others go by plan, always. */
#define HS_NCCL_USES_MAX 64

/* For a communicator that blocks. NULL: no memory. */
struct hs_nccl_pairs *hs_nccl_pairs_new(const struct hs_nccl_driver *driver);
/* Waits for the GPU. What was timed stays known (hs_nccl_saving), what has not passed by now is
 * not; nothing is looked at where it was aborted. NULL is accepted. */
void hs_nccl_pairs_free(struct hs_nccl_pairs *pairs, bool aborted);

/* How a call for which there is a rule went: by plan, by the library to compare, or because the
 * plan has lost. */
enum hs_nccl_went { HS_NCCL_PLANNED, HS_NCCL_LEFT_OUT, HS_NCCL_LOST };
/* As hs_nccl_verify_carry of those that go by plan and are in no pair; the family may have no
 * pairs, and is not in use by another thread. */
hs_nccl_result hs_nccl_pairs_carry(struct hs_nccl_family *family, const struct hs_rule *rule,
                                   const struct hs_nccl_asked *asked, uint64_t verify,
                                   enum hs_nccl_went *went);

/* Of all communicators, those that ended and those that are there. */
struct hs_saving hs_nccl_saving(void);

#endif
