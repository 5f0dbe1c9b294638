/* Rules for NCCL's example tuner plugin: lines of its CSV for every layer's communicator. */
#include <inttypes.h>
#include <math.h>

#include "export/size_rules.h"

/* What NCCL's own cost model lets a channel of a ring carry, on Volta and Ampere (2.28.9,
 * tuning.cc: perChMaxRingLL128Bws). More on later GPUs, where fewer channels would do. */
#define CHANNEL_BYTES_PER_SECOND 20e9
#define CHANNELS_MAX             32

/* A step of a ring with LL has about a fifth of the latency of Simple (2.28.9: 0.6 and 3.4 us by
 * NVLink, 2.7 and 14 us by the network), and moves a flag with every word. LL128 is not safe on
 * every machine, so it is left out. */
#define LL_LATENCY 0.2
#define LL_BYTES   2.0

static const char use[] =
    "NCCL_TUNER_PLUGIN=example NCCL_TUNER_CONFIG_FILE=nccl_tuner.conf, with the example plugin of\n"
    "NCCL 2.30.3 or later (plugins/tuner/example); that of 2.28 and 2.29 crashes on the first\n"
    "rule that matches. hiersearch's own plugin, plugins/nccl-tuner, needs no such file.\n"
    "The plugin sees one communicator at a time: the program makes one per layer (--to colours,\n"
    "pytorch or jax). Other communicators of these sizes get the same rules.\n"
    "Channels: enough for a ring's share of its links at 20 GB/s each, and one per NIC. The\n"
    "plugin has no way to keep NCCL's own choice (it would be 1 channel), hence a number on each\n"
    "line and a last line for every collective.\n"
    "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,\n"
    "regBuff; the first line that matches counts; -1: any. The first rules go down to 0 bytes.";

/* ---- one layer ---- */

struct group {
    const struct hs_result *result;
    const struct hs_split *split;
    struct hs_stage_price price;
    int index;
    int64_t nodes;                    /* -1: any */
    uint64_t first_bytes, last_bytes; /* entering the layer, both included */
};

static int channels(const struct hs_system *system, const struct hs_stage_price *price)
{
    double wanted = ceil(price->ring_bytes_per_second / CHANNEL_BYTES_PER_SECOND);

    for (size_t level = 0; level < system->level_count; level++)
        if (price->occupancy[level] > 0 && system->levels[level].striped)
            wanted = fmax(wanted, (double)system->levels[level].ports);
    return (int)fmin(wanted, CHANNELS_MAX);
}

/* First size at which Simple is faster than LL. */
static uint64_t simple_from(const struct hs_stage_price *price)
{
    double size = (double)price->key.layer.size;
    double saved = (1 - LL_LATENCY) * price->line.latency_seconds;
    double paid = (LL_BYTES - 1) * price->line.seconds_per_byte * (size - 1) / size;

    return (uint64_t)ceil(saved / paid);
}

/* Nodes that a group of the layer is on; 0 where groups differ or the node is not known. */
static int64_t count_nodes(struct hs_layer layer, int64_t node)
{
    int64_t span = layer.stride * layer.size;

    if (node == 0)
        return 0;
    if (layer.stride % node == 0)
        return layer.size;
    if (node % span == 0)
        return 1;
    return node % layer.stride == 0 && span % node == 0 ? span / node : 0;
}

static bool is_twin(const struct hs_split *split, int index)
{
    bool last = index == split->count - 1;

    for (int i = 0; i < split->count; i++)
        if (i != index && !last && i != split->count - 1 && split->sizes[i] == split->sizes[index])
            return true;
    return false;
}

/* Nodes as measured are stated. Those of a system are, only where two layers could be mistaken for
 * each other otherwise: a wrong number would keep the rule from ever matching. */
static int64_t stated_nodes(const struct hs_result *result, const struct hs_split *split, int index)
{
    bool measured;
    int64_t node = hs_export_node_ranks(result, &measured);
    int64_t nodes = count_nodes(hs_split_layer(split, index), node);

    return nodes > 0 && (measured || is_twin(split, index)) ? nodes : -1;
}

static void append_line(struct hs_text *text, const struct group *group, const char *collective,
                        const char *protocol, uint64_t first, uint64_t last)
{
    if (first > last)
        return;
    hs_text_append(text, "%s,%" PRIu64 ",%" PRIu64 ",ring,%s,%d,%" PRId64 ",%" PRId64 ",-1,-1\n",
                   collective, first, last, protocol,
                   channels(&group->result->system, &group->price), group->nodes,
                   group->price.key.layer.size);
}

static void append_collective(struct hs_text *text, const struct group *group,
                              const char *collective)
{
    uint64_t simple = simple_from(&group->price);
    uint64_t low = group->first_bytes, high = group->last_bytes;

    if (simple > 0)
        append_line(text, group, collective, "ll", low, high < simple ? high : simple - 1);
    append_line(text, group, collective, "simple", low > simple ? low : simple, high);
}

static void append_group(struct hs_text *text, const struct group *group)
{
    hs_text_append(text, "# layer of %" PRId64 " ranks at stride %" PRId64 "\n",
                   group->price.key.layer.size, group->price.key.layer.stride);
    if (group->index == group->split->count - 1) {
        append_collective(text, group, "allreduce");
        return;
    }
    append_collective(text, group, "reducescatter");
    append_collective(text, group, "allgather");
}

/* ---- all of them ---- */

/* The first rule goes down to 0: the plugin knows no default. */
static struct group group_of(const struct hs_result *result, const struct hs_export_rule *rule,
                             bool first_rule, int index)
{
    struct hs_layer layer = hs_split_layer(&rule->plan.split, index);
    uint64_t stride = (uint64_t)layer.stride;
    struct group group = {
        .result = result,
        .split = &rule->plan.split,
        .price = hs_stage_price(&result->system, result->np,
                                (struct hs_stage_key){HS_PAIR, HS_RING, layer}),
        .index = index,
        .nodes = stated_nodes(result, &rule->plan.split, index),
        .first_bytes = first_rule ? 0 : (rule->first_bytes + stride - 1) / stride,
        .last_bytes = UINT64_MAX,
    };

    if (rule->end_bytes != UINT64_MAX)
        group.last_bytes = (rule->end_bytes + stride - 1) / stride - 1;
    return group;
}

static void append_rules(struct hs_text *text, const struct hs_result *result,
                         const struct hs_export_rules *rules)
{
    static const char *const collectives[] = {"broadcast", "reduce", "allgather", "reducescatter",
                                              "allreduce"};
    int most = 1;

    for (size_t i = 0; i < rules->count; i++)
        for (int layer = 0; layer < rules->rules[i].plan.split.count; layer++) {
            struct group group = group_of(result, &rules->rules[i], i == 0, layer);
            int wanted = channels(&result->system, &group.price);

            append_group(text, &group);
            most = wanted > most ? wanted : most;
        }
    hs_text_append(text, "# everything else\n");
    for (size_t i = 0; i < sizeof(collectives) / sizeof(*collectives); i++)
        hs_text_append(text, "%s,0,%" PRIu64 ",ring,simple,%d,-1,-1,-1,-1\n", collectives[i],
                       UINT64_MAX, most);
}

/* Whether two layers reduce-scatter in communicators that the plugin cannot tell apart. */
static bool has_twins(const struct hs_result *result, const struct hs_split *split)
{
    for (int i = 0; i < split->count - 1; i++)
        for (int j = i + 1; j < split->count - 1; j++)
            if (split->sizes[i] == split->sizes[j] &&
                stated_nodes(result, split, i) == stated_nodes(result, split, j))
                return true;
    return false;
}

static void say_twins(struct hs_export_output *out, struct hs_text *text,
                      const struct hs_result *result, const struct hs_split *split)
{
    char plan[HS_SPLIT_TEXT];

    if (has_twins(result, split))
        hs_export_say(out, text,
                      "nccl-tuner: some layers of %s look alike to a tuner: the rules of "
                      "the inner one hold for both",
                      hs_split_format(plan, split));
}

static enum hs_status write_nccl_tuner(struct hs_export_output *out,
                                       const struct hs_export_job *job, struct hs_error *err)
{
    struct hs_text *text = hs_export_add_file(out, "nccl_tuner.conf");
    struct hs_export_rules rules;
    enum hs_status status = hs_export_need_system(job, &hs_exporter_nccl_tuner, err);

    if (status == HS_OK)
        status = hs_export_rules_make(&rules, job, hs_export_choose_any, err);
    if (status != HS_OK)
        return status;
    hs_export_header_lines(text, job, &hs_exporter_nccl_tuner, use);
    hs_export_rules_say(&rules, out, text, job, &hs_exporter_nccl_tuner);
    for (size_t i = 0; i < rules.count; i++)
        say_twins(out, text, job->result, &rules.rules[i].plan.split);
    append_rules(text, job->result, &rules);
    hs_export_note_baseline(out, job);
    hs_export_rules_release(&rules);
    return HS_OK;
}

const struct hs_exporter hs_exporter_nccl_tuner = {
    .name = "nccl-tuner",
    .library = "NCCL",
    .versions = "2.30.3 and later",
    .summary = "rules for its example tuner plugin, by layer and size",
    .layers = 0,
    .exact = false,
    .chunks = false,
    .sizes = true,
    .write = write_nccl_tuner,
};
