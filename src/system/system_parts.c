#include "system/system_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "system/link_rates.h"
#include "system/parts.h"

/* Of who runs the stages: NCCL on NVIDIA's GPUs, RCCL on AMD's, MPI between hosts. */
static const struct priors {
    double link_seconds[HS_LINK_COUNT], network_seconds, launch_seconds;
    double of_line; /* of a NIC's line rate */
    const char *latency, *bandwidth;
} all_priors[HS_LIBRARY_COUNT] = {
    [HS_LIBRARY_NCCL] = {{[HS_LINK_NVLINK] = HS_NCCL_NVLINK_STEP_SECONDS,
                          [HS_LINK_PCIE] = HS_NCCL_PCIE_STEP_SECONDS},
                         14e-6,
                         8.4e-6,
                         HS_NIC_EFFICIENCY,
                         "prior: NCCL 2.28.9 src/graph/tuning.cc, hwLatencies, ring, Simple "
                         "protocol; not measured on this machine",
                         "line rate of the NICs, effective: NCCL 2.28.9 src/graph/topo.h, 12.0 "
                         "GB/s per 100 Gb/s"},
    [HS_LIBRARY_RCCL] = {{[HS_LINK_XGMI] = 3.6e-6},
                         15.1e-6,
                         17e-6,
                         HS_NIC_EFFICIENCY,
                         "guess: RCCL src/graph/tuning.cc, tuning_model_0, ring, Simple protocol; "
                         "not measured on this machine",
                         "line rate of the NICs, effective: RCCL src/graph/topo.h, 12.0 GB/s per "
                         "100 Gb/s"},
    [HS_LIBRARY_UNSAID] = {{[HS_LINK_MEMORY] = 1e-6},
                           0, /* the NIC says it */
                           0,
                           0.4,
                           "guess: a short message of MPI's, by likeness to other machines",
                           "guess: what MPI gets of the line rate"},
};

/* What one process of a node gets of its NICs, the reductions of a ring included. */
#define LONE_BYTES_PER_SECOND 4.25e9
#define LONE_SOURCE                                                                                \
    "guess: what a ring of one process a node gets, its reductions included, by Leonardo and "     \
    "LUMI-C"
/* Of the memory's peak: who sends copies a byte to where the other copies it from, which reads and
 * writes it twice and more. */
#define COPIED 0.2

bool hs_parts_begin(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    const char *x = text + digits + strspn(text + digits, " ");

    return digits > 0 && *x == 'x' && isalpha((unsigned char)x[1 + strspn(x + 1, " ")]);
}

/* Where its figures come from is the caller's to say. */
static struct hs_level *add_level(struct hs_system *system, const char *name, int64_t arity)
{
    struct hs_level *level = &system->levels[system->level_count++];

    snprintf(level->name, sizeof(level->name), "%s", name);
    level->arity = arity;
    level->ports = 1;
    level->striped = true;
    return level;
}

static const struct priors *priors_of(const struct hs_parts *parts)
{
    return &all_priors[hs_parts_library(parts)];
}

static enum hs_status note_sources(struct hs_level *level, const struct hs_parts *parts,
                                   const char *bandwidth, struct hs_error *err)
{
    level->arity_source = hs_strdup(level->arity ? "the line of parts" : "open");
    level->fabric_source = hs_strdup("the line of parts");
    level->latency_source = hs_strdup(priors_of(parts)->latency);
    level->bandwidth_source = hs_strdup(bandwidth);
    if (level->arity_source && level->fabric_source && level->latency_source &&
        level->bandwidth_source)
        return HS_OK;
    return hs_no_memory(err);
}

/* Joined by single links: by NVLinks, but for AMD's. */
static enum hs_status add_wired_gpus(struct hs_system *system, const struct hs_parts *parts,
                                     struct hs_error *err)
{
    enum hs_gpu_link link = parts->gpu.link == HS_LINK_XGMI ? HS_LINK_XGMI : HS_LINK_NVLINK;
    struct hs_level *level = add_level(system, hs_link_names[link], parts->gpu_count);
    enum hs_status status = hs_parts_links(&level->links, parts, err);

    if (status != HS_OK)
        return status;
    level->fabric = HS_FABRIC_LINKS;
    level->bytes_per_second = hs_links_sends_least(&level->links);
    level->latency_seconds = priors_of(parts)->link_seconds[link];
    return note_sources(level, parts, hs_parts_links_source(parts), err);
}

static enum hs_status add_gpus(struct hs_system *system, const struct hs_parts *parts,
                               struct hs_error *err)
{
    enum hs_gpu_link link = parts->gpu.link;
    struct hs_level *level = add_level(system, hs_link_names[link], parts->gpu_count);
    char source[200];

    level->fabric = parts->mesh ? HS_FABRIC_MESH : HS_FABRIC_SWITCH;
    level->bytes_per_second = round(parts->gpu.nvlink_GBps * 1e9);
    level->latency_seconds = priors_of(parts)->link_seconds[link];
    if (link == HS_LINK_MEMORY)
        level->shared_bytes_per_second = round(COPIED * parts->gpu.peak_GBps * 1e9);
    snprintf(source, sizeof(source), "%s: %s%s", hs_figure_kinds[parts->gpu.rate].name,
             parts->gpu.source,
             link == HS_LINK_MEMORY ? "; ranks of a node share a fifth of that" : "");
    return note_sources(level, parts, source, err);
}

/* One process a node, between which there is nothing inside. */
static bool is_lone_host(const struct hs_parts *parts)
{
    return parts->gpu.link == HS_LINK_MEMORY && parts->gpu_count == 1 && parts->nic_count > 0;
}

static enum hs_status add_network(struct hs_system *system, const struct hs_parts *parts,
                                  struct hs_error *err)
{
    const struct priors *priors = priors_of(parts);
    struct hs_level *level =
        add_level(system, hs_nic_class_names[parts->nic.class], parts->switch_nodes);
    double injected = parts->nic.line_GBps * priors->of_line * (double)parts->nic_count * 1e9;
    bool hosts = parts->gpu.link == HS_LINK_MEMORY;
    bool lone = is_lone_host(parts) && injected > LONE_BYTES_PER_SECOND;
    double seconds = hosts ? parts->nic.mpi_step_us / 1e6 : priors->network_seconds;

    level->bytes_per_second = lone ? LONE_BYTES_PER_SECOND : injected;
    level->latency_seconds = seconds;
    level->ports = parts->nic_count;
    if (note_sources(level, parts, lone ? LONE_SOURCE : priors->bandwidth, err))
        return HS_MEMORY;
    if (parts->switch_nodes == 0)
        return HS_OK;
    level = add_level(system, "spine", 0);
    level->bytes_per_second = injected * (double)parts->switch_nodes / parts->taper;
    level->latency_seconds = seconds;
    return note_sources(level, parts,
                        "what the NICs of those nodes send, over the taper of the line", err);
}

#define TRAY_GPUS 4 /* of GB200 and GB300, of which a rack's are one NVLink domain in most cases */

/* What a line may be meant otherwise, and what has no price. */
static enum hs_status note_open(struct hs_system *system, const struct hs_parts *parts,
                                struct hs_error *err)
{
    bool nccl = system->parts != NULL;
    bool tray = strncmp(parts->gpu.name, "GB", 2) == 0 && parts->nic_count > 0 &&
                parts->gpu_count <= TRAY_GPUS;
    bool rccl = hs_parts_library(parts) == HS_LIBRARY_RCCL;
    bool mpi = hs_library_mpi_rule(system->library) != HS_LIBRARY_UNSAID;
    struct hs_text notes = {0};

    if ((nccl || rccl || mpi) && !tray)
        return HS_OK;
    if (tray)
        hs_text_append(&notes,
                       "NVLinks join the %d GPUs of a tray alone here: a rack of trays that they "
                       "join is written 72x%s",
                       (int)parts->gpu_count, parts->gpu.name);
    if (!nccl && !rccl && !mpi)
        hs_text_append(&notes, "%sstages are rings, priced by the levels: %s", tray ? "; " : "",
                       parts->gpu.link == HS_LINK_MEMORY
                           ? "no MPI library is named (\"; library=openmpi\" behind the line)"
                           : "NCCL's calls have no price for such a line");
    if (notes.failed) {
        hs_text_release(&notes);
        return hs_no_memory(err);
    }
    system->notes = notes.data;
    return HS_OK;
}

/* NCCL's calls are what stages are where it runs; RCCL is named alone. */
static enum hs_status note_library(struct hs_system *system, const char *text, struct hs_error *err)
{
    struct hs_parts *parts = &system->nccl.parts;

    if (parts->gpu.link == HS_LINK_MEMORY)
        return HS_OK; /* as the line says */
    system->library = hs_parts_library(parts);
    if (system->library != HS_LIBRARY_NCCL)
        return HS_OK;
    system->library = HS_LIBRARY_UNSAID; /* which parts imply */
    if (parts->wiring != HS_WIRED_EVENLY)
        return HS_OK;
    system->nccl.gpus = parts->gpu_count;
    system->parts = hs_strdup(text);
    return system->parts ? HS_OK : hs_no_memory(err);
}

enum hs_status hs_system_of_parts(struct hs_system *system, const char *text, struct hs_error *err)
{
    struct hs_parts *parts = &system->nccl.parts;
    enum hs_status status = hs_parts_parse(parts, text, err);

    if (status != HS_OK)
        return status;
    system->latency_kind = HS_LATENCY_PROTOCOL_STEP;
    system->launch_seconds = priors_of(parts)->launch_seconds;
    status = note_library(system, text, err);
    if (status == HS_OK && !is_lone_host(parts))
        status = parts->wiring == HS_WIRED_EVENLY ? add_gpus(system, parts, err)
                                                  : add_wired_gpus(system, parts, err);
    if (status == HS_OK && parts->nic_count > 0)
        status = add_network(system, parts, err);
    return status == HS_OK ? note_open(system, parts, err) : status;
}
