#include "model/steps.h"

#include <math.h>

double hs_step_share(const struct hs_level *level, int64_t link, int64_t port, int64_t pair)
{
    double share = level->bytes_per_second / (double)link;

    if (!level->striped && port > 0)
        share = fmin(share, level->bytes_per_second / (double)(level->ports * port));
    if (level->fabric == HS_FABRIC_MESH && level->arity > 1 && pair > 0)
        share = fmin(share, level->bytes_per_second / (double)((level->arity - 1) * pair));
    return share;
}

/* What one message of a step gets on level l, where `link` of them leave a child; *leaving: of what
 * the child can send to all others. */
static double share_on(double *leaving, const struct hs_steps *steps,
                       const struct hs_traffic *traffic, size_t l, int64_t link)
{
    const struct hs_level *level = &steps->system->levels[l];
    int64_t child_ranks = hs_system_child_ranks(steps->system, l), port = link, pair = 0;

    if (!level->striped && level->ports > 1)
        port =
            hs_smaller(link, hs_traffic_per_link(traffic, steps->ranks, child_ranks, level->ports));
    if (level->fabric == HS_FABRIC_MESH)
        pair = hs_smaller(link, hs_traffic_per_pair(traffic, steps->ranks, child_ranks,
                                                    hs_system_child_ranks(steps->system, l + 1)));
    *leaving = hs_step_share(level, link, level->ports > 1 ? port : 0, 0);
    return hs_step_share(level, link, level->ports > 1 ? port : 0, pair);
}

/* Whether each two children have a link of their own. */
static bool is_mesh(const struct hs_level *level)
{
    return level->fabric == HS_FABRIC_MESH && level->arity > 2;
}

void hs_steps_add(struct hs_steps *steps, const struct hs_traffic *traffic, double blocks)
{
    hs_steps_add_times(steps, traffic, blocks, 1);
}

void hs_steps_add_times(struct hs_steps *steps, const struct hs_traffic *traffic, double blocks,
                        double times)
{
    const struct hs_system *system = steps->system;
    double message_bytes = blocks * steps->price->bytes / (double)steps->price->key.layer.size;
    double latency = 0, slowest = 0;
    int at = 0;

    for (size_t l = 0; l < system->level_count; l++) {
        int64_t child_ranks = hs_system_child_ranks(system, l), link = 0;
        double load, leaving;

        if (child_ranks < steps->ranks)
            link = hs_traffic_per_link(traffic, steps->ranks, child_ranks, 1);
        if (link == 0) /* no block is cut by a child's border: nor by one further out */
            break;
        if (steps->senders > 0)
            link = hs_smaller(link, steps->senders);
        load = blocks / share_on(&leaving, steps, traffic, l, link);
        steps->leaving[l] += times * blocks / leaving;
        latency = fmax(latency, hs_level_latency(&system->levels[l], message_bytes));
        if (load >= slowest) {
            slowest = load;
            at = (int)l;
        }
        steps->busy[l] += times * load;
        if (load > steps->heaviest[l]) {
            steps->heaviest[l] = load;
            steps->messages[l] = link;
        }
    }
    steps->latency_seconds += times * system->pipeline_granularity * latency;
    steps->seconds_per_byte += times * slowest;
    /* In a mesh it takes another link than the step before: half of what comes there goes on while
     * the rest comes. */
    if (is_mesh(&system->levels[at]) || is_mesh(&system->levels[steps->at]))
        steps->seconds_per_byte -= (fmin(slowest, steps->last) + fmax(0, times - 1) * slowest) / 2;
    steps->last = slowest;
    steps->at = at;
    steps->price->steps += times;
}

void hs_steps_finish(const struct hs_steps *steps)
{
    struct hs_stage_price *price = steps->price;
    double passes = hs_phase_passes(price->key.phase);
    double others = (double)price->key.layer.size - 1, moving = steps->seconds_per_byte;
    size_t l = 0;

    if (others == 0) /* one process: nothing travels */
        return;
    price->steps *= passes;
    for (; l < steps->system->level_count && steps->busy[l] > 0; l++)
        moving = fmax(moving, steps->leaving[l]);
    hs_stage_add_line(
        price, (struct hs_price_line){passes * steps->latency_seconds, passes * moving / others});
    price->ring_bytes_per_second = others / moving;
    for (l = 0; l < steps->system->level_count && steps->busy[l] > 0; l++) {
        price->level = (int)l;
        if (steps->busy[l] >= steps->busy[price->bottleneck])
            price->bottleneck = (int)l;
    }
    price->rings_per_link = steps->messages[price->bottleneck];
    price->straddles =
        price->key.layer.stride < hs_system_child_ranks(steps->system, (size_t)price->level);
    while (l-- > 0)
        price->occupancy[l] = fmin(1, steps->busy[l] / moving);
}
