#include "model/price.h"

#include <stdio.h>
#include <string.h>

#include "model/traffic.h"

int hs_system_paces(const struct hs_system *system)
{
    bool shares = hs_system_is_nccl_native(system) && system->nccl.parts.blocks.at_once > 0;

    return (int)system->level_count + shares;
}

const char *hs_pace_text(char text[HS_PACE_TEXT], const struct hs_system *system, int pace)
{
    if (pace == (int)system->level_count)
        return "the processors of the GPUs";
    snprintf(text, HS_PACE_TEXT, "level %s", system->levels[pace].name);
    return text;
}

double hs_stage_gap_seconds(const struct hs_system *system, const struct hs_problem *problem,
                            struct hs_stage_key key)
{
    return system->gap_seconds * hs_problem_gaps(problem, key);
}

bool hs_stage_price_is_least(const struct hs_system *system, const struct hs_stage_price *price)
{
    return price->misaligned && price->key.algorithm == HS_RING &&
           system->executor == HS_BY_LIBRARY && !hs_level_is_inside(&system->levels[price->level]);
}

double hs_order_seconds(const struct hs_system *system, const struct hs_problem *problem,
                        struct hs_layer layer)
{
    if (!hs_collectives[problem->collective].ordered || problem->layout != HS_PACKED ||
        layer.size == problem->group.size || hs_group_inside(&problem->group, layer.stride) > 1)
        return 0;
    return problem->bytes / hs_system_copy_rate(system);
}

double hs_stage_moving_seconds(const struct hs_stage_price *price, struct hs_price_line line,
                               double bytes)
{
    double p = (double)price->key.layer.size;

    return line.seconds_per_byte * bytes * (p - 1) / p;
}

struct hs_price_line hs_stage_largest_line(const struct hs_stage_price *price, double bytes)
{
    double most = 0;
    int line = 0;

    for (int i = 0; i < price->line_count && price->line_count > 1; i++) {
        double seconds = price->lines[i].latency_seconds +
                         hs_stage_moving_seconds(price, price->lines[i], bytes);

        if (seconds > most) {
            most = seconds;
            line = i;
        }
    }
    return price->lines[line];
}

double hs_stage_least_seconds(const struct hs_stage_price *price, double bytes)
{
    double least = 0;

    for (int i = 0; i < price->line_count; i++)
        least = hs_greater(least, price->lines[i].latency_seconds +
                                      hs_stage_moving_seconds(price, price->lines[i], bytes));
    return least;
}

/* Whether b, which begins below a and grows faster, is nowhere above both a and c, faster still. */
static bool is_below(struct hs_price_line a, struct hs_price_line b, struct hs_price_line c)
{
    return (a.latency_seconds - b.latency_seconds) * (c.seconds_per_byte - b.seconds_per_byte) >=
           (b.latency_seconds - c.latency_seconds) * (b.seconds_per_byte - a.seconds_per_byte);
}

/* Whether one of the price's lines begins above the line and grows as fast, or is the same. */
static bool is_covered(const struct hs_stage_price *price, struct hs_price_line line)
{
    for (int i = 0; i < price->line_count; i++) {
        struct hs_price_line other = price->lines[i];

        if (other.seconds_per_byte >= line.seconds_per_byte &&
            (other.latency_seconds > line.latency_seconds ||
             (other.latency_seconds == line.latency_seconds &&
              other.seconds_per_byte == line.seconds_per_byte)))
            return true;
    }
    return false;
}

void hs_stage_add_line(struct hs_stage_price *price, struct hs_price_line line)
{
    struct hs_price_line all[HS_PRICE_LINES_MAX + 1];
    int count = 0, kept = 0, i = 0;

    if (is_covered(price, line)) /* most are: nothing changes */
        return;
    for (; i < price->line_count && price->lines[i].latency_seconds > line.latency_seconds; i++)
        all[count++] = price->lines[i];
    all[count++] = line;
    for (; i < price->line_count; i++)
        all[count++] = price->lines[i];
    for (i = 0; i < count; i++) {
        if (kept > 0 && all[kept - 1].seconds_per_byte >= all[i].seconds_per_byte)
            continue;
        if (kept > 0 && all[kept - 1].latency_seconds <= all[i].latency_seconds)
            kept--;
        while (kept > 1 && is_below(all[kept - 2], all[kept - 1], all[i]))
            kept--;
        all[kept++] = all[i];
    }
    if (kept > HS_PRICE_LINES_MAX)
        return;
    price->line_count = kept;
    memcpy(price->lines, all, (size_t)kept * sizeof(*all));
}

static bool is_fitted(const struct hs_system *system, enum hs_algorithm algorithm)
{
    for (size_t i = 0; i < system->fits.count; i++)
        if (system->fits.items[i].algorithm == algorithm)
            return true;
    return false;
}

bool hs_system_prices(const struct hs_system *system, enum hs_algorithm algorithm)
{
    if (hs_algorithms[algorithm]->on_links)
        return system->levels[0].fabric == HS_FABRIC_LINKS && !hs_system_is_nccl_native(system);
    if (algorithm != HS_NATIVE || system->additive)
        return true;
    return system->fits.count > 0 ? is_fitted(system, algorithm) : hs_system_has_rule(system);
}

bool hs_plan_is_priced(const struct hs_system *system, const struct hs_plan *plan)
{
    for (int i = 0; i < plan->split.count; i++)
        for (int way = 0; way < 2; way++)
            if (!hs_system_prices(system, hs_plan_algorithm(plan, i, way)))
                return false;
    return true;
}
