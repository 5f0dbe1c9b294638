/* Aligned tables, bars, and the figures in them. */
#include "test.h"

#include "console/figures.h"
#include "console/help.h"
#include "console/table.h"

static const struct hs_terminal plain = {.width = 80};
static const struct hs_terminal fancy = {.width = 80, .colour = true, .blocks = true};

static void numbers_end_and_words_begin_in_one_column(void **state)
{
    struct hs_table table = {.column_count = 0};
    struct hs_text out = {0};

    (void)state;
    hs_table_column(&table, "plan", false);
    hs_table_column(&table, "time ms", true);
    hs_table_column(&table, "note", false);
    hs_table_row(&table);
    hs_table_cell(&table, 0, "4x8x4");
    hs_table_cell(&table, 1, "%.2f", 1.5);
    hs_table_row(&table);
    hs_table_cell(&table, 0, "8");
    hs_table_cell(&table, 1, "%.2f", 12345.678);
    hs_table_cell(&table, 2, "%s", "fl");
    hs_table_cell(&table, 2, "%s", "at");
    hs_table_print(&out, &table, &plain);
    assert_string_equal(out.data, "plan    time ms  note\n"
                                  "4x8x4      1.50\n"
                                  "8      12345.68  flat\n");
    assert_int_equal(hs_table_width(&table), 5 + 2 + 8 + 2 + 4);
    hs_text_release(&out);
    hs_table_release(&table);
}

/* Each part has the first column, and none is wider than the terminal. */
static void a_narrow_terminal_gets_the_columns_below_each_other(void **state)
{
    static const struct hs_terminal narrow = {.is_terminal = true, .width = 12};
    static const struct hs_terminal pipe = {.width = 12};
    struct hs_table table = {.column_count = 0};
    struct hs_text out = {0};

    (void)state;
    hs_table_column(&table, "n", true);
    hs_table_column(&table, "plan", false);
    hs_table_column(&table, "ms", true);
    hs_table_column(&table, "growing", false);
    hs_table_row(&table);
    hs_table_cell(&table, 0, "1");
    hs_table_cell(&table, 1, "4x8");
    hs_table_cell(&table, 2, "10");
    hs_table_cell(&table, 3, "new");
    hs_table_print(&out, &table, &narrow);
    assert_string_equal(out.data, "n  plan  ms\n"
                                  "1  4x8   10\n"
                                  "\n"
                                  "n  growing\n"
                                  "1  new\n");
    hs_text_release(&out);
    hs_table_print(&out, &table, &pipe);
    assert_string_equal(out.data, "n  plan  ms  growing\n"
                                  "1  4x8   10  new\n");
    hs_text_release(&out);
    hs_table_release(&table);
}

static void characters_are_counted_not_bytes(void **state)
{
    (void)state;
    assert_int_equal(hs_text_columns(""), 0);
    assert_int_equal(hs_text_columns("4x8"), 3);
    assert_int_equal(hs_text_columns("\u2588\u2592"), 2);
    assert_int_equal(hs_text_columns("\033[34m\u2588\033[0m"), 1);
}

static void the_last_column_is_cut_to_fit(void **state)
{
    struct hs_table table = {.column_count = 0};
    struct hs_text out = {0};

    (void)state;
    hs_table_column(&table, "n", true);
    hs_table_column(&table, "text", false);
    hs_table_row(&table);
    hs_table_cell(&table, 0, "1");
    hs_table_cell(&table, 1, "\u00e4bcdefghijklmno");
    hs_table_row(&table);
    hs_table_cell(&table, 1, "short");
    hs_table_cut(&table, 13);
    hs_table_print(&out, &table, &plain);
    assert_string_equal(out.data, "n  text\n"
                                  "1  \u00e4bcdefg...\n"
                                  "   short\n");
    assert_int_equal(hs_table_width(&table), 13);
    hs_text_release(&out);
    hs_table_release(&table);
}

/* 1 + 2 + 5 of 10 in 20 columns: ends at 2, 6 and 16. */
static void a_bar_shows_each_part_by_its_length(void **state)
{
    static const double parts[] = {1, 2, 5};
    struct hs_text out = {0};

    (void)state;
    hs_bar_append(&out, &plain, parts, 3, 10, 20);
    assert_string_equal(out.data, "##====++++++++++");
    hs_text_release(&out);
}

static void many_small_parts_do_not_add_up_to_an_error(void **state)
{
    double parts[100];
    struct hs_text out = {0};

    (void)state;
    for (size_t i = 0; i < HS_COUNT(parts); i++)
        parts[i] = 0.1;
    hs_bar_append(&out, &plain, parts, HS_COUNT(parts), 10, 40);
    assert_int_equal(hs_text_columns(out.data), 40);
    hs_text_release(&out);
}

static void a_bar_beyond_the_scale_is_marked(void **state)
{
    static const double parts[] = {30};
    struct hs_text out = {0};

    (void)state;
    hs_bar_append(&out, &plain, parts, 1, 10, 8);
    assert_string_equal(out.data, "#######>");
    hs_text_release(&out);
}

static void colour_and_blocks_appear_only_where_they_can(void **state)
{
    static const double parts[] = {1, 1};
    struct hs_text out = {0};

    (void)state;
    hs_bar_append(&out, &fancy, parts, 2, 2, 4);
    assert_string_equal(out.data, "\033[34m\u2588\u2588\033[0m\033[33m\u2592\u2592\033[0m");
    assert_string_equal(hs_style_on(&plain, HS_STYLE_BOLD, 0), "");
    assert_string_equal(hs_style_off(&plain), "");
    hs_text_release(&out);
}

static void a_pipe_is_no_terminal(void **state)
{
    int ends[2];
    struct hs_terminal terminal;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    unsetenv("COLUMNS");
    terminal = hs_terminal_look(ends[1]);
    assert_false(terminal.is_terminal);
    assert_false(terminal.colour);
    assert_int_equal(terminal.width, HS_TERMINAL_WIDTH);
    setenv("COLUMNS", "123", 1);
    assert_int_equal(hs_terminal_look(ends[1]).width, 123);
    setenv("COLUMNS", "1", 1);
    assert_int_equal(hs_terminal_look(ends[1]).width, 40);
    close(ends[0]);
    close(ends[1]);
}

static void figures_have_four_digits(void **state)
{
    char text[HS_FIGURE_TEXT];
    struct hs_time_unit unit = hs_time_unit_for(15.88e-3);

    (void)state;
    assert_string_equal(unit.name, "ms");
    assert_string_equal(hs_time_figure(text, 15.8765e-3, &unit), "15.88");
    assert_string_equal(hs_time_figure(text, 1.2, &unit), "1200.00");
    unit = hs_time_unit_for(134.5e-6);
    assert_string_equal(unit.name, "us");
    assert_string_equal(hs_time_figure(text, 134.5e-6, &unit), "134.5");
    assert_string_equal(hs_ratio_figure(text, 3, 2), "1.500x");
    assert_string_equal(hs_ratio_figure(text, 30, 2), "15.0x");
    assert_string_equal(hs_ratio_figure(text, 2400.4, 1), "2400x");
    assert_string_equal(hs_ratio_figure(text, 30, 0), "-");
    assert_string_equal(hs_percent_figure(text, 1, 8), "12.5");
    assert_string_equal(hs_bytes_figure(text, 1536), "1.500KiB");
    assert_string_equal(hs_bytes_figure(text, 128.0 * 1024 * 1024), "128MiB");
    assert_string_equal(hs_bytes_figure(text, 122.14 * 1024 * 1024), "122.1MiB");
    assert_string_equal(hs_bytes_figure(text, 1), "1B");
}

static void counts_are_grouped(void **state)
{
    char text[HS_FIGURE_TEXT];

    (void)state;
    assert_string_equal(hs_count_figure(text, 0), "0");
    assert_string_equal(hs_count_figure(text, 999), "999");
    assert_string_equal(hs_count_figure(text, 1000), "1,000");
    assert_string_equal(hs_count_figure(text, 524288), "524,288");
    assert_string_equal(hs_count_figure(text, 1234567890), "1,234,567,890");
    assert_string_equal(hs_count_figure(text, UINT64_MAX), "over 1.8e19");
}

static void text_is_wrapped_at_blanks(void **state)
{
    struct hs_text out = {0};

    (void)state;
    hs_text_wrap(&out, "one two  three four\nfive", 2, 2, 11);
    assert_string_equal(out.data, "one two\n  three\n  four\n  five");
    hs_text_release(&out);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("numbers end and words begin in one column, and no line ends in blanks",
            numbers_end_and_words_begin_in_one_column),
    HS_TEST("a narrow terminal gets the columns below each other, a pipe all of them",
            a_narrow_terminal_gets_the_columns_below_each_other),
    HS_TEST("width counts characters, not bytes or escapes", characters_are_counted_not_bytes),
    HS_TEST("the last column is cut to fit, between characters", the_last_column_is_cut_to_fit),
    HS_TEST("a bar shows each part by its length", a_bar_shows_each_part_by_its_length),
    HS_TEST("a hundred small parts make a bar of the right length",
            many_small_parts_do_not_add_up_to_an_error),
    HS_TEST("a bar beyond the scale is cut and marked", a_bar_beyond_the_scale_is_marked),
    HS_TEST("colours and blocks appear only where the terminal has them",
            colour_and_blocks_appear_only_where_they_can),
    HS_TEST("a pipe is no terminal, and COLUMNS sets the width", a_pipe_is_no_terminal),
    HS_TEST("figures have four digits and fitting units", figures_have_four_digits),
    HS_TEST("counts are grouped by thousands", counts_are_grouped),
    HS_TEST("text is wrapped at blanks", text_is_wrapped_at_blanks),
};

HS_TEST_MAIN(tests)
