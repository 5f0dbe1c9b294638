/*
 * all_cuts.h - bounds of a link graph (links/cuts.h) by looking at every set of its vertices and
 * every partition of its units: for tests and figures, of small graphs.
 */
#ifndef HS_TESTS_ALL_CUTS_H
#define HS_TESTS_ALL_CUTS_H

#include <math.h>

#include "model/stage.h"
#include "system/links.h"

#define HS_ALL_CUTS_UNITS 16

struct all_cuts {
    int units, vertices;
    double rates[HS_LINKS_VERTICES * HS_LINKS_VERTICES];
    double leaving[1 << HS_ALL_CUTS_UNITS],
        entering[1 << HS_ALL_CUTS_UNITS]; /* of sets of units, with the best relays */
};

static inline void cut_everywhere(struct all_cuts *all, const struct hs_links *links)
{
    int n = hs_links_vertices(links);

    all->units = links->units;
    all->vertices = n;
    hs_links_rates(all->rates, links);
    for (int s = 0; s < 1 << links->units; s++)
        all->leaving[s] = all->entering[s] = INFINITY;
    for (int s = 0; s < 1 << n; s++) {
        int units = s & ((1 << links->units) - 1);
        double out = 0, in = 0;

        for (int u = 0; u < n; u++)
            for (int v = 0; v < n; v++)
                if ((s >> u & 1) && !(s >> v & 1)) {
                    out += all->rates[u * n + v];
                    in += all->rates[v * n + u];
                }
        all->leaving[units] = fmin(all->leaving[units], out);
        all->entering[units] = fmin(all->entering[units], in);
    }
}

/* The largest of what sets of units say of a phase that is bounded by cuts. */
static inline double worst_cut(const struct all_cuts *all, enum hs_phase phase)
{
    int n = all->units;
    double worst = 0;

    for (int s = 1; s < (1 << n) - 1; s++) {
        double part = (double)__builtin_popcount((unsigned)s) / n;

        switch ((int)phase) {
        case HS_ALLGATHER:
            worst = fmax(worst, part / all->leaving[s]);
            break;
        case HS_REDUCE_SCATTER:
            worst = fmax(worst, part / all->entering[s]);
            break;
        default:
            worst = fmax(worst, n * part * (1 - part) / all->leaving[s]);
        }
    }
    return worst;
}

/* The same over all ways to part the units from `next` on, each with its sum so far. */
static inline double worst_partition(const struct all_cuts *all, const double *rates, int left,
                                     int parts, double sum)
{
    double worst = 0;
    int first = left & -left, rest = left ^ first;

    if (left == 0)
        return parts > 1 ? 2 * (parts - 1) / sum : 0;
    for (int others = rest;; others = (others - 1) & rest) {
        int part = first | others;

        worst = fmax(worst, worst_partition(all, rates, left ^ part, parts + 1, sum + rates[part]));
        if (others == 0)
            return worst;
    }
}

static inline double worst_of_all(const struct all_cuts *all)
{
    int every = (1 << all->units) - 1;
    double worst = fmax(worst_partition(all, all->leaving, every, 0, 0),
                        worst_partition(all, all->entering, every, 0, 0));

    for (int s = 1; s < every; s++)
        worst = fmax(worst, 1 / all->leaving[s]);
    return worst;
}

#endif
