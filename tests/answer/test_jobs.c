/*
 * Answers about whole jobs: where axes lie, how many shards, what plans gain. Expected values are
 * by hand, by the machine's latencies and bandwidths; the rest are properties of every answer.
 */
#include "answer/gains.h"
#include "answer/place.h"
#include "answer/point.h"
#include "answer/shard.h"
#include "base/json.h"
#include "record/result_tools.h"
#include "systems.h"

#define GIGABYTE 1e9

/* ---- what is asked --------------------------------------------------------------------------- */

/* A machine with its samples, and a question on it. */
struct world {
    struct hs_system system;
    struct hs_machines machines;
    struct hs_asked asked;
    char machine[128];
};

static void ask(struct world *world, const char *machine, const struct hs_question *question)
{
    struct hs_error err = {0};

    snprintf(world->machine, sizeof(world->machine), "%s", machine);
    world->system = parse(machine);
    assert_status_is(
        hs_job_ask(&world->asked, &world->machines, &world->system, question, world->machine, &err),
        HS_OK, &err);
}

static void leave(struct world *world)
{
    hs_machines_release(&world->machines);
    hs_system_release(&world->system);
}

static struct hs_question question_of(int64_t samples)
{
    return (struct hs_question){.datatype = HS_FLOAT32, .machines = samples, .top = 1000};
}

/* A placement; leave the world behind it. */
static struct hs_place_answer place(struct world *world, const char *machine, const char *mesh,
                                    const char *messages, int64_t samples)
{
    static struct hs_place_settings settings;
    struct hs_error err = {0};
    struct hs_place_answer answer;

    settings = (struct hs_place_settings){.ask = question_of(samples), .messages = messages};
    settings.ask.words.mesh = mesh;
    assert_status_is(hs_place_take(&settings, &err), HS_OK, &err);
    ask(world, machine, &settings.ask);
    assert_status_is(hs_place(&answer, &world->asked, &settings, &err), HS_OK, &err);
    return answer;
}

static struct hs_sharding shard(struct world *world, const char *machine, int64_t np,
                                uint64_t memory, int64_t samples)
{
    static struct hs_shard_settings settings;
    struct hs_error err = {0};
    struct hs_sharding answer;

    settings = (struct hs_shard_settings){
        .ask = question_of(samples), .parameters = 1e9, .units = 2, .memory = memory};
    settings.ask.np = (struct hs_range){.first = (uint64_t)np, .last = (uint64_t)np};
    assert_status_is(hs_shard_take(&settings, &err), HS_OK, &err);
    ask(world, machine, &settings.ask);
    assert_status_is(hs_shard(&answer, &world->asked, &settings, &err), HS_OK, &err);
    return answer;
}

/* ---- properties ------------------------------------------------------------------------------ */

/* What holds of a verdict between the first sum and that of what the job has now. */
static void check_verdict(const struct hs_job_verdict *verdict, const struct hs_job_sum *first,
                          const struct hs_job_sum *now, int64_t samples)
{
    double gain = now->seconds / first->seconds;

    if (verdict->advice == HS_JOB_KEEP) {
        assert_ptr_equal(first, now);
        assert_true(verdict->gain == 1);
    } else {
        assert_true(gain >= HS_ADVICE_GAIN);
        assert_near(verdict->gain, gain, 1e-12);
    }
    if (samples == 0) {
        assert_true(isnan(verdict->gain_low) && isnan(verdict->share) && isnan(first->low_seconds));
        return;
    }
    assert_true(verdict->gain_low <= verdict->gain && verdict->gain <= verdict->gain_high);
    if (verdict->advice == HS_JOB_USE)
        assert_true(verdict->share >= HS_ADVICE_SHARE);
    if (verdict->advice == HS_JOB_UNDECIDED)
        assert_true(verdict->share < HS_ADVICE_SHARE || first->guess || now->guess);
}

static void check_sum(const struct hs_job_sum *sum, int64_t samples)
{
    if (samples > 0)
        assert_true(sum->low_seconds <= sum->seconds && sum->seconds <= sum->high_seconds);
}

/* The text of a member of an object, which has to be there. */
static const char *text_at(struct hs_json object, const char *key)
{
    struct hs_json found = hs_json_find(&object, key);
    const char *text = NULL;

    assert_int_equal(hs_json_read_string(&text, &found, NULL), HS_OK);
    return text;
}

static void check_placement(const struct hs_place_answer *answer)
{
    const struct hs_place_order *given = NULL;
    double parts;

    for (size_t i = 0; i < answer->count; i++) {
        const struct hs_place_order *order = &answer->orders[i];

        check_sum(&order->sum, answer->samples);
        assert_int_equal(order->rank, i + 1);
        assert_true(order->sum.seconds >= answer->orders[0].sum.seconds);
        if (i > 1)
            assert_true(order->sum.seconds >= answer->orders[i - 1].sum.seconds);
        if (order->given) {
            assert_null(given);
            given = order;
        }
        parts = 0;
        for (size_t p = 0; p < order->part_count; p++)
            parts += order->parts[p].seconds;
        assert_near(parts, order->sum.seconds, 1e-9 * parts);
    }
    assert_non_null(given);
    for (size_t i = 0; i < answer->count; i++)
        assert_near(answer->orders[i].ratio, answer->orders[i].sum.seconds / given->sum.seconds,
                    1e-12);
    check_verdict(&answer->verdict, &answer->orders[0].sum, &given->sum, answer->samples);
    assert_true((answer->ties.count > 0) <= (answer->verdict.advice == HS_JOB_KEEP));
    assert_true((answer->next.count > 0) == (answer->verdict.advice != HS_JOB_KEEP));
}

static const char *const machines[] = {
    "8xH100, 8xNDR400, 32:2", "4xA100-mesh, 4xSS11", "8xMI300X, 8xRoCE400, 32:2",
    "node:4@100GB/s~1us,ib@12GB/s~3us", "gpu:4@100GB/s~1us,ib@340GB/s~1us"};
static const char *const jobs[][2] = {
    {"tp=4,dp=8", "tp:allreduce:64MiB*9,dp:reduce-scatter:256MiB,dp:allgather:256MiB"},
    {"dp=8,tp=4", "tp:allreduce:64MiB*9,dp:allreduce:256MiB"},
    {"a=4,b=4", "a:allreduce:64MiB,b:allreduce:72MiB,a+b:allreduce:1KiB"},
    {"a=4,b=4", "a:allreduce:64MiB,b:allreduce:128MiB,a+b:allreduce:1KiB"},
    {"a=4,b=4", "a:allreduce:3MiB,b:alltoall:2MiB"},
    {"pp=2,one=1,tp=8,dp=2", "pp:sendrecv:8MiB*64,tp:allreduce:8MiB*64,dp:allreduce:64MiB"}};

static void the_first_order_is_the_verdicts(void **state)
{
    size_t seen[HS_JOB_ADVICE_COUNT] = {0};

    (void)state;
    for (size_t m = 0; m < HS_COUNT(machines); m++)
        for (size_t j = 0; j < HS_COUNT(jobs); j++)
            for (int64_t samples = 0; samples <= 200; samples += 200) {
                struct world world;
                struct hs_place_answer answer =
                    place(&world, machines[m], jobs[j][0], jobs[j][1], samples);

                check_placement(&answer);
                seen[answer.verdict.advice]++;
                hs_place_release(&answer);
                leave(&world);
            }
    for (int advice = HS_JOB_KEEP; advice <= HS_JOB_UNDECIDED; advice++)
        assert_true(seen[advice] > 0);
}

/* Each message is priced as a search of its own question, whose verdict runs. */
static void messages_take_what_predict_says(void **state)
{
    struct world world;
    struct hs_place_answer answer = place(&world, "8xH100, 8xNDR400, 32:2", "tp=8,dp=8",
                                          "dp:reduce-scatter:256MiB*3,tp:allreduce:1GiB*9", 200);
    struct hs_question question = question_of(200);
    struct hs_asked one = world.asked;
    struct hs_predict_point point;
    struct hs_error err = {0};

    (void)state;
    question.collective = HS_COLLECTIVE_REDUCE_SCATTER;
    question.search = hs_search_strategies[0].name;
    assert_int_equal(hs_mesh_parse(&question.mesh, "tp=8,dp=8", &err), HS_OK);
    assert_int_equal(hs_mesh_parse_over(&question.mesh, "dp", &err), HS_OK);
    one.question = &question;
    assert_status_is(hs_point_search(&point, &one, 64, 256 << 20, &err), HS_OK, &err);
    assert_string_equal(answer.orders[0].order, "tp=8,dp=8");
    assert_true(point.verdict.advice == HS_ADVICE_DEFAULT);
    assert_true(answer.messages[0].seconds == point.plans[0].estimate.seconds);
    assert_true(answer.messages[0].step_seconds == 3 * point.plans[0].estimate.seconds);
    assert_true(hs_plan_is_default(&answer.messages[0].plan));
    hs_predict_point_release(&point);
    hs_place_release(&answer);
    leave(&world);
}

/* A ring of 4 ranks on links of 1 GB/s without latency: each sends its GB to the next in a second,
 * whatever the others do; where 2 of them share a node, the slowest link is what counts. */
static void a_sendrecv_is_one_step_of_a_ring(void **state)
{
    static const char *const places[] = {"ib@1GB/s~0us", "node:2@10GB/s~0us,ib@1GB/s~0us"};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(places); i++) {
        struct world world;
        struct hs_place_answer answer = place(&world, places[i], "pp=4", "pp:sendrecv:1GB*5", 0);

        assert_near(answer.messages[0].seconds, 1, 1e-9);
        assert_near(answer.orders[0].sum.seconds, 5, 1e-9);
        assert_string_equal(answer.messages[0].call, "sendrecv");
        assert_true(answer.verdict.advice == HS_JOB_KEEP);
        hs_place_release(&answer);
        leave(&world);
    }
}

static void the_document_says_what_the_answer_says(void **state)
{
    struct world world;
    struct hs_place_answer answer = place(&world, machines[3], jobs[1][0], jobs[1][1], 200);
    struct hs_text text = {0};
    struct hs_error err = {0};
    struct hs_json_document document;
    struct hs_json top, orders;

    (void)state;
    assert_status_is(hs_place_print(&text, &answer, &err), HS_OK, &err);
    assert_status_is(hs_json_parse(&document, "placement", text.data, text.length, &err), HS_OK,
                     &err);
    top = hs_json_top(&document);
    assert_string_equal(text_at(hs_json_find(&top, "verdict"), "advice"),
                        hs_job_advice_names[answer.verdict.advice]);
    assert_true(answer.verdict.advice == HS_JOB_USE);
    orders = hs_json_find(&top, "orders");
    assert_string_equal(text_at(hs_json_first(&orders), "order"), answer.orders[0].order);
    hs_json_release(&document);
    hs_text_release(&text);
    hs_place_release(&answer);
    leave(&world);
}

/* ---- shards ---------------------------------------------------------------------------------- */

static const struct hs_sharding_way *full_of(const struct hs_sharding *answer)
{
    size_t i = 0;

    while (answer->ways[i].replicas > 1)
        i++;
    return &answer->ways[i];
}

/* 1e9 parameters in 32 bits: 16 bytes each in shards, and two whole units of 2e9 bytes. */
static void the_first_way_is_the_fastest_that_fits(void **state)
{
    static const uint64_t memories[] = {0, 10 * (uint64_t)1e9, 80 * (uint64_t)1e9, (uint64_t)1e9};

    (void)state;
    for (size_t m = 0; m < HS_COUNT(machines); m++)
        for (size_t k = 0; k < HS_COUNT(memories); k++) {
            struct world world;
            struct hs_sharding answer = shard(&world, machines[m], 16, memories[k], 200);

            assert_int_equal(answer.all, 16);
            assert_true((answer.verdict.advice == HS_JOB_NONE) == !answer.ways[0].fits);
            for (size_t i = 0; i < answer.count; i++) {
                const struct hs_sharding_way *way = &answer.ways[i];

                check_sum(&way->sum, answer.samples);
                assert_near(way->memory_bytes, 16 * GIGABYTE / (double)way->shards + 4 * GIGABYTE,
                            1);
                assert_int_equal(way->shards * way->replicas, 16);
                assert_near(way->shard_seconds + way->replica_seconds, way->sum.seconds,
                            1e-9 * way->sum.seconds);
                if (memories[k] > 0)
                    assert_int_equal(way->fits, way->memory_bytes <= (double)memories[k]);
                if (i > 0 && way->fits)
                    assert_true(way->sum.seconds >= answer.ways[i - 1].sum.seconds);
            }
            if (answer.verdict.advice != HS_JOB_NONE)
                check_verdict(&answer.verdict, &answer.ways[0].sum, &full_of(&answer)->sum,
                              answer.samples);
            hs_sharding_release(&answer);
            leave(&world);
        }
}

/* On a ring of 4 at 1 GB/s each of two units of 2e9 bytes is gathered twice and scattered once:
 * 2 x 3 x 3/4 x 2 s. By 2 shards x 2 replicas half the bytes are reduced by the outer pairs, whose
 * groups share no link of the ring of all. */
static void shards_take_what_their_bytes_do(void **state)
{
    struct world world;
    struct hs_sharding answer = shard(&world, "ring@1GB/s~0us", 4, 0, 0);

    (void)state;
    assert_near(full_of(&answer)->sum.seconds, 9, 1e-9);
    assert_true(full_of(&answer)->replica_seconds == 0);
    for (size_t i = 0; i < answer.count; i++)
        if (answer.ways[i].shards == 1) /* AllReduce of both units: 2 x 2 x 3/4 x 2 s */
            assert_near(answer.ways[i].sum.seconds, 6, 1e-9);
    hs_sharding_release(&answer);
    leave(&world);
}

/* ---- gains ----------------------------------------------------------------------------------- */

#define JOB(bytes)                                                                                 \
    "{\"format\": \"hiersearch.profile/1\", \"command\": \"job\", \"library\": \"MPI\", "          \
    "\"created\": \"2026-01-01T00:00:00Z\", \"finished\": true, \"ranks\": 16, \"seconds\": 10, "  \
    "\"nodes\": [{\"host\": \"n\", \"ranks\": 16}], \"calls\": [{\"call\": \"MPI_Allreduce\", "    \
    "\"collective\": \"allreduce\", \"groups\": 1, \"group_ranks\": 16, \"group_stride\": 1, "     \
    "\"calls\": 1600, \"ranks\": 16, \"bytes\": " bytes ", \"seconds\": 16, "                      \
    "\"rank_seconds\": 1, \"longest_seconds\": 0.1, \"sampled_calls\": 10, "                       \
    "\"sampled_seconds\": 0.1, \"waited_seconds\": 0.02}]}"

#define NODES "node:4@10GB/s~0.5us,ib:4@2GB/s~5us"

/* The library takes 8 ms a call there, of 7.5 MB; of 1 MB the model has it take less than 2. */
static void gains_add_up(void **state)
{
    static const struct {
        const char *machine, *job;
        enum hs_job_advice advice;
        const char *reason;
    } cases[] = {{NODES ";library=mpich", JOB("12e9"), HS_JOB_USE, NULL},
                 {NODES ";library=mpich", JOB("16e8"), HS_JOB_UNDECIDED, "does not match"},
                 {NODES ";library=mpich", JOB("16e2"), HS_JOB_KEEP, NULL},
                 {NODES, JOB("16e8"), HS_JOB_UNDECIDED, "valid only if the job ran on"}};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_question question = question_of(0);
        struct hs_profile profile;
        struct hs_gains gains;
        struct hs_error err = {0};
        struct hs_text text = {0};
        struct world world;
        double sum = 0;

        question.search = hs_search_strategies[0].name;
        assert_status_is(hs_fields_parse(&hs_profile_fields, &profile, "job", cases[i].job,
                                         strlen(cases[i].job), &err),
                         HS_OK, &err);
        ask(&world, cases[i].machine, &question);
        assert_status_is(hs_gains_by_model(&gains, &world.asked, &profile, "job.json", &err), HS_OK,
                         &err);
        for (size_t g = 0; g < gains.count; g++)
            sum += gains.gains[g].gain;
        assert_near(gains.spent, 1, 1e-12);
        assert_near(gains.gain, sum, 1e-12);
        assert_true(gains.least_gain <= gains.gain);
        assert_int_equal(gains.advice, cases[i].advice);
        if (cases[i].reason)
            assert_non_null(strstr(gains.reason, cases[i].reason));
        assert_true((gains.next.count > 0) == (gains.advice != HS_JOB_KEEP));
        assert_status_is(hs_gains_print(&text, &gains, &err), HS_OK, &err);
        assert_non_null(strstr(text.data, hs_job_advice_names[gains.advice]));
        hs_text_release(&text);
        hs_gains_release(&gains);
        hs_profile_release(&profile);
        leave(&world);
    }
}

/* ---- schemas --------------------------------------------------------------------------------- */

static void the_schemas_are_those_of_their_tables(void **state)
{
    static const struct {
        enum hs_status (*print)(struct hs_text *, struct hs_error *);
        const char *path;
    } schemas[] = {{hs_place_print_schema, "docs/placement.schema.json"},
                   {hs_sharding_print_schema, "docs/sharding.schema.json"},
                   {hs_gains_print_schema, "docs/gains.schema.json"}};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(schemas); i++) {
        struct hs_text schema = {0};
        struct hs_error err = {HS_OK, ""};

        assert_status_is(schemas[i].print(&schema, &err), HS_OK, &err);
        check_schema(&schema, schemas[i].path, "build/tests/answer/test_jobs");
        hs_text_release(&schema);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("the first order is the verdict's, and none below it is faster",
            the_first_order_is_the_verdicts),
    HS_TEST("messages take what predict says of them", messages_take_what_predict_says),
    HS_TEST("a sendrecv is one step of a ring", a_sendrecv_is_one_step_of_a_ring),
    HS_TEST("the document says what the answer says", the_document_says_what_the_answer_says),
    HS_TEST("the first way is the fastest that fits", the_first_way_is_the_fastest_that_fits),
    HS_TEST("shards take what their bytes do", shards_take_what_their_bytes_do),
    HS_TEST("gains add up, and are none where the profile does not match", gains_add_up),
    HS_TEST("docs/placement, sharding and gains.schema.json are those of their tables",
            the_schemas_are_those_of_their_tables),
};
HS_TEST_MAIN(tests)
