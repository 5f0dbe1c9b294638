#include "base/statistics.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

static struct hs_summary summary_of(const double *values, size_t count)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_summary summary;

    assert_status_is(hs_summarise(&summary, values, count, &err), HS_OK, &err);
    return summary;
}

static void summarises(void **state)
{
    /* by hand: sorted 1 2 3 4 10 */
    static const double values[] = {10, 3, 1, 4, 2};
    struct hs_summary summary = summary_of(values, 5);

    (void)state;
    assert_int_equal(summary.count, 5);
    assert_true(summary.min == 1 && summary.max == 10 && summary.median == 3);
    assert_near(summary.mean, 4, 1e-15);
    assert_true(values[0] == 10); /* the sample is left as it was */
}

static void takes_the_middle_of_even_counts(void **state)
{
    (void)state;
    assert_true(summary_of((const double[]){4, 1, 3, 2}, 4).median == 2.5);
    assert_true(summary_of((const double[]){7}, 1).median == 7);
}

/* Two-sided sign test at 5 %: the published critical values c of n = 6, 7, ... give the symmetric
 * interval (c + 1, n - c). Where one rank less still covers 95 %, it is the upper one that is given
 * up. */
static void ranks_are_the_published_ones(void **state)
{
    static const size_t critical[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 7};
    static const size_t symmetric[] = {6, 9, 10, 12, 15, 17, 20, 23, 25};
    double values[25];

    (void)state;
    for (size_t n = 6; n <= 25; n++) {
        size_t c = critical[n - 6];
        struct hs_summary summary;

        for (size_t i = 0; i < n; i++)
            values[i] = (double)(n - i); /* the value is the rank */
        summary = summary_of(values, n);
        assert_true(summary.ci_valid);
        assert_int_equal((size_t)summary.ci_low, c + 1);
        assert_in_range((size_t)summary.ci_high, n - c - 1, n - c);
        for (size_t i = 0; i < HS_COUNT(symmetric); i++) {
            if (symmetric[i] == n)
                assert_int_equal((size_t)summary.ci_high, n - c);
        }
    }
}

/* Sum of C(n, i) / 2^n over low <= i < high, with the coefficients by Pascal's rule in doubles. */
static double exact_coverage(size_t n, size_t low, size_t high)
{
    double row[512] = {1}, sum = 0;

    for (size_t i = 1; i <= n; i++) {
        for (size_t j = i; j > 0; j--)
            row[j] = (row[j] + row[j - 1]) / 2;
        row[0] /= 2;
    }
    for (size_t i = low; i < high; i++)
        sum += row[i];
    return sum;
}

static void no_narrower_pair_covers(void **state)
{
    double values[200];

    (void)state;
    for (size_t i = 0; i < 200; i++)
        values[i] = (double)(i + 1);
    for (size_t n = 2; n <= 200; n++) {
        struct hs_summary summary = summary_of(values, n);
        size_t low = (size_t)summary.ci_low, width = (size_t)summary.ci_high - low;

        assert_int_equal(summary.ci_valid, n >= 6);
        if (!summary.ci_valid)
            continue;
        assert_true(exact_coverage(n, low, low + width) >= 0.95);
        for (size_t start = 1; start + width - 1 <= n; start++)
            assert_true(exact_coverage(n, start, start + width - 1) < 0.95);
    }
}

/* For 10^6 values the normal approximation of the binomial gives 500000 -/+ 980. */
static void large_samples_work(void **state)
{
    size_t count = 1000000;
    double *values = malloc(count * sizeof(*values));
    struct hs_summary summary;

    (void)state;
    assert_non_null(values);
    for (size_t i = 0; i < count; i++)
        values[i] = (double)((i * 7919) % count);
    summary = summary_of(values, count);
    free(values);
    assert_near(summary.median, 499999.5, 1e-12);
    assert_near(summary.ci_low, 499999.5 - 980, 1e-5);
    assert_near(summary.ci_high, 499999.5 + 980, 1e-5);
}

static void small_samples_have_no_interval(void **state)
{
    struct hs_summary summary = summary_of((const double[]){5, 1, 4, 2, 3}, 5);

    (void)state;
    assert_false(summary.ci_valid);
    assert_true(summary.ci_low == 1 && summary.ci_high == 5);
    assert_true(isinf(hs_summary_precision(&summary)));
}

static void empty_samples_give_zeros(void **state)
{
    struct hs_summary summary = summary_of(NULL, 0);

    (void)state;
    assert_int_equal(summary.count, 0);
    assert_true(summary.median == 0 && summary.mean == 0 && !summary.ci_valid);
}

static void refuses_nan(void **state)
{
    struct hs_summary summary;
    struct hs_error err;

    (void)state;
    assert_int_equal(hs_summarise(&summary, (const double[]){1, (double)NAN, 2}, 3, &err),
                     HS_INVALID);
    assert_string_equal(err.message, "value 2 is not a finite number");
    assert_int_equal(hs_summarise(&summary, (const double[]){(double)INFINITY}, 1, &err),
                     HS_INVALID);
}

static void precision_is_half_the_width(void **state)
{
    struct hs_summary summary = summary_of((const double[]){98, 99, 100, 100, 101, 102}, 6);
    struct hs_summary constant = summary_of((const double[]){0, 0, 0, 0, 0, 0}, 6);

    (void)state;
    assert_near(hs_summary_precision(&summary), 0.02, 1e-14);
    assert_true(hs_summary_precision(&constant) == 0);
}

static void kendall(void **state)
{
    /* By hand. Ranks 1 2 3 4 5 against 3 1 2 5 4: of 10 pairs 3 are discordant. */
    static const double a[] = {1, 2, 3, 4, 5}, b[] = {3, 1, 2, 5, 4}, reversed[] = {5, 4, 3, 2, 1};
    /* With ties: a pairs 1-1 tied, b pairs 2-2 tied; 6 pairs, 1 tied in each (not the same one),
     * 4 concordant, 0 discordant: tau-b = 4 / sqrt(5 * 5). */
    static const double tied_a[] = {1, 1, 2, 3}, tied_b[] = {1, 2, 2, 3}, constant[] = {1, 1, 1, 1};

    (void)state;
    assert_near(hs_kendall_tau(a, b, 5), 0.4, 1e-15);
    assert_near(hs_kendall_tau(a, a, 5), 1, 1e-15);
    assert_near(hs_kendall_tau(a, reversed, 5), -1, 1e-15);
    assert_near(hs_kendall_tau(tied_a, tied_b, 4), 0.8, 1e-15);
    assert_true(isnan(hs_kendall_tau(tied_a, constant, 4)));
    assert_true(isnan(hs_kendall_tau(a, b, 1)));
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Many of which are equal, in every order of the first. */
static void an_order_statistic_is_the_sorted_ones(void **state)
{
    double values[40], sorted[40];
    uint64_t random = 1;

    (void)state;
    for (size_t round = 0; round < 4000; round++) {
        size_t count = 1 + round % 40, place = (size_t)((double)count * hs_random_uniform(&random));

        for (size_t i = 0; i < count; i++)
            values[i] = sorted[i] = floor((double)(1 + round % 60) * hs_random_uniform(&random));
        qsort(sorted, count, sizeof(*sorted), compare_numbers);
        assert_true(hs_order_statistic(values, count, place) == sorted[place]);
        for (size_t i = 0; i < count; i++)
            assert_true(i < place ? values[i] <= sorted[place] : values[i] >= sorted[place]);
        qsort(values, count, sizeof(*values), compare_numbers);
        assert_memory_equal(values, sorted, count * sizeof(*values));
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a sample's smallest, largest, mean, median and 90 % quantile are found", summarises),
    HS_TEST("an even count's median is the mean of the middle two",
            takes_the_middle_of_even_counts),
    HS_TEST("the interval's ranks are the published ones", ranks_are_the_published_ones),
    HS_TEST("the interval covers 95 % and no narrower one does", no_narrower_pair_covers),
    HS_TEST("a million values agree with the normal approximation", large_samples_work),
    HS_TEST("below six values there is no interval", small_samples_have_no_interval),
    HS_TEST("an empty sample gives zeros", empty_samples_give_zeros),
    HS_TEST("a value that is no number is refused by its place", refuses_nan),
    HS_TEST("precision is half the interval over the median", precision_is_half_the_width),
    HS_TEST("an order statistic is the sorted one's", an_order_statistic_is_the_sorted_ones),
    HS_TEST("Kendall's tau-b agrees with counts by hand", kendall),
};
HS_TEST_MAIN(tests)
