/* The price of MPI's collectives, against another implementation (price_goldens.h). */
#include "model/price_mpi.h"
#include "price_goldens.h"
#include "test.h"

static void every_call_has_its_price(void **state)
{
    double values[HS_CONSTANTS_MAX];

    (void)state;
    assert_int_equal(HS_COUNT(golden_mpi), 90);
    hs_constants_shipped(values, &hs_mpi_price_model);
    for (size_t i = 0; i < HS_COUNT(golden_mpi); i++)
        assert_near(hs_mpi_price_model.seconds(&golden_mpi[i].call, values), golden_mpi[i].seconds,
                    1e-9);
}

static struct hs_mpi_call call_of(enum hs_mpi_algorithm algorithm, double bytes)
{
    return (struct hs_mpi_call){
        .machine = HS_MPI_LUMI, .algorithm = algorithm, .ranks = 256, .tasks = 1, .bytes = bytes};
}

static double seconds_of(enum hs_mpi_algorithm algorithm, double bytes)
{
    struct hs_mpi_call call = call_of(algorithm, bytes);
    double values[HS_CONSTANTS_MAX];

    hs_constants_shipped(values, &hs_mpi_price_model);
    return hs_mpi_price_model.seconds(&call, values);
}

/* Thakur, Rabenseifner and Gropp 2005, section 4.5: doubling for short messages, halving for long
 * ones; a ring never before halving where ranks are a power of two. */
static void the_fastest_is_the_textbooks(void **state)
{
    (void)state;
    assert_true(seconds_of(HS_MPI_DOUBLING, 64) < seconds_of(HS_MPI_HALVING, 64));
    assert_true(seconds_of(HS_MPI_HALVING, 1e6) < seconds_of(HS_MPI_DOUBLING, 1e6));
    assert_true(seconds_of(HS_MPI_HALVING, 1e6) < seconds_of(HS_MPI_RING, 1e6));
}

static void more_doubt_makes_a_wider_range(void **state)
{
    struct hs_mpi_call call = call_of(HS_MPI_RING, 1e6);
    double values[HS_CONSTANTS_MAX];

    (void)state;
    hs_constants_shipped(values, &hs_mpi_price_model);
    assert_near(hs_mpi_deviation(&call, values, 0), hs_mpi_price_model.scatter, 1e-12);
    assert_true(hs_mpi_deviation(&call, values, 0.4) > hs_mpi_price_model.scatter);
    assert_true(hs_mpi_deviation(&call, values, 0.9) > hs_mpi_deviation(&call, values, 0.4));
}

static const struct CMUnitTest tests[] = {
    HS_TEST("every call has its price", every_call_has_its_price),
    HS_TEST("the fastest algorithm is the textbook's", the_fastest_is_the_textbooks),
    HS_TEST("more doubt makes a wider range", more_doubt_makes_a_wider_range),
};
HS_TEST_MAIN(tests)
