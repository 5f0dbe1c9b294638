/* How far a price is off where nothing was measured. */
#include "base/statistics.h"
#include "library/price_error.h"
#include "library/price_nccl.h"
#include "test.h"

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

static const struct CMUnitTest tests[] = {
    HS_TEST("few machines of a class say little", few_machines_of_a_class_say_little),
    HS_TEST("sizes end where protocols do", sizes_end_where_protocols_do),
    HS_TEST("a call has the class of its slowest part", a_call_has_the_class_of_its_slowest_part),
};

HS_TEST_MAIN(tests)
