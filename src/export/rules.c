/* What libhiersearch-mpi.so and libhiersearch-nccl.so carry out inside of other programs: plans as
 * they are, by size. */
#include <math.h>
#include <stdlib.h>

#include "export/size_rules.h"
#include "links/graph.h"
#include "model/rules.h"
#include "model/traffic.h"

static const char use[] =
    "mpiexec -n NP hiersearch run RESULT -- PROGRAM does all of it. By hand, in each rank's\n"
    "environment: LD_PRELOAD=libhiersearch-mpi.so HIERSEARCH_PLANS=\"$(cat rules.txt)\".\n"
    "Rules are ranks of a group : distance, from how many bytes on, plan.";
static const char use_nccl[] =
    "hiersearch run RESULT -- PROGRAM does all of it. By hand, in each rank's environment:\n"
    "LD_PRELOAD=libhiersearch-nccl.so HIERSEARCH_NCCL_PLANS=\"$(cat rules.txt)\".\n"
    "Rules are ranks of a group : distance, from how many bytes on, plan.";

static enum hs_status choose(struct hs_plan *plan, double *cost, const struct hs_export_job *job,
                             size_t message, struct hs_error *err)
{
    *plan = *hs_export_wanted(job, message);
    *cost = 1;
    return plan->chunks > 0 ? HS_OK : hs_export_fail_unplanned(job, message, err);
}

/* Where ranks were; of a prediction, where they would be. */
static enum hs_status append_nodes(struct hs_text *text, const struct hs_result *result,
                                   struct hs_error *err)
{
    const struct hs_placement *placement = &result->placement;
    int64_t inside = result->has_system ? hs_system_node_ranks(&result->system) : INT64_MAX;
    bool described = placement->node_count == 0 && inside < result->np;
    size_t count = described ? (size_t)((result->np + inside - 1) / inside) : placement->node_count;
    int64_t *ranks = calloc(count + 1, sizeof(*ranks));

    if (!ranks)
        return hs_no_memory(err);
    for (size_t i = 0; i < count; i++)
        ranks[i] = described ? hs_smaller(inside, result->np - (int64_t)i * inside)
                             : placement->nodes[i].ranks;
    hs_rules_nodes_append(text, ranks, count);
    free(ranks);
    return HS_OK;
}

/* Behind the largest message that the result is about there may be one of twice its size: NCCL's
 * reduce-scatters, and packed layout, have memory for what the rules are for, which must end
 * somewhere. */
static void append_end(struct hs_text *text, const struct hs_result *result,
                       const struct hs_plan *last)
{
    uint64_t largest = 0;

    for (size_t i = 0; i < result->message_count; i++)
        if (result->messages[i].message_bytes > largest)
            largest = result->messages[i].message_bytes;
    if (last->split.count > 1)
        hs_rule_append(text, &(struct hs_rule){.collective = result->collective,
                                               .group = hs_result_group(result),
                                               .layout = result->layout,
                                               .from_bytes = 2 * largest + 1});
}

/* Trees of the layers of a plan that go by single links, as the backend host sends: by one way
 * between two GPUs (links.h, fixed_ways). A ring there is one of those with links of their own. */
static enum hs_status pack(struct hs_forests *forests, const struct hs_result *result,
                           const struct hs_plan *plan, struct hs_error *err)
{
    struct hs_problem problem = hs_result_asks(result, 1);
    struct hs_links links = result->system.levels[0].links;
    struct hs_stage stages[HS_STAGES_MAX];
    int count = hs_problem_stages(stages, &problem, plan);
    enum hs_status status = HS_OK;

    links.fixed_ways = true;
    forests->units = links.units;
    for (int s = 0; s < count && status == HS_OK; s++) {
        struct hs_stage_key key = stages[s].key;
        hs_packing_function *make = hs_packing_functions[key.algorithm];

        if (make && (int)key.phase < HS_FORESTS && hs_graph_holds(&result->system, key.layer) &&
            !hs_forests_find(forests, key))
            status = make(&forests->of[key.algorithm][key.phase], &links, key.phase, err);
    }
    return status;
}

/* NCCL's calls, of which its interposer makes plans, go by no trees. */
static enum hs_status refuse_trees(const struct hs_export_job *job,
                                   const struct hs_export_rules *rules, struct hs_error *err)
{
    char text[HS_SPLIT_TEXT];

    for (size_t r = 0; r < rules->count; r++) {
        const struct hs_plan *plan = &rules->rules[r].plan;

        for (int i = 0; i < 2 * plan->split.count; i++)
            if (hs_algorithms[hs_plan_algorithm(plan, i / 2, i % 2)]->on_links)
                return hs_fail(err, HS_INVALID,
                               "%s: plan %s goes by trees on single links, and NCCL's calls, by "
                               "which it would run, know none: expected another plan (--plan)",
                               job->result_name, hs_plan_format(text, plan));
    }
    return HS_OK;
}

static enum hs_status append_trees(struct hs_text *text, const struct hs_export_job *job,
                                   const struct hs_export_rules *rules, struct hs_error *err)
{
    const struct hs_result *result = job->result;
    struct hs_forests forests = {.units = 0};
    enum hs_status status = HS_OK;

    if (hs_export_is_for_nccl(job))
        return refuse_trees(job, rules, err);
    if (!result->has_system)
        return HS_OK;
    for (size_t i = 0; i < rules->count && status == HS_OK; i++)
        status = pack(&forests, result, &rules->rules[i].plan, err);
    hs_forests_append(text, &forests);
    hs_forests_release(&forests);
    return status;
}

/* By which `run` sees whether the library's calls are as fast as the machine should be. */
static void append_times(struct hs_text *text, const struct hs_result *result)
{
    for (size_t m = 0; m < result->message_count; m++) {
        const struct hs_result_message *message = &result->messages[m];
        const struct hs_default_call *usual = message->answer ? message->answer->usual : NULL;
        struct hs_rule_time time = {.collective = result->collective,
                                    .group = hs_result_group(result),
                                    .bytes = message->message_bytes};

        if (message->baseline_count > 0 && hs_measured_is_ok(&message->baselines[0].measured)) {
            time.low_seconds = message->baselines[0].measured.median_seconds / HS_AGAIN_RANGE;
            time.high_seconds = message->baselines[0].measured.median_seconds * HS_AGAIN_RANGE;
        } else if (!result->backend && usual) {
            time.low_seconds = usual->low_seconds;
            time.high_seconds = usual->high_seconds;
        }
        if (time.low_seconds > 0 && isfinite(time.high_seconds))
            hs_rule_time_append(text, &time);
    }
}

static enum hs_status write_plans(struct hs_export_output *out, const struct hs_export_job *job,
                                  struct hs_error *err)
{
    const struct hs_result *result = job->result;
    struct hs_text *text = hs_export_add_file(out, "rules.txt");
    struct hs_export_rules rules;
    enum hs_status status = HS_OK;

    if (result->registered)
        return hs_fail(err, HS_INVALID,
                       "%s: its times are of registered buffers, and `run` registers none: measure "
                       "without --registered",
                       job->result_name);
    status = hs_export_rules_make(&rules, job, choose, err);
    if (status != HS_OK)
        return status;
    hs_export_header(text, job, &hs_exporter_rules, &hs_export_comment_hash,
                     hs_export_is_for_nccl(job) ? use_nccl : use);
    hs_text_append(text, "ranks %lld\n", (long long)result->np);
    status = append_nodes(text, result, err);
    if (status == HS_OK)
        status = append_trees(text, job, &rules, err);
    for (size_t i = 0; i < rules.count; i++)
        hs_rule_append(text, &(struct hs_rule){.collective = result->collective,
                                               .group = hs_result_group(result),
                                               .from_bytes = rules.rules[i].first_bytes,
                                               .layout = result->layout,
                                               .plan = rules.rules[i].plan});
    if (rules.count > 0 && hs_export_is_for_nccl(job) &&
        (result->collective == HS_COLLECTIVE_REDUCE_SCATTER || result->layout == HS_PACKED))
        append_end(text, result, &rules.rules[rules.count - 1].plan);
    if (rules.count > 0 && !hs_export_is_for_nccl(job)) /* which alone says how they are met */
        append_times(text, result);
    hs_export_rules_release(&rules);
    return status;
}

const struct hs_exporter hs_exporter_rules = {
    .name = "rules",
    .library = "MPI or NCCL",
    .versions = "MPI 3.0, NCCL 2.22 and later",
    .summary = "plans by size, for `hiersearch run` and its interposers",
    .affects = "the blocking calls of this collective on communicators of these ranks",
    .layers = 0,
    .exact = true,
    .chunks = true,
    .letters = HS_EXPORT_LETTERS | HS_EXPORT_TREES,
    .sizes = true,
    .ranged = true,
    .groups = HS_GROUPS_CALLED,
    .also = HS_EXPORT_NATURAL | HS_EXPORT_BY_COPIES | HS_EXPORT_OF(ALLTOALL, NATURAL),
    .write = write_plans,
};
