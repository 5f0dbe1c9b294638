/*
 * log_fit.h - the constants of NCCL's price on one machine, fitted to times of its own calls.
 *
 * What is known of its class is the prior: the constants that ship, each with the width by which
 * machines differ (model/constants.h), so a log of two nodes moves what it says something of and
 * leaves the rest. Written into the system are those whose posterior is narrower than
 * HS_CONSTANT_LEARNED of that width.
 */
#ifndef HS_RESULT_LOG_FIT_H
#define HS_RESULT_LOG_FIT_H

#include "model/system.h"
#include "result/log.h"

/* What a log may leave out; 0 and false: not said either. */
struct hs_log_facts {
    int64_t ranks, nodes;
    bool call_known;
    enum hs_library_call call;
};

/* Calls with their times. Growing list; {0} is empty. */
struct hs_call_list {
    struct hs_nccl_run *runs; /* [count] owned */
    double *seconds;          /* [count] owned */
    size_t count, run_capacity, seconds_capacity;
};

/* Adds the log's calls on the machine, which names its parts. HS_INVALID: it does not, the log is
 * of MPI, what neither log nor facts say (which option would), ranks that the nodes do not divide
 * or have no room for; HS_MEMORY. */
enum hs_status hs_log_calls(struct hs_call_list *list, const struct hs_system *system,
                            const struct hs_log *log, const char *name,
                            const struct hs_log_facts *facts, struct hs_error *err);
void hs_call_list_release(struct hs_call_list *list);

/* Replaces the system's constants. *before, *after: exp(mean |ln(price / seconds)|) - 1 of these
 * calls. HS_INVALID; HS_MEMORY. */
enum hs_status hs_calls_fit(struct hs_system *system, const struct hs_call_list *list,
                            double *before, double *after, struct hs_error *err);

#endif
