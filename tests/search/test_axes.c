#include "systems.h"

#include "search/axes.h"

#define RANKS_MAX 256

static struct hs_job job_of(const char *mesh, const char *messages)
{
    struct hs_job job = {.count = 0};
    struct hs_error err = {0};

    if (hs_mesh_parse(&job.mesh, mesh, &err) || hs_job_parse(&job, messages, &err))
        fail_msg("%s", err.message);
    return job;
}

static struct hs_axes_result search(const struct hs_system *system, const struct hs_job *job)
{
    struct hs_search_request request = {.system = system,
                                        .algorithms = hs_system_algorithms(system)};
    struct hs_axes_result result;
    struct hs_error err = {0};

    if (hs_axes_search(&result, &request, job, &err))
        fail_msg("%s", err.message);
    return result;
}

/* ---- by brute force -------------------------------------------------------------------------- */

/* Every placement, part by part. What one takes is asked of a mesh whose axes are its parts: groups
 * along an axis go over all parts of it, with gaps between. */
struct walk {
    const struct hs_system *system;
    const struct hs_job *job;
    bool cut; /* axes may come in parts */
    struct hs_axes_layout layout;
    int64_t inside[HS_AXES_MAX];
    double least;
    uint64_t count;
};

static double seconds_of(const struct walk *walk)
{
    struct hs_mesh parts = {.count = walk->layout.count};
    double sum = 0;

    for (int i = 0; i < parts.count; i++)
        parts.axes[i].size = walk->layout.parts[i].size;
    for (size_t m = 0; m < walk->job->count; m++) {
        const struct hs_job_message *message = &walk->job->messages[m];
        int64_t ranks = hs_mesh_ranks(&parts);
        struct hs_search_request request = {
            .system = walk->system,
            .problem = hs_problem_of(message->collective, message->layout, ranks, message->bytes),
            .algorithms = hs_system_algorithms(walk->system),
            .top = 1};
        struct hs_search_result found;
        struct hs_error err = {0};

        parts.over = 0;
        for (int i = 0; i < parts.count; i++)
            parts.over |= (message->over >> walk->layout.parts[i].axis & 1) << i;
        request.problem.group = hs_mesh_group(&parts, ranks);
        if (hs_search(&found, &hs_search_strategies[1], &request, &err))
            fail_msg("%s", err.message);
        sum += (double)message->calls * found.plans[0].seconds;
        hs_search_result_release(&found);
    }
    return sum;
}

static void visit(struct walk *walk)
{
    const struct hs_mesh *mesh = &walk->job->mesh;
    int last = walk->layout.count - 1;
    bool whole = true;

    for (int a = 0; a < mesh->count; a++)
        whole = whole && walk->inside[a] == mesh->axes[a].size;
    if (whole) {
        walk->least = fmin(walk->least, seconds_of(walk));
        walk->count++;
        return;
    }
    for (int a = 0; a < mesh->count; a++) {
        int64_t rest = mesh->axes[a].size / walk->inside[a];

        if (last >= 0 && walk->layout.parts[last].axis == a)
            continue;
        for (int64_t size = walk->cut ? 2 : rest; size > 1 && size <= rest; size++) {
            if (rest % size != 0)
                continue;
            walk->layout.parts[walk->layout.count].axis = a;
            walk->layout.parts[walk->layout.count++].size = size;
            walk->inside[a] *= size;
            visit(walk);
            walk->inside[a] /= size;
            walk->layout.count--;
        }
    }
}

static struct walk walk_all(const struct hs_system *system, const struct hs_job *job, bool cut)
{
    struct walk walk = {.system = system, .job = job, .cut = cut, .least = INFINITY};

    for (int a = 0; a < HS_AXES_MAX; a++)
        walk.inside[a] = 1;
    visit(&walk);
    return walk;
}

static const char *const lines[] = {
    "node:4@100GB/s~1us,ib@10GB/s~5us",
    "gpu:2@200GB/s~1us,node:4@50GB/s~2us,ib:8@12GB/s~5us,spine@40GB/s~9us",
    "socket:3@40GB/s~0.6us,node:2@20GB/s~1us,ib@12GB/s~2us;executor=host",
    "node:8@300GB/s~2us,ib@25GB/s~6us;launch=5us",
    "flat@25GB/s~4us;executor=host",
    "8xH100, 8xNDR400, 32:2",
};

static const struct {
    const char *mesh, *messages;
} cases[] = {
    {"tp=4,dp=8", "tp:allreduce:16MiB*8,dp:allreduce:256MiB"},
    {"tp=2,pp=2,dp=8", "tp:allreduce:1MiB*40,dp:reduce-scatter:64MiB,dp:allgather:64MiB*2"},
    {"dp=16,tp=4", "tp:allgather:reversed:4MiB*64,tp:reduce-scatter:reversed:4MiB*64,"
                   "dp:allreduce:64KiB*10"},
    {"a=6,b=4", "a:allreduce:8MiB*3,b:allreduce:24MiB"},
    {"a=8,b=4,c=2,d=4", "a:allreduce:1MiB,b:allreduce:2MiB,c:allreduce:256KiB*7,d:allgather:32MiB"},
    {"a=5,b=1,c=7", "a:allreduce:1MiB,b:allreduce:2MiB,c:allreduce:1MiB"},
};

static void the_best_placement_is_that_of_all_tried(void **state)
{
    (void)state;
    for (size_t s = 0; s < HS_COUNT(lines); s++)
        for (size_t c = 0; c < HS_COUNT(cases); c++) {
            struct hs_system system = parse(lines[s]);
            struct hs_job job = job_of(cases[c].mesh, cases[c].messages);
            struct hs_axes_result result = search(&system, &job);
            struct walk whole = walk_all(&system, &job, false);
            struct walk cut = walk_all(&system, &job, true);

            assert_true(result.count == whole.count);
            assert_near(result.orders[0].seconds, whole.least, 1e-9);
            assert_true(result.weighed == cut.count);
            assert_near(result.cut_seconds, cut.least, 1e-9);
            hs_axes_result_release(&result);
            hs_system_release(&system);
        }
}

/* The order that a job has, alone, takes what it takes among all. */
static void the_given_order_alone_is_that_among_all(void **state)
{
    struct hs_system system = parse(lines[1]);
    struct hs_job job = job_of("tp=4,pp=2,dp=8", "tp:allreduce:64MiB*16,dp:reduce-scatter:1GiB*1");
    struct hs_axes_result all = search(&system, &job), one;
    struct hs_search_request request = {.system = &system,
                                        .algorithms = hs_system_algorithms(&system)};
    const struct hs_axes_order *given = hs_axes_given(&all, &job);
    struct hs_error err;

    (void)state;
    assert_int_equal(hs_axes_search_given(&one, &request, &job, &err), HS_OK);
    assert_true(one.count == 1 && one.weighed == 1 && one.cut.count == 0);
    assert_true(all.count == 6 && given && one.orders[0].seconds == given->seconds);
    for (size_t m = 0; m < job.count; m++)
        assert_int_equal(hs_plan_compare(&one.calls[one.orders[0].calls[m]].plan,
                                         &all.calls[given->calls[m]].plan),
                         0);
    hs_axes_result_release(&one);
    hs_axes_result_release(&all);
    hs_system_release(&system);
}

/* Along several axes a message has one group, which the orders see, but parts do not. */
static void messages_along_several_axes_place_whole_ones(void **state)
{
    struct hs_system system = parse(lines[1]);
    struct hs_job job = job_of("tp=4,pp=2,dp=8", "tp+dp:allreduce:64MiB,tp:allreduce:1MiB*30");
    struct hs_axes_result result = search(&system, &job);
    struct walk whole = walk_all(&system, &job, false);

    (void)state;
    assert_int_equal(result.count, 6);
    assert_near(result.orders[0].seconds, whole.least, 1e-9);
    assert_int_equal(result.cut.count, 0);
    assert_true(result.weighed == 6);
    hs_axes_result_release(&result);
    hs_system_release(&system);
}

/* ---- orders ---------------------------------------------------------------------------------- */

static void orders_ascend_and_the_given_one_is_among_them(void **state)
{
    struct hs_system system = parse(lines[0]);
    struct hs_job job = job_of("dp=16,tp=4", "tp:allreduce:64MiB*160,dp:allreduce:1GiB");
    struct hs_axes_result result = search(&system, &job);
    const struct hs_axes_order *given = hs_axes_given(&result, &job);
    char text[HS_AXES_LAYOUT_TEXT];

    (void)state;
    assert_int_equal(result.count, 2);
    assert_true(result.orders[0].seconds <= result.orders[1].seconds);
    assert_ptr_equal(given, &result.orders[1]);
    assert_string_equal(hs_axes_layout_format(text, &given->layout, &job.mesh), "dp=16,tp=4");
    assert_string_equal(hs_axes_layout_format(text, &result.orders[0].layout, &job.mesh),
                        "tp=4,dp=16");
    hs_axes_result_release(&result);
    hs_system_release(&system);
}

/* On one level nothing depends on where an axis lies. */
static void equal_orders_are_as_given(void **state)
{
    struct hs_system system = parse("flat@25GB/s~4us");
    struct hs_job job =
        job_of("a=4,b=2,c=8", "a:allreduce:64MiB,b:allreduce:1MiB,c:allgather:1MiB");
    struct hs_axes_result result = search(&system, &job);

    (void)state;
    assert_near(result.orders[0].seconds, result.orders[5].seconds, 1e-12);
    hs_axes_result_release(&result);
    hs_system_release(&system);
}

/* ---- at the same time ------------------------------------------------------------------------ */

/* Two axes that share nothing take as long as the longer one; on one link the bytes of both. */
static void what_shares_a_link_adds_up(void **state)
{
    struct hs_system apart = parse("node:4@100GB/s~0us,ib@10GB/s~0us");
    struct hs_system shared = parse("flat@10GB/s~0us");
    struct hs_job job = job_of("tp=4,dp=4", "tp:allreduce:64MiB*2,dp:allreduce:64MiB");
    double tp = 2 * 2 * 0.75 * (64 << 20) / 100e9, dp = 2 * 0.75 * (64 << 20) / (10e9 / 4);
    struct hs_axes_result result = search(&apart, &job);
    struct hs_axes_overlap overlap = hs_axes_overlap_of(&result.orders[0], &result, &job, &apart);

    (void)state;
    assert_near(overlap.least_seconds, dp, 1e-9);
    assert_near(overlap.most_seconds, tp + dp, 1e-9);
    hs_axes_result_release(&result);
    result = search(&shared, &job);
    overlap = hs_axes_overlap_of(&result.orders[0], &result, &job, &shared);
    assert_near(overlap.most_seconds, (2 + 1) * 2 * 0.75 * (64 << 20) / 10e9, 1e-9);
    assert_near(overlap.least_seconds, overlap.most_seconds, 1e-9);
    assert_int_equal(overlap.pace, 0);
    hs_axes_result_release(&result);
    hs_system_release(&apart);
    hs_system_release(&shared);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* Each rank has a place of its own, and the groups of an axis lie as a mesh of the parts says. */
static void ranks_lie_as_parts_say(void **state)
{
    struct hs_job job = job_of("tp=4,pp=2,dp=8", "tp:allreduce:1MiB");
    struct hs_axes_layout layout = {.count = 4, .parts = {{2, 2}, {0, 4}, {2, 4}, {1, 2}}};
    const int64_t strides[] = {2, 32};
    bool taken[64] = {false};

    (void)state;
    for (int64_t rank = 0; rank < 64; rank++) {
        int64_t place = hs_axes_layout_rank(&layout, &job.mesh, rank);

        assert_in_range(place, 0, 63);
        assert_false(taken[place]);
        taken[place] = true;
        if (rank % 4 != 3) /* the next along tp, and along pp */
            assert_int_equal(hs_axes_layout_rank(&layout, &job.mesh, rank + 1), place + strides[0]);
        if (rank / 4 % 2 == 0)
            assert_int_equal(hs_axes_layout_rank(&layout, &job.mesh, rank + 4), place + strides[1]);
    }
    layout = hs_axes_layout_of(&job.mesh);
    for (int64_t rank = 0; rank < 64; rank++)
        assert_int_equal(hs_axes_layout_rank(&layout, &job.mesh, rank), rank);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void messages_are_read_from_lists_and_lines(void **state)
{
    struct hs_job job =
        job_of("tp=8,dp=64", "tp:allreduce:64MiB*160,  # of the layers\n"
                             "\n"
                             "dp:reduce-scatter:reversed:1GiB\n tp+dp:allgather:8KiB*2 ,");

    (void)state;
    assert_int_equal(job.count, 3);
    assert_int_equal(job.messages[0].over, 1);
    assert_int_equal(job.messages[0].calls, 160);
    assert_true(job.messages[0].bytes == 64 << 20);
    assert_int_equal(job.messages[1].collective, HS_COLLECTIVE_REDUCE_SCATTER);
    assert_int_equal(job.messages[1].layout, HS_REVERSED);
    assert_int_equal(job.messages[1].calls, 1);
    assert_int_equal(job.messages[2].over, 3);
    assert_int_equal(job.messages[2].layout, HS_NATURAL);
}

static void wrong_messages_are_named(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "expected messages such as \"tp:allreduce:64MiB*160\", found none"},
        {"tp", "message 1: expected a collective, found none"},
        {"tp:allreduce:1MiB,dq:allreduce:1MiB", "message 2: the mesh has no axis \"dq\""},
        {"tp:allredue:1MiB", "message 1: unknown collective \"allredue\""},
        {"tp:allreduce", "message 1: expected a size, such as 64MiB or 64MiB*160, found none"},
        {"tp:allreduce:1MiX", "message 1: "},
        {"tp:allreduce:1MiB*0", "message 1: "},
        {"tp:allreduce:reversed:1MiB", "message 1: AllReduce has no choice of layout"},
        {"tp:allgather:sideways:1MiB", "message 1: unknown layout \"sideways\""},
        {"tp+tp:allgather:1MiB", "message 1: tp is there twice"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(wrong); i++) {
        struct hs_job job = {.count = 0};
        struct hs_error err = {0};

        assert_int_equal(hs_mesh_parse(&job.mesh, "tp=8,dp=64", &err), HS_OK);
        assert_int_equal(hs_job_parse(&job, wrong[i].text, &err), HS_INVALID);
        if (strncmp(err.message, wrong[i].message, strlen(wrong[i].message)) != 0)
            fail_msg("%s: %s", wrong[i].text, err.message);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("the best placement is that of all tried", the_best_placement_is_that_of_all_tried),
    HS_TEST("messages along several axes place whole ones",
            messages_along_several_axes_place_whole_ones),
    HS_TEST("orders ascend, and the given one is among them",
            orders_ascend_and_the_given_one_is_among_them),
    HS_TEST("the given order alone is that among all", the_given_order_alone_is_that_among_all),
    HS_TEST("equal orders are as given", equal_orders_are_as_given),
    HS_TEST("what shares a link adds up", what_shares_a_link_adds_up),
    HS_TEST("ranks lie as parts say", ranks_lie_as_parts_say),
    HS_TEST("messages are read from lists and lines", messages_are_read_from_lists_and_lines),
    HS_TEST("wrong messages are named", wrong_messages_are_named),
};

HS_TEST_MAIN(tests)
