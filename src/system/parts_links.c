/* parts_links.c - see parts_links.h. Who is joined and at which rate is as in configs/ (dgx1-*,
 * ac922-*, mi250*, *-bridged), with the sources there. */
#include "system/parts_links.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "system/link_rates.h"

#define BRIDGED_MAX 16
#define CUBE        8
#define VOLTA       70 /* compute capability */

double hs_nvlink_bytes_per_second(int capability)
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

/* Links of one pair. */
struct pair {
    unsigned char from, to, count;
};

/* NVIDIA's white paper of the DGX-1; of P100 each is one. */
static const struct pair cube[] = {{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1},
                                   {1, 5, 2}, {2, 3, 2}, {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1},
                                   {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};
/* RCCL's tools/topo_expl/models/topo_8p_90a.xml, and how many by 8 links of a die. */
static const struct pair dies_8[] = {{0, 1, 4}, {2, 3, 4}, {4, 5, 4}, {6, 7, 4},
                                     {0, 6, 2}, {2, 4, 2}, {0, 2, 1}, {4, 6, 1},
                                     {1, 3, 1}, {1, 5, 1}, {3, 7, 1}, {5, 7, 1}};
/* ForestColl's topologies.py. */
static const struct pair dies_16[] = {
    {0, 1, 4},   {0, 4, 2},   {0, 8, 1},   {1, 5, 1},   {1, 9, 1},   {1, 10, 1},  {2, 3, 4},
    {2, 6, 1},   {2, 9, 1},   {2, 10, 1},  {3, 7, 2},   {3, 11, 1},  {4, 5, 4},   {4, 6, 1},
    {5, 6, 1},   {5, 7, 1},   {6, 7, 4},   {8, 9, 4},   {8, 12, 2},  {9, 13, 1},  {10, 11, 4},
    {10, 14, 1}, {11, 15, 2}, {12, 13, 4}, {12, 14, 1}, {13, 14, 1}, {13, 15, 1}, {14, 15, 4}};
#define COUNT_OF(list) (sizeof(list) / sizeof(*(list)))

/* Boards that a bridge joins. */
static const struct bridge {
    const char *gpu;
    int links;
} bridges[] = {{"A100", 12}, {"A6000", 4}};

static bool is_gpu(const struct hs_parts *parts, const char *name)
{
    return strcmp(parts->gpu.name, name) == 0;
}

static const struct bridge *bridge_of(const struct hs_parts *parts)
{
    for (size_t i = 0; i < COUNT_OF(bridges); i++)
        if (is_gpu(parts, bridges[i].gpu))
            return &bridges[i];
    return NULL;
}

enum hs_status hs_parts_check_wiring(const struct hs_parts *parts, struct hs_error *err)
{
    int64_t count = parts->gpu_count;
    const char *expected = NULL;

    switch (parts->wiring) {
    case HS_WIRED_EVENLY:
        break;
    case HS_WIRED_CUBE:
        if (count != CUBE || !(is_gpu(parts, "P100") || is_gpu(parts, "V100")))
            expected = "8xP100-cube or 8xV100-cube (DGX-1)";
        break;
    case HS_WIRED_POWER:
        if (!is_gpu(parts, "V100") || (count != 4 && count != 6))
            expected = "4xV100-power9 or 6xV100-power9 (AC922)";
        break;
    case HS_WIRED_BRIDGED:
        if (!bridge_of(parts) || count % 2 != 0 || count > BRIDGED_MAX)
            expected = "A100 or A6000, an even number up to 16, such as 8xA100-bridged";
        break;
    case HS_WIRED_DIES:
        if (!is_gpu(parts, "MI250X") || (count != 8 && count != 16))
            expected = "8xMI250X or 16xMI250X";
        break;
    }
    if (!expected)
        return HS_OK;
    return hs_fail(err, HS_INVALID, "expected %s, found %" PRId64 "x%s-%s", expected, count,
                   parts->gpu.name, hs_wiring_names[parts->wiring]);
}

/* ---- the graph ------------------------------------------------------------------------------- */

/* There is room. */
static void join(struct hs_links *links, int from, int to, int count, double rate, double latency)
{
    links->items[links->count++] = (struct hs_link){.from = from,
                                                    .to = to,
                                                    .count = count,
                                                    .bytes_per_second = rate,
                                                    .latency_seconds = latency};
}

static void join_pairs(struct hs_links *links, const struct pair *pairs, size_t count, int at_most,
                       double rate)
{
    for (size_t i = 0; i < count; i++)
        join(links, pairs[i].from, pairs[i].to, pairs[i].count < at_most ? pairs[i].count : at_most,
             rate, 0);
}

/* Two GPUs at each PCIe switch, two of these at each CPU. */
static void make_cube(struct hs_links *links, const struct hs_parts *parts)
{
    bool doubled = is_gpu(parts, "V100");
    double slot = parts->gpu.slot_GBps * 1e9;
    int switches = CUBE, cpus = switches + CUBE / 2;

    links->relays = CUBE / 2 + 2;
    join_pairs(links, cube, COUNT_OF(cube), doubled ? 2 : 1,
               hs_nvlink_bytes_per_second(parts->gpu.capability));
    for (int g = 0; g < CUBE; g++)
        join(links, g, switches + g / 2, 1, slot, HS_PCIE_END_SECONDS);
    for (int s = 0; s < CUBE / 2; s++)
        join(links, switches + s, cpus + s / 2, 1, slot, HS_RELAY_SECONDS);
    join(links, cpus, cpus + 1, 1, HS_CPU_LINK_BROADWELL, HS_RELAY_SECONDS);
}

/* A V100's six links go to the others of its socket, and to the CPU, as many to each. */
static void make_power(struct hs_links *links)
{
    int beside = links->units / 2, each = 6 / beside, cpus = links->units;
    double rate = hs_nvlink_bytes_per_second(VOLTA);

    links->relays = 2;
    for (int g = 0; g < links->units; g++)
        for (int h = g + 1; h < (g / beside + 1) * beside; h++)
            join(links, g, h, each, rate, 0);
    for (int g = 0; g < links->units; g++)
        join(links, g, cpus + g / beside, each, rate, HS_PCIE_END_SECONDS);
    join(links, cpus, cpus + 1, 1, HS_CPU_LINK_POWER9, HS_RELAY_SECONDS);
}

/* Half of the pairs at each of two CPUs; one pair has one. */
static void make_bridged(struct hs_links *links, const struct hs_parts *parts)
{
    const struct bridge *bridge = bridge_of(parts);
    int pairs = links->units / 2, first = (pairs + 1) / 2, cpus = links->units;

    links->relays = pairs > 1 ? 2 : 1;
    for (int p = 0; p < pairs; p++)
        join(links, 2 * p, 2 * p + 1, bridge->links,
             hs_nvlink_bytes_per_second(parts->gpu.capability), 0);
    for (int g = 0; g < links->units; g++)
        join(links, g, cpus + (g / 2 >= first), 1, parts->gpu.slot_GBps * 1e9, HS_PCIE_END_SECONDS);
    if (pairs > 1)
        join(links, cpus, cpus + 1, 1, HS_CPU_LINK_AMD, HS_RELAY_SECONDS);
}

/* Of a node of 8 the CPU, too, which all dies reach; of a box of 16 no way through the host. */
static void make_dies(struct hs_links *links, const struct hs_parts *parts)
{
    if (links->units == 16) {
        join_pairs(links, dies_16, COUNT_OF(dies_16), 4, HS_XGMI_MI200);
        return;
    }
    links->relays = 1;
    join_pairs(links, dies_8, COUNT_OF(dies_8), 4, HS_XGMI_MI200);
    for (int g = 0; g < links->units; g++)
        join(links, g, links->units, 1, parts->gpu.slot_GBps * 1e9, 0);
}

enum hs_status hs_parts_links(struct hs_links *links, const struct hs_parts *parts,
                              struct hs_error *err)
{
    enum { MOST = 64 }; /* of any of these */

    *links = (struct hs_links){.units = (int)parts->gpu_count};
    links->items = malloc(MOST * sizeof(*links->items));
    if (!links->items)
        return hs_no_memory(err);
    switch (parts->wiring) {
    case HS_WIRED_EVENLY:
        break;
    case HS_WIRED_CUBE:
        make_cube(links, parts);
        break;
    case HS_WIRED_POWER:
        make_power(links);
        break;
    case HS_WIRED_BRIDGED:
        make_bridged(links, parts);
        break;
    case HS_WIRED_DIES:
        make_dies(links, parts);
        break;
    }
    return HS_OK;
}

const char *hs_parts_links_source(const struct hs_parts *parts)
{
    switch (parts->wiring) {
    case HS_WIRED_CUBE:
        return "NVIDIA's white paper of the DGX-1; NCCL src/graph/topo.h: links, PCIe 3 x16, a "
               "Broadwell's QPI";
    case HS_WIRED_POWER:
        return "IBM REDP-5472; NCCL src/graph/topo.h: links, also to the CPU, and POWER9's X-Bus";
    case HS_WIRED_BRIDGED:
        return "unverified: pairs at two CPUs, as such boxes are sold; NCCL src/graph/topo.h: "
               "links, PCIe 4 x16, between AMD's CPUs";
    case HS_WIRED_DIES:
        return parts->gpu_count == 16 ? "ForestColl's topologies.py; RCCL src/graph/topo.h"
                                      : "unverified: RCCL's topo_8p_90a.xml, links of each pair by "
                                        "their number; RCCL src/graph/topo.h";
    case HS_WIRED_EVENLY:
        break;
    }
    return "";
}
