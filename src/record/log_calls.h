/*
 * log_calls.h - the calls that a log has times of, on a machine: as its library's price takes them.
 *
 * NCCL's calls are those of a machine in parts, MPI's those of levels whose library is named; which
 * algorithm runs is the library's rule (library_nccl.h, library_mpi.h), unless the log or who reads
 * it says which was forced. RCCL's calls are priced whatever runs, and nothing is fitted to them.
 */
#ifndef HS_RESULT_LOG_CALLS_H
#define HS_RESULT_LOG_CALLS_H

#include "library/price_mpi.h"
#include "library/price_nccl.h"
#include "library/price_rccl.h"
#include "record/log.h"
#include "system/system.h"

/* What a log may leave out; 0, NULL and false: not said either. */
struct hs_log_facts {
    int64_t ranks, nodes;
    bool call_known;
    enum hs_library_call call;
    const char *algorithm; /* forced, by its name in library_nccl.h or price_mpi.h; "": none is,
                              whatever the log says */
    bool may_lack_price;   /* calls that the machine, which may be NULL, has none for are kept */
};

/* A call with its time. */
struct hs_log_call {
    const char *file; /* borrowed */
    enum hs_library_call kind;
    int64_t ranks, nodes; /* nodes 0: nobody says */
    uint64_t bytes;       /* as library.h counts */
    bool in_place;
    double seconds;
    unsigned among; /* algorithms that may run, as bits of its library's; 0: by its rule */
    /* What its price is found of; UNSAID: it has none, else that member. */
    enum hs_library library;
    struct hs_nccl_run nccl;
    struct hs_mpi_call mpi; /* borrows the system */
    struct hs_rccl_call rccl;
};

/* Growing list; {0} is empty. */
struct hs_call_list {
    struct hs_log_call *items; /* [count] owned */
    size_t count, capacity;
};

/* Whether what a run's log says of its ranks cannot all be: their list, busbw / algbw of its rows,
 * NCCL's own lines. Then the facts decide. */
bool hs_log_is_contradictory(const struct hs_log *log, const struct hs_log_run *run);

/* Adds the log's calls. HS_INVALID, with the option that would help: what neither log nor facts
 * say; ranks that contradict each other, with both numbers; a machine without a price, or of
 * another library; ranks that its nodes do not have; HS_MEMORY. An all-to-all of MPI has no price
 * where one rank of a node of several calls. */
enum hs_status hs_log_calls(struct hs_call_list *list, const struct hs_system *system,
                            const struct hs_log *log, const char *name,
                            const struct hs_log_facts *facts, struct hs_error *err);
void hs_call_list_release(struct hs_call_list *list);

/* The model of a system's library, and its constants there: the system's own, else those that ship.
 * NULL: it has no price. */
const struct hs_price_model *hs_calls_model(const struct hs_system *system);
void hs_calls_values(double *values, const struct hs_system *system);
/* What the model prices of it; NULL: it has no price. */
const void *hs_log_call_priced(const struct hs_log_call *call);

/* Seconds with the 90 % range; NaN where it has no price. The system is the one it was made for. */
struct hs_call_price {
    double seconds, low_seconds, high_seconds;
};
struct hs_call_price hs_log_call_price(const struct hs_log_call *call,
                                       const struct hs_system *system);

#endif
