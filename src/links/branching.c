#include "links/branching.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One round: places of which the cycles of cheapest arcs become one each. */
struct round {
    int count, root;
    const double *costs;
    int *before; /* [count] */
    int *inside; /* [count] place of the next round */
    int next_count;
};

static void take_cheapest(struct round *round)
{
    int n = round->count;

    for (int v = 0; v < n; v++) {
        double least = INFINITY;
        int from = v == 0 ? 1 : 0;

        for (int u = 0; u < n; u++)
            if (u != v && round->costs[u * n + v] < least) {
                least = round->costs[u * n + v];
                from = u;
            }
        if (v != round->root)
            round->before[v] = from;
    }
}

/* Numbers the places of the next round; those of a cycle have one. */
static void number_places(struct round *round)
{
    int n = round->count;

    for (int v = 0; v < n; v++)
        round->inside[v] = -1;
    round->next_count = 0;
    for (int v = 0; v < n; v++) {
        int steps = 0, u = v;

        /* A walk of n steps back that did not end at the root is on a cycle. */
        while (u >= 0 && steps++ < n)
            u = round->before[u];
        if (u < 0 || round->inside[u] >= 0)
            continue;
        for (int w = u; round->inside[w] < 0; w = round->before[w])
            round->inside[w] = round->next_count;
        round->next_count++;
    }
    for (int v = 0; v < n; v++)
        if (round->inside[v] < 0)
            round->inside[v] = round->next_count++;
}

/* Whether two places are one of the next round. */
static void join_costs(double *costs, int *arcs, const struct round *round)
{
    int n = round->count, next = round->next_count;

    for (int i = 0; i < next * next; i++) {
        costs[i] = INFINITY;
        arcs[i] = -1;
    }
    for (int u = 0; u < n; u++)
        for (int v = 0; v < n; v++) {
            int at = round->inside[u] * next + round->inside[v];
            double saved, cost;

            if (round->inside[u] == round->inside[v] || v == round->root)
                continue;
            saved = round->costs[round->before[v] * n + v];
            /* Only within a cycle does an arc take the place of one that was taken. */
            if (round->inside[round->before[v]] != round->inside[v])
                saved = 0;
            cost = isinf(round->costs[u * n + v]) ? INFINITY : round->costs[u * n + v] - saved;
            if (arcs[at] < 0 || cost < costs[at]) {
                costs[at] = cost;
                arcs[at] = u * n + v;
            }
        }
}

static enum hs_status branch(int *before, const double *costs, int count, int root,
                             struct hs_error *err);

/* The same of the joined places, and their arcs in those of this round. */
static enum hs_status branch_joined(struct round *round, struct hs_error *err)
{
    int next = round->next_count;
    size_t square = (size_t)next * (size_t)next + 1;
    double *costs = malloc(square * sizeof(*costs));
    int *arcs = malloc(square * sizeof(*arcs)),
        *before = malloc(((size_t)next + 1) * sizeof(*before));
    enum hs_status status = HS_OK;

    if (!costs || !arcs || !before)
        status = hs_no_memory(err);
    if (!status) {
        join_costs(costs, arcs, round);
        status = branch(before, costs, next, round->inside[round->root], err);
    }
    for (int v = 0; v < next && !status; v++)
        if (before[v] >= 0) {
            int taken = arcs[before[v] * next + v];

            round->before[taken % round->count] = taken / round->count;
        }
    free(costs);
    free(arcs);
    free(before);
    return status;
}

static enum hs_status branch(int *before, const double *costs, int count, int root,
                             struct hs_error *err)
{
    struct round round = {.count = count, .root = root, .costs = costs, .before = before};
    enum hs_status status = HS_OK;

    before[root] = -1;
    take_cheapest(&round);
    round.inside = malloc(((size_t)count + 1) * sizeof(*round.inside));
    if (!round.inside)
        return hs_no_memory(err);
    number_places(&round);
    if (round.next_count < count)
        status = branch_joined(&round, err);
    free(round.inside);
    return status;
}

enum hs_status hs_branching_least(int *before, const double *costs, int count, int root,
                                  struct hs_error *err)
{
    if (count == 1) {
        before[0] = -1;
        return HS_OK;
    }
    return branch(before, costs, count, root, err);
}
