/* What an exported configuration does to a program: times of an AllReduce, by MPI_Allreduce or by
 * layers, or of another of the library's calls.
 *
 *     clients PLAN:BYTES:RUNS...      PLAN: 2x4, a communicator per layer; "-", MPI_Allreduce of
 *         the world; or its allreduce, allgather, reduce-scatter (the block one), all-to-all
 *
 * Rank 0 prints, for each, BYTES and the median in seconds of the runs' slowest ranks, after one
 * run that is not counted. Built with either MPI; nothing of hiersearch is in it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYERS_MAX 16

struct layer {
    MPI_Comm comm;
    int size;
    int *parts;  /* [size] elements that each process keeps */
    float *mine; /* what this one keeps */
};

struct plan {
    struct layer layers[LAYERS_MAX];
    int count;        /* 0: the library's default call */
    const char *call; /* as in the task */
};

static void *get(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);

    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

static void make_plan(struct plan *plan, const char *text, int elements)
{
    int rank, stride = 1;

    plan->count = 0;
    plan->call = text;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (*text >= '0' && *text <= '9' && plan->count < LAYERS_MAX) {
        struct layer *layer = &plan->layers[plan->count++];
        char *end;

        layer->size = (int)strtol(text, &end, 10);
        MPI_Comm_split(MPI_COMM_WORLD, rank / (stride * layer->size) * stride + rank % stride,
                       rank / stride % layer->size, &layer->comm);
        layer->parts = get((size_t)layer->size * sizeof(*layer->parts));
        for (int i = 0; i < layer->size; i++)
            layer->parts[i] = elements / layer->size;
        layer->mine = get((size_t)elements * sizeof(float));
        elements /= layer->size;
        stride *= layer->size;
        text = *end == 'x' ? end + 1 : end;
    }
}

static void release(struct plan *plan)
{
    for (int i = 0; i < plan->count; i++) {
        MPI_Comm_free(&plan->layers[i].comm);
        free(plan->layers[i].parts);
        free(plan->layers[i].mine);
    }
}

/* Reduce-scatters, an allreduce, allgathers, in place of `data`. */
static void reduce_layers(const struct plan *plan, float *data, int elements)
{
    const struct layer *last = &plan->layers[plan->count - 1];
    float *from = data;

    for (const struct layer *layer = plan->layers; layer < last; layer++) {
        MPI_Reduce_scatter(from, layer->mine, layer->parts, MPI_FLOAT, MPI_SUM, layer->comm);
        from = layer->mine;
        elements /= layer->size;
    }
    MPI_Allreduce(from, last->mine, elements, MPI_FLOAT, MPI_SUM, last->comm);
    memcpy(from, last->mine, (size_t)elements * sizeof(float));
    for (int i = plan->count - 2; i >= 0; i--) {
        const struct layer *layer = &plan->layers[i];
        float *to = i > 0 ? plan->layers[i - 1].mine : data;

        MPI_Allgather(layer->mine, elements, MPI_FLOAT, to, elements, MPI_FLOAT, layer->comm);
        elements *= layer->size;
    }
}

static void call_library(const char *call, float *data, float *out, int elements)
{
    int np, part;

    MPI_Comm_size(MPI_COMM_WORLD, &np);
    part = elements / np;
    if (strncmp(call, "allgather", 9) == 0)
        MPI_Allgather(data, part, MPI_FLOAT, out, part, MPI_FLOAT, MPI_COMM_WORLD);
    else if (strncmp(call, "reduce-scatter", 14) == 0)
        MPI_Reduce_scatter_block(data, out, part, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else if (strncmp(call, "all-to-all", 10) == 0)
        MPI_Alltoall(data, part, MPI_FLOAT, out, part, MPI_FLOAT, MPI_COMM_WORLD);
    else
        MPI_Allreduce(data, out, elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static double time_once(const struct plan *plan, float *data, float *out, int elements)
{
    double seconds, slowest;

    MPI_Barrier(MPI_COMM_WORLD);
    seconds = -MPI_Wtime();
    if (plan->count == 0)
        call_library(plan->call, data, out, elements);
    else
        reduce_layers(plan, data, elements);
    seconds += MPI_Wtime();
    MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void time_task(const char *task)
{
    int rank, np, runs, elements;
    long bytes;
    const char *rest = strchr(task, ':');
    struct plan plan;
    float *data, *out;
    double *seconds;

    if (!rest || sscanf(rest, ":%ld:%d", &bytes, &runs) != 2 || runs < 1)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    elements = (int)(bytes / (long)sizeof(float)) / np * np;
    data = get((size_t)elements * sizeof(*data));
    out = get((size_t)elements * sizeof(*out));
    seconds = get((size_t)runs * sizeof(*seconds));
    make_plan(&plan, task, elements);
    time_once(&plan, data, out, elements);
    for (int i = 0; i < runs; i++)
        seconds[i] = time_once(&plan, data, out, elements);
    qsort(seconds, (size_t)runs, sizeof(*seconds), compare);
    if (rank == 0)
        printf("%ld %.9g\n", bytes, seconds[runs / 2]);
    release(&plan);
    free(seconds);
    free(out);
    free(data);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 1; i < argc; i++)
        time_task(argv[i]);
    MPI_Finalize();
    return 0;
}
