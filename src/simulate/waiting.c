/*
 * How the engine's progress loop (engine/idle.h) waits in a simulation: until a message is through.
 *
 * A loop that polls would never end, because simulated time stands still while a process runs. So
 * every request that hs_transport_test finds unfinished is remembered, and where a real rank would
 * give up its turn, a simulated one sleeps in MPI_Waitany until the first of them is finished: no
 * time is added and none is lost. The linker (--wrap) puts the functions __wrap_X in place of X, in
 * the engine's unchanged code.
 *
 * Between two ranks a stage's messages go one after the other, as over one connection. SMPI would
 * have all that are under way share the links, so that the first comes as late as the last. So a
 * message is sent when the one before has left, as bytes without latency, and behind them one of
 * one byte, which takes the latency: a message has come when that has.
 *
 * A rank's messages leave HS_MESSAGE_SECONDS apart or more, however short they are; the first one's
 * are in the latency.
 *
 * All ranks are in one process and run one at a time, so they can share a table without a lock.
 */
#include <math.h>
#include <simgrid/actor.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/idle.h"
#include "engine/mpi_status.h"
#include "engine/stages.h"
#include "model/traffic.h"
#include "simulate/simulate.h"
#include "system/links.h"

struct channel;

/* Each stage tests its oldest send and its oldest receive; a tree, on the last layer, two of both;
 * trees on single links, those of each neighbour, out and back. And what moves to whomever else. */
#define UNFINISHED_MAX (2 * HS_STAGES_MAX + 2 + 4 * HS_LINKS_UNITS + CHANNELS_MAX)
/* Of a rank, at a time. */
#define CHANNELS_MAX 4096

struct unfinished {
    MPI_Request *requests[UNFINISHED_MAX]; /* what the messages keep */
    int count;
    struct channel *channels; /* to other ranks */
    double free_seconds;      /* when the next message can leave */
};

static struct unfinished *table; /* [ranks] */

static double launch;

/* Nothing in a simulation goes on after one of these. */
static void must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "hiersearch-simulate: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static struct unfinished *mine(void)
{
    int rank = 0;

    must(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS, "MPI_Comm_rank failed");
    return &table[rank];
}

void hs_waiting_init(int np, double launch_seconds)
{
    if (!table)
        table = calloc((size_t)np, sizeof(*table));
    must(table != NULL, "out of memory for all ranks' requests");
    launch = launch_seconds;
}

/* ---- messages ---- */

/* Far beyond the tags of stages. */
#define ARRIVAL_TAG 16384

/* A message as one of its ends sees it; what the engine holds is a pointer to it. */
struct end {
    struct end *next; /* sent by the same rank to the same one, later */
    struct hs_transport *transport;
    void *data;
    int bytes, peer, tag;
    char last_byte;
    struct channel *channel;      /* of a send */
    MPI_Request moving, arriving; /* MPI_REQUEST_NULL: through */
    bool begun, done;             /* of a send */
};

/* What a stage of a rank sends to another one, in order; the first is moving. (Not what all its
 * stages send: one may have to wait for another's.) */
struct channel {
    struct channel *next;
    int to, tag;
    struct end *first, **last;
};

static bool is_through(MPI_Request *request)
{
    int done = *request == MPI_REQUEST_NULL; /* SMPI calls a null request unfinished */

    if (!done)
        must(MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS, "MPI_Test failed");
    return done;
}

/* Moves what is first as far as it goes, one message after the other. */
static void advance(struct channel *channel)
{
    for (struct end *end; (end = channel->first);) {
        if (!end->begun)
            hs_transport_note(end->transport,
                              MPI_Isend(end->data, end->bytes, MPI_BYTE, end->peer, end->tag,
                                        end->transport->comm, &end->moving),
                              "MPI_Isend");
        end->begun = true;
        if (!is_through(&end->moving))
            return;
        hs_transport_note(end->transport,
                          MPI_Send(&end->last_byte, 1, MPI_BYTE, end->peer, end->tag + ARRIVAL_TAG,
                                   end->transport->comm),
                          "MPI_Send");
        end->done = true;
        channel->first = end->next;
        if (!channel->first)
            channel->last = &channel->first;
    }
}

/* The rank is busy until its next message can leave; others of its messages go on. */
static void keep_apart(void)
{
    struct unfinished *rank = mine();
    double now = MPI_Wtime();

    if (now < rank->free_seconds) {
        sg_actor_sleep_until(rank->free_seconds);
        for (struct channel *channel = rank->channels; channel; channel = channel->next)
            advance(channel);
    }
    rank->free_seconds = fmax(now, rank->free_seconds) + HS_MESSAGE_SECONDS;
}

static struct channel *channel_to(int to, int tag)
{
    struct channel **place = &mine()->channels;

    while (*place && ((*place)->to != to || (*place)->tag != tag))
        place = &(*place)->next;
    if (!*place) {
        *place = calloc(1, sizeof(**place));
        must(*place != NULL, "out of memory for a channel");
        (*place)->to = to;
        (*place)->tag = tag;
        (*place)->last = &(*place)->first;
    }
    return *place;
}

static struct end *new_end(struct hs_transport *transport, void *data, size_t bytes, int peer,
                           int tag, MPI_Request *request)
{
    struct end *end = malloc(sizeof(*end));

    must(end != NULL, "out of memory for a message");
    *end = (struct end){.transport = transport,
                        .data = data,
                        .bytes = (int)bytes,
                        .peer = peer,
                        .tag = tag,
                        .moving = MPI_REQUEST_NULL,
                        .arriving = MPI_REQUEST_NULL};
    *request = (MPI_Request)end;
    return end;
}

void __wrap_hs_transport_send(struct hs_transport *transport, const void *data, size_t bytes,
                              int to, int tag, MPI_Request *request)
{
    struct end *end;

    keep_apart();
    end = new_end(transport, (void *)(uintptr_t)data, bytes, to, tag, request);
    end->channel = channel_to(to, tag);
    *end->channel->last = end;
    end->channel->last = &end->next;
    advance(end->channel);
}

void __wrap_hs_transport_receive(struct hs_transport *transport, void *data, size_t bytes, int from,
                                 int tag, MPI_Request *request)
{
    struct end *end = new_end(transport, data, bytes, from, tag, request);

    hs_transport_note(
        transport, MPI_Irecv(data, end->bytes, MPI_BYTE, from, tag, transport->comm, &end->moving),
        "MPI_Irecv");
    hs_transport_note(transport,
                      MPI_Irecv(&end->last_byte, 1, MPI_BYTE, from, tag + ARRIVAL_TAG,
                                transport->comm, &end->arriving),
                      "MPI_Irecv");
}

/* What the message waits for; NULL: nothing any more. */
static MPI_Request *waits_for(struct end *end)
{
    if (end->channel) {
        advance(end->channel);
        return end->done ? NULL : &end->channel->first->moving;
    }
    if (!is_through(&end->moving))
        return &end->moving;
    return is_through(&end->arriving) ? NULL : &end->arriving;
}

bool __wrap_hs_transport_test(struct hs_transport *transport, MPI_Request *request)
{
    struct unfinished *unfinished;
    MPI_Request *waited;

    (void)transport;
    if (*request == MPI_REQUEST_NULL)
        return true;
    waited = waits_for((struct end *)*request);
    if (!waited) {
        free(*request);
        *request = MPI_REQUEST_NULL;
        return true;
    }
    unfinished = mine();
    must(unfinished->count < UNFINISHED_MAX, "a test of too many requests");
    unfinished->requests[unfinished->count++] = waited;
    return false;
}

void __wrap_hs_transport_launch(struct hs_transport *transport)
{
    (void)transport;
    if (launch > 0)
        sg_actor_sleep_for(launch);
}

enum hs_status hs_idle_init(struct hs_idle *idle, MPI_Comm world, struct hs_error *err)
{
    (void)world, (void)err;
    *idle = (struct hs_idle){.ranks_here = 1, .cores_here = 1};
    return HS_OK;
}

/* What moves to others goes on, too, though nobody asks for it yet: MPI's own progress. */
static void add_moving(struct unfinished *unfinished)
{
    for (struct channel *channel = unfinished->channels; channel; channel = channel->next) {
        bool known = false;

        advance(channel);
        for (int i = 0; channel->first && i < unfinished->count; i++)
            known |= unfinished->requests[i] == &channel->first->moving;
        if (channel->first && !known) {
            must(unfinished->count < UNFINISHED_MAX, "too many messages at once");
            unfinished->requests[unfinished->count++] = &channel->first->moving;
        }
    }
}

void hs_idle_looked(struct hs_idle *idle, bool moved)
{
    struct unfinished *unfinished = mine();
    MPI_Request requests[UNFINISHED_MAX];
    int first = MPI_UNDEFINED;

    (void)idle;
    if (!moved) {
        add_moving(unfinished);
        for (int i = 0; i < unfinished->count; i++)
            requests[i] = *unfinished->requests[i];
        must(MPI_Waitany(unfinished->count, requests, &first, MPI_STATUS_IGNORE) == MPI_SUCCESS,
             "MPI_Waitany failed");
        must(first != MPI_UNDEFINED, "waiting for nothing");
        /* The next test, of the engine or of the channel, finds it finished. */
        *unfinished->requests[first] = requests[first];
    }
    unfinished->count = 0;
}

enum hs_status hs_idle_wait(struct hs_idle *idle, MPI_Request *request, struct hs_error *err)
{
    (void)idle;
    return HS_MPI(MPI_Wait(request, MPI_STATUS_IGNORE), err);
}

enum hs_status hs_idle_barrier(struct hs_idle *idle, MPI_Comm comm, struct hs_error *err)
{
    (void)idle;
    return HS_MPI(MPI_Barrier(comm), err);
}

/* SMPI's nonblocking allreduce sends np^2 messages, of which its blocking one has no need. */
int __wrap_MPI_Iallreduce(const void *input, void *output, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return MPI_Allreduce(input, output, count, type, op, comm);
}

int __wrap_MPI_Comm_idup(MPI_Comm comm, MPI_Comm *duplicate, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return MPI_Comm_dup(comm, duplicate);
}
