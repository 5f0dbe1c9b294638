/* Numbers that look random: the published sequence, and the moments that they ought to have. */
#include "test.h"

#include "base/random.h"

#define COUNT 100000

static void bits_are_those_of_splitmix64(void **state)
{
    uint64_t seed = 0;

    (void)state;
    /* The first numbers from 0 in the authors' reference program. */
    assert_true(hs_random_bits(&seed) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(hs_random_bits(&seed) == UINT64_C(0x6e789e6aa1b965f4));
}

static void numbers_have_the_moments_they_ought_to_have(void **state)
{
    double uniform = 0, mean = 0, square = 0;
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        double u = hs_random_uniform(&seed), z = hs_random_normal(&seed);

        assert_true(u > 0 && u <= 1 && isfinite(z));
        uniform += u / COUNT;
        mean += z / COUNT;
        square += z * z / COUNT;
    }
    assert_true(fabs(uniform - 0.5) < 0.005);
    assert_true(fabs(mean) < 0.015);
    assert_true(fabs(square - 1) < 0.02);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("bits are those of splitmix64", bits_are_those_of_splitmix64),
    HS_TEST("numbers have the moments they ought to have",
            numbers_have_the_moments_they_ought_to_have),
};
HS_TEST_MAIN(tests)
