/*
 * nccl_calls.c - what a call of NCCL costs the host behind libhiersearch-nccl.so, without a GPU: a
 * program, an NCCL that does nothing (-DLIBRARY), and a driver of CUDA that does nothing
 * (-DDRIVER).
 *
 *     nccl_calls allreduce|reduce-scatter|allgather ROUNDS CALLS
 *
 * Prints the seconds of a call, a round a line. $BENCH_SIZES: "4,2": of what is split off, in turn.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "apply/nccl_abi.h"
#include "apply/nccl_driver.h"

enum { RANKS = 8 };

#define PROTOTYPE(name, parameters, ...) hs_nccl_result name parameters;
HS_NCCL_PLANNED(PROTOTYPE)
PROTOTYPE(ncclCommInitRank, (hs_nccl_comm * made, int ranks, hs_nccl_id id, int rank))
HS_NCCL_USED(PROTOTYPE)

#if defined(DRIVER)
#define ROW(name, hip, field, parameters)   int name parameters;
#define ROW_OF_ONE(name, field, parameters) int name parameters;
HS_NCCL_DRIVER(ROW)
HS_NCCL_DRIVER_CUDA(ROW_OF_ONE)
#undef ROW
#undef ROW_OF_ONE

int cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    *event = malloc(1);
    return 0;
}

int cuEventDestroy_v2(void *event)
{
    free(event);
    return 0;
}

int cuEventElapsedTime(float *milliseconds, void *from, void *to)
{
    (void)from, (void)to;
    *milliseconds = 1;
    return 0;
}

int cuStreamCreate(hs_nccl_stream *stream, unsigned flags)
{
    (void)flags;
    *stream = malloc(1);
    return 0;
}

int cuStreamDestroy_v2(hs_nccl_stream stream)
{
    free(stream);
    return 0;
}

int cuStreamIsCapturing(hs_nccl_stream stream, int *status)
{
    (void)stream;
    *status = 0;
    return 0;
}

int cuMemAlloc_v2(uintptr_t *memory, size_t bytes)
{
    *memory = (uintptr_t)malloc(bytes);
    return 0;
}

int cuMemFree_v2(uintptr_t memory)
{
    free((void *)memory);
    return 0;
}

int cuMemGetInfo_v2(size_t *left, size_t *all)
{
    *left = *all = 1;
    return 0;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    *memory = malloc(bytes);
    return 0;
}

int cuMemFreeHost(void *memory)
{
    free(memory);
    return 0;
}

/* What ranks tell each other has to get there; the program's buffers are never touched. */
int cuMemcpyAsync(uintptr_t to, uintptr_t from, size_t bytes, hs_nccl_stream stream)
{
    (void)stream;
    memcpy((void *)to, (const void *)from, bytes);
    return 0;
}

#define NOTHING(name, parameters, unused)                                                          \
    int name parameters                                                                            \
    {                                                                                              \
        unused return 0;                                                                           \
    }
NOTHING(cuEventQuery, (void *event), (void)event;)
NOTHING(cuEventRecord, (void *event, hs_nccl_stream stream), (void)event; (void)stream;)
NOTHING(cuStreamWaitEvent, (hs_nccl_stream stream, void *event, unsigned flags), (void)stream;
        (void)event; (void)flags;)
NOTHING(cuThreadExchangeStreamCaptureMode, (int *mode), (void)mode;)
NOTHING(cuMemcpy2DAsync_v2, (const struct hs_nccl_rows *rows, hs_nccl_stream stream), (void)rows;
        (void)stream;)

#elif defined(LIBRARY)

struct ncclComm {
    int size;
};

static hs_nccl_result make(hs_nccl_comm *made, int size)
{
    *made = malloc(sizeof(**made));
    (*made)->size = size;
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclCommInitRank(hs_nccl_comm *made, int ranks, hs_nccl_id id, int rank)
{
    (void)id, (void)rank;
    return make(made, ranks);
}

hs_nccl_result ncclCommSplit(hs_nccl_comm comm, int color, int key, hs_nccl_comm *made,
                             hs_nccl_config *config)
{
    static const char *sizes;

    (void)comm, (void)color, (void)key, (void)config;
    sizes = sizes ? strchr(sizes, ',') + 1 : getenv("BENCH_SIZES");
    return make(made, atoi(sizes));
}

hs_nccl_result ncclGetVersion(int *version)
{
    *version = 22809;
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclCommCount(hs_nccl_comm comm, int *count)
{
    *count = comm->size;
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclCommUserRank(hs_nccl_comm comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclCommGetAsyncError(hs_nccl_comm comm, hs_nccl_result *state)
{
    (void)comm;
    *state = HS_NCCL_SUCCESS;
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclCommDestroy(hs_nccl_comm comm)
{
    free(comm);
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclCommAbort(hs_nccl_comm comm)
{
    return ncclCommDestroy(comm);
}

hs_nccl_result ncclCommFinalize(hs_nccl_comm comm)
{
    (void)comm;
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclGroupStart(void)
{
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclGroupEnd(void)
{
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclRedOpCreatePreMulSum(hs_nccl_operation *made, void *scalar, hs_nccl_type type,
                                        hs_nccl_residence residence, hs_nccl_comm comm)
{
    (void)scalar, (void)type, (void)residence, (void)comm;
    *made = 5;
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclAllReduce(HS_NCCL_REDUCED, HS_NCCL_WHERE)
{
    (void)from, (void)to, (void)count, (void)type, (void)operation, (void)comm, (void)stream;
    return HS_NCCL_SUCCESS;
}

hs_nccl_result ncclReduceScatter(HS_NCCL_REDUCED, HS_NCCL_WHERE)
{
    (void)from, (void)to, (void)count, (void)type, (void)operation, (void)comm, (void)stream;
    return HS_NCCL_SUCCESS;
}

/* All ranks tell the same as this one: of few elements alone. */
hs_nccl_result ncclAllGather(HS_NCCL_MOVED, HS_NCCL_WHERE)
{
    (void)type, (void)stream;
    for (int rank = 0; count <= 8 && rank < comm->size; rank++)
        memcpy((char *)to + (size_t)rank * count * 8, from, count * 8);
    return HS_NCCL_SUCCESS;
}

#else

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    const size_t count = (size_t)1 << 18;
    char *const from = malloc(1), *const to = malloc(1); /* addresses alone */
    hs_nccl_id id = {{0}};
    hs_nccl_comm comm;

    if (argc != 4 || ncclCommInitRank(&comm, RANKS, id, 0) != HS_NCCL_SUCCESS)
        return 2;
    for (int round = atoi(argv[2]); round > 0; round--) {
        const int calls = atoi(argv[3]);
        double began = now();

        for (int i = 0; i < calls; i++) {
            hs_nccl_result result =
                argv[1][0] == 'r' ? ncclReduceScatter(from, to, count / RANKS, 7, 0, comm, NULL)
                : argv[1][2] == 'l' && argv[1][3] == 'r'
                    ? ncclAllReduce(from, to, count, 7, 0, comm, NULL)
                    : ncclAllGather(from, to, count / RANKS, 7, comm, NULL);

            if (result != HS_NCCL_SUCCESS)
                return 3;
        }
        printf("%.3e\n", (now() - began) / calls);
    }
    return ncclCommDestroy(comm);
}
#endif
