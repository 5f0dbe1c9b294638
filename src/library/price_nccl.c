/*
 * Microseconds, and bytes per microsecond, as the constants are.
 */
#include "library/price_nccl.h"

#include <math.h>
#include <stdlib.h>

#include "base/powers.h"
#include "library/constants_nccl.h"
#include "system/link_rates.h"

#define COUNT_OF(list) (sizeof(list) / sizeof(*(list)))

#define PER_GB 1e3 /* bytes per us of a GB/s */
#define PER_MB 1e6

/* Fixed, beside the constants. */
#define TREE_OF_LINE         0.90
#define NVLSTREE_OF_LINE     0.95
#define LL_OF_LINE           0.5 /* a flag with every 4 bytes */
#define GROW_DOUBLINGS       4.0 /* from 2 to 32 nodes; then rates fall no more */
#define GROW_DOUBLINGS_LL128 3.0
#define NODE_GPUS            8 /* at most, of one node */
#define SHORT_BYTES          1024.0
#define FAST_SLOT_GBPS       30.0 /* from PCIe 5 on the host path of LL is twice as fast */
/* Boards behind switches (1 board, two arrangements) and without peer access (2 nodes): of the
 * exponent that a node of which nothing is said has, and of the slot's rate. */
#define SWITCH_SHARE 0.0544
#define HOST_SHARE   0.21
#define HOST_RATE    0.1436
#define FULL_SLOT    0.9 /* of the slot: then NIC and GPU share it both ways */

static const struct hs_constant rows[HS_NCCL_K_COUNT] = {
#define HS_ROW(name, text, unit, prior, deviation, family, fitted, width, meaning)                 \
    {text, unit, prior, deviation, family, fitted, width, meaning},
    HS_NCCL_CONSTANTS(HS_ROW)
#undef HS_ROW
};

/* What is asked, whatever the constants. */
struct asked {
    struct hs_nccl_run run;
    double bytes, domains, gpus, ranks, passes;
    double least;  /* GPUs of the narrowest domain, by which all leave it */
    double levels; /* of a tree over the domains: log2 */
    double longer; /* LL: doublings of a piece beyond 512 B, 0 to 3 */
};

/* What a call costs before its first step. */
struct first {
    double us, threads, several, clock; /* with LL's threads, domains, and a clock of the host */
};

/* A ring's step: latency and slowest rate. */
struct ring {
    double q, inverse_q, latency_q; /* latency^q */
    double rate;
    double own, full; /* of a piece; rate of the links inside */
};

/* What all algorithms are made of, whatever the bytes. */
struct pace {
    const struct asked *of;
    const double *k; /* values of the constants */
    struct first first;
    double ramp_bytes; /* of Simple */
    double fill;       /* once, us */
    struct ring ring;  /* where that runs */
    double hop, net;   /* a step inside and between nodes, us */
    double inside;     /* rate of a GPU inside */
    double line;       /* rate of the NICs of a node, Simple */
    double out;        /* the same, of the protocol */
};

static enum hs_gpu_generation generation_of(const struct pace *p)
{
    return p->of->run.call.shape.parts.gpu.generation;
}

/* The generation's member of the family that begins there. */
static double of_generation(const struct pace *p, enum hs_nccl_constant first)
{
    return p->k[first + generation_of(p)];
}

static double of_class(const struct pace *p, enum hs_nccl_constant first)
{
    return p->k[first + p->of->run.call.shape.parts.nic.class];
}

static enum hs_nccl_protocol protocol_of(const struct pace *p)
{
    return p->of->run.choice.protocol;
}

static bool is_simple(const struct pace *p)
{
    return protocol_of(p) == HS_NCCL_SIMPLE;
}

static double clamp(double value, double most)
{
    return fmin(most, fmax(0, value));
}

/* Doublings of the nodes beyond two. */
static double doublings(const struct pace *p)
{
    return log2(fmax(p->of->domains, 2)) - 1;
}

/* ---- ingredients ----------------------------------------------------------------------------- */

static struct first first_of(const struct pace *p)
{
    bool threads = protocol_of(p) == HS_NCCL_LL;
    enum hs_nccl_algorithm algorithm = p->of->run.choice.algorithm;
    double clock = p->of->run.host_clock ? p->k[HS_NCCL_K_CALL_TORCH] : 0;

    if (algorithm == HS_NCCL_COPY)
        return (struct first){.us = p->k[HS_NCCL_K_COPY_CALL], .clock = clock};
    if (algorithm == HS_NCCL_SYMMETRIC || algorithm == HS_NCCL_RAIL)
        return (struct first){.us = p->k[HS_NCCL_K_SYM_CALL] *
                                    (p->of->run.graph ? p->k[HS_NCCL_K_SYM_GRAPH] : 1),
                              .clock = clock};
    return (struct first){.us = of_generation(p, HS_NCCL_K_CALL_A),
                          .threads = threads ? p->k[HS_NCCL_K_CALL_THREADS] : 0,
                          .several = p->of->domains > 1 ? p->k[HS_NCCL_K_CALL_MULTI] : 0,
                          .clock = clock};
}

/* LL takes more threads per channel for pieces of 512 B to 4 KiB. */
static double call_us(const struct pace *p)
{
    return p->first.us * (1 + p->first.threads * p->of->longer / 3) + p->first.several +
           p->first.clock;
}

static double fill_us(const struct pace *p)
{
    if (protocol_of(p) == HS_NCCL_LL)
        return 0;
    return is_simple(p) ? of_generation(p, HS_NCCL_K_FILL_SIMPLE_A) : p->k[HS_NCCL_K_FILL_LL128];
}

static double hop_us(const struct pace *p)
{
    double us = protocol_of(p) == HS_NCCL_LL      ? of_generation(p, HS_NCCL_K_HOP_LL_A)
                : protocol_of(p) == HS_NCCL_LL128 ? p->k[HS_NCCL_K_HOP_LL128]
                                                  : of_generation(p, HS_NCCL_K_HOP_SIMPLE_A);

    return us * (p->of->domains > 1 ? p->k[HS_NCCL_K_HOP_MULTI] : 1);
}

static double net_us(const struct pace *p)
{
    return (p->k[HS_NCCL_K_NET_LL + protocol_of(p)] + of_class(p, HS_NCCL_K_NIC_IB)) *
           (1 + p->k[HS_NCCL_K_GROW_NET] * doublings(p));
}

/* The part of a rate that is data. */
static double data_part(const struct pace *p)
{
    if (protocol_of(p) == HS_NCCL_LL)
        return p->k[HS_NCCL_K_PART_LL];
    return is_simple(p) ? 1 : p->k[HS_NCCL_K_PART_LL128];
}

/* Boards share the paths between their slots: with switches hardly, without peer access those
 * through the host's memory, else nobody knows. */
static double nvlink_rate(const struct pace *p)
{
    double rate = p->of->run.call.shape.nvlink_GBps * PER_GB;

    double pairs = fmax(p->of->gpus, 2) / 2;

    if (generation_of(p) != HS_GPU_BOARD)
        return rate;
    switch (p->of->run.call.shape.parts.paths) {
    case HS_PATHS_SWITCH:
        return rate / pow(pairs, SWITCH_SHARE * p->k[HS_NCCL_K_PCIE_SHARE]);
    case HS_PATHS_HOST:
        return rate * HOST_RATE / pow(pairs, HOST_SHARE * p->k[HS_NCCL_K_PCIE_SHARE]);
    case HS_PATHS_UNSAID:
        break;
    }
    return rate / pow(pairs, p->k[HS_NCCL_K_PCIE_SHARE]);
}

/* Of all blocks of a GPU's kernel. */
static double blocks_rate(const struct pace *p)
{
    return p->of->run.blocks_GBps > 0 ? p->of->run.blocks_GBps * PER_GB : INFINITY;
}

static double nics_rate(const struct pace *p)
{
    const struct hs_shape *shape = &p->of->run.call.shape;

    double line = shape->nics * shape->parts.nic.line_GBps;
    double slots = (double)shape->least * shape->parts.gpu.slot_GBps * HS_SLOT_PEAK;

    return fmax(1, fmin(line, slots) * shape->network_share * PER_GB);
}

static double line_rate(const struct pace *p)
{
    const struct hs_shape *shape = &p->of->run.call.shape;
    double rate = nics_rate(p) * of_class(p, HS_NCCL_K_EFF_IB);

    rate *= pow(1 + p->k[HS_NCCL_K_GROW], -fmin(doublings(p), GROW_DOUBLINGS));
    if (shape->least == 1 &&
        shape->nics * shape->parts.nic.line_GBps > FULL_SLOT * shape->parts.gpu.slot_GBps)
        rate *= p->k[HS_NCCL_K_ONE];
    return shape->behind ? rate * p->k[HS_NCCL_K_BEHIND] : rate;
}

/* LL writes to memory of the host, from where a thread sends. */
static double host_rate(const struct pace *p)
{
    const struct hs_shape *shape = &p->of->run.call.shape;
    double fast = shape->parts.gpu.slot_GBps > FAST_SLOT_GBPS ? 2 : 1;

    return p->k[HS_NCCL_K_HOST_LL] * PER_GB * fast *
           pow(fmax(1, shape->nics), p->k[HS_NCCL_K_HOST_LL_EXP]);
}

static double out_rate(const struct pace *p)
{
    double fall = fmin(doublings(p), GROW_DOUBLINGS_LL128);

    if (protocol_of(p) == HS_NCCL_LL)
        return fmin(host_rate(p), LL_OF_LINE * p->line);
    if (is_simple(p))
        return p->line;
    return p->k[HS_NCCL_K_NET_PART_LL128] * p->line * pow(1 + p->k[HS_NCCL_K_GROW_LL128], -fall);
}

static double ramped(double bytes, double ramp_bytes)
{
    return bytes + sqrt(ramp_bytes * bytes);
}

static double ramp_bytes(const struct pace *p)
{
    if (!is_simple(p))
        return 0;
    return PER_MB *
           (p->of->domains > 1 ? p->k[HS_NCCL_K_RAMP] : of_generation(p, HS_NCCL_K_RAMP_IN_A));
}

/* Bytes, and what Simple loses until it is at its rate. */
static double ramped_bytes(const struct pace *p)
{
    return ramped(p->of->bytes, p->ramp_bytes);
}

static bool is_short(const struct asked *of)
{
    return of->run.choice.protocol == HS_NCCL_LL && of->bytes < SHORT_BYTES && of->gpus > 1;
}

static struct ring ring_of(const struct pace *p)
{
    const struct asked *of = p->of;
    double few = is_short(of) ? p->k[HS_NCCL_K_SHORT] : 1;
    double latency = p->hop;
    struct ring ring = {.q = p->k[is_simple(p) ? HS_NCCL_K_Q_SIMPLE : HS_NCCL_K_Q_LL],
                        .rate = p->inside,
                        .own = p->k[HS_NCCL_K_OWN],
                        .full = of->run.call.shape.parts.gpu.nvlink_GBps * PER_GB * data_part(p)};

    if (of->domains > 1) {
        latency = ((of->ranks - of->domains) * p->hop + of->domains * p->net * few) / of->ranks;
        ring.rate = fmin(p->inside, p->out);
    }
    ring.inverse_q = 1 / ring.q;
    ring.latency_q = pow(latency, ring.q);
    return ring;
}

static struct asked asked_of(const struct hs_nccl_run *run)
{
    const struct hs_shape *shape = &run->call.shape;
    struct asked of = {.run = *run,
                       .bytes = run->call.bytes,
                       .domains = (double)shape->domains,
                       .gpus = (double)shape->gpus,
                       .least = (double)shape->least,
                       .ranks = (double)shape->ranks,
                       .passes = hs_library_call_passes[run->call.kind],
                       .levels = log2((double)shape->domains)};

    if (run->choice.protocol == HS_NCCL_LL)
        of.longer = clamp(log2(fmax(1, of.bytes / of.ranks) / 512), 3);
    return of;
}

static struct pace pace_of(const struct asked *of, const double *values)
{
    struct pace p = {.of = of, .k = values};

    p.first = first_of(&p);
    p.ramp_bytes = ramp_bytes(&p);
    p.fill = fill_us(&p);
    p.hop = hop_us(&p);
    p.net = net_us(&p);
    p.inside =
        fmin(nvlink_rate(&p) * of_generation(&p, HS_NCCL_K_EFF_A) * data_part(&p), blocks_rate(&p));
    p.line = line_rate(&p);
    p.out = out_rate(&p);
    if (of->run.choice.algorithm == HS_NCCL_RING)
        p.ring = ring_of(&p);
    return p;
}

/* ---- algorithms: us beside the call itself --------------------------------------------------- */

/* What a piece takes at the slowest link. */
static double ring_moving(const struct pace *p)
{
    return ramped_bytes(p) / p->of->ranks / p->ring.rate;
}

/* Of steps that take so long. */
static double ring_steps(const struct pace *p, double step)
{
    const struct asked *of = p->of;

    return p->fill + of->passes * (of->ranks - 1) * step +
           p->ring.own * (of->bytes / of->ranks) / p->ring.full;
}

/* Each step the mean of its hops, and a piece at the slowest link. */
static double ring_us(const struct pace *p)
{
    const struct ring *ring = &p->ring;

    return ring_steps(p, pow(ring->latency_q + pow(ring_moving(p), ring->q), ring->inverse_q));
}

/* In a tree over more than two nodes a node in the middle sends everything twice. */
static double tree_load(const struct pace *p)
{
    return p->of->domains > 2 ? 2 : 1;
}

/* The first chunk goes up and down step after step, the rest behind it at the slowest link. */
static double tree_us(const struct pace *p)
{
    double chunk = fmin(p->of->bytes, p->of->run.chunk_bytes), rest = p->of->bytes - chunk;
    double out = p->out * TREE_OF_LINE, stream = 2 * rest / p->inside;
    double us = p->fill + 2 * (p->of->gpus - 1) * (p->hop + (is_simple(p) ? chunk / p->inside : 0));

    if (p->of->domains < 2)
        return us + stream;
    us += 2 * floor(p->of->levels) * (p->net + chunk / out);
    if (!is_simple(p))
        us += rest / chunk * p->k[HS_NCCL_K_TREE_CHUNK] * p->net;
    return us + fmax(stream, tree_load(p) * rest / out);
}

/* Of a GPU at a switch that reduces. */
static double switch_rate(const struct pace *p)
{
    enum hs_gpu_generation generation = generation_of(p);
    double part = generation == HS_GPU_HOPPER      ? p->k[HS_NCCL_K_NVLS_EFF_H]
                  : generation == HS_GPU_BLACKWELL ? p->k[HS_NCCL_K_NVLS_EFF_B]
                                                   : 1;

    return p->of->run.call.shape.nvlink_GBps * PER_GB * part;
}

/* An allreduce takes each byte once, and the n / u that a GPU reduces once more. */
static double switch_us(const struct pace *p)
{
    return (p->of->passes > 1 ? 1 + 1 / p->of->gpus : 1) *
           ramped(p->of->bytes, p->k[HS_NCCL_K_NVLS_RAMP] * p->of->gpus / 8 * PER_MB) /
           switch_rate(p);
}

static double nvls_us(const struct pace *p)
{
    return p->k[HS_NCCL_K_NVLS] + switch_us(p);
}

static double nvlstree_us(const struct pace *p)
{
    double rack = p->of->gpus > NODE_GPUS ? p->k[HS_NCCL_K_NVLSTREE_RACK] : 1;
    double step = p->k[HS_NCCL_K_NVLSTREE] * rack + of_class(p, HS_NCCL_K_NIC_IB);
    double out = tree_load(p) * ramped_bytes(p) / (p->line * NVLSTREE_OF_LINE);

    return p->k[HS_NCCL_K_NVLS] + 2 * p->of->levels * step +
           fmax(out, switch_us(p) / p->k[HS_NCCL_K_NVLSTREE_IN]);
}

static double pat_us(const struct pace *p)
{
    return p->fill + p->of->levels * p->net + p->of->bytes / fmin(p->out, blocks_rate(p));
}

/* All at once: what stays inside beside what leaves. From 4 to 32 KiB per peer a call costs more.
 */
static double direct_us(const struct pace *p)
{
    double piece = p->of->bytes / p->of->ranks, others = p->of->gpus - 1,
           far = p->of->ranks - p->of->least;
    double bytes = ramped(p->of->bytes, of_generation(p, HS_NCCL_K_RAMP_IN_A) * PER_MB);
    double inside =
        (p->of->gpus - 1) / p->of->ranks * bytes / (nvlink_rate(p) * p->k[HS_NCCL_K_A2A_EFF]);
    double sent = ramped(piece, p->k[HS_NCCL_K_A2A_RAMP] * PER_MB); /* to each peer, in effect */
    double outside = p->of->domains > 1
                         ? p->of->least * far * sent / (nics_rate(p) * p->k[HS_NCCL_K_A2A_NET])
                         : 0;

    return (p->k[HS_NCCL_K_A2A_CALL] - 1) * call_us(p) + p->k[HS_NCCL_K_A2A_PEER] * others +
           p->k[HS_NCCL_K_A2A_PEER_NET] * far +
           p->k[HS_NCCL_K_A2A_LARGE] * clamp(log2(fmax(1, piece) / 4096) / 3, 1) +
           fmax(inside, outside) +
           of_generation(p, HS_NCCL_K_A2A_OWN_A) * piece /
               (p->of->run.call.shape.parts.gpu.nvlink_GBps * PER_GB);
}

/* ---- kernels of registered buffers, which copy nothing ---- */

/* LL writes all that a GPU has to all others, which reduce it for themselves; else each reduces its
 * own part where the others have it, and writes it to them: the switch, where it can. */
static double symmetric_us(const struct pace *p)
{
    const struct asked *of = p->of;
    bool all = of->passes > 1, multicasts = hs_nccl_multicasts(&of->run.call);
    double others = of->ranks - 1, sent = of->passes * others / of->ranks;

    if (!is_simple(p))
        return (all ? others : others / of->ranks) * of->bytes / p->inside;
    if (multicasts)
        sent = all ? 1 + 1 / of->gpus : 1;
    return p->k[HS_NCCL_K_SYM_TWICE] +
           sent * ramped(of->bytes, of_generation(p, HS_NCCL_K_RAMP_IN_A) * PER_MB) /
               (multicasts ? switch_rate(p) * p->k[HS_NCCL_K_SYM_PART] : p->inside);
}

/* An allgather goes around each rail, and from each GPU to its domain; a reduce-scatter to each of
 * a rail at once. */
static double rail_us(const struct pace *p)
{
    const struct asked *of = p->of;
    double steps = of->run.call.kind == HS_CALL_ALLGATHER ? of->domains - 1 : 1;
    double inside =
        hs_nccl_multicasts(&of->run.call) ? switch_rate(p) * p->k[HS_NCCL_K_SYM_PART] : p->inside;

    return p->k[HS_NCCL_K_SYM_TWICE] +
           steps * (p->k[HS_NCCL_K_RAIL_STEP] + of_class(p, HS_NCCL_K_NIC_IB)) +
           fmax(of->gpus > 1 ? of->bytes / inside : 0,
                (1 - 1 / of->domains) * ramped_bytes(p) / p->line);
}

static double copy_us(const struct pace *p)
{
    const struct asked *of = p->of;

    return (1 - 1 / of->ranks) * of->bytes / (nvlink_rate(p) * p->k[HS_NCCL_K_COPY_PART]);
}

static double (*const algorithms[HS_NCCL_KERNEL_COUNT])(const struct pace *) = {
    [HS_NCCL_RING] = ring_us,           [HS_NCCL_TREE] = tree_us, [HS_NCCL_NVLS] = nvls_us,
    [HS_NCCL_NVLSTREE] = nvlstree_us,   [HS_NCCL_PAT] = pat_us,   [HS_NCCL_DIRECT] = direct_us,
    [HS_NCCL_SYMMETRIC] = symmetric_us, [HS_NCCL_RAIL] = rail_us, [HS_NCCL_COPY] = copy_us,
};

static double seconds_at(const struct pace *p, double us)
{
    return (call_us(p) + us) * 1e-6;
}

static double seconds_of(const void *call, const double *values)
{
    struct asked of = asked_of(call);
    struct pace p = pace_of(&of, values);

    return seconds_at(&p, algorithms[of.run.choice.algorithm](&p));
}

const struct hs_price_model hs_nccl_price_model = {
    .constants = rows, .count = HS_NCCL_K_COUNT, .scatter = 0.12, .seconds = seconds_of};

double hs_nccl_blocks_at_work(const struct hs_nccl_graph *graph, const struct hs_gpu_blocks *known)
{
    double channels = hs_nccl_kernel_channels(graph);

    return known->at_once > 0 ? fmin(channels, (double)known->at_once) : channels;
}

struct hs_nccl_run hs_nccl_run(const struct hs_nccl_call *call, struct hs_nccl_choice choice)
{
    struct hs_nccl_graph graph = hs_nccl_graph(&call->shape);
    struct hs_nccl_run run = {.call = *call, .choice = choice};

    run.chunk_bytes = hs_nccl_kernel_channels(&graph) * hs_nccl_tree_chunk(call, choice.protocol);
    run.blocks_GBps =
        hs_nccl_blocks_at_work(&graph, &call->shape.parts.blocks) * call->shape.parts.blocks.GBps;
    return run;
}

/* ---- on machines drawn ---- */

/* A run on machines drawn. */
struct paces {
    struct asked of;
    struct pace each[];
};

static const double *constants_of_one(const struct hs_nccl_machines *machines, size_t i)
{
    const char *first = (const char *)machines->first;

    return ((const struct hs_nccl_machine *)(first + i * machines->apart))->own;
}

/* Their paces, kept or in `room`; NULL: out of memory. */
static const struct pace *paces_of(struct pace **room, const struct hs_nccl_machines *machines,
                                   int64_t stride, const struct asked *of)
{
    const struct hs_nccl_choice *choice = &of->run.choice;
    const struct hs_kept_name name = {
        .kind = HS_KEPT_NCCL_PACES,
        .group = {.ranks = choice->algorithm,
                  .stride = stride,
                  .size = choice->protocol,
                  .skips = {{of->run.call.shape.least, of->run.call.shape.ranks}}},
        .key = {.layer = {of->run.call.shape.gpus, of->run.call.shape.domains}},
        .detail = is_short(of)};
    size_t count = machines->count, bytes = count * sizeof(struct pace);
    struct paces *paces = hs_kept_find(machines->kept, &name);
    struct pace *each;

    if (paces) {
        paces->of = *of; /* which they lead to */
        return paces->each;
    }
    paces = hs_kept_add(machines->kept, &name, sizeof(*paces) + bytes);
    if (paces)
        paces->of = *of;
    each = paces ? paces->each : (*room = malloc(bytes + 1));
    for (size_t i = 0; each && i < count; i++)
        each[i] = pace_of(paces ? &paces->of : of, constants_of_one(machines, i));
    return each;
}

#define RINGS_AT_ONCE 64

/* What steps of rings take: as ring_us, many at a time. */
static void rings_us(double *us, const struct pace *paces, size_t count)
{
    double q[RINGS_AT_ONCE], inverse_q[RINGS_AT_ONCE], steps[RINGS_AT_ONCE];

    for (size_t i = 0; i < count; i++) {
        steps[i] = ring_moving(&paces[i]);
        q[i] = paces[i].ring.q;
        inverse_q[i] = paces[i].ring.inverse_q;
    }
    hs_powers(steps, steps, q, count);
    for (size_t i = 0; i < count; i++)
        steps[i] += paces[i].ring.latency_q;
    hs_powers(steps, steps, inverse_q, count);
    for (size_t i = 0; i < count; i++)
        us[i] = ring_steps(&paces[i], steps[i]);
}

static void algorithm_us(double *us, const struct pace *paces, size_t count)
{
    enum hs_nccl_algorithm algorithm = paces->of->run.choice.algorithm;

    if (algorithm == HS_NCCL_RING)
        rings_us(us, paces, count);
    else
        for (size_t i = 0; i < count; i++)
            us[i] = algorithms[algorithm](&paces[i]);
}

void hs_nccl_add_each(double *seconds, const struct hs_nccl_machines *machines,
                      const struct hs_nccl_run *run, int64_t stride, double times)
{
    struct asked of = asked_of(run);
    struct pace *room = NULL;
    const struct pace *paces = paces_of(&room, machines, stride, &of);
    double us[RINGS_AT_ONCE];

    for (size_t i = 0; i < machines->count; i += RINGS_AT_ONCE) {
        size_t left = machines->count - i, here = left < RINGS_AT_ONCE ? left : RINGS_AT_ONCE;

        if (paces)
            algorithm_us(us, &paces[i], here);
        for (size_t n = 0; n < here; n++)
            seconds[i + n] += paces ? times * seconds_at(&paces[i + n], us[n]) : NAN;
    }
    free(room);
}
