#include "show/check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "answer/figures.h"
#include "base/units.h"

#define NAMED_MOST 4 /* causes of one line */
#define GB         1e9

/* clang-format off */
#define COLUMNS(column)                                                                            \
    column(FILE_NAME, "file", "log", NULL, TEXT, ALWAYS, r->file)                                  \
    column(CALL, "call", "call", NULL, TEXT, ALWAYS, r->call)                                      \
    column(NODES, "nodes", "nodes", NULL, COUNT, IF_ANY, r->nodes ? (double)r->nodes : NAN)        \
    column(NP, "np", "np", NULL, COUNT, ALWAYS, r->ranks)                                          \
    column(BYTES, "bytes", "size", NULL, BYTES, ALWAYS, r->bytes)                                  \
    column(TIME, "seconds", "measured", "us", SCALED, ALWAYS, r->seconds)                          \
    column(EXPECTED, "expected_seconds", "expected", "us", SCALED, IF_ANY, r->expected_seconds)    \
    column(LOW, "expected_low_seconds", "from", "us", SCALED, IF_ANY, r->low_seconds)              \
    column(HIGH, "expected_high_seconds", "to", "us", SCALED, IF_ANY, r->high_seconds)             \
    column(FACTOR, "factor", "times", NULL, RATIO, IF_ANY, r->seconds / r->expected_seconds)       \
    column(BOUND, "bound_seconds", "bound", "us", SCALED, IF_ANY, r->bound_seconds)                \
    column(ALGORITHM, "algorithm", "expected by", NULL, TEXT, IF_ANY,                              \
           r->algorithm[0] ? r->algorithm : NULL)                                                  \
    column(IS_LOW, "low", "", NULL, TEXT, IF_ANY, r->is_low ? "low" : NULL)
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

static void show_rows(struct hs_sheet *sheet, const struct hs_check_answer *checked)
{
    struct hs_table rows, *table = &rows;

    HS_TABLE_INIT(table, "rows", columns);
    table->unit = (struct hs_time_unit){"us", 1e-6, 1};
    for (size_t i = 0; i < checked->row_count; i++) {
        const struct hs_check_row *r = &checked->rows[i];

        hs_table_row(table);
        COLUMNS(HS_COLUMN_PUT)
    }
    hs_sheet_table(sheet, table);
}

/* clang-format off */
#define PLAN_COLUMNS(column)                                                                       \
    column(P_FILE_NAME, "file", "result", NULL, TEXT, ALWAYS, r->file)                             \
    column(P_BYTES, "bytes", "size", NULL, BYTES, ALWAYS, r->bytes)                                \
    column(P_PLAN, "plan", "plan", NULL, TEXT, ALWAYS, r->plan)                                    \
    column(P_TIME, "seconds", "measured", "us", SCALED, ALWAYS, r->seconds)                        \
    column(P_EXPECTED, "expected_seconds", "predicted", "us", SCALED, IF_ANY, r->expected_seconds) \
    column(P_LOW, "expected_low_seconds", "from", "us", SCALED, IF_ANY, r->low_seconds)            \
    column(P_HIGH, "expected_high_seconds", "to", "us", SCALED, IF_ANY, r->high_seconds)           \
    column(P_FACTOR, "factor", "times", NULL, RATIO, IF_ANY, r->seconds / r->expected_seconds)
/* clang-format on */

enum { PLAN_COLUMNS(HS_COLUMN_ID) };
static const struct hs_column plan_columns[] = {PLAN_COLUMNS(HS_COLUMN_ROW)};

static void show_plans(struct hs_sheet *sheet, const struct hs_check_answer *checked)
{
    struct hs_table plans, *table = &plans;

    HS_TABLE_INIT(table, "plans", plan_columns);
    table->unit = (struct hs_time_unit){"us", 1e-6, 1};
    for (size_t i = 0; i < checked->plan_count; i++) {
        const struct hs_check_plan *r = &checked->plans[i];

        hs_table_row(table);
        PLAN_COLUMNS(HS_COLUMN_PUT)
    }
    hs_sheet_table(sheet, table);
}

/* "plans: 8 measured, 0.95 to 1.31 times predicted (worst 4x8x4 of 1MiB), 7 within their range" */
static void say_plans(struct hs_sheet *sheet, const struct hs_check_answer *checked)
{
    double least = INFINITY, most = 0;
    const struct hs_check_plan *worst = NULL;
    size_t predicted = 0, ranged = 0, within = 0;

    for (size_t i = 0; i < checked->plan_count; i++) {
        const struct hs_check_plan *plan = &checked->plans[i];
        double times = plan->seconds / plan->expected_seconds;

        if (isnan(times))
            continue;
        predicted++;
        least = fmin(least, times);
        most = fmax(most, times);
        if (!worst || fabs(log(times)) > fabs(log(worst->seconds / worst->expected_seconds)))
            worst = plan;
        if (!isnan(plan->low_seconds))
            ranged++;
        if (plan->seconds >= plan->low_seconds && plan->seconds <= plan->high_seconds)
            within++;
    }
    if (!worst)
        return;
    hs_sheet_say(sheet, "plans: %zu measured, %.2f to %.2f times predicted (farthest: %s of %s)",
                 predicted, least, most, worst->plan, HS_AS_BYTES(worst->bytes));
    if (ranged > 0)
        hs_sheet_say(sheet, ", %zu of %zu within their 90 %% range", within, ranged);
    hs_sheet_say(sheet, "\n");
}

/* "allreduce of 1GiB takes 30 ms; such a machine takes 9.3 to 12 ms (81 to 109 GB/s, it is 33)" */
static void append_row(struct hs_text *line, const struct hs_check_answer *checked)
{
    const struct hs_check_row *row = &checked->rows[checked->decisive];

    hs_text_append(line, "%s of %s takes %s", row->call, HS_AS_BYTES(row->bytes),
                   HS_AS_TIME(row->seconds));
    if (isnan(row->expected_seconds))
        return;
    hs_text_append(line, "; %s takes %s",
                   row->against == HS_AGAINST_GOOD ? "when right this machine" : "such a machine",
                   HS_AS_RANGE(row->low_seconds, row->high_seconds));
    if (row->bytes >= (uint64_t)1 << 20)
        hs_text_append(line, " (%.3g to %.3g GB/s bus bandwidth; measured %.3g)",
                       hs_check_rate(row, row->high_seconds) / GB,
                       hs_check_rate(row, row->low_seconds) / GB,
                       hs_check_rate(row, row->seconds) / GB);
}

/* The reason that most causes fit by; "": none that two share. */
static const char *most_common_reason(const struct hs_check_answer *checked)
{
    const char *most = "";
    size_t best = 1;

    for (size_t i = 0; i < checked->cause_count; i++) {
        size_t count = 0;

        for (size_t k = 0; k < checked->cause_count; k++)
            count += checked->causes[k].status == HS_CAUSE_FITS &&
                     strcmp(checked->causes[k].by, checked->causes[i].by) == 0;
        if (count > best && checked->causes[i].by[0]) {
            best = count;
            most = checked->causes[i].by;
        }
    }
    return most;
}

/* "fits: A; B; C (why C); 3 more: WHY": causes of one status, and what most fit by, once. */
static void say_causes(struct hs_sheet *sheet, const struct hs_check_answer *checked,
                       enum hs_check_status status, const char *word)
{
    struct hs_text line = {0};
    const char *most = status == HS_CAUSE_FITS ? most_common_reason(checked) : "";
    size_t named = 0, more = 0;

    for (size_t i = 0; i < checked->cause_count; i++) {
        const struct hs_check_found *found = &checked->causes[i];
        bool shows = status != HS_CAUSE_OPEN && found->by[0];

        if (found->status != status)
            continue;
        if (named == NAMED_MOST) {
            more++;
            continue;
        }
        hs_text_append(&line, "%s%s", named > 0 ? "; " : "", hs_check_causes[found->cause].text);
        if (shows && strcmp(most, found->by) != 0)
            hs_text_append(&line, " (%s)", found->by);
        named++;
    }
    if (more > 0)
        hs_text_append(&line, "; %zu more", more);
    if (named > 0)
        hs_sheet_line(sheet, "%s: %s%s%s", word, line.data, *most ? ": " : "", most);
    else if (status == HS_CAUSE_FITS)
        hs_sheet_line(sheet, "%s: no cause that has a price", word);
    hs_text_release(&line);
}

/* Excluded by a row or a line: the two likeliest beforehand. What cannot be at all, such as NICs of
 * one node, is not worth a word. */
static void say_excluded(struct hs_sheet *sheet, const struct hs_check_answer *checked)
{
    const struct hs_check_found *first[2] = {NULL, NULL};
    struct hs_text line = {0};

    for (size_t i = 0; i < checked->cause_count; i++) {
        const struct hs_check_found *found = &checked->causes[i];
        double prior = hs_check_causes[found->cause].prior;

        if (found->status != HS_CAUSE_EXCLUDED || strpbrk(found->by, "0123456789") == NULL)
            continue;
        if (!first[0] || prior > hs_check_causes[first[0]->cause].prior) {
            first[1] = first[0];
            first[0] = found;
        } else if (!first[1] || prior > hs_check_causes[first[1]->cause].prior)
            first[1] = found;
    }
    for (int i = 0; i < 2 && first[i]; i++)
        hs_text_append(&line, "%s%s (%s)", i > 0 ? "; " : "", hs_check_causes[first[i]->cause].text,
                       first[i]->by);
    if (line.length > 0)
        hs_sheet_line(sheet, "not: %s", line.data);
    hs_text_release(&line);
}

static void say_low(struct hs_sheet *sheet, const struct hs_check_answer *checked)
{
    hs_sheet_line(sheet, "where: %s", checked->where);
    say_causes(sheet, checked, HS_CAUSE_ESTABLISHED, "established");
    if (checked->cause_count > 0 && checked->causes[0].status != HS_CAUSE_ESTABLISHED) {
        say_causes(sheet, checked, HS_CAUSE_FITS, "fits");
        say_excluded(sheet, checked);
        say_causes(sheet, checked, HS_CAUSE_OPEN, "open");
    }
    hs_sheet_line(sheet, "next: %s", checked->next);
}

static const char *const words[HS_CHECK_VERDICT_COUNT] = {"as expected", "low", "fast",
                                                          "cannot judge"};

void hs_check_append_line(struct hs_text *line, const struct hs_check_answer *checked,
                          const char *file)
{
    if (checked->verdict == HS_CHECK_UNJUDGED)
        return;
    hs_text_append(line, "Check: %s: ", words[checked->verdict]);
    append_row(line, checked);
    if (checked->verdict == HS_CHECK_LOW)
        hs_text_append(line, "; why: hiersearch check %s", file);
}

void hs_check_show(struct hs_sheet *sheet, const struct hs_check_answer *checked, bool details)
{
    struct hs_text line = {0}, verdict = {0};

    if (checked->row_count > 0 && checked->decisive < checked->row_count)
        append_row(&line, checked);
    if (checked->proposed)
        hs_sheet_line(sheet, "machine: '%s', by the logs' own lines", checked->machine);
    hs_text_append(&verdict, "%s: %s", words[checked->verdict],
                   checked->verdict == HS_CHECK_UNJUDGED || !line.data ? checked->reason
                                                                       : line.data);
    hs_sheet_break(sheet, &verdict);
    hs_sheet_stress(sheet, "%s\n", verdict.data ? verdict.data : "");
    hs_text_release(&verdict);
    if (checked->verdict == HS_CHECK_LOW)
        say_low(sheet, checked);
    else if (checked->verdict != HS_CHECK_UNJUDGED) {
        if (checked->reason[0])
            hs_sheet_line(sheet, "%s", checked->reason);
        if (checked->visible > 0)
            hs_sheet_line(sheet, "a loss of less than %.0f %% would not show here",
                          100 * checked->visible);
    }
    say_plans(sheet, checked);
    if (details || !hs_sheet_is_read(sheet)) {
        if (checked->row_count > 0)
            show_rows(sheet, checked);
        if (checked->plan_count > 0)
            show_plans(sheet, checked);
    }
    hs_text_release(&line);
}
