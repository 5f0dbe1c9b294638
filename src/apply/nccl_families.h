/*
 * nccl_families.h - the program's communicators of NCCL that calls by plan can go on, each with one
 * communicator per layer of its plans.
 *
 * These are split off right behind the call that makes the program's own, where all of its ranks
 * are, and only for plans that there are. Before that the ranks tell each other which plans they
 * have, whether they belong to one group of them, and on which machine they are; and behind it
 * whether all of it is there. So each rank learns the same, by one split for each layer and no
 * other.
 *
 * Whether a communicator is tried at all depends on its size and the rules alone. Of one that does
 * not block the program asks how it goes until it is ready, on each rank, before it does anything
 * with it: what is split off is then made in these questions, and the answer is that it is under
 * way. Nothing waits there, so that ranks agree by splits: those of one mind split with one color,
 * and find as many as they are themselves.
 *
 * Nothing is split off later, at the first call that could use it: NCCL wants no call on a
 * communicator to be under way while it is split, for which the host would have to wait; and where
 * a graph is captured, or a group is open, it could not be.
 *
 * Where there are plans of reduce-scatters a communicator has memory for what leaves their
 * outermost layer, and of packed layout for their blocks (nccl_steps.h), taken once, right behind
 * the splitting, for the longest message that its rules are for: a rule of the library's own call
 * behind them ends them, as exports write it; and no more than is allowed. Later would be too late:
 * a rank that finds none left could not leave the others alone in the call, and a capture allows
 * none. (Where nobody waits there is none: the thread that asks may have another GPU.) The ranks
 * agree that all have it; else, and for longer messages, all go to the library. Calls on several
 * streams wait for each other, so that one has it at a time. Graphs do not wait for calls, nor for
 * other graphs: what they capture goes to the library, which is the same on all ranks, as NCCL
 * wants captures to be.
 */
#ifndef HS_APPLY_NCCL_FAMILIES_H
#define HS_APPLY_NCCL_FAMILIES_H

#include "apply/nccl_family.h"

/* Collective over `comm`, which is ready where it blocks: what is known of it from now on; NULL: no
 * memory, or no such NCCL. Says on stderr, at rank 0, why ranks that there are rules for have no
 * plans. Where it does not block it is made by going on with it: collective, too, without waiting,
 * and again and again while `comm` is ready, until it is made, true. */
struct hs_nccl_family *hs_nccl_family_make(hs_nccl_comm comm, const struct hs_nccl_trial *trial);
bool hs_nccl_family_go_on(struct hs_nccl_family *family);
/* Ends what it has of its own, the program's communicator not; on all ranks. */
void hs_nccl_family_destroy(struct hs_nccl_family *family);
/* Likewise, whatever is under way; all of them stop before any is taken apart. Within a group they
 * stop with what else is aborted there. */
void hs_nccl_family_abort(struct hs_nccl_family *family, const void *thread);
/* All that this thread has aborted has stopped: it has no group open. Frees their memory. */
void hs_nccl_families_aborted(const void *thread);

/* What the communicators with plans have cost so far: how many there are, splits, bytes of the GPU
 * that they took (by what was left of it before and behind), and the host's seconds. */
struct hs_nccl_cost {
    uint64_t families, splits, bytes;
    double seconds;
};
struct hs_nccl_cost hs_nccl_families_cost(void);

#endif
