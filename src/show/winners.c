#include "show/winners.h"

#include <assert.h>
#include <math.h>

static struct hs_value margin(const struct hs_winner *r)
{
    double margin = r->second ? r->second_seconds / r->seconds - 1 : NAN;
    bool tie = fabs(margin) < 1e-9;

    return (struct hs_value){.number = tie ? NAN : margin, .mark = tie ? "tie" : NULL};
}

#define GAIN_TEXT(over_default) gain((char[HS_FIGURE_TEXT]){0}, r, over_default)

/* As many digits as are known. */
static const char *gain(char text[HS_FIGURE_TEXT], const struct hs_winner *r, bool over_default)
{
    if (r->over_default != over_default || isnan(r->gain))
        return NULL;
    if (!isfinite(r->gain))
        return "-";
    return isnan(r->gain_low) ? hs_ratio_figure(text, r->gain, 1) : hs_gain_figure(text, r->gain);
}

/* clang-format off */
#define COLUMNS(column)                                                                            \
    column(NP, "np", "processes", NULL, COUNT, ALWAYS, r->problem.group.size)                      \
    column(BYTES, "message_bytes", "size", NULL, BYTES, ALWAYS, r->problem.bytes)                  \
    column(FROM, NULL, "from size", NULL, SIZE, ALWAYS, r->problem.bytes)                          \
    column(PLAN, "plan", "best plan", NULL, TEXT, ALWAYS,                                          \
           hs_value_marked(r->plan ? HS_AS_PLAN(r->plan) : "none", r->mark))                       \
    column(TIME, "seconds", "time", NULL, TIME, ALWAYS, r->seconds)                                \
    column(TIMES, NULL, "90 % range", NULL, FIGURE, IF_ANY,                                        \
           r->low_seconds < r->high_seconds ? HS_AS_RANGE(r->low_seconds, r->high_seconds) : NULL) \
    column(LEAST, "low_seconds", NULL, NULL, TIME, IF_ANY, r->low_seconds)                         \
    column(MOST, "high_seconds", NULL, NULL, TIME, IF_ANY, r->high_seconds)                        \
    column(BUSBW, "busbw_bytes_per_second", "busbw", "GB/s", GIGABYTES, IF_ANY,                    \
           r->problem.group.size > 1 ? hs_problem_bus_bandwidth(&r->problem, r->seconds)           \
                                     : (double)NAN)                                                \
    column(CHOICE, "default_choice", "default runs", NULL, TEXT, IF_ANY, r->choice)                \
    column(SPREAD, "relative_ci95", "+-%", NULL, PERCENT, IF_ANY, r->spread)                       \
    column(ADVICE, "advice", "verdict", NULL, TEXT, IF_ANY, r->advice)                             \
    column(OVER, "gain", NULL, NULL, RATIO, ALWAYS, r->gain)                                       \
    column(LOW, "gain_low", NULL, NULL, RATIO, IF_ANY, r->gain_low)                                \
    column(HIGH, "gain_high", NULL, NULL, RATIO, IF_ANY, r->gain_high)                             \
    column(GAIN, NULL, "vs flat", NULL, FIGURE, IF_ANY, GAIN_TEXT(false))                          \
    column(OWN, NULL, "vs default", NULL, FIGURE, IF_ANY, GAIN_TEXT(true))                         \
    column(RANGE, NULL, "gain, 90 %", NULL, FIGURE, IF_ANY,                                        \
           r->gain_low < r->gain_high                                                              \
               ? HS_AS_GAIN_RANGE(&((struct hs_gain){r->gain, r->gain_low, r->gain_high, 1}))      \
               : NULL)                                                                             \
    column(REACHED, "share_of_limit", "of bound", "%", PERCENT, IF_ANY, r->reached)                \
    column(SECOND, "runner_up", "runner-up", NULL, TEXT, ALWAYS,                                   \
           r->second ? HS_AS_PLAN(r->second) : NULL)                                               \
    column(MARGIN, "margin", "lead", "%", PERCENT2, ALWAYS, margin(r))                           \
    column(REGRET, "regret", "regret", "%", PERCENT2, IF_ANY, r->regret)                           \
    column(GROWTH, "growth", "growth", NULL, TEXT, ALWAYS, r->growth)                              \
    column(HERE, NULL, "", NULL, TEXT, ALWAYS, r->here)                                            \
    column(FLAT, NULL, "flat takes", NULL, FIGURE, IF_ANY, r->flat)                                \
    column(LIBRARY, NULL, "library takes", NULL, FIGURE, IF_ANY, r->library)                       \
    column(HOW, NULL, "how", NULL, TEXT, ALWAYS, r->how)                                           \
    column(FILE_NAME, NULL, "file", NULL, TEXT, ALWAYS, r->file)
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

#define P HS_PICK
static const struct hs_pick
    by_size[] = {P(BYTES), P(ADVICE), P(PLAN), P(TIME), P(TIMES), P(BUSBW), P(GAIN), P(OWN)},
    by_count[] = {P(NP), P(ADVICE), P(PLAN), P(TIME), P(TIMES), P(BUSBW), P(GAIN), P(OWN)},
    size_details[] = {P(BYTES), P(ADVICE), P(PLAN),   P(TIME),    P(TIMES),  P(BUSBW),  P(GAIN),
                      P(OWN),   P(RANGE),  P(CHOICE), P(REACHED), P(SECOND), P(MARGIN), P(REGRET)},
    count_details[] = {P(NP),      P(ADVICE), P(PLAN),   P(TIME),   P(TIMES),
                       P(BUSBW),   P(GAIN),   P(OWN),    P(RANGE),  P(CHOICE),
                       P(REACHED), P(SECOND), P(MARGIN), P(REGRET), P(GROWTH)},
    raced_sizes[] = {P(BYTES), P(ADVICE), P(PLAN),   P(TIME),  P(GAIN),
                     P(OWN),   P(RANGE),  P(SECOND), P(MARGIN)},
    by_reign[] = {P(FROM), P(PLAN), {TIME, "time there"}, P(GAIN), P(OWN), P(HERE)},
    by_near_counts[] = {P(NP), P(PLAN), P(TIME), P(GAIN), P(OWN), P(GROWTH), P(HERE)},
    by_input[] = {P(NP),   P(BYTES),   {PLAN, "best"}, P(TIME),
                  P(FLAT), P(LIBRARY), P(HOW),         P(FILE_NAME)};
#undef P

struct hs_winner hs_winner_of(const struct hs_problem *problem, const struct hs_plan *plan,
                              double seconds, double flat_seconds)
{
    return (struct hs_winner){.problem = *problem,
                              .plan = plan,
                              .seconds = seconds,
                              .spread = NAN,
                              .low_seconds = NAN,
                              .high_seconds = NAN,
                              .gain_low = NAN,
                              .gain_high = NAN,
                              .gain = hs_or_dash(flat_seconds / seconds),
                              .reached = NAN,
                              .regret = NAN};
}

void hs_winners_init(struct hs_table *table, enum hs_winners_of view)
{
    const struct hs_picks picks[] = {[HS_BY_SIZE] = HS_PICKS(by_size),
                                     [HS_BY_COUNT] = HS_PICKS(by_count),
                                     [HS_SIZE_DETAILS] = HS_PICKS(size_details),
                                     [HS_COUNT_DETAILS] = HS_PICKS(count_details),
                                     [HS_RACED_SIZES] = HS_PICKS(raced_sizes),
                                     [HS_BY_REIGN] = HS_PICKS(by_reign),
                                     [HS_BY_NEAR_COUNTS] = HS_PICKS(by_near_counts),
                                     [HS_BY_INPUT] = HS_PICKS(by_input)};

    HS_TABLE_INIT(table, "winners", columns);
    table->picks = picks[view];
}

void hs_winners_add(struct hs_table *table, const struct hs_winner *r)
{
    hs_table_row(table);
    COLUMNS(HS_COLUMN_PUT)
}

/* ---- matrices ---- */

static void print_matrix(struct hs_sheet *sheet, const struct hs_table *list, size_t column,
                         size_t sizes, int64_t capacity)
{
    struct hs_column matrix[HS_TABLE_COLUMNS] = {list->columns[NP]};
    char headings[HS_TABLE_COLUMNS][HS_UNIT_TEXT];
    struct hs_table table;

    for (size_t i = 0; i < sizes; i++)
        matrix[i + 1] = (struct hs_column){
            .heading = hs_bytes_format(
                headings[i], (uint64_t)list->cells[i * HS_COUNT_OF(columns) + BYTES].number),
            .show = list->columns[column].show};
    assert(sizes > 0); /* a sweep has some */
    hs_table_init(&table, list->name, matrix, sizes + 1);
    table.fold = true;
    for (size_t row = 0; row < list->row_count; row++) {
        const struct hs_cell *cells = &list->cells[row * list->column_count],
                             *cell = &cells[column];

        if (row % sizes == 0) {
            hs_table_row(&table);
            hs_table_put(
                &table, 0,
                (struct hs_value){.number = cells[NP].number,
                                  .mark = cells[NP].number > (double)capacity ? "*" : NULL});
        }
        hs_table_put(&table, row % sizes + 1,
                     (struct hs_value){cell->number, cell->text, cell->mark, NULL, 0});
    }
    table.failed = table.failed || list->failed;
    hs_sheet_table(sheet, &table);
}

void hs_winners_matrices(struct hs_sheet *sheet, struct hs_table *table, size_t sizes,
                         int64_t capacity)
{
    static const struct {
        size_t column;
        const char *title;
    } matrices[] = {{PLAN, "Best plan"},
                    {TIME, "Its time"},
                    {GAIN, "Gain over the flat plan"},
                    {OWN, "Gain over the default call"}};

    if (!hs_sheet_is_read(sheet)) {
        hs_sheet_table(sheet, table);
        return;
    }
    for (size_t i = 0; i < HS_COUNT_OF(matrices); i++) {
        if (hs_table_is_empty(table, matrices[i].column))
            continue;
        hs_sheet_say(sheet, "\n");
        hs_sheet_stress(sheet, "%s", matrices[i].title);
        hs_sheet_say(sheet, "\n");
        print_matrix(sheet, table, matrices[i].column, sizes, capacity);
    }
    hs_table_release(table);
}
