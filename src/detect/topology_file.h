/*
 * topology_file.h - a node and its network from what other programs print or write of them.
 *
 *     nvidia-smi topo -m       the matrix of GPUs and NICs, of any version of the driver
 *     nvidia-smi -L            the GPUs' names; likewise in what reports of an environment say
 *     ibstat, ibstatus         the NICs' rates, and which ports are active
 *     ibv_devinfo              the states, and with -v the rates
 *     rocm-smi --showtopo      and the names of --showproductname
 *     amd-smi topology         and the names of amd-smi static --asic
 *     NCCL_TOPO_DUMP_FILE      NCCL's and RCCL's XML
 *     lstopo --of xml          hwloc's XML, of versions 1 to 3
 *     topology.conf            Slurm's, and what `scontrol show topology` prints
 *     topology.yaml            Slurm's
 *
 * The kind is recognised by the content; a text may hold several, and anything in between. What a
 * launcher put before each line ("node1: ") and bars of a table are passed over; of several hosts
 * the first counts. Several files are joined: what one leaves open, the next may say.
 *
 * (Formats: nvidia-smi 440 to 580, rocm-smi 3, NCCL 2.28 src/graph/xml.cc, hwloc 2.12 hwloc2.dtd,
 * hwloc 3.0 hwloc/topology-xml.c, Slurm 24.11 topology.conf(5), 25.05 topology.yaml(5).)
 */
#ifndef HS_MACHINE_TOPOLOGY_FILE_H
#define HS_MACHINE_TOPOLOGY_FILE_H

#include <stddef.h>

#include "base/error.h"
#include "detect/node.h"

#define HS_TOPOLOGY_BYTES_MAX ((size_t)16 << 20) /* largest file read */

/* Adds what the text says to *node (hs_node_init at first); `name` is what messages call it.
 * HS_INVALID: nothing of the kind is in it, it is cut short, or it speaks of another node than what
 * is known already, with the place; *node may then be filled in part. HS_MEMORY. */
enum hs_status hs_topology_parse(struct hs_node *node, const char *name, const char *text,
                                 size_t length, struct hs_error *err);
/* The same of a file, whose name is added to node->files. As hs_file_read. */
enum hs_status hs_topology_load(struct hs_node *node, const char *path, struct hs_error *err);

/* The two halves of hs_topology_parse, into a node of its own. */
enum hs_status hs_topology_parse_xml(struct hs_node *node, const char *name, const char *text,
                                     size_t length, struct hs_error *err);
enum hs_status hs_topology_parse_text(struct hs_node *node, const char *name, const char *text,
                                      struct hs_error *err);

#endif
