/*
 * mpi_steps.h - who sends how much to whom in MPI's algorithms, step by step: what a layer's own
 * call (letter n) and the library's call of all ranks are priced by alike.
 *
 * Steps of Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
 * MPICH", 2005; of Chen, Zhang, Zhang and Yuan, "Performance evaluation of allgather algorithms on
 * terascale Linux cluster with Fast Ethernet", 2005 (neighbor exchange); of Träff, "An improved
 * algorithm for (non-commutative) reduce-scatter with an application", 2005 (butterfly).
 */
#ifndef HS_LIBRARY_MPI_STEPS_H
#define HS_LIBRARY_MPI_STEPS_H

#include "library/library_mpi.h"
#include "model/steps.h"

#define HS_MPI_STEPS_MAX 64

/* Every rank that takes part sends one message, and the next step begins when all are through. */
struct hs_mpi_step {
    bool swap;      /* with the rank whose number differs in the bit `places`; else around */
    bool outside;   /* partners of odd and next even numbers: a swap by 1 that is off by one */
    bool reduces;   /* what comes */
    bool folded;    /* of neighbours one alone takes part: partners are twice as far */
    bool along;     /* behind the one before without waiting for it: no latency of its own */
    int64_t places; /* between partners */
    double part;    /* of the message of n bytes */
    double times;   /* one after the other */
};

struct hs_mpi_steps {
    struct hs_mpi_step items[HS_MPI_STEPS_MAX];
    int count;
    bool one_sends; /* of a group, at a time: along a tree, or from its root */
};

/* Whether an algorithm is one of the phase, and has steps. */
bool hs_mpi_has_steps(enum hs_mpi_algorithm algorithm, enum hs_phase phase);
/* Those of a call of `ranks`; none where it has none. Items beyond the count are not set. */
void hs_mpi_steps(struct hs_mpi_steps *steps, enum hs_mpi_algorithm algorithm, enum hs_phase phase,
                  int64_t ranks);
/* Adds a step of the ranks of steps->price's layer that are a multiple of `first` places of it. */
void hs_mpi_steps_add(struct hs_steps *steps, const struct hs_mpi_step *step, int64_t first);
/* Behind the last of them: steps stand for those between them, and for partners that are no power
 * of two apart, but links carry no less than what must pass (limit.h), of that part of the groups.
 */
void hs_mpi_steps_fill(struct hs_steps *steps, double part);

#endif
