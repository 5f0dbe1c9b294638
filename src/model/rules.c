#include "model/rules.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/units.h"

/* ---- writing ---- */

/* "allreduce 16:1", "allgather 4:2+2*8" */
static void append_call(struct hs_text *text, enum hs_collective collective,
                        const struct hs_group *group)
{
    hs_text_append(text, " %s %" PRId64 ":%" PRId64, hs_collective_names[collective], group->size,
                   group->stride);
    for (int i = 0; i < HS_SKIPS_MAX && group->skips[i].inside; i++)
        hs_text_append(text, "+%" PRId64 "*%" PRId64, group->skips[i].inside,
                       group->skips[i].factor);
}

void hs_rule_append(struct hs_text *text, const struct hs_rule *rule)
{
    char plan[HS_SPLIT_TEXT];

    hs_text_append(text, "rule");
    append_call(text, rule->collective, &rule->group);
    hs_text_append(text, " %" PRIu64 " %s", rule->from_bytes,
                   rule->plan.split.count ? hs_plan_format(plan, &rule->plan) : HS_RULE_LIBRARY);
    if (rule->plan.split.count > 0 && rule->layout != HS_NATURAL)
        hs_text_append(text, " %s", hs_layout_names[rule->layout]);
    hs_text_append(text, "\n");
}

void hs_rule_time_append(struct hs_text *text, const struct hs_rule_time *time)
{
    hs_text_append(text, "time");
    append_call(text, time->collective, &time->group);
    hs_text_append(text, " %" PRIu64 " %.6g %.6g\n", time->bytes, time->low_seconds,
                   time->high_seconds);
}

void hs_rules_nodes_append(struct hs_text *text, const int64_t *ranks, size_t count)
{
    for (size_t i = 0, alike; i < count; i += alike) {
        for (alike = 1; i + alike < count && ranks[i + alike] == ranks[i];)
            alike++;
        hs_text_append(text, "%s%zux%" PRId64, i ? " " : "nodes ", alike, ranks[i]);
    }
    if (count > 0)
        hs_text_append(text, "\n");
}

/* ---- reading ---- */

/* "16:1", "4:2+2*8" */
static enum hs_status read_group(struct hs_group *group, char *word, int64_t ranks,
                                 struct hs_error *err)
{
    char *skips = word, *size = strsep(&skips, "+"), *stride = size;
    enum hs_status status;

    *group = (struct hs_group){.ranks = ranks};
    strsep(&stride, ":");
    status = hs_count_parse(&group->size, size, "ranks of a group", 1, ranks, err);
    if (status == HS_OK)
        status =
            hs_count_parse(&group->stride, stride ? stride : "", "their distance", 1, ranks, err);
    for (int i = 0; skips && status == HS_OK; i++) {
        char *skip = strsep(&skips, "+"), *factor = skip;

        if (i == HS_SKIPS_MAX)
            return hs_fail(err, HS_INVALID, "more than %d gaps in a group", HS_SKIPS_MAX);
        strsep(&factor, "*");
        status =
            hs_count_parse(&group->skips[i].inside, skip, "ranks inside of a gap", 1, ranks, err);
        if (status == HS_OK)
            status = hs_count_parse(&group->skips[i].factor, factor ? factor : "",
                                    "factor of a gap", 2, ranks, err);
    }
    return status == HS_OK ? hs_group_check(group, err) : status;
}

static bool is_of(const struct hs_rule *rule, enum hs_collective collective,
                  const struct hs_group *group)
{
    return rule->collective == collective && hs_group_equal(&rule->group, group);
}

/* Together, and ascending. */
static enum hs_status check_place(const struct hs_rules *rules, const struct hs_rule *rule,
                                  struct hs_error *err)
{
    const struct hs_rule *last = rules->count > 0 ? &rules->rules[rules->count - 1] : NULL;

    if (last && is_of(last, rule->collective, &rule->group)) {
        if (rule->from_bytes > last->from_bytes)
            return HS_OK;
        return hs_fail(err, HS_INVALID,
                       "%s of groups of %" PRId64 ": expected it once, with sizes that ascend, "
                       "found %" PRIu64 " bytes behind %" PRIu64,
                       hs_collective_names[rule->collective], rule->group.size, rule->from_bytes,
                       last->from_bytes);
    }
    if (hs_rules_know(rules, rule->collective, &rule->group))
        return hs_fail(err, HS_INVALID, "%s of groups of %" PRId64 ": expected it once",
                       hs_collective_names[rule->collective], rule->group.size);
    return HS_OK;
}

/* The word behind a plan, if there is one. */
static enum hs_status read_order(struct hs_rule *rule, const char *word, struct hs_error *err)
{
    size_t order;
    enum hs_status status;

    if (!word)
        return HS_OK;
    status = hs_name_find(&order, word, "layout", hs_layout_names, HS_LAYOUT_COUNT, err);
    rule->layout = status == HS_OK ? (enum hs_layout)order : HS_NATURAL;
    if (status == HS_OK &&
        (rule->layout == HS_REVERSED || !hs_collectives[rule->collective].ordered))
        return hs_fail(err, HS_INVALID, "%s %s: no program's call leaves blocks like this",
                       hs_collective_names[rule->collective], word);
    return status;
}

/* Trees of every layer that goes by some are among the lines before. */
static enum hs_status check_trees(const struct hs_rules *rules, const struct hs_problem *problem,
                                  const struct hs_plan *plan, struct hs_error *err)
{
    struct hs_stage stages[HS_STAGES_MAX];
    int count = hs_problem_stages(stages, problem, plan);
    char text[HS_SPLIT_TEXT];

    for (int s = 0; s < count; s++)
        if (hs_algorithms[stages[s].key.algorithm]->on_links &&
            !hs_forests_find(&rules->forests, stages[s].key))
            return hs_fail(err, HS_INVALID,
                           "plan %s: expected the trees of its layer %d, by which it does the %s",
                           hs_plan_format(text, plan), stages[s].layer + 1,
                           hs_phase_names[stages[s].key.phase]);
    return HS_OK;
}

/* What append_call wrote, and bytes. */
static enum hs_status read_call(enum hs_collective *collective, struct hs_group *group,
                                uint64_t *bytes, char **line, const struct hs_rules *rules,
                                struct hs_error *err)
{
    char *name = hs_word_next(line), *ranks = hs_word_next(line), *size = hs_word_next(line);
    int64_t read = 0;
    enum hs_status status;

    if (!size)
        return hs_fail(err, HS_INVALID, "expected COLLECTIVE GROUP BYTES and more");
    if (rules->ranks == 0)
        return hs_fail(err, HS_INVALID, "expected how many ranks the job has before its rules");
    status = hs_collective_parse(collective, name, err);
    if (status == HS_OK)
        status = read_group(group, ranks, rules->ranks, err);
    if (status == HS_OK)
        status = hs_count_parse(&read, size, "bytes", 0, INT64_MAX, err);
    *bytes = (uint64_t)read;
    return status;
}

static enum hs_status read_time(struct hs_rules *rules, char *line, struct hs_error *err)
{
    struct hs_rule_time time = {.bytes = 0}, *added;
    enum hs_status status =
        read_call(&time.collective, &time.group, &time.bytes, &line, rules, err);
    char *low = hs_word_next(&line), *high = hs_word_next(&line), *low_end, *high_end;

    if (status != HS_OK)
        return status;
    if (!high || hs_word_next(&line))
        return hs_fail(err, HS_INVALID, "expected time COLLECTIVE GROUP BYTES SECONDS SECONDS");
    time.low_seconds = strtod(low, &low_end);
    time.high_seconds = strtod(high, &high_end);
    if (*low_end || *high_end || !(time.low_seconds > 0) ||
        !(time.high_seconds >= time.low_seconds) || !isfinite(time.high_seconds))
        return hs_fail(err, HS_INVALID,
                       "expected the least and the most seconds, found \"%.30s\" and \"%.30s\"",
                       low, high);
    added = hs_grow(&rules->times, NULL, rules->time_count, sizeof(time), err);
    if (!added)
        return HS_MEMORY;
    *added = time;
    rules->time_count++;
    return HS_OK;
}

static enum hs_status read_rule(struct hs_rules *rules, char *line, struct hs_error *err)
{
    struct hs_rule rule = {0}, *added;
    struct hs_problem problem;
    enum hs_status status =
        read_call(&rule.collective, &rule.group, &rule.from_bytes, &line, rules, err);
    char *plan = hs_word_next(&line), *order = hs_word_next(&line);

    if (status == HS_OK && (!plan || hs_word_next(&line)))
        return hs_fail(err, HS_INVALID, "expected rule COLLECTIVE GROUP BYTES PLAN [LAYOUT]");
    if (status == HS_OK)
        status = read_order(&rule, order, err);
    if (status != HS_OK)
        return status;
    if (strcmp(plan, HS_RULE_LIBRARY) != 0) {
        problem = hs_problem_of(rule.collective, rule.layout, rules->ranks, 1);
        problem.group = rule.group;
        status = hs_plan_parse(&rule.plan, plan, rule.group.size, err);
        if (status == HS_OK)
            status = hs_problem_check(&problem, &rule.plan, err);
        if (status == HS_OK)
            status = check_trees(rules, &problem, &rule.plan, err);
    }
    if (status == HS_OK)
        status = check_place(rules, &rule, err);
    if (status != HS_OK)
        return status;
    added = hs_grow(&rules->rules, NULL, rules->count, sizeof(rule), err);
    if (!added)
        return HS_MEMORY;
    *added = rule;
    rules->count++;
    return HS_OK;
}

static enum hs_status read_ranks(struct hs_rules *rules, char *line, struct hs_error *err)
{
    char *word = hs_word_next(&line);
    int64_t ranks;
    enum hs_status status = hs_count_parse(&ranks, word ? word : "", "ranks", 1, HS_NP_MAX, err);

    if (status == HS_OK && rules->ranks > 0 && rules->ranks != ranks)
        return hs_fail(err, HS_INVALID, "results of %" PRId64 " and of %" PRId64 " processes",
                       rules->ranks, ranks);
    if (status == HS_OK)
        rules->ranks = ranks;
    return status;
}

/* All "2x8" of a line: those that were there before, too, or the first. */
static enum hs_status read_nodes(struct hs_rules *rules, char *line, struct hs_error *err)
{
    size_t before = rules->node_count, read = 0;
    char *word;

    for (; (word = hs_word_next(&line)); read++) {
        struct hs_rules_nodes nodes, *added;
        char *ranks = word, *count = strsep(&ranks, "x");
        enum hs_status status = hs_count_parse(&nodes.count, count, "nodes", 1, HS_NP_MAX, err);

        if (status == HS_OK)
            status = hs_count_parse(&nodes.ranks, ranks ? ranks : "", "ranks of a node", 1,
                                    HS_NP_MAX, err);
        if (status != HS_OK)
            return status;
        if (before > 0 &&
            (read >= before || memcmp(&rules->nodes[read], &nodes, sizeof(nodes)) != 0))
            return hs_fail(err, HS_INVALID, "results of jobs whose ranks lay on other nodes");
        if (before > 0)
            continue;
        added = hs_grow(&rules->nodes, NULL, rules->node_count, sizeof(nodes), err);
        if (!added)
            return HS_MEMORY;
        *added = nodes;
        rules->node_count++;
    }
    return read > 0 && read >= before
               ? HS_OK
               : hs_fail(err, HS_INVALID, "expected nodes as COUNTxRANKS, in the order of ranks");
}

static enum hs_status read_line(struct hs_rules *rules, char *line, struct hs_error *err)
{
    char *word;

    line[strcspn(line, "#")] = '\0';
    word = hs_word_next(&line);
    if (!word)
        return HS_OK;
    if (strcmp(word, "rule") == 0)
        return read_rule(rules, line, err);
    if (strcmp(word, "time") == 0)
        return read_time(rules, line, err);
    if (strcmp(word, "ranks") == 0)
        return read_ranks(rules, line, err);
    if (strcmp(word, "nodes") == 0)
        return read_nodes(rules, line, err);
    if (strcmp(word, "trees") == 0)
        return hs_forests_read(&rules->forests, line, err);
    return hs_fail(err, HS_INVALID, "expected ranks, nodes, trees, rule or time, found \"%.60s\"",
                   word);
}

enum hs_status hs_rules_parse(struct hs_rules *rules, const char *text, struct hs_error *err)
{
    char *copy = strdup(text), *rest = copy, *line, place[32];
    enum hs_status status = copy ? HS_OK : hs_no_memory(err);

    *rules = (struct hs_rules){0};
    for (int number = 1; status == HS_OK && (line = strsep(&rest, "\n")); number++) {
        status = read_line(rules, line, err);
        snprintf(place, sizeof(place), "line %d", number);
        if (status != HS_OK)
            status = hs_error_prefix(err, status, place);
    }
    if (status == HS_OK && rules->count == 0)
        status = hs_fail(err, HS_INVALID, "there is no rule");
    free(copy);
    if (status != HS_OK)
        hs_rules_release(rules);
    return status;
}

void hs_rules_release(struct hs_rules *rules)
{
    free(rules->nodes);
    free(rules->rules);
    free(rules->times);
    hs_forests_release(&rules->forests);
    *rules = (struct hs_rules){0};
}

/* ---- asking ---- */

bool hs_rules_fit_nodes(const struct hs_rules *rules, const int64_t *ranks, size_t count)
{
    size_t at = 0;

    if (rules->node_count == 0)
        return true;
    for (size_t i = 0; i < rules->node_count; i++)
        for (int64_t k = 0; k < rules->nodes[i].count; k++, at++)
            if (at >= count || ranks[at] != rules->nodes[i].ranks)
                return false;
    return at == count;
}

static bool has_ranks(const struct hs_group *group, const int *ranks, int64_t size)
{
    if (group->size != size || hs_group_place(group, ranks[0]) != 0)
        return false;
    for (int64_t i = 1; i < size; i++)
        if (hs_group_rank(group, ranks[0], i) != ranks[i])
            return false;
    return true;
}

const struct hs_group *hs_rules_group(const struct hs_rules *rules, const int *ranks, int64_t size)
{
    for (size_t i = 0; i < rules->count; i++)
        if (has_ranks(&rules->rules[i].group, ranks, size))
            return &rules->rules[i].group;
    return NULL;
}

bool hs_rules_know(const struct hs_rules *rules, enum hs_collective collective,
                   const struct hs_group *group)
{
    for (size_t i = 0; rules->rules && i < rules->count; i++)
        if (is_of(&rules->rules[i], collective, group))
            return true;
    return false;
}

const struct hs_rule_time *hs_rules_time(const struct hs_rules *rules,
                                         enum hs_collective collective,
                                         const struct hs_group *group, uint64_t bytes)
{
    for (size_t i = 0; i < rules->time_count; i++) {
        const struct hs_rule_time *time = &rules->times[i];

        if (time->collective == collective && time->bytes == bytes &&
            hs_group_equal(&time->group, group))
            return time;
    }
    return NULL;
}

const struct hs_rule *hs_rules_find(const struct hs_rules *rules, enum hs_collective collective,
                                    const struct hs_group *group, uint64_t bytes)
{
    const struct hs_rule *found = NULL;

    for (size_t i = 0; i < rules->count; i++)
        if (is_of(&rules->rules[i], collective, group) && rules->rules[i].from_bytes <= bytes)
            found = &rules->rules[i];
    return found && found->plan.split.count > 0 ? found : NULL;
}
