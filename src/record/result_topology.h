/*
 * result_topology.h - the member `topology` of a result: what the nodes of a run are made of, as
 * `hiersearch systems --here` shows it. One element per kind of node, with the hosts that are
 * alike.
 */
#ifndef HS_RESULT_RESULT_TOPOLOGY_H
#define HS_RESULT_RESULT_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fields.h"

/* Longest lists read; docs/result.schema.json has the same numbers. */
enum { HS_TOPOLOGY_KINDS_MAX = 1000, HS_TOPOLOGY_DEVICES_MAX = 256 };

/* A GPU or a NIC. All text is owned. */
struct hs_topology_device {
    char *name;        /* "NVIDIA H100 80GB HBM3", "mlx5_0" */
    char *pci;         /* "0000:17:00" */
    int64_t numa_node; /* its number; -1: not known */
    char **links; /* [link_count] owned: what joins it to each GPU, as nvidia-smi's topo says: X
                          itself, NV4 so many NVLinks, PIX, PXB, PHB, NODE, SYS, ? not known */
    size_t link_count; /* as many as there are GPUs */
    /* GPUs; 0: none, or not known. */
    int64_t nvlinks, nvswitch_links; /* NVLinks that are up, and of them to a switch */
    int64_t pcie_generation, pcie_width;
    /* NICs. */
    bool rdma;
    double bytes_per_second; /* 0: not known */
};

/* A kind of node. Numbers are 0 where hwloc does not tell. */
struct hs_result_topology {
    char **hosts; /* [host_count] owned names, in the order of their ranks */
    size_t host_count;
    char *cpu; /* model; owned, NULL: not known */
    int64_t packages, numa_nodes, cores, hardware_threads, memory_bytes;
    char *driver;                           /* NVIDIA's; owned, NULL: none */
    struct hs_topology_device *gpus, *nics; /* [gpu_count], [nic_count] owned */
    size_t gpu_count, nic_count;
    char *notes;           /* owned; what could not be found, and why; NULL: nothing */
    char *proposed_system; /* owned; the line of text of a system proposed from it; NULL: none */
};

/* Whether `text` is a link, as struct hs_topology_device says. */
bool hs_topology_link_valid(const char *text);
/* *devices: `count` of them, zeroed, of a NUMA node that is not known, each with room for
 * `gpu_count` links, NULL so far. They are the caller's, who releases them with the topology that
 * they become part of (hs_topology_fields). HS_MEMORY; *devices is then NULL. */
enum hs_status hs_topology_devices_new(struct hs_topology_device **devices, size_t count,
                                       size_t gpu_count, struct hs_error *err);
/* An element as a table. Printed and parsed, it is how nodes tell each other, without hosts. */
extern const struct hs_fields hs_topology_fields;

#endif
