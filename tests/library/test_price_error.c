/* How far a price is off where nothing was measured. */
#include "library/beyond.h"
#include "library/price_error.h"
#include "library/price_nccl.h"
#include "systems.h"

#include <math.h>

static const double sizes[] = {1024, 1048576, 1048577, 64.0 * 1048576, 1e9};

static void few_machines_of_a_class_say_little(void **state)
{
    (void)state;
    for (int class = 0; class < HS_ERROR_CLASS_COUNT; class ++)
        for (size_t i = 0; i < HS_COUNT(sizes); i++) {
            assert_true(hs_error_machine(class, sizes[i]) > 0.02);
            assert_true(hs_error_machine(class, sizes[i]) < 1.5);
            assert_true(hs_error_point(class, sizes[i]) > 0.02);
        }
    assert_true(hs_error_machine(HS_ERROR_EXCHANGE, 1e9) > hs_error_machine(HS_ERROR_NETWORK, 1e9));
    assert_true(hs_error_machine(HS_ERROR_BOARD, 1e9) > 3 * hs_error_machine(HS_ERROR_NODE, 1e9));
}

static void sizes_end_where_protocols_do(void **state)
{
    (void)state;
    assert_int_equal(hs_error_band(1048576), 0);
    assert_int_equal(hs_error_band(1048577), 1);
    assert_int_equal(hs_error_band(64.0 * 1048576 - 1), 1);
    assert_int_equal(hs_error_band(64.0 * 1048576), 2);
}

static enum hs_error_class class_of(const char *text, int64_t domains, enum hs_library_call kind)
{
    struct hs_parts parts;

    assert_int_equal(hs_parts_parse(&parts, text, NULL), HS_OK);
    return hs_nccl_error_class(&parts, domains, kind);
}

static void a_call_has_the_class_of_its_slowest_part(void **state)
{
    (void)state;
    assert_int_equal(class_of("8xH100, 8xNDR400", 1, HS_CALL_ALLTOALL), HS_ERROR_NODE);
    assert_int_equal(class_of("8xH100, 8xNDR400", 2, HS_CALL_ALLREDUCE), HS_ERROR_NETWORK);
    assert_int_equal(class_of("8xH100, 8xNDR400", 2, HS_CALL_ALLTOALL), HS_ERROR_EXCHANGE);
    assert_int_equal(class_of("8xL40S-pcie4", 1, HS_CALL_ALLREDUCE), HS_ERROR_BOARD);
    assert_int_equal(class_of("72xGB200, 72xNDR400", 1, HS_CALL_ALLREDUCE), HS_ERROR_RACK);
    assert_int_equal(class_of("72xGB200, 72xNDR400", 2, HS_CALL_ALLREDUCE), HS_ERROR_RACK);
}

static struct hs_beyond beyond_of(const char *line, int64_t np, double bytes, int version)
{
    struct hs_system system = parse(line);
    struct hs_problem problem = problem_world(np, bytes);
    struct hs_beyond beyond;

    system.nccl.version = version;
    beyond = hs_beyond_of(&system, &problem.group, bytes);
    hs_system_release(&system);
    return beyond;
}

/* H100 and NDR400 were measured together up to 12 nodes; the levels of no library are not. */
static void what_was_not_measured_is_beyond(void **state)
{
    static const char line[] = "8xH100, 8xNDR400";
    struct hs_text text = {0};
    struct hs_beyond all;

    (void)state;
    assert_int_equal(beyond_of(line, 96, 1e6, 0).nodes, 0);
    assert_int_equal(beyond_of(line, 104, 1e6, 0).nodes, 12);
    assert_true(beyond_of(line, 64, 16.0 * 1073741824, 0).bytes == 0);
    assert_true(beyond_of(line, 64, 17.0 * 1073741824, 0).bytes > 0);
    assert_int_equal(beyond_of(line, 64, 1e6, 22809).version, 0);
    assert_int_equal(beyond_of(line, 64, 1e6, 21705).version, 21800);
    assert_int_equal(beyond_of("8xMI300X, 8xRoCE400", 64, 1e6, 0).nodes, 0);
    assert_int_equal(beyond_of("8xMI300X, 8xRoCE400", 72, 1e6, 0).nodes, 8);
    all = beyond_of("nv:4@100GB/s~3us,ib@20GB/s~9us", 4096, 1e12, 0);
    assert_false(hs_beyond_any(&all));
    all = beyond_of(line, 104, 1e12, 23105);
    hs_beyond_append(&text, &all);
    assert_string_equal(text.data, "more than the 12 nodes measured, more than the 16GiB measured, "
                                   "NCCL newer than 2.30");
    hs_text_release(&text);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("few machines of a class say little", few_machines_of_a_class_say_little),
    HS_TEST("sizes end where protocols do", sizes_end_where_protocols_do),
    HS_TEST("a call has the class of its slowest part", a_call_has_the_class_of_its_slowest_part),
    HS_TEST("what was not measured is beyond", what_was_not_measured_is_beyond),
};

HS_TEST_MAIN(tests)
