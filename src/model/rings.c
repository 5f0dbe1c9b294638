/* rings.c - see rings.h. */
#include "model/rings.h"

#include <stdbool.h>

/* Positions of children looked at one by one before the worst that could be is taken for granted.
 */
#define POSITIONS_LOOKED_AT 64

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Ranks in both [a, b) and [u, v). */
static int64_t overlap(int64_t a, int64_t b, int64_t u, int64_t v)
{
    return larger(0, smaller(b, v) - larger(a, u));
}

/*
 * Rings of one block that leave or enter a child, as intervals of the child's ranks they do it at.
 *
 * The block is [0, block) with block = stride * size, the child [first, end) in the block's
 * coordinates (it may begin before 0 or end after the block). Rank x sends to x + stride, except
 * that the last `stride` ranks send back to x - (size - 1) stride.
 */
struct crossing {
    int64_t forward_first, forward_end, back_first, back_end;
};

static struct crossing rings_leaving(struct hs_layer layer, int64_t first, int64_t end)
{
    int64_t block = layer.stride * layer.size, last = block - layer.stride;
    int64_t u = larger(first, 0), v = smaller(end, block);

    return (struct crossing){
        .forward_first = larger(u, end - layer.stride),
        .forward_end = smaller(v, last),
        .back_first = larger(u, last),
        .back_end = smaller(v, first + last),
    };
}

static struct crossing rings_entering(struct hs_layer layer, int64_t first, int64_t end)
{
    int64_t block = layer.stride * layer.size, last = block - layer.stride;
    int64_t u = larger(first, 0), v = smaller(end, block);

    return (struct crossing){
        .forward_first = larger(u, layer.stride),
        .forward_end = smaller(v, first + layer.stride),
        .back_first = larger(u, end - last),
        .back_end = smaller(v, layer.stride),
    };
}

/* Where a child lies: its first rank, `offset` of them into a block, and how many of its ranks
 * exist. */
struct place {
    int64_t first, offset, ranks;
};

static struct place place_of(struct hs_layer layer, int64_t np, int64_t child_ranks, int64_t child)
{
    int64_t first = child * child_ranks;

    return (struct place){first, first % (layer.stride * layer.size),
                          smaller(child_ranks, np - first)};
}

/* What crosses the child's border: the blocks that hold its first and its last rank. Blocks that
 * lie inside the child send nothing out of it. Intervals are in the first block's coordinates. */
struct border {
    struct crossing head, tail;
};

static struct border border_of(struct hs_layer layer, struct place place,
                               struct crossing (*rings)(struct hs_layer, int64_t, int64_t))
{
    int64_t block = layer.stride * layer.size, end = place.offset + place.ranks;
    int64_t last_block =
        (end - 1) / block * block; /* start of the block that holds the last rank */
    struct border border = {.head = rings(layer, place.offset, end)};

    if (last_block > 0) {
        border.tail = rings(layer, place.offset - last_block, end - last_block);
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

/* Most rings out of or into one port of a child. */
static int64_t rings_through_ports(struct hs_layer layer, struct place place, int64_t child_ranks,
                                   int64_t ports)
{
    struct border leaving = border_of(layer, place, rings_leaving);
    struct border entering = border_of(layer, place, rings_entering);
    int64_t most = 0;

    for (int64_t port = 0; port < ports; port++) {
        /* Ranks go to ports in blocks; with more ports than ranks the first ones serve one rank
         * each. */
        int64_t a = place.offset + port * child_ranks / ports;
        int64_t b = place.offset + (port + 1) * child_ranks / ports;

        most = larger(most, forward_from(&leaving, a, b) + back_from(&leaving, a, b));
        most = larger(most, forward_from(&entering, a, b) + back_from(&entering, a, b));
    }
    return most;
}

/* Most rings from a child to one other child of the same unit. A hop of `stride` ranks reaches the
 * child that lies that far, rounded down or up; so does the way back. */
static int64_t rings_to_child(struct hs_layer layer, struct place place, int64_t child_ranks,
                              int64_t unit_ranks)
{
    struct border leaving = border_of(layer, place, rings_leaving);
    int64_t last = layer.stride * (layer.size - 1), before = place.first % unit_ranks, most = 0;

    for (int64_t up = 0; up < 2; up++) {
        int64_t ahead = (layer.stride / child_ranks + up) * child_ranks;
        int64_t behind = (last / child_ranks + up) * child_ranks;
        int64_t a = place.offset + ahead - layer.stride, b = place.offset - behind + last;

        if (before + ahead < unit_ranks)
            most = larger(most, forward_from(&leaving, a, a + child_ranks));
        if (behind <= before)
            most = larger(most, back_from(&leaving, b, b + child_ranks));
    }
    return most;
}

/* Rings that leave a child through its whole link, where `ranks` of its ranks lie in a block that
 * goes on outside: each of the block's rings leaves at most once, and only from a rank inside to
 * one outside. */
static int64_t rings_cut(struct hs_layer layer, int64_t ranks)
{
    int64_t block = layer.stride * layer.size, inside = ranks % block;

    return smaller(inside, smaller(layer.stride, block - inside));
}

/* Rings that leave a child of `ranks` ranks that begins t ranks before a block boundary. */
static int64_t rings_at(struct hs_layer layer, int64_t t, int64_t ranks)
{
    return rings_cut(layer, t) + rings_cut(layer, ranks - t);
}

/* The worst place a block boundary can have in a child. The count is concave in t while both sides
 * stay in the same blocks, so the multiples of `divisor` next to the middle of such a stretch are
 * the worst. */
static int64_t rings_at_worst_boundary(struct hs_layer layer, int64_t child_ranks, int64_t divisor)
{
    int64_t block = layer.stride * layer.size, rest = child_ranks % block;
    int64_t middles[2] = {rest / 2 / divisor * divisor, (block + rest) / 2 / divisor * divisor};
    int64_t most = 0;

    for (int i = 0; i < (child_ranks > block ? 2 : 1); i++)
        most = larger(most, larger(rings_at(layer, middles[i], child_ranks),
                                   rings_at(layer, middles[i] + divisor, child_ranks)));
    return most;
}

/* The most over all children that a block boundary cuts. */
static int64_t rings_at_boundaries(struct hs_layer layer, int64_t blocks, int64_t child_ranks)
{
    int64_t block = layer.stride * layer.size;
    int64_t divisor = greatest_common_divisor(block, child_ranks);
    int64_t boundaries = smaller(blocks - 1, child_ranks / divisor);
    int64_t worst = rings_at_worst_boundary(layer, child_ranks, divisor), most = 0;

    if (boundaries > POSITIONS_LOOKED_AT)
        return worst;
    for (int64_t j = 1; j <= boundaries && most < worst; j++) {
        int64_t t = j * block % child_ranks, after = (blocks - j) * block; /* ranks behind it */

        most = larger(most, rings_at(layer, t, smaller(child_ranks, t + after)));
    }
    return most;
}

/* Whether every child that a layer crosses looks like the first: the same ranks of each send out of
 * it. */
static bool alike(struct hs_layer layer, int64_t child_ranks)
{
    int64_t block = layer.stride * layer.size;

    if (child_ranks % block == 0)
        return true;
    return block % child_ranks == 0 &&
           (layer.stride % child_ranks == 0 || child_ranks % layer.stride == 0);
}

/* Children to look at until they repeat every `period` ranks. */
static int64_t positions_of(struct hs_layer layer, int64_t np, int64_t child_ranks, int64_t period)
{
    int64_t children = (np + child_ranks - 1) / child_ranks;
    int64_t positions = smaller(children, period / greatest_common_divisor(period, child_ranks));

    if (alike(layer, child_ranks))
        return 1;
    return positions < children && np % child_ranks != 0 ? children
                                                         : positions; /* a partial last one */
}

/* The busiest port of any child. */
static int64_t rings_at_ports(struct hs_layer layer, int64_t np, int64_t child_ranks, int64_t ports,
                              int64_t rings_per_child)
{
    int64_t positions = positions_of(layer, np, child_ranks, layer.stride * layer.size), most = 0;

    if (positions > POSITIONS_LOOKED_AT)
        return smaller(rings_per_child, (child_ranks + ports - 1) / ports);
    for (int64_t child = 0; child < positions; child++)
        most = larger(most, rings_through_ports(layer, place_of(layer, np, child_ranks, child),
                                                child_ranks, ports));
    return most;
}

int64_t hs_rings_per_link(struct hs_layer layer, int64_t np, int64_t child_ranks, int64_t ports)
{
    int64_t block = layer.stride * layer.size, most = 0;
    bool nested = block % child_ranks == 0 || child_ranks % block == 0;

    /* A child inside a block; where blocks and children nest there is no other kind. */
    if (child_ranks < block)
        most = rings_cut(layer, child_ranks);
    if (!nested && block < np)
        most = larger(most, rings_at_boundaries(layer, np / block, child_ranks));
    if (ports > 1 && most > 0)
        most = rings_at_ports(layer, np, child_ranks, ports, most);
    return most;
}

int64_t hs_rings_per_pair(struct hs_layer layer, int64_t np, int64_t child_ranks,
                          int64_t unit_ranks)
{
    int64_t children = (np + child_ranks - 1) / child_ranks, most = 0;

    if (layer.stride >= unit_ranks ||
        unit_ranks <= child_ranks) /* every hop leads out of the unit */
        return 0;
    if (alike(layer, child_ranks) || children > POSITIONS_LOOKED_AT)
        return hs_rings_per_link(layer, np, child_ranks, 1); /* as if all went the same way */
    for (int64_t child = 0; child < children; child++)
        most = larger(most, rings_to_child(layer, place_of(layer, np, child_ranks, child),
                                           child_ranks, unit_ranks));
    return most;
}

/* A ring that goes on by less than a child visits one child after the other, those that its span
 * of (size - 1) stride ranks reaches into; it leaves each of them once. It reaches furthest from
 * the place in a child that is next to the end. */
int64_t hs_ring_hops(struct hs_layer layer, int64_t np, int64_t child_ranks)
{
    int64_t block = layer.stride * layer.size, span = block - layer.stride, furthest = 0, hops;
    int64_t positions =
        smaller(np / block, child_ranks / greatest_common_divisor(block, child_ranks));

    if (layer.stride >= child_ranks)
        return layer.size > 1 ? layer.size : 0;
    if (positions > POSITIONS_LOOKED_AT)
        furthest = child_ranks - 1;
    for (int64_t j = 0; j < positions && furthest < child_ranks - 1; j++)
        furthest =
            larger(furthest, smaller(child_ranks - 1, j * block % child_ranks + layer.stride - 1));
    hops = (furthest + span) / child_ranks + 1;
    return hops > 1 ? hops : 0;
}
