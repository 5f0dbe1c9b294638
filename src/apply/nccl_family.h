/*
 * nccl_family.h - one of the program's communicators of NCCL, with what calls by plan go on: one
 * communicator per layer of its plans, memory, an order. How it is made and ended: nccl_families.h.
 */
#ifndef HS_APPLY_NCCL_FAMILY_H
#define HS_APPLY_NCCL_FAMILY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "apply/nccl_abi.h"
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
    size_t memory_bytes; /* that reduce-scatters may have, at most */
    struct hs_nccl_self self;
    bool pairs;  /* some calls go by the library to compare */
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

/* Of the GPU, for reduce-scatters; and what verifying and pairs have. */
struct hs_nccl_memory {
    void *begin; /* NULL: none, of 0 bytes */
    size_t bytes;
    struct hs_nccl_verify *verify; /* NULL: nothing is verified */
    struct hs_nccl_pairs *pairs;   /* NULL: no call goes by the library to compare */
    void *told;                    /* what ranks tell each other by; NULL: not yet */
    bool told_on_host;
    const void *aborted_by; /* thread, whose memory is still there */
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

/* What it is split into. */
#define HS_NCCL_SPLITS_MAX 128

struct hs_nccl_splits {
    struct {
        hs_nccl_comm comm; /* NULL: none, or no more */
        int size, rank;    /* -1: it failed */
    } ended[HS_NCCL_SPLITS_MAX];
    int count, at;     /* ended; asked for since all began anew */
    hs_nccl_comm made; /* where NCCL puts the next */
    bool waits, given; /* for that: nothing behind it is true; NCCL has put it there */
    bool making;       /* what is made by them is not there yet */
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
 * NCCL's own calls, in one chunk; the latter two with natural or packed layout. */
bool hs_nccl_runs(const struct hs_rule *rule);
/* Whether calls of a rule take memory beside, which graphs do not have; how many bytes of it a
 * message takes: of a reduce-scatter what leaves its outermost layer, of packed layout all, which
 * goes in pieces where there is less; and whether there is enough. */
bool hs_nccl_takes_memory(const struct hs_rule *rule);
uint64_t hs_nccl_memory_of(const struct hs_rule *rule, uint64_t bytes);
bool hs_nccl_has_memory(const struct hs_nccl_family *family, const struct hs_rule *rule,
                        uint64_t bytes);
/* Bytes of a block, but for the last one of a call, are a multiple of it: NCCL's kernels go element
 * by element where one does not begin at 16 bytes, and a line of a GPU's memory has 128. */
#define HS_NCCL_LINE 128
/* The part of a layer. */
const struct hs_nccl_part *hs_nccl_part_of(const struct hs_nccl_family *family,
                                           struct hs_layer layer);

/* It is known from now on. */
void hs_nccl_family_add(struct hs_nccl_family *family);
/* NULL: it is not known. */
struct hs_nccl_family *hs_nccl_family_find(hs_nccl_comm comm);
/* No longer known; whoever is in a call on it stops behind what the library has. NULL: it was not
 * known. What there is of it stays: another thread may look at it. */
struct hs_nccl_family *hs_nccl_family_forget(hs_nccl_comm comm);

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
