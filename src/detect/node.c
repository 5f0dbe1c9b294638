/* node.c - see node.h. */
#include "detect/node.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

const char *const hs_node_path_names[HS_PATH_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_NODE_PATHS(HS_ROW)
#undef HS_ROW
};

static const char *const meanings[HS_PATH_COUNT] = {
#define HS_ROW(name, text, meaning) meaning,
    HS_NODE_PATHS(HS_ROW)
#undef HS_ROW
};

void hs_node_init(struct hs_node *node)
{
    *node = (struct hs_node){.gpu_count = 0};
    for (size_t g = 0; g < HS_NODE_GPUS_MAX; g++) {
        node->gpus[g].numa_node = -1;
        for (size_t other = 0; other < HS_NODE_GPUS_MAX; other++)
            node->gpu_paths[g][other] = g == other ? HS_PATH_SAME : HS_PATH_UNKNOWN;
        for (size_t n = 0; n < HS_NODE_NICS_MAX; n++)
            node->nic_paths[n][g] = HS_PATH_UNKNOWN;
    }
}

void hs_node_name(char *name, size_t bytes, const char *foreign)
{
    snprintf(name, bytes, "%s", foreign);
    for (char *at = name; *at != '\0'; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
}

/* hwloc asks libudev, which draws the key of its hash tables once for the process, without a lock.
 */
void hs_node_read(struct hs_node *node)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

    hs_node_init(node);
    pthread_mutex_lock(&one_at_a_time);
    hs_node_read_nvml(node);
    hs_node_read_hwloc(node);
    pthread_mutex_unlock(&one_at_a_time);
}

void hs_node_release(struct hs_node *node)
{
    hs_text_release(&node->notes);
    free(node->origin.files);
    *node = (struct hs_node){.gpu_count = 0};
}

static void print_count(struct hs_text *out, unsigned count, const char *one, const char *many)
{
    if (count > 0)
        hs_text_append(out, ", %u %s", count, count == 1 ? one : many);
}

static void print_cpu(struct hs_text *out, const struct hs_node *node)
{
    const struct hs_node_cpu *cpu = &node->cpu;
    if (!node->has_hwloc)
        return;
    hs_text_append(out, "CPU     %s", cpu->model[0] != '\0' ? cpu->model : "model not known");
    print_count(out, cpu->packages, "package", "packages");
    print_count(out, cpu->numa_nodes, "NUMA node", "NUMA nodes");
    print_count(out, cpu->cores, "core", "cores");
    print_count(out, cpu->hardware_threads, "hardware thread", "hardware threads");
    hs_text_append(out, "\n");
}

/* "GPU0   0000:07:00  "; where a device is, is not known of all files. */
static void print_place(struct hs_text *out, const char *kind, size_t number,
                        const struct hs_pci *pci)
{
    hs_text_append(out, "%s%-3zu ", kind, number);
    if (pci->domain != 0 || pci->bus != 0 || pci->device != 0)
        hs_text_append(out, "%04x:%02x:%02x  ", pci->domain, pci->bus, pci->device);
}

static bool is_amd(const struct hs_node_gpu *gpu)
{
    return gpu->vendor == HS_PCI_AMD;
}

static void print_gpus(struct hs_text *out, const struct hs_node *node)
{
    for (size_t g = 0; g < node->gpu_count; g++) {
        const struct hs_node_gpu *gpu = &node->gpus[g];
        print_place(out, "GPU", g, &gpu->pci);
        hs_text_append(out, "%s", gpu->name[0] != '\0' ? gpu->name : "name not known");
        if (gpu->links > 0)
            hs_text_append(out, ", %u %s%s", gpu->links, is_amd(gpu) ? "xGMI links" : "NVLinks",
                           gpu->switch_links == gpu->links ? " to a switch" : "");
        if (gpu->pcie_generation > 0)
            hs_text_append(out, ", PCIe %u", gpu->pcie_generation);
        if (gpu->pcie_generation > 0 && gpu->pcie_width > 0)
            hs_text_append(out, " x%u", gpu->pcie_width);
        hs_text_append(out, "\n");
    }
}

static void print_nics(struct hs_text *out, const struct hs_node *node)
{
    for (size_t n = 0; n < node->nic_count; n++) {
        const struct hs_node_nic *nic = &node->nics[n];
        char speed[HS_UNIT_TEXT];
        print_place(out, "NIC", n, &nic->pci);
        hs_text_append(out, "%s%s, %s", nic->name[0] != '\0' ? nic->name : "name not known",
                       nic->rdma ? " (RDMA)" : "",
                       nic->bytes_per_second > 0 ? hs_bandwidth_format(speed, nic->bytes_per_second)
                                                 : "speed not known");
        if (hs_node_count_ports(node, &n, 1) > 1)
            hs_text_append(out, " of each of %zu ports", hs_node_count_ports(node, &n, 1));
        hs_text_append(out, "%s\n", nic->state == HS_PORTS_DOWN ? ", down" : "");
    }
}

/* NVLink where there is any between the two: "NV4", through a switch the smaller number of links.
 */
size_t hs_node_find_nic(const struct hs_node *node, const char *name)
{
    size_t n = 0;

    while (n < node->nic_count && (name[0] == '\0' || strcmp(node->nics[n].name, name) != 0))
        n++;
    return n;
}

const char *hs_node_link_format(char text[HS_NODE_LINK_TEXT], const struct hs_node *node, size_t a,
                                size_t b)
{
    unsigned through = node->gpus[a].switch_links < node->gpus[b].switch_links
                           ? node->gpus[a].switch_links
                           : node->gpus[b].switch_links;
    unsigned links = node->nvlinks[a][b] + (a == b ? 0 : through);
    if (a != b && links > 0)
        snprintf(text, HS_NODE_LINK_TEXT, is_amd(&node->gpus[a]) ? "XGMI%u" : "NV%u", links);
    else
        snprintf(text, HS_NODE_LINK_TEXT, "%s", hs_node_path_names[node->gpu_paths[a][b]]);
    return text;
}

static void print_matrix(struct hs_text *out, const struct hs_node *node)
{
    char link[HS_NODE_LINK_TEXT];
    hs_text_append(out, "\n      ");
    for (size_t g = 0; g < node->gpu_count; g++)
        hs_text_append(out, " GPU%-3zu", g);
    for (size_t a = 0; a < node->gpu_count; a++) {
        hs_text_append(out, "\nGPU%-3zu", a);
        for (size_t b = 0; b < node->gpu_count; b++)
            hs_text_append(out, " %-6s", hs_node_link_format(link, node, a, b));
    }
    for (size_t n = 0; n < node->nic_count; n++) {
        hs_text_append(out, "\nNIC%-3zu", n);
        for (size_t g = 0; g < node->gpu_count; g++)
            hs_text_append(out, " %-6s", hs_node_path_names[node->nic_paths[n][g]]);
    }
    hs_text_append(out, "\n\n%s",
                   node->gpu_count > 0 && is_amd(&node->gpus[0]) ? "XGMIn: n xGMI links"
                                                                 : "NVn: n NVLinks");
    for (int path = HS_PATH_SWITCH; path < HS_PATH_COUNT; path++)
        hs_text_append(out, "; %s: %s", hs_node_path_names[path], meanings[path]);
    hs_text_append(out, "\n");
}

void hs_node_print(struct hs_text *out, const struct hs_node *node)
{
    print_cpu(out, node);
    if (node->driver[0] != '\0')
        hs_text_append(out, "driver  %s\n", node->driver);
    print_gpus(out, node);
    print_nics(out, node);
    if (node->gpu_count == 0 && node->nic_count == 0)
        hs_text_append(out, "no GPU and no NIC found\n");
    if (node->gpu_count > 0)
        print_matrix(out, node);
    if (node->notes.data != NULL && node->origin.files == NULL) /* else the system has them */
        hs_text_append(out, "%s", node->notes.data);
}
