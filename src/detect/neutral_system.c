/* neutral_system.c - see neutral_system.h. */
#include "detect/neutral_system.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* About what one link of today's machines does. What replaces them is fitted with priors so wide
 * that a factor of 100 does not matter. */
#define BYTES_PER_SECOND 10e9
#define LATENCY_SECONDS  5e-6

/* How many units of equal weight the list makes, the last of which may be smaller: the weight of
 * the first, or 0 where it is none such. */
struct even {
    int64_t first, current, units;
    bool broken;
};

static void end_unit(struct even *even)
{
    if (even->units == 1)
        even->first = even->current;
    even->broken = even->broken || even->current > even->first;
}

/* A new unit begins; one that was too small is not the last. */
static void begin_unit(struct even *even)
{
    if (even->units > 0) {
        end_unit(even);
        even->broken = even->broken || even->current < even->first;
    }
    even->units++;
    even->current = 0;
}

/* Ranks per node. */
static struct even look_at_nodes(const struct hs_node_place *nodes, int64_t node_count)
{
    struct even even = {0};

    for (int64_t i = 0; i < node_count; i++) {
        begin_unit(&even);
        even.current = nodes[i].ranks;
    }
    end_unit(&even);
    return even;
}

/* Nodes per rack; broken where racks are unknown. */
static struct even look_at_racks(const struct hs_node_place *nodes, int64_t node_count)
{
    struct even even = {0};

    for (int64_t i = 0; i < node_count; i++) {
        if (i == 0 || strcmp(nodes[i].rack, nodes[i - 1].rack) != 0)
            begin_unit(&even);
        even.current++;
        even.broken = even.broken || nodes[i].rack[0] == '\0';
    }
    end_unit(&even);
    return even;
}

static void add_level(struct hs_system *system, const char *name, int64_t arity)
{
    struct hs_level *level = &system->levels[system->level_count++];

    *level = (struct hs_level){.arity = arity,
                               .fabric = HS_FABRIC_SWITCH,
                               .latency_seconds = LATENCY_SECONDS,
                               .bytes_per_second = BYTES_PER_SECOND,
                               .ports = 1,
                               .striped = true};
    snprintf(level->name, sizeof(level->name), "%s", name);
}

enum hs_status hs_neutral_system(struct hs_system *out, const struct hs_node_place *nodes,
                                 int64_t node_count, struct hs_error *err)
{
    struct even ranks = look_at_nodes(nodes, node_count);
    struct even racks = look_at_racks(nodes, node_count);
    bool has_nodes = node_count > 1 && !ranks.broken && ranks.first > 1;
    bool has_racks = !ranks.broken && !racks.broken && racks.units > 1 && racks.first > 1;

    *out = (struct hs_system){.pipeline_granularity = 1, .latency_kind = HS_LATENCY_UNVERIFIED};
    snprintf(out->name, sizeof(out->name), HS_NEUTRAL_NAME);
    out->source = hs_strdup("unverified: the shape is where the ranks are, the figures are "
                            "placeholders");
    if (!out->source)
        return hs_no_memory(err);
    if (has_nodes)
        add_level(out, "node", ranks.first);
    if (has_racks)
        add_level(out, "rack", racks.first);
    add_level(out, node_count == 1 ? "node" : has_racks ? "spine" : "network", 0);
    return HS_OK;
}
