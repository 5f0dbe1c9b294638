/* Microseconds and bytes, as the constants are. */
#include "library/price_rccl.h"

#include <math.h>
#include <string.h>

#include "base/statistics.h"
#include "library/price_nccl.h"
#include "library/price_plan.h"

#define PER_MB 1e6
#define LONG   1e13 /* bytes beside which no latency counts */

static const struct hs_constant rows[HS_RCCL_K_COUNT] = {
#define HS_ROW(name, text, unit, prior, deviation, family, fitted, width, meaning)                 \
    {text, unit, prior, deviation, family, fitted, width, meaning},
    HS_RCCL_CONSTANTS(HS_ROW)
#undef HS_ROW
};

struct hs_rccl_call hs_rccl_call_of(const struct hs_system *system, const struct hs_group *group,
                                    struct hs_stage_key key, double bytes)
{
    const struct hs_group one = {
        .ranks = group->ranks, .stride = key.layer.stride, .size = key.layer.size};
    int64_t node = hs_system_node_ranks(system);
    struct hs_spread spread = hs_group_spread(&one, node);
    struct hs_rccl_call call = {.kind = hs_nccl_call_of(key.phase),
                                .nodes = (double)spread.units,
                                .ranks = (double)one.size,
                                .bytes = bytes};
    struct hs_stage_price price;

    /* A pair is two calls, each priced by itself. */
    if (key.phase == HS_PAIR)
        key.phase = HS_REDUCE_SCATTER;
    key.algorithm = HS_RING;
    price = hs_stage_price_at(system, group, key, LONG);
    call.moving_seconds = hs_stage_bandwidth_seconds(&price, LONG) * (bytes / LONG);
    call.rate_deviation =
        hs_level_bandwidth_kind(&system->levels[price.bottleneck])->bandwidth_deviation;
    for (size_t l = 0; l < system->level_count; l++)
        if (strcmp(system->levels[l].name, hs_nic_class_names[HS_NIC_SLINGSHOT]) == 0 ||
            strcmp(system->levels[l].name, "slingshot") == 0)
            call.slingshot = true;
    return call;
}

static double seconds_of(const void *of, const double *k)
{
    const struct hs_rccl_call *call = of;
    bool exchange = call->kind == HS_CALL_ALLTOALL;
    double us = k[HS_RCCL_K_CALL] + (call->one_process ? k[HS_RCCL_K_ONE_PROCESS] : 0);
    double sent =
        hs_library_call_passes[call->kind] * call->bytes * (call->ranks - 1) / call->ranks;
    double slow = call->slingshot ? k[HS_RCCL_K_NET_SLINGSHOT] : 1, ramp;

    if (exchange)
        us += k[HS_RCCL_K_A2A_PEER] * (call->ranks - 1);
    if (call->nodes < 2) {
        us += k[HS_RCCL_K_FILL] * sent / (sent + k[HS_RCCL_K_FILL_AT] * PER_MB);
        return us * 1e-6 + call->moving_seconds / k[exchange ? HS_RCCL_K_A2A_EFF : HS_RCCL_K_EFF];
    }
    us += slow * (k[HS_RCCL_K_NET_CALL] + k[HS_RCCL_K_NET_STEP] * log2(call->nodes));
    ramp = k[exchange ? HS_RCCL_K_A2A_RAMP : HS_RCCL_K_NET_RAMP] * slow * PER_MB;
    return us * 1e-6 + call->moving_seconds * (1 + sqrt(ramp / sent)) /
                           k[exchange ? HS_RCCL_K_A2A_NET_EFF : HS_RCCL_K_NET_EFF];
}

const struct hs_price_model hs_rccl_price_model = {
    .constants = rows, .count = HS_RCCL_K_COUNT, .scatter = 0.2, .seconds = seconds_of};

#define UNMEASURED 0.3  /* reduce-scatters and allgathers, but for one machine's */
#define BEYOND     0.15 /* per doubling of the nodes beyond those measured */

enum hs_error_class hs_rccl_error_class(const struct hs_rccl_call *call)
{
    return call->nodes > 1 ? HS_ERROR_RCCL_NETWORK : HS_ERROR_RCCL_NODE;
}

double hs_rccl_noise(const struct hs_rccl_call *call)
{
    double noise = hs_error_point(hs_rccl_error_class(call), call->bytes);
    double beyond = BEYOND * fmax(0, log2(call->nodes / HS_RCCL_NODES));
    bool measured = call->kind == HS_CALL_ALLREDUCE || call->kind == HS_CALL_ALLTOALL;

    return hs_joint_error(hs_joint_error(noise, beyond), measured ? 0 : UNMEASURED);
}

double hs_rccl_deviation(const struct hs_rccl_call *call, const double *values)
{
    struct hs_rccl_call faster = *call;
    double seconds = seconds_of(call, values), deviations[HS_RCCL_K_COUNT], moving;

    hs_constants_deviations(deviations, &hs_rccl_price_model, 1);
    faster.moving_seconds = 0;
    moving = 1 - seconds_of(&faster, values) / seconds; /* part of the time that goes by rates */
    return hs_joint_error(
        sqrt(hs_constants_variance(&hs_rccl_price_model, call, values, deviations)),
        hs_joint_error(hs_joint_error(hs_rccl_noise(call), moving * call->rate_deviation),
                       hs_error_machine(hs_rccl_error_class(call), call->bytes)));
}
