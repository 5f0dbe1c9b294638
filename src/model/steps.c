#include "model/steps.h"

#include <math.h>

bool hs_steps_by_bytes(const struct hs_system *system, int64_t ranks, struct hs_layer layer)
{
    (void)system, (void)ranks, (void)layer;
    return true;
}

double hs_step_share(const struct hs_level *level, int64_t children, int64_t link, int64_t port,
                     int64_t pair)
{
    double rate = hs_level_rate(level, children), share = rate / (double)link;

    if (!level->striped && port > 0)
        share = hs_lesser(share, rate / (double)(level->ports * port));
    if (level->fabric == HS_FABRIC_MESH && level->arity > 1 && pair > 0)
        share = hs_lesser(share, rate / (double)((level->arity - 1) * pair));
    return share;
}

double hs_step_mesh_part(const struct hs_level *level, int64_t child_ranks, int64_t unit_ranks,
                         struct hs_layer layer)
{
    int64_t block = layer.stride * layer.size, visited;

    if (level->fabric != HS_FABRIC_MESH || level->arity < 3 || layer.stride >= unit_ranks)
        return 1;
    visited = (hs_smaller(block, unit_ranks) + hs_larger(layer.stride, child_ranks) - 1) /
              hs_larger(layer.stride, child_ranks);
    visited = hs_larger(2, hs_smaller(visited, level->arity));
    return (double)(visited - 1) / (double)(level->arity - 1);
}

static int64_t counted(const struct hs_steps *steps)
{
    return hs_larger(steps->ranks, steps->padded);
}

/* What one message of a step gets on level l, where `link` of them leave a child; *leaving: of what
 * the child can send to all others. */
static double share_on(double *leaving, const struct hs_steps *steps,
                       const struct hs_traffic *traffic, size_t l, int64_t link)
{
    const struct hs_level *level = &steps->system->levels[l];
    int64_t child_ranks = hs_system_child_ranks(steps->system, l), port = link, pair = 0;
    int64_t children = hs_system_busy_children(steps->system, l, steps->ranks, steps->every);

    if (!level->striped && level->ports > 1)
        port = hs_smaller(link,
                          hs_traffic_per_link(traffic, counted(steps), child_ranks, level->ports));
    if (level->fabric == HS_FABRIC_MESH)
        pair = hs_smaller(link, hs_traffic_per_pair(traffic, counted(steps), child_ranks,
                                                    hs_system_child_ranks(steps->system, l + 1)));
    *leaving = hs_step_share(level, children, link, level->ports > 1 ? port : 0, 0);
    return pair == 0 ? *leaving
                     : hs_step_share(level, children, link, level->ports > 1 ? port : 0, pair);
}

/* Whether each two children have a link of their own. */
static bool is_mesh(const struct hs_level *level)
{
    return level->fabric == HS_FABRIC_MESH && level->arity > 2;
}

/* A step that is taken so often, one after the other, and its messages. */
struct step {
    const struct hs_traffic *traffic;
    double blocks, bytes, times;
};

/* Adds what the step's messages do on level l, a child of which has so many ranks. Returns the
 * latency and the seconds per byte of a block of those that cross it and none further out; *out:
 * the largest of what leaves a child. */
static struct hs_price_line add_level(struct hs_steps *steps, const struct step *step, size_t l,
                                      int64_t child_ranks, int64_t link, double *out)
{
    const struct hs_level *level = &steps->system->levels[l];
    double leaving, share = share_on(&leaving, steps, step->traffic, l, link);
    double load = step->blocks / share;
    double sent = leaving == share ? load : step->blocks / leaving;
    int64_t ahead = hs_larger(1, step->traffic->distance / child_ranks);
    double latency = hs_level_latency(level, step->bytes);

    *out = hs_greater(*out, sent);
    steps->leaving[l] += step->times * sent;
    steps->across[l] = step->times * load + (steps->to[l] == ahead ? steps->across[l] : 0);
    steps->to[l] = ahead;
    steps->together[l] =
        hs_greater(hs_greater(steps->together[l], steps->across[l]), steps->leaving[l]);
    steps->level_latencies[l] = hs_greater(steps->level_latencies[l], latency);
    steps->busy[l] += step->times * load;
    if (load > steps->heaviest[l]) {
        steps->heaviest[l] = load;
        steps->messages[l] = link;
    }
    return (struct hs_price_line){steps->system->pipeline_granularity * latency,
                                  hs_greater(*out, load)};
}

/* In a mesh a step takes other links than the one before, where it goes to another child: half of
 * what comes there goes on while the rest comes. */
static void overlap(struct hs_steps *steps, const struct hs_traffic *traffic, int at, double load)
{
    const struct hs_level *levels = steps->system->levels;
    int64_t child_ranks = hs_system_child_ranks(steps->system, (size_t)at);
    int64_t ahead = hs_larger(1, traffic->distance / child_ranks);

    if (!steps->waits && (is_mesh(&levels[at]) || is_mesh(&levels[steps->at])) &&
        (at != steps->at || ahead != steps->ahead))
        steps->seconds_per_byte -= hs_lesser(load, steps->last) / 2;
    steps->last = load;
    steps->at = at;
    steps->ahead = ahead;
}

void hs_steps_add(struct hs_steps *steps, const struct hs_traffic *traffic, double blocks)
{
    hs_steps_add_times(steps, traffic, blocks, 1);
}

void hs_steps_add_times(struct hs_steps *steps, const struct hs_traffic *traffic, double blocks,
                        double times)
{
    const struct hs_system *system = steps->system;
    double bytes = steps->price->bytes / (double)steps->price->key.layer.size, out = 0;
    const struct step taken = {traffic, blocks, blocks * bytes, times};
    struct hs_price_line step = {0, 0};
    double latency = 0;
    int64_t child_ranks = 1;
    int at = 0;

    for (size_t l = 0; l < system->level_count;
         child_ranks = hs_level_ranks(&system->levels[l++], child_ranks)) {
        int64_t link = 0;
        struct hs_price_line some;

        if (child_ranks < steps->ranks)
            link = hs_traffic_per_link(traffic, counted(steps), child_ranks, 1);
        if (link == 0) /* no block is cut by a child's border: nor by one further out */
            break;
        if (steps->every > 1)
            link = (link + steps->every - 1) / steps->every;
        if (steps->senders > 0)
            link = hs_smaller(link, steps->senders);
        if (steps->both_ways && child_ranks > 1)
            link *= 2;
        some = add_level(steps, &taken, l, child_ranks, link, &out);
        latency = some.latency_seconds = hs_greater(latency, some.latency_seconds);
        if (some.seconds_per_byte >= step.seconds_per_byte)
            at = (int)l;
        if (bytes == 0)
            some.seconds_per_byte = hs_greater(some.seconds_per_byte, step.seconds_per_byte);
        if (some.latency_seconds + some.seconds_per_byte * bytes >=
            step.latency_seconds + step.seconds_per_byte * bytes)
            step = some;
    }
    steps->latency_seconds += times * step.latency_seconds;
    steps->seconds_per_byte += times * step.seconds_per_byte;
    overlap(steps, traffic, at, step.seconds_per_byte);
    steps->price->steps += times;
    if (steps->count == HS_STEPS_MAX)
        return;
    steps->latencies[steps->count] = times * step.latency_seconds;
    steps->loads[steps->count++] = times * step.seconds_per_byte;
}

int64_t hs_steps_look(int64_t ranks[HS_STEPS_RANKS], const struct hs_steps *steps)
{
    int64_t block = steps->price->key.layer.stride * steps->price->key.layer.size;
    int64_t count = hs_smaller(steps->ranks, HS_STEPS_RANKS / block * block), first = count, cut;

    for (int64_t i = 0; i < count; i++)
        ranks[i] = i;
    for (size_t l = steps->system->level_count; l-- > 0 && first > 0 && count < steps->ranks;) {
        int64_t child_ranks = hs_system_child_ranks(steps->system, l);

        cut = child_ranks / block * block; /* where the block begins that the first border cuts */
        if (child_ranks >= steps->ranks || child_ranks % block == 0 || block % child_ranks == 0 ||
            cut < first || (first < count && cut == ranks[first]))
            continue;
        first -= block;
        for (int64_t i = 0; i < block; i++)
            ranks[first + i] = cut + i;
    }
    return count;
}

double hs_steps_hop(const struct hs_steps *steps, int64_t from, int64_t to)
{
    double latency = 0;

    for (size_t l = 0; l < steps->system->level_count; l++) {
        int64_t child_ranks = hs_system_child_ranks(steps->system, l);

        if (from / child_ranks == to / child_ranks)
            break;
        latency = hs_greater(latency, steps->level_latencies[l]);
    }
    return steps->system->pipeline_granularity * latency;
}

void hs_steps_scale(struct hs_steps *steps, double longest, double mean)
{
    double part = longest > 0 ? (longest + mean) / (2 * longest) : 1;

    if (!steps->price->goes_on)
        return;
    steps->latency_seconds *= part;
    for (int k = 0; k < steps->count; k++)
        steps->latencies[k] *= part;
}

void hs_steps_follow(struct hs_steps *steps, bool swaps)
{
    struct hs_layer layer = steps->price->key.layer;
    double all[2][HS_STEPS_RANKS] = {{0}}, longest = 0, sum = 0;
    int64_t ranks[HS_STEPS_RANKS], count = hs_steps_look(ranks, steps);

    for (int k = 0; k < steps->count; k++)
        for (int64_t i = 0; i < count; i++) {
            int64_t place = i / layer.stride % layer.size, to = place - ((int64_t)1 << k);

            if (swaps)
                to = place ^ ((int64_t)1 << k);
            to = i + ((to + layer.size) % layer.size - place) * layer.stride;
            all[(k + 1) % 2][to] = hs_greater(
                all[k % 2][to], all[k % 2][i] + hs_steps_hop(steps, ranks[i], ranks[to]));
        }
    for (int64_t i = 0; i < count; i++) {
        longest = hs_greater(longest, all[steps->count % 2][i]);
        sum += all[steps->count % 2][i];
    }
    if (count == 0)
        return;
    steps->latency_seconds = hs_lesser(steps->latency_seconds, longest);
    hs_steps_scale(steps, longest, sum / (double)count);
}

void hs_steps_occupy(const struct hs_steps *steps, double moving)
{
    struct hs_stage_price *price = steps->price;

    price->ring_bytes_per_second = ((double)price->key.layer.size - 1) / moving;
    for (size_t l = 0; l < steps->system->level_count && steps->busy[l] > 0; l++)
        price->occupancy[l] = hs_lesser(1, steps->busy[l] / moving);
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
        moving = hs_greater(moving, steps->leaving[l]);
    hs_stage_add_line(
        price, (struct hs_price_line){passes * steps->latency_seconds, passes * moving / others});
    for (l = 0; l < steps->system->level_count && steps->busy[l] > 0; l++) {
        price->level = (int)l;
        if (steps->busy[l] >= steps->busy[price->bottleneck])
            price->bottleneck = (int)l;
    }
    price->rings_per_link = steps->messages[price->bottleneck];
    price->misaligned =
        price->key.layer.stride < hs_system_child_ranks(steps->system, (size_t)price->level);
    hs_steps_occupy(steps, moving);
}

/* ---- messages looked at one by one ----------------------------------------------------------- */

/* A level's children, as ranks see them. */
struct children {
    int of[HS_STEPS_RANKS], unit[HS_STEPS_RANKS];
    int link[HS_STEPS_RANKS]; /* the first of the ranks that leave it through the same link */
};

static struct children children_of(const struct hs_system *system, int64_t ranks, size_t l)
{
    const struct hs_level *level = &system->levels[l];
    int child_ranks = (int)hs_system_child_ranks(system, l); /* fewer than ranks */
    int unit_ranks = (int)hs_smaller(ranks, hs_system_child_ranks(system, l + 1));
    int ports = level->striped ? 1 : (int)level->ports;
    struct children children;

    for (int r = 0; r < ranks; r++) {
        int within = r % child_ranks;

        children.of[r] = r / child_ranks;
        children.unit[r] = r / unit_ranks;
        children.link[r] =
            r - within + ((within + 1) * ports - 1) / child_ranks * child_ranks / ports;
    }
    return children;
}

/* Messages that go from rank r's child to that of whom it sends to. */
static int beside(const struct children *children, int64_t ranks, const int to[HS_STEPS_RANKS],
                  int r)
{
    int count = 0;

    for (int q = 0; q < ranks; q++)
        count += children->of[q] == children->of[r] && children->of[to[q]] == children->of[to[r]];
    return count;
}

/* Of the messages that cross level l: it is the outermost so far. */
static void add_hops(struct hs_price_line hops[HS_STEPS_RANKS], const struct hs_system *system,
                     int64_t ranks, const int to[HS_STEPS_RANKS], double bytes, size_t l)
{
    const struct hs_level *level = &system->levels[l];
    struct children children = children_of(system, ranks, l);
    int out[HS_STEPS_RANKS] = {0}, in[HS_STEPS_RANKS] = {0};
    double latency = system->pipeline_granularity * hs_level_latency(level, bytes);
    int64_t busy = hs_system_busy_children(system, l, ranks, 1);

    for (int r = 0; r < ranks; r++)
        if (children.of[r] != children.of[to[r]]) {
            out[children.link[r]]++;
            in[children.link[to[r]]]++;
        }
    for (int r = 0; r < ranks; r++)
        if (children.of[r] != children.of[to[r]]) {
            int busiest = (int)hs_larger(out[children.link[r]], in[children.link[to[r]]]), pair = 0;
            double share;

            if (level->fabric == HS_FABRIC_MESH && children.unit[r] == children.unit[to[r]])
                pair = beside(&children, ranks, to, r);
            share = hs_step_share(level, busy, busiest, busiest, pair);
            hops[r].latency_seconds = latency;
            hops[r].seconds_per_byte = hs_greater(hops[r].seconds_per_byte, 1 / share);
        }
}

void hs_steps_hops(struct hs_price_line hops[HS_STEPS_RANKS], const struct hs_system *system,
                   int64_t ranks, const int to[HS_STEPS_RANKS], double bytes)
{
    for (int64_t r = 0; r < ranks; r++)
        hops[r] = (struct hs_price_line){0, 0};
    for (size_t l = 0; l < system->level_count && hs_system_child_ranks(system, l) < ranks; l++)
        add_hops(hops, system, ranks, to, bytes, l);
}
