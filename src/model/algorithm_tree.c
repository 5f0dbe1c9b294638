/*
 * The tree's traffic: all bytes go up the edges of one binary tree and down again, in segments that
 * follow each other.
 *
 * Places are in the tree as in a sorted one: those that are odd multiples of 2^k hang from the odd
 * multiple of 2^(k+1) beside them, or, where that is beyond the end, from the place 2^k below; the
 * root is place 0. So each edge joins two neighbours among the multiples of some 2^k.
 */
#include <math.h>

#include "model/steps.h"

#define CHILDREN_LOOKED_AT 64 /* the tree looks alike everywhere, but at its end */

/* Whether places m 2^k and (m + 1) 2^k are joined: the odd one's parent is the other. */
static bool is_edge(int64_t size, int64_t m, int k)
{
    int64_t low = (int64_t)1 << k, place = (m | 1) * low, parent = (place - low) | (2 * low);

    if (place >= size)
        return false;
    if (parent >= size)
        parent = place - low;
    return parent == (m % 2 ? m + 1 : m) * low;
}

/* Edges that leave places [a, b): across each end, but for those that span both. */
static int64_t edges_leaving(int64_t size, int64_t a, int64_t b)
{
    int64_t edges = 0;

    for (int k = 0; (int64_t)1 << k < size; k++) {
        int64_t below = (a - 1) >> k, above = (b - 1) >> k;
        bool at_a = a > 0 && a < size && is_edge(size, below, k);
        bool at_b = b > 0 && b < size && is_edge(size, above, k);

        edges += at_a + at_b;
        if (at_a && at_b && below == above)
            edges -= 2;
    }
    return edges;
}

/* The same of ranks [u, v) of a block, which hold [a, b) of some groups' places and one more or one
 * less at either end of others'. */
static int64_t edges_of_block(struct hs_layer layer, int64_t u, int64_t v)
{
    int64_t d = layer.stride, cuts[4] = {0, hs_smaller(u % d, v % d), hs_larger(u % d, v % d), d};
    int64_t edges = 0;

    for (int i = 0; i < 3; i++) {
        int64_t a = u / d + (cuts[i] < u % d), b = v / d + (cuts[i] < v % d);

        if (cuts[i] < cuts[i + 1] && a < b)
            edges += (cuts[i + 1] - cuts[i]) * edges_leaving(layer.size, a, b);
    }
    return edges;
}

/* Edges that leave the child that begins at rank `first`: of its first and its last block. */
static int64_t edges_of_child(struct hs_layer layer, int64_t first, int64_t end)
{
    int64_t block = layer.stride * layer.size, start = first / block * block;
    int64_t last = (end - 1) / block * block;
    int64_t edges = edges_of_block(layer, first - start, hs_smaller(end - start, block));

    return last > start ? edges + edges_of_block(layer, 0, end - last) : edges;
}

/* Edges between ranks [a, b) and [b, c). */
static int64_t edges_between(struct hs_layer layer, int64_t a, int64_t b, int64_t c)
{
    if (a >= b || b >= c)
        return 0;
    return (edges_of_child(layer, a, b) + edges_of_child(layer, b, c) -
            edges_of_child(layer, a, c)) /
           2;
}

/* Edges that leave a child through its busiest port. */
static int64_t edges_at_port(struct hs_layer layer, int64_t first, int64_t end, int64_t child_ranks,
                             int64_t ports)
{
    int64_t most = 0;

    for (int64_t port = 0; port < ports; port++) {
        int64_t a = hs_smaller(end, first + port * child_ranks / ports);
        int64_t b = hs_smaller(end, first + (port + 1) * child_ranks / ports);

        if (a < b)
            most = hs_larger(most, edges_of_child(layer, a, b) - edges_between(layer, first, a, b) -
                                       edges_between(layer, a, b, end));
    }
    return most;
}

/* Most edges from a child to one that follows in its unit, which ends at `unit_end`. */
static int64_t edges_to_child(struct hs_layer layer, int64_t first, int64_t end,
                              int64_t child_ranks, int64_t unit_end)
{
    int64_t most = 0, before = 0;

    /* What goes as far as a child goes to it or to those in between. */
    for (int64_t next = end; next < unit_end; next += child_ranks) {
        int64_t through =
            edges_between(layer, first, end, hs_smaller(next + child_ranks, unit_end));

        most = hs_larger(most, through - before);
        before = through;
    }
    return most;
}

/* Of the busiest child's links. */
struct edges {
    int64_t link, port, pair;
};

/* The most over all children, or the first ones with different places. */
static struct edges most_edges(const struct hs_steps *steps, size_t l)
{
    const struct hs_level *level = &steps->system->levels[l];
    struct hs_layer layer = steps->price->key.layer;
    int64_t child_ranks = hs_system_child_ranks(steps->system, l), ranks = steps->ranks;
    int64_t unit_ranks = hs_system_child_ranks(steps->system, l + 1);
    bool few = (ranks - 1) / child_ranks < CHILDREN_LOOKED_AT;
    int64_t step = few ? child_ranks : hs_larger(1, layer.stride / child_ranks) * child_ranks;
    struct edges most = {0};

    for (int64_t i = 0; i < CHILDREN_LOOKED_AT && i * step < ranks && child_ranks < ranks; i++) {
        int64_t first = i * step, end = hs_smaller(first + child_ranks, ranks);

        most.link = hs_larger(most.link, edges_of_child(layer, first, end));
        if (!level->striped && level->ports > 1)
            most.port =
                hs_larger(most.port, edges_at_port(layer, first, end, child_ranks, level->ports));
        if (level->fabric == HS_FABRIC_MESH && level->arity > 1)
            most.pair = hs_larger(
                most.pair,
                edges_to_child(layer, first, end, child_ranks,
                               hs_smaller(ranks, first / unit_ranks * unit_ranks + unit_ranks)));
    }
    return most;
}

/* What one message of the price's bytes carries. */
static double segment_bytes(const struct hs_stage_price *price)
{
    double depth = ceil(log2((double)price->key.layer.size));

    return fmin(price->bytes,
                fmax(HS_TREE_SEGMENT_BYTES, price->bytes / (HS_TREE_SEGMENTS * depth)));
}

static void fill_levels(struct hs_steps *steps)
{
    for (size_t l = 0; l < steps->system->level_count; l++) {
        const struct hs_level *level = &steps->system->levels[l];
        struct edges edges = most_edges(steps, l);

        if (edges.link == 0)
            break;
        /* Each edge carries all bytes up, and down. */
        steps->busy[l] =
            1 / hs_step_share(level, hs_system_busy_children(steps->system, l, steps->ranks, 1),
                              edges.link, edges.port, edges.pair);
        steps->messages[l] = edges.link;
        steps->seconds_per_byte = fmax(steps->seconds_per_byte, steps->busy[l]);
        steps->price->level = (int)l;
        steps->level_latencies[l] = hs_level_latency(level, segment_bytes(steps->price));
    }
}

/* The largest of edges between neighbours among the multiples of 2^k. */
static double edge_latency(const struct hs_steps *steps, int64_t places)
{
    int64_t apart = 2 * places * steps->price->key.layer.stride;
    double latency = 0;

    for (int l = 0; l <= steps->price->level; l++) {
        int64_t child_ranks = hs_system_child_ranks(steps->system, (size_t)l);

        if (apart >= child_ranks || child_ranks % apart != 0)
            latency = fmax(latency, steps->level_latencies[l]);
    }
    return steps->system->pipeline_granularity * latency;
}

/* From a leaf to the root: of those that are looked at, if a block has few enough. */
static double path_latency(const struct hs_steps *steps)
{
    struct hs_layer layer = steps->price->key.layer;
    int64_t places = 1;
    int64_t ranks[HS_STEPS_RANKS], count = hs_steps_look(ranks, steps);
    double below[HS_STEPS_RANKS] = {0}, longest = 0;

    for (; places < layer.size; places *= 2)
        longest += count > 0 ? 0 : edge_latency(steps, places);
    while (count > 0 && (places /= 2) > 0)
        for (int64_t i = 0; i < count; i++) {
            int64_t place = i / layer.stride % layer.size, parent = (place - places) | (2 * places);

            if ((place & -place) != places)
                continue;
            parent = parent < layer.size ? parent : place - places;
            parent = i + (parent - place) * layer.stride;
            below[i] = below[parent] + hs_steps_hop(steps, ranks[i], ranks[parent]);
            longest = fmax(longest, below[i]);
        }
    return longest;
}

/* Seconds per byte of one message alone. */
static double slowest_alone(const struct hs_steps *steps)
{
    double slowest = 0;

    for (int l = 0; l <= steps->price->level; l++)
        slowest = fmax(
            slowest, 1 / hs_step_share(&steps->system->levels[l], 1,
                                       hs_smaller(steps->price->key.layer.stride,
                                                  hs_system_child_ranks(steps->system, (size_t)l)),
                                       1, 1));
    return slowest;
}

/* The lines of a message that is cut into segments as its bytes say; `first`: seconds per byte of
 * a segment on its way up and down. The others follow at the pace of the busiest link; or a place
 * inside sends each to its parent and two children, and HS_RING_DEPTH are under way along an edge.
 * They go up while the first goes to the root and back. Of two places one begins to receive when it
 * has sent as many as are under way. */
static void add_segments(struct hs_stage_price *price, const struct hs_steps *steps, double first)
{
    double segment = segment_bytes(price), size = (double)price->key.layer.size, latency = 0;
    double others = ceil(price->bytes / segment) - 1, pace, hidden, part = segment / price->bytes;
    struct hs_price_line link = price->lines[0], line = link;

    for (int l = 0; l <= price->level; l++)
        latency = fmax(latency, steps->system->pipeline_granularity * steps->level_latencies[l]);
    pace = fmax(fmin(size - 1, 3) * HS_MESSAGE_SECONDS, latency / HS_RING_DEPTH);
    line.seconds_per_byte = first * part * size / (size - 1);
    line.latency_seconds += others * pace;
    hidden = fmin(2 * latency, fmax(0, others - 1) * HS_MESSAGE_SECONDS);
    if (size > 2)
        line.latency_seconds -= hidden;
    else
        line.latency_seconds += fmin(HS_RING_DEPTH - 1, others) * HS_MESSAGE_SECONDS;
    link.seconds_per_byte = link.seconds_per_byte * (1 - part) + line.seconds_per_byte;
    if (size > 2)
        link.latency_seconds -= hidden;
    price->lines[0] = link;
    hs_stage_add_line(price, line);
}

/* The same where the bytes are not known: long ones, or segments of the least length. */
static void add_unknown(struct hs_stage_price *price, double first)
{
    double size = (double)price->key.layer.size;
    struct hs_price_line line = price->lines[0];

    price->lines[0].seconds_per_byte +=
        first / (HS_TREE_SEGMENTS * price->steps / 2) * size / (size - 1);
    line.latency_seconds += first * HS_TREE_SEGMENT_BYTES;
    hs_stage_add_line(price, line);
}

/* A path from a leaf to the root and back has two hops per level; then the segments that are left
 * follow. */
static void price_tree(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks)
{
    struct hs_steps steps = {.price = price, .system = system, .ranks = ranks};
    double size = (double)price->key.layer.size, first;

    if (size < 2)
        return;
    fill_levels(&steps);
    for (int64_t places = 1; places < price->key.layer.size; places *= 2)
        price->steps++;
    steps.latency_seconds = path_latency(&steps);
    /* Of a segment, per byte of it: two hops per level; inner places make two at a time. */
    first = 2 * price->steps * steps.seconds_per_byte * (size > 2 ? 0.5 : 1);
    if (price->bytes > 0 && size > 2)
        first = fmax(steps.seconds_per_byte, fmin(first, 3 * price->steps * slowest_alone(&steps)));
    /* hs_steps_finish counts a pass twice, and (p - 1) / p of the bytes: here all go once. */
    steps.seconds_per_byte *= size / 2;
    for (int l = 0; l <= price->level; l++)
        steps.busy[l] *= size / 2;
    hs_steps_finish(&steps);
    if (price->bytes > 0)
        add_segments(price, &steps, first);
    else
        add_unknown(price, first);
}

const struct hs_algorithm_row hs_algorithm_TREE = {
    .phases = 1U << HS_ALLREDUCE,
    .by_bytes = hs_steps_by_bytes,
    .price = price_tree,
};
