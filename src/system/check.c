#include "system/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Published least: one message between neighbours, TACCL's profile 0.3 us, and through two NICs and
 * a switch, TE-CCL's 1.3 us per hop and other wires' 0.6 us. */
#define WIRE_INSIDE_SECONDS  0.3e-6
#define WIRE_NETWORK_SECONDS 0.6e-6
#define LATENCY_MOST         1e-3
#define PORTS_PER_RANK       4
#define LEAST_PART           20
#define ROUNDING             1.0001

struct check {
    const struct hs_system *system;
    struct hs_gpu gpu; /* the machine's, where it is known; else the fastest, without a name */
    struct hs_finding *findings;
    size_t count;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Whether the title has the name as a word: "8 x A100, 4 x HDR" has A100. */
static bool names_gpu(const char *title, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = title; (at = strcasestr(at, name)) != NULL; at++)
        if ((at == title || !is_letter(at[-1])) && !is_letter(at[length]))
            return true;
    return false;
}

/* Of parts theirs; else that of the title with the highest peak. */
static struct hs_gpu gpu_of(const struct hs_system *system)
{
    struct hs_gpu found = {.peak_GBps = 0}, fastest = {.peak_GBps = 0};

    if (system->parts)
        return system->nccl.parts.gpu;
    for (size_t i = 0; i < hs_gpu_count; i++) {
        const struct hs_gpu *gpu = &hs_gpus[i];

        if (gpu->link == HS_LINK_MEMORY)
            continue;
        if (system->title && names_gpu(system->title, gpu->name) &&
            gpu->peak_GBps > found.peak_GBps)
            found = *gpu;
        if (gpu->peak_GBps > fastest.peak_GBps)
            fastest = *gpu;
    }
    fastest.name = NULL;
    fastest.nvlink_GBps = 0;
    return found.name ? found : fastest;
}

static double fastest_nic_GBps(void)
{
    double GBps = 0;

    for (size_t i = 0; i < hs_nic_count; i++)
        GBps = fmax(GBps, hs_nics[i].line_GBps);
    return GBps;
}

/* A finding about level l: what was found, and expected, in words. */
static void __attribute__((format(printf, 5, 6)))
find(struct check *check, size_t l, const char *figure, const char *found, const char *expected,
     ...)
{
    struct hs_finding *finding = &check->findings[check->count++];
    va_list words;

    snprintf(finding->place, sizeof(finding->place), "levels[%zu] (%s), %s", l,
             check->system->levels[l].name, figure);
    snprintf(finding->found, sizeof(finding->found), "%s", found);
    va_start(words, expected);
    vsnprintf(finding->expected, sizeof(finding->expected), expected, words);
    va_end(words);
}

#define AS_RATE(rate)    hs_bandwidth_format((char[HS_UNIT_TEXT]){0}, rate)
#define AS_TIME(seconds) hs_seconds_format((char[HS_UNIT_TEXT]){0}, seconds)

/* What a child sends; of single links only what goes straight to other GPUs, the host's links
 * being beside their data sheets. */
static double sent_by_child(const struct hs_level *level)
{
    const struct hs_links *links = &level->links;
    double sent[HS_LINKS_UNITS] = {0}, most = 0;

    if (level->fabric != HS_FABRIC_LINKS)
        return level->bytes_per_second;
    for (size_t i = 0; i < links->count; i++) {
        const struct hs_link *link = &links->items[i];

        if (link->from >= links->units || link->to >= links->units)
            continue;
        sent[link->from] += link->count * link->bytes_per_second;
        if (!link->one_way)
            sent[link->to] += link->count * link->bytes_per_second;
    }
    for (int u = 0; u < links->units; u++)
        most = fmax(most, sent[u]);
    return most > 0 ? most : level->bytes_per_second;
}

/* What GPUs can send at most, and the machine's at least. */
static void check_gpus(struct check *check, size_t l)
{
    const struct hs_level *level = &check->system->levels[l];
    const struct hs_gpu *gpu = &check->gpu;
    int64_t ranks = hs_system_child_ranks(check->system, l);
    double rate = sent_by_child(level), most = gpu->peak_GBps * 1e9 * (double)ranks;

    if (level->fabric == HS_FABRIC_LINKS && gpu->link == HS_LINK_PCIE)
        return; /* boards under bridges, whose links no part has */
    if (rate > most * ROUNDING)
        find(check, l, "bandwidth", AS_RATE(rate), "at most %s, the peak of %lld x %s",
             AS_RATE(most), (long long)ranks, gpu->name ? gpu->name : "the fastest GPU known");
    if (l == 0 && gpu->name && hs_level_is_inside(&check->system->levels[l]) &&
        rate < gpu->nvlink_GBps * 1e9 / LEAST_PART)
        find(check, l, "bandwidth", AS_RATE(rate), "about %s, as %s has",
             AS_RATE(gpu->nvlink_GBps * 1e9), gpu->name);
}

static void check_nics(struct check *check, size_t l)
{
    const struct hs_system *system = check->system;
    const struct hs_level *level = &system->levels[l];
    const struct hs_parts *parts = system->parts && l == 1 ? &system->nccl.parts : NULL;
    bool known = parts && parts->nic_count > 0;
    int64_t said = level->ports > 1 ? level->ports : hs_system_child_ranks(system, l);
    double ports = known ? (double)parts->nic_count : (double)said;
    double most = ports * 1e9 * (known ? parts->nic.line_GBps : fastest_nic_GBps());

    /* units of many nodes have uplinks, which no file counts */
    if ((l == 0 || hs_level_is_inside(&system->levels[l - 1])) &&
        level->bytes_per_second > most * ROUNDING)
        find(check, l, "bandwidth", AS_RATE(level->bytes_per_second),
             "at most %s, the line rate of %g x %s", AS_RATE(most), ports,
             known ? parts->nic.name : "the fastest NIC known");
}

static void check_ports(struct check *check, size_t l)
{
    int64_t ranks = hs_system_child_ranks(check->system, l);
    int64_t ports = check->system->levels[l].ports;
    char found[HS_UNIT_TEXT];

    if (ports / PORTS_PER_RANK <= ranks)
        return;
    snprintf(found, sizeof(found), "%lld", (long long)ports);
    find(check, l, "ports", found, "at most %d for each of the %lld ranks that have them",
         PORTS_PER_RANK, (long long)ranks);
}

static void check_latency(struct check *check, size_t l)
{
    const struct hs_system *system = check->system;
    const struct hs_level *levels = system->levels;
    double seconds = levels[l].latency_seconds;
    double wire = hs_level_is_inside(&levels[l]) ? WIRE_INSIDE_SECONDS : WIRE_NETWORK_SECONDS;

    if (seconds > LATENCY_MOST)
        find(check, l, "latency", AS_TIME(seconds), "at most %s", AS_TIME(LATENCY_MOST));
    if (system->fits.count > 0)
        return;
    if (seconds < wire)
        find(check, l, "latency", AS_TIME(seconds), "at least %s, that of a wire", AS_TIME(wire));
    else if (l > 0 && seconds < levels[l - 1].latency_seconds)
        find(check, l, "latency", AS_TIME(seconds), "at least the %s of %s, which lies inside",
             AS_TIME(levels[l - 1].latency_seconds), levels[l - 1].name);
}

/* Children of a unit, together, against what the unit passes on. */
static void check_taper(struct check *check, size_t l)
{
    const struct hs_level *inner = &check->system->levels[l - 1];
    double sent = inner->bytes_per_second * (double)inner->arity;
    double rate = check->system->levels[l].bytes_per_second;

    if (rate > sent * ROUNDING)
        find(check, l, "bandwidth", AS_RATE(rate),
             "at most %s, what the %lld children of a unit of %s send together (a taper of %.3g)",
             AS_RATE(sent), (long long)inner->arity, inner->name, sent / rate);
}

size_t hs_system_check(struct hs_finding findings[HS_FINDINGS_MAX], const struct hs_system *system)
{
    struct check check = {.system = system, .gpu = gpu_of(system), .findings = findings};

    for (size_t l = 0; l < system->level_count; l++) {
        check_gpus(&check, l);
        if (!hs_level_is_inside(&system->levels[l]))
            check_nics(&check, l);
        check_ports(&check, l);
        check_latency(&check, l);
        if (l > 0)
            check_taper(&check, l);
    }
    return check.count;
}
