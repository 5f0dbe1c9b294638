/* mpi_c.c - the calls of C that the interposer stands in for: each, and its nonblocking form. */
#include "apply/mpi_profile.h"

/* id, whether it is the nonblocking form, the call, what it carries. */
#define PASS(id, late, passed, ...)                                                                \
    {                                                                                              \
        struct hs_passing entered = hs_enter(HS_COUNTED_##id, late);                               \
        int status = passed;                                                                       \
                                                                                                   \
        entered.counts = entered.counts && status == MPI_SUCCESS;                                  \
        hs_leave(&entered, entered.counts ? (__VA_ARGS__) : (struct hs_content){.elements = 0});   \
        return status;                                                                             \
    }
#define BOTH(id, name, iname, ...)                                                                 \
    HS_PUBLIC int MPI_##name(id##_PARAMETERS)                                                      \
        PASS(id, false, PMPI_##name(id##_ARGUMENTS), __VA_ARGS__)                                  \
            HS_PUBLIC int MPI_##iname(id##_PARAMETERS, MPI_Request *request)                       \
                PASS(id, true, PMPI_##iname(id##_ARGUMENTS, request),                              \
                     __VA_ARGS__) _Static_assert(true, "a semicolon follows")

/* clang-format off */
#define REDUCTION_PARAMETERS                                                                       \
    const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm
#define REDUCTION_ARGUMENTS  from, to, count, type, op, comm
#define REDUCTION            HS_CONTENT((uint64_t)count, type, op, comm)
#define ALLREDUCE_PARAMETERS REDUCTION_PARAMETERS
#define ALLREDUCE_ARGUMENTS  REDUCTION_ARGUMENTS
BOTH(ALLREDUCE, Allreduce, Iallreduce, REDUCTION);
#define REDUCE_SCATTER_BLOCK_PARAMETERS REDUCTION_PARAMETERS
#define REDUCE_SCATTER_BLOCK_ARGUMENTS  REDUCTION_ARGUMENTS
BOTH(REDUCE_SCATTER_BLOCK, Reduce_scatter_block, Ireduce_scatter_block,
     HS_CONTENT((uint64_t)count * hs_ranks_of(comm), type, op, comm));
#define SCAN_PARAMETERS REDUCTION_PARAMETERS
#define SCAN_ARGUMENTS  REDUCTION_ARGUMENTS
BOTH(SCAN, Scan, Iscan, REDUCTION);
#define EXSCAN_PARAMETERS REDUCTION_PARAMETERS
#define EXSCAN_ARGUMENTS  REDUCTION_ARGUMENTS
BOTH(EXSCAN, Exscan, Iexscan, REDUCTION);
#define REDUCE_SCATTER_PARAMETERS                                                                  \
    const void *from, void *to, const int counts_[], MPI_Datatype type, MPI_Op op,                 \
    MPI_Comm comm
#define REDUCE_SCATTER_ARGUMENTS  from, to, counts_, type, op, comm
BOTH(REDUCE_SCATTER, Reduce_scatter, Ireduce_scatter,
     HS_CONTENT(hs_sum_of(counts_, comm), type, op, comm));
#define REDUCE_PARAMETERS                                                                          \
    const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root,                 \
    MPI_Comm comm
#define REDUCE_ARGUMENTS  from, to, count, type, op, root, comm
BOTH(REDUCE, Reduce, Ireduce, REDUCTION);
#define BCAST_PARAMETERS void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm
#define BCAST_ARGUMENTS  buffer, count, type, root, comm
BOTH(BCAST, Bcast, Ibcast, HS_CONTENT((uint64_t)count, type, MPI_OP_NULL, comm));

#define EVEN_PARAMETERS                                                                            \
    const void *from, int give, MPI_Datatype given, void *to, int take, MPI_Datatype taken
#define EVEN_ARGUMENTS  from, give, given, to, take, taken
#define ALL_TAKEN       HS_CONTENT((uint64_t)take * hs_ranks_of(comm), taken, MPI_OP_NULL, comm)
#define ALLGATHER_PARAMETERS EVEN_PARAMETERS, MPI_Comm comm
#define ALLGATHER_ARGUMENTS  EVEN_ARGUMENTS, comm
BOTH(ALLGATHER, Allgather, Iallgather, ALL_TAKEN);
#define ALLTOALL_PARAMETERS EVEN_PARAMETERS, MPI_Comm comm
#define ALLTOALL_ARGUMENTS  EVEN_ARGUMENTS, comm
BOTH(ALLTOALL, Alltoall, Ialltoall, ALL_TAKEN);
#define GATHER_PARAMETERS EVEN_PARAMETERS, int root, MPI_Comm comm
#define GATHER_ARGUMENTS  EVEN_ARGUMENTS, root, comm
BOTH(GATHER, Gather, Igather,
     hs_is_root(root, comm) ? HS_CONTENT((uint64_t)take, taken, MPI_OP_NULL, comm)
                            : HS_CONTENT((uint64_t)give, given, MPI_OP_NULL, comm));
#define SCATTER_PARAMETERS GATHER_PARAMETERS
#define SCATTER_ARGUMENTS  GATHER_ARGUMENTS
BOTH(SCATTER, Scatter, Iscatter,
     hs_is_root(root, comm) ? HS_CONTENT((uint64_t)give, given, MPI_OP_NULL, comm)
                            : HS_CONTENT((uint64_t)take, taken, MPI_OP_NULL, comm));

#define ALLGATHERV_PARAMETERS                                                                      \
    const void *from, int give, MPI_Datatype given, void *to, const int takes[],                   \
    const int at[], MPI_Datatype taken, MPI_Comm comm
#define ALLGATHERV_ARGUMENTS  from, give, given, to, takes, at, taken, comm
BOTH(ALLGATHERV, Allgatherv, Iallgatherv,
     HS_CONTENT(hs_sum_of(takes, comm), taken, MPI_OP_NULL, comm));
#define GATHERV_PARAMETERS                                                                         \
    const void *from, int give, MPI_Datatype given, void *to, const int takes[],                   \
    const int at[], MPI_Datatype taken, int root, MPI_Comm comm
#define GATHERV_ARGUMENTS  from, give, given, to, takes, at, taken, root, comm
BOTH(GATHERV, Gatherv, Igatherv,
     hs_is_root(root, comm) ? HS_CONTENT(hs_sum_of(takes, comm), taken, MPI_OP_NULL, comm)
                            : HS_CONTENT((uint64_t)give, given, MPI_OP_NULL, comm));
#define SCATTERV_PARAMETERS                                                                        \
    const void *from, const int gives[], const int at[], MPI_Datatype given, void *to,             \
    int take, MPI_Datatype taken, int root, MPI_Comm comm
#define SCATTERV_ARGUMENTS  from, gives, at, given, to, take, taken, root, comm
BOTH(SCATTERV, Scatterv, Iscatterv,
     hs_is_root(root, comm) ? HS_CONTENT(hs_sum_of(gives, comm), given, MPI_OP_NULL, comm)
                            : HS_CONTENT((uint64_t)take, taken, MPI_OP_NULL, comm));
#define ALLTOALLV_PARAMETERS                                                                       \
    const void *from, const int gives[], const int from_at[], MPI_Datatype given, void *to,        \
    const int takes[], const int to_at[], MPI_Datatype taken, MPI_Comm comm
#define ALLTOALLV_ARGUMENTS  from, gives, from_at, given, to, takes, to_at, taken, comm
BOTH(ALLTOALLV, Alltoallv, Ialltoallv,
     HS_CONTENT(hs_sum_of(takes, comm), taken, MPI_OP_NULL, comm));
#define ALLTOALLW_PARAMETERS                                                                       \
    const void *from, const int gives[], const int from_at[], const MPI_Datatype given[],          \
    void *to, const int takes[], const int to_at[], const MPI_Datatype taken[], MPI_Comm comm
#define ALLTOALLW_ARGUMENTS  from, gives, from_at, given, to, takes, to_at, taken, comm
BOTH(ALLTOALLW, Alltoallw, Ialltoallw,
     HS_CONTENT(hs_bytes_of(takes, taken, comm), MPI_BYTE, MPI_OP_NULL, comm));
#define BARRIER_PARAMETERS MPI_Comm comm
#define BARRIER_ARGUMENTS  comm
BOTH(BARRIER, Barrier, Ibarrier, HS_CONTENT(0, MPI_DATATYPE_NULL, MPI_OP_NULL, comm));
/* clang-format on */

/* ---- begin and end ---- */

HS_PUBLIC int MPI_Init(int *argc, char ***argv)
{
    int status;

    hs_check_library();
    status = PMPI_Init(argc, argv);
    if (status == MPI_SUCCESS)
        hs_begin();
    return status;
}

HS_PUBLIC int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int status;

    hs_check_library();
    status = PMPI_Init_thread(argc, argv, required, provided);
    if (status == MPI_SUCCESS)
        hs_begin();
    return status;
}

HS_PUBLIC int MPI_Finalize(void)
{
    bool merges = hs_finish();
    int status = PMPI_Finalize();

    if (merges)
        hs_merge();
    return status;
}
