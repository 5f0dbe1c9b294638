#include "library/mpi_own.h"

#include <stddef.h>
#include <string.h>

#define KIB INT64_C(1024)

/* clang-format off */
#define OPENMPI(collective, name, number, segment) \
    {HS_LIBRARY_OPENMPI, HS_COLLECTIVE_##collective, name, NULL, number, number, segment}
#define MPICH(collective, name, called, number, number_of_5) \
    {HS_LIBRARY_MPICH, HS_COLLECTIVE_##collective, name, called, number, number_of_5, 0}

const struct hs_mpi_own hs_mpi_own[] = {
    OPENMPI(ALLREDUCE, "Open MPI allreduce: linear", 1, 0),
    OPENMPI(ALLREDUCE, "Open MPI allreduce: reduce and broadcast", 2, 0),
    OPENMPI(ALLREDUCE, "Open MPI allreduce: recursive doubling", 3, 0),
    OPENMPI(ALLREDUCE, "Open MPI allreduce: ring", 4, 0),
    OPENMPI(ALLREDUCE, "Open MPI allreduce: ring in 64KiB", 5, 64 * KIB),
    OPENMPI(ALLREDUCE, "Open MPI allreduce: ring in 1MiB", 5, 1024 * KIB),
    OPENMPI(ALLREDUCE, "Open MPI allreduce: Rabenseifner", 6, 0),
    OPENMPI(ALLGATHER, "Open MPI allgather: linear", 1, 0),
    OPENMPI(ALLGATHER, "Open MPI allgather: Bruck", 2, 0),
    OPENMPI(ALLGATHER, "Open MPI allgather: recursive doubling", 3, 0),
    OPENMPI(ALLGATHER, "Open MPI allgather: ring", 4, 0),
    OPENMPI(ALLGATHER, "Open MPI allgather: neighbor exchange", 5, 0),
    OPENMPI(ALLGATHER, "Open MPI allgather: sparbit", 7, 0),
    OPENMPI(REDUCE_SCATTER, "Open MPI reduce-scatter: reduce and scatter", 1, 0),
    OPENMPI(REDUCE_SCATTER, "Open MPI reduce-scatter: recursive doubling", 2, 0),
    OPENMPI(REDUCE_SCATTER, "Open MPI reduce-scatter: recursive halving", 3, 0),
    OPENMPI(REDUCE_SCATTER, "Open MPI reduce-scatter: butterfly", 4, 0),
    OPENMPI(ALLTOALL, "Open MPI all-to-all: linear", 1, 0),
    OPENMPI(ALLTOALL, "Open MPI all-to-all: pairwise", 2, 0),
    OPENMPI(ALLTOALL, "Open MPI all-to-all: Bruck", 3, 0),
    OPENMPI(ALLTOALL, "Open MPI all-to-all: linear, synchronous sends", 4, 0),
    MPICH(ALLREDUCE, "MPICH allreduce: without the device's", NULL, 0, 0),
    MPICH(ALLREDUCE, "MPICH allreduce: nodes first", "smp", 2, 2),
    MPICH(ALLREDUCE, "MPICH allreduce: recursive doubling", "recursive_doubling", 3, 3),
    MPICH(ALLREDUCE, "MPICH allreduce: Rabenseifner", "reduce_scatter_allgather", 4, 5),
    MPICH(ALLGATHER, "MPICH allgather: without the device's", NULL, 0, 0),
    MPICH(ALLGATHER, "MPICH allgather: Bruck", "brucks", 1, 1),
    MPICH(ALLGATHER, "MPICH allgather: recursive doubling", "recursive_doubling", 3, 4),
    MPICH(ALLGATHER, "MPICH allgather: ring", "ring", 4, 5),
    MPICH(REDUCE_SCATTER, "MPICH reduce-scatter: without the device's", NULL, 0, 0),
    MPICH(REDUCE_SCATTER, "MPICH reduce-scatter: recursive doubling", "recursive_doubling", 2, 2),
    MPICH(REDUCE_SCATTER, "MPICH reduce-scatter: pairwise", "pairwise", 3, 3),
    MPICH(REDUCE_SCATTER, "MPICH reduce-scatter: recursive halving", "recursive_halving", 4, 4),
    MPICH(ALLTOALL, "MPICH all-to-all: without the device's", NULL, 0, 0),
    MPICH(ALLTOALL, "MPICH all-to-all: Bruck", "brucks", 1, 1),
    MPICH(ALLTOALL, "MPICH all-to-all: pairwise", "pairwise", 3, 4),
    MPICH(ALLTOALL, "MPICH all-to-all: scattered", "scattered", 5, 6),
};
/* clang-format on */
const int hs_mpi_own_count = sizeof(hs_mpi_own) / sizeof(hs_mpi_own[0]);

const char *const hs_mpi_own_calls[HS_COLLECTIVE_COUNT] = {
    [HS_COLLECTIVE_ALLREDUCE] = "allreduce",
    [HS_COLLECTIVE_REDUCE_SCATTER] = "reduce_scatter_block",
    [HS_COLLECTIVE_ALLGATHER] = "allgather",
    [HS_COLLECTIVE_ALLTOALL] = "alltoall",
};

const struct hs_mpi_own *hs_mpi_own_find(const char *name)
{
    for (int i = 0; i < hs_mpi_own_count; i++)
        if (strcmp(hs_mpi_own[i].name, name) == 0)
            return &hs_mpi_own[i];
    return NULL;
}
