/*
 * Microseconds, as the constants are.
 */
#include "model/price_mpi.h"

#include <math.h>

#include "model/constants_mpi.h"

#define LINE_GBPS        25.0 /* of a node's NIC, on all three machines */
#define PER_NS           1e-3 /* us of a ns */
#define GRAIN_BYTES      32.0
#define RENDEZVOUS_BYTES 8192.0
#define SPREAD_LEVELS    6.0 /* log2 of the processes from which a job spreads out; one more, all */
#define MIB              1048576.0

const char *const hs_mpi_machine_names[HS_MPI_MACHINE_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_MPI_MACHINES(HS_ROW)
#undef HS_ROW
};

const char *const hs_mpi_algorithm_names[HS_MPI_ALGORITHM_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_MPI_ALGORITHMS(HS_ROW)
#undef HS_ROW
};

static const struct hs_constant rows[HS_MPI_K_COUNT] = {
#define HS_ROW(name, text, unit, prior, deviation, family, fitted, width, meaning)                 \
    {text, unit, prior, deviation, family, fitted, width, meaning},
    HS_MPI_CONSTANTS(HS_ROW)
#undef HS_ROW
};

struct pace {
    const struct hs_mpi_call *call;
    const double *k;
    double bytes, ranks, tasks, levels;
    bool block;    /* consecutive ranks share a node: part of the steps stay inside */
    double wire;   /* us per byte of one task of many on the NIC */
    double reduce; /* us per byte reduced */
};

/* Halves of a reduce-scatter, an allgather, an allreduce. */
struct halves {
    double gather, reduce; /* us */
};

static double of_machine(const struct pace *p, enum hs_mpi_constant first)
{
    return p->k[first + p->call->machine];
}

static double step_us(const struct pace *p, double bytes)
{
    double spread = fmin(1, fmax(0, log2(p->ranks) - SPREAD_LEVELS));
    double us = of_machine(p, HS_MPI_K_STEP_LEONARDO) * (1 + p->k[HS_MPI_K_SPREAD] * spread);

    us *= 1 + p->k[HS_MPI_K_GRAIN] * log2(1 + bytes / GRAIN_BYTES);
    return us + (bytes > RENDEZVOUS_BYTES ? p->k[HS_MPI_K_RENDEZVOUS] : 0);
}

/* Alone on the NIC. */
static double wire_us(const struct pace *p)
{
    return PER_NS / (LINE_GBPS * of_machine(p, HS_MPI_K_RATE_LEONARDO));
}

/* A ring's pieces are small: memory adds a part only. */
static double reduce_us(const struct pace *p)
{
    double part = p->call->algorithm == HS_MPI_RING ? fmin(p->k[HS_MPI_K_STREAM], 1) : 1;
    double beyond = 1 / (1 + pow(p->k[HS_MPI_K_CACHE] * MIB / p->bytes, 3));
    double memory = 1 + (of_machine(p, HS_MPI_K_MEMORY_LEONARDO) - 1) * beyond * part;

    return of_machine(p, HS_MPI_K_REDUCE_LEONARDO) * PER_NS * memory *
           pow(p->tasks, p->k[HS_MPI_K_SHARING] / 2);
}

static struct pace pace_of(const struct hs_mpi_call *call, const double *values)
{
    struct pace p = {.call = call,
                     .k = values,
                     .bytes = call->bytes,
                     .ranks = (double)call->ranks,
                     .tasks = (double)call->tasks,
                     .levels = floor(log2((double)call->ranks)),
                     .block = call->tasks > 1 && !call->by_node};

    p.wire = wire_us(&p) * pow(p.tasks, p.k[HS_MPI_K_SHARING]);
    p.reduce = reduce_us(&p);
    return p;
}

static struct halves ring_us(const struct pace *p)
{
    double piece = p->bytes / p->ranks, step = step_us(p, piece), wire = p->wire;

    if (p->block) { /* of a node's hops one leaves it */
        step *= 1 / p->tasks + (1 - 1 / p->tasks) * p->k[HS_MPI_K_INSIDE];
        wire = wire_us(p);
    }
    return (struct halves){.gather = (p->ranks - 1) * (step + piece * wire),
                           .reduce = (p->ranks - 1) * (step + piece * (wire + p->reduce))};
}

/* A step with a partner far away, who waits, too. */
static double far_us(const struct pace *p, double bytes)
{
    return step_us(p, bytes) * of_machine(p, HS_MPI_K_FAR_LEONARDO);
}

/* Ranks beyond a power of two hand their data over first and get the result last (textbook: no
 * published time that this was fitted to has them). */
static struct halves fold_us(const struct pace *p)
{
    double us = far_us(p, p->bytes) + p->bytes * p->wire;

    if (p->ranks <= exp2(p->levels))
        return (struct halves){0, 0};
    return (struct halves){.gather = us, .reduce = us + p->bytes * p->reduce};
}

static struct halves halving_us(const struct pace *p)
{
    struct halves us = fold_us(p);

    for (int level = 1; level <= (int)p->levels; level++) {
        double bytes = p->bytes / exp2(level), step = far_us(p, bytes);

        if (p->block && level > p->levels - log2(p->tasks))
            step *= p->k[HS_MPI_K_INSIDE];
        us.gather += step + bytes * p->wire;
        us.reduce += step + bytes * (p->wire + p->reduce);
    }
    return us;
}

static double doubling_us(const struct pace *p)
{
    struct halves fold = fold_us(p);

    return p->levels * (far_us(p, p->bytes) + p->bytes * (p->wire + p->reduce)) + fold.gather +
           fold.reduce;
}

static double seconds_of(const void *call, const double *values)
{
    struct pace p = pace_of(call, values);
    struct halves us = p.call->algorithm == HS_MPI_RING ? ring_us(&p) : halving_us(&p);
    double copy = p.k[HS_MPI_K_COPY] * p.reduce * p.bytes;

    if (p.call->kind == HS_CALL_ALLGATHER)
        return us.gather * 1e-6;
    if (p.call->kind == HS_CALL_REDUCE_SCATTER)
        return (us.reduce + copy) * 1e-6;
    if (p.call->algorithm == HS_MPI_DOUBLING)
        return (doubling_us(&p) + copy) * 1e-6;
    return (us.reduce + us.gather + copy) * 1e-6;
}

const struct hs_price_model hs_mpi_price_model = {
    .constants = rows, .count = HS_MPI_K_COUNT, .scatter = 0.2, .seconds = seconds_of};

double hs_mpi_deviation(const struct hs_mpi_call *call, const double *values, double doubt)
{
    double noise = hs_mpi_price_model.scatter;

    return sqrt(hs_constants_variance(&hs_mpi_price_model, call, values, doubt) + noise * noise);
}
