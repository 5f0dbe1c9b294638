/* Prices of RCCL's calls, against times that others published. */
#include "library/price_library.h"
#include "library/price_rccl.h"
#include "systems.h"

#include <math.h>

static struct hs_library_price library_price_of(const char *line, int64_t np, double bytes,
                                                enum hs_collective collective)
{
    struct hs_problem problem = problem_world(np, bytes);
    struct hs_system system = parse(line);
    struct hs_library_price price;

    problem.collective = collective;
    price = hs_library_price(&system, &problem, 4);
    hs_system_release(&system);
    return price;
}

/* Published, in place of which a price within its own range is asked for, and within `off` times.
 */
static const struct published {
    const char *line;
    int64_t np;
    enum hs_collective collective;
    double bytes, seconds, off;
    const char *source;
} all_published[] = {
    {"8xMI300X", 8, HS_COLLECTIVE_ALLREDUCE, 8589934592.0, 47.49e-3, 1.1,
     "AMD's acceptance guide of the MI300X, rccl-tests"},
    {"8xMI300X", 8, HS_COLLECTIVE_ALLREDUCE, 134217728.0, 801.8e-6, 1.1, "the same"},
    {"8xMI355X", 8, HS_COLLECTIVE_ALLREDUCE, 8589934592.0, 36.96e-3, 1.1,
     "OCI's guide of BM.GPU.MI355X, rccl-tests"},
    {"8xMI355X", 8, HS_COLLECTIVE_ALLTOALL, 8589934592.0, 20.84e-3, 1.1, "the same"},
    {"8xMI325X, 8xRoCE400", 16, HS_COLLECTIVE_ALLREDUCE, 8589934592.0, 46.12e-3, 1.15,
     "hisohara/ai-scripts, training/01_rccl-smoketest, AAC11"},
    {"8xMI325X, 8xRoCE400", 64, HS_COLLECTIVE_ALLREDUCE, 8589934592.0, 48.32e-3, 1.15, "the same"},
    {"8xMI308X, 8xRoCE400", 16, HS_COLLECTIVE_ALLREDUCE, 1024.0, 40.86e-6, 1.3,
     "2 nodes, RCCL 2.27.7, ROCm 7.2.0"},
    {"8xMI300X, 8xRoCE400", 16, HS_COLLECTIVE_ALLREDUCE, 1073741824.0, 5.753e-3, 1.2,
     "OCI's guide of BM.GPU.MI300X.8 with Slurm"},
};

static void published_times_are_met(void **state)
{
    (void)state;
    for (size_t i = 0; i < HS_COUNT(all_published); i++) {
        const struct published *p = &all_published[i];
        struct hs_library_price price = library_price_of(p->line, p->np, p->bytes, p->collective);

        assert_int_equal(price.library, HS_LIBRARY_RCCL);
        if (!(fabs(log(price.seconds / p->seconds)) < log(p->off)) ||
            !(price.low_seconds < p->seconds && p->seconds < price.high_seconds))
            fail_msg("%s, %lld ranks, %.0f bytes: %g s (%g to %g), published %g (%s)", p->line,
                     (long long)p->np, p->bytes, price.seconds, price.low_seconds,
                     price.high_seconds, p->seconds, p->source);
    }
}

static void more_bytes_never_take_less(void **state)
{
    static const char *const lines[] = {"8xMI300X", "8xMI355X, 8xRoCE400", "8xMI250X, 4xSS11",
                                        "16xMI250X, 8xHDR200", "8xMI325X, 8xRoCE400, 4:3"};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(lines); i++)
        for (int collective = 0; collective < HS_COLLECTIVE_COUNT; collective++) {
            int64_t np = i == 0 ? 8 : 64;
            double before = 0;

            for (double bytes = 8; bytes < 1e11; bytes *= 1.9) {
                struct hs_library_price price =
                    library_price_of(lines[i], np, bytes, (enum hs_collective)collective);

                assert_true(price.seconds >= before * (1 - 1e-12));
                assert_true(price.low_seconds <= price.seconds);
                assert_true(price.seconds < price.high_seconds);
                before = price.seconds;
            }
        }
}

/* 36 us more, as 8 launches follow each other: 34 to 46 us where processes take 13 to 17. */
static void one_process_takes_longer_for_next_to_no_bytes(void **state)
{
    struct hs_system system = parse("8xMI300X");
    struct hs_group group = hs_group_world(8);
    struct hs_stage_key key = {HS_ALLREDUCE, HS_RING, {1, 8}};
    struct hs_rccl_call call = hs_rccl_call_of(&system, &group, key, 1024);
    double values[HS_RCCL_K_COUNT], each;

    (void)state;
    hs_constants_shipped(values, &hs_rccl_price_model);
    each = hs_rccl_price_model.seconds(&call, values);
    assert_true(each > 10e-6 && each < 18e-6);
    call.one_process = true;
    each = hs_rccl_price_model.seconds(&call, values);
    assert_true(each > 34e-6 && each < 50e-6);
    hs_system_release(&system);
}

static void doubt_grows_where_nothing_was_measured(void **state)
{
    struct hs_library_price near =
        library_price_of("8xMI300X, 8xRoCE400", 64, 1e6, HS_COLLECTIVE_ALLREDUCE);
    struct hs_library_price far =
        library_price_of("8xMI300X, 8xRoCE400", 4096, 1e6, HS_COLLECTIVE_ALLREDUCE);
    struct hs_library_price other =
        library_price_of("8xMI300X, 8xRoCE400", 64, 1e6, HS_COLLECTIVE_REDUCE_SCATTER);

    (void)state;
    assert_true(far.high_seconds / far.low_seconds > 1.2 * near.high_seconds / near.low_seconds);
    assert_true(other.high_seconds / other.low_seconds >
                1.2 * near.high_seconds / near.low_seconds);
}

/* The flat plan is the default: the same seconds in every sample; a plan of two layers is not. */
static void the_flat_split_is_rccls_own_call(void **state)
{
    struct hs_system system = parse("8xMI300X, 8xRoCE400");
    struct hs_problem problem = problem_world(64, 1e7);
    struct hs_library_price price = hs_library_price(&system, &problem, 4);
    struct hs_machines machines = draw(&system, 20, 1);
    struct hs_plan flat = hs_plan_flat(64), two;
    double own[20], seconds[20], split[20];

    (void)state;
    assert_true(hs_library_prices_plans(&price));
    assert_near(hs_library_plan_seconds(&system, &problem, &flat), price.seconds, 1e-12);
    assert_int_equal(hs_plan_parse(&two, "8x8", 64, NULL), HS_OK);
    assert_int_equal(hs_library_seconds_each(own, &price, &machines, &problem, NULL), HS_OK);
    hs_library_plan_seconds_each(seconds, &machines, &problem, &flat);
    hs_library_plan_seconds_each(split, &machines, &problem, &two);
    for (int j = 0; j < 20; j++) {
        assert_near(own[j], seconds[j], 1e-12);
        assert_true(split[j] != seconds[j]);
    }
    hs_machines_release(&machines);
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("published times are met, and lie in the range", published_times_are_met),
    HS_TEST("more bytes never take less, and the range holds the price",
            more_bytes_never_take_less),
    HS_TEST("one process that drives a node takes longer for next to no bytes",
            one_process_takes_longer_for_next_to_no_bytes),
    HS_TEST("the range is wider where nothing was measured",
            doubt_grows_where_nothing_was_measured),
    HS_TEST("the flat split is RCCL's default call, in every sample, too",
            the_flat_split_is_rccls_own_call),
};

HS_TEST_MAIN(tests)
