#include "show/placements.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/notes.h"

const char *const *hs_place_format_words(void)
{
    static const char *const words[] = {
#define HS_ROW(name, text) text,
        HS_FORMATS(HS_ROW)
#undef HS_ROW
#define HS_ROW(name, print) name,
            HS_PLACE_FORMS(HS_ROW)
#undef HS_ROW
                NULL};

    return words;
}

/* ---- tables ---------------------------------------------------------------------------------- */

#define PARTS_TEXT 512
#define WIDE       30 /* letters of an order beside which there is no room for everything */

/* What the messages of axes take in a step, "tp 12.3 ms, dp 4 ms". */
static const char *parts(char text[PARTS_TEXT], const struct hs_place_order *order)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < order->part_count && length < PARTS_TEXT; i++)
        length +=
            (size_t)snprintf(text + length, PARTS_TEXT - length, "%s%s %s", length > 0 ? ", " : "",
                             order->parts[i].axes, HS_AS_TIME(order->parts[i].seconds));
    return text;
}

static const char *against_given(char text[HS_RATIO_TEXT], const struct hs_place_order *order)
{
    return order->given ? "yours" : hs_job_ratio(text, order->ratio);
}

/* clang-format off */
#define COLUMNS(column)                                                                            \
    column(NUMBER, "rank", "#", NULL, COUNT, ALWAYS, r->rank)                                      \
    column(ORDER, "order", "order (inner to outer)", NULL, TEXT, ALWAYS, r->order)                 \
    column(TIME, "seconds", "comm per step", NULL, TIME, ALWAYS, r->sum.seconds)                   \
    column(RANGE, NULL, "90 % interval", NULL, FIGURE, IF_ANY,                                     \
           hs_job_range_cell((char[HS_RATIO_TEXT]){0}, &r->sum))                                   \
    column(LOW, "low_seconds", NULL, NULL, TIME, IF_ANY, r->sum.low_seconds)                       \
    column(HIGH, "high_seconds", NULL, NULL, TIME, IF_ANY, r->sum.high_seconds)                    \
    column(RATIO, "ratio", NULL, NULL, RATIO, ALWAYS, r->ratio)                                    \
    column(AGAINST, NULL, "vs your order", NULL, TEXT, ALWAYS,                                     \
           against_given((char[HS_RATIO_TEXT]){0}, r))                                             \
    column(PARTS, "axes", "of which", NULL, TEXT, ALWAYS, parts((char[PARTS_TEXT]){0}, r))
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

static void add_order(struct hs_table *table, const struct hs_place_order *r)
{
    hs_table_row(table);
    COLUMNS(HS_COLUMN_PUT)
}

#undef COLUMNS

struct message_row {
    const struct hs_place_message *message;
    double step_seconds; /* of all messages */
};

/* clang-format off */
#define MESSAGE_COLUMNS(column)                                                                    \
    column(M_AXES, "axes", "axis", NULL, TEXT, ALWAYS, r->message->axes)                           \
    column(M_CALL, "collective", "collective", NULL, TEXT, ALWAYS, r->message->call)               \
    column(M_LAYOUT, "layout", "layout", NULL, TEXT, IF_ANY, r->message->layout)                   \
    column(M_BYTES, "message_bytes", "size", NULL, BYTES, ALWAYS, r->message->bytes)               \
    column(M_CALLS, "calls", "calls", NULL, COUNT, ALWAYS, r->message->calls)                      \
    column(M_RANKS, "ranks", "ranks", NULL, COUNT, ALWAYS, r->message->ranks)                      \
    column(M_PLAN, "plan", "plan", NULL, TEXT, ALWAYS, HS_AS_PLAN(&r->message->plan))              \
    column(M_TIME, "seconds", "per call", NULL, TIME, ALWAYS, r->message->seconds)                 \
    column(M_LIBRARY, "library_seconds", "library's default", NULL, TIME, IF_ANY,                  \
           r->message->library_seconds)                                                            \
    column(M_STEP, "step_seconds", "per step", NULL, TIME, ALWAYS, r->message->step_seconds)       \
    column(M_SHARE, "share", "share", "%", PERCENT, ALWAYS,                                        \
           r->step_seconds > 0 ? r->message->step_seconds / r->step_seconds : 0)
/* clang-format on */

enum { MESSAGE_COLUMNS(HS_COLUMN_ID) };
static const struct hs_column message_columns[] = {MESSAGE_COLUMNS(HS_COLUMN_ROW)};

static void add_message(struct hs_table *table, const struct message_row *r)
{
    hs_table_row(table);
    MESSAGE_COLUMNS(HS_COLUMN_PUT)
}

#undef MESSAGE_COLUMNS

/* ---- sentences ------------------------------------------------------------------------------- */

static const struct hs_place_order *given_of(const struct hs_place_answer *placement)
{
    size_t i = 0;

    while (!placement->orders[i].given)
        i++;
    return &placement->orders[i];
}

/* "tp=8,dp=16,pp=4 is within 3 %": orders behind the first, and not the given one, that are. */
static const char *near_ones(char text[HS_AXES_LAYOUT_TEXT + 64],
                             const struct hs_place_answer *placement)
{
    const struct hs_place_order *orders = placement->orders, *near = NULL;
    size_t count = 0;

    for (size_t i = 1; i < placement->count; i++)
        if (!orders[i].given && orders[i].sum.seconds < HS_ADVICE_GAIN * orders[0].sum.seconds) {
            near = near ? near : &orders[i];
            count++;
        }
    text[0] = '\0';
    if (near && count == 1)
        snprintf(text, HS_AXES_LAYOUT_TEXT + 64, " %s is within 3 %%.", near->order);
    else if (near)
        snprintf(text, HS_AXES_LAYOUT_TEXT + 64, " %s and %zu more are within 3 %%.", near->order,
                 count - 1);
    return text;
}

static void add_verdict(struct hs_job_page *page, const struct hs_place_answer *placement)
{
    const struct hs_place_order *first = &placement->orders[0], *given = given_of(placement);
    const struct hs_job_verdict *verdict = &placement->verdict;
    char others[HS_AXES_LAYOUT_TEXT + 64] = "No other order is expected to be faster";
    char near[HS_AXES_LAYOUT_TEXT + 64];

    switch (verdict->advice) {
    case HS_JOB_KEEP:
        if (placement->ties.count > 0)
            snprintf(others, sizeof(others), "%s%s faster by less than 3 %%",
                     placement->ties.items[0],
                     placement->ties.count > 1 ? " and others are" : " is");
        hs_job_page_add(
            page, &page->verdict, "Keep your order, %s: %s of communication per step%s. %s.%s",
            first->order, HS_AS_TIME(first->sum.seconds), HS_AS_JOB_RANGE(&first->sum),
            placement->count + placement->ties.count == 1 ? "There is no other order" : others,
            near_ones(near, placement));
        break;
    case HS_JOB_USE:
        hs_job_page_add(page, &page->verdict,
                        "Use %s (innermost first): %s of communication per step, %s than your "
                        "order, %s (%s%s).%s",
                        first->order, HS_AS_TIME(first->sum.seconds), HS_AS_JOB_RATIO(first->ratio),
                        given->order, HS_AS_TIME(given->sum.seconds), HS_AS_JOB_GAIN_RANGE(verdict),
                        near_ones(near, placement));
        break;
    case HS_JOB_UNDECIDED:
        hs_job_page_add(page, &page->verdict,
                        "Cannot tell whether %s is faster than your order, %s: expected %s "
                        "against %s per step (%s%s).",
                        first->order, given->order, HS_AS_TIME(first->sum.seconds),
                        HS_AS_TIME(given->sum.seconds), HS_AS_JOB_RATIO(first->ratio),
                        HS_AS_JOB_GAIN_RANGE(verdict));
        break;
    case HS_JOB_NONE:
    case HS_JOB_ADVICE_COUNT:
        break;
    }
    if (isfinite(placement->most_seconds))
        hs_job_page_add(page, &page->verdict, "A step takes %s to %s, by how much overlaps.",
                        HS_AS_TIME(placement->least_seconds), HS_AS_TIME(placement->most_seconds));
}

static void add_tail(struct hs_job_page *page, const struct hs_place_answer *placement)
{
    hs_job_page_add(page, &page->tail, "Evidence: %s", placement->evidence);
    if (placement->verdict.advice == HS_JOB_USE && !page->details)
        hs_job_page_add(page, &page->tail,
                        "Next: the same command with --format %s (or a launcher's: hostfile, "
                        "rankfile, srun)",
                        strstr(placement->next.items[0], "megatron") ? "megatron" : "device-mesh");
    else
        hs_job_page_add_commands(page, "Next: ", &placement->next);
    hs_job_page_add_lines(page, "Assumed: ", &placement->assumptions);
    if (page->details)
        hs_job_page_add(page, &page->tail, "%s placement%s evaluated%s",
                        HS_AS_COUNT(placement->evaluated), HS_PLURAL(placement->evaluated),
                        placement->evaluated <= placement->count + placement->ties.count ? ""
                        : placement->orders[0].split                                     ? ""
                                                     : "; splitting an axis does not help");
}

/* The first orders, and the given one among them. */
static void print_orders(struct hs_sheet *sheet, const struct hs_place_answer *placement,
                         size_t rows, bool details)
{
    /* Without the range where there are many axes: a table that is too wide comes in parts. */
    static const struct hs_pick narrow[] = {HS_PICK(NUMBER), HS_PICK(ORDER), HS_PICK(TIME),
                                            HS_PICK(AGAINST)};
    static const struct hs_pick brief[] = {HS_PICK(NUMBER), HS_PICK(ORDER), HS_PICK(TIME),
                                           HS_PICK(RANGE), HS_PICK(AGAINST)};
    size_t given = (size_t)(given_of(placement) - placement->orders), shown = placement->count;
    struct hs_table table;
    bool wide = false;

    HS_TABLE_INIT(&table, "placements", columns);
    table.best = 0;
    if (!details && hs_sheet_is_read(sheet)) {
        shown = shown < rows ? shown : rows;
        for (size_t i = 0; i < placement->count; i++)
            wide = wide || strlen(placement->orders[i].order) > WIDE;
        table.picks = wide ? HS_PICKS(narrow) : HS_PICKS(brief);
    }
    for (size_t i = 0; i < shown; i++) {
        size_t at = i + 1 == shown && given >= shown ? given : i;

        add_order(&table, &placement->orders[at]);
    }
    hs_sheet_table(sheet, &table);
}

static void print_messages(struct hs_sheet *sheet, const struct hs_place_answer *placement)
{
    struct hs_table table;

    HS_TABLE_INIT(&table, "messages", message_columns);
    for (size_t m = 0; m < placement->message_count; m++)
        add_message(&table, &(struct message_row){&placement->messages[m],
                                                  placement->orders[0].sum.seconds});
    hs_sheet_table(sheet, &table);
}

static enum hs_status print(struct hs_sheet *sheet, const struct hs_place_answer *placement,
                            bool details, struct hs_error *err)
{
    struct hs_job_page page;
    size_t rows;

    hs_job_page_begin(&page, sheet, details);
    hs_job_page_add(&page, &page.title, "%s: %" PRId64 " rank%s%s, mesh %s (predicted)",
                    placement->machine, placement->np, HS_PLURAL(placement->np), placement->nodes,
                    placement->mesh);
    add_verdict(&page, placement);
    add_tail(&page, placement);
    rows = hs_job_page_print(&page, placement->count);
    print_orders(sheet, placement, rows, details);
    if (details || !hs_sheet_is_read(sheet)) {
        hs_sheet_say(sheet, "\nMessages in %s\n", placement->orders[0].order);
        print_messages(sheet, placement);
    }
    return hs_job_page_end(&page, err);
}

enum hs_status hs_place_show(struct hs_text *out, struct hs_text *notes,
                             const struct hs_place_answer *placement,
                             const struct hs_place_question *question,
                             const struct hs_terminal *terminal, struct hs_error *err)
{
    const char *format = question->print.format;
    struct hs_sheet sheet;

    if (format && hs_place_is_form(format) && placement->verdict.advice == HS_JOB_UNDECIDED)
        hs_say_warning(notes, "cannot tell whether %s is faster than your order",
                       placement->orders[0].order);
    if (format && hs_place_is_form(format))
        return hs_place_form_print(out, notes, format, placement, question->hosts, err);
    if (hs_print_format(&question->print) == HS_FORMAT_JSON)
        return hs_place_print(out, placement, err);
    hs_sheet_begin(&sheet, out, &question->print, terminal);
    return print(&sheet, placement, question->details, err);
}
