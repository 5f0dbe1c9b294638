/* launcher.c - see launcher.h. */
#include "base/launcher.h"

#include <stdint.h>
#include <stdlib.h>

/* torchrun stands first: what it starts below another launcher goes by its numbers. */
static const struct {
    const char *rank, *ranks;
    bool both;
} launchers[] = {
    {"RANK", "WORLD_SIZE", true},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", false},
    {"PMI_RANK", "PMI_SIZE", false},
    {"PMI_ID", "PMI_SIZE", false},
    {"PMIX_RANK", "PMIX_SIZE", false},
    {"PALS_RANKID", "PALS_SIZE", false},
    {"SLURM_PROCID", "SLURM_NTASKS", false},
};

/* -1: there is none. */
static int number_in(const char *name, int least)
{
    const char *text = getenv(name);
    char *end;
    long number = text ? strtol(text, &end, 10) : -1;

    return text && text[0] && !*end && number >= least && number < INT32_MAX ? (int)number : -1;
}

bool hs_launcher_rank(int *rank, int *ranks)
{
    for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
        int number = number_in(launchers[i].rank, 0), count = number_in(launchers[i].ranks, 1);

        if (number < 0 || (count <= number && (ranks || launchers[i].both)))
            continue;
        *rank = number;
        if (ranks)
            *ranks = count;
        return true;
    }
    *rank = -1;
    if (ranks)
        *ranks = 0;
    return false;
}

bool hs_launcher_is_root(void)
{
    int rank;

    return !hs_launcher_rank(&rank, NULL) || rank == 0;
}
