#include "estimate/belief.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "estimate/nested.h"
#include "library/price_plan.h"

/* ---- priors -------------------------------------------------------------------------------- */

/* Standard deviations of described figures, relative to them. Real links reach about half to all of
 * what is said of them; described latencies are of the wire more often than not, and software takes
 * several times as long, and more before each call. */
#define SLOWNESS_DEVIATION 0.35
#define LATENCY_DEVIATION  2.0
#define LAUNCH_DEVIATION   20.0
#define LEAST_LATENCY      2e-6 /* seconds: what is taken instead where less is described */
#define LEAST_LAUNCH       5e-6 /* likewise */
/* Times as much for figures that are to be replaced, or that mean nothing. */
#define DOUBT 10.0
/* Of other algorithms from rings, and of exchanges from other phases. */
#define ALGORITHM_DEVIATION 0.35
/* Of sizes, and of layers of one size. Links may be missing where only the shape is known. */
#define DEVIATION          0.10
#define DEVIATION_OF_SHAPE 0.30
/* Of machines that are drawn: in place of the last, what layers that were not measured are off by
 * beside measured ones on an emulated cluster (bench/accuracy_cluster.py); HS_PRICE_DEVIATION in
 * place of those of misaligned and other algorithms. */
#define DRAWN_APART 0.07
#define USUAL_NOISE 0.05
#define NOISE_FLOOR 1e-3 /* no median is known better than this: clocks, and rounding */

/* ---- estimation ----------------------------------------------------------------------------- */

/* Rounds of linearisation; scatter is looked at in the later ones, when figures are near where they
 * stay. */
#define ROUNDS        10
#define SCATTER_FROM  3
#define WIDEST        5.0   /* most that deviations are widened */
#define SURE          1.0   /* deviations of the size expected that count as seen before */
#define SURPRISE      2.0   /* standard deviations off: then a figure's prior is widened */
#define DECIDED_LEAST 1e-12 /* part of a figure that points decide, to be worth a look */
#define ASTRAY        1e12  /* mean square of standard errors off: not found at all */
#define LEAST_FACTOR  0.05  /* least part of a described figure that deviations are relative to */

/* ---- points that no line describes ---------------------------------------------------------- */

#define POINTS_MIN  4
#define LONGER_HALF 0.495 /* a little less than half, for sizes that are rounded up */
#define LONGEST     0.99
/* Of the residual allowed, where a latency is held at 0: short messages go faster than a line says
 * (through buffers, or links that lend), and would else tilt it. */
#define HELD 0.3

#define OWN         ((size_t)2) /* unknowns of a kind: deviations of latency and of slowness */
#define FIGURES_MAX (1 + 2 * HS_LEVELS_MAX)
#define ROW_MAX     (OWN * HS_FIT_LAYER + FIGURES_MAX + 1)
_Static_assert(ROW_MAX <= HS_NESTED_ROW_MAX, "a row fits");

/* Parts of a time. */
enum { LAUNCHES = 1, STEPS = 2, MOVING = 4, ALL = 7 };

/* A point, or a stage asked for. */
struct term {
    size_t kind;
    struct hs_fit_point point;
    int64_t halves; /* measurements in it */
    bool used;
};

struct terms {
    struct term *items;
    double *rows; /* [width + 1] each */
    size_t count;
};

/* An unknown of the machine: launch seconds; latency seconds and seconds per byte of a level. */
struct figure {
    double mean, deviation; /* of its prior */
    double widened;         /* factor of the deviation: it was far off */
    double at;              /* of latencies: where deviations are linearised */
    bool held;              /* at 0 */
    bool measured;          /* of latencies: points are of the level */
};

/* Unknowns are counted in prior standard deviations from their prior means (z). A row has the
 * unknowns of a layer's kind, of each it is part of, and of the machine, and at its end what the
 * means alone make: the time is its product with these and a 1. */
struct hs_belief {
    struct hs_system described; /* its rings: a line is fitted, which NCCL's calls are not */
    struct hs_belief_options options;
    double scale;          /* of figures that mean nothing: how many times slower the machine is */
    double widen, scatter; /* factors of deviations, and of all that is not known */

    struct figure figures[FIGURES_MAX]; /* launch; per level a latency; per level a slowness */
    struct hs_system now;               /* with bandwidths as they are estimated */

    size_t width; /* unknowns of a row */
    struct hs_belief_kind *kinds;
    size_t kind_count, known; /* the first are of points; of what is asked the others */
    double *z, *drawn;       /* of all kinds, as nested counts them: as expected, and in one draw */
    struct hs_nested nested; /* a node per kind; the machine is the root */
    struct terms points, asked;
};

/* How many figures the machine has. */
static size_t figures_of(const struct hs_belief *b)
{
    return 1 + 2 * b->described.level_count;
}

/* ---- kinds ---------------------------------------------------------------------------------- */

static bool is_kind(const struct hs_belief_kind *a, const struct hs_belief_kind *b)
{
    return a->fit.scope == b->fit.scope && a->parent == b->parent &&
           hs_fit_compare(&a->fit, &b->fit) == 0;
}

static void add_kind(struct hs_belief *b, struct hs_belief_kind kind)
{
    b->kinds[b->kind_count] = kind;
    b->nested.parents[b->kind_count] = kind.parent;
    b->nested.depths[b->kind_count] = (size_t)kind.fit.scope;
    b->nested.count = ++b->kind_count;
}

/* The kind that is alike; new where there is none. */
static size_t take_kind(struct hs_belief *b, struct hs_belief_kind like)
{
    size_t i = 0;

    while (i < b->kind_count && !is_kind(&b->kinds[i], &like))
        i++;
    if (i == b->kind_count)
        add_kind(b, like);
    return i;
}

/* The kind of a stage's layer, with those that it is part of. */
static size_t kind_of(struct hs_belief *b, int64_t ranks, struct hs_stage_key key)
{
    struct hs_stage_price price = hs_stage_price(&b->described, ranks, key);
    struct hs_belief_kind kind = {.fit = {.scope = HS_FIT_LEVEL,
                                          .level = price.level,
                                          .misaligned = price.misaligned,
                                          .exchanges = key.phase == HS_EXCHANGE,
                                          .algorithm = key.algorithm}};

    kind.parent = take_kind(b, kind);
    kind.fit.scope = HS_FIT_SIZE;
    kind.fit.size = key.layer.size;
    kind.parent = take_kind(b, kind);
    kind.fit.scope = HS_FIT_LAYER;
    kind.fit.stride = key.layer.stride;
    return take_kind(b, kind);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Prior standard deviation of a kind's slowness, and of its latency where that deviates. */
static double deviation_of(const struct hs_belief *b, const struct hs_belief_kind *kind)
{
    bool drawn = b->options.as_drawn;
    struct hs_stage_price like = {.key.algorithm = kind->fit.algorithm,
                                  .level = kind->fit.level,
                                  .misaligned = kind->fit.misaligned};
    double usual = b->options.shape_only ? DEVIATION_OF_SHAPE : drawn ? DRAWN_APART : DEVIATION;
    double misaligned = drawn ? HS_PRICE_DEVIATION : HS_MISALIGNED_PRIOR_DEVIATION;
    double other = drawn ? HS_PRICE_DEVIATION : ALGORITHM_DEVIATION;

    if (drawn && !kind->told && hs_stage_price_is_least(&b->described, &like))
        misaligned = 0; /* machines.h draws that */
    if (kind->fit.scope == HS_FIT_LEVEL)
        usual = hs_joint_error(kind->fit.misaligned ? misaligned : 0,
                               kind->fit.algorithm == HS_RING && !kind->fit.exchanges ? 0 : other);
    return b->widen * usual;
}

/* A level has one latency for all its layers, but exchanges keep many messages under way. */
static bool latency_deviates(const struct hs_belief_kind *kind)
{
    return kind->fit.scope > HS_FIT_LEVEL || kind->fit.exchanges;
}

/* Latencies of its outermost level that a stage pays. */
static double steps_of(const struct hs_stage_price *price, const struct hs_system *system,
                       double bytes)
{
    double latency = system->levels[price->level].latency_seconds;

    return latency > 0 ? hs_stage_line(price, bytes).latency_seconds / latency
                       : system->pipeline_granularity * price->steps;
}

/* The row of some parts of a term's time; deviations down to a scope. */
static void fill_row(double *row, const struct hs_belief *b, const struct term *term,
                     unsigned parts, enum hs_fit_scope scope)
{
    const struct hs_fit_point *point = &term->point;
    struct hs_stage_price price = hs_stage_price(&b->now, point->np, point->key);
    double *base = row + OWN * HS_FIT_LAYER, steps = 0, moving = 0;

    memset(row, 0, (b->width + 1) * sizeof(*row));
    if (parts & LAUNCHES)
        base[0] = hs_phase_calls(point->key.phase);
    if (parts & STEPS)
        steps = steps_of(&price, &b->now, point->bytes);
    if (parts & MOVING)
        moving = hs_stage_bandwidth_seconds(&price, point->bytes);
    for (size_t k = term->kind; k > 0; k = b->kinds[k].parent, row += OWN) {
        const struct hs_belief_kind *kind = &b->kinds[k];

        if (latency_deviates(kind) && kind->fit.scope <= scope)
            row[0] = deviation_of(b, kind) * steps * b->figures[1 + price.level].at;
        if (kind->fit.scope <= scope)
            row[1] = deviation_of(b, kind) * moving;
    }
    base[1 + price.level] = steps;
    base[1 + b->now.level_count + (size_t)price.bottleneck] =
        moving * b->now.levels[price.bottleneck].bytes_per_second;
    for (size_t c = 0; c < figures_of(b); c++) {
        base[figures_of(b)] += base[c] * b->figures[c].mean;
        base[c] *= b->figures[c].deviation;
    }
}

static void fill_rows(double *rows, const struct hs_belief *b, const struct term *terms,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        fill_row(rows + i * (b->width + 1), b, &terms[i], ALL, HS_FIT_LAYER);
}

static double sigma_of(const struct term *term)
{
    return term->point.noise * term->point.seconds;
}

/* ---- estimation ----------------------------------------------------------------------------- */

/* Of latencies and slownesses, relative to them. */
struct deviations {
    double latency, slowness, launch;
};

/* Of level l. What the description says of figures that points are of may be the points' own. */
static struct deviations deviations_of_figures(const struct hs_belief *b, size_t l)
{
    const struct hs_level *level = &b->described.levels[l];
    const struct hs_figure_kind_row *guess = &hs_figure_kinds[HS_FIGURE_GUESS];
    bool measured = b->figures[1 + l].measured;

    if (!b->options.as_drawn)
        return (struct deviations){LATENCY_DEVIATION, SLOWNESS_DEVIATION, LAUNCH_DEVIATION};
    return (struct deviations){
        (measured ? guess : hs_level_latency_kind(level))->latency_deviation,
        (measured ? guess : hs_level_bandwidth_kind(level))->bandwidth_deviation,
        (b->points.count > 0 ? guess : hs_level_latency_kind(level))->latency_deviation};
}

/* Which levels points are of. */
static void mark_measured(struct hs_belief *b)
{
    for (size_t i = 0; i < b->points.count; i++) {
        const struct hs_fit_point *point = &b->points.items[i].point;
        struct hs_stage_price price = hs_stage_price(&b->described, point->np, point->key);

        b->figures[1 + price.level].measured = true;
        b->figures[1 + price.bottleneck].measured = true;
    }
}

static void set_priors(struct hs_belief *b)
{
    const struct hs_system *system = &b->described;
    bool unknown = b->options.shape_only;
    double doubt = unknown || b->options.max_residual > 0 ? DOUBT : 1;
    struct figure *launch = b->figures;

    launch->mean = unknown ? 0 : system->launch_seconds;
    launch->deviation =
        deviations_of_figures(b, 0).launch * b->scale * fmax(system->launch_seconds, LEAST_LAUNCH);
    for (size_t l = 0; l < system->level_count; l++) {
        struct figure *latency = &launch[1 + l], *slowness = latency + system->level_count;
        struct deviations deviations = deviations_of_figures(b, l);
        double described = system->levels[l].latency_seconds;
        double unit = b->scale * fmax(described, LEAST_LATENCY);

        latency->mean = unknown ? unit : described;
        latency->deviation = deviations.latency * unit;
        slowness->mean = b->scale / system->levels[l].bytes_per_second;
        slowness->deviation = deviations.slowness * slowness->mean;
    }
    for (struct figure *figure = launch; figure < launch + figures_of(b); figure++) {
        figure->deviation *= figure->held ? 0 : doubt * figure->widened;
        if (figure->held)
            figure->mean = 0;
    }
}

static double expected(const struct hs_belief *b, size_t c)
{
    return b->figures[c].mean + b->figures[c].deviation * b->z[c];
}

/* The figures as expected, but for those too near 0 to be deviated from. */
static void estimate(struct hs_belief *b)
{
    for (size_t l = 0; l < b->now.level_count; l++) {
        const struct hs_level *level = &b->described.levels[l];
        double unit = b->scale * fmax(level->latency_seconds, LEAST_LATENCY);
        double slowness = b->scale / level->bytes_per_second;

        b->figures[1 + l].at =
            b->figures[1 + l].held ? 0 : fmax(expected(b, 1 + l), LEAST_FACTOR * unit);
        b->now.levels[l].bytes_per_second =
            1 / fmax(expected(b, 1 + b->now.level_count + l), LEAST_FACTOR * slowness);
    }
}

/* Where figures mean nothing: the geometric mean of measured over described. */
static void find_scale(struct hs_belief *b)
{
    double sum = 0, row[ROW_MAX];

    for (size_t i = 0; i < b->points.count; i++) {
        fill_row(row, b, &b->points.items[i], STEPS | MOVING, HS_FIT_NONE);
        sum += log(b->points.items[i].point.seconds / row[b->width]);
    }
    b->scale = exp(sum / (double)b->points.count);
}

static void start(struct hs_belief *b)
{
    b->now = b->described;
    b->scale = b->widen = b->scatter = 1;
    memset(b->z, 0, hs_nested_unknowns(&b->nested, b->kind_count) * sizeof(*b->z));
    memset(b->figures, 0, sizeof(b->figures));
    for (size_t c = 0; c < FIGURES_MAX; c++)
        b->figures[c].widened = 1;
    mark_measured(b);
    set_priors(b);
    if (b->options.shape_only && b->points.count > 0)
        find_scale(b);
    set_priors(b);
    estimate(b);
}

/* What part of the machine's unknown c the points decide: 0 to 1. */
static double decided_of(const struct hs_belief *b, size_t c)
{
    double row[ROW_MAX] = {0};

    row[c] = 1;
    return 1 - hs_nested_variance(row, &b->nested, 0);
}

/* A figure far off its prior says nothing against the model: its own prior gives way, before all
 * deviations do. Where points decide little of a figure it moves little, but that is as telling. */
static void give_way(struct hs_belief *b)
{
    for (size_t c = 0; c < figures_of(b); c++) {
        double decided = decided_of(b, c);

        if (decided > DECIDED_LEAST)
            b->figures[c].widened *= fmax(1, fabs(b->z[c]) / sqrt(decided) / SURPRISE);
    }
}

/* Holds latencies that came out negative at 0. Returns whether there were any. */
static bool hold_negative(struct hs_belief *b)
{
    bool any = false;

    for (size_t c = 0; c <= b->now.level_count; c++)
        if (!b->figures[c].held && expected(b, c) < 0)
            b->figures[c].held = any = true;
    return any;
}

/* How many unknowns the points decide, of as many as there are points; *squares: of the points'
 * distances from what is expected, in standard errors; *count: of points. */
static double decided_by(double *squares, double *count, const struct hs_belief *b)
{
    double decided = 0;

    *squares = *count = 0;
    for (size_t i = 0; i < b->points.count; i++) {
        const struct term *term = &b->points.items[i];
        const double *row = b->points.rows + i * (b->width + 1);
        double miss = term->point.seconds - hs_nested_sum(row, &b->nested, b->z, term->kind);

        if (!term->used)
            continue;
        *count += 1;
        *squares += pow(miss / sigma_of(term), 2);
        decided += hs_nested_variance(row, &b->nested, term->kind) / pow(sigma_of(term), 2);
    }
    return decided;
}

/* Deviations as large as all that is not known turns out, if larger than was thought: a figure that
 * surprises makes the rest of the description less likely, too. */
static void widen(struct hs_belief *b)
{
    double rest, count, squares = 0, decided = decided_by(&rest, &count, b);

    for (size_t c = 0; c < hs_nested_unknowns(&b->nested, b->kind_count); c++)
        squares += b->z[c] * b->z[c];
    b->widen = sqrt((SURE + b->widen * b->widen * squares) / (SURE + decided));
    b->widen = fmin(WIDEST, fmax(1, b->widen));
}

/* All that is not known as large as the points' distances from their lines say, if larger. */
static void find_scatter(struct hs_belief *b)
{
    double squares, count, decided = decided_by(&squares, &count, b);

    if (count - decided >= 1)
        b->scatter = fmax(1, sqrt(squares / (count - decided)));
}

static void solve(struct hs_belief *b)
{
    set_priors(b);
    fill_rows(b->points.rows, b, b->points.items, b->points.count);
    hs_nested_forget(&b->nested, 0);
    for (size_t i = 0; i < b->points.count; i++) {
        const struct term *term = &b->points.items[i];

        if (term->used)
            hs_nested_observe(&b->nested, term->kind, b->points.rows + i * (b->width + 1),
                              term->point.seconds, sigma_of(term));
    }
    hs_nested_eliminate(&b->nested);
    hs_nested_mean(b->z, &b->nested);
}

static void condition(struct hs_belief *b)
{
    start(b);
    for (int round = 1;; round++) {
        bool late = round > SCATTER_FROM, held;

        solve(b);
        held = late && b->options.max_residual > 0 && hold_negative(b);
        if (round >= ROUNDS && !held)
            break;
        if (late)
            widen(b);
        give_way(b);
        estimate(b);
    }
    find_scatter(b);
}

/* ---- points that no line describes ---------------------------------------------------------- */

static void count_point(struct hs_fit *fit, const struct term *term, double square)
{
    double squares = fit->residual * fit->residual * (double)fit->points + square;
    int64_t size = term->point.key.layer.size;

    if (fit->points == 0) {
        fit->min_bytes = INFINITY;
        fit->min_size = size;
    }
    fit->points += term->halves;
    fit->residual = sqrt(squares / (double)fit->points);
    fit->min_bytes = fmin(fit->min_bytes, term->point.bytes);
    fit->max_bytes = fmax(fit->max_bytes, term->point.bytes);
    fit->min_size = size < fit->min_size ? size : fit->min_size;
    fit->max_size = size > fit->max_size ? size : fit->max_size;
}

/* What the points in use say of the kinds. */
static void tally(struct hs_belief *b)
{
    for (size_t i = 0; i < b->kind_count; i++) {
        struct hs_fit *fit = &b->kinds[i].fit;

        if (b->kinds[i].refused) /* those keep what they were refused for */
            continue;
        fit->points = 0;
        fit->residual = fit->max_bytes = 0;
    }
    for (size_t i = 0; i < b->points.count; i++) {
        const struct term *term = &b->points.items[i];
        double seconds =
            hs_nested_sum(b->points.rows + i * (b->width + 1), &b->nested, b->z, term->kind) /
            term->point.seconds;

        if (!term->used)
            continue;
        for (size_t k = term->kind; k > 0; k = b->kinds[k].parent) {
            if (term->point.bytes > b->kinds[k].fit.max_bytes)
                b->kinds[k].longest = i;
            count_point(&b->kinds[k].fit, term, (double)term->halves * pow(1 - seconds, 2));
        }
    }
}

static bool is_flat(const struct hs_belief *b, const struct hs_belief_kind *layer)
{
    const struct term *longest = &b->points.items[layer->longest];
    double row[ROW_MAX];

    fill_row(row, b, longest, MOVING, HS_FIT_LAYER);
    return !(hs_nested_sum(row, &b->nested, b->z, longest->kind) > 0);
}

/* Layers that one line does not describe at all message sizes keep the longer half, or where that
 * does not help the longest, which is nearest to what is asked of them. Returns how many, anew. */
static size_t narrow(struct hs_belief *b)
{
    size_t narrowed = 0;

    for (size_t i = 0; i < b->kind_count; i++) {
        struct hs_belief_kind *layer = &b->kinds[i];
        double limit = b->options.max_residual * (b->figures[1 + layer->fit.level].held ? HELD : 1);

        if (layer->fit.scope != HS_FIT_LAYER || layer->fit.points == 0 || layer->refused ||
            is_flat(b, layer) || layer->fit.residual <= limit ||
            layer->fit.min_bytes > LONGEST * layer->fit.max_bytes)
            continue;
        layer->shortest = layer->shortest > 0 ? LONGEST : LONGER_HALF;
        narrowed++;
    }
    return narrowed;
}

/* Layers that are described too badly. Returns how many, anew. */
static size_t refuse(struct hs_belief *b)
{
    size_t refused = 0;

    for (size_t i = 0; i < b->kind_count; i++) {
        struct hs_belief_kind *layer = &b->kinds[i];

        if (layer->fit.scope != HS_FIT_LAYER || layer->fit.points == 0 || layer->refused)
            continue;
        layer->flat = is_flat(b, layer);
        layer->refused = layer->flat || layer->fit.residual > b->options.max_residual;
        refused += layer->refused;
    }
    return refused;
}

/* Which points are used, by what is said of their layers. Returns how many measurements. */
static int64_t choose(struct hs_belief *b)
{
    int64_t used = 0;

    for (size_t i = 0; i < b->points.count; i++) {
        struct term *term = &b->points.items[i];
        const struct hs_belief_kind *layer = &b->kinds[term->kind];

        term->used = !layer->refused && term->point.bytes >= layer->shortest * layer->fit.max_bytes;
        used += term->used ? term->halves : 0;
    }
    return used;
}

/* Conditions, and again without points that are not described, until what is left is. */
static enum hs_status settle(struct hs_belief *b, struct hs_error *err)
{
    bool all = b->options.max_residual == 0;
    double squares, count;

    do {
        condition(b);
        decided_by(&squares, &count, b);
        if (count > 0 && !(squares < ASTRAY * count))
            return hs_fail(err, HS_FAILED,
                           "the measured times have nothing to do with what the system describes");
        tally(b);
        if (all || (narrow(b) == 0 && refuse(b) == 0))
            return HS_OK;
    } while (choose(b) >= POINTS_MIN);
    return hs_fail(err, HS_FAILED,
                   "no fit: the measured times are more than %.0f %% off any line (latency plus "
                   "bytes over bandwidth)",
                   100 * b->options.max_residual);
}

/* ---- making one ----------------------------------------------------------------------------- */

/* Room for the kinds of so many more terms. */
static bool make_room(struct hs_belief *b, size_t terms)
{
    size_t capacity = b->kind_count + HS_FIT_LAYER * terms;
    size_t unknowns = hs_nested_unknowns(&b->nested, capacity);
    struct hs_belief_kind *kinds = realloc(b->kinds, capacity * sizeof(*kinds));
    double *z = realloc(b->z, unknowns * sizeof(*z));
    double *drawn = realloc(b->drawn, unknowns * sizeof(*drawn));

    b->kinds = kinds ? kinds : b->kinds;
    b->z = z ? z : b->z;
    b->drawn = drawn ? drawn : b->drawn;
    return hs_nested_room(&b->nested, capacity) && kinds && z && drawn;
}

static enum hs_status no_memory(struct hs_error *err, size_t count)
{
    return hs_fail(err, HS_MEMORY, "out of memory for %zu points of layers", count);
}

static enum hs_status check_points(const struct hs_fit_point *points, size_t count,
                                   struct hs_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!hs_fit_point_valid(&points[i]))
            return hs_fail(err, HS_INVALID,
                           "point %zu: no time of a layer: stride %" PRId64 ", size %" PRId64
                           " of %" PRId64 " processes, %g bytes, %g s",
                           i + 1, points[i].key.layer.stride, points[i].key.layer.size,
                           points[i].np, points[i].bytes, points[i].seconds);
    return HS_OK;
}

/* Points, in pairs where they are halves. `pairs` and `halves` are working space. */
static void add_points(struct hs_belief *b, const struct hs_fit_point *points, size_t count,
                       struct hs_fit_point *pairs, int64_t *halves)
{
    for (size_t i = 0; i < count; i++) {
        pairs[i] = points[i];
        if (!isfinite(pairs[i].noise))
            pairs[i].noise = b->options.noise;
    }
    b->points.count = hs_fit_points_pair(pairs, halves, count);
    for (size_t i = 0; i < b->points.count; i++) {
        b->points.items[i] = (struct term){.kind = kind_of(b, pairs[i].np, pairs[i].key),
                                           .point = pairs[i],
                                           .halves = halves[i],
                                           .used = true};
        b->points.items[i].point.noise = fmax(pairs[i].noise, NOISE_FLOOR);
    }
}

static enum hs_status take_points(struct hs_belief *b, const struct hs_fit_point *points,
                                  size_t count, struct hs_error *err)
{
    struct hs_fit_point *pairs = malloc((count + 1) * sizeof(*pairs));
    int64_t *halves = malloc((count + 1) * sizeof(*halves));
    bool room = make_room(b, count + 1);

    b->points.items = calloc(count + 1, sizeof(*b->points.items));
    b->points.rows = calloc((count + 1) * (b->width + 1), sizeof(*b->points.rows));
    room = room && pairs && halves && b->points.items && b->points.rows;
    if (room) {
        add_kind(b, (struct hs_belief_kind){.fit.scope = HS_FIT_NONE});
        add_points(b, points, count, pairs, halves);
    }
    free(pairs);
    free(halves);
    return room ? HS_OK : no_memory(err, count);
}

enum hs_status hs_belief_init(struct hs_belief **out, const struct hs_system *system,
                              const struct hs_fit_point *points, size_t count,
                              const struct hs_belief_options *options, struct hs_error *err)
{
    enum hs_status status = check_points(points, count, err);
    struct hs_belief *b = status ? NULL : calloc(1, sizeof(*b));

    *out = NULL;
    if (!b)
        return status ? status : no_memory(err, count);
    b->described = *system;
    b->described.parts = NULL;
    b->described.additive = true;
    for (size_t l = 0; l < system->level_count; l++) { /* times of whole nodes say one rate */
        struct hs_level *level = &b->described.levels[l];

        level->bytes_per_second = hs_level_rate(level, level->arity);
        level->shared_bytes_per_second = 0;
    }
    if (options)
        b->options = *options;
    if (b->options.noise == 0)
        b->options.noise = USUAL_NOISE;
    b->width = figures_of(b) + OWN * HS_FIT_LAYER;
    b->nested = (struct hs_nested){.root = figures_of(b), .own = OWN, .depth = HS_FIT_LAYER};
    status = take_points(b, points, count, err);
    for (size_t i = 0; !status && i < b->kind_count; i++)
        b->kinds[i].told = true;
    b->known = b->kind_count;
    if (!status)
        status = settle(b, err);
    if (status)
        hs_belief_release(b);
    else
        *out = b;
    return status;
}

void hs_belief_release(struct hs_belief *b)
{
    if (!b)
        return;
    free(b->kinds);
    hs_nested_release(&b->nested);
    free(b->z);
    free(b->drawn);
    free(b->points.items);
    free(b->points.rows);
    free(b->asked.items);
    free(b->asked.rows);
    free(b);
}

/* ---- reading it ----------------------------------------------------------------------------- */

/* Kinds without points: only what is known before. */
static void set_unknown(struct hs_belief *b, size_t first)
{
    size_t known = hs_nested_unknowns(&b->nested, first);

    hs_nested_forget(&b->nested, first);
    memset(b->z + known, 0,
           (hs_nested_unknowns(&b->nested, b->kind_count) - known) * sizeof(*b->z));
}

enum hs_status hs_belief_ask(struct hs_belief *b, int64_t ranks,
                             const struct hs_belief_stage *stages, size_t count,
                             struct hs_error *err)
{
    free(b->asked.items);
    free(b->asked.rows);
    b->asked.count = 0;
    b->nested.count = b->kind_count = b->known; /* draws depend on no question before */
    b->asked.items = calloc(count + 1, sizeof(*b->asked.items));
    b->asked.rows = calloc((count + 1) * (b->width + 1), sizeof(*b->asked.rows));
    if (!b->asked.items || !b->asked.rows || !make_room(b, count))
        return no_memory(err, count);
    for (size_t i = 0; i < count; i++)
        b->asked.items[i] =
            (struct term){.kind = kind_of(b, ranks, stages[i].key),
                          .point = {.key = stages[i].key, .np = ranks, .bytes = stages[i].bytes}};
    b->asked.count = count;
    set_unknown(b, b->known);
    fill_rows(b->asked.rows, b, b->asked.items, count);
    return HS_OK;
}

static void time_stages(double *seconds, const struct hs_belief *b, const double *z)
{
    for (size_t i = 0; i < b->asked.count; i++)
        seconds[i] = hs_nested_sum(b->asked.rows + i * (b->width + 1), &b->nested, z,
                                   b->asked.items[i].kind);
}

void hs_belief_mean(double *seconds, const struct hs_belief *b)
{
    time_stages(seconds, b, b->z);
}

void hs_belief_deviation(double *seconds, const struct hs_belief *b)
{
    for (size_t i = 0; i < b->asked.count; i++)
        seconds[i] = sqrt(hs_nested_variance(b->asked.rows + i * (b->width + 1), &b->nested,
                                             b->asked.items[i].kind));
}

void hs_belief_draw(double *seconds, struct hs_belief *b, uint64_t *seed)
{
    hs_nested_draw(b->drawn, &b->nested, b->scatter, seed);
    time_stages(seconds, b, b->drawn);
}

bool hs_belief_has_points(const struct hs_belief *b, const struct hs_stage_price *price)
{
    for (size_t i = 0; i < b->kind_count; i++) {
        const struct hs_fit *fit = &b->kinds[i].fit;

        if (b->kinds[i].told && fit->scope == HS_FIT_LEVEL && fit->level == price->level &&
            fit->misaligned == price->misaligned && hs_fit_is_of(fit, price->key))
            return true;
    }
    return false;
}

struct hs_system hs_belief_system(const struct hs_belief *b)
{
    struct hs_system system = b->described;

    system.launch_seconds = fmax(0, expected(b, 0));
    for (size_t l = 0; l < system.level_count; l++) {
        system.levels[l].latency_seconds = fmax(0, expected(b, 1 + l));
        if (b->z[1 + system.level_count + l] != 0)
            system.levels[l].bytes_per_second = b->now.levels[l].bytes_per_second;
    }
    return system;
}

double hs_belief_launch_ci95(const struct hs_belief *b)
{
    double row[ROW_MAX] = {b->figures[0].deviation};

    return hs_normal_quantile(0.025) * sqrt(hs_nested_variance(row, &b->nested, 0));
}

bool hs_belief_held(const struct hs_belief *b, size_t level)
{
    return b->figures[level == b->now.level_count ? 0 : 1 + level].held;
}

const struct hs_belief_kind *hs_belief_kinds(size_t *count, const struct hs_belief *b)
{
    *count = b->kind_count;
    return b->kinds;
}

/* Of a row and what deviates of `seconds` without being in it: half width of the 95 % interval. */
static double interval(const double *row, const struct hs_belief *b, size_t kind, double more)
{
    return hs_normal_quantile(0.025) * b->scatter *
           sqrt(hs_nested_variance(row, &b->nested, kind) + more);
}

struct hs_fit hs_belief_fit(const struct hs_belief *b, size_t i)
{
    const struct term *like = &b->points.items[b->kinds[i].longest];
    struct hs_system system = hs_belief_system(b);
    struct hs_fit fit = b->kinds[i].fit;
    const struct hs_level *level = &system.levels[fit.level];
    struct hs_stage_price price = hs_stage_price(&system, like->point.np, like->point.key);
    double unit = 1 / steps_of(&price, &system, like->point.bytes), unknown = 0;
    double steps[ROW_MAX], moving[ROW_MAX], all[ROW_MAX], latency, seconds;

    fill_row(steps, b, like, STEPS, fit.scope);
    fill_row(moving, b, like, MOVING, fit.scope);
    fill_row(all, b, like, ALL, fit.scope);
    latency = fmax(0, hs_nested_sum(steps, &b->nested, b->z, like->kind));
    seconds = hs_nested_sum(moving, &b->nested, b->z, like->kind);
    for (size_t k = like->kind; k != i; k = b->kinds[k].parent)
        unknown += pow(deviation_of(b, &b->kinds[k]), 2); /* of narrower scopes */

    fit.latency_seconds = unit * latency;
    fit.latency_ci95_seconds = unit * interval(steps, b, like->kind, unknown * latency * latency);
    fit.bytes_per_second =
        level->bytes_per_second * hs_stage_bandwidth_seconds(&price, like->point.bytes) / seconds;
    fit.bandwidth_ci95_bytes_per_second =
        fit.bytes_per_second / seconds *
        interval(moving, b, like->kind, unknown * seconds * seconds);
    fit.relative_ci95 =
        interval(all, b, like->kind, unknown * (latency * latency + seconds * seconds)) /
        hs_nested_sum(all, &b->nested, b->z, like->kind);
    return fit;
}
