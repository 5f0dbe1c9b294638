/* test_reduce.c - reductions against plain arithmetic on doubles, on every instruction set there
 * is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/float16.h"
#include "engine/reduce.h"

#include "half_reference.h"

#define PATTERNS 65536

static const struct half_format *format_of(enum hs_datatype datatype)
{
    return datatype == HS_FLOAT16 ? &half_float16 : &half_bfloat16;
}

static uint64_t random_state = 1;

/* xorshift64 */
static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void every_half_survives_the_way_to_float_and_back(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < PATTERNS; bits++) {
        double f16 = half_decode(&half_float16, (uint16_t)bits);
        double b16 = half_decode(&half_bfloat16, (uint16_t)bits);
        float as_f16 = hs_float16_to_float((uint16_t)bits);
        float as_b16 = hs_bfloat16_to_float((uint16_t)bits);
        assert_true(isnan(f16) ? isnan(as_f16) : (double)as_f16 == f16);
        assert_true(isnan(b16) ? isnan(as_b16) : (double)as_b16 == b16);
        assert_int_equal(signbit(as_f16) != 0, bits >> 15);
        if (!isnan(f16))
            assert_int_equal(hs_float_to_float16(as_f16), bits);
        if (!isnan(b16))
            assert_int_equal(hs_float_to_bfloat16(as_b16), bits);
    }
}

static void check_rounding(float value)
{
    uint16_t f16 = hs_float_to_float16(value), b16 = hs_float_to_bfloat16(value);
    if (isnan(value)) {
        assert_true(isnan(half_decode(&half_float16, f16)));
        assert_true(isnan(half_decode(&half_bfloat16, b16)));
        return;
    }
    assert_int_equal(f16, half_encode(&half_float16, (double)value));
    assert_int_equal(b16, half_encode(&half_bfloat16, (double)value));
}

static void floats_round_to_nearest_even(void **state)
{
    (void)state;
    /* every float that is a half, the ties between two, and their neighbours */
    for (uint32_t bits = 0; bits < PATTERNS; bits++)
        for (int step = -2; step <= 2; step++) {
            uint32_t f16 = hs_float_to_bits(hs_float16_to_float((uint16_t)bits));
            check_rounding(hs_bits_to_float(f16 + (uint32_t)step));
            check_rounding(hs_bits_to_float(f16 + 0x1000u + (uint32_t)step));
            check_rounding(hs_bits_to_float((bits << 16) + (uint32_t)step));
            check_rounding(hs_bits_to_float((bits << 16) + 0x8000u + (uint32_t)step));
        }
    for (int i = 0; i < 1000000; i++)
        check_rounding(hs_bits_to_float((uint32_t)random_bits()));
}

/* The reference for one element of a 16-bit type; exact sums of two halves fit a double. */
static uint16_t half_expected(enum hs_datatype datatype, enum hs_operation operation, uint16_t a,
                              uint16_t b, int64_t np)
{
    const struct half_format *format = format_of(datatype);
    double x = half_decode(format, a), y = half_decode(format, b);
    if (operation == HS_MAX)
        return x > y ? a : b;
    uint16_t sum = half_encode(format, (double)(float)(x + y));
    if (np == 0)
        return sum;
    return half_encode(format, (double)((float)half_decode(format, sum) / (float)np));
}

static int same_half(enum hs_datatype datatype, enum hs_operation operation, uint16_t expected,
                     uint16_t found)
{
    const struct half_format *format = format_of(datatype);
    double e = half_decode(format, expected), f = half_decode(format, found);
    if (isnan(e) || isnan(f))
        return isnan(e) && isnan(f);
    return operation == HS_MAX ? e == f : expected == found;
}

static void check_halves(enum hs_datatype datatype, enum hs_operation operation, const uint16_t *a,
                         const uint16_t *b, size_t count, int64_t np)
{
    uint16_t *found = malloc(count * sizeof *found);
    assert_non_null(found);
    hs_reduce(found, a, b, count, (struct hs_reduction){datatype, operation, np});
    for (size_t i = 0; i < count; i++) {
        int any_nan = isnan(half_decode(format_of(datatype), a[i])) ||
                      isnan(half_decode(format_of(datatype), b[i]));
        if (operation == HS_MAX && any_nan)
            continue;
        uint16_t expected =
            half_expected(datatype, operation, a[i], b[i], operation == HS_AVERAGE ? np : 0);
        if (!same_half(datatype, operation, expected, found[i]))
            fail_msg("%s %s: %#x and %#x over %d: expected %#x, found %#x",
                     hs_datatype_names[datatype], hs_operation_names[operation], a[i], b[i],
                     (int)np, expected, found[i]);
    }
    free(found);
}

static void halves_on(enum hs_isa widest)
{
    static uint16_t a[PATTERNS], b[PATTERNS];
    hs_reduce_limit(widest);
    for (int round = 0; round < 12; round++) {
        uint64_t odd = random_bits() | 1;
        for (uint32_t i = 0; i < PATTERNS; i++) {
            a[i] = (uint16_t)i; /* every pattern meets a different one each round, then itself */
            b[i] = (uint16_t)(round == 0 ? i : round == 1 ? i ^ 0x8000 : i * odd + (odd >> 20));
        }
        for (int type = HS_FLOAT16; type <= HS_BFLOAT16; type++)
            for (int op = 0; op < HS_OPERATION_COUNT; op++) {
                check_halves((enum hs_datatype)type, (enum hs_operation)op, a, b, PATTERNS, 0);
                check_halves((enum hs_datatype)type, (enum hs_operation)op, a, b, PATTERNS,
                             1 + round * 7);
            }
    }
    hs_reduce_limit(HS_ISA_COUNT);
}

static void all_halves_reduce_right_on_any_processor(void **state)
{
    (void)state;
    halves_on(HS_ISA_BASE);
}

static void all_halves_reduce_right_on_this_processor(void **state)
{
    (void)state;
    halves_on(HS_ISA_COUNT);
}

static void check_wide(size_t count, int64_t np)
{
    float a[80], b[80], f[80];
    double c[80], d[80], g[80];
    for (size_t i = 0; i < count; i++) {
        a[i] = (float)((double)(int64_t)random_bits() * 0x1p-40);
        b[i] = (float)((double)(int64_t)random_bits() * 0x1p-41);
        c[i] = (double)(int64_t)random_bits() * 0x1p-30;
        d[i] = (double)(int64_t)random_bits() * 0x1p-31;
    }
    for (int op = 0; op < HS_OPERATION_COUNT; op++) {
        hs_reduce(f, a, b, count, (struct hs_reduction){HS_FLOAT32, (enum hs_operation)op, np});
        hs_reduce(g, c, d, count, (struct hs_reduction){HS_FLOAT64, (enum hs_operation)op, np});
        for (size_t i = 0; i < count; i++) {
            float sum = a[i] + b[i];
            double wide = c[i] + d[i];
            assert_true(f[i] == (op == HS_MAX       ? fmaxf(a[i], b[i])
                                 : op == HS_AVERAGE ? sum / (float)np
                                                    : sum));
            assert_true(g[i] == (op == HS_MAX       ? fmax(c[i], d[i])
                                 : op == HS_AVERAGE ? wide / (double)np
                                                    : wide));
        }
    }
}

static void wide_types_reduce_right_at_every_length(void **state)
{
    (void)state;
    for (int isa = HS_ISA_BASE; isa < HS_ISA_COUNT; isa++) {
        hs_reduce_limit((enum hs_isa)isa);
        for (size_t count = 0; count <= 80; count++)
            check_wide(count, (int64_t)(count % 13 + 1));
    }
    hs_reduce_limit(HS_ISA_COUNT);
}

/* Guard elements on both sides must stay; offsets make every alignment of an element. */
static void check_in_place(enum hs_datatype datatype, size_t offset, size_t count)
{
    size_t width = hs_datatype_bytes(datatype);
    unsigned char a[1024], b[1024], apart[1024], before[1024];
    for (size_t i = 0; i < sizeof a; i++) { /* small values in any type: no NaN */
        a[i] = (unsigned char)(random_bits() & 0x3f);
        b[i] = (unsigned char)(random_bits() & 0x3f);
    }
    unsigned char *x = a + offset * width, *y = b + offset * width;
    const struct hs_reduction sum = {datatype, HS_SUM, 0};
    memcpy(before, a, sizeof a);
    hs_reduce(apart, x, y, count, sum);
    hs_reduce(x, x, y, count, sum);
    assert_memory_equal(x, apart, count * width);
    assert_memory_equal(a, before, offset * width);
    assert_memory_equal(x + count * width, before + (offset + count) * width,
                        sizeof a - (offset + count) * width);
    memcpy(a, before, sizeof a);
    hs_reduce(y, x, y, count, sum);
    assert_memory_equal(y, apart, count * width);
}

static void results_may_replace_an_argument_and_nothing_else_changes(void **state)
{
    (void)state;
    for (int isa = HS_ISA_BASE; isa < HS_ISA_COUNT; isa++) {
        hs_reduce_limit((enum hs_isa)isa);
        for (int type = 0; type < HS_DATATYPE_COUNT; type++)
            for (size_t offset = 0; offset < 9; offset++)
                for (size_t count = 0; count < 70; count++)
                    check_in_place((enum hs_datatype)type, offset, count);
    }
    hs_reduce_limit(HS_ISA_COUNT);
}

static void finishing_divides_for_an_average_only(void **state)
{
    (void)state;
    float values[3] = {3, 6, 7};
    uint16_t halves[2] = {half_encode(&half_float16, 10), half_encode(&half_float16, 1)};
    hs_reduce_finish(values, 3, (struct hs_reduction){HS_FLOAT32, HS_SUM, 3});
    assert_true(values[0] == 3 && values[1] == 6 && values[2] == 7);
    hs_reduce_finish(values, 3, (struct hs_reduction){HS_FLOAT32, HS_AVERAGE, 3});
    assert_true(values[0] == 1 && values[1] == 2 && values[2] == 7.0f / 3.0f);
    hs_reduce_finish(halves, 2, (struct hs_reduction){HS_FLOAT16, HS_AVERAGE, 3});
    assert_int_equal(halves[0], half_encode(&half_float16, 10.0 / 3.0));
    assert_int_equal(halves[1], half_encode(&half_float16, 1.0 / 3.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_survives_the_way_to_float_and_back),
        cmocka_unit_test(floats_round_to_nearest_even),
        cmocka_unit_test(all_halves_reduce_right_on_any_processor),
        cmocka_unit_test(all_halves_reduce_right_on_this_processor),
        cmocka_unit_test(wide_types_reduce_right_at_every_length),
        cmocka_unit_test(results_may_replace_an_argument_and_nothing_else_changes),
        cmocka_unit_test(finishing_divides_for_an_average_only),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("reduce", tests, NULL, NULL);
}
