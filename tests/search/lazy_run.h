/*
 * lazy_run.h - machines that the lazy search is tried on, one search from beginning to end, and
 * what the truth says of its answer. For the tests of the lazy search.
 */
#ifndef HS_TESTS_LAZY_RUN_H
#define HS_TESTS_LAZY_RUN_H

#include "systems.h"

#include "lazy_machine.h"

#define MIB       1048576.0
#define TOLERANCE 0.01 /* the search's default */

#define TAPERED (HS_COUNT(lazy_machines) - 1)

/* What came of one search. */
struct found {
    struct hs_certificate certificate;
    double true_seconds, best_seconds; /* of the winner, of the best plan */
};

/* Searches to the end, or until `most` layers are measured. */
static inline struct found search(struct machine *machine, const struct hs_system *system,
                                  int64_t np, double bytes, bool shape_only, size_t most)
{
    struct hs_lazy_options options = {.shape_only = shape_only, .algorithms = machine->algorithms};
    struct found found = {.true_seconds = 0};
    struct hs_error err = {0};
    struct hs_lazy_planner lazy;
    uint64_t plans = 0;

    assert_status_is(lazy_init(&lazy, system, np, bytes, &options, &err), HS_OK, &err);
    while (hs_lazy_planner_measured(&lazy, NULL) < most) {
        struct hs_fit_point points[2];
        struct hs_lazy_step step;

        assert_status_is(hs_lazy_planner_next(&step, &lazy, &err), HS_OK, &err);
        if (!step.wanted)
            break;
        assert_int_equal(hs_lazy_planner_find(&lazy, step.key)->status, step.rough ? HS_LAZY_OPEN
                                                                        : step.again
                                                                            ? HS_LAZY_MEASURED
                                                                            : HS_LAZY_ROUGH);
        assert_status_is(
            hs_lazy_planner_tell(&lazy, points,
                                 measure_layer(points, machine, &lazy, step.key, step.rough),
                                 step.rough, &err),
            HS_OK, &err);
    }
    assert_status_is(hs_lazy_planner_certify(&found.certificate, &lazy, &err), HS_OK, &err);
    assert_int_equal(found.certificate.layers_measured, hs_lazy_planner_measured(&lazy, NULL));
    /* Nothing that is expected to take less is passed over in silence. */
    if (found.certificate.runner_up.split.count > 0)
        assert_true(found.certificate.runner_up_seconds * (1 + found.certificate.within) >=
                    found.certificate.seconds * (1 - 1e-9));
    found.best_seconds = best_plan_seconds(machine, np, 1, bytes, &plans);
    assert_int_equal(plans, lazy.lattice.path_count);
    if (found.certificate.winner.split.count > 0)
        found.true_seconds = true_plan_seconds(machine, &found.certificate.winner, bytes);
    hs_lazy_planner_release(&lazy);
    return found;
}

/* Up to the tolerance of the search. */
static inline bool is_best(const struct found *found)
{
    return found->true_seconds <= found->best_seconds * (1 + TOLERANCE);
}

/* Whether the truth contradicts what the certificate says of other splits. */
static inline bool is_beaten(const struct found *found)
{
    return found->true_seconds > found->best_seconds * (1 + found->certificate.within) * (1 + 1e-9);
}

#endif
