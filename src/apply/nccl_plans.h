/*
 * nccl_plans.h - NCCL's calls that libhiersearch-nccl.so carries out by plan: which, and how.
 *
 * A plan is several of NCCL's own calls, one behind the other on the program's stream
 * (nccl_steps.h): no other stream, no kernel at the same time as another.
 *
 * What all ranks of a call know alike decides: collective, count, type, operation, communicator,
 * rules, whether the stream is captured, and whether it is the only call of a group, which the
 * ranks of a communicator must have alike, as where they make it.
 * That one is put off to the group's end, and so are its errors.
 */
#ifndef HS_APPLY_NCCL_PLANS_H
#define HS_APPLY_NCCL_PLANS_H

#include <stdbool.h>
#include <stdint.h>

#include "apply/nccl_abi.h"
#include "apply/nccl_steps.h"

/* Nothing here may be called from within NCCL. */

/* A communicator is about to be made, and was. */
struct hs_nccl_making {
    bool each;                    /* process gets one */
    const hs_nccl_config *config; /* or NULL */
    hs_nccl_comm parent;          /* or NULL */
    uint64_t made_of;             /* nccl_handles.h */
    hs_nccl_comm *place;
    const void *caller;
    int rank, ranks;    /* of the job; -1, 0: not known */
    bool tried, blocks; /* filled here */
};
void hs_nccl_plans_make(struct hs_nccl_making *making);
/* What comes out is what the program gets. */
hs_nccl_result hs_nccl_plans_made(const struct hs_nccl_making *making, hs_nccl_result result);

/* True: it is carried out, or will be at the end of the group, and *result is what the program
 * gets. */
bool hs_nccl_plans_try(const struct hs_nccl_asked *asked, hs_nccl_result *result);
/* Around each other call. True: it is refused, as the one before is under way, with *result. */
bool hs_nccl_plans_pass(hs_nccl_comm comm, hs_nccl_stream stream, hs_nccl_result *result);
void hs_nccl_plans_passed(hs_nccl_comm comm, hs_nccl_stream stream, hs_nccl_result result);

/* Around what is done with a communicator: its parts go with it. What comes out is what the program
 * gets; of HS_NCCL_ASK in *state, too. */
enum hs_nccl_way { HS_NCCL_DESTROY, HS_NCCL_ABORT, HS_NCCL_FINALIZE, HS_NCCL_REVOKE, HS_NCCL_ASK };
struct hs_nccl_ending {
    enum hs_nccl_way way;
    struct hs_nccl_family *family; /* NULL: it has no parts */
    bool grouped;                  /* a group of ours is open around it */
};
struct hs_nccl_ending hs_nccl_plans_end(hs_nccl_comm comm, enum hs_nccl_way way);
hs_nccl_result hs_nccl_plans_ended(const struct hs_nccl_ending *ending, hs_nccl_result result,
                                   hs_nccl_result *state);
/* It is about to be shrunk; with HS_NCCL_SHRINK_ABORT what is under way stops. */
void hs_nccl_plans_shrink(hs_nccl_comm comm, int flags);

/* So many more windows of the communicator are there: with any its calls are the library's. All of
 * its ranks say so between the same calls. */
void hs_nccl_plans_windows(hs_nccl_comm comm, int more);

/* Its i-th part, of those that plans go on; NULL: there is none. */
hs_nccl_comm hs_nccl_plans_part(hs_nccl_comm comm, int i);

/* Something else is about to be done, in the group that may be open. */
void hs_nccl_plans_act(void);
/* Around the calls of groups. */
enum hs_nccl_group_call { HS_NCCL_START, HS_NCCL_END, HS_NCCL_SIMULATE };
void hs_nccl_plans_group(enum hs_nccl_group_call call);
hs_nccl_result hs_nccl_plans_grouped(enum hs_nccl_group_call call, hs_nccl_result result);

/* At exit: one line on stderr by the job's first process, where there was anything to say. */
void hs_nccl_plans_finish(void);

#endif
