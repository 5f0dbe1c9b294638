#include "show/choices.h"

#include <math.h>
#include <stdio.h>

#include "show/figures.h"

#define CHOSEN(units) hs_choice_format((char[HS_CHOICE_UNITS_TEXT]){0}, units)

/* clang-format off */
#define CHOICES(column)                                                                            \
    column(GPUS, "gpus", "GPUs", NULL, TEXT, ALWAYS, CHOSEN(c->units))                             \
    column(ALIKE, "choices", "choices like it", NULL, COUNT, ALWAYS, c->alike)                     \
    column(PLAN, "plan", "plan", NULL, TEXT, ALWAYS, HS_AS_PLAN(&c->plan))                         \
    column(SECONDS, "seconds", "time", NULL, TIME, ALWAYS, c->seconds)                             \
    column(SLOWER, "slower", "vs best", NULL, RATIO, ALWAYS, c->seconds / choices[0].seconds)     \
    column(LIMIT, "limit_seconds", "its limit", NULL, TIME, IF_ANY,                                \
           c->limit_seconds > 0 ? c->limit_seconds : (double)NAN)
/* clang-format on */

enum { CHOICES(HS_COLUMN_ID) };
static const struct hs_column columns[] = {CHOICES(HS_COLUMN_ROW)};

char *hs_choice_format(char text[HS_CHOICE_UNITS_TEXT], uint64_t units)
{
    int length = 0;

    text[0] = '\0';
    for (int u = 0; u < 64; u++)
        if (units >> u & 1)
            length += snprintf(text + length, (size_t)(HS_CHOICE_UNITS_TEXT - length),
                               length > 0 ? ",%d" : "%d", u);
    return text;
}

void hs_choices_table(struct hs_table *table, const struct hs_choice *choices, size_t count)
{
    HS_TABLE_INIT(table, "choices", columns);
    for (const struct hs_choice *c = choices; c < choices + count; c++) {
        hs_table_row(table);
        CHOICES(HS_COLUMN_PUT)
    }
}
