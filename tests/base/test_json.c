#include "base/json.h"

#include "test.h"

static struct hs_json_document parsed(const char *text)
{
    struct hs_json_document document;
    struct hs_error err = {HS_OK, ""};

    assert_status_is(hs_json_parse(&document, "x.json", text, strlen(text), &err), HS_OK, &err);
    return document;
}

/* One bad text and the whole line that it gets. */
struct refusal {
    const char *text, *line;
};

static void check_refused(const char *text, size_t length, const char *line)
{
    struct hs_json_document document;
    struct hs_error err = {HS_OK, ""};
    char *exact =
        malloc(length > 0 ? length : 1); /* no NUL behind it: valgrind sees a read too far */

    memcpy(exact, text, length);
    assert_status_is(hs_json_parse(&document, "x.json", exact, length, &err), HS_INVALID, &err);
    free(exact);
    assert_string_equal(err.message, line);
    assert_null(document.root);
    hs_json_release(&document);
}

static void names_line_and_column(void **state)
{
    static const struct refusal cases[] = {
        {"{\n \"a\": 1,\n \"b\": [1, 2}\n}",
         "x.json:3:12: expected ',' or ']' after a value, found '}'"},
        {"{\"a\": {\"b\": 1]}", "x.json:1:14: expected ',' or '}' after a value, found ']'"},
        {"{\"\xc2\xb5\xe2\x82\xac\" 1}", "x.json:1:7: expected ':' after a key, found '1'"},
        {"", "x.json:1:1: expected a value, found the end of the text"},
        {"\n\n  ", "x.json:3:3: expected a value, found the end of the text"},
        {"{\"a\": 1", "x.json:1:8: expected ',' or '}' after a value, found the end of the text"},
        {"{} x", "x.json:1:4: expected the end of the text after the value, found 'x'"},
        {"{} {}", "x.json:1:4: expected the end of the text after the value, found '{'"},
        {"[1,]", "x.json:1:4: expected a value, found ']'"},
        {"{\"a\":1,}", "x.json:1:8: expected a key in double quotes, found '}'"},
        {"{a: 1}", "x.json:1:2: expected a key in double quotes, found 'a'"},
        {"{'a': 1}", "x.json:1:2: expected a key in double quotes, found '''"},
        {"[1 2]", "x.json:1:4: expected ',' or ']' after a value, found '2'"},
        {"NaN", "x.json:1:1: expected a value, found 'N'"},
        {"-Infinity", "x.json:1:2: expected a digit, found 'I'"},
        {"[tru]", "x.json:1:5: expected \"true\", found ']'"},
        {"nul", "x.json:1:4: expected \"null\", found the end of the text"},
        {"True", "x.json:1:1: expected a value, found 'T'"},
        {"// x\n1", "x.json:1:1: expected a value, found '/'"},
        {"\xef\xbb\xbf{}", "x.json:1:1: expected a value, found a byte order mark"},
        {"\xff\xfe{", "x.json:1:1: expected a value, found byte 0xff"},
        {"\v1", "x.json:1:1: expected a value, found byte 0x0b"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++)
        check_refused(cases[i].text, strlen(cases[i].text), cases[i].line);
    check_refused("1\0", 2,
                  "x.json:1:2: expected the end of the text after the value, found byte 0x00");
    check_refused("\"a\0b\"", 5,
                  "x.json:1:3: expected '\"' at the end of the string, found byte 0x00");
}

static void refuses_bad_strings(void **state)
{
    static const struct refusal cases[] = {
        {"\"abc", "x.json:1:5: expected '\"' at the end of the string, found the end of the text"},
        {"\"a\nb\"",
         "x.json:1:3: expected '\"' at the end of the string, found the end of the line"},
        {"\"a\tb\"", "x.json:1:3: expected '\"' at the end of the string, found byte 0x09"},
        {"\"\\x\"", "x.json:1:3: expected one of \"\\/bfnrtu after a backslash, found 'x'"},
        {"\"\\", "x.json:1:3: expected one of \"\\/bfnrtu after a backslash, found the end of the "
                 "text"},
        {"\"\\u12g4\"", "x.json:1:6: expected four hexadecimal digits after \\u, found 'g'"},
        {"\"\\u12", "x.json:1:6: expected four hexadecimal digits after \\u, found the end of the "
                    "text"},
        {"\"\\u0000\"", "x.json:1:2: \\u0000 is not accepted in a string"},
        {"\"\\ud800\"", "x.json:1:2: expected a surrogate pair, found one half of it"},
        {"\"\\ud800\\n\"", "x.json:1:2: expected a surrogate pair, found one half of it"},
        {"\"\\ud800\\ud800\"", "x.json:1:2: expected a surrogate pair, found one half of it"},
        {"\"\\udc00\"", "x.json:1:2: expected a surrogate pair, found one half of it"},
        {"\"\xc3(\"", "x.json:1:2: expected UTF-8 in the string, found byte 0xc3"},
        {"\"\xc0\x80\"", "x.json:1:2: expected UTF-8 in the string, found byte 0xc0"},
        {"\"\xed\xa0\x80\"", "x.json:1:2: expected UTF-8 in the string, found byte 0xed"},
        {"\"\xf4\x90\x80\x80\"", "x.json:1:2: expected UTF-8 in the string, found byte 0xf4"},
        {"\"\xe2\x82", "x.json:1:2: expected UTF-8 in the string, found byte 0xe2"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++)
        check_refused(cases[i].text, strlen(cases[i].text), cases[i].line);
}

static void refuses_bad_numbers(void **state)
{
    static const struct refusal cases[] = {
        {"01", "x.json:1:1: expected a number without leading zeros"},
        {"-", "x.json:1:2: expected a digit, found the end of the text"},
        {"+1", "x.json:1:1: expected a value, found '+'"},
        {".5", "x.json:1:1: expected a value, found '.'"},
        {"1.", "x.json:1:3: expected a digit after the decimal point, found the end of the text"},
        {"1e", "x.json:1:3: expected a digit in the exponent, found the end of the text"},
        {"1e+-1", "x.json:1:4: expected a digit in the exponent, found '-'"},
        {"0x10", "x.json:1:2: expected the end of the text after the value, found 'x'"},
        {"[1e400]", "x.json:1:2: number too large, expected at most 1.7976931348623157e308"},
        {"-1e309", "x.json:1:1: number too large, expected at most 1.7976931348623157e308"},
        {"1e-400", "x.json:1:1: number too small, expected 0 or at least 4.9e-324"},
        {"1111111111111111111111111111111111111111111111111111111111111111",
         "x.json:1:1: number too long, expected at most 63 characters"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++)
        check_refused(cases[i].text, strlen(cases[i].text), cases[i].line);
}

static void stops_nesting(void **state)
{
    static char bomb[1000000];
    char deep[2 * HS_JSON_DEPTH + 1] = "";
    struct hs_json_document document;

    (void)state;
    memset(deep, '[', HS_JSON_DEPTH);
    memset(deep + HS_JSON_DEPTH, ']', HS_JSON_DEPTH);
    document = parsed(deep);
    hs_json_release(&document);
    memset(bomb, '[', sizeof(bomb));
    check_refused(bomb, sizeof(bomb), "x.json:1:65: nested too deeply, expected at most 64 levels");
}

static void refuses_duplicates(void **state)
{
    static const struct refusal cases[] = {
        {"{\"a\": 1, \"b\": 2, \"a\": 3}", "x.json: a: the key appears twice in one object"},
        {"{\"a\": 1, \"\\u0061\": 2}", "x.json: a: the key appears twice in one object"},
        {"{\"l\": [0, {\"x\": {}, \"x\": {}}]}",
         "x.json: l[1].x: the key appears twice in one object"},
    };
    struct hs_json_document document = parsed("{\"a\": {\"a\": 1}, \"A\": {\"a\": 1}}");

    (void)state;
    hs_json_release(&document);
    for (size_t i = 0; i < HS_COUNT(cases); i++)
        check_refused(cases[i].text, strlen(cases[i].text), cases[i].line);
}

static void reads_values(void **state)
{
    static const char *const kinds[] = {"mesh", "switch"};
    struct hs_json_document document = parsed(
        " {\"number\": -1.5e2, \"whole\": 9007199254740992, \"yes\": true, \"none\": null,\n"
        "\"text\": \"\\u00b5\\ud83d\\ude00\\n\", \"kind\": \"switch\", \"list\": [1, [2]]}\r\n");
    struct hs_json top = hs_json_top(&document), list, element;
    struct hs_error err = {HS_OK, ""};
    const char *text;
    double number;
    int64_t whole;
    size_t index, count;
    bool yes;

    (void)state;
    assert_status_is(hs_json_number(&number, &top, "number", NULL, &err), HS_OK, &err);
    assert_true(number == -150);
    assert_status_is(hs_json_integer(&whole, &top, "whole", 0, INT64_C(9007199254740992), &err),
                     HS_OK, &err);
    assert_true(whole == INT64_C(9007199254740992));
    assert_status_is(hs_json_bool_or(&yes, &top, "yes", false, &err), HS_OK, &err);
    assert_true(yes);
    assert_status_is(hs_json_string(&text, &top, "text", &err), HS_OK, &err);
    assert_string_equal(text, "\xc2\xb5\xf0\x9f\x98\x80\n");
    assert_status_is(hs_json_choice_or(&index, &top, "kind", kinds, 2, 0, &err), HS_OK, &err);
    assert_int_equal(index, 1);
    assert_status_is(hs_json_member(&list, &top, "list", &err), HS_OK, &err);
    assert_status_is(hs_json_array(&count, &list, 2, 2, &err), HS_OK, &err);
    element = hs_json_first(&list);
    assert_ptr_equal(element.node, hs_json_element(&list, 0).node);
    hs_json_next(&element);
    assert_ptr_equal(element.node, hs_json_element(&list, 1).node);
    assert_int_equal(element.index, 1);
    assert_status_is(hs_json_array(&count, &element, 1, 9, &err), HS_OK, &err);
    assert_int_equal(count, 1);
    assert_true(hs_json_has(&top, "number"));
    assert_false(hs_json_has(&top, "none"));
    assert_false(hs_json_has(&top, "absent"));
    assert_false(hs_json_has(&list, "number"));
    hs_json_release(&document);
}

static void falls_back(void **state)
{
    static const char *const kinds[] = {"mesh", "switch"};
    struct hs_json_document document = parsed("{\"null\": null}");
    struct hs_json top = hs_json_top(&document);
    struct hs_error err = {HS_OK, ""};
    const char *text;
    double number;
    int64_t whole;
    size_t index;
    bool yes;

    (void)state;
    assert_int_equal(hs_json_number_or(&number, &top, "x", NULL, 2.5, &err), HS_OK);
    assert_true(number == 2.5);
    assert_int_equal(hs_json_integer_or(&whole, &top, "x", 0, 9, -7, &err), HS_OK);
    assert_int_equal(whole, -7);
    assert_int_equal(hs_json_bool_or(&yes, &top, "x", true, &err), HS_OK);
    assert_true(yes);
    assert_int_equal(hs_json_string_or(&text, &top, "x", "other", &err), HS_OK);
    assert_string_equal(text, "other");
    assert_int_equal(hs_json_choice_or(&index, &top, "x", kinds, 2, 1, &err), HS_OK);
    assert_int_equal(index, 1);
    /* null is no absence */
    assert_int_equal(hs_json_number_or(&number, &top, "null", NULL, 2.5, &err), HS_INVALID);
    assert_string_equal(err.message, "x.json: null: expected a number, found null");
    assert_int_equal(hs_json_string_or(&text, &top, "null", "other", &err), HS_INVALID);
    assert_int_equal(hs_json_bool_or(&yes, &top, "null", true, &err), HS_INVALID);
    hs_json_release(&document);
}

/* levels[1] of a document, and what reading `value` there as a number above 0 says. */
static void check_number(const char *value, const struct hs_json_bounds *bounds, const char *line)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_json_document document;
    struct hs_json top, levels, level;
    char text[256];
    double number;

    snprintf(text, sizeof(text), "{\"levels\": [0, {\"bandwidth_GBps\": %s}]}", value);
    document = parsed(text);
    top = hs_json_top(&document);
    assert_int_equal(hs_json_member(&levels, &top, "levels", &err), HS_OK);
    level = hs_json_element(&levels, 1);
    assert_int_equal(hs_json_number(&number, &level, "bandwidth_GBps", bounds, &err), HS_INVALID);
    assert_string_equal(err.message, line);
    hs_json_release(&document);
}

static void numbers_keep_to_bounds(void **state)
{
    static const struct hs_json_bounds positive = {0, 1e18, true}, ratio = {0.5, 1, false};

    (void)state;
    check_number("-1", &positive,
                 "x.json: levels[1].bandwidth_GBps: expected a number above 0, found -1");
    check_number("0", &positive,
                 "x.json: levels[1].bandwidth_GBps: expected a number above 0, found 0");
    check_number("2e18", &positive,
                 "x.json: levels[1].bandwidth_GBps: expected a number of at most 1e+18, "
                 "found 2e+18");
    check_number("0.25", &ratio,
                 "x.json: levels[1].bandwidth_GBps: expected a number of at least 0.5, "
                 "found 0.25");
    check_number("\"3\"", &positive,
                 "x.json: levels[1].bandwidth_GBps: expected a number, found \"3\"");
    check_number("[]", NULL, "x.json: levels[1].bandwidth_GBps: expected a number, found an array");
    check_number("{}", NULL,
                 "x.json: levels[1].bandwidth_GBps: expected a number, found an object");
    check_number("true", NULL, "x.json: levels[1].bandwidth_GBps: expected a number, found true");
}

static void whole_numbers_are_whole(void **state)
{
    static const char *const bad[] = {"1.5", "0", "65", "1e300", "\"1\"", "null", "-1"};
    struct hs_error err = {HS_OK, ""};
    int64_t whole;

    (void)state;
    for (size_t i = 0; i < HS_COUNT(bad); i++) {
        struct hs_json_document document;
        struct hs_json top;
        char text[64], found[64];

        snprintf(text, sizeof(text), "{\"ports\": %s}", bad[i]);
        document = parsed(text);
        top = hs_json_top(&document);
        assert_int_equal(hs_json_integer(&whole, &top, "ports", 1, 64, &err), HS_INVALID);
        snprintf(found, sizeof(found), ", found %s", bad[i]);
        assert_has(err.message, "x.json: ports: expected a whole number from 1 to 64, found ");
        if (strchr(bad[i], 'e') == NULL)
            assert_has(err.message, found);
        hs_json_release(&document);
    }
}

static void suggests_keys_and_values(void **state)
{
    static const char *const keys[] = {"bandwidth_GBps", "arity"}, *const kinds[] = {"mesh",
                                                                                     "switch"};
    struct hs_json_document document = parsed(
        "{\"a\": {\"bandwith_GBps\": 1}, \"b\": {\"zzz\": 1}, \"kind\": \"msh\", \"sort\": \"x\", "
        "\"n\": 3}");
    struct hs_json top = hs_json_top(&document), at;
    struct hs_error err = {HS_OK, ""};
    size_t index;

    (void)state;
    assert_int_equal(hs_json_member(&at, &top, "a", &err), HS_OK);
    assert_int_equal(hs_json_object(&at, keys, 2, &err), HS_INVALID);
    assert_string_equal(err.message,
                        "x.json: a.bandwith_GBps: unknown key, did you mean \"bandwidth_GBps\"?");
    assert_int_equal(hs_json_member(&at, &top, "b", &err), HS_OK);
    assert_int_equal(hs_json_object(&at, keys, 2, &err), HS_INVALID);
    assert_string_equal(err.message,
                        "x.json: b.zzz: unknown key, expected \"bandwidth_GBps\" or \"arity\"");
    assert_int_equal(hs_json_object(&at, keys, 0, &err), HS_INVALID);
    assert_int_equal(hs_json_choice_or(&index, &top, "kind", kinds, 2, 0, &err), HS_INVALID);
    assert_string_equal(err.message, "x.json: kind: unknown value \"msh\", did you mean \"mesh\"?");
    assert_int_equal(hs_json_choice_or(&index, &top, "sort", kinds, 2, 0, &err), HS_INVALID);
    assert_string_equal(err.message, "x.json: sort: expected \"mesh\" or \"switch\", found \"x\"");
    assert_int_equal(hs_json_choice_or(&index, &top, "n", kinds, 2, 0, &err), HS_INVALID);
    assert_string_equal(err.message, "x.json: n: expected \"mesh\" or \"switch\", found 3");
    hs_json_release(&document);
}

static void names_the_place(void **state)
{
    struct hs_json_document document =
        parsed("{\"a b\": {\"\": [[{\"k\": \"text\"}]]}, \"list\": [1, 2, 3]}");
    struct hs_json top = hs_json_top(&document), a, b, c, d, e, list, none;
    struct hs_error err = {HS_OK, ""};
    const char *text;
    size_t count;

    (void)state;
    assert_int_equal(hs_json_member(&a, &top, "a b", &err), HS_OK);
    assert_int_equal(hs_json_member(&b, &a, "", &err), HS_OK);
    c = hs_json_element(&b, 0);
    d = hs_json_element(&c, 0);
    assert_int_equal(hs_json_string(&text, &d, "k", &err), HS_OK);
    assert_int_equal(hs_json_string(&text, &d, "q", &err), HS_INVALID);
    assert_string_equal(err.message, "x.json: [\"a b\"][\"\"][0][0].q: missing");
    assert_int_equal(hs_json_member(&e, &c, "q", &err), HS_INVALID);
    assert_string_equal(err.message,
                        "x.json: [\"a b\"][\"\"][0]: expected an object, found an array");
    assert_int_equal(hs_json_array(&count, &top, 0, 9, &err), HS_INVALID);
    assert_string_equal(err.message, "x.json: expected an array, found an object");
    assert_int_equal(hs_json_member(&list, &top, "list", &err), HS_OK);
    assert_int_equal(hs_json_array(&count, &list, 4, 9, &err), HS_INVALID);
    assert_string_equal(err.message,
                        "x.json: list: expected an array of at least 4 elements, found 3");
    assert_int_equal(hs_json_array(&count, &list, 0, 2, &err), HS_INVALID);
    assert_string_equal(err.message,
                        "x.json: list: expected an array of at most 2 elements, found 3");
    none = hs_json_element(&list, 3);
    assert_int_equal(hs_json_fail(&none, &err, "odd value %d", 7), HS_INVALID);
    assert_string_equal(err.message, "x.json: list[3]: odd value 7");
    assert_int_equal(hs_json_object(&none, NULL, 0, &err), HS_INVALID);
    assert_string_equal(err.message, "x.json: list[3]: expected an object, found nothing");
    hs_json_release(&document);
}

/* A hostile path may be long; the reason behind it is still there. */
static void shows_the_reason_behind_long_paths(void **state)
{
    struct hs_json_document document;
    struct hs_error err = {HS_OK, ""};
    struct hs_json cursors[61];
    struct hs_text text = {0};
    char key[201];

    (void)state;
    memset(key, 'k', sizeof(key) - 1);
    key[sizeof(key) - 1] = '\0';
    for (int i = 0; i < 60; i++)
        hs_text_append(&text, "{\"%s\": ", key);
    hs_text_append(&text, "1");
    for (int i = 0; i < 60; i++)
        hs_text_append(&text, "}");
    document = parsed(text.data);
    cursors[0] = hs_json_top(&document);
    for (int i = 0; i < 60; i++)
        assert_int_equal(hs_json_member(&cursors[i + 1], &cursors[i], key, &err), HS_OK);
    assert_int_equal(hs_json_object(&cursors[60], NULL, 0, &err), HS_INVALID);
    assert_has(err.message, "x.json: ...k");
    assert_has(err.message, "k: expected an object, found 1");
    hs_json_release(&document);
    hs_text_release(&text);
}

static void loads_files(void **state)
{
    char path[] = "/tmp/hs_test_json_XXXXXX", line[128];
    struct hs_json_document document;
    struct hs_error err = {HS_OK, ""};
    int fd = mkstemp(path);

    (void)state;
    assert_int_equal(write(fd, "{\"a\":\n1,}", 9), 9);
    close(fd);
    assert_int_equal(hs_json_load(&document, path, &err), HS_INVALID);
    snprintf(line, sizeof(line), "%s:2:3: expected a key in double quotes, found '}'", path);
    assert_string_equal(err.message, line);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(hs_json_load(&document, path, &err), HS_INVALID);
    snprintf(line, sizeof(line), "%s:1:1: expected a value, found the end of the text", path);
    assert_string_equal(err.message, line);
    unlink(path);
    assert_int_equal(hs_json_load(&document, path, &err), HS_INVALID);
    assert_has(err.message, "cannot be read: No such file or directory");
    hs_json_release(&document);
    hs_json_release(NULL);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a syntax error has its line and column", names_line_and_column),
    HS_TEST("bad strings are refused with their place", refuses_bad_strings),
    HS_TEST("bad numbers are refused with their place", refuses_bad_numbers),
    HS_TEST("nesting ends at 64 levels", stops_nesting),
    HS_TEST("a key that appears twice is refused, escaped or not", refuses_duplicates),
    HS_TEST("values of every type are read", reads_values),
    HS_TEST("an absent member takes the fallback, null does not", falls_back),
    HS_TEST("numbers keep to their bounds", numbers_keep_to_bounds),
    HS_TEST("whole numbers are whole and within their bounds", whole_numbers_are_whole),
    HS_TEST("an unknown key or value names the nearest", suggests_keys_and_values),
    HS_TEST("a complaint names its place", names_the_place),
    HS_TEST("a long path leaves room for the reason", shows_the_reason_behind_long_paths),
    HS_TEST("a file is loaded or refused by its name", loads_files),
};
HS_TEST_MAIN(tests)
