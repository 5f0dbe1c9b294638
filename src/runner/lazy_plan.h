/*
 * lazy_plan.h - the default plan of `measure`: layers alone are measured until the best split is
 * certain up to the noise, and that one, with those that the noise does not tell from it, becomes
 * the candidates (search/lazy_planner.h).
 */
#ifndef HS_MEASURE_LAZY_PLAN_H
#define HS_MEASURE_LAZY_PLAN_H

#include <stdbool.h>

#include "base/error.h"
#include "runner/session.h"

/* Whether the session's settings and system ask for it. Local, the same on all ranks. */
bool hs_lazy_plan_wanted(const struct hs_session *session);

/* Measures layers for one message size, for at most a part of `budget_seconds`, and fills
 * bout->candidates and bout->certificate (on rank 0). Layers in the journal of an
 * earlier session are not measured again. Collective. HS_MEMORY, and what ends a campaign's run. */
enum hs_status hs_lazy_plan_run(struct hs_session *session, struct hs_bout *bout,
                                double budget_seconds, struct hs_error *err);

#endif
