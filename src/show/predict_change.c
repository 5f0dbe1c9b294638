/* What a measurement changed: the answer by what was believed before, and with it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "library/price_library.h"
#include "model/plan.h"
#include "search/expected.h"
#include "show/predict.h"
#include "show/table.h"

/* The answer to one question by what was believed of a machine, before a measurement or with it. */
struct belief_row {
    const char *by;                         /* "before" */
    const struct hs_plan *plan;             /* the verdict's */
    const struct hs_estimate *estimate;     /* of it */
    const char *advice;                     /* static text */
    const struct hs_library_price *library; /* NULL: it has no price */
};

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
    column(OWN_TIME, NULL, "default call", NULL, FIGURE, IF_ANY,                                  \
           own ? range((char[HS_UNIT_TEXT]){0}, own->low_seconds, own->high_seconds) : NULL)       \
    column(CHOICE, "library_choice", "by", NULL, TEXT, IF_ANY, own ? own->choice : NULL)           \
    column(ADVICE, "advice", "advice", NULL, TEXT, IF_ANY,                                         \
           r->advice)
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

static void beliefs_init(struct hs_table *table)
{
    HS_TABLE_INIT(table, "beliefs", columns);
}

static void beliefs_add(struct hs_table *table, const struct belief_row *r)
{
    const struct hs_library_price *own = r->library;

    hs_table_row(table);
    COLUMNS(HS_COLUMN_PUT)
}

/* The answer of a point, as a row. */
static struct belief_row row_of(const char *by, const struct hs_predict_point *point)
{
    return (struct belief_row){.by = by,
                               .plan = &point->plans[0].plan,
                               .estimate = &point->plans[0].estimate,
                               .advice = hs_advice_names[point->verdict.advice],
                               .library =
                                   hs_library_is_priced(&point->library) ? &point->library : NULL};
}

/* "effect on the answer: now 256, was 4x64; its expected loss ...; the 90 % range of its time ...".
 * A measurement that settles which plan is best need not narrow the range of a time. */
static void say_changed(struct hs_sheet *sheet, const struct belief_row *was,
                        const struct belief_row *is)
{
    const struct hs_library_price *own = is->library, *earlier = was->library;
    const struct hs_estimate *now = is->estimate, *before = was->estimate;

    hs_sheet_say(sheet, "effect on the answer: ");
    if (hs_plan_compare(was->plan, is->plan) == 0)
        hs_sheet_say(sheet, "still %s", HS_AS_PLAN(is->plan));
    else
        hs_sheet_say(sheet, "now %s, was %s", HS_AS_PLAN(is->plan), HS_AS_PLAN(was->plan));
    if (isfinite(before->loss) && isfinite(now->loss))
        hs_sheet_say(sheet, "; its expected loss against the best plan is %.2g %%, was %.2g %%",
                     100 * now->loss, 100 * before->loss);
    if (isfinite(before->low_seconds) && isfinite(now->low_seconds) && now->low_seconds > 0) {
        const char *width = HS_AS_RATIO(now->high_seconds, now->low_seconds);
        const char *earlier_width = HS_AS_RATIO(before->high_seconds, before->low_seconds);
        bool same = strcmp(width, earlier_width) == 0;

        hs_sheet_say(sheet, "; the 90 %% range of its time is %s wide, %s%s", width,
                     same ? "as before" : "was ", same ? "" : earlier_width);
    }
    if (own && earlier && strcmp(own->choice, earlier->choice) != 0)
        hs_sheet_say(sheet, "; %s runs %s, not %s", hs_library_written(own->library), own->choice,
                     earlier->choice);
    hs_sheet_say(sheet, "\n");
}

static void compare(struct hs_sheet *sheet, const struct hs_predict_point *point,
                    const struct hs_predict_point *earlier)
{
    struct belief_row was = row_of("before", earlier), is = row_of("now", point);
    struct hs_table table;

    hs_sheet_say(sheet, "\n");
    beliefs_init(&table);
    beliefs_add(&table, &was);
    beliefs_add(&table, &is);
    hs_sheet_table(sheet, &table);
    say_changed(sheet, &was, &is);
}

void hs_predict_say_changed(struct hs_sheet *sheet, const struct hs_prediction *prediction)
{
    if (prediction->earlier)
        compare(sheet, &prediction->points[0], prediction->earlier);
}
