/*
 * Microseconds, and bytes per microsecond, as the constants are.
 */
#include "model/price_nccl.h"

#include <math.h>

#include "model/constants_nccl.h"

#define COUNT_OF(list) (sizeof(list) / sizeof(*(list)))

#define PER_GB 1e3 /* bytes per us of a GB/s */
#define PER_MB 1e6

/* Fixed, beside the constants. */
#define TREE_OF_LINE         0.90
#define NVLSTREE_OF_LINE     0.95
#define LL_OF_LINE           0.5 /* a flag with every 4 bytes */
#define GROW_DOUBLINGS       4.0 /* from 2 to 32 nodes; then rates fall no more */
#define GROW_DOUBLINGS_LL128 3.0
#define SHORT_BYTES          1024.0
#define FAST_SLOT_GBPS       30.0 /* from PCIe 5 on the host path of LL is twice as fast */
#define FULL_SLOT            0.9  /* of the slot: then NIC and GPU share it both ways */

static const struct hs_constant rows[HS_NCCL_K_COUNT] = {
#define HS_ROW(name, text, unit, prior, deviation, family, fitted, width, meaning)                 \
    {text, unit, prior, deviation, family, fitted, width, meaning},
    HS_NCCL_CONSTANTS(HS_ROW)
#undef HS_ROW
};

/* What all algorithms are made of. */
struct pace {
    const struct hs_nccl_run *run;
    const double *k; /* values of the constants */
    double bytes, domains, gpus, ranks, passes;
    double call, fill;   /* once, us */
    double hop, net;     /* a step inside and between nodes, us */
    double inside;       /* rate of a GPU inside */
    double line;         /* rate of the NICs of a node, Simple */
    double out;          /* the same, of the protocol */
    double ramped_bytes; /* bytes, and what Simple loses until it is at its rate */
};

static enum hs_gpu_generation generation_of(const struct pace *p)
{
    return p->run->call.shape.parts.gpu.generation;
}

/* The generation's member of the family that begins there. */
static double of_generation(const struct pace *p, enum hs_nccl_constant first)
{
    return p->k[first + generation_of(p)];
}

static double of_class(const struct pace *p, enum hs_nccl_constant first)
{
    return p->k[first + p->run->call.shape.parts.nic.class];
}

static enum hs_nccl_protocol protocol_of(const struct pace *p)
{
    return p->run->choice.protocol;
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
    return log2(fmax(p->domains, 2)) - 1;
}

/* ---- ingredients ----------------------------------------------------------------------------- */

static double call_us(const struct pace *p)
{
    double us = of_generation(p, HS_NCCL_K_CALL_A), piece = fmax(1, p->bytes / p->ranks);

    /* LL takes more threads per channel for pieces of 512 B to 4 KiB */
    if (protocol_of(p) == HS_NCCL_LL)
        us *= 1 + p->k[HS_NCCL_K_CALL_THREADS] * clamp(log2(piece / 512), 3) / 3;
    if (p->domains > 1)
        us *= p->k[HS_NCCL_K_CALL_MULTI];
    return us + (p->run->host_clock ? p->k[HS_NCCL_K_CALL_TORCH] : 0);
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

    return us * (p->domains > 1 ? p->k[HS_NCCL_K_HOP_MULTI] : 1);
}

static double net_us(const struct pace *p)
{
    return p->k[HS_NCCL_K_NET_LL + protocol_of(p)] * of_class(p, HS_NCCL_K_NIC_IB) *
           (1 + p->k[HS_NCCL_K_GROW_NET] * doublings(p));
}

/* The part of a rate that is data. */
static double data_part(const struct pace *p)
{
    if (protocol_of(p) == HS_NCCL_LL)
        return p->k[HS_NCCL_K_PART_LL];
    return is_simple(p) ? 1 : p->k[HS_NCCL_K_PART_LL128];
}

/* Boards share the paths between their slots. */
static double nvlink_rate(const struct pace *p)
{
    double rate = p->run->call.shape.nvlink_GBps * PER_GB;

    if (generation_of(p) == HS_GPU_BOARD)
        rate /= pow(fmax(p->gpus, 2) / 2, p->k[HS_NCCL_K_PCIE_SHARE]);
    return rate;
}

/* Of all blocks of a GPU's kernel. */
static double blocks_rate(const struct pace *p)
{
    return p->run->blocks_GBps > 0 ? p->run->blocks_GBps * PER_GB : INFINITY;
}

static double nics_rate(const struct pace *p)
{
    const struct hs_shape *shape = &p->run->call.shape;

    return fmax(1, shape->nics * shape->parts.nic.line_GBps * shape->network_share * PER_GB);
}

static double line_rate(const struct pace *p)
{
    const struct hs_shape *shape = &p->run->call.shape;
    double rate = nics_rate(p) * of_class(p, HS_NCCL_K_EFF_IB);

    rate *= pow(1 + p->k[HS_NCCL_K_GROW], -fmin(doublings(p), GROW_DOUBLINGS));
    if (shape->gpus == 1 &&
        shape->nics * shape->parts.nic.line_GBps > FULL_SLOT * shape->parts.gpu.slot_GBps)
        rate *= p->k[HS_NCCL_K_ONE];
    return shape->behind ? rate * p->k[HS_NCCL_K_BEHIND] : rate;
}

/* LL writes to memory of the host, from where a thread sends. */
static double host_rate(const struct pace *p)
{
    const struct hs_shape *shape = &p->run->call.shape;
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

static double ramped(double bytes, double ramp_MB)
{
    return bytes + sqrt(ramp_MB * PER_MB * bytes);
}

static double ramped_bytes(const struct pace *p)
{
    if (!is_simple(p))
        return p->bytes;
    return ramped(p->bytes,
                  p->domains > 1 ? p->k[HS_NCCL_K_RAMP] : of_generation(p, HS_NCCL_K_RAMP_IN_A));
}

static struct pace pace_of(const struct hs_nccl_run *run, const double *values)
{
    const struct hs_shape *shape = &run->call.shape;
    struct pace p = {.run = run,
                     .k = values,
                     .bytes = run->call.bytes,
                     .domains = (double)shape->domains,
                     .gpus = (double)shape->gpus,
                     .ranks = (double)shape->ranks,
                     .passes = hs_library_call_passes[run->call.kind]};

    p.call = call_us(&p);
    p.fill = fill_us(&p);
    p.hop = hop_us(&p);
    p.net = net_us(&p);
    p.inside =
        fmin(nvlink_rate(&p) * of_generation(&p, HS_NCCL_K_EFF_A) * data_part(&p), blocks_rate(&p));
    p.line = line_rate(&p);
    p.out = out_rate(&p);
    p.ramped_bytes = ramped_bytes(&p);
    return p;
}

/* ---- algorithms: us beside the call itself --------------------------------------------------- */

/* Each step the mean of its hops, and a piece at the slowest link. */
static double ring_us(const struct pace *p)
{
    double few = protocol_of(p) == HS_NCCL_LL && p->bytes < SHORT_BYTES && p->gpus > 1
                     ? p->k[HS_NCCL_K_SHORT]
                     : 1;
    double latency = p->hop, rate = p->inside, piece = p->bytes / p->ranks;
    double q = p->k[is_simple(p) ? HS_NCCL_K_Q_SIMPLE : HS_NCCL_K_Q_LL];
    double full = p->run->call.shape.parts.gpu.nvlink_GBps * PER_GB * data_part(p);

    if (p->domains > 1) {
        latency = ((p->ranks - p->domains) * p->hop + p->domains * p->net * few) / p->ranks;
        rate = fmin(p->inside, p->out);
    }
    return p->fill +
           p->passes * (p->ranks - 1) *
               pow(pow(latency, q) + pow(p->ramped_bytes / p->ranks / rate, q), 1 / q) +
           p->k[HS_NCCL_K_OWN] * piece / full;
}

/* In a tree over more than two nodes a node in the middle sends everything twice. */
static double tree_load(const struct pace *p)
{
    return p->domains > 2 ? 2 : 1;
}

/* The first chunk goes up and down step after step, the rest behind it at the slowest link. */
static double tree_us(const struct pace *p)
{
    double chunk = fmin(p->bytes, p->run->chunk_bytes), rest = p->bytes - chunk;
    double out = p->out * TREE_OF_LINE, stream = 2 * rest / p->inside;
    double us = p->fill + 2 * (p->gpus - 1) * (p->hop + (is_simple(p) ? chunk / p->inside : 0));

    if (p->domains < 2)
        return us + stream;
    us += 2 * floor(log2(p->domains)) * (p->net + chunk / out);
    if (!is_simple(p))
        us += rest / chunk * p->k[HS_NCCL_K_TREE_CHUNK] * p->net;
    return us + fmax(stream, tree_load(p) * rest / out);
}

/* An allreduce takes each byte once, and the n / u that a GPU reduces once more. */
static double switch_us(const struct pace *p)
{
    enum hs_gpu_generation generation = generation_of(p);
    double part = generation == HS_GPU_HOPPER      ? p->k[HS_NCCL_K_NVLS_EFF_H]
                  : generation == HS_GPU_BLACKWELL ? p->k[HS_NCCL_K_NVLS_EFF_B]
                                                   : 1;

    return (p->passes > 1 ? 1 + 1 / p->gpus : 1) *
           ramped(p->bytes, p->k[HS_NCCL_K_NVLS_RAMP] * p->gpus / 8) /
           (p->run->call.shape.nvlink_GBps * PER_GB * part);
}

static double nvls_us(const struct pace *p)
{
    return p->k[HS_NCCL_K_NVLS] + switch_us(p);
}

static double nvlstree_us(const struct pace *p)
{
    double step = p->k[HS_NCCL_K_NVLSTREE] * of_class(p, HS_NCCL_K_NIC_IB);
    double out = tree_load(p) * p->ramped_bytes / (p->line * NVLSTREE_OF_LINE);

    return p->k[HS_NCCL_K_NVLS] + 2 * log2(p->domains) * step + fmax(out, switch_us(p));
}

static double pat_us(const struct pace *p)
{
    return p->fill + log2(p->domains) * p->net + p->bytes / fmin(p->out, blocks_rate(p));
}

/* All at once: what stays inside beside what leaves. From 4 to 32 KiB per peer a call costs more.
 */
static double direct_us(const struct pace *p)
{
    double piece = p->bytes / p->ranks, others = p->ranks - 1;
    double bytes = ramped(p->bytes, of_generation(p, HS_NCCL_K_RAMP_IN_A));
    double inside = (p->gpus - 1) / p->ranks * bytes / (nvlink_rate(p) * p->k[HS_NCCL_K_A2A_EFF]);
    double outside = p->domains > 1 ? p->gpus * (p->ranks - p->gpus) * piece /
                                          (nics_rate(p) * p->k[HS_NCCL_K_A2A_NET])
                                    : 0;

    return (p->k[HS_NCCL_K_A2A_CALL] - 1) * p->call + p->k[HS_NCCL_K_A2A_PEER] * others +
           p->k[HS_NCCL_K_A2A_LARGE] * clamp(log2(fmax(1, piece) / 4096) / 3, 1) +
           fmax(inside, outside) +
           of_generation(p, HS_NCCL_K_A2A_OWN_A) * piece /
               (p->run->call.shape.parts.gpu.nvlink_GBps * PER_GB);
}

static double (*const algorithms[HS_NCCL_ALGORITHM_COUNT])(const struct pace *) = {
    [HS_NCCL_RING] = ring_us,         [HS_NCCL_TREE] = tree_us, [HS_NCCL_NVLS] = nvls_us,
    [HS_NCCL_NVLSTREE] = nvlstree_us, [HS_NCCL_PAT] = pat_us,   [HS_NCCL_DIRECT] = direct_us,
};

static double seconds_of(const void *call, const double *values)
{
    const struct hs_nccl_run *run = call;
    struct pace p = pace_of(run, values);

    return (p.call + algorithms[run->choice.algorithm](&p)) * 1e-6;
}

const struct hs_price_model hs_nccl_price_model = {
    .constants = rows, .count = HS_NCCL_K_COUNT, .scatter = 0.12, .seconds = seconds_of};

/* Of a kernel, at work. */
static double blocks_of(const struct hs_nccl_graph *graph, const struct hs_gpu_blocks *known)
{
    double channels = hs_nccl_kernel_channels(graph);

    return known->at_once > 0 ? fmin(channels, (double)known->at_once) : channels;
}

struct hs_nccl_run hs_nccl_run(const struct hs_nccl_call *call, struct hs_nccl_choice choice)
{
    struct hs_nccl_graph graph = hs_nccl_graph(&call->shape);
    struct hs_nccl_run run = {.call = *call, .choice = choice};

    run.chunk_bytes = hs_nccl_kernel_channels(&graph) * hs_nccl_tree_chunk(call, choice.protocol);
    run.blocks_GBps = blocks_of(&graph, &call->shape.parts.blocks) * call->shape.parts.blocks.GBps;
    return run;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* By bytes: of the published times once all are fitted. */
double hs_nccl_noise(double bytes)
{
    const double MiB = 1048576;

    return bytes <= MiB ? 0.09 : bytes < 64 * MiB ? 0.10 : 0.06;
}

static void widen(double deviations[HS_NCCL_K_COUNT], size_t constant, double more)
{
    deviations[constant] = hypot(deviations[constant], more);
}

/* What inside a node is not as it is known of the GPU's generation. */
static void doubt_gpu(double deviations[HS_NCCL_K_COUNT], const struct hs_gpu *gpu)
{
    static const enum hs_nccl_constant families[] = {HS_NCCL_K_CALL_A, HS_NCCL_K_HOP_LL_A,
                                                     HS_NCCL_K_HOP_SIMPLE_A,
                                                     HS_NCCL_K_FILL_SIMPLE_A},
                                       rates[] = {HS_NCCL_K_NVLS_EFF_H, HS_NCCL_K_NVLS_EFF_B,
                                                  HS_NCCL_K_A2A_EFF};
    double latency = hs_figure_kinds[gpu->times].latency_deviation;
    double rate = hs_figure_kinds[gpu->rate].bandwidth_deviation;

    for (size_t i = 0; gpu->times != HS_FIGURE_FITTED && i < COUNT_OF(families); i++)
        widen(deviations, families[i] + gpu->generation, latency);
    if (gpu->times != HS_FIGURE_FITTED)
        widen(deviations, HS_NCCL_K_HOP_LL128, latency);
    if (gpu->rate == HS_FIGURE_FITTED)
        return;
    widen(deviations, HS_NCCL_K_EFF_A + gpu->generation, rate);
    for (size_t i = 0; i < COUNT_OF(rates); i++)
        widen(deviations, rates[i], rate);
}

/* What between nodes is not; and as much as a fitted figure may be off for each doubling beyond the
 * counts that were measured. */
static void doubt_network(double deviations[HS_NCCL_K_COUNT], const struct hs_parts *parts,
                          int64_t domains)
{
    const struct hs_figure_kind_row *fitted = &hs_figure_kinds[HS_FIGURE_FITTED];
    const struct hs_figure_kind_row *row = &hs_figure_kinds[parts->network];
    double beyond = fmax(0, log2((double)domains / (double)parts->fitted_domains));
    size_t latency = HS_NCCL_K_NIC_IB + parts->nic.class;
    size_t rate = HS_NCCL_K_EFF_IB + parts->nic.class;

    if (parts->network != HS_FIGURE_FITTED) {
        widen(deviations, latency, row->latency_deviation);
        widen(deviations, rate, row->bandwidth_deviation);
    }
    widen(deviations, latency, beyond * fitted->latency_deviation);
    widen(deviations, rate, beyond * fitted->bandwidth_deviation);
}

void hs_nccl_deviations(double deviations[HS_NCCL_K_COUNT], const struct hs_parts *parts,
                        int64_t domains, double doubt)
{
    enum hs_figure_kind kind = domains > 1 ? parts->network : parts->gpu.times;
    bool fitted = kind == HS_FIGURE_FITTED;

    if (doubt > 0) {
        hs_constants_deviations(deviations, &hs_nccl_price_model, doubt);
        return;
    }
    hs_constants_deviations(deviations, &hs_nccl_price_model,
                            !fitted       ? HS_NCCL_DOUBT_CLASS
                            : domains > 1 ? HS_NCCL_DOUBT_NODES
                                          : HS_NCCL_DOUBT_INSIDE);
    doubt_gpu(deviations, &parts->gpu);
    if (domains > 1)
        doubt_network(deviations, parts, domains);
}

double hs_nccl_deviation(const struct hs_nccl_run *run, const double *values, double doubt)
{
    const struct hs_shape *shape = &run->call.shape;
    double noise = hs_nccl_noise(run->call.bytes), deviations[HS_NCCL_K_COUNT];

    hs_nccl_deviations(deviations, &shape->parts, shape->domains, doubt);
    return sqrt(hs_constants_variance(&hs_nccl_price_model, run, values, deviations) +
                noise * noise);
}

/* Where the members of a communicator lie `stride` domains apart, as many communicators lead from
 * switch to switch at once, each once where they go around in order: together they have what a
 * switch sends on. */
static double network_share(const struct hs_parts *parts, const struct hs_nccl_ask *ask)
{
    double under = (double)parts->switch_nodes;
    double crossing = fmin(fmax(1, (double)ask->stride), under);

    if (parts->switch_nodes == 0 || fmax(1, (double)ask->stride) * (double)ask->domains <= under)
        return 1;
    return fmin(1, under / parts->taper / crossing);
}

/* What remains if the line left open what leads on from where it is narrow. */
static double open_share(const struct hs_parts *parts, const struct hs_nccl_ask *ask)
{
    struct hs_parts narrow = *parts;

    if (parts->switch_nodes > 0)
        return 1;
    narrow.switch_nodes = HS_OPEN_NODES;
    narrow.taper = HS_OPEN_TAPER;
    return network_share(&narrow, ask);
}

/* Its own, else those that ship. */
static void constants_of(double values[HS_NCCL_K_COUNT], const struct hs_nccl_machine *machine)
{
    hs_constants_shipped(values, &hs_nccl_price_model);
    for (size_t i = 0; i < HS_NCCL_K_COUNT; i++)
        if (machine->own[i] > 0)
            values[i] = machine->own[i];
}

double hs_nccl_least_step_seconds(const struct hs_nccl_machine *machine, bool between_nodes)
{
    const struct hs_parts *parts = &machine->parts;
    double values[HS_NCCL_K_COUNT], us;

    constants_of(values, machine);
    us = values[HS_NCCL_K_HOP_LL_A + parts->gpu.generation];
    if (between_nodes)
        us = values[HS_NCCL_K_NET_LL] * values[HS_NCCL_K_NIC_IB + parts->nic.class];
    return us * 1e-6;
}

/* What runs, by NCCL's rule. */
static enum hs_status choose_run(struct hs_nccl_run *run, const struct hs_nccl_machine *machine,
                                 const struct hs_nccl_ask *ask, struct hs_error *err)
{
    struct hs_nccl_call call = {
        .kind = ask->kind, .bytes = ask->bytes, .version = machine->version};
    struct hs_nccl_choice choice;

    if (!(ask->bytes > 0) || !isfinite(ask->bytes))
        return hs_fail(err, HS_INVALID, "expected bytes above 0, found %g", ask->bytes);
    if (hs_parts_shape(&call.shape, &machine->parts, ask->domains, ask->gpus, err))
        return HS_INVALID;
    call.shape.network_share = network_share(&machine->parts, ask);
    if (call.version == 0)
        call.version = HS_NCCL_VERSION_USUAL;
    hs_nccl_choose(&choice, &call, HS_NCCL_ANY);
    *run = hs_nccl_run(&call, choice);
    return HS_OK;
}

/* Without the range, which takes far longer to find than the time, low and high are the time. */
static enum hs_status price_call(struct hs_nccl_price *out, const struct hs_nccl_machine *machine,
                                 const struct hs_nccl_ask *ask, bool wants_range,
                                 struct hs_error *err)
{
    double values[HS_NCCL_K_COUNT], range = 1;
    struct hs_nccl_run run;

    if (choose_run(&run, machine, ask, err))
        return HS_INVALID;
    constants_of(values, machine);
    out->choice = run.choice;
    out->seconds = seconds_of(&run, values);
    if (wants_range)
        range = exp(HS_PRICE_RANGE * hs_nccl_deviation(&run, values, machine->doubt));
    out->low_seconds = out->seconds / range;
    run.call.shape.network_share *= open_share(&machine->parts, ask);
    out->high_seconds = (wants_range ? seconds_of(&run, values) : out->seconds) * range;
    return HS_OK;
}

enum hs_status hs_nccl_price(struct hs_nccl_price *out, const struct hs_nccl_machine *machine,
                             const struct hs_nccl_ask *ask, struct hs_error *err)
{
    return price_call(out, machine, ask, true, err);
}

/* ---- layers ---------------------------------------------------------------------------------- */

enum hs_library_call hs_nccl_call_of(enum hs_phase phase)
{
    switch (phase) {
    case HS_REDUCE_SCATTER:
    case HS_PAIR:
        return HS_CALL_REDUCE_SCATTER;
    case HS_ALLGATHER:
        return HS_CALL_ALLGATHER;
    case HS_EXCHANGE:
        return HS_CALL_ALLTOALL;
    case HS_ALLREDUCE:
    HS_CASES_ROOTED:
    case HS_PHASE_COUNT:
        break;
    }
    return HS_CALL_ALLREDUCE;
}

/* GPUs of a domain in one communicator. */
static int64_t gpus_of(struct hs_layer layer, int64_t domain)
{
    int64_t fit = domain / layer.stride;

    return fit < 1 ? 1 : fit < layer.size ? fit : layer.size;
}

static struct hs_nccl_ask ask_of(const struct hs_nccl_machine *machine,
                                 const struct hs_stage_key *key, double bytes)
{
    int64_t gpus = gpus_of(key->layer, machine->gpus);

    return (struct hs_nccl_ask){.kind = hs_nccl_call_of(key->phase),
                                .domains = (key->layer.size + gpus - 1) / gpus,
                                .gpus = gpus,
                                .bytes = bytes,
                                .stride = key->layer.stride / machine->gpus};
}

static enum hs_status price_layer(struct hs_nccl_price *out, const struct hs_nccl_machine *machine,
                                  const struct hs_stage_key *key, double bytes, bool wants_range,
                                  struct hs_error *err)
{
    struct hs_nccl_ask ask = ask_of(machine, key, bytes);
    struct hs_nccl_price back;

    if (price_call(out, machine, &ask, wants_range, err))
        return HS_INVALID;
    if (key->phase != HS_PAIR)
        return HS_OK;
    ask.kind = HS_CALL_ALLGATHER;
    if (price_call(&back, machine, &ask, wants_range, err))
        return HS_INVALID;
    out->seconds += back.seconds;
    out->low_seconds += back.low_seconds;
    out->high_seconds += back.high_seconds;
    return HS_OK;
}

enum hs_status hs_nccl_layer_price(struct hs_nccl_price *out, const struct hs_nccl_machine *machine,
                                   struct hs_stage_key key, double bytes, struct hs_error *err)
{
    return price_layer(out, machine, &key, bytes, true, err);
}

double hs_nccl_layer_seconds(const struct hs_nccl_machine *machine, struct hs_stage_key key,
                             double bytes)
{
    struct hs_nccl_price price;

    return price_layer(&price, machine, &key, bytes, false, NULL) == HS_OK ? price.seconds : NAN;
}

double hs_nccl_layer_share(const struct hs_nccl_machine *machine, struct hs_stage_key key)
{
    const struct hs_gpu_blocks *known = &machine->parts.blocks;
    struct hs_nccl_ask ask = ask_of(machine, &key, 1);
    struct hs_nccl_graph graph;
    struct hs_shape shape;

    if (known->at_once == 0 || hs_parts_shape(&shape, &machine->parts, ask.domains, ask.gpus, NULL))
        return 0;
    graph = hs_nccl_graph(&shape);
    return blocks_of(&graph, known) / (double)known->at_once;
}

/* Adds `times` the seconds of what runs. */
static void add_each(double *seconds, const struct hs_nccl_run *run,
                     const struct hs_nccl_machine *machines, size_t count, size_t apart,
                     double times)
{
    const char *at = (const char *)machines;

    for (size_t i = 0; i < count; i++, at += apart)
        seconds[i] += times * seconds_of(run, ((const struct hs_nccl_machine *)at)->own);
}

void hs_nccl_layer_seconds_each(double *seconds, const struct hs_nccl_machine *machines,
                                size_t count, size_t apart, struct hs_stage_key key, double bytes)
{
    struct hs_nccl_ask ask = ask_of(machines, &key, bytes);
    struct hs_nccl_run run, back;
    bool pair = key.phase == HS_PAIR, alike;

    for (size_t i = 0; i < count; i++)
        seconds[i] = 0;
    if (choose_run(&run, machines, &ask, NULL)) {
        for (size_t i = 0; i < count; i++)
            seconds[i] = NAN;
        return;
    }
    back = run;
    ask.kind = HS_CALL_ALLGATHER;
    alike = pair && choose_run(&back, machines, &ask, NULL) == HS_OK &&
            back.choice.algorithm == run.choice.algorithm &&
            back.choice.protocol == run.choice.protocol && back.chunk_bytes == run.chunk_bytes;
    add_each(seconds, &run, machines, count, apart, alike ? 2 : 1);
    if (pair && !alike)
        add_each(seconds, &back, machines, count, apart, 1);
}
