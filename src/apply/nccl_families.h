/*
 * nccl_families.h - the program's communicators of NCCL that calls by plan can go on, each with one
 * communicator per layer of its plans.
 *
 * These are split off right behind the call that makes the program's own, where all of its ranks
 * are, and only for plans that there are. Whether it is a communicator for which there are rules is
 * agreed upon in the same way, without a GPU's memory: ranks that are of one mind split with one
 * color, and find as many as they are themselves. So each rank learns the same: whether all have
 * the same rules, belong to one group of them, and lie on nodes as the rules have it.
 *
 * Whether a communicator is tried at all depends on its size and the rules alone. Of one that does
 * not block the program asks how it goes until it is ready, on each rank, before it does anything
 * with it: what is split off is then made in these questions, and the answer is that it is under
 * way.
 *
 * Where there are plans of reduce-scatters a communicator has memory for what leaves their
 * outermost layer (nccl_steps.h), taken once, right behind the splitting, for the longest message
 * that its rules are for: a rule of the library's own call behind them ends them, as exports write
 * it. Later would be too late: a rank that finds none left could not leave the others alone in the
 * call, and a capture allows none. (Where nobody waits there is none: the thread that asks may have
 * another GPU.) The ranks agree that all have it; else, and for longer messages, all go to the
 * library. Calls on several streams wait for each other, so that one has it at a time. Graphs do
 * not wait for calls, nor for other graphs: what they capture goes to the library, which is the
 * same on all ranks, as NCCL wants captures to be.
 */
#ifndef HS_APPLY_NCCL_FAMILIES_H
#define HS_APPLY_NCCL_FAMILIES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "apply/nccl_abi.h"
#include "apply/nccl_splits.h"
#include "model/rules.h"

/* What is called of the library that the program's communicator is of. */
struct hs_nccl_functions {
/* Parameters come in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define HS_ROW(name, parameters) hs_nccl_result(*name) parameters;
    HS_NCCL_USED(HS_ROW)
#undef HS_ROW
    /* NOLINTEND(bugprone-macro-parentheses) */
};

/* Who this process is in the job, by who started it; -1 and 0 where nobody says. */
struct hs_nccl_self {
    int rank, ranks;
};

/* What the program's communicator is tried with. */
struct hs_nccl_trial {
    const struct hs_rules *rules;
    uint64_t settings; /* a hash of what all ranks must have alike */
    uint64_t verify;   /* every so many calls, 0: none, of at most so many */
    size_t verify_bytes;
    struct hs_nccl_self self;
    bool able;   /* this rank; else it takes part for the others' sake */
    bool blocks; /* else nobody waits: blocking = 0 */
    const void *caller;
};

enum { HS_NCCL_MEANS = 4 }; /* types of floats that have one, from ncclFloat16 on */

/* One layer of plans: in the numbers of the family's ranks. */
struct hs_nccl_part {
    struct hs_layer layer;
    hs_nccl_comm comm; /* of this rank's group; its rank there: */
    int rank;
    /* A sum of what is multiplied by 1 / (ranks of the family) before; 0: not made yet. */
    hs_nccl_operation mean[HS_NCCL_MEANS];
};

#define HS_NCCL_PARTS_MAX 64

/* Of the GPU, for reduce-scatters; and what verifying has. */
struct hs_nccl_memory {
    void *begin; /* NULL: none, of 0 bytes */
    size_t bytes;
    struct hs_nccl_verify *verify; /* NULL: nothing is verified */
    const void *aborted_by;        /* thread, whose memory is still there */
};

/* In which calls on the family's communicators get to the GPU. */
struct hs_nccl_order {
    void *event; /* behind the last call on any of them, on `stream`; NULL: they have no order */
    hs_nccl_stream stream;
    bool issued;         /* there was one */
    const void *touched; /* by a group that this thread has open, on */
    hs_nccl_stream touched_stream;
    bool late; /* a call that nobody waited for gets meanwhile, or has got, to */
    hs_nccl_stream late_stream;
};

struct hs_nccl_family {
    hs_nccl_comm comm; /* the program's */
    int size, rank;
    struct hs_nccl_functions nccl;
    const struct hs_nccl_driver *driver; /* of its GPUs; NULL: none, for which it has no plans */
    const char *lacks;                   /* then: why */
    struct hs_nccl_trial trial;
    struct hs_nccl_splits splits;
    struct hs_nccl_steps *steps;  /* owned, where nobody waits: of the call that is under way */
    pthread_mutex_t busy;         /* with either */
    const struct hs_group *group; /* borrowed of the rules; NULL: all goes to the library */
    struct hs_nccl_part parts[HS_NCCL_PARTS_MAX];
    int part_count;
    struct hs_nccl_memory memory;
    struct hs_nccl_order order;
    atomic_int windows;          /* of the program's communicator, that are there */
    atomic_bool ended;           /* what is under way stops */
    struct hs_nccl_family *next; /* of those that are known */
};

/* Whether a rule can be carried out: an allreduce, reduce-scatter or allgather by several layers of
 * NCCL's own calls, in one chunk. */
bool hs_nccl_runs(const struct hs_rule *rule);

/* Bytes of a GPU's memory that a communicator of this group takes at most, and takes for rules that
 * nothing ends. */
#define HS_NCCL_MEMORY_MAX ((uint64_t)512 << 20)
/* Whether there is memory for a reduce-scatter by this plan of a message of so many bytes. */
bool hs_nccl_has_memory(const struct hs_nccl_family *family, const struct hs_plan *plan,
                        uint64_t bytes);

/* Collective over `comm`, which is ready where it blocks: what is known of it from now on; NULL: no
 * memory, or no such NCCL. Says on stderr, at rank 0, why ranks that there are rules for have no
 * plans. Where it does not block it is made by going on with it: collective, too, without waiting,
 * and again and again while `comm` is ready, until it is made, true. */
struct hs_nccl_family *hs_nccl_family_make(hs_nccl_comm comm, const struct hs_nccl_trial *trial);
bool hs_nccl_family_go_on(struct hs_nccl_family *family);
/* NULL: it is not known. */
struct hs_nccl_family *hs_nccl_family_find(hs_nccl_comm comm);
/* No longer known; whoever is in a call on it stops behind what the library has. NULL: it was not
 * known. What there is of it stays: another thread may look at it. */
struct hs_nccl_family *hs_nccl_family_forget(hs_nccl_comm comm);
/* Ends what it has of its own, the program's communicator not; on all ranks. */
void hs_nccl_family_destroy(struct hs_nccl_family *family);
/* Likewise, whatever is under way; all of them stop before any is taken apart. Within a group they
 * stop with what else is aborted there. */
void hs_nccl_family_abort(struct hs_nccl_family *family, const void *thread);
/* All that this thread has aborted has stopped: it has no group open. Frees their memory. */
void hs_nccl_families_aborted(const void *thread);
/* The part of a layer. */
const struct hs_nccl_part *hs_nccl_part_of(const struct hs_nccl_family *family,
                                           struct hs_layer layer);

/* Around calls on a family: kernels of its communicators wait for each other on other streams, as
 * those of one communicator do. Not within captures, whose graphs have their own order. What nobody
 * waits for, HS_NCCL_IN_PROGRESS, gets to its stream later. */
void hs_nccl_order_before(struct hs_nccl_family *family, hs_nccl_stream stream);
void hs_nccl_order_after(struct hs_nccl_family *family, hs_nccl_stream stream,
                         hs_nccl_result result);
/* It has. */
void hs_nccl_order_settle(struct hs_nccl_family *family);
/* Of a group's calls, when it ends. */
void hs_nccl_order_touch(struct hs_nccl_family *family, hs_nccl_stream stream, const void *thread);
void hs_nccl_order_group(const void *thread, hs_nccl_result result);

#endif
