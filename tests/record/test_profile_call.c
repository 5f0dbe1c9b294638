/*
 * Rows of a job's profile as problems, and times of results at sizes between those that were
 * measured: by hand, and by ranks counted one by one.
 */
#include "result_tools.h"

#include "record/profile_call.h"

static struct hs_profile_call call_of(const char *collective, int64_t size, int64_t stride)
{
    static char names[8][32];
    static int at;
    char *name = names[at++ % 8];

    snprintf(name, 32, "%s", collective);
    return (struct hs_profile_call){.call = name,
                                    .collective = name,
                                    .group_ranks = size,
                                    .group_stride = stride,
                                    .calls = 10,
                                    .ranks = 5,
                                    .bytes = 40960,
                                    .seconds = 2};
}

/* Ranks b + k stride, also where a group counts them from the top. */
static void a_progression_is_a_group_of_its_ranks(void **state)
{
    static const int64_t shapes[][3] = {
        {24, 24, 1}, {24, 6, 1}, {24, 4, 6}, {24, 3, 2}, {24, 3, -2}};

    (void)state;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        const struct hs_profile profile = {.ranks = shapes[i][0]};
        struct hs_profile_call call = call_of("allreduce", shapes[i][1], shapes[i][2]);
        char why[HS_PROFILE_WHY];
        struct hs_problem problem;
        struct hs_mesh mesh;

        assert_true(hs_profile_call_problem(&problem, &mesh, why, &profile, &call));
        assert_near(problem.bytes, 4096, 0);
        assert_int_equal(problem.group.ranks, shapes[i][0]);
        assert_int_equal(problem.group.size, shapes[i][1]);
        for (int64_t place = 0; place < shapes[i][1]; place++)
            assert_int_equal(hs_group_rank(&problem.group, 0, place), place * llabs(shapes[i][2]));
        assert_true(mesh.count == 0 ? shapes[i][1] == 24 : hs_mesh_ranks(&mesh) == 24);
    }
}

static void what_has_no_plan_says_why(void **state)
{
    static const struct {
        const char *collective, *why;
        int64_t size, stride;
    } cases[] = {{"barrier", "nothing here plans a barrier", 24, 1},
                 {"allreduce", "one rank", 1, 1},
                 {"allreduce", "no progression", 4, 0},
                 {"allreduce", "do not divide 24 ranks", 5, 1},
                 {"allreduce", "do not divide 24 ranks", 6, 5}};
    const struct hs_profile profile = {.ranks = 24};
    struct hs_profile_call uneven = call_of("all-to-all", 24, 1);
    char why[HS_PROFILE_WHY];
    struct hs_problem problem;
    struct hs_mesh mesh;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hs_profile_call call = call_of(cases[i].collective, cases[i].size, cases[i].stride);

        assert_false(hs_profile_call_problem(&problem, &mesh, why, &profile, &call));
        assert_has(why, cases[i].why);
    }
    uneven.call = (char[]){"MPI_Ialltoallw"};
    assert_false(hs_profile_call_problem(&problem, &mesh, why, &profile, &uneven));
    assert_has(why, "different sizes");
    uneven.call = (char[]){"MPI_Alltoall"};
    assert_true(hs_profile_call_problem(&problem, &mesh, why, &profile, &uneven));
}

static void waiting_is_no_part_of_a_call(void **state)
{
    const struct hs_profile profile = {.ranks = 20};
    struct hs_profile_call call = call_of("allreduce", 5, 1);

    (void)state;
    assert_near(hs_profile_call_seconds(&call), 0.2, 1e-12);
    assert_true(isnan(hs_profile_call_waiting(&call)));
    call.sampled_calls = 3;
    call.sampled_seconds = 0.8;
    call.waited_seconds = 0.6;
    assert_near(hs_profile_call_seconds(&call), 0.05, 1e-12);
    assert_near(hs_profile_call_spent(&profile, &call), 0.1, 1e-12);
    assert_near(hs_profile_call_count(&profile, &call), 0.5, 1e-12);
    call.begun = true;
    assert_true(isnan(hs_profile_call_seconds(&call)));
}

static void add_times(struct hs_result *result, uint64_t bytes, double library, double plan)
{
    struct hs_result_message *message = hs_result_add_message(result);
    struct hs_baseline_result *own;
    struct hs_candidate *candidate;
    struct hs_measured *measured;
    struct hs_error err = {0};

    assert_non_null(message);
    message->message_bytes = bytes;
    if (library > 0) {
        own = hs_result_add_baseline(message, "MPI_Allreduce", false);
        assert_non_null(own);
        own->measured.status = HS_MEASURE_OK;
        own->measured.median_seconds = library;
    }
    if (!(plan > 0))
        return;
    candidate = hs_result_add_candidate(message);
    assert_non_null(candidate);
    assert_status_is(hs_plan_parse(&candidate->plan, "2x4", 0, &err), HS_OK, &err);
    measured = hs_candidate_add_measured(candidate);
    assert_non_null(measured);
    measured->status = HS_MEASURE_OK;
    measured->median_seconds = plan;
}

static void times_between_sizes_go_as_powers_of_the_bytes(void **state)
{
    struct hs_result result = {.np = 8};
    struct hs_error err = {0};
    struct hs_measured_at at;
    struct hs_plan plan, other;

    (void)state;
    assert_status_is(hs_plan_parse(&plan, "2x4", 0, &err), HS_OK, &err);
    assert_status_is(hs_plan_parse(&other, "8", 0, &err), HS_OK, &err);
    add_times(&result, 1000, 0.001, 0);
    add_times(&result, 10000, 0.002, 0.001);
    add_times(&result, 1000000, 0.08, 0.02);
    at = hs_result_measured_at(&result, &plan, 10000);
    assert_near(at.library, 0.002, 1e-12);
    assert_near(at.plan, 0.001, 1e-12);
    at = hs_result_measured_at(&result, &plan, 100000); /* half the way */
    assert_near(at.library, sqrt(0.002 * 0.08), 1e-12);
    assert_near(at.plan, sqrt(0.001 * 0.02), 1e-12);
    at = hs_result_measured_at(&result, &plan, 100); /* below all, and below the plan's */
    assert_near(at.library, 0.001, 1e-12);
    assert_near(at.plan, 0.0005, 1e-12);
    at = hs_result_measured_at(&result, &plan, 4e6);
    assert_near(at.library, 0.32, 1e-12);
    assert_near(at.plan, 0.08, 1e-12);
    at = hs_result_measured_at(&result, &other, 10000);
    assert_true(isnan(at.plan) && at.library == 0.002);
    hs_result_release(&result);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a progression is a group of its ranks", a_progression_is_a_group_of_its_ranks),
    HS_TEST("what has no plan says why", what_has_no_plan_says_why),
    HS_TEST("waiting is no part of a call", waiting_is_no_part_of_a_call),
    HS_TEST("times between sizes go as powers of the bytes",
            times_between_sizes_go_as_powers_of_the_bytes),
};
HS_TEST_MAIN(tests)
