/* straggler.c - see straggler.h. */
#include "runner/straggler.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct hs_rank_times_of_layer *find_layer(const struct hs_rank_times *times,
                                                 struct hs_layer layer)
{
    for (size_t i = 0; i < times->count; i++)
        if (times->layers[i].layer.stride == layer.stride &&
            times->layers[i].layer.size == layer.size)
            return &times->layers[i];
    return NULL;
}

static struct hs_rank_times_of_layer *add_layer(struct hs_rank_times *times, struct hs_layer layer)
{
    struct hs_rank_times_of_layer *grown =
        realloc(times->layers, (times->count + 1) * sizeof(*grown));
    double *seconds = calloc((size_t)times->np, sizeof(*seconds));

    if (grown)
        times->layers = grown;
    if (!grown || !seconds) {
        free(seconds);
        return NULL;
    }
    grown[times->count] = (struct hs_rank_times_of_layer){layer, seconds};
    return &grown[times->count++];
}

enum hs_status hs_rank_times_add(struct hs_rank_times *times, int64_t np, struct hs_layer layer,
                                 const double *seconds, struct hs_error *err)
{
    struct hs_rank_times_of_layer *row;

    times->np = np;
    row = find_layer(times, layer);
    if (!row)
        row = add_layer(times, layer);
    if (!row)
        return hs_fail(err, HS_MEMORY, "out of memory for the times of %lld ranks", (long long)np);
    for (int64_t r = 0; r < np; r++)
        row->seconds[r] += seconds[r];
    return HS_OK;
}

void hs_rank_times_release(struct hs_rank_times *times)
{
    for (size_t i = 0; i < times->count; i++)
        free(times->layers[i].seconds);
    free(times->layers);
    *times = (struct hs_rank_times){0};
}

/* Groups are numbered by their first ranks in ascending order. */
static int64_t group_of(struct hs_layer layer, int64_t rank)
{
    int64_t block = layer.stride * layer.size;

    return rank / block * layer.stride + rank % layer.stride;
}

/* Median of sorted[count] without the element at `left_out`. */
static double median_of_others(const double *sorted, size_t count, size_t left_out)
{
    size_t rest = count - 1;
    size_t low = (rest - 1) / 2, high = rest / 2;

    low += low >= left_out;
    high += high >= left_out;
    return (sorted[low] + sorted[high]) / 2;
}

/* Lowers the ranks' scores by what one layer says; scratch[2 * np]. */
static void score_layer(double *scores, const struct hs_rank_times_of_layer *row, int64_t np,
                        double *scratch)
{
    int64_t groups = np / row->layer.size;
    double *group_seconds = scratch, *sorted = scratch + np;

    memset(group_seconds, 0, (size_t)groups * sizeof(*group_seconds));
    for (int64_t r = 0; r < np; r++) {
        double *mine = &group_seconds[group_of(row->layer, r)];

        *mine = fmax(*mine, row->seconds[r]);
    }
    memcpy(sorted, group_seconds, (size_t)groups * sizeof(*sorted));
    gsl_sort(sorted, 1, (size_t)groups);
    for (int64_t r = 0; r < np; r++) {
        double mine = group_seconds[group_of(row->layer, r)];
        size_t place = 0;

        while (sorted[place] < mine)
            place++;
        scores[r] = fmin(scores[r], mine / median_of_others(sorted, (size_t)groups, place));
    }
}

/* The highest score, if the others are far below. */
static bool stands_out(struct hs_straggler *straggler, const double *scores, int64_t np,
                       double least)
{
    double second = 0;

    straggler->rank = 0;
    for (int64_t r = 1; r < np; r++)
        if (scores[r] > scores[straggler->rank])
            straggler->rank = r;
    straggler->ratio = scores[straggler->rank];
    for (int64_t r = 0; r < np; r++)
        if (r != straggler->rank)
            second = fmax(second, scores[r]);
    return straggler->ratio >= least && second <= sqrt(straggler->ratio);
}

bool hs_straggler_find(struct hs_straggler *straggler, const struct hs_rank_times *times,
                       double least)
{
    size_t np = (size_t)times->np;
    double *scores = calloc(3 * np + 1, sizeof(*scores));
    bool found = false;

    *straggler = (struct hs_straggler){0};
    for (size_t r = 0; scores && r < np; r++)
        scores[r] = INFINITY;
    for (size_t i = 0; scores && i < times->count; i++)
        if (times->layers[i].layer.size < times->np) {
            score_layer(scores, &times->layers[i], times->np, scores + np);
            straggler->layers++;
        }
    if (scores && straggler->layers > 0)
        found = stands_out(straggler, scores, times->np, least);
    free(scores);
    return found;
}
