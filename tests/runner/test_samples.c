/* What is said of samples, by hand and by drawing many times. */
#include "runner/samples.h"
#include "test.h"

static double noise(double *values, size_t count)
{
    struct hs_samples samples = {values, count, count};

    return hs_samples_noise(&samples);
}

static double scatter(double *values, size_t count)
{
    struct hs_samples samples = {values, count, count};

    return hs_samples_scatter(&samples);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* A linear congruential generator (Knuth, MMIX) and the sum of twelve uniform numbers: nearly
 * normal. */
static double draw(uint64_t *state)
{
    double sum = -6;

    for (int i = 0; i < 12; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (double)(*state >> 11) * 0x1p-53;
    }
    return sum;
}

/* The stated error against how medians of so many samples really scatter. */
static void check_noise(size_t count)
{
    enum { REPEATS = 4000 };
    static double medians[REPEATS];
    double stated = 0, squares = 0, values[40];
    uint64_t state = count;

    for (int i = 0; i < REPEATS; i++) {
        for (size_t k = 0; k < count; k++)
            values[k] = 1 + 0.05 * draw(&state);
        stated += noise(values, count) / REPEATS;
        qsort(values, count, sizeof(*values), compare);
        medians[i] = (values[(count - 1) / 2] + values[count / 2]) / 2;
        squares += (medians[i] - 1) * (medians[i] - 1) / REPEATS;
    }
    /* From 6 samples on it comes from an interval, and is right on average. */
    if (stated < (count < 6 ? 0.75 : 0.92) * sqrt(squares) ||
        stated > (count < 6 ? 1.6 : 1.08) * sqrt(squares))
        fail_msg("%zu samples: stated %g, true %g", count, stated, sqrt(squares));
}

static void noise_is_how_medians_scatter(void **state)
{
    static const size_t counts[] = {2, 3, 4, 5, 6, 8, 12, 20, 40};

    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        check_noise(counts[i]);
}

static void noise_is_finite_for_few(void **state)
{
    double one[] = {2}, same[] = {3, 3, 3, 3, 3, 3, 3}, two[] = {1, 3};

    (void)state;
    assert_near(noise(one, 1), 0.25, 0);
    assert_near(noise(same, 7), 0, 0);
    /* median 2, range 2: sigma 2 / 1.128, error 1.2533 sigma / sqrt(2) */
    assert_near(noise(two, 2), 1.2533 * 2 / 1.128 / sqrt(2) / 2, 1e-12);
}

static void outliers_do_not_count(void **state)
{
    double values[] = {10, 11, 9, 10, 1000, 10.5, 9.5, 10, 12, 8, 10, 10.2};

    (void)state;
    assert_true(noise(values, 12) < 0.05);
    assert_true(scatter(values, 12) < 0.1);
}

static void scatter_is_the_deviation(void **state)
{
    double values[] = {8, 9, 10, 11, 12}, one[] = {5};

    (void)state;
    /* deviations from 10: 2 1 0 1 2, their median 1 */
    assert_near(scatter(values, 5), 0.14826, 1e-12);
    assert_near(scatter(one, 1), 0, 0);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("the stated error of a median is about that of medians drawn again and again",
            noise_is_how_medians_scatter),
    HS_TEST("the error is finite for one sample, and for samples that are the same",
            noise_is_finite_for_few),
    HS_TEST("one wild sample among twelve changes little", outliers_do_not_count),
    HS_TEST("the scatter is the median absolute deviation as a standard deviation",
            scatter_is_the_deviation),
};

HS_TEST_MAIN(tests)
