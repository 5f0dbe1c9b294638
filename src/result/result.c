#include "result/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const hs_measure_status_names[HS_MEASURE_STATUS_COUNT] = {
#define HS_ROW(name, text, meaning) [HS_MEASURE_##name] = (text),
    HS_MEASURE_STATUSES(HS_ROW)
#undef HS_ROW
};

/*
 * Room for one more element at the end of a list, zeroed; NULL when out of memory, the list is then
 * as it was.
 *
 * The lists carry no capacity. Asking for the same power of two again costs the allocator nothing,
 * and is right wherever the list came from: the reader makes lists of exactly the length it needs.
 */
static void *grow(void **list, size_t count, size_t element_bytes)
{
    size_t capacity = 1;
    void *grown;

    while (capacity <= count && capacity <= SIZE_MAX / 2 / element_bytes)
        capacity *= 2;
    if (capacity <= count)
        return NULL;
    grown = realloc(*list, capacity * element_bytes);
    if (!grown)
        return NULL;
    *list = grown;
    return memset((char *)grown + count * element_bytes, 0, element_bytes);
}

static void measured_init(struct hs_measured *measured)
{
    memset(measured, 0, sizeof(*measured));
    measured->median_seconds = NAN;
    measured->ci95_low_seconds = measured->ci95_high_seconds = NAN;
    measured->device_median_seconds = NAN;
}

struct hs_result_message *hs_result_add_message(struct hs_result *result)
{
    void *list = result->messages;
    struct hs_result_message *message = grow(&list, result->message_count, sizeof(*message));

    result->messages = list;
    if (!message)
        return NULL;
    message->flat_seconds = NAN;
    result->message_count++;
    return message;
}

struct hs_result_topology *hs_result_add_topology(struct hs_result *result)
{
    void *list = result->topology;
    struct hs_result_topology *kind = grow(&list, result->topology_count, sizeof(*kind));

    result->topology = list;
    result->topology_count += kind != NULL;
    return kind;
}

struct hs_candidate *hs_result_add_candidate(struct hs_result_message *message)
{
    void *list = message->candidates;
    struct hs_candidate *candidate = grow(&list, message->candidate_count, sizeof(*candidate));

    message->candidates = list;
    if (!candidate)
        return NULL;
    candidate->predicted_seconds = NAN;
    message->candidate_count++;
    return candidate;
}

enum hs_status hs_result_add_prediction(struct hs_result_message *message,
                                        const struct hs_system *system,
                                        const struct hs_problem *problem,
                                        const struct hs_plan *plan, struct hs_error *err)
{
    struct hs_candidate *candidate = hs_result_add_candidate(message);

    if (candidate)
        candidate->cost = malloc(sizeof(*candidate->cost));
    if (!candidate || !candidate->cost)
        return hs_fail(err, HS_MEMORY, "out of memory");
    *candidate->cost = hs_plan_cost(system, problem, plan);
    candidate->plan = *plan;
    candidate->predicted_seconds = candidate->cost->seconds;
    candidate->extrapolated = candidate->cost->extrapolated;
    return HS_OK;
}

struct hs_measured *hs_candidate_add_measured(struct hs_candidate *candidate)
{
    struct hs_measured *measured = malloc(sizeof(*measured));

    if (!measured)
        return NULL;
    measured_init(measured);
    hs_measured_release(candidate->measured);
    free(candidate->measured);
    candidate->measured = measured;
    return measured;
}

struct hs_baseline_result *hs_result_add_baseline(struct hs_result_message *message,
                                                  const char *name)
{
    char *copy = hs_strdup(name);
    void *list = message->baselines;
    struct hs_baseline_result *baseline =
        copy ? grow(&list, message->baseline_count, sizeof(*baseline)) : NULL;

    message->baselines = list;
    if (!baseline) {
        free(copy);
        return NULL;
    }
    baseline->name = copy;
    measured_init(&baseline->measured);
    message->baseline_count++;
    return baseline;
}

struct hs_pruned *hs_result_add_pruned(struct hs_result_message *message, const char *rule,
                                       uint64_t splits)
{
    char *copy = hs_strdup(rule);
    void *list = message->pruned;
    struct hs_pruned *pruned = copy ? grow(&list, message->pruned_count, sizeof(*pruned)) : NULL;

    message->pruned = list;
    if (!pruned) {
        free(copy);
        return NULL;
    }
    pruned->rule = copy;
    pruned->splits = splits;
    message->pruned_count++;
    return pruned;
}

/* The fact of that name, which is added (without a text) where there is none; NULL when out of
 * memory. */
static struct hs_fact *find_or_add_fact(struct hs_result *result, const char *name)
{
    void *list = result->versions;
    struct hs_fact *fact;
    char *copy;

    for (size_t i = 0; i < result->version_count; i++)
        if (strcmp(result->versions[i].name, name) == 0)
            return &result->versions[i];
    copy = hs_strdup(name);
    fact = copy ? grow(&list, result->version_count, sizeof(*fact)) : NULL;
    result->versions = list;
    if (!fact) {
        free(copy);
        return NULL;
    }
    fact->name = copy;
    result->version_count++;
    return fact;
}

enum hs_status hs_result_set_version(struct hs_result *result, const char *name, const char *text,
                                     struct hs_error *err)
{
    char *copy = hs_strdup(text);
    struct hs_fact *fact = copy ? find_or_add_fact(result, name) : NULL;

    if (!fact) {
        free(copy);
        return hs_fail(err, HS_MEMORY, "out of memory");
    }
    free(fact->text);
    fact->text = copy;
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

struct hs_problem hs_result_problem(const struct hs_result *result,
                                    const struct hs_result_message *message)
{
    return hs_problem_world(result->np, (double)message->message_bytes);
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

/* ---- lifetime ---- */

void hs_measured_release(struct hs_measured *measured)
{
    if (!measured)
        return;
    free(measured->reason);
    free(measured->samples_seconds);
    free(measured->reduce_scatter_seconds);
    free(measured->allgather_seconds);
    measured_init(measured);
}

static void release_message(struct hs_result_message *message)
{
    for (size_t i = 0; i < message->pruned_count; i++)
        free(message->pruned[i].rule);
    for (size_t i = 0; i < message->baseline_count; i++) {
        free(message->baselines[i].name);
        hs_measured_release(&message->baselines[i].measured);
    }
    for (size_t i = 0; i < message->candidate_count; i++) {
        hs_measured_release(message->candidates[i].measured);
        free(message->candidates[i].measured);
        free(message->candidates[i].cost);
    }
    if (message->certificate)
        hs_certificate_release(message->certificate);
    free(message->certificate);
    free(message->strategy);
    free(message->pruned);
    free(message->baselines);
    free(message->candidates);
}

static void release_placement(struct hs_placement *placement)
{
    for (size_t i = 0; placement->hosts && i < placement->node_count; i++)
        free(placement->hosts[i]);
    free(placement->hosts);
    free(placement->ranks_per_node);
    free(placement->note);
}

void hs_result_release(struct hs_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; i < result->version_count; i++) {
        free(result->versions[i].name);
        free(result->versions[i].text);
    }
    for (size_t i = 0; i < result->message_count; i++)
        release_message(&result->messages[i]);
    release_placement(&result->placement);
    for (size_t i = 0; i < result->topology_count; i++)
        hs_result_topology_release(&result->topology[i]);
    free(result->topology);
    hs_system_release(&result->system);
    free(result->command);
    free(result->created);
    free(result->backend);
    free(result->note);
    free(result->versions);
    free(result->messages);
    memset(result, 0, sizeof(*result));
}
