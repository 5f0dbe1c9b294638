#include "export/size_rules.h"
#include "library/price_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whole bytes, rounded up: at the crossing itself the larger messages' plan is no slower. */
static uint64_t whole_bytes(double bytes)
{
    return (uint64_t)ceil(bytes);
}

uint64_t hs_export_first_bytes(const struct hs_export_job *job, size_t message,
                               const struct hs_plan *plan)
{
    uint64_t bytes = job->result->messages[message].message_bytes;
    struct hs_problem problem = hs_result_problem(job->result, &job->result->messages[message]);
    struct hs_plan_cost cost;
    double balance;

    if (!job->result->has_system)
        return bytes;
    cost = hs_plan_cost(&job->result->system, &problem, plan);
    balance = (double)bytes * (cost.latency_seconds + cost.launch_seconds) / cost.bandwidth_seconds;
    return balance < (double)bytes ? whole_bytes(balance) : bytes;
}

/* The message's plan goes on with the last rule, whose cost is the worst of its messages. */
static void join(struct hs_export_rule *last, const struct hs_export_rule *rule)
{
    if (!(rule->cost > last->cost))
        return;
    last->cost = rule->cost;
    last->wanted = rule->wanted;
    last->message = rule->message;
}

/* Where a rule begins. Between a plan and a call of the library's own that was not measured faster,
 * but stands there for want of certainty, the plan has the sizes alone that it was measured for. */
static double begin_of(struct hs_export_rule *next, const struct hs_export_rule *last,
                       const struct hs_export_job *job, size_t latest)
{
    const struct hs_result_message *messages = job->result->messages;
    bool before =
        last->plan.split.count == 0 && !(hs_export_library_gain(job, latest, &last->wanted) > 1);
    bool behind = next->plan.split.count == 0 &&
                  !(hs_export_library_gain(job, next->message, &next->wanted) > 1);

    if (before)
        return (double)messages[next->message].message_bytes;
    if (behind)
        return (double)messages[latest].message_bytes + 1;
    return hs_export_cross(job, latest, &last->plan, &next->plan, &next->guessed);
}

/* `latest` is the message before, of the last rule. */
static void add(struct hs_export_rules *rules, const struct hs_export_job *job,
                const struct hs_export_rule *rule, size_t latest)
{
    struct hs_export_rule *last = rules->count > 0 ? &rules->rules[rules->count - 1] : NULL;
    struct hs_export_rule *next = &rules->rules[rules->count];

    if (last && hs_plan_compare(&last->plan, &rule->plan) == 0) {
        join(last, rule);
        return;
    }
    *next = *rule;
    next->end_bytes = UINT64_MAX;
    if (last)
        next->first_bytes = whole_bytes(begin_of(next, last, job, latest));
    else if (rule->plan.split.count > 0)
        next->first_bytes = hs_export_first_bytes(job, rule->message, &rule->plan);
    if (last && next->first_bytes <= last->first_bytes) {
        *last = *next; /* nothing is left of it */
        return;
    }
    if (last)
        last->end_bytes = next->first_bytes;
    rules->count++;
}

/* Small messages are the library's own. */
static void add_small(struct hs_export_rules *rules)
{
    struct hs_export_rule small = {.plan = hs_export_library_call, .cost = NAN};

    if (rules->rules[0].first_bytes == 0)
        return;
    small.end_bytes = rules->rules[0].first_bytes;
    memmove(&rules->rules[1], &rules->rules[0], rules->count * sizeof(*rules->rules));
    rules->rules[0] = small;
    rules->count++;
}

/* Calls that a profile counts together differ by less than a factor of two: by powers of two. */
static bool is_called(const struct hs_export_rule *rule, const struct hs_profile_load *called)
{
    for (size_t i = 0; i < called->size_count; i++) {
        uint64_t first = hs_profile_class((double)called->sizes[i].bytes);

        if (rule->first_bytes < 2 * first && rule->end_bytes > first)
            return true;
    }
    return false;
}

/* Rules of no size that the job calls are the library's default; neighbours of it are joined. */
static void leave_uncalled(struct hs_export_rules *rules, const struct hs_export_job *job)
{
    size_t kept = 0;

    for (size_t i = 0; i < rules->count; i++) {
        struct hs_export_rule rule = rules->rules[i];

        if (rule.plan.split.count > 0 && !is_called(&rule, job->called)) {
            rule.plan = hs_export_library_call;
            rule.wanted = rule.plan;
        }
        if (kept > 0 && rule.plan.split.count == 0 && rules->rules[kept - 1].plan.split.count == 0)
            rules->rules[kept - 1].end_bytes = rule.end_bytes;
        else
            rules->rules[kept++] = rule;
    }
    rules->count = kept;
}

enum hs_status hs_export_rules_make(struct hs_export_rules *rules, const struct hs_export_job *job,
                                    enum hs_status (*choose)(struct hs_plan *plan, double *cost,
                                                             const struct hs_export_job *job,
                                                             size_t message, struct hs_error *err),
                                    struct hs_error *err)
{
    size_t count = job->plan ? 1 : job->result->message_count;
    enum hs_status status = HS_OK;

    *rules = (struct hs_export_rules){calloc(count + 1, sizeof(*rules->rules)), 0};
    if (!rules->rules)
        return hs_no_memory(err);
    for (size_t message = 0; message < count && status == HS_OK; message++) {
        struct hs_export_rule rule = {.wanted = *hs_export_wanted(job, message),
                                      .message = message};

        status = choose(&rule.plan, &rule.cost, job, message, err);
        if (status != HS_OK)
            break;
        hs_export_leave_alone(&rule, job);
        hs_export_keep_letters(&rule.plan, job->letters);
        add(rules, job, &rule, message - 1);
    }
    if (status == HS_OK)
        add_small(rules);
    else
        hs_export_rules_release(rules);
    if (job->called)
        leave_uncalled(rules, job);
    return status;
}

void hs_export_rules_release(struct hs_export_rules *rules)
{
    free(rules->rules);
    memset(rules, 0, sizeof(*rules));
}

/* hs_export has said it of the job's message. */
static void say_chunks(struct hs_export_output *out, const struct hs_export_job *job,
                       const struct hs_exporter *exporter)
{
    size_t more = 0;

    for (size_t i = 0; i < job->result->message_count && !job->plan; i++)
        more += i != job->message && job->result->messages[i].best.chunks > 1;
    if (more > 0)
        hs_export_note(out, "%s has no chunks: nor are they exported for %zu other size%s",
                       exporter->name, more, more > 1 ? "s" : "");
}

static void say_guess(struct hs_export_output *out, const struct hs_exporter *exporter,
                      const struct hs_export_rule *rule, const char *plan)
{
    hs_export_note(out,
                   "%s: that %s begins at %" PRIu64 " bytes is a guess: neither measurements nor a "
                   "system say where it overtakes",
                   exporter->name, plan, rule->first_bytes);
}

void hs_export_rules_say(const struct hs_export_rules *rules, struct hs_export_output *out,
                         struct hs_text *text, const struct hs_export_job *job,
                         const struct hs_exporter *exporter)
{
    say_chunks(out, job, exporter);
    for (size_t i = 0; i < rules->count; i++) {
        const struct hs_export_rule *rule = &rules->rules[i];
        char plan[HS_SPLIT_TEXT] = "the library's default call";

        if (rule->plan.split.count > 0)
            hs_plan_format(plan, &rule->plan);
        hs_text_append(text, "# from %" PRIu64 " bytes: %s%s\n", rule->first_bytes, plan,
                       rule->guessed ? " (guessed)" : "");
        if (rule->wanted.split.count > 0)
            hs_export_say_replaced(out, text, exporter, job, rule);
        if (rule->guessed)
            say_guess(out, exporter, rule, plan);
    }
}
