/*
 * transport.h - what algorithms are written on: messages between ranks, and memory.
 *
 * A message is bytes from one rank of `comm` to another, sent and received without waiting. What
 * lies in memory is copied and reduced by the memory's own table (memory.h), on a queue of the
 * algorithm's.
 *
 * Messages under way are looked at together, once in a look: each look at MPI's library lets it
 * work on all of them, and costs what it costs, a system call or, where ranks that wait give their
 * core away, a round of the others.
 *
 * The first call that fails is remembered with its error; from then on nothing is sent and every
 * test says done, so that whoever waits comes out and looks at `status`.
 */
#ifndef HS_ENGINE_TRANSPORT_H
#define HS_ENGINE_TRANSPORT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/memory.h"

/* What is under way: requests, and where their owners have them. */
struct hs_watched {
    MPI_Request *requests;
    MPI_Request **owners;
    int *through; /* that a look found, and how they went: room for all */
    MPI_Status *ends;
    size_t room;
    int count;
    bool looked_at; /* in this look */
};

struct hs_transport {
    MPI_Comm comm; /* its errors are returned */
    const struct hs_memory *memory;
    struct hs_watched watched;
    enum hs_status status; /* HS_OK: all went well so far */
    struct hs_error error;
};

/* Frees what it has grown. */
void hs_transport_release(struct hs_transport *transport);

/* Begins a look: the next test looks at all messages anew. */
void hs_transport_look(struct hs_transport *transport);

/* Bytes are at most INT_MAX. *request is MPI_REQUEST_NULL after a failure; it stays where it is
 * until it is through. */
void hs_transport_send(struct hs_transport *transport, const void *data, size_t bytes, int to,
                       int tag, MPI_Request *request);
void hs_transport_receive(struct hs_transport *transport, void *data, size_t bytes, int from,
                          int tag, MPI_Request *request);
/* The same for a request that another call of MPI's made. */
void hs_transport_watch(struct hs_transport *transport, MPI_Request *request);
/* Whether the message was through in this look: then *request is MPI_REQUEST_NULL. */
bool hs_transport_test(struct hs_transport *transport, MPI_Request *request);

/* Before each stage begins: what a launch costs, where that is played (smpi). */
void hs_transport_launch(struct hs_transport *transport);

/* Remembers how an MPI call of that text went, or what went wrong on a queue of `memory`. */
void hs_transport_note(struct hs_transport *transport, int code, const char *call);
void hs_transport_note_queue(struct hs_transport *transport, const struct hs_queue *queue);

#endif
