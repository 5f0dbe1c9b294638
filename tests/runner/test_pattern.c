/* test_pattern.c - the pattern against a brute force over all ranks, and what its check must find.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runner/pattern.h"

#include "../engine/half_reference.h"

static const int64_t np_values[] = {1,   2,   3,   4,   7,    16,   60,  127,
                                    128, 129, 256, 300, 1000, 1025, 4099};
static const double whole_limits[HS_DATATYPE_COUNT] = {
    [HS_FLOAT32] = 0x1p24, [HS_FLOAT64] = 0x1p53, [HS_FLOAT16] = 2048, [HS_BFLOAT16] = 256};

static double read_element(enum hs_datatype datatype, const char *data, size_t i)
{
    uint16_t half;
    float single;
    double wide;
    switch (datatype) {
    case HS_FLOAT32:
        memcpy(&single, data + i * sizeof single, sizeof single);
        return (double)single;
    case HS_FLOAT64:
        memcpy(&wide, data + i * sizeof wide, sizeof wide);
        return wide;
    case HS_FLOAT16:
    case HS_BFLOAT16:
        memcpy(&half, data + i * sizeof half, sizeof half);
        return half_decode(datatype == HS_FLOAT16 ? &half_float16 : &half_bfloat16, half);
    case HS_DATATYPE_COUNT:
        break;
    }
    fail();
    return 0;
}

static void write_element(enum hs_datatype datatype, char *data, size_t i, double value)
{
    float single = (float)value;
    uint16_t half = half_encode(datatype == HS_FLOAT16 ? &half_float16 : &half_bfloat16, value);
    size_t width = hs_datatype_bytes(datatype);
    const void *from = datatype == HS_FLOAT64   ? (const void *)&value
                       : datatype == HS_FLOAT32 ? (const void *)&single
                                                : (const void *)&half;
    memcpy(data + i * width, from, width);
}

/* What a case looks at: `count` elements from `first` on, of all ranks or without / twice one of
 * them. */
struct reduced {
    struct hs_pattern pattern;
    size_t first, count;
    /* total, in double; every partial sum is checked to be a whole number that fits */
    double *values;
};

static void add_rank(struct reduced *reduced, int64_t rank, int times)
{
    enum hs_datatype datatype = reduced->pattern.datatype;
    char *input = malloc(reduced->count * sizeof(double));
    assert_non_null(input);
    hs_pattern_fill(input, &reduced->pattern, rank, reduced->first, reduced->count);
    for (size_t i = 0; i < reduced->count; i++) {
        double value = read_element(datatype, input, i);
        assert_true(value == nearbyint(value));
        assert_true(fabs(value) <= whole_limits[datatype]);
        if (reduced->pattern.operation == HS_MAX) {
            if (times > 0)
                reduced->values[i] = fmax(reduced->values[i], value);
            continue;
        }
        assert_true(value >= 0);
        reduced->values[i] += times * value;
    }
    free(input);
}

static void reduce_all(struct reduced *reduced, int64_t odd_rank, int odd_times)
{
    for (size_t i = 0; i < reduced->count; i++)
        reduced->values[i] = reduced->pattern.operation == HS_MAX ? -INFINITY : 0;
    for (int64_t rank = 0; rank < reduced->pattern.np; rank++)
        add_rank(reduced, rank, rank == odd_rank ? odd_times : 1);
}

/* Elements that hs_pattern_wrong rejects in the reduction as it is in `values`. */
static uint64_t rejected(const struct reduced *reduced)
{
    const struct hs_pattern *pattern = &reduced->pattern;
    char *data = malloc(reduced->count * sizeof(double));
    assert_non_null(data);
    for (size_t i = 0; i < reduced->count; i++) {
        double value = reduced->values[i];
        if (pattern->operation == HS_AVERAGE)
            value = pattern->datatype == HS_FLOAT64 ? value / (double)pattern->np
                                                    : (double)((float)value / (float)pattern->np);
        write_element(pattern->datatype, data, i, value);
    }
    uint64_t wrong = hs_pattern_wrong(
        data, pattern,
        (struct hs_pattern_part){HS_PATTERN_REDUCED, reduced->first, reduced->count});
    free(data);
    return wrong;
}

typedef void (*check_function)(struct reduced *reduced);

static void for_every_pattern(check_function check, size_t first, size_t count)
{
    double *values = malloc(count * sizeof *values);
    assert_non_null(values);
    for (size_t n = 0; n < sizeof np_values / sizeof np_values[0]; n++)
        for (int type = 0; type < HS_DATATYPE_COUNT; type++)
            for (int op = 0; op < HS_OPERATION_COUNT; op++) {
                struct reduced reduced = {
                    {(enum hs_datatype)type, (enum hs_operation)op, np_values[n], false},
                    first,
                    count,
                    values};
                check(&reduced);
            }
    free(values);
}

static void check_right(struct reduced *reduced)
{
    reduce_all(reduced, -1, 0);
    if (reduced->pattern.operation != HS_MAX)
        for (size_t i = 0; i < reduced->count; i++)
            assert_true(reduced->values[i] <= whole_limits[reduced->pattern.datatype]);
    assert_int_equal(rejected(reduced), 0);
}

static void the_expected_value_is_the_reduction_over_all_ranks(void **state)
{
    (void)state;
    for_every_pattern(check_right, 0, 301);
}

static void it_does_not_matter_where_a_part_starts(void **state)
{
    (void)state;
    for_every_pattern(check_right, ((size_t)1 << 40) + 12345, 77);
}

/* Where every rank shows in every element (np up to half the limit, sums), each is found; elsewhere
 * in the elements it owns: at least one of np in a row. */
static void check_missing(struct reduced *reduced)
{
    const struct hs_pattern *pattern = &reduced->pattern;
    int dense =
        pattern->operation != HS_MAX && (double)pattern->np <= whole_limits[pattern->datatype] / 2;
    if ((!dense && (size_t)pattern->np > reduced->count) || pattern->np > 300)
        return;
    for (int64_t odd = 0; odd < pattern->np; odd += 1 + pattern->np / 3) {
        reduce_all(reduced, odd, 0);
        uint64_t wrong = rejected(reduced);
        assert_true(wrong > 0);
        if (dense && pattern->operation == HS_SUM)
            assert_int_equal(wrong, reduced->count);
    }
}

static void a_missing_rank_is_found(void **state)
{
    (void)state;
    for_every_pattern(check_missing, 5, 600);
}

static void check_doubled(struct reduced *reduced)
{
    const struct hs_pattern *pattern = &reduced->pattern;
    if (pattern->operation == HS_MAX || pattern->np > 300) /* the same value twice: same maximum */
        return;
    for (int64_t odd = 0; odd < pattern->np; odd += 1 + pattern->np / 3) {
        reduce_all(reduced, odd, 2);
        assert_true(rejected(reduced) > 0);
    }
}

static void a_doubled_rank_is_found(void **state)
{
    (void)state;
    for_every_pattern(check_doubled, 5, 600);
}

static void check_swapped(struct reduced *reduced)
{
    size_t half = reduced->count / 2;
    if (reduced->pattern.np > 300)
        return;
    reduce_all(reduced, -1, 0);
    for (size_t i = 0; i < half; i++) {
        double value = reduced->values[i];
        reduced->values[i] = reduced->values[half + i];
        reduced->values[half + i] = value;
    }
    /* equal by chance in one of 128 at worst */
    assert_true(rejected(reduced) > reduced->count * 9 / 10);
}

static void swapped_blocks_are_found(void **state)
{
    (void)state;
    for_every_pattern(check_swapped, 0, 512);
}

static void one_wrong_bit_is_found(void **state)
{
    (void)state;
    float one[4];
    struct hs_pattern pattern = {HS_FLOAT32, HS_SUM, 1, false};
    hs_pattern_fill(one, &pattern, 0, 0, 4);
    assert_int_equal(
        hs_pattern_wrong(one, &pattern, (struct hs_pattern_part){HS_PATTERN_REDUCED, 0, 4}), 0);
    ((unsigned char *)&one[2])[0] ^= 1;
    assert_int_equal(
        hs_pattern_wrong(one, &pattern, (struct hs_pattern_part){HS_PATTERN_REDUCED, 0, 4}), 1);
}

static void bytes_of_ones_are_wrong_in_every_type(void **state)
{
    (void)state;
    unsigned char data[8 * 100];
    memset(data, 0xff, sizeof data);
    for (int type = 0; type < HS_DATATYPE_COUNT; type++)
        for (int op = 0; op < HS_OPERATION_COUNT; op++) {
            struct hs_pattern pattern = {(enum hs_datatype)type, (enum hs_operation)op, 4, false};
            assert_int_equal(hs_pattern_wrong(data, &pattern,
                                              (struct hs_pattern_part){HS_PATTERN_REDUCED, 0, 100}),
                             100);
        }
}

/* ---- what is carried ---- */

static int compare_words(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Elements alike among those of `ranks` ranks, by sorting all of them. */
static size_t alike(enum hs_datatype datatype, size_t ranks, size_t count)
{
    struct hs_pattern pattern = {datatype, HS_SUM, (int64_t)ranks, true};
    size_t width = hs_datatype_bytes(datatype), same = 0;
    char *data = malloc(count * width);
    uint64_t *words = calloc(ranks * count, sizeof(*words));

    assert_non_null(data);
    assert_non_null(words);
    for (size_t r = 0; r < ranks; r++) {
        hs_pattern_fill(data, &pattern, (int64_t)r, 5, count);
        for (size_t i = 0; i < count; i++)
            memcpy(&words[r * count + i], data + i * width, width);
    }
    qsort(words, ranks * count, sizeof(*words), compare_words);
    for (size_t i = 1; i < ranks * count; i++)
        same += words[i] == words[i - 1];
    free(words);
    free(data);
    return same;
}

/* n of 2^w numbers by chance: about n^2 / 2^(w + 1) pairs are alike. */
static void carried_elements_tell_rank_and_number(void **state)
{
    (void)state;
    assert_int_equal(alike(HS_FLOAT64, 64, 4096), 0);
    assert_in_range(alike(HS_FLOAT32, 16, 1024), 0, 1);   /* 2^28 / 2^33 */
    assert_in_range(alike(HS_FLOAT16, 8, 256), 16, 64);   /* 2^22 / 2^17 = 32 */
    assert_in_range(alike(HS_BFLOAT16, 1000, 2), 16, 64); /* whatever the ranks */
}

/* As from rank `rank`, beginning at `first`. */
static uint64_t wrong_from(const void *data, const struct hs_pattern *pattern, int64_t rank,
                           size_t first)
{
    return hs_pattern_wrong(data, pattern, (struct hs_pattern_part){rank, first, 512});
}

static void a_carried_element_of_another_place_is_found(void **state)
{
    char data[512 * sizeof(double)];

    (void)state;
    for (int type = 0; type < HS_DATATYPE_COUNT; type++) {
        struct hs_pattern pattern = {(enum hs_datatype)type, HS_MAX, 4099, true};

        hs_pattern_fill(data, &pattern, 4000, 77, 512);
        assert_int_equal(wrong_from(data, &pattern, 4000, 77), 0);
        assert_in_range(wrong_from(data, &pattern, 4000, 78), 510, 512);
        assert_in_range(wrong_from(data, &pattern, 4001, 77), 510, 512);
        data[100] ^= 1;
        assert_int_equal(wrong_from(data, &pattern, 4000, 77), 1);
        memset(data, 0xff, sizeof(data));
        for (int64_t rank = 0; rank < 300; rank++) /* every value of 16 bits comes up */
            assert_int_equal(wrong_from(data, &pattern, rank, 0), 512);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_expected_value_is_the_reduction_over_all_ranks),
        cmocka_unit_test(it_does_not_matter_where_a_part_starts),
        cmocka_unit_test(a_missing_rank_is_found),
        cmocka_unit_test(a_doubled_rank_is_found),
        cmocka_unit_test(swapped_blocks_are_found),
        cmocka_unit_test(one_wrong_bit_is_found),
        cmocka_unit_test(bytes_of_ones_are_wrong_in_every_type),
        cmocka_unit_test(carried_elements_tell_rank_and_number),
        cmocka_unit_test(a_carried_element_of_another_place_is_found),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
