#include "system/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

const char *const hs_fabric_names[HS_FABRIC_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_FABRICS(HS_ROW)
#undef HS_ROW
};

const char *const hs_executed_by_names[HS_EXECUTED_BY_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_EXECUTORS(HS_ROW)
#undef HS_ROW
};

const char *const hs_latency_kind_names[HS_LATENCY_KIND_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_LATENCY_KINDS(HS_ROW)
#undef HS_ROW
};

size_t hs_system_list_levels(const char *names[HS_LEVELS_MAX], const struct hs_system *system)
{
    for (size_t l = 0; l < system->level_count; l++)
        names[l] = system->levels[l].name;
    return system->level_count;
}

int64_t hs_system_child_ranks(const struct hs_system *system, size_t level)
{
    int64_t ranks = 1;

    for (size_t l = 0; l < level && l < system->level_count; l++)
        ranks = hs_level_ranks(&system->levels[l], ranks);
    return ranks;
}

static const struct hs_figure_kind_row *kind_of(int said, const char *source)
{
    return &hs_figure_kinds[said > 0 ? said - 1 : (int)hs_figure_kind_of(source)];
}

const struct hs_figure_kind_row *hs_level_latency_kind(const struct hs_level *level)
{
    return kind_of(level->latency_kind, level->latency_source);
}

const struct hs_figure_kind_row *hs_level_bandwidth_kind(const struct hs_level *level)
{
    return kind_of(level->bandwidth_kind, level->bandwidth_source);
}

/* "dgx1-v100-0.1.4.6", where there is room for so much; and a title that says of what. */
static enum hs_status name_choice(struct hs_system *system, const int *children, int count,
                                  struct hs_error *err)
{
    struct hs_text name = {0}, title = {0};
    char *said = NULL;

    hs_text_append(&name, "%s", system->name);
    hs_text_append(&title, "%s%schildren ", system->title ? system->title : "",
                   system->title ? ": " : "");
    for (int i = 0; i < count; i++) {
        hs_text_append(&name, "%c%d", i ? '.' : '-', children[i]);
        hs_text_append(&title, "%s%d", i ? ", " : "", children[i]);
    }
    hs_text_append(&title, " of the %" PRId64 " of %s", system->levels[0].arity,
                   system->levels[0].name);
    if (!name.failed && !title.failed)
        said = hs_strdup(title.data);
    if (said) {
        if (name.length < sizeof(system->name))
            memcpy(system->name, name.data, name.length + 1);
        free(system->title);
        system->title = said;
    }
    hs_text_release(&name);
    hs_text_release(&title);
    return said ? HS_OK : hs_no_memory(err);
}

/* Whether they reach each other by themselves, by the numbers that they were chosen by. */
static enum hs_status check_choice(const struct hs_links *part, const int *children,
                                   struct hs_error *err)
{
    int path[HS_LINKS_VERTICES];

    for (int u = 1; u < part->units; u++)
        if (hs_links_path_by_units(path, part, 0, u) == 0 ||
            hs_links_path_by_units(path, part, u, 0) == 0)
            return hs_fail(err, HS_INVALID, "no way between %d and %d but through others",
                           children[0], children[u]);
    return hs_links_check(part, "", err);
}

enum hs_status hs_system_choose(struct hs_system *system, const int *children, int count,
                                struct hs_error *err)
{
    struct hs_level *level = &system->levels[0];
    struct hs_links part;
    enum hs_status status;

    if (level->fabric != HS_FABRIC_LINKS)
        return hs_fail(err, HS_INVALID,
                       "expected a machine whose first level is single links, found the %s %s",
                       hs_fabric_names[level->fabric], level->name);
    for (int i = 0; i < count; i++)
        if (children[i] >= level->arity)
            return hs_fail(err, HS_INVALID, "expected numbers below %" PRId64 ", found %d",
                           level->arity, children[i]);
    if (count < 2)
        return hs_fail(err, HS_INVALID, "expected two or more, found %d", count);
    status = hs_links_subset(&part, &level->links, children, count, err);
    if (status == HS_OK)
        status = check_choice(&part, children, err);
    if (status == HS_OK)
        status = name_choice(system, children, count, err);
    if (status != HS_OK) {
        hs_links_release(&part);
        return status;
    }
    hs_links_release(&level->links);
    if (system->keeper)
        system->keeper->empty(system);
    level->links = part;
    level->arity = count;
    level->bytes_per_second = hs_links_sends_least(&part);
    return HS_OK;
}

bool hs_level_is_inside(const struct hs_level *level)
{
    static const char *const others[] = {"nvswitch", "quad", "cube", "package", "xbus",
                                         "socket",   "numa", "node", "core",    "cache"};

    for (size_t i = 0; i < HS_LINK_COUNT; i++)
        if (strncmp(level->name, hs_link_names[i], strlen(hs_link_names[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strncmp(level->name, others[i], strlen(others[i])) == 0)
            return true;
    return false;
}

int64_t hs_system_busy_children(const struct hs_system *system, size_t level, int64_t ranks,
                                int64_t every)
{
    int64_t child = hs_system_child_ranks(system, level), apart = every > child ? every : child;
    int64_t unit = hs_system_child_ranks(system, level + 1);

    return ((ranks < unit ? ranks : unit) + apart - 1) / apart;
}

int64_t hs_system_node_ranks(const struct hs_system *system)
{
    size_t inside = 0;

    while (inside < system->level_count && hs_level_is_inside(&system->levels[inside]))
        inside++;
    if (inside == 0 && system->level_count > 1)
        inside = 1;
    return inside < system->level_count ? hs_system_child_ranks(system, inside) : INT64_MAX;
}

int64_t hs_system_unit_ranks(const struct hs_system *system, int64_t np)
{
    int64_t node = hs_system_node_ranks(system);

    return np < node ? node : hs_common_divisor(node, np % node);
}

char *hs_system_nodes_text(char text[HS_NODES_TEXT], const struct hs_system *system, int64_t np)
{
    int64_t node = hs_system_node_ranks(system), full = np / node, rest = np % node;

    text[0] = '\0';
    if (node == 1 || node == INT64_MAX)
        return text;
    if (full == 0)
        snprintf(text, HS_NODES_TEXT, " on a part of a node of %" PRId64, node);
    else if (rest == 0)
        snprintf(text, HS_NODES_TEXT, " on %" PRId64 " full node%s", full, full == 1 ? "" : "s");
    else
        snprintf(text, HS_NODES_TEXT,
                 " on %" PRId64 " nodes, %" PRId64 " of %" PRId64 " in the last", full + 1, rest,
                 node);
    return text;
}

const char *hs_system_called(const struct hs_system *system)
{
    return system->parts && strcmp(system->name, HS_SYSTEM_OF_TEXT) == 0 ? system->parts
                                                                         : system->name;
}

bool hs_system_is_nccl_native(const struct hs_system *system)
{
    return system->parts && system->fits.count == 0;
}

void hs_system_drop_parts(struct hs_system *system)
{
    free(system->parts);
    free(system->library_version);
    free(system->library_algorithm);
    free(system->blocks_source);
    system->parts = system->library_version = system->blocks_source = NULL;
    system->library_algorithm = NULL;
    system->nccl.among = 0;
    system->blocks = (struct hs_gpu_blocks){0};
}

void hs_system_fix_ways(struct hs_system *system)
{
    system->levels[0].links.fixed_ways = true;
    if (system->keeper)
        system->keeper->empty(system);
}

unsigned hs_system_algorithms(const struct hs_system *system)
{
    return system->executor == HS_BY_HOST ? HS_ALGORITHMS_ALL : 1U << HS_RING;
}

bool hs_system_has_rule(const struct hs_system *system)
{
    return hs_library_mpi_rule(hs_system_library(system)) && !system->additive &&
           system->fits.count == 0;
}

double hs_level_latency(const struct hs_level *level, double message_bytes)
{
    return message_bytes > level->eager_bytes ? level->latency_seconds + level->rendezvous_seconds
                                              : level->latency_seconds;
}

bool hs_system_waits(const struct hs_system *system)
{
    bool waits = false;

    for (size_t l = 0; l < system->level_count; l++)
        waits = waits || system->levels[l].rendezvous_seconds > 0;
    return waits && system->fits.count == 0 && !system->additive;
}

enum hs_library hs_system_library(const struct hs_system *system)
{
    return system->parts ? HS_LIBRARY_NCCL : system->library;
}

#define GPU_COPY_BYTES_PER_SECOND  1e12
#define CORE_COPY_BYTES_PER_SECOND 8e9

double hs_system_copy_rate(const struct hs_system *system)
{
    if (system->copy_bytes_per_second > 0)
        return system->copy_bytes_per_second;
    return hs_system_is_nccl_native(system) ? GPU_COPY_BYTES_PER_SECOND
                                            : CORE_COPY_BYTES_PER_SECOND;
}

int64_t hs_system_capacity(const struct hs_system *system)
{
    return hs_system_child_ranks(system, system->level_count);
}

struct hs_kept *hs_system_kept(const struct hs_system *system)
{
    return system->kept_of == system ? system->kept : NULL;
}

void hs_system_release(struct hs_system *system)
{
    if (system->keeper)
        system->keeper->release(system);
    for (size_t l = 0; l < HS_LEVELS_MAX; l++) {
        struct hs_level *level = &system->levels[l];

        free(level->arity_source);
        free(level->fabric_source);
        free(level->latency_source);
        free(level->bandwidth_source);
        hs_links_release(&level->links);
    }
    for (size_t i = 0; i < system->published.count; i++) {
        free(system->published.items[i].call);
        free(system->published.items[i].source);
    }
    free(system->published.items);
    free(system->constants.items);
    hs_fits_release(&system->fits);
    hs_system_drop_parts(system);
    free(system->title);
    free(system->source);
    free(system->notes);
    memset(system, 0, sizeof(*system));
}
