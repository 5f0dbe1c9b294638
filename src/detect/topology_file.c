/* topology_file.c - see topology_file.h. */
#include "detect/topology_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"

/* ---- joining --------------------------------------------------------------------------------- */

static void join_gpu(struct hs_node_gpu *gpu, const struct hs_node_gpu *other)
{
    if (gpu->name[0] == '\0')
        memcpy(gpu->name, other->name, sizeof(gpu->name));
    if (gpu->numa_node < 0)
        gpu->numa_node = other->numa_node;
    if (gpu->vendor == 0)
        gpu->vendor = other->vendor;
    if (gpu->device == 0)
        gpu->device = other->device;
    if (gpu->capability == 0)
        gpu->capability = other->capability;
    if (gpu->pcie_generation == 0) {
        gpu->pcie_generation = other->pcie_generation;
        gpu->pcie_width = other->pcie_width;
    }
    if (gpu->links == 0) {
        gpu->links = other->links;
        gpu->switch_links = other->switch_links;
        gpu->cpu_links = other->cpu_links;
    }
}

static bool has_links(const struct hs_node *node)
{
    for (size_t g = 0; g < node->gpu_count; g++)
        if (node->gpus[g].links > 0)
            return true;
    return false;
}

static const char *vendor_of(const struct hs_node *node)
{
    return node->gpus[0].vendor == HS_PCI_AMD ? "AMD" : "NVIDIA";
}

static enum hs_status join_gpus(struct hs_node *node, const struct hs_node *other, const char *name,
                                struct hs_error *err)
{
    if (other->gpu_count == 0)
        return HS_OK;
    if (node->gpu_count > 0 && node->gpu_count != other->gpu_count)
        return hs_fail(err, HS_INVALID,
                       "%s: expected a node of %zu GPUs, as in the files before, found %zu", name,
                       node->gpu_count, other->gpu_count);
    if (node->gpu_count > 0 && node->gpus[0].vendor != 0 && other->gpus[0].vendor != 0 &&
        node->gpus[0].vendor != other->gpus[0].vendor)
        return hs_fail(err, HS_INVALID, "%s: speaks of GPUs of %s, the files before of %s", name,
                       vendor_of(other), vendor_of(node));
    if (!has_links(node)) {
        memcpy(node->nvlinks, other->nvlinks, sizeof(node->nvlinks));
        if (other->origin.links_known)
            node->origin.links_seen_by = other->origin.links_seen_by;
    }
    node->origin.links_known = node->origin.links_known || other->origin.links_known;
    node->gpu_count = other->gpu_count;
    for (size_t a = 0; a < node->gpu_count; a++) {
        join_gpu(&node->gpus[a], &other->gpus[a]);
        for (size_t b = 0; b < node->gpu_count; b++)
            if (node->gpu_paths[a][b] == HS_PATH_UNKNOWN)
                node->gpu_paths[a][b] = other->gpu_paths[a][b];
    }
    return HS_OK;
}

static void join_nic(struct hs_node_nic *nic, const struct hs_node_nic *other)
{
    if (nic->state == HS_PORTS_UNKNOWN)
        nic->state = other->state;
    if (nic->bytes_per_second == 0) {
        nic->bytes_per_second = other->bytes_per_second;
        nic->ports = other->ports;
    }
    if (nic->device_class == 0)
        nic->device_class = other->device_class;
    if (nic->vendor == 0) {
        nic->vendor = other->vendor;
        nic->device = other->device;
    }
    nic->rdma = nic->rdma || other->rdma;
}

static enum hs_status join_nics(struct hs_node *node, const struct hs_node *other, const char *name,
                                struct hs_error *err)
{
    for (size_t i = 0; i < other->nic_count; i++) {
        size_t n = hs_node_find_nic(node, other->nics[i].name);

        if (n == HS_NODE_NICS_MAX)
            return hs_fail(err, HS_INVALID, "%s: expected at most %d NICs in all files", name,
                           HS_NODE_NICS_MAX);
        if (n == node->nic_count)
            node->nics[node->nic_count++] = other->nics[i];
        join_nic(&node->nics[n], &other->nics[i]);
        for (size_t g = 0; g < HS_NODE_GPUS_MAX; g++)
            if (node->nic_paths[n][g] == HS_PATH_UNKNOWN)
                node->nic_paths[n][g] = other->nic_paths[i][g];
    }
    return HS_OK;
}

static enum hs_status join(struct hs_node *node, const struct hs_node *other, const char *name,
                           struct hs_error *err)
{
    enum hs_status status = join_gpus(node, other, name, err);

    if (status == HS_OK)
        status = join_nics(node, other, name, err);
    if (node->cpu.hardware_threads == 0) {
        double rate = node->cpu.link_bytes_per_second;

        node->cpu = other->cpu;
        if (rate > 0)
            node->cpu.link_bytes_per_second = rate;
    }
    node->has_hwloc = node->has_hwloc || other->has_hwloc;
    node->is_arm = node->is_arm || other->is_arm;
    if (node->network.hosts == 0)
        node->network.hosts = other->network.hosts;
    if (node->network.leaf_nodes == 0)
        node->network.leaf_nodes = other->network.leaf_nodes;
    if (node->network.block_nodes == 0)
        node->network.block_nodes = other->network.block_nodes;
    if (other->notes.data != NULL)
        hs_text_append(&node->notes, "%s", other->notes.data);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

enum hs_status hs_topology_parse(struct hs_node *node, const char *name, const char *text,
                                 size_t length, struct hs_error *err)
{
    struct hs_node *other;
    enum hs_status status;
    size_t blank = strspn(text, " \t\r\n");

    if (blank == length)
        return hs_fail(err, HS_INVALID, "%s: empty", name);
    if (memchr(text, '\0', length) != NULL)
        return hs_fail(err, HS_INVALID, "%s: expected text, found bytes of another kind", name);
    if (text[blank] == '{')
        return hs_fail(err, HS_INVALID, "%s: JSON: a system file is given without --from", name);
    other = calloc(1, sizeof(*other));
    if (other == NULL)
        return hs_no_memory(err);
    if (text[blank] == '<')
        status = hs_topology_parse_xml(other, name, text, length, err);
    else
        status = hs_topology_parse_text(other, name, text, err);
    if (status == HS_OK)
        status = join(node, other, name, err);
    hs_node_release(other);
    free(other);
    return status;
}

static enum hs_status note_file(struct hs_node *node, const char *path, struct hs_error *err)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    struct hs_text files = {0};

    if (node->origin.files != NULL)
        hs_text_append(&files, "%s, ", node->origin.files);
    hs_text_append_foreign(&files, base, "?");
    free(node->origin.files);
    node->origin.files = files.failed ? NULL : hs_strdup(files.data);
    hs_text_release(&files);
    return node->origin.files ? HS_OK : hs_no_memory(err);
}

enum hs_status hs_topology_load(struct hs_node *node, const char *path, struct hs_error *err)
{
    size_t length;
    char *text;
    enum hs_status status = hs_file_read(&text, &length, path, HS_TOPOLOGY_BYTES_MAX, err);

    if (status != HS_OK)
        return status;
    if (hs_utf8_from_utf16(&text, &length)) /* PowerShell's '>' */
        status = hs_topology_parse(node, path, text, length, err);
    else
        status = hs_no_memory(err);
    free(text);
    return status == HS_OK ? note_file(node, path, err) : status;
}
