/* ranks.c - see ranks.h. */
#include "runner/ranks.h"
#include "estimate/system_file.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/layer_comms.h"
#include "runner/check.h"

void hs_ranks_init(struct hs_ranks *ranks, MPI_Comm comm)
{
    struct hs_error error;

    *ranks = (struct hs_ranks){.comm = comm};
    CHECK_MPI(MPI_Comm_rank(comm, &ranks->rank));
    CHECK_MPI(MPI_Comm_size(comm, &ranks->np));
    hs_check(hs_idle_init(&ranks->idle, comm, &error), &error);
}

void hs_ranks_wait(struct hs_ranks *ranks, MPI_Request *request)
{
    struct hs_error error;

    hs_check(hs_idle_wait(&ranks->idle, request, &error), &error);
}

enum hs_status hs_ranks_agree(struct hs_ranks *ranks, enum hs_status mine, struct hs_error *err)
{
    return hs_agree(ranks->comm, &ranks->idle, mine, err);
}

void hs_ranks_broadcast(struct hs_ranks *ranks, void *data, size_t bytes, int root)
{
    MPI_Request request;

    assert(bytes <= INT32_MAX);
    CHECK_MPI(MPI_Ibcast(data, (int)bytes, MPI_BYTE, root, ranks->comm, &request));
    hs_ranks_wait(ranks, &request);
}

static void combine(struct hs_ranks *ranks, double *values, int count, MPI_Op operation)
{
    double mine[HS_RANKS_VALUES];
    MPI_Request request;

    assert(count <= HS_RANKS_VALUES);
    memcpy(mine, values, (size_t)count * sizeof(*values));
    CHECK_MPI(MPI_Iallreduce(mine, values, count, MPI_DOUBLE, operation, ranks->comm, &request));
    hs_ranks_wait(ranks, &request);
}

void hs_ranks_largest(struct hs_ranks *ranks, double *values, int count)
{
    combine(ranks, values, count, MPI_MAX);
}

void hs_ranks_sum(struct hs_ranks *ranks, double *values, int count)
{
    combine(ranks, values, count, MPI_SUM);
}

void hs_ranks_gather(struct hs_ranks *ranks, double mine, double *all)
{
    MPI_Request request;

    CHECK_MPI(MPI_Igather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, ranks->comm, &request));
    hs_ranks_wait(ranks, &request);
}

void hs_ranks_barrier(struct hs_ranks *ranks)
{
    struct hs_error error;

    hs_check(hs_idle_barrier(&ranks->idle, ranks->comm, &error), &error);
}

/* ---- a system ---- */

static enum hs_status read_system(struct hs_system *system, const struct hs_text *text,
                                  struct hs_error *err)
{
    return hs_fields_parse(&hs_system_fields, system, "rank 0's system", text->data, text->length,
                           err);
}

enum hs_status hs_ranks_share_system(struct hs_ranks *ranks, struct hs_system *system,
                                     struct hs_error *err)
{
    struct hs_text text = {0};
    enum hs_status status = HS_OK;
    uint64_t length;

    if (ranks->rank == 0)
        status = hs_system_print(&text, system, err);
    else
        memset(system, 0, sizeof(*system));
    status = hs_ranks_agree(ranks, status, err);
    length = text.length;
    hs_ranks_broadcast(ranks, &length, sizeof(length), 0);
    if (status == HS_OK && ranks->rank != 0) {
        text.data = calloc(1, length + 1);
        text.length = length;
        if (!text.data)
            status = hs_no_memory(err);
    }
    status = hs_ranks_agree(ranks, status, err);
    if (status == HS_OK)
        hs_ranks_broadcast(ranks, text.data, length, 0);
    if (status == HS_OK && ranks->rank != 0)
        status = read_system(system, &text, err);
    hs_text_release(&text);
    return hs_ranks_agree(ranks, status, err);
}
