/*
 * nccl_comms.h - NCCL communicators: one of all ranks, one per layer (stride, size) that all plans
 * share, and for comparison one whose algorithm is pinned to ring and those with symmetric
 * windows; of all ranks, or of each group of a mesh.
 *
 * All are blocking, because NCCL starts a thread for every call on one that is not (2.28.9:
 * src/group.cc, ncclGroupEndInternal), which weighs on what makes many calls: a plan of h layers
 * and c chunks makes (2h - 1) c, NCCL's own allreduce one. What hangs on the GPU is given up all
 * the same; the guard alone watches over the calls themselves. With $HIERSEARCH_NCCL_BLOCKING=0 no
 * call can hang, either: what is in progress is asked for with ncclCommGetAsyncError until the
 * deadline.
 *
 * Pinning. NCCL reads NCCL_ALGO with getenv each time a communicator is made (2.28.9:
 * src/graph/tuning.cc, ncclTopoTuneModel, called by initTransportsRank for splits too) and keeps
 * nothing of it between communicators, unlike its NCCL_PARAM variables. So NCCL_ALGO=Ring is set
 * while the pinned one is made and restored when it is ready. The others obey what the user's
 * environment says.
 *
 * Windows. Where both buffers lie in symmetric windows of a communicator NCCL has kernels of
 * another kind (2.28.9: src/scheduler/symmetric_sched.cc), within a node or an NVLink domain; on a
 * communicator that spans more a window is a registration, or nothing. What peers reach lies at the
 * same place of all windows, as NCCL asks: a block's place depends on inner layers alone, in which
 * a group's ranks have the same place. Making a window is a call of all ranks; ending one is not,
 * and comes before its communicator is finalised and its memory freed. One that is aborted takes
 * its windows with it.
 *
 * Zero-CTA. With NCCL_CTA_POLICY_ZERO in its configuration a communicator with windows copies by
 * the GPU's copy engines where NCCL can, and else does as with windows alone: of our calls an
 * allgather (2.28.9: src/ce_coll.cc, ncclCeImplemented), within a node.
 */
#ifndef HS_ENGINE_NCCL_COMMS_H
#define HS_ENGINE_NCCL_COMMS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/idle.h"
#include "engine/nccl_api.h"
#include "engine/nccl_record.h"
#include "model/group.h"
#include "system/datatype.h"

/* A buffer that communicators may register (zero-copy). */
struct hs_nccl_buffer {
    void *address;
    size_t bytes;
};

enum hs_nccl_kind {
    HS_NCCL_OF_LAYER,
    HS_NCCL_PINNED,   /* pinned to ring */
    HS_NCCL_WINDOWED, /* buffers are symmetric windows */
    HS_NCCL_WINDOWED_ZERO_CTA,
    HS_NCCL_PLAIN /* by NCCL's choice, as `root`, which has no registered buffers */
};

/* Layer {1, np} made by hs_nccl_comms_get is one of its own, not `root`: a plan's layer may not
 * share a communicator with the baseline. */
struct hs_nccl_comm {
    struct hs_layer layer; /* of a group: its innermost stride, and its size */
    struct hs_group group; /* the same as a group, which a gap may go through */
    enum hs_nccl_kind kind;
    bool failed; /* could not be made on some rank */
    ncclComm_t comm;
    void *registered[2];     /* handles of the buffers; NULL: not registered */
    ncclWindow_t windows[2]; /* of them; NULL: none */
    struct hs_nccl_record record;
    /* Of a first layer that is not all: sums of what is divided by np before. They go with it. */
    ncclRedOp_t mean[HS_DATATYPE_COUNT];
    struct hs_nccl_comm *next;
};

struct hs_nccl_comms {
    const struct hs_nccl_api *api;
    MPI_Comm world; /* the caller's; for ids and agreement */
    int rank, np;
    enum hs_nccl_kind kind; /* of the layers'; the caller's */
    struct hs_idle *idle;   /* the caller's */
    double timeout_seconds; /* for making and ending communicators and for runs; INFINITY: none */
    bool registers; /* the caller's: buffers with all that have no windows, where NCCL can */
    bool blocking;
    /* On this rank, until hs_nccl_comms_renew: something took longer than that; NCCL or CUDA had an
     * error. */
    bool timed_out, failed;
    struct hs_nccl_buffer buffers[2];
    ncclComm_t root;
    struct hs_nccl_record record; /* of that one */
    struct hs_nccl_comm *first;   /* in the order of making, the same on all ranks */
};

/* All functions not marked local are collective over `world`, and their
 * status is that of all ranks.
 *
 * Makes the communicator of all ranks; api, world, rank, np, idle and timeout_seconds are set by
 * the caller. On failure nothing is held. */
enum hs_status hs_nccl_comms_init(struct hs_nccl_comms *comms, struct hs_error *err);
/* The layer's communicator, made at the first call. Rank in it is the place in the layer's group.
 */
enum hs_status hs_nccl_comms_get(const struct hs_nccl_comm **out, struct hs_nccl_comms *comms,
                                 struct hs_layer layer, enum hs_nccl_kind kind,
                                 struct hs_error *err);
/* Local; NULL where it is not made yet. */
const struct hs_nccl_comm *hs_nccl_comms_find(const struct hs_nccl_comms *comms,
                                              struct hs_layer layer, enum hs_nccl_kind kind);
/* Local. What NCCL took for a phase of `comm`, one of these, or NULL: that of all ranks; and
 * forgets it. "": it is not known, or a lone rank chose nothing. */
void hs_nccl_comms_choice(char text[HS_CHOICE_TEXT], struct hs_nccl_comms *comms,
                          const struct hs_nccl_comm *comm, enum hs_phase phase);
/* The same two of the groups of a mesh. */
enum hs_status hs_nccl_comms_get_group(const struct hs_nccl_comm **out, struct hs_nccl_comms *comms,
                                       const struct hs_group *group, enum hs_nccl_kind kind,
                                       struct hs_error *err);
const struct hs_nccl_comm *hs_nccl_comms_find_group(const struct hs_nccl_comms *comms,
                                                    const struct hs_group *group,
                                                    enum hs_nccl_kind kind);
/* What is registered from now on, in place of what was, by all ranks or by none. HS_FAILED:
 * making a window took longer than timeout_seconds. */
enum hs_status hs_nccl_comms_register(struct hs_nccl_comms *comms,
                                      const struct hs_nccl_buffer buffers[2], struct hs_error *err);
/* Gives all communicators up, where hs_nccl_comms_abort has not yet, and makes them again, except
 * those that could not be made before. */
enum hs_status hs_nccl_comms_renew(struct hs_nccl_comms *comms, struct hs_error *err);
/* Local. ncclCommAbort for all. None is taken apart before all are told to stop: taking one apart
 * may wait for the device, where a kernel of any other may be stuck. What runs on them on the
 * device ends. They stay listed. */
void hs_nccl_comms_abort(struct hs_nccl_comms *comms);
/* Ends all properly; `abort`: ncclCommAbort instead. {0} is allowed. */
void hs_nccl_comms_release(struct hs_nccl_comms *comms, bool abort);

/* Local. NCCL's name of a data type. */
ncclDataType_t hs_nccl_datatype(enum hs_datatype datatype);
/* Local. Waits until a call on `comm` is no longer in progress. HS_FAILED: `call` failed, or took
 * longer than timeout_seconds. */
enum hs_status hs_nccl_wait(struct hs_nccl_comms *comms, ncclComm_t comm, ncclResult_t result,
                            const char *call, struct hs_error *err);
/* Local. Whether any communicator has seen an error since (a peer that died, a network that
 * failed). */
enum hs_status hs_nccl_comms_state(const struct hs_nccl_comms *comms, struct hs_error *err);

#endif
