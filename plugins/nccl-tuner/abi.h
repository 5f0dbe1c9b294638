/*
 * abi.h - NCCL's tuner interface, versions 4 (2.24) and 5 (2.28): its binary layout, as NCCL does
 * not install the header. Checked against the debug information of libnccl 2.28.9 by
 * tests/export/test_nccl.sh.
 *
 * Names are our own; what counts is the order and the size of members, and the names of the two
 * symbols.
 */
#ifndef HS_TUNER_ABI_H
#define HS_TUNER_ABI_H

#include <stddef.h>
#include <stdint.h>

enum tuner_status { TUNER_SUCCESS = 0, TUNER_SYSTEM_ERROR = 2, TUNER_INVALID_USAGE = 5 };

enum tuner_log_level { TUNER_WARN = 2, TUNER_INFO = 3 };
enum tuner_log_subsystem { TUNER_LOG_INIT = 0x1, TUNER_LOG_TUNING = 0x40 };

/* ncclFunc_t */
enum tuner_collective {
    TUNER_BROADCAST,
    TUNER_REDUCE,
    TUNER_ALL_GATHER,
    TUNER_REDUCE_SCATTER,
    TUNER_ALL_REDUCE,
};

/* Rows and columns of the cost table. -1 in it: this pair cannot be used. */
enum { TUNER_RING = 1 };
enum tuner_protocol { TUNER_LL, TUNER_LL128, TUNER_SIMPLE, TUNER_PROTOCOLS };

/* ncclDebugLogger_t: a parameter or member `name` of that type. */
#define TUNER_LOGGER(name)                                                                         \
    void (*name)(enum tuner_log_level level, unsigned long subsystems, const char *file, int line, \
                 const char *format, ...) __attribute__((format(printf, 5, 6)))

/* The cost table comes as `float **`, but is one block of [algorithms][protocols] floats. *channels
 * = 0 leaves the number of channels to NCCL. */
#define TUNER_GET_COLL_INFO(name)                                                                  \
    enum tuner_status (*name)(void *context, enum tuner_collective collective, size_t bytes,       \
                              int pipelined, float **costs, int algorithms, int protocols,         \
                              int registered, int *channels)

struct tuner_v4 {
    const char *name;
    enum tuner_status (*init)(size_t ranks, size_t nodes, TUNER_LOGGER(logger), void **context);
    TUNER_GET_COLL_INFO(get_coll_info);
    enum tuner_status (*destroy)(void *context);
};

struct tuner_v5 {
    const char *name;
    enum tuner_status (*init)(void **context, uint64_t communicator, size_t ranks, size_t nodes,
                              TUNER_LOGGER(logger), void *nvlink_domains, void *constants);
    TUNER_GET_COLL_INFO(get_coll_info);
    enum tuner_status (*finalize)(void *context);
};

#endif
