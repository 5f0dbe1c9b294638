#include "library/limit.h"

#include <math.h>
#include <string.h>

#include "library/constants_mpi.h"
#include "library/price_nccl.h"
#include "links/graph.h"
#include "model/traffic.h"
#include "system/link_rates.h"

/* A level that ranks are spread over: what its children hold. */
struct tier {
    const struct hs_level *level;
    double bytes_per_second; /* of a child */
    int64_t child_ranks, unit_ranks;
    int64_t ranks, children; /* in use */
};

/* Bytes per second that a child can send of which the first `held` ranks exist. */
static double child_rate(const struct tier *tier, int64_t held)
{
    const struct hs_level *level = tier->level;
    double part = 1;

    if (level->fabric == HS_FABRIC_MESH && level->arity > 2 && tier->ranks <= tier->unit_ranks)
        part = (double)(tier->children - 1) / (double)(level->arity - 1);
    if (!level->striped) {
        int64_t reached = (held * level->ports + tier->child_ranks - 1) / tier->child_ranks;

        part = hs_lesser(part, (double)hs_smaller(held, reached) / (double)level->ports);
    }
    return part * tier->bytes_per_second;
}

/* Units beyond the first that groups are spread over, all told: exact where children and blocks of
 * groups nest, else no more than it is. */
static double units_joined(const struct hs_group *group, int64_t child_ranks)
{
    struct hs_layer parts[HS_GROUP_PARTS_MAX];
    int count = hs_group_parts(parts, group);
    int64_t groups = group->ranks / group->size, units = 1;

    for (int i = 0; i < count; i++) {
        int64_t span = (parts[i].size - 1) * parts[i].stride;
        int64_t here = 1 + hs_smaller(parts[i].size - 1, span / child_ranks);

        if (parts[i].stride % child_ranks == 0)
            units *= here;
        else
            units = here > units ? here : units;
    }
    return (double)(units - 1) * (double)groups;
}

/* What must pass between `inside` ranks of a group and its others, per byte. */
static double crossing(const struct hs_problem *problem, int64_t inside)
{
    int64_t size = problem->group.size;

    if (inside == 0 || inside == size)
        return 0;
    return hs_collectives[problem->collective].crossing(inside, size);
}

/* The same between the last `held` ranks of the machine and the others, of all groups: those that
 * the cut does not part have nothing to send. Digit by digit of a rank, from the outermost part of
 * a group on: between two of its ranks there lie blocks of its inner parts, side by side. */
static double crossing_all(const struct hs_problem *problem, int64_t held)
{
    struct hs_layer parts[HS_GROUP_PARTS_MAX];
    int count = hs_group_parts(parts, &problem->group);
    int64_t before = 0,
            inner = problem->group.size; /* ranks of a group inside; of the parts left */
    double sum = 0;

    held %= hs_group_span(&problem->group, inner);
    for (int i = count; i-- > 0;) {
        int64_t span = i > 0 ? parts[i - 1].stride * parts[i - 1].size : 1;
        int64_t blocks = parts[i].stride / span, whole = held % parts[i].stride / span, repeats;

        inner /= parts[i].size;
        before += held / parts[i].stride * inner;
        held = held % parts[i].stride % span;
        repeats = span / inner;
        sum += (double)repeats * ((double)whole * crossing(problem, before + inner) +
                                  (double)(blocks - whole - 1) * crossing(problem, before));
    }
    return sum + crossing(problem, before);
}

/* Whether what joins the children reduces, and saves them from sending twice. */
static bool reduces(const struct hs_system *system, const struct hs_problem *problem,
                    const struct tier *tier)
{
    return hs_collectives[problem->collective].reduced_in_switch &&
           hs_system_is_nccl_native(system) && system->nccl.parts.gpu.nvls &&
           tier->child_ranks < system->nccl.gpus;
}

/* What the bytes take to cross the level. */
static double crossing_seconds(const struct hs_system *system, const struct hs_problem *problem,
                               const struct tier *tier)
{
    double sent = hs_collectives[problem->collective].sent * problem->bytes;
    int64_t before = tier->children - 1, held = tier->ranks - before * tier->child_ranks;
    double last = child_rate(tier, held), first = child_rate(tier, tier->child_ranks);
    double all = (double)before * first + last;
    double two = problem->bytes * hs_greater(crossing_all(problem, held) / last,
                                             crossing_all(problem, tier->child_ranks) / first);

    if (reduces(system, problem, tier))
        return two;
    return hs_greater(two, sent * units_joined(&problem->group, tier->child_ranks) / all);
}

/* Its machine with the constants that were fitted to it, or that ship, also where it was drawn:
 * draws differ in what a call takes, and not in what the links do. */
static struct hs_nccl_machine undrawn(const struct hs_system *system)
{
    struct hs_nccl_machine machine = system->nccl;

    memset(machine.own, 0, sizeof(machine.own));
    for (size_t i = 0; i < system->constants.count; i++)
        for (size_t k = 0; k < HS_NCCL_K_COUNT; k++)
            if (strcmp(hs_nccl_price_model.constants[k].name, system->constants.items[i].name) == 0)
                machine.own[k] = system->constants.items[i].value;
    return machine;
}

/* One step across the level: NCCL's fastest protocol is faster than its figure for levels. */
static double step_seconds(const struct hs_system *system, const struct tier *tier)
{
    if (hs_system_is_nccl_native(system)) {
        struct hs_nccl_machine machine = undrawn(system);

        return hs_nccl_least_step_seconds(&machine, tier->child_ranks >= machine.gpus);
    }
    return tier->level->latency_seconds;
}

/* Of a link of 64 GB/s RCCL counts 48, of 50 it counts 36 (src/graph/topo.h). */
#define XGMI_COUNTED 0.75

/* NVLink can do more than the figure that NCCL takes for it, which is what rings of its reach; so
 * can the links between AMD's GPUs: rings that leave nodes of MI300X carry 358 GB/s of 336. */
static double full_rate(const struct hs_system *system, size_t level, int64_t ranks)
{
    const struct hs_gpu *gpu = &system->nccl.parts.gpu;
    double rate =
        hs_level_rate(&system->levels[level], hs_system_busy_children(system, level, ranks, 1));
    bool nvlink = hs_system_is_nccl_native(system) &&
                  hs_system_child_ranks(system, level) < system->nccl.gpus;

    if (level == 0 && system->levels[0].fabric == HS_FABRIC_LINKS)
        return hs_graph_sends(system);
    if (hs_system_library(system) == HS_LIBRARY_RCCL &&
        strcmp(system->levels[level].name, hs_link_names[HS_LINK_XGMI]) == 0)
        return rate / XGMI_COUNTED;
    if (nvlink)
        return hs_greater(rate, 1e9 * gpu->peak_GBps);
    if (hs_system_is_nccl_native(system)) /* NICs together send no more than the GPUs' slots */
        rate = hs_lesser(rate, (double)hs_system_child_ranks(system, level) * 1e9 * gpu->slot_GBps *
                                   HS_SLOT_PEAK);
    return rate;
}

/* No children where all ranks are in one. */
static struct tier tier_of(const struct hs_system *system, const struct hs_problem *problem,
                           size_t level)
{
    struct tier tier = {.level = &system->levels[level],
                        .bytes_per_second = full_rate(system, level, problem->group.ranks),
                        .child_ranks = hs_system_child_ranks(system, level),
                        .unit_ranks = hs_system_child_ranks(system, level + 1),
                        .ranks = problem->group.ranks};

    if (tier.child_ranks < tier.ranks)
        tier.children = (tier.ranks + tier.child_ranks - 1) / tier.child_ranks;
    return tier;
}

/* Of a collective of all units of a first level with links, and of none else, each being a rank: by
 * the narrowest of its cuts and partitions. The phase that it is; HS_PHASE_COUNT: another one. */
static enum hs_phase graph_phase(const struct hs_system *system, const struct hs_problem *problem,
                                 size_t level)
{
    int64_t arity = system->levels[level].arity;
    bool all = problem->group.ranks == arity && problem->group.size == arity;

    if (level > 0 || system->levels[0].fabric != HS_FABRIC_LINKS || !all)
        return HS_PHASE_COUNT;
    return hs_collectives[problem->collective].last;
}

double hs_limit_crossing_seconds(const struct hs_system *system, const struct hs_problem *problem,
                                 size_t level)
{
    struct tier tier = tier_of(system, problem, level);
    enum hs_phase phase = graph_phase(system, problem, level);

    if (phase != HS_PHASE_COUNT)
        return problem->bytes * hs_graph_bound(system, phase);
    return tier.children > 0 ? crossing_seconds(system, problem, &tier) : 0;
}

/* How many times as fast as described its links are, and the steps across them. */
struct scale {
    double rate, step, node_rate, node_step; /* the latter of levels inside a node */
};

static struct scale scale_of(const struct hs_system *system)
{
    struct scale scale = {1, 1, 1, 1};
    double values[HS_MPI_K_COUNT], eff;

    if (system->constants.count == 0)
        return scale;
    if (hs_system_is_nccl_native(system)) {
        eff = undrawn(system).own[HS_NCCL_K_EFF_IB + system->nccl.parts.nic.class];
        scale.rate = scale.node_rate = hs_greater(1, eff / HS_NIC_EFFICIENCY);
    } else if (hs_system_has_rule(system)) {
        hs_mpi_system_values(values, system);
        eff = hs_lesser(1, values[HS_MPI_K_FAR_SYSTEM]);
        scale = (struct scale){values[HS_MPI_K_RATE_SYSTEM], values[HS_MPI_K_STEP_SYSTEM] * eff,
                               values[HS_MPI_K_RATE_NODE], values[HS_MPI_K_STEP_NODE] * eff};
    }
    return scale;
}

int hs_limit_each(struct hs_limit limits[HS_LEVELS_MAX], const struct hs_system *system,
                  const struct hs_problem *problem)
{
    struct scale scale = scale_of(system);
    double latency = INFINITY;
    int count = 0;

    for (size_t l = system->fits.count > 0 ? 0 : system->level_count; l-- > 0;) {
        struct tier tier = tier_of(system, problem, l);
        bool node = hs_system_shares_memory(system) && hs_level_is_inside(&system->levels[l]);
        double bytes_seconds;

        if (tier.children == 0)
            continue;
        latency =
            hs_lesser(latency, (node ? scale.node_step : scale.step) * step_seconds(system, &tier));
        bytes_seconds =
            hs_limit_crossing_seconds(system, problem, l) / (node ? scale.node_rate : scale.rate);
        if (bytes_seconds > 0)
            limits[count++] = (struct hs_limit){latency + bytes_seconds, latency, (int)l};
    }
    return count;
}

struct hs_limit hs_limit_of(const struct hs_system *system, const struct hs_problem *problem)
{
    struct hs_limit limits[HS_LEVELS_MAX], limit = {.level = -1};
    int count = hs_limit_each(limits, system, problem);

    for (int i = 0; i < count; i++)
        if (limits[i].seconds > limit.seconds)
            limit = limits[i];
    return limit;
}

static double keep(double seconds, double least)
{
    return seconds < least ? least : seconds;
}

double hs_limit_keep(double seconds, const struct hs_system *system,
                     const struct hs_problem *problem)
{
    return keep(seconds, hs_limit_of(system, problem).seconds);
}

struct hs_problem hs_limit_stage(int64_t ranks, struct hs_stage_key key, double bytes)
{
    static const enum hs_collective collectives[HS_PHASE_COUNT] = {
        [HS_REDUCE_SCATTER] = HS_COLLECTIVE_REDUCE_SCATTER,
        [HS_ALLGATHER] = HS_COLLECTIVE_ALLGATHER,
        [HS_ALLREDUCE] = HS_COLLECTIVE_ALLREDUCE,
        [HS_EXCHANGE] = HS_COLLECTIVE_ALLTOALL,
        [HS_PAIR] = HS_COLLECTIVE_REDUCE_SCATTER};

    return (struct hs_problem){
        .collective = collectives[key.phase],
        .group = {.ranks = ranks, .stride = key.layer.stride, .size = key.layer.size},
        .bytes = bytes};
}

double hs_limit_keep_stage(double seconds, const struct hs_system *system, int64_t ranks,
                           struct hs_stage_key key, double bytes)
{
    struct hs_problem stage = hs_limit_stage(ranks, key, bytes);

    return keep(seconds, (key.phase == HS_PAIR ? 2 : 1) * hs_limit_of(system, &stage).seconds);
}

double hs_limit_reached(const struct hs_limit *limit, double seconds)
{
    return limit->level < 0 ? NAN : limit->seconds / seconds;
}
