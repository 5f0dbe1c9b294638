#include "library/library_mpi.h"

#include <math.h>

const char *const hs_mpi_algorithm_names[HS_MPI_ALGORITHM_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_MPI_ALGORITHMS(HS_ROW)
#undef HS_ROW
};

#define COUNT_OF(list) (sizeof(list) / sizeof(*(list)))
#define KIB            1024.0

/* MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE */
#define MPICH_SHORT 2048.0
/* MPIR_CVAR_ALLGATHER_SHORT_MSG_SIZE, MPIR_CVAR_ALLGATHER_LONG_MSG_SIZE and
 * MPIR_CVAR_REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE */
#define GATHER_SHORT (80 * KIB)
#define GATHER_LONG  (512 * KIB)
#define SCATTER_LONG (512 * KIB)
/* MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE, of so many ranks or more, and
 * MPIR_CVAR_ALLTOALL_MEDIUM_MSG_SIZE, both by a block; MPIR_CVAR_ALLTOALL_THROTTLE */
#define EXCHANGE_SHORT    256.0
#define EXCHANGE_RANKS    8
#define EXCHANGE_MEDIUM   (32 * KIB)
#define EXCHANGE_THROTTLE 32

int64_t hs_mpi_power_of_two(int64_t ranks)
{
    int64_t power = 1;

    while (2 * power <= ranks)
        power *= 2;
    return power;
}

static enum hs_mpi_algorithm mpich_exchange(int64_t ranks, double block)
{
    if (block <= EXCHANGE_SHORT && ranks >= EXCHANGE_RANKS)
        return HS_MPI_BRUCK;
    if (block <= EXCHANGE_MEDIUM)
        return HS_MPI_SCATTERED;
    return hs_mpi_power_of_two(ranks) == ranks ? HS_MPI_BITS : HS_MPI_PAIRWISE;
}

static enum hs_mpi_algorithm mpich_algorithm(enum hs_phase phase, int64_t ranks, double bytes,
                                             double elements)
{
    int64_t power = hs_mpi_power_of_two(ranks);

    if (phase == HS_EXCHANGE)
        return mpich_exchange(ranks, bytes / (double)ranks);
    if (phase == HS_REDUCE_SCATTER)
        return bytes < SCATTER_LONG ? HS_MPI_HALVING : HS_MPI_PAIRWISE;
    if (phase == HS_ALLREDUCE)
        return bytes <= MPICH_SHORT || elements < (double)power ? HS_MPI_DOUBLING : HS_MPI_HALVING;
    if (bytes < GATHER_LONG && power == ranks)
        return HS_MPI_HALVING;
    return bytes < GATHER_SHORT ? HS_MPI_BRUCK : HS_MPI_RING;
}

static struct hs_mpi_choice mpich_choice(enum hs_phase phase, int64_t ranks, int64_t tasks,
                                         double bytes, double elements)
{
    struct hs_mpi_choice choice = {.phase = phase,
                                   .in_nodes = phase == HS_ALLREDUCE && tasks > 1 && tasks < ranks};

    if (choice.in_nodes)
        ranks = (ranks + tasks - 1) / tasks;
    choice.algorithm = mpich_algorithm(phase, ranks, bytes, elements);
    return choice;
}

/* coll_tuned_decision_fixed.c: for fewer ranks, messages of fewer bytes. */
struct tuned_row {
    int64_t ranks;
    double bytes;
    enum hs_mpi_algorithm algorithm;
};

/* A segmented ring has one segment there: a ring. */
static const struct tuned_row tuned_allreduce[] = {
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

/* MPI_Reduce_scatter_block, by the bytes of a block. Its "basic linear" is a reduce, which goes by
 * a table of its own (of 4 to 7 ranks and long messages each to the root, else along a binomial
 * tree), and a scatter. */
static const struct tuned_row tuned_reduce_scatter_block[] = {
    {4, 4, HS_MPI_DOUBLING},
    {4, 8, HS_MPI_BUTTERFLY},
    {4, 16, HS_MPI_HALVING},
    {4, 128, HS_MPI_BUTTERFLY},
    {4, 256, HS_MPI_HALVING},
    {4, 4 * KIB, HS_MPI_BUTTERFLY},
    {4, 8 * KIB, HS_MPI_HALVING},
    {4, 128 * KIB, HS_MPI_BUTTERFLY},
    {4, INFINITY, HS_MPI_SCATTER},
    {8, 8, HS_MPI_HALVING},
    {8, 32, HS_MPI_DOUBLING},
    {8, 256, HS_MPI_BUTTERFLY},
    {8, 8 * KIB, HS_MPI_HALVING},
    {8, 16 * KIB, HS_MPI_BUTTERFLY},
    {8, 1024 * KIB, HS_MPI_HALVING},
    {8, INFINITY, HS_MPI_ROOT},
    {16, 4, HS_MPI_SCATTER},
    {16, 32, HS_MPI_HALVING},
    {16, 128, HS_MPI_BUTTERFLY},
    {16, 512 * KIB, HS_MPI_HALVING},
    {16, 4096 * KIB, HS_MPI_SCATTER},
    {16, INFINITY, HS_MPI_BUTTERFLY},
    {32, 32, HS_MPI_SCATTER},
    {32, 512 * KIB, HS_MPI_HALVING},
    {32, 2048 * KIB, HS_MPI_SCATTER},
    {32, 4096 * KIB, HS_MPI_HALVING},
    {32, INFINITY, HS_MPI_BUTTERFLY},
    {INT64_MAX, 4, HS_MPI_HALVING},
    {INT64_MAX, 16, HS_MPI_SCATTER},
    {INT64_MAX, 64 * KIB, HS_MPI_BUTTERFLY},
    {INT64_MAX, 256 * KIB, HS_MPI_SCATTER},
    {INT64_MAX, INFINITY, HS_MPI_BUTTERFLY},
};

/* MPI_Reduce_scatter, by all bytes. */
static const struct tuned_row tuned_reduce_scatter[] = {
    {4, 64 * KIB, HS_MPI_RING},
    {4, 128 * KIB, HS_MPI_BUTTERFLY},
    {4, INFINITY, HS_MPI_RING},
    {8, 8, HS_MPI_SCATTER},
    {8, 256 * KIB, HS_MPI_HALVING},
    {8, INFINITY, HS_MPI_RING},
    {32, 256 * KIB, HS_MPI_HALVING},
    {32, INFINITY, HS_MPI_RING},
    {64, 64, HS_MPI_SCATTER},
    {64, 2 * KIB, HS_MPI_HALVING},
    {64, 512 * KIB, HS_MPI_BUTTERFLY},
    {64, INFINITY, HS_MPI_RING},
    {128, 256, HS_MPI_SCATTER},
    {128, 512, HS_MPI_HALVING},
    {128, 2 * KIB, HS_MPI_BUTTERFLY},
    {128, 4 * KIB, HS_MPI_HALVING},
    {128, INFINITY, HS_MPI_BUTTERFLY},
    {256, 256, HS_MPI_SCATTER},
    {256, 512, HS_MPI_HALVING},
    {256, INFINITY, HS_MPI_BUTTERFLY},
    {512, 256, HS_MPI_SCATTER},
    {512, 1 * KIB, HS_MPI_HALVING},
    {512, INFINITY, HS_MPI_BUTTERFLY},
    {1024, 512, HS_MPI_SCATTER},
    {1024, 2 * KIB, HS_MPI_HALVING},
    {1024, 8 * KIB, HS_MPI_BUTTERFLY},
    {1024, 16 * KIB, HS_MPI_HALVING},
    {1024, INFINITY, HS_MPI_BUTTERFLY},
    {2048, 512, HS_MPI_SCATTER},
    {2048, 4 * KIB, HS_MPI_HALVING},
    {2048, 16 * KIB, HS_MPI_BUTTERFLY},
    {2048, 32 * KIB, HS_MPI_HALVING},
    {2048, INFINITY, HS_MPI_BUTTERFLY},
    {4096, 512, HS_MPI_SCATTER},
    {4096, 4 * KIB, HS_MPI_HALVING},
    {4096, INFINITY, HS_MPI_BUTTERFLY},
    {INT64_MAX, 1 * KIB, HS_MPI_SCATTER},
    {INT64_MAX, 8 * KIB, HS_MPI_HALVING},
    {INT64_MAX, INFINITY, HS_MPI_BUTTERFLY},
};

/* MPI_Allgather, by the bytes of a block. Recursive doubling is Bruck's where ranks are no power of
 * two, and neighbor exchange a ring where they are odd. */
static const struct tuned_row tuned_allgather[] = {
    {32, INFINITY, HS_MPI_HALVING},
    {64, 1 * KIB, HS_MPI_HALVING},
    {64, 64 * KIB, HS_MPI_NEIGHBOR},
    {64, INFINITY, HS_MPI_RING},
    {128, 512, HS_MPI_HALVING},
    {128, 64 * KIB, HS_MPI_NEIGHBOR},
    {128, INFINITY, HS_MPI_RING},
    {256, 512, HS_MPI_HALVING},
    {256, 128 * KIB, HS_MPI_NEIGHBOR},
    {256, 512 * KIB, HS_MPI_RING},
    {256, 1024 * KIB, HS_MPI_NEIGHBOR},
    {256, INFINITY, HS_MPI_RING},
    {512, 32, HS_MPI_HALVING},
    {512, 128, HS_MPI_BRUCK},
    {512, 1 * KIB, HS_MPI_HALVING},
    {512, 128 * KIB, HS_MPI_NEIGHBOR},
    {512, 512 * KIB, HS_MPI_RING},
    {512, 1024 * KIB, HS_MPI_NEIGHBOR},
    {512, INFINITY, HS_MPI_RING},
    {1024, 64, HS_MPI_HALVING},
    {1024, 256, HS_MPI_BRUCK},
    {1024, 2 * KIB, HS_MPI_HALVING},
    {1024, INFINITY, HS_MPI_NEIGHBOR},
    {2048, 4, HS_MPI_HALVING},
    {2048, 8, HS_MPI_BRUCK},
    {2048, 16, HS_MPI_HALVING},
    {2048, 32, HS_MPI_BRUCK},
    {2048, 256, HS_MPI_HALVING},
    {2048, 512, HS_MPI_BRUCK},
    {2048, 4 * KIB, HS_MPI_HALVING},
    {2048, INFINITY, HS_MPI_NEIGHBOR},
    {4096, 32, HS_MPI_BRUCK},
    {4096, 128, HS_MPI_HALVING},
    {4096, 512, HS_MPI_BRUCK},
    {4096, 4 * KIB, HS_MPI_HALVING},
    {4096, INFINITY, HS_MPI_NEIGHBOR},
    {INT64_MAX, 2, HS_MPI_HALVING},
    {INT64_MAX, 8, HS_MPI_BRUCK},
    {INT64_MAX, 16, HS_MPI_HALVING},
    {INT64_MAX, 512, HS_MPI_BRUCK},
    {INT64_MAX, 4 * KIB, HS_MPI_HALVING},
    {INT64_MAX, INFINITY, HS_MPI_NEIGHBOR},
};

/* MPI_Alltoall, by the bytes of a block. Between two ranks pairwise is the one swap that "two_proc"
 * is. What is linear with synchronous sends has all of them under way
 * (coll_tuned_alltoall_max_requests 0). */
static const struct tuned_row tuned_alltoall[] = {
    {3, 32 * KIB, HS_MPI_PAIRWISE},
    {3, 256 * KIB, HS_MPI_SYNC},
    {3, INFINITY, HS_MPI_PAIRWISE},
    {8, 8 * KIB, HS_MPI_SYNC},
    {8, 16 * KIB, HS_MPI_LINEAR},
    {8, 64 * KIB, HS_MPI_SYNC},
    {8, 512 * KIB, HS_MPI_LINEAR},
    {8, 1024 * KIB, HS_MPI_PAIRWISE},
    {8, INFINITY, HS_MPI_LINEAR},
    {16, 256 * KIB, HS_MPI_SYNC},
    {16, INFINITY, HS_MPI_LINEAR},
    {32, 4, HS_MPI_SYNC},
    {32, 512, HS_MPI_BRUCK},
    {32, 8 * KIB, HS_MPI_SYNC},
    {32, 32 * KIB, HS_MPI_LINEAR},
    {32, 256 * KIB, HS_MPI_SYNC},
    {32, 512 * KIB, HS_MPI_LINEAR},
    {32, INFINITY, HS_MPI_SYNC},
    {64, 512, HS_MPI_BRUCK},
    {64, 512 * KIB, HS_MPI_LINEAR},
    {64, INFINITY, HS_MPI_SYNC},
    {128, 1 * KIB, HS_MPI_BRUCK},
    {128, 2 * KIB, HS_MPI_LINEAR},
    {128, 4 * KIB, HS_MPI_SYNC},
    {128, 256 * KIB, HS_MPI_LINEAR},
    {128, INFINITY, HS_MPI_PAIRWISE},
    {256, 1 * KIB, HS_MPI_BRUCK},
    {256, 2 * KIB, HS_MPI_SYNC},
    {256, 256 * KIB, HS_MPI_LINEAR},
    {256, INFINITY, HS_MPI_PAIRWISE},
    {512, 1 * KIB, HS_MPI_BRUCK},
    {512, 8 * KIB, HS_MPI_SYNC},
    {512, 32 * KIB, HS_MPI_LINEAR},
    {512, INFINITY, HS_MPI_PAIRWISE},
    {1024, 512, HS_MPI_BRUCK},
    {1024, 8 * KIB, HS_MPI_SYNC},
    {1024, 16 * KIB, HS_MPI_LINEAR},
    {1024, 128 * KIB, HS_MPI_SYNC},
    {1024, 256 * KIB, HS_MPI_LINEAR},
    {1024, INFINITY, HS_MPI_PAIRWISE},
    {2048, 512, HS_MPI_BRUCK},
    {2048, 1 * KIB, HS_MPI_SYNC},
    {2048, 2 * KIB, HS_MPI_LINEAR},
    {2048, 16 * KIB, HS_MPI_SYNC},
    {2048, 256 * KIB, HS_MPI_LINEAR},
    {2048, INFINITY, HS_MPI_SYNC},
    {4096, 1 * KIB, HS_MPI_BRUCK},
    {4096, 4 * KIB, HS_MPI_SYNC},
    {4096, 8 * KIB, HS_MPI_LINEAR},
    {4096, 128 * KIB, HS_MPI_SYNC},
    {4096, INFINITY, HS_MPI_LINEAR},
    {INT64_MAX, 2 * KIB, HS_MPI_BRUCK},
    {INT64_MAX, 8 * KIB, HS_MPI_SYNC},
    {INT64_MAX, 16 * KIB, HS_MPI_LINEAR},
    {INT64_MAX, 32 * KIB, HS_MPI_SYNC},
    {INT64_MAX, 64 * KIB, HS_MPI_LINEAR},
    {INT64_MAX, INFINITY, HS_MPI_SYNC},
};

static enum hs_mpi_algorithm of_table(const struct tuned_row *row, int64_t ranks, double bytes)
{
    while (row->ranks < INT64_MAX || row->bytes < (double)INFINITY) {
        if (ranks < row->ranks && bytes < row->bytes)
            break;
        row++;
    }
    return row->algorithm;
}

/* A ring needs an element per rank, and is recursive doubling without. */
static enum hs_mpi_algorithm openmpi_algorithm(enum hs_phase phase, int64_t ranks, double bytes,
                                               double elements)
{
    double block = bytes / (double)ranks;
    enum hs_mpi_algorithm found;

    if (phase == HS_REDUCE_SCATTER)
        return of_table(tuned_reduce_scatter_block, ranks, block);
    if (phase == HS_EXCHANGE)
        return of_table(tuned_alltoall, ranks, block);
    found = of_table(phase == HS_ALLGATHER ? tuned_allgather : tuned_allreduce, ranks,
                     phase == HS_ALLGATHER ? block : bytes);
    if (phase == HS_ALLREDUCE)
        return found == HS_MPI_RING && elements < (double)ranks ? HS_MPI_DOUBLING : found;
    if (found == HS_MPI_HALVING && hs_mpi_power_of_two(ranks) != ranks)
        return HS_MPI_BRUCK;
    return found == HS_MPI_NEIGHBOR && ranks % 2 ? HS_MPI_RING : found;
}

struct hs_mpi_choice hs_mpi_choose(enum hs_library library, enum hs_phase phase, int64_t ranks,
                                   int64_t tasks, double bytes, double elements)
{
    bool in_nodes =
        library == HS_LIBRARY_OPENMPIHAN && phase == HS_ALLREDUCE && tasks > 1 && tasks < ranks;

    if (in_nodes)
        ranks = (ranks + tasks - 1) / tasks;
    if (hs_library_mpi_rule(library) == HS_LIBRARY_MPICH)
        return mpich_choice(phase, ranks, tasks, bytes, elements);
    return (struct hs_mpi_choice){phase, openmpi_algorithm(phase, ranks, bytes, elements),
                                  in_nodes};
}

/* Cray MPICH leaves recursive doubling at 16 KiB a rank (published times of 2 to 48 nodes of 32),
 * where MPICH's rule says 512 KiB of all ranks. */
#define SWITCH_KNOWN 4.0
#define SWITCH_OWN   16.0

struct hs_mpi_choice hs_mpi_choose_otherwise(enum hs_library library, enum hs_phase phase,
                                             int64_t ranks, int64_t tasks, double bytes,
                                             double elements)
{
    double far = hs_library_mpi_rule(library) == library ? SWITCH_KNOWN : SWITCH_OWN;
    struct hs_mpi_choice here = hs_mpi_choose(library, phase, ranks, tasks, bytes, elements);
    struct hs_mpi_choice above = hs_mpi_choose(library, phase, ranks, tasks, bytes * far, elements);

    if (above.algorithm != here.algorithm)
        return above;
    return hs_mpi_choose(library, phase, ranks, tasks, bytes / far, elements);
}

struct hs_mpi_choice hs_mpi_choose_counted(enum hs_library library, int64_t ranks, double bytes)
{
    if (hs_library_mpi_rule(library) == HS_LIBRARY_MPICH)
        return mpich_choice(HS_REDUCE_SCATTER, ranks, 1, bytes, bytes);
    return (struct hs_mpi_choice){HS_REDUCE_SCATTER, of_table(tuned_reduce_scatter, ranks, bytes),
                                  false};
}

/* coll/libnbc: nbc_ireduce_scatter_block.c, nbc_iallgather.c, nbc_iallreduce.c, nbc_ialltoall.c. */
#define NBC_SHORT (64 * KIB)

static enum hs_mpi_algorithm libnbc_algorithm(enum hs_phase phase, int64_t ranks, double bytes,
                                              double elements, bool in_place)
{
    if (phase == HS_REDUCE_SCATTER)
        return HS_MPI_SCATTER;
    if (phase == HS_ALLGATHER || phase == HS_EXCHANGE)
        return HS_MPI_LINEAR;
    if (ranks < 4 || bytes < NBC_SHORT || in_place)
        return HS_MPI_TREE;
    return elements < (double)hs_mpi_power_of_two(ranks) ? HS_MPI_RING : HS_MPI_HALVING;
}

enum hs_mpi_algorithm hs_mpi_nonblocking(enum hs_library library, enum hs_phase phase,
                                         int64_t ranks, double bytes, double elements,
                                         bool in_place)
{
    return hs_library_mpi_rule(library) == HS_LIBRARY_MPICH
               ? mpich_algorithm(phase, ranks, bytes, elements)
               : libnbc_algorithm(phase, ranks, bytes, elements, in_place);
}

double hs_mpi_waits(enum hs_mpi_algorithm algorithm, int64_t ranks)
{
    if (algorithm == HS_MPI_SCATTERED)
        return floor((double)(ranks - 1) / EXCHANGE_THROTTLE);
    return algorithm == HS_MPI_SYNC ? 1 : 0;
}

const char *hs_mpi_choice_text(struct hs_mpi_choice choice)
{
    static const char *const texts[HS_MPI_ALGORITHM_COUNT][2] = {
        [HS_MPI_RING] = {"ring", "ring, nodes first"},
        [HS_MPI_HALVING] = {"Rabenseifner", "Rabenseifner, nodes first"},
        [HS_MPI_DOUBLING] = {"recursive doubling", "recursive doubling, nodes first"},
        [HS_MPI_TREE] = {"reduce and broadcast", "reduce and broadcast, nodes first"},
        [HS_MPI_BRUCK] = {"Bruck", NULL},
        [HS_MPI_PAIRWISE] = {"pairwise exchange", NULL},
        [HS_MPI_LINEAR] = {"linear", NULL},
        [HS_MPI_SCATTER] = {"reduce and scatter", NULL},
        [HS_MPI_ROOT] = {"linear reduce and scatter", NULL},
        [HS_MPI_NEIGHBOR] = {"neighbor exchange", NULL},
        [HS_MPI_BUTTERFLY] = {"butterfly", NULL},
        [HS_MPI_BITS] = {"pairwise exchange by bits", NULL},
        [HS_MPI_SCATTERED] = {"scattered", NULL},
        [HS_MPI_SYNC] = {"linear, synchronous sends", NULL},
    };

    if (choice.algorithm == HS_MPI_HALVING && choice.phase != HS_ALLREDUCE)
        return choice.phase == HS_ALLGATHER ? "recursive doubling" : "recursive halving";
    return texts[choice.algorithm][choice.in_nodes];
}
