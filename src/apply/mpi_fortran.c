/*
 * mpi_fortran.c - the same calls of Fortran, by the names that gfortran and others give them. What
 * the library has of them may call C's MPI_ or PMPI_ functions, or neither: so they are counted
 * here, and what they call of C's meanwhile is not.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply/loaded.h"
#include "apply/mpi_plans.h"
#include "apply/mpi_profile.h"

typedef void fortran_function(void);

/* Where Fortran's calls are: behind us in the order of symbols, or with a library that a program
 * loaded for itself alone. */
static fortran_function *fortran(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    fortran_function *function;

    if (!found)
        found = hs_loaded_find("libmpi", name);
    if (!found) {
        fprintf(stderr, "hiersearch profile: there is no %s in the libraries of " HS_MPI_NAME "\n",
                name);
        abort();
    }
    memcpy(&function, &found, sizeof(function));
    return function;
}

/* MPI_IN_PLACE and MPI_BOTTOM are variables to Fortran: what C means by them, or the address. */
static void *of_c(void *address)
{
#ifdef OPEN_MPI
    if (address == dlsym(RTLD_DEFAULT, "mpi_fortran_in_place_"))
        return MPI_IN_PLACE;
    if (address == dlsym(RTLD_DEFAULT, "mpi_fortran_bottom_"))
        return MPI_BOTTOM;
#else
    void *const *in_place = dlsym(RTLD_DEFAULT, "MPIR_F_MPI_IN_PLACE");
    void *const *bottom = dlsym(RTLD_DEFAULT, "MPIR_F_MPI_BOTTOM");

    if (in_place && address == *in_place)
        return MPI_IN_PLACE;
    if (bottom && address == *bottom)
        return MPI_BOTTOM;
#endif
    return address;
}

/* A call's names: of `use mpi` and mpif.h, and of `use mpi_f08`, where everything comes by its
 * address as well (handles are types of one integer), but `failed` may be absent. Open MPI has
 * both for all calls; MPICH the latter only where there is no buffer: with one it calls C's
 * function, not PMPI's. */
#define F_NAMES(form, name, ...) form(name##_, __VA_ARGS__) form(name##_f08_, __VA_ARGS__)

/* name, id, whether it is the nonblocking form, whether a plan carries it out, parameters,
 * arguments, what it carries. */
#define FORTRAN(name, id, begun, tried, parameters, arguments, ...)                                \
    HS_PUBLIC void name parameters;                                                                \
    HS_PUBLIC void name parameters                                                                 \
    {                                                                                              \
        static _Atomic(fortran_function *) known;                                                  \
        fortran_function *function = known;                                                        \
        struct hs_passing entered = hs_enter(HS_COUNTED_##id, begun);                              \
        int status = MPI_SUCCESS;                                                                  \
        MPI_Fint unasked;                                                                          \
                                                                                                   \
        if (!failed)                                                                               \
            failed = &unasked;                                                                     \
        if (!function)                                                                             \
            known = function = fortran(#name);                                                     \
        if (entered.outermost && (tried))                                                          \
            *failed = status;                                                                      \
        else                                                                                       \
            ((void(*) parameters)function) arguments;                                              \
        entered.counts = entered.counts && *failed == MPI_SUCCESS;                                 \
        HS_LEAVE(&entered, __VA_ARGS__);                                                           \
    }
#define FORTRAN_CARRIED(id, name, iname, tried, ...)                                               \
    F_NAMES(FORTRAN, name, id, false, tried, (id##_FORTRAN, MPI_Fint * failed),                    \
            (id##_HANDED, failed), __VA_ARGS__)                                                    \
    F_NAMES(FORTRAN, iname, id, true, false,                                                       \
            (id##_FORTRAN, MPI_Fint * request, MPI_Fint * failed), (id##_HANDED, request, failed), \
            __VA_ARGS__)                                                                           \
    _Static_assert(true, "a semicolon follows")
#define FORTRAN_BOTH(id, name, iname, ...) FORTRAN_CARRIED(id, name, iname, false, __VA_ARGS__)
#define F_TRY(...)                         hs_plans_try(&(struct hs_asked){__VA_ARGS__}, &status)

/* clang-format off */
#define F_REDUCTION                                                                                \
    void *from, void *to, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm
#define F_REDUCTION_HANDED  from, to, count, type, op, comm
#define F_CONTENT(n, t)                                                                            \
    HS_CONTENT((uint64_t)(n), MPI_Type_f2c(*(t)), MPI_OP_NULL, MPI_Comm_f2c(*comm))
#define F_ALL_TAKEN                                                                                \
    HS_OF_EACH((uint64_t)*take, MPI_Type_f2c(*taken), MPI_OP_NULL, MPI_Comm_f2c(*comm))
#define F_REDUCED(n)                                                                               \
    HS_CONTENT((uint64_t)(n), MPI_Type_f2c(*type), MPI_Op_f2c(*op), MPI_Comm_f2c(*comm))
#define F_ROOT              hs_is_root(*root, MPI_Comm_f2c(*comm))
#define F_SUM(list)         hs_sum_of((struct hs_list){list, false}, MPI_Comm_f2c(*comm))
#define ALLREDUCE_FORTRAN F_REDUCTION
#define ALLREDUCE_HANDED  F_REDUCTION_HANDED
#define F_TRY_REDUCTION(which, take, takes)                                                        \
    F_TRY(HS_COLLECTIVE_##which, of_c(from), 0, MPI_Type_f2c(*type), of_c(to), take,               \
          MPI_Type_f2c(*type), {takes, false}, MPI_Op_f2c(*op), MPI_Comm_f2c(*comm), false)
FORTRAN_CARRIED(ALLREDUCE, mpi_allreduce, mpi_iallreduce,
                F_TRY_REDUCTION(ALLREDUCE, *count, NULL), F_REDUCED(*count));
#define REDUCE_SCATTER_BLOCK_FORTRAN F_REDUCTION
#define REDUCE_SCATTER_BLOCK_HANDED  F_REDUCTION_HANDED
FORTRAN_CARRIED(REDUCE_SCATTER_BLOCK, mpi_reduce_scatter_block, mpi_ireduce_scatter_block,
             F_TRY_REDUCTION(REDUCE_SCATTER, *count, NULL),
             HS_OF_EACH((uint64_t)*count, MPI_Type_f2c(*type), MPI_Op_f2c(*op),
                        MPI_Comm_f2c(*comm)));
#define SCAN_FORTRAN F_REDUCTION
#define SCAN_HANDED  F_REDUCTION_HANDED
FORTRAN_BOTH(SCAN, mpi_scan, mpi_iscan, F_REDUCED(*count));
#define EXSCAN_FORTRAN F_REDUCTION
#define EXSCAN_HANDED  F_REDUCTION_HANDED
FORTRAN_BOTH(EXSCAN, mpi_exscan, mpi_iexscan, F_REDUCED(*count));
#define REDUCE_SCATTER_FORTRAN F_REDUCTION
#define REDUCE_SCATTER_HANDED  F_REDUCTION_HANDED
FORTRAN_CARRIED(REDUCE_SCATTER, mpi_reduce_scatter, mpi_ireduce_scatter,
                F_TRY_REDUCTION(REDUCE_SCATTER, 0, count), F_REDUCED(F_SUM(count)));
#define REDUCE_FORTRAN                                                                             \
    void *from, void *to, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *root,           \
    MPI_Fint *comm
#define REDUCE_HANDED  from, to, count, type, op, root, comm
FORTRAN_BOTH(REDUCE, mpi_reduce, mpi_ireduce, F_REDUCED(*count));
#define BCAST_FORTRAN void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *root, MPI_Fint *comm
#define BCAST_HANDED  buffer, count, type, root, comm
FORTRAN_BOTH(BCAST, mpi_bcast, mpi_ibcast, F_CONTENT(*count, type));

#define F_EVEN                                                                                     \
    void *from, MPI_Fint *give, MPI_Fint *given, void *to, MPI_Fint *take, MPI_Fint *taken
#define F_EVEN_HANDED from, give, given, to, take, taken
#define ALLGATHER_FORTRAN F_EVEN, MPI_Fint *comm
#define ALLGATHER_HANDED  F_EVEN_HANDED, comm
#define F_TRY_EVEN(which)                                                                          \
    F_TRY(HS_COLLECTIVE_##which, of_c(from), *give, MPI_Type_f2c(*given), of_c(to), *take,         \
          MPI_Type_f2c(*taken), {NULL, false}, MPI_OP_NULL, MPI_Comm_f2c(*comm), false)
FORTRAN_CARRIED(ALLGATHER, mpi_allgather, mpi_iallgather, F_TRY_EVEN(ALLGATHER),
             F_ALL_TAKEN);
#define ALLTOALL_FORTRAN F_EVEN, MPI_Fint *comm
#define ALLTOALL_HANDED  F_EVEN_HANDED, comm
FORTRAN_CARRIED(ALLTOALL, mpi_alltoall, mpi_ialltoall, F_TRY_EVEN(ALLTOALL),
                F_ALL_TAKEN);
#define GATHER_FORTRAN F_EVEN, MPI_Fint *root, MPI_Fint *comm
#define GATHER_HANDED  F_EVEN_HANDED, root, comm
FORTRAN_BOTH(GATHER, mpi_gather, mpi_igather,
             F_ROOT ? F_CONTENT(*take, taken) : F_CONTENT(*give, given));
#define SCATTER_FORTRAN GATHER_FORTRAN
#define SCATTER_HANDED  GATHER_HANDED
FORTRAN_BOTH(SCATTER, mpi_scatter, mpi_iscatter,
             F_ROOT ? F_CONTENT(*give, given) : F_CONTENT(*take, taken));
#define ALLGATHERV_FORTRAN                                                                         \
    void *from, MPI_Fint *give, MPI_Fint *given, void *to, MPI_Fint *take, MPI_Fint *at,           \
    MPI_Fint *taken, MPI_Fint *comm
#define ALLGATHERV_HANDED  from, give, given, to, take, at, taken, comm
FORTRAN_BOTH(ALLGATHERV, mpi_allgatherv, mpi_iallgatherv, F_CONTENT(F_SUM(take), taken));
#define GATHERV_FORTRAN                                                                            \
    void *from, MPI_Fint *give, MPI_Fint *given, void *to, MPI_Fint *take, MPI_Fint *at,           \
    MPI_Fint *taken, MPI_Fint *root, MPI_Fint *comm
#define GATHERV_HANDED  from, give, given, to, take, at, taken, root, comm
FORTRAN_BOTH(GATHERV, mpi_gatherv, mpi_igatherv,
             F_ROOT ? F_CONTENT(F_SUM(take), taken) : F_CONTENT(*give, given));
#define SCATTERV_FORTRAN                                                                           \
    void *from, MPI_Fint *give, MPI_Fint *at, MPI_Fint *given, void *to, MPI_Fint *take,           \
    MPI_Fint *taken, MPI_Fint *root, MPI_Fint *comm
#define SCATTERV_HANDED  from, give, at, given, to, take, taken, root, comm
FORTRAN_BOTH(SCATTERV, mpi_scatterv, mpi_iscatterv,
             F_ROOT ? F_CONTENT(F_SUM(give), given) : F_CONTENT(*take, taken));
#define ALLTOALLV_FORTRAN                                                                          \
    void *from, MPI_Fint *give, MPI_Fint *from_at, MPI_Fint *given, void *to, MPI_Fint *take,      \
    MPI_Fint *to_at, MPI_Fint *taken, MPI_Fint *comm
#define ALLTOALLV_HANDED  from, give, from_at, given, to, take, to_at, taken, comm
FORTRAN_BOTH(ALLTOALLV, mpi_alltoallv, mpi_ialltoallv, F_CONTENT(F_SUM(take), taken));
#define ALLTOALLW_FORTRAN ALLTOALLV_FORTRAN
#define ALLTOALLW_HANDED  ALLTOALLV_HANDED
FORTRAN_BOTH(ALLTOALLW, mpi_alltoallw, mpi_ialltoallw,
             HS_CONTENT(hs_bytes_of((struct hs_list){take, false}, (struct hs_types){taken, true},
                                    MPI_Comm_f2c(*comm)),
                        MPI_BYTE, MPI_OP_NULL, MPI_Comm_f2c(*comm)));
#define BARRIER_FORTRAN MPI_Fint *comm
#define BARRIER_HANDED  comm
FORTRAN_BOTH(BARRIER, mpi_barrier, mpi_ibarrier,
             HS_CONTENT(0, MPI_DATATYPE_NULL, MPI_OP_NULL, MPI_Comm_f2c(*comm)));
/* clang-format on */

/* ---- begin and end ---- */

/* NOLINTBEGIN(bugprone-macro-parentheses): lists of parameters, and whole statements */
/* name, parameters, arguments, and what is done before and behind it where it did not fail. */
#define F_CALL(name, parameters, arguments, before, behind)                                        \
    HS_PUBLIC void name parameters;                                                                \
    HS_PUBLIC void name parameters                                                                 \
    {                                                                                              \
        MPI_Fint unasked;                                                                          \
                                                                                                   \
        before;                                                                                    \
        if (!failed)                                                                               \
            failed = &unasked;                                                                     \
        ((void(*) parameters)fortran(#name)) arguments;                                            \
        if (*failed == MPI_SUCCESS)                                                                \
            behind;                                                                                \
    }
#define F_CALLS(name, ...)                                                                         \
    F_NAMES(F_CALL, name, __VA_ARGS__) _Static_assert(true, "a semicolon follows")
/* NOLINTEND(bugprone-macro-parentheses) */
#define I MPI_Fint

/* clang-format off */
F_CALLS(mpi_init, (I *failed), (failed), hs_check_library(), hs_begin());
F_CALLS(mpi_init_thread, (I *required, I *provided, I *failed), (required, provided, failed),
        hs_check_library(), hs_begin());
F_CALLS(mpi_finalize, (I *failed), (failed), bool merges = hs_finish(), if (merges) hs_merge());
/* clang-format on */
