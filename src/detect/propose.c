/* propose.c - a system file from what a node is made of. See node.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detect/node.h"
#include "library/library_nccl.h"
#include "system/link_rates.h"

/* RCCL's latencies (src/graph/tuning.cc, tuning_model_0). */
#define XGMI_LATENCY_SECONDS     3.6e-6
#define RCCL_NET_LATENCY_SECONDS 15.1e-6

#define PCIE_ASSUMED 4 /* generation of a slot that nothing is known of: between 3 and 5 */

/* An xGMI link by the GPU's name, or PCI's number (pci.ids); 0: neither says it. */
static double xgmi_rate(const struct hs_node_gpu *gpu)
{
    static const struct {
        const char *name;
        unsigned first, last; /* PCI's numbers */
        double bytes_per_second;
    } rows[] = {{"MI50", 0x66a0, 0x66af, HS_XGMI_VEGA},   {"MI60", 0x66a0, 0x66af, HS_XGMI_VEGA},
                {"MI100", 0x7388, 0x738f, HS_XGMI_VEGA},  {"MI210", 0x7408, 0x741f, HS_XGMI_MI200},
                {"MI250", 0x7408, 0x741f, HS_XGMI_MI200}, {"MI30", 0x74a0, 0x74bf, HS_XGMI},
                {"MI32", 0x74a0, 0x74bf, HS_XGMI},        {"MI35", 0x75a0, 0x75bf, HS_XGMI_MI350}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (strstr(gpu->name, rows[i].name) != NULL ||
            (gpu->device >= rows[i].first && gpu->device <= rows[i].last))
            return rows[i].bytes_per_second;
    return 0;
}

bool hs_node_has_dies(const struct hs_node_gpu *gpu)
{
    return gpu->vendor == HS_PCI_AMD && xgmi_rate(gpu) == HS_XGMI_MI200;
}

double hs_node_link_rate(const struct hs_node_gpu *gpu)
{
    struct hs_gpu part = {.capability = 0};
    double xgmi = xgmi_rate(gpu);

    if (gpu->vendor == HS_PCI_AMD)
        return xgmi > 0 ? xgmi : HS_XGMI;
    if (gpu->capability == 0)
        hs_node_gpu_part(&part, gpu);
    return hs_nvlink_bytes_per_second(gpu->capability ? gpu->capability : part.capability);
}

double hs_node_pcie_rate(const struct hs_node_gpu *gpu)
{
    double width = gpu->pcie_width > 0 ? gpu->pcie_width : 16;
    double rate = HS_PCIE3_X16 * width / 16;
    unsigned generation = gpu->pcie_generation;
    struct hs_gpu part;

    if (gpu->pcie_generation == 0 && hs_node_gpu_part(&part, gpu))
        return part.slot_GBps * 1e9;
    if (generation == 0) /* graphs of NVLinks are those of V100 and before */
        generation = gpu->links > 0 ? 3 : PCIE_ASSUMED;
    for (unsigned g = 3; g < generation; g++)
        rate *= 2;
    return rate;
}

bool hs_node_is_switched(const struct hs_node *node)
{
    for (size_t g = 0; g < node->gpu_count; g++)
        if (node->gpus[g].links == 0 || node->gpus[g].switch_links != node->gpus[g].links)
            return false;
    return node->gpu_count > 0;
}

bool hs_node_is_meshed(const struct hs_node *node)
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

/* A name, with what its latency is and says. */
struct kind {
    const char *name;
    double latency_seconds;
    const char *source;
};
#define NCCL_LATENCY "unverified: NCCL src/graph/tuning.cc, hwLatencies, ring with Simple"
#define RCCL_LATENCY "unverified: RCCL src/graph/tuning.cc, tuning_model_0, ring with Simple"

static struct hs_level *add_level(struct hs_system *system, const struct kind *kind)
{
    struct hs_level *level = &system->levels[system->level_count++];

    snprintf(level->name, sizeof level->name, "%s", kind->name);
    level->latency_seconds = kind->latency_seconds;
    level->latency_source = text_of("%s", kind->source);
    level->fabric = HS_FABRIC_SWITCH;
    level->ports = 1;
    level->striped = true;
    return level;
}

static void add_linked_gpus(struct hs_system *system, const struct hs_node *node)
{
    static const struct kind nvlink = {"nvlink", HS_NCCL_NVLINK_STEP_SECONDS, NCCL_LATENCY};
    static const struct kind xgmi = {"xgmi", XGMI_LATENCY_SECONDS, RCCL_LATENCY};
    const struct hs_node_gpu *gpu = &node->gpus[0];
    bool amd = gpu->vendor == HS_PCI_AMD, switched = hs_node_is_switched(node);
    const char *seen_by = node->origin.links_seen_by ? node->origin.links_seen_by : "NVML";
    struct hs_level *level = add_level(system, amd ? &xgmi : &nvlink);
    double each = hs_node_link_rate(gpu);
    int64_t hosts = node->network.hosts > 1 ? node->network.hosts : 1;

    level->arity = (int64_t)node->gpu_count * hosts;
    level->arity_source = text_of(hosts > 1 ? "GPUs of the NVLink domain" : "GPUs of this node");
    if (!switched)
        level->fabric = HS_FABRIC_MESH;
    level->bytes_per_second = gpu->links * each;
    level->fabric_source =
        text_of("%s: links to %s", seen_by, switched ? "a switch" : "each other GPU");
    level->bandwidth_source = text_of("unverified: %s: %u links; %s src/graph/topo.h: %g GB/s each",
                                      seen_by, gpu->links, amd ? "RCCL" : "NCCL", each / 1e9);
}

/* ", PCIe switches 8 to 11", by their numbers in the graph. */
static void append_relays(struct hs_text *out, const char *what, const char *many, int first,
                          int count)
{
    if (count == 1)
        hs_text_append(out, ", %s %d", what, first);
    else if (count > 1)
        hs_text_append(out, ", %s %d to %d", many, first, first + count - 1);
}

static char *linked_rates(const struct hs_node *node, int cpus)
{
    const struct hs_node_gpu *gpu = &node->gpus[0];
    struct hs_text text = {0};
    char *rates;

    hs_text_append(&text, "unverified: %s src/graph/topo.h: %g GB/s of a link",
                   gpu->vendor == HS_PCI_AMD ? "RCCL" : "NCCL", hs_node_link_rate(gpu) / 1e9);
    if (cpus > 0 && gpu->cpu_links == 0)
        hs_text_append(&text, ", %g of PCIe%s", hs_node_pcie_rate(gpu) / 1e9,
                       gpu->pcie_generation > 0 ? "" : " (assumed)");
    if (cpus > 1)
        hs_text_append(&text, ", %g between CPUs%s", hs_node_cpu_rate(node) / 1e9,
                       node->cpu.link_bytes_per_second > 0 ? "" : " (assumed)");
    rates = text.failed ? NULL : hs_strdup(text.data);
    hs_text_release(&text);
    return rates;
}

static enum hs_status add_irregular_gpus(struct hs_system *system, const struct hs_node *node,
                                         struct hs_error *err)
{
    static const struct kind nvlink = {"nvlink", HS_NCCL_NVLINK_STEP_SECONDS, NCCL_LATENCY};
    static const struct kind xgmi = {"xgmi", XGMI_LATENCY_SECONDS, RCCL_LATENCY};
    const struct hs_node_gpu *gpu = &node->gpus[0];
    const char *seen_by = node->origin.links_seen_by ? node->origin.links_seen_by : "NVML";
    bool amd = gpu->vendor == HS_PCI_AMD;
    struct hs_level *level = add_level(system, amd ? &xgmi : &nvlink);
    struct hs_text fabric = {0};
    int switches, cpus;
    enum hs_status status = hs_node_links(&level->links, &switches, &cpus, node, err);

    if (status != HS_OK)
        return status;
    level->fabric = HS_FABRIC_LINKS;
    level->arity = (int64_t)node->gpu_count;
    level->bytes_per_second = hs_links_sends_least(&level->links);
    level->arity_source = text_of("GPUs of this node");
    hs_text_append(&fabric, "%s: links of each pair; GPUs 0 to %zu", seen_by, node->gpu_count - 1);
    append_relays(&fabric, "PCIe switch", "PCIe switches", (int)node->gpu_count, switches);
    append_relays(&fabric, "CPU", "CPUs", (int)node->gpu_count + switches, cpus);
    level->fabric_source = fabric.failed ? NULL : text_of("%s", fabric.data);
    hs_text_release(&fabric);
    level->bandwidth_source = linked_rates(node, cpus);
    return HS_OK;
}

static void add_slotted_gpus(struct hs_system *system, const struct hs_node *node)
{
    static const struct kind pcie = {"pcie", HS_NCCL_PCIE_STEP_SECONDS, NCCL_LATENCY};
    const struct hs_node_gpu *gpu = &node->gpus[0];
    struct hs_level *level = add_level(system, &pcie);
    unsigned generation = gpu->pcie_generation > 0 ? gpu->pcie_generation : 3;
    bool shown = node->origin.links_known || node->has_nvml;
    double width = gpu->pcie_width > 0 ? gpu->pcie_width : 16;

    level->arity = (int64_t)node->gpu_count;
    level->arity_source = text_of("GPUs of this node");
    level->bytes_per_second = hs_node_pcie_rate(gpu);
    if (gpu->pcie_generation == 0) /* each doubles the rate */
        generation += (unsigned)lround(log2(level->bytes_per_second / HS_PCIE3_X16));
    level->fabric_source = text_of(shown ? "unverified: no links between all pairs"
                                         : "unverified: links between the GPUs are not known");
    level->bandwidth_source =
        text_of("unverified: PCIe %u x%g%s; NCCL src/graph/topo.h: 12 GB/s for PCIe 3 x16",
                generation, width, gpu->pcie_generation > 0 ? "" : " assumed");
}

static bool is_amd(const struct hs_node *node)
{
    return node->gpu_count > 0 && node->gpus[0].vendor == HS_PCI_AMD;
}

/* What the NICs lead to: with the nodes at a leaf switch known, that and the rest. */
static void add_net_levels(struct hs_system *system, const struct hs_node *node, size_t nics,
                           double bytes_per_second)
{
    static const struct kind kinds[][2] = {{{"net", HS_NCCL_NETWORK_STEP_SECONDS, NCCL_LATENCY},
                                            {"spine", HS_NCCL_NETWORK_STEP_SECONDS, NCCL_LATENCY}},
                                           {{"net", RCCL_NET_LATENCY_SECONDS, RCCL_LATENCY},
                                            {"spine", RCCL_NET_LATENCY_SECONDS, RCCL_LATENCY}}};
    const struct kind *kind = kinds[is_amd(node)];
    struct hs_level *level = add_level(system, &kind[0]);

    level->bytes_per_second = bytes_per_second;
    level->ports = (int64_t)nics;
    level->bandwidth_source =
        text_of("unverified: link rate of %zu NICs%s", nics, node->has_hwloc ? " (sysfs)" : "");
    if (node->network.leaf_nodes == 0) {
        level->arity_source = text_of("as many nodes as needed");
        level->fabric_source =
            text_of("unverified: what lies beyond the NICs is not seen from here");
        return;
    }
    level->arity = node->network.leaf_nodes;
    level->arity_source = text_of("Slurm: nodes at a leaf switch");
    level->fabric_source = text_of("Slurm: a leaf switch");
    level = add_level(system, &kind[1]);
    level->bytes_per_second = bytes_per_second * (double)node->network.leaf_nodes;
    level->arity_source = text_of("as many leaf switches as needed");
    level->fabric_source = text_of("unverified: what leads on from a leaf switch is not known");
    level->bandwidth_source = text_of("unverified: what the NICs of those nodes send, no taper");
}

static enum hs_status propose_levels(struct hs_system *system, const struct hs_node *node,
                                     struct hs_error *err)
{
    size_t chosen[HS_NODE_NICS_MAX], count = hs_node_choose_nics(chosen, node);
    size_t nics = hs_node_count_ports(node, chosen, count);
    bool linked =
        hs_node_is_switched(node) || (hs_node_is_meshed(node) && node->gpus[0].cpu_links == 0);
    bool irregular = node->gpu_count >= 2 && hs_node_is_irregular(node);
    enum hs_status status = HS_OK;

    *system =
        (struct hs_system){.pipeline_granularity = 1, .latency_kind = HS_LATENCY_PROTOCOL_STEP};
    if (is_amd(node))
        system->library = HS_LIBRARY_RCCL;
    if (node->gpu_count >= 2 && linked)
        add_linked_gpus(system, node);
    else if (irregular)
        status = add_irregular_gpus(system, node, err);
    else if (node->gpu_count >= 2)
        add_slotted_gpus(system, node);
    if (nics > 0)
        add_net_levels(system, node, nics, (double)nics * node->nics[chosen[0]].bytes_per_second);
    system->notes =
        text_of("No figure was measured: replace them with those of measure --calibrate.");
    return status;
}

/* What levels assume of links and slots that files do not say. */
static void say_assumed(struct hs_text *remarks, const struct hs_node *node)
{
    const struct hs_node_gpu *gpu = &node->gpus[0];
    bool linked = gpu->links > 0, single = true;
    struct hs_gpu part;

    if (node->gpu_count < 2)
        return;
    for (size_t a = 0; a < node->gpu_count; a++)
        for (size_t b = 0; b < node->gpu_count; b++)
            single = single && node->nvlinks[a][b] <= 1;
    if (linked && hs_node_has_dies(gpu) && single)
        hs_text_append(remarks, "of the links between two GPUs one was seen; there may be more, as "
                                "4 in an MI250X\n");
    if (linked && is_amd(node) && gpu->device == 0 && !strstr(gpu->name, "MI"))
        hs_text_append(remarks, "which GPUs they are is not known: a link of MI300's rate is "
                                "assumed, others have half of it (`amd-smi static --asic` or "
                                "`rocm-smi --showproductname` names them)\n");
    if (linked)
        return;
    if (!node->origin.links_known && !node->has_nvml)
        hs_text_append(remarks, "NVLinks are not known, nor which such GPUs have: PCIe alone is "
                                "assumed (`nvidia-smi topo -m` shows links, `nvidia-smi -L` names "
                                "GPUs)\n");
    if (gpu->pcie_generation == 0 && !hs_node_gpu_part(&part, gpu))
        hs_text_append(remarks,
                       "the GPUs' slots are not known: PCIe %d x16 is assumed, half and "
                       "twice that are as likely\n",
                       PCIE_ASSUMED);
}

/* NICs that are down, and rates that are not known. */
static void say_nics(struct hs_text *remarks, const struct hs_node *node, size_t chosen)
{
    size_t down = 0;

    for (size_t n = 0; n < node->nic_count; n++)
        if (node->nics[n].state == HS_PORTS_DOWN)
            hs_text_append(remarks, "%s %s", down++ > 0 ? "," : "NICs that are down are left out:",
                           node->nics[n].name);
    if (down > 0)
        hs_text_append(remarks, "\n");
    if (node->nic_count > down && chosen == 0)
        hs_text_append(remarks, "the NICs' rates are not known: no network (`ibstat` prints them, "
                                "and NCCL's XML has them)\n");
}

/* Remarks in lines to one of sentences, behind what is there. */
static void add_notes(struct hs_system *system, const char *remarks)
{
    struct hs_text all = {0};
    size_t length = system->notes ? strlen(system->notes) : 0;

    if (length > 0 && remarks && *remarks && system->notes[length - 1] == '.')
        length--; /* sentences go on */
    hs_text_append(&all, "%.*s", (int)length, system->notes ? system->notes : "");
    for (const char *at = remarks; at && *at; at += strcspn(at, "\n") + 1)
        hs_text_append(&all, "%s%.*s", all.length > 0 ? "; " : "", (int)strcspn(at, "\n"), at);
    free(system->notes);
    system->notes = all.length > 0 ? hs_strdup(all.data) : NULL;
    hs_text_release(&all);
}

enum hs_status hs_node_propose(struct hs_system *system, const struct hs_node *node,
                               struct hs_error *err)
{
    struct hs_text line = {0}, remarks = {0};
    size_t chosen[HS_NODE_NICS_MAX], nics = hs_node_choose_nics(chosen, node);
    enum hs_status status = HS_OK;

    *system = (struct hs_system){.level_count = 0};
    if (node->gpu_count < 2 && nics == 0)
        return hs_fail(
            err, HS_FAILED,
            "nothing to propose a system from: fewer than two GPUs, and no NIC of known speed");
    if (hs_node_parts(&line, &remarks, node)) {
        status = hs_system_parse(system, line.data, err);
    } else {
        status = propose_levels(system, node, err);
        say_assumed(&remarks, node);
    }
    hs_text_release(&line);
    say_nics(&remarks, node, nics);
    if (status == HS_OK) {
        snprintf(system->name, sizeof system->name, node->origin.files ? "node" : "here");
        system->title = text_of("proposed from %s: %zu GPUs, %zu NICs",
                                node->origin.files ? "files" : "this node", node->gpu_count, nics);
        system->source =
            text_of("%s, and %s's tables",
                    node->origin.files ? node->origin.files : "NVML and hwloc on this node",
                    is_amd(node) ? "RCCL" : "NCCL");
        add_notes(system, remarks.data);
        if (node->origin.files)
            add_notes(system, node->notes.data);
    }
    hs_text_release(&remarks);
    if (status != HS_OK)
        hs_system_release(system);
    return status;
}
