/*
 * mpi_plans.h - calls that the interposer carries out by plan (model/rules.h), and how it decides.
 *
 * What all ranks of a call know alike decides, and nothing else: bytes by type signature, type and
 * operation, communicator, rules, how many calls there were. So all ranks go one way. Where data
 * lies, how it is laid out, and whether a rank gave MPI_IN_PLACE is a rank's own: it is packed.
 *
 * A plan runs on communicators of its own. They are made at the first call of the program's
 * communicator that goes by plan, where all its ranks are, and freed with it.
 */
#ifndef HS_APPLY_MPI_PLANS_H
#define HS_APPLY_MPI_PLANS_H

#include <mpi.h>
#include <stdbool.h>

#include "apply/mpi_handles.h"
#include "engine/engine.h"
#include "model/rules.h"

/* A call as the program made it; what C gave it, or Fortran by C's handles. */
struct hs_asked {
    enum hs_collective collective;
    const void *from;   /* or MPI_IN_PLACE */
    MPI_Count give;     /* elements that a rank gives each, as `take`; of reductions unused */
    MPI_Datatype given; /* likewise */
    void *to;
    MPI_Count take; /* elements of the whole call (allreduce), of a block (others) */
    MPI_Datatype taken;
    struct hs_list takes; /* of MPI_Reduce_scatter: `take` is not used then */
    MPI_Op operation;     /* of reductions */
    MPI_Comm comm;
    bool large; /* the call's name ends in _c */
};

/* What the ranks of a call have in common. */
struct hs_message {
    size_t bytes; /* per process, of the larger side */
    size_t width; /* of an element that travels */
    bool reduces;
    bool floats;       /* float or double */
    bool ours;         /* the engine's own sum of these; else MPI_Reduce_local's */
    MPI_Datatype type; /* of what is reduced */
    MPI_Op operation;
};

/* Room where the program's own memory does not do: buffers, one behind the other. */
enum { HS_BUFFERS = 3 };
struct hs_room {
    char *data;
    size_t bytes; /* of each */
};

/* A communicator of the program's that has called what plans may carry out. */
struct hs_party {
    const struct hs_group *group; /* borrowed; NULL: there are no rules for its ranks */
    int rank, size;
    void *engine; /* NULL: none of its calls went by plan so far */
    bool off;     /* nor does any */
    struct hs_idle idle;
    struct hs_room own, *room; /* own, or of all where one call is under way at a time */
    size_t bytes;              /* that all ranks have in it */
    struct hs_use *uses;       /* [rules] */
    struct hs_party *next;
};

/* Carries a call out, as the library would leave it. differs (NULL: not checked): by the library,
 * too, whose result is taken where any rank finds another one, and *differs is set. HS_MEMORY,
 * HS_INVALID on all ranks alike, before anything of the program's is lost: leave it to the library.
 * HS_FAILED of MPI. */
enum hs_status hs_carry(struct hs_party *party, const struct hs_asked *asked,
                        const struct hs_message *message, const struct hs_rule *rule, bool *differs,
                        struct hs_error *err);
/* What the engine of a party is opened with: host memory, where sums are as MPI makes them. Pages
 * are there once they are written to. */
struct hs_memory hs_carry_memory(void);
/* The library's own call. */
int hs_ask_library(const struct hs_asked *asked);

/* Tries a call. False: it is the library's. */
bool hs_plans_try(const struct hs_asked *asked, int *status);
/* Where all ranks of the program pass: behind MPI_Init, before MPI_Finalize. */
void hs_plans_begin(void);
void hs_plans_finish(void);

#endif
