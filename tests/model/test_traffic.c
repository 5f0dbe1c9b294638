/*
 * Messages per link against a count of every message of a step.
 */
#include "test.h"
#include <stdlib.h>
#include <string.h>

#include "model/traffic.h"

/* What a rank sends in a step, said without traffic.c: by its place in its group. */
enum pattern { SHIFT, EXCHANGE, ALL, PATTERNS };

struct step {
    enum pattern pattern;
    struct hs_layer layer;
    int64_t np, places;
};

static struct hs_traffic traffic_of(const struct step *step)
{
    if (step->pattern == ALL)
        return hs_traffic_all(step->layer);
    return step->pattern == SHIFT ? hs_traffic_shift(step->layer, step->places)
                                  : hs_traffic_exchange(step->layer, step->places);
}

/* Whom rank x, at place a of its group, sends to: how many places, the first of which is *first. */
static int64_t receivers(int64_t *first, const struct step *step, int64_t x)
{
    int64_t stride = step->layer.stride, size = step->layer.size, a = x / stride % size;

    *first = step->pattern == SHIFT ? (a + step->places) % step->layer.size : a ^ step->places;
    if (step->pattern == ALL)
        *first = 0;
    return step->pattern == ALL ? step->layer.size : 1;
}

/* Port of rank x in its child: port q serves ranks from q child / ports on. */
static int64_t port_of(int64_t x, int64_t child, int64_t ports)
{
    int64_t port = 0;

    while (port + 1 < ports && (port + 1) * child / ports <= x % child)
        port++;
    return x / child * ports + port;
}

#define LINKS 2048

/* Counts, message by message, how many leave and enter each port of each child, and go from each
 * child to each other of its unit; the most of either. */
struct counted {
    int64_t port, pair;
};

static void one_more(int *count, int64_t *most)
{
    if (++*count > *most)
        *most = *count;
}

static struct counted count(const struct step *step, int64_t child, int64_t ports, int64_t unit)
{
    static int leaving[LINKS], entering[LINKS], pairs[LINKS * LINKS];
    int64_t stride = step->layer.stride, size = step->layer.size;
    int64_t children = (step->np - 1) / child + 1;
    struct counted most = {0, 0};

    assert_true(children * ports < LINKS);
    memset(leaving, 0, (size_t)(children * ports) * sizeof(*leaving));
    memset(entering, 0, (size_t)(children * ports) * sizeof(*entering));
    memset(pairs, 0, (size_t)(children * children) * sizeof(*pairs));
    for (int64_t x = 0; x < step->np; x++) {
        int64_t a = x / stride % size, b, last = receivers(&b, step, x) + b;

        for (; b < last; b++) {
            int64_t y = x + (b - a) * stride;

            if (x / child == y / child)
                continue;
            one_more(&leaving[port_of(x, child, ports)], &most.port);
            one_more(&entering[port_of(y, child, ports)], &most.port);
            if (x / unit == y / unit)
                one_more(&pairs[x / child * children + y / child], &most.pair);
        }
    }
    return most;
}

/* Calls `look` with every step of every layer of every np from `first` to `last`. */
static void each_step(int64_t first, int64_t last, void (*look)(const struct step *step))
{
    for (int64_t np = first; np <= last; np++)
        for (int64_t stride = 1; stride < np; stride++)
            for (int64_t size = 2; stride * size <= np; size++) {
                struct step step = {ALL, {stride, size}, np, 0};

                if (np % (stride * size))
                    continue;
                look(&step);
                for (step.places = 1; step.places < size; step.places++) {
                    bool is_bit = (step.places & (step.places - 1)) == 0;

                    step.pattern = SHIFT;
                    look(&step);
                    step.pattern = EXCHANGE;
                    if (is_bit && size % (2 * step.places) == 0)
                        look(&step);
                }
            }
}

static void fail_step(const struct step *step, int64_t child, int64_t other, int64_t found,
                      int64_t counted)
{
    static const char *const names[PATTERNS] = {"shift", "exchange", "all"};

    fail_msg("np %d, layer (%d, %d), %s by %d, child %d, ports or unit %d: %d, counted %d",
             (int)step->np, (int)step->layer.stride, (int)step->layer.size, names[step->pattern],
             (int)step->places, (int)child, (int)other, (int)found, (int)counted);
}

static void look_at_ports(const struct step *step)
{
    struct hs_traffic traffic = traffic_of(step);

    for (int64_t child = 1; child < step->np; child++)
        for (int64_t ports = 1; ports <= 3; ports++) {
            int64_t found = hs_traffic_per_link(&traffic, step->np, child, ports);
            int64_t counted = count(step, child, ports, step->np).port;

            if (found != counted)
                fail_step(step, child, ports, found, counted);
        }
}

static void messages_per_link_equal_a_count(void **state)
{
    (void)state;
    each_step(2, 64, look_at_ports);
}

static void look_at_pairs(const struct step *step)
{
    struct hs_traffic traffic = traffic_of(step);

    for (int64_t child = 1; child < step->np; child++)
        for (int64_t unit = child; unit < 2 * step->np; unit += child) {
            int64_t found = hs_traffic_per_pair(&traffic, step->np, child, unit);
            int64_t counted = count(step, child, 1, unit).pair;

            if (found != counted)
                fail_step(step, child, unit, found, counted);
        }
}

static void messages_per_pair_equal_a_count(void **state)
{
    (void)state;
    each_step(2, 48, look_at_pairs);
}

/* Beyond 64 positions the answers may be too high, never too low. */
static void look_at_bounds(const struct step *step)
{
    struct hs_traffic traffic = traffic_of(step);

    for (int64_t child = 2; child <= 7; child++) {
        struct counted counted = count(step, child, 2, 5 * child);
        int64_t port = hs_traffic_per_link(&traffic, step->np, child, 2);
        int64_t pair = hs_traffic_per_pair(&traffic, step->np, child, 5 * child);

        if (port < counted.port)
            fail_step(step, child, 2, port, counted.port);
        if (pair < counted.pair)
            fail_step(step, child, 5 * child, pair, counted.pair);
    }
}

static void messages_of_many_positions_are_never_undercounted(void **state)
{
    (void)state;
    each_step(315, 315, look_at_bounds);
    each_step(390, 390, look_at_bounds);
    each_step(462, 462, look_at_bounds);
}

/* The most hops of one ring that leave a child. */
static int64_t count_hops(struct hs_layer layer, int64_t np, int64_t child)
{
    int64_t block = layer.stride * layer.size, most = 0;

    for (int64_t first = 0; first < np; first++) {
        int64_t hops = 0, x = first;

        for (int64_t k = 0; k < layer.size; k++) {
            int64_t next = x / block * block + (x % block + layer.stride) % block;

            hops += next / child != x / child;
            x = next;
        }
        most = hops > most ? hops : most;
    }
    return most;
}

static void look_at_hops(const struct step *step)
{
    if (step->pattern != ALL) /* one step of a layer is enough */
        return;
    for (int64_t child = 1; child <= step->np; child++) {
        int64_t found = hs_traffic_ring_hops(step->layer, step->np, child);
        int64_t counted = count_hops(step->layer, step->np, child);

        if (step->np <= 64 ? found != counted : found < counted)
            fail_step(step, child, 0, found, counted);
    }
}

static void hops_of_the_ring_that_leaves_most_children_equal_a_count(void **state)
{
    (void)state;
    each_step(2, 64, look_at_hops);
    each_step(315, 315, look_at_hops);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("messages per link equal a count", messages_per_link_equal_a_count),
    HS_TEST("messages per pair equal a count", messages_per_pair_equal_a_count),
    HS_TEST("messages of many positions are never undercounted",
            messages_of_many_positions_are_never_undercounted),
    HS_TEST("hops of the ring that leaves most children equal a count",
            hops_of_the_ring_that_leaves_most_children_equal_a_count),
};

HS_TEST_MAIN(tests)
