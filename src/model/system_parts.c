#include "model/system_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/library_nccl.h"

bool hs_parts_begin(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    return digits > 0 && text[digits] == 'x' && isalpha((unsigned char)text[digits + 1]);
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

static enum hs_status note_sources(struct hs_level *level, const char *bandwidth,
                                   struct hs_error *err)
{
    level->arity_source = hs_strdup(level->arity ? "the line of parts" : "open");
    level->fabric_source = hs_strdup("the line of parts");
    level->latency_source = hs_strdup("prior: NCCL 2.28.9 src/graph/tuning.cc, hwLatencies, ring, "
                                      "Simple protocol; not measured on this machine");
    level->bandwidth_source = hs_strdup(bandwidth);
    if (level->arity_source && level->fabric_source && level->latency_source &&
        level->bandwidth_source)
        return HS_OK;
    return hs_no_memory(err);
}

static enum hs_status add_gpus(struct hs_system *system, const struct hs_parts *parts,
                               struct hs_error *err)
{
    bool board = parts->gpu.generation == HS_GPU_BOARD;
    struct hs_level *level = add_level(system, board ? "pcie" : "nvlink", parts->gpu_count);

    level->fabric = parts->mesh ? HS_FABRIC_MESH : HS_FABRIC_SWITCH;
    level->bytes_per_second = parts->gpu.nvlink_GBps * 1e9;
    level->latency_seconds = board ? HS_NCCL_PCIE_STEP_SECONDS : HS_NCCL_NVLINK_STEP_SECONDS;
    return note_sources(level,
                        board
                            ? "a slot of PCIe, effective"
                            : "effective: NCCL 2.28.9 src/graph/topo.h, per link, times the links",
                        err);
}

static enum hs_status add_network(struct hs_system *system, const struct hs_parts *parts,
                                  struct hs_error *err)
{
    struct hs_level *level =
        add_level(system, hs_nic_class_names[parts->nic.class], parts->switch_nodes);
    double injected = parts->nic.line_GBps * 1e9 * HS_NIC_EFFICIENCY * (double)parts->nic_count;

    level->bytes_per_second = injected;
    level->latency_seconds = HS_NCCL_NETWORK_STEP_SECONDS;
    level->ports = parts->nic_count;
    if (note_sources(level,
                     "line rate of the NICs, effective: NCCL 2.28.9 src/graph/topo.h, 12.0 GB/s "
                     "per 100 Gb/s",
                     err))
        return HS_MEMORY;
    if (parts->switch_nodes == 0)
        return HS_OK;
    level = add_level(system, "spine", 0);
    level->bytes_per_second = injected * (double)parts->switch_nodes / parts->taper;
    level->latency_seconds = HS_NCCL_NETWORK_STEP_SECONDS;
    return note_sources(level, "what the NICs of those nodes send, over the taper of the line",
                        err);
}

/* What the line leaves open. */
static enum hs_status note_open(struct hs_system *system, struct hs_error *err)
{
    if (system->nccl.parts.nic_count == 0 || system->nccl.parts.switch_nodes > 0)
        return HS_OK;
    system->notes = hs_strdup(
        "the nodes under a switch and its taper are not given (as in \"8xH100, 8xNDR400, 32:2\"): "
        "one switch for all nodes is assumed");
    return system->notes ? HS_OK : hs_no_memory(err);
}

enum hs_status hs_system_of_parts(struct hs_system *system, const char *text, struct hs_error *err)
{
    struct hs_parts *parts = &system->nccl.parts;
    enum hs_status status = hs_parts_parse(parts, text, err);

    if (status != HS_OK)
        return status;
    system->parts = hs_strdup(text);
    if (!system->parts)
        return hs_no_memory(err);
    system->nccl.gpus = parts->gpu_count;
    system->latency_kind = HS_LATENCY_PROTOCOL_STEP;
    system->launch_seconds = HS_NCCL_CALL_SECONDS;
    status = add_gpus(system, parts, err);
    if (status == HS_OK && parts->nic_count > 0)
        status = add_network(system, parts, err);
    return status == HS_OK ? note_open(system, err) : status;
}
