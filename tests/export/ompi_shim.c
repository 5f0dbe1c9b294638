/*
 * LD_PRELOAD: says which of Open MPI's algorithms really run. One line on stderr per call, from
 * rank 0 of the communicator: "ran ALGORITHM on SIZE". Arguments are passed on as they come,
 * whatever their number.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static void say(const char *name, long comm)
{
    int rank, size;

    PMPI_Comm_rank((MPI_Comm)comm, &rank);
    PMPI_Comm_size((MPI_Comm)comm, &size);
    if (rank == 0)
        fprintf(stderr, "ran %s on %d\n", name, size);
}

#define SHIM(name, comm)                                                                           \
    int ompi_coll_base_##name(long a0, long a1, long a2, long a3, long a4, long a5, long a6,       \
                              long a7, long a8)                                                    \
    {                                                                                              \
        static int (*next)(long, long, long, long, long, long, long, long, long);                  \
                                                                                                   \
        if (!next)                                                                                 \
            *(void **)&next = dlsym(RTLD_NEXT, "ompi_coll_base_" #name);                           \
        say(#name, comm);                                                                          \
        return next(a0, a1, a2, a3, a4, a5, a6, a7, a8);                                           \
    }

SHIM(allreduce_intra_basic_linear, a5)
SHIM(allreduce_intra_nonoverlapping, a5)
SHIM(allreduce_intra_recursivedoubling, a5)
SHIM(allreduce_intra_ring, a5)
SHIM(allreduce_intra_ring_segmented, a5)
SHIM(allreduce_intra_redscat_allgather, a5)
SHIM(reduce_scatter_intra_nonoverlapping, a5)
SHIM(reduce_scatter_intra_basic_recursivehalving, a5)
SHIM(reduce_scatter_intra_ring, a5)
SHIM(reduce_scatter_intra_butterfly, a5)
SHIM(allgather_intra_basic_linear, a6)
SHIM(allgather_intra_bruck, a6)
SHIM(allgather_intra_recursivedoubling, a6)
SHIM(allgather_intra_ring, a6)
SHIM(allgather_intra_neighborexchange, a6)
SHIM(allgather_intra_two_procs, a6)
SHIM(allgather_intra_sparbit, a6)
SHIM(alltoall_intra_basic_linear, a6)
SHIM(alltoall_intra_pairwise, a6)
SHIM(alltoall_intra_bruck, a6)
SHIM(alltoall_intra_linear_sync, a6)
SHIM(reduce_scatter_block_basic_linear, a5)
SHIM(reduce_scatter_block_intra_recursivedoubling, a5)
SHIM(reduce_scatter_block_intra_recursivehalving, a5)
SHIM(reduce_scatter_block_intra_butterfly, a5)
