/*
 * step_messages.h - messages of a step, and what they take of every link of a machine, counted
 * one by one: for tests of prices.
 */
#ifndef HS_TESTS_LIBRARY_STEP_MESSAGES_H
#define HS_TESTS_LIBRARY_STEP_MESSAGES_H

#include <math.h>
#include <string.h>

#include "library/price_plan.h"

#define RANKS_MAX 64

/* What is on its way at once: amounts[x][y] from rank x to rank y. */
struct messages {
    double amounts[RANKS_MAX][RANKS_MAX];
};

static inline int64_t child_of(const struct hs_system *system, size_t l, int64_t rank)
{
    return rank / hs_system_child_ranks(system, l);
}

static inline int64_t port_of(const struct hs_system *system, size_t l, int64_t rank)
{
    int64_t child = hs_system_child_ranks(system, l), ports = system->levels[l].ports, port = 0;

    while (port + 1 < ports && (port + 1) * child / ports <= rank % child)
        port++;
    return child_of(system, l, rank) * ports + port;
}

/* The largest of the amounts that the keys add up to. */
static inline void add(double sums[RANKS_MAX * RANKS_MAX], double *most, int64_t key, double amount)
{
    sums[key] += amount;
    *most = fmax(*most, sums[key]);
}

/* Seconds per byte of the busiest link of level l; with `ports`, of a child's own alone, not of
 * those between two children. */
static inline double busiest(const struct messages *messages, const struct hs_system *system,
                             size_t l, int64_t np, bool ports)
{
    static double out[RANKS_MAX * RANKS_MAX], in[RANKS_MAX * RANKS_MAX],
        pairs[RANKS_MAX * RANKS_MAX], port_out[RANKS_MAX * RANKS_MAX],
        port_in[RANKS_MAX * RANKS_MAX];
    const struct hs_level *level = &system->levels[l];
    double link = 0, port = 0, pair = 0, load;

    memset(out, 0, sizeof(out));
    memset(in, 0, sizeof(in));
    memset(pairs, 0, sizeof(pairs));
    memset(port_out, 0, sizeof(port_out));
    memset(port_in, 0, sizeof(port_in));
    for (int64_t x = 0; x < np; x++)
        for (int64_t y = 0; y < np; y++) {
            int64_t from = child_of(system, l, x), to = child_of(system, l, y);
            double amount = messages->amounts[x][y];

            if (amount == 0 || from == to)
                continue;
            add(out, &link, from, amount);
            add(in, &link, to, amount);
            add(port_out, &port, port_of(system, l, x), amount);
            add(port_in, &port, port_of(system, l, y), amount);
            if (child_of(system, l + 1, x) == child_of(system, l + 1, y))
                add(pairs, &pair, from * RANKS_MAX + to, amount);
        }
    load = link / level->bytes_per_second;
    if (!level->striped)
        load = fmax(load, port * (double)level->ports / level->bytes_per_second);
    if (level->fabric == HS_FABRIC_MESH && !ports)
        load = fmax(load, pair * (double)(level->arity - 1) / level->bytes_per_second);
    return load;
}

/* The level that holds messages up, with its load; and the largest latency of those crossed. */
static inline double held_up(size_t *at, double *latency, const struct messages *messages,
                             const struct hs_system *system, int64_t np)
{
    double most = 0;

    *latency = 0;
    *at = 0;
    for (size_t l = 0; l < system->level_count; l++) {
        double load = busiest(messages, system, l, np, false);

        if (load > 0)
            *latency = fmax(*latency, system->levels[l].latency_seconds);
        if (load > 0 && load >= most) {
            most = load;
            *at = l;
        }
    }
    return most;
}

static inline int64_t other_rank(struct hs_layer layer, int64_t rank, int64_t place)
{
    return rank + (place - rank / layer.stride % layer.size) * layer.stride;
}

#endif
