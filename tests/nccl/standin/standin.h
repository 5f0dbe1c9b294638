/*
 * standin.h - a stand-in for NCCL and the CUDA runtime: the functions that the backend uses, on
 * host memory and one machine, with the rules of both checked. Linked in place of the libraries;
 * needs no GPU.
 *
 * What is put on streams is only queued. It is carried out while the program polls (events,
 * streams, communicators), stream by stream in an order that changes, so nothing may count on more
 * than streams and events promise. Collectives meet in files that the ranks of a communicator map
 * (in $STANDIN_DIR): real sums, no MPI, so a collective that is aborted leaves nothing behind.
 *
 * A broken rule ends the process with status 70 and one line on stderr, "standin: RULE: ...":
 *
 *   order      ranks of a communicator do not make the same calls with the same counts, types and
 * operations, or two communicators are used in different orders on different ranks race       two
 * accesses to the same bytes, one of them a write, that no stream, event or wait orders state a
 * communicator that is destroyed, aborted, finalised or in progress is used memory     a range
 * outside live device memory; overlapping input and output that NCCL does not allow; memory freed
 * while in use or registered; something of CUDA's used after it was destroyed capture    something
 * that a capture does not allow, or one that ends with streams not joined leak
 * (standin_check_leaks) communicators, memory, streams, events or graphs left at the end abort
 * a communicator is taken apart while a kernel of any other is stuck, or while a graph with it
 * lives: NCCL waits for both, here for some seconds. Aborts of one group (from 2.22) or of threads
 * stop all kernels first gate the host waits for a device that waits for the host: the first call
 * of a communicator, or more on a stream than a GPU's queue takes, while the host holds a stream
 *
 * The host touching device memory is a segmentation fault: it can be accessed only while queued
 * work runs. MPI is part of the stand-in, too (mpi.c): handing it device memory is against the rule
 * `memory` unless $STANDIN_MPI is "aware"; and what it sends from or receives into, device or
 * pinned memory, is against the rule `race` while queued work may touch it, and the other way
 * round.
 *
 * Sends and receives are taken in groups alone, of one communicator each, in which every rank takes
 * part: such a group counts as one call. What a rank sends another must be what that one receives
 * from it (rule `order`); nothing that is received may be sent, or received twice (rule `memory`).
 *
 * $STANDIN_FAULT injects one fault, "KIND:CALL:SIZE", into the calls of rank 0 (as given to
 * ncclCommInitRankConfig) on communicators of SIZE ranks. CALL: reduce-scatter, allgather,
 * allreduce, exchange, split, init, register, window. KIND: hang (never gets there), error (the
 * communicator's state becomes ncclRemoteError), refuse (the call returns ncclSystemError; a split
 * that is refused fails on all ranks of what would be made), wrong (a bit of the result is wrong).
 * It is read at each call.
 *
 * $STANDIN_LOCAL_RANKS: ranks of a node; communicators of more have no windows, which is no error.
 * A collective with both buffers in windows counts as one by NCCL's kernels for symmetric memory:
 * what peers reach must lie at the same place of the windows (rule `order`), and profiler.c does
 * not tell the profiler plugin of its launch.
 *
 * $STANDIN_ONE_KERNEL: two collectives that nothing orders are against the rule `race`, of any
 * communicators. What the host reads of a copy before it has come is garbage.
 *
 * $STANDIN_NODE_DESTROY: a communicator is destroyed when all of its ranks destroy it, as NCCL
 * wants of those of a node: one that is not, or in another order, is against the rule `state`.
 *
 * $STANDIN_COUNTS_BYTES: at the end each process says on stderr how many bytes of their larger
 * sides the collectives had on communicators of each size, and how many of all are of allgathers
 * that NCCL makes by copy engines: with windows, on communicators with NCCL_CTA_POLICY_ZERO.
 *
 * $STANDIN_COUNTS_SPLITS: at the end each process says on stderr how many communicators it split
 * off, and how many of these have as many ranks as what they were split off.
 * $STANDIN_SPLIT_SECONDS: each takes so long.
 *
 * $STANDIN_SECONDS: what events tell is not the host's clock but what the work before them takes:
 * "SIZE:SECONDS,...", each collective of a communicator of so many ranks; all else nothing.
 *
 * $STANDIN_GPUS: GPUs of the node, 64 by default. $STANDIN_GPU: their name. $STANDIN_DRIVER: the
 * driver's CUDA version, 13000 by default. $STANDIN_NCCL: NCCL's version.
 */
#ifndef HS_TESTS_STANDIN_H
#define HS_TESTS_STANDIN_H

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STANDIN_STATUS  70
#define STANDIN_STREAMS 256 /* all that a process may make, graphs' included; 0 is the host */
#define STANDIN_RANGES  3

_Noreturn void standin_broken(const char *rule, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Rule `leak`. */
void standin_check_leaks(void);

/* ---- time: what happened before what (vector clocks) ---- */

struct standin_clock {
    uint32_t ticks[STANDIN_STREAMS];
};
extern struct standin_clock standin_host_clock;
void standin_clock_merge(struct standin_clock *into, const struct standin_clock *from);

/* A part of device memory that an operation reads or writes. */
struct standin_range {
    char *begin;
    size_t bytes;
    bool write;
};
/* Rule `race`, for the host (or MPI) at this moment. */
void standin_host_access(const char *what, const void *begin, size_t bytes, bool write);
/* Rule `race`, against what MPI has in its hands; not there where the stand-in is a library, for
 * programs without MPI. */
__attribute__((weak)) void standin_mpi_check(const char *what, const struct standin_range *ranges);
/* Rule `race`, for operation `tick` of stream `stream` whose clock is `clock`; remembers the
 * accesses. */
void standin_access(const char *what, const struct standin_range *ranges, int stream, uint32_t tick,
                    const struct standin_clock *clock);

/* ---- device memory ---- */

enum standin_memory_kind { STANDIN_ORDINARY, STANDIN_PINNED, STANDIN_DEVICE };

size_t standin_memory_bytes(void); /* of the device, in use */
void *standin_memory_new(size_t bytes, bool pinned);
void standin_memory_free(void *memory, bool pinned, const char *call);
enum standin_memory_kind standin_memory_kind(const void *address);
/* Rule `memory`. */
void standin_memory_check(const void *begin, size_t bytes, const char *what);
/* Marks memory as NCCL's allocator's; whether it is. */
void standin_memory_allocate(void *begin);
bool standin_memory_allocated(const void *address);
/* Number of registrations of the allocation goes up or down. */
void standin_memory_register(void *begin, int change);
/* Around whatever works on device memory; may be nested. */
void standin_memory_open(void);
void standin_memory_close(void);
size_t standin_memory_count(void);

/* ---- streams ---- */

/* Something queued. `step` returns whether it is through; it may be called again and again. */
struct standin_work {
    const char *name;
    bool (*step)(struct standin_work *work);
    struct standin_range ranges[STANDIN_RANGES];
    struct ncclComm *comm; /* collectives */
    uint32_t sequence, ordinal;
    bool symmetric; /* both buffers are in windows */
    uint64_t offset;
    bool arrived, captured, gate; /* gate: ends when the host says so */
    /* what it computes */
    int kind, datatype, operation;
    void *output;
    const void *inputs[2];
    size_t count;
    int64_t number, first;
    void *host;
    const struct exchange *exchange; /* sends and receives; lives to the end */
};

/* Queues a copy of `work`, or adds it to a capture. Rules race, memory. */
void standin_stream_put(cudaStream_t stream, const struct standin_work *work);
/* Carries out what can be; true where anything could. */
bool standin_progress(void);
/* Whether work of this communicator is queued; drops it where `drop`. */
bool standin_stream_has(const struct ncclComm *comm, bool drop);
bool standin_stream_captures(cudaStream_t stream);
/* Whether the host holds any stream. */
bool standin_stream_held(void);
/* Whether anything is queued on any stream that cannot be carried out now. */
bool standin_stream_stuck(void);
/* Whether an instantiated graph calls this communicator. */
bool standin_graph_has(const struct ncclComm *comm);

/* ---- NCCL ---- */

/* A collective reaches the head of its stream. */
bool standin_collective_step(struct standin_work *work);
/* Gives a collective its number when it is really put on a stream. */
void standin_collective_number(struct standin_work *work);
size_t standin_comm_count(void);
int standin_comm_size(const struct ncclComm *comm);

/* nccl.h declares them without prototypes. */
ncclResult_t ncclGroupStart(void);
ncclResult_t ncclGroupEnd(void);

/* "KIND" of the fault for this call, or "". */
const char *standin_fault(const char *call, int size);
extern int standin_root_rank;

#endif
