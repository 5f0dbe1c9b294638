/*
 * counts.h - what one rank of somebody else's program calls: rows of calls that are alike, in
 * memory, and what has changed of them in a file, written now and then, so that a kill loses
 * little. The interposers write it (mpi_profile.c one file per rank, nccl_profile.c one per
 * process), in one folder; merge.c reads what a job left.
 *
 * A file is one struct hs_counts as it lies in memory: for programs of one build on one kind of
 * machine, which is what the merge checks. It is sparse: a rank that calls little writes little.
 * It is not mapped: where a disk is full, a page of a map without room would end the program.
 * This file and counts.c know nothing but libc, because they run inside other people's programs.
 */
#ifndef HS_APPLY_COUNTS_H
#define HS_APPLY_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name, as the program calls it without "MPI_", what it does, whether no rank gets its result
 * before all have come, so that who comes early waits */
/* clang-format off */
#define HS_COUNTED_CALLS(row)                                    \
    row(ALLREDUCE, "Allreduce", "allreduce", true)               \
    row(REDUCE_SCATTER, "Reduce_scatter", "reduce-scatter", true) \
    row(REDUCE_SCATTER_BLOCK, "Reduce_scatter_block", "reduce-scatter", true) \
    row(ALLGATHER, "Allgather", "allgather", true)               \
    row(ALLTOALL, "Alltoall", "all-to-all", true)                \
    row(BCAST, "Bcast", "broadcast", false)                      \
    row(REDUCE, "Reduce", "reduce", false)                       \
    row(GATHER, "Gather", "gather", false)                       \
    row(SCATTER, "Scatter", "scatter", false)                    \
    row(ALLGATHERV, "Allgatherv", "allgather", true)             \
    row(ALLTOALLV, "Alltoallv", "all-to-all", true)              \
    row(ALLTOALLW, "Alltoallw", "all-to-all", true)              \
    row(GATHERV, "Gatherv", "gather", false)                     \
    row(SCATTERV, "Scatterv", "scatter", false)                  \
    row(SCAN, "Scan", "scan", false)                             \
    row(EXSCAN, "Exscan", "scan", false)                         \
    row(BARRIER, "Barrier", "barrier", true)
/* The same of NCCL, whose calls only begin what a GPU does later: nobody waits in them. */
#define HS_COUNTED_NCCL_CALLS(row)                               \
    row(NCCL_ALLREDUCE, "ncclAllReduce", "allreduce", false)     \
    row(NCCL_REDUCE_SCATTER, "ncclReduceScatter", "reduce-scatter", false) \
    row(NCCL_ALLGATHER, "ncclAllGather", "allgather", false)     \
    row(NCCL_ALLTOALL, "ncclAlltoAll", "all-to-all", false)      \
    row(NCCL_BROADCAST, "ncclBroadcast", "broadcast", false)     \
    row(NCCL_BCAST, "ncclBcast", "broadcast", false)             \
    row(NCCL_REDUCE, "ncclReduce", "reduce", false)              \
    row(NCCL_GATHER, "ncclGather", "gather", false)              \
    row(NCCL_SCATTER, "ncclScatter", "scatter", false)           \
    row(NCCL_SEND, "ncclSend", "send", false)                    \
    row(NCCL_RECV, "ncclRecv", "receive", false)                 \
    row(NCCL_ALLTOALLV, "ncclAlltoAllv", "all-to-all", false)    \
    row(NCCL_ALLREDUCE_WITH_BIAS, "ncclAllReduceWithBias", "biased allreduce", false)
/* clang-format on */

enum hs_counted_call {
#define HS_ROW(name, text, does, together) HS_COUNTED_##name,
    HS_COUNTED_CALLS(HS_ROW) HS_COUNTED_NCCL_CALLS(HS_ROW)
#undef HS_ROW
        HS_COUNTED_CALL_COUNT,
    HS_COUNTED_NCCL_FIRST = HS_COUNTED_NCCL_ALLREDUCE
};
struct hs_counted_call_row {
    const char *name, *does;
    bool together;
};
extern const struct hs_counted_call_row hs_counted_calls[HS_COUNTED_CALL_COUNT];

/* What elements are, by what MPI makes of the language's types; derived types are by what they are
 * made of no more: "other". */
/* clang-format off */
#define HS_COUNTED_TYPES(row)                                                                     \
    row(NONE, "") row(FLOAT32, "float32") row(FLOAT64, "float64") row(INT8, "int8")               \
    row(INT16, "int16") row(INT32, "int32") row(INT64, "int64") row(UINT8, "uint8")               \
    row(UINT16, "uint16") row(UINT32, "uint32") row(UINT64, "uint64") row(BYTE, "byte")           \
    row(FLOAT16, "float16") row(BFLOAT16, "bfloat16") row(FLOAT8E4M3, "float8e4m3")               \
    row(FLOAT8E5M2, "float8e5m2") row(OTHER, "other")
#define HS_COUNTED_OPERATIONS(row)                                                                \
    row(NONE, "") row(SUM, "sum") row(MAX, "max") row(MIN, "min") row(PRODUCT, "product")         \
    row(LOGICAL, "logical") row(BITS, "bits") row(LOCATION, "location") row(USER, "user")         \
    row(AVERAGE, "average")
/* clang-format on */
enum hs_counted_type {
#define HS_ROW(name, text) HS_COUNTED_TYPE_##name,
    HS_COUNTED_TYPES(HS_ROW)
#undef HS_ROW
        HS_COUNTED_TYPE_COUNT
};
enum hs_counted_operation {
#define HS_ROW(name, text) HS_COUNTED_OPERATION_##name,
    HS_COUNTED_OPERATIONS(HS_ROW)
#undef HS_ROW
        HS_COUNTED_OPERATION_COUNT
};
extern const char *const hs_counted_type_names[HS_COUNTED_TYPE_COUNT];
extern const char *const hs_counted_operation_names[HS_COUNTED_OPERATION_COUNT];

#define HS_COUNTS_ROWS    4096
#define HS_COUNTS_GROUPS  1024
#define HS_COUNTS_MEMBERS ((size_t)1 << 18) /* ranks of groups that are no progression */
#define HS_COUNTS_SAMPLES 16384
#define HS_COUNTS_HOST    64
#define HS_COUNTS_TEXT    512

/* Calls that are alike. */
struct hs_counts_row {
    uint32_t group;      /* index */
    uint8_t call, begun; /* begun: the nonblocking form, whose time is that of beginning it */
    uint8_t type, operation;
    /* messages of 2^(size_class - 1) to 2^size_class - 1 bytes; 0: none */
    uint32_t size_class, changed; /* changed: since it was written */
    uint64_t calls, bytes, nanoseconds, longest_nanoseconds;
};

/* Ranks that call together: of MPI_COMM_WORLD; or those of a communicator of NCCL, of which a
 * process knows itself alone. */
struct hs_counts_group {
    /* of their list; or of what NCCL's communicator was made of: equal on all members */
    uint64_t ranks_hash;
    uint32_t ordinal; /* of the communicators of these ranks, in the order of their first call */
    int32_t size;
    int32_t first, stride;   /* a progression; stride 0: `members` has them, if MPI's */
    uint32_t members, whole; /* index; whole 0: there was no room for them */
    uint64_t calls;          /* of any kind: numbers calls alike on all members */
    int32_t rank, device;    /* NCCL's: this process's rank in it, and CUDA's number of its GPU
                                (-1: not known); MPI's: -1 */
};

/* How long one call took on this rank, and how long the program had gone on by itself before, since
 * its last call of any group. */
struct hs_counts_sample {
    uint32_t row, group;
    uint64_t number; /* of the group's calls */
    uint64_t nanoseconds, before_nanoseconds;
};

struct hs_counts {
    char format[16];     /* HS_COUNTS_FORMAT */
    uint64_t bytes;      /* of this struct */
    uint64_t run;        /* drawn by rank 0: the same in all files of a run; 0: NCCL's */
    int32_t rank, ranks; /* of MPI_COMM_WORLD; or what the environment says, -1 of 0: nothing */
    int64_t began_seconds, began_nanoseconds; /* since 1970, and since that second */
    uint64_t nanoseconds; /* since then, as of the last call, or of MPI_Finalize, or exit */
    uint32_t finished;    /* MPI_Finalize, or exit, was reached */
    int32_t pid;
    uint32_t row_count, group_count, sample_count;
    uint64_t member_count;
    uint64_t uncounted_calls; /* no room for another row or group */
    /* command: as the program was called, words behind blanks */
    char host[HS_COUNTS_HOST], library[HS_COUNTS_TEXT], command[HS_COUNTS_TEXT];
    struct hs_counts_row rows[HS_COUNTS_ROWS];
    struct hs_counts_group groups[HS_COUNTS_GROUPS];
    struct hs_counts_sample samples[HS_COUNTS_SAMPLES];
    int32_t members[HS_COUNTS_MEMBERS];
};
#define HS_COUNTS_FORMAT "hs.counts/3"

/* The path of a rank's file in a folder. False: it does not fit. */
bool hs_counts_path(char *path, size_t path_bytes, const char *folder, int rank);
/* Makes the folder where there is none, and a file in it that says who counts, and nothing else;
 * NULL with errno where that cannot be. */
struct hs_counts *hs_counts_create(const char *folder, int rank, int ranks, uint64_t run);
/* The same for a process that calls NCCL, whose file has its host's and its own number's name and
 * replaces no other: nobody knows which rank it is, but perhaps the environment (-1 of 0: not). */
struct hs_counts *hs_counts_create_nccl(const char *folder, int rank, int ranks);
/* Writes what has changed to the file, in such an order that a reader, and who is killed between,
 * finds nothing that is not there yet. hs_counts_add does so by itself: at each of the first
 * HS_COUNTS_AT_ONCE calls, then every HS_COUNTS_EVERY nanoseconds. Returns 0, or the errno of what
 * did not work, which is tried again with the next. Does nothing in a process that was forked from
 * the one that counts. One thread at a time. */
int hs_counts_write(struct hs_counts *counts);
#define HS_COUNTS_AT_ONCE 1000
#define HS_COUNTS_EVERY   100000000u
/* The path of the file. */
const char *hs_counts_file(const struct hs_counts *counts);
/* Writes, closes the file and frees. Returns as hs_counts_write does. */
int hs_counts_end(struct hs_counts *counts);
/* Whether a file of a folder is one of these. */
bool hs_counts_is_nccl(const char *name);

/* A new group with these ranks [size] of the world; -1: no room. */
int hs_counts_group(struct hs_counts *counts, const int *ranks, int size);
/* A new group of a communicator of NCCL: what it was made of, its size, the rank of this process in
 * it, its GPU; -1: no room. */
int hs_counts_communicator(struct hs_counts *counts, uint64_t made_of, int size, int rank,
                           int device);
/* Says of a group what its ranks [size] are; false: they are no progression. */
bool hs_counts_say_ranks(struct hs_counts_group *group, const int *ranks, int size);

/* A call that has ended. */
struct hs_counted {
    enum hs_counted_call call;
    bool begun;
    enum hs_counted_type type;
    enum hs_counted_operation operation;
    int group; /* -1: uncounted */
    uint64_t bytes, nanoseconds;
    uint64_t since_nanoseconds; /* the end, after the run began; of each call not before the last */
};
/* Where calls like this one are counted, from now on, made at the first; NULL: nowhere, as there is
 * no room, or no group. One thread at a time, as the next. */
struct hs_counts_row *hs_counts_find(struct hs_counts *counts, const struct hs_counted *call);
/* Counts it there, and writes now and then. */
void hs_counts_add(struct hs_counts *counts, struct hs_counts_row *row,
                   const struct hs_counted *call);
/* Which class bytes are of. */
static inline uint32_t hs_counts_class(uint64_t bytes)
{
    return bytes == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(bytes);
}

#endif
