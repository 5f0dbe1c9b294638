/*
 * The member `fits` of a system file (docs/system.schema.json).
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/fields.h"
#include "base/units.h"
#include "estimate/system_file.h"
#include "library/price_plan.h"

#define LIST_MAX          100000 /* entries of each list */
#define LATENCY_RATIO_MAX 1e30   /* of a fit and its level, which prices are multiplied by */

#define RANKS(least) .min = (least), .max = HS_NP_MAX
#define BANDWIDTH    .min = HS_BANDWIDTH_MIN / 1e9, .max = HS_BANDWIDTH_MAX / 1e9
#define BYTES        .min = 1e-9, .max = 1e18
#define HALF_WIDTH   HS_OPTIONAL, .max = HS_LATENCY_MAX * 1e6

/* ---- what prices say of a fit's layers ---------------------------------------------------- */

/* Bytes that take twice what they would with the bandwidth of the longest messages alone. */
static double bytes_of_half(const struct hs_stage_price *price)
{
    double p = (double)price->key.layer.size, most = 0;
    double per_byte = price->lines[price->line_count - 1].seconds_per_byte;

    for (int i = 0; i < price->line_count; i++)
        most = fmax(most, (price->lines[i].latency_seconds + price->launch_seconds) /
                              (2 * per_byte - price->lines[i].seconds_per_byte));
    return most * p / (p - 1);
}

int64_t hs_fit_ranks(const struct hs_system *system, struct hs_layer layer, int level,
                     bool misaligned)
{
    int64_t block = layer.stride * layer.size;
    int64_t over = hs_system_child_ranks(system, (size_t)level) / block + 1;
    int64_t ranks[] = {block, over <= HS_NP_MAX / block ? over * block : block};

    for (int i = 0; i < 2; i++) {
        struct hs_stage_price price =
            hs_stage_price(system, ranks[i], (struct hs_stage_key){HS_ALLREDUCE, HS_RING, layer});

        if (price.level == level && price.misaligned == misaligned)
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
    /* One that is like it: nested ones begin at a child's border, misaligned ones reach just over
     * it. */
    if (layer.stride == 0)
        layer.stride = fit->misaligned ? child_ranks / layer.size + 1 : child_ranks;
    ranks = hs_fit_ranks(system, layer, fit->level, fit->misaligned);
    price = hs_stage_price(
        system, ranks > 0 ? ranks : layer.stride * layer.size,
        (struct hs_stage_key){fit->exchanges ? HS_EXCHANGE : HS_ALLREDUCE, fit->algorithm, layer});
    return bytes_of_half(&price);
}

/* ---- one fit ---- */

static size_t list_levels(const char *names[HS_CHOICES_MAX], const struct hs_place *place)
{
    return hs_system_list_levels(names, hs_place_of(place, &hs_system_fields));
}

/* For people, where a size says which layers they are. */
static double half_bandwidth_bytes(const struct hs_place *place)
{
    const struct hs_fit *fit = place->object;

    return fit->scope == HS_FIT_LEVEL
               ? (double)NAN
               : hs_fit_half_bandwidth_bytes(fit, hs_place_of(place, &hs_system_fields));
}

/* Members that a scope has are wanted, and those that it has not are refused. */
static enum hs_status check_member(const struct hs_place *place, const char *key, bool there,
                                   bool wanted, struct hs_error *err)
{
    if (there == wanted)
        return HS_OK;
    return hs_field_fail(place, key, err, wanted ? "missing" : "not of a fit of this scope");
}

/* Whether the level has such layers; of a layer with a stride the model knows where it lies. */
static enum hs_status check_layer(const struct hs_fit *fit, const struct hs_place *place,
                                  struct hs_error *err)
{
    const struct hs_system *system = hs_place_of(place, &hs_system_fields);
    const char *name = system->levels[fit->level].name;
    int64_t child = hs_system_child_ranks(system, (size_t)fit->level);
    struct hs_layer layer = {fit->stride, fit->size};
    struct hs_stage_price price;

    if (fit->misaligned && child == 1)
        return hs_json_fail(place->at, err,
                            "misaligned: no layer is misaligned on the innermost level");
    if (fit->size > 0 && HS_NP_MAX / fit->size < (fit->misaligned ? 1 : child))
        return hs_json_fail(place->at, err, "size: %" PRId64 " children of level %s are too many",
                            fit->size, name);
    if (fit->scope != HS_FIT_LAYER)
        return HS_OK;
    if (layer.stride > HS_NP_MAX / layer.size)
        return hs_json_fail(place->at, err,
                            "stride: %" PRId64 " times size %" PRId64 " is too large", layer.stride,
                            layer.size);
    if (hs_fit_ranks(system, layer, fit->level, fit->misaligned) > 0)
        return HS_OK;
    price = hs_stage_price(system, layer.stride * layer.size,
                           (struct hs_stage_key){HS_ALLREDUCE, HS_RING, layer});
    return hs_json_fail(place->at, err,
                        "the layer of stride %" PRId64 " and size %" PRId64
                        " lies on level %s and %s",
                        layer.stride, layer.size, system->levels[price.level].name,
                        price.misaligned ? "is misaligned" : "is aligned");
}

static enum hs_status check_latency(const struct hs_fit *fit, const struct hs_place *place,
                                    struct hs_error *err)
{
    const struct hs_system *system = hs_place_of(place, &hs_system_fields);
    const struct hs_level *level = &system->levels[fit->level];

    if (level->latency_seconds == 0 ||
        fit->latency_seconds / level->latency_seconds <= LATENCY_RATIO_MAX)
        return HS_OK;
    return hs_json_fail(place->at, err, "latency_us: more than %g times that of level %s",
                        LATENCY_RATIO_MAX, level->name);
}

/* What the fit's points cover. */
static enum hs_status check_range(const struct hs_fit *fit, const struct hs_place *place,
                                  struct hs_error *err)
{
    if (fit->max_bytes < fit->min_bytes)
        return hs_json_fail(place->at, err, "max_bytes: expected min_bytes, %g, or more, found %g",
                            fit->min_bytes, fit->max_bytes);
    if (fit->max_size < fit->min_size)
        return hs_json_fail(place->at, err,
                            "max_size: expected min_size, %" PRId64 ", or more, found %" PRId64,
                            fit->min_size, fit->max_size);
    if (fit->size > 0 && (fit->min_size != fit->size || fit->max_size != fit->size))
        return hs_json_fail(place->at, err,
                            "min_size and max_size: expected the size, %" PRId64 ", found %" PRId64
                            " and %" PRId64,
                            fit->size, fit->min_size, fit->max_size);
    return HS_OK;
}

static enum hs_status check_fit(void *object, const struct hs_place *place, struct hs_error *err)
{
    const struct hs_fit *fit = object;
    enum hs_status status;

    if ((status = check_member(place, "size", fit->size > 0, fit->scope != HS_FIT_LEVEL, err)) ||
        (status =
             check_member(place, "stride", fit->stride > 0, fit->scope == HS_FIT_LAYER, err)) ||
        (status = check_layer(fit, place, err)) || (status = check_latency(fit, place, err)))
        return status;
    return check_range(fit, place, err);
}

#define FIT(member) HS_AT(struct hs_fit, member)

static const struct hs_field fit_rows[] = {
    {"scope", HS_CHOICE, FIT(scope), .names = hs_fit_scope_names + HS_FIT_LEVEL,
     .first = HS_FIT_LEVEL, .name_count = HS_FIT_SCOPE_COUNT - HS_FIT_LEVEL,
     .about = "layer: this stride and size was measured; size: other strides of this size on the "
              "level; level: other sizes on the level."},
    {"level", HS_CHOICE, FIT(level), .list = list_levels,
     .about = "Name of the outermost level that the layers cross."},
    {"misaligned", HS_BOOL, FIT(misaligned), HS_WITH(false),
     .about = "Whether the layers' rings have hops on inner levels, too. Such layers are fitted "
              "apart from the others."},
    {"size", HS_INTEGER, FIT(size), HS_WITHOUT(0), RANKS(2), .about = "Ranks."},
    {"stride", HS_INTEGER, FIT(stride), HS_WITHOUT(0), RANKS(1), .about = "Ranks."},
    {"algorithm", HS_CHOICE, FIT(algorithm), HS_NAMES(hs_algorithm_names), HS_WITHOUT(HS_RING),
     .about = "Of the layers measured."},
    {"exchanges", HS_BOOL, FIT(exchanges), HS_WITHOUT(false),
     .about = "Whether they were all-to-alls, which are fitted apart: theirs price no other call."},
    {"latency_us", HS_NUMBER, FIT(latency_seconds), .unit = &hs_unit_microseconds,
     .max = HS_LATENCY_MAX * 1e6, .about = "Of one step: takes the place of the level's."},
    {"bandwidth_GBps", HS_NUMBER, FIT(bytes_per_second), .unit = &hs_unit_gigabytes, BANDWIDTH,
     .about = "What one child injects: takes the place of the level's."},
    {"half_bandwidth_bytes", HS_NUMBER, HS_OPTIONAL, HS_NOT_NEGATIVE,
     .compute = half_bandwidth_bytes,
     .about = "Bytes entering the layer at which half of its bandwidth is reached. For people: "
              "computed from the other figures, and not read."},
    {"latency_ci95_us", HS_NUMBER, FIT(latency_ci95_seconds), .unit = &hs_unit_microseconds,
     HALF_WIDTH, .about = "Half width of its 95 % interval; absent where not known."},
    {"bandwidth_ci95_GBps", HS_NUMBER, FIT(bandwidth_ci95_bytes_per_second),
     .unit = &hs_unit_gigabytes, HS_OPTIONAL, .max = 1e18,
     .about = "Half width of its 95 % interval; absent where not known."},
    {"ci95_percent", HS_NUMBER, FIT(relative_ci95), HS_OPTIONAL, .unit = &hs_unit_percent,
     .max = 1e9,
     .about = "Half width of the 95 % interval of the time of such a layer, of that time."},
    {"points", HS_INTEGER, FIT(points), .min = 1, .max = INT32_MAX,
     .about = "Measured times behind the fit."},
    {"residual_percent", HS_NUMBER, FIT(residual), .unit = &hs_unit_percent, .max = 1e9,
     .about = "Root mean square of (measured - fitted) / measured."},
    {"min_bytes", HS_NUMBER, FIT(min_bytes), BYTES, .about = "Entering the layers measured."},
    {"max_bytes", HS_NUMBER, FIT(max_bytes), BYTES, .about = "The largest of them."},
    {"min_size", HS_INTEGER, FIT(min_size), RANKS(2), .about = "Of the layers measured."},
    {"max_size", HS_INTEGER, FIT(max_size), RANKS(2), .about = "The largest of them."},
};
static const struct hs_fields fit_fields = {
    .name = "fit",
    HS_ROWS(fit_rows, struct hs_fit),
    .check = check_fit,
    .rules = "\"allOf\": [\n"
             "{ \"if\": { \"properties\": { \"scope\": { \"const\": \"level\" } } },\n"
             "  \"then\": { \"properties\": { \"size\": false, \"stride\": false } },\n"
             "  \"else\": { \"required\": [\"size\"] } },\n"
             "{ \"if\": { \"properties\": { \"scope\": { \"const\": \"layer\" } } },\n"
             "  \"then\": { \"required\": [\"stride\"] },\n"
             "  \"else\": { \"properties\": { \"stride\": false } } }\n"
             "]",
};

/* ---- points and refusals ---- */

static enum hs_status check_ranks(struct hs_layer layer, const struct hs_place *place,
                                  struct hs_error *err)
{
    if (layer.stride <= HS_NP_MAX / layer.size)
        return HS_OK;
    return hs_json_fail(place->at, err,
                        "stride %" PRId64 " times size %" PRId64 " is beyond %" PRId64,
                        layer.stride, layer.size, HS_NP_MAX);
}

static enum hs_status check_refusal(void *object, const struct hs_place *place,
                                    struct hs_error *err)
{
    return check_ranks(((const struct hs_fit_refusal *)object)->layer, place, err);
}

static enum hs_status check_point(void *object, const struct hs_place *place, struct hs_error *err)
{
    const struct hs_fit_point *point = object;
    struct hs_layer layer = point->key.layer;

    if (check_ranks(layer, place, err))
        return HS_INVALID;
    if (point->np % (layer.stride * layer.size) != 0)
        return hs_json_fail(place->at, err,
                            "np: expected a multiple of stride times size, %" PRId64
                            ", found %" PRId64,
                            layer.stride * layer.size, point->np);
    return HS_OK;
}

#define POINT(member) HS_AT(struct hs_fit_point, member)

static const struct hs_field point_rows[] = {
    {"stride", HS_INTEGER, POINT(key.layer.stride), RANKS(1), .about = "Ranks."},
    {"size", HS_INTEGER, POINT(key.layer.size), RANKS(2), .about = "Ranks."},
    {"np", HS_INTEGER, POINT(np), RANKS(2),
     .about = "Processes that ran; stride times size divides it."},
    {"phase", HS_CHOICE, POINT(key.phase), HS_NAMES(hs_phase_names)},
    {"algorithm", HS_CHOICE, POINT(key.algorithm), HS_NAMES(hs_algorithm_names),
     HS_WITHOUT(HS_RING), .about = "Of the layer."},
    {"bytes", HS_NUMBER, POINT(bytes), BYTES, .about = "Entering the layer, per process."},
    {"seconds", HS_TIME, POINT(seconds), .above = true, .about = "Median."},
    {"noise", HS_NUMBER, POINT(noise), HALF_WIDTH,
     .about = "Relative standard error of the median; absent where not known."},
};
static const struct hs_fields point_fields = {.name = "point",
                                              .about = "One measured time of a layer.",
                                              HS_ROWS(point_rows, struct hs_fit_point),
                                              .check = check_point};

#define REFUSAL(member) HS_AT(struct hs_fit_refusal, member)

static const struct hs_field refusal_rows[] = {
    {"stride", HS_INTEGER, REFUSAL(layer.stride), RANKS(1), .about = "Ranks."},
    {"size", HS_INTEGER, REFUSAL(layer.size), RANKS(2), .about = "Ranks."},
    {"residual_percent", HS_NUMBER, REFUSAL(residual), HS_OPTIONAL, .unit = &hs_unit_percent,
     .max = 1e9},
    {"why", HS_TEXT, REFUSAL(why)},
};
static const struct hs_fields refusal_fields = {HS_ROWS(refusal_rows, struct hs_fit_refusal),
                                                .check = check_refusal};

/* ---- all of them ---- */

/* A fit and its place in the file. */
struct placed_fit {
    struct hs_fit fit;
    size_t index;
};

static int compare_placed(const void *left, const void *right)
{
    const struct placed_fit *a = left, *b = right;
    int order = hs_fit_compare(&a->fit, &b->fit);

    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Sorts; of equal ones the first pair in sorted order is named. */
static enum hs_status sort_fits(void *object, const struct hs_place *place, struct hs_error *err)
{
    struct hs_fits *fits = object;
    struct placed_fit *placed = calloc(fits->count, sizeof(*placed));
    struct hs_json list = hs_json_find(place->at, "layers");
    enum hs_status status = placed ? HS_OK : hs_no_memory(err);

    for (size_t i = 0; i < fits->count && placed; i++)
        placed[i] = (struct placed_fit){fits->items[i], i};
    if (placed)
        qsort(placed, fits->count, sizeof(*placed), compare_placed);
    for (size_t i = 0; i < fits->count && !status; i++) {
        fits->items[i] = placed[i].fit;
        if (i > 0 && hs_fit_compare(&placed[i - 1].fit, &placed[i].fit) == 0) {
            struct hs_json at = hs_json_element(&list, placed[i].index);

            status =
                hs_json_fail(&at, err, "for the same layers as layers[%zu]", placed[i - 1].index);
        }
    }
    free(placed);
    return status;
}

/* They may be many times the rest, so they stay in the system's own file. */
static bool is_own_file(const struct hs_place *place)
{
    const struct hs_fits *fits = place->object;

    return fits->point_count > 0 && place->parent && !place->parent->parent;
}

#define LIST(member, count) HS_LIST_AT(struct hs_fits, member, count), .max = LIST_MAX

static const struct hs_field fits_rows[] = {
    {"source", HS_TEXT, HS_OWNED(struct hs_fits, source), HS_OPTIONAL,
     .about = "What was measured, where and when."},
    {"launch_ci95_us", HS_NUMBER, HS_AT(struct hs_fits, launch_ci95_seconds),
     .unit = &hs_unit_microseconds, HALF_WIDTH,
     .about = "Half width of the 95 % interval of launch_us; absent where not known."},
    {"layers", HS_LIST, LIST(items, count), .min = 1, .fields = &fit_fields},
    {"points", HS_LIST, LIST(points, point_count), HS_OPTIONAL, .fields = &point_fields,
     .when = is_own_file, .about = "The measured times behind the fits; absent in result files."},
    {"refused", HS_LIST, LIST(refusals, refusal_count), HS_OPTIONAL, .fields = &refusal_fields,
     .about = "Layers whose times no fit describes."},
};

const struct hs_fields hs_fits_fields = {
    .name = "fits",
    .about = "Of a calibrated system: figures that were fitted to measured layers. A layer takes "
             "the narrowest fit there is for it.",
    HS_ROWS(fits_rows, struct hs_fits),
    .check = sort_fits,
};
