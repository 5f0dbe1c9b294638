/* The score of one set of plans. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/compare.h"
#include "base/statistics.h"

#define SAME_TIME 1e-12 /* relative: what another order of summation can make */

/* A point's place in one of the two orders. `level` is the time that equal times share. */
struct place {
    double level;
    struct hs_compare_point *point;
};

/* What scoring needs besides the points; [count] each, owned. */
struct work {
    struct place *predicted, *measured; /* sorted */
    struct hs_compare_point *copy;
    double *levels; /* [2 * count] */
};

static int by_level(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    return hs_plan_compare(&a->point->plan, &b->point->plan);
}

/* The search's order: times that are equal but for rounding are made equal, then plans decide. */
static void sort_places(struct place *places, size_t count)
{
    qsort(places, count, sizeof(*places), by_level);
    for (size_t i = 1; i < count; i++)
        if (places[i].level - places[i - 1].level <= SAME_TIME * places[i - 1].level)
            places[i].level = places[i - 1].level;
    qsort(places, count, sizeof(*places), by_level);
}

/* Sorts the points by their measured times. */
static void rank_measurements(struct work *work, struct hs_compare_point *points, size_t count)
{
    memcpy(work->copy, points, count * sizeof(*points));
    for (size_t i = 0; i < count; i++)
        work->measured[i] = (struct place){points[i].measured_seconds, &work->copy[i]};
    sort_places(work->measured, count);
    for (size_t i = 0; i < count; i++)
        points[i] = *work->measured[i].point;
}

static void rank_predictions(struct work *work, struct hs_compare_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        work->predicted[i] = (struct place){points[i].predicted_seconds, &points[i]};
    sort_places(work->predicted, count);
    for (size_t i = 0; i < count; i++)
        work->predicted[i].point->predicted_rank = i + 1;
}

/* Kendall's tau-b over levels, so that rounding makes no order. */
static double find_tau(const struct work *work, const struct hs_compare_point *points, size_t count)
{
    if (count < HS_COMPARE_TAU_MIN)
        return NAN;
    for (size_t i = 0; i < count; i++) {
        work->levels[i] = work->measured[i].level;
        work->levels[count + (size_t)(work->predicted[i].point - points)] =
            work->predicted[i].level;
    }
    return hs_kendall_tau(work->levels, work->levels + count, count);
}

static bool has_interval(const struct hs_compare_point *point)
{
    return isfinite(point->low_seconds) && isfinite(point->high_seconds);
}

static bool overlap(const struct hs_compare_point *a, const struct hs_compare_point *b)
{
    return has_interval(a) && has_interval(b) && a->low_seconds <= b->high_seconds &&
           b->low_seconds <= a->high_seconds;
}

static void find_errors(struct hs_compare_score *out, struct hs_compare_point *points, size_t count)
{
    double sum = 0, signed_sum = 0;

    out->worst = 0;
    for (size_t i = 0; i < count; i++) {
        points[i].error = points[i].predicted_seconds / points[i].measured_seconds - 1;
        sum += fabs(points[i].error);
        signed_sum += points[i].error;
        if (fabs(points[i].error) > fabs(points[out->worst].error))
            out->worst = i;
    }
    out->mean_error = sum / (double)count;
    out->mean_signed_error = signed_sum / (double)count;
}

static void find_winners(struct hs_compare_score *out, struct hs_compare_point *points,
                         const struct place *places, size_t count)
{
    out->predicted_best = (size_t)(places[0].point - points);
    out->predicted_ties = 0;
    while (out->predicted_ties < count && places[out->predicted_ties].level == places[0].level)
        out->predicted_ties++;
    out->winner_rank = points[0].predicted_rank;
    out->noise_rank = out->winner_rank;
    out->noise_ties = 0;
    for (size_t i = 0; i < count; i++) {
        points[i].ties_best = i == 0 || overlap(&points[0], &points[i]);
        out->noise_ties += points[i].ties_best;
        if (points[i].ties_best && points[i].predicted_rank < out->noise_rank)
            out->noise_rank = points[i].predicted_rank;
    }
    out->found = out->predicted_best == 0;
    out->found_in_noise = points[out->predicted_best].ties_best;
    out->top = out->winner_rank <= HS_COMPARE_TOP;
    out->top_in_noise = out->noise_rank <= HS_COMPARE_TOP;
    out->regret = hs_compare_regret_of(points, count, out->predicted_best);
}

static void release(struct work *work)
{
    free(work->predicted);
    free(work->measured);
    free(work->copy);
    free(work->levels);
}

enum hs_status hs_compare_score(struct hs_compare_score *out, struct hs_compare_point *points,
                                size_t count, struct hs_error *err)
{
    struct work work = {
        .predicted = calloc(count, sizeof(*work.predicted)),
        .measured = calloc(count, sizeof(*work.measured)),
        .copy = calloc(count, sizeof(*work.copy)),
        .levels = calloc(2 * count, sizeof(*work.levels)),
    };
    enum hs_status status = HS_OK;

    *out = (struct hs_compare_score){.tau = NAN};
    if (work.predicted && work.measured && work.copy && work.levels) {
        rank_measurements(&work, points, count);
        rank_predictions(&work, points, count);
        find_errors(out, points, count);
        find_winners(out, points, work.predicted, count);
        out->tau = find_tau(&work, points, count);
    } else {
        status = hs_no_memory(err);
    }
    release(&work);
    return status;
}

struct hs_compare_regret hs_compare_regret_of(const struct hs_compare_point *points, size_t count,
                                              size_t chosen)
{
    const struct hs_compare_point *own = &points[chosen];
    struct hs_compare_regret regret = {
        fmax(0, own->measured_seconds / points[0].measured_seconds - 1), NAN, NAN};
    double low = INFINITY, high = INFINITY; /* of the fastest other one */

    if (!has_interval(own) || !has_interval(&points[0]))
        return regret;
    for (size_t i = 0; i < count; i++) {
        bool known = has_interval(&points[i]);

        if (i == chosen)
            continue;
        low = fmin(low, known ? points[i].low_seconds : points[i].measured_seconds);
        high = fmin(high, known ? points[i].high_seconds : points[i].measured_seconds);
    }
    if (low > 0) {
        regret.low = fmax(0, own->low_seconds / high - 1);
        regret.high = fmax(0, own->high_seconds / low - 1);
    }
    return regret;
}
