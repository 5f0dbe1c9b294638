/* layer_comms.c - see layer_comms.h. */
#include "engine/layer_comms.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/mpi_status.h"

/* MPI_Comm_idup and the wait for it. */
static enum hs_status duplicate(MPI_Comm *out, MPI_Comm comm, struct hs_idle *idle,
                                struct hs_error *err)
{
    MPI_Request request;
    enum hs_status status = HS_MPI(MPI_Comm_idup(comm, out, &request), err);

    return status == HS_OK ? hs_idle_wait(idle, &request, err) : status;
}

enum hs_status hs_layer_comms_init(struct hs_layer_comms *comms, MPI_Comm world,
                                   struct hs_error *err)
{
    enum hs_status status;

    *comms = (struct hs_layer_comms){.idle.oversubscribed = true}; /* until it is known */
    status = duplicate(&comms->world, world, &comms->idle, err);
    return status == HS_OK ? hs_layer_comms_take(comms, comms->world, err) : status;
}

enum hs_status hs_layer_comms_take(struct hs_layer_comms *comms, MPI_Comm world,
                                   struct hs_error *err)
{
    enum hs_status status;

    *comms = (struct hs_layer_comms){.world = world, .idle.oversubscribed = true};
    if ((status = HS_MPI(MPI_Comm_set_errhandler(comms->world, MPI_ERRORS_RETURN), err)) ||
        (status = HS_MPI(MPI_Comm_rank(comms->world, &comms->rank), err)) ||
        (status = HS_MPI(MPI_Comm_size(comms->world, &comms->np), err)))
        return status;
    return hs_idle_init(&comms->idle, comms->world, err);
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

static struct hs_layer_comm *find(const struct hs_layer_comms *comms, const struct hs_group *group)
{
    for (struct hs_layer_comm *at = comms->first; at != NULL; at = at->next)
        if (hs_group_equal(&at->group, group))
            return at;
    return NULL;
}

/* Color = the group's first rank b. */
static enum hs_status make_communicators(struct hs_layer_comm *comm, struct hs_layer_comms *comms,
                                         struct hs_error *err)
{
    int color = (int)hs_group_rank(&comm->group, comms->rank, 0);
    int place = (int)hs_group_place(&comm->group, comms->rank);
    enum hs_status status = HS_MPI(MPI_Comm_split(comms->world, color, place, &comm->reduce), err);

    return status == HS_OK ? duplicate(&comm->gather, comm->reduce, &comms->idle, err) : status;
}

enum hs_status hs_layer_comms_get(const struct hs_layer_comm **out, struct hs_layer_comms *comms,
                                  struct hs_layer layer, struct hs_error *err)
{
    struct hs_group group = {.ranks = comms->np, .stride = layer.stride, .size = layer.size};

    return hs_layer_comms_of_group(out, comms, &group, err);
}

enum hs_status hs_layer_comms_of_group(const struct hs_layer_comm **out,
                                       struct hs_layer_comms *comms, const struct hs_group *group,
                                       struct hs_error *err)
{
    struct hs_layer_comm *comm = find(comms, group);
    enum hs_status status = HS_OK;

    assert(comms->np % hs_group_span(group, group->size) == 0);
    *out = comm;
    if (comm != NULL)
        return HS_OK;
    comm = calloc(1, sizeof *comm);
    if (comm == NULL)
        status = hs_no_memory(err);
    status = hs_agree(comms->world, &comms->idle, status, err);
    if (status != HS_OK || comm == NULL) {
        free(comm);
        return status;
    }
    comm->layer = (struct hs_layer){group->stride, group->size};
    comm->group = *group;
    comm->reduce = comm->gather = MPI_COMM_NULL;
    comm->next = comms->first;
    comms->first = comm;
    *out = comm;
    return make_communicators(comm, comms, err);
}

/* What cannot be freed is left to MPI_Finalize. */
static void free_comm(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL)
        (void)MPI_Comm_free(comm);
}

void hs_layer_comms_release(struct hs_layer_comms *comms)
{
    while (comms->first != NULL) {
        struct hs_layer_comm *comm = comms->first;

        comms->first = comm->next;
        free_comm(&comm->gather);
        free_comm(&comm->reduce);
        free(comm);
    }
    if (comms->np > 0)
        free_comm(&comms->world);
    *comms = (struct hs_layer_comms){0};
}

enum hs_status hs_agree(MPI_Comm world, struct hs_idle *idle, enum hs_status mine,
                        struct hs_error *err)
{
    struct {
        int status, rank;
    } local = {.status = (int)mine}, worst;
    MPI_Request request;
    enum hs_status status;

    if ((status = HS_MPI(MPI_Comm_rank(world, &local.rank), err)) ||
        (status = HS_MPI(MPI_Iallreduce(&local, &worst, 1, MPI_2INT, MPI_MAXLOC, world, &request),
                         err)) ||
        (status = hs_idle_wait(idle, &request, err)))
        return status;
    if (mine == HS_OK && worst.status != HS_OK)
        return hs_fail(err, (enum hs_status)worst.status, "rank %d failed, so this one stops too",
                       worst.rank);
    return (enum hs_status)worst.status;
}
