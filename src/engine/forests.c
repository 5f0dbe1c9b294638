/* forests.c - see forests.h. */
#include "engine/forests.h"

#include <stdlib.h>

#include "engine/layer_comms.h"
#include "engine/mpi_status.h"
#include "links/packing.h"

static enum hs_status broadcast(void *data, size_t bytes, MPI_Comm comm, struct hs_idle *idle,
                                struct hs_error *err)
{
    MPI_Request request;
    enum hs_status status = HS_MPI(MPI_Ibcast(data, (int)bytes, MPI_BYTE, 0, comm, &request), err);

    return status == HS_OK ? hs_idle_wait(idle, &request, err) : status;
}

/* Rank 0's trees on the others. */
static enum hs_status share(struct hs_packing *packing, MPI_Comm comm, struct hs_idle *idle,
                            struct hs_error *err)
{
    struct hs_packing known = *packing;
    enum hs_status status = broadcast(&known, sizeof(known), comm, idle, err);
    size_t count = known.count;

    if (status != HS_OK)
        return status;
    if (!packing->trees) {
        packing->trees = calloc(count, sizeof(*packing->trees));
        packing->count = count;
        packing->seconds_per_byte = known.seconds_per_byte;
        status = packing->trees ? HS_OK : hs_no_memory(err);
    }
    status = hs_agree(comm, idle, status, err);
    if (status == HS_OK)
        status = broadcast(packing->trees, count * sizeof(*packing->trees), comm, idle, err);
    return status;
}

static enum hs_status make_all(struct hs_forests *forests, const struct hs_links *links,
                               MPI_Comm comm, struct hs_idle *idle, struct hs_error *err)
{
    int rank;
    enum hs_status status = HS_MPI(MPI_Comm_rank(comm, &rank), err);

    for (int i = 0; i < HS_ALGORITHM_COUNT * HS_FORESTS && status == HS_OK; i++) {
        struct hs_packing *packing = &forests->of[i / HS_FORESTS][i % HS_FORESTS];

        if (!hs_packing_functions[i / HS_FORESTS])
            continue;
        packing->phase = (enum hs_phase)(i % HS_FORESTS);
        packing->units = links->units;
        if (rank == 0)
            status = hs_packing_functions[i / HS_FORESTS](packing, links, packing->phase, err);
        status = hs_agree(comm, idle, status, err);
        if (status == HS_OK)
            status = share(packing, comm, idle, err);
    }
    return status;
}

enum hs_status hs_forests_make(struct hs_forests *forests, const struct hs_system *system,
                               MPI_Comm comm, struct hs_idle *idle, struct hs_error *err)
{
    struct hs_links links = system->levels[0].links;
    int np;
    enum hs_status status = HS_MPI(MPI_Comm_size(comm, &np), err);

    *forests = (struct hs_forests){0};
    if (status != HS_OK || system->levels[0].fabric != HS_FABRIC_LINKS || np % links.units != 0)
        return status;
    links.fixed_ways = true;
    status = make_all(forests, &links, comm, idle, err);
    if (status == HS_OK)
        forests->units = links.units;
    else
        hs_forests_release(forests);
    return status;
}
