/* Verdicts, causes that fit and that rows or lines exclude. Times are made of rates that threads
 * about low times state, and of prices with one thing changed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/check.h"
#include "record/result_tools.h"
#include "systems.h"

struct asked {
    struct hs_system system;
    struct hs_inputs inputs;
    struct hs_check_settings settings;
    struct hs_check_answer checked;
    struct hs_error err;
};

static void begin(struct asked *asked, const char *machine)
{
    memset(asked, 0, sizeof(*asked));
    if (hs_system_parse(&asked->system, machine, &asked->err) != HS_OK)
        fail_msg("%s", asked->err.message);
}

static void check(struct asked *asked, const char *log)
{
    struct hs_check_question question = {
        .system = &asked->system, .inputs = &asked->inputs, .settings = &asked->settings};

    assert_status_is(hs_inputs_add_any(&asked->inputs, "log", log, NULL, &asked->err), HS_OK,
                     &asked->err);
    assert_status_is(hs_check(&asked->checked, &question, NULL, &asked->err), HS_OK, &asked->err);
}

static void end(struct asked *asked)
{
    hs_check_answer_release(&asked->checked);
    hs_inputs_release(&asked->inputs);
    hs_system_release(&asked->system);
}

static enum hs_check_status status_of(const struct asked *asked, enum hs_check_cause cause)
{
    for (size_t i = 0; i < asked->checked.cause_count; i++)
        if (asked->checked.causes[i].cause == cause)
            return asked->checked.causes[i].status;
    fail_msg("%s is no cause of the answer", hs_check_causes[cause].key);
    return HS_CAUSE_OPEN;
}

/* 256 MiB to 4 GiB, times the price of the machine. */
static char *priced(const struct hs_system *system, int64_t nodes, double factor, char *text,
                    size_t room)
{
    size_t length = (size_t)snprintf(text, room, "bytes,seconds,np,nodes,call\n");

    for (int power = 28; power <= 32; power++) {
        struct hs_nccl_ask ask = {
            .kind = HS_CALL_ALLREDUCE, .domains = nodes, .gpus = 8, .bytes = ldexp(1, power)};
        struct hs_nccl_price price;

        assert_int_equal(hs_nccl_price(&price, &system->nccl, &ask, NULL), HS_OK);
        length += (size_t)snprintf(text + length, room - length, "%.0f,%.9g,%d,%d,allreduce\n",
                                   ask.bytes, price.seconds * factor, (int)(8 * nodes), (int)nodes);
    }
    return text;
}

static void what_the_price_says_is_expected(void **unused)
{
    struct asked asked;
    char text[1024];

    (void)unused;
    begin(&asked, "8xH100, 8xNDR400");
    check(&asked, priced(&asked.system, 2, 1, text, sizeof(text)));
    assert_int_equal(asked.checked.verdict, HS_CHECK_EXPECTED);
    assert_int_equal(asked.checked.cause_count, 0);
    assert_true(asked.checked.visible > 0.05 && asked.checked.visible < 0.4);
    end(&asked);
}

/* A half of the network's rate has many causes, and none is named alone. */
static void half_a_rate_fits_many_causes(void **unused)
{
    struct asked asked;
    char text[1024];
    size_t fits = 0;

    (void)unused;
    begin(&asked, "8xA100, 4xHDR200");
    check(&asked, priced(&asked.system, 3, 2, text, sizeof(text)));
    assert_int_equal(asked.checked.verdict, HS_CHECK_LOW);
    assert_int_equal(asked.checked.layer, HS_LAYER_NETWORK);
    for (size_t i = 0; i < asked.checked.cause_count; i++)
        fits += asked.checked.causes[i].status == HS_CAUSE_FITS;
    assert_true(fits > 2);
    assert_int_equal(status_of(&asked, HS_BY_NICS_USED), HS_CAUSE_FITS);
    assert_int_equal(status_of(&asked, HS_BY_GDR_OFF), HS_CAUSE_FITS);
    assert_int_not_equal(status_of(&asked, HS_BY_PORT_RATE), HS_CAUSE_EXCLUDED);
    assert_int_equal(status_of(&asked, HS_BY_NVLS_OFF), HS_CAUSE_EXCLUDED);
    end(&asked);
}

/* NVIDIA/nccl issue 2140: 370 GB/s of 480. */
static void a_node_without_nvls_is_the_ring(void **unused)
{
    struct asked asked;

    (void)unused;
    begin(&asked, "8xH100");
    check(&asked, "bytes,seconds,np,nodes,call\n8589934592,0.040628,8,1,allreduce\n");
    assert_int_equal(asked.checked.verdict, HS_CHECK_LOW);
    assert_int_equal(asked.checked.layer, HS_LAYER_ALGORITHM);
    assert_int_equal(status_of(&asked, HS_BY_NVLS_OFF), HS_CAUSE_FITS);
    assert_int_equal(status_of(&asked, HS_BY_RING_FORCED), HS_CAUSE_FITS);
    assert_int_equal(status_of(&asked, HS_BY_P2P_OFF), HS_CAUSE_EXCLUDED);
    assert_int_equal(status_of(&asked, HS_BY_GDR_OFF), HS_CAUSE_EXCLUDED);
    end(&asked);
}

/* As NVIDIA/nccl issue 949, of a machine that is a little quicker: latency right, large sizes at
 * half: no sockets. */
static void small_sizes_that_are_right_exclude_sockets(void **unused)
{
    struct asked asked;

    (void)unused;
    begin(&asked, "8xA100, 2xHDR200");
    asked.settings.log.algorithm = "ring";
    check(&asked, "bytes,seconds,np,nodes,call\n8,36e-6,16,2,allreduce\n"
                  "512,37e-6,16,2,allreduce\n1073741824,0.074565,16,2,allreduce\n");
    assert_int_equal(asked.checked.verdict, HS_CHECK_LOW);
    assert_int_equal(asked.checked.layer, HS_LAYER_NETWORK);
    assert_int_equal(status_of(&asked, HS_BY_TCP_SOCKETS), HS_CAUSE_EXCLUDED);
    assert_int_not_equal(status_of(&asked, HS_BY_ACS_ATS), HS_CAUSE_EXCLUDED);
    end(&asked);
}

static void a_broadcast_is_judged_by_line_rate(void **unused)
{
    static const char log[] =
        "# Collective test starting: broadcast_perf\n"
        "#  Rank  0 Group  0 Pid  1 on  node-1 device  0 [0x07] Tesla V100-SXM2-32GB\n"
        "#  Rank  1 Group  0 Pid  1 on  node-2 device  0 [0x07] Tesla V100-SXM2-32GB\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n"
        "  2147483648    1073741824      half    none       0   %s   20.00   20.00      0\n";
    static const char *const times[2] = {"700000", "190000"};

    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct asked asked;
        char text[1024];

        begin(&asked, "1xV100, 1xEDR100");
        snprintf(text, sizeof(text), log, times[i]);
        check(&asked, text);
        assert_string_equal(asked.checked.rows[0].call, "broadcast");
        assert_int_equal(asked.checked.rows[0].against, HS_AGAINST_LINE);
        assert_int_equal(asked.checked.verdict, i == 0 ? HS_CHECK_LOW : HS_CHECK_EXPECTED);
        end(&asked);
    }
}

/* Faster than two nodes' NICs by a tree: values or the machine are wrong. */
static void beyond_the_line_rate_nothing_is_judged(void **unused)
{
    struct asked asked;

    (void)unused;
    begin(&asked, "8xH100, 1xNDR400");
    check(&asked, "bytes,seconds,np,nodes,call\n8589934592,0.05,32,4,allreduce\n");
    assert_int_equal(asked.checked.verdict, HS_CHECK_UNJUDGED);
    assert_non_null(strstr(asked.checked.reason, "more than NICs and slots"));
    end(&asked);
}

static void lines_of_the_library_establish_a_cause(void **unused)
{
    static const struct {
        const char *file, *machine;
        enum hs_check_cause cause;
        const char *line;
    } cases[] = {
        {"tests/record/logs/info-gdr.txt", "8xA100, 4xHDR200", HS_BY_GDR_OFF, "without /GDRDMA"},
        {"tests/record/logs/info-nvls.txt", "8xH100", HS_BY_NVLS_OFF, "multicast"},
        {"tests/record/logs/info-sockets.txt", "8xA100, 1xRoCE200", HS_BY_TCP_SOCKETS, "sockets"},
        {"tests/record/logs/info-reads.txt", "8xV100-pcie3, 1xEDR100", HS_BY_GDR_OFF, "sends"},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct asked asked;
        struct hs_check_question question = {
            .system = &asked.system, .inputs = &asked.inputs, .settings = &asked.settings};

        begin(&asked, cases[i].machine);
        assert_status_is(hs_inputs_add(&asked.inputs, cases[i].file, NULL, &asked.err), HS_OK,
                         &asked.err);
        assert_status_is(hs_check(&asked.checked, &question, NULL, &asked.err), HS_OK, &asked.err);
        assert_int_equal(asked.checked.verdict, HS_CHECK_LOW);
        assert_int_equal(asked.checked.causes[0].cause, cases[i].cause);
        assert_int_equal(asked.checked.causes[0].status, HS_CAUSE_ESTABLISHED);
        assert_non_null(strstr(asked.checked.causes[0].by, cases[i].line));
        end(&asked);
    }
}

/* Each price with one cause alone: it is never excluded. */
static void a_cause_that_made_the_times_is_not_excluded(void **unused)
{
    static const struct {
        enum hs_check_cause cause;
        struct hs_check_variant variant;
    } faults[] = {
        {HS_BY_NICS_USED, {.network = 0.25, .inside = 1, .all = 1}},
        {HS_BY_PORT_RATE, {.network = 0.5, .inside = 1, .all = 1}},
        {HS_BY_GDR_OFF, {.network = 0.4, .inside = 1, .all = 1}},
        {HS_BY_TAPER, {.network = 0.3, .inside = 1, .all = 1}},
        {HS_BY_RING_FORCED, {.network = 1, .inside = 1, .all = 1, .among = 1U << HS_NCCL_RING}},
        {HS_BY_PROTOCOL, {.network = 1, .inside = 1, .all = 1, .protocols = 1U << HS_NCCL_LL}},
        {HS_BY_P2P_OFF, {.network = 1, .inside = 0.03, .all = 1}},
        {HS_BY_HOST_BUSY, {.network = 1, .inside = 1, .all = 2}},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
        struct asked plain, asked;
        char text[1024], times[1024] = "bytes,seconds,np,nodes,call\n";

        begin(&plain, "8xH100, 8xNDR400");
        begin(&asked, "8xH100, 8xNDR400");
        check(&plain, priced(&plain.system, 2, 1, text, sizeof(text)));
        for (size_t r = 0; r < plain.checked.row_count; r++) {
            const struct hs_check_row *row = &plain.checked.rows[r];

            snprintf(times + strlen(times), sizeof(times) - strlen(times),
                     "%.0f,%.9g,16,2,allreduce\n", (double)row->bytes,
                     hs_check_seconds(row, &plain.system, &faults[i].variant));
        }
        check(&asked, times);
        if (asked.checked.verdict == HS_CHECK_LOW &&
            status_of(&asked, faults[i].cause) == HS_CAUSE_EXCLUDED)
            fail_msg("%s is excluded by its own times", hs_check_causes[faults[i].cause].key);
        if (asked.checked.verdict != HS_CHECK_LOW && faults[i].cause != HS_BY_RING_FORCED)
            fail_msg("%s is not found", hs_check_causes[faults[i].cause].key);
        end(&plain);
        end(&asked);
    }
}

/* A result of `measure`: the library's default call times `factor` its price, and a plan. */
static char *measured(const struct hs_system *system, double factor, char *text, size_t room)
{
    struct hs_nccl_ask ask = {
        .kind = HS_CALL_ALLREDUCE, .domains = 2, .gpus = 8, .bytes = ldexp(1, 30)};
    struct hs_nccl_price price;

    assert_int_equal(hs_nccl_price(&price, &system->nccl, &ask, NULL), HS_OK);
    snprintf(
        text, room,
        "{\"format\": \"hiersearch.result/2\", \"command\": \"hiersearch measure\",\n"
        "\"created\": \"2026-01-31T12:00:00Z\", \"backend\": \"nccl\",\n"
        "\"versions\": {\"hiersearch\": \"0.1.0\"}, \"np\": 16, \"placement\": {\"nodes\":\n"
        "[{\"host\": \"a\", \"ranks\": 8}, {\"host\": \"b\", \"ranks\": 8}]},\n"
        "\"complete\": true, \"results\": [{\"message_bytes\": 1073741824,\n"
        "\"dtype\": \"float32\", \"op\": \"sum\", \"search\": {\"splits\": 8, \"pruned\": [],\n"
        "\"looked_at\": 8}, \"best\": \"8x2\", \"baselines\": [{\"name\": \"ncclAllReduce\", "
        "\"measured\":\n"
        "{\"status\": \"ok\", \"median_seconds\": %.9g, \"samples_seconds\": [%.9g]}}],\n"
        "\"candidates\": [{\"plan\": \"8x2\", \"measured\": {\"status\": \"ok\",\n"
        "\"median_seconds\": 0.01, \"samples_seconds\": [0.01]}}]}]}\n",
        factor * price.seconds, factor * price.seconds);
    return text;
}

static void the_default_call_of_a_result_is_judged(void **unused)
{
    static const enum hs_check_verdict verdicts[] = {HS_CHECK_EXPECTED, HS_CHECK_LOW};
    struct asked asked;
    char text[2048];

    (void)unused;
    for (int i = 0; i < 2; i++) {
        begin(&asked, "8xH100, 8xNDR400");
        check(&asked, measured(&asked.system, 1 + 1.5 * i, text, sizeof(text)));
        assert_int_equal(asked.checked.verdict, verdicts[i]);
        assert_int_equal(asked.checked.row_count, 1);
        assert_int_equal(asked.checked.plan_count, 1);
        assert_string_equal(asked.checked.plans[0].plan, "8x2");
        assert_true(isnan(asked.checked.plans[0].expected_seconds));
        end(&asked);
    }
}

/* 8 MI300X reach 308 to 318 GB/s of bus bandwidth from 1 GiB on (published for three hosts). */
static void calls_of_rccl_have_its_price(void **unused)
{
    static const enum hs_check_verdict verdicts[] = {HS_CHECK_EXPECTED, HS_CHECK_LOW};
    struct asked asked;
    char text[256];

    (void)unused;
    for (int i = 0; i < 2; i++) {
        double seconds = 2 * 7 / 8. * 0x1p30 / 310e9 * (1 + i);

        begin(&asked, "8xMI300X");
        snprintf(text, sizeof(text),
                 "bytes,seconds,np,nodes,call\n1073741824,%.9g,8,1,allreduce\n"
                 "4294967296,%.9g,8,1,allreduce\n",
                 seconds, 4 * seconds);
        check(&asked, text);
        assert_int_equal(asked.checked.verdict, verdicts[i]);
        assert_int_equal(asked.checked.rows[0].against, HS_AGAINST_PRICE);
        end(&asked);
    }
}

/* 64 KiB takes tens of microseconds on such nodes: two sizes below 1 MiB that take 100 times that
 * are neither expected nor a diagnosis. */
static void small_sizes_alone_are_not_judged(void **unused)
{
    struct asked asked;

    (void)unused;
    begin(&asked, "8xH100, 8xNDR400");
    check(&asked, "bytes,seconds,np,nodes,call\n32768,5e-3,16,2,allreduce\n"
                  "65536,5e-3,16,2,allreduce\n");
    assert_int_equal(asked.checked.verdict, HS_CHECK_UNJUDGED);
    assert_has(asked.checked.reason, "below 1MiB");
    end(&asked);
}

static void the_schema_is_that_of_its_table(void **unused)
{
    struct hs_text schema = {0};

    (void)unused;
    assert_int_equal(hs_fields_print_schema(&schema, &hs_check_fields, NULL), HS_OK);
    check_schema(&schema, "docs/check.schema.json", "build/tests/answer/test_check");
    hs_text_release(&schema);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("what the price says is expected, and what would not show is told",
            what_the_price_says_is_expected),
    HS_TEST("half of a rate fits many causes, none alone", half_a_rate_fits_many_causes),
    HS_TEST("a node without NVLS is as fast as the ring", a_node_without_nvls_is_the_ring),
    HS_TEST("small sizes that are right exclude sockets",
            small_sizes_that_are_right_exclude_sockets),
    HS_TEST("a broadcast is judged by line rate", a_broadcast_is_judged_by_line_rate),
    HS_TEST("beyond the line rate nothing is judged", beyond_the_line_rate_nothing_is_judged),
    HS_TEST("lines of the library establish a cause", lines_of_the_library_establish_a_cause),
    HS_TEST("a cause that made the times is not excluded by them",
            a_cause_that_made_the_times_is_not_excluded),
    HS_TEST("the default call of a result is judged, beside its plans",
            the_default_call_of_a_result_is_judged),
    HS_TEST("calls of RCCL have its price", calls_of_rccl_have_its_price),
    HS_TEST("small sizes alone are not judged", small_sizes_alone_are_not_judged),
    HS_TEST("docs/check.schema.json is that of its table", the_schema_is_that_of_its_table),
};

HS_TEST_MAIN(tests)
