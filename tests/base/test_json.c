#include "base/json.h"
#include "base/text.h"

#include "test.h"

static struct hs_json_document parsed(const char *text)
{
    struct hs_json_document document;
    struct hs_error err = {HS_OK, ""};

    assert_status_is(hs_json_parse(&document, "x.json", text, strlen(text), &err), HS_OK, &err);
    return document;
}

static struct hs_json find(const struct hs_json *object, const char *key)
{
    struct hs_json member = hs_json_find(object, key);

    assert_non_null(member.node);
    return member;
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
    static const struct hs_json_bounds any = {-INFINITY, INFINITY, false};
    struct hs_json_document document = parsed(
        " {\"number\": -1.5e2, \"whole\": 9007199254740992, \"yes\": true, \"none\": null,\n"
        "\"text\": \"\\u00b5\\ud83d\\ude00\\n\", \"kind\": \"switch\", \"list\": [1, [2]]}\r\n");
    struct hs_json top = hs_json_top(&document), at, element;
    struct hs_error err = {HS_OK, ""};
    const char *text;
    double number;
    int64_t whole;
    size_t index, count;
    bool yes = false;

    (void)state;
    at = find(&top, "number");
    assert_status_is(hs_json_read_number(&number, &at, &any, &err), HS_OK, &err);
    assert_true(number == -150);
    at = find(&top, "whole");
    assert_status_is(hs_json_read_integer(&whole, &at, 0, INT64_C(9007199254740992), &err), HS_OK,
                     &err);
    assert_true(whole == INT64_C(9007199254740992));
    at = find(&top, "yes");
    assert_status_is(hs_json_read_bool(&yes, &at, &err), HS_OK, &err);
    assert_true(yes);
    at = find(&top, "text");
    assert_status_is(hs_json_read_string(&text, &at, &err), HS_OK, &err);
    assert_string_equal(text, "\xc2\xb5\xf0\x9f\x98\x80\n");
    at = find(&top, "kind");
    assert_status_is(hs_json_read_choice(&index, &at, kinds, 2, &err), HS_OK, &err);
    assert_int_equal(index, 1);
    at = find(&top, "list");
    assert_status_is(hs_json_array(&count, &at, 2, 2, &err), HS_OK, &err);
    element = hs_json_element(&at, 1);
    assert_status_is(hs_json_array(&count, &element, 1, 9, &err), HS_OK, &err);
    assert_int_equal(count, 1);
    assert_null(hs_json_find(&top, "absent").node);
    assert_null(hs_json_find(&at, "number").node);
    at = find(&top, "none");
    assert_true(hs_json_is_null(&at) && !hs_json_is_object(&at) && hs_json_is_object(&top));
    hs_json_release(&document);
}

static void walks_elements_and_members(void **state)
{
    struct hs_json_document document = parsed("{\"a\": [1, 2, 3], \"b\": [], \"c\": 1}");
    struct hs_json top = hs_json_top(&document), list = find(&top, "a"), none = find(&top, "b"), at;
    int64_t sum = 0, number = 0;
    char keys[8] = "";

    (void)state;
    for (at = hs_json_first(&list); at.node; hs_json_next(&at)) {
        assert_ptr_equal(at.node, hs_json_element(&list, at.index).node);
        assert_int_equal(hs_json_read_integer(&number, &at, 1, 3, NULL), HS_OK);
        sum += number;
    }
    assert_int_equal(sum, 6);
    assert_null(hs_json_first(&none).node);
    for (at = hs_json_first(&top); at.node; hs_json_next(&at))
        strcat(keys, at.key);
    assert_string_equal(keys, "abc");
    hs_json_release(&document);
}

/* Beyond 2^53 - 1 a double skips some, and only there text is right. */
static void whole_numbers_of_64_bits_are_text_where_they_have_to_be(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
        const char *line; /* NULL: it is right */
    } cases[] = {
        {"0", 0, NULL},
        {"9007199254740991", 9007199254740991, NULL},
        {"\"9007199254740992\"", 9007199254740992, NULL},
        {"\"18446744073709551615\"", UINT64_MAX, NULL},
        {"9007199254740992", 0,
         "x.json: expected a whole number from 0 to 9007199254740991, found 9007199254740992"},
        {"\"18446744073709551616\"", 0,
         "x.json: expected a whole number up to 18446744073709551615, found "
         "\"18446744073709551616\""},
        {"\"9007199254740991\"", 0,
         "x.json: expected a number: text is for those above 9007199254740991, found "
         "\"9007199254740991\""},
        {"\"09007199254740992\"", 0,
         "x.json: expected a whole number up to 18446744073709551615, found "
         "\"09007199254740992\""},
        {"true", 0, "x.json: expected a whole number from 0 to 9007199254740991, found true"},
    };

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++) {
        struct hs_json_document document = parsed(cases[i].text);
        struct hs_json top = hs_json_top(&document);
        struct hs_error err = {HS_OK, ""};
        uint64_t value = 1;

        assert_int_equal(hs_json_read_whole(&value, &top, 0, &err),
                         cases[i].line ? HS_INVALID : HS_OK);
        if (cases[i].line)
            assert_string_equal(err.message, cases[i].line);
        else
            assert_true(value == cases[i].value);
        hs_json_release(&document);
    }
}

/* levels[1] of a document, and what reading `value` there as a number above 0 says. */
static void check_number(const char *value, const struct hs_json_bounds *bounds, const char *line)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_json_document document;
    struct hs_json top, levels, level, at;
    char text[256];
    double number;

    snprintf(text, sizeof(text), "{\"levels\": [0, {\"bandwidth_GBps\": %s}]}", value);
    document = parsed(text);
    top = hs_json_top(&document);
    levels = find(&top, "levels");
    level = hs_json_element(&levels, 1);
    at = find(&level, "bandwidth_GBps");
    assert_int_equal(hs_json_read_number(&number, &at, bounds, &err), HS_INVALID);
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
    check_number("[]", &ratio,
                 "x.json: levels[1].bandwidth_GBps: expected a number, found an array");
    check_number("{}", &ratio,
                 "x.json: levels[1].bandwidth_GBps: expected a number, found an object");
    check_number("true", &ratio, "x.json: levels[1].bandwidth_GBps: expected a number, found true");
}

static void whole_numbers_are_whole(void **state)
{
    static const char *const bad[] = {"1.5", "0", "65", "1e300", "\"1\"", "null", "-1"};
    struct hs_error err = {HS_OK, ""};
    int64_t whole;

    (void)state;
    for (size_t i = 0; i < HS_COUNT(bad); i++) {
        struct hs_json_document document;
        struct hs_json top, at;
        char text[64], found[64];

        snprintf(text, sizeof(text), "{\"ports\": %s}", bad[i]);
        document = parsed(text);
        top = hs_json_top(&document);
        at = find(&top, "ports");
        assert_int_equal(hs_json_read_integer(&whole, &at, 1, 64, &err), HS_INVALID);
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
    at = find(&top, "a");
    assert_int_equal(hs_json_object(&at, keys, 2, &err), HS_INVALID);
    assert_string_equal(err.message,
                        "x.json: a.bandwith_GBps: unknown key, did you mean \"bandwidth_GBps\"?");
    at = find(&top, "b");
    assert_int_equal(hs_json_object(&at, keys, 2, &err), HS_INVALID);
    assert_string_equal(err.message,
                        "x.json: b.zzz: unknown key, expected \"bandwidth_GBps\" or \"arity\"");
    assert_int_equal(hs_json_object(&at, keys, 0, &err), HS_INVALID);
    at = find(&top, "kind");
    assert_int_equal(hs_json_read_choice(&index, &at, kinds, 2, &err), HS_INVALID);
    assert_string_equal(err.message, "x.json: kind: unknown value \"msh\", did you mean \"mesh\"?");
    at = find(&top, "sort");
    assert_int_equal(hs_json_read_choice(&index, &at, kinds, 2, &err), HS_INVALID);
    assert_string_equal(err.message, "x.json: sort: expected \"mesh\" or \"switch\", found \"x\"");
    at = find(&top, "n");
    assert_int_equal(hs_json_read_choice(&index, &at, kinds, 2, &err), HS_INVALID);
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
    a = find(&top, "a b");
    b = find(&a, "");
    c = hs_json_element(&b, 0);
    d = hs_json_element(&c, 0);
    e = find(&d, "k");
    assert_int_equal(hs_json_read_string(&text, &e, &err), HS_OK);
    e = hs_json_find(&d, "q");
    assert_int_equal(hs_json_read_string(&text, &e, &err), HS_INVALID);
    assert_string_equal(err.message, "x.json: [\"a b\"][\"\"][0][0].q: expected a text in double "
                                     "quotes, found nothing");
    assert_int_equal(hs_json_object(&c, NULL, 0, &err), HS_INVALID);
    assert_string_equal(err.message,
                        "x.json: [\"a b\"][\"\"][0]: expected an object, found an array");
    assert_int_equal(hs_json_array(&count, &top, 0, 9, &err), HS_INVALID);
    assert_string_equal(err.message, "x.json: expected an array, found an object");
    list = find(&top, "list");
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
        cursors[i + 1] = find(&cursors[i], key);
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
    assert_int_equal(hs_json_load(&document, path, &err), HS_NO_FILE);
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
    HS_TEST("elements and members are walked in their order", walks_elements_and_members),
    HS_TEST("whole numbers of 64 bits are text where they have to be, and only there",
            whole_numbers_of_64_bits_are_text_where_they_have_to_be),
    HS_TEST("numbers keep to their bounds", numbers_keep_to_bounds),
    HS_TEST("whole numbers are whole and within their bounds", whole_numbers_are_whole),
    HS_TEST("an unknown key or value names the nearest", suggests_keys_and_values),
    HS_TEST("a complaint names its place", names_the_place),
    HS_TEST("a long path leaves room for the reason", shows_the_reason_behind_long_paths),
    HS_TEST("a file is loaded or refused by its name", loads_files),
};
HS_TEST_MAIN(tests)
