/* traffic.c - see traffic.h. */
#include "model/traffic.h"

#include <stdbool.h>

#include "base/units.h"

/* Positions of children looked at one by one before the worst that could be is taken for granted.
 */
#define POSITIONS_LOOKED_AT 64

struct hs_traffic hs_traffic_ring(struct hs_layer layer)
{
    return hs_traffic_shift(layer, 1);
}

struct hs_traffic hs_traffic_all(struct hs_layer layer)
{
    return (struct hs_traffic){layer.stride * layer.size, 0, layer.stride};
}

/* Ranks in both [a, b) and [u, v). */
static int64_t overlap(int64_t a, int64_t b, int64_t u, int64_t v)
{
    return hs_larger(0, hs_smaller(b, v) - hs_larger(a, u));
}

/* Distance of the next rank that anything is sent to, forward or back around the block. */
static int64_t reach(const struct hs_traffic *traffic)
{
    int64_t distance = traffic->distance;

    return distance ? hs_smaller(distance, traffic->block - distance) : traffic->stride;
}

/* ---- shifts at a known place --------------------------------------------------------------- */

/*
 * Messages of one block that leave or enter a child, as intervals of the child's ranks they do it
 * at.
 *
 * The block is [0, block), the child [first, end) in the block's coordinates (it may begin before 0
 * or end after the block). Rank x sends to x + distance, except that the last `distance` ranks send
 * back to x - (block - distance).
 */
struct crossing {
    int64_t forward_first, forward_end, back_first, back_end;
};

static struct crossing shift_leaving(const struct hs_traffic *traffic, int64_t first, int64_t end)
{
    int64_t last = traffic->block - traffic->distance;
    int64_t u = hs_larger(first, 0), v = hs_smaller(end, traffic->block);

    return (struct crossing){
        .forward_first = hs_larger(u, end - traffic->distance),
        .forward_end = hs_smaller(v, last),
        .back_first = hs_larger(u, last),
        .back_end = hs_smaller(v, first + last),
    };
}

static struct crossing shift_entering(const struct hs_traffic *traffic, int64_t first, int64_t end)
{
    int64_t last = traffic->block - traffic->distance;
    int64_t u = hs_larger(first, 0), v = hs_smaller(end, traffic->block);

    return (struct crossing){
        .forward_first = hs_larger(u, traffic->distance),
        .forward_end = hs_smaller(v, first + traffic->distance),
        .back_first = hs_larger(u, end - last),
        .back_end = hs_smaller(v, traffic->distance),
    };
}

/* Where a child lies: its first rank, `offset` of them into a block, and how many of its ranks
 * exist. */
struct place {
    int64_t first, offset, ranks;
};

static struct place place_of(const struct hs_traffic *traffic, int64_t np, int64_t child_ranks,
                             int64_t child)
{
    int64_t first = child * child_ranks;

    return (struct place){first, first % traffic->block, hs_smaller(child_ranks, np - first)};
}

/* What crosses the child's border: the blocks that hold its first and its last rank. Blocks that
 * lie inside the child send nothing out of it. Intervals are in the first block's coordinates. */
struct border {
    struct crossing head, tail;
};

static struct border border_of(const struct hs_traffic *traffic, struct place place,
                               struct crossing (*shift)(const struct hs_traffic *, int64_t,
                                                        int64_t))
{
    int64_t block = traffic->block, end = place.offset + place.ranks;
    int64_t last_block =
        (end - 1) / block * block; /* start of the block that holds the last rank */
    struct border border = {.head = shift(traffic, place.offset, end)};

    if (last_block > 0) {
        border.tail = shift(traffic, place.offset - last_block, end - last_block);
        border.tail.forward_first += last_block;
        border.tail.forward_end += last_block;
        border.tail.back_first += last_block;
        border.tail.back_end += last_block;
    }
    return border;
}

static int64_t forward_from(const struct border *border, int64_t a, int64_t b)
{
    return overlap(a, b, border->head.forward_first, border->head.forward_end) +
           overlap(a, b, border->tail.forward_first, border->tail.forward_end);
}

static int64_t back_from(const struct border *border, int64_t a, int64_t b)
{
    return overlap(a, b, border->head.back_first, border->head.back_end) +
           overlap(a, b, border->tail.back_first, border->tail.back_end);
}

/* Most messages from a child to one other child of the same unit. A hop of `distance` ranks reaches
 * the child that lies that far, rounded down or up; so does the way back. */
static int64_t shift_to_child(const struct hs_traffic *traffic, struct place place,
                              int64_t child_ranks, int64_t unit_ranks)
{
    struct border leaving = border_of(traffic, place, shift_leaving);
    int64_t distance = traffic->distance, last = traffic->block - distance;
    int64_t before = place.first % unit_ranks, most = 0;

    for (int64_t up = 0; up < 2; up++) {
        int64_t ahead = (distance / child_ranks + up) * child_ranks;
        int64_t behind = (last / child_ranks + up) * child_ranks;
        int64_t a = place.offset + ahead - distance, b = place.offset - behind + last;

        if (before + ahead < unit_ranks)
            most = hs_larger(most, forward_from(&leaving, a, a + child_ranks));
        if (behind <= before)
            most = hs_larger(most, back_from(&leaving, b, b + child_ranks));
    }
    return most;
}

/* ---- all to all at a known place ----------------------------------------------------------- */

/* How many of n consecutive ranks are among the first `rest` of each `stride`. */
static int64_t among_first(int64_t n, int64_t stride, int64_t rest)
{
    return n / stride * rest + hs_smaller(n % stride, rest);
}

/* Messages out of a child from its ranks [a, b), of those in one block; u .. v - 1 are the child's
 * ranks in the block. A group has v - u over stride of its ranks there, some one more. */
static int64_t all_from_block(const struct hs_traffic *traffic, int64_t u, int64_t v, int64_t a,
                              int64_t b)
{
    int64_t stride = traffic->stride, size = traffic->block / stride;
    int64_t from = hs_larger(a, u) - u, to = hs_smaller(b, v) - u, rest = (v - u) % stride;

    if (from >= to)
        return 0;
    return (to - from) * (size - (v - u) / stride) -
           (among_first(to, stride, rest) - among_first(from, stride, rest));
}

/* The same of all of its blocks; coordinates are those of the first one. */
static int64_t all_from(const struct hs_traffic *traffic, struct place place, int64_t a, int64_t b)
{
    int64_t end = place.offset + place.ranks;
    int64_t last_block = (end - 1) / traffic->block * traffic->block;
    int64_t messages = all_from_block(traffic, place.offset, hs_smaller(end, traffic->block), a, b);

    return last_block > 0 ? messages + all_from_block(traffic, last_block, end, a, b) : messages;
}

/* Of `stride` residues, how many lie in both of two runs of n and m of them, around. */
static int64_t shared_residues(int64_t stride, int64_t u, int64_t n, int64_t s, int64_t m)
{
    int64_t ahead = ((s - u) % stride + stride) % stride;

    return overlap(0, n, ahead, ahead + m) + overlap(0, n, ahead - stride, ahead - stride + m);
}

/* Messages from a child to a later one, in the block that both lie in, if there is one: each pair
 * of ranks of one group. */
static int64_t all_to_child(const struct hs_traffic *traffic, struct place from, struct place to)
{
    int64_t block = traffic->block, stride = traffic->stride;
    int64_t start = (from.first + from.ranks - 1) / block * block;
    int64_t u = hs_larger(from.first, start), v = from.first + from.ranks;
    int64_t s = to.first, t = hs_smaller(to.first + to.ranks, start + block);

    if (s >= t)
        return 0;
    return stride * ((v - u) / stride) * ((t - s) / stride) +
           (v - u) / stride * ((t - s) % stride) + (t - s) / stride * ((v - u) % stride) +
           shared_residues(stride, u, (v - u) % stride, s, (t - s) % stride);
}

/* ---- ports and pairs of children at a known place ------------------------------------------ */

/* Most messages out of or into one port of a child. */
static int64_t through_ports(const struct hs_traffic *traffic, struct place place,
                             int64_t child_ranks, int64_t ports)
{
    struct border leaving = {0}, entering = {0};
    int64_t most = 0;

    if (traffic->distance) {
        leaving = border_of(traffic, place, shift_leaving);
        entering = border_of(traffic, place, shift_entering);
    }
    for (int64_t port = 0; port < ports; port++) {
        /* Ranks go to ports in blocks; with more ports than ranks the first ones serve one rank
         * each. */
        int64_t a = place.offset + port * child_ranks / ports;
        int64_t b = place.offset + (port + 1) * child_ranks / ports;

        if (!traffic->distance)
            most = hs_larger(most, all_from(traffic, place, a, b)); /* as many enter */
        most = hs_larger(most, forward_from(&leaving, a, b) + back_from(&leaving, a, b));
        most = hs_larger(most, forward_from(&entering, a, b) + back_from(&entering, a, b));
    }
    return most;
}

/* ---- the worst place ----------------------------------------------------------------------- */

/* Messages that leave a child through its whole link, where `ranks` of its ranks lie in a block
 * that goes on outside. A shift: only from a rank inside to one outside, and as many enter. All to
 * all: of each group those inside to those outside. Both are concave over a block. */
static int64_t cut(const struct hs_traffic *traffic, int64_t ranks)
{
    int64_t block = traffic->block, inside = ranks % block, stride = traffic->stride;
    int64_t each = inside / stride, more = inside % stride, size = block / stride;

    if (traffic->distance)
        return hs_smaller(inside, hs_smaller(reach(traffic), block - inside));
    return more * (each + 1) * (size - each - 1) + (stride - more) * each * (size - each);
}

/* Messages that leave a child of `ranks` ranks that begins t ranks before a block boundary. */
static int64_t cut_at(const struct hs_traffic *traffic, int64_t t, int64_t ranks)
{
    return cut(traffic, t) + cut(traffic, ranks - t);
}

/* The worst place a block boundary can have in a child. The count is concave in t while both sides
 * stay in the same blocks, so the multiples of `divisor` next to the middle of such a stretch are
 * the worst. */
static int64_t cut_at_worst_boundary(const struct hs_traffic *traffic, int64_t child_ranks,
                                     int64_t divisor)
{
    int64_t block = traffic->block, rest = child_ranks % block;
    int64_t middles[2] = {rest / 2 / divisor * divisor, (block + rest) / 2 / divisor * divisor};
    int64_t most = 0;

    for (int i = 0; i < (child_ranks > block ? 2 : 1); i++)
        most = hs_larger(most, hs_larger(cut_at(traffic, middles[i], child_ranks),
                                         cut_at(traffic, middles[i] + divisor, child_ranks)));
    return most;
}

/* The most over all children that a block boundary cuts. */
static int64_t cut_at_boundaries(const struct hs_traffic *traffic, int64_t blocks,
                                 int64_t child_ranks)
{
    int64_t block = traffic->block;
    int64_t divisor = hs_common_divisor(block, child_ranks);
    int64_t boundaries = hs_smaller(blocks - 1, child_ranks / divisor);
    int64_t worst = cut_at_worst_boundary(traffic, child_ranks, divisor), most = 0;

    if (boundaries > POSITIONS_LOOKED_AT)
        return worst;
    for (int64_t j = 1; j <= boundaries && most < worst; j++) {
        int64_t t = j * block % child_ranks, after = (blocks - j) * block; /* ranks behind it */

        most = hs_larger(most, cut_at(traffic, t, hs_smaller(child_ranks, t + after)));
    }
    return most;
}

/* Whether every child that a step crosses looks like the first: the same ranks of each send out of
 * it. */
static bool alike(const struct hs_traffic *traffic, int64_t child_ranks)
{
    int64_t block = traffic->block, next = reach(traffic);

    if (child_ranks % block == 0)
        return true;
    return block % child_ranks == 0 && (next % child_ranks == 0 || child_ranks % next == 0);
}

/* Children to look at until they repeat every `period` ranks. */
static int64_t positions_of(const struct hs_traffic *traffic, int64_t np, int64_t child_ranks)
{
    int64_t children = (np + child_ranks - 1) / child_ranks;
    int64_t positions =
        hs_smaller(children, traffic->block / hs_common_divisor(traffic->block, child_ranks));

    if (alike(traffic, child_ranks))
        return 1;
    return positions < children && np % child_ranks != 0 ? children
                                                         : positions; /* a partial last one */
}

/* The busiest port of any child. */
static int64_t most_at_ports(const struct hs_traffic *traffic, int64_t np, int64_t child_ranks,
                             int64_t ports, int64_t per_child)
{
    int64_t positions = positions_of(traffic, np, child_ranks), most = 0;
    int64_t each = traffic->distance ? 1 : traffic->block / traffic->stride - 1;

    if (positions > POSITIONS_LOOKED_AT)
        return hs_smaller(per_child, (child_ranks + ports - 1) / ports * each);
    for (int64_t child = 0; child < positions; child++)
        most = hs_larger(most, through_ports(traffic, place_of(traffic, np, child_ranks, child),
                                             child_ranks, ports));
    return most;
}

int64_t hs_traffic_per_link(const struct hs_traffic *traffic, int64_t np, int64_t child_ranks,
                            int64_t ports)
{
    int64_t block = traffic->block, most = 0;
    bool nested = block % child_ranks == 0 || child_ranks % block == 0;

    /* A child inside a block; where blocks and children nest there is no other kind. */
    if (child_ranks < block)
        most = cut(traffic, child_ranks);
    if (!nested && block < np)
        most = hs_larger(most, cut_at_boundaries(traffic, np / block, child_ranks));
    if (ports > 1 && most > 0)
        most = most_at_ports(traffic, np, child_ranks, ports, most);
    return most;
}

/* Most messages from one child to any other of its unit. */
static int64_t most_to_child(const struct hs_traffic *traffic, int64_t np, int64_t child_ranks,
                             int64_t unit_ranks, int64_t child)
{
    struct place from = place_of(traffic, np, child_ranks, child);
    int64_t end = hs_smaller(np, from.first / unit_ranks * unit_ranks + unit_ranks), most = 0;

    if (traffic->distance)
        return shift_to_child(traffic, from, child_ranks, unit_ranks);
    for (int64_t later = child + 1; later * child_ranks < end; later++)
        most =
            hs_larger(most, all_to_child(traffic, from, place_of(traffic, np, child_ranks, later)));
    return most;
}

int64_t hs_traffic_per_pair(const struct hs_traffic *traffic, int64_t np, int64_t child_ranks,
                            int64_t unit_ranks)
{
    int64_t children = (np + child_ranks - 1) / child_ranks, most = 0, next = reach(traffic);

    if (next >= unit_ranks || unit_ranks <= child_ranks) /* all leads out of the unit */
        return 0;
    if (alike(traffic, child_ranks) && !traffic->distance && child_ranks < traffic->block)
        return all_to_child(traffic, place_of(traffic, np, child_ranks, 0),
                            place_of(traffic, np, child_ranks, hs_larger(1, next / child_ranks)));
    if (alike(traffic, child_ranks) || children > POSITIONS_LOOKED_AT)
        return hs_traffic_per_link(traffic, np, child_ranks, 1); /* as if all went the same way */
    for (int64_t child = 0; child < children; child++)
        most = hs_larger(most, most_to_child(traffic, np, child_ranks, unit_ranks, child));
    return most;
}

/* A ring that goes on by less than a child visits one child after the other, those that its span
 * of (size - 1) stride ranks reaches into; it leaves each of them once. It reaches furthest from
 * the place in a child that is next to the end. */
int64_t hs_traffic_ring_hops(struct hs_layer layer, int64_t np, int64_t child_ranks)
{
    int64_t block = layer.stride * layer.size, span = block - layer.stride, furthest = 0, hops;
    int64_t positions = hs_smaller(np / block, child_ranks / hs_common_divisor(block, child_ranks));

    if (layer.stride >= child_ranks)
        return layer.size > 1 ? layer.size : 0;
    if (positions > POSITIONS_LOOKED_AT)
        furthest = child_ranks - 1;
    for (int64_t j = 0; j < positions && furthest < child_ranks - 1; j++)
        furthest = hs_larger(
            furthest, hs_smaller(child_ranks - 1, j * block % child_ranks + layer.stride - 1));
    hops = (furthest + span) / child_ranks + 1;
    return hops > 1 ? hops : 0;
}
