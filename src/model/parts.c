#include "model/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/units.h"

const char *const hs_nic_class_names[HS_NIC_CLASS_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_NIC_CLASSES(HS_ROW)
#undef HS_ROW
};

#define COUNT_OF(list) (sizeof(list) / sizeof(*(list)))
#define WORD_BYTES     64 /* a part with its count, and a NUL */
#define TAPER_MAX      1024.0

#define PCIE4_GBPS 24.0
#define PCIE5_GBPS 48.0

/* NVLinks: V100 6, A100 12, A800 8 of 20 GB/s; H100 18, H800 8 of 20.6; B200 18 of 40.1. */
static const struct hs_gpu known_gpus[] = {
    {"V100", HS_GPU_AMPERE, 70, 120.0, 12.0, HS_CPU_INTEL, false},
    {"A100", HS_GPU_AMPERE, 80, 240.0, PCIE4_GBPS, HS_CPU_AMD, false},
    {"A800", HS_GPU_AMPERE, 80, 160.0, PCIE4_GBPS, HS_CPU_INTEL, false},
    {"H100", HS_GPU_HOPPER, 90, 370.8, PCIE5_GBPS, HS_CPU_INTEL, true},
    {"H200", HS_GPU_HOPPER, 90, 370.8, PCIE5_GBPS, HS_CPU_INTEL, true},
    {"H800", HS_GPU_HOPPER, 90, 164.8, PCIE5_GBPS, HS_CPU_INTEL, true},
    {"H20", HS_GPU_HOPPER, 90, 370.8, PCIE5_GBPS, HS_CPU_INTEL, true},
    {"GH200", HS_GPU_HOPPER, 90, 370.8, PCIE5_GBPS, HS_CPU_ARM, false},
    {"B200", HS_GPU_BLACKWELL, 100, 721.8, PCIE5_GBPS, HS_CPU_INTEL, true},
    {"B300", HS_GPU_BLACKWELL, 100, 721.8, 2 * PCIE5_GBPS, HS_CPU_INTEL, true},
    {"GB200", HS_GPU_BLACKWELL, 100, 721.8, PCIE5_GBPS, HS_CPU_ARM, true},
    {"GB300", HS_GPU_BLACKWELL, 100, 721.8, 2 * PCIE5_GBPS, HS_CPU_ARM, true},
    {"L40S", HS_GPU_BOARD, 89, PCIE4_GBPS, PCIE4_GBPS, HS_CPU_AMD, false},
};

static const struct hs_nic known_nics[] = {
    {"NDR400", 50.0, HS_NIC_INFINIBAND}, {"NDR200", 25.0, HS_NIC_INFINIBAND},
    {"HDR200", 25.0, HS_NIC_INFINIBAND}, {"HDR100", 12.5, HS_NIC_INFINIBAND},
    {"EDR100", 12.5, HS_NIC_INFINIBAND}, {"SS11", 25.0, HS_NIC_SLINGSHOT},
    {"EFA100", 12.5, HS_NIC_EFA},        {"EFA200", 25.0, HS_NIC_EFA},
    {"RoCE100", 12.5, HS_NIC_ROCE},      {"RoCE200", 25.0, HS_NIC_ROCE},
    {"RoCE400", 50.0, HS_NIC_ROCE},      {"RoCE800", 100.0, HS_NIC_ROCE},
    {"TCPXO200", 25.0, HS_NIC_TCPXO},
};

/* As people type them: "h100" is H100. */
static enum hs_status find_name(size_t *index, const char *name, const char *what,
                                const char *const *names, size_t count, struct hs_error *err)
{
    for (*index = 0; *index < count; (*index)++)
        if (strcasecmp(names[*index], name) == 0)
            return HS_OK;
    return hs_name_find(index, name, what, names, count, err);
}

static enum hs_status find_gpu(struct hs_gpu *gpu, const char *name, struct hs_error *err)
{
    const char *names[COUNT_OF(known_gpus)];
    size_t i;

    for (i = 0; i < COUNT_OF(known_gpus); i++)
        names[i] = known_gpus[i].name;
    if (find_name(&i, name, "GPU", names, COUNT_OF(known_gpus), err))
        return HS_INVALID;
    *gpu = known_gpus[i];
    return HS_OK;
}

static enum hs_status find_nic(struct hs_nic *nic, const char *name, struct hs_error *err)
{
    const char *names[COUNT_OF(known_nics)];
    size_t i;

    for (i = 0; i < COUNT_OF(known_nics); i++)
        names[i] = known_nics[i].name;
    if (find_name(&i, name, "NIC", names, COUNT_OF(known_nics), err))
        return HS_INVALID;
    *nic = known_nics[i];
    return HS_OK;
}

/* COUNT "x" NAME, of `length` bytes: the name is left in `word`. */
static enum hs_status take_part(char word[WORD_BYTES], int64_t *count, const char *text,
                                size_t length, struct hs_error *err)
{
    char *x;

    if (length >= WORD_BYTES)
        return hs_fail(err, HS_INVALID, "expected a part such as 8xH100, found \"%.40s...\"", text);
    memcpy(word, text, length);
    word[length] = '\0';
    x = strchr(word, 'x');
    if (x == NULL || x[1] == '\0')
        return hs_fail(err, HS_INVALID, "expected a part such as 8xH100, found \"%s\"", word);
    *x = '\0';
    if (hs_count_parse(count, word, "number of parts", 1, HS_PARTS_MAX, err))
        return HS_INVALID;
    memmove(word, x + 1, strlen(x + 1) + 1);
    return HS_OK;
}

/* A board in a slot: what its GPUs say to each other goes through it. */
static void make_board(struct hs_gpu *gpu, double slot_GBps)
{
    gpu->generation = HS_GPU_BOARD;
    gpu->slot_GBps = gpu->nvlink_GBps = slot_GBps;
    gpu->nvls = false;
}

static enum hs_status parse_gpus(struct hs_parts *parts, char word[WORD_BYTES],
                                 struct hs_error *err)
{
    static const char *const variants[] = {"mesh", "pcie4", "pcie5"};
    char *dash = strchr(word, '-');
    size_t variant;

    if (dash != NULL)
        *dash = '\0';
    if (find_gpu(&parts->gpu, word, err))
        return HS_INVALID;
    if (dash == NULL)
        return HS_OK;
    if (hs_name_find(&variant, dash + 1, "variant of a GPU", variants, COUNT_OF(variants), err))
        return HS_INVALID;
    if (variant > 0) {
        make_board(&parts->gpu, variant == 1 ? PCIE4_GBPS : PCIE5_GBPS);
        return HS_OK;
    }
    if (parts->gpu.generation == HS_GPU_BOARD)
        return hs_fail(err, HS_INVALID, "%s has no NVLinks for a mesh", parts->gpu.name);
    parts->mesh = true;
    parts->gpu.nvls = false;
    return HS_OK;
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
    text += length;
    if (*text == '\0')
        return HS_OK;
    skip_comma(&text);
    return parse_network(parts, text, err);
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
