/* Which GPUs of a node are the best and the worst choice for fewer processes than it has. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "show/predict.h"

#define UNITS_TEXT_BYTES  192
#define UNITS_TEXT(units) units_text((char[UNITS_TEXT_BYTES]){0}, units)

/* clang-format off */
#define CHOICES(column)                                                                            \
    column(GPUS, "gpus", "GPUs", NULL, TEXT, ALWAYS, UNITS_TEXT(c->units))                         \
    column(ALIKE, "choices", "choices like it", NULL, COUNT, ALWAYS, c->alike)                     \
    column(PLAN, "plan", "plan", NULL, TEXT, ALWAYS, HS_AS_PLAN(&c->plan))                         \
    column(SECONDS, "seconds", "time", NULL, TIME, ALWAYS, c->seconds)                             \
    column(SLOWER, "slower", "vs best", NULL, RATIO, ALWAYS, c->seconds / best->seconds)           \
    column(LIMIT, "limit_seconds", "its limit", NULL, TIME, IF_ANY,                                \
           c->limit_seconds > 0 ? c->limit_seconds : (double)NAN)
/* clang-format on */

enum { CHOICES(HS_COLUMN_ID) };
static const struct hs_column columns[] = {CHOICES(HS_COLUMN_ROW)};

/* "0,1,4,6" of bits. */
static char *units_text(char text[UNITS_TEXT_BYTES], uint64_t units)
{
    int length = 0;

    for (int u = 0; u < 64; u++)
        if (units >> u & 1)
            length += snprintf(text + length, (size_t)(UNITS_TEXT_BYTES - length),
                               length > 0 ? ",%d" : "%d", u);
    return text;
}

/* "28 choices of 6 of the 8 of nvlink are of 7 kinds: ..." and the best and the worst of them. */
static void say(const struct hs_predict *predict, const struct hs_predict_point *point,
                const struct hs_choices *choices)
{
    const struct hs_level *level = &predict->whole->levels[0];
    const struct hs_choice *best = &choices->items[0], *worst = &choices->items[choices->count - 1];
    size_t shown = (size_t)predict->settings->ask.top;
    struct hs_table rows, *table = &rows;

    hs_sheet_say(predict->sheet,
                 "\n%" PRId64 " choices of %" PRId64 " of the %" PRId64 " of %s are of %zu kind%s",
                 choices->all, point->request.problem.group.size, level->arity, level->name,
                 choices->kinds, HS_PLURAL(choices->kinds));
    if (choices->apart > 0)
        hs_sheet_say(predict->sheet, ", %" PRId64 " of them without a way between all",
                     choices->apart);
    if (worst->seconds > best->seconds * (1 + 1e-9))
        hs_sheet_say(predict->sheet, ": the worst, %s, takes %s as long as the best, %s",
                     UNITS_TEXT(worst->units), HS_AS_GAIN(worst->seconds / best->seconds),
                     UNITS_TEXT(best->units));
    else
        hs_sheet_say(predict->sheet, ": all take as long");
    hs_sheet_say(predict->sheet, "\n\n");
    HS_TABLE_INIT(table, "choices", columns);
    for (size_t i = 0; i < choices->count; i++) { /* the best, and the worst as the last */
        const struct hs_choice *c = &choices->items[i];

        if (i >= shown && i + 1 < choices->count)
            continue;
        hs_table_row(table);
        CHOICES(HS_COLUMN_PUT)
    }
    hs_sheet_table(predict->sheet, table);
}

void hs_predict_say_choices(const struct hs_predict *predict,
                            const struct hs_prediction *prediction)
{
    const struct hs_choices *choices = &prediction->choices;
    const struct hs_predict_point *point = &prediction->points[0];

    if (choices->too_many)
        hs_sheet_say(predict->sheet,
                     "\nchoices of %" PRId64 " of the %" PRId64
                     " of %s are of more than %zu kinds, "
                     "too many to compare: --gpus asks for one\n",
                     point->request.problem.group.size, predict->whole->levels[0].arity,
                     predict->whole->levels[0].name, choices->kinds);
    else if (choices->count > 0)
        say(predict, point, choices);
}
