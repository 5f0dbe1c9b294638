#include "record/points.h"

#include <math.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/statistics.h"

enum hs_status hs_point_list_add(struct hs_point_list *list, const struct hs_fit_point *point,
                                 struct hs_error *err)
{
    struct hs_fit_point *added =
        hs_grow(&list->items, &list->capacity, list->count, sizeof(*added), err);

    if (!added)
        return HS_MEMORY;
    *added = *point;
    list->count++;
    return HS_OK;
}

void hs_point_list_release(struct hs_point_list *list)
{
    free(list->items);
    *list = (struct hs_point_list){0};
}

/* Relative standard error of a median: its 95 % interval is 2 x HS_NORMAL95 of them wide. NaN
 * without an interval. */
static double noise_of(const struct hs_measured *measured)
{
    return (measured->ci95_high_seconds - measured->ci95_low_seconds) / 2 / HS_NORMAL95 /
           measured->median_seconds;
}

static double stage_seconds(const struct hs_measured *measured, struct hs_stage_key key)
{
    for (size_t s = 0; s < measured->stage_count; s++)
        if (hs_stage_key_equal(measured->stages[s].key, key))
            return measured->stages[s].seconds;
    return 0;
}

static enum hs_status add_candidate(struct hs_point_list *list,
                                    const struct hs_candidate *candidate,
                                    const struct hs_problem *problem, struct hs_error *err)
{
    const struct hs_split *split = &candidate->plan.split;
    const struct hs_measured *measured = candidate->measured;
    enum hs_status status = HS_OK;

    for (int i = 0; i < split->count && !status; i++) {
        struct hs_layer layer = hs_problem_layer(problem, split, i);
        struct hs_fit_point point = {.np = problem->group.ranks,
                                     .bytes = hs_problem_entering(problem, layer),
                                     .noise = noise_of(measured)};
        struct hs_stage_key keys[2];
        int count = hs_problem_plan_ways(keys, problem, &candidate->plan, i);

        for (int k = 0; k < count && !status; k++) {
            point.key = keys[k];
            point.seconds = count == 1 ? hs_measured_layer_seconds(measured, layer)
                                       : stage_seconds(measured, keys[k]);
            if (point.seconds > 0)
                status = hs_point_list_add(list, &point, err);
        }
    }
    return status;
}

/* Measured in full, so that its stages say something of it. */
static bool is_whole(const struct hs_candidate *candidate)
{
    return candidate->measured && candidate->measured->status == HS_MEASURE_OK &&
           candidate->measured->stage_count > 0 && candidate->plan.chunks == 1 &&
           candidate->plan.split.sizes[0] > 1;
}

enum hs_status hs_result_points(struct hs_point_list *list, const struct hs_result *result,
                                struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t m = 0; m < result->message_count; m++) {
        const struct hs_result_message *message = &result->messages[m];
        uint64_t bytes = message->padded_bytes ? message->padded_bytes : message->message_bytes;
        struct hs_problem problem = hs_result_asks(result, (double)bytes);

        for (size_t c = 0; c < message->candidate_count && !status; c++) {
            const struct hs_candidate *candidate = &message->candidates[c];

            if (is_whole(candidate))
                status = add_candidate(list, candidate, &problem, err);
        }
    }
    return status;
}

/* ---- what lies between calls ----------------------------------------------------------------- */

/* Of a median whose interval is not known, or narrower than clocks and stages are good for. */
#define NOISE_USUAL 0.05
#define NOISE_LEAST 0.002

static void add_gap(struct hs_gap_points *points, const struct hs_measured *measured)
{
    double gaps = (double)measured->stage_count - 1, noise = noise_of(measured);
    double gap = (measured->median_seconds - hs_measured_stages_seconds(measured)) / gaps;
    double deviation = isfinite(noise) ? fmax(noise, NOISE_LEAST) : NOISE_USUAL, weight;

    deviation *= measured->median_seconds / gaps;
    weight = 1 / (deviation * deviation);
    points->weight += weight;
    points->sum += weight * gap;
    points->squares += weight * gap * gap;
    points->plans++;
}

void hs_gap_points_add(struct hs_gap_points *points, const struct hs_result *result)
{
    for (size_t m = 0; m < result->message_count; m++)
        for (size_t c = 0; c < result->messages[m].candidate_count; c++) {
            const struct hs_candidate *candidate = &result->messages[m].candidates[c];

            /* Between packed calls lies the copy, too. */
            if (is_whole(candidate) && candidate->measured->stage_count > 1 &&
                result->layout != HS_PACKED)
                add_gap(points, candidate->measured);
        }
}

bool hs_gap_points_fit(double *seconds, double *ci95_seconds, const struct hs_gap_points *points)
{
    double mean, spread = 1;

    *seconds = *ci95_seconds = 0;
    if (points->plans == 0)
        return false;
    mean = points->sum / points->weight;
    if (points->plans > 1)
        spread = (points->squares - mean * points->sum) / (double)(points->plans - 1);
    *ci95_seconds = HS_NORMAL95 * sqrt(fmax(1, spread) / points->weight);
    *seconds = mean;
    return mean > *ci95_seconds;
}
