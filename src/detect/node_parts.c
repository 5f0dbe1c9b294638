/* node_parts.c - a node in the words of its parts. See node.h. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "detect/node.h"
#include "system/link_rates.h"
#include "system/parts.h"

#define WORD_BYTES    32
#define VENDOR_AMAZON 0x1d0f
#define VENDOR_CRAY   0x17db
/* The first devices of Mellanox that speak NDR (ConnectX-7), and HDR (ConnectX-6). */
#define DEVICE_NDR 0x1021
#define DEVICE_HDR 0x101b

static bool known_part(struct hs_parts *parts, const char *word)
{
    char line[WORD_BYTES + 8];
    struct hs_error ignored;

    snprintf(line, sizeof(line), "1x%s", word);
    return hs_parts_parse(parts, line, &ignored) == HS_OK;
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* ---- the GPU --------------------------------------------------------------------------------- */

#define WORDS_JOINED 3 /* "RTX PRO 6000" is RTXPRO6000 */

/* The first `words` words of a text, as one. */
static bool join_words(char word[WORD_BYTES], const char *text, int words)
{
    size_t length = 0;

    for (; words > 0; words--) {
        if (!isalnum((unsigned char)*text))
            return false;
        for (; isalnum((unsigned char)*text) && length + 1 < WORD_BYTES; text++)
            word[length++] = *text;
        text += *text == ' ';
    }
    word[length] = '\0';
    return length >= 2;
}

/* "NVIDIA A100-SXM4-40GB": the word of it, or the words, that the catalogue has. */
static bool gpu_by_name(char word[WORD_BYTES], const char *name)
{
    struct hs_parts parts;

    for (const char *at = name; *at != '\0';) {
        for (int words = WORDS_JOINED; words > 0; words--)
            if (join_words(word, at, words) && known_part(&parts, word)) {
                snprintf(word, WORD_BYTES, "%s", parts.gpu.name);
                return true;
            }
        while (isalnum((unsigned char)*at))
            at++;
        while (*at != '\0' && !isalnum((unsigned char)*at))
            at++;
    }
    return false;
}

/* PCI's numbers (pci.ids). */
static const char *gpu_by_device(const struct hs_node_gpu *gpu)
{
    static const struct {
        unsigned vendor, device;
        const char *name;
    } rows[] = {
        {HS_PCI_NVIDIA, 0x15f8, "P100"},  {HS_PCI_NVIDIA, 0x15f9, "P100"},
        {HS_PCI_NVIDIA, 0x1db1, "V100"},  {HS_PCI_NVIDIA, 0x1db5, "V100"},
        {HS_PCI_NVIDIA, 0x1db4, "V100"},  {HS_PCI_NVIDIA, 0x1db6, "V100"},
        {HS_PCI_NVIDIA, 0x20b0, "A100"},  {HS_PCI_NVIDIA, 0x20b2, "A100"},
        {HS_PCI_NVIDIA, 0x20b5, "A100"},  {HS_PCI_NVIDIA, 0x20f1, "A100"},
        {HS_PCI_NVIDIA, 0x20f3, "A800"},  {HS_PCI_NVIDIA, 0x26b9, "L40S"},
        {HS_PCI_NVIDIA, 0x2324, "H800"},  {HS_PCI_NVIDIA, 0x2329, "H20"},
        {HS_PCI_NVIDIA, 0x2330, "H100"},  {HS_PCI_NVIDIA, 0x2331, "H100"},
        {HS_PCI_NVIDIA, 0x2335, "H200"},  {HS_PCI_NVIDIA, 0x2342, "GH200"},
        {HS_PCI_NVIDIA, 0x2348, "GH200"}, {HS_PCI_NVIDIA, 0x2901, "B200"},
        {HS_PCI_NVIDIA, 0x2941, "GB200"}, {HS_PCI_NVIDIA, 0x3182, "B300"},
        {HS_PCI_NVIDIA, 0x31c2, "GB300"}, {HS_PCI_AMD, 0x740c, "MI250X"},
        {HS_PCI_AMD, 0x74a1, "MI300X"},   {HS_PCI_AMD, 0x74b5, "MI300X"},
        {HS_PCI_AMD, 0x74a5, "MI325X"},   {HS_PCI_AMD, 0x75a3, "MI355X"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (rows[i].vendor == gpu->vendor && rows[i].device == gpu->device)
            return rows[i].name;
    return NULL;
}

bool hs_node_gpu_part(struct hs_gpu *part, const struct hs_node_gpu *gpu)
{
    const char *name = gpu_by_device(gpu);
    struct hs_parts parts;
    char word[WORD_BYTES];

    if (gpu_by_name(word, gpu->name))
        name = word;
    if (name == NULL || !known_part(&parts, name))
        return false;
    *part = parts.gpu;
    return true;
}

/* The kind that has this capability, or this number of links; NULL: none, or it is another, whose
 * number on PCI is known, and shows no links. */
static const char *gpu_by_figures(const struct hs_node *node)
{
    static const struct {
        int capability;
        bool arm;
        const char *name;
    } rows[] = {{70, false, "V100"},  {80, false, "A100"},  {89, false, "L40S"},
                {90, false, "H100"},  {90, true, "GH200"},  {100, false, "B200"},
                {100, true, "GB200"}, {103, false, "B300"}, {103, true, "GB300"}};
    const struct hs_node_gpu *gpu = &node->gpus[0];

    if (gpu->device != 0 && gpu->links == 0)
        return NULL;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (rows[i].capability == gpu->capability && rows[i].arm == node->is_arm)
            return rows[i].name;
    if (gpu->capability != 0 || gpu->device != 0 || gpu->vendor == HS_PCI_AMD)
        return NULL;
    return gpu->links == 18 ? "H100" : gpu->links == 12 ? "A100" : gpu->links == 6 ? "V100" : NULL;
}

static bool find_gpu(char word[WORD_BYTES], struct hs_text *notes, const struct hs_node *node)
{
    const struct hs_node_gpu *gpu = &node->gpus[0];
    const char *name = gpu_by_device(gpu);

    if (gpu_by_name(word, gpu->name))
        return true;
    if (name == NULL) {
        name = gpu->name[0] == '\0' ? gpu_by_figures(node) : NULL;
        if (name == NULL)
            return false;
        if (gpu->capability > 0)
            hs_text_append(notes,
                           "the GPUs' names are not known: %s is taken for their capability of "
                           "%d.%d (`nvidia-smi -L` names them)\n",
                           name, gpu->capability / 10, gpu->capability % 10);
        else
            hs_text_append(notes,
                           "the GPUs' names are not known: %s is taken for their %u links; others "
                           "may have as many (`nvidia-smi -L` names them)\n",
                           name, gpu->links);
    }
    snprintf(word, WORD_BYTES, "%s", name);
    return true;
}

static bool same_gpus(const struct hs_node *node)
{
    for (size_t g = 1; g < node->gpu_count; g++)
        if (strcmp(node->gpus[g].name, node->gpus[0].name) != 0 ||
            node->gpus[g].device != node->gpus[0].device ||
            node->gpus[g].capability != node->gpus[0].capability)
            return false;
    return node->gpu_count > 0;
}

/* A board of a kind that comes with NVLinks, too. */
static bool is_board(const struct hs_node_gpu *gpu)
{
    static const unsigned devices[] = {0x15f8, 0x1db4, 0x1db6, 0x20b5, 0x20f1, 0x2331};

    for (size_t i = 0; gpu->vendor == HS_PCI_NVIDIA && i < sizeof(devices) / sizeof(*devices); i++)
        if (gpu->device == devices[i])
            return true;
    return strcasestr(gpu->name, "pcie") != NULL || strstr(gpu->name, " NVL") != NULL;
}

/* Whether a GPU of this name comes in trays of a rack that is one NVLink domain. */
static bool is_tray(const char *gpu)
{
    return begins(gpu, "GB");
}

/* The slot of a board that comes with NVLinks, too. */
static const char *slot_of(const struct hs_node_gpu *gpu, const struct hs_parts *parts)
{
    double GBps = gpu->pcie_generation > 0 ? hs_node_pcie_rate(gpu) / 1e9 : parts->gpu.slot_GBps;

    return GBps >= 48 ? "-pcie5" : GBps >= 24 ? "-pcie4" : "-pcie3";
}

/* How so many GPUs of this name are sold, where nothing shows their links. */
static const char *usual_wiring(const struct hs_node *node, const struct hs_parts *parts)
{
    char cube[WORD_BYTES];
    struct hs_parts ignored;
    struct hs_error unused;

    if (parts->gpu.link == HS_LINK_XGMI || is_tray(parts->gpu.name))
        return "";
    snprintf(cube, sizeof(cube), "%zux%s-cube", node->gpu_count, parts->gpu.name);
    if (hs_parts_parse(&ignored, cube, &unused) == HS_OK)
        return "-cube";
    return node->gpu_count <= 4 ? "-mesh" : "";
}

/* A module without links that its file shows: those of it are assumed, for clouds' files and
 * `topo -mp` show none of any. Of NVML, which shows them, that they are down counts. */
static const char *without_links(struct hs_text *notes, const struct hs_node *node,
                                 const struct hs_parts *parts)
{
    const char *assumed = usual_wiring(node, parts);

    if (node->has_nvml) {
        hs_text_append(notes,
                       "%s comes with NVLinks and none is up (does nvidia-fabricmanager run?): "
                       "PCIe alone is assumed\n",
                       parts->gpu.name);
        return slot_of(&node->gpus[0], parts);
    }
    if (parts->gpu.link == HS_LINK_XGMI)
        hs_text_append(notes,
                       "which xGMI links there are is not known: those that %zu %s have are "
                       "assumed (`rocm-smi --showtopo` shows weights, too)\n",
                       node->gpu_count, parts->gpu.name);
    else
        hs_text_append(notes,
                       "NVLinks are not known: a %s of %s is assumed (`nvidia-smi topo -m`, not "
                       "-mp, shows them, and where they are down %zux%s%s is the machine)\n",
                       assumed[0] == '-' ? assumed + 1 : "switch", parts->gpu.name, node->gpu_count,
                       parts->gpu.name, slot_of(&node->gpus[0], parts));
    return assumed;
}

/* "", "-mesh", "-pcie4" or the like; NULL: its links are not those of the catalogue. */
static const char *find_variant(struct hs_text *notes, const struct hs_node *node,
                                const struct hs_parts *parts)
{
    const struct hs_node_gpu *gpu = &node->gpus[0];
    bool board = parts->gpu.generation == HS_GPU_BOARD;
    double links_GBps = gpu->links * hs_node_link_rate(gpu) / 1e9;

    if (board && gpu->links == 0)
        return gpu->pcie_generation >= 5 ? "-pcie5" : "";
    if (node->gpu_count == 1)
        return "";
    if (gpu->links == 0 && is_board(gpu))
        return slot_of(gpu, parts);
    if (gpu->links == 0)
        return node->origin.links_known ? NULL : without_links(notes, node, parts);
    if (fabs(links_GBps - parts->gpu.nvlink_GBps) > 0.01 * parts->gpu.nvlink_GBps)
        return NULL;
    if (hs_node_is_switched(node))
        return "";
    if (!hs_node_is_meshed(node) || gpu->cpu_links > 0)
        return NULL;
    return parts->mesh ? "" : "-mesh";
}

/* ---- its NICs -------------------------------------------------------------------------------- */

static const char *infiniband_rate(const struct hs_node_nic *nic, int gigabits)
{
    switch (gigabits) {
    case 800:
        return "XDR800";
    case 400:
        return "NDR400";
    case 200:
        return nic->device >= DEVICE_NDR ? "NDR200" : "HDR200";
    case 100:
        return nic->device >= DEVICE_HDR ? "HDR100" : "EDR100";
    case 56:
        return "FDR56";
    default:
        return "";
    }
}

static void name_nic(char word[WORD_BYTES], struct hs_text *notes, const struct hs_node_nic *nic)
{
    int gigabits = (int)lround(nic->bytes_per_second * 8 / 1e9);

    word[0] = '\0';
    if (nic->vendor == VENDOR_AMAZON || begins(nic->name, "rdmap") || begins(nic->name, "efa")) {
        snprintf(word, WORD_BYTES, "EFA%d", gigabits);
    } else if (nic->vendor == VENDOR_CRAY || begins(nic->name, "cxi") || begins(nic->name, "hsn")) {
        snprintf(word, WORD_BYTES, "SS%s", gigabits == 200 ? "11" : gigabits == 100 ? "10" : "");
    } else if (nic->device_class == HS_PCI_ETHERNET && nic->rdma) {
        snprintf(word, WORD_BYTES, "RoCE%d", gigabits);
    } else if (nic->device_class == HS_PCI_INFINIBAND || begins(nic->name, "mlx5") ||
               begins(nic->name, "ib")) {
        snprintf(word, WORD_BYTES, "%s", infiniband_rate(nic, gigabits));
        if (nic->device_class != HS_PCI_INFINIBAND)
            hs_text_append(notes,
                           "whether %s is InfiniBand or Ethernet is not known: InfiniBand "
                           "is assumed\n",
                           nic->name);
    }
}

static bool is_usable(const struct hs_node_nic *nic)
{
    return nic->state != HS_PORTS_DOWN && nic->bytes_per_second > 0;
}

static bool is_rdma_chosen(const struct hs_node *node)
{
    for (size_t n = 0; n < node->nic_count; n++)
        if (node->nics[n].rdma && is_usable(&node->nics[n]))
            return true;
    return false;
}

static bool share_switch(const struct hs_node *node, size_t nic, size_t gpu)
{
    return node->nic_paths[nic][gpu] <= HS_PATH_SWITCHES;
}

static bool is_near(const struct hs_node *node, size_t nic)
{
    for (size_t g = 0; g < node->gpu_count; g++)
        if (share_switch(node, nic, g))
            return true;
    return false;
}

/* Whether each GPU has one of these near: then it has no use for others. */
static bool all_served(const struct hs_node *node, const size_t *nics, size_t count)
{
    for (size_t g = 0; g < node->gpu_count; g++) {
        size_t i = 0;

        while (i < count && !share_switch(node, nics[i], g))
            i++;
        if (i == count)
            return false;
    }
    return node->gpu_count > 0;
}

size_t hs_node_choose_nics(size_t chosen[HS_NODE_NICS_MAX], const struct hs_node *node)
{
    bool rdma = is_rdma_chosen(node);
    size_t count = 0, near = 0, infiniband = 0;
    double fastest = 0;

    for (size_t n = 0; n < node->nic_count; n++)
        if (node->nics[n].rdma == rdma && is_usable(&node->nics[n]))
            fastest = fmax(fastest, node->nics[n].bytes_per_second);
    for (size_t n = 0; n < node->nic_count; n++)
        if (node->nics[n].rdma == rdma && is_usable(&node->nics[n]) &&
            node->nics[n].bytes_per_second >= fastest)
            chosen[count++] = n;
    for (size_t i = 0, served = all_served(node, chosen, count); served && i < count; i++)
        if (is_near(node, chosen[i]))
            chosen[near++] = chosen[i];
    count = near > 0 ? near : count;
    for (size_t i = 0; i < count; i++)
        if (node->nics[chosen[i]].device_class == HS_PCI_INFINIBAND)
            chosen[infiniband++] = chosen[i];
    return infiniband > 0 ? infiniband : count;
}

size_t hs_node_count_ports(const struct hs_node *node, const size_t *chosen, size_t count)
{
    size_t ports = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned bits = node->nics[chosen[i]].ports;

        for (ports += bits == 0; bits != 0; bits &= bits - 1)
            ports++;
    }
    return ports;
}

/* ---- GPUs for a display ---------------------------------------------------------------------- */

size_t hs_node_drop_displays(struct hs_node *node, size_t where[HS_NODE_GPUS_MAX])
{
    bool stays[HS_NODE_GPUS_MAX];
    size_t known = 0, unknown = 0, kept = 0, count = node->gpu_count;
    struct hs_gpu part;

    for (size_t g = 0; g < count; g++) {
        bool named = node->gpus[g].name[0] != '\0' || node->gpus[g].device != 0;

        stays[g] = !named || hs_node_gpu_part(&part, &node->gpus[g]);
        known += named && stays[g];
        unknown += !stays[g];
    }
    for (size_t g = 0; g < count; g++) {
        if (unknown < known && !stays[g])
            hs_text_append(&node->notes,
                           "GPU%zu, %s, is left out: a display's, or of another kind than most\n",
                           g,
                           node->gpus[g].name[0] ? node->gpus[g].name : "whose name is not known");
        else
            where[kept++] = g;
    }
    for (size_t a = 0; kept < count && a < kept; a++) {
        node->gpus[a] = node->gpus[where[a]];
        for (size_t b = 0; b < kept; b++) {
            node->nvlinks[a][b] = node->nvlinks[where[a]][where[b]];
            node->gpu_paths[a][b] = node->gpu_paths[where[a]][where[b]];
        }
        for (size_t n = 0; n < node->nic_count; n++)
            node->nic_paths[n][a] = node->nic_paths[n][where[a]];
    }
    node->gpu_count = kept;
    return count - kept;
}

/* ---- the line -------------------------------------------------------------------------------- */

/* Nodes that share NVLinks: trays of a rack. */
static int64_t domain_nodes(struct hs_text *notes, const struct hs_node *node, const char *gpu,
                            const char *variant)
{
    int64_t gpus = (int64_t)node->gpu_count;

    if (node->network.hosts > 1)
        return node->network.hosts;
    if (!is_tray(gpu) || variant[0] != '\0' || gpus >= HS_RACK_GPUS)
        return 1;
    if (node->network.block_nodes > 0)
        return node->network.block_nodes;
    hs_text_append(notes,
                   "a tray of %lld %s: a rack of %d is assumed to be one NVLink domain (Slurm's "
                   "topology.conf with blocks says how many trays are)\n",
                   (long long)gpus, gpu, HS_RACK_GPUS);
    return (HS_RACK_GPUS + gpus - 1) / gpus;
}

static void append_network(struct hs_text *line, struct hs_text *notes, const struct hs_node *node,
                           int64_t domain)
{
    int64_t nodes = node->network.leaf_nodes / domain;

    if (node->network.leaf_nodes == 0)
        return;
    if (nodes == 0) {
        hs_text_append(notes,
                       "a leaf switch has %lld nodes, fewer than an NVLink domain: left out\n",
                       (long long)node->network.leaf_nodes);
        return;
    }
    hs_text_append(line, ", %lld", (long long)nodes);
    hs_text_append(notes, "what leads on from a leaf switch is not known: no taper is assumed\n");
}

/* ", 8xNDR400"; false: they are in no catalogue. */
static bool append_nics(struct hs_text *line, struct hs_text *notes, const struct hs_node *node,
                        int64_t domain)
{
    size_t chosen[HS_NODE_NICS_MAX], count = hs_node_choose_nics(chosen, node);
    char word[WORD_BYTES], whole[WORD_BYTES + 32];
    struct hs_error ignored;
    struct hs_parts parts;

    if (count == 0)
        return true;
    name_nic(word, notes, &node->nics[chosen[0]]);
    if (word[0] == '\0')
        return false;
    count = hs_node_count_ports(node, chosen, count);
    snprintf(whole, sizeof(whole), "1xH100, %lldx%s", (long long)domain * (long long)count, word);
    if (hs_parts_parse(&parts, whole, &ignored) != HS_OK)
        return false;
    hs_text_append(line, ", %lldx%s", (long long)parts.nic_count, parts.nic.name);
    return true;
}

static bool build_line(struct hs_text *line, struct hs_text *notes, const struct hs_node *node)
{
    struct hs_parts parts;
    char word[WORD_BYTES];
    const char *variant;
    int64_t domain;

    if (!same_gpus(node) || !find_gpu(word, notes, node) || !known_part(&parts, word))
        return false;
    variant = find_variant(notes, node, &parts);
    if (variant == NULL)
        return false;
    domain = domain_nodes(notes, node, word, variant);
    if (domain * (int64_t)node->gpu_count > HS_PARTS_MAX)
        return false;
    hs_text_append(line, "%" PRId64 "x%s%s", domain * (int64_t)node->gpu_count, word, variant);
    if (!append_nics(line, notes, node, domain))
        return false;
    if (strchr(line->data, ',') != NULL)
        append_network(line, notes, node, domain);
    return true;
}

bool hs_node_parts(struct hs_text *line, struct hs_text *notes, const struct hs_node *node)
{
    struct hs_text found = {0}, remarks = {0};
    bool is = build_line(&found, &remarks, node) && !found.failed;

    if (is) {
        hs_text_append(line, "%s", found.data);
        hs_text_append(notes, "%s", remarks.data ? remarks.data : "");
    }
    hs_text_release(&found);
    hs_text_release(&remarks);
    return is;
}
