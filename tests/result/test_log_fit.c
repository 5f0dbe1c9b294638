/* Constants of NCCL's price from logs: a machine whose constants are known is found again. */
#include <math.h>

#include "result/log_fit.h"
#include "test.h"

static struct hs_system parts(const char *text)
{
    struct hs_system system;
    struct hs_error err = {0};

    if (hs_system_parse(&system, text, &err) != HS_OK)
        fail_msg("%s", err.message);
    return system;
}

static struct hs_log log_of(const char *text)
{
    struct hs_error err = {0};
    struct hs_log log;

    if (hs_log_parse(&log, NULL, "log", text, strlen(text), &err) != HS_OK)
        fail_msg("%s", err.message);
    return log;
}

static double allreduce(const struct hs_system *system, int64_t nodes, double bytes)
{
    struct hs_nccl_ask ask = {
        .kind = HS_CALL_ALLREDUCE, .domains = nodes, .gpus = 8, .bytes = bytes};
    struct hs_nccl_price price;

    assert_int_equal(hs_nccl_price(&price, &system->nccl, &ask, NULL), HS_OK);
    return price.seconds;
}

/* A log of two nodes, of a machine whose network starts later and whose calls cost more. */
static void two_nodes_say_what_many_take(void **state)
{
    struct hs_system truth = parts("8xH100, 8xNDR400"), system = parts("8xH100, 8xNDR400");
    const struct hs_log_facts facts = {16, 2, true, HS_CALL_ALLREDUCE};
    struct hs_call_list calls = {0};
    struct hs_text csv = {0};
    struct hs_log file;
    struct hs_system plain = parts("8xH100, 8xNDR400");
    double before, after, fitted = 0, shipped = 0;

    (void)state;
    for (size_t k = 0; k < hs_nccl_price_model.count; k++) {
        const struct hs_constant *row = &hs_nccl_price_model.constants[k];
        double widths = k % 3 == 0 ? 1.5 : k % 3 == 1 ? -1 : 0.5;

        truth.nccl.own[k] = row->fitted * exp(widths * row->width);
    }
    hs_text_append(&csv, "bytes,seconds\n");
    for (double bytes = 1024; bytes <= 0x1p33; bytes *= 2)
        hs_text_append(&csv, "%.0f,%.9g\n", bytes, allreduce(&truth, 2, bytes));
    file = log_of(csv.data);
    assert_int_equal(hs_log_calls(&calls, &system, &file, "log", &facts, NULL), HS_OK);
    assert_int_equal(calls.count, 24);
    assert_int_equal(hs_calls_fit(&system, &calls, &before, &after, NULL), HS_OK);
    assert_true(before > 0.1);
    assert_true(after < before / 3);
    assert_true(system.constants.count > 0);
    for (size_t i = 0; i < system.constants.count; i++)
        assert_true(system.constants.items[i].low < system.constants.items[i].value &&
                    system.constants.items[i].value < system.constants.items[i].high);
    for (double bytes = 0x1p20; bytes <= 0x1p33; bytes *= 2) {
        double wanted = log(allreduce(&truth, 16, bytes));

        fitted += fabs(log(allreduce(&system, 16, bytes)) - wanted);
        shipped += fabs(log(allreduce(&plain, 16, bytes)) - wanted);
    }
    print_message("# 16 nodes from 1 MiB on: %.1f %% off by what ships, %.1f %% by the log\n",
                  100 * shipped / 14, 100 * fitted / 14);
    assert_true(fitted < 0.65 * shipped);
    hs_system_release(&plain);
    hs_call_list_release(&calls);
    hs_log_release(&file);
    hs_text_release(&csv);
    hs_system_release(&system);
    hs_system_release(&truth);
}

static void what_a_log_leaves_out_is_asked_for(void **state)
{
    static const char csv[] = "bytes,seconds\n1048576,0.0002\n";
    static const char osu[] =
        "# OSU MPI Allreduce Latency Test v7.4\n# Size  Avg Latency(us)\n4 1.5\n";
    static const struct {
        const char *system, *log;
        struct hs_log_facts facts;
        const char *message;
    } cases[] = {
        {"8xH100, 8xNDR400", csv, {0, 0, false, 0}, "which collective it ran: --call NAME"},
        {"8xH100, 8xNDR400", csv, {0, 0, true, 0}, "how many ranks there were: --np N"},
        {"8xH100, 8xNDR400", csv, {16, 0, true, 0}, "on how many nodes it ran: --nodes N"},
        {"8xH100, 8xNDR400",
         csv,
         {16, 3, true, 0},
         "16 ranks on 3 nodes: expected as many on each"},
        {"8xH100, 8xNDR400", csv, {32, 2, true, 0}, "log: expected 1 to 8 GPUs of each node"},
        {"8xH100", csv, {16, 2, true, 0}, "log: 2 nodes need NICs"},
        {"8xH100, 8xNDR400", osu, {16, 2, true, 0}, "has times of MPI"},
        {"nvlink:8@300GB/s~3us,ib@200GB/s~14us", csv, {16, 2, true, 0}, "a machine in parts"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_system system = parts(cases[i].system);
        struct hs_log log = log_of(cases[i].log);
        struct hs_call_list calls = {0};
        struct hs_error err = {0};

        assert_int_equal(hs_log_calls(&calls, &system, &log, "log", &cases[i].facts, &err),
                         HS_INVALID);
        assert_has(err.message, cases[i].message);
        hs_call_list_release(&calls);
        hs_log_release(&log);
        hs_system_release(&system);
    }
}

/* 18 trays of 4 GPUs are one NVLink domain. */
static void a_rack_is_one_domain_whatever_its_hosts(void **state)
{
    struct hs_system system = parts("72xGB200, 72xNDR400");
    struct hs_log log = log_of("bytes,seconds\n1048576,0.0002\n");
    const struct hs_log_facts facts = {72, 18, true, HS_CALL_ALLREDUCE};
    struct hs_call_list calls = {0};

    (void)state;
    assert_int_equal(hs_log_calls(&calls, &system, &log, "log", &facts, NULL), HS_OK);
    assert_int_equal(calls.runs[0].call.shape.domains, 1);
    assert_int_equal(calls.runs[0].call.shape.gpus, 72);
    hs_call_list_release(&calls);
    hs_log_release(&log);
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("two nodes say what many take", two_nodes_say_what_many_take),
    HS_TEST("what a log leaves out is asked for", what_a_log_leaves_out_is_asked_for),
    HS_TEST("a rack is one domain whatever its hosts", a_rack_is_one_domain_whatever_its_hosts),
};
HS_TEST_MAIN(tests)
