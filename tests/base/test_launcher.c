/*
 * The number of a process, by what real launchers set: taken from `env` below each of them.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/launcher.h"

/* "A=b C=d" and nothing else of a launcher's. */
static void set(const char *settings)
{
    static const char *const all[] = {"RANK",
                                      "WORLD_SIZE",
                                      "OMPI_COMM_WORLD_RANK",
                                      "OMPI_COMM_WORLD_SIZE",
                                      "PMI_RANK",
                                      "PMI_SIZE",
                                      "PMI_ID",
                                      "PMIX_RANK",
                                      "PMIX_SIZE",
                                      "PALS_RANKID",
                                      "PALS_SIZE",
                                      "SLURM_PROCID",
                                      "SLURM_NTASKS"};
    char text[256], *rest = text, *setting;

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        unsetenv(all[i]);
    strcpy(text, settings);
    while ((setting = strtok_r(rest, " ", &rest))) {
        char *value = strchr(setting, '=');

        *value = '\0';
        setenv(setting, value + 1, 1);
    }
}

static void each_launcher_says_which_process_it_is(void **state)
{
    static const struct {
        const char *settings;
        int rank, ranks; /* both asked for */
        int alone;       /* the rank asked for alone */
    } cases[] = {
        {"", -1, 0, -1},
        {"PMI_RANK=3 PMI_SIZE=4 MPI_LOCALRANKID=1", 3, 4, 3},
        {"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=1", 1, 4, 1},
        {"SLURM_PROCID=2 SLURM_NTASKS=4 PMI_RANK=2 PMI_SIZE=4", 2, 4, 2},
        {"PMIX_RANK=5", -1, 0, 5},
        /* torchrun of 8 on the second of two tasks */
        {"SLURM_PROCID=1 SLURM_NTASKS=2 RANK=8 WORLD_SIZE=16", 8, 16, 8},
        /* somebody's own variable, an empty one, and one that is no number */
        {"RANK=3", -1, 0, -1},
        {"RANK=3 PMI_RANK=0 PMI_SIZE=2", 0, 2, 0},
        {"PMI_RANK= OMPI_COMM_WORLD_RANK=x", -1, 0, -1},
        {"PMI_RANK=-1 PMI_SIZE=2", -1, 0, -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        int rank, ranks, alone;

        set(cases[i].settings);
        assert_int_equal(hs_launcher_rank(&rank, &ranks), cases[i].rank >= 0);
        assert_int_equal(rank, cases[i].rank);
        assert_int_equal(ranks, cases[i].ranks);
        assert_int_equal(hs_launcher_rank(&alone, NULL), cases[i].alone >= 0);
        assert_int_equal(alone, cases[i].alone);
        assert_int_equal(hs_launcher_is_root(), cases[i].alone <= 0);
    }
}

static const struct CMUnitTest tests[] = {
    HS_TEST("each launcher says which process it is", each_launcher_says_which_process_it_is),
};
HS_TEST_MAIN(tests)
