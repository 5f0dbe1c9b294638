/*
 * Constants are of NCCL's sources, as they stand there; functions follow them. Microseconds and
 * GB/s (bytes per 1000 us) as there.
 */
#include "library/library_nccl.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define V HS_NCCL_VERSION

const char *const hs_nccl_algorithm_names[HS_NCCL_KERNEL_COUNT] = {
#define HS_ROW(name, text, meaning) [HS_NCCL_##name] = (text),
    HS_NCCL_ALGORITHMS(HS_ROW) HS_NCCL_KERNELS(HS_ROW)
#undef HS_ROW
};

const char *const hs_nccl_protocol_names[HS_NCCL_PROTOCOL_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_NCCL_PROTOCOLS(HS_ROW)
#undef HS_ROW
};

/* ---- src/graph/search.cc: channels and their speeds ------------------------------------------ */

#define SPEEDS       19 /* of the longest list, and a 0 */
#define CHANNELS_MAX 32
#define LINK_LEAST   3.0  /* GB/s: slowest ring that is found at all */
#define SLOWER_LEAST 0.49 /* of the speed found: slower ones are not tried */
#define ROUNDING     1e-9
/* Channels this fast are made two of half the speed; but not beyond Ampere, where there are enough
 * that are slower than a NIC of 400 Gb/s. */
#define DOUBLE_FROM_GBPS 25.0
#define SLOW_GBPS        50.0
#define ENOUGH_CHANNELS  4

enum speed_list { SPEEDS_SM80, SPEEDS_SM90, SPEEDS_SM100, SPEED_LISTS };

/* speedArrayIntra, sm90SpeedArrayIntra, sm100SpeedArrayIntra */
static const double speeds_inside[SPEED_LISTS][SPEEDS] = {
    {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3},
    {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3},
    {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18},
};
/* speedArrayInter and its kin */
static const double speeds_between[SPEED_LISTS][SPEEDS] = {
    {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2},
    {48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2},
    {96, 86, 80, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2},
};

static enum speed_list speed_list(const struct hs_shape *shape)
{
    int capability = shape->parts.gpu.capability;

    return capability >= 100 ? SPEEDS_SM100 : capability >= 90 ? SPEEDS_SM90 : SPEEDS_SM80;
}

/* The fastest of a list up to both limits; `otherwise` where there is none. */
static double fastest(const double *speeds, double limit, double other_limit, double otherwise)
{
    for (; *speeds > 0; speeds++)
        if (*speeds <= limit && *speeds <= other_limit)
            return *speeds;
    return otherwise;
}

/* The next faster one of a list: what the search's second pass finds between nodes. */
static double next_faster(const double *speeds, double speed)
{
    double faster = speed;

    for (; *speeds > speed + ROUNDING; speeds++)
        faster = *speeds;
    return faster;
}

/* What `gpus` GPUs of a node can take from the one whose links are shared out: each but itself. */
static double spread_GBps(const struct hs_shape *shape)
{
    return shape->nvlink_GBps * (double)shape->gpus / (double)(shape->gpus - 1);
}

/* Most channels times speed; a slower speed is tried until it is about half of the one found. */
static struct hs_nccl_graph graph_inside(const struct hs_shape *shape)
{
    const double *speeds = speeds_inside[speed_list(shape)];
    struct hs_nccl_graph found = {0};

    for (; *speeds > 0; speeds++) {
        int channels = (int)fmin(CHANNELS_MAX, floor(shape->nvlink_GBps / *speeds + ROUNDING));

        if (*speeds > shape->link_GBps)
            continue;
        if (found.channels > 0 && *speeds / found.ring_GBps <= SLOWER_LEAST)
            break;
        if (channels * *speeds > found.channels * found.ring_GBps)
            found = (struct hs_nccl_graph){.channels = channels, .ring_GBps = *speeds};
    }
    if (found.channels == 0)
        found = (struct hs_nccl_graph){1, fmax(LINK_LEAST, shape->nvlink_GBps), 0};
    found.tree_GBps = found.ring_GBps;
    return found;
}

/* A channel per NIC at the speed of the NIC or its slot; inside nodes trees may go twice as fast:
 * from Hopper on, where links carry that, whatever the list has (2.27.5's log of 1, 2 and 4 GPUs a
 * node). */
static struct hs_nccl_graph graph_between(const struct hs_shape *shape)
{
    const double *speeds = speeds_between[speed_list(shape)];
    double limit = fmin(shape->parts.nic.line_GBps, shape->parts.gpu.slot_GBps);
    double nics = fmin(CHANNELS_MAX, fmax(1, rint(shape->nics)));
    double ring = fastest(speeds, limit + ROUNDING, INFINITY, limit), tree = ring;

    if (shape->parts.gpu.capability >= 90 &&
        (shape->gpus < 2 || 2 * ring <= spread_GBps(shape) / nics))
        tree = 2 * ring;
    else if (shape->gpus > 1)
        tree = fmax(ring, fastest(speeds, 2 * ring, spread_GBps(shape) / nics, ring));
    return (struct hs_nccl_graph){(int)nics, ring, tree};
}

struct hs_nccl_graph hs_nccl_graph(const struct hs_shape *shape)
{
    struct hs_nccl_graph graph = shape->domains == 1 ? graph_inside(shape) : graph_between(shape);
    bool enough = shape->parts.gpu.capability > 80 && graph.ring_GBps < SLOW_GBPS &&
                  graph.channels > ENOUGH_CHANNELS;

    if (graph.ring_GBps >= DOUBLE_FROM_GBPS && !enough) { /* ncclTopoDupChannels */
        graph.channels *= 2;
        graph.ring_GBps /= 2;
        graph.tree_GBps /= 2;
    }
    return graph;
}

int hs_nccl_kernel_channels(const struct hs_nccl_graph *graph)
{
    return 2 * graph->channels < CHANNELS_MAX ? 2 * graph->channels : CHANNELS_MAX;
}

/* ---- src/graph/tuning.cc: constants ---------------------------------------------------------- */

enum { ROWS = 4, SIZES = 3 }; /* generations below SM80, SM80, SM90, SM100; 1, 2, more nodes */

typedef double by_size[ROWS][SIZES];

/* us, by protocol: baseLat, and hwLat of a step over NVLink, PCIe and the network */
static const double base_ring[] = {6.6, 14.0, 8.4}, base_tree[] = {6.8, 14.0, 8.4};
static const double nvlink_ring[] = {0.6, 1.9, 3.4}, nvlink_tree[] = {0.6, 1.25, 4.0};
static const double pcie_ring[] = {1.0, 2.5, 5.7}, pcie_tree[] = {1.0, 1.9, 4.0};
static const double net_ring[] = {2.7, 4.0, 14.0}, net_tree[] = {5.0, 8.5, 14.0};

/* llMaxBws, GB/s; between nodes of AMD hosts the second row, of others the first */
static const by_size ll_most = {
    {39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {141.0, 45.0, 35.0}, {282.0, 90.0, 70.0}};
/* per channel: perChMaxRingLL128Bws, perChMaxTreeLL128Bws, perChMaxTreeBws */
static const by_size ring_ll128 = {
    {20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 36.7}, {40.0, 40.0, 40.0}};
static const by_size tree_ll128 = {
    {20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 29.0}, {55.6, 31.67, 20.0}};
static const by_size tree_most = {
    {26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {38.7, 41.4, 36.0}, {70.0, 42.8, 24.0}};
/* The same of Blackwell from 2.25 to 2.27. */
static const double tree_ll128_227[SIZES] = {73.4, 73.4, 58.0};
static const double tree_most_227[SIZES] = {77.4, 82.8, 72.0};
/* per head: perChMaxNVLSTreeBws; nvlsEfficiency */
static const by_size nvlstree_most = {
    {26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {0.0, 57.7, 45.5}, {0.0, 96.0, 80.0}};
static const double nvls_efficiency[ROWS] = {0.0, 0.0, 0.85, 0.74};

/* treeCorrectionFactor, by the power of two of bytes / 64 */
enum { CORRECTIONS = 24, TREE_CORRECTIONS = 23 };
static const double corrections[HS_NCCL_PROTOCOL_COUNT][CORRECTIONS] = {
    {1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5,
     0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0, 1.0, 1.0},
    {1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6,
     0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1.0, 1.0, 1.0},
    {0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5,
     0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9, 0.9},
};

/* Parts of a bus bandwidth. */
#define LL_DATA           0.5
#define LL_DATA_220       0.25 /* up to 2.20, and on one node of what goes around once: */
#define LL_DATA_220_ONCE  (1 / 3.0)
#define LL128_DATA        0.92 /* 120 of 128 bytes, and a little less */
#define LL128_DATA_222    0.7  /* up to 2.22, one GPU a node */
#define TREE_DATA         0.92
#define TREE_LL_DATA      (1 / 3.8)
#define TREE_LL128_DATA   (120 / 128.0)
#define TREE_LL128_ONE    (7 / 9.0) /* on one node */
#define TREE_SIMPLE       0.85      /* NCCL_TOPO_PATTERN_TREE: one GPU a node, and from Hopper on */
#define NVLS_DATA_227     (5 / 6.0) /* up to 2.27: allreduce */
#define NVLS_GATHER_227   0.9
#define NVLSTREE_DATA_218 0.7
#define PAT_DATA          0.75
#define PAT_DATA_223      0.85
/* Blackwell, LL128 rings per channel: up to 2.28; between two nodes from 2.28.9; up to 2.29.6 */
#define RING_LL128_228 73.4
#define RING_LL128_TWO 34.6
#define RING_LL128_229 34.5
/* Blackwell, more than two nodes: up to 2.28.7, and up to 2.29 */
#define NVLSTREE_MOST_2287 43.1
#define NVLSTREE_MOST_228  43.8
#define NVLS_ARITY         32 /* NCCL_MAX_NVLS_ARITY: of allgathers and reduce-scatters */
/* Latencies: of Simple rings, times, where messages are long; us. */
#define RING_PLATEAU       1.4
#define RING_PLATEAU_SM70  1.9
#define PLATEAU_BYTES      64.0 /* per step and channel */
#define FLUSH_PER_SIMPLE   3.0  /* netOverhead: a Simple step pays it three times */
#define TREE_LATENCY_219   28.0 /* Simple trees from 2.19 to 2.22 */
#define NVLS_LATENCY       25.0
#define NVLS_LATENCY_220   23.0
#define NVLSTREE_STEP      20.9
#define NVLSTREE_STEP_2803 14.0 /* up to 2.28.3 */
#define EFA_LATENCY        75.0 /* aws-ofi-nccl, src/platform-aws.c: p4d, p4de */
#define PAT_LATENCY        8.0
#define PAT_STEP           (14.0 / 3.5)
#define PAT_RANK           2.8

/* ---- the same: times ------------------------------------------------------------------------- */

struct tuning {
    const struct hs_nccl_call *call;
    struct hs_nccl_graph graph;
    int row, size;
    double domains, gpus, ranks;
    double passes, steps; /* of a ring */
    double bus_GBps;
    double ll_most, overhead_us;
};

static struct tuning tuning_of(const struct hs_nccl_call *call)
{
    const struct hs_shape *shape = &call->shape;
    int capability = shape->parts.gpu.capability;
    bool one = shape->domains == 1, amd = shape->parts.gpu.cpu == HS_CPU_AMD;
    struct tuning t = {.call = call,
                       .graph = hs_nccl_graph(shape),
                       .row = capability < 80    ? 0
                              : capability < 90  ? 1
                              : capability < 100 ? 2
                                                 : 3,
                       .size = one                   ? 0
                               : shape->domains == 2 ? 1
                                                     : 2,
                       .domains = (double)shape->domains,
                       .gpus = (double)shape->gpus,
                       .ranks = (double)shape->ranks,
                       .passes = hs_library_call_passes[call->kind]};

    t.steps = t.passes * (t.ranks - 1);
    t.bus_GBps = t.graph.channels * t.graph.ring_GBps;
    t.ll_most = ll_most[!one ? amd : t.row == 2 && call->version < V(2, 21, 0) ? 1 : t.row][t.size];
    t.overhead_us = one ? 0 : amd ? 2 : 1;
    return t;
}

/* floor(log2): levels of a tree over nodes. */
static double tree_levels(const struct tuning *t)
{
    return floor(log2(t->domains));
}

static bool board(const struct tuning *t)
{
    return t->call->shape.parts.gpu.generation == HS_GPU_BOARD;
}

static struct hs_nccl_choice choice_of(const struct tuning *t, enum hs_nccl_algorithm algorithm,
                                       enum hs_nccl_protocol protocol, double latency_us,
                                       double GBps)
{
    return (struct hs_nccl_choice){algorithm, protocol,
                                   (latency_us + t->call->bytes / (1000 * GBps)) * 1e-6};
}

/* Of one channel: the table, but for Blackwell, whose figures changed three times. */
static double ring_ll128_most(const struct tuning *t)
{
    int version = t->call->version;

    if (t->row < ROWS - 1 || version >= V(2, 29, 7))
        return ring_ll128[t->row][t->size];
    if (version >= V(2, 29, 0))
        return t->size == 1 ? RING_LL128_TWO : RING_LL128_229;
    return version >= V(2, 28, 9) && t->size == 1 ? RING_LL128_TWO : RING_LL128_228;
}

static double ring_GBps(const struct tuning *t, enum hs_nccl_protocol protocol)
{
    int version = t->call->version;
    double ll = t->domains > 1 || t->passes > 1 ? LL_DATA_220 : LL_DATA_220_ONCE;
    double ll128 = version < V(2, 23, 0) && t->gpus < 2 ? LL128_DATA_222 : LL128_DATA;

    if (protocol == HS_NCCL_LL)
        return fmin(t->ll_most, t->bus_GBps * (version >= V(2, 21, 0) ? LL_DATA : ll));
    if (protocol == HS_NCCL_LL128)
        return fmin(t->bus_GBps * ll128, t->graph.channels * ring_ll128_most(t));
    return t->bus_GBps;
}

/* A step over the network by the protocol: NCCL's figure, and the latency that the network's plugin
 * declares (graph->latencyInter), of Simple, which flushes, twice. All but EFA's declare 0; where
 * that has a tuner of its own, from p5 on, no figure of NCCL's decides. */
static double network_us(const struct tuning *t, double table, enum hs_nccl_protocol protocol)
{
    bool p4 = t->call->shape.parts.nic.class == HS_NIC_EFA && t->row < 2;

    return table + (p4 ? EFA_LATENCY * (protocol == HS_NCCL_SIMPLE ? 2 : 1) : 0);
}

/* Steps of a ring that leave a node. */
static double crossing_steps(const struct tuning *t)
{
    if (t->domains < 2)
        return 0;
    if (t->call->version >= V(2, 23, 0))
        return t->passes * (t->domains - 1);
    return t->passes > 1 ? 2 * t->domains : t->domains - 1;
}

static struct hs_nccl_choice ring_choice(const struct tuning *t, enum hs_nccl_protocol protocol)
{
    bool simple = protocol == HS_NCCL_SIMPLE;
    bool like_tree = t->gpus < 2 && t->call->version >= V(2, 23, 0);
    double hop = fmax((board(t) ? pcie_ring : nvlink_ring)[protocol],
                      t->overhead_us * (simple ? FLUSH_PER_SIMPLE : 1));
    double net = network_us(t, (like_tree ? net_tree : net_ring)[protocol], protocol),
           crossing = crossing_steps(t);
    double latency = base_ring[protocol] + (t->steps - crossing) * hop + crossing * net;

    if (simple && t->domains > 1 && t->passes > 1 &&
        t->call->bytes / (2 * t->graph.channels * t->ranks) >= PLATEAU_BYTES)
        latency *= t->row > 0 ? RING_PLATEAU : RING_PLATEAU_SM70;
    return choice_of(t, HS_NCCL_RING, protocol, latency,
                     ring_GBps(t, protocol) * t->ranks / t->steps);
}

/* Of so many powers of two. */
static double tree_correction(double bytes, enum hs_nccl_protocol protocol, int powers)
{
    int power = bytes < 64 ? 0 : (int)floor(log2(bytes / 64));

    return power < powers ? corrections[protocol][power] : 1;
}

static double tree_GBps(const struct tuning *t, enum hs_nccl_protocol protocol)
{
    int channels = t->graph.channels;
    double speed = t->domains <= 2 ? t->graph.tree_GBps : t->graph.ring_GBps;
    bool old = t->row == ROWS - 1 && t->call->version < V(2, 28, 0);
    double most = old ? tree_most_227[t->size] : tree_most[t->row][t->size];
    double ll128 = old ? tree_ll128_227[t->size] : tree_ll128[t->row][t->size];
    double bus = fmin(channels * speed * TREE_DATA, channels * most);

    if (protocol == HS_NCCL_LL)
        bus = fmin(bus * TREE_LL_DATA, t->ll_most);
    if (protocol == HS_NCCL_LL128)
        bus = fmin(bus * (t->domains < 2 ? TREE_LL128_ONE : TREE_LL128_DATA), channels * ll128);
    if (t->gpus < 2 || (t->row >= 2 && t->domains > 1))
        bus *= TREE_SIMPLE;
    return bus * tree_correction(t->call->bytes, protocol, TREE_CORRECTIONS);
}

static struct hs_nccl_choice tree_choice(const struct tuning *t, enum hs_nccl_protocol protocol)
{
    int version = t->call->version;
    bool simple = protocol == HS_NCCL_SIMPLE;
    double hop = (board(t) ? pcie_tree : nvlink_tree)[protocol],
           net = network_us(t, net_tree[protocol], protocol);
    double base = simple && version < V(2, 23, 0) ? 0 : base_tree[protocol];

    if (simple && version >= V(2, 19, 0) && version < V(2, 23, 0)) {
        hop = TREE_LATENCY_219;
        net = network_us(t, hop, protocol);
    }
    return choice_of(t, HS_NCCL_TREE, protocol,
                     base + 2 * ((t->gpus - 1) * hop + tree_levels(t) * net),
                     tree_GBps(t, protocol) / 2);
}

static struct hs_nccl_choice nvls_choice(const struct tuning *t)
{
    int version = t->call->version;
    const double *speeds = speeds_inside[speed_list(&t->call->shape)];
    double nvlink = t->call->shape.nvlink_GBps, heads = fmin(CHANNELS_MAX, t->gpus);
    double others = (t->gpus - 1) / t->gpus;
    double speed = fastest(speeds, spread_GBps(&t->call->shape) / heads, nvlink, nvlink / heads);
    double bus;

    if (version >= V(2, 28, 0)) {
        bus = speed * nvls_efficiency[t->row] * (heads - 1) / heads;
        if (t->passes > 1)
            bus = fmin(2 * bus, next_faster(speeds, speed)) * t->ranks / t->steps;
        else
            bus *= others;
        bus *= heads;
    } else if (t->passes > 1) {
        bus = heads * speed * NVLS_DATA_227;
    } else {
        bus = heads * speed * fmin(others, NVLS_GATHER_227);
    }
    return choice_of(t, HS_NCCL_NVLS, HS_NCCL_SIMPLE,
                     version < V(2, 21, 0) ? NVLS_LATENCY_220 : NVLS_LATENCY, bus);
}

/* GPUs of a node that leave it: one per NIC. */
static double nvlstree_heads(const struct tuning *t)
{
    return fmin(CHANNELS_MAX, fmax(1, rint(t->call->shape.nics)));
}

/* Of one head; `net` is what it has of the network. */
static double nvlstree_GBps(const struct tuning *t, double heads, double net)
{
    int version = t->call->version;
    const double *speeds = speeds_between[speed_list(&t->call->shape)];
    /* a GPU's links carry its own head besides all (2.27.5's log of two nodes of 8 H100) */
    double speed = fastest(speeds, 2 * net, t->call->shape.nvlink_GBps / (heads + 1), net);
    double two = t->domains <= 2 ? 2 : 1, most = nvlstree_most[t->row][t->size], correction = 1;

    if (version >= V(2, 28, 0)) {
        if (version < V(2, 30, 0) && t->row == 3 && t->size == 2)
            most = version < V(2, 28, 9) ? NVLSTREE_MOST_2287 : NVLSTREE_MOST_228;
        if (version >= V(2, 29, 0) && t->row == 3 && t->call->shape.parts.gpu.cpu != HS_CPU_ARM)
            correction = tree_correction(t->call->bytes, HS_NCCL_SIMPLE, CORRECTIONS);
        return correction *
               fmin(fmin(speed * nvls_efficiency[t->row] * (heads - 1) / heads * 2, net * two),
                    most) *
               t->ranks / t->steps;
    }
    return fmin(speed, net * two / 2) *
           (version >= V(2, 19, 0) ? NVLS_DATA_227
                                   : NVLSTREE_DATA_218 * t->domains / (2 * (t->domains - 1)));
}

static struct hs_nccl_choice nvlstree_choice(const struct tuning *t)
{
    double heads = nvlstree_heads(t), net = t->bus_GBps / heads;
    double step = network_us(t, t->call->version > V(2, 28, 3) ? NVLSTREE_STEP : NVLSTREE_STEP_2803,
                             HS_NCCL_SIMPLE);

    return choice_of(t, HS_NCCL_NVLSTREE, HS_NCCL_SIMPLE, NVLS_LATENCY + 2 * tree_levels(t) * step,
                     nvlstree_GBps(t, heads, net) * heads);
}

static struct hs_nccl_choice pat_choice(const struct tuning *t)
{
    return choice_of(t, HS_NCCL_PAT, HS_NCCL_SIMPLE,
                     PAT_LATENCY +
                         tree_levels(t) * network_us(t, PAT_STEP * 3.5, HS_NCCL_SIMPLE) / 3.5 +
                         t->ranks * PAT_RANK,
                     t->bus_GBps * (t->call->version < V(2, 24, 0) ? PAT_DATA_223 : PAT_DATA));
}

#define FLOAT8_RING_RANKS 8
#define FLOAT8_RING_TIMES 1024.0

/* ---- which there are, and which is taken ----------------------------------------------------- */

/* ncclNvlsSupported: the switch adds, and finds the largest of halves and whole numbers; an average
 * is a sum with a factor, which it does not know, and of one byte it knows no number. */
static bool switch_reduces(const struct hs_nccl_call *call)
{
    const struct hs_nccl_use *use = &call->use;
    bool is_float = use->datatype == HS_FLOAT32 || use->datatype == HS_FLOAT64;

    if (call->kind == HS_CALL_ALLGATHER)
        return true;
    return hs_datatype_bytes(use->datatype) > 1 &&
           (use->operation == HS_SUM || (use->operation == HS_MAX && !is_float));
}

/* updateCollCostTable: rings of many ranks would add too many roundings of 8 bits. */
static double wanted_seconds(const struct hs_nccl_call *call, const struct hs_nccl_choice *choice)
{
    bool rounds = call->use.datatype == HS_FLOAT8 && call->kind != HS_CALL_ALLGATHER &&
                  choice->algorithm == HS_NCCL_RING && call->shape.ranks > FLOAT8_RING_RANKS;

    return choice->modelled_seconds * (rounds ? FLOAT8_RING_TIMES : 1);
}

static bool has_nvls(const struct tuning *t)
{
    bool many = t->gpus > NVLS_ARITY || (t->call->version < V(2, 27, 0) && t->ranks > NVLS_ARITY);

    if (!t->call->shape.parts.gpu.nvls || t->gpus < 2 || (t->passes < 2 && many) ||
        !switch_reduces(t->call))
        return false;
    return t->domains < 2 || (t->passes > 1 && nvlstree_heads(t) >= 2);
}

/* Its reduce-scatter has no factor, either. */
static bool has_pat(const struct tuning *t)
{
    if (t->call->kind == HS_CALL_REDUCE_SCATTER && t->call->use.operation == HS_AVERAGE)
        return false;
    return t->passes == 1 && t->gpus < 2 && t->domains > 1 && t->call->version >= V(2, 23, 0);
}

size_t hs_nccl_choices(struct hs_nccl_choice out[HS_NCCL_CHOICES_MAX],
                       const struct hs_nccl_call *call)
{
    struct tuning t = tuning_of(call);
    size_t count = 0;

    if (call->kind == HS_CALL_ALLTOALL) {
        out[0] = (struct hs_nccl_choice){HS_NCCL_DIRECT, HS_NCCL_SIMPLE, 0};
        return 1;
    }
    for (int p = 0; p < HS_NCCL_PROTOCOL_COUNT; p++) {
        if (p == HS_NCCL_LL128 && (board(&t) || call->shape.behind))
            continue;
        out[count++] = ring_choice(&t, (enum hs_nccl_protocol)p);
        if (call->kind == HS_CALL_ALLREDUCE)
            out[count++] = tree_choice(&t, (enum hs_nccl_protocol)p);
    }
    if (has_nvls(&t))
        out[count++] = call->shape.domains < 2 ? nvls_choice(&t) : nvlstree_choice(&t);
    if (has_pat(&t))
        out[count++] = pat_choice(&t);
    return count;
}

static bool before(const struct hs_nccl_call *call, const struct hs_nccl_choice *a,
                   const struct hs_nccl_choice *b)
{
    double seconds = wanted_seconds(call, a), others = wanted_seconds(call, b);

    if (seconds != others)
        return seconds < others;
    return a->algorithm != b->algorithm ? a->algorithm < b->algorithm : a->protocol < b->protocol;
}

bool hs_nccl_choose(struct hs_nccl_choice *out, const struct hs_nccl_call *call, unsigned among)
{
    struct hs_nccl_choice choices[HS_NCCL_CHOICES_MAX];
    size_t count = hs_nccl_choices(choices, call);
    bool found = hs_nccl_choose_registered(out, call) && ((among >> out->algorithm) & 1) != 0;

    for (size_t i = 0; i < count && (!found || out->algorithm < HS_NCCL_SYMMETRIC); i++)
        if (((among >> choices[i].algorithm) & 1) != 0 &&
            (!found || before(call, &choices[i], out))) {
            *out = choices[i];
            found = true;
        }
    return found;
}

/* ---- src/enqueue.cc -------------------------------------------------------------------------- */

#define CHUNK_LL          32768.0
#define CHUNK_LL128_MOST  576000.0
#define CHUNK_LL128_LARGE 131072.0
#define CHUNK_LL128_SMALL 32768.0
#define CHUNK_SIMPLE_MOST 524288.0

/* Halved while there are fewer than `wanted` chunks, down to `least`. */
static double halve(double chunk, double channel_bytes, double wanted, double least)
{
    while (floor(channel_bytes / chunk) < wanted && chunk > least)
        chunk /= 2;
    return chunk;
}

static double chunk_ll128(double channel_bytes, double gpus, double levels)
{
    double steps = 1 + levels + 0.1 * gpus;
    double chunk = halve(CHUNK_LL128_MOST, channel_bytes, steps * 64 / gpus, CHUNK_LL128_LARGE);

    return halve(chunk, channel_bytes, steps * 16 / gpus, CHUNK_LL128_SMALL);
}

static double chunk_simple(double channel_bytes, double depth, int version)
{
    double chunk = CHUNK_SIMPLE_MOST;

    if (version >= V(2, 20, 0))
        return chunk;
    chunk = halve(chunk, channel_bytes, depth * 8, 131072);
    chunk = halve(chunk, channel_bytes, depth * 4, 65536);
    return halve(chunk, channel_bytes, depth, 32768);
}

double hs_nccl_tree_chunk(const struct hs_nccl_call *call, enum hs_nccl_protocol protocol)
{
    struct hs_nccl_graph graph = hs_nccl_graph(&call->shape);
    double bytes = call->bytes / hs_nccl_kernel_channels(&graph);
    double gpus = (double)call->shape.gpus, levels = floor(log2((double)call->shape.domains));

    if (protocol == HS_NCCL_LL)
        return CHUNK_LL;
    if (protocol == HS_NCCL_LL128)
        return chunk_ll128(bytes, gpus, levels);
    return chunk_simple(bytes, gpus - 1 + levels, call->version);
}

/* ---- NCCL_ALGO ------------------------------------------------------------------------------- */

/* The algorithm that a word names; no kernel of registered buffers, which it does not know. */
static unsigned algorithm_bit(const char *word, size_t length)
{
    for (int a = 0; a < HS_NCCL_ALGORITHM_COUNT; a++) {
        const char *name = hs_nccl_algorithm_names[a];

        if (strlen(name) == length && strncasecmp(word, name, length) == 0)
            return 1U << a;
    }
    return 0;
}

unsigned hs_nccl_algorithms(const char *text)
{
    unsigned among = 0;

    for (size_t length; *text; text += length + (text[length] == ',')) {
        unsigned bit;

        length = strcspn(text, ", \t\r\n");
        bit = algorithm_bit(text, length);
        if (bit == 0)
            return 0;
        among |= bit;
        if (text[length] != ',')
            break;
    }
    return among;
}
