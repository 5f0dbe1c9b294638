/* What a calibrated system adds to the tables: intervals, marks, and what the marks mean. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/predict.h"

bool hs_predict_is_calibrated(const struct hs_predict *predict)
{
    return predict->system->fits.count > 0;
}

char *hs_predict_spread(char text[HS_FIGURE_TEXT], const struct hs_plan_cost *cost)
{
    if (isfinite(cost->ci95_seconds))
        return hs_percent_figure(text, cost->ci95_seconds, cost->seconds);
    snprintf(text, HS_FIGURE_TEXT, "-");
    return text;
}

struct hs_plan_cost hs_predict_cost(struct hs_gaps *gaps, const char **mark,
                                    const struct hs_predict *predict,
                                    const struct hs_problem *problem, const struct hs_plan *plan)
{
    struct hs_plan_cost cost = hs_plan_cost(predict->system, problem, plan);

    hs_gaps_add(gaps, predict->system, plan, &cost);
    *mark = cost.extrapolated ? " *" : "";
    return cost;
}

void hs_predict_explain_spread(struct hs_text *out, const struct hs_predict *predict)
{
    if (hs_predict_is_calibrated(predict))
        hs_text_append(out,
                       "%s: half width of the prediction's 95 %% interval, as far as the "
                       "calibration knows it\n",
                       HS_PREDICT_SPREAD);
}

void hs_predict_legend(struct hs_text *out, const struct hs_predict *predict,
                       const struct hs_gaps *gaps, bool beyond_np)
{
    if (beyond_np)
        hs_text_append(out, "* beyond the %" PRId64 " processes that the description covers\n",
                       hs_system_capacity(predict->system));
    hs_gaps_legend(out, gaps, predict->system);
}
