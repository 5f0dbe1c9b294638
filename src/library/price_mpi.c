/*
 * Microseconds, as the constants are.
 */
#include "library/price_mpi.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/statistics.h"
#include "library/limit.h"
#include "library/mpi_steps.h"
#include "library/price_nccl.h"
#include "library/price_plan.h"
#include "model/exchange.h"

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

struct pace {
    const struct hs_mpi_call *call;
    const double *k;
    double bytes, ranks, tasks, levels;
    double job;    /* ranks of all that run */
    bool together; /* as do all calls of its stride, on a system */
    bool block;    /* consecutive ranks share a node: part of the steps stay inside */
    double reduce; /* us per byte reduced */
};

/* What one step goes by. */
struct hop {
    double base_us, times; /* short message, neighbours; and where it is not between such */
    double wire;           /* us per byte */
    double eager_bytes, rendezvous_us;
};

/* Halves of a reduce-scatter, an allgather, an allreduce. */
struct halves {
    double gather, reduce; /* us */
};

static double of_machine(const struct pace *p, enum hs_mpi_constant first)
{
    return p->k[first + p->call->machine];
}

static double step_us(const struct pace *p, const struct hop *hop, double bytes)
{
    double spread = fmin(1, fmax(0, log2(p->job) - SPREAD_LEVELS));
    double us = hop->base_us * (1 + p->k[HS_MPI_K_SPREAD] * spread);

    us *= 1 + p->k[HS_MPI_K_GRAIN] * log2(1 + bytes / GRAIN_BYTES);
    return hop->times * (us + (bytes > hop->eager_bytes ? hop->rendezvous_us : 0));
}

static double stride_of(const struct pace *p)
{
    return p->call->stride > 1 ? (double)p->call->stride : 1;
}

/* Ranks of the system that the call, or all such calls, are spread over. */
static int64_t ranks_of(const struct pace *p)
{
    return p->call->at_once > 0 ? p->call->at_once : p->call->ranks * (int64_t)stride_of(p);
}

/* Of the innermost unit, those that take part. */
static int64_t busy_ranks(const struct pace *p)
{
    return hs_system_busy_children(p->call->system, 0, ranks_of(p),
                                   p->call->in_nodes ? p->call->tasks : 1);
}

/* ---- hops of one of the machines ------------------------------------------------------------- */

/* `shared`: with the other tasks of the node. */
static struct hop machine_hop(const struct pace *p, bool shared)
{
    double alone = PER_NS / (LINE_GBPS * of_machine(p, HS_MPI_K_RATE_LEONARDO));

    return (struct hop){.base_us = of_machine(p, HS_MPI_K_STEP_LEONARDO),
                        .times = 1,
                        .wire = shared ? alone * pow(p->tasks, p->k[HS_MPI_K_SHARING]) : alone,
                        .eager_bytes = RENDEZVOUS_BYTES,
                        .rendezvous_us = p->k[HS_MPI_K_RENDEZVOUS]};
}

/* ---- hops on the levels of a system ---------------------------------------------------------- */

/* Seconds per byte of one of so many flows that leave a child; where each pair of children has a
 * link of its own they have one such. Ranks next to each other leave through the same port. */
static double wire_of(const struct pace *p, size_t l, double flows, double child)
{
    const struct hs_system *system = p->call->system;
    const struct hs_level *level = &system->levels[l];
    int64_t every = p->call->in_nodes ? p->call->tasks : 1;
    double rate = hs_level_rate(level, hs_system_busy_children(system, l, ranks_of(p), every));
    double links = level->fabric == HS_FABRIC_MESH ? fmax(1, (double)level->arity - 1) : 1;

    if (!level->striped && level->ports > 1)
        flows = fmax(flows, (double)level->ports * fmin(flows, ceil(child / (double)level->ports)));

    return 1e6 * flows * links / rate;
}

/* Of the flows that leave a child where all of its ranks send so far, those of this call, or of all
 * such calls. */
static double flows_of(const struct pace *p, double distance, double child)
{
    double all = fmin(distance, child);

    return p->together ? all : fmax(1, all / stride_of(p));
}

/* Takes the level's protocol where its latency counts, and its wire where that is slower. */
static void cross_level(struct hop *hop, const struct pace *p, size_t l, double distance)
{
    const struct hs_level *level = &p->call->system->levels[l];
    double child = (double)hs_system_child_ranks(p->call->system, l);

    hop->wire = fmax(hop->wire, wire_of(p, l, flows_of(p, distance, child), child));
    hop->base_us = 1e6 * level->latency_seconds;
    hop->eager_bytes = level->eager_bytes;
    hop->rendezvous_us = 1e6 * level->rendezvous_seconds;
}

/* Partners so far apart: some pair of them is in two children wherever blocks of both do not nest
 * in these. */
static struct hop system_hop(const struct pace *p, double distance)
{
    const struct hs_system *system = p->call->system;
    double span = p->ranks * stride_of(p);
    struct hop hop = {.times = 1};

    for (size_t l = 0; l < system->level_count; l++) {
        double child = (double)hs_system_child_ranks(system, l);

        if (l > 0 && child >= span && fmod(child, span) == 0)
            break;
        if (distance >= child || fmod(child, 2 * distance) > 0)
            cross_level(&hop, p, l, distance);
    }
    return hop;
}

/* To the next rank: latencies are those of the hops on the way, and of ranks that share memory a
 * part of what the longest has beyond these, since each step waits for whoever is late; the
 * outermost level has its protocol. */
static struct hop system_ring_hop(const struct pace *p)
{
    const struct hs_system *system = p->call->system;
    double stride = stride_of(p), span = p->ranks * stride, inside = 0, longest = 0;
    struct hop hop = {.times = 1}, at;

    for (size_t l = system->level_count; l-- > 0;) {
        double child = (double)hs_system_child_ranks(system, l), leaving = fmin(1, stride / child);

        if ((l > 0 && child >= span && fmod(child, span) == 0) || leaving <= inside)
            continue;
        at = (struct hop){.times = 1};
        cross_level(&at, p, l, stride);
        if (inside == 0)
            hop = (struct hop){0, 1, 0, at.eager_bytes, at.rendezvous_us};
        hop.base_us += at.base_us * (leaving - inside);
        hop.wire = fmax(hop.wire, at.wire);
        longest = fmax(longest, at.base_us);
        inside = leaving;
    }
    if (hs_system_shares_memory(system))
        hop.base_us += fmin(p->k[HS_MPI_K_WAIT], 1) * fmax(0, longest - hop.base_us);
    return hop;
}

/* ---- algorithms ------------------------------------------------------------------------------ */

/* A ring's pieces are small: memory adds a part only. In a node's memory a byte that is copied is
 * read and written five times, and two that are added are read and written three times. */
#define REDUCED 0.6

static double reduce_us(const struct pace *p)
{
    double part = p->call->algorithm == HS_MPI_RING ? fmin(p->k[HS_MPI_K_STREAM], 1) : 1;
    double beyond = 1 / (1 + pow(p->k[HS_MPI_K_CACHE] * MIB / p->bytes, 3));
    double memory = 1 + (of_machine(p, HS_MPI_K_MEMORY_LEONARDO) - 1) * beyond * part;

    double us = of_machine(p, HS_MPI_K_REDUCE_LEONARDO) * PER_NS * memory *
                pow(p->tasks, p->k[HS_MPI_K_SHARING] / 2);

    if (p->call->system && hs_system_shares_memory(p->call->system))
        us = fmax(us, REDUCED * 1e6 / hs_level_rate(&p->call->system->levels[0], busy_ranks(p)));
    return us;
}

static struct pace pace_of(const struct hs_mpi_call *call, const double *values)
{
    struct pace p = {.call = call,
                     .k = values,
                     .bytes = call->bytes,
                     .ranks = (double)call->ranks,
                     .job = (double)call->ranks,
                     .tasks = call->system ? 1 : (double)call->tasks,
                     .levels = floor(log2((double)call->ranks)),
                     .together = call->at_once > 0,
                     .block = call->tasks > 1 && !call->by_node && !call->system};

    p.reduce = reduce_us(&p);
    return p;
}

static struct halves ring_us(const struct pace *p)
{
    double piece = p->bytes / p->ranks, step;
    struct hop hop = p->call->system ? system_ring_hop(p) : machine_hop(p, !p->block);

    if (p->block) /* of a node's hops one leaves it */
        hop.times = 1 / p->tasks + (1 - 1 / p->tasks) * p->k[HS_MPI_K_INSIDE];
    step = step_us(p, &hop, piece);
    return (struct halves){.gather = (p->ranks - 1) * (step + piece * hop.wire),
                           .reduce = (p->ranks - 1) * (step + piece * (hop.wire + p->reduce))};
}

/* A step with a partner far away, who waits, too: the level-th of halving, which has bytes /
 * 2^level; libraries begin with the nearest one. */
static struct halves far_us(const struct pace *p, int level, double bytes)
{
    struct hop hop =
        p->call->system ? system_hop(p, stride_of(p) * exp2(level - 1)) : machine_hop(p, true);
    double us;

    hop.times *= of_machine(p, HS_MPI_K_FAR_LEONARDO);
    if (p->block && p->call->algorithm == HS_MPI_HALVING && level > p->levels - log2(p->tasks))
        hop.times *= p->k[HS_MPI_K_INSIDE];
    us = step_us(p, &hop, bytes) + bytes * hop.wire;
    return (struct halves){.gather = us, .reduce = us + bytes * p->reduce};
}

/* Ranks beyond a power of two hand their data over first and get the result last (textbook: no
 * published time that this was fitted to has them). */
static struct halves fold_us(const struct pace *p)
{
    if (p->ranks <= exp2(p->levels))
        return (struct halves){0, 0};
    return far_us(p, 1, p->bytes);
}

static struct halves halving_us(const struct pace *p)
{
    struct halves us = fold_us(p);

    for (int level = 1; level <= (int)p->levels; level++) {
        struct halves step = far_us(p, level, p->bytes / exp2(level));

        us.gather += step.gather;
        us.reduce += step.reduce;
    }
    return us;
}

static double doubling_us(const struct pace *p)
{
    struct halves us = fold_us(p);

    for (int level = 1; level <= (int)p->levels; level++)
        us.reduce += far_us(p, level, p->bytes).reduce;
    return us.reduce + us.gather;
}

/* To the root and back, all bytes a step. */
static struct halves tree_us(const struct pace *p)
{
    struct halves us = {0, 0};

    for (int level = 1; level <= (int)ceil(log2(p->ranks)); level++) {
        struct halves step = far_us(p, level, p->bytes);

        us.gather += step.gather;
        us.reduce += step.reduce;
    }
    return us;
}

static enum hs_phase phase_of(enum hs_library_call kind)
{
    return kind == HS_CALL_ALLGATHER        ? HS_ALLGATHER
           : kind == HS_CALL_REDUCE_SCATTER ? HS_REDUCE_SCATTER
           : kind == HS_CALL_ALLTOALL       ? HS_EXCHANGE
                                            : HS_ALLREDUCE;
}

/* What a line of a price says of `bytes` among the ranks: latencies and rates its own, the rest by
 * the constants. */
static struct halves lined_us(const struct pace *p, struct hs_price_line line, double bytes)
{
    double sent = bytes * (p->ranks - 1) / p->ranks;
    struct hop hop = {.times = of_machine(p, HS_MPI_K_FAR_LEONARDO), .eager_bytes = INFINITY};
    double us;

    hop.base_us = 1e6 * line.latency_seconds;
    us = step_us(p, &hop, bytes / p->ranks) + 1e6 * line.seconds_per_byte * sent;
    return (struct halves){.gather = us, .reduce = us + sent * p->reduce};
}

/* The layer that a call is, and of how many ranks of the system. */
static struct hs_layer layer_of(int64_t *ranks, const struct hs_mpi_call *call)
{
    struct hs_layer layer = {call->stride > 1 ? call->stride : 1, call->ranks};

    *ranks = call->at_once > 0 ? call->at_once : layer.stride * layer.size;
    return layer;
}

/* All of an all-to-all's messages under way at once. */
static double at_once_us(const struct pace *p)
{
    int64_t ranks;
    struct hs_layer layer = layer_of(&ranks, p->call);
    struct hs_stage_price price = {.key = {HS_EXCHANGE, HS_NATIVE, layer}, .bytes = p->bytes};

    assert(p->call->at_once > 0 || layer.stride == 1);
    hs_exchange_price_at_once(&price, p->call->system, ranks,
                              hs_mpi_waits(p->call->algorithm, p->call->ranks));
    return lined_us(p, hs_stage_line(&price, p->bytes), p->bytes).gather;
}

/* The algorithm's steps on the levels of a system, as a layer's own call has them (letter n):
 * latencies, rendezvous and rates those of the levels, the rest by the constants. */
static double steps_us(const struct pace *p)
{
    const struct hs_mpi_call *call = p->call;
    int64_t ranks;
    struct hs_layer layer = layer_of(&ranks, call);
    int64_t groups = layer.stride / (call->in_nodes ? call->tasks : 1); /* that call at once */
    struct hs_stage_price price = {.key = {phase_of(call->kind), HS_NATIVE, layer},
                                   .bytes = p->bytes};
    struct hs_mpi_steps sent;
    struct hs_system eager = *call->system; /* borrows all that it owns */
    struct hs_steps steps = {.price = &price,
                             .system = call->system,
                             .ranks = ranks,
                             .waits = true,
                             .every = call->at_once > 0 ? layer.stride / groups : layer.stride},
                    bare;
    /* swaps between neighbours are no far steps */
    double far = call->algorithm == HS_MPI_NEIGHBOR ? 1 : of_machine(p, HS_MPI_K_FAR_LEONARDO);
    double us = 0, moving;

    hs_mpi_steps(&sent, call->algorithm, price.key.phase, call->ranks);
    if (sent.one_sends)
        steps.senders = call->at_once > 0 ? groups : 1;
    bare = steps;
    bare.system = &eager;
    for (size_t l = 0; l < eager.level_count; l++)
        eager.levels[l].rendezvous_seconds = 0;
    for (int i = 0; i < sent.count; i++) {
        const struct hs_mpi_step *step = &sent.items[i];
        double before = bare.latency_seconds, waited = steps.latency_seconds - before;
        double bytes = step->part * p->bytes;
        struct hop hop = {.times = far};

        hs_mpi_steps_add(&steps, step, 1);
        hs_mpi_steps_add(&bare, step, 1);
        hop.base_us = 1e6 * (bare.latency_seconds - before);
        hop.rendezvous_us = 1e6 * (steps.latency_seconds - bare.latency_seconds - waited);
        us += step_us(p, &hop, bytes) + (step->reduces ? step->times * bytes * p->reduce : 0);
    }
    hs_mpi_steps_fill(&steps, 1 / (double)steps.every);
    moving = steps.seconds_per_byte;
    for (size_t l = 0; l < call->system->level_count; l++)
        moving = fmax(moving, steps.leaving[l]);
    return us + 1e6 * moving * p->bytes / p->ranks;
}

static double allreduce_us(const struct pace *p)
{
    struct halves us = p->call->algorithm == HS_MPI_RING   ? ring_us(p)
                       : p->call->algorithm == HS_MPI_TREE ? tree_us(p)
                                                           : halving_us(p);

    if (p->call->system && p->call->algorithm != HS_MPI_RING)
        return steps_us(p);
    if (p->call->algorithm == HS_MPI_DOUBLING)
        return doubling_us(p);
    return us.reduce + us.gather;
}

/* MPICH's reduce and broadcast of a node's ranks: binomial trees of short messages; longer ones are
 * scattered and gathered. */
#define REDUCE_SHORT    2048.0
#define BROADCAST_SHORT 12288.0
#define BROADCAST_TASKS 8

static double in_node_us(const struct hs_mpi_call *call, const double *values)
{
    struct hs_mpi_call node = *call;
    struct halves tree, scattered;
    struct pace p;

    node.ranks = call->tasks;
    node.algorithm = HS_MPI_HALVING;
    node.in_nodes = false;
    p = pace_of(&node, values);
    tree = tree_us(&p);
    scattered = halving_us(&p);
    return (call->bytes <= REDUCE_SHORT ? tree.reduce : scattered.reduce + scattered.gather) +
           (call->bytes < BROADCAST_SHORT || call->tasks < BROADCAST_TASKS ? tree.gather
                                                                           : 2 * scattered.gather);
}

/* What is given is copied to where the result is to be, by whoever reduces there. */
static double copy_us(const struct pace *p)
{
    return p->k[HS_MPI_K_COPY] * p->reduce * p->bytes;
}

/* Lets the call see its system with latencies and rates as the constants have them, those of a node
 * apart from those between nodes; the system borrows what the call's owns. */
static void scale(struct hs_system *scaled, struct hs_mpi_call *call, const double *values)
{
    bool shares;

    if (!call->system)
        return;
    shares = hs_system_shares_memory(call->system);
    *scaled = *call->system;
    for (size_t l = 0; l < scaled->level_count; l++) {
        struct hs_level *level = &scaled->levels[l];
        bool node = shares && hs_level_is_inside(level);
        double rate = values[node ? HS_MPI_K_RATE_NODE : HS_MPI_K_RATE_SYSTEM];

        level->latency_seconds *= values[node ? HS_MPI_K_STEP_NODE : HS_MPI_K_STEP_SYSTEM];
        level->bytes_per_second *= rate;
        level->shared_bytes_per_second *= rate;
    }
    call->system = scaled;
}

static double seconds_of(const void *of, const double *values)
{
    struct hs_mpi_call call = *(const struct hs_mpi_call *)of;
    struct hs_system scaled;
    double inside;
    struct pace p;
    struct halves us;

    scale(&scaled, &call, values);
    inside = call.in_nodes ? in_node_us(&call, values) : 0;
    if (call.in_nodes) {
        call.ranks = (call.ranks + call.tasks - 1) / call.tasks;
        call.stride = call.tasks * (call.stride > 1 ? call.stride : 1);
    }
    p = pace_of(&call, values);
    if (call.kind == HS_CALL_ALLREDUCE)
        return (inside + allreduce_us(&p) + copy_us(&p)) * 1e-6;
    if (call.system && !hs_mpi_has_steps(call.algorithm, phase_of(call.kind)))
        return at_once_us(&p) * 1e-6;
    if (call.system && call.algorithm != HS_MPI_RING)
        return (steps_us(&p) + (call.kind == HS_CALL_REDUCE_SCATTER ? copy_us(&p) : 0)) * 1e-6;
    us = call.algorithm == HS_MPI_RING ? ring_us(&p) : halving_us(&p);
    return (call.kind == HS_CALL_ALLGATHER ? us.gather : us.reduce + copy_us(&p)) * 1e-6;
}

const struct hs_price_model hs_mpi_price_model = {
    .constants = hs_mpi_constants, .count = HS_MPI_K_COUNT, .scatter = 0.2, .seconds = seconds_of};

enum hs_error_class hs_mpi_error_class(const struct hs_system *system)
{
    return hs_system_shares_memory(system) ? HS_ERROR_CPU_RANKS : HS_ERROR_CPU;
}

double hs_mpi_system_doubt(const struct hs_system *system)
{
    return system->constants.count > 0 ? HS_NCCL_DOUBT_OWN : HS_NCCL_DOUBT_CLASS;
}

/* By another algorithm than the ring: latencies and rates are its row's. */
static struct halves lettered_us(const struct pace *p, const struct hs_stage *stage, double bytes,
                                 const struct hs_group *group)
{
    struct hs_stage_price price = hs_stage_price_at(p->call->system, group, stage->key, bytes);
    struct hs_price_line line = hs_stage_line(&price, bytes);
    double passes = hs_phase_passes(stage->key.phase);

    line.latency_seconds /= passes;
    line.seconds_per_byte /= passes;
    return lined_us(p, line, bytes);
}

/* Two ranks swap halves; more go round. Whether data are in the cache is a matter of the whole
 * message, as in the algorithms above. */
static struct halves stage_us(const struct pace *p, const struct hs_stage *stage, double bytes,
                              const struct hs_group *group)
{
    if (stage->key.phase == HS_EXCHANGE ||
        (stage->key.algorithm != HS_RING && stage->key.layer.size > 2))
        return lettered_us(p, stage, bytes, group);
    return p->call->algorithm == HS_MPI_RING ? ring_us(p) : halving_us(p);
}

static bool only_moves(enum hs_phase phase)
{
    return phase == HS_ALLGATHER || phase == HS_EXCHANGE;
}

/* One stage of a plan, of the chunk that `bytes` of enter it, `times` as slow as by the values. */
static double seconds_of_stage(const struct hs_system *system, const struct hs_problem *problem,
                               const struct hs_stage *stage, double bytes, const double *values,
                               double times)
{
    struct hs_mpi_call call = {.machine = HS_MPI_SYSTEM,
                               .algorithm =
                                   stage->key.layer.size == 2 ? HS_MPI_HALVING : HS_MPI_RING,
                               .ranks = stage->key.layer.size,
                               .tasks = 1,
                               .bytes = problem->bytes,
                               .system = system,
                               .stride = stage->key.layer.stride,
                               .at_once = problem->group.ranks};
    double reduce = pace_of(&call, values).reduce;
    struct hs_system scaled;
    struct pace p;
    struct halves us;
    double seconds;

    call.bytes = bytes;
    scale(&scaled, &call, values);
    p = pace_of(&call, values);
    p.reduce = reduce;
    p.job = (double)problem->group.size;
    p.together = true;
    us = stage_us(&p, stage, bytes, &problem->group);
    seconds = 1e-6 * times *
              ((stage->key.phase == HS_REDUCE_SCATTER ? 0 : us.gather) +
               (only_moves(stage->key.phase) ? 0 : us.reduce));
    return hs_limit_keep_stage(seconds, system, problem->group.ranks, stage->key, bytes);
}

/* What is given is copied by the first stage, where that reduces. */
static double first_copy_seconds(const struct hs_system *system, const struct hs_problem *problem,
                                 struct hs_layer layer, const double *values)
{
    struct hs_mpi_call call = {.machine = HS_MPI_SYSTEM,
                               .algorithm = layer.size == 2 ? HS_MPI_HALVING : HS_MPI_RING,
                               .ranks = layer.size,
                               .tasks = 1,
                               .bytes = problem->bytes,
                               .system = system};
    struct pace p = pace_of(&call, values);

    return 1e-6 * copy_us(&p);
}

static bool is_first(const struct hs_problem *problem, struct hs_layer layer)
{
    return hs_problem_begins_inside(problem) ? layer.stride == problem->group.stride
                                             : hs_problem_is_last(problem, layer);
}

double hs_mpi_stage_seconds(const struct hs_system *system, const struct hs_problem *problem,
                            struct hs_stage_key key, const double *values, double times)
{
    double bytes = hs_problem_entering(problem, key.layer), seconds = 0;
    enum hs_phase phases[2] = {key.phase};
    int count = key.phase == HS_PAIR ? hs_problem_phases(phases, problem, key.layer) : 1;

    for (int k = 0; k < count; k++) {
        struct hs_stage stage = {.key = {phases[k], key.algorithm, key.layer}, .bytes = bytes};

        seconds += seconds_of_stage(system, problem, &stage, bytes, values, times) +
                   hs_order_seconds(system, problem, key.layer);
    }
    if (!only_moves(phases[0]) && is_first(problem, key.layer))
        seconds += times * first_copy_seconds(system, problem, key.layer, values);
    return seconds;
}

double hs_mpi_plan_seconds(const struct hs_system *system, const struct hs_problem *problem,
                           const struct hs_plan *plan, double times)
{
    double values[HS_MPI_K_COUNT], seconds = 0;
    struct hs_stage stages[HS_STAGES_MAX];
    int count = hs_problem_stages(stages, problem, plan);

    hs_mpi_system_values(values, system);
    for (int i = 0; i < count; i++)
        seconds += plan->chunks * seconds_of_stage(system, problem, &stages[i],
                                                   stages[i].bytes / plan->chunks, values, times) +
                   hs_order_seconds(system, problem, stages[i].key.layer);
    if (count > 0 && !only_moves(stages[0].key.phase))
        seconds += times * first_copy_seconds(system, problem, stages[0].key.layer, values);
    return hs_limit_keep(seconds, system, problem);
}

double hs_mpi_deviation(const struct hs_mpi_call *call, const double *values, double doubt,
                        double residual)
{
    enum hs_error_class class = doubt == HS_NCCL_DOUBT_CLASS && call->system
                                    ? hs_mpi_error_class(call->system)
                                    : HS_ERROR_CPU;
    double noise = fmax(residual, hs_error_point(class, call->bytes)), deviations[HS_MPI_K_COUNT];

    hs_constants_deviations(deviations, &hs_mpi_price_model, doubt);
    if (doubt == HS_NCCL_DOUBT_CLASS) /* nothing is known of the machine itself */
        noise = hs_joint_error(noise, hs_error_machine(class, call->bytes));
    return sqrt(hs_constants_variance(&hs_mpi_price_model, call, values, deviations) +
                noise * noise);
}
