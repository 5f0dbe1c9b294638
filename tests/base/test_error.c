#include "test.h"

static void fills_and_returns(void **state)
{
    struct hs_error err;

    (void)state;
    assert_int_equal(hs_fail(&err, HS_INVALID, "%s: expected %d", "x.json", 3), HS_INVALID);
    assert_int_equal(err.status, HS_INVALID);
    assert_string_equal(err.message, "x.json: expected 3");
}

static void takes_no_error(void **state)
{
    (void)state;
    assert_int_equal(hs_fail(NULL, HS_MEMORY, "out of memory"), HS_MEMORY);
    assert_int_equal(hs_error_prefix(NULL, HS_IO, "x"), HS_IO);
}

static void replaces_controls(void **state)
{
    struct hs_error err;

    (void)state;
    hs_error_set(&err, HS_INVALID, "%s",
                 "a\nb\x1b[31mc\x7f\td\xc2\x9b"
                 "e");
    assert_string_equal(err.message, "a?b?[31mc??d?e");
}

static void keeps_utf8_and_drops_the_rest(void **state)
{
    struct hs_error err;

    (void)state;
    hs_error_set(&err, HS_INVALID, "%s", "4.8 \xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80");
    assert_string_equal(err.message, "4.8 \xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80");
    /* half a character, an overlong '/', a surrogate, above U+10FFFF */
    hs_error_set(&err, HS_INVALID, "%s", "\xe2\x82|\xc0\xaf|\xed\xa0\x80|\xf5\x80\x80\x80");
    assert_string_equal(err.message, "??|??|???|????");
}

static void marks_a_cut(void **state)
{
    char text[3000];
    struct hs_error err;

    (void)state;
    memset(text, 'x', sizeof(text));
    text[HS_ERROR_MESSAGE_BYTES - 1] = '\0'; /* the longest that fits */
    hs_error_set(&err, HS_INVALID, "%s", text);
    assert_string_equal(err.message, text);
    text[HS_ERROR_MESSAGE_BYTES - 1] = 'x';
    text[HS_ERROR_MESSAGE_BYTES] = '\0';
    hs_error_set(&err, HS_INVALID, "%s", text);
    assert_int_equal(strlen(err.message), HS_ERROR_MESSAGE_BYTES - 1);
    assert_string_equal(err.message + HS_ERROR_MESSAGE_BYTES - 5, "x...");
}

static void cuts_between_characters(void **state)
{
    struct hs_error err;
    char text[3000];

    (void)state;
    for (size_t offset = 0; offset < 3; offset++) {
        memset(text, 'x', sizeof(text));
        for (size_t i = offset; i + 3 < 2000; i += 3)
            memcpy(text + i, "\xe2\x82\xac", 3);
        text[2000] = '\0';
        hs_error_set(&err, HS_INVALID, "%s", text);
        assert_null(strchr(err.message, '?'));
        assert_string_equal(err.message + strlen(err.message) - 3, "...");
    }
}

static void may_quote_itself(void **state)
{
    struct hs_error err;

    (void)state;
    hs_error_set(&err, HS_INVALID, "inner");
    hs_error_set(&err, HS_INVALID, "outer: %s (%s)", err.message, err.message);
    assert_string_equal(err.message, "outer: inner (inner)");
}

static void prefixes(void **state)
{
    struct hs_error err;

    (void)state;
    hs_error_set(&err, HS_IO, "cause");
    assert_int_equal(hs_error_prefix(&err, HS_IO, "place"), HS_IO);
    assert_string_equal(err.message, "place: cause");
    assert_int_equal(err.status, HS_IO);
}

static void exit_statuses(void **state)
{
    (void)state;
    assert_int_equal(hs_status_exit(HS_OK), 0);
    assert_int_equal(hs_status_exit(HS_INVALID), 2);
    assert_int_equal(hs_status_exit(HS_IO), 1);
    assert_int_equal(hs_status_exit(HS_MEMORY), 1);
    assert_int_equal(hs_status_exit(HS_FAILED), 1);
    assert_int_equal(hs_status_exit(HS_WRONG), 3);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a failure fills the error and returns its status", fills_and_returns),
    HS_TEST("a caller may pass no error", takes_no_error),
    HS_TEST("control characters from foreign text never reach the terminal", replaces_controls),
    HS_TEST("UTF-8 passes, other bytes become question marks", keeps_utf8_and_drops_the_rest),
    HS_TEST("a line that is too long ends in three dots", marks_a_cut),
    HS_TEST("a line is never cut inside a character", cuts_between_characters),
    HS_TEST("a message may quote the message that it replaces", may_quote_itself),
    HS_TEST("a prefix goes in front of the message", prefixes),
    HS_TEST("every status has its exit status", exit_statuses),
};
HS_TEST_MAIN(tests)
