/*
 * What of a job's profile is measured: collective, groups, sizes, and each size's share of the
 * budget, against the calls of tests/golden/profile/train.json added up here by hand.
 */
#include "test.h"

#include "cli/cmd_measure.h"

#define TRAIN "tests/golden/profile/train.json"

static void take(struct hs_measure_settings *settings)
{
    struct hs_error err = {0};

    settings->job.profile = TRAIN;
    assert_status_is(hs_measure_take_profile(settings, &err), HS_OK, &err);
}

/* 64 ranks; of each kind of call a rank's seconds without waiting, and bytes, of all ranks. */
static const struct {
    double seconds, bytes;
} timed[] = {
    {64 * 200 * 0.0625 * 0.75, 64 * 200 * 26214400.0},
    {64 * 400 * 0.0078125 * 0.5, 64 * 400 * 4194304.0},
    {64 * 40 * 0.0625 * 0.875, 64 * 40 * 67108864.0},
    {64 * 40 * 0.03125, 64 * 40 * 67108864.0},
    {12 * 100 * 0.0009765625 * 0.5, 12 * 100 * 8.0},
    {64 * 0.0078125, 64 * 1024.0},
    {64 * 200 * 0.0000152587890625 * 0.5, 64 * 200 * 8.0},
};

static void what_costs_most_is_measured_by_what_it_costs(void **state)
{
    struct hs_measure_settings settings = {.top = 0};
    const struct hs_range *sizes = &settings.campaign.sizes;
    double seconds = 0, bytes = 0, costs[3], all, least;

    (void)state;
    take(&settings);
    for (size_t i = 0; i < sizeof(timed) / sizeof(timed[0]); i++) {
        seconds += timed[i].seconds;
        bytes += timed[i].bytes;
    }
    assert_int_equal(settings.job.ranks, 64);
    assert_int_equal(settings.campaign.call.collective, HS_COLLECTIVE_ALLREDUCE);
    assert_int_equal(settings.campaign.call.mesh.count, 0);
    assert_int_equal(sizes->count, 3);
    assert_int_equal(sizes->first, 8);
    assert_int_equal(sizes->values[1], 4194304); /* MPI_Iallreduce, whose time is not known */
    assert_int_equal(sizes->last, 26214400);
    costs[0] = timed[6].seconds;
    costs[1] = 64 * 200 * 4194304.0 * seconds / bytes;
    costs[2] = timed[0].seconds;
    all = costs[0] + costs[1] + costs[2];
    least = 0.1 / 3; /* of an even share a tenth, at least */
    assert_true(costs[0] / all < least && costs[1] / all > least);
    all = least + (costs[1] + costs[2]) / all;
    assert_near(settings.job.shares[0], least / all, 1e-9);
    assert_near(settings.job.shares[2] / settings.job.shares[1], costs[2] / costs[1], 1e-9);
    assert_near(settings.job.shares[0] + settings.job.shares[1] + settings.job.shares[2], 1, 1e-9);
    assert_has(settings.job.notes.data, "allreduce of groups of 64, ");
    assert_has(settings.job.notes.data,
               "--collective reduce-scatter --mesh inside=8,group=8 --group group\n");
    hs_text_release(&settings.job.notes);
}

static void what_is_given_restricts_the_choice(void **state)
{
    struct hs_measure_settings settings = {.job = {.collective = "allgather"}};
    struct hs_error err = {0};

    (void)state;
    settings.campaign.call.collective = HS_COLLECTIVE_ALLGATHER;
    take(&settings);
    assert_int_equal(settings.campaign.sizes.first, 67108864);
    assert_int_equal(settings.campaign.sizes.count, 1);
    assert_near(settings.job.shares[0], 1, 0);
    assert_int_equal(hs_mesh_group(&settings.campaign.call.mesh, 64).stride, 8);
    hs_text_release(&settings.job.notes);
    settings = (struct hs_measure_settings){.top = 0};
    assert_status_is(hs_mesh_parse(&settings.campaign.call.mesh, "tp=8,dp=8", &err), HS_OK, &err);
    assert_status_is(hs_mesh_parse_over(&settings.campaign.call.mesh, "tp", &err), HS_OK, &err);
    take(&settings);
    assert_int_equal(settings.campaign.sizes.first, 4194304);
    assert_string_equal(settings.campaign.call.mesh.axes[0].name, "tp");
    hs_text_release(&settings.job.notes);
    settings = (struct hs_measure_settings){.job = {.profile = TRAIN, .collective = "all-to-all"}};
    settings.campaign.call.collective = HS_COLLECTIVE_ALLTOALL;
    assert_int_equal(hs_measure_take_profile(&settings, &err), HS_INVALID);
    assert_has(err.message, "the job calls no all-to-all that can be measured");
}

static const struct CMUnitTest tests[] = {
    HS_TEST("what costs most is measured by what it costs",
            what_costs_most_is_measured_by_what_it_costs),
    HS_TEST("what is given restricts the choice", what_is_given_restricts_the_choice),
};
HS_TEST_MAIN(tests)
