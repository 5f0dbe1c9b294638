#include "record/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "library/price_plan.h"
#include "record/result_parts.h"

const char *const hs_measure_status_names[HS_MEASURE_STATUS_COUNT] = {
#define HS_ROW(name, text, meaning) [HS_MEASURE_##name] = (text),
    HS_MEASURE_STATUSES(HS_ROW)
#undef HS_ROW
};

/* A new element at the end of a list, its times NaN; NULL when out of memory. */
static void *add(void *list, size_t *count, const struct hs_fields *fields)
{
    void *element = hs_grow(list, NULL, *count, fields->size, NULL);

    if (element) {
        hs_fields_init(fields, element);
        ++*count;
    }
    return element;
}

struct hs_result_message *hs_result_add_message(struct hs_result *result)
{
    return add(&result->messages, &result->message_count, &hs_message_fields);
}

struct hs_result_topology *hs_result_add_topology(struct hs_result *result)
{
    return add(&result->topology, &result->topology_count, &hs_topology_fields);
}

struct hs_candidate *hs_result_add_candidate(struct hs_result_message *message)
{
    return add(&message->candidates, &message->candidate_count, &hs_candidate_fields);
}

const struct hs_candidate *hs_result_candidate(const struct hs_result_message *message,
                                               const struct hs_plan *plan)
{
    for (size_t i = 0; i < message->candidate_count; i++)
        if (hs_plan_compare(&message->candidates[i].plan, plan) == 0)
            return &message->candidates[i];
    return NULL;
}

enum hs_status hs_result_add_prediction(struct hs_result_message *message,
                                        const struct hs_system *system,
                                        const struct hs_problem *problem,
                                        const struct hs_plan *plan, struct hs_error *err)
{
    struct hs_candidate *candidate = hs_result_add_candidate(message);

    if (!candidate)
        return hs_no_memory(err);
    candidate->plan = *plan;
    if (!hs_plan_is_priced(system, plan))
        return HS_OK;
    candidate->cost = malloc(sizeof(*candidate->cost));
    if (!candidate->cost)
        return hs_no_memory(err);
    *candidate->cost = hs_plan_cost(system, problem, plan);
    candidate->predicted_seconds = candidate->cost->seconds;
    candidate->extrapolated = candidate->cost->extrapolated;
    return HS_OK;
}

struct hs_measured *hs_candidate_add_measured(struct hs_candidate *candidate)
{
    struct hs_measured *measured = calloc(1, sizeof(*measured));

    if (!measured)
        return NULL;
    hs_fields_init(&hs_measured_fields, measured);
    if (candidate->measured)
        hs_fields_release(&hs_measured_fields, candidate->measured);
    free(candidate->measured);
    candidate->measured = measured;
    return measured;
}

struct hs_baseline_result *hs_result_add_baseline(struct hs_result_message *message,
                                                  const char *name, bool forced)
{
    char *copy = hs_strdup(name);
    struct hs_baseline_result *baseline =
        !copy    ? NULL
        : forced ? add(&message->algorithms, &message->algorithm_count, &hs_baseline_fields)
                 : add(&message->baselines, &message->baseline_count, &hs_baseline_fields);

    if (baseline)
        baseline->name = copy;
    else
        free(copy);
    return baseline;
}

struct hs_pruned *hs_result_add_pruned(struct hs_result_message *message, const char *rule,
                                       uint64_t splits)
{
    char *copy = hs_strdup(rule);
    struct hs_pruned *pruned =
        copy ? add(&message->pruned, &message->pruned_count, &hs_pruned_fields) : NULL;

    if (pruned)
        *pruned = (struct hs_pruned){copy, splits};
    else
        free(copy);
    return pruned;
}

enum hs_status hs_result_set_version(struct hs_result *result, const char *name, const char *text,
                                     struct hs_error *err)
{
    struct hs_fact new = {hs_strdup(name), hs_strdup(text)}, *fact = NULL;

    for (size_t i = 0; i < result->version_count && !fact; i++)
        if (strcmp(result->versions[i].name, name) == 0)
            fact = &result->versions[i];
    if (!fact && new.name &&new.text)
        fact = hs_grow(&result->versions, NULL, result->version_count, sizeof(*fact), err);
    if (!new.name || !new.text || !fact) {
        free(new.name);
        free(new.text);
        return hs_no_memory(err);
    }
    result->version_count += fact == &result->versions[result->version_count];
    free(fact->name);
    free(fact->text);
    *fact = new;
    return HS_OK;
}

void hs_measured_append_choices(struct hs_text *out, const struct hs_measured *measured)
{
    for (size_t i = 0; measured && i < measured->choice_count; i++)
        hs_text_append(out, "%s%s %s", i > 0 ? ", " : "", measured->choices[i].name,
                       measured->choices[i].text);
}

static int compare_facts(const void *a, const void *b)
{
    return strcmp(((const struct hs_fact *)a)->name, ((const struct hs_fact *)b)->name);
}

enum hs_status hs_result_set_environment(struct hs_result *result, char *const *variables,
                                         const char *prefix, struct hs_error *err)
{
    for (; *variables; variables++) {
        const char *equals = strchr(*variables, '=');
        struct hs_fact *fact;

        if (strncmp(*variables, prefix, strlen(prefix)) != 0 || !equals)
            continue;
        fact = hs_grow(&result->environment, NULL, result->environment_count, sizeof(*fact), err);
        if (!fact)
            return HS_MEMORY;
        result->environment_count++;
        fact->name = strndup(*variables, (size_t)(equals - *variables));
        fact->text = hs_strdup(equals + 1);
        if (!fact->name || !fact->text)
            return hs_no_memory(err);
    }
    if (result->environment_count > 0)
        qsort(result->environment, result->environment_count, sizeof(*result->environment),
              compare_facts);
    return HS_OK;
}

/* ---- ranking ---- */

/* Classes of candidates, best first. */
enum standing { MEASURED, PREDICTED, UNKNOWN, UNUSABLE };

static enum standing standing_of(const struct hs_candidate *candidate)
{
    const struct hs_measured *measured = candidate->measured;

    if (measured) {
        switch (measured->status) {
        case HS_MEASURE_OK:
            if (!isnan(measured->median_seconds))
                return MEASURED;
            break;
        case HS_MEASURE_SKIPPED:
            break;
        case HS_MEASURE_WRONG:
        case HS_MEASURE_TIMEOUT:
        case HS_MEASURE_FAILED:
        case HS_MEASURE_STATUS_COUNT:
            return UNUSABLE;
        }
    }
    return isnan(candidate->predicted_seconds) ? UNKNOWN : PREDICTED;
}

struct hs_problem hs_result_asks(const struct hs_result *result, double bytes)
{
    return (struct hs_problem){.collective = result->collective,
                               .group = hs_result_group(result),
                               .bytes = bytes,
                               .layout = result->layout};
}

struct hs_group hs_result_group(const struct hs_result *result)
{
    return hs_mesh_group(&result->mesh, result->np);
}

struct hs_plan hs_result_flat(const struct hs_result *result)
{
    struct hs_problem problem = hs_result_asks(result, 1);

    return hs_problem_flat(&problem);
}

bool hs_result_is_alike(const struct hs_result *a, const struct hs_result *b)
{
    bool ordered = hs_collectives[a->collective].ordered;

    return a->collective == b->collective && (!ordered || a->layout == b->layout) &&
           hs_mesh_equal(&a->mesh, &b->mesh);
}

struct hs_problem hs_result_problem(const struct hs_result *result,
                                    const struct hs_result_message *message)
{
    return hs_result_asks(result, (double)message->message_bytes);
}

bool hs_measured_is_ok(const struct hs_measured *measured)
{
    return measured && measured->status == HS_MEASURE_OK && !isnan(measured->median_seconds);
}

double hs_measured_layer_seconds(const struct hs_measured *measured, struct hs_layer layer)
{
    double seconds = NAN;

    for (size_t i = 0; i < measured->stage_count; i++)
        if (hs_layer_equal(measured->stages[i].key.layer, layer))
            seconds = (isnan(seconds) ? 0 : seconds) + measured->stages[i].seconds;
    return seconds;
}

double hs_measured_stages_seconds(const struct hs_measured *measured)
{
    double seconds = measured->stage_count > 0 ? 0 : NAN;

    for (size_t i = 0; i < measured->stage_count; i++)
        seconds += measured->stages[i].seconds;
    return seconds;
}

double hs_candidate_seconds(const struct hs_candidate *candidate)
{
    return standing_of(candidate) == MEASURED ? candidate->measured->median_seconds
                                              : candidate->predicted_seconds;
}

/* Times in ascending order, NaN after all others. */
static int compare_seconds(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int compare_candidates(const void *left, const void *right)
{
    const struct hs_candidate *a = left, *b = right;
    int order = (int)standing_of(a) - (int)standing_of(b);

    if (order == 0)
        order = compare_seconds(hs_candidate_seconds(a), hs_candidate_seconds(b));
    return order ? order : hs_plan_compare(&a->plan, &b->plan);
}

static int compare_messages(const void *left, const void *right)
{
    const struct hs_result_message *a = left, *b = right;

    return (a->message_bytes > b->message_bytes) - (a->message_bytes < b->message_bytes);
}

void hs_result_sort(struct hs_result *result)
{
    if (result->message_count > 1)
        qsort(result->messages, result->message_count, sizeof(*result->messages), compare_messages);
}

enum hs_status hs_result_rank(struct hs_result_message *message, struct hs_error *err)
{
    memset(&message->best, 0, sizeof(message->best));
    if (message->candidate_count > 0)
        qsort(message->candidates, message->candidate_count, sizeof(*message->candidates),
              compare_candidates);
    if (message->candidate_count == 0 || standing_of(&message->candidates[0]) > PREDICTED)
        return hs_fail(err, HS_FAILED,
                       "no usable candidate for %llu bytes: none of %zu was measured without "
                       "fault or predicted",
                       (unsigned long long)message->message_bytes, message->candidate_count);
    message->best = message->candidates[0].plan;
    return HS_OK;
}
