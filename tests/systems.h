/*
 * systems.h - machines from a line of text, and what plans cost on them, for tests of the model and
 * of what stands on it. What cannot be read fails the test.
 */
#ifndef HS_TESTS_SYSTEMS_H
#define HS_TESTS_SYSTEMS_H

#include "test.h"

#include "model/cost.h"
#include "model/plan.h"
#include "model/system.h"

static inline struct hs_system parse(const char *text)
{
    struct hs_system system;
    struct hs_error err = {0};

    if (hs_system_parse(&system, text, &err))
        fail_msg("%s", err.message);
    return system;
}

static inline double plan_seconds(const struct hs_system *system, const char *text, double bytes)
{
    struct hs_plan plan;
    struct hs_error err = {0};

    if (hs_plan_parse(&plan, text, 0, &err))
        fail_msg("%s", err.message);
    return hs_plan_cost(system, &plan, bytes).seconds;
}

#endif
