#include "show/reach.h"
#include "library/limit.h"

#define ROUNDING 1e-9

static bool is_by_latency(const struct hs_limit *limit)
{
    return 2 * limit->latency_seconds > limit->seconds;
}

void hs_reach_say(struct hs_sheet *sheet, const char *lead, const struct hs_system *system,
                  const struct hs_problem *problem, double seconds)
{
    struct hs_limit limit = hs_limit_of(system, problem);

    if (limit.level < 0 || hs_reach_warn(sheet, lead, system, problem, seconds))
        return;
    hs_sheet_say(
        sheet, "%sreaches %s %% of what these links allow (the limit: %s, by the %s of %s)\n", lead,
        HS_AS_PERCENT(hs_limit_reached(&limit, seconds), 0), HS_AS_TIME(limit.seconds),
        is_by_latency(&limit) ? "latency" : "bandwidth", system->levels[limit.level].name);
}

bool hs_reach_warn(struct hs_sheet *sheet, const char *lead, const struct hs_system *system,
                   const struct hs_problem *problem, double seconds)
{
    struct hs_limit limit = hs_limit_of(system, problem);
    bool beaten = hs_limit_reached(&limit, seconds) > 1 + ROUNDING;

    if (beaten)
        hs_sheet_say(sheet, "%sfaster than the description allows (the limit: %s): its %s %s\n",
                     lead, HS_AS_TIME(limit.seconds), system->levels[limit.level].name,
                     is_by_latency(&limit) ? "latency is too high" : "bandwidth is too low");
    return beaten;
}
