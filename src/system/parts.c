#include "system/parts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/units.h"
#include "system/link_rates.h"

const char *const hs_link_names[HS_LINK_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_LINKS(HS_ROW)
#undef HS_ROW
};

const char *const hs_wiring_names[HS_WIRING_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_WIRINGS(HS_ROW)
#undef HS_ROW
};

const char *const hs_nic_class_names[HS_NIC_CLASS_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_NIC_CLASSES(HS_ROW)
#undef HS_ROW
};

/* ---- single links ---------------------------------------------------------------------------- */

#define BRIDGED_MAX    16
#define CUBE           8
#define VOLTA          70 /* compute capability */
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

/* Whether such GPUs, so many, can be joined so. */
static enum hs_status check_wiring(const struct hs_parts *parts, struct hs_error *err)
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

/* ---- a line of parts ------------------------------------------------------------------------- */

#define WORD_BYTES 64 /* a part with its count, and a NUL */
#define TAPER_MAX  1024.0

/* As people type them: "h100" is H100, "RTX PRO 6000" RTXPRO6000. */
static bool same_name(const char *name, const char *typed)
{
    for (; *name != '\0'; name++, typed++) {
        typed += strspn(typed, " ");
        if (tolower((unsigned char)*name) != tolower((unsigned char)*typed))
            return false;
    }
    return *typed == '\0';
}

/* "EDR" is EDR100, where there is one rate of it. */
static bool is_name_without_rate(const char *name, const char *typed)
{
    size_t length = strlen(typed);

    return length >= 3 && isalpha((unsigned char)typed[length - 1]) &&
           strncasecmp(name, typed, length) == 0 &&
           strspn(name + length, "0123456789") == strlen(name + length);
}

static enum hs_status find_name(size_t *index, const char *typed, const char *what,
                                const char *const *names, size_t count, struct hs_error *err)
{
    size_t found = 0;

    for (*index = 0; *index < count; (*index)++)
        if (same_name(names[*index], typed))
            return HS_OK;
    for (size_t i = 0; i < count; i++)
        if (is_name_without_rate(names[i], typed)) {
            *index = i;
            found++;
        }
    if (found == 1)
        return HS_OK;
    return hs_name_find(index, typed, what, names, count, err);
}

#define NAMES_MAX 64 /* GPUs, or NICs */

static enum hs_status find_gpu(struct hs_gpu *gpu, const char *name, struct hs_error *err)
{
    const char *names[NAMES_MAX];
    size_t i;

    for (i = 0; i < hs_gpu_count; i++)
        names[i] = hs_gpus[i].name;
    if (find_name(&i, name, "GPU", names, hs_gpu_count, err)) {
        if (err == NULL || hs_nearest_name(name, names, hs_gpu_count))
            return HS_INVALID;
        return hs_fail(err, HS_INVALID,
                       "%s; a node of others is levels, such as pcie:8@20GB/s~5us,ib@50GB/s~14us",
                       err->message);
    }
    *gpu = hs_gpus[i];
    return HS_OK;
}

#define TCP_SUFFIX "-tcp"

/* What a network is called besides its name in the catalogue. */
static const char *nic_of(const char *typed)
{
    static const char *const called[][2] = {{"Slingshot-10", "SS10"},
                                            {"Slingshot10", "SS10"},
                                            {"Slingshot-11", "SS11"},
                                            {"Slingshot11", "SS11"}};

    for (size_t i = 0; i < sizeof(called) / sizeof(called[0]); i++)
        if (same_name(called[i][0], typed))
            return called[i][1];
    return typed;
}

/* Through the kernel no class's times mean anything but those of its sockets. */
static enum hs_status find_nic(struct hs_nic *nic, char *name, struct hs_error *err)
{
    char *suffix = strrchr(name, '-');
    bool tcp = suffix != NULL && strcasecmp(suffix, TCP_SUFFIX) == 0;
    const char *names[NAMES_MAX];
    size_t i;

    if (tcp)
        *suffix = '\0';
    for (i = 0; i < hs_nic_count; i++)
        names[i] = hs_nics[i].name;
    if (find_name(&i, nic_of(name), "NIC", names, hs_nic_count, err))
        return HS_INVALID;
    *nic = hs_nics[i];
    if (tcp) {
        nic->class = HS_NIC_TCP;
        nic->mpi_step_us = HS_TCP_STEP_US;
        nic->times = HS_FIGURE_GUESS;
    }
    return HS_OK;
}

/* Whether a count and an x stand behind a blank: the next part. */
static bool has_another(const char *name)
{
    for (const char *at = strchr(name, ' '); at != NULL; at = strchr(at, ' ')) {
        at += strspn(at, " ");
        if (isdigit((unsigned char)*at) && at[strspn(at, "0123456789 ")] == 'x')
            return true;
    }
    return false;
}

/* COUNT "x" NAME, of `length` bytes, with blanks around the x: the name is left in `word`. */
static enum hs_status take_part(char word[WORD_BYTES], int64_t *count, const char *text,
                                size_t length, struct hs_error *err)
{
    const char *x, *name;

    if (length >= WORD_BYTES)
        return hs_fail(err, HS_INVALID, "expected a part such as 8xH100, found \"%.40s...\"", text);
    memcpy(word, text, length);
    while (length > 0 && word[length - 1] == ' ')
        length--;
    word[length] = '\0';
    x = strchr(word, 'x');
    name = x ? x + 1 + strspn(x + 1, " ") : "";
    if (*name == '\0')
        return hs_fail(err, HS_INVALID, "expected a part such as 8xH100 or 8xNDR400, found \"%s\"",
                       word);
    if (has_another(name))
        return hs_fail(err, HS_INVALID, "expected a comma between parts, found \"%s\"", word);
    word[strcspn(word, " x")] = '\0';
    if (hs_count_parse(count, word, "number of parts", 1, HS_PARTS_MAX, err))
        return HS_INVALID;
    memmove(word, name, strlen(name) + 1);
    return HS_OK;
}

/* What may stand behind a GPU. Those without a slot are how people write the usual one. */
static const struct variant {
    const char *name;
    double slot_GBps; /* effective: NCCL src/graph/topo.h, PCI_BW 12 GB/s of PCIe 3 */
    double peak_GBps;
    enum hs_wiring wiring;
    double memory_GB;
    enum hs_slot_paths paths;
} variants[] = {{.name = "mesh"},
                {.name = "cube", .wiring = HS_WIRED_CUBE},
                {.name = "power9", .wiring = HS_WIRED_POWER},
                {.name = "bridged", .wiring = HS_WIRED_BRIDGED},
                {.name = "pcie3", .slot_GBps = 12, .peak_GBps = 15.75},
                {.name = "pcie4", .slot_GBps = 24, .peak_GBps = 31.5},
                {.name = "pcie5", .slot_GBps = 48, .peak_GBps = 63},
                {.name = "switch", .paths = HS_PATHS_SWITCH},
                {.name = "p2p=no", .paths = HS_PATHS_HOST},
                {.name = "sxm"},
                {.name = "16", .memory_GB = 16},
                {.name = "32", .memory_GB = 32},
                {.name = "40", .memory_GB = 40},
                {.name = "80", .memory_GB = 80}};
enum { VARIANTS = sizeof(variants) / sizeof(*variants), MESH = 0 };

/* A board in a slot: what its GPUs say to each other goes through it. Times are those of the one
 * kind of board that was measured. */
static void make_board(struct hs_gpu *gpu, const struct variant *variant)
{
    if (gpu->generation != HS_GPU_BOARD || gpu->nvlink_GBps != variant->slot_GBps)
        gpu->times = HS_FIGURE_GUESS;
    gpu->rate = HS_FIGURE_GUESS;
    gpu->generation = HS_GPU_BOARD;
    gpu->link = HS_LINK_PCIE;
    gpu->slot_GBps = gpu->nvlink_GBps = variant->slot_GBps;
    gpu->peak_GBps = variant->peak_GBps;
    gpu->nvls = false;
}

static enum hs_status make_mesh(struct hs_parts *parts, struct hs_error *err)
{
    if (parts->gpu.link == HS_LINK_PCIE || parts->gpu.link == HS_LINK_MEMORY)
        return hs_fail(err, HS_INVALID, "%s has no NVLinks for a mesh", parts->gpu.name);
    parts->mesh = true;
    parts->gpu.nvls = false;
    return HS_OK;
}

/* Packages of MI250X have links to some others. */
static void wire_dies(struct hs_parts *parts)
{
    enum hs_wiring wiring = parts->wiring;

    parts->wiring = HS_WIRED_DIES;
    if (check_wiring(parts, NULL) != HS_OK)
        parts->wiring = wiring;
    else
        parts->mesh = false;
}

static enum hs_status make_wired(struct hs_parts *parts, enum hs_wiring wiring,
                                 struct hs_error *err)
{
    parts->wiring = wiring;
    parts->mesh = false;
    return check_wiring(parts, err);
}

#define XGMI_MESH 8 /* GPUs of AMD, at most, of which each has links to each */

static enum hs_status parse_variant(struct hs_parts *parts, const char *text, struct hs_error *err)
{
    const char *names[VARIANTS], *nearest;
    size_t v;

    for (v = 0; v < VARIANTS; v++)
        names[v] = variants[v].name;
    nearest = hs_nearest_name(text, names, VARIANTS);
    if (nearest && strncmp(nearest, "pcie", 4) == 0 && tolower((unsigned char)text[0]) == 'p' &&
        strpbrk(text, "0123456789") == NULL) /* slots differ by factors: none is the nearest */
        return hs_fail(err, HS_INVALID,
                       "unknown variant of a GPU \"%.40s\", expected the slot as pcie3, pcie4 or "
                       "pcie5",
                       text);
    if (find_name(&v, text, "variant of a GPU", names, VARIANTS, err))
        return HS_INVALID;
    if (v == MESH)
        return make_mesh(parts, err);
    if (variants[v].wiring != HS_WIRED_EVENLY)
        return make_wired(parts, variants[v].wiring, err);
    if (variants[v].slot_GBps > 0 && parts->gpu.generation == HS_GPU_OTHER)
        return hs_fail(err, HS_INVALID, "%s: expected no slot, found \"%s\"", parts->gpu.name,
                       variants[v].name);
    if (variants[v].paths && parts->gpu.generation != HS_GPU_BOARD)
        return hs_fail(err, HS_INVALID,
                       "%s: expected a board in a slot before \"%s\", as in 8xL40S-%s or "
                       "8xA100-pcie4-%s",
                       parts->gpu.name, variants[v].name, variants[v].name, variants[v].name);
    if (variants[v].slot_GBps > 0)
        make_board(&parts->gpu, &variants[v]);
    if (variants[v].memory_GB > 0)
        parts->gpu.memory_GB = variants[v].memory_GB;
    if (variants[v].paths)
        parts->paths = variants[v].paths;
    return HS_OK;
}
/* RTX 3090, 4090, 5090 and the like: NVIDIA's driver gives them no peer access over PCIe. */
static bool is_geforce(const char *name)
{
    return strncmp(name, "RTX", 3) == 0 && strlen(name) == 7 &&
           strspn(name + 3, "0123456789") == 4 && name[4] == '0';
}

static enum hs_status parse_gpus(struct hs_parts *parts, char word[WORD_BYTES],
                                 struct hs_error *err)
{
    char *next = word;
    const char *name = strsep(&next, "-"), *variant;

    if (find_gpu(&parts->gpu, name, err))
        return HS_INVALID;
    parts->mesh = parts->gpu.link == HS_LINK_XGMI && parts->gpu_count <= XGMI_MESH;
    wire_dies(parts);
    if (is_geforce(parts->gpu.name))
        parts->paths = HS_PATHS_HOST;
    while ((variant = strsep(&next, "-")) != NULL)
        if (parse_variant(parts, variant, err))
            return HS_INVALID;
    return HS_OK;
}

/* Whether calls over the network of such nodes were measured. */
static void find_fitted(struct hs_parts *parts)
{
    parts->fitted_domains = HS_FITTED_DOMAINS;
    parts->network = parts->nic.times == HS_FIGURE_FITTED && parts->gpu.times == HS_FIGURE_FITTED
                         ? HS_FIGURE_VENDOR
                         : HS_FIGURE_GUESS;
    for (size_t i = 0; i < hs_fitted_node_count; i++) {
        const struct hs_fitted_node *node = &hs_fitted_nodes[i];

        if (parts->gpu.generation == HS_GPU_BOARD || parts->nic.class == HS_NIC_TCP ||
            strcmp(node->gpu, parts->gpu.name) != 0 || node->mesh != parts->mesh ||
            strcmp(node->nic, parts->nic.name) != 0)
            continue;
        parts->network = HS_FIGURE_FITTED;
        parts->fitted_domains = node->domains;
    }
}

/* NODES [":" TAPER] */
static enum hs_status parse_network(struct hs_parts *parts, const char *text, struct hs_error *err)
{
    char word[WORD_BYTES], *colon, *end = NULL;

    if (strlen(text) >= sizeof(word))
        return hs_fail(err, HS_INVALID, "expected the nodes under a switch, found \"%.40s...\"",
                       text);
    memcpy(word, text, strlen(text) + 1);
    colon = strchr(word, ':');
    if (colon != NULL)
        *colon = '\0';
    if (hs_count_parse(&parts->switch_nodes, word, "number of nodes under a switch", 1, HS_NP_MAX,
                       err))
        return HS_INVALID;
    if (colon == NULL)
        return HS_OK;
    parts->taper = isdigit((unsigned char)colon[1]) ? strtod(colon + 1, &end) : 0;
    if (parts->taper >= 1 && parts->taper <= TAPER_MAX && end != NULL && *end == '\0')
        return HS_OK;
    return hs_fail(err, HS_INVALID,
                   "expected a taper of 1 to %g behind the nodes under a switch, as in 32:2, found "
                   "\"%.40s\"",
                   TAPER_MAX, colon + 1);
}

/* The comma at *text, and the spaces behind it: what follows is the next word. */
static void skip_comma(const char **text)
{
    *text += 1 + strspn(*text + 1, " ");
}

#define LATER_EFA_FROM 90 /* capability of the GPUs beside it: p4 has A100, p5 has H100 */

enum hs_status hs_parts_parse(struct hs_parts *parts, const char *text, struct hs_error *err)
{
    size_t length = strcspn(text, ",");
    char word[WORD_BYTES];

    *parts = (struct hs_parts){.taper = 1};
    if (take_part(word, &parts->gpu_count, text, length, err) || parse_gpus(parts, word, err))
        return HS_INVALID;
    text += length;
    if (*text == '\0')
        return HS_OK;
    skip_comma(&text);
    length = strcspn(text, ",");
    if (take_part(word, &parts->nic_count, text, length, err) || find_nic(&parts->nic, word, err))
        return HS_INVALID;
    if (parts->nic.class == HS_NIC_EFA && parts->gpu.capability >= LATER_EFA_FROM)
        parts->nic.class = HS_NIC_LATER_EFA;
    find_fitted(parts);
    text += length;
    if (*text == '\0')
        return HS_OK;
    skip_comma(&text);
    return parse_network(parts, text, err);
}

enum hs_library hs_parts_library(const struct hs_parts *parts)
{
    if (parts->gpu.link == HS_LINK_XGMI)
        return HS_LIBRARY_RCCL;
    return parts->gpu.link == HS_LINK_MEMORY ? HS_LIBRARY_UNSAID : HS_LIBRARY_NCCL;
}

static enum hs_status check_shape(const struct hs_parts *parts, int64_t domains, int64_t gpus,
                                  struct hs_error *err)
{
    if (gpus < 1 || gpus > parts->gpu_count)
        return hs_fail(err, HS_INVALID, "expected 1 to %d GPUs of each node, found %lld",
                       (int)parts->gpu_count, (long long)gpus);
    if (domains < 1 || domains > HS_NP_MAX / gpus || domains * gpus < 2)
        return hs_fail(err, HS_INVALID, "expected 2 to %lld GPUs in all, found %lld times %lld",
                       (long long)HS_NP_MAX, (long long)domains, (long long)gpus);
    if (domains > 1 && parts->nic_count == 0)
        return hs_fail(err, HS_INVALID, "%lld nodes need NICs, as in \"8xH100, 8xNDR400\"",
                       (long long)domains);
    return HS_OK;
}

/* The largest capability of which mesh boards have their NICs behind the CPU. */
#define BEHIND_CPU_BELOW 90

enum hs_status hs_parts_shape(struct hs_shape *shape, const struct hs_parts *parts, int64_t domains,
                              int64_t gpus, struct hs_error *err)
{
    double count = (double)parts->gpu_count, used = (double)gpus;

    if (check_shape(parts, domains, gpus, err))
        return HS_INVALID;
    *shape = (struct hs_shape){.parts = *parts, .domains = domains, .gpus = gpus};
    shape->ranks = domains * gpus;
    shape->least = gpus;
    shape->nvlink_GBps = parts->gpu.nvlink_GBps;
    if (parts->mesh && gpus > 1)
        shape->nvlink_GBps = parts->gpu.nvlink_GBps * (used - 1) / (count - 1);
    shape->link_GBps = shape->nvlink_GBps;
    if (parts->mesh && gpus > 2)
        shape->link_GBps = shape->nvlink_GBps / (used - 1);
    shape->nics = (double)parts->nic_count * (used / count);
    if (parts->gpu_count >= HS_RACK_GPUS)
        shape->nics = used;
    shape->network_share = 1;
    shape->behind = parts->mesh && parts->gpu.capability < BEHIND_CPU_BELOW && domains > 1;
    return HS_OK;
}

/* ---- the graph of single links ------------------------------------------------------------------
 * Who is joined and at which rate is as in configs/ (dgx1-*, ac922-*, mi250*, *-bridged), with the
 * sources there. */

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
