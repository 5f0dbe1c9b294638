/*
 * mpi_profile.h - what the interposer's calls of C and Fortran share: a call is entered, handed to
 * the library, and left, with what it carried.
 */
#ifndef HS_APPLY_MPI_PROFILE_H
#define HS_APPLY_MPI_PROFILE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "apply/mpi_handles.h"

#define HS_PUBLIC __attribute__((visibility("default")))
#ifdef OPEN_MPI
#define HS_MPI_NAME "Open MPI"
#else
#define HS_MPI_NAME "MPICH"
#endif

/* A call on its way. */
struct hs_passing {
    bool outermost; /* the program's own: not within another one */
    bool counts;    /* it is counted */
    enum hs_counted_call call;
    bool begun; /* the nonblocking form */
    uint64_t began_nanoseconds;
};
/* What it carried, of the larger side. MPI_DATATYPE_NULL: there are no elements. */
struct hs_content {
    uint64_t elements;
    MPI_Datatype type;
    MPI_Op operation;
    MPI_Comm comm;
    bool of_each; /* so many elements of each rank */
};
/* A call begins: what is to be handed to hs_leave behind the library's own. What a thread calls
 * within another call is the library's, not the program's, and is not counted; nor is anything
 * before hs_begin and behind hs_finish. */
struct hs_passing hs_enter(enum hs_counted_call which, bool begun);
/* A failed call is told by the library, as ever, and not counted: its arguments may mean
 * nothing. */
void hs_leave(const struct hs_passing *passing, const struct hs_content *content);
/* What it carried is only looked at where it is counted. */
#define HS_LEAVE(passing, ...)                                                                     \
    do {                                                                                           \
        struct hs_content carried = {.elements = 0};                                               \
                                                                                                   \
        if ((passing)->counts)                                                                     \
            carried = (__VA_ARGS__);                                                               \
        hs_leave(passing, &carried);                                                               \
    } while (0)

/* Types, one for each rank, by C's handles or Fortran's. */
struct hs_types {
    const void *types; /* NULL: there are none */
    bool fortran;
};

/* Sums over the ranks that a rank's message goes to (of an inter-communicator those of the other
 * side) of what a list says of each: elements, and bytes where each has a type. */
uint64_t hs_sum_of(struct hs_list list, MPI_Comm comm);
uint64_t hs_bytes_of(struct hs_list list, struct hs_types types, MPI_Comm comm);
/* Whether this rank has that number there; false where nothing is counted. */
bool hs_is_root(int root, MPI_Comm comm);

#define HS_CONTENT(...) ((struct hs_content){__VA_ARGS__, false})
#define HS_OF_EACH(...) ((struct hs_content){__VA_ARGS__, true})

/* Before the library's own MPI_Init: ends the program where that library is not ours. */
void hs_check_library(void);
/* Behind it: as it is called by all ranks, so is this. Plans, too (mpi_plans.h). */
void hs_begin(void);
/* Before the program aborts the job: what was counted is written. */
void hs_abort(void);
/* Before MPI_Finalize, by all ranks. Returns whether this one merges behind it. */
bool hs_finish(void);
/* Makes a file of the counts, by a process of its own: it shall not matter to the program. */
void hs_merge(void);

#endif
