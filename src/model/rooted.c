#include "model/rooted.h"

#include <math.h>

#include "model/steps.h"

/* ---- chains ---------------------------------------------------------------------------------- */

/* The hops of the group that leaves most children, the last of the block. */
struct chain {
    struct hs_layer layer;
    int levels;                              /* that hops cross */
    struct hs_price_line hop[HS_LEVELS_MAX]; /* whose outermost level this is */
    double link[HS_LEVELS_MAX]; /* seconds per byte that its busiest link is kept busy alone */
    int64_t on_link[HS_LEVELS_MAX];
    int64_t child_ranks[HS_LEVELS_MAX];
};

/* How many of its first hops leave a child: no more of any other group. */
static double leaving(const struct chain *chain, int level, double hops)
{
    double stride = (double)chain->layer.stride, child = (double)chain->child_ranks[level];

    if (level == chain->levels)
        return 0;
    if (stride >= child)
        return hops;
    return fmin(hops, floor((stride - 1 + hops * stride) / child));
}

/* The first that does; there may be none. */
static double first_leaving(const struct chain *chain, int level)
{
    return (double)hs_larger(0, chain->child_ranks[level] / chain->layer.stride - 1);
}

/* Sums over the first hops. */
static struct hs_price_line along(const struct chain *chain, double hops)
{
    struct hs_price_line sum = {0, 0};

    for (int l = 0; l < chain->levels; l++) {
        double here = leaving(chain, l, hops) - leaving(chain, l + 1, hops);

        sum.latency_seconds += here * chain->hop[l].latency_seconds;
        sum.seconds_per_byte += here * chain->hop[l].seconds_per_byte;
    }
    return sum;
}

/* Latencies of pieces of so many bytes. */
static void set_latencies(struct chain *chain, const struct hs_system *system, double bytes)
{
    double latency = 0;

    for (int l = 0; l < chain->levels; l++) {
        latency = fmax(latency, hs_level_latency(&system->levels[l], bytes));
        chain->hop[l].latency_seconds = system->pipeline_granularity * latency;
    }
}

/* Seconds per byte of a hop on the busiest link of a level, with `link` of them on it. */
static double link_load(const struct hs_system *system, size_t l, int64_t ranks,
                        struct hs_layer layer, int64_t link)
{
    const struct hs_level *level = &system->levels[l];
    struct hs_traffic traffic = hs_traffic_chain(layer);
    int64_t child = hs_system_child_ranks(system, l), unit = hs_system_child_ranks(system, l + 1);
    int64_t port = 0, pair = 0;

    if (level->striped)
        return 1 /
               (hs_step_share(level, link, 0, 0) * hs_step_mesh_part(level, child, unit, layer));
    if (level->ports > 1)
        port = hs_traffic_per_link(&traffic, ranks, child, level->ports);
    if (level->fabric == HS_FABRIC_MESH)
        pair = hs_traffic_per_pair(&traffic, ranks, child, unit);
    return 1 / hs_step_share(level, link, port, pair);
}

/* A hop further out is at least as slow as those inside of it. */
static struct chain chain_of(const struct hs_stage_price *price, const struct hs_system *system,
                             int64_t ranks)
{
    struct chain chain = {.layer = price->key.layer};
    struct hs_traffic traffic = hs_traffic_chain(chain.layer);
    double slowest = 0;

    for (size_t l = 0; l < system->level_count; l++) {
        int64_t child = hs_system_child_ranks(system, l);
        int64_t link = child < ranks ? hs_traffic_per_link(&traffic, ranks, child, 1) : 0;

        if (link == 0)
            break;
        chain.link[l] = link_load(system, l, ranks, chain.layer, link);
        slowest = fmax(slowest, chain.link[l]);
        chain.hop[l].seconds_per_byte = slowest;
        chain.child_ranks[l] = child;
        chain.on_link[l] = link;
        chain.levels = (int)l + 1;
    }
    return chain;
}

static struct hs_price_line slowest_of(const struct chain *chain)
{
    return chain->hop[chain->levels - 1];
}

/* Into how many pieces a message is cut. */
static double pieces_of(const struct chain *chain, double bytes)
{
    struct hs_price_line all = along(chain, (double)chain->layer.size - 1);
    struct hs_price_line slowest = slowest_of(chain);

    return fmax(1, rint(sqrt((all.seconds_per_byte - slowest.seconds_per_byte) * bytes /
                             fmax(slowest.latency_seconds, HS_MESSAGE_SECONDS))));
}

/* Of so many pieces: latencies, and seconds per byte of the message. The first goes along all hops,
 * the others leave the slowest one behind it, as fast as messages can be given at most. */
static struct hs_price_line broadcast_line(const struct chain *chain, double pieces, double bytes)
{
    struct hs_price_line line = along(chain, (double)chain->layer.size - 1);
    struct hs_price_line slowest = slowest_of(chain);
    double moving = slowest.seconds_per_byte * bytes / pieces;

    line.latency_seconds +=
        (pieces - 1) * fmax(slowest.latency_seconds, HS_MESSAGE_SECONDS - moving);
    line.seconds_per_byte += (pieces - 1) * slowest.seconds_per_byte;
    line.seconds_per_byte /= pieces;
    return line;
}

/* Blocks of so many bytes: along the first hops, as far as one that is slower than those before,
 * and there for the steps that are left. */
static struct hs_price_line scatter_line(const struct chain *chain, double bytes)
{
    double steps = (double)chain->layer.size - 1;
    struct hs_price_line longest = {0, 0};

    for (int l = 0; l < chain->levels; l++) {
        double hops = first_leaving(chain, l) + 1;
        struct hs_price_line line = along(chain, hops);

        line.latency_seconds += (steps - hops) * chain->hop[l].latency_seconds;
        line.seconds_per_byte += (steps - hops) * chain->hop[l].seconds_per_byte;
        if (hops <= steps && line.latency_seconds + line.seconds_per_byte * bytes >=
                                 longest.latency_seconds + longest.seconds_per_byte * bytes)
            longest = line;
    }
    return longest;
}

/* Where it lies, and how busy it keeps levels: `moving` seconds per byte, links carry the message,
 * of a scatter what goes beyond them. */
static void describe(struct hs_stage_price *price, const struct chain *chain, double moving)
{
    bool scatters = price->key.phase == HS_SCATTER || price->key.phase == HS_GATHER;
    double size = (double)price->key.layer.size, slowest = 0;

    for (int l = 0; l < chain->levels; l++) {
        double part = scatters ? (size - 1 - first_leaving(chain, l)) / size : 1;

        price->occupancy[l] = fmin(1, part * chain->link[l] / moving);
        if (chain->link[l] >= slowest) {
            slowest = chain->link[l];
            price->bottleneck = l;
        }
    }
    price->level = chain->levels - 1;
    price->ring_bytes_per_second = 1 / slowest;
    price->rings_per_link = chain->on_link[price->bottleneck];
    price->straddles = price->key.layer.stride < chain->child_ranks[price->level];
}

static bool in_two(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks)
{
    const enum hs_phase spread[2] = {HS_SCATTER, HS_ALLGATHER};
    const enum hs_phase collect[2] = {HS_REDUCE_SCATTER, HS_GATHER};

    if (!hs_phase_is_pair(price->key.phase))
        return false;
    hs_steps_price_both(price, system, ranks, price->key.phase == HS_SPREAD ? spread : collect);
    return true;
}

void hs_rooted_price_chain(struct hs_stage_price *price, const struct hs_system *system,
                           int64_t ranks)
{
    double size = (double)price->key.layer.size, others = (size - 1) / size, pieces = 1;
    struct chain chain;
    struct hs_price_line line;

    if (size < 2 || in_two(price, system, ranks))
        return;
    chain = chain_of(price, system, ranks);
    if (price->key.phase == HS_SCATTER || price->key.phase == HS_GATHER) {
        set_latencies(&chain, system, price->bytes / size);
        line = scatter_line(&chain, price->bytes / size);
        line.seconds_per_byte /= size;
    } else {
        set_latencies(&chain, system, price->bytes);
        pieces = pieces_of(&chain, price->bytes);
        set_latencies(&chain, system, price->bytes / pieces);
        line = broadcast_line(&chain, pieces, price->bytes);
    }
    price->steps = size - 2 + pieces;
    describe(price, &chain, line.seconds_per_byte);
    line.seconds_per_byte /= others; /* of a message's (p - 1) / p */
    hs_stage_add_line(price, line);
}

/* ---- binomial trees -------------------------------------------------------------------------- */

/* From the step that goes furthest on; `whole`: all bytes in each, else the upper half of what the
 * root has. */
static void price_branches(struct hs_stage_price *price, const struct hs_system *system,
                           int64_t ranks, bool whole)
{
    struct hs_steps steps = {.price = price, .system = system, .ranks = ranks, .waits = true};
    int64_t size = price->key.layer.size, places = 1;

    while (2 * places < size)
        places *= 2;
    for (; places > 0 && size > 1; places /= 2) {
        struct hs_traffic traffic = hs_traffic_branch(price->key.layer, places);

        hs_steps_add(&steps, &traffic, (double)(whole ? size : hs_smaller(places, size - places)));
    }
    hs_steps_finish(&steps);
}

void hs_rooted_price_halving(struct hs_stage_price *price, const struct hs_system *system,
                             int64_t ranks)
{
    const enum hs_phase outward[2] = {HS_SCATTER, HS_ALLGATHER};
    const enum hs_phase inward[2] = {HS_REDUCE_SCATTER, HS_GATHER};

    if (price->key.layer.size < 2 || in_two(price, system, ranks))
        return;
    if (price->key.phase == HS_BROADCAST)
        hs_steps_price_both(price, system, ranks, outward);
    else if (price->key.phase == HS_REDUCE)
        hs_steps_price_both(price, system, ranks, inward);
    else
        price_branches(price, system, ranks, false);
}

void hs_rooted_price_tree(struct hs_stage_price *price, const struct hs_system *system,
                          int64_t ranks)
{
    price_branches(price, system, ranks, true);
}
