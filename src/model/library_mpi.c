#include "model/library_mpi.h"

#define COUNT_OF(list) (sizeof(list) / sizeof(*(list)))
#define KIB            1024.0

/* MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE */
#define MPICH_SHORT 2048.0

int64_t hs_mpi_power_of_two(int64_t ranks)
{
    int64_t power = 1;

    while (2 * power <= ranks)
        power *= 2;
    return power;
}

static struct hs_mpi_choice mpich_choice(int64_t ranks, int64_t tasks, double bytes,
                                         double elements)
{
    struct hs_mpi_choice choice = {.in_nodes = tasks > 1 && tasks < ranks};

    if (choice.in_nodes)
        ranks = (ranks + tasks - 1) / tasks;
    choice.algorithm = bytes <= MPICH_SHORT || elements < (double)hs_mpi_power_of_two(ranks)
                           ? HS_MPI_DOUBLING
                           : HS_MPI_HALVING;
    return choice;
}

/* coll_tuned_decision_fixed.c: for fewer ranks, messages of fewer bytes. A segmented ring has one
 * segment there: a ring. */
static const struct {
    int64_t ranks;
    double bytes;
    enum hs_mpi_algorithm algorithm;
} tuned[] = {
    {4, 8, HS_MPI_RING},
    {4, 4 * KIB, HS_MPI_DOUBLING},
    {4, 8 * KIB, HS_MPI_RING},
    {4, 16 * KIB, HS_MPI_DOUBLING},
    {4, 256 * KIB, HS_MPI_RING},
    {4, INFINITY, HS_MPI_HALVING},
    {8, 16, HS_MPI_RING},
    {16, 8 * KIB, HS_MPI_DOUBLING},
    {16, INFINITY, HS_MPI_HALVING},
    {32, 64, HS_MPI_RING},
    {32, 4 * KIB, HS_MPI_DOUBLING},
    {32, INFINITY, HS_MPI_HALVING},
    {64, 128, HS_MPI_RING},
    {64, INFINITY, HS_MPI_HALVING},
    {128, 256 * KIB, HS_MPI_DOUBLING},
    {128, INFINITY, HS_MPI_HALVING},
    {256, 128 * KIB, HS_MPI_TREE},
    {256, 256 * KIB, HS_MPI_DOUBLING},
    {256, INFINITY, HS_MPI_HALVING},
    {512, 4 * KIB, HS_MPI_TREE},
    {512, INFINITY, HS_MPI_HALVING},
    {INT64_MAX, 2 * KIB, HS_MPI_TREE},
    {2048, 16 * KIB, HS_MPI_DOUBLING},
    {2048, INFINITY, HS_MPI_HALVING},
    {4096, 4 * KIB, HS_MPI_RING},
    {4096, 16 * KIB, HS_MPI_DOUBLING},
    {4096, INFINITY, HS_MPI_HALVING},
    {INT64_MAX, 16 * KIB, HS_MPI_RING},
    {INT64_MAX, 32 * KIB, HS_MPI_DOUBLING},
    {INT64_MAX, INFINITY, HS_MPI_HALVING},
};

/* A ring needs an element per rank, and is recursive doubling without. */
static struct hs_mpi_choice openmpi_choice(int64_t ranks, double bytes, double elements)
{
    size_t i = 0;

    while (i + 1 < COUNT_OF(tuned) && (ranks >= tuned[i].ranks || bytes >= tuned[i].bytes))
        i++;
    if (tuned[i].algorithm == HS_MPI_RING && elements < (double)ranks)
        return (struct hs_mpi_choice){HS_MPI_DOUBLING, false};
    return (struct hs_mpi_choice){tuned[i].algorithm, false};
}

struct hs_mpi_choice hs_mpi_choose(enum hs_library library, int64_t ranks, int64_t tasks,
                                   double bytes, double elements)
{
    return library == HS_LIBRARY_MPICH ? mpich_choice(ranks, tasks, bytes, elements)
                                       : openmpi_choice(ranks, bytes, elements);
}

/* MPIR_CVAR_ALLGATHER_SHORT_MSG_SIZE, MPIR_CVAR_ALLGATHER_LONG_MSG_SIZE and
 * MPIR_CVAR_REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE */
#define GATHER_SHORT (80 * KIB)
#define GATHER_LONG  (512 * KIB)
#define SCATTER_LONG (512 * KIB)

static enum hs_mpi_steps mpich_steps(enum hs_phase phase, int64_t ranks, double bytes,
                                     double elements)
{
    if (phase == HS_REDUCE_SCATTER)
        return bytes < SCATTER_LONG ? HS_MPI_STEPS_FAR : HS_MPI_STEPS_PAIRWISE;
    if (phase == HS_ALLREDUCE)
        return mpich_choice(ranks, 1, bytes, elements).algorithm == HS_MPI_DOUBLING
                   ? HS_MPI_STEPS_DOUBLING
                   : HS_MPI_STEPS_HALVING;
    if (bytes < GATHER_LONG && hs_mpi_power_of_two(ranks) == ranks)
        return HS_MPI_STEPS_FAR;
    return bytes < GATHER_SHORT ? HS_MPI_STEPS_BRUCK : HS_MPI_STEPS_RING;
}

/* coll/libnbc: nbc_ireduce_scatter_block.c, nbc_iallgather.c, nbc_iallreduce.c. */
#define NBC_SHORT (64 * KIB)

static enum hs_mpi_steps openmpi_steps(enum hs_phase phase, int64_t ranks, double bytes,
                                       double elements, bool in_place)
{
    if (phase == HS_REDUCE_SCATTER)
        return HS_MPI_STEPS_TREE_SCATTER;
    if (phase == HS_ALLGATHER)
        return HS_MPI_STEPS_LINEAR;
    if (ranks < 4 || bytes < NBC_SHORT || in_place)
        return HS_MPI_STEPS_TREE;
    return elements < (double)hs_mpi_power_of_two(ranks) ? HS_MPI_STEPS_RINGS
                                                         : HS_MPI_STEPS_HALVING;
}

enum hs_mpi_steps hs_mpi_steps(enum hs_library library, enum hs_phase phase, int64_t ranks,
                               double bytes, double elements, bool in_place)
{
    return library == HS_LIBRARY_MPICH ? mpich_steps(phase, ranks, bytes, elements)
                                       : openmpi_steps(phase, ranks, bytes, elements, in_place);
}

const char *hs_mpi_choice_text(struct hs_mpi_choice choice)
{
    static const char *const texts[HS_MPI_ALGORITHM_COUNT][2] = {
        [HS_MPI_RING] = {"ring", "ring, nodes first"},
        [HS_MPI_HALVING] = {"Rabenseifner", "Rabenseifner, nodes first"},
        [HS_MPI_DOUBLING] = {"recursive doubling", "recursive doubling, nodes first"},
        [HS_MPI_TREE] = {"reduce and broadcast", "reduce and broadcast, nodes first"},
    };

    return texts[choice.algorithm][choice.in_nodes];
}
