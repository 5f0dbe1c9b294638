/* Manual pages of file formats: what becomes of Markdown and of a JSON Schema. */
#include "test.h"

#include <stdlib.h>

#include <cjson/cJSON.h>

#include "console/roff.h"
#include "manual/manual.h"

static void expect_sections(const char *markdown, const char *heading, const char *wanted)
{
    struct hs_text out = {0};
    struct hs_error error;
    const char *headings[] = {heading};

    assert_status_is(hs_markdown_sections(&out, markdown, headings, heading ? 1 : 0, &error), HS_OK,
                     &error);
    assert_string_equal(out.data, wanted);
    hs_text_release(&out);
}

static void text_keeps_its_characters(void **state)
{
    (void)state;
    expect_sections("a \\ b - c 'd' \"e\" ~ ^\n", NULL,
                    "a \\e b \\%\\- c \\(aqd\\(aq \\(dqe\\(dq \\(ti \\(ha\n");
}

static void a_line_that_begins_with_a_dot_is_no_macro(void **state)
{
    (void)state;
    expect_sections(".SH no heading\n", NULL, "\\&.SH no heading\n");
}

static void stress_code_and_links_become_fonts_and_text(void **state)
{
    (void)state;
    expect_sections("**b** *i* 2 * 3 `x_*y*` [text](there.md), a*\n", NULL,
                    "\\fBb\\fR \\fIi\\fR 2 * 3 \\%\\fBx_*y*\\fR text, a*\n");
}

static void paragraphs_lists_and_code_are_told_apart(void **state)
{
    (void)state;
    expect_sections(
        "# Title\n\none\ntwo\n\nthree\n\n1. first\n   goes on\n2. second\n\n- dot\n\n"
        "    .code 'x'\n",
        NULL,
        "one two\n.PP\nthree\n.IP 1. 4\nfirst goes on\n.IP 2. 4\nsecond\n.IP \\(bu 2\ndot\n"
        ".PP\n.RS 4\n.EX\n\\&.code \\(aqx\\(aq\n.EE\n.RE\n");
}

static void a_table_becomes_a_list(void **state)
{
    (void)state;
    expect_sections("| field | | meaning |\n|---|---|---|\n| `a` | s | one |\n| b | | `x|y` |\n",
                    NULL, ".TP\n\\fBa\\fR\ns; one\n.TP\nb\n\\%\\fBx|y\\fR\n");
    expect_sections("| k | p | q | r |\n|---|---|---|---|\n| a | 1 | 2 | 3 |\n", NULL,
                    ".TP\na\np: 1; q: 2; r: 3\n");
}

static void only_the_sections_asked_for_are_taken(void **state)
{
    struct hs_text out = {0};
    struct hs_error error;
    const char *const headings[] = {"Two", "Four"};

    (void)state;
    expect_sections("zero\n\n## One\nx\n\n## Two\ny\n\n## Three\nz\n", "Two", ".SH TWO\ny\n");
    assert_int_equal(hs_markdown_sections(&out, "## Two\nx\n", headings, 2, &error), HS_INVALID);
    assert_string_equal(error.message, "1 of the 2 sections are not there");
    hs_text_release(&out);
}

static void a_schema_becomes_paths_with_types_and_limits(void **state)
{
    static const char text[] =
        "{\"required\": [\"a\"], \"properties\": {"
        "\"a\": {\"$ref\": \"#/$defs/n\", \"description\": \"What it is.\"},"
        "\"list\": {\"type\": \"array\", \"minItems\": 1, \"maxItems\": 8, \"items\": "
        "{\"properties\": {"
        "\"w\": {\"enum\": [\"x\", \"y\"], \"default\": \"x\"}}}},"
        "\"t\": {\"oneOf\": [{\"type\": \"string\", \"maxLength\": 3}, {\"type\": \"null\"}]}},"
        "\"$defs\": {\"n\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 9}}}";
    cJSON *schema = cJSON_Parse(text);
    struct hs_text out = {0};

    (void)state;
    assert_non_null(schema);
    hs_schema_fields(&out, schema, true);
    assert_string_equal(out.data,
                        ".TP\n\\fBa\\fR\nwhole number from 1 to 9, always there\n.br\nWhat it is.\n"
                        ".TP\n\\fBlist[]\\fR\narray of 1 to 8\n"
                        ".TP\n\\fBlist[].w\\fR\nx or y, default x\n"
                        ".TP\n\\fBt\\fR\ntext of at most 3 characters, or null\n");
    hs_text_release(&out);
    cJSON_Delete(schema);
}

static void lines_of_roff_are_short(void **state)
{
    struct hs_text words = {0}, out = {0};

    (void)state;
    for (int i = 0; i < 100; i++)
        hs_text_append(&words, "word-%d ", i);
    hs_roff_paragraph(&out, words.data);
    for (const char *line = out.data; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    hs_text_release(&words);
    hs_text_release(&out);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("text keeps its characters", text_keeps_its_characters),
    HS_TEST("a line that begins with a dot is no macro", a_line_that_begins_with_a_dot_is_no_macro),
    HS_TEST("stress, code and links become fonts and text",
            stress_code_and_links_become_fonts_and_text),
    HS_TEST("paragraphs, lists and code are told apart", paragraphs_lists_and_code_are_told_apart),
    HS_TEST("a table becomes a list", a_table_becomes_a_list),
    HS_TEST("only the sections asked for are taken", only_the_sections_asked_for_are_taken),
    HS_TEST("a schema becomes paths with types and limits",
            a_schema_becomes_paths_with_types_and_limits),
    HS_TEST("lines of roff are short", lines_of_roff_are_short),
};

HS_TEST_MAIN(tests)
