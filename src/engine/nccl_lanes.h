/*
 * nccl_lanes.h - a task as a sequence of NCCL calls on streams.
 *
 * Layer i has a stream of its own, its lane; stage s of chunk c goes to its layer's lane and waits
 * for the event of stage s - 1 of the same chunk. All ranks issue in the same order, which depends
 * on nothing but the plan: for tick t = 0, 1, ... the stages from the last to the first, each with
 * chunk t - s. So what is nearly done comes first, and an event is waited for before it is recorded
 * again: one per stage is enough. NCCL wants the same order on all ranks for one communicator, and
 * across communicators too.
 *
 * Before 2.26 NCCL could not have two communicators of a device at work at once without a risk of
 * deadlock, nor can it where the user has NCCL_LAUNCH_ORDER_IMPLICIT=0. Then all layers share one
 * lane: right, but without overlap.
 *
 * An all-to-all's stage is a send and a receive of every two ranks of a group, in one group of
 * calls, as nccl-tests' alltoall (src/alltoall.cu). What goes to one rank are runs, which a kernel
 * brings together before, and apart again after it: between the output and another buffer, so that
 * the last layer, whose runs are whole, ends in the output.
 *
 * Packed, kernels bring the larger side into the order of the layers, or back: one pass fewer than
 * layers.
 *
 * Average. With a power of two of ranks, np, 1/np is exact: the first layer multiplies by it before
 * it adds (ncclRedOpCreatePreMulSum; ncclAvg where it is the only one), the others add. With other
 * numbers that factor is rounded; there all layers add, and one kernel divides the sums by the
 * number of ranks right after the last layer's allreduce, on the 1/(p1 ... p(h-1)) of the message
 * that this rank has then.
 */
#ifndef HS_ENGINE_NCCL_LANES_H
#define HS_ENGINE_NCCL_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/nccl_comms.h"
#include "engine/stages.h"

/* Host time of work that was issued: all of it, and the part inside NCCL. Their difference, divided
 * by calls, is what the executor adds (CUDA's events included). A replay of a graph makes no call.
 */
struct hs_nccl_clock {
    uint64_t calls, replays;
    double issue_seconds, nccl_seconds;
};

/* Opens at `turn`. */
struct hs_nccl_gate {
    volatile uint32_t *passed; /* pinned */
    uint32_t turn;
};

/* Events with times, two for each stage and chunk. */
struct hs_nccl_timers {
    cudaEvent_t *events; /* [count] start and end */
    size_t count;
};

/* A message between two layers, or on its way into another order; NULL: not needed so far. */
struct hs_nccl_between {
    void *data;
    size_t bytes;
};

struct hs_nccl_lanes {
    struct hs_nccl_comms *comms;
    bool one_lane;                       /* layers share lane 0 */
    const char *serial;                  /* why layers do not overlap; NULL: they may */
    cudaStream_t streams[HS_LAYERS_MAX]; /* made when needed; [0] always there */
    cudaEvent_t done[HS_STAGES_MAX];     /* of a stage's latest chunk; likewise */
    cudaEvent_t begin, end;              /* of a run, on lane 0; timed */
    struct hs_nccl_gate gate;            /* holds lane 0 */
    struct hs_nccl_timers timed;
    struct hs_nccl_between between;
    struct hs_stages stages; /* of the plan or stage that was issued last */
    double issued, looked;   /* when work was issued, and the states were looked at */
    unsigned looks;
    struct hs_nccl_clock clock;
};

/* The library's calls: by its own choice, by a ring, with symmetric windows, and with those where
 * copies are not to be made by kernels. */
enum {
    HS_NCCL_NATIVE_DEFAULT,
    HS_NCCL_NATIVE_RING,
    HS_NCCL_NATIVE_SYMMETRIC,
    HS_NCCL_NATIVE_ZERO_CTA
};
/* The kind of the communicator of such a call, and whether it is none of these, but that of all
 * ranks: the first, where no group of a mesh calls and nothing is registered. */
enum hs_nccl_kind hs_nccl_native_kind(int native);
bool hs_nccl_native_is_root(const struct hs_nccl_comms *comms, const struct hs_task *task);

/* Local. What NCCL took for each stage of the work that ran while it was listened to. */
void hs_nccl_take_choices(struct hs_nccl_lanes *lanes, const struct hs_work *work,
                          char text[HS_STAGES_MAX][HS_CHOICE_TEXT]);

/* Local. `comms` is set by the caller; `captured`: work will be replayed. */
enum hs_status hs_nccl_lanes_init(struct hs_nccl_lanes *lanes, bool captured, struct hs_error *err);
/* Local; {0} is allowed. */
void hs_nccl_lanes_release(struct hs_nccl_lanes *lanes);
/* Local. Streams and events for h layers. */
enum hs_status hs_nccl_lanes_need(struct hs_nccl_lanes *lanes, int layers, struct hs_error *err);

/* Local. Whether what is between the layers of `work` needs more room than there is. */
bool hs_nccl_lanes_short(const struct hs_nccl_lanes *lanes, const struct hs_work *work,
                         int64_t rank);
/* Local. Gives it that room; nothing that uses what was there is on the device, or in a graph. */
enum hs_status hs_nccl_lanes_widen(struct hs_nccl_lanes *lanes, const struct hs_work *work,
                                   struct hs_error *err);

/* Puts work on the lanes, whose communicators exist; begins and ends on lane 0. Local, does not
 * wait for the device. `timed`: records events around each stage of each chunk (not while a stream
 * is captured). */
enum hs_status hs_nccl_issue(struct hs_nccl_lanes *lanes, const struct hs_work *work, bool timed,
                             struct hs_error *err);

/* Local. Holds lane 0, so everything that is issued next, until hs_nccl_lanes_go, or for some
 * seconds. Nothing that waits for the device may be called meanwhile: no first call of a
 * communicator, and no more calls than its queues take. */
enum hs_status hs_nccl_lanes_hold(struct hs_nccl_lanes *lanes, struct hs_error *err);
/* Local. Time is counted from here. Allowed where nothing is held. */
void hs_nccl_lanes_go(struct hs_nccl_lanes *lanes);

/* What the events of the last timed work say, which has ended. */
enum hs_status hs_nccl_stage_times(struct hs_nccl_lanes *lanes, double seconds[HS_STAGES_MAX],
                                   struct hs_error *err);
/* Whether `end` has passed, from when `issued` is counted; looks at the communicators now and then.
 * HS_FAILED: an error of CUDA or NCCL, or timeout_seconds are over (comms->timed_out). */
enum hs_status hs_nccl_lanes_test(struct hs_nccl_lanes *lanes, bool *done, struct hs_error *err);
/* Seconds from `begin` to `end` on the device. */
enum hs_status hs_nccl_lanes_seconds(const struct hs_nccl_lanes *lanes, double *seconds,
                                     struct hs_error *err);

#endif
