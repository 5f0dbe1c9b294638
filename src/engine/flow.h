/*
 * flow.h - messages of an algorithm on one rank, sent and received in a fixed order: what the
 * executors of trees, halving and direct exchange have in common.
 *
 * An algorithm says which messages there are, from whom to whom, of which pieces of memory, and
 * what each has to wait for; a flow carries them out, some each way at once. A received message is
 * used when all before it are: what comes is added to this rank's part, or brought to its place, in
 * that order whatever the timing, so results are the same bits on every run.
 *
 * What is added to lies in a slot until it is; what is gathered is received straight into its
 * place, and what is sent is read straight from there. A message of several pieces is packed in a
 * slot, and where MPI cannot be handed pointers to the memory everything that travels lies in one.
 *
 * Flows cannot lock up where, first, send i to a rank is its receive from here at the same place
 * among those of the two, and second, waits go to what is earlier in an order all ranks agree on.
 */
#ifndef HS_ENGINE_FLOW_H
#define HS_ENGINE_FLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/executors.h"
#include "model/traffic.h"

#define HS_FLOW_WINDOW_MAX HS_WINDOW_MAX

/* Elements that lie together. */
struct hs_piece {
    char *data;      /* what is sent; or the place of what comes */
    const char *own; /* of a receive: what comes is added to; NULL: nothing. May be `data` */
    size_t count;
    bool last; /* of a receive: the last addition of these elements (averages) */
};

struct hs_message {
    int peer;      /* rank */
    size_t pieces; /* 1 .. */
    /* A send can begin, a receive be posted, when *counter, one of a flow's, is `least` or more;
     * NULL: at once. */
    const size_t *counter;
    size_t least;
    /* Of a receive that is added from a slot: it is posted at once, and added then. */
    bool posts_early;
};

/* Message `index`, and piece `number` of it, as `owner` sends or receives it. Pieces may be empty;
 * an empty message is not sent. */
struct hs_flow_rules {
    struct hs_message (*message)(const void *owner, size_t index, bool sends);
    struct hs_piece (*piece)(const void *owner, size_t index, size_t number, bool sends);
};

/* A phase's messages. */
struct hs_flow_plan {
    const struct hs_flow_rules *rules;
    const void *owner;
    size_t send_count, receive_count;
    struct hs_reduction reduction;
    int tag;
    size_t slot_bytes; /* no message that needs a slot is longer */
    /* Messages under way each way, 1 .. HS_FLOW_WINDOW_MAX, and a slot for each, by hs_flow_slots:
     * before it, how many there should be at most, or 0. */
    size_t receive_window, send_window;
    char *receive_slots, *send_slots;
};

struct hs_flow {
    struct hs_transport *transport;
    struct hs_queue *queue;
    struct hs_flow_plan plan;
    /* So far: receives posted, through, and their data in its place; sends whose data is on its way
     * to where it is sent from, sends posted, and through. */
    size_t receives_posted, received, ready, prepared, sends_posted, sent;
    MPI_Request receives[HS_FLOW_WINDOW_MAX], sends[HS_FLOW_WINDOW_MAX];
};

/* Local. HS_MEMORY; release it all the same. */
enum hs_status hs_flow_init(struct hs_flow *flow, struct hs_transport *transport,
                            struct hs_error *err);
void hs_flow_release(struct hs_flow *flow);

/* Bytes of scratch that a machine's slots can take. `packs`: messages are sent from slots even if
 * the memory is direct. Where no slots are needed, as if there were some. */
size_t hs_flow_room(const struct hs_memory *memory, const struct hs_executor_options *options,
                    bool packs);
/* As many slots of plan->slot_bytes as `room` bytes of scratch hold; `both`: for sends, too. */
void hs_flow_slots(struct hs_flow_plan *plan, char *scratch, size_t room, bool both);

/* Whatever was begun before is through. */
void hs_flow_start(struct hs_flow *flow, const struct hs_flow_plan *plan);
/* As progress of executors.h. */
bool hs_flow_progress(struct hs_flow *flow, bool *moved);

/* What the machine of an executor on a flow begins with; an executor's own fields lie behind it. */
struct hs_flow_machine {
    struct hs_transport *transport;
    struct hs_executor_options options;
    struct hs_flow flow;
    struct hs_executor_call call;
    struct hs_cut cut;
    int place; /* of this rank in the layer */
};

/* As make, release and progress of executors.h; a machine of `bytes` bytes, {0} behind the base. */
enum hs_status hs_flow_machine_make(void **machine, size_t bytes, struct hs_transport *transport,
                                    const struct hs_executor_options *options,
                                    struct hs_error *err);
void hs_flow_machine_release(void *machine);
bool hs_flow_machine_progress(void *machine, bool *moved);
/* Fills call and place, and begins a flow of nothing. True: the call has messages, whose cut and
 * flow are the executor's to make. */
bool hs_flow_machine_begin(struct hs_flow_machine *base, const struct hs_executor_call *call);

#endif
