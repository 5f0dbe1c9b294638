/* node_links.c - what joins the GPUs of a node, as a graph of single links. See node.h. */
#include <stdlib.h>

#include "base/list.h"
#include "detect/node.h"
#include "system/link_rates.h"
#include "system/parts.h"

/* From CPU to CPU, where these are not known: of those that have NVLinks POWER9's, else a Skylake's
 * (NCCL src/graph/topo.h, SKL_QPI_BW). */

/* Which group each GPU is in: the number of its first GPU. */
struct groups {
    size_t first[HS_NODE_GPUS_MAX];
};

struct graph {
    struct hs_links *links;
    size_t capacity;
    struct hs_error *err;
    enum hs_status status;
};

static void add(struct graph *graph, struct hs_link link)
{
    struct hs_links *links = graph->links;
    struct hs_link *item;

    if (graph->status != HS_OK || link.count == 0)
        return;
    item =
        hs_grow(&links->items, &graph->capacity, links->count, sizeof(*links->items), graph->err);
    if (item == NULL) {
        graph->status = HS_MEMORY;
        return;
    }
    *item = link;
    if (item->count > HS_LINKS_COUNT_MAX) /* a file may say anything */
        item->count = HS_LINKS_COUNT_MAX;
    links->count++;
}

/* ---- who hangs where ------------------------------------------------------------------------- */

/* What both have in common, at most `far`, themselves or by a NIC. */
static bool is_near(const struct hs_node *node, size_t a, size_t b, enum hs_node_path far)
{
    if (node->gpu_paths[a][b] <= far)
        return true;
    for (size_t n = 0; n < node->nic_count; n++)
        if (node->nic_paths[n][a] <= far && node->nic_paths[n][b] <= far)
            return true;
    return far >= HS_PATH_NUMA_NODE && node->gpus[a].numa_node >= 0 &&
           node->gpus[a].numa_node == node->gpus[b].numa_node;
}

double hs_node_cpu_rate(const struct hs_node *node)
{
    if (node->cpu.link_bytes_per_second > 0)
        return node->cpu.link_bytes_per_second;
    return node->gpu_count > 0 && node->gpus[0].cpu_links > 0 ? HS_CPU_LINK_POWER9
                                                              : HS_CPU_LINK_SKYLAKE;
}

static struct groups group_within(const struct hs_node *node, enum hs_node_path far)
{
    struct groups groups;

    for (size_t g = 0; g < node->gpu_count; g++)
        groups.first[g] = g;
    for (size_t a = 0; a < node->gpu_count; a++)
        for (size_t b = a + 1; b < node->gpu_count; b++) {
            size_t left = groups.first[a], right = groups.first[b];
            size_t first = left < right ? left : right;

            for (size_t g = 0; is_near(node, a, b, far) && g < node->gpu_count; g++)
                if (groups.first[g] == left || groups.first[g] == right)
                    groups.first[g] = first;
        }
    return groups;
}

static size_t size_of(const struct hs_node *node, const struct groups *groups, size_t first)
{
    size_t size = 0;

    for (size_t g = 0; g < node->gpu_count; g++)
        size += groups->first[g] == first;
    return size;
}

/* Numbers the groups of at least so many; -1: smaller ones. Returns the number behind the last. */
static int number_groups(int relay[HS_NODE_GPUS_MAX], const struct hs_node *node,
                         const struct groups *groups, size_t least, int next)
{
    for (size_t g = 0; g < node->gpu_count; g++) {
        bool counts = size_of(node, groups, groups->first[g]) >= least;

        relay[g] = groups->first[g] < g ? relay[groups->first[g]] : counts ? next++ : -1;
    }
    return next;
}

/* Whether it says how a GPU hangs on PCIe. */
static bool is_placed(const struct hs_node *node)
{
    for (size_t a = 0; a < node->gpu_count; a++) {
        bool placed = node->gpus[a].numa_node >= 0;

        for (size_t b = 0; b < node->gpu_count; b++)
            placed = placed || (a != b && node->gpu_paths[a][b] != HS_PATH_UNKNOWN);
        for (size_t n = 0; n < node->nic_count; n++)
            placed = placed || node->nic_paths[n][a] != HS_PATH_UNKNOWN;
        if (!placed)
            return false;
    }
    return true;
}

/* ---- links ----------------------------------------------------------------------------------- */

static void add_nvlinks(struct graph *graph, const struct hs_node *node)
{
    for (size_t a = 0; a < node->gpu_count; a++)
        for (size_t b = a + 1; b < node->gpu_count; b++) {
            unsigned there = node->nvlinks[a][b], back = node->nvlinks[b][a];

            add(graph, (struct hs_link){.from = (int)a,
                                        .to = (int)b,
                                        .count = (int)(there > back ? there : back),
                                        .bytes_per_second = hs_node_link_rate(&node->gpus[a])});
        }
}

/* The way of a GPU out to the host: its slot, or links of its own in place of that. */
static void add_slot(struct graph *graph, const struct hs_node_gpu *gpu, int g, int relay)
{
    bool slot = gpu->cpu_links == 0;

    add(graph,
        (struct hs_link){.from = g,
                         .to = relay,
                         .count = slot ? 1 : (int)gpu->cpu_links,
                         .bytes_per_second = slot ? hs_node_pcie_rate(gpu) : hs_node_link_rate(gpu),
                         .latency_seconds = HS_PCIE_END_SECONDS});
}

/* Each GPU to its switch or CPU, switches to CPUs, CPUs to each other. */
static void add_host(struct graph *graph, const struct hs_node *node, int *switches, int *cpus)
{
    struct groups within = group_within(node, HS_PATH_SWITCHES);
    struct groups beside = group_within(node, HS_PATH_NUMA_NODE);
    int units = (int)node->gpu_count, end, behind, on_switch[HS_NODE_GPUS_MAX],
        on_cpu[HS_NODE_GPUS_MAX];
    double between = hs_node_cpu_rate(node);

    behind = number_groups(on_switch, node, &within, 2, units);
    end = number_groups(on_cpu, node, &beside, 1, behind);
    *switches = behind - units;
    *cpus = end - behind;
    graph->links->relays = end - units;
    for (size_t g = 0; g < node->gpu_count; g++) {
        const struct hs_node_gpu *gpu = &node->gpus[g];

        add_slot(graph, gpu, (int)g,
                 on_switch[g] >= 0 && gpu->cpu_links == 0 ? on_switch[g] : on_cpu[g]);
    }
    for (size_t g = 0; g < node->gpu_count; g++)
        if (on_switch[g] >= 0 && within.first[g] == g)
            add(graph, (struct hs_link){on_switch[g], on_cpu[g], 1, false,
                                        hs_node_pcie_rate(&node->gpus[g]), HS_RELAY_SECONDS});
    for (int a = behind; a < end; a++)
        for (int b = a + 1; b < end; b++)
            add(graph, (struct hs_link){a, b, 1, false, between, HS_RELAY_SECONDS});
}

bool hs_node_is_irregular(const struct hs_node *node)
{
    bool joined = false;

    for (size_t a = 0; a < node->gpu_count; a++) {
        joined = joined || node->gpus[a].cpu_links > 0;
        for (size_t b = 0; b < node->gpu_count; b++)
            joined = joined || node->nvlinks[a][b] > 0;
    }
    return joined && !hs_node_is_switched(node) &&
           (!hs_node_is_meshed(node) || node->gpus[0].cpu_links > 0);
}

enum hs_status hs_node_links(struct hs_links *links, int *switches, int *cpus,
                             const struct hs_node *node, struct hs_error *err)
{
    struct graph graph = {.links = links, .err = err};
    struct hs_error why;

    *links = (struct hs_links){.units = (int)node->gpu_count};
    *switches = *cpus = 0;
    add_nvlinks(&graph, node);
    if (is_placed(node)) {
        add_host(&graph, node, switches, cpus);
    } else if (graph.status == HS_OK && hs_links_check(links, "", &why) != HS_OK) {
        links->relays = *cpus = 1;
        for (size_t g = 0; g < node->gpu_count; g++)
            add_slot(&graph, &node->gpus[g], (int)g, links->units);
    }
    if (graph.status != HS_OK)
        hs_links_release(links);
    return graph.status;
}
