/*
 * slurm_topology.h - Slurm's lists of nodes and its network tree, from their text.
 *
 * A node list is what SLURM_JOB_NODELIST holds: names separated by commas, where a bracket stands
 * for numbers, "n[1-4,7],login", with leading zeros kept ("n[08-11]" is n08 n09 n10 n11), and
 * several brackets in one name give every pair, the last one running fastest ("r[1-2]n[3-4]"). The
 * topology is what `scontrol show topology` prints, one switch on a line:
 *
 *     SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-2]
 *     SwitchName=spine Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=leaf[1-2]
 */
#ifndef HS_MACHINE_SLURM_TOPOLOGY_H
#define HS_MACHINE_SLURM_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Names in one list: a typing error must not fill the memory. */
#define HS_SLURM_NODES_MAX ((size_t)1 << 20)
#define HS_SLURM_NAME_MAX  128 /* bytes of a node's name with its NUL */

/* The nodes of a job, in the order of its list. {0} is the empty list. */
struct hs_node_list {
    char **hosts; /* [count] owned */
    char **racks; /* [count] owned: name of the leaf switch (level 0) of each, "" = unknown */
    size_t count;
};

/* Expands `node_list` and finds the leaf switch of every node in `topology`, which may be NULL or
 * empty. Lines that are no switches are skipped, and of two leaf switches with the same node the
 * first counts. HS_INVALID says what is wrong in which text (of the topology: on which line),
 * HS_MEMORY; on failure the list is empty. */
enum hs_status hs_slurm_node_list(struct hs_node_list *list, const char *node_list,
                                  const char *topology, struct hs_error *err);
void hs_node_list_release(struct hs_node_list *list);

/* How many there are of something, and the nodes of the smallest, of the largest, and of all. */
struct hs_slurm_units {
    int64_t count, nodes_min, nodes_max, nodes;
};

/* Switches above others: of tier t (0: those above leaves) how many there are, and how many
 * switches the largest of them has below it. */
#define HS_SLURM_TIERS_MAX 8
struct hs_slurm_tree {
    int64_t trees; /* that no switch joins */
    int tiers;     /* 0: no switch is above another */
    int64_t count[HS_SLURM_TIERS_MAX], children_max[HS_SLURM_TIERS_MAX];
};

/* Switches by name, with those below them. {0} is empty. */
struct hs_slurm_switches {
    struct hs_slurm_switch *items; /* [count] owned */
    size_t count, capacity, names;
};
/* Adds a switch, or several that have the same ones below them (planes of a fabric, which count as
 * one), by lists of names; children NULL: a leaf. HS_INVALID, HS_MEMORY. */
enum hs_status hs_slurm_switches_add(struct hs_slurm_switches *switches, const char *list,
                                     const char *children, struct hs_error *err);
/* The tree they make; a switch that is above itself is in no tier. HS_MEMORY. */
enum hs_status hs_slurm_switches_tree(struct hs_slurm_tree *tree,
                                      const struct hs_slurm_switches *switches,
                                      struct hs_error *err);
void hs_slurm_switches_release(struct hs_slurm_switches *switches);

struct hs_slurm_network {
    struct hs_slurm_units leaves, blocks;
    struct hs_slurm_tree tree;
};

/* Counts a unit with the nodes of a list. HS_INVALID, HS_MEMORY. */
enum hs_status hs_slurm_units_add(struct hs_slurm_units *units, const char *node_list,
                                  struct hs_error *err);

/* Switches and blocks (of topology/block) in a topology as above, or as in Slurm's
 * topology.conf: keys in any case, comments behind '#', no levels there. Other lines are skipped.
 * HS_INVALID says what is wrong on which line of `name`; HS_MEMORY. */
enum hs_status hs_slurm_network_read(struct hs_slurm_network *network, const char *name,
                                     const char *topology, struct hs_error *err);

/* Whether a text is Slurm's topology.yaml: what stands in it first is "- topology:". */
bool hs_slurm_is_yaml(const char *topology);
/* The same of such a text, strictly: that form of YAML which topology.yaml(5) shows, a key or a
 * list's element on each line, and no keys but its own. Of several topologies with switches or
 * blocks the one with `cluster_default: true` counts. HS_INVALID also where none does. */
enum hs_status hs_slurm_yaml_read(struct hs_slurm_network *network, const char *name,
                                  const char *topology, struct hs_error *err);

#endif
