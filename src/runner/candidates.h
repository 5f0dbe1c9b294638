/*
 * candidates.h - which plans are measured for one message size: those asked for, all, the model's
 * best, or what a lazy search has left.
 */
#ifndef HS_MEASURE_CANDIDATES_H
#define HS_MEASURE_CANDIDATES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/cmd_measure.h"
#include "estimate/certificate.h"
#include "model/problem.h"
#include "system/system.h"

struct hs_candidates {
    struct hs_plan *plans; /* [count], the flat split among them, no plan twice; owned */
    size_t count;
    const char *strategy;       /* static; NULL: none was used */
    uint64_t splits, looked_at; /* see struct hs_search_result */
    uint64_t pruned;            /* splits of which no plan is measured */
    char rule[64];              /* that took them out */
};

/* The problem is one of all ranks. system NULL: no model. HS_INVALID: a plan that is none of them,
 * does not suit the collective, or is there twice; more plans than may be measured (the message
 * says what to give instead). HS_MEMORY. */
enum hs_status hs_candidates_choose(struct hs_candidates *candidates,
                                    const struct hs_measure_settings *settings,
                                    const struct hs_system *system,
                                    const struct hs_problem *problem, struct hs_error *err);
/* After a lazy search: its winner, the splits that cannot be told from it, and the runner-up where
 * it is close or expected to take less, as far as --top allows, each with the chunk counts asked
 * for. Without a winner the best of `fitted`, the system as far as it is known. HS_INVALID: too
 * many plans. HS_MEMORY. */
enum hs_status hs_candidates_survive(struct hs_candidates *candidates,
                                     const struct hs_certificate *certificate,
                                     const struct hs_measure_settings *settings,
                                     const struct hs_system *fitted,
                                     const struct hs_problem *problem, struct hs_error *err);
void hs_candidates_release(struct hs_candidates *candidates);

#endif
