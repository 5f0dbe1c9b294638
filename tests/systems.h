/*
 * systems.h - machines from a line of text or shipped, others that fit them, and what plans cost
 * on them, for tests of the model and
 * of what stands on it. What cannot be read fails the test.
 */
#ifndef HS_TESTS_SYSTEMS_H
#define HS_TESTS_SYSTEMS_H

#include "problem_world.h"
#include "test.h"

#include "estimate/machines.h"
#include "estimate/system_file.h"
#include "library/price_plan.h"
#include "model/plan.h"
#include "system/system.h"

static inline struct hs_system parse(const char *text)
{
    struct hs_system system;
    struct hs_error err = {0};

    if (hs_system_parse(&system, text, &err))
        fail_msg("%s", err.message);
    return system;
}

static inline struct hs_system shipped(const char *name)
{
    struct hs_system system;
    struct hs_error err = {0};
    char path[128];

    snprintf(path, sizeof(path), "configs/%s.json", name);
    if (hs_system_load(&system, path, &err))
        fail_msg("%s", err.message);
    return system;
}

static inline void assert_same_figures(const struct hs_system *a, const struct hs_system *b)
{
    assert_int_equal(a->level_count, b->level_count);
    assert_true(a->pipeline_granularity == b->pipeline_granularity);
    assert_true(a->launch_seconds == b->launch_seconds);
    for (size_t l = 0; l < a->level_count; l++) {
        const struct hs_level *x = &a->levels[l], *y = &b->levels[l];

        assert_string_equal(x->name, y->name);
        assert_int_equal(x->arity, y->arity);
        assert_int_equal(x->fabric, y->fabric);
        assert_true(x->latency_seconds == y->latency_seconds);
        assert_true(x->bytes_per_second == y->bytes_per_second);
        assert_int_equal(x->ports, y->ports);
        assert_int_equal(x->striped, y->striped);
    }
}

static inline struct hs_machines draw(const struct hs_system *system, size_t count, uint64_t seed)
{
    struct hs_machines machines;
    struct hs_error err = {0};

    if (hs_machines_init(&machines, system, count, seed, &err))
        fail_msg("%s", err.message);
    return machines;
}

/* One whose rings take the times that fits are made of. */
static inline struct hs_system parse_additive(const char *text)
{
    struct hs_system system = parse(text);

    system.additive = true;
    return system;
}

/* A plan of all its ranks for `bytes` per process. */
static inline struct hs_plan_cost cost_of(const struct hs_system *system,
                                          const struct hs_plan *plan, double bytes)
{
    struct hs_problem problem = problem_world(hs_split_product(&plan->split), bytes);

    return hs_plan_cost(system, &problem, plan);
}

/* The stages of a layer of an AllReduce of all ranks, in one: a ring's. */
static inline struct hs_stage_price price_of(const struct hs_system *system, int64_t np,
                                             struct hs_layer layer)
{
    struct hs_problem problem = problem_world(np, 1);

    return hs_stage_price(system, np, hs_problem_key(&problem, layer, HS_RING));
}

static inline double plan_seconds(const struct hs_system *system, const char *text, double bytes)
{
    struct hs_plan plan;
    struct hs_error err = {0};

    if (hs_plan_parse(&plan, text, 0, &err))
        fail_msg("%s", err.message);
    return cost_of(system, &plan, bytes).seconds;
}

#endif
