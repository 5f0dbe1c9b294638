#include "show/beliefs.h"

#include <math.h>

/* "110 to 160 us", or the one time that there is. */
static const char *range(char text[HS_UNIT_TEXT], double low, double high)
{
    return low < high ? hs_seconds_range_format(text, low, high) : hs_seconds_format(text, low);
}

/* clang-format off */
#define COLUMNS(column)                                                                            \
    column(BY, "belief", "", NULL, TEXT, ALWAYS, r->by)                                            \
    column(PLAN, "plan", "best plan", NULL, TEXT, ALWAYS, HS_AS_PLAN(r->plan))                     \
    column(SECONDS, "seconds", NULL, NULL, TIME, ALWAYS, r->estimate->seconds)                     \
    column(LOW, "low_seconds", NULL, NULL, TIME, IF_ANY, r->estimate->low_seconds)                 \
    column(HIGH, "high_seconds", NULL, NULL, TIME, IF_ANY, r->estimate->high_seconds)              \
    column(TIME, NULL, "its time", NULL, FIGURE, ALWAYS,                                           \
           isnan(r->estimate->low_seconds)                                                         \
               ? HS_AS_TIME(r->estimate->seconds)                                                  \
               : range((char[HS_UNIT_TEXT]){0}, r->estimate->low_seconds,                          \
                       r->estimate->high_seconds))                                                 \
    column(WIDTH, NULL, "high / low", NULL, RATIO, IF_ANY,                                         \
           r->estimate->high_seconds / r->estimate->low_seconds)                                   \
    column(LOSS, "expected_loss", "expected loss", "%", PERCENT, IF_ANY, r->estimate->loss)        \
    column(SHARE, "probability_best", "best in", "%", PERCENT, IF_ANY,                             \
           r->estimate->probability_best)                                                          \
    column(OWN, "library_seconds", NULL, NULL, TIME, IF_ANY, own ? own->seconds : NAN)             \
    column(OWN_LOW, "library_low_seconds", NULL, NULL, TIME, IF_ANY, own ? own->low_seconds : NAN) \
    column(OWN_HIGH, "library_high_seconds", NULL, NULL, TIME, IF_ANY,                             \
           own ? own->high_seconds : NAN)                                                          \
    column(OWN_TIME, NULL, "library's own", NULL, FIGURE, IF_ANY,                                  \
           own ? range((char[HS_UNIT_TEXT]){0}, own->low_seconds, own->high_seconds) : NULL)       \
    column(CHOICE, "library_choice", "by", NULL, TEXT, IF_ANY, own ? own->choice : NULL)           \
    column(ADVICE, "advice", "advice", NULL, TEXT, IF_ANY,                                         \
           r->advice)
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

void hs_beliefs_init(struct hs_table *table)
{
    HS_TABLE_INIT(table, "beliefs", columns);
}

void hs_beliefs_add(struct hs_table *table, const struct hs_belief_row *r)
{
    const struct hs_library_price *own = r->library;

    hs_table_row(table);
    COLUMNS(HS_COLUMN_PUT)
}
