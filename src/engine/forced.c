#include "engine/forced.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/mpi_status.h"
#include "library/mpi_own.h"

struct hs_forced_comm {
    int algorithm;
    MPI_Comm like, comm;
};

#if defined(OPEN_MPI)
#define LIBRARY HS_LIBRARY_OPENMPI
#define BEFORE  "coll_tuned_"
#define CHOICE  "_algorithm"
#define OTHER   "_algorithm_segmentsize"
#define IN_CALL false
#elif defined(MPICH_VERSION)
#define LIBRARY HS_LIBRARY_MPICH
#define BEFORE  "MPIR_CVAR_"
#define CHOICE  "_INTRA_ALGORITHM"
#define OTHER   "_DEVICE_COLLECTIVE"
#define IN_CALL true
#endif

#ifdef LIBRARY
static bool open_variable(MPI_T_cvar_handle *handle, int *value, const char *call, const char *of)
{
    char name[128];
    int index, count;

    snprintf(name, sizeof(name), BEFORE "%s%s", call, of);
    for (char *at = strstr(name, "MPIR_"); at && *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS &&
           MPI_T_cvar_handle_alloc(index, NULL, handle, &count) == MPI_SUCCESS &&
           MPI_T_cvar_read(*handle, value) == MPI_SUCCESS;
}
#endif

#if defined(OPEN_MPI)
/* All have the same numbers. */
static int version(void)
{
    return 4;
}

/* Whether it was told so before MPI_Init. */
static bool is_told(void)
{
    MPI_T_cvar_handle dynamic;
    int value = 0;

    return open_variable(&dynamic, &value, "use_dynamic_rules", "") && value != 0;
}
#elif defined(MPICH_VERSION)
/* 4 and 5 of the versions whose numbers are known, 4.0 and 5.0; else 0. */
static int version(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "", *end;
    int length;
    long major, minor = -1;

    MPI_Get_library_version(text, &length);
    if (strncmp(text, "MPICH Version:", 14) != 0)
        return 0;
    major = strtol(text + 14, &end, 10);
    if (*end == '.')
        minor = strtol(end + 1, NULL, 10);
    return (major == 4 || major == 5) && minor == 0 ? (int)major : 0;
}

static bool is_told(void)
{
    return version() != 0;
}
#endif

#ifdef LIBRARY
/* Of each collective the algorithm, and its segment or whether the device chooses. */
struct variables {
    MPI_T_cvar_handle choice, other;
    int choice_value, other_value; /* as they were */
    bool looked, found;
};

/* Handles stay open as long as the process. */
static struct variables *variables_of(int algorithm)
{
    static struct variables all[HS_COLLECTIVE_COUNT];
    struct variables *variables = &all[hs_mpi_own[algorithm].collective];
    const char *call = hs_mpi_own_calls[hs_mpi_own[algorithm].collective];
    int provided;

    if (!variables->looked) {
        variables->looked = true;
        variables->found =
            MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS && is_told() &&
            open_variable(&variables->choice, &variables->choice_value, call, CHOICE) &&
            open_variable(&variables->other, &variables->other_value, call, OTHER);
    }
    return variables->found ? variables : NULL;
}

/* Whether it could. */
static bool turn(int algorithm, bool on)
{
    const struct hs_mpi_own *own = &hs_mpi_own[algorithm];
    struct variables *variables = own->library == LIBRARY ? variables_of(algorithm) : NULL;
    int number = version() == 5 ? own->number_of_5 : own->number;
    int other = (int)own->segment_bytes;

    if (!variables)
        return false;
    return MPI_T_cvar_write(variables->choice, on ? &number : &variables->choice_value) ==
               MPI_SUCCESS &&
           MPI_T_cvar_write(variables->other, on ? &other : &variables->other_value) == MPI_SUCCESS;
}
#else
#define IN_CALL false

static bool turn(int algorithm, bool on)
{
    (void)algorithm;
    (void)on;
    return false;
}
#endif

void hs_forced_allow(void)
{
    setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);
}

bool hs_forced_has(int algorithm)
{
    return turn(algorithm, true) && turn(algorithm, false);
}

enum hs_status hs_forced_get(MPI_Comm *comm, struct hs_forced *forced, int algorithm, MPI_Comm like,
                             struct hs_layer_comms *comms, struct hs_error *err)
{
    enum hs_status status;
    struct hs_forced_comm *made;

    for (size_t i = 0; i < forced->count; i++)
        if (forced->comms[i].algorithm == algorithm && forced->comms[i].like == like) {
            *comm = forced->comms[i].comm;
            return HS_OK;
        }
    made = hs_grow(&forced->comms, NULL, forced->count, sizeof(*made), err);
    status = hs_agree(comms->world, &comms->idle, made ? HS_OK : HS_MEMORY, err);
    if (status != HS_OK || !made)
        return status;
    turn(algorithm, true);
    status = HS_MPI(MPI_Comm_dup(like, comm), err);
    turn(algorithm, false);
    if (status == HS_OK) {
        *made = (struct hs_forced_comm){algorithm, like, *comm};
        forced->count++;
    }
    return status;
}

void hs_forced_call(int algorithm, bool begins)
{
    if (IN_CALL)
        turn(algorithm, begins);
}

void hs_forced_release(struct hs_forced *forced)
{
    for (size_t i = 0; i < forced->count; i++)
        (void)MPI_Comm_free(&forced->comms[i].comm);
    free(forced->comms);
    *forced = (struct hs_forced){0};
}
