/* The date that results carry is one that readers accept, whatever the machine's clock says. */
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "test.h"

static time_t today;

/* In the place of the C library's. */
time_t time(time_t *out)
{
    if (out)
        *out = today;
    return today;
}

static void dates_have_four_digits_of_year(void **state)
{
    static const struct {
        long long seconds;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00Z"},
        {1000000000, "2001-09-09T01:46:40Z"},
        {253402300799, "9999-12-31T23:59:59Z"},
        {253402300800, "1970-01-01T00:00:00Z"},
        {-62135596801, "1970-01-01T00:00:00Z"},
        {INT64_MAX, "1970-01-01T00:00:00Z"},
        {INT64_MIN, "1970-01-01T00:00:00Z"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[HS_CLOCK_UTC];

        today = (time_t)cases[i].seconds;
        assert_string_equal(hs_clock_utc(text), cases[i].text);
    }
}

/* https://reproducible-builds.org/specs/source-date-epoch */
static void what_is_made_of_its_input_has_the_date_that_is_said(void **state)
{
    static const struct {
        const char *said, *text;
    } cases[] = {
        {"0", "1970-01-01T00:00:00Z"},
        {"1000000000", "2001-09-09T01:46:40Z"},
        {NULL, "2033-05-18T03:33:20Z"},
        {"", "2033-05-18T03:33:20Z"},
        {"yesterday", "2033-05-18T03:33:20Z"},
        {"10s", "2033-05-18T03:33:20Z"},
        {"9e9", "2033-05-18T03:33:20Z"},
        {"99999999999999999999", "2033-05-18T03:33:20Z"},
        {"253402300800", "1970-01-01T00:00:00Z"},
    };
    char text[HS_CLOCK_UTC];

    (void)state;
    today = 2000000000;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (cases[i].said)
            setenv("SOURCE_DATE_EPOCH", cases[i].said, 1);
        else
            unsetenv("SOURCE_DATE_EPOCH");
        assert_string_equal(hs_clock_utc_made(text), cases[i].text);
        assert_string_equal(hs_clock_utc(text), "2033-05-18T03:33:20Z"); /* of a measurement */
    }
    unsetenv("SOURCE_DATE_EPOCH");
}

static const struct CMUnitTest tests[] = {
    HS_TEST("what is made of its input has the date that is said",
            what_is_made_of_its_input_has_the_date_that_is_said),
    HS_TEST("a date has four digits of year, where the clock is wrong that of the epoch",
            dates_have_four_digits_of_year),
};
HS_TEST_MAIN(tests)
