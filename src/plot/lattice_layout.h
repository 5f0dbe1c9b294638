/*
 * lattice_layout.h - where the divisors of P lie in a drawing. Internal to plot.
 *
 * From left to right by the number of prime factors, so every layer leads to the right; from bottom
 * to top by which primes they are, so that divisors that differ by one factor lie near each other.
 */
#ifndef HS_PLOT_LATTICE_LAYOUT_H
#define HS_PLOT_LATTICE_LAYOUT_H

#include "search/lattice.h"

#define HS_CURVE_POINTS 25

struct hs_plot_node {
    double x, y;
};

/* [node_count], owned by the caller (free); NULL: no memory. The smallest distance within a column
 * is 1. */
struct hs_plot_node *hs_lattice_layout(const struct hs_lattice *lattice);

/* The edge as a line of HS_CURVE_POINTS points; it bends where a straight one would run through a
 * node, as little as keeps it clear of all of them. */
void hs_lattice_curve(struct hs_plot_node curve[HS_CURVE_POINTS], const struct hs_plot_node *nodes,
                      size_t node_count, size_t from, size_t to);

#endif
