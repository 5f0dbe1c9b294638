/* machine.c - see machine.h. */
#include "runner/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detect/node.h"
#include "runner/check.h"

static enum hs_status out_of_memory(struct hs_error *err)
{
    return hs_no_memory(err);
}

/* ---- one node ------------------------------------------------------------------------------ */

static bool fill_device(struct hs_topology_device *device, const char *name,
                        const struct hs_pci *pci, int numa_node)
{
    char place[32];

    snprintf(place, sizeof(place), "%04x:%02x:%02x", pci->domain, pci->bus, pci->device);
    device->name = hs_strdup(name);
    device->pci = hs_strdup(place);
    device->numa_node = numa_node;
    return device->name && device->pci;
}

static bool fill_gpu(struct hs_topology_device *device, const struct hs_node *node, size_t g)
{
    const struct hs_node_gpu *gpu = &node->gpus[g];
    char link[HS_NODE_LINK_TEXT];
    bool whole = fill_device(device, gpu->name, &gpu->pci, gpu->numa_node);

    device->nvlinks = gpu->links;
    device->nvswitch_links = gpu->switch_links;
    device->pcie_generation = gpu->pcie_generation;
    device->pcie_width = gpu->pcie_width;
    for (size_t other = 0; whole && other < node->gpu_count; other++)
        whole = (device->links[other] = hs_strdup(hs_node_link_format(link, node, g, other)));
    return whole;
}

static bool fill_nic(struct hs_topology_device *device, const struct hs_node *node, size_t n)
{
    const struct hs_node_nic *nic = &node->nics[n];
    bool whole = fill_device(device, nic->name, &nic->pci, nic->numa_node);

    device->rdma = nic->rdma;
    device->bytes_per_second = nic->bytes_per_second;
    for (size_t g = 0; whole && g < node->gpu_count; g++)
        whole = (device->links[g] = hs_strdup(hs_node_path_names[node->nic_paths[n][g]]));
    return whole;
}

static bool fill_devices(struct hs_result_topology *out, const struct hs_node *node)
{
    struct hs_error error;
    bool whole;

    if (hs_topology_devices_new(&out->gpus, node->gpu_count, node->gpu_count, &error) != HS_OK)
        return false;
    out->gpu_count = node->gpu_count;
    if (hs_topology_devices_new(&out->nics, node->nic_count, node->gpu_count, &error) != HS_OK)
        return false;
    out->nic_count = node->nic_count;
    whole = true;
    for (size_t g = 0; whole && g < node->gpu_count; g++)
        whole = fill_gpu(&out->gpus[g], node, g);
    for (size_t n = 0; whole && n < node->nic_count; n++)
        whole = fill_nic(&out->nics[n], node, n);
    return whole;
}

/* A text that is not empty, without the line's end that notes have. */
static bool copy_text(char **out, const char *text)
{
    size_t length = text ? strlen(text) : 0;

    if (length == 0)
        return true;
    *out = hs_strdup(text);
    if (*out && text[length - 1] == '\n')
        (*out)[length - 1] = '\0';
    return *out != NULL;
}

/* Where there is nothing to propose from, there is no proposal. */
static bool propose_system(char **out, const struct hs_node *node)
{
    struct hs_system system;
    struct hs_text line = {0};
    struct hs_error error;
    bool whole = true;

    if (node->gpu_count > 0 && hs_node_propose(&system, node, &error) == HS_OK) {
        hs_system_format(&line, &system);
        whole = !line.failed && copy_text(out, line.data);
        hs_system_release(&system);
    }
    hs_text_release(&line);
    return whole;
}

static bool fill_kind(struct hs_result_topology *out, const struct hs_node *node, bool propose)
{
    out->packages = node->cpu.packages;
    out->numa_nodes = node->cpu.numa_nodes;
    out->cores = node->cpu.cores;
    out->hardware_threads = node->cpu.hardware_threads;
    out->memory_bytes = (int64_t)node->cpu.memory_bytes;
    return copy_text(&out->cpu, node->cpu.model) && copy_text(&out->driver, node->driver) &&
           fill_devices(out, node) && copy_text(&out->notes, node->notes.data) &&
           (!propose || propose_system(&out->proposed_system, node));
}

/* This node as text. */
static enum hs_status read_node(struct hs_text *text, bool propose, struct hs_error *err)
{
    struct hs_result_topology kind = {.hosts = NULL};
    struct hs_node *node = malloc(sizeof(*node));
    enum hs_status status;

    if (!node)
        return out_of_memory(err);
    hs_node_read(node);
    status = fill_kind(&kind, node, propose)
                 ? hs_fields_print(text, &hs_topology_fields, &kind, false, err)
                 : out_of_memory(err);
    hs_node_release(node);
    free(node);
    hs_fields_release(&hs_topology_fields, &kind);
    return status;
}

/* ---- all nodes ----------------------------------------------------------------------------- */

/* The first rank of each node reads it; ranks of a node follow each other. */
static bool leads_node(const struct hs_rank_order *order, int rank)
{
    int64_t first = 0;

    for (int64_t i = 0; i < order->node_count && first < rank; i++)
        first += order->nodes[i].ranks;
    return first == rank;
}

/* Lengths and texts of all ranks on rank 0, one after the other. */
struct pile {
    int *lengths, *places; /* [np] */
    char *texts;
};

static enum hs_status gather(struct pile *pile, const struct hs_text *mine, struct hs_ranks *ranks,
                             struct hs_error *err)
{
    MPI_Request request;
    int np = ranks->np, length = (int)mine->length, all = 0;
    enum hs_status status = HS_OK;

    pile->lengths = calloc((size_t)np, sizeof(int));
    pile->places = calloc((size_t)np, sizeof(int));
    if (!pile->lengths || !pile->places)
        status = out_of_memory(err);
    status = hs_ranks_agree(ranks, status, err);
    if (status != HS_OK || !pile->lengths || !pile->places)
        return status;
    CHECK_MPI(
        MPI_Igather(&length, 1, MPI_INT, pile->lengths, 1, MPI_INT, 0, ranks->comm, &request));
    hs_ranks_wait(ranks, &request);
    for (int r = 0; r < np; r++) {
        pile->places[r] = all;
        all += pile->lengths[r];
    }
    pile->texts = calloc(1, (size_t)all + 1);
    status = hs_ranks_agree(ranks, pile->texts ? HS_OK : out_of_memory(err), err);
    if (status != HS_OK)
        return status;
    CHECK_MPI(MPI_Igatherv(mine->data ? mine->data : "", length, MPI_CHAR, pile->texts,
                           pile->lengths, pile->places, MPI_CHAR, 0, ranks->comm, &request));
    hs_ranks_wait(ranks, &request);
    return HS_OK;
}

/* The number of the kind that is `text`; a new one where there is none. Its count when out of
 * memory. */
static size_t find_kind(struct hs_machine *machine, const char *text, size_t length)
{
    char **grown;

    for (size_t k = 0; k < machine->kind_count; k++)
        if (strlen(machine->kinds[k]) == length && memcmp(machine->kinds[k], text, length) == 0)
            return k;
    grown = realloc(machine->kinds, (machine->kind_count + 1) * sizeof(*grown));
    if (!grown)
        return machine->kind_count;
    machine->kinds = grown;
    grown[machine->kind_count] = strndup(text, length);
    return grown[machine->kind_count] ? machine->kind_count++ : machine->kind_count;
}

/* Beyond so many kinds every node of a large machine has something odd: only the first ones are
 * kept, and the nodes of others are none of them. */
static enum hs_status sort_kinds(struct hs_machine *machine, const struct hs_rank_order *order,
                                 const struct pile *pile, struct hs_error *err)
{
    int64_t rank = 0;

    machine->kind_of_node = calloc((size_t)order->node_count, sizeof(*machine->kind_of_node));
    if (!machine->kind_of_node)
        return out_of_memory(err);
    for (int64_t i = 0; i < order->node_count; rank += order->nodes[i].ranks, i++) {
        machine->kind_of_node[i] = HS_TOPOLOGY_KINDS_MAX;
        if (machine->kind_count == HS_TOPOLOGY_KINDS_MAX)
            continue;
        machine->kind_of_node[i] =
            find_kind(machine, pile->texts + pile->places[rank], (size_t)pile->lengths[rank]);
        if (machine->kind_of_node[i] == machine->kind_count)
            return out_of_memory(err);
    }
    return HS_OK;
}

static enum hs_status parse_kind(struct hs_result_topology *kind, const char *text,
                                 struct hs_error *err)
{
    return hs_fields_parse(&hs_topology_fields, kind, "topology", text, strlen(text), err);
}

/* What of rank 0's node is asked for before there is a result. */
static enum hs_status look_at_first(struct hs_machine *machine, struct hs_error *err)
{
    struct hs_result_topology kind;
    enum hs_status status = parse_kind(&kind, machine->kinds[0], err);

    if (status != HS_OK)
        return status;
    if (kind.driver)
        snprintf(machine->driver, sizeof(machine->driver), "%s", kind.driver);
    machine->proposed = kind.proposed_system;
    kind.proposed_system = NULL;
    hs_fields_release(&hs_topology_fields, &kind);
    return HS_OK;
}

enum hs_status hs_machine_look(struct hs_machine *machine, const struct hs_rank_order *order,
                               struct hs_ranks *ranks, bool propose, struct hs_error *err)
{
    struct pile pile = {NULL, NULL, NULL};
    struct hs_text text = {0};
    enum hs_status status = HS_OK;

    if (leads_node(order, ranks->rank))
        status = read_node(&text, propose, err);
    status = hs_ranks_agree(ranks, status, err);
    if (status == HS_OK)
        status = gather(&pile, &text, ranks, err);
    if (status == HS_OK && ranks->rank == 0)
        status = sort_kinds(machine, order, &pile, err);
    if (status == HS_OK && ranks->rank == 0)
        status = look_at_first(machine, err);
    free(pile.lengths);
    free(pile.places);
    free(pile.texts);
    hs_text_release(&text);
    return hs_ranks_agree(ranks, status, err);
}

/* ---- the result ---------------------------------------------------------------------------- */

static bool add_hosts(struct hs_result_topology *kind, size_t number,
                      const struct hs_machine *machine, const struct hs_rank_order *order)
{
    kind->hosts = calloc((size_t)order->node_count, sizeof(*kind->hosts));
    if (!kind->hosts)
        return false;
    for (int64_t i = 0; i < order->node_count; i++)
        if (machine->kind_of_node[i] == number) {
            kind->hosts[kind->host_count] = hs_strdup(order->nodes[i].host);
            if (!kind->hosts[kind->host_count])
                return false;
            kind->host_count++;
        }
    return true;
}

enum hs_status hs_machine_report(struct hs_result *result, const struct hs_machine *machine,
                                 const struct hs_rank_order *order, struct hs_error *err)
{
    for (size_t k = 0; k < machine->kind_count; k++) {
        struct hs_result_topology *kind = hs_result_add_topology(result);
        enum hs_status status =
            kind ? parse_kind(kind, machine->kinds[k], err) : out_of_memory(err);

        if (status != HS_OK)
            return status;
        free(kind->hosts); /* an empty list */
        if (!add_hosts(kind, k, machine, order))
            return out_of_memory(err);
    }
    return HS_OK;
}

void hs_machine_release(struct hs_machine *machine)
{
    for (size_t k = 0; k < machine->kind_count; k++)
        free(machine->kinds[k]);
    free(machine->kinds);
    free(machine->kind_of_node);
    free(machine->proposed);
    *machine = (struct hs_machine){.kinds = NULL};
}
