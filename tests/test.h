/*
 * test.h - what every unit test starts with: cmocka, TAP on standard output, tests named by
 * sentences.
 *
 *     static void reads_what_it_wrote(void **state) { (void)state; assert_int_equal(...); }
 *
 *     static const struct CMUnitTest tests[] = {
 *         HS_TEST("a size is read back as it was written", reads_what_it_wrote),
 *     };
 *     HS_TEST_MAIN(tests)
 */
#ifndef HS_TESTS_TEST_H
#define HS_TESTS_TEST_H

/* cmocka.h wants these four first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#define HS_TEST(sentence, function)                                                                \
    {                                                                                              \
        sentence, function, NULL, NULL, NULL                                                       \
    }

/* Whether it is to be over soon (`make check`, and where every access is watched): the long sweeps
 * are shorter then. */
static inline bool hs_tests_quick(void)
{
    const char *tests = getenv("TESTS");

    return tests && strcmp(tests, "quick") == 0;
}

/* cmocka writes "ok" to stdout and "not ok" to stderr; who counts them wants both, in order. */
static inline void hs_tests_to_stdout(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    dup2(STDOUT_FILENO, STDERR_FILENO);
    cmocka_set_message_output(CM_OUTPUT_TAP);
}

/* Runs an array of tests; the exit status of main. */
#define hs_run_tests(tests)                                                                        \
    (hs_tests_to_stdout(), cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1)

#define HS_TEST_MAIN(tests)                                                                        \
    int main(void)                                                                                 \
    {                                                                                              \
        return hs_run_tests(tests);                                                                \
    }

/* Fails, showing both, unless `text` contains `part`. */
#define assert_has(text, part)                                                                     \
    do {                                                                                           \
        if (strstr(text, part) == NULL)                                                            \
            fail_msg("expected \"%s\" within \"%s\"", part, text);                                 \
    } while (0)

/* Fails unless the call returned this status; shows the message that it gave instead. */
#define assert_status_is(call, wanted, err)                                                        \
    do {                                                                                           \
        enum hs_status status_ = (call);                                                           \
        if (status_ != (wanted))                                                                   \
            fail_msg("%s: status %d, expected %d: %s", #call, (int)status_, (int)(wanted),         \
                     status_ != HS_OK ? (err)->message : "");                                      \
    } while (0)

/* |actual - expected| <= relative * |expected| */
#define assert_near(actual, expected, relative)                                                    \
    do {                                                                                           \
        double actual_ = (actual), expected_ = (expected);                                         \
        if (!(fabs(actual_ - expected_) <= (relative)*fabs(expected_)))                            \
            fail_msg("%s is %.17g, expected %.17g", #actual, actual_, expected_);                  \
    } while (0)

#define HS_COUNT(array) (sizeof(array) / sizeof(*(array)))

#endif
