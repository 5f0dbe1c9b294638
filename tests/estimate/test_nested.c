/*
 * Estimates of unknowns that nest (nested.h) against the same normal equations as one dense matrix,
 * solved by GSL.
 */
#include "test.h"

#include <gsl/gsl_linalg.h>
#include <math.h>

#include "base/random.h"
#include "estimate/nested.h"

#define ROOT         3
#define OWN          2
#define DEPTH        3
#define NODES        12
#define UNKNOWNS     (ROOT + OWN * (NODES - 1))
#define WIDTH        (ROOT + OWN * DEPTH)
#define OBSERVATIONS 40
#define DRAWS        20000

/* Two children of the root, three of those, six of these. */
static const size_t parents[NODES] = {0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 5, 5};
static const size_t depths[NODES] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3};

static struct hs_nested make_tree(void)
{
    struct hs_nested nested = {.root = ROOT, .own = OWN, .depth = DEPTH};

    assert_true(hs_nested_room(&nested, NODES));
    for (size_t i = 0; i < NODES; i++) {
        nested.parents[i] = parents[i];
        nested.depths[i] = depths[i];
    }
    nested.count = NODES;
    hs_nested_forget(&nested, 0);
    return nested;
}

static size_t width_at(size_t node)
{
    return ROOT + OWN * depths[node];
}

static void random_row(double row[WIDTH + 1], size_t node, uint64_t *seed)
{
    for (size_t c = 0; c <= width_at(node); c++)
        row[c] = hs_random_normal(seed);
}

/* A row of a node over all unknowns, in the order of nodes. */
static void spread(double all[UNKNOWNS], const double *row, size_t node)
{
    memset(all, 0, UNKNOWNS * sizeof(*all));
    for (;; node = parents[node]) {
        size_t own = node > 0 ? OWN : ROOT, first = node > 0 ? ROOT + OWN * (node - 1) : 0;

        memcpy(all + first, row, own * sizeof(*all));
        row += own;
        if (node == 0)
            return;
    }
}

/* Precision matrix and right side of the whole, and the same observations in the tree. */
struct dense {
    double precision[UNKNOWNS * UNKNOWNS], right[UNKNOWNS];
};

static void observe(struct dense *dense, struct hs_nested *nested, uint64_t *seed)
{
    *dense = (struct dense){.right = {0}};
    for (size_t k = 0; k < UNKNOWNS; k++)
        dense->precision[k * UNKNOWNS + k] = 1;
    for (size_t i = 0; i < OBSERVATIONS; i++) {
        size_t node = i % NODES;
        double row[WIDTH + 1], all[UNKNOWNS], observed = 3 * hs_random_normal(seed);
        double sigma = 0.1 + hs_random_uniform(seed);

        random_row(row, node, seed);
        hs_nested_observe(nested, node, row, observed, sigma);
        spread(all, row, node);
        for (size_t r = 0; r < UNKNOWNS; r++) {
            dense->right[r] += all[r] * (observed - row[width_at(node)]) / (sigma * sigma);
            for (size_t c = 0; c < UNKNOWNS; c++)
                dense->precision[r * UNKNOWNS + c] += all[r] * all[c] / (sigma * sigma);
        }
    }
    hs_nested_eliminate(nested);
}

/* x of precision x = right. */
static void solve(double x[UNKNOWNS], const struct dense *dense, const double right[UNKNOWNS])
{
    struct dense copy = *dense;
    gsl_matrix_view matrix = gsl_matrix_view_array(copy.precision, UNKNOWNS, UNKNOWNS);
    gsl_vector_const_view side = gsl_vector_const_view_array(right, UNKNOWNS);
    gsl_vector_view out = gsl_vector_view_array(x, UNKNOWNS);

    assert_int_equal(gsl_linalg_cholesky_decomp1(&matrix.matrix), 0);
    assert_int_equal(gsl_linalg_cholesky_solve(&matrix.matrix, &side.vector, &out.vector), 0);
}

static double product(const double *a, const double *b)
{
    double sum = 0;

    for (size_t k = 0; k < UNKNOWNS; k++)
        sum += a[k] * b[k];
    return sum;
}

static void means_solve_the_normal_equations(void **state)
{
    struct hs_nested nested = make_tree();
    struct dense dense;
    double z[UNKNOWNS], expected[UNKNOWNS];
    uint64_t seed = 1;

    (void)state;
    observe(&dense, &nested, &seed);
    assert_int_equal(hs_nested_unknowns(&nested, NODES), UNKNOWNS);
    hs_nested_mean(z, &nested);
    solve(expected, &dense, dense.right);
    for (size_t k = 0; k < UNKNOWNS; k++)
        assert_true(fabs(z[k] - expected[k]) < 1e-10);
    hs_nested_release(&nested);
}

static void sums_and_variances_are_those_of_the_whole(void **state)
{
    struct hs_nested nested = make_tree();
    struct dense dense;
    double z[UNKNOWNS], solved[UNKNOWNS], all[UNKNOWNS], row[WIDTH + 1];
    uint64_t seed = 2;

    (void)state;
    observe(&dense, &nested, &seed);
    hs_nested_mean(z, &nested);
    for (size_t node = 0; node < NODES; node++) {
        random_row(row, node, &seed);
        spread(all, row, node);
        solve(solved, &dense, all);
        assert_near(hs_nested_sum(row, &nested, z, node), product(all, z) + row[width_at(node)],
                    1e-9);
        assert_near(hs_nested_variance(row, &nested, node), product(all, solved), 1e-9);
    }
    hs_nested_release(&nested);
}

/* Of DRAWS the mean is off by a standard deviation over their root, the variance by sqrt(2 / DRAWS)
 * of itself; five times that is allowed. */
static void draws_scatter_as_the_variance_says(void **state)
{
    struct hs_nested nested = make_tree();
    struct dense dense;
    double z[UNKNOWNS], row[WIDTH + 1], mean, variance, sum = 0, squares = 0;
    const double scatter = 1.5;
    uint64_t seed = 3;

    (void)state;
    observe(&dense, &nested, &seed);
    random_row(row, NODES - 1, &seed);
    hs_nested_mean(z, &nested);
    mean = hs_nested_sum(row, &nested, z, NODES - 1);
    variance = scatter * scatter * hs_nested_variance(row, &nested, NODES - 1);
    for (int d = 0; d < DRAWS; d++) {
        double off;

        hs_nested_draw(z, &nested, scatter, &seed);
        off = hs_nested_sum(row, &nested, z, NODES - 1) - mean;
        sum += off;
        squares += off * off;
    }
    assert_true(fabs(sum / DRAWS) < 5 * sqrt(variance / DRAWS));
    assert_near(squares / DRAWS, variance, 5 * sqrt(2.0 / DRAWS));
    hs_nested_release(&nested);
}

static void what_is_not_observed_has_its_prior(void **state)
{
    struct hs_nested nested = make_tree();
    double z[UNKNOWNS], row[WIDTH + 1] = {0, 2, 0};

    (void)state;
    hs_nested_eliminate(&nested);
    hs_nested_mean(z, &nested);
    for (size_t k = 0; k < UNKNOWNS; k++)
        assert_true(z[k] == 0);
    assert_near(hs_nested_variance(row, &nested, NODES - 1), 4, 1e-15);
    hs_nested_release(&nested);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("means solve the normal equations", means_solve_the_normal_equations),
    HS_TEST("sums and variances are those of the whole", sums_and_variances_are_those_of_the_whole),
    HS_TEST("draws scatter as the variance says", draws_scatter_as_the_variance_says),
    HS_TEST("what is not observed has its prior", what_is_not_observed_has_its_prior),
};
HS_TEST_MAIN(tests)
