/*
 * native.h - the MPI library's own collective of a stage, on the communicator of its layer: what
 * backend mpi runs, and backend host where a plan says `n`.
 */
#ifndef HS_ENGINE_NATIVE_H
#define HS_ENGINE_NATIVE_H

#include "engine/layer_comms.h"
#include "engine/transport.h"
#include "model/stage.h"

struct hs_native_call {
    enum hs_phase phase;
    const struct hs_layer_comm *comm;
    const void *from; /* MPI_IN_PLACE: what lies in `to` */
    void *to;         /* of a reduce-scatter one part, unless in place: then the first of `to` */
    int count;        /* elements on the larger side; the other has one part for each rank */
    int run;          /* of an exchange, as in executors.h */
    MPI_Datatype type;
    MPI_Op op;
    MPI_Request *request; /* not under way; NULL: blocking */
};

/* How it went is in the transport's status. */
void hs_native_start(struct hs_transport *transport, const struct hs_native_call *call);

#endif
