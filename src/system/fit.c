#include "system/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "base/units.h"

/* How far beyond an end of the measured range still counts as inside: sizes of messages are padded.
 */
#define RANGE_SLACK 1.01

const char *const hs_fit_scope_names[HS_FIT_SCOPE_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_FIT_SCOPES(HS_ROW)
#undef HS_ROW
};

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

bool hs_fit_point_valid(const struct hs_fit_point *point)
{
    struct hs_layer layer = point->key.layer;

    return layer.stride >= 1 && layer.size >= 2 && point->np >= 2 && point->np <= HS_NP_MAX &&
           layer.stride <= point->np / layer.size && point->np % (layer.stride * layer.size) == 0 &&
           point->bytes > 0 && isfinite(point->bytes) && point->seconds > 0 &&
           hs_seconds_usable(point->seconds);
}

static bool are_halves(const struct hs_fit_point *a, const struct hs_fit_point *b)
{
    return ((a->key.phase == HS_REDUCE_SCATTER && b->key.phase == HS_ALLGATHER) ||
            (a->key.phase == HS_ALLGATHER && b->key.phase == HS_REDUCE_SCATTER)) &&
           a->key.algorithm == b->key.algorithm && hs_layer_equal(a->key.layer, b->key.layer) &&
           a->np == b->np && a->bytes == b->bytes;
}

size_t hs_fit_points_pair(struct hs_fit_point *points, int64_t *halves, size_t count)
{
    size_t left = 0;

    for (size_t i = 0; i < count; i++) {
        size_t other = left;

        while (other > 0 && !are_halves(&points[other - 1], &points[i]))
            other--;
        if (other > 0) {
            struct hs_fit_point *pair = &points[other - 1];
            double error =
                hs_joint_error(pair->noise * pair->seconds, points[i].noise * points[i].seconds);

            pair->key.phase = HS_PAIR;
            pair->seconds += points[i].seconds;
            pair->noise = error / pair->seconds;
            if (halves)
                halves[other - 1] = 2;
        } else {
            if (halves)
                halves[left] = 1;
            points[left++] = points[i];
        }
    }
    return left;
}

int hs_fit_compare(const struct hs_fit *a, const struct hs_fit *b)
{
    int difference = order(a->level, b->level);

    if (difference == 0)
        difference = order(a->misaligned, b->misaligned);
    if (difference == 0)
        difference = order(a->size, b->size);
    if (difference == 0)
        difference = order(a->stride, b->stride);
    if (difference == 0)
        difference = order(a->algorithm, b->algorithm);
    return difference ? difference : order(a->exchanges, b->exchanges);
}

bool hs_fit_is_of(const struct hs_fit *fit, struct hs_stage_key key)
{
    return fit->algorithm == key.algorithm && fit->exchanges == (key.phase == HS_EXCHANGE);
}

static int compare_items(const void *a, const void *b)
{
    return hs_fit_compare(a, b);
}

static const struct hs_fit *find_exactly(const struct hs_fits *fits, struct hs_fit like)
{
    return bsearch(&like, fits->items, fits->count, sizeof(like), compare_items);
}

/* Of scope level, misaligned or else not. */
static const struct hs_fit *find_level(const struct hs_fits *fits, struct hs_fit like)
{
    const struct hs_fit *found = find_exactly(fits, like);

    like.misaligned = !like.misaligned;
    return found ? found : find_exactly(fits, like);
}

const struct hs_fit *hs_fits_find(const struct hs_fits *fits, int level, bool misaligned,
                                  struct hs_stage_key key)
{
    struct hs_fit like = {.level = level,
                          .misaligned = misaligned,
                          .exchanges = key.phase == HS_EXCHANGE,
                          .size = key.layer.size,
                          .stride = key.layer.stride,
                          .algorithm = key.algorithm};
    const struct hs_fit *found;

    if (fits->count == 0)
        return NULL;
    if ((found = find_exactly(fits, like)))
        return found;
    like.stride = 0;
    if ((found = find_exactly(fits, like)))
        return found;
    like.size = 0;
    for (;;) {
        if ((found = find_level(fits, like)))
            return found;
        if (like.algorithm != HS_RING)
            like.algorithm = HS_RING;
        else if (like.exchanges)
            like.exchanges = false;
        else
            return NULL;
    }
}

bool hs_fit_extrapolates(const struct hs_fit *fit, struct hs_layer layer, double bytes)
{
    if (layer.size < fit->min_size || layer.size > fit->max_size)
        return true;
    return bytes > 0 &&
           (bytes * RANGE_SLACK < fit->min_bytes || bytes > fit->max_bytes * RANGE_SLACK);
}

void hs_fits_release(struct hs_fits *fits)
{
    free(fits->source);
    free(fits->items);
    free(fits->points);
    free(fits->refusals);
    memset(fits, 0, sizeof(*fits));
}
