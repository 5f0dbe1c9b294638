/*
 * What holds of every answer, whatever the machine, collective, groups, size and library: one
 * verdict, one order, one number a plan, and the default call beside them wherever it has a price.
 */
#include "systems.h"

#include <math.h>
#include <string.h>

#include "answer/point.h"
#include "base/random.h"
#include "detect/system_find.h"
#include "show/answers.h"

#define CASES     (hs_tests_quick() ? (size_t)120 : (size_t)400)
#define SAMPLES   40
#define SAME_TIME 1e-9

static const char *const machines_typed[] = {
    "abci",
    "summit",
    "leonardo",
    "lumi",
    "perlmutter",
    "mi300x",
    "abci-fitted",
    "gb200-nvl72",
    "dgx1-v100",
    "frontier",
    "8xH100, 8xNDR400",
    "8xA100, 8xHDR200, 16:2",
    "4xH100, 4xNDR200",
    "8xB200, 8xNDR400",
    "8xV100, 4xEDR100",
    "nvlink:8@300GB/s~3us,ib@200GB/s~12us",
    "nvlink:mesh:4@111.6GB/s~4.8us,ib:32@0.1GB/s,spine@0.05GB/s",
    "core:32@5GB/s~1us,ib@12GB/s~3us;library=mpich",
    "core:16@5GB/s~1us,ib@12GB/s~3us;library=openmpi",
};
#define MACHINES (sizeof(machines_typed) / sizeof(*machines_typed))

static struct hs_system systems[MACHINES];

/* One of few numbers; what is asked is then often alike and often odd. */
static int64_t pick(uint64_t *state, const int64_t *from, size_t count)
{
    return from[hs_random_bits(state) % count];
}
#define PICK(state, ...)                                                                           \
    pick(state, (const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static struct hs_question ask(uint64_t *state)
{
    struct hs_question question = {.search = "lattice", .top = PICK(state, 1, 2, 5, 9)};
    uint64_t bytes = (uint64_t)PICK(state, 8, 1000, 65536, 1 << 20, 1 << 24, 1 << 28);
    int64_t np = PICK(state, 2, 6, 7, 16, 24, 48, 64, 96, 128, 250, 512);

    question.collective = (enum hs_collective)(hs_random_bits(state) % HS_COLLECTIVE_COUNT);
    question.datatype = HS_FLOAT32;
    question.machines = hs_random_bits(state) % 5 == 0 ? 0 : SAMPLES;
    if (hs_collectives[question.collective].ordered && hs_random_bits(state) % 2)
        question.layout = HS_REVERSED;
    if (hs_random_bits(state) % 6 == 0 && !hs_collective_is_one_way(question.collective))
        question.chunks = (struct hs_count_list){.count = 2, .values = {1, 4}};
    if (hs_random_bits(state) % 7 == 0)
        question.search = "containment";
    if (hs_random_bits(state) % 3 == 0) {
        int64_t tp = PICK(state, 2, 3, 4, 6, 8, 12), dp = PICK(state, 2, 4, 8, 16);
        const char *over = hs_random_bits(state) % 2 ? "tp" : "dp";
        char text[64];

        np = tp * dp;
        snprintf(text, sizeof(text), "tp=%lld,dp=%lld", (long long)tp, (long long)dp);
        assert_int_equal(hs_mesh_parse(&question.mesh, text, NULL), HS_OK);
        assert_int_equal(hs_mesh_parse_over(&question.mesh, over, NULL), HS_OK);
    }
    question.np = (struct hs_range){.first = (uint64_t)np, .last = (uint64_t)np};
    question.bytes = (struct hs_range){.first = bytes, .last = bytes};
    return question;
}

static const struct hs_candidate *find(const struct hs_result_message *message,
                                       const struct hs_plan *plan)
{
    for (size_t i = 0; i < message->candidate_count; i++)
        if (hs_plan_compare(&message->candidates[i].plan, plan) == 0)
            return &message->candidates[i];
    return NULL;
}

/* One order by one number; the best is the first, and the verdict's. */
static void check_order(const struct hs_result_message *message)
{
    const struct hs_candidate *candidates = message->candidates;

    assert_true(message->candidate_count > 0);
    assert_int_equal(hs_plan_compare(&message->best, &candidates[0].plan), 0);
    assert_int_equal(hs_plan_compare(&message->best, &message->answer->verdict.plan), 0);
    for (size_t i = 0; i < message->candidate_count; i++) {
        assert_true(isfinite(candidates[i].predicted_seconds));
        if (i > 0)
            assert_true(candidates[i].predicted_seconds >=
                        candidates[i - 1].predicted_seconds * (1 - SAME_TIME));
        for (size_t t = 0; t < message->answer->tie_count; t++)
            assert_true(hs_plan_compare(&candidates[i].plan, &message->answer->ties[t]) != 0);
    }
}

/* A range has its estimate in it, and the layers add up to it. */
static void check_numbers(const struct hs_result_message *message)
{
    for (size_t i = 0; i < message->candidate_count; i++) {
        const struct hs_candidate *candidate = &message->candidates[i];

        if (!isnan(candidate->predicted_low_seconds)) {
            assert_true(candidate->predicted_low_seconds <= candidate->predicted_seconds);
            assert_true(candidate->predicted_seconds <= candidate->predicted_high_seconds);
        }
        if (!isnan(candidate->probability_best))
            assert_true(candidate->probability_best >= 0 && candidate->probability_best <= 1);
        if (candidate->cost)
            assert_near(candidate->cost->seconds, candidate->predicted_seconds, 1e-9);
        assert_true(hs_plan_is_default(&candidate->plan) == !candidate->cost);
    }
}

/* "No price" and a price never stand together; with one the call is a candidate, at that price. */
static void check_default(const struct hs_result_message *message)
{
    const struct hs_answer *answer = message->answer;
    const struct hs_candidate *candidate = find(message, &HS_DEFAULT_CALL);

    assert_true((answer->usual == NULL) != (answer->no_default == NULL));
    if (!answer->usual) {
        assert_null(candidate);
        assert_int_not_equal(answer->verdict.advice, HS_ADVICE_DEFAULT);
        return;
    }
    assert_true(answer->usual->low_seconds <= answer->usual->seconds &&
                answer->usual->seconds <= answer->usual->high_seconds);
    assert_non_null(candidate);
    assert_near(candidate->predicted_seconds, answer->usual->seconds, SAME_TIME);
}

/* The one rule, again. */
static void check_verdict(const struct hs_result *result, const struct hs_result_message *message)
{
    const struct hs_answer *answer = message->answer;
    const struct hs_verdict *verdict = &answer->verdict;
    struct hs_plan flat = hs_result_flat(result);
    bool keeps = answer->usual ? hs_plan_is_default(&verdict->plan)
                               : hs_plan_compare(&verdict->plan, &flat) == 0;
    double reference = answer->usual ? answer->usual->seconds : message->flat_seconds;

    if (hs_result_group(result).size == 1)
        return;
    assert_near(verdict->gain, reference / message->candidates[0].predicted_seconds, 1e-9);
    if (keeps) {
        assert_int_equal(verdict->advice, answer->usual ? HS_ADVICE_DEFAULT : HS_ADVICE_PLAN);
        return;
    }
    assert_true(verdict->gain >=
                (answer->usual ? HS_ADVICE_GAIN / HS_EXPECTED_TIE : 1) - SAME_TIME);
    if (answer->samples > 0)
        assert_true(verdict->gain_low <= verdict->gain && verdict->gain <= verdict->gain_high);
    if (verdict->advice == HS_ADVICE_PLAN && answer->samples > 0)
        assert_true(verdict->share >= HS_ADVICE_SHARE);
    else if (verdict->advice == HS_ADVICE_UNDECIDED)
        assert_true(answer->next_count > 0);
}

/* Sentences name the verdict's plan, and nothing slower is called faster. */
static void check_words(const struct hs_result *result, const struct hs_result_message *message)
{
    const struct hs_answer_source of = {result, message};
    const struct hs_verdict *verdict = &message->answer->verdict;
    char plan[HS_SPLIT_TEXT];
    struct hs_text title = {0}, sentence = {0};

    hs_answer_append_title(&title, &of);
    hs_answer_append_verdict(&sentence, &of);
    assert_non_null(title.data);
    assert_int_equal(strncmp(sentence.data, title.data, title.length), 0);
    hs_plan_format(plan, &verdict->plan);
    if (verdict->advice == HS_ADVICE_DEFAULT)
        assert_int_equal(strncmp(title.data, "Keep ", 5), 0);
    else
        assert_non_null(strstr(title.data, plan));
    if (verdict->gain < 1)
        assert_null(strstr(sentence.data, "faster"));
    assert_null(strstr(sentence.data, "nan"));
    hs_text_release(&title);
    hs_text_release(&sentence);
}

/* The file says all of it. */
static void check_file(const struct hs_result *result)
{
    struct hs_error err = {0};
    struct hs_text text = {0};
    struct hs_result read;

    assert_int_equal(hs_result_print(&text, result, &err), HS_OK);
    if (hs_result_parse(&read, "answer", text.data, text.length, &err))
        fail_msg("%s", err.message);
    assert_true(
        hs_fields_equal(&hs_answer_fields, result->messages[0].answer, read.messages[0].answer));
    hs_result_release(&read);
    hs_text_release(&text);
}

static void it_holds_of_any_answer(void **state)
{
    uint64_t random = 20261127;
    size_t kinds[HS_ADVICE_COUNT] = {0}, refused = 0;

    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const struct hs_system *system = &systems[i % MACHINES];
        struct hs_question question = ask(&random);
        struct hs_machines machines = draw(system, SAMPLES, 1);
        struct hs_asked asked = {.question = &question,
                                 .strategy = hs_search_strategy_find(question.search),
                                 .system = system,
                                 .machines = &machines,
                                 .label = machines_typed[i % MACHINES]};
        struct hs_walk walk = {.asked = &asked, .command = "test"};
        struct hs_error err = {0};
        struct hs_result result;
        enum hs_status status = hs_walk_sizes(&result, &walk, (int64_t)question.np.first, &err);

        if (status == HS_INVALID) { /* has no price there */
            refused++;
        } else {
            const struct hs_result_message *message = &result.messages[0];

            if (status)
                fail_msg("%s", err.message);
            check_order(message);
            check_numbers(message);
            check_default(message);
            check_verdict(&result, message);
            check_words(&result, message);
            check_file(&result);
            kinds[message->answer->verdict.advice]++;
        }
        hs_result_release(&result);
        hs_machines_release(&machines);
    }
    /* The cases are of all kinds, or nothing was tested. */
    for (int k = 0; k < HS_ADVICE_COUNT; k++)
        assert_true(kinds[k] > CASES / 50);
    assert_true(refused < CASES / 4);
}

static int set_up(void **state)
{
    struct hs_error err = {0};

    (void)state;
    setenv("HIERSEARCH_CONFIGS", "configs", 1);
    for (size_t i = 0; i < MACHINES; i++)
        if (hs_system_find(&systems[i], machines_typed[i], &err))
            fail_msg("%s", err.message);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < MACHINES; i++)
        hs_system_release(&systems[i]);
    return 0;
}

static const struct CMUnitTest tests[] = {
    {"every answer is one answer", it_holds_of_any_answer, set_up, tear_down, NULL},
};
HS_TEST_MAIN(tests)
