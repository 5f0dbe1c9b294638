/*
 * fit.h - figures of a system that were fitted to measured layers, and the points behind them.
 *
 * A fit says what latency and bandwidth a kind of layer really has. It comes in three scopes, and a
 * layer takes the narrowest there is:
 *
 *  - `layer`: this stride and size was measured itself;
 *  - `size`:  other strides of the same size on the same level were measured;
 *  - `level`: other sizes on the same level were measured.
 *
 * Algorithms are fitted apart; one of which nothing was measured takes a level's figures of rings.
 * So are exchanges (all-to-alls), which take the level's figures of the other phases where nothing
 * was measured of them; theirs serve no other phase.
 * Misaligned layers (part of their hops stay inside a child of their outermost level) and those
 * that are not are kept apart: sharing differs between them. A fit replaces two figures of the
 * layer's outermost level in the layer's price and leaves the sharing rule of price.h as it is:
 *
 *     latency   = plain latency * fit.latency_seconds / level.latency_seconds
 *     bandwidth = plain share of one ring * fit.bytes_per_second / level.bytes_per_second
 *
 * The launch cost is one figure for the whole system (hs_system.launch_seconds), fitted with the
 * rest. So a fitted layer's time stays affine in the bytes, and search stays exact. How fits are
 * made: calibration.h.
 */
#ifndef HS_SYSTEM_FIT_H
#define HS_SYSTEM_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "system/stage_key.h"

/* name, text (files and tables), meaning; from the widest to the narrowest */
/* clang-format off */
#define HS_FIT_SCOPES(row)                                                       \
    row(NONE, "description", "the figures of the system's levels, as described") \
    row(LEVEL, "level", "other sizes on the level were measured")                \
    row(SIZE, "size", "this size on the level was measured, at other strides")   \
    row(LAYER, "layer", "this stride and size was measured")
/* clang-format on */

enum hs_fit_scope {
#define HS_ROW(name, text, meaning) HS_FIT_##name,
    HS_FIT_SCOPES(HS_ROW)
#undef HS_ROW
        HS_FIT_SCOPE_COUNT
};
extern const char *const hs_fit_scope_names[HS_FIT_SCOPE_COUNT];

struct hs_fit {
    enum hs_fit_scope scope; /* never NONE */
    int level;               /* outermost level that the layers cross */
    bool misaligned;
    bool exchanges; /* stages of an all-to-all: nothing is added up, and nobody passes on */
    int64_t size;   /* scopes size and layer, else 0 */
    int64_t stride; /* scope layer, else 0 */
    enum hs_algorithm algorithm;

    double latency_seconds;  /* of one step, >= 0: replaces the level's */
    double bytes_per_second; /* what one child injects, > 0: replaces the level's */
    /* Half widths of 95 % intervals of the two, and of the time of a layer of this kind relative to
     * that time. The last one counts how far layers of one level and size differ among themselves,
     * so it widens from scope layer to size to level. */
    double latency_ci95_seconds, bandwidth_ci95_bytes_per_second, relative_ci95;

    int64_t points;              /* measurements behind it */
    double residual;             /* root mean square of (measured - fitted) / measured */
    double min_bytes, max_bytes; /* entering the layers measured */
    int64_t min_size, max_size;  /* of the layers measured */
};

/* What the 95 % interval of a layer's time gains, relative to the time, for each doubling by which
 * its size or its bytes lie outside of what was measured. */
#define HS_EXTRAPOLATION_WIDTH 0.10
/* And where its algorithm was not measured on its level: a guess. */
#define HS_OTHER_ALGORITHM_WIDTH 0.25

/* One measured time of a stage, or of a pair. */
struct hs_fit_point {
    struct hs_stage_key key;
    int64_t np;     /* processes that ran; stride * size divides it */
    double bytes;   /* entering the layer, > 0 */
    double seconds; /* median, > 0 */
    double noise;   /* relative standard error of that median; NaN: unknown */
};

/* Whether it is a time of a layer: stride * size divides np, bytes and seconds are above 0. */
bool hs_fit_point_valid(const struct hs_fit_point *point);

/* Joins, in place, each reduce-scatter with the allgather of the same layer and message to a PAIR
 * of their sum: a split has both, so that is what counts, and they may well take different times
 * (the one computes). Returns how many points are left; halves[i], where it is not NULL, is how
 * many of the given ones are in point i. O(count^2). */
size_t hs_fit_points_pair(struct hs_fit_point *points, int64_t *halves, size_t count);

/* A layer whose points no fit describes. */
struct hs_fit_refusal {
    struct hs_layer layer;
    double residual; /* as in struct hs_fit */
    char why[128];
};

/* Everything a calibration left in a system file. {0}: none. */
struct hs_fits {
    char *source; /* owned: what was measured, where and when; may be NULL */
    /* [count] owned, in the order of hs_fit_compare, no two for the same layers */
    struct hs_fit *items;
    size_t count;
    struct hs_fit_point *points; /* [point_count] owned */
    size_t point_count;
    struct hs_fit_refusal *refusals; /* [refusal_count] owned */
    size_t refusal_count;
    double launch_ci95_seconds; /* half width, of the system's launch cost */
};

/* Order of `items`: level, nested before misaligned, size, stride (0 first), algorithm, exchanges
 * last. */
int hs_fit_compare(const struct hs_fit *a, const struct hs_fit *b);
/* Whether its layers go by the stage's algorithm, and are exchanges where it is one. */
bool hs_fit_is_of(const struct hs_fit *fit, struct hs_stage_key key);

/* The fit for a stage of that outermost level, or NULL. Where the level was measured only with
 * layers of the other kind (misaligned or nested), theirs of scope level serves; where only with
 * rings, those of scope level serve other algorithms, and rings of other phases exchanges: the fit
 * is then not of the stage (hs_fit_is_of).
 * O(log count). */
const struct hs_fit *hs_fits_find(const struct hs_fits *fits, int level, bool misaligned,
                                  struct hs_stage_key key);
/* Whether a layer of this size with `bytes` entering (0: whatever) lies outside of what the fit's
 * points cover. One percent beyond an end is still inside. */
bool hs_fit_extrapolates(const struct hs_fit *fit, struct hs_layer layer, double bytes);
/* Releases what they own and zeroes them; of {0}, too. */
void hs_fits_release(struct hs_fits *fits);

#endif
