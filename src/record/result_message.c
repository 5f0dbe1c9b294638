/*
 * Result files: one message size with its candidates.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "library/price_plan.h"
#include "record/answer.h"
#include "record/result.h"
#include "record/result_parts.h"

/* ---- plans and splits as text ---- */

static enum hs_status parse_plan(void *value, const char *text, const struct hs_place *place,
                                 struct hs_error *why)
{
    const struct hs_result *result = hs_place_of(place, &hs_result_fields);

    const struct hs_group group = hs_result_group(result);
    enum hs_status status;

    if (strcmp(text, HS_DEFAULT_NAME) == 0) {
        *(struct hs_plan *)value = HS_DEFAULT_CALL;
        return HS_OK;
    }
    status = hs_plan_parse(value, text, group.size, why);

    return status ? status : hs_group_check_split(&group, &((struct hs_plan *)value)->split, why);
}

const char *hs_result_format_plan(char text[HS_FIELD_TEXT], const void *value,
                                  const struct hs_place *place)
{
    (void)place;
    return hs_plan_format(text, value);
}

const struct hs_field_custom hs_plan_custom = {parse_plan, hs_result_format_plan, HS_CALL_PATTERN};
_Static_assert(HS_SPLIT_TEXT <= HS_FIELD_TEXT, "a plan fits");

/* ---- a measurement ---- */

/* What goes with a status: a verified measurement has a time and no wrong elements. */
static enum hs_status check_measured(void *object, const struct hs_place *place,
                                     struct hs_error *err)
{
    const struct hs_measured *measured = object;

    if (measured->ci95_low_seconds > measured->ci95_high_seconds)
        return hs_field_fail(place, "ci95_seconds", err, "expected [low, high], found [%g, %g]",
                             measured->ci95_low_seconds, measured->ci95_high_seconds);
    if (measured->status != HS_MEASURE_OK)
        return HS_OK;
    if (isnan(measured->median_seconds))
        return hs_field_fail(place, "median_seconds", err, "missing, with status \"ok\"");
    if (measured->wrong_elements > 0)
        return hs_field_fail(place, "wrong_elements", err,
                             "expected 0 with status \"ok\", found %llu",
                             (unsigned long long)measured->wrong_elements);
    return HS_OK;
}

static bool was_verified(const struct hs_place *place)
{
    const struct hs_measured *measured = place->object;

    return measured->status == HS_MEASURE_OK || measured->status == HS_MEASURE_WRONG ||
           measured->wrong_elements > 0;
}

static bool has_choices(const struct hs_place *place)
{
    return ((const struct hs_measured *)place->object)->choice_count > 0;
}

#define MEASURED(member)     HS_AT(struct hs_measured, member)
#define TIMES(member, count) HS_LIST_AT(struct hs_measured, member, count)
_Static_assert(offsetof(struct hs_measured, ci95_high_seconds) ==
                   offsetof(struct hs_measured, ci95_low_seconds) + sizeof(double),
               "the ends of an interval follow each other");

static const struct hs_field stage_rows[] = {
    {"stage", HS_CUSTOM, HS_AT(struct hs_stage_time, key), .custom = &hs_stage_key_custom,
     .about = "PHASE:STRIDE:SIZE, with the letter of the algorithm where it is not the ring."},
    {"seconds", HS_TIME, HS_AT(struct hs_stage_time, seconds)},
};
static const struct hs_fields stage_fields = {HS_ROWS(stage_rows, struct hs_stage_time)};

static const struct hs_field measured_rows[] = {
    {"status", HS_CHOICE, MEASURED(status), HS_NAMES(hs_measure_status_names),
     .about = "ok: measured and verified; wrong: the reduction's data was wrong; timeout: "
              "abandoned by the watchdog; skipped: not measured; failed: the backend reported an "
              "error."},
    {"reason", HS_TEXT, HS_OWNED(struct hs_measured, reason), HS_OPTIONAL,
     .about = "Why it was skipped, failed or is not to be trusted."},
    {"median_seconds", HS_TIME, MEASURED(median_seconds), HS_OPTIONAL},
    {"ci95_seconds", HS_SECONDS, .offset = offsetof(struct hs_measured, ci95_low_seconds),
     .size = 2 * sizeof(double), HS_OPTIONAL, .min = 2, .max = 2,
     .about = "Low and high end of the 95 % confidence interval of the median."},
    {"device_median_seconds", HS_TIME, MEASURED(device_median_seconds), HS_OPTIONAL,
     .about = "The median by the device's own clock, where it has one."},
    {"eager_median_seconds", HS_TIME, MEASURED(eager_median_seconds), HS_OPTIONAL,
     .about = "Where the samples are times of runs that the device held until all were issued: the "
              "median of single runs by the host's clock, what issuing them costs included."},
    {"samples_seconds", HS_SECONDS, TIMES(samples_seconds, sample_count), HS_OPTIONAL,
     .max = HS_RESULT_SAMPLES_MAX, .about = "Every run in order, each the maximum over the ranks."},
    {"wrong_elements", HS_WHOLE, MEASURED(wrong_elements), HS_OPTIONAL, .when = was_verified,
     .about = "Elements that were not the expected result, over all ranks."},
    {"choices", HS_FACTS, TIMES(choices, choice_count), HS_OPTIONAL, .max = HS_STAGES_MAX,
     .when = has_choices,
     .about = "What the library took for each stage, PHASE:STRIDE:SIZE, of a baseline for its "
              "PHASE: algorithm, protocol and channels as NCCL launched them on the first rank, "
              "or symmetric: one of its kernels for symmetric windows."},
    {"stages", HS_LIST, TIMES(stages, stage_count), HS_OPTIONAL, .min = 1, .max = HS_STAGES_MAX,
     .fields = &stage_fields,
     .about = "Median time of each of the plan's stages, in the order in which they run, from runs "
              "of their own."},
};

#define OK_RULES                                                                                   \
    "\"if\": { \"required\": [\"status\"], \"properties\": { \"status\": { \"const\": \"ok\" } } " \
    "},\n"                                                                                         \
    "\"then\": { \"required\": [\"median_seconds\"],\n"                                            \
    "  \"properties\": { \"wrong_elements\": { \"const\": 0 } } }"

const struct hs_fields hs_measured_fields = {.name = "measured",
                                             HS_ROWS(measured_rows, struct hs_measured),
                                             .check = check_measured,
                                             .rules = OK_RULES};
/* All but the times of layers, which only a plan has. */
static const struct hs_fields baseline_measured = {
    .name = "baseline_measured",
    .rows = measured_rows,
    .count = sizeof(measured_rows) / sizeof(measured_rows[0]) - 1,
    .size = sizeof(struct hs_measured),
    .check = check_measured,
    .rules = OK_RULES};

/* ---- layers of the prediction ---- */

static size_t list_levels(const char *names[HS_CHOICES_MAX], const struct hs_place *place)
{
    const struct hs_result *result = hs_place_of(place, &hs_result_fields);

    return hs_system_list_levels(names, &result->system);
}

/* The plan says which layer this is; the file repeats it for those who read nothing else. One with
 * two letters is there twice, outward and inward. */
static enum hs_status check_layer(void *object, const struct hs_place *place, struct hs_error *err)
{
    const struct hs_stage_cost *cost = object;
    const struct hs_candidate *candidate = hs_place_of(place, &hs_candidate_fields);
    const struct hs_result *result = hs_place_of(place, &hs_result_fields);
    const struct hs_problem problem = hs_result_asks(result, 1);
    struct hs_layer layer = hs_problem_layer(&problem, &candidate->plan.split, cost->layer);
    struct hs_layer found = cost->key.layer;

    if (found.stride == layer.stride && found.size == layer.size)
        return HS_OK;
    return hs_json_fail(place->at, err,
                        "expected the plan's layer, stride %lld and size %lld, found stride %lld "
                        "and size %lld",
                        (long long)layer.stride, (long long)layer.size, (long long)found.stride,
                        (long long)found.size);
}

static bool is_calibrated(const struct hs_place *place)
{
    const struct hs_result *result = hs_place_of(place, &hs_result_fields);

    return result->system.fits.count > 0;
}

#define LAYER(member) HS_AT(struct hs_stage_cost, member)

/* What the file does not say stays as the model has it. */
static const struct hs_field layer_rows[] = {
    {"stride", HS_INTEGER, LAYER(key.layer.stride), .min = 1, .max = HS_NP_MAX},
    {"size", HS_INTEGER, LAYER(key.layer.size), .min = 1, .max = HS_NP_MAX},
    {"level", HS_CHOICE, LAYER(level), .list = list_levels,
     .about = "Name of the outermost level that it crosses."},
    {"misaligned", HS_BOOL, LAYER(misaligned),
     .about = "Its rings have hops of more than one level."},
    {"rings_per_link", HS_INTEGER, LAYER(rings_per_link), .max = HS_NP_MAX,
     .about = "Rings of the layer that share one link of its bottleneck; 0 where nothing travels."},
    {"bytes", HS_NUMBER, LAYER(bytes), .max = (double)HS_BYTES_MAX,
     .about = "Bytes per process that enter the layer, all chunks."},
    {"seconds", HS_TIME, LAYER(seconds),
     .about = "All phases and chunks of the layer, if nothing overlapped."},
    {"latency_seconds", HS_TIME, LAYER(latency_seconds)},
    {"bandwidth_seconds", HS_TIME, LAYER(bandwidth_seconds)},
    {"launch_seconds", HS_TIME, LAYER(launch_seconds)},
    {"fit", HS_CHOICE, LAYER(fit_scope), HS_NAMES(hs_fit_scope_names), HS_OPTIONAL,
     .when = is_calibrated,
     .about = "What priced the layer: a fit to this very layer, to its size at other strides, to "
              "other sizes on its level, or the level's figures as described. Only where the "
              "system is calibrated."},
    {"extrapolated", HS_BOOL, LAYER(extrapolated), HS_OPTIONAL, .when = is_calibrated,
     .about = "Its size, the bytes that enter it, or its level lie outside of what the calibration "
              "measured. Only where the system is calibrated."},
};
static const struct hs_fields layer_fields = {
    .name = "layer", HS_ROWS(layer_rows, struct hs_stage_cost), .check = check_layer};

/* ---- a prediction ---- */

/* What the model says, for what the file does not. */
static enum hs_status begin_cost(void *object, const struct hs_place *place, struct hs_error *err)
{
    struct hs_plan_cost *cost = object;
    const struct hs_result *result = hs_place_of(place, &hs_result_fields);
    const struct hs_result_message *message = hs_place_of(place, &hs_message_fields);
    const struct hs_candidate *candidate = hs_place_of(place, &hs_candidate_fields);
    uint64_t bytes = message->padded_bytes ? message->padded_bytes : message->message_bytes;
    struct hs_problem problem = hs_result_asks(result, (double)bytes);
    struct hs_json layers = hs_json_find(place->at, "layers");
    enum hs_status status;
    size_t count;

    if (!result->has_system)
        return hs_json_fail(&layers, err, "there is no system that the layers belong to");
    *cost = hs_plan_cost(&result->system, &problem, &candidate->plan);
    count = (size_t)cost->count;
    status = hs_json_array(&count, &layers, count, count, err);
    if (status)
        return status;
    if (isnan(candidate->predicted_seconds))
        return hs_field_fail(place, "predicted_seconds", err, "missing, with layers");
    cost->seconds = candidate->predicted_seconds;
    cost->extrapolated = candidate->extrapolated;
    cost->ci95_seconds = NAN;
    return HS_OK;
}

static enum hs_status sum_layers(void *object, const struct hs_place *place, struct hs_error *err)
{
    struct hs_plan_cost *cost = object;

    (void)place, (void)err;
    cost->latency_seconds = cost->bandwidth_seconds = cost->launch_seconds = 0;
    for (int i = 0; i < cost->count; i++) {
        cost->latency_seconds += cost->stages[i].latency_seconds;
        cost->bandwidth_seconds += cost->stages[i].bandwidth_seconds;
        cost->launch_seconds += cost->stages[i].launch_seconds;
    }
    return HS_OK;
}

static bool has_interval(const struct hs_place *place)
{
    const struct hs_plan_cost *cost = place->object;

    return is_calibrated(place) && isfinite(cost->ci95_seconds);
}

static const struct hs_field cost_rows[] = {
    {"predicted_ci95_seconds", HS_INTERVAL, HS_AT(struct hs_plan_cost, ci95_seconds),
     HS_OTHER(struct hs_plan_cost, seconds), HS_OPTIONAL, .when = has_interval,
     .about = "Low and high end of the 95 % interval of the prediction; only where the system is "
              "calibrated, and knows one."},
    {"layers", HS_LIST, HS_AT(struct hs_plan_cost, stages), HS_OTHER(struct hs_plan_cost, count),
     .min = 1, .max = HS_STAGES_MAX, .fields = &layer_fields,
     .about = "The prediction layer by layer, innermost first; a layer whose reduce-scatter and "
              "allgather go by different algorithms is there twice, in this order."},
};
static const struct hs_fields cost_fields = {HS_ROWS(cost_rows, struct hs_plan_cost),
                                             .begin = begin_cost, .check = sum_layers};

/* Whether every figure of the layers can be written: they come all or not at all. */
static bool has_cost(const struct hs_place *place)
{
    const struct hs_candidate *candidate = place->object;
    const struct hs_result *result = hs_place_of(place, &hs_result_fields);
    bool finite = candidate->cost && result->has_system && isfinite(candidate->predicted_seconds);

    for (int i = 0; finite && i < candidate->cost->count; i++) {
        const struct hs_stage_cost *layer = &candidate->cost->stages[i];

        /* The parts are finite where their sum is: none is negative. */
        finite =
            isfinite(layer->bytes) && isfinite(layer->seconds) &&
            isfinite(layer->latency_seconds + layer->bandwidth_seconds + layer->launch_seconds);
    }
    return finite;
}

/* ---- candidates ---- */

static enum hs_status begin_candidate(void *object, const struct hs_place *place,
                                      struct hs_error *err)
{
    struct hs_json interval = hs_json_find(place->at, "predicted_ci95_seconds");

    (void)object;
    if (interval.node && (!hs_json_find(place->at, "layers").node || !is_calibrated(place)))
        return hs_json_fail(&interval, err, "expected layers of a system with fits beside it");
    return HS_OK;
}

/* Both ends or none, in their order. */
static enum hs_status check_range(const struct hs_candidate *candidate,
                                  const struct hs_place *place, struct hs_error *err)
{
    double low = candidate->predicted_low_seconds, high = candidate->predicted_high_seconds;

    if (isnan(low) != isnan(high))
        return hs_field_fail(place, isnan(low) ? "predicted_low_seconds" : "predicted_high_seconds",
                             err, "missing, with the range's other end");
    if (isnan(low) || (low <= candidate->predicted_seconds && candidate->predicted_seconds <= high))
        return HS_OK;
    return hs_field_fail(place, "predicted_low_seconds", err,
                         "expected a range with its prediction in it, found %g to %g", low, high);
}

/* The times are of the plan's stages, in their order. */
static enum hs_status check_candidate(void *object, const struct hs_place *place,
                                      struct hs_error *err)
{
    const struct hs_candidate *candidate = object;
    const struct hs_result *result = hs_place_of(place, &hs_result_fields);
    struct hs_problem problem = hs_result_asks(result, 1);
    struct hs_json measured = hs_json_find(place->at, "measured"), at;
    struct hs_json list = hs_json_find(&measured, "stages");
    struct hs_stage stages[HS_STAGES_MAX];
    char text[HS_STAGE_KEY_TEXT];
    size_t count;
    enum hs_status status = check_range(candidate, place, err);

    if (status || !list.node)
        return status;
    count = (size_t)hs_problem_stages(stages, &problem, &candidate->plan);
    status = hs_json_array(&count, &list, count, count, err);
    at = hs_json_first(&list);
    for (size_t i = 0; i < count && status == HS_OK; i++, hs_json_next(&at))
        if (!hs_stage_key_equal(candidate->measured->stages[i].key, stages[i].key))
            status = hs_json_fail(&at, err, "expected the plan's stage %s",
                                  hs_stage_key_format(text, stages[i].key));
    return status;
}

#define CANDIDATE(member) HS_AT(struct hs_candidate, member)

static const struct hs_field candidate_rows[] = {
    {"plan", HS_CUSTOM, CANDIDATE(plan), .custom = &hs_plan_custom,
     .about = "Layer sizes, innermost first, and the number of chunks where it is not 1: 4x8x4, "
              "4x8x4/8; default: the library's default call."},
    {"predicted_seconds", HS_TIME, CANDIDATE(predicted_seconds), HS_OPTIONAL,
     .about = "Expected over the samples of what is uncertain; nominal where there are none."},
    {"predicted_low_seconds", HS_TIME, CANDIDATE(predicted_low_seconds), HS_OPTIONAL,
     .about = "Low end of the 90 % range of the prediction: in 5 % of the samples it is faster."},
    {"predicted_high_seconds", HS_TIME, CANDIDATE(predicted_high_seconds), HS_OPTIONAL,
     .about = "High end of the range: in 5 % it is slower."},
    {"probability_best", HS_NUMBER, CANDIDATE(probability_best), HS_OPTIONAL, .max = 1,
     .about = "Share of the samples in which no plan is 1 % faster."},
    {"extrapolated", HS_BOOL, CANDIDATE(extrapolated), HS_WITH(false),
     .about = "The prediction reaches beyond the machine as described, beyond what the calibration "
              "measured, or beyond the nodes, sizes and versions of the published times that the "
              "library's price was fitted to."},
    {"layers", HS_PART, HS_OWNED(struct hs_candidate, cost), HS_OPTIONAL, .fields = &cost_fields,
     .when = has_cost},
    {"measured", HS_OBJECT, HS_OWNED(struct hs_candidate, measured), HS_OPTIONAL,
     .fields = &hs_measured_fields},
};

const struct hs_fields hs_candidate_fields = {
    .name = "candidate",
    HS_ROWS(candidate_rows, struct hs_candidate),
    .begin = begin_candidate,
    .check = check_candidate,
    .rules = "\"dependentRequired\": { \"layers\": [\"predicted_seconds\"],\n"
             "  \"predicted_ci95_seconds\": [\"layers\"],\n"
             "  \"predicted_low_seconds\": [\"predicted_seconds\", \"predicted_high_seconds\"],\n"
             "  \"predicted_high_seconds\": [\"predicted_low_seconds\"] }",
};

/* A candidate's plan and its place in the file. */
struct placed_plan {
    const struct hs_plan *plan;
    size_t index;
};

/* By plan, equal plans in the order of the file. */
static int compare_plans(const void *left, const void *right)
{
    const struct placed_plan *a = left, *b = right;
    int order = hs_plan_compare(a->plan, b->plan);

    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Sorted and not compared pair by pair: there may be many. The first in the file that repeats one
 * is named. */
static enum hs_status check_no_plan_twice(const struct hs_result_message *message,
                                          const struct hs_place *place, struct hs_error *err)
{
    size_t count = message->candidate_count, first = count, second = count;
    struct placed_plan *sorted = calloc(count + 1, sizeof(*sorted));
    struct hs_json list = hs_json_find(place->at, "candidates"), at, member;
    char text[HS_SPLIT_TEXT];

    if (!sorted)
        return hs_no_memory(err);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct placed_plan){&message->candidates[i].plan, i};
    qsort(sorted, count, sizeof(*sorted), compare_plans);
    for (size_t i = 1; i < count; i++)
        if (hs_plan_compare(sorted[i - 1].plan, sorted[i].plan) == 0 && sorted[i].index < second) {
            first = sorted[i - 1].index;
            second = sorted[i].index;
        }
    free(sorted);
    if (second == count)
        return HS_OK;
    at = hs_json_element(&list, second);
    member = hs_json_find(&at, "plan");
    return hs_json_fail(&member, err, "\"%s\" is already that of candidates[%zu]",
                        hs_plan_format(text, &message->candidates[second].plan), first);
}

/* `best` names a candidate that can be used. */
static enum hs_status check_best(const struct hs_result_message *message,
                                 const struct hs_place *place, struct hs_error *err)
{
    const struct hs_candidate *found = hs_result_candidate(message, &message->best);
    char text[HS_SPLIT_TEXT];

    if (message->best.chunks == 0)
        return HS_OK;
    hs_plan_format(text, &message->best);
    if (!found)
        return hs_field_fail(place, "best", err, "\"%s\" is not among the candidates", text);
    if (found->measured && found->measured->status != HS_MEASURE_OK &&
        found->measured->status != HS_MEASURE_SKIPPED)
        return hs_field_fail(place, "best", err,
                             "\"%s\" cannot be the best: its measurement is \"%s\"", text,
                             hs_measure_status_names[found->measured->status]);
    return HS_OK;
}

/* ---- what goes before them ---- */

static const struct hs_field pruned_rows[] = {
    {"rule", HS_TEXT, HS_OWNED(struct hs_pruned, rule), .min = 1, .unique = true},
    {"splits", HS_WHOLE, HS_AT(struct hs_pruned, splits)},
};
const struct hs_fields hs_pruned_fields = {HS_ROWS(pruned_rows, struct hs_pruned)};

static const struct hs_field baseline_rows[] = {
    {"name", HS_TEXT, HS_OWNED(struct hs_baseline_result, name), .min = 1, .unique = true},
    {"measured", HS_OBJECT, HS_AT(struct hs_baseline_result, measured),
     .fields = &baseline_measured},
};
const struct hs_fields hs_baseline_fields = {HS_ROWS(baseline_rows, struct hs_baseline_result)};

#define MESSAGE(member)     HS_AT(struct hs_result_message, member)
#define LIST(member, count) HS_LIST_AT(struct hs_result_message, member, count)

static const struct hs_field search_rows[] = {
    {"strategy", HS_TEXT, HS_OWNED(struct hs_result_message, strategy), HS_OPTIONAL},
    {"splits", HS_WHOLE, MESSAGE(splits),
     .about = "Splits of np that exist; 18446744073709551615 means that many or more."},
    {"looked_at", HS_WHOLE, MESSAGE(looked_at),
     .about = "How many of them (with their chunk counts) the search looked at."},
    {"pruned", HS_LIST, LIST(pruned, pruned_count), .max = HS_RESULT_NAMES_MAX,
     .fields = &hs_pruned_fields, .about = "What was taken out of the race, once per rule."},
};
static const struct hs_fields search_fields = {HS_ROWS(search_rows, struct hs_result_message)};

static enum hs_status check_message(void *object, const struct hs_place *place,
                                    struct hs_error *err)
{
    const struct hs_result_message *message = object;
    struct hs_json padded = hs_json_find(place->at, "padded_bytes");
    int64_t bytes;
    enum hs_status status = HS_OK;

    if (padded.node)
        status = hs_json_read_integer(&bytes, &padded, (int64_t)message->message_bytes,
                                      (int64_t)HS_JSON_WHOLE_MAX, err);
    if (!status)
        status = check_no_plan_twice(message, place, err);
    return status ? status : check_best(message, place, err);
}

static const struct hs_field message_rows[] = {
    {"message_bytes", HS_INTEGER, MESSAGE(message_bytes), .min = 1, .max = (double)HS_BYTES_MAX,
     .unique = true, .about = "Per process, as asked for."},
    {"padded_bytes", HS_INTEGER, MESSAGE(padded_bytes), HS_WITHOUT(0), .min = 1,
     .max = (double)HS_JSON_WHOLE_MAX,
     .about = "Per process, as measured; absent where nothing was padded."},
    {"dtype", HS_CHOICE, MESSAGE(datatype), HS_NAMES(hs_datatype_names)},
    {"op", HS_CHOICE, MESSAGE(operation), HS_NAMES(hs_operation_names)},
    {"search", HS_OBJECT, .fields = &search_fields},
    {"certificate", HS_OBJECT, HS_OWNED(struct hs_result_message, certificate), HS_OPTIONAL,
     .fields = &hs_certificate_fields,
     .about = "What a lazy search found: sums of layer times, measured one by one."},
    {"verdict", HS_PART, HS_OWNED(struct hs_result_message, answer), HS_OPTIONAL,
     .fields = &hs_answer_fields},
    {"flat_seconds", HS_TIME, MESSAGE(flat_seconds), HS_OPTIONAL,
     .about = "The flat split: measured where there is a measurement, else predicted."},
    {"best", HS_CUSTOM, MESSAGE(best), HS_OTHER(struct hs_result_message, best.chunks), HS_OPTIONAL,
     .custom = &hs_plan_custom,
     .about =
         "The first of the candidates, and the verdict's plan; absent where none can be used."},
    {"baselines", HS_LIST, LIST(baselines, baseline_count), .max = HS_RESULT_NAMES_MAX,
     .fields = &hs_baseline_fields,
     .about = "The library's default call, measured in the same run."},
    {"algorithms", HS_LIST, LIST(algorithms, algorithm_count), HS_OPTIONAL,
     .max = HS_RESULT_NAMES_MAX, .fields = &hs_baseline_fields,
     .about = "The same call by each of the library's algorithms, forced on it."},
    {"candidates", HS_LIST, LIST(candidates, candidate_count), .max = HS_RESULT_CANDIDATES_MAX,
     .fields = &hs_candidate_fields,
     .about = "Best first: by measured median where measured, else by predicted time; wrong, "
              "timed-out and failed ones last."},
};

const struct hs_fields hs_message_fields = {
    .name = "message", HS_ROWS(message_rows, struct hs_result_message), .check = check_message};
