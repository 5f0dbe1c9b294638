/*
 * all_trees.h - the fastest packing of trees whose arcs go by hs_links_path: a linear program of
 * all such trees there are, of few units.
 */
#ifndef HS_TESTS_ALL_TREES_H
#define HS_TESTS_ALL_TREES_H

#include "test.h"

#include <glpk.h>

#include "model/stage.h"
#include "system/links.h"

#define ALL_TREES_UNITS 5
#define ALL_TREES_MOST  625 /* 5^4 choices of whom the others take from */
#define ALL_TREES_ROWS  (1 + 8 * 8 + ALL_TREES_UNITS)

/* Trees of one root: from whom, or to whom, each unit. */
struct all_trees {
    int of[ALL_TREES_MOST][ALL_TREES_UNITS], count;
};

static inline void list_trees(struct all_trees *trees, int units, int root)
{
    int choices = 1;

    for (int u = 1; u < units; u++)
        choices *= units;
    trees->count = 0;
    for (int choice = 0; choice < choices; choice++) {
        int *tree = trees->of[trees->count], rest = choice;
        bool spans = true;

        for (int u = 0; u < units; u++) {
            tree[u] = u == root ? -1 : rest % units;
            rest = u == root ? rest : rest / units;
        }
        for (int u = 0; u < units; u++) {
            int at = u, steps = 0;

            while (at != root && steps++ < units)
                at = tree[at];
            spans = spans && at == root;
        }
        trees->count += spans;
    }
}

/* Adds what it loads each link with, by from and to; whether it has all its ways. */
static inline bool load_tree(double *loads, const struct hs_links *links, const int *tree, bool up)
{
    int path[HS_LINKS_VERTICES];

    for (int u = 0; u < links->units; u++) {
        int count = tree[u] < 0 ? 1
                    : up        ? hs_links_path(path, links, u, tree[u])
                                : hs_links_path(path, links, tree[u], u);

        if (count == 0)
            return false;
        for (int i = 0; i + 1 < count; i++)
            loads[path[i] * hs_links_vertices(links) + path[i + 1]]++;
    }
    return true;
}

static inline void add_column(glp_prob *program, const double *loads, int links, int root_row)
{
    int column = glp_add_cols(program, 1), rows[ALL_TREES_ROWS], length = 0;
    double values[ALL_TREES_ROWS];

    for (int i = 0; i < links; i++)
        if (loads[i] > 0) {
            rows[++length] = 1 + i;
            values[length] = loads[i];
        }
    if (root_row > 0) {
        rows[++length] = root_row;
        values[length] = 1;
    } else {
        glp_set_obj_coef(program, column, 1);
    }
    glp_set_mat_col(program, column, length, rows, values);
    glp_set_col_bnds(program, column, GLP_LO, 0, 0);
}

/* Columns of a root: its trees; of an allreduce each with each. */
static inline void add_columns(glp_prob *program, const struct hs_links *links, enum hs_phase phase,
                               int root)
{
    static struct all_trees trees;
    int n = links->units, square = hs_links_vertices(links) * hs_links_vertices(links);

    list_trees(&trees, n, root);
    for (int t = 0; t < trees.count; t++)
        for (int other = 0; other < (phase == HS_ALLREDUCE ? trees.count : 1); other++) {
            double loads[8 * 8] = {0};

            if (load_tree(loads, links, trees.of[t], phase != HS_ALLGATHER) &&
                (phase != HS_ALLREDUCE || load_tree(loads, links, trees.of[other], false)))
                add_column(program, loads, square, phase == HS_ALLREDUCE ? 0 : 1 + square + root);
        }
}

/* As hs_packing's; of up to 5 units (of an allreduce 4) and 8 vertices. */
static inline double fastest_of_all_trees(const struct hs_links *links, enum hs_phase phase)
{
    glp_prob *program = glp_create_prob();
    int n = links->units, square = hs_links_vertices(links) * hs_links_vertices(links);
    double rates[8 * 8], most;

    assert_true(n <= ALL_TREES_UNITS && square <= 64);
    hs_links_rates(rates, links);
    glp_term_out(GLP_OFF);
    glp_set_obj_dir(program, GLP_MAX);
    glp_add_rows(program, square + n);
    for (int i = 0; i < square; i++)
        glp_set_row_bnds(program, 1 + i, GLP_UP, 0, rates[i] / 1e9);
    for (int root = 0; root < n; root++)
        glp_set_row_bnds(program, 1 + square + root, GLP_LO, 0, 0);
    if (phase != HS_ALLREDUCE) {
        int rows[1 + ALL_TREES_UNITS];
        double values[1 + ALL_TREES_UNITS];

        glp_add_cols(program, 1);
        for (int root = 0; root < n; root++) {
            rows[1 + root] = 1 + square + root;
            values[1 + root] = -1;
        }
        glp_set_mat_col(program, 1, n, rows, values);
        glp_set_obj_coef(program, 1, 1);
        glp_set_col_bnds(program, 1, GLP_LO, 0, 0);
    }
    for (int root = 0; root < n; root++)
        add_columns(program, links, phase, root);
    assert_int_equal(glp_simplex(program, NULL), 0);
    assert_int_equal(glp_get_status(program), GLP_OPT);
    most = glp_get_obj_val(program) * 1e9;
    glp_delete_prob(program);
    return 1 / (most * (phase == HS_ALLREDUCE ? 1 : n));
}

#endif
