/* propose.c - a system file from what a node is made of. See node.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "machine/node.h"
#include "model/library_nccl.h"

/* What NCCL counts on PCIe 3 x16 (src/graph/topo.h); each generation doubles it. */
#define PCIE3_X16_BYTES_PER_SECOND 12e9

/* NCCL's effective bandwidth of one NVLink, per direction (src/graph/topo.h). */
static double nvlink_bytes_per_second(int capability)
{
    static const struct {
        int capability;
        double bytes_per_second;
    } rows[] = {{100, 40.1e9}, {90, 20.6e9}, {87, 20e9}, {86, 12e9},
                {80, 20e9},    {70, 20e9},   {60, 18e9}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (capability >= rows[i].capability)
            return rows[i].bytes_per_second;
    return 20e9;
}

static bool all_switched(const struct hs_node *node)
{
    for (size_t g = 0; g < node->gpu_count; g++)
        if (node->gpus[g].links == 0 || node->gpus[g].switch_links != node->gpus[g].links)
            return false;
    return true;
}

/* As many links between each pair as between any other. */
static bool all_meshed(const struct hs_node *node)
{
    unsigned links = node->nvlinks[0][1];
    for (size_t a = 0; a < node->gpu_count; a++)
        for (size_t b = 0; b < node->gpu_count; b++)
            if (a != b && node->nvlinks[a][b] != links)
                return false;
    return links > 0;
}

static char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *text_of(const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return hs_strdup(text);
}

static void name_level(struct hs_level *level, const char *name, double latency_seconds)
{
    snprintf(level->name, sizeof level->name, "%s", name);
    level->latency_seconds = latency_seconds;
    level->latency_source =
        text_of("unverified: NCCL src/graph/tuning.cc, hwLatencies, ring with Simple");
    level->ports = 1;
    level->striped = true;
}

static void add_gpu_level(struct hs_system *system, const struct hs_node *node)
{
    struct hs_level *level = &system->levels[system->level_count++];
    const struct hs_node_gpu *gpu = &node->gpus[0];
    bool switched = all_switched(node), meshed = !switched && all_meshed(node);
    level->arity = (int64_t)node->gpu_count;
    level->fabric = meshed ? HS_FABRIC_MESH : HS_FABRIC_SWITCH;
    level->arity_source = text_of("GPUs of this node");
    if (switched || meshed) {
        double each = nvlink_bytes_per_second(gpu->capability);
        name_level(level, "nvlink", HS_NCCL_NVLINK_STEP_SECONDS);
        level->bytes_per_second = gpu->links * each;
        level->fabric_source =
            text_of("NVML: links to %s", switched ? "a switch" : "each other GPU");
        level->bandwidth_source = text_of("unverified: NVML: %u links; NCCL src/graph/topo.h: %g "
                                          "GB/s each",
                                          gpu->links, each / 1e9);
        return;
    }
    unsigned generation = gpu->pcie_generation > 0 ? gpu->pcie_generation : 3;
    double width = gpu->pcie_width > 0 ? gpu->pcie_width : 16;
    name_level(level, "pcie", HS_NCCL_PCIE_STEP_SECONDS);
    level->bytes_per_second = PCIE3_X16_BYTES_PER_SECOND * width / 16;
    for (unsigned g = 3; g < generation; g++)
        level->bytes_per_second *= 2;
    level->fabric_source = text_of("unverified: no NVLink between all pairs");
    level->bandwidth_source =
        text_of("unverified: PCIe %u x%g%s; NCCL src/graph/topo.h: 12 GB/s for PCIe 3 x16",
                generation, width, gpu->pcie_generation > 0 ? "" : " assumed");
}

/* The fastest kind of NIC: RDMA devices where there are any. */
static size_t count_nics(const struct hs_node *node, double *bytes_per_second)
{
    bool rdma = false;
    size_t count = 0;
    *bytes_per_second = 0;
    for (size_t n = 0; n < node->nic_count; n++)
        rdma = rdma || (node->nics[n].rdma && node->nics[n].bytes_per_second > 0);
    for (size_t n = 0; n < node->nic_count; n++)
        if (node->nics[n].rdma == rdma && node->nics[n].bytes_per_second > 0) {
            *bytes_per_second += node->nics[n].bytes_per_second;
            count++;
        }
    return count;
}

static void add_net_level(struct hs_system *system, size_t nics, double bytes_per_second)
{
    struct hs_level *level = &system->levels[system->level_count++];
    name_level(level, "net", HS_NCCL_NETWORK_STEP_SECONDS);
    level->bytes_per_second = bytes_per_second;
    level->ports = (int64_t)nics;
    level->fabric = HS_FABRIC_SWITCH;
    level->arity_source = text_of("as many nodes as needed");
    level->fabric_source = text_of("unverified: what lies beyond the NICs is not seen from here");
    level->bandwidth_source = text_of("unverified: link rate of %zu NICs (sysfs)", nics);
}

enum hs_status hs_node_propose(struct hs_system *system, const struct hs_node *node,
                               struct hs_error *err)
{
    double bytes_per_second;
    size_t nics = count_nics(node, &bytes_per_second);
    *system =
        (struct hs_system){.pipeline_granularity = 1, .latency_kind = HS_LATENCY_PROTOCOL_STEP};
    if (node->gpu_count < 2 && nics == 0)
        return hs_fail(
            err, HS_FAILED,
            "nothing to propose a system from: fewer than two GPUs, and no NIC of known speed");
    snprintf(system->name, sizeof system->name, "here");
    system->title = text_of("proposed from this node: %zu GPUs, %zu NICs", node->gpu_count, nics);
    system->source = text_of("NVML and hwloc on this node, and NCCL's tables");
    system->notes = text_of("No figure was measured: replace them with those of calibrate.");
    if (node->gpu_count >= 2)
        add_gpu_level(system, node);
    if (nics > 0)
        add_net_level(system, nics, bytes_per_second);
    return HS_OK;
}
