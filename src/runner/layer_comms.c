/* layer_comms.c - see layer_comms.h. */
#include "runner/layer_comms.h"

#include <assert.h>
#include <stdlib.h>

#include "runner/check.h"

void hs_layer_comms_init(struct hs_layer_comms *comms, MPI_Comm world)
{
    *comms = (struct hs_layer_comms){0};
    MPI_Request request;
    comms->idle.oversubscribed = true; /* until it is known */
    CHECK_MPI(MPI_Comm_idup(world, &comms->world, &request));
    hs_idle_wait(&comms->idle, &request);
    CHECK_MPI(MPI_Comm_set_errhandler(comms->world, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Comm_rank(comms->world, &comms->rank));
    CHECK_MPI(MPI_Comm_size(comms->world, &comms->np));
    hs_idle_init(&comms->idle, comms->world);
}

int hs_layer_place(struct hs_layer layer, int rank)
{
    return (int)(rank / layer.stride % layer.size);
}

int hs_layer_rank(struct hs_layer layer, int rank, int place)
{
    int64_t size = layer.size;
    int64_t steps = (place % size + size) % size - hs_layer_place(layer, rank);
    return (int)(rank + steps * layer.stride);
}

static struct hs_layer_comm *find(const struct hs_layer_comms *comms, struct hs_layer layer)
{
    for (struct hs_layer_comm *at = comms->first; at != NULL; at = at->next)
        if (at->layer.stride == layer.stride && at->layer.size == layer.size)
            return at;
    return NULL;
}

/* Colour = the group's first rank b. */
static void make_communicators(struct hs_layer_comm *comm, struct hs_layer_comms *comms)
{
    MPI_Request request;
    CHECK_MPI(MPI_Comm_split(comms->world, hs_layer_rank(comm->layer, comms->rank, 0),
                             hs_layer_place(comm->layer, comms->rank), &comm->reduce));
    CHECK_MPI(MPI_Comm_idup(comm->reduce, &comm->gather, &request));
    hs_idle_wait(&comms->idle, &request);
}

enum hs_status hs_layer_comms_get(const struct hs_layer_comm **out, struct hs_layer_comms *comms,
                                  struct hs_layer layer, struct hs_error *err)
{
    assert(comms->np % (layer.stride * layer.size) == 0);
    struct hs_layer_comm *comm = find(comms, layer);
    *out = comm;
    if (comm != NULL)
        return HS_OK;

    comm = calloc(1, sizeof *comm);
    enum hs_status status = HS_OK;
    if (comm == NULL)
        status = hs_fail(err, HS_MEMORY, "out of memory for a layer's communicator");
    status = hs_agree(comms->world, &comms->idle, status, err);
    if (status != HS_OK) {
        free(comm);
        return status;
    }
    assert(comm != NULL); /* they agreed that all have one */
    comm->layer = layer;
    make_communicators(comm, comms);
    comm->next = comms->first;
    comms->first = comm;
    *out = comm;
    return HS_OK;
}

void hs_layer_comms_release(struct hs_layer_comms *comms)
{
    while (comms->first != NULL) {
        struct hs_layer_comm *comm = comms->first;
        comms->first = comm->next;
        CHECK_MPI(MPI_Comm_free(&comm->gather));
        CHECK_MPI(MPI_Comm_free(&comm->reduce));
        free(comm);
    }
    if (comms->np > 0)
        CHECK_MPI(MPI_Comm_free(&comms->world));
    *comms = (struct hs_layer_comms){0};
}

enum hs_status hs_agree(MPI_Comm world, struct hs_idle *idle, enum hs_status mine,
                        struct hs_error *err)
{
    struct {
        int status, rank;
    } local, worst;
    MPI_Request request;
    local.status = (int)mine;
    CHECK_MPI(MPI_Comm_rank(world, &local.rank));
    CHECK_MPI(MPI_Iallreduce(&local, &worst, 1, MPI_2INT, MPI_MAXLOC, world, &request));
    hs_idle_wait(idle, &request);
    if (mine == HS_OK && worst.status != HS_OK)
        return hs_fail(err, (enum hs_status)worst.status, "rank %d failed, so this one stops too",
                       worst.rank);
    return (enum hs_status)worst.status;
}
