/* Prices of NCCL's calls on a machine, and of those of a layer. */
#include <math.h>

#include "base/units.h"
#include "library/price_nccl.h"
#include "model/traffic.h"

/* In an all-to-all each of a switch's domains sends to all beyond it, and its NICs to all of the
 * `ask->domains` - 1 others. */
static double exchange_share(const struct hs_parts *parts, const struct hs_nccl_ask *ask)
{
    int64_t under = parts->switch_nodes, own = under / hs_larger(1, ask->stride), here;
    double most = 0; /* pairs that the busiest switch parts, in its own domains' share */

    if (ask->group)
        own = hs_group_ranks_of_unit(ask->group, under * parts->gpu_count) / ask->gpus;
    own = hs_larger(1, hs_smaller(own, ask->domains));
    here = ask->domains % own > 0 ? ask->domains % own : own; /* under the last one */
    for (int64_t k = own; k > 0; k = k == here ? 0 : here)
        most = fmax(most, (double)k * (double)(ask->domains - k));
    most *= parts->taper / (double)own;
    return most > 0 ? fmin(1, (double)(ask->domains - 1) / most) : 1;
}

/* Where the members of a communicator lie `stride` domains apart, as many communicators lead from
 * switch to switch at once, each once where they go around in order: together they have what a
 * switch sends on. */
static double network_share(const struct hs_parts *parts, const struct hs_nccl_ask *ask)
{
    double under = (double)parts->switch_nodes;
    double crossing = fmin(fmax(1, (double)ask->stride), under);

    if (ask->kind == HS_CALL_ALLTOALL && parts->switch_nodes > 0)
        return exchange_share(parts, ask);
    if (ask->group && parts->switch_nodes > 0) {
        crossing = (double)hs_group_crossings(ask->group, parts->gpu_count, parts->switch_nodes);
        return crossing > 0 ? fmin(1, under / parts->taper / crossing) : 1;
    }
    if (parts->switch_nodes == 0 || fmax(1, (double)ask->stride) * (double)ask->domains <= under)
        return 1;
    return fmin(1, under / parts->taper / crossing);
}

/* Of groups in a row that do not fill switches evenly, or several of them, those at both ends of a
 * switch's ranks lead on from it at once; of the ends' NICs, so many. In an all-to-all the largest
 * share of a group's pairs that a switch can part, against those that its narrowest domain does. */
static double row_share(const struct hs_parts *parts, const struct hs_nccl_ask *ask, double nics)
{
    int64_t under = (int64_t)parts->switch_nodes * parts->gpu_count, step;
    int64_t narrow = ask->least > 0 ? ask->least : ask->gpus;
    double sent = (double)(narrow * (ask->ranks - narrow)), most = 0, share;

    if (under == 0 || ask->in_a_row == 0 || under % ask->ranks == 0 || ask->ranks % under == 0)
        return 1;
    share = (double)(parts->switch_nodes * parts->nic_count) / parts->taper / nics;
    if (ask->in_a_row > 2 || (ask->in_a_row == 2 && ask->ranks > under))
        share /= 2;
    step = hs_common_divisor(ask->ranks, under);
    for (int64_t n = step; n <= hs_smaller(ask->ranks / 2, under); n += step)
        most = fmax(most, (double)(n * (ask->ranks - n)));
    if (ask->kind == HS_CALL_ALLTOALL && most > 0)
        share *= sent / most;
    return fmin(1, share);
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
        us = values[HS_NCCL_K_NET_LL] + values[HS_NCCL_K_NIC_IB + parts->nic.class];
    return us * 1e-6;
}

/* Whether the groups at the two ends of some domain, in a row, have a NIC in common. */
static bool ends_meet(const struct hs_parts *parts, int64_t size, double nics_each)
{
    int64_t step = hs_common_divisor(size, parts->gpu_count);

    for (int64_t first = step; first < size; first += step) {
        int64_t last = (parts->gpu_count - first) % size;

        if (ceil(nics_each * (double)first) + ceil(nics_each * (double)last) >
            (double)parts->nic_count)
            return true;
    }
    return false;
}

/* NICs of the narrowest domain's ranks. One that stands beside several GPUs is shared among their
 * groups; but of groups in a row, none larger than a domain, only those at a domain's two ends go
 * out of it, each by whole NICs, of which they may have one in common. In an all-to-all it may be
 * another group whose NICs have most to send, for n of N ranks n (N - n) blocks: the narrowest then
 * has so much less. */
static double narrow_nics(const struct hs_parts *parts, const struct hs_nccl_ask *ask, double nics)
{
    double each = nics / (double)ask->gpus, half = (double)parts->nic_count / 2, most = 0;
    double shared = each * (double)ask->least, whole;
    int64_t step = hs_common_divisor(ask->ranks, parts->gpu_count);

    if (ask->in_a_row == 0 || ask->ranks > parts->gpu_count)
        return shared;
    whole = fmin(ceil(shared), half);
    if (ends_meet(parts, ask->ranks, each))
        return fmax(shared, whole / 2);
    for (int64_t n = ask->least; ask->kind == HS_CALL_ALLTOALL && 2 * n <= ask->ranks; n += step)
        most = fmax(most, (double)(n * (ask->ranks - n)) / fmin(ceil(each * (double)n), half));
    if (most > 0)
        whole = (double)(ask->least * (ask->ranks - ask->least)) / most;
    return fmax(shared, whole);
}

enum hs_status hs_nccl_shape(struct hs_shape *shape, const struct hs_parts *parts,
                             const struct hs_nccl_ask *ask, struct hs_error *err)
{
    if (hs_parts_shape(shape, parts, ask->domains, ask->gpus, err))
        return HS_INVALID;
    if (ask->least > 0 && ask->least < ask->gpus) {
        shape->nics = narrow_nics(parts, ask, shape->nics);
        if (parts->mesh && ask->least > 1)
            shape->nvlink_GBps *= (double)(ask->least - 1) / (double)(ask->gpus - 1);
        shape->least = ask->least;
        shape->ranks = ask->ranks;
    }
    shape->network_share = fmin(network_share(parts, ask), row_share(parts, ask, shape->nics));
    return HS_OK;
}

/* The call, but for its bytes. */
static enum hs_status begin_call(struct hs_nccl_call *call, const struct hs_nccl_machine *machine,
                                 const struct hs_nccl_ask *ask, struct hs_error *err)
{
    *call = (struct hs_nccl_call){.kind = ask->kind,
                                  .version = machine->version,
                                  .among = machine->among,
                                  .use = machine->use};
    if (hs_nccl_shape(&call->shape, &machine->parts, ask, err))
        return HS_INVALID;
    if (call->version == 0)
        call->version = HS_NCCL_VERSION_USUAL;
    return HS_OK;
}

/* What runs of so many bytes, by NCCL's rule among what was forced, where it has that. */
static struct hs_nccl_run choose_run(const struct hs_nccl_call *begun, double bytes)
{
    struct hs_nccl_call call = *begun;
    struct hs_nccl_choice choice;

    call.bytes = bytes;
    if (call.among == 0 || !hs_nccl_choose(&choice, &call, call.among))
        hs_nccl_choose(&choice, &call, HS_NCCL_ANY);
    return hs_nccl_run(&call, choice);
}

static bool is_size(double bytes)
{
    return bytes > 0 && isfinite(bytes);
}

enum hs_status hs_nccl_price(struct hs_nccl_price *out, const struct hs_nccl_machine *machine,
                             const struct hs_nccl_ask *ask, struct hs_error *err)
{
    double values[HS_NCCL_K_COUNT], range;
    struct hs_nccl_call call;
    struct hs_nccl_run run;

    if (!is_size(ask->bytes))
        return hs_fail(err, HS_INVALID, "expected bytes above 0, found %g", ask->bytes);
    if (begin_call(&call, machine, ask, err))
        return HS_INVALID;
    run = choose_run(&call, ask->bytes);
    constants_of(values, machine);
    out->choice = run.choice;
    out->seconds = hs_nccl_price_model.seconds(&run, values);
    range =
        exp(HS_PRICE_RANGE * hs_nccl_deviation(&run, values, machine->doubt, machine->residual));
    out->low_seconds = out->seconds / range;
    run.call.shape.network_share *= open_share(&machine->parts, ask);
    out->high_seconds = hs_nccl_price_model.seconds(&run, values) * range;
    return HS_OK;
}

double hs_nccl_seconds(const struct hs_nccl_machine *machine, const struct hs_nccl_ask *ask)
{
    double values[HS_NCCL_K_COUNT];
    struct hs_nccl_call call;
    struct hs_nccl_run run;

    if (!is_size(ask->bytes) || begin_call(&call, machine, ask, NULL))
        return NAN;
    run = choose_run(&call, ask->bytes);
    constants_of(values, machine);
    return hs_nccl_price_model.seconds(&run, values);
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
    case HS_PHASE_COUNT:
        break;
    }
    return HS_CALL_ALLREDUCE;
}

struct hs_nccl_ask hs_nccl_ask_of(const struct hs_nccl_machine *machine,
                                  const struct hs_group *group, enum hs_phase phase, double bytes)
{
    struct hs_spread spread = hs_group_spread(group, machine->gpus);

    return (struct hs_nccl_ask){.kind = hs_nccl_call_of(phase),
                                .domains = spread.units,
                                .gpus = spread.most,
                                .bytes = bytes,
                                .stride = group->stride / machine->gpus,
                                .group = group->skips[0].inside > 0 ? group : NULL,
                                .least = spread.least,
                                .ranks = group->size,
                                .in_a_row = group->stride == 1 && group->skips[0].inside == 0
                                                ? group->ranks / group->size
                                                : 0};
}

static struct hs_nccl_ask ask_of(const struct hs_nccl_machine *machine, int64_t ranks,
                                 const struct hs_stage_key *key, double bytes)
{
    const struct hs_group group = {
        .ranks = ranks, .stride = key->layer.stride, .size = key->layer.size};

    return hs_nccl_ask_of(machine, &group, key->phase, bytes);
}

enum hs_status hs_nccl_layer_price(struct hs_nccl_price *out, const struct hs_nccl_machine *machine,
                                   int64_t ranks, struct hs_stage_key key, double bytes,
                                   struct hs_error *err)
{
    struct hs_nccl_ask ask = ask_of(machine, ranks, &key, bytes);
    struct hs_nccl_price back;

    if (hs_nccl_price(out, machine, &ask, err))
        return HS_INVALID;
    if (key.phase != HS_PAIR)
        return HS_OK;
    ask.kind = HS_CALL_ALLGATHER;
    if (hs_nccl_price(&back, machine, &ask, err))
        return HS_INVALID;
    out->seconds += back.seconds;
    out->low_seconds += back.low_seconds;
    out->high_seconds += back.high_seconds;
    return HS_OK;
}

enum hs_error_class hs_nccl_layer_class(const struct hs_nccl_machine *machine, int64_t ranks,
                                        struct hs_stage_key key, double bytes)
{
    struct hs_nccl_ask ask = ask_of(machine, ranks, &key, bytes);
    struct hs_nccl_call call;
    struct hs_nccl_run run;

    if (!machine->use.registered || !is_size(bytes) || begin_call(&call, machine, &ask, NULL))
        return hs_nccl_error_class(&machine->parts, ask.domains, ask.kind);
    run = choose_run(&call, bytes);
    return hs_nccl_run_class(&run);
}

double hs_nccl_layer_share(const struct hs_nccl_machine *machine, int64_t ranks,
                           struct hs_stage_key key)
{
    const struct hs_gpu_blocks *known = &machine->parts.blocks;
    struct hs_nccl_ask ask = ask_of(machine, ranks, &key, 1);
    struct hs_nccl_graph graph;
    struct hs_shape shape;

    if (known->at_once == 0 || hs_nccl_shape(&shape, &machine->parts, &ask, NULL))
        return 0;
    graph = hs_nccl_graph(&shape);
    return hs_nccl_blocks_at_work(&graph, known) / (double)known->at_once;
}

/* ---- seconds of layers, kept ---- */

/* What a layer's communicators call, and what that took last. */
struct calls {
    struct hs_nccl_call begun; /* the first call, without bytes */
    int64_t stride;            /* of the domains, where it matters; else 0 */
    bool pair, priced;
    double bytes;               /* 0: of none yet */
    struct hs_nccl_run runs[2]; /* of so many bytes; the second of a pair that runs two ways */
    double times[2];            /* how often each does: 0 to 2 */
    double seconds, short_seconds;
};

static void begin_calls(struct calls *calls, const struct hs_nccl_machine *machine, int64_t ranks,
                        const struct hs_stage_key *key)
{
    struct hs_nccl_ask ask = ask_of(machine, ranks, key, 1);

    calls->pair = key->phase == HS_PAIR;
    calls->priced = begin_call(&calls->begun, machine, &ask, NULL) == HS_OK;
    calls->stride = calls->begun.shape.network_share < 1 ? ask.stride : 0;
    calls->short_seconds = NAN;
}

/* Those of the layer, in `room` where none are kept. */
static struct calls *calls_of(struct calls *room, struct hs_kept *kept,
                              const struct hs_nccl_machine *machine, int64_t ranks,
                              const struct hs_stage_key *key)
{
    const struct hs_kept_name name = {
        .kind = HS_KEPT_NCCL_CALLS, .group = {.ranks = ranks}, .key = *key};
    struct calls *calls = hs_kept_find(kept, &name);

    if (calls)
        return calls;
    calls = hs_kept_add(kept, &name, sizeof(*calls));
    if (!calls)
        *(calls = room) = (struct calls){.bytes = 0};
    begin_calls(calls, machine, ranks, key);
    return calls;
}

static bool is_same_run(const struct hs_nccl_run *a, const struct hs_nccl_run *b)
{
    return a->choice.algorithm == b->choice.algorithm && a->choice.protocol == b->choice.protocol &&
           a->chunk_bytes == b->chunk_bytes;
}

/* Chooses what runs of so many bytes; false: the layer, or they, have no price. */
static bool choose_runs(struct calls *calls, double bytes)
{
    struct hs_nccl_call back = calls->begun;

    if (!calls->priced || !is_size(bytes))
        return false;
    if (calls->bytes == bytes)
        return true;
    calls->bytes = bytes;
    calls->seconds = NAN;
    calls->runs[0] = choose_run(&calls->begun, bytes);
    calls->times[0] = 1;
    calls->times[1] = 0;
    if (!calls->pair)
        return true;
    back.kind = HS_CALL_ALLGATHER;
    calls->runs[1] = choose_run(&back, bytes);
    calls->times[is_same_run(&calls->runs[0], &calls->runs[1]) ? 0 : 1]++;
    return true;
}

/* As believed. */
static double seconds_of_calls(const struct calls *calls, const struct hs_nccl_machine *machine)
{
    double values[HS_NCCL_K_COUNT], seconds;

    constants_of(values, machine);
    seconds = calls->times[0] * hs_nccl_price_model.seconds(&calls->runs[0], values);
    if (calls->times[1] > 0)
        seconds += calls->times[1] * hs_nccl_price_model.seconds(&calls->runs[1], values);
    return seconds;
}

double hs_nccl_layer_seconds(const struct hs_nccl_machine *machine, struct hs_kept *kept,
                             int64_t ranks, struct hs_stage_key key, double bytes)
{
    struct calls room, *calls = calls_of(&room, kept, machine, ranks, &key);

    if (bytes == HS_NEXT_TO_NO_BYTES && !isnan(calls->short_seconds))
        return calls->short_seconds;
    if (!choose_runs(calls, bytes))
        return NAN;
    if (isnan(calls->seconds))
        calls->seconds = seconds_of_calls(calls, machine);
    if (bytes == HS_NEXT_TO_NO_BYTES)
        calls->short_seconds = calls->seconds;
    return calls->seconds;
}

void hs_nccl_layer_seconds_each(double *seconds, const struct hs_nccl_machines *machines,
                                int64_t ranks, struct hs_stage_key key, double bytes)
{
    struct calls room, *calls = calls_of(&room, machines->calls, machines->first, ranks, &key);
    bool priced = choose_runs(calls, bytes);

    for (size_t i = 0; i < machines->count; i++)
        seconds[i] = priced ? 0 : NAN;
    for (int k = 0; k < 2 && priced; k++)
        if (calls->times[k] > 0)
            hs_nccl_add_each(seconds, machines, &calls->runs[k], calls->stride, calls->times[k]);
}
