/* transport.c - see transport.h: over MPI. */
#include "engine/transport.h"

#include "engine/mpi_status.h"

void hs_transport_note(struct hs_transport *transport, int code, const char *call)
{
    if (transport->status == HS_OK)
        transport->status = hs_mpi_status(code, call, &transport->error);
}

void hs_transport_note_queue(struct hs_transport *transport, const struct hs_queue *queue)
{
    if (transport->status == HS_OK)
        transport->status = transport->memory->failure(queue, &transport->error);
}

void hs_transport_send(struct hs_transport *transport, const void *data, size_t bytes, int to,
                       int tag, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (transport->status == HS_OK)
        hs_transport_note(transport,
                          MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, transport->comm, request),
                          "MPI_Isend");
}

void hs_transport_receive(struct hs_transport *transport, void *data, size_t bytes, int from,
                          int tag, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (transport->status == HS_OK)
        hs_transport_note(
            transport, MPI_Irecv(data, (int)bytes, MPI_BYTE, from, tag, transport->comm, request),
            "MPI_Irecv");
}

bool hs_transport_test(struct hs_transport *transport, MPI_Request *request)
{
    int done = 0;

    if (transport->status == HS_OK)
        hs_transport_note(transport, MPI_Test(request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done || transport->status != HS_OK;
}

void hs_transport_launch(struct hs_transport *transport)
{
    (void)transport;
}
