/* slurm_topology.c - see slurm_topology.h. */
#include "detect/slurm_topology.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/text.h"

/* Digits of a number in a bracket: a value of that many fits in 64 bits. */
#define DIGITS_MAX 18

struct names {
    char **items; /* owned, and each of them */
    size_t count, capacity;
};

/* A name that is being put together, bracket by bracket. */
struct expansion {
    struct names *names;
    const char *list; /* for messages */
    char name[HS_SLURM_NAME_MAX];
    size_t length;
};

static void names_release(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct names){0};
}

static enum hs_status out_of_memory(struct hs_error *err)
{
    return hs_no_memory(err);
}

static enum hs_status bad_list(const struct expansion *x, const char *expected,
                               struct hs_error *err)
{
    return hs_fail(err, HS_INVALID, "node list \"%.80s\": expected %s", x->list, expected);
}

static enum hs_status add_name(struct expansion *x, struct hs_error *err)
{
    struct names *names = x->names;
    if (x->length == 0)
        return bad_list(x, "a name before and after every comma", err);
    if (names->count == HS_SLURM_NODES_MAX)
        return bad_list(x, "at most 1048576 nodes", err);
    if (names->count == names->capacity) {
        size_t capacity = names->capacity > 0 ? 2 * names->capacity : 16;
        char **items = realloc(names->items, capacity * sizeof *items);
        if (items == NULL)
            return out_of_memory(err);
        names->items = items;
        names->capacity = capacity;
    }
    x->name[x->length] = '\0';
    names->items[names->count] = hs_strdup(x->name);
    if (names->items[names->count] == NULL)
        return out_of_memory(err);
    names->count++;
    return HS_OK;
}

static enum hs_status append(struct expansion *x, const char *text, size_t length,
                             struct hs_error *err)
{
    for (size_t i = 0; i < length; i++)
        if (!isgraph((unsigned char)text[i]))
            return bad_list(x, "no blanks", err);
    if (length >= sizeof x->name - x->length)
        return bad_list(x, "names of at most 127 characters", err);
    memcpy(x->name + x->length, text, length);
    x->length += length;
    return HS_OK;
}

struct range {
    long long first, last;
    int width; /* digits at least, with leading zeros */
};

/* Reads "7" or "08-11" and moves *at behind it. */
static bool read_range(struct range *range, const char **at)
{
    static const char digits[] = "0123456789";
    const char *text = *at;
    size_t width = strspn(text, digits);
    if (width == 0 || width > DIGITS_MAX)
        return false;
    range->width = (int)width;
    range->first = range->last = strtoll(text, NULL, 10);
    text += width;
    if (*text == '-') {
        width = strspn(++text, digits);
        if (width == 0 || width > DIGITS_MAX)
            return false;
        range->last = strtoll(text, NULL, 10);
        text += width;
    }
    *at = text;
    return range->first <= range->last &&
           range->last - range->first < (long long)HS_SLURM_NODES_MAX;
}

static enum hs_status expand(struct expansion *x, const char *at, struct hs_error *err);

/* `at` is behind the '['; the name so far is continued with each number and what follows the ']'.
 * */
static enum hs_status expand_bracket(struct expansion *x, const char *at, struct hs_error *err)
{
    const char *end = strchr(at, ']');
    size_t kept = x->length;
    struct range range;
    if (end == NULL)
        return bad_list(x, "a \"]\" for every \"[\"", err);
    for (;; at++) {
        if (!read_range(&range, &at) || (*at != ',' && *at != ']'))
            return bad_list(
                x, "numbers and ranges upward of at most 1048576 in brackets, such as [1-4,7]",
                err);
        for (long long value = range.first; value <= range.last; value++) {
            char digits[DIGITS_MAX + 4];
            int length = snprintf(digits, sizeof digits, "%0*lld", range.width, value);
            enum hs_status status = append(x, digits, (size_t)length, err);
            if (status == HS_OK)
                status = expand(x, end + 1, err);
            x->length = kept;
            if (status != HS_OK)
                return status;
        }
        if (at == end)
            return HS_OK;
    }
}

/* Continues the name with the text up to the next comma outside brackets, or the end. */
static enum hs_status expand(struct expansion *x, const char *at, struct hs_error *err)
{
    size_t plain = strcspn(at, "[],");
    size_t kept = x->length;
    enum hs_status status = append(x, at, plain, err);
    at += plain;
    if (status == HS_OK) {
        if (*at == '[')
            status = expand_bracket(x, at + 1, err);
        else if (*at == ']')
            status = bad_list(x, "a \"[\" for every \"]\"", err);
        else
            status = add_name(x, err);
    }
    x->length = kept;
    return status;
}

/* The comma or the end behind a name that `expand` has found good. */
static const char *end_of_name(const char *at)
{
    for (at += strcspn(at, "[,"); *at == '['; at += strcspn(at, "[,"))
        at += strcspn(at, "]");
    return at;
}

static enum hs_status expand_list(struct names *names, const char *list, struct hs_error *err)
{
    struct expansion x = {.names = names, .list = list};
    for (const char *at = list;; at++) {
        enum hs_status status = expand(&x, at, err);
        if (status != HS_OK)
            return status;
        at = end_of_name(at);
        if (*at == '\0')
            return HS_OK;
    }
}

/* The hosts of a list in the order of their names. */
struct index_row {
    const char *host;
    size_t position;
};

static int compare_rows(const void *a, const void *b)
{
    const struct index_row *left = a, *right = b;
    int order = strcmp(left->host, right->host);
    if (order != 0)
        return order;
    return left->position < right->position ? -1 : left->position > right->position;
}

static struct index_row *make_index(const struct hs_node_list *list)
{
    struct index_row *rows = malloc(list->count * sizeof *rows);
    if (rows == NULL)
        return NULL;
    for (size_t i = 0; i < list->count; i++)
        rows[i] = (struct index_row){list->hosts[i], i};
    qsort(rows, list->count, sizeof *rows, compare_rows);
    return rows;
}

/* The first row whose host is not before `host`. */
static size_t lower_bound(const struct index_row *rows, size_t count, const char *host)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(rows[middle].host, host) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum hs_status set_rack(struct hs_node_list *list, const struct index_row *rows,
                               const char *host, const char *rack, struct hs_error *err)
{
    for (size_t i = lower_bound(rows, list->count, host);
         i < list->count && strcmp(rows[i].host, host) == 0; i++) {
        char **at = &list->racks[rows[i].position];
        if ((*at)[0] != '\0')
            continue;
        char *copy = hs_strdup(rack);
        if (copy == NULL)
            return out_of_memory(err);
        free(*at);
        *at = copy;
    }
    return HS_OK;
}

/* What follows "key=" on a line, up to the line's end; NULL where it is absent. */
static char *value_of(char *line, const char *key)
{
    size_t length = strlen(key);
    for (char *at = strcasestr(line, key); at != NULL; at = strcasestr(at + 1, key)) {
        if (at[length] == '=' && (at == line || isblank((unsigned char)at[-1])))
            return at + length + 1;
    }
    return NULL;
}

static enum hs_status read_switch(struct hs_node_list *list, const struct index_row *rows,
                                  char *line, struct hs_error *err)
{
    char *rack = value_of(line, "SwitchName");
    char *level = value_of(line, "Level");
    char *nodes = value_of(line, "Nodes");
    struct names names = {0};
    if (rack == NULL || level == NULL || nodes == NULL)
        return HS_OK;
    rack[strcspn(rack, " ")] = '\0';
    level[strcspn(level, " ")] = '\0';
    nodes[strcspn(nodes, " ")] = '\0';
    if (strcmp(level, "0") != 0 || rack[0] == '\0' || nodes[0] == '\0')
        return HS_OK;
    enum hs_status status = expand_list(&names, nodes, err);
    for (size_t i = 0; status == HS_OK && i < names.count; i++)
        status = set_rack(list, rows, names.items[i], rack, err);
    names_release(&names);
    return status;
}

static enum hs_status read_topology(struct hs_node_list *list, const char *topology,
                                    struct hs_error *err)
{
    struct index_row *rows = make_index(list);
    char *text = hs_strdup(topology), *rest = text, *line;
    enum hs_status status = rows != NULL && text != NULL ? HS_OK : out_of_memory(err);
    for (int number = 1; status == HS_OK && (line = strsep(&rest, "\n")) != NULL; number++) {
        status = read_switch(list, rows, line, err);
        if (status == HS_INVALID) {
            char place[64];
            snprintf(place, sizeof place, "Slurm's topology, line %d", number);
            hs_error_prefix(err, status, place);
        }
    }
    free(text);
    free(rows);
    return status;
}

static void count_unit(struct hs_slurm_units *units, int64_t nodes)
{
    if (units->count == 0 || nodes < units->nodes_min)
        units->nodes_min = nodes;
    if (nodes > units->nodes_max)
        units->nodes_max = nodes;
    units->count++;
}

enum hs_status hs_slurm_units_add(struct hs_slurm_units *units, const char *node_list,
                                  struct hs_error *err)
{
    struct names names = {0};
    enum hs_status status = expand_list(&names, node_list, err);
    units->nodes += (int64_t)names.count;
    if (status == HS_OK && units->nodes > (int64_t)HS_SLURM_NODES_MAX)
        status = hs_fail(err, HS_INVALID, "expected at most 1048576 nodes in all");
    if (status == HS_OK)
        count_unit(units, (int64_t)names.count);
    names_release(&names);
    return status;
}

/* ---- switches above switches ----------------------------------------------------------------- */

struct hs_slurm_switch {
    struct names names, children;
};

void hs_slurm_switches_release(struct hs_slurm_switches *switches)
{
    for (size_t i = 0; i < switches->count; i++) {
        names_release(&switches->items[i].names);
        names_release(&switches->items[i].children);
    }
    free(switches->items);
    *switches = (struct hs_slurm_switches){0};
}

enum hs_status hs_slurm_switches_add(struct hs_slurm_switches *switches, const char *list,
                                     const char *children, struct hs_error *err)
{
    struct hs_slurm_switch *item =
        hs_grow(&switches->items, &switches->capacity, switches->count, sizeof *item, err);
    if (item == NULL)
        return HS_MEMORY;
    *item = (struct hs_slurm_switch){.names = {0}};
    switches->count++;
    enum hs_status status = expand_list(&item->names, list, err);
    if (status == HS_OK && children != NULL)
        status = expand_list(&item->children, children, err);
    switches->names += item->names.count + item->children.count;
    if (status == HS_OK && switches->names > HS_SLURM_NODES_MAX)
        status = hs_fail(err, HS_INVALID, "expected at most 1048576 switches in all");
    return status;
}

/* While the tree is found: of each switch the tier, 0 for leaves, the one above it, and one of its
 * tree that stands for all of it. */
struct place {
    int tier;
    size_t above, tree;
};

struct places {
    const struct hs_slurm_switches *switches;
    struct index_row *rows; /* names of all, in order */
    size_t count;           /* of rows */
    struct place *of;       /* [switches->count] */
};

static size_t tree_of(struct places *places, size_t item)
{
    while (places->of[item].tree != item)
        item = places->of[item].tree = places->of[places->of[item].tree].tree;
    return item;
}

/* switches->count: no switch has the name. */
static size_t find_switch(const struct places *places, const char *name)
{
    size_t i = lower_bound(places->rows, places->count, name);
    bool found = i < places->count && strcmp(places->rows[i].host, name) == 0;
    return found ? places->rows[i].position : places->switches->count;
}

/* Passes on which switch is above which; true: a tier changed. */
static bool raise(struct places *places, size_t item)
{
    const struct names *children = &places->switches->items[item].children;
    int tier = 0;
    for (size_t c = 0; c < children->count; c++) {
        size_t child = find_switch(places, children->items[c]);
        if (child == places->switches->count || child == item)
            continue;
        if (places->of[child].above == places->switches->count)
            places->of[child].above = item;
        places->of[tree_of(places, child)].tree = tree_of(places, item);
        if (places->of[child].tier + 1 > tier)
            tier = places->of[child].tier + 1;
    }
    bool changed = tier > places->of[item].tier && tier <= HS_SLURM_TIERS_MAX;
    if (changed)
        places->of[item].tier = tier;
    return changed;
}

static void count_tiers(struct hs_slurm_tree *tree, struct places *places)
{
    size_t count = places->switches->count;
    for (size_t i = 0; i < count; i++) {
        const struct names *children = &places->switches->items[i].children;
        int tier = places->of[i].tier - 1;
        size_t first = children->count > 0 ? find_switch(places, children->items[0]) : count;
        tree->trees += tree_of(places, i) == i;
        if (tier < 0 || first == count || places->of[first].above != i)
            continue; /* a leaf, or another plane */
        tree->count[tier]++;
        if ((int64_t)children->count > tree->children_max[tier])
            tree->children_max[tier] = (int64_t)children->count;
        if (tier + 1 > tree->tiers)
            tree->tiers = tier + 1;
    }
}

enum hs_status hs_slurm_switches_tree(struct hs_slurm_tree *tree,
                                      const struct hs_slurm_switches *switches,
                                      struct hs_error *err)
{
    struct places places = {.switches = switches,
                            .rows = calloc(switches->names + 1, sizeof *places.rows),
                            .of = calloc(switches->count + 1, sizeof *places.of)};
    bool changed = places.rows != NULL && places.of != NULL;
    enum hs_status status = changed ? HS_OK : out_of_memory(err);
    *tree = (struct hs_slurm_tree){0};
    for (size_t i = 0; status == HS_OK && i < switches->count; i++) {
        places.of[i] = (struct place){0, switches->count, i};
        for (size_t n = 0; n < switches->items[i].names.count; n++)
            places.rows[places.count++] = (struct index_row){switches->items[i].names.items[n], i};
    }
    if (status == HS_OK)
        qsort(places.rows, places.count, sizeof *places.rows, compare_rows);
    for (int pass = 0; pass < HS_SLURM_TIERS_MAX && changed; pass++) {
        changed = false;
        for (size_t i = 0; i < switches->count; i++)
            changed = raise(&places, i) || changed;
    }
    if (status == HS_OK)
        count_tiers(tree, &places);
    free(places.rows);
    free(places.of);
    return status;
}

/* ---- a file ---------------------------------------------------------------------------------- */

static enum hs_status read_unit(struct hs_slurm_network *network,
                                struct hs_slurm_switches *switches, char *line,
                                struct hs_error *err)
{
    line[strcspn(line, "#")] = '\0';
    char *name = value_of(line, "SwitchName"), *block = value_of(line, "BlockName");
    char *level = value_of(line, "Level"), *nodes = value_of(line, "Nodes");
    char *children = value_of(line, "Switches");
    bool is_leaf =
        name != NULL && (level != NULL ? strtol(level, NULL, 10) == 0 : children == NULL);
    char *const values[] = {name, nodes, children};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i] != NULL)
            values[i][strcspn(values[i], " \t\r")] = '\0';
    if (name != NULL && name[0] != '\0' && (is_leaf ? nodes : children) != NULL) {
        enum hs_status status =
            hs_slurm_switches_add(switches, name, is_leaf ? NULL : children, err);
        if (status != HS_OK)
            return status;
    }
    if (nodes == NULL || (!is_leaf && block == NULL))
        return HS_OK;
    return hs_slurm_units_add(is_leaf ? &network->leaves : &network->blocks, nodes, err);
}

enum hs_status hs_slurm_network_read(struct hs_slurm_network *network, const char *name,
                                     const char *topology, struct hs_error *err)
{
    char *text = hs_strdup(topology), *rest = text, *line;
    struct hs_slurm_switches switches = {0};
    enum hs_status status = text != NULL ? HS_OK : out_of_memory(err);
    *network = (struct hs_slurm_network){.leaves = {0}};
    for (int number = 1; status == HS_OK && (line = strsep(&rest, "\n")) != NULL; number++) {
        status = read_unit(network, &switches, line, err);
        if (status == HS_INVALID) {
            char place[256];
            snprintf(place, sizeof place, "%.200s:%d", name, number);
            hs_error_prefix(err, status, place);
        }
    }
    if (status == HS_OK)
        status = hs_slurm_switches_tree(&network->tree, &switches, err);
    hs_slurm_switches_release(&switches);
    free(text);
    return status;
}

/* A rack for every host, all of them unknown. */
static enum hs_status make_racks(struct hs_node_list *list, struct hs_error *err)
{
    list->racks = calloc(list->count, sizeof *list->racks);
    if (list->racks == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < list->count; i++) {
        list->racks[i] = hs_strdup("");
        if (list->racks[i] == NULL)
            return out_of_memory(err);
    }
    return HS_OK;
}

enum hs_status hs_slurm_node_list(struct hs_node_list *list, const char *node_list,
                                  const char *topology, struct hs_error *err)
{
    struct names names = {0};
    enum hs_status status = expand_list(&names, node_list, err);
    *list = (struct hs_node_list){.hosts = names.items, .count = names.count};
    if (status == HS_OK)
        status = make_racks(list, err);
    if (status == HS_OK && topology != NULL)
        status = read_topology(list, topology, err);
    if (status != HS_OK)
        hs_node_list_release(list);
    return status;
}

void hs_node_list_release(struct hs_node_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->hosts[i]);
        if (list->racks != NULL)
            free(list->racks[i]);
    }
    free(list->hosts);
    free(list->racks);
    *list = (struct hs_node_list){0};
}
