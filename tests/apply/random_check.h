/*
 * random_check.h - a random collective call, made twice with equal input: as MPI_X, which something
 * may stand in for, and as PMPI_X, the library alone. Both must leave the same.
 */
#ifndef HS_RANDOM_CHECK_H
#define HS_RANDOM_CHECK_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A communicator and what its members have in common. */
struct group {
    MPI_Comm comm;    /* MPI_COMM_NULL: this rank is no member */
    uint64_t color;   /* equal on its members, another one than other groups' */
    const char *made; /* how it was made */
    bool inter;
    bool awaited; /* a receive of any tag from any source waits on it */
};

/* Random numbers: a state per stream, which mixed() makes of what the stream is to depend on. */
uint64_t mixed(uint64_t a, uint64_t b, uint64_t c);
uint64_t draw(uint64_t *state);
uint64_t below(uint64_t *state, uint64_t limit);

/* Behind MPI_Init. No buffer holds more than so many bytes of elements. */
void check_begin(uint64_t seed, size_t max_bytes);
/* The call with this number in the group, by all of its members; ends the job where it is wrong. */
void check_call(const struct group *group, uint64_t number);
/* Says what was wrong, with the seed and the number, and ends the job with status 1. */
_Noreturn void wrong(uint64_t number, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What this rank called by check_call: " 12 Allreduce, 7 Bcast..." */
void check_print_calls(void);
void check_end(void);

#endif
