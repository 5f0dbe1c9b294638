/* comms.h - what a communicator of the stand-in is; for comms.c and collectives.c. See standin.h.
 */
#ifndef HS_TESTS_STANDIN_COMMS_H
#define HS_TESTS_STANDIN_COMMS_H

#include <stdatomic.h>

#include "standin.h"

#define RANKS_MAX   64
#define SLOT_BYTES  ((size_t)4 << 20)
#define NAME_BYTES  96
#define WINDOWS_MAX 4

enum call_kind {
    CALL_REDUCE_SCATTER,
    CALL_ALLGATHER,
    CALL_ALLREDUCE,
    CALL_EXCHANGE,
    CALL_BROADCAST
};
extern const char *const standin_call_names[];

/* What one rank says of a collective; all must say the same. */
struct signature {
    int kind, datatype, operation, captured, registrations, windows;
    uint64_t offset; /* of what peers reach in its window; where both buffers are in windows */
    uint64_t count;
    uint64_t sent[RANKS_MAX]; /* of an exchange: bytes to each rank, one behind the other */
    uint32_t ordinal;
};

/* Sends and receives of one group on one communicator, at most one of each for a rank. */
struct exchange {
    const char *from[RANKS_MAX];
    char *to[RANKS_MAX];
    size_t sent[RANKS_MAX], received[RANKS_MAX]; /* bytes */
    bool sends[RANKS_MAX], receives[RANKS_MAX];
};

/* A rank's part of the file that a communicator's ranks map. Zeroed by the file system. */
struct member {
    atomic_uint present, failed, destroyed, arrived, finished, finalised, splits, windows;
    int color[2], key[2]; /* of split number `splits`, by parity: who is through with one may go
                            * on to the next, but not to the one behind that */
    struct signature signature;
};

struct region {
    struct member members[RANKS_MAX];
    char slots[];
};

enum comm_state { COMM_MAKING, COMM_LIVE, COMM_FINALISING, COMM_FINALISED, COMM_GONE };

/* ncclWindow_t is the address of one. */
struct window {
    char *begin; /* NULL: ended */
    size_t bytes;
};

struct ncclComm {
    enum comm_state state;
    bool blocking, aborted, suspended, faulty; /* faulty: never gets ready */
    bool zero_cta;                             /* asked for in its configuration */
    struct ncclComm *next_abort;               /* of a group */
    int size, rank;
    char name[NAME_BYTES];
    struct region *region;
    size_t region_bytes;
    ncclResult_t error;
    uint32_t issued, done; /* collectives */
    int scalar_count;
    double scalars[8]; /* of ncclRedOpCreatePreMulSum */
    int registrations;
    void *registered[8];
    struct window windows[WINDOWS_MAX];
    void *profiled; /* what the profiler plugin gave */
    /* A call that has not been put on its stream yet. */
    unsigned windows_made;       /* all, also those that were ended */
    struct window made, *making; /* the one in progress, and where it will be */
    ncclWindow_t *window_out;    /* of that one; NULL: there is none */
    bool window_refused;         /* by a fault, the last one */
    bool has_pending;
    struct standin_work pending;
    cudaStream_t pending_stream;
    unsigned looks; /* at what is in progress */
    /* A split that is in progress. */
    ncclComm_t *split_out, child;
    bool split_zero_cta;
    ncclResult_t split_error; /* of the one that has failed, until it is told */
    uint32_t splits;
    int color;
    struct ncclComm *next;
};

/* Rule `state`: for all calls that start something. */
void standin_comm_check_ready(ncclComm_t comm, const char *call);
/* What a call on `comm` returns: in progress, or on a blocking communicator its end. */
ncclResult_t standin_comm_settle(ncclComm_t comm);
#define STANDIN_COMM_BYTES ((size_t)16 << 20) /* what one takes of the device's memory */
size_t standin_comm_bytes(void);              /* and all of them */
/* Whether the atomic at `offset` of all members has reached `least`. */
bool standin_comm_all(const struct ncclComm *comm, size_t offset, unsigned least);
/* Leaves `why` for ncclGetLastError and returns `code`. */
ncclResult_t standin_refuse(ncclResult_t code, const char *why);
/* Whether calls are being collected. */
bool standin_grouping(void);
/* ncclGroupEnd: what was aborted in the group is taken apart. */
void standin_comm_end_aborted(void);
/* The window of `comm` that has all of it; NULL: none. */
const struct window *standin_comm_window(const struct ncclComm *comm, const void *begin,
                                         size_t bytes);
/* ---- what NCCL tells the profiler plugin of the program (profiler.c) ---- */
void standin_profiler_init(ncclComm_t comm);
/* A collective was asked for; and was launched, unless symmetric kernels take it. */
void standin_profiler_call(ncclComm_t comm, enum call_kind kind, size_t bytes, bool symmetric);

/* A call of all ranks: collectives are counted from here, for the rule `order`. */
void standin_collective_restart(void);

#endif
