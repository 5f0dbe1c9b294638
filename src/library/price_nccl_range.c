/* How far prices of NCCL's calls may be off. */
#include <math.h>

#include "base/statistics.h"
#include "library/constants_nccl.h"
#include "library/price_nccl.h"

/* Of log(rate) without peer access: 2.2 to 5.2 GB/s were published, and 16. */
#define HOST_DEVIATION 0.6

#define COUNT_OF(list) (sizeof(list) / sizeof(*(list)))

#define RACK_GPUS 16 /* from so many on a domain is no node */

enum hs_error_class hs_nccl_error_class(const struct hs_parts *parts, int64_t domains,
                                        enum hs_library_call kind)
{
    if (parts->gpu_count >= RACK_GPUS)
        return HS_ERROR_RACK;
    if (domains > 1)
        return kind == HS_CALL_ALLTOALL ? HS_ERROR_EXCHANGE : HS_ERROR_NETWORK;
    return parts->gpu.generation == HS_GPU_BOARD ? HS_ERROR_BOARD : HS_ERROR_NODE;
}

enum hs_error_class hs_nccl_run_class(const struct hs_nccl_run *run)
{
    const struct hs_shape *shape = &run->call.shape;

    if (run->choice.algorithm == HS_NCCL_SYMMETRIC && run->call.kind == HS_CALL_ALLREDUCE)
        return HS_ERROR_SYMMETRIC;
    if (run->choice.algorithm >= HS_NCCL_SYMMETRIC)
        return HS_ERROR_UNMEASURED;
    return hs_nccl_error_class(&shape->parts, shape->domains, run->call.kind);
}

/* By bytes: of the published times once all are fitted. */
double hs_nccl_noise(double bytes, double residual)
{
    static const double left[] = {0.09, 0.10, 0.06};

    return fmax(residual, left[hs_error_band(bytes)]);
}

static void widen(double deviations[HS_NCCL_K_COUNT], size_t constant, double more)
{
    deviations[constant] = hs_joint_error(deviations[constant], more);
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

/* A step over the network, by whatever protocol: its constant and the NIC's. */
static void widen_steps(double deviations[HS_NCCL_K_COUNT], enum hs_nic_class class, double more)
{
    static const enum hs_nccl_constant steps[] = {HS_NCCL_K_NET_LL, HS_NCCL_K_NET_LL128,
                                                  HS_NCCL_K_NET_SIMPLE, HS_NCCL_K_NVLSTREE};

    for (size_t i = 0; i < COUNT_OF(steps); i++)
        widen(deviations, steps[i], more);
    widen(deviations, HS_NCCL_K_NIC_IB + class, more);
}

/* What between nodes is not; and as much as a fitted figure may be off for each doubling beyond the
 * counts that were measured. */
static void doubt_network(double deviations[HS_NCCL_K_COUNT], const struct hs_parts *parts,
                          int64_t domains)
{
    const struct hs_figure_kind_row *fitted = &hs_figure_kinds[HS_FIGURE_FITTED];
    const struct hs_figure_kind_row *row = &hs_figure_kinds[parts->network];
    double beyond = fmax(0, log2((double)domains / (double)parts->fitted_domains));
    size_t rate = HS_NCCL_K_EFF_IB + parts->nic.class;

    if (parts->network != HS_FIGURE_FITTED) {
        widen_steps(deviations, parts->nic.class, row->latency_deviation);
        widen(deviations, rate, row->bandwidth_deviation);
    }
    widen_steps(deviations, parts->nic.class, beyond * fitted->latency_deviation);
    widen(deviations, rate, beyond * fitted->bandwidth_deviation);
}

/* Nodes whose allreduces were measured say nothing of their all-to-alls. */
static void doubt_alltoall(double deviations[HS_NCCL_K_COUNT])
{
    static const enum hs_nccl_constant of_network[] = {HS_NCCL_K_A2A_PEER_NET, HS_NCCL_K_A2A_NET,
                                                       HS_NCCL_K_A2A_RAMP};

    for (size_t i = 0; i < COUNT_OF(of_network); i++)
        deviations[of_network[i]] =
            HS_NCCL_DOUBT_CLASS * hs_nccl_price_model.constants[of_network[i]].width;
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
    doubt_alltoall(deviations);
    if (parts->gpu.generation == HS_GPU_BOARD) /* no node's is another's */
        deviations[HS_NCCL_K_PCIE_SHARE] =
            hs_nccl_price_model.constants[HS_NCCL_K_PCIE_SHARE].width;
    if (parts->paths == HS_PATHS_HOST)
        widen(deviations, HS_NCCL_K_EFF_P, HOST_DEVIATION);
    doubt_gpu(deviations, &parts->gpu);
    if (domains > 1)
        doubt_network(deviations, parts, domains);
}

double hs_nccl_deviation(const struct hs_nccl_run *run, const double *values, double doubt,
                         double residual)
{
    const struct hs_shape *shape = &run->call.shape;
    enum hs_error_class class = hs_nccl_run_class(run);
    double noise = hs_nccl_noise(run->call.bytes, residual), deviations[HS_NCCL_K_COUNT];

    if (doubt == 0) /* nothing was measured on the machine itself */
        noise = hs_joint_error(fmax(residual, hs_error_point(class, run->call.bytes)),
                               hs_error_machine(class, run->call.bytes));
    hs_nccl_deviations(deviations, &shape->parts, shape->domains, doubt);
    return sqrt(hs_constants_variance(&hs_nccl_price_model, run, values, deviations) +
                noise * noise);
}
