/* node_order.c - see node_order.h. */
#include "detect/node_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "detect/slurm_topology.h"
#include "model/split.h"

/* Up to so many nodes or racks are listed one by one. */
#define LISTED_MAX 4

void hs_note_separate(struct hs_text *note)
{
    if (note->length > 0)
        hs_text_append(note, "; ");
}

/* Whether `name` is the listed host, whole or up to its first dot. */
static bool names_host(const char *name, const char *listed)
{
    size_t length = strlen(listed);
    return length > 0 && strncmp(name, listed, length) == 0 &&
           (name[length] == '\0' || (name[length] == '.' && memchr(listed, '.', length) == NULL));
}

/* Position in the list of the node with this name, or list->count. Looked for from `hint` on: nodes
 * mostly come in the order of the list, so that is one comparison for most. */
static size_t find_node(const struct hs_node_list *list, const char *name, size_t hint)
{
    for (size_t i = 0; i < list->count; i++) {
        size_t at = (hint + i) % list->count;
        if (names_host(name, list->hosts[at]))
            return at;
    }
    return list->count;
}

static const char *host_of(const struct hs_node_report *node)
{
    return node->place.host;
}

static const char *slurm_name_of(const struct hs_node_report *node)
{
    return node->slurm_name;
}

/* How looking all nodes up by one of their names went. */
enum finding { ALL_FOUND, SOME_UNKNOWN, SOME_ALIKE };

/* The listed nodes, and which of them the nodes of the job are. */
struct lookup {
    struct hs_node_list list;
    size_t *found; /* [nodes] owned: positions in the list */
    char *taken;   /* [list.count] owned */
};

/* Fills lookup->found; *culprit is a node that spoils it. */
static enum finding find_all(struct lookup *lookup, const struct hs_node_report *nodes,
                             size_t count, const char *(*name_of)(const struct hs_node_report *),
                             size_t *culprit)
{
    const struct hs_node_list *list = &lookup->list;
    size_t hint = 0;
    memset(lookup->taken, 0, list->count);
    for (size_t i = 0; i < count; i++) {
        size_t at = find_node(list, name_of(&nodes[i]), hint);
        *culprit = i;
        if (at == list->count)
            return SOME_UNKNOWN;
        if (lookup->taken[at])
            return SOME_ALIKE;
        lookup->found[i] = at;
        lookup->taken[at] = 1;
        hint = at + 1;
    }
    return ALL_FOUND;
}

static bool all_hosts_alike(const struct hs_node_report *nodes, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (strcmp(nodes[i].place.host, nodes[0].place.host) != 0)
            return false;
    return count > 1;
}

/* Racks from the positions, unless one has none. */
static void take_racks(struct hs_node_report *nodes, size_t count, const struct lookup *lookup,
                       struct hs_text *note)
{
    const struct hs_node_list *list = &lookup->list;
    for (size_t i = 0; i < count; i++) {
        if (list->racks[lookup->found[i]][0] != '\0')
            continue;
        hs_text_append(note, "racks unknown: %s is under no leaf switch of Slurm's topology",
                       list->hosts[lookup->found[i]]);
        return;
    }
    for (size_t i = 0; i < count; i++)
        snprintf(nodes[i].place.rack, sizeof nodes[i].place.rack, "%s",
                 list->racks[lookup->found[i]]);
}

static void match(struct hs_node_report *nodes, size_t count, struct lookup *lookup,
                  struct hs_text *note)
{
    size_t culprit, ignored;
    enum finding finding = find_all(lookup, nodes, count, host_of, &culprit);
    if (finding != ALL_FOUND &&
        find_all(lookup, nodes, count, slurm_name_of, &ignored) == ALL_FOUND) {
        finding = ALL_FOUND;
        for (size_t i = 0; i < count; i++)
            memcpy(nodes[i].place.host, nodes[i].slurm_name, sizeof nodes[i].place.host);
    }
    if (finding == ALL_FOUND)
        take_racks(nodes, count, lookup, note);
    else if (finding == SOME_ALIKE || all_hosts_alike(nodes, count))
        hs_text_append(note, "racks unknown: several nodes have the host name %s",
                       nodes[culprit].place.host);
    else
        hs_text_append(note, "racks unknown: host %s is not in Slurm's list of nodes",
                       nodes[culprit].place.host);
}

static bool any_rack(const struct hs_node_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->racks[i][0] != '\0')
            return true;
    return false;
}

void hs_nodes_find_racks(struct hs_node_report *nodes, size_t count, const char *node_list,
                         const char *topology, struct hs_text *note)
{
    struct lookup lookup = {.found = NULL};
    struct hs_error err = {0};
    if (hs_slurm_node_list(&lookup.list, node_list, topology, &err) != HS_OK) {
        hs_text_append(note, "racks unknown: %s", err.message);
        return;
    }
    if (any_rack(&lookup.list)) {
        lookup.found = malloc(count * sizeof *lookup.found);
        lookup.taken = malloc(lookup.list.count);
        if (lookup.found != NULL && lookup.taken != NULL)
            match(nodes, count, &lookup, note);
        else
            hs_text_append(note, "racks unknown: out of memory");
    }
    free(lookup.found);
    free(lookup.taken);
    hs_node_list_release(&lookup.list);
}

static int compare_numbers(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_rack_name(const void *a, const void *b)
{
    const struct hs_node_report *left = a, *right = b;
    int order = strcmp(left->place.rack, right->place.rack);
    return order != 0 ? order : compare_numbers(left->first_rank, right->first_rank);
}

static int by_group(const void *a, const void *b)
{
    const struct hs_node_report *left = a, *right = b;
    int order = compare_numbers(left->group_rank, right->group_rank);
    return order != 0 ? order : compare_numbers(left->first_rank, right->first_rank);
}

int64_t hs_nodes_sort(struct hs_node_report *nodes, size_t count)
{
    int64_t racks = 0;
    qsort(nodes, count, sizeof *nodes, by_rack_name);
    for (size_t i = 0; i < count; i++) {
        bool first = i == 0 || strcmp(nodes[i].place.rack, nodes[i - 1].place.rack) != 0;
        nodes[i].group_rank = first ? nodes[i].first_rank : nodes[i - 1].group_rank;
        racks += first && nodes[i].place.rack[0] != '\0';
    }
    qsort(nodes, count, sizeof *nodes, by_group);
    return racks;
}

bool hs_nodes_even(const struct hs_node_report *nodes, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (nodes[i].place.ranks != nodes[0].place.ranks)
            return false;
    return true;
}

/* Something with a name and a number of members: a node and its ranks, a rack and its nodes. */
struct tally {
    const char *name;
    int64_t members;
};

static void list_tally(struct hs_text *note, const struct tally *tally, const char *member)
{
    hs_text_append(note, "%s %lld %s%s", tally->name, (long long)tally->members, member,
                   tally->members == 1 ? "" : "s");
}

/* "; uneven: n1 3 ranks, n2 1 rank; layers that should stay in a node may cross nodes" where the
 * numbers differ; of many the first of the largest and of the smallest. What all numbers are
 * multiples of are ranks of a layer that does stay there. */
static void note_tallies(struct hs_text *note, const struct tally *tallies, size_t count,
                         const char *unit, const char *member)
{
    size_t least = 0, most = 0;
    int64_t common = 0;
    for (size_t i = 0; i < count; i++) {
        common = hs_common_divisor(tallies[i].members, common);
        if (tallies[i].members < tallies[least].members)
            least = i;
        if (tallies[i].members > tallies[most].members)
            most = i;
    }
    if (count == 0 || tallies[least].members == tallies[most].members)
        return;
    hs_note_separate(note);
    hs_text_append(note, "uneven: ");
    if (count <= LISTED_MAX) {
        for (size_t i = 0; i < count; i++) {
            hs_text_append(note, "%s", i > 0 ? ", " : "");
            list_tally(note, &tallies[i], member);
        }
    } else {
        list_tally(note, &tallies[most], member);
        hs_text_append(note, ", ");
        list_tally(note, &tallies[least], member);
        hs_text_append(note, ", the other %zu %ss between", count - 2, unit);
    }
    if (common > 1)
        hs_text_append(note, "; layers of %lld %ss stay in a %s, larger ones may cross %ss",
                       (long long)common, member, unit, unit);
    else
        hs_text_append(note, "; layers that should stay in a %s may cross %ss", unit, unit);
}

void hs_nodes_note_uneven(const struct hs_node_report *nodes, size_t count, struct hs_text *note)
{
    struct tally *tallies = calloc(count, sizeof *tallies);
    size_t racks = 0;
    if (tallies == NULL) {
        note->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++)
        tallies[i] = (struct tally){nodes[i].place.host, nodes[i].place.ranks};
    note_tallies(note, tallies, count, "node", "rank");

    for (size_t i = 0; i < count && nodes[i].place.rack[0] != '\0'; i++) {
        if (i == 0 || strcmp(nodes[i].place.rack, nodes[i - 1].place.rack) != 0)
            tallies[racks++] = (struct tally){nodes[i].place.rack, 0};
        tallies[racks - 1].members++;
    }
    note_tallies(note, tallies, racks, "rack", "node");
    free(tallies);
}
