#include "base/json.h"
#include "base/json_parts.h"
#include "base/json_write.h"
#include "test.h"

static struct hs_json_document parsed(const char *text)
{
    struct hs_json_document document;
    struct hs_error err = {HS_OK, ""};

    assert_status_is(hs_json_parse(&document, "x.json", text, strlen(text), &err), HS_OK, &err);
    return document;
}

static void write_all_kinds(struct hs_json_writer *w)
{
    static const double numbers[] = {1, -0.0, 0.1, 1e100, 111.61428, 4294967296};

    hs_json_open(w, NULL, '{');
    hs_json_write_text(w, "name", "a\"\\\n\x01\xc2\xb5/");
    hs_json_write_numbers(w, "numbers", numbers, 6);
    hs_json_write_numbers(w, "empty", NULL, 0);
    hs_json_open(w, "none", '{');
    hs_json_close(w, '}');
    hs_json_open(w, "mixed", '[');
    hs_json_write_number(w, NULL, 1);
    hs_json_write_raw(w, NULL, "null");
    hs_json_open(w, NULL, '[');
    hs_json_write_bool(w, NULL, true);
    hs_json_write_bool(w, NULL, false);
    hs_json_close(w, ']');
    hs_json_open(w, NULL, '{');
    hs_json_write_text(w, "a", "b[");
    hs_json_write_whole(w, "c", UINT64_MAX);
    hs_json_close(w, '}');
    hs_json_close(w, ']');
    hs_json_close(w, '}');
}

static void prints(void **state)
{
    static const char text[] = "{\n"
                               "  \"name\": \"a\\\"\\\\\\n\\u0001\xc2\xb5/\",\n"
                               "  \"numbers\": [1, -0, 0.1, 1e+100, 111.61428, 4294967296],\n"
                               "  \"empty\": [],\n"
                               "  \"none\": {},\n"
                               "  \"mixed\": [\n"
                               "    1,\n"
                               "    null,\n"
                               "    [\n"
                               "      true,\n"
                               "      false\n"
                               "    ],\n"
                               "    {\n"
                               "      \"a\": \"b[\",\n"
                               "      \"c\": \"18446744073709551615\"\n"
                               "    }\n"
                               "  ]\n"
                               "}\n";
    struct hs_error err = {HS_OK, ""};
    struct hs_text printed = {0};
    struct hs_json_writer w = {.text = &printed, .err = &err};

    (void)state;
    write_all_kinds(&w);
    assert_status_is(hs_json_finish(&w), HS_OK, &err);
    assert_string_equal(printed.data, text);
    hs_text_release(&printed);
}

static void prints_one_line(void **state)
{
    struct hs_text printed = {0};
    struct hs_json_writer w = {.text = &printed, .compact = true};

    (void)state;
    write_all_kinds(&w);
    assert_int_equal(hs_json_finish(&w), HS_OK);
    assert_string_equal(printed.data,
                        "{\"name\":\"a\\\"\\\\\\n\\u0001\xc2\xb5/\",\"numbers\":[1,-0,0.1,1e+100,"
                        "111.61428,4294967296],\"empty\":[],\"none\":{},\"mixed\":[1,null,[true,"
                        "false],{\"a\":\"b[\",\"c\":\"18446744073709551615\"}]}\n");
    hs_text_release(&printed);
}

/* Over doubles of any bits: the text gives the same double back, and is as short as %.17g allows.
 */
static void numbers_come_back(void **state)
{
    uint64_t bits = 1;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        char text[32], shorter[32];
        double value;

        bits = bits * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX generator */
        memcpy(&value, &bits, sizeof(value));
        if (i % 3 == 0) /* figures as people write them */
            value = (double)(int32_t)(bits >> 32) / (i % 2 == 0 ? 1000.0 : 1.0);
        if (!isfinite(value))
            continue;
        hs_json_number_text(text, value);
        assert_true(strtod(text, NULL) == value);
        assert_int_equal(hs_json_scan("x", text, strlen(text), NULL), HS_OK);
        snprintf(shorter, sizeof(shorter), "%.15g", value);
        if (strtod(shorter, NULL) == value && strchr(shorter, 'e') == NULL)
            assert_string_equal(text, shorter);
    }
}

static void prints_valid_json_from_any_bytes(void **state)
{
    struct hs_json_document document;
    struct hs_error err = {HS_OK, ""};
    struct hs_text printed = {0};
    struct hs_json_writer w = {.text = &printed, .err = &err};
    struct hs_json top, at;
    const char *text;

    (void)state;
    hs_json_open(&w, NULL, '{');
    hs_json_write_text(&w, "host", "node\xff\xc2 7");
    hs_json_close(&w, '}');
    assert_status_is(hs_json_finish(&w), HS_OK, &err);
    document = parsed(printed.data);
    top = hs_json_top(&document);
    at = hs_json_find(&top, "host");
    assert_int_equal(hs_json_read_string(&text, &at, &err), HS_OK);
    assert_string_equal(text, "node\xef\xbf\xbd\xef\xbf\xbd 7");
    hs_json_release(&document);
    hs_text_release(&printed);
}

static void what_does_not_exist_is_not_put_and_what_fails_is_remembered(void **state)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_text printed = {0}, none = {.failed = true};
    struct hs_json_writer w = {.text = &printed, .err = &err}, full = {.text = &none, .err = &err};

    (void)state;
    hs_json_open(&w, NULL, '{');
    hs_json_write_text(&w, "not", NULL);
    hs_json_write_number(&w, "nan", (double)NAN);
    hs_json_write_number(&w, "infinite", -(double)INFINITY);
    hs_json_close(&w, '}');
    assert_status_is(hs_json_finish(&w), HS_OK, &err);
    assert_string_equal(printed.data, "{}\n");
    write_all_kinds(&full);
    assert_int_equal(hs_json_finish(&full), HS_MEMORY);
    assert_string_equal(err.message, "out of memory");
    w.status = HS_FAILED;
    assert_int_equal(hs_json_finish(&w), HS_FAILED);
    hs_text_release(&printed);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a document is printed with a line for each value", prints),
    HS_TEST("a document is printed on one line", prints_one_line),
    HS_TEST("every double is printed so that it comes back", numbers_come_back),
    HS_TEST("what is printed is valid JSON whatever bytes it holds",
            prints_valid_json_from_any_bytes),
    HS_TEST("what does not exist is not put, and what fails is remembered",
            what_does_not_exist_is_not_put_and_what_fails_is_remembered),
};
HS_TEST_MAIN(tests)
