/*
 * mpi_fortran.c - the same calls of Fortran, by the names that gfortran and others give them. What
 * the library has of them may call C's MPI_ or PMPI_ functions, or neither: so they are counted
 * here, and what they call of C's meanwhile is not.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply/mpi_profile.h"

/* Where Fortran's calls are: behind us in the order of symbols, or with a library that a program
 * loaded for itself alone. */
static int look_for_fortran(struct dl_phdr_info *object, size_t bytes, void *found)
{
    void **of = found; /* the name that is looked for; then what has it */
    void *library;

    (void)bytes;
    if (!strstr(object->dlpi_name, "libmpi"))
        return 0;
    library = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    of[1] = library ? dlsym(library, of[0]) : NULL;
    return of[1] != NULL;
}

typedef void fortran_function(void);

static fortran_function *fortran(const char *name)
{
    void *found[2] = {(void *)(uintptr_t)name, dlsym(RTLD_NEXT, name)};
    fortran_function *function;

    if (!found[1] && dl_iterate_phdr(look_for_fortran, found) == 0) {
        fprintf(stderr, "hiersearch profile: there is no %s in the libraries of " HS_MPI_NAME "\n",
                name);
        abort();
    }
    memcpy(&function, &found[1], sizeof(function));
    return function;
}

/* id, name, whether it is the nonblocking form, parameters, arguments, what it carries. */
#define FORTRAN(id, name, begun, parameters, arguments, ...)                                       \
    HS_PUBLIC void name parameters;                                                                \
    HS_PUBLIC void name parameters                                                                 \
    {                                                                                              \
        static _Atomic(fortran_function *) known;                                                  \
        fortran_function *function = known;                                                        \
        struct hs_passing entered = hs_enter(HS_COUNTED_##id, begun);                              \
                                                                                                   \
        if (!function)                                                                             \
            known = function = fortran(#name);                                                     \
        ((void(*) parameters)function) arguments;                                                  \
        entered.counts = entered.counts && *failed == MPI_SUCCESS;                                 \
        hs_leave(&entered, entered.counts ? (__VA_ARGS__) : (struct hs_content){.elements = 0});   \
    }
#define FORTRAN_BOTH(id, name, iname, ...)                                                         \
    FORTRAN(id, name, false, (id##_FORTRAN, MPI_Fint * failed), (id##_HANDED, failed),             \
            __VA_ARGS__)                                                                           \
    FORTRAN(id, iname, true, (id##_FORTRAN, MPI_Fint * request, MPI_Fint * failed),                \
            (id##_HANDED, request, failed), __VA_ARGS__)                                           \
    _Static_assert(true, "a semicolon follows")

/* clang-format off */
#define F_REDUCTION                                                                                \
    void *from, void *to, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm
#define F_REDUCTION_HANDED  from, to, count, type, op, comm
#define F_CONTENT(n, t)                                                                            \
    HS_CONTENT((uint64_t)(n), MPI_Type_f2c(*(t)), MPI_OP_NULL, MPI_Comm_f2c(*comm))
#define F_REDUCED(n)                                                                               \
    HS_CONTENT((uint64_t)(n), MPI_Type_f2c(*type), MPI_Op_f2c(*op), MPI_Comm_f2c(*comm))
#define F_RANKS             hs_ranks_of(MPI_Comm_f2c(*comm))
#define F_ROOT              hs_is_root(*root, MPI_Comm_f2c(*comm))
#define F_SUM(list)         hs_sum_of(list, MPI_Comm_f2c(*comm))
#define ALLREDUCE_FORTRAN F_REDUCTION
#define ALLREDUCE_HANDED  F_REDUCTION_HANDED
FORTRAN_BOTH(ALLREDUCE, mpi_allreduce_, mpi_iallreduce_, F_REDUCED(*count));
#define REDUCE_SCATTER_BLOCK_FORTRAN F_REDUCTION
#define REDUCE_SCATTER_BLOCK_HANDED  F_REDUCTION_HANDED
FORTRAN_BOTH(REDUCE_SCATTER_BLOCK, mpi_reduce_scatter_block_, mpi_ireduce_scatter_block_,
             F_REDUCED((uint64_t)*count * F_RANKS));
#define SCAN_FORTRAN F_REDUCTION
#define SCAN_HANDED  F_REDUCTION_HANDED
FORTRAN_BOTH(SCAN, mpi_scan_, mpi_iscan_, F_REDUCED(*count));
#define EXSCAN_FORTRAN F_REDUCTION
#define EXSCAN_HANDED  F_REDUCTION_HANDED
FORTRAN_BOTH(EXSCAN, mpi_exscan_, mpi_iexscan_, F_REDUCED(*count));
#define REDUCE_SCATTER_FORTRAN F_REDUCTION
#define REDUCE_SCATTER_HANDED  F_REDUCTION_HANDED
FORTRAN_BOTH(REDUCE_SCATTER, mpi_reduce_scatter_, mpi_ireduce_scatter_, F_REDUCED(F_SUM(count)));
#define REDUCE_FORTRAN                                                                             \
    void *from, void *to, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *root,           \
    MPI_Fint *comm
#define REDUCE_HANDED  from, to, count, type, op, root, comm
FORTRAN_BOTH(REDUCE, mpi_reduce_, mpi_ireduce_, F_REDUCED(*count));
#define BCAST_FORTRAN void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *root, MPI_Fint *comm
#define BCAST_HANDED  buffer, count, type, root, comm
FORTRAN_BOTH(BCAST, mpi_bcast_, mpi_ibcast_, F_CONTENT(*count, type));

#define F_EVEN                                                                                     \
    void *from, MPI_Fint *give, MPI_Fint *given, void *to, MPI_Fint *take, MPI_Fint *taken
#define F_EVEN_HANDED from, give, given, to, take, taken
#define ALLGATHER_FORTRAN F_EVEN, MPI_Fint *comm
#define ALLGATHER_HANDED  F_EVEN_HANDED, comm
FORTRAN_BOTH(ALLGATHER, mpi_allgather_, mpi_iallgather_,
             F_CONTENT((uint64_t)*take * F_RANKS, taken));
#define ALLTOALL_FORTRAN F_EVEN, MPI_Fint *comm
#define ALLTOALL_HANDED  F_EVEN_HANDED, comm
FORTRAN_BOTH(ALLTOALL, mpi_alltoall_, mpi_ialltoall_, F_CONTENT((uint64_t)*take * F_RANKS, taken));
#define GATHER_FORTRAN F_EVEN, MPI_Fint *root, MPI_Fint *comm
#define GATHER_HANDED  F_EVEN_HANDED, root, comm
FORTRAN_BOTH(GATHER, mpi_gather_, mpi_igather_,
             F_ROOT ? F_CONTENT(*take, taken) : F_CONTENT(*give, given));
#define SCATTER_FORTRAN GATHER_FORTRAN
#define SCATTER_HANDED  GATHER_HANDED
FORTRAN_BOTH(SCATTER, mpi_scatter_, mpi_iscatter_,
             F_ROOT ? F_CONTENT(*give, given) : F_CONTENT(*take, taken));
#define ALLGATHERV_FORTRAN                                                                         \
    void *from, MPI_Fint *give, MPI_Fint *given, void *to, MPI_Fint *take, MPI_Fint *at,           \
    MPI_Fint *taken, MPI_Fint *comm
#define ALLGATHERV_HANDED  from, give, given, to, take, at, taken, comm
FORTRAN_BOTH(ALLGATHERV, mpi_allgatherv_, mpi_iallgatherv_, F_CONTENT(F_SUM(take), taken));
#define GATHERV_FORTRAN                                                                            \
    void *from, MPI_Fint *give, MPI_Fint *given, void *to, MPI_Fint *take, MPI_Fint *at,           \
    MPI_Fint *taken, MPI_Fint *root, MPI_Fint *comm
#define GATHERV_HANDED  from, give, given, to, take, at, taken, root, comm
FORTRAN_BOTH(GATHERV, mpi_gatherv_, mpi_igatherv_,
             F_ROOT ? F_CONTENT(F_SUM(take), taken) : F_CONTENT(*give, given));
#define SCATTERV_FORTRAN                                                                           \
    void *from, MPI_Fint *give, MPI_Fint *at, MPI_Fint *given, void *to, MPI_Fint *take,           \
    MPI_Fint *taken, MPI_Fint *root, MPI_Fint *comm
#define SCATTERV_HANDED  from, give, at, given, to, take, taken, root, comm
FORTRAN_BOTH(SCATTERV, mpi_scatterv_, mpi_iscatterv_,
             F_ROOT ? F_CONTENT(F_SUM(give), given) : F_CONTENT(*take, taken));
#define ALLTOALLV_FORTRAN                                                                          \
    void *from, MPI_Fint *give, MPI_Fint *from_at, MPI_Fint *given, void *to, MPI_Fint *take,      \
    MPI_Fint *to_at, MPI_Fint *taken, MPI_Fint *comm
#define ALLTOALLV_HANDED  from, give, from_at, given, to, take, to_at, taken, comm
FORTRAN_BOTH(ALLTOALLV, mpi_alltoallv_, mpi_ialltoallv_, F_CONTENT(F_SUM(take), taken));
#define BARRIER_FORTRAN MPI_Fint *comm
#define BARRIER_HANDED  comm
FORTRAN_BOTH(BARRIER, mpi_barrier_, mpi_ibarrier_,
             HS_CONTENT(0, MPI_DATATYPE_NULL, MPI_OP_NULL, MPI_Comm_f2c(*comm)));
/* clang-format on */

/* ---- begin and end ---- */

HS_PUBLIC void mpi_init_(MPI_Fint *failed);
HS_PUBLIC void mpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *failed);
HS_PUBLIC void mpi_finalize_(MPI_Fint *failed);

HS_PUBLIC void mpi_init_(MPI_Fint *failed)
{
    hs_check_library();
    ((void (*)(MPI_Fint *))fortran("mpi_init_"))(failed);
    if (*failed == MPI_SUCCESS)
        hs_begin();
}

HS_PUBLIC void mpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *failed)
{
    hs_check_library();
    ((void (*)(MPI_Fint *, MPI_Fint *, MPI_Fint *))fortran("mpi_init_thread_"))(required, provided,
                                                                                failed);
    if (*failed == MPI_SUCCESS)
        hs_begin();
}

HS_PUBLIC void mpi_finalize_(MPI_Fint *failed)
{
    bool merges = hs_finish();

    ((void (*)(MPI_Fint *))fortran("mpi_finalize_"))(failed);
    if (merges)
        hs_merge();
}
