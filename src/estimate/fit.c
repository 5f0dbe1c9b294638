#include "estimate/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "base/units.h"
#include "model/price.h"
#include "system/system.h"

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
        difference = order(a->straddles, b->straddles);
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

/* Of scope level, straddling or else not. */
static const struct hs_fit *find_level(const struct hs_fits *fits, struct hs_fit like)
{
    const struct hs_fit *found = find_exactly(fits, like);

    like.straddles = !like.straddles;
    return found ? found : find_exactly(fits, like);
}

const struct hs_fit *hs_fits_find(const struct hs_fits *fits, int level, bool straddles,
                                  struct hs_stage_key key)
{
    struct hs_fit like = {.level = level,
                          .straddles = straddles,
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

/* Bytes that take twice what they would with the bandwidth of the longest messages alone. */
static double half_bandwidth_bytes(const struct hs_stage_price *price)
{
    double p = (double)price->key.layer.size, most = 0;
    double per_byte = price->lines[price->line_count - 1].seconds_per_byte;

    for (int i = 0; i < price->line_count; i++)
        most = fmax(most, (price->lines[i].latency_seconds + price->launch_seconds) /
                              (2 * per_byte - price->lines[i].seconds_per_byte));
    return most * p / (p - 1);
}

int64_t hs_fit_ranks(const struct hs_system *system, struct hs_layer layer, int level,
                     bool straddles)
{
    int64_t block = layer.stride * layer.size;
    int64_t over = hs_system_child_ranks(system, (size_t)level) / block + 1;
    int64_t ranks[] = {block, over <= HS_NP_MAX / block ? over * block : block};

    for (int i = 0; i < 2; i++) {
        struct hs_stage_price price =
            hs_stage_price(system, ranks[i], (struct hs_stage_key){HS_ALLREDUCE, HS_RING, layer});

        if (price.level == level && price.straddles == straddles)
            return ranks[i];
    }
    return 0;
}

double hs_fit_half_bandwidth_bytes(const struct hs_fit *fit, const struct hs_system *system)
{
    struct hs_layer layer = {fit->stride, fit->size};
    int64_t child_ranks = hs_system_child_ranks(system, (size_t)fit->level);
    struct hs_stage_price price;
    int64_t ranks;

    if (fit->scope == HS_FIT_LEVEL)
        return 0;
    /* One that is like it: nested ones begin at a child's border, straddling ones reach just over
     * it. */
    if (layer.stride == 0)
        layer.stride = fit->straddles ? child_ranks / layer.size + 1 : child_ranks;
    ranks = hs_fit_ranks(system, layer, fit->level, fit->straddles);
    price = hs_stage_price(
        system, ranks > 0 ? ranks : layer.stride * layer.size,
        (struct hs_stage_key){fit->exchanges ? HS_EXCHANGE : HS_ALLREDUCE, fit->algorithm, layer});
    return half_bandwidth_bytes(&price);
}
