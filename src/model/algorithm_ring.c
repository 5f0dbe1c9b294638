/*
 * The ring's traffic: one message a step from each rank to the next, p - 1 steps a pass.
 *
 * A hop takes alpha + m beta for a block of m bytes, and is free for the next block after m beta.
 * What a place sends in a step it received in the step before, so a ring takes as long as the
 * longest chain of steps of which each waits for the one before: from one step to the next a chain
 * goes on along the ring (alpha + m beta), or stays at a hop until that is free (m beta), or, once
 * HS_RING_DEPTH blocks are under way there, until the oldest is through (alpha + m beta).
 * docs/model.md, section 2, says which chains can be the longest.
 *
 * In an exchange nobody passes anything on: there it is pairwise (exchange.h).
 */
#include <math.h>
#include <string.h>

#include "model/price.h"
#include "model/steps.h"
#include "model/traffic.h"

#define ROUNDING 1e-9

/* What a ring gets of a child's link, and of the one between two children where it takes that. */
struct share {
    double out, across;
};

/* Where a ring takes one of a child's ports and, in a mesh, one of its links to others. */
static struct share single_share(const struct hs_level *level, int64_t child_ranks,
                                 int64_t unit_ranks, int64_t np, struct hs_layer layer, double rate)
{
    struct hs_traffic traffic = hs_traffic_ring(layer);
    int64_t port = hs_traffic_per_link(&traffic, np, child_ranks, level->ports), pair = 0;
    struct share share = {rate / (double)(level->ports * hs_larger(1, port)), INFINITY};

    if (level->fabric == HS_FABRIC_MESH && level->arity > 1)
        pair = hs_traffic_per_pair(&traffic, np, child_ranks, unit_ranks);
    if (pair > 0)
        share.across = rate / (double)((level->arity - 1) * pair);
    return share;
}

/* What one ring of the layer gets on level `l`, where `rings` of them leave a child. */
static struct share ring_share(const struct hs_system *system, size_t l, int64_t np,
                               struct hs_layer layer, int64_t rings)
{
    const struct hs_level *level = &system->levels[l];
    int64_t child_ranks = hs_system_child_ranks(system, l);
    int64_t unit_ranks = hs_system_child_ranks(system, l + 1);
    double rate = hs_level_rate(level, hs_system_busy_children(system, l, np, 1));
    struct share share = {rate / (double)rings, INFINITY}, single;

    if (level->striped) {
        share.out *= hs_step_mesh_part(level, child_ranks, unit_ranks, layer);
        return share;
    }
    single = single_share(level, child_ranks, unit_ranks, np, layer, rate);
    return (struct share){hs_lesser(share.out, single.out), single.across};
}

/* Of the ring that leaves most children, its hops by their outermost level. */
struct hops {
    struct hs_price_line each[HS_LEVELS_MAX]; /* alpha, beta */
    double count[HS_LEVELS_MAX];
    double run[HS_LEVELS_MAX]; /* ranks that a whole child of the level has in it, if any */
    int levels;
    int inner;    /* the innermost kind */
    bool goes_on; /* another layer follows (price.h) */
    /* What the places of a ring wait on average for all but one of its latencies, of the longest.
     */
    double mean_part;
    int slowest, latest; /* the kinds with the largest beta and alpha */
};

static int next_kind(const struct hops *hops, int level)
{
    do
        level++;
    while (level < hops->levels && hops->count[level] == 0);
    return level;
}

static void find_extremes(struct hops *hops)
{
    double sum = 0, count = 0, least;

    hops->inner = hops->slowest = hops->latest = next_kind(hops, -1);
    least = hops->each[hops->inner].latency_seconds;
    for (int l = hops->inner; l < hops->levels; l = next_kind(hops, l)) {
        sum += hops->count[l] * hops->each[l].latency_seconds;
        count += hops->count[l];
        least = hs_lesser(least, hops->each[l].latency_seconds);
        if (hops->each[l].seconds_per_byte >= hops->each[hops->slowest].seconds_per_byte)
            hops->slowest = l;
        if (hops->each[l].latency_seconds >= hops->each[hops->latest].latency_seconds)
            hops->latest = l;
    }
    if (sum > least * count * (1 + ROUNDING) && hops->goes_on)
        hops->mean_part = sum * (1 - 1 / count) / (sum - least);
    else
        hops->mean_part = 1;
}

/* Walks the levels the layer crosses, from the inside out, and fills everything but the times. */
static struct hops price_levels(struct hs_stage_price *price, double busiest[HS_LEVELS_MAX],
                                const struct hs_system *system, int64_t np)
{
    struct hops hops = {.goes_on = price->goes_on};
    double out = INFINITY;
    struct hs_layer layer = price->key.layer;
    struct hs_traffic traffic = hs_traffic_ring(layer);
    double piece_bytes = price->bytes / (double)layer.size;

    for (size_t l = 0; l < system->level_count; l++) {
        const struct hs_level *level = &system->levels[l];
        int64_t child_ranks = hs_system_child_ranks(system, l), rings, leaving;
        struct share share;

        rings = child_ranks < np ? hs_traffic_per_link(&traffic, np, child_ranks, 1) : 0;
        if (rings == 0) /* no block is cut by a child's border: nor by one further out */
            break;
        share = ring_share(system, l, np, layer, rings);
        busiest[l] = hs_lesser(share.out, share.across);
        if (l == 0 || busiest[l] <= price->ring_bytes_per_second) {
            price->ring_bytes_per_second = busiest[l];
            price->bottleneck = (int)l;
            price->rings_per_link = rings;
        }
        price->misaligned = price->misaligned || layer.stride < child_ranks;
        price->level = (int)l;
        leaving = hs_traffic_ring_hops(layer, np, child_ranks);
        if (l > 0)
            hops.count[l - 1] -= (double)leaving;
        hops.count[l] = (double)leaving;
        hops.run[l] = hs_greater(1, (double)child_ranks / (double)layer.stride);
        out = hs_lesser(out, share.out);
        hops.each[l] = (struct hs_price_line){hs_level_latency(level, piece_bytes),
                                              1 / hs_lesser(out, share.across)};
        hops.levels = (int)l + 1;
    }
    find_extremes(&hops);
    return hops;
}

/* A chain of steps: hops that it goes along, by level, and steps that it stays at the slowest. */
struct chain {
    double hops[HS_LEVELS_MAX], stays;
};

/* How chains of a stage count. */
struct pass {
    double steps, times; /* of one pipeline, and how many of those come one after the other */
    int laps;            /* around the ring, but for a step each */
    double granularity;
};

/* Adds what a chain takes. */
static void add_chain(struct hs_stage_price *price, const struct hops *hops,
                      const struct pass *pass, const struct chain *chain)
{
    const struct hs_price_line *slowest = &hops->each[hops->slowest];
    double latency = 0, part = 0;

    for (int l = 0; l < hops->levels; l++) {
        latency += chain->hops[l] * hops->each[l].latency_seconds;
        part += chain->hops[l] * (hops->each[l].seconds_per_byte / slowest->seconds_per_byte);
    }
    latency *= hops->mean_part; /* the next layer does not begin where this one ends last */
    part = part * hops->mean_part + chain->stays;
    part /= (double)(price->key.layer.size - 1); /* exactly 1 or 2 where all hops are alike */
    hs_stage_add_line(price,
                      (struct hs_price_line){pass->times * latency * pass->granularity,
                                             pass->times * part * slowest->seconds_per_byte});
}

/* Adds a chain that has `left` steps beside its hops: it stays at the slowest hop; or waits again
 * and again for what is under way at the one with the most latency, and for the rest stays, or
 * goes on along hops inside. */
static void add_with_rest(struct hs_stage_price *price, const struct hops *hops,
                          const struct pass *pass, struct chain chain, double left)
{
    double turns = floor(left / HS_RING_DEPTH);

    chain.stays = left;
    add_chain(price, hops, pass, &chain);
    if (turns == 0)
        return;
    chain.hops[hops->latest] += turns;
    chain.stays = left - turns * HS_RING_DEPTH;
    add_chain(price, hops, pass, &chain);
    chain.hops[hops->inner] += chain.stays;
    chain.stays = 0;
    add_chain(price, hops, pass, &chain);
}

/* All around the ring, but for as many hops of the innermost kind as there are laps; or for one of
 * the next kind instead, where no two of the innermost follow each other. */
static void add_around(struct hs_stage_price *price, const struct hops *hops,
                       const struct pass *pass)
{
    int outer = next_kind(hops, hops->inner);
    struct chain chain = {.stays = 0};

    for (int l = 0; l < hops->levels; l++)
        chain.hops[l] = pass->laps * hops->count[l];
    chain.hops[hops->inner]--;
    if (pass->laps == 2)
        chain.hops[outer < hops->levels && hops->run[outer] <= 2 ? outer : hops->inner]--;
    add_chain(price, hops, pass, &chain);
}

/* Around the ring from a hop of `level` or further out to the last such hop: without the way
 * through one child, or through two and the hop between them where one is too short to leave out.
 */
static void add_between(struct hs_stage_price *price, const struct hops *hops,
                        const struct pass *pass, int level)
{
    struct chain chain = {.stays = 0};
    double inside = 0, left_out, ways;

    for (int l = level - 1; l >= 0; l--) {
        double within = ceil(hops->run[level] / hops->run[l]) - 1 - inside;

        chain.hops[l] = -hs_lesser(within, hops->count[l]);
        inside -= chain.hops[l];
    }
    ways = inside < pass->laps && 2 * hops->run[level] <= (double)price->key.layer.size ? 2 : 1;
    left_out = ways * inside + ways - 1;
    for (int l = 0; l < hops->levels; l++)
        chain.hops[l] = pass->laps * hops->count[l] + ways * chain.hops[l];
    chain.hops[level] -= ways - 1;
    if (left_out >= pass->laps && chain.hops[level] >= 0)
        add_with_rest(price, hops, pass, chain, left_out - pass->laps);
}

/* Where a ring ends in part of a child: the two hops on either side of that, and what lies between.
 */
static void add_end(struct hs_stage_price *price, const struct hops *hops, const struct pass *pass,
                    int level)
{
    double ranks = fmod((double)price->key.layer.size, hops->run[level]);
    struct chain chain = {.stays = 0};

    if (ranks < 1 || hops->run[level] >= (double)price->key.layer.size)
        return;
    chain.hops[level] = 2;
    chain.hops[hops->inner] += ranks - 1;
    add_with_rest(price, hops, pass, chain, pass->steps - 1 - ranks);
}

/* The lines of the ring: of the chains that can be the longest. */
static void add_chains(struct hs_stage_price *price, const struct hops *hops, double granularity)
{
    int laps = price->key.phase == HS_ALLREDUCE ? 2 : 1;
    struct pass pass = {.steps = laps * (double)(price->key.layer.size - 1),
                        .times = price->key.phase == HS_PAIR ? 2 : 1,
                        .laps = laps,
                        .granularity = granularity};
    int ends[] = {hops->slowest, hops->latest};

    add_around(price, hops, &pass);
    for (int l = next_kind(hops, hops->inner); l < hops->levels; l = next_kind(hops, l)) {
        add_between(price, hops, &pass, l);
        add_end(price, hops, &pass, l);
    }
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        struct chain chain = {.stays = 0};

        chain.hops[ends[i]] = 1;
        add_with_rest(price, hops, &pass, chain, pass.steps - 1);
    }
}

/* Rings that leave no child of the outermost level, if there can be any; their hops may be slower,
 * inside a mesh. */
static bool go_inside(struct hops *hops, const struct hs_system *system, struct hs_layer layer)
{
    int last = hops->levels - 1;

    if ((layer.size - 1) * layer.stride >= hs_system_child_ranks(system, (size_t)last))
        return false;
    hops->count[last - 1] += hops->count[last];
    hops->levels = last;
    find_extremes(hops);
    return true;
}

/* The busiest link may be one that neither of these rings takes, but another of the layer. Whatever
 * the places wait on average, it carries all of its bytes, the last of them for a latency. */
static void add_busiest(struct hs_stage_price *price, const struct hops *hops, double granularity)
{
    double passes = hs_phase_passes(price->key.phase), per_byte = 1 / price->ring_bytes_per_second;
    double latency = granularity * hops->each[hops->slowest].latency_seconds;

    if (price->line_count == 0 ||
        passes * per_byte > price->lines[price->line_count - 1].seconds_per_byte * (1 + ROUNDING))
        hs_stage_add_line(price, (struct hs_price_line){0, passes * per_byte});
    if (hops->mean_part < 1)
        hs_stage_add_line(price, (struct hs_price_line){hs_phase_calls(price->key.phase) * latency,
                                                        passes * per_byte});
}

/* One step under way: all pay the largest latency and the slowest link. Where that is one inside an
 * unstriped mesh, those that leave it do not take it: the slower of two kinds of hops. */
static void add_steps(struct hs_stage_price *price, const double busiest[HS_LEVELS_MAX],
                      const struct hs_system *system)
{
    const struct hs_level *levels = system->levels, *slowest = &levels[price->bottleneck];
    double step = price->steps * system->pipeline_granularity;
    double passes = hs_phase_passes(price->key.phase), inside = 0, latency = 0, outside = INFINITY;

    for (int l = 0; l <= price->level; l++) {
        latency = hs_greater(latency, levels[l].latency_seconds);
        if (l <= price->bottleneck)
            inside = latency;
        if (l != price->bottleneck)
            outside = hs_lesser(outside, busiest[l]);
    }
    if (slowest->fabric == HS_FABRIC_MESH && !slowest->striped &&
        price->bottleneck != price->level && inside < latency) {
        hs_stage_add_line(price, (struct hs_price_line){step * latency, passes / outside});
        latency = inside;
    }
    hs_stage_add_line(
        price, (struct hs_price_line){step * latency, passes / price->ring_bytes_per_second});
}

/* ---- a few ranks whose rings are not alike ---- */

/* Whether the rings of a few ranks differ by where they lie: children and what a place is from the
 * next one, or a ring from the next one, do not nest. */
static bool is_played(const struct hs_system *system, int64_t ranks, struct hs_layer layer)
{
    bool uneven = false;

    if (ranks > HS_STEPS_RANKS || layer.size < 2)
        return false;
    for (size_t l = 0; l < system->level_count; l++) {
        const struct hs_level *level = &system->levels[l];
        int64_t child_ranks = hs_system_child_ranks(system, l), block = layer.stride * layer.size;

        if (child_ranks >= ranks)
            break;
        if (level->fabric == HS_FABRIC_MESH && level->striped && level->arity > 2)
            return false;
        uneven = uneven || (block % child_ranks && child_ranks % block) ||
                 (layer.stride % child_ranks && child_ranks % layer.stride);
    }
    return uneven;
}

/* A step of all rings: whom each rank sends to, and what its message takes. */
struct ring_step {
    int64_t ranks;
    int to[HS_STEPS_RANKS];
    double moving[HS_STEPS_RANKS],
        all[HS_STEPS_RANKS]; /* seconds that it moves, with its latency */
};

/* When each rank is through with so many steps that all begin at once. */
static void play(double through[HS_STEPS_RANKS], const struct ring_step *step, int steps)
{
    double end[HS_RING_DEPTH][HS_STEPS_RANKS] = {0}, begin[HS_STEPS_RANKS] = {0};
    int from[HS_STEPS_RANKS] = {0};

    for (int r = 0; r < step->ranks; r++)
        from[step->to[r]] = r;
    for (int t = 0; t < steps; t++)
        for (int r = 0; r < step->ranks; r++) {
            double when = 0;

            if (t > 0)
                when =
                    hs_greater(end[(t - 1) % HS_RING_DEPTH][from[r]], begin[r] + step->moving[r]);
            if (t >= HS_RING_DEPTH)
                when = hs_greater(when, end[t % HS_RING_DEPTH][r]);
            begin[r] = when;
            end[t % HS_RING_DEPTH][r] = when + step->all[r];
        }
    for (int r = 0; r < step->ranks; r++)
        through[r] =
            hs_greater(end[(steps - 1) % HS_RING_DEPTH][from[r]], begin[r] + step->moving[r]);
}

static struct ring_step step_of(const struct hs_system *system, int64_t ranks,
                                struct hs_layer layer, double bytes)
{
    struct ring_step step = {.ranks = ranks};
    struct hs_price_line hops[HS_STEPS_RANKS];
    int64_t block = layer.stride * layer.size;

    for (int64_t r = 0; r < ranks; r++)
        step.to[r] = (int)(r / block * block + (r + layer.stride) % block);
    hs_steps_hops(hops, system, ranks, step.to, bytes);
    for (int64_t r = 0; r < ranks; r++) {
        step.moving[r] = bytes * hops[r].seconds_per_byte;
        step.all[r] = hops[r].latency_seconds + step.moving[r];
    }
    return step;
}

/* The same rings the other way round, as time does not go: when a rank is through is then how long
 * before the end it has to begin. */
static struct ring_step backwards(const struct ring_step *step)
{
    struct ring_step back = {.ranks = step->ranks};

    for (int r = 0; r < step->ranks; r++) {
        int to = step->to[r];

        back.to[to] = r;
        back.moving[to] = step->moving[r];
        back.all[to] = step->all[r];
    }
    return back;
}

/* In the place of the lines: what the steps take that a layer makes. Of one that goes on each rank
 * comes out by itself, and on its way back goes in by itself: half of what that takes together. */
static void price_played(struct hs_stage_price *price, const struct hs_system *system,
                         int64_t ranks)
{
    struct hs_stage_key key = price->key;
    double size = (double)key.layer.size, seconds = 0;
    double out[HS_STEPS_RANKS] = {0}, back[HS_STEPS_RANKS];
    struct ring_step step = step_of(system, ranks, key.layer, price->bytes / size);
    struct ring_step other_way = backwards(&step);
    int steps = (key.phase == HS_ALLREDUCE ? 2 : 1) * (int)(key.layer.size - 1);
    struct hs_price_line line = price->lines[0];

    play(out, &step, steps);
    memcpy(back, out, sizeof(back));
    if (price->goes_on)
        play(back, &other_way, steps);
    for (int r = 0; r < ranks; r++)
        seconds = hs_greater(seconds, (out[r] + back[r]) / 2);
    seconds *= hs_phase_calls(key.phase);
    line.latency_seconds = hs_lesser(line.latency_seconds, seconds);
    line.seconds_per_byte = (seconds - line.latency_seconds) / (price->bytes * (size - 1) / size);
    price->lines[0] = line;
    price->line_count = 1;
}

static void price_ring(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks)
{
    double busiest[HS_LEVELS_MAX] = {0};
    struct hops hops;

    if (price->key.phase == HS_EXCHANGE) {
        hs_algorithm_DIRECT.price(price, system, ranks);
        return;
    }
    hops = price_levels(price, busiest, system, ranks);
    price->steps = hs_phase_passes(price->key.phase) * (double)(price->key.layer.size - 1);
    if (price->steps == 0) /* one process: nothing travels */
        return;
    if (system->additive || system->fits.count > 0) {
        add_steps(price, busiest, system);
    } else {
        add_chains(price, &hops, system->pipeline_granularity);
        while (go_inside(&hops, system, price->key.layer))
            add_chains(price, &hops, system->pipeline_granularity);
        add_busiest(price, &hops, system->pipeline_granularity);
        if (price->bytes > 0 && is_played(system, ranks, price->key.layer))
            price_played(price, system, ranks);
    }
    for (int l = 0; l <= price->level; l++)
        price->occupancy[l] = busiest[l] > 0 ? price->ring_bytes_per_second / busiest[l] : 0;
}

const struct hs_algorithm_row hs_algorithm_RING = {
    .phases = 1U << HS_REDUCE_SCATTER | 1U << HS_ALLGATHER | 1U << HS_ALLREDUCE |
              1U << HS_EXCHANGE | 1U << HS_PAIR,
    .by_bytes = is_played,
    .price = price_ring,
};
