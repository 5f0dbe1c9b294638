#include <inttypes.h>

#include "base/units.h"
#include "test.h"

/* Known sequence of 64-bit numbers (splitmix64, Steele et al. 2014), so that a failure can be
 * repeated. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t bytes_of(const char *text)
{
    struct hs_error err = {HS_OK, ""};
    uint64_t bytes = 0;

    assert_status_is(hs_bytes_parse(&bytes, text, &err), HS_OK, &err);
    return bytes;
}

static double seconds_of(const char *text)
{
    struct hs_error err = {HS_OK, ""};
    double seconds = -1;

    assert_status_is(hs_seconds_parse(&seconds, text, &err), HS_OK, &err);
    return seconds;
}

static double bandwidth_of(const char *text)
{
    struct hs_error err = {HS_OK, ""};
    double bandwidth = -1;

    assert_status_is(hs_bandwidth_parse(&bandwidth, text, &err), HS_OK, &err);
    return bandwidth;
}

static void reads_sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {
        {"1", 1},
        {"007", 7},
        {"512B", 512},
        {"64KiB", 65536},
        {"128MiB", 134217728},
        {"128 MiB", 134217728},
        {"1GiB", 1073741824},
        {"1TiB", 1099511627776},
        {"1PiB", 1125899906842624},
        {"1kB", 1000},
        {"1MB", 1000000},
        {"1GB", 1000000000},
        {"1TB", 1000000000000},
        {"1PB", 1000000000000000},
        {"1.5KiB", 1536},
        {"0.5kB", 500},
        {"1e3", 1000},
        {"1.25e2kB", 125000},
        {"1000e-3kB", 1000},
        {"1.001MB", 1001000}, /* 1000999.9999999999 in doubles */
        {"0.0009765625KiB", 1},
        {"1125899906.842624MB", 1125899906842624},
        {"0.07450580596923828125PiB", UINT64_C(83886080000000)}, /* 5^27 2^50 / 10^20 = 5^7 2^30 */
        {"1.00000000000000000000000000000000000000000MB", 1000000},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++)
        assert_int_equal(bytes_of(cases[i].text), cases[i].bytes);
}

/* One bad text and what the line must say about it. */
struct refusal {
    const char *text, *says;
};

static void check_line(const struct hs_error *err, const struct refusal *refusal)
{
    assert_int_equal(err->status, HS_INVALID);
    assert_has(err->message, refusal->says);
    assert_null(strchr(err->message, '\n'));
}

static void refuses_sizes(void **state)
{
    static const struct refusal cases[] = {
        {"12MB MB", "expected a size such as 64MiB, found \"12MB MB\": trailing text \"MB\""},
        {"1e30", "found \"1e30\": too large, the largest is 1PiB"},
        {"", "found \"\": empty"},
        {" 1MB", "does not start with a digit"},
        {"MB", "does not start with a digit"},
        {"nan", "does not start with a digit"},
        {"inf", "does not start with a digit"},
        {"+1", "does not start with a digit"},
        {".5KiB", "does not start with a digit"},
        {"-1MB", "negative"},
        {"0", "too small, the smallest is 1B"},
        {"0MiB", "too small, the smallest is 1B"},
        {"0.0e99999999999999999999MiB", "too small"},
        {"1125899906842625", "too large"},
        {"1.5PiB", "too large"},
        {"2PiB", "too large"},
        {"18446744073709551617", "too large"}, /* 2^64 + 1 */
        {"16777216TiB", "too large"},          /* 2^64 */
        {"1e999999999999999999999", "too large"},
        {"11111111111111111111111111111111111111111111111111", "too large"},
        {"0.5", "not a whole number of bytes"},
        {"1.0001kB", "not a whole number of bytes"},
        {"1.1KiB", "not a whole number of bytes"},
        {"1e-999999999999999999999", "not a whole number of bytes"},
        {"0.11111111111111111111111111GB", "more than 19 digits"},
        {"64Mb", "unknown unit \"Mb\", did you mean \"MB\"?"},
        {"64MIB/s", "unknown unit"},
        {"1parsec", "unknown unit \"parsec\" (one of B, KiB,"},
        {"0x10", "unknown unit \"x\" (one of B, KiB"},
        {"1e", "unknown unit \"e\""},
        {"1MB ", "trailing text \" \""},
        {"1  MB", "trailing text \"MB\""},
        {"1,5MB", "trailing text \",5MB\""},
        {"1.", "trailing text \".\""},
        {"1.2.3", "trailing text \".3\""},
        {"5MB5", "trailing text \"5\""},
        {"1\n", "trailing text \"?\""},
        {"1111111111222222222233333333334444444444555555555566666666667777", "digits"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_error err = {HS_OK, ""};
        uint64_t bytes = 7;

        assert_status_is(hs_bytes_parse(&bytes, cases[i].text, &err), HS_INVALID, &err);
        check_line(&err, &cases[i]);
        assert_int_equal(hs_bytes_parse(&bytes, cases[i].text, NULL), HS_INVALID);
    }
}

static void sizes_come_back(void **state)
{
    uint64_t seed = 1;
    char text[HS_UNIT_TEXT];

    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint64_t bytes = next_random(&seed) >> (14 + next_random(&seed) % 50);

        bytes <<= next_random(&seed) % 51;
        if (bytes == 0 || bytes > HS_BYTES_MAX)
            continue;
        assert_int_equal(bytes_of(hs_bytes_format(text, bytes)), bytes);
    }
    assert_int_equal(bytes_of(hs_bytes_format(text, HS_BYTES_MAX)), HS_BYTES_MAX);
}

static void writes_sizes(void **state)
{
    char text[HS_UNIT_TEXT];

    (void)state;
    assert_string_equal(hs_bytes_format(text, 134217728), "128MiB");
    assert_string_equal(hs_bytes_format(text, 1000), "1kB");
    assert_string_equal(hs_bytes_format(text, 25000000), "25MB");
    assert_string_equal(hs_bytes_format(text, 1024000), "1000KiB");
    assert_string_equal(hs_bytes_format(text, 1024), "1KiB");
    assert_string_equal(hs_bytes_format(text, 1023), "1023B");
    assert_string_equal(hs_bytes_format(text, 1536), "1536B");
    assert_string_equal(hs_bytes_format(text, HS_BYTES_MAX), "1PiB");
    assert_string_equal(hs_bytes_format(text, UINT64_MAX), "18446744073709551615B");
    assert_string_equal(hs_bytes_format(text, 0), "0B");
}

static void reads_times_and_bandwidths(void **state)
{
    (void)state;
    /* the compiler's own reading of the same decimals: exact, not close */
    assert_true(seconds_of("4.8us") == 4.8e-6);
    assert_true(seconds_of("4.8 us") == 4.8e-6);
    assert_true(seconds_of("4.8\xc2\xb5s") == 4.8e-6);
    assert_true(seconds_of("16.64ms") == 16.64e-3);
    assert_true(seconds_of("0.5ns") == 0.5e-9);
    assert_true(seconds_of("3s") == 3);
    assert_true(seconds_of("1.5min") == 90);
    assert_true(seconds_of("1h") == 3600);
    assert_true(seconds_of("0") == 0);
    assert_true(seconds_of("0.00") == 0);
    assert_true(seconds_of("1e-3s") == 1e-3);
    assert_true(bandwidth_of("111.6GB/s") == 111.6e9);
    assert_true(bandwidth_of("198.42538666666667GB/s") == 198.42538666666667e9);
    assert_true(bandwidth_of("100Gb/s") == 12.5e9);
    assert_true(bandwidth_of("23GiB/s") == 23.0 * 1073741824.0);
    assert_true(bandwidth_of("1B/s") == 1);
    assert_true(bandwidth_of("8b/s") == 1);
}

static void refuses_times(void **state)
{
    static const struct refusal cases[] = {
        {"5", "expected a time such as 4.8us, found \"5\": no unit (one of s, ms, us, ns, min, h)"},
        {"", "empty"},
        {"-3s", "negative"},
        {"NaN", "does not start with a digit"},
        {"infinity", "does not start with a digit"},
        {"3S", "unknown unit \"S\", did you mean \"s\"?"},
        {"3fortnights", "unknown unit \"fortnights\" (one of"},
        {"1e400s", "too large"},
        {"1e308h", "too large"},
        {"1e-400s", "too small"},
        {"3s 4", "trailing text \"4\""},
        {"3us,", "trailing text \",\""},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_error err = {HS_OK, ""};
        double seconds = 7;

        assert_status_is(hs_seconds_parse(&seconds, cases[i].text, &err), HS_INVALID, &err);
        check_line(&err, &cases[i]);
    }
}

static void refuses_bandwidths(void **state)
{
    static const struct refusal cases[] = {
        {"100", "expected a bandwidth such as 18.6GB/s, found \"100\": no unit (one of B/s"},
        {"0GB/s", "zero"},
        {"-1GB/s", "negative"},
        {"1GB", "unknown unit \"GB\""},
        {"1gbps", "did you mean \"Gb/s\"?"},
        {"1GB/S", "did you mean \"GB/s\"?"},
        {"1e300TB/s", "too large"},
        {"1GB/s/s", "unknown unit \"GB/s/s\""},
        {"1GB/s.", "trailing text \".\""},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_error err = {HS_OK, ""};
        double bandwidth = 7;

        assert_status_is(hs_bandwidth_parse(&bandwidth, cases[i].text, &err), HS_INVALID, &err);
        check_line(&err, &cases[i]);
    }
}

static void writes_times(void **state)
{
    static const struct {
        double value;
        const char *seconds, *bandwidth;
    } cases[] = {
        {16.64e-3, "16.64 ms", NULL},
        {4.8e-6, "4.800 us", NULL},
        {0, "0 s", "0 B/s"},
        {999.96e-6, "1.000 ms", NULL}, /* rounding carries into the next unit */
        {999.94e-6, "999.9 us", NULL},
        {1, "1.000 s", "1.000 B/s"},
        {9.9999, "10.00 s", NULL},
        {123.4, "123.4 s", "123.4 B/s"},
        {12340, "12340 s", "12.34 kB/s"},
        {5e-10, "0.5000 ns", NULL},
        {1e-300, "1.000e-300 s", NULL},
        {1e300, "1.000e+300 s", "1.000e+300 B/s"},
        {INFINITY, "inf s", "inf B/s"},
        {-INFINITY, "-inf s", "-inf B/s"},
        {18.6e9, NULL, "18.60 GB/s"},
        {720e9, NULL, "720.0 GB/s"},
        {3.6e12, NULL, "3.600 TB/s"},
        {999.96e6, NULL, "1.000 GB/s"},
    };
    char text[HS_UNIT_TEXT];

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        if (cases[i].seconds != NULL)
            assert_string_equal(hs_seconds_format(text, cases[i].value), cases[i].seconds);
        if (cases[i].bandwidth != NULL)
            assert_string_equal(hs_bandwidth_format(text, cases[i].value), cases[i].bandwidth);
    }
}

/* Any double of at most four significant digits: 1000..9999 times a power of ten. */
static double four_digits(uint64_t *seed)
{
    char text[32];

    snprintf(text, sizeof(text), "%de%d", (int)(1000 + next_random(seed) % 9000),
             (int)(next_random(seed) % 616) - 308);
    return strtod(text, NULL);
}

static void four_digits_come_back(void **state)
{
    char text[HS_UNIT_TEXT];
    uint64_t seed = 2;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        double value = four_digits(&seed);

        if (!isfinite(value) || value < 2.3e-308)
            continue;
        assert_true(seconds_of(hs_seconds_format(text, value)) == value);
        assert_true(bandwidth_of(hs_bandwidth_format(text, value)) == value);
    }
}

/* What is rounded is off by half a unit of the fourth digit at most, and the text always fits. */
static void any_double_is_written_to_four_digits(void **state)
{
    char text[HS_UNIT_TEXT];
    uint64_t seed = 3;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = next_random(&seed) >> 1;
        double value;

        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value) || value < 2.3e-308 || value > 1.7e308)
            continue;
        assert_near(seconds_of(hs_seconds_format(text, value)), value, 0.5001e-3);
        assert_true(strlen(text) < HS_UNIT_TEXT);
        assert_near(bandwidth_of(hs_bandwidth_format(text, value)), value, 0.5001e-3);
        assert_true(strlen(text) < HS_UNIT_TEXT);
    }
}

static void reads_counts(void **state)
{
    struct hs_error err;
    int64_t count;

    (void)state;
    assert_int_equal(hs_count_parse(&count, "1", "np", 1, HS_NP_MAX, &err), HS_OK);
    assert_int_equal(count, 1);
    assert_int_equal(hs_count_parse(&count, "2147483648", "np", 1, HS_NP_MAX, &err), HS_OK);
    assert_int_equal(count, INT64_C(2147483648));
    assert_int_equal(hs_count_parse(&count, "9223372036854775807", "n", 0, INT64_MAX, &err), HS_OK);
    assert_true(count == INT64_MAX);
    assert_int_equal(hs_count_parse(&count, "000", "n", 0, 9, &err), HS_OK);
    assert_int_equal(count, 0);
}

static void refuses_counts(void **state)
{
    static const char *const cases[] = {
        "",
        "0",
        "2147483649",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1.5",
        "1e3",
        "0x10",
        "abc",
        "1k",
        "9223372036854775808",
        "18446744073709551617",
        "99999999999999999999999999999",
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_error err;
        int64_t count;

        assert_status_is(hs_count_parse(&count, cases[i], "process count", 1, HS_NP_MAX, &err),
                         HS_INVALID, &err);
        assert_has(err.message, "process count: expected a whole number from 1 to 2147483648, ");
        assert_has(err.message, cases[i]);
    }
}

static void check_sweep(const char *text, const uint64_t *values, size_t count)
{
    struct hs_range range;
    uint64_t value;

    assert_int_equal(hs_np_range_parse(&range, text, NULL), HS_OK);
    value = range.first;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(value, values[i]);
        value = hs_range_next(&range, value);
    }
    assert_int_equal(value, 0);
}

static void sweeps(void **state)
{
    (void)state;
    check_sweep("4:32", (const uint64_t[]){4, 8, 16, 32}, 4);
    check_sweep("64", (const uint64_t[]){64}, 1);
    check_sweep("7:7", (const uint64_t[]){7}, 1);
    check_sweep("6:100", (const uint64_t[]){6, 12, 24, 48, 96, 100}, 6);
    check_sweep("3:4", (const uint64_t[]){3, 4}, 2);
    check_sweep("1073741825:2147483648", (const uint64_t[]){1073741825, 2147483648}, 2);
}

static void lists(void **state)
{
    struct hs_range range;
    char all[256] = "1";

    (void)state;
    check_sweep("8,24,64", (const uint64_t[]){8, 24, 64}, 3);
    check_sweep("64,8", (const uint64_t[]){8, 64}, 2);
    check_sweep("8:32,24,8", (const uint64_t[]){8, 16, 24, 32}, 4);
    check_sweep("64, 8", (const uint64_t[]){8, 64}, 2);
    for (int i = 2; i <= HS_RANGE_VALUES; i++)
        snprintf(all + strlen(all), sizeof(all) - strlen(all), ",%d", i);
    assert_int_equal(hs_np_range_parse(&range, all, NULL), HS_OK);
    assert_int_equal(range.count, HS_RANGE_VALUES);
    assert_int_equal(range.last, HS_RANGE_VALUES);
    strcat(all, ",1000");
    assert_int_equal(hs_np_range_parse(&range, all, NULL), HS_INVALID);
}

static void check_bytes(const char *text, uint64_t expected)
{
    uint64_t bytes;

    assert_int_equal(hs_bytes_parse(&bytes, text, NULL), HS_OK);
    assert_int_equal(bytes, expected);
}

static void check_bandwidth(const char *text, double expected)
{
    double rate;

    assert_int_equal(hs_bandwidth_parse(&rate, text, NULL), HS_OK);
    assert_true(rate == expected);
}

static void units_as_people_type_them(void **state)
{
    double seconds, rate;

    (void)state;
    check_bytes("64K", 65536);
    check_bytes("1g", UINT64_C(1) << 30);
    check_bytes("64KB", 64000);
    check_bytes("25mb", 25000000);
    check_bytes("1gib", UINT64_C(1) << 30);
    check_bandwidth("400Gbps", 50e9);
    check_bandwidth("400Gbit/s", 50e9);
    check_bandwidth("50GBps", 50e9);
    assert_int_equal(hs_seconds_parse(&seconds, "2m", NULL), HS_OK);
    assert_true(seconds == 120);
    assert_int_equal(hs_bytes_parse(&(uint64_t){0}, "64Mb", NULL), HS_INVALID); /* or bits? */
    assert_int_equal(hs_bandwidth_parse(&rate, "400gbps", NULL), HS_INVALID);
}

static void sweeps_over_sizes(void **state)
{
    struct hs_range range;
    size_t steps = 0;

    (void)state;
    assert_int_equal(hs_bytes_range_parse(&range, "1MiB:1GiB", NULL), HS_OK);
    for (uint64_t bytes = range.first; bytes != 0; bytes = hs_range_next(&range, bytes))
        assert_int_equal(bytes, UINT64_C(1048576) << steps++);
    assert_int_equal(steps, 11);
    assert_int_equal(hs_bytes_range_parse(&range, "1:1PiB", NULL), HS_OK);
    steps = 0;
    for (uint64_t bytes = range.first; bytes != 0; bytes = hs_range_next(&range, bytes))
        steps++;
    assert_int_equal(steps, 51);
}

static void refuses_sweeps(void **state)
{
    static const struct refusal cases[] = {
        {"", "process count: expected a whole number"},
        {":", "found \"\""},
        {"4:", "found \"\""},
        {":4", "found \"\""},
        {"8:4", "expected a range FIRST:LAST that grows, found \"8:4\""},
        {"0:4", "found \"0\""},
        {"4:8:16", "found \"8:16\""},
        {"4-8", "found \"4-8\""},
        {"0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
         "000000000000000000000000000000000000000000000000014:20",
         "expected a range"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_error err = {HS_OK, ""};
        struct hs_range range;

        assert_status_is(hs_np_range_parse(&range, cases[i].text, &err), HS_INVALID, &err);
        check_line(&err, &cases[i]);
    }
    assert_int_equal(hs_bytes_range_parse(&(struct hs_range){0}, "1GiB:1MiB", NULL), HS_INVALID);
}

static void a_range_has_two_digits_and_one_unit(void **state)
{
    static const struct {
        double low, high;
        const char *text;
    } cases[] = {
        {3.74e-3, 14.4e-3, "3.7 to 14 ms"}, {96e-6, 1.26e-3, "96 to 1300 us"},
        {4.04e-6, 4.96e-6, "4 to 5 us"},    {1.011, 1.049, "1 s"},
        {999e-9, 1.2e-6, "1 to 1.2 us"},    {0.72e-9, 1e-9, "0.72 to 1 ns"},
    };
    char text[HS_UNIT_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_string_equal(hs_seconds_range_format(text, cases[i].low, cases[i].high),
                            cases[i].text);
    assert_string_equal(hs_seconds_range_in(text, 1.14e-3, 14.4e-3, 1e-6), "1100 to 14000");
    assert_string_equal(hs_seconds_range_in(text, 1.011, 1.049, 1e-3), "1000");
}

static const struct CMUnitTest tests[] = {
    HS_TEST("sizes are read exactly, in binary and decimal units", reads_sizes),
    HS_TEST("what is no size is refused with its reason", refuses_sizes),
    HS_TEST("every size is read back as it was written", sizes_come_back),
    HS_TEST("sizes are written in the largest unit that divides them", writes_sizes),
    HS_TEST("times and bandwidths are the nearest doubles", reads_times_and_bandwidths),
    HS_TEST("what is no time is refused with its reason", refuses_times),
    HS_TEST("what is no bandwidth is refused with its reason", refuses_bandwidths),
    HS_TEST("times and bandwidths are written with four digits and a fitting unit", writes_times),
    HS_TEST("quantities of four digits are read back as they were", four_digits_come_back),
    HS_TEST("any double is written to four digits", any_double_is_written_to_four_digits),
    HS_TEST("counts are read up to their limit", reads_counts),
    HS_TEST("what is no count is refused with its limits", refuses_counts),
    HS_TEST("a sweep doubles and ends with its last value", sweeps),
    HS_TEST("a list of values and sweeps is taken in ascending order, each value once", lists),
    HS_TEST("units are understood as people type them", units_as_people_type_them),
    HS_TEST("a sweep over sizes reaches from the first to the last", sweeps_over_sizes),
    HS_TEST("what is no sweep is refused with its reason", refuses_sweeps),
    HS_TEST("a range has two digits and one unit", a_range_has_two_digits_and_one_unit),
};
HS_TEST_MAIN(tests)
