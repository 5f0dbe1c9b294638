/* What pairs of calls say: which calls are pairs, what was saved and how sure that is, by figures
 * that were worked out by hand and quantiles of Student's t from its published table. */
#include "test.h"

#include "apply/pairs.h"

static void calls_that_are_pairs_follow_from_their_number(void **state)
{
    static const uint64_t pairs[] = {1, 2, 3, 4, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 6144};
    uint64_t left_out = 0;
    size_t next = 0;

    (void)state;
    for (uint64_t pair = 0; pair < 7000; pair++) {
        bool is = next < HS_COUNT(pairs) && pairs[next] == pair;

        next += is;
        assert_int_equal(hs_pairs_have(2 * pair), is);
        assert_int_equal(hs_pairs_have(2 * pair + 1), is);
        assert_int_equal(hs_pairs_leave_out(2 * pair) + hs_pairs_leave_out(2 * pair + 1), is);
        left_out += pair <= 4 && hs_pairs_leave_out(2 * pair);
    }
    assert_int_equal(left_out, 2); /* first of two of the first four */
}

static struct hs_pairs three(void)
{
    struct hs_pairs pairs = {.count = 0};

    hs_pairs_add(&pairs, 1, 3);
    hs_pairs_add(&pairs, 2, 5);
    hs_pairs_add(&pairs, 3, 4);
    return pairs;
}

/* Differences 2, 3, 1: their mean is 2, their variance 1, that of the mean 1/3. */
static void calls_save_the_mean_of_their_pairs(void **state)
{
    struct hs_saving saving = {.pairs = 0};
    struct hs_pairs pairs = three();
    struct hs_text text = {0};
    struct hs_saved saved;

    (void)state;
    hs_saving_add_calls(&saving, &pairs, 30);
    saved = hs_saving_figures(&saving);
    assert_near(saved.with, 60, 1e-12);
    assert_near(saved.without, 120, 1e-12);
    assert_near(saved.error, 10 * sqrt(3), 1e-12);
    assert_near(saved.freedom, 2, 1e-12);
    hs_saved_append(&text, &saved, 1e6); /* 60 -+ 2.920 * 17.32 */
    assert_has(text.data, ", estimated saving 60.00 s (90 % interval 9.424 s to 110.6 s)");
    assert_has(text.data, "(ratio 2.00 from 3 paired calls)");
    hs_text_release(&text);
    hs_saved_append(&text, &saved, 100);
    assert_has(text.data, "9.424 s to 100.0 s");
    hs_text_release(&text);
}

/* Their ratio is 2, and they lie 1, 1 and -2 off it. */
static void seconds_are_worth_the_ratio_of_their_pairs(void **state)
{
    struct hs_saving saving = {.pairs = 0};
    struct hs_pairs pairs = three();

    (void)state;
    hs_saving_add(&saving, &pairs, 60);
    assert_near(saving.without, 120, 1e-12);
    assert_near(saving.variance, 60 * 60 * 1.5 * 6 / 36, 1e-12);
}

static void one_pair_says_nothing(void **state)
{
    struct hs_saving saving = {.pairs = 0};
    struct hs_pairs pairs = {.count = 0};
    struct hs_text text = {0};
    struct hs_saved saved;

    (void)state;
    hs_saving_add_calls(&saving, &pairs, 100);
    assert_int_equal(saving.pairs, 0);
    hs_pairs_add(&pairs, 1, 5);
    hs_saving_add_calls(&saving, &pairs, 100);
    saved = hs_saving_figures(&saving);
    hs_saved_append(&text, &saved, 1e6);
    assert_has(text.data, "no estimated saving or loss beyond chance");
    hs_text_release(&text);
}

static void a_plan_loses_by_most_of_at_least_six_pairs(void **state)
{
    (void)state;
    assert_true(hs_pairs_lose(6, 5, 2, 1));
    assert_false(hs_pairs_lose(5, 5, 2, 1));
    assert_false(hs_pairs_lose(8, 5, 2, 1));
    assert_false(hs_pairs_lose(8, 8, 1.04, 1));
}

static const struct CMUnitTest tests[] = {
    HS_TEST("calls that are pairs follow from their number",
            calls_that_are_pairs_follow_from_their_number),
    HS_TEST("calls save the mean of their pairs, 90 % of it by Student's t, at most what there was",
            calls_save_the_mean_of_their_pairs),
    HS_TEST("seconds by plan are worth the ratio of their pairs",
            seconds_are_worth_the_ratio_of_their_pairs),
    HS_TEST("one pair says nothing", one_pair_says_nothing),
    HS_TEST("a plan loses by most of at least six pairs",
            a_plan_loses_by_most_of_at_least_six_pairs),
};

HS_TEST_MAIN(tests)
