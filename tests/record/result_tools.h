/*
 * result_tools.h - what the tests of result files share: short ways to make, read and print a
 * result.
 */
#ifndef HS_TESTS_RESULT_TOOLS_H
#define HS_TESTS_RESULT_TOOLS_H

#include "test.h"

#include "base/file.h"
#include "record/result.h"

#define GOOD "tests/record/good/"

static inline char *read_text(const char *path)
{
    struct hs_error err = {HS_OK, ""};
    char *text = NULL;
    size_t length;

    if (hs_file_read(&text, &length, path, 1 << 20, &err))
        fail_msg("%s", err.message);
    return text;
}

/* The file is that schema; with UPDATE=1 it becomes it. */
static inline void check_schema(const struct hs_text *schema, const char *path, const char *test)
{
    struct hs_error err = {HS_OK, ""};
    char *committed;

    if (getenv("UPDATE"))
        assert_status_is(hs_file_replace(path, schema->data, schema->length, &err), HS_OK, &err);
    committed = read_text(path);
    if (strcmp(committed, schema->data) != 0)
        fail_msg("%s is not what the table says: UPDATE=1 %s writes it", path, test);
    free(committed);
}

static inline void load(struct hs_result *result, const char *path)
{
    struct hs_error err = {HS_OK, ""};

    if (hs_result_load(result, path, &err))
        fail_msg("%s", err.message);
}

static inline char *print(const struct hs_result *result)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_text text = {0};

    if (hs_result_print(&text, result, &err))
        fail_msg("%s", err.message);
    assert_int_equal(strlen(text.data), text.length);
    return text.data;
}

static inline void parse_text(struct hs_result *result, const char *text)
{
    struct hs_error err = {HS_OK, ""};

    if (hs_result_parse(result, "text", text, strlen(text), &err))
        fail_msg("%s", err.message);
}

/* A result that can be printed, with one message of 8 processes. */
static inline struct hs_result_message *start(struct hs_result *result)
{
    struct hs_result_message *message;

    memset(result, 0, sizeof(*result));
    result->command = hs_strdup("test");
    result->created = hs_strdup("2026-01-31T12:00:00Z");
    result->np = 8;
    message = hs_result_add_message(result);
    assert_non_null(message);
    message->message_bytes = 1024;
    return message;
}

static inline struct hs_candidate *add(struct hs_result_message *message, const char *plan,
                                       double predicted_seconds)
{
    struct hs_candidate *candidate = hs_result_add_candidate(message);

    assert_non_null(candidate);
    assert_int_equal(hs_plan_parse(&candidate->plan, plan, 0, NULL), HS_OK);
    candidate->predicted_seconds = predicted_seconds;
    return candidate;
}

static inline void add_measured(struct hs_result_message *message, const char *plan,
                                double predicted_seconds, enum hs_measure_status status,
                                double median_seconds)
{
    struct hs_measured *measured = hs_candidate_add_measured(add(message, plan, predicted_seconds));

    assert_non_null(measured);
    measured->status = status;
    measured->median_seconds = median_seconds;
}

static inline void assert_plan(const struct hs_plan *plan, const char *text)
{
    char found[HS_SPLIT_TEXT];

    assert_string_equal(hs_plan_format(found, plan), text);
}

/* print(x), and that print(parse_text(print(x))) is the same; owned by the caller. */
static inline char *print_twice(const struct hs_result *result)
{
    char *first = print(result), *second;
    struct hs_result again;

    parse_text(&again, first);
    second = print(&again);
    assert_string_equal(first, second);
    hs_result_release(&again);
    free(second);
    return first;
}

#endif
