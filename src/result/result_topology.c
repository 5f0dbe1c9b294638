/* result_topology.c - see result_topology.h. */
#include "result/result_topology.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/result_read.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* ---- lifetime ---- */

static void release_texts(char **texts, size_t count)
{
    for (size_t i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
}

static void release_devices(struct hs_topology_device *devices, size_t count, size_t gpu_count)
{
    for (size_t i = 0; devices && i < count; i++) {
        free(devices[i].name);
        free(devices[i].pci);
        release_texts(devices[i].links, gpu_count);
    }
    free(devices);
}

void hs_result_topology_release(struct hs_result_topology *topology)
{
    release_texts(topology->hosts, topology->host_count);
    release_devices(topology->nics, topology->nic_count, topology->gpu_count);
    release_devices(topology->gpus, topology->gpu_count, topology->gpu_count);
    free(topology->cpu);
    free(topology->driver);
    free(topology->notes);
    free(topology->proposed_system);
    *topology = (struct hs_result_topology){.hosts = NULL};
}

enum hs_status hs_topology_devices_new(struct hs_topology_device **out, size_t count,
                                       size_t gpu_count, struct hs_error *err)
{
    struct hs_topology_device *devices = calloc(count + 1, sizeof(*devices));
    bool whole = devices != NULL;

    for (size_t i = 0; whole && i < count; i++) {
        devices[i].numa_node = -1;
        devices[i].links = calloc(gpu_count + 1, sizeof(*devices[i].links));
        whole = devices[i].links != NULL;
    }
    if (!whole) {
        release_devices(devices, count, gpu_count);
        devices = NULL;
    }
    *out = devices;
    return whole ? HS_OK : hs_fail(err, HS_MEMORY, "out of memory");
}

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

/* ---- writing ---- */

/* Takes the item; false when out of memory, or where there is none. `key` is a literal. */
static bool put(cJSON *object, const char *key, cJSON *item)
{
    if (item && cJSON_AddItemToObjectCS(object, key, item))
        return true;
    cJSON_Delete(item);
    return false;
}

static bool put_text(cJSON *object, const char *key, const char *text)
{
    return !text || put(object, key, cJSON_CreateString(text));
}

static bool put_known(cJSON *object, const char *key, double value, bool known)
{
    return !known || put(object, key, cJSON_CreateNumber(value));
}

static bool put_texts(cJSON *object, const char *key, char *const *texts, size_t count)
{
    static const char *const none[1];

    return put(object, key,
               cJSON_CreateStringArray(texts ? (const char *const *)texts : none, (int)count));
}

static bool put_device(cJSON *array, const struct hs_topology_device *device, size_t gpu_count,
                       bool is_gpu)
{
    cJSON *object = cJSON_CreateObject();
    bool whole = put_text(object, "name", device->name) && put_text(object, "pci", device->pci) &&
                 put_known(object, "numa_node", (double)device->numa_node, device->numa_node >= 0);

    if (is_gpu)
        whole = whole && put_known(object, "nvlinks", (double)device->nvlinks, true) &&
                put_known(object, "nvswitch_links", (double)device->nvswitch_links, true) &&
                put_known(object, "pcie_generation", (double)device->pcie_generation,
                          device->pcie_generation > 0) &&
                put_known(object, "pcie_width", (double)device->pcie_width, device->pcie_width > 0);
    else
        whole = whole && put(object, "rdma", cJSON_CreateBool(device->rdma)) &&
                put_known(object, "bytes_per_second", device->bytes_per_second,
                          device->bytes_per_second > 0);
    whole = whole && put_texts(object, "links", device->links, gpu_count);
    if (whole && cJSON_AddItemToArray(array, object))
        return true;
    cJSON_Delete(object);
    return false;
}

static bool put_devices(cJSON *object, const char *key, const struct hs_topology_device *devices,
                        size_t count, size_t gpu_count, bool are_gpus)
{
    cJSON *array = cJSON_CreateArray();

    if (!put(object, key, array))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!put_device(array, &devices[i], gpu_count, are_gpus))
            return false;
    return true;
}

static bool put_cpu(cJSON *object, const struct hs_result_topology *topology)
{
    cJSON *cpu = cJSON_CreateObject();

    return put(object, "cpu", cpu) && put_text(cpu, "model", topology->cpu) &&
           put_known(cpu, "packages", (double)topology->packages, topology->packages > 0) &&
           put_known(cpu, "numa_nodes", (double)topology->numa_nodes, topology->numa_nodes > 0) &&
           put_known(cpu, "cores", (double)topology->cores, topology->cores > 0) &&
           put_known(cpu, "hardware_threads", (double)topology->hardware_threads,
                     topology->hardware_threads > 0) &&
           put_known(cpu, "memory_bytes", (double)topology->memory_bytes,
                     topology->memory_bytes > 0);
}

struct cJSON *hs_result_topology_to_json(const struct hs_result_topology *topology)
{
    cJSON *object = cJSON_CreateObject();
    size_t gpus = topology->gpu_count;

    if (object && put_texts(object, "hosts", topology->hosts, topology->host_count) &&
        put_cpu(object, topology) && put_text(object, "driver", topology->driver) &&
        put_devices(object, "gpus", topology->gpus, gpus, gpus, true) &&
        put_devices(object, "nics", topology->nics, topology->nic_count, gpus, false) &&
        put_text(object, "notes", topology->notes) &&
        put_text(object, "proposed_system", topology->proposed_system))
        return object;
    cJSON_Delete(object);
    return NULL;
}

enum hs_status hs_result_topology_print(struct hs_text *out,
                                        const struct hs_result_topology *topology,
                                        struct hs_error *err)
{
    return hs_json_print_owned(out, hs_result_topology_to_json(topology), err);
}

/* ---- reading ---- */

static enum hs_status read_count(int64_t *out, const struct hs_json *object, const char *key,
                                 struct hs_error *err)
{
    return hs_json_integer_or(out, object, key, 1, (int64_t)HS_RESULT_NUMBER_MAX, 0, err);
}

static enum hs_status read_cpu(struct hs_result_topology *out, const struct hs_json *at,
                               struct hs_error *err)
{
    static const char *const keys[] = {"model", "packages",         "numa_nodes",
                                       "cores", "hardware_threads", "memory_bytes"};
    struct hs_json cpu;
    enum hs_status status;

    if ((status = hs_json_member(&cpu, at, "cpu", err)) ||
        (status = hs_json_object(&cpu, keys, COUNT(keys), err)) ||
        (status = hs_result_read_text(&out->cpu, &cpu, "model", err)) ||
        (status = read_count(&out->packages, &cpu, "packages", err)) ||
        (status = read_count(&out->numa_nodes, &cpu, "numa_nodes", err)) ||
        (status = read_count(&out->cores, &cpu, "cores", err)) ||
        (status = read_count(&out->hardware_threads, &cpu, "hardware_threads", err)))
        return status;
    return read_count(&out->memory_bytes, &cpu, "memory_bytes", err);
}

/* An array of texts to owned copies. */
static enum hs_status read_texts(char **out, const struct hs_json *array, size_t count,
                                 struct hs_error *err)
{
    struct hs_json at = hs_json_first(array);

    for (size_t i = 0; i < count; i++, hs_json_next(&at)) {
        if (!cJSON_IsString(at.node) || at.node->valuestring[0] == '\0')
            return hs_json_fail(&at, err, "expected a text that is not empty");
        out[i] = hs_strdup(at.node->valuestring);
        if (!out[i])
            return hs_fail(err, HS_MEMORY, "out of memory");
    }
    return HS_OK;
}

static enum hs_status read_links(struct hs_topology_device *out, const struct hs_json *at,
                                 size_t gpu_count, struct hs_error *err)
{
    struct hs_json array, element;
    size_t count;
    enum hs_status status;

    if ((status = hs_json_member(&array, at, "links", err)) ||
        (status = hs_json_array(&count, &array, gpu_count, gpu_count, err)) ||
        (status = read_texts(out->links, &array, count, err)))
        return status;
    element = hs_json_first(&array);
    for (size_t i = 0; i < count; i++, hs_json_next(&element))
        if (!hs_topology_link_valid(out->links[i]))
            return hs_json_fail(&element, err,
                                "expected X, NV and a number, PIX, PXB, PHB, NODE, SYS or ?, found "
                                "\"%.20s\"",
                                out->links[i]);
    return HS_OK;
}

static enum hs_status read_gpu(struct hs_topology_device *out, const struct hs_json *at,
                               struct hs_error *err)
{
    struct hs_json switched = hs_result_member(at, "nvswitch_links");
    enum hs_status status;

    if ((status = hs_json_integer(&out->nvlinks, at, "nvlinks", 0, 999, err)) ||
        (status = hs_json_integer(&out->nvswitch_links, at, "nvswitch_links", 0, 999, err)) ||
        (status = read_count(&out->pcie_generation, at, "pcie_generation", err)) ||
        (status = read_count(&out->pcie_width, at, "pcie_width", err)))
        return status;
    if (out->nvswitch_links > out->nvlinks)
        return hs_json_fail(&switched, err, "expected at most nvlinks = %lld, found %lld",
                            (long long)out->nvlinks, (long long)out->nvswitch_links);
    return HS_OK;
}

static enum hs_status read_nic(struct hs_topology_device *out, const struct hs_json *at,
                               struct hs_error *err)
{
    static const struct hs_json_bounds above_zero = {0, INFINITY, true};
    enum hs_status status = hs_result_read_bool(&out->rdma, at, "rdma", err);

    return status ? status
                  : hs_json_number_or(&out->bytes_per_second, at, "bytes_per_second", &above_zero,
                                      0, err);
}

static enum hs_status read_device(struct hs_topology_device *out, const struct hs_json *at,
                                  size_t gpu_count, bool is_gpu, struct hs_error *err)
{
    static const char *const gpu_keys[] = {
        "name",       "pci",  "numa_node", "nvlinks", "nvswitch_links", "pcie_generation",
        "pcie_width", "links"};
    static const char *const nic_keys[] = {"name", "pci", "numa_node", "rdma", "bytes_per_second",
                                           "links"};
    enum hs_status status;

    if ((status = is_gpu ? hs_json_object(at, gpu_keys, COUNT(gpu_keys), err)
                         : hs_json_object(at, nic_keys, COUNT(nic_keys), err)) ||
        (status = hs_result_read_name(&out->name, at, "name", err)) ||
        (status = hs_result_read_name(&out->pci, at, "pci", err)) ||
        (status = hs_json_integer_or(&out->numa_node, at, "numa_node", 0, 65535, -1, err)) ||
        (status = is_gpu ? read_gpu(out, at, err) : read_nic(out, at, err)))
        return status;
    return read_links(out, at, gpu_count, err);
}

/* The count is set as soon as there are devices to release. */
static enum hs_status read_devices(struct hs_topology_device **out, size_t *out_count,
                                   const size_t *gpu_count, const struct hs_json *at,
                                   const char *key, bool are_gpus, struct hs_error *err)
{
    struct hs_json array, element;
    size_t count;
    enum hs_status status;

    if ((status = hs_json_member(&array, at, key, err)) ||
        (status = hs_json_array(&count, &array, 0, HS_TOPOLOGY_DEVICES_MAX, err)) ||
        (status = hs_topology_devices_new(out, count, are_gpus ? count : *gpu_count, err)))
        return status;
    *out_count = count;
    element = hs_json_first(&array);
    for (size_t i = 0; i < count && status == HS_OK; i++, hs_json_next(&element))
        status = read_device(&(*out)[i], &element, *gpu_count, are_gpus, err);
    return status;
}

static enum hs_status read_hosts(struct hs_result_topology *out, const struct hs_json *at,
                                 struct hs_error *err)
{
    struct hs_json array;
    void *list = NULL;
    enum hs_status status = hs_result_read_list(&list, &out->host_count, &array, at, "hosts",
                                                HS_RESULT_NODES_MAX, sizeof(char *), err);

    out->hosts = list;
    return status ? status : read_texts(out->hosts, &array, out->host_count, err);
}

enum hs_status hs_result_topology_read(struct hs_result_topology *out, const struct hs_json *at,
                                       struct hs_error *err)
{
    static const char *const keys[] = {"hosts", "cpu",   "driver",         "gpus",
                                       "nics",  "notes", "proposed_system"};
    enum hs_status status;

    *out = (struct hs_result_topology){.hosts = NULL};
    if ((status = hs_json_object(at, keys, COUNT(keys), err)) ||
        (status = read_hosts(out, at, err)) || (status = read_cpu(out, at, err)) ||
        (status = hs_result_read_text(&out->driver, at, "driver", err)) ||
        (status =
             read_devices(&out->gpus, &out->gpu_count, &out->gpu_count, at, "gpus", true, err)) ||
        (status =
             read_devices(&out->nics, &out->nic_count, &out->gpu_count, at, "nics", false, err)) ||
        (status = hs_result_read_text(&out->notes, at, "notes", err)))
        return status;
    return hs_result_read_text(&out->proposed_system, at, "proposed_system", err);
}

enum hs_status hs_result_topology_parse(struct hs_result_topology *out, const char *text,
                                        struct hs_error *err)
{
    struct hs_json_document document;
    enum hs_status status = hs_json_parse(&document, "topology", text, strlen(text), err);

    *out = (struct hs_result_topology){.hosts = NULL};
    if (status)
        return status;
    struct hs_json top = hs_json_top(&document);
    status = hs_result_topology_read(out, &top, err);
    if (status)
        hs_result_topology_release(out);
    hs_json_release(&document);
    return status;
}
