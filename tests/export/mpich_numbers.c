/*
 * The numbers that library/mpi_own.h has for MPICH's algorithms, against those that the library
 * gives their names: it is told a name by its environment and asked for the number. A process for
 * each, as it reads its environment once. Prints a line for each that differs, and "numbers N".
 *     mpich_numbers 4|5
 */
#include <ctype.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library/mpi_own.h"

static int differs(const struct hs_mpi_own *own, int expected)
{
    char name[128];
    MPI_T_cvar_handle handle;
    int provided, index, count, number = -1;

    snprintf(name, sizeof(name), "MPIR_CVAR_%s_INTRA_ALGORITHM", hs_mpi_own_calls[own->collective]);
    for (char *at = name; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    setenv(name, own->called, 1);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    if (MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS)
        MPI_T_cvar_read(handle, &number);
    if (number != expected)
        printf("%s: %d, and %d in the table\n", own->name, number, expected);
    fflush(stdout);
    return number != expected;
}

int main(int argc, char **argv)
{
    int version = argc > 1 ? atoi(argv[1]) : 0, same = 0;

    for (int i = 0; i < hs_mpi_own_count; i++) {
        const struct hs_mpi_own *own = &hs_mpi_own[i];
        int status = 1;
        pid_t child;

        if (own->library != HS_LIBRARY_MPICH || !own->called)
            continue;
        child = fork();
        if (child == 0)
            _exit(differs(own, version == 5 ? own->number_of_5 : own->number));
        waitpid(child, &status, 0);
        same += status == 0;
    }
    printf("numbers %d\n", same);
    return 0;
}
