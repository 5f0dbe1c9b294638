/* result_topology.c - see result_topology.h. */
#include "record/result_topology.h"

#include <stdlib.h>
#include <string.h>

#include "record/result_parts.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* ---- devices ---- */

bool hs_topology_link_valid(const char *text)
{
    static const char *const words[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS", "?"};
    const char *digits = text + 2;

    for (size_t i = 0; i < COUNT(words); i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return strncmp(text, "NV", 2) == 0 && *digits >= '1' && *digits <= '9' && strlen(digits) <= 3 &&
           digits[strspn(digits, "0123456789")] == '\0';
}

static const struct hs_text_form link_form = {hs_topology_link_valid,
                                              "X, NV and a number, PIX, PXB, PHB, NODE, SYS or ?",
                                              "^(X|NV[1-9][0-9]{0,2}|PIX|PXB|PHB|NODE|SYS|\\?)$"};

static const struct hs_field link_row[] = {{NULL, HS_TEXT, .owned = true, .form = &link_form}};
static const struct hs_fields link_fields = {HS_ROWS(link_row, char *)};
static const struct hs_field name_row[] = {{NULL, HS_TEXT, .owned = true, .min = 1}};
static const struct hs_fields name_fields = {HS_ROWS(name_row, char *)};

static enum hs_status check_gpu(void *object, const struct hs_place *place, struct hs_error *err)
{
    const struct hs_topology_device *gpu = object;

    if (gpu->nvswitch_links > gpu->nvlinks)
        return hs_field_fail(place, "nvswitch_links", err,
                             "expected at most nvlinks = %lld, found %lld", (long long)gpu->nvlinks,
                             (long long)gpu->nvswitch_links);
    return HS_OK;
}

#define DEVICE(member) HS_AT(struct hs_topology_device, member)
#define NAME(member)   HS_OWNED(struct hs_topology_device, member), .min = 1
#define KNOWN          HS_WITHOUT(0), .min = 1, .max = (double)HS_JSON_WHOLE_MAX
#define NUMA                                                                                       \
    DEVICE(numa_node), HS_WITHOUT(-1),                                                             \
        .max = 65535,                                                                              \
        .about = "Number of the NUMA node that the device hangs at; absent where not known."
#define LINKS                                                                                      \
    HS_LIST_AT(struct hs_topology_device, links, link_count),                                      \
        .max = HS_TOPOLOGY_DEVICES_MAX, .fields = &link_fields,                                    \
        .about = "What joins the device to each GPU, in their order, as nvidia-smi topo says it: " \
                 "X the GPU itself, NV4 so many NVLinks, PIX one PCIe switch, PXB several, PHB a " \
                 "host bridge, NODE a NUMA node, SYS the link between CPUs, ? not known."

static const struct hs_field gpu_rows[] = {
    {"name", HS_TEXT, NAME(name)},
    {"pci", HS_TEXT, NAME(pci)},
    {"numa_node", HS_INTEGER, NUMA},
    {"nvlinks", HS_INTEGER, DEVICE(nvlinks), .max = 999, .about = "NVLinks that are up."},
    {"nvswitch_links", HS_INTEGER, DEVICE(nvswitch_links), .max = 999,
     .about = "Of them to a switch."},
    {"pcie_generation", HS_INTEGER, DEVICE(pcie_generation), KNOWN},
    {"pcie_width", HS_INTEGER, DEVICE(pcie_width), KNOWN},
    {"links", HS_LIST, LINKS},
};
static const struct hs_fields gpu_fields = {HS_ROWS(gpu_rows, struct hs_topology_device),
                                            .check = check_gpu};

static const struct hs_field nic_rows[] = {
    {"name", HS_TEXT, NAME(name)},
    {"pci", HS_TEXT, NAME(pci)},
    {"numa_node", HS_INTEGER, NUMA},
    {"rdma", HS_BOOL, DEVICE(rdma)},
    {"bytes_per_second", HS_NUMBER, DEVICE(bytes_per_second), HS_WITHOUT(0), .above = true,
     .max = (double)INFINITY, .about = "Link rate; absent where not known."},
    {"links", HS_LIST, LINKS},
};
static const struct hs_fields nic_fields = {HS_ROWS(nic_rows, struct hs_topology_device)};

/* ---- a kind of node ---- */

static enum hs_status check_links(const struct hs_topology_device *devices, size_t count,
                                  size_t gpu_count, const char *key, const struct hs_place *place,
                                  struct hs_error *err)
{
    struct hs_json list = hs_json_find(place->at, key);

    for (size_t i = 0; i < count; i++) {
        struct hs_json device = hs_json_element(&list, i), links = hs_json_find(&device, "links");
        size_t found;

        if (devices[i].link_count != gpu_count)
            return hs_json_array(&found, &links, gpu_count, gpu_count, err);
    }
    return HS_OK;
}

static enum hs_status check_devices(void *object, const struct hs_place *place,
                                    struct hs_error *err)
{
    const struct hs_result_topology *kind = object;
    size_t gpus = kind->gpu_count;
    enum hs_status status = check_links(kind->gpus, gpus, gpus, "gpus", place, err);

    return status ? status : check_links(kind->nics, kind->nic_count, gpus, "nics", place, err);
}

#define KIND(member)        HS_AT(struct hs_result_topology, member)
#define TEXT(member)        HS_OWNED(struct hs_result_topology, member), HS_OPTIONAL
#define LIST(member, count) HS_LIST_AT(struct hs_result_topology, member, count)

static const struct hs_field cpu_rows[] = {
    {"model", HS_TEXT, TEXT(cpu)},
    {"packages", HS_INTEGER, KIND(packages), KNOWN},
    {"numa_nodes", HS_INTEGER, KIND(numa_nodes), KNOWN},
    {"cores", HS_INTEGER, KIND(cores), KNOWN},
    {"hardware_threads", HS_INTEGER, KIND(hardware_threads), KNOWN},
    {"memory_bytes", HS_INTEGER, KIND(memory_bytes), KNOWN},
};
static const struct hs_fields cpu_fields = {HS_ROWS(cpu_rows, struct hs_result_topology)};

static const struct hs_field kind_rows[] = {
    {"hosts", HS_LIST, LIST(hosts, host_count), .max = HS_RESULT_NODES_MAX, .fields = &name_fields,
     .about = "The nodes that are alike, in the order of their ranks."},
    {"cpu", HS_OBJECT, .fields = &cpu_fields,
     .about = "As hwloc sees them from the run; what it does not tell is absent."},
    {"driver", HS_TEXT, TEXT(driver), .about = "Version of NVIDIA's driver."},
    {"gpus", HS_LIST, LIST(gpus, gpu_count), .max = HS_TOPOLOGY_DEVICES_MAX, .fields = &gpu_fields},
    {"nics", HS_LIST, LIST(nics, nic_count), .max = HS_TOPOLOGY_DEVICES_MAX, .fields = &nic_fields},
    {"notes", HS_TEXT, TEXT(notes), .about = "What could not be found out, and why."},
    {"proposed_system", HS_TEXT, TEXT(proposed_system),
     .about = "A system as a line of text, from link counts and NCCL's tables and not measured; "
              "only where no system was given and there are GPUs."},
};

const struct hs_fields hs_topology_fields = {.name = "node_kind",
                                             HS_ROWS(kind_rows, struct hs_result_topology),
                                             .check = check_devices,
                                             /* of a result: nodes tell each other without */
                                             .rules = "\"allOf\": [{ \"properties\": { \"hosts\": "
                                                      "{ \"minItems\": 1 } } }]"};

enum hs_status hs_topology_devices_new(struct hs_topology_device **out, size_t count,
                                       size_t gpu_count, struct hs_error *err)
{
    struct hs_result_topology kind = {.nics = calloc(count + 1, sizeof(*kind.nics)),
                                      .nic_count = count};

    *out = kind.nics;
    for (size_t i = 0; *out && i < count; i++) {
        kind.nics[i].numa_node = -1;
        kind.nics[i].links = calloc(gpu_count + 1, sizeof(char *));
        kind.nics[i].link_count = gpu_count;
        if (!kind.nics[i].links) {
            hs_fields_release(&hs_topology_fields, &kind);
            *out = NULL;
        }
    }
    return *out ? HS_OK : hs_no_memory(err);
}
