/*
 * Rings per link against a count hop by hop.
 */
#include "test.h"
#include <stdlib.h>

#include "model/rings.h"

/* What rank x of the layer sends to. */
static int64_t receiver(struct hs_layer layer, int64_t x)
{
    int64_t place = x / layer.stride % layer.size;

    return place + 1 < layer.size ? x + layer.stride : x - place * layer.stride;
}

/* Port of rank x in its child: port q serves ranks from q child / ports on. */
static int64_t port_of(int64_t x, int64_t child, int64_t ports)
{
    int64_t port = 0;

    while (port + 1 < ports && (port + 1) * child / ports <= x % child)
        port++;
    return x / child * ports + port;
}

/* Counts hop by hop how many rings leave and enter each port of each child, and returns the most.
 * */
static int64_t count_at_ports(struct hs_layer layer, int64_t np, int64_t child, int64_t ports)
{
    int64_t most = 0, count = ((np - 1) / child + 1) * ports;
    int64_t *leaving = calloc((size_t)count, sizeof(*leaving));
    int64_t *entering = calloc((size_t)count, sizeof(*entering));

    for (int64_t x = 0; x < np; x++) {
        int64_t to = receiver(layer, x), out = port_of(x, child, ports),
                in = port_of(to, child, ports);

        if (to / child == x / child)
            continue;
        if (++leaving[out] > most)
            most = leaving[out];
        if (++entering[in] > most)
            most = entering[in];
    }
    free(leaving);
    free(entering);
    return most;
}

/* Counts hop by hop how many rings go from one child to another of its unit, and returns the most.
 * */
static int64_t count_at_pairs(struct hs_layer layer, int64_t np, int64_t child, int64_t unit)
{
    int64_t most = 0, children = (np - 1) / child + 1;
    int64_t *pairs = calloc((size_t)(children * children), sizeof(*pairs));

    for (int64_t x = 0; x < np; x++) {
        int64_t to = receiver(layer, x), pair = x / child * children + to / child;

        if (to / child != x / child && to / unit == x / unit && ++pairs[pair] > most)
            most = pairs[pair];
    }
    free(pairs);
    return most;
}

/* Calls `look` with every layer of every np up to `most`. */
static void each_layer(int64_t most, void (*look)(struct hs_layer layer, int64_t np))
{
    for (int64_t np = 2; np <= most; np++)
        for (int64_t stride = 1; stride < np; stride++)
            for (int64_t size = 2; np % stride == 0 && stride * size <= np; size++)
                if (np % (stride * size) == 0)
                    look((struct hs_layer){stride, size}, np);
}

static void look_at_ports(struct hs_layer layer, int64_t np)
{
    for (int64_t child = 1; child < np; child++)
        for (int64_t ports = 1; ports <= 3; ports++)
            if (hs_rings_per_link(layer, np, child, ports) !=
                count_at_ports(layer, np, child, ports))
                fail_msg("np %d layer (%d, %d) child %d ports %d: %d, counted %d", (int)np,
                         (int)layer.stride, (int)layer.size, (int)child, (int)ports,
                         (int)hs_rings_per_link(layer, np, child, ports),
                         (int)count_at_ports(layer, np, child, ports));
}

static void rings_per_link_equal_a_count_of_hops(void **state)
{
    (void)state;
    each_layer(96, look_at_ports);
}

static void look_at_pairs(struct hs_layer layer, int64_t np)
{
    for (int64_t child = 1; child < np; child++)
        for (int64_t unit = child; unit < 2 * np; unit += child)
            if (hs_rings_per_pair(layer, np, child, unit) != count_at_pairs(layer, np, child, unit))
                fail_msg("np %d layer (%d, %d) child %d unit %d: %d, counted %d", (int)np,
                         (int)layer.stride, (int)layer.size, (int)child, (int)unit,
                         (int)hs_rings_per_pair(layer, np, child, unit),
                         (int)count_at_pairs(layer, np, child, unit));
}

static void rings_per_pair_equal_a_count_of_hops(void **state)
{
    (void)state;
    each_layer(64, look_at_pairs);
}

/* The most hops of one ring that leave a child. */
static int64_t count_hops(struct hs_layer layer, int64_t np, int64_t child)
{
    int64_t most = 0;

    for (int64_t first = 0; first < np; first++) {
        int64_t hops = 0, x = first;

        for (int64_t k = 0; k < layer.size; k++) {
            hops += receiver(layer, x) / child != x / child;
            x = receiver(layer, x);
        }
        most = hops > most ? hops : most;
    }
    return most;
}

/* Beyond 64 positions the answers may be too high, never too low. */
static void look_at_bounds(struct hs_layer layer, int64_t np)
{
    for (int64_t child = 2; child <= 7 && np > 300; child++) {
        if (hs_rings_per_link(layer, np, child, 2) < count_at_ports(layer, np, child, 2))
            fail_msg("np %d layer (%d, %d) child %d: too few at ports", (int)np, (int)layer.stride,
                     (int)layer.size, (int)child);
        if (hs_rings_per_pair(layer, np, child, 5 * child) <
            count_at_pairs(layer, np, child, 5 * child))
            fail_msg("np %d layer (%d, %d) child %d: too few at pairs", (int)np, (int)layer.stride,
                     (int)layer.size, (int)child);
        if (hs_ring_hops(layer, np, child) < count_hops(layer, np, child))
            fail_msg("np %d layer (%d, %d) child %d: too few hops", (int)np, (int)layer.stride,
                     (int)layer.size, (int)child);
    }
}

static void rings_of_many_positions_are_never_undercounted(void **state)
{
    (void)state;
    each_layer(512, look_at_bounds);
}

static void look_at_hops(struct hs_layer layer, int64_t np)
{
    for (int64_t child = 1; child <= np; child++)
        if (hs_ring_hops(layer, np, child) != count_hops(layer, np, child))
            fail_msg("np %d layer (%d, %d) child %d: %d, counted %d", (int)np, (int)layer.stride,
                     (int)layer.size, (int)child, (int)hs_ring_hops(layer, np, child),
                     (int)count_hops(layer, np, child));
}

static void hops_of_the_ring_that_leaves_most_children_equal_a_count(void **state)
{
    (void)state;
    each_layer(64, look_at_hops);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("hops of the ring that leaves most children equal a count",
            hops_of_the_ring_that_leaves_most_children_equal_a_count),
    HS_TEST("rings per link equal a count of hops", rings_per_link_equal_a_count_of_hops),
    HS_TEST("rings per pair equal a count of hops", rings_per_pair_equal_a_count_of_hops),
    HS_TEST("rings of many positions are never undercounted",
            rings_of_many_positions_are_never_undercounted),
};

HS_TEST_MAIN(tests)
