/*
 * request.h - what a search is asked (search.h).
 */
#ifndef HS_SEARCH_REQUEST_H
#define HS_SEARCH_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/problem.h"
#include "system/system.h"

#define HS_TOP_MAX        32768 /* plans asked for: a result file of so many stays readable */
#define HS_CHUNK_CHOICES  64    /* different chunk counts in one search */
#define HS_LEFT_OUT_TEXT  160
#define HS_EXHAUSTIVE_MAX ((uint64_t)1 << 32) /* splits that `exhaustive` agrees to price */

struct hs_search_request {
    const struct hs_system *system;
    struct hs_problem problem;
    /* Bits 1 << enum hs_algorithm that layers may go by; the ring is always among them. */
    unsigned algorithms;
    /* [chunk_count] distinct, ascending; NULL means {1}; of an AllReduce more than 1 */
    const int *chunks;
    size_t chunk_count;
    bool serial_calls; /* NCCL runs the plans, also where the system names no parts */
    size_t top;        /* plans wanted, 1 .. HS_TOP_MAX */
    size_t keep;       /* containment: plans kept at each scale (0 = 4) */
    bool widen;        /* containment: any layer may grow, not the last alone */
    /* Told now and then how much of `all` is done (exhaustive: plans priced). Once it says false,
     * the search ends soon, with what it has: see left_out. NULL: nobody. */
    bool (*progress)(void *watcher, uint64_t done, uint64_t all);
    void *watcher;
};

#endif
