#include "library/constants_mpi.h"

#include <string.h>

const struct hs_constant hs_mpi_constants[HS_MPI_K_COUNT] = {
#define HS_ROW(name, text, unit, prior, deviation, family, fitted, width, meaning)                 \
    {text, unit, prior, deviation, family, fitted, width, meaning},
    HS_MPI_CONSTANTS(HS_ROW)
#undef HS_ROW
};

void hs_mpi_system_values(double *values, const struct hs_system *system)
{
    static const enum hs_mpi_constant not_of_plans[] = {HS_MPI_K_GRAIN, HS_MPI_K_SPREAD,
                                                        HS_MPI_K_COPY, HS_MPI_K_REDUCE_SYSTEM};
    size_t next = 0; /* where the next one stands, where they come in the table's order */

    for (size_t k = 0; k < HS_MPI_K_COUNT; k++)
        values[k] = hs_mpi_constants[k].fitted;
    if (system->constants.count == 0) {
        for (size_t i = 0; i < sizeof(not_of_plans) / sizeof(*not_of_plans); i++)
            if (not_of_plans[i] != HS_MPI_K_REDUCE_SYSTEM || !hs_system_shares_memory(system))
                values[not_of_plans[i]] = 0;
        values[HS_MPI_K_FAR_SYSTEM] = 1;
    }
    for (size_t i = 0; i < system->constants.count; i++) {
        const struct hs_own_constant *own = &system->constants.items[i];
        size_t k = next, tried = 0;

        while (tried < HS_MPI_K_COUNT && strcmp(hs_mpi_constants[k].name, own->name) != 0) {
            k = (k + 1) % HS_MPI_K_COUNT;
            tried++;
        }
        if (tried == HS_MPI_K_COUNT)
            continue;
        values[k] = own->value;
        next = (k + 1) % HS_MPI_K_COUNT;
    }
}
