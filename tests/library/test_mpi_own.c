/* The algorithms that can be forced on MPI libraries: what a result's names find. */
#include <string.h>

#include "library/mpi_own.h"
#include "test.h"

static void each_name_finds_its_row_alone(void **state)
{
    (void)state;
    for (int i = 0; i < hs_mpi_own_count; i++)
        assert_ptr_equal(hs_mpi_own_find(hs_mpi_own[i].name), &hs_mpi_own[i]);
    assert_null(hs_mpi_own_find("MPI_Allreduce"));
}

/* What both libraries' own choices may be is among them, else nothing could be told from them. */
static void each_library_has_several_for_each_collective(void **state)
{
    (void)state;
    for (int c = 0; c < HS_COLLECTIVE_COUNT; c++) {
        int openmpi = 0, mpich = 0;

        assert_non_null(hs_mpi_own_calls[c]);
        for (int i = 0; i < hs_mpi_own_count; i++) {
            openmpi += hs_mpi_own[i].collective == (enum hs_collective)c &&
                       hs_mpi_own[i].library == HS_LIBRARY_OPENMPI;
            mpich += hs_mpi_own[i].collective == (enum hs_collective)c &&
                     hs_mpi_own[i].library == HS_LIBRARY_MPICH;
        }
        assert_true(openmpi >= 4);
        assert_true(mpich >= 4);
    }
}

/* 0 is Open MPI's own choice in a rules file, and MPICH's "auto". */
static void no_number_means_the_library_itself_but_where_it_says_so(void **state)
{
    (void)state;
    for (int i = 0; i < hs_mpi_own_count; i++)
        assert_true((hs_mpi_own[i].number > 0) ==
                    (hs_mpi_own[i].library == HS_LIBRARY_OPENMPI || hs_mpi_own[i].called));
}

static const struct CMUnitTest tests[] = {
    HS_TEST("each name finds its row alone", each_name_finds_its_row_alone),
    HS_TEST("each library has several for each collective",
            each_library_has_several_for_each_collective),
    HS_TEST("no number means the library itself, but where it says so",
            no_number_means_the_library_itself_but_where_it_says_so),
};
HS_TEST_MAIN(tests)
