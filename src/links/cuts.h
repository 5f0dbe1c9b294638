/*
 * cuts.h - what no algorithm on a link graph (links.h) can beat, whatever it does: by the bytes
 * that must cross the links between two parts of the units, or between many.
 *
 * B(S) is what all links that leave a set S of units carry per second, of relays those taken along
 * that make it least. N units, and n as in packing.h:
 *
 *  - allgather: each unit's n / N must leave any S that is not all: n |S| / N / B(S). The largest
 *    over S is found exactly, by maximum flows and Newton's (Dinkelbach's) method; it is what trees
 *    reach (Edmonds 1973; with relays ForestColl, arXiv 2402.06787, theorem 1). A reduce-scatter
 *    is the same against the direction of the links;
 *  - allreduce: between the parts of a partition p at least 2 (|p| - 1) messages of each byte pass:
 *    every other part sends something before the first one knows the result, and learns it after
 *    that. 2 (|p| - 1) n / sum of B(P), and the same of what enters; the largest over p is found
 *    exactly (Cunningham, J. ACM 1985; greedy over the Dilworth truncation of B). Where links are
 *    alike both ways and there is no relay, trees reach it (Tutte 1961, Nash-Williams 1961).
 *    Else it may be less than what any algorithm needs; there n / B(S) counts, too;
 *  - exchange, of n per unit: n |S| (1 - |S| / N) / B(S). All S of a graph of up to HS_CUTS_ALL
 *    vertices; of a larger one single units, all but one, and the sets that bound the others.
 *    Routing may need more than its cuts say.
 */
#ifndef HS_LINKS_CUTS_H
#define HS_LINKS_CUTS_H

#include "model/stage.h"
#include "system/links.h"

#define HS_CUTS_ALL 20

struct hs_cuts {
    double seconds_per_byte; /* of n, latencies apart; 0: of one unit */
    /* The sets of units that say so: of a cut S alone, else the parts of a partition. */
    int part_count;
    uint64_t parts[HS_LINKS_UNITS];
    bool entering; /* by what enters them, not by what leaves */
};

/* Of HS_ALLGATHER, HS_REDUCE_SCATTER, HS_ALLREDUCE or HS_EXCHANGE; of other phases {0}. Units that
 * are not joined: INFINITY. NaN: out of memory. */
struct hs_cuts hs_cuts_of(const struct hs_links *links, enum hs_phase phase);
/* Bytes per second that can leave a set of units, B(S): a maximum flow; NaN: out of memory. */
double hs_cuts_leaving(const struct hs_links *links, uint64_t units);

#endif
