/*
 * The table of commands: every row can be found, read and explained.
 */
#include "test.h"

#include <stdlib.h>

#include "base/options.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/option_rows.h"

static void every_command_can_be_found(void **state)
{
    struct hs_error error;
    const struct hs_command *found;

    (void)state;
    for (const struct hs_command *const *c = hs_commands; *c; c++) {
        assert_status_is(hs_command_find(&found, hs_commands, (*c)->name, &error), HS_OK, &error);
        assert_ptr_equal(found, *c);
        assert_true((*c)->summary[0] != '\0');
    }
    assert_int_equal(hs_command_find(&found, hs_commands, "predcit", &error), HS_INVALID);
    assert_string_equal(error.message, "unknown command \"predcit\", did you mean \"predict\"?");
}

/* Two rows of one name would hide each other; a fallback that cannot be read would break every
 * call. */
static void rows_of_commands_are_sound(void **state)
{
    (void)state;
    for (const struct hs_command *const *c = hs_commands; *c; c++) {
        struct hs_option *rows = hs_command_rows(*c);

        assert_non_null(rows);
        for (size_t i = 0; i < hs_option_count_rows(rows); i++) {
            _Alignas(16) char field[1024];
            struct hs_error error;

            assert_true(rows[i].help && rows[i].help[0]);
            assert_true(rows[i].type->is_flag == (rows[i].argument == NULL));
            if (rows[i].fallback)
                assert_status_is(rows[i].type->parse(field, &rows[i], rows[i].fallback, &error),
                                 HS_OK, &error);
            for (size_t k = 0; k < i; k++) {
                assert_string_not_equal(rows[i].name, rows[k].name);
                assert_true(!rows[i].letter || rows[i].letter != rows[k].letter);
            }
        }
        free(rows);
    }
}

/* Rows of a question and of the command itself stand together by group, --json sets the question's
 * format, and fields of the two do not overlap. */
static void rows_of_questions_and_commands_are_one_table(void **state)
{
    (void)state;
    for (const struct hs_command *const *c = hs_commands; *c; c++) {
        struct hs_option *rows = hs_command_rows(*c);
        const struct hs_option *json, *format;
        size_t count = hs_option_count_rows(rows), own = 0;

        for (size_t i = 0; i < count; i++) {
            own += rows[i].offset < hs_command_question_at(*c) && rows[i].type != &hs_option_json;
            for (size_t k = 0; k + 1 < i; k++)
                if (rows[i].group && rows[k].group && strcmp(rows[i].group, rows[k].group) == 0)
                    assert_string_equal(rows[i - 1].group, rows[i].group);
        }
        if ((*c)->question && hs_option_find(&json, rows, "json", NULL) == HS_OK) {
            assert_int_equal(hs_option_find(&format, rows, "format", NULL), HS_OK);
            assert_int_equal(json->offset, format->offset);
            assert_true(format->offset >= hs_command_question_at(*c));
        }
        if ((*c)->question)
            assert_true(own > 0 && own < count);
        free(rows);
    }
}

/* What most people use fits a screen, and every name in it is a row's. */
static void short_help_fits_a_screen(void **state)
{
    struct hs_terminal terminal = {.width = 80};

    (void)state;
    for (const struct hs_command *const *c = hs_commands; *c; c++) {
        struct hs_text text = {0}, usual = {0};
        struct hs_option *rows = hs_command_rows(*c);
        struct hs_lines lines;
        char *rest, *name;
        size_t count = 0;

        hs_help_command(&text, *c, &terminal, false);
        assert_non_null(text.data);
        lines = (struct hs_lines){.next = text.data};
        while (hs_lines_next(&lines))
            count++;
        if (count > 40)
            fail_msg("%s --help: %zu lines", (*c)->name, count);
        hs_text_append(&usual, "%s", (*c)->usual ? (*c)->usual : "");
        rest = usual.data;
        count = 0;
        while ((name = hs_word_next(&rest))) {
            const struct hs_option *row;
            struct hs_error error;

            assert_status_is(hs_option_find(&row, rows, name, &error), HS_OK, &error);
            count++;
        }
        assert_true(count <= 12);
        free(rows);
        hs_text_release(&usual);
        hs_text_release(&text);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("every command is found by its name, a slip is answered with the nearest",
            every_command_can_be_found),
    HS_TEST("option rows of all commands are unique and their fallbacks can be read",
            rows_of_commands_are_sound),
    HS_TEST("rows of a question and of its command are one table, by group",
            rows_of_questions_and_commands_are_one_table),
    HS_TEST("--help of each command is at most 40 lines, with options that it has",
            short_help_fits_a_screen),
};

HS_TEST_MAIN(tests)
