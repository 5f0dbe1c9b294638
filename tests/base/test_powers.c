#include "base/powers.h"
#include "test.h"

#include <math.h>
#include <stdint.h>

#include "base/random.h"

#define COUNT 203 /* no multiple of what is raised at once */

/* libm's pow is within one unit in the last place. */
static void powers_are_libms(void **state)
{
    double values[COUNT], exponents[COUNT], out[COUNT];
    uint64_t random = 1;

    (void)state;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < COUNT; i++) {
            values[i] = exp(60 * (hs_random_uniform(&random) - 0.5));
            exponents[i] = 6 * (hs_random_uniform(&random) - 0.5);
        }
        hs_powers(out, values, exponents, COUNT);
        for (int i = 0; i < COUNT; i++) {
            double right = pow(values[i], exponents[i]);

            assert_true(fabs(out[i] - right) <= 1e-15 * right * fmax(1, fabs(log(right))));
        }
    }
}

static void what_is_far_off_is_pows(void **state)
{
    static const double cases[][2] = {{0, 2},        {1e-300, 1.5}, {1e300, 0.5}, {2, 900},
                                      {INFINITY, 1}, {1e90, 10},    {1e-90, 10},  {3, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        double out, right = pow(cases[i][0], cases[i][1]);

        hs_powers(&out, &cases[i][0], &cases[i][1], 1);
        assert_true(out == right || fabs(out / right - 1) < 1e-12);
    }
}

static void each_count_is_raised_and_nothing_behind_it(void **state)
{
    (void)state;
    for (size_t count = 0; count < 9; count++) {
        double numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        const double twos[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2};

        hs_powers(numbers, numbers, twos, count);
        for (size_t i = 0; i < 10; i++)
            assert_near(numbers[i], i < count ? (double)((i + 1) * (i + 1)) : (double)(i + 1),
                        1e-12);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("powers are libm's", powers_are_libms),
    HS_TEST("what is far off is pow's", what_is_far_off_is_pows),
    HS_TEST("each count is raised, and nothing behind it",
            each_count_is_raised_and_nothing_behind_it),
};
HS_TEST_MAIN(tests)
