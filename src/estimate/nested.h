/*
 * nested.h - estimates of unknowns that nest, from sums of them with noise.
 *
 * Nodes are a tree, each with unknowns of its own: the root `root` of them, every other node `own`.
 * All have the prior N(0, 1). What is observed at a node, x, is a sum of its unknowns and of those
 * of all nodes that it is part of, with a standard error:
 *
 *     x = r . z + c + e,  e ~ N(0, sigma^2)
 *
 * So z is jointly normal, with the precision matrix I + sum r r' / sigma^2 and the mean that solves
 * the normal equations (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006,
 * section 2.1). That matrix has entries only between a node and those it is part of: eliminated
 * from the leaves to the root nothing fills in, and all is linear in nodes and observations (the
 * multifrontal method: Duff and Reid 1983).
 *
 * A row has the coefficients r in the order of the way up, those of the node first, those of the
 * root last, and behind them c: no more numbers than the longest row has.
 */
#ifndef HS_ESTIMATE_NESTED_H
#define HS_ESTIMATE_NESTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HS_NESTED_ROW_MAX 32 /* most that a row may have, c among them */

struct hs_nested {
    size_t root, own, depth; /* unknowns; nodes on the longest way up, the root apart */
    /* Set by the caller between hs_nested_room and the calls below, nodes before their parts. */
    size_t *parents; /* [count] owned; of the root, node 0: 0 */
    size_t *depths;  /* [count] owned; of the root 0 */
    size_t count;
    /* Per node a matrix of the unknowns of a row and the right side: its normal equations, then,
     * for its own unknowns, rows of their Cholesky factor. [count][pitch][pitch] owned. */
    double *fronts;
};

/* How many unknowns `count` nodes have. */
size_t hs_nested_unknowns(const struct hs_nested *nested, size_t count);

/* Room for so many nodes in all; what was there stays. False: out of memory. */
bool hs_nested_room(struct hs_nested *nested, size_t capacity);
void hs_nested_release(struct hs_nested *nested);

/* Nothing is observed of nodes from `first` on: their priors. */
void hs_nested_forget(struct hs_nested *nested, size_t first);
/* Adds an observation to a node; all are forgotten before, and none is added behind
 * hs_nested_eliminate. */
void hs_nested_observe(struct hs_nested *nested, size_t node, const double *row, double observed,
                       double sigma);
/* Between the observations and what is read below. */
void hs_nested_eliminate(struct hs_nested *nested);

/* The mean of all unknowns, z [hs_nested_unknowns]. */
void hs_nested_mean(double *z, const struct hs_nested *nested);
/* One joint draw of them all, `scatter` standard deviations wide; *seed is moved on. */
void hs_nested_draw(double *z, const struct hs_nested *nested, double scatter, uint64_t *seed);
/* What a row at a node makes of unknowns, c included; and its variance as they are believed. */
double hs_nested_sum(const double *row, const struct hs_nested *nested, const double *z,
                     size_t node);
double hs_nested_variance(const double *row, const struct hs_nested *nested, size_t node);

#endif
