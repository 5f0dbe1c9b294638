#include <cjson/cJSON.h>

#include "base/json.h"
#include "base/json_build.h"
#include "base/json_parts.h"
#include "test.h"

static struct hs_json_document parsed(const char *text)
{
    struct hs_json_document document;
    struct hs_error err = {HS_OK, ""};

    assert_status_is(hs_json_parse(&document, "x.json", text, strlen(text), &err), HS_OK, &err);
    return document;
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
                               "      \"a\": \"b\"\n"
                               "    }\n"
                               "  ]\n"
                               "}\n";
    struct hs_json_document document = parsed(text);
    struct hs_error err = {HS_OK, ""};
    struct hs_text printed = {0};

    (void)state;
    assert_status_is(hs_json_print(&printed, document.root, &err), HS_OK, &err);
    assert_string_equal(printed.data, text);
    hs_json_release(&document);
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
    struct cJSON *root = cJSON_CreateObject();
    struct hs_json_document document;
    struct hs_error err = {HS_OK, ""};
    struct hs_text printed = {0};
    struct hs_json top;
    const char *text;

    (void)state;
    cJSON_AddStringToObject(root, "host", "node\xff\xc2 7");
    assert_status_is(hs_json_print(&printed, root, &err), HS_OK, &err);
    document = parsed(printed.data);
    top = hs_json_top(&document);
    assert_int_equal(hs_json_string(&text, &top, "host", &err), HS_OK);
    assert_string_equal(text, "node\xef\xbf\xbd\xef\xbf\xbd 7");
    hs_json_release(&document);
    hs_text_release(&printed);
    cJSON_AddNumberToObject(root, "bad", (double)NAN);
    assert_int_equal(hs_json_print(&printed, root, &err), HS_FAILED);
    hs_text_release(&printed);
    cJSON_Delete(root);
}

static void a_builder_puts_what_exists_and_remembers_what_fails(void **state)
{
    struct hs_error err = {HS_OK, ""};
    struct hs_json_builder builder = {HS_OK, &err};
    struct cJSON *root = cJSON_CreateObject(), *list;
    struct hs_text printed = {0};

    (void)state;
    hs_json_put_text(&builder, root, "there", "yes");
    hs_json_put_text(&builder, root, "not", NULL);
    hs_json_put_number(&builder, root, "nan", (double)NAN);
    hs_json_put_bool(&builder, root, "on", true);
    list = hs_json_put(&builder, root, "list", cJSON_CreateArray());
    assert_non_null(hs_json_append(&builder, list, cJSON_CreateNumber(0.5)));
    assert_int_equal(builder.status, HS_OK);
    assert_status_is(hs_json_print(&printed, root, &err), HS_OK, &err);
    assert_has(printed.data, "\"there\": \"yes\"");
    assert_has(printed.data, "\"on\": true");
    assert_has(printed.data, "0.5");
    assert_null(strstr(printed.data, "not"));
    assert_null(strstr(printed.data, "nan"));
    assert_null(hs_json_append(&builder, NULL, cJSON_CreateNumber(1)));
    assert_int_equal(builder.status, HS_MEMORY);
    assert_string_equal(err.message, "out of memory");
    hs_text_release(&printed);
    cJSON_Delete(root);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a document is printed as it was written", prints),
    HS_TEST("every double is printed so that it comes back", numbers_come_back),
    HS_TEST("what is printed is valid JSON whatever bytes it holds",
            prints_valid_json_from_any_bytes),
    HS_TEST("a builder puts what exists and remembers what fails",
            a_builder_puts_what_exists_and_remembers_what_fails),
};
HS_TEST_MAIN(tests)
