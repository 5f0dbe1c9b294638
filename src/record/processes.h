/*
 * processes.h - the processes of a job that called NCCL, each of which knew itself alone: which
 * ranks of the job they are, and which ranks each communicator has, from what their files say
 * together (counts.h: a communicator is known by what it was made of, the same on all its ranks,
 * and each file has its own rank in it).
 */
#ifndef HS_APPLY_PROCESSES_H
#define HS_APPLY_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "record/counts.h"

/* Where a rank of MPI_COMM_WORLD runs: as its file says. */
struct hs_seat {
    char host[HS_COUNTS_HOST];
    int32_t pid, rank;
};

struct hs_processes {
    struct hs_counts **counts; /* [count] owned, in the order of their ranks */
    size_t count;
    int64_t *gpus;                /* [count] owned: of a process, 1 or more */
    int64_t ranks, missing_ranks; /* a rank is one GPU of one process */
    const char *order;            /* what the order of ranks is by, in words */
};

/* Loads the files of NCCL's in the folder that are of the last run there: what ended before another
 * one began, and has no communicator with it, is of a run before. Nothing of it is checked twice.
 * `since`: when the job began, in nanoseconds since 1970; 0: of what the files say. HS_INVALID: one
 * is not ours, or of another build; HS_MEMORY. None at all is no error. */
enum hs_status hs_processes_load(struct hs_processes *processes, const char *folder, int64_t since,
                                 struct hs_error *err);
/* Numbers the ranks, and says in the counts which ranks each group has: `first`, `stride`
 * and `ranks_hash` as of MPI's groups, stride 0 where they are no progression or not all known.
 *
 * A process is the rank of MPI_COMM_WORLD on its seat [seat_count]; else the one that its
 * environment named, if that is so of all of them; else their order in the largest communicator;
 * else that of host and process number. HS_MEMORY. */
enum hs_status hs_processes_place(struct hs_processes *processes, const struct hs_seat *seats,
                                  size_t seat_count, struct hs_error *err);
void hs_processes_release(struct hs_processes *processes);

#endif
