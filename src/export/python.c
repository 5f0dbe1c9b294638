#include "export/python.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "export/size_rules.h"

#define CONSTANTS_LINE "@CONSTANTS@\n"
#define MUCH           2.0 /* gain that another library's latency does not undo */

/* Bytes from which a plan pays more for bandwidth than for latency, by the line through its times
 * for this message and another; NaN where there is no such line. */
static double balance_bytes(const struct hs_export_job *job, size_t message,
                            const struct hs_plan *plan)
{
    const struct hs_result_message *here = &job->result->messages[message];
    double seconds = hs_export_measured(here, plan), balance = NAN;

    for (size_t i = job->result->message_count; i-- > 0;) {
        const struct hs_result_message *other = &job->result->messages[i];
        double bytes = (double)other->message_bytes - (double)here->message_bytes;
        double slope = (hs_export_measured(other, plan) - seconds) / bytes;

        if (i != message && slope > 0)
            balance = seconds / slope - (double)here->message_bytes;
    }
    return balance;
}

/* Whether times over MPI say that a split is faster where the program's library is another, such as
 * gloo, whose own call was not measured: not where the split is not told apart from the flat one,
 * and of short messages, which are all latency, only where it gains much. */
static bool holds_elsewhere(const struct hs_export_job *job, size_t message,
                            const struct hs_plan *plan)
{
    const struct hs_result_message *at = &job->result->messages[message];
    struct hs_plan flat = hs_result_flat(job->result);
    double gain = hs_export_measured(at, &flat) / hs_export_measured(at, plan);
    const char *backend = job->result->backend;

    if (!backend || strncmp(backend, "nccl", 4) == 0 || hs_plan_compare(plan, &flat) == 0 ||
        isnan(gain))
        return true;
    if (!hs_export_told_apart(at, plan, &flat))
        return false;
    return gain >= MUCH || !((double)at->message_bytes < balance_bytes(job, message, plan));
}

/* The plan as it is: a module has layers and chunks as they come. */
static enum hs_status choose_best(struct hs_plan *plan, double *cost,
                                  const struct hs_export_job *job, size_t message,
                                  struct hs_error *err)
{
    *plan = *hs_export_wanted(job, message);
    *cost = 1;
    if (!job->plan && plan->split.count > 0 && !holds_elsewhere(job, message, plan))
        *plan = hs_export_library_call;
    return plan->chunks > 0 ? HS_OK : hs_export_fail_unplanned(job, message, err);
}

/* "(4, 8, 2)" or, outermost first, "(2, 8, 4)"; a single size is "(4,)". */
static void append_sizes(struct hs_text *text, const struct hs_split *split, bool outermost_first)
{
    hs_text_append(text, "(");
    for (int i = 0; i < split->count; i++) {
        int layer = outermost_first ? split->count - 1 - i : i;

        hs_text_append(text, "%s%" PRId64, i > 0 ? ", " : "", split->sizes[layer]);
    }
    hs_text_append(text, split->count == 1 ? ",)" : ")");
}

/* To a module the library's default call is the flat split in one chunk. */
static void name_own(struct hs_export_rules *rules, int64_t np)
{
    size_t kept = 0;

    for (size_t i = 0; i < rules->count; i++) {
        struct hs_export_rule *rule = &rules->rules[i];

        if (rule->plan.split.count == 0)
            rule->plan = hs_plan_flat(np);
        if (kept > 0 && hs_plan_compare(&rules->rules[kept - 1].plan, &rule->plan) == 0)
            rules->rules[kept - 1].end_bytes = rule->end_bytes;
        else
            rules->rules[kept++] = *rule;
    }
    rules->count = kept;
}

/* How the innermost layer, which alone can go by trees, goes out or comes back. What goes one way
 * has the algorithm that it goes by for the mirrored collective, too. */
static enum hs_algorithm trees_of(const struct hs_export_job *job, const struct hs_plan *plan,
                                  int way)
{
    return hs_plan_algorithm(plan, 0, hs_collective_is_one_way(job->result->collective) ? 0 : way);
}

static char letter_of(const struct hs_export_job *job, const struct hs_plan *plan, int way)
{
    enum hs_algorithm algorithm = trees_of(job, plan, way);

    return (char)(hs_algorithms[algorithm]->on_links ? hs_algorithm_letters[algorithm] : '-');
}

static void append_rule(struct hs_text *text, struct hs_export_output *out,
                        const struct hs_export_job *job, const struct hs_export_rule *rule,
                        const struct hs_export_rule *next)
{
    bool guessed = next && next->guessed;

    assert(rule);
    hs_text_append(text, "    Rule(");
    if (next)
        hs_text_append(text, "%" PRIu64 ", ", rule->end_bytes - 1);
    else
        hs_text_append(text, "None, ");
    append_sizes(text, &rule->plan.split, false);
    hs_text_append(text, ", %d", rule->plan.chunks);
    if (hs_plan_has_letters(&rule->plan))
        hs_text_append(text, ", \"%c%c\"", letter_of(job, &rule->plan, 0),
                       letter_of(job, &rule->plan, 1));
    hs_text_append(text, "),");
    if (hs_plan_is_flat(&rule->plan))
        hs_text_append(text, "  # one call of the library");
    if (guessed) {
        hs_text_append(text, "  # where it ends is guessed: the times do not tell");
        hs_export_note(out,
                       "%s: the size up to which a plan is used, %" PRIu64
                       " bytes, is the geometric mean of two sizes of the result: the times do "
                       "not tell",
                       job->result_name, rule->end_bytes - 1);
    }
    hs_text_append(text, "\n");
}

static int most_chunks(const struct hs_export_rules *rules)
{
    int most = 1;

    for (size_t i = 0; i < rules->count; i++)
        if (rules->rules[i].plan.chunks > most)
            most = rules->rules[i].plan.chunks;
    return most;
}

/* Only where it was measured: what a machine's description calls a node is a guess. */
static void append_node_ranks(struct hs_text *text, const struct hs_result *result)
{
    bool measured = false;
    int64_t ranks = hs_export_node_ranks(result, &measured);

    hs_text_append(text, "# Processes on each node where it was measured; None: not known.\n"
                         "RANKS_PER_NODE: Optional[int] = ");
    if (measured && ranks > 0)
        hs_text_append(text, "%" PRId64 "\n", ranks);
    else
        hs_text_append(text, "None\n");
}

static void append_mesh(struct hs_text *text, const struct hs_mesh *mesh)
{
    hs_text_append(text, "# The axes of the job's ranks, innermost first, and those that the NP "
                         "lie along; none: they are all.\n"
                         "MESH: tuple[tuple[str, int], ...] = (");
    for (int i = 0; i < mesh->count; i++)
        hs_text_append(text, "%s(\"%s\", %" PRId64 ")%s", i > 0 ? " " : "", mesh->axes[i].name,
                       mesh->axes[i].size, i + 1 < mesh->count || i == 0 ? "," : "");
    hs_text_append(text, ")\nOVER: tuple[str, ...] = (");
    for (int i = 0; i < mesh->count; i++)
        if (mesh->over >> i & 1)
            hs_text_append(text, "\"%s\", ", mesh->axes[i].name);
    if (mesh->over)
        text->length = text->length > 0 ? text->length - 1 : 0; /* the blank */
    hs_text_append(text, ")\n");
}

/* ---- trees ---- */

static void append_ranks(struct hs_text *text, const int *ranks, int count)
{
    hs_text_append(text, ", (");
    for (int i = 0; i < count; i++)
        hs_text_append(text, "%s%d", i > 0 ? ", " : "", ranks[i]);
    hs_text_append(text, ")");
}

/* The packed trees of a phase by an algorithm. */
static enum hs_status append_forest(struct hs_text *text, struct hs_export_output *out,
                                    const struct hs_export_job *job, struct hs_stage_key key,
                                    struct hs_error *err)
{
    struct hs_packing packing;
    enum hs_status status = hs_export_pack(&packing, out, job, key, err);

    if (status != HS_OK)
        return status;
    hs_text_append(text, "    \"%s %c\": (\n", hs_phase_names[key.phase],
                   hs_algorithm_letters[key.algorithm]);
    for (size_t i = 0; i < packing.count; i++) {
        const struct hs_tree *tree = &packing.trees[i];

        hs_text_append(text, "        Tree(%d, %.12g", tree->root, tree->share);
        append_ranks(text, tree->up, key.phase == HS_ALLGATHER ? 0 : packing.units);
        append_ranks(text, tree->down, key.phase == HS_REDUCE_SCATTER ? 0 : packing.units);
        hs_text_append(text, "),\n");
    }
    hs_text_append(text, "    ),\n");
    hs_packing_release(&packing);
    return HS_OK;
}

/* Whether a rule's innermost layer has the phase by the algorithm. */
static bool has_phase(const struct hs_export_job *job, const struct hs_plan *plan,
                      enum hs_phase phase, enum hs_algorithm algorithm)
{
    enum hs_algorithm out = trees_of(job, plan, 0), back = trees_of(job, plan, 1);
    bool whole =
        !hs_collective_is_one_way(job->result->collective) && plan->split.count == 1 && out == back;

    if (whole || phase == HS_ALLREDUCE)
        return whole && phase == HS_ALLREDUCE && out == algorithm;
    return (phase == HS_ALLGATHER ? back : out) == algorithm;
}

/* Of a module that can go by trees: those of all of its rules. */
static enum hs_status append_forests(struct hs_text *text, struct hs_export_output *out,
                                     const struct hs_export_job *job,
                                     const struct hs_export_rules *rules, struct hs_error *err)
{
    enum hs_status status = HS_OK;
    size_t begin;

    hs_text_append(text, "# Trees of the innermost layer by phase and letter; of one root, shares "
                         "are of its block.\n"
                         "FORESTS: dict[str, tuple[Tree, ...]] = {\n");
    begin = text->length;
    for (int i = 0; i < (HS_ALLREDUCE + 1) * HS_ALGORITHM_COUNT && status == HS_OK; i++) {
        enum hs_phase phase = (enum hs_phase)(i / HS_ALGORITHM_COUNT);
        enum hs_algorithm algorithm = (enum hs_algorithm)(i % HS_ALGORITHM_COUNT);
        bool any = false;

        for (size_t r = 0; r < rules->count && hs_algorithms[algorithm]->on_links; r++)
            any = any || has_phase(job, &rules->rules[r].plan, phase, algorithm);
        if (any)
            status = append_forest(
                text, out, job, (struct hs_stage_key){.phase = phase, .algorithm = algorithm}, err);
    }
    if (text->length == begin && begin > 0)
        text->length = begin - 1; /* the line's end */
    hs_text_append(text, "}\n");
    return status;
}

static void append_constants(struct hs_text *text, struct hs_export_output *out,
                             const struct hs_export_job *job, const struct hs_export_rules *rules)
{
    const struct hs_split *split = &rules->rules[rules->count - 1].plan.split;

    hs_text_append(text, "NP = %" PRId64 "  # processes that call together\n",
                   hs_result_group(job->result).size);
    append_mesh(text, &job->result->mesh);
    hs_text_append(text, "COLLECTIVE = \"%s\"  # that RULES are for\n",
                   hs_collective_names[job->result->collective]);
    if (hs_collectives[job->result->collective].ordered)
        hs_text_append(text, "LAYOUT = \"%s\"\n", hs_layout_names[job->result->layout]);
    else
        hs_text_append(text, "LAYOUT = \"in-place\"\n");
    hs_text_append(text, "# Ascending, the last one for everything larger.\n"
                         "RULES: tuple[Rule, ...] = (\n");
    for (size_t i = 0; i < rules->count; i++)
        append_rule(text, out, job, &rules->rules[i],
                    i + 1 < rules->count ? &rules->rules[i + 1] : NULL);
    hs_text_append(text,
                   ")\n"
                   "# Of the last rule: layer sizes, innermost first, and the same as a shape\n"
                   "# in which the last dimension varies fastest, so innermost last.\n"
                   "SPLIT = ");
    append_sizes(text, split, false);
    hs_text_append(text, "\nMESH_SHAPE = ");
    append_sizes(text, split, true);
    hs_text_append(text, "\nMOST_CHUNKS = %d\n", most_chunks(rules));
    append_node_ranks(text, job->result);
}

enum hs_status hs_python_write(struct hs_export_output *out, const struct hs_export_job *job,
                               const struct hs_python_module *module, struct hs_error *err)
{
    const char *constants = strstr(module->body, CONSTANTS_LINE);
    struct hs_export_rules rules;
    enum hs_status status = hs_export_rules_make(&rules, job, choose_best, err);
    struct hs_text *text;

    assert(constants);
    if (status != HS_OK)
        return status;
    assert(rules.rules && rules.count > 0);
    name_own(&rules, hs_result_group(job->result).size);
    text = hs_export_add_file(out, module->file_name);
    hs_export_header(text, job, module->exporter, &hs_export_comment_hash, module->use);
    hs_text_append_bytes(text, module->body, (size_t)(constants - module->body));
    append_constants(text, out, job, &rules);
    if (job->letters)
        status = append_forests(text, out, job, &rules, err);
    hs_text_append(text, "%s", constants + strlen(CONSTANTS_LINE));
    hs_export_rules_release(&rules);
    return status;
}
