/* Rules for NCCL's example tuner plugin: lines of its CSV for every layer's communicator. */
#include <inttypes.h>
#include <math.h>

#include "export/size_rules.h"
#include "library/price_plan.h"

/* Where no line matches, the plugin leaves algorithm and protocol to NCCL, but asks for one channel
 * (plugin.c: *nChannels = 1). NCCL itself would take one below 8 KiB with LL, below 64 KiB with
 * Simple (2.30, enqueue.cc: nBytes < nc * nt * threadThreshold): up to here a single channel costs
 * less than a ring that is forced. A line with 0 channels leaves their number to NCCL. */
#define OWN_BYTES 65536

/* A step of a ring with LL has about a fifth of the latency of Simple (2.28.9: 0.6 and 3.4 us by
 * NVLink, 2.7 and 14 us by the network), and moves a flag with every word. LL128 is not safe on
 * every machine, so it is left out. */
#define LL_LATENCY 0.2
#define LL_BYTES   2.0

static const char use[] =
    "NCCL_TUNER_PLUGIN=example NCCL_TUNER_CONFIG_FILE=nccl_tuner.conf, with the example plugin of\n"
    "NCCL 2.30.3 or later (plugins/tuner/example); that of 2.28 and 2.29 crashes on the first\n"
    "rule that matches. hiersearch's own plugin, plugins/nccl-tuner, needs no such file.\n"
    "The plugin sees one communicator at a time: the program makes one per layer (--to colors,\n"
    "pytorch or jax). Other communicators of these sizes get the same rules.\n"
    "Channels: 0, NCCL's default number. Below 65536 bytes no line matches where no plan is "
    "given:\n"
    "algorithm and protocol are NCCL's default, in one channel. Above, this plugin cannot do\n"
    "without that one channel, hence a last line for every collective, and the plan's rings\n"
    "where NCCL's default call would be faster: hiersearch's own plugin keeps the default there.\n"
    "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,\n"
    "regBuff; the first line that matches counts; -1: any.";

/* ---- one layer ---- */

struct group {
    struct hs_stage_price price;
    int64_t nodes;                    /* -1: any */
    uint64_t first_bytes, last_bytes; /* entering the layer, both included */
};

/* First size at which Simple is faster than LL. */
static uint64_t simple_from(const struct hs_stage_price *price)
{
    double size = (double)price->key.layer.size;
    double saved = (1 - LL_LATENCY) * price->lines[0].latency_seconds;
    double paid = (LL_BYTES - 1) * price->lines[0].seconds_per_byte * (size - 1) / size;

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

/* Whether another layer runs the same phases in communicators of the same size. */
static bool is_twin(const struct hs_result *result, const struct hs_split *split, int index)
{
    struct hs_problem problem = hs_result_problem(result, &result->messages[0]);
    enum hs_phase phases[2], others[2];

    hs_problem_phases(phases, &problem, hs_problem_layer(&problem, split, index));
    for (int i = 0; i < split->count; i++) {
        hs_problem_phases(others, &problem, hs_problem_layer(&problem, split, i));
        if (i != index && split->sizes[i] == split->sizes[index] && others[0] == phases[0])
            return true;
    }
    return false;
}

/* Nodes as measured are stated. Those of a system are, only where two layers could be mistaken for
 * each other otherwise: a wrong number would keep the rule from ever matching. */
static int64_t stated_nodes(const struct hs_result *result, const struct hs_split *split, int index)
{
    bool measured;
    int64_t node = hs_export_node_ranks(result, &measured);
    struct hs_problem problem = hs_result_problem(result, &result->messages[0]);
    int64_t nodes = count_nodes(hs_problem_layer(&problem, split, index), node);

    return nodes > 0 && (measured || is_twin(result, split, index)) ? nodes : -1;
}

static void append_line(struct hs_text *text, const struct group *group, const char *collective,
                        const char *protocol, uint64_t first, uint64_t last)
{
    if (first > last)
        return;
    hs_text_append(text, "%s,%" PRIu64 ",%" PRIu64 ",ring,%s,0,%" PRId64 ",%" PRId64 ",-1,-1\n",
                   collective, first, last, protocol, group->nodes, group->price.key.layer.size);
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

/* As the plugin knows what a layer's communicator runs. */
static const char *const called[HS_PHASE_COUNT] = {
    [HS_REDUCE_SCATTER] = "reducescatter",
    [HS_ALLGATHER] = "allgather",
    [HS_ALLREDUCE] = "allreduce",
};

static void append_group(struct hs_text *text, const struct group *group,
                         const struct hs_problem *problem)
{
    enum hs_phase phases[2];
    int count = hs_problem_phases(phases, problem, group->price.key.layer);

    hs_text_append(text, "# layer of %" PRId64 " ranks at stride %" PRId64 "\n",
                   group->price.key.layer.size, group->price.key.layer.stride);
    for (int i = 0; i < count; i++)
        append_collective(text, group, called[phases[i]]);
}

/* ---- all of them ---- */

/* The first rule with layers goes down to where one channel does for NCCL's own choice. */
static struct group group_of(const struct hs_export_job *job, const struct hs_export_rule *rule,
                             bool first_rule, int index)
{
    const struct hs_result *result = job->result;
    struct hs_problem problem = hs_result_problem(result, &result->messages[0]);
    struct hs_layer layer = hs_problem_layer(&problem, &rule->plan.split, index);
    struct group group = {
        .price = hs_stage_price(&result->system, result->np,
                                (struct hs_stage_key){HS_PAIR, HS_RING, layer}),
        .nodes = stated_nodes(result, &rule->plan.split, index),
        .first_bytes = hs_export_entering(job, layer, rule->first_bytes),
        .last_bytes = UINT64_MAX,
    };

    if (first_rule && group.first_bytes > OWN_BYTES)
        group.first_bytes = OWN_BYTES;
    if (rule->end_bytes != UINT64_MAX)
        group.last_bytes = hs_export_entering(job, layer, rule->end_bytes) - 1;
    return group;
}

static void append_rules(struct hs_text *text, const struct hs_export_job *job,
                         const struct hs_export_rules *rules)
{
    static const char *const collectives[] = {"broadcast", "reduce", "allgather", "reducescatter",
                                              "allreduce"};
    struct hs_problem problem = hs_result_problem(job->result, &job->result->messages[0]);
    bool first = true;

    for (size_t i = 0; i < rules->count; i++) {
        const struct hs_export_rule *rule = &rules->rules[i];

        for (int layer = 0; layer < rule->plan.split.count; layer++) {
            struct group group = group_of(job, rule, first, layer);

            append_group(text, &group, &problem);
        }
        first = first && rule->plan.split.count == 0;
    }
    hs_text_append(text, "# everything else\n");
    for (size_t i = 0; i < sizeof(collectives) / sizeof(*collectives); i++)
        hs_text_append(text, "%s,%d,%" PRIu64 ",ring,simple,0,-1,-1,-1,-1\n", collectives[i],
                       OWN_BYTES, UINT64_MAX);
}

/* Whether two layers run the same in communicators that the plugin cannot tell apart. */
static bool has_twins(const struct hs_result *result, const struct hs_split *split)
{
    for (int i = 0; i < split->count; i++)
        for (int j = i + 1; j < split->count; j++)
            if (split->sizes[i] == split->sizes[j] && is_twin(result, split, i) &&
                is_twin(result, split, j) &&
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

/* Without a line the plugin would have everything in one channel. */
static enum hs_status refuse_slower(const struct hs_export_rules *rules,
                                    const struct hs_export_job *job, struct hs_error *err)
{
    for (size_t i = 0; i < rules->count; i++)
        if (rules->rules[i].plan.split.count > 0)
            return HS_OK;
    return hs_fail(err, HS_INVALID,
                   "%s: for no message a plan was measured faster than the library's default call: "
                   "keep the library's default, run without NCCL_TUNER_PLUGIN",
                   job->result_name);
}

static enum hs_status write_nccl_tuner(struct hs_export_output *out,
                                       const struct hs_export_job *job, struct hs_error *err)
{
    struct hs_text *text = hs_export_add_file(out, "nccl_tuner.conf");
    struct hs_export_rules rules;
    enum hs_status status = hs_export_need_system(job, &hs_exporter_nccl_tuner, err);

    if (status == HS_OK && hs_export_is_nccl_native(job))
        status = hs_fail(err, HS_INVALID,
                         "%s: its times are those of NCCL's default choice in each layer's "
                         "communicator: there is nothing to tune (--to pytorch, jax or colors "
                         "make the communicators)",
                         job->result_name);
    if (status == HS_OK)
        status = hs_export_rules_make(&rules, job, hs_export_choose_any, err);
    if (status != HS_OK)
        return status;
    status = refuse_slower(&rules, job, err);
    hs_export_header_lines(text, job, &hs_exporter_nccl_tuner, use);
    hs_export_rules_say(&rules, out, text, job, &hs_exporter_nccl_tuner);
    for (size_t i = 0; i < rules.count; i++)
        say_twins(out, text, job->result, &rules.rules[i].plan.split);
    append_rules(text, job, &rules);
    hs_export_rules_release(&rules);
    return status;
}

const struct hs_exporter hs_exporter_nccl_tuner = {
    .name = "nccl-tuner",
    .library = "NCCL",
    .versions = "2.30.3 and later",
    .summary = "rules for its example tuner plugin, by layer and size",
    .affects = "all communicators of the process, those that are no layer, too",
    .layers = 0,
    .exact = false,
    .chunks = false,
    .sizes = true,
    .also = HS_EXPORT_BY_LAYERS,
    .groups = HS_GROUPS_BY_LAYER,
    .write = write_nccl_tuner,
};
