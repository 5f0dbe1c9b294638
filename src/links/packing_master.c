/*
 * The program, with a column per tree, its weight:
 *
 *     as much as can be of x, so that     trees of root r: sum of weights >= x      each root
 *                                         weights times uses <= rate                each link
 *
 * (mirrored and both: of the sum of all weights, without the roots' rows). There are too many trees
 * to list, so some begin, and the prices that the program gives links say which tree would help:
 * for each root the cheapest, if it is cheaper than what the root is worth (Dantzig and Wolfe 1960;
 * of branchings Barahona, 1995). A solution in a corner has no more trees than rows.
 *
 * The first trees are each the cheapest where lengths grow with what those before have loaded
 * (Garg and Koenemann 1998).
 */
#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "links/packing_parts.h"

#define SEED_PASSES  6
#define ROUNDS_MAX   400
#define ROUNDING     1e-7 /* of what counts as reached; of the solver's own */
#define WEIGHT_LEAST 1e-9
#define THIN_OUT_MAX 64 /* trees that are tried to do without */
#define EQUAL_MAX    8  /* trees of the same weight that a root has, where they are fewer */
#define WHOLE        1e-6

struct master {
    struct hs_packer *packer;
    glp_prob *program;
    size_t columns; /* of the packing's trees, that are in it */
    double *loads;  /* [row_count + 1] */
    double *rates;  /* [row_count + 1] */
    double *values; /* [row_count + 2] of a column, and its rows */
    int *indices;
    double reached;  /* when it was solved last; below 0: what is given cannot be */
    double *weights; /* [known] that stand, whatever the program says; NULL: the program's */
    size_t known;
    jmp_buf gave_up;
};

static bool has_roots(const struct hs_packer *packer)
{
    return packer->shape == HS_AWAY;
}

/* ---- the first trees ------------------------------------------------------------------------- */

static void set_lengths(struct hs_packer *packer, const double *of_rows)
{
    for (int i = 0; i < packer->vertices * packer->vertices; i++)
        packer->lengths[i] = packer->rows[i] > 0 ? of_rows[packer->rows[i]] : INFINITY;
    hs_packer_measure(packer);
}

/* Whether there is a tree of the same arcs of the same root before the last one. */
static bool is_known(const struct hs_packing *packing)
{
    const struct hs_tree *last = &packing->trees[packing->count - 1];

    for (size_t i = 0; i + 1 < packing->count; i++) {
        const struct hs_tree *tree = &packing->trees[i];

        if (tree->root == last->root && memcmp(tree->down, last->down, sizeof(last->down)) == 0 &&
            memcmp(tree->up, last->up, sizeof(last->up)) == 0 &&
            memcmp(tree->down_route, last->down_route, sizeof(last->down_route)) == 0 &&
            memcmp(tree->up_route, last->up_route, sizeof(last->up_route)) == 0)
            return true;
    }
    return false;
}

/* One tree of each root, in the order of roots; `loaded`, [row_count + 1], grows with each. */
static enum hs_status seed_pass(struct master *master, double *loaded, double *lengths,
                                double growth, struct hs_error *err)
{
    struct hs_packer *packer = master->packer;
    struct hs_packing *packing = packer->packing;
    enum hs_status status = HS_OK;

    for (int root = 0; root < packer->units && !status; root++) {
        double most = 0, cost;

        for (int i = 1; i <= packer->row_count; i++)
            most = fmax(most, loaded[i] / master->rates[i]);
        for (int i = 1; i <= packer->row_count; i++)
            lengths[i] =
                fmax(1e-6, exp(growth * (loaded[i] / master->rates[i] - most))) / master->rates[i];
        set_lengths(packer, lengths);
        status = hs_packer_add(packer, root, INFINITY, &cost, err);
        if (status)
            break;
        hs_packer_loads(master->loads, packer, &packing->trees[packing->count - 1]);
        for (int i = 1; i <= packer->row_count; i++)
            loaded[i] += master->loads[i];
        if (is_known(packing))
            packing->count--;
    }
    return status;
}

static enum hs_status seed(struct master *master, double enough, struct hs_error *err)
{
    size_t rows = (size_t)master->packer->row_count + 1;
    double *loaded = calloc(rows, sizeof(*loaded)), *lengths = calloc(rows, sizeof(*lengths));
    enum hs_status status = loaded && lengths ? HS_OK : hs_no_memory(err);

    /* What a pass loads the busiest link with is at least what all send, over `enough`. */
    for (int pass = 0; pass < SEED_PASSES && !status; pass++)
        status = seed_pass(master, loaded, lengths, 2 * enough, err);
    free(loaded);
    free(lengths);
    return status;
}

/* ---- the program ----------------------------------------------------------------------------- */

static void begin_program(struct master *master)
{
    const struct hs_packer *packer = master->packer;
    glp_prob *program = glp_create_prob();

    master->program = program;
    glp_set_obj_dir(program, GLP_MAX);
    glp_add_rows(program, packer->row_count + (has_roots(packer) ? packer->units : 0));
    for (int i = 1; i <= packer->row_count; i++)
        glp_set_row_bnds(program, i, GLP_UP, 0, master->rates[i]);
    if (!has_roots(packer))
        return;
    glp_add_cols(program, 1);
    glp_set_col_bnds(program, 1, GLP_LO, 0, 0);
    glp_set_obj_coef(program, 1, 1);
    for (int u = 0; u < packer->units; u++) {
        glp_set_row_bnds(program, packer->row_count + 1 + u, GLP_LO, 0, 0);
        master->indices[u + 1] = packer->row_count + 1 + u;
        master->values[u + 1] = -1;
    }
    glp_set_mat_col(program, 1, packer->units, master->indices, master->values);
}

static int first_column(const struct master *master)
{
    return has_roots(master->packer) ? 2 : 1;
}

/* Puts the packing's trees into it that are not yet. */
static void add_columns(struct master *master)
{
    const struct hs_packer *packer = master->packer;
    size_t count = packer->packing->count;

    if (master->columns == count)
        return;
    glp_add_cols(master->program, (int)(count - master->columns));
    for (; master->columns < count; master->columns++) {
        const struct hs_tree *tree = &packer->packing->trees[master->columns];
        int column = first_column(master) + (int)master->columns, length = 0;

        hs_packer_loads(master->loads, packer, tree);
        for (int i = 1; i <= packer->row_count; i++)
            if (master->loads[i] > 0) {
                master->indices[++length] = i;
                master->values[length] = master->loads[i];
            }
        if (has_roots(packer)) {
            master->indices[++length] = packer->row_count + 1 + tree->root;
            master->values[length] = 1;
        } else {
            glp_set_obj_coef(master->program, column, 1);
        }
        glp_set_mat_col(master->program, column, length, master->indices, master->values);
        glp_set_col_bnds(master->program, column, GLP_LO, 0, 0);
    }
}

static enum hs_status solve_program(struct master *master, struct hs_error *err)
{
    glp_smcp how;
    int code, status;

    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.meth = GLP_PRIMAL;
    code = glp_simplex(master->program, &how);
    status = glp_get_status(master->program);
    if (code != 0 || (status != GLP_OPT && status != GLP_NOFEAS && status != GLP_INFEAS))
        return hs_fail(err, HS_FAILED, "packing trees: the linear program was not solved (%d)",
                       code);
    master->reached = status == GLP_OPT ? glp_get_obj_val(master->program) : -1;
    return HS_OK;
}

/* Adds for each root the tree that helps most, if one does. */
static enum hs_status add_helpful(struct master *master, struct hs_error *err)
{
    struct hs_packer *packer = master->packer;
    double *prices = master->rates + packer->row_count + 1, cost;
    bool any_root = packer->shape == HS_MIRRORED && packer->group_count == packer->units;
    enum hs_status status = HS_OK;

    for (int i = 1; i <= packer->row_count; i++)
        prices[i] = fmax(0, glp_get_row_dual(master->program, i));
    set_lengths(packer, prices);
    for (int root = 0; root < (any_root ? 1 : packer->units) && !status; root++) {
        double worth = has_roots(packer)
                           ? -glp_get_row_dual(master->program, packer->row_count + 1 + root)
                           : 1;

        status = hs_packer_add(packer, root, worth * (1 - ROUNDING), &cost, err);
    }
    return status;
}

/* The tree in use with the least weight that was not yet tried to do without, and is not the only
 * one of its root where each has some; -1: there is none. */
static int find_lightest(const struct master *master, const bool *tried)
{
    const struct hs_tree *trees = master->packer->packing->trees;
    int best = -1, used[HS_LINKS_UNITS] = {0};
    double least = INFINITY;

    for (size_t i = 0; i < master->columns; i++)
        used[trees[i].root] +=
            glp_get_col_prim(master->program, first_column(master) + (int)i) > WEIGHT_LEAST;
    for (size_t i = 0; i < master->columns; i++) {
        double weight = glp_get_col_prim(master->program, first_column(master) + (int)i);
        bool only = has_roots(master->packer) && used[trees[i].root] == 1;

        if (weight > WEIGHT_LEAST && weight < least && !tried[i] && !only) {
            least = weight;
            best = (int)i;
        }
    }
    return best;
}

/* Does without one tree after the other, the lightest first, as long as the others make up for it:
 * a corner may have fewer trees than rows. */
static enum hs_status thin_out(struct master *master, struct hs_error *err)
{
    double reached = master->reached;
    bool *tried = calloc(master->columns + 1, sizeof(*tried));
    enum hs_status status = tried ? HS_OK : hs_no_memory(err);
    int tries = THIN_OUT_MAX;

    for (int i; !status && tries-- > 0 && (i = find_lightest(master, tried)) >= 0;) {
        int column = first_column(master) + i;

        tried[i] = true;
        glp_set_col_bnds(master->program, column, GLP_FX, 0, 0);
        status = solve_program(master, err);
        if (!status && master->reached < reached * (1 - ROUNDING)) {
            glp_set_col_bnds(master->program, column, GLP_LO, 0, 0);
            status = solve_program(master, err);
        }
    }
    free(tried);
    return status;
}

/* Solves it with what trees it takes to get so far. */
static enum hs_status reach(struct master *master, double enough, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (int round = 0; round < ROUNDS_MAX && !status; round++) {
        add_columns(master);
        status = solve_program(master, err);
        if (!status && master->reached >= 0 && master->reached < enough * (1 - ROUNDING))
            status = add_helpful(master, err);
        if (master->columns == master->packer->packing->count)
            break;
    }
    master->packer->packing->count = master->columns;
    return status;
}

/* ---- trees of equal weight ------------------------------------------------------------------- */

/* Of how many trees of the same weight each root has a packing that gets so far: the least number
 * of which every rate is a whole one (ForestColl, arXiv 2402.06787, section 4). 0: too many. */
static int count_equal(const struct master *master, double reached)
{
    for (int k = 1; k <= EQUAL_MAX; k++) {
        bool whole = true;

        for (int i = 1; i <= master->packer->row_count && whole; i++) {
            double fit = master->rates[i] * k / reached;

            whole = fabs(fit - round(fit)) < WHOLE;
        }
        if (whole)
            return k;
    }
    return 0;
}

static double weight_of(const struct master *master, size_t tree)
{
    return glp_get_col_prim(master->program, first_column(master) + (int)tree);
}

static void set_weight(struct master *master, size_t tree, double weight)
{
    glp_set_col_bnds(master->program, first_column(master) + (int)tree, GLP_FX, weight, 0);
}

static size_t count_used(const struct master *master)
{
    size_t used = 0;

    for (size_t i = 0; i < master->columns; i++)
        used += weight_of(master, i) > WEIGHT_LEAST;
    return used;
}

/* The heaviest tree whose weight is not yet given; the number of trees: there is none. */
static size_t find_heaviest(const struct master *master)
{
    size_t best = master->columns;
    double most = WEIGHT_LEAST;

    for (size_t i = 0; i < master->columns; i++)
        if (glp_get_col_type(master->program, first_column(master) + (int)i) != GLP_FX &&
            weight_of(master, i) > most) {
            most = weight_of(master, i);
            best = i;
        }
    return best;
}

/* Gives one tree after the other, the heaviest first, a whole number of such weights, or, where no
 * others can make up for that, none. */
static enum hs_status give_weights(struct master *master, double each, int tries, double enough,
                                   struct hs_error *err)
{
    enum hs_status status = reach(master, enough, err);

    while (!status && tries-- > 0) {
        size_t i = find_heaviest(master);

        if (i == master->columns)
            break;
        set_weight(master, i, each * fmax(1, floor(weight_of(master, i) / each + WHOLE)));
        status = reach(master, enough, err);
        if (!status && master->reached < enough * (1 - ROUNDING)) {
            set_weight(master, i, 0);
            status = reach(master, enough, err);
        }
    }
    return status;
}

/* Where fewer trees of equal weight would do, looks for these; else all stays as it was. */
static enum hs_status even_out(struct master *master, struct hs_error *err)
{
    double enough = master->reached;
    int k = has_roots(master->packer) ? count_equal(master, enough) : 0;
    size_t fewest = (size_t)k * (size_t)master->packer->units;
    enum hs_status status;

    if (k == 0 || count_used(master) <= fewest)
        return HS_OK;
    master->weights = malloc(master->columns * sizeof(*master->weights));
    if (!master->weights)
        return hs_no_memory(err);
    master->known = master->columns;
    for (size_t i = 0; i < master->known; i++) {
        master->weights[i] = weight_of(master, i);
        glp_set_col_bnds(master->program, first_column(master) + (int)i, GLP_LO, 0, 0);
    }
    status = give_weights(master, enough / k, 4 * (int)fewest, enough, err);
    if (!status && master->reached >= enough * (1 - ROUNDING) && count_used(master) <= fewest) {
        free(master->weights);
        master->weights = NULL;
    }
    return status == HS_MEMORY ? status : HS_OK;
}

/* HS_FAILED where the links that set the pace are too slow beside the fastest for a number to tell
 * them from none. */
static enum hs_status take_weights(struct master *master, struct hs_error *err)
{
    struct hs_packing *packing = master->packer->packing;
    size_t kept = 0;
    int with_trees = 0;
    bool has[HS_LINKS_UNITS] = {false};

    for (size_t i = 0; i < packing->count; i++) {
        struct hs_tree *tree = &packing->trees[i];

        if (master->weights)
            tree->share = i < master->known ? master->weights[i] : 0;
        else
            tree->share = weight_of(master, i);
        if (tree->share > WEIGHT_LEAST)
            packing->trees[kept++] = *tree;
        if (tree->share > WEIGHT_LEAST && !has[tree->root]) {
            has[tree->root] = true;
            with_trees++;
        }
    }
    packing->count = kept;
    if (with_trees < (has_roots(master->packer) ? packing->units : 1))
        return hs_fail(err, HS_FAILED, "packing trees: some links carry less than 1e-9 of others");
    return HS_OK;
}

static enum hs_status run_program(struct master *master, double enough, struct hs_error *err)
{
    enum hs_status status;

    if (setjmp(master->gave_up)) {
        if (!master->weights)
            return hs_fail(err, HS_FAILED, "packing trees: the solver of linear programs gave up");
        return take_weights(master, err);
    }
    begin_program(master);
    status = reach(master, enough, err);
    if (!status)
        status = thin_out(master, err);
    if (!status)
        status = even_out(master, err);
    if (!status)
        status = take_weights(master, err);
    return status;
}

static void give_up(void *info)
{
    longjmp(((struct master *)info)->gave_up, 1);
}

/* Leaves the solver as it was found: it may be somebody else's, too. */
static enum hs_status solve_quietly(struct master *master, double enough, struct hs_error *err)
{
    bool ours = glp_init_env() == 0;
    int said = glp_term_out(GLP_OFF);
    enum hs_status status;

    glp_error_hook(give_up, master);
    status = run_program(master, enough, err);
    glp_error_hook(NULL, NULL);
    if (glp_at_error()) {
        glp_free_env();
        return status;
    }
    glp_delete_prob(master->program);
    glp_term_out(said);
    if (ours)
        glp_free_env();
    return status;
}

enum hs_status hs_packer_solve(struct hs_packer *packer, double enough, struct hs_error *err)
{
    size_t rows = (size_t)packer->row_count + (size_t)packer->units + 2;
    struct master master = {.packer = packer};
    enum hs_status status = HS_OK;

    master.loads = calloc(rows, sizeof(*master.loads));
    master.rates = calloc(2 * rows, sizeof(*master.rates));
    master.values = calloc(rows, sizeof(*master.values));
    master.indices = calloc(rows, sizeof(*master.indices));
    if (!master.loads || !master.rates || !master.values || !master.indices)
        status = hs_no_memory(err);
    if (!status) {
        hs_packer_row_rates(master.rates, packer);
        status = seed(&master, enough, err);
    }
    if (!status)
        status = solve_quietly(&master, enough, err);
    free(master.loads);
    free(master.rates);
    free(master.values);
    free(master.indices);
    free(master.weights);
    return status;
}
