/* What a measurement changed: the answer by what was believed before, and with it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "show/beliefs.h"
#include "show/predict.h"

/* The answer of a point, as a row. */
static struct hs_belief_row row_of(const char *by, const struct hs_predict_point *point)
{
    return (struct hs_belief_row){.by = by,
                                  .plan = &point->plans[0].plan,
                                  .estimate = &point->plans[0].estimate,
                                  .advice = hs_advice_names[point->verdict.advice],
                                  .library = hs_library_is_priced(&point->library) ? &point->library
                                                                                   : NULL};
}

/* "what changed: 256 is best, no longer 4x64; its 90 % range is 1.17x wide, was 1.45x; ..." */
static void say_changed(struct hs_sheet *sheet, const struct hs_belief_row *was,
                        const struct hs_belief_row *is)
{
    const struct hs_library_price *own = is->library, *earlier = was->library;
    const struct hs_estimate *now = is->estimate, *before = was->estimate;

    hs_sheet_say(sheet, "what changed: ");
    if (hs_plan_compare(was->plan, is->plan) == 0)
        hs_sheet_say(sheet, "%s stays the answer", HS_AS_PLAN(is->plan));
    else
        hs_sheet_say(sheet, "the answer is %s, no longer %s", HS_AS_PLAN(is->plan),
                     HS_AS_PLAN(was->plan));
    if (isfinite(before->low_seconds) && isfinite(now->low_seconds) && now->low_seconds > 0)
        hs_sheet_say(sheet, "; its 90 %% range is %s wide, was %s",
                     HS_AS_RATIO(now->high_seconds, now->low_seconds),
                     HS_AS_RATIO(before->high_seconds, before->low_seconds));
    if (isfinite(before->loss) && isfinite(now->loss))
        hs_sheet_say(sheet, "; the expected loss is %.2g %%, was %.2g %%", 100 * now->loss,
                     100 * before->loss);
    if (own && earlier && strcmp(own->choice, earlier->choice) != 0)
        hs_sheet_say(sheet, "; %s runs %s, not %s", hs_library_written(own->library), own->choice,
                     earlier->choice);
    hs_sheet_say(sheet, "\n");
}

static void compare(struct hs_sheet *sheet, const struct hs_predict_point *point,
                    const struct hs_predict_point *earlier)
{
    struct hs_belief_row was = row_of("before", earlier), is = row_of("now", point);
    struct hs_table table;

    hs_sheet_say(sheet, "\n");
    hs_beliefs_init(&table);
    hs_beliefs_add(&table, &was);
    hs_beliefs_add(&table, &is);
    hs_sheet_table(sheet, &table);
    say_changed(sheet, &was, &is);
}

void hs_predict_say_changed(struct hs_sheet *sheet, const struct hs_prediction *prediction)
{
    if (prediction->earlier)
        compare(sheet, &prediction->points[0], prediction->earlier);
}
