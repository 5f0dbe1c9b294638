/* transport.c - see transport.h: over MPI. */
#include "engine/transport.h"

#include <stdlib.h>

#include "base/list.h"
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

void hs_transport_release(struct hs_transport *transport)
{
    struct hs_watched *watched = &transport->watched;

    free(watched->requests);
    free(watched->owners);
    free(watched->through);
    free(watched->ends);
    *watched = (struct hs_watched){0};
}

void hs_transport_look(struct hs_transport *transport)
{
    transport->watched.looked_at = false;
}

/* ---- what is under way ---- */

/* Room for one more in each of the lists, which are as long as the first. */
static enum hs_status make_room(struct hs_watched *watched, struct hs_error *err)
{
    size_t count = (size_t)watched->count, room[4];

    for (int i = 0; i < 4; i++)
        room[i] = watched->room;
    if (!hs_grow(&watched->requests, &room[0], count, sizeof(*watched->requests), err) ||
        !hs_grow(&watched->owners, &room[1], count, sizeof(*watched->owners), err) ||
        !hs_grow(&watched->through, &room[2], count, sizeof(*watched->through), err) ||
        !hs_grow(&watched->ends, &room[3], count, sizeof(*watched->ends), err))
        return HS_MEMORY;
    watched->room = room[0];
    return HS_OK;
}

void hs_transport_watch(struct hs_transport *transport, MPI_Request *request)
{
    struct hs_watched *watched = &transport->watched;

    if (transport->status != HS_OK || *request == MPI_REQUEST_NULL)
        return;
    transport->status = make_room(watched, &transport->error);
    if (transport->status != HS_OK)
        return;
    watched->requests[watched->count] = *request;
    watched->owners[watched->count++] = request;
}

/* Tells the owners of what is through, and closes up. */
static void take_out(struct hs_watched *watched, int through)
{
    int kept = 0;

    for (int i = 0; i < through; i++) {
        int index = watched->through[i];

        *watched->owners[index] = MPI_REQUEST_NULL;
        watched->owners[index] = NULL;
    }
    for (int i = 0; i < watched->count; i++) {
        if (!watched->owners[i])
            continue;
        watched->requests[kept] = watched->requests[i];
        watched->owners[kept++] = watched->owners[i];
    }
    watched->count = kept;
}

static void look_at_all(struct hs_transport *transport)
{
    struct hs_watched *watched = &transport->watched;
    int through = 0, code;

    watched->looked_at = true;
    code =
        MPI_Testsome(watched->count, watched->requests, &through, watched->through, watched->ends);
    for (int i = 0; i < through && code == MPI_ERR_IN_STATUS; i++)
        if (watched->ends[i].MPI_ERROR != MPI_SUCCESS)
            code = watched->ends[i].MPI_ERROR;
    hs_transport_note(transport, code, "MPI_Testsome");
    if (transport->status == HS_OK && through > 0)
        take_out(watched, through);
}

/* ---- messages ---- */

void hs_transport_send(struct hs_transport *transport, const void *data, size_t bytes, int to,
                       int tag, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (transport->status == HS_OK)
        hs_transport_note(transport,
                          MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, transport->comm, request),
                          "MPI_Isend");
    hs_transport_watch(transport, request);
}

void hs_transport_receive(struct hs_transport *transport, void *data, size_t bytes, int from,
                          int tag, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (transport->status == HS_OK)
        hs_transport_note(
            transport, MPI_Irecv(data, (int)bytes, MPI_BYTE, from, tag, transport->comm, request),
            "MPI_Irecv");
    hs_transport_watch(transport, request);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): smpi's sets it */
bool hs_transport_test(struct hs_transport *transport, MPI_Request *request)
{
    if (transport->status == HS_OK && *request != MPI_REQUEST_NULL && !transport->watched.looked_at)
        look_at_all(transport);
    return transport->status != HS_OK || *request == MPI_REQUEST_NULL;
}

void hs_transport_launch(struct hs_transport *transport)
{
    (void)transport;
}
