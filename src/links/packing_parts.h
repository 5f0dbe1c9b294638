/*
 * packing_parts.h - what packing.c is made of: trees that are cheapest for given lengths of links,
 * and the linear program that weighs them.
 *
 * Of phases a packer has one shape: trees that lead away from each root (a reduce-scatter's are
 * those of the graph with all links turned round), or an allreduce's, up and down again: on links
 * that are alike both ways down the same way as up, else by another tree.
 */
#ifndef HS_LINKS_PACKING_PARTS_H
#define HS_LINKS_PACKING_PARTS_H

#include "model/forests.h"

enum hs_packer_shape { HS_AWAY, HS_MIRRORED, HS_BOTH };

struct hs_packer {
    enum hs_packer_shape shape;
    bool turned; /* links lead the other way than the graph's */
    int units, vertices, relays;
    double scale; /* bytes per second of the fastest pair of vertices: 1 here */
    /* [vertices * vertices], by from and to: what links carry; rows of the program that count it,
     * from 1 on (0: no link), a mirrored one's for both ways; what they cost for now. */
    double *rates, *lengths;
    int *rows;
    int row_count;
    /* Of ways between units for now: their cost, [units * units], and the vertex before the last,
     * by the first and any, [units * vertices]; in arcs at least so many, [units * units]. */
    double *costs;
    int *before, *hops;
    struct hs_route *fixed; /* [units * units] the ways, count 0: none; NULL: the cheapest are */
    /* Units that take from the first of them that is reached, directly: single ones are groups of
     * their own. */
    int group_count, group_of[HS_LINKS_UNITS];
    struct hs_packing *packing; /* whose trees are columns, shares their weights */
    size_t capacity, route_capacity;
};

/* Of a graph. `groups`: group_of, or NULL: every unit for itself. HS_MEMORY. */
enum hs_status hs_packer_init(struct hs_packer *packer, struct hs_packing *packing,
                              const struct hs_links *links, const int *groups,
                              struct hs_error *err);
void hs_packer_release(struct hs_packer *packer);
/* After lengths changed: what ways cost. */
void hs_packer_measure(struct hs_packer *packer);
/* Appends the cheapest tree of a root to the packing's, unless it would cost `below` or more
 * (INFINITY: it comes whatever it costs); *cost is what it costs. HS_MEMORY. */
enum hs_status hs_packer_add(struct hs_packer *packer, int root, double below, double *cost,
                             struct hs_error *err);
/* How often a tree uses the links of each row, loads[0 .. row_count]. */
void hs_packer_loads(double *loads, const struct hs_packer *packer, const struct hs_tree *tree);
/* What the links of a row carry. */
void hs_packer_row_rates(double *rates, const struct hs_packer *packer);
/* Makes each tree one of the graph's own phase: turned back, or up again. HS_MEMORY. */
enum hs_status hs_packer_finish(struct hs_packer *packer, struct hs_error *err);

/* Weighs trees so that each root sends as much as can be, adding some until no more help, or until
 * that is `enough`: sets the shares of the packing's trees, those of a root summing to what it
 * sends (mirrored and both: all of them), and drops those that have none. HS_FAILED: the solver
 * gave up. HS_MEMORY. */
enum hs_status hs_packer_solve(struct hs_packer *packer, double enough, struct hs_error *err);

#endif
