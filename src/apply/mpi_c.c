/* mpi_c.c - the calls of C that the interposer stands in for: each, and its nonblocking form. */
#include "apply/mpi_plans.h"
#include "apply/mpi_profile.h"

/* id, whether it is the nonblocking form, whether counts are MPI_Count, whether a plan carries it
 * out, the call, what it carries. */
#define PASS(id, late, is_large, tried, passed, ...)                                               \
    {                                                                                              \
        struct hs_passing entered = hs_enter(HS_COUNTED_##id, late);                               \
        const bool large = is_large;                                                               \
        int status = MPI_SUCCESS;                                                                  \
                                                                                                   \
        (void)large;                                                                               \
        if (!entered.outermost || !(tried))                                                        \
            status = passed;                                                                       \
        entered.counts = entered.counts && status == MPI_SUCCESS;                                  \
        HS_LEAVE(&entered, __VA_ARGS__);                                                           \
        return status;                                                                             \
    }
#define TRY(...)  hs_plans_try(&(struct hs_asked){__VA_ARGS__}, &status)
#define LIST(...) ((struct hs_list){__VA_ARGS__, large})
/* Of one kind of counts, and of displacements. */
#define FORMS(id, suffix, is_large, COUNT, PLACE, name, iname, tried, ...)                         \
    HS_PUBLIC int MPI_##name##suffix(id##_PARAMETERS(COUNT, PLACE))                                \
        PASS(id, false, is_large, tried, PMPI_##name##suffix(id##_ARGUMENTS), __VA_ARGS__)         \
            HS_PUBLIC int MPI_##iname##suffix(id##_PARAMETERS(COUNT, PLACE), MPI_Request *request) \
                PASS(id, true, is_large, false, PMPI_##iname##suffix(id##_ARGUMENTS, request),     \
                     __VA_ARGS__) _Static_assert(true, "a semicolon follows")
#if MPI_VERSION >= 4
#define CARRIED(...)                                                                               \
    FORMS_OF(, false, int, int, __VA_ARGS__);                                                      \
    FORMS_OF(_c, true, MPI_Count, MPI_Aint, __VA_ARGS__)
#else
#define CARRIED(...) FORMS_OF(, false, int, int, __VA_ARGS__)
#endif
#define FORMS_OF(suffix, is_large, COUNT, PLACE, id, ...)                                          \
    FORMS(id, suffix, is_large, COUNT, PLACE, __VA_ARGS__)
#define BOTH(id, name, iname, ...) CARRIED(id, name, iname, false, __VA_ARGS__)

/* clang-format off */
#define REDUCTION_PARAMETERS(COUNT, PLACE)                                                         \
    const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm
#define REDUCTION_ARGUMENTS  from, to, count, type, op, comm
#define TRY_REDUCTION(collective, take, takes)                                                     \
    TRY(HS_COLLECTIVE_##collective, from, 0, type, to, take, type, {takes, large}, op, comm, large)
#define REDUCTION            HS_CONTENT((uint64_t)count, type, op, comm)
#define ALLREDUCE_PARAMETERS REDUCTION_PARAMETERS
#define ALLREDUCE_ARGUMENTS  REDUCTION_ARGUMENTS
CARRIED(ALLREDUCE, Allreduce, Iallreduce,
        TRY_REDUCTION(ALLREDUCE, count, NULL), REDUCTION);
#define REDUCE_SCATTER_BLOCK_PARAMETERS REDUCTION_PARAMETERS
#define REDUCE_SCATTER_BLOCK_ARGUMENTS  REDUCTION_ARGUMENTS
CARRIED(REDUCE_SCATTER_BLOCK, Reduce_scatter_block, Ireduce_scatter_block,
        TRY_REDUCTION(REDUCE_SCATTER, count, NULL),
     HS_OF_EACH((uint64_t)count, type, op, comm));
#define SCAN_PARAMETERS REDUCTION_PARAMETERS
#define SCAN_ARGUMENTS  REDUCTION_ARGUMENTS
BOTH(SCAN, Scan, Iscan, REDUCTION);
#define EXSCAN_PARAMETERS REDUCTION_PARAMETERS
#define EXSCAN_ARGUMENTS  REDUCTION_ARGUMENTS
BOTH(EXSCAN, Exscan, Iexscan, REDUCTION);
#define REDUCE_SCATTER_PARAMETERS(COUNT, PLACE)                                                    \
    const void *from, void *to, const COUNT counts_[], MPI_Datatype type, MPI_Op op,               \
    MPI_Comm comm
#define REDUCE_SCATTER_ARGUMENTS  from, to, counts_, type, op, comm
CARRIED(REDUCE_SCATTER, Reduce_scatter, Ireduce_scatter,
        TRY_REDUCTION(REDUCE_SCATTER, 0, counts_),
     HS_CONTENT(hs_sum_of(LIST(counts_), comm), type, op, comm));
#define REDUCE_PARAMETERS(COUNT, PLACE)                                                            \
    const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op, int root,               \
    MPI_Comm comm
#define REDUCE_ARGUMENTS  from, to, count, type, op, root, comm
BOTH(REDUCE, Reduce, Ireduce, REDUCTION);
#define BCAST_PARAMETERS(COUNT, PLACE)                                                             \
    void *buffer, COUNT count, MPI_Datatype type, int root, MPI_Comm comm
#define BCAST_ARGUMENTS  buffer, count, type, root, comm
BOTH(BCAST, Bcast, Ibcast, HS_CONTENT((uint64_t)count, type, MPI_OP_NULL, comm));

#define EVEN_PARAMETERS(COUNT, PLACE)                                                              \
    const void *from, COUNT give, MPI_Datatype given, void *to, COUNT take, MPI_Datatype taken
#define EVEN_ARGUMENTS  from, give, given, to, take, taken
#define ALL_TAKEN       HS_OF_EACH((uint64_t)take, taken, MPI_OP_NULL, comm)
#define ALLGATHER_PARAMETERS(COUNT, PLACE) EVEN_PARAMETERS(COUNT, PLACE), MPI_Comm comm
#define ALLGATHER_ARGUMENTS  EVEN_ARGUMENTS, comm
#define TRY_EVEN(collective)                                                                       \
    TRY(HS_COLLECTIVE_##collective, from, give, given, to, take, taken, {NULL, large},             \
        MPI_OP_NULL, comm, large)
CARRIED(ALLGATHER, Allgather, Iallgather, TRY_EVEN(ALLGATHER), ALL_TAKEN);
#define ALLTOALL_PARAMETERS(COUNT, PLACE) EVEN_PARAMETERS(COUNT, PLACE), MPI_Comm comm
#define ALLTOALL_ARGUMENTS  EVEN_ARGUMENTS, comm
CARRIED(ALLTOALL, Alltoall, Ialltoall, TRY_EVEN(ALLTOALL), ALL_TAKEN);
#define GATHER_PARAMETERS(COUNT, PLACE) EVEN_PARAMETERS(COUNT, PLACE), int root, MPI_Comm comm
#define GATHER_ARGUMENTS  EVEN_ARGUMENTS, root, comm
BOTH(GATHER, Gather, Igather,
     hs_is_root(root, comm) ? HS_CONTENT((uint64_t)take, taken, MPI_OP_NULL, comm)
                            : HS_CONTENT((uint64_t)give, given, MPI_OP_NULL, comm));
#define SCATTER_PARAMETERS GATHER_PARAMETERS
#define SCATTER_ARGUMENTS  GATHER_ARGUMENTS
BOTH(SCATTER, Scatter, Iscatter,
     hs_is_root(root, comm) ? HS_CONTENT((uint64_t)give, given, MPI_OP_NULL, comm)
                            : HS_CONTENT((uint64_t)take, taken, MPI_OP_NULL, comm));

#define ALLGATHERV_PARAMETERS(COUNT, PLACE)                                                        \
    const void *from, COUNT give, MPI_Datatype given, void *to, const COUNT takes[],               \
    const PLACE at[], MPI_Datatype taken, MPI_Comm comm
#define ALLGATHERV_ARGUMENTS  from, give, given, to, takes, at, taken, comm
BOTH(ALLGATHERV, Allgatherv, Iallgatherv,
     HS_CONTENT(hs_sum_of(LIST(takes), comm), taken, MPI_OP_NULL, comm));
#define GATHERV_PARAMETERS(COUNT, PLACE)                                                           \
    const void *from, COUNT give, MPI_Datatype given, void *to, const COUNT takes[],               \
    const PLACE at[], MPI_Datatype taken, int root, MPI_Comm comm
#define GATHERV_ARGUMENTS  from, give, given, to, takes, at, taken, root, comm
BOTH(GATHERV, Gatherv, Igatherv,
     hs_is_root(root, comm) ? HS_CONTENT(hs_sum_of(LIST(takes), comm), taken, MPI_OP_NULL, comm)
                            : HS_CONTENT((uint64_t)give, given, MPI_OP_NULL, comm));
#define SCATTERV_PARAMETERS(COUNT, PLACE)                                                          \
    const void *from, const COUNT gives[], const PLACE at[], MPI_Datatype given, void *to,         \
    COUNT take, MPI_Datatype taken, int root, MPI_Comm comm
#define SCATTERV_ARGUMENTS  from, gives, at, given, to, take, taken, root, comm
BOTH(SCATTERV, Scatterv, Iscatterv,
     hs_is_root(root, comm) ? HS_CONTENT(hs_sum_of(LIST(gives), comm), given, MPI_OP_NULL, comm)
                            : HS_CONTENT((uint64_t)take, taken, MPI_OP_NULL, comm));
#define ALLTOALLV_PARAMETERS(COUNT, PLACE)                                                         \
    const void *from, const COUNT gives[], const PLACE from_at[], MPI_Datatype given, void *to,    \
    const COUNT takes[], const PLACE to_at[], MPI_Datatype taken, MPI_Comm comm
#define ALLTOALLV_ARGUMENTS  from, gives, from_at, given, to, takes, to_at, taken, comm
BOTH(ALLTOALLV, Alltoallv, Ialltoallv,
     HS_CONTENT(hs_sum_of(LIST(takes), comm), taken, MPI_OP_NULL, comm));
#define ALLTOALLW_PARAMETERS(COUNT, PLACE)                                                         \
    const void *from, const COUNT gives[], const PLACE from_at[], const MPI_Datatype given[],      \
    void *to, const COUNT takes[], const PLACE to_at[], const MPI_Datatype taken[], MPI_Comm comm
#define ALLTOALLW_ARGUMENTS  from, gives, from_at, given, to, takes, to_at, taken, comm
BOTH(ALLTOALLW, Alltoallw, Ialltoallw,
     HS_CONTENT(hs_bytes_of(LIST(takes), (struct hs_types){taken, false}, comm), MPI_BYTE,
                MPI_OP_NULL, comm));
#define BARRIER_PARAMETERS(COUNT, PLACE) MPI_Comm comm
#define BARRIER_ARGUMENTS  comm
FORMS(BARRIER, , false, int, int, Barrier, Ibarrier, false,
      HS_CONTENT(0, MPI_DATATYPE_NULL, MPI_OP_NULL, comm));
/* clang-format on */

/* ---- begin and end ---- */

#define BEGINS(passed)                                                                             \
    {                                                                                              \
        int status;                                                                                \
                                                                                                   \
        hs_check_library();                                                                        \
        status = passed;                                                                           \
        if (status == MPI_SUCCESS)                                                                 \
            hs_begin();                                                                            \
        return status;                                                                             \
    }
HS_PUBLIC int MPI_Init(int *argc, char ***argv) BEGINS(PMPI_Init(argc, argv)) HS_PUBLIC
    int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
        BEGINS(PMPI_Init_thread(argc, argv, required, provided))

            HS_PUBLIC int MPI_Abort(MPI_Comm comm, int code)
{
    hs_abort();
    return PMPI_Abort(comm, code);
}

HS_PUBLIC int MPI_Finalize(void)
{
    bool merges = hs_finish();
    int status = PMPI_Finalize();

    if (merges)
        hs_merge();
    return status;
}
