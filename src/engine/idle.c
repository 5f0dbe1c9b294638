/* idle.c - see idle.h. */
#include "engine/idle.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "engine/mpi_status.h"

/* Empty looks before a rank gives up its turn though it has a core: others may run on the machine.
 */
#define PATIENCE 2000u

/* What a rank tells the others. */
struct presence {
    uint64_t machine; /* hash of what identifies the running kernel */
    cpu_set_t cores;  /* that this rank may use */
};

static uint64_t machine_hash(void)
{
    char name[256] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file != NULL) {
        if (fgets(name, sizeof name, file) == NULL)
            name[0] = '\0';
        fclose(file);
    }
    if (name[0] == '\0' && gethostname(name, sizeof name - 1) != 0)
        name[0] = '\0';
    return hs_hash(name, strlen(name));
}

static void count_here(struct hs_idle *idle, const struct presence *ranks, int np, uint64_t machine)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    for (int i = 0; i < np; i++) {
        if (ranks[i].machine != machine)
            continue;
        idle->ranks_here++;
        CPU_OR(&cores, &cores, &ranks[i].cores);
    }
    idle->cores_here = CPU_COUNT(&cores);
    if (idle->cores_here == 0) /* more than 1024 cores do not fit the set */
        idle->cores_here = (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Everybody's presence, in turn. */
static enum hs_status gather(struct hs_idle *idle, const struct presence *mine,
                             struct presence *ranks, MPI_Comm world, struct hs_error *err)
{
    MPI_Request request;
    int bytes = (int)sizeof *mine;
    enum hs_status status =
        HS_MPI(MPI_Iallgather(mine, bytes, MPI_BYTE, ranks, bytes, MPI_BYTE, world, &request), err);

    return status == HS_OK ? hs_idle_wait(idle, &request, err) : status;
}

enum hs_status hs_idle_init(struct hs_idle *idle, MPI_Comm world, struct hs_error *err)
{
    struct presence mine, *ranks;
    int np;
    enum hs_status status = HS_MPI(MPI_Comm_size(world, &np), err);

    *idle = (struct hs_idle){.oversubscribed = true}; /* until it is known */
    if (status != HS_OK)
        return status;
    memset(&mine, 0, sizeof mine);
    mine.machine = machine_hash();
    if (sched_getaffinity(0, sizeof mine.cores, &mine.cores) != 0)
        CPU_ZERO(&mine.cores);
    ranks = calloc((size_t)np, sizeof *ranks);
    if (ranks == NULL)
        return hs_fail(err, HS_MEMORY, "out of memory for the cores of %d ranks", np);
    status = gather(idle, &mine, ranks, world, err);
    if (status == HS_OK) {
        count_here(idle, ranks, np, mine.machine);
        idle->oversubscribed = idle->ranks_here > idle->cores_here;
    }
    free(ranks);
    return status;
}

void hs_idle_looked(struct hs_idle *idle, bool moved)
{
    if (moved) {
        idle->empty_looks = 0;
        return;
    }
    idle->empty_looks++;
    if (idle->oversubscribed || idle->empty_looks >= PATIENCE)
        sched_yield();
}

enum hs_status hs_idle_wait(struct hs_idle *idle, MPI_Request *request, struct hs_error *err)
{
    int code = MPI_SUCCESS, done = 0;

    while (code == MPI_SUCCESS && !done) {
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        hs_idle_looked(idle, done != 0);
    }
    return hs_mpi_status(code, "MPI_Test", err);
}

enum hs_status hs_idle_barrier(struct hs_idle *idle, MPI_Comm comm, struct hs_error *err)
{
    MPI_Request request;
    enum hs_status status = HS_MPI(MPI_Ibarrier(comm, &request), err);

    return status == HS_OK ? hs_idle_wait(idle, &request, err) : status;
}
