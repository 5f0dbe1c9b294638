/* Tables in every format, bars, and the figures in them. */
#include "test.h"

#include "show/bar.h"
#include "show/render.h"
#include "show/sheet.h"

static const struct hs_terminal plain = {.width = 80};
static const struct hs_terminal fancy = {.width = 80, .color = true, .blocks = true};

/* ---- a table ---- */

struct record {
    const char *plan;
    double seconds, spread;
    const char *note;
};

/* clang-format off */
#define COLUMNS(column)                                                                            \
    column(PLAN, "plan", "plan", NULL, TEXT, ALWAYS, r->plan)                                      \
    column(TIME, "seconds", "time", HS_TABLE_UNIT, SCALED, ALWAYS, r->seconds)                     \
    column(SPREAD, "spread", "+-", "%", PERCENT, IF_ANY, r->spread)                                \
    column(NOTE, "note", "note", NULL, TEXT, ALWAYS, r->note)                                      \
    column(SHORT, NULL, "short", NULL, TEXT, ALWAYS, r->plan)                                      \
    column(RANGE, NULL, "range", HS_TABLE_UNIT, RANGE, IF_ANY,                                     \
           hs_value_range((double[]){r->seconds / 2, r->seconds * 2}))
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};
static const struct hs_pick picks[] = {HS_PICK(PLAN), HS_PICK(TIME), HS_PICK(SPREAD),
                                       HS_PICK(NOTE)};

static void add(struct hs_table *table, const struct record *r)
{
    hs_table_row(table);
    COLUMNS(HS_COLUMN_PUT)
}

static void make(struct hs_table *table, double spread, const char *note)
{
    HS_TABLE_INIT(table, "plans", columns);
    table->picks = HS_PICKS(picks);
    table->unit = hs_time_unit_for(1.5e-3);
    add(table, &(struct record){"4x8x4", 1.5e-3, NAN, NULL});
    add(table, &(struct record){"8", 12.345678, spread, note});
}

static void check_text(const struct hs_terminal *terminal, struct hs_table *table,
                       const char *expected)
{
    struct hs_text out = {0};

    hs_table_text(&out, table, terminal);
    assert_string_equal(out.data, expected);
    hs_text_release(&out);
    hs_table_release(table);
}

static void numbers_end_and_words_begin_in_one_column(void **state)
{
    struct hs_table table;

    (void)state;
    make(&table, 0.125, "flat");
    check_text(&plain, &table,
               "plan     time ms  +- %  note\n"
               "4x8x4      1.500\n"
               "8      12345.678  12.5  flat\n");
}

/* In the unit of the table's times, whatever its own would be; on a page with its own. */
static void ranges_are_in_the_unit_of_the_times(void **state)
{
    static const struct hs_pick of_ranges[] = {HS_PICK(TIME), HS_PICK(RANGE)};
    struct hs_text out = {0};
    struct hs_table table;

    (void)state;
    make(&table, NAN, NULL);
    table.picks = HS_PICKS(of_ranges);
    add(&table, &(struct record){"none", NAN, NAN, NULL});
    hs_cell_show(&out, &table, 0, RANGE, true);
    assert_string_equal(out.data, "750 to 3000 us");
    hs_text_release(&out);
    check_text(&plain, &table,
               "  time ms       range ms\n    1.500      0.75 to 3\n"
               "12345.678  6200 to 25000\n\n");
}

static void a_column_without_values_is_left_out(void **state)
{
    struct hs_table table;

    (void)state;
    make(&table, NAN, NULL);
    check_text(&plain, &table,
               "plan     time ms  note\n"
               "4x8x4      1.500\n"
               "8      12345.678\n");
}

/* Each part has the first column, and none is wider than the terminal. */
static void a_narrow_terminal_gets_the_columns_below_each_other(void **state)
{
    static const struct hs_terminal narrow = {.is_terminal = true, .width = 17};
    static const struct hs_terminal pipe = {.width = 17};
    struct hs_table table;

    (void)state;
    make(&table, 0.5, "new");
    check_text(&narrow, &table,
               "plan     time ms\n"
               "4x8x4      1.500\n"
               "8      12345.678\n"
               "\n"
               "plan   +- %  note\n"
               "4x8x4\n"
               "8      50.0  new\n");
    make(&table, 0.5, "new");
    check_text(&pipe, &table,
               "plan     time ms  +- %  note\n"
               "4x8x4      1.500\n"
               "8      12345.678  50.0  new\n");
}

static void the_last_column_is_cut_to_fit(void **state)
{
    static const struct hs_terminal narrow = {.is_terminal = true, .width = 28};
    struct hs_table table;

    (void)state;
    make(&table, NAN, "\u00e4bcdefghijklmno");
    table.cut = true;
    check_text(&narrow, &table,
               "plan     time ms  note\n"
               "4x8x4      1.500\n"
               "8      12345.678  \u00e4bcdefg...\n");
}

static void text_of_others_commands_no_terminal(void **state)
{
    struct hs_table table;

    (void)state;
    make(&table, NAN, "a\033[2Jb\u202ec\nd");
    check_text(&plain, &table,
               "plan     time ms  note\n"
               "4x8x4      1.500\n"
               "8      12345.678  a?[2Jb?c?d\n");
}

/* ---- the other formats ---- */

static void a_table_is_markdown(void **state)
{
    struct hs_text out = {0};
    struct hs_table table;

    (void)state;
    make(&table, NAN, "a|b_c");
    hs_table_markdown(&out, &table);
    assert_string_equal(out.data, "| plan | time ms | note |\n"
                                  "|---|---:|---|\n"
                                  "| 4x8x4 | 1.500 |  |\n"
                                  "| 8 | 12345.678 | a\\|b\\_c |\n"
                                  "\n");
    hs_text_release(&out);
    hs_table_release(&table);
}

/* RFC 4180, 2.6 and 2.7; numbers in SI with all their digits. */
static void a_table_is_csv(void **state)
{
    struct hs_text out = {0};
    struct hs_table table;

    (void)state;
    make(&table, 0.125, "a, \"b\"\nc");
    hs_table_csv(&out, &table, true);
    assert_string_equal(out.data, "plan,seconds,spread,note\n"
                                  "4x8x4,0.0015,,\n"
                                  "8,12.345678,0.125,\"a, \"\"b\"\"\nc\"\n");
    hs_text_release(&out);
    hs_table_release(&table);
}

static void check_note(const char *note, const char *expected)
{
    struct hs_text out = {0};
    struct hs_table table;

    make(&table, NAN, note);
    hs_table_csv(&out, &table, false);
    assert_string_equal(strrchr(strstr(out.data, "12.345678"), ',') + 1, expected);
    hs_text_release(&out);
    hs_table_release(&table);
}

/* What a file of others has in it: https://owasp.org/www-community/attacks/CSV_Injection */
static void no_cell_is_a_formula(void **state)
{
    (void)state;
    check_note("=HYPERLINK(1)", "'=HYPERLINK(1)\n");
    check_note("=\"x\"", "\"'=\"\"x\"\"\"\n");
    check_note("@SUM(1)", "'@SUM(1)\n");
    check_note("+1", "'+1\n");
    check_note("-1", "'-1\n");
    check_note("\t=1", "' =1\n");
    check_note("-", "-\n");
    check_note("a=b", "a=b\n");
}

static void a_table_is_html(void **state)
{
    struct hs_text out = {0};
    struct hs_table table;

    (void)state;
    make(&table, NAN, "<b>\"&");
    table.best = 1;
    hs_table_html(&out, &table, "A < B");
    assert_string_equal(out.data,
                        "<div class=\"scroll\"><table>\n<caption>A &lt; B</caption>\n"
                        "<thead><tr><th scope=\"col\">plan</th><th scope=\"col\" class=\"n\">time"
                        "</th><th scope=\"col\">note</th></tr></thead>\n"
                        "<tbody>\n<tr><td>4x8x4</td><td class=\"n\">1.500 ms</td><td></td></tr>\n"
                        "<tr class=\"best\"><td>8</td><td class=\"n\">12.35 s</td>"
                        "<td>&lt;b&gt;&quot;&amp;</td></tr>\n"
                        "</tbody></table></div>\n");
    hs_text_release(&out);
    hs_table_release(&table);
}

/* ---- a sheet ---- */

static void print_twice(struct hs_text *out, const struct hs_print *print)
{
    struct hs_sheet sheet;
    struct hs_error error;
    struct hs_table table;

    hs_sheet_begin(&sheet, out, print, &fancy);
    hs_sheet_stress(&sheet, "First");
    hs_sheet_say(&sheet, "\nof two\n");
    make(&table, NAN, NULL);
    hs_sheet_table(&sheet, &table);
    make(&table, NAN, "x");
    hs_sheet_table(&sheet, &table);
    hs_sheet_say(&sheet, "the end\n");
    assert_int_equal(hs_sheet_end(&sheet, &error), HS_OK);
}

static void check_sheet(const char *format, const char *expected)
{
    struct hs_text out = {0};

    print_twice(&out, &(struct hs_print){.format = format});
    assert_string_equal(out.data, expected);
    hs_text_release(&out);
}

static void programs_get_the_tables_alone(void **state)
{
    (void)state;
    check_sheet("csv", "plan,seconds,spread,note\n4x8x4,0.0015,,\n8,12.345678,,\n"
                       "4x8x4,0.0015,,\n8,12.345678,,x\n");
    check_sheet("json", "{\n  \"plans\": [\n"
                        "    {\"plan\":\"4x8x4\",\"seconds\":0.0015},\n"
                        "    {\"plan\":\"8\",\"seconds\":12.345678},\n"
                        "    {\"plan\":\"4x8x4\",\"seconds\":0.0015},\n"
                        "    {\"plan\":\"8\",\"seconds\":12.345678,\"note\":\"x\"}\n"
                        "  ]\n}\n");
}

static void markdown_has_paragraphs_between_its_tables(void **state)
{
    (void)state;
    check_sheet("md", "First  \nof two\n\n"
                      "| plan | time ms | note |\n|---|---:|---|\n"
                      "| 4x8x4 | 1.500 |  |\n| 8 | 12345.678 |  |\n\n"
                      "| plan | time ms | note |\n|---|---:|---|\n"
                      "| 4x8x4 | 1.500 |  |\n| 8 | 12345.678 | x |\n\n"
                      "the end\n");
}

static bool is_colored(const char *format, const char *color, const struct hs_terminal *terminal)
{
    return hs_print_terminal(&(struct hs_print){format, color, 0}, terminal).color;
}

static void colors_are_as_they_were_asked_for(void **state)
{
    (void)state;
    assert_true(is_colored(NULL, NULL, &fancy));
    assert_true(is_colored("text", "auto", &fancy));
    assert_false(is_colored(NULL, "never", &fancy));
    assert_false(is_colored(NULL, "auto", &plain));
    assert_true(is_colored(NULL, "always", &plain));
    assert_false(is_colored("md", "always", &plain));
}

static void prose_is_broken_where_the_terminal_ends(void **state)
{
    static const struct hs_terminal narrow = {.width = 24};
    struct hs_text out = {0};
    struct hs_sheet sheet;

    (void)state;
    for (int md = 0; md < 2; md++) {
        hs_sheet_begin(&sheet, &out, &(struct hs_print){.format = md ? "md" : "text"}, &narrow);
        hs_sheet_line(&sheet, "Evidence: %s.", "a guess, and no more");
        hs_sheet_say(&sheet, "a command that is said whole\n");
        assert_int_equal(hs_sheet_lines(&sheet, &sheet.lines), 4);
        assert_int_equal(hs_sheet_end(&sheet, NULL), HS_OK);
        assert_string_equal(out.data, md ? "Evidence: a guess, and no more.  \n"
                                           "a command that is said whole\n"
                                         : "Evidence: a guess, and\n  no more.\n"
                                           "a command that is said whole\n");
        hs_text_release(&out);
    }
}

/* ---- bars ---- */

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

static void color_and_blocks_appear_only_where_they_can(void **state)
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

/* ---- figures ---- */

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
    assert_string_equal(hs_gain_figure(text, 1.1283), "1.13x");
    assert_string_equal(hs_gain_figure(text, 9.996), "10.0x");
    assert_string_equal(hs_gain_figure(text, 412.4), "412x");
    assert_string_equal(hs_gain_range_figure(text, &(struct hs_gain){1, 0.7601, 12.34, 1}),
                        "0.76x to 12.3x");
    assert_string_equal(hs_percent_figure(text, 0.125, 1), "12.5");
    assert_string_equal(hs_percent_figure(text, -0.0004, 1), "0.0");
    assert_string_equal(hs_percent_figure(text, (double)NAN, 1), "-");
    assert_string_equal(hs_error_figure(text, 0.0004, 1), "+0.0");
    assert_string_equal(hs_error_figure(text, -0.125, 2), "-12.50");
    assert_string_equal(hs_bytes_figure(text, 1536), "1.500KiB");
    assert_string_equal(hs_bytes_figure(text, 128.0 * 1024 * 1024), "128MiB");
    assert_string_equal(hs_bytes_figure(text, 122.14 * 1024 * 1024), "122.1MiB");
    assert_string_equal(hs_bytes_figure(text, 1), "1B");
}

/* A bandwidth of 10 Mbit/s keeps its digits. */
static void slow_rates_keep_three_digits(void **state)
{
    char text[HS_FIGURE_TEXT];

    (void)state;
    assert_string_equal(hs_gigabytes_figure(text, 15.876e9), "15.88");
    assert_string_equal(hs_gigabytes_figure(text, 1e9), "1.00");
    assert_string_equal(hs_gigabytes_figure(text, 0.02134e9), "0.0213");
    assert_string_equal(hs_gigabytes_figure(text, 0), "0.00");
    assert_string_equal(hs_gigabytes_figure(text, (double)INFINITY), "-");
}

static void shares_of_samples_are_never_more_than_they_are(void **state)
{
    static const struct {
        double share;
        const char *text;
    } cases[] = {{1, "all"},        {0.995, "over 99 % of"}, {0.9899, "99 % of"},
                 {0.68, "68 % of"}, {0.004, "under 1 % of"}, {0, "none of"}};
    char text[HS_FIGURE_TEXT];

    (void)state;
    for (size_t i = 0; i < HS_COUNT(cases); i++)
        assert_string_equal(hs_share_figure(text, cases[i].share), cases[i].text);
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

static const struct CMUnitTest tests[] = {
    HS_TEST("numbers end and words begin in one column, and no line ends in blanks",
            numbers_end_and_words_begin_in_one_column),
    HS_TEST("ranges are in the unit of the times", ranges_are_in_the_unit_of_the_times),
    HS_TEST("a column without values is left out where it may be",
            a_column_without_values_is_left_out),
    HS_TEST("a narrow terminal gets the columns below each other, a pipe all of them",
            a_narrow_terminal_gets_the_columns_below_each_other),
    HS_TEST("the last column is cut to fit, between characters", the_last_column_is_cut_to_fit),
    HS_TEST("text of others commands no terminal", text_of_others_commands_no_terminal),
    HS_TEST("a table is Markdown, in which its text means nothing", a_table_is_markdown),
    HS_TEST("a table is CSV as RFC 4180 wants it, with SI numbers", a_table_is_csv),
    HS_TEST("no cell of CSV is a formula", no_cell_is_a_formula),
    HS_TEST("a table is HTML, each time with its unit", a_table_is_html),
    HS_TEST("programs get the tables alone, those of one kind as one",
            programs_get_the_tables_alone),
    HS_TEST("Markdown has paragraphs between its tables",
            markdown_has_paragraphs_between_its_tables),
    HS_TEST("colors are as they were asked for", colors_are_as_they_were_asked_for),
    HS_TEST("prose is broken where the terminal ends", prose_is_broken_where_the_terminal_ends),
    HS_TEST("a bar shows each part by its length", a_bar_shows_each_part_by_its_length),
    HS_TEST("a hundred small parts make a bar of the right length",
            many_small_parts_do_not_add_up_to_an_error),
    HS_TEST("a bar beyond the scale is cut and marked", a_bar_beyond_the_scale_is_marked),
    HS_TEST("colors and blocks appear only where the terminal has them",
            color_and_blocks_appear_only_where_they_can),
    HS_TEST("figures have four digits and fitting units", figures_have_four_digits),
    HS_TEST("slow rates keep three digits", slow_rates_keep_three_digits),
    HS_TEST("shares of samples are never more than they are",
            shares_of_samples_are_never_more_than_they_are),
    HS_TEST("counts are grouped by thousands", counts_are_grouped),
};

HS_TEST_MAIN(tests)
