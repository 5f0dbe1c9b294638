/*
 * Splits and plans as text, and their order.
 */
#include "test.h"

#include "base/units.h"
#include "model/plan.h"

static void text_and_split_are_the_same_thing(void **state)
{
    static const char *const texts[] = {
        "1",          "2",
        "128",        "4x8x4",
        "4x8x2",      "2x3x5x7",
        "2147483648", "2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2"};
    char back[HS_SPLIT_TEXT];

    (void)state;
    for (size_t i = 0; i < HS_COUNT(texts); i++) {
        struct hs_split split;
        struct hs_error err;

        assert_status_is(hs_split_parse(&split, texts[i], 0, &err), HS_OK, &err);
        assert_string_equal(hs_split_format(back, &split), texts[i]);
    }
}

static void plans_carry_their_chunks(void **state)
{
    static const char *const rows[][2] = {
        {"4x8x4", "4x8x4"}, {"4x8x4/1", "4x8x4"}, {"4x8x2/8", "4x8x2/8"}, {"6/1024", "6/1024"}};
    char back[HS_SPLIT_TEXT];

    (void)state;
    for (size_t i = 0; i < HS_COUNT(rows); i++) {
        struct hs_plan plan;
        struct hs_error err;

        assert_status_is(hs_plan_parse(&plan, rows[i][0], 0, &err), HS_OK, &err);
        assert_string_equal(hs_plan_format(back, &plan), rows[i][1]);
    }
}

static void strides_are_products_of_the_inner_sizes(void **state)
{
    struct hs_split split;

    (void)state;
    assert_int_equal(hs_split_parse(&split, "4x8x2", 64, NULL), HS_OK);
    assert_int_equal(hs_split_layer(&split, 0).stride, 1);
    assert_int_equal(hs_split_layer(&split, 1).stride, 4);
    assert_int_equal(hs_split_layer(&split, 2).stride, 32);
    assert_int_equal(hs_split_layer(&split, 2).size, 2);
    assert_int_equal(hs_split_product(&split), 64);
}

static void bad_text_is_refused_with_the_reason(void **state)
{
    static const struct {
        const char *text;
        int64_t np;
        const char *reason;
    } rows[] = {
        {"", 0, "expected layer sizes such as 4x8x4"},
        {"4x", 0, "expected layer sizes such as 4x8x4, found \"\""},
        {"x4", 0, "found \"x4\""},
        {"4x-8", 0, "found \"-8\""},
        {"4 x 8", 0, "expected 'x' between layer sizes"},
        {"4x8x4 ", 0, "expected 'x'"},
        {"4x1x8", 0, "layer 2 has size 1, expected 2 or more"},
        {"4x0", 0, "layer 2 has size 0, expected 2 or more"},
        {"1x1", 0, "layer 1 has size 1"},
        {"4x8", 64, "expected a product of 64, found 32"},
        {"4294967296", 0, "found \"4294967296\""},
        {"65536x65536", 0, "the product is above 2147483648"},
        {"2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2", 0,
         "more than 31 layers"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(rows); i++) {
        struct hs_split split;
        struct hs_error err;

        assert_int_equal(hs_split_parse(&split, rows[i].text, rows[i].np, &err), HS_INVALID);
        assert_has(err.message, rows[i].reason);
    }
}

static void bad_chunks_are_refused(void **state)
{
    static const char *const texts[] = {"4x8/",    "4x8/0", "4x8/-1", "4x8/1025",
                                        "4x8/2/2", "4x8/a", "/4"};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(texts); i++) {
        struct hs_plan plan;

        assert_int_equal(hs_plan_parse(&plan, texts[i], 0, NULL), HS_INVALID);
    }
}

static void ties_go_to_fewer_chunks_then_fewer_layers_then_smaller_sizes(void **state)
{
    static const char *const ordered[] = {"64",     "2x32",  "4x16",  "8x8",
                                          "2x2x16", "2x4x8", "8x8/2", "2x2x16/4"};

    (void)state;
    for (size_t i = 0; i + 1 < HS_COUNT(ordered); i++) {
        struct hs_plan a, b;

        assert_int_equal(hs_plan_parse(&a, ordered[i], 64, NULL), HS_OK);
        assert_int_equal(hs_plan_parse(&b, ordered[i + 1], 64, NULL), HS_OK);
        assert_true(hs_plan_compare(&a, &b) < 0);
        assert_true(hs_plan_compare(&b, &a) > 0);
        assert_int_equal(hs_plan_compare(&a, &a), 0);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("text and split are the same thing", text_and_split_are_the_same_thing),
    HS_TEST("plans carry their chunks", plans_carry_their_chunks),
    HS_TEST("strides are products of the inner sizes", strides_are_products_of_the_inner_sizes),
    HS_TEST("bad text is refused with the reason", bad_text_is_refused_with_the_reason),
    HS_TEST("bad chunks are refused", bad_chunks_are_refused),
    HS_TEST("ties go to fewer chunks, then fewer layers, then smaller sizes",
            ties_go_to_fewer_chunks_then_fewer_layers_then_smaller_sizes),
};

HS_TEST_MAIN(tests)
