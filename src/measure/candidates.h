/*
 * candidates.h - which plans are measured for one message size: from the search where there is a
 * model, else all; chosen on rank 0, sent to the others as text.
 */
#ifndef HS_MEASURE_CANDIDATES_H
#define HS_MEASURE_CANDIDATES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "measure/measure_options.h"
#include "model/plan.h"
#include "model/system.h"

#define HS_CANDIDATES_MAX     4096 /* plans measured in one run */
#define HS_CANDIDATES_UNASKED 128  /* plans measured without SYSTEM, --all or --plans */

struct hs_candidates {
    struct hs_plan *plans; /* [count], the flat split among them, no plan twice; owned */
    size_t count;
    const char *strategy;       /* static; NULL: none was used */
    uint64_t splits, looked_at; /* see struct hs_search_result */
    uint64_t pruned;            /* splits of which no plan is measured */
    char rule[64];              /* that took them out */
};

/* system NULL: no model. HS_INVALID: a plan that is none of np, or twice; more plans than may be
 * measured (the message says what to give instead). HS_MEMORY. */
enum hs_status hs_candidates_choose(struct hs_candidates *candidates,
                                    const struct hs_measure_settings *settings,
                                    const struct hs_system *system, int64_t np, uint64_t bytes,
                                    struct hs_error *err);
void hs_candidates_release(struct hs_candidates *candidates);

/* One plan per line; the parser fills plans and count only. */
void hs_candidates_format(struct hs_text *out, const struct hs_candidates *candidates);
enum hs_status hs_candidates_parse(struct hs_candidates *candidates, const char *text, int64_t np,
                                   struct hs_error *err);

#endif
