#include "search/lazy_planner.h"
#include "library/price_plan.h"

#include <gsl/gsl_sort.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/belief.h"
#include "estimate/calibration.h"
#include "links/graph.h"

/* Machines drawn: as many as tell 2 % of them apart, fewer where there are many layers. */
#define DRAWS_MOST  500
#define DRAWS_LEAST 100
#define DRAWN_MOST  2000000 /* times in all */
#define STOP_RATE   0.02    /* of the machines drawn on which something unknown may win */
#define ERROR_RATE  0.05    /* of those on which a certificate may be wrong */
#define CLEARLY     2.0     /* times as much hidden as need be, at most, where a level is seen */
#define ROUNDING    1e-9    /* of sums in another order, and of shares that are the same */

#define OPTIMISM  1.5  /* published bandwidths of links are seldom too small by more */
#define TOLERANCE 0.01 /* less is lost in the noise of a run */
#define NOISE     0.05 /* of a median of a few samples on a machine that is not quiet */

/* ---- layers --------------------------------------------------------------------------------- */

static enum hs_status fill_options(struct hs_lazy_options *options, double bytes,
                                   struct hs_error *err)
{
    options->optimism = options->optimism == 0 ? OPTIMISM : options->optimism;
    options->tolerance = options->tolerance == 0 ? TOLERANCE : options->tolerance;
    options->noise = options->noise == 0 ? NOISE : options->noise;
    if (!(bytes > 0 && isfinite(bytes)))
        return hs_fail(err, HS_INVALID, "expected a message of more than 0 bytes, found %g", bytes);
    if (!(options->optimism >= 1 && isfinite(options->optimism)))
        return hs_fail(err, HS_INVALID, "expected an optimism of at least 1, found %g",
                       options->optimism);
    if (!(options->tolerance > 0 && isfinite(options->tolerance)))
        return hs_fail(err, HS_INVALID, "expected a tolerance above 0, found %g",
                       options->tolerance);
    if (!(options->noise > 0 && isfinite(options->noise)))
        return hs_fail(err, HS_INVALID, "expected a noise above 0, found %g", options->noise);
    return HS_OK;
}

/* Texts stay the caller's; fits become points. */
static struct hs_system figures_of(const struct hs_system *system)
{
    struct hs_system out = *system;

    out.additive = true;
    out.title = out.source = out.notes = out.parts = out.library_version = NULL;
    out.library_algorithm = NULL;
    memset(&out.published, 0, sizeof(out.published));
    memset(&out.constants, 0, sizeof(out.constants));
    memset(&out.fits, 0, sizeof(out.fits));
    for (size_t l = 0; l < out.level_count; l++) {
        struct hs_level *level = &out.levels[l];

        level->arity_source = level->fabric_source = NULL;
        level->latency_source = level->bandwidth_source = NULL;
        level->latency_kind = level->bandwidth_kind = 0;
    }
    return out;
}

/* What the description says of a layer: its bottleneck, and its bandwidth part as if every link
 * were faster than it says. */
static void describe(struct hs_lazy_layer *item, const struct hs_lazy_planner *planner)
{
    double bytes = hs_problem_entering(&planner->problem, item->key.layer);
    struct hs_stage_price price =
        hs_stage_price_at(&planner->base, &planner->problem.group, item->key, 0);

    item->bottleneck.level = price.bottleneck;
    item->order_seconds = hs_order_seconds(&planner->base, &planner->problem, item->key.layer);
    for (int l = 0; l < (int)planner->base.level_count; l++)
        if (l != price.bottleneck)
            item->bottleneck.hidden = fmax(item->bottleneck.hidden, price.occupancy[l]);
    if (!planner->options.shape_only)
        item->low_seconds = hs_stage_bandwidth_seconds(&price, bytes) / planner->options.optimism;
}

/* The algorithms that a layer may go by, in the order of their list; returns how many. */
static size_t algorithms_of(enum hs_algorithm list[HS_ALGORITHM_COUNT],
                            const struct hs_lazy_planner *planner, struct hs_layer layer)
{
    unsigned algorithms =
        hs_algorithms_distinct(planner->options.algorithms | 1U << HS_RING, layer.size);
    size_t count = 0;

    for (int a = 0; a < HS_ALGORITHM_COUNT; a++) {
        struct hs_stage_key key = hs_problem_key(&planner->problem, layer, (enum hs_algorithm)a);

        if ((algorithms >> a & 1) && hs_graph_possible(&planner->base, key))
            list[count++] = (enum hs_algorithm)a;
    }
    return count;
}

static bool comes_back(const struct hs_lazy_planner *planner, struct hs_layer layer)
{
    enum hs_phase phases[2];

    return hs_problem_phases(phases, &planner->problem, layer) == 2;
}

/* An edge for each algorithm that a layer may go by, and behind them, where it goes out and comes
 * back, one for each two. */
static enum hs_status add_algorithms(struct hs_lazy_planner *planner, struct hs_error *err)
{
    struct hs_lattice *lattice = &planner->lattice;
    size_t *copies = calloc(lattice->edge_count + 1, sizeof(*copies));
    enum hs_algorithm list[HS_ALGORITHM_COUNT];
    enum hs_status status;

    if (!copies)
        return hs_no_memory(err);
    for (size_t i = 0; i < lattice->node_count; i++)
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            struct hs_layer layer = hs_lattice_layer(lattice, i, e);
            size_t count = algorithms_of(list, planner, layer);

            copies[e] = comes_back(planner, layer) ? count * count : count;
        }
    status = hs_lattice_repeat(lattice, copies, err);
    free(copies);
    return status;
}

/* The edges of a layer, from `first` on; returns behind the last. */
static size_t list_edges(struct hs_lazy_planner *planner, size_t node, size_t first)
{
    const struct hs_lattice *lattice = &planner->lattice;
    struct hs_layer layer = hs_lattice_layer(lattice, node, first);
    enum hs_algorithm list[HS_ALGORITHM_COUNT];
    size_t count = algorithms_of(list, planner, layer), e = first;

    for (size_t k = 0; k < count; k++, e++) {
        planner->layers[e] =
            (struct hs_lazy_layer){.key = hs_problem_key(&planner->problem, layer, list[k]),
                                   .back = list[k],
                                   .start = node,
                                   .end = lattice->edge_end[e],
                                   .status = HS_LAZY_OPEN,
                                   .share = 0.5,
                                   .again.share = 0.5};
        describe(&planner->layers[e], planner);
        planner->layer_count++;
    }
    for (size_t pair = 0; pair < count * count; pair++) {
        size_t out = pair / count, back = pair % count;

        if (out == back || !comes_back(planner, layer))
            continue;
        planner->layers[e] = planner->layers[first + out];
        planner->layers[e].back = list[back];
        planner->layers[e].halves[0] = first + out;
        planner->layers[e].halves[1] = first + back;
        planner->layers[e].low_seconds = 0;
        planner->layers[e++].status = HS_LAZY_FAILED;
    }
    return e;
}

static void list_layers(struct hs_lazy_planner *planner)
{
    const struct hs_lattice *lattice = &planner->lattice;

    for (size_t i = 0; i < lattice->node_count; i++)
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1];)
            e = list_edges(planner, i, e);
}

static enum hs_status make_room(struct hs_lazy_planner *planner, struct hs_error *err)
{
    size_t nodes = planner->lattice.node_count, edges = planner->lattice.edge_count + 1;
    size_t count = DRAWN_MOST / edges;

    count = count > DRAWS_MOST ? DRAWS_MOST : count < DRAWS_LEAST ? DRAWS_LEAST : count;
    planner->draw_count = count;
    planner->layers = calloc(edges, sizeof(*planner->layers));
    planner->draws = calloc(count * edges, sizeof(*planner->draws));
    planner->seconds = calloc(nodes, sizeof(*planner->seconds));
    planner->into = calloc(nodes, sizeof(*planner->into));
    planner->gains = calloc(count, sizeof(*planner->gains));
    planner->votes = calloc(edges, sizeof(*planner->votes));
    return planner->layers && planner->draws && planner->seconds && planner->into &&
                   planner->gains && planner->votes
               ? HS_OK
               : hs_fail(err, HS_MEMORY, "out of memory for %zu layers", edges);
}

enum hs_status hs_lazy_planner_init(struct hs_lazy_planner *planner, const struct hs_system *system,
                                    const struct hs_problem *problem,
                                    const struct hs_lazy_options *options, struct hs_error *err)
{
    enum hs_status status;

    *planner = (struct hs_lazy_planner){.problem = *problem, .stale = true};
    if (options)
        planner->options = *options;
    status = fill_options(&planner->options, problem->bytes, err);
    if (!status)
        status = hs_lattice_init(&planner->lattice, problem->group, err);
    if (!status)
        status = add_algorithms(planner, err);
    if (!status)
        status = make_room(planner, err);
    if (!status) {
        planner->base = figures_of(system);
        list_layers(planner);
        status = hs_lazy_planner_learn(planner, system->fits.points, system->fits.point_count, err);
    }
    if (status)
        hs_lazy_planner_release(planner);
    return status;
}

void hs_lazy_planner_release(struct hs_lazy_planner *planner)
{
    hs_lattice_release(&planner->lattice);
    free(planner->layers);
    free(planner->points);
    free(planner->draws);
    free(planner->seconds);
    free(planner->into);
    free(planner->gains);
    free(planner->votes);
    memset(planner, 0, sizeof(*planner));
}

const struct hs_lazy_layer *hs_lazy_planner_find(const struct hs_lazy_planner *planner,
                                                 struct hs_stage_key key)
{
    return hs_lazy_layers_find(planner->layers, &planner->lattice, key);
}

size_t hs_lazy_planner_measured(const struct hs_lazy_planner *planner, size_t *rough)
{
    size_t measured = 0, only_so = 0;

    for (size_t e = 0; e < planner->lattice.edge_count; e++) {
        if (hs_lazy_layer_is_mixed(&planner->layers[e]))
            continue;
        measured += planner->layers[e].status >= HS_LAZY_ROUGH;
        only_so += planner->layers[e].status == HS_LAZY_ROUGH;
    }
    if (rough)
        *rough = only_so;
    return measured;
}

size_t hs_lazy_planner_left(const struct hs_lazy_planner *planner)
{
    size_t left = 0;

    for (size_t e = 0; e < planner->lattice.edge_count; e++) {
        const struct hs_lazy_layer *item = &planner->layers[e];

        left += !hs_lazy_layer_is_mixed(item) &&
                (item->status == HS_LAZY_OPEN || item->status == HS_LAZY_ROUGH ||
                 (item->status == HS_LAZY_MEASURED && item->again.seconds == 0));
    }
    return left;
}

/* ---- what came out -------------------------------------------------------------------------- */

enum hs_status hs_lazy_planner_learn(struct hs_lazy_planner *planner,
                                     const struct hs_fit_point *points, size_t count,
                                     struct hs_error *err)
{
    size_t room = planner->point_count + count + planner->lattice.edge_count;
    struct hs_fit_point *grown = realloc(planner->points, (room + 1) * sizeof(*grown));

    if (!grown)
        return hs_fail(err, HS_MEMORY, "out of memory for %zu points", room);
    planner->points = grown;
    if (count > 0)
        memcpy(grown + planner->point_count, points, count * sizeof(*points));
    planner->point_count += count;
    planner->stale = true;
    return HS_OK;
}

/* What part of the time of one or two points goes out. */
static double share_of(const struct hs_fit_point *points, size_t count)
{
    size_t out = points[0].key.phase == HS_REDUCE_SCATTER ? 0 : 1;

    return count == 2 ? points[out].seconds / (points[0].seconds + points[1].seconds) : 0.5;
}

enum hs_status hs_lazy_planner_tell(struct hs_lazy_planner *planner,
                                    const struct hs_fit_point *points, size_t count, bool rough,
                                    struct hs_error *err)
{
    struct hs_lazy_layer *item = NULL;
    struct hs_fit_point joined[2];
    bool valid = count == 1 || count == 2;

    for (size_t i = 0; valid && i < count; i++) {
        joined[i] = points[i];
        if (!isfinite(joined[i].noise))
            joined[i].noise = planner->options.noise;
        valid = hs_fit_point_valid(&points[i]);
    }
    if (valid && hs_fit_points_pair(joined, NULL, count) == 1)
        item = hs_lazy_layers_find(planner->layers, &planner->lattice, joined[0].key);
    if (!item)
        return hs_fail(err, HS_INVALID,
                       "expected a time above 0 of each phase of one layer of %" PRId64
                       " processes, once",
                       planner->problem.group.size);
    if (item->status == HS_LAZY_MEASURED && !rough) {
        item->again.seconds = joined[0].seconds;
        item->again.share = share_of(points, count);
        hs_lazy_layers_mix(planner->layers, &planner->lattice);
        item->again.noise = joined[0].noise;
        return HS_OK;
    }
    item->status = rough ? HS_LAZY_ROUGH : HS_LAZY_MEASURED;
    item->point = joined[0];
    item->seconds = joined[0].seconds;
    item->share = share_of(points, count);
    planner->stale = true;
    return HS_OK;
}

void hs_lazy_planner_fail(struct hs_lazy_planner *planner, struct hs_stage_key key)
{
    struct hs_lazy_layer *item = hs_lazy_layers_find(planner->layers, &planner->lattice, key);

    if (item)
        item->status = HS_LAZY_FAILED;
    planner->stale = true;
}

/* Learned points, and those measured here behind them. Returns how many. */
static size_t gather_points(const struct hs_lazy_planner *planner)
{
    size_t count = planner->point_count;

    for (size_t e = 0; e < planner->lattice.edge_count; e++)
        if (planner->layers[e].status >= HS_LAZY_ROUGH &&
            !hs_lazy_layer_is_mixed(&planner->layers[e]))
            planner->points[count++] = planner->layers[e].point;
    return count;
}

enum hs_status hs_lazy_planner_fitted(struct hs_system *system,
                                      const struct hs_lazy_planner *planner, struct hs_error *err)
{
    struct hs_calibration_options options = {.noise = planner->options.noise,
                                             .shape_only = planner->options.shape_only};
    struct hs_error why = {0};
    enum hs_status status;

    *system = planner->base;
    status = hs_calibrate(system, planner->points, gather_points(planner), &options, NULL, &why);
    return status == HS_MEMORY ? hs_fail(err, HS_MEMORY, "%s", why.message) : HS_OK;
}

/* ---- machines drawn ------------------------------------------------------------------------- */

/* The spread of a dozen samples is known to a third or so, of three it is hardly known, and where
 * it came out too small an interval would be too narrow. Layers of one run have about the same
 * relative noise, so those that seem quieter than usual are taken halfway there. */
static void set_variances(struct hs_lazy_planner *planner, enum hs_lazy_status measured)
{
    double sum = 0, count = 0, usual;

    for (size_t e = 0; e < planner->lattice.edge_count; e++) {
        const struct hs_fit_point *point = &planner->layers[e].point;

        if (planner->layers[e].status != measured || hs_lazy_layer_is_mixed(&planner->layers[e]))
            continue;
        sum += point->noise * point->noise * hs_phase_calls(point->key.phase);
        count++;
    }
    usual = count > 0 ? sum / count : 0;
    for (size_t e = 0; e < planner->lattice.edge_count; e++) {
        struct hs_lazy_layer *item = &planner->layers[e];
        double calls = hs_phase_calls(item->point.key.phase);
        double own = item->point.noise * item->point.noise;

        if (item->status == measured)
            item->variance = fmax(own, (own + usual / calls) / 2) * item->seconds * item->seconds;
    }
}

/* Of the second time, which nothing chose: noise may be under- as well as overestimated. */
static void set_again_variances(struct hs_lazy_planner *planner)
{
    double sum = 0, count = 0;

    for (size_t e = 0; e < planner->lattice.edge_count; e++) {
        const struct hs_lazy_layer *item = &planner->layers[e];

        if (item->again.seconds == 0 || hs_lazy_layer_is_mixed(item))
            continue;
        sum +=
            (item->again.noise + item->point.noise) * sqrt(hs_phase_calls(item->point.key.phase));
        count += 2;
    }
    for (size_t e = 0; e < planner->lattice.edge_count; e++) {
        struct hs_lazy_layer *item = &planner->layers[e];
        double usual = sum / count / sqrt(hs_phase_calls(item->point.key.phase));
        double noise = (item->again.noise + usual) / 2 * item->again.seconds;

        if (item->again.seconds > 0)
            item->again.variance = noise * noise;
    }
    hs_lazy_layers_mix(planner->layers, &planner->lattice);
}

/* What no machine drawn takes less than: nothing on levels where a measured layer beats its own
 * limit. */
static double limit_of(const struct hs_lazy_planner *planner, const struct hs_lazy_layer *item)
{
    for (size_t e = 0; e < planner->lattice.edge_count; e++) {
        const struct hs_lazy_layer *other = &planner->layers[e];

        if (other->bottleneck.level == item->bottleneck.level && other->status >= HS_LAZY_ROUGH &&
            other->seconds < other->low_seconds)
            return 0;
    }
    return item->low_seconds;
}

static enum hs_status ask(struct hs_belief *belief, const struct hs_lazy_planner *planner,
                          struct hs_error *err)
{
    struct hs_belief_stage *stages = calloc(planner->layer_count, sizeof(*stages));
    size_t count = 0;
    enum hs_status status;

    if (!stages)
        return hs_fail(err, HS_MEMORY, "out of memory for %zu layers", planner->layer_count);
    for (size_t e = 0; e < planner->lattice.edge_count; e++)
        if (!hs_lazy_layer_is_mixed(&planner->layers[e]))
            stages[count++] = (struct hs_belief_stage){
                planner->layers[e].key,
                hs_problem_entering(&planner->problem, planner->layers[e].key.layer)};
    status = hs_belief_ask(belief, planner->problem.group.ranks, stages, count, err);
    free(stages);
    return status;
}

/* Brings what the belief says, [layer_count], to the edges that it is of, [edge_count]. */
static void spread(double *values, const struct hs_lazy_planner *planner)
{
    size_t from = planner->layer_count;

    for (size_t e = planner->lattice.edge_count; e-- > 0;)
        if (!hs_lazy_layer_is_mixed(&planner->layers[e]))
            values[e] = values[--from];
}

/* One machine drawn: edges by two algorithms, of those that they are made of. */
static void mix_draw(double *times, const struct hs_lazy_planner *planner)
{
    for (size_t e = 0; e < planner->lattice.edge_count; e++) {
        const struct hs_lazy_layer *item = &planner->layers[e];

        if (hs_lazy_layer_is_mixed(item))
            times[e] = times[item->halves[0]] * planner->layers[item->halves[0]].share +
                       times[item->halves[1]] * (1 - planner->layers[item->halves[1]].share);
    }
}

/* Machines, and what is expected of layers, by the belief. */
static void draw(struct hs_lazy_planner *planner, struct hs_belief *belief)
{
    size_t edges = planner->lattice.edge_count;
    double *mean = planner->votes; /* no votes are being counted */
    uint64_t seed = 0;

    for (size_t d = 0; d < planner->draw_count; d++) {
        hs_belief_draw(planner->draws + d * edges, belief, &seed);
        spread(planner->draws + d * edges, planner);
    }
    hs_belief_deviation(mean, belief);
    spread(mean, planner);
    for (size_t e = 0; e < edges; e++)
        planner->layers[e].deviation = mean[e];
    hs_belief_mean(mean, belief);
    spread(mean, planner);
    for (size_t e = 0; e < edges; e++) {
        struct hs_lazy_layer *item = &planner->layers[e];
        double limit = hs_lazy_layer_is_mixed(item) ? 0 : limit_of(planner, item);

        if (item->status == HS_LAZY_OPEN)
            item->seconds = fmax(mean[e], limit);
        for (size_t d = 0; d < planner->draw_count && limit > 0; d++)
            planner->draws[d * edges + e] = fmax(planner->draws[d * edges + e], limit);
    }
    for (size_t d = 0; d < planner->draw_count; d++)
        mix_draw(planner->draws + d * edges, planner);
    hs_lazy_layers_mix(planner->layers, &planner->lattice);
}

/* Brings draws, expected times and variances up to date with the points. */
static enum hs_status refresh(struct hs_lazy_planner *planner, struct hs_error *err)
{
    struct hs_belief_options options = {.noise = planner->options.noise,
                                        .shape_only = planner->options.shape_only};
    struct hs_belief *belief = NULL;
    enum hs_status status;

    if (!planner->stale)
        return HS_OK;
    set_variances(planner, HS_LAZY_ROUGH);
    set_variances(planner, HS_LAZY_MEASURED);
    status = hs_belief_init(&belief, &planner->base, planner->points, gather_points(planner),
                            &options, err);
    if (!status)
        status = ask(belief, planner, err);
    if (!status)
        draw(planner, belief);
    hs_belief_release(belief);
    planner->stale = status != HS_OK;
    return status;
}

static double shortest(const struct hs_lazy_planner *planner, size_t draw,
                       enum hs_lazy_status least)
{
    return hs_lazy_layers_shortest(planner->seconds, planner->into, &planner->lattice,
                                   planner->layers,
                                   planner->draws + draw * planner->lattice.edge_count, least);
}

/* What a part `rate` of the gains exceeds at most; sorts them. */
static double upper(struct hs_lazy_planner *planner, double rate)
{
    gsl_sort(planner->gains, 1, planner->draw_count);
    return planner->gains[(size_t)ceil((1 - rate) * (double)planner->draw_count) - 1];
}

/* ---- the next one --------------------------------------------------------------------------- */

/* What the best split wins over the best measured one, if more than the tolerance, as a vote for
 * each of its layers that is not measured precisely. */
static void vote(struct hs_lazy_planner *planner, size_t d)
{
    double measured = shortest(planner, d, HS_LAZY_MEASURED);
    double best = shortest(planner, d, HS_LAZY_OPEN), gain;

    gain = isfinite(best) && measured > best ? measured / best - 1 : 0;
    planner->gains[d] = gain;
    if (gain <= planner->options.tolerance)
        return;
    for (size_t node = planner->lattice.node_count - 1; node > 0;) {
        size_t e = planner->into[node];
        bool mixed = hs_lazy_layer_is_mixed(&planner->layers[e]);

        /* Before any split is measured throughout, all wins count the same. */
        for (int half = 0; half < 1 + mixed; half++) {
            size_t of = mixed ? planner->layers[e].halves[half] : e;

            if (planner->layers[of].status != HS_LAZY_MEASURED)
                planner->votes[of] += isfinite(gain) ? gain : 1;
        }
        node = planner->layers[e].start;
    }
}

static struct hs_lazy_step step_to(const struct hs_lazy_layer *item)
{
    return (struct hs_lazy_step){
        .wanted = true, .key = item->key, .rough = item->status == HS_LAZY_OPEN};
}

/* Votes count by what is unknown of a layer: its standard deviation. The root of that does with
 * fewer layers (a sixth on described machines), by looking sooner at what would win; where the
 * description means nothing it would miss more. */
static void count_votes(struct hs_lazy_step *step, struct hs_lazy_planner *planner)
{
    size_t edges = planner->lattice.edge_count;
    double most = 0;

    memset(planner->votes, 0, edges * sizeof(*planner->votes));
    for (size_t d = 0; d < planner->draw_count; d++)
        vote(planner, d);
    if (upper(planner, STOP_RATE) <= planner->options.tolerance)
        return;
    for (size_t e = 0; e < edges; e++) {
        double unknown = planner->layers[e].deviation;
        double weight = planner->votes[e] * (planner->options.shape_only ? unknown : sqrt(unknown));

        if (weight <= most)
            continue;
        most = weight;
        *step = step_to(&planner->layers[e]);
    }
}

/* Whether the layer's time is about its bottleneck: `least` is what other levels hide of it at
 * best. */
static bool shows(const struct hs_lazy_layer *item, const double *least)
{
    return item->bottleneck.hidden <= CLEARLY * least[item->bottleneck.level] + ROUNDING;
}

/* The quickest layer that shows a level of which no layer that shows it was measured. A description
 * that is far off on a level would else stand unseen, where it says that the level is not worth a
 * look. */
static void look_at_level(struct hs_lazy_step *step, const struct hs_lazy_planner *planner)
{
    const struct hs_lazy_layer *quickest = NULL;
    bool seen[HS_LEVELS_MAX] = {false};
    double least[HS_LEVELS_MAX];

    for (int l = 0; l < HS_LEVELS_MAX; l++)
        least[l] = INFINITY;
    for (size_t e = 0; e < planner->lattice.edge_count; e++) {
        const struct hs_lazy_layer *item = &planner->layers[e];

        least[item->bottleneck.level] =
            fmin(least[item->bottleneck.level], item->bottleneck.hidden);
    }
    for (size_t e = 0; e < planner->lattice.edge_count; e++)
        if (planner->layers[e].status != HS_LAZY_OPEN && shows(&planner->layers[e], least) &&
            !hs_lazy_layer_is_mixed(&planner->layers[e]))
            seen[planner->layers[e].bottleneck.level] = true;
    for (size_t e = 0; e < planner->lattice.edge_count; e++) {
        const struct hs_lazy_layer *item = &planner->layers[e];

        if (!seen[item->bottleneck.level] && shows(item, least) && !hs_lazy_layer_is_mixed(item) &&
            (!quickest || item->seconds < quickest->seconds))
            quickest = item;
    }
    if (quickest)
        *step = step_to(quickest);
}

static bool wants_again(const struct hs_lazy_layer *item)
{
    return item->status == HS_LAZY_MEASURED && item->again.seconds == 0;
}

/* A layer of the winner that was measured once. */
static enum hs_status look_again(struct hs_lazy_step *step, const struct hs_lazy_planner *planner,
                                 struct hs_error *err)
{
    struct hs_plan winner;
    enum hs_status status = hs_lazy_layers_winner(&winner, &planner->lattice, planner->layers, err);

    for (size_t e = 0; !status && e < planner->lattice.edge_count && !step->wanted; e++) {
        const struct hs_lazy_layer *item = &planner->layers[e];

        if (!hs_lazy_layer_in_plan(item, &winner, &planner->lattice.group) || !wants_again(item))
            continue;
        if (hs_lazy_layer_is_mixed(item)) /* one of the two that it is made of */
            item = &planner->layers[item->halves[!wants_again(&planner->layers[item->halves[0]])]];
        *step = (struct hs_lazy_step){.wanted = true, .key = item->key, .again = true};
    }
    return status;
}

enum hs_status hs_lazy_planner_next(struct hs_lazy_step *step, struct hs_lazy_planner *planner,
                                    struct hs_error *err)
{
    enum hs_status status;

    *step = (struct hs_lazy_step){.wanted = false};
    if (planner->lattice.edge_count == 0)
        return HS_OK;
    status = refresh(planner, err);
    if (status)
        return status;
    count_votes(step, planner);
    if (!step->wanted)
        look_at_level(step, planner);
    return step->wanted ? HS_OK : look_again(step, planner, err);
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* By how much the winner may be slower than some other plan, on all machines drawn but 5 %. */
static double find_within(struct hs_lazy_planner *planner, const struct hs_plan *winner)
{
    for (size_t d = 0; d < planner->draw_count; d++) {
        const double *times = planner->draws + d * planner->lattice.edge_count;
        double best = shortest(planner, d, HS_LAZY_OPEN), own = 0;

        for (size_t e = 0; e < planner->lattice.edge_count; e++)
            own += hs_lazy_layer_in_plan(&planner->layers[e], winner, &planner->lattice.group)
                       ? times[e]
                       : 0;
        planner->gains[d] = best > 0 ? fmax(0, own / best - 1) : INFINITY;
        if (planner->gains[d] < ROUNDING)
            planner->gains[d] = 0;
    }
    return upper(planner, ERROR_RATE);
}

enum hs_status hs_lazy_planner_certify(struct hs_certificate *certificate,
                                       struct hs_lazy_planner *planner, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    *certificate = (struct hs_certificate){0};
    if (planner->lattice.edge_count > 0)
        status = refresh(planner, err);
    if (status)
        return status;
    set_again_variances(planner);
    status = hs_lazy_layers_certify(certificate, &planner->lattice, planner->layers, err);
    if (!status && certificate->winner.split.count > 0)
        certificate->within = find_within(planner, &certificate->winner);
    if (!status && certificate->runner_up.split.count > 0)
        certificate->within =
            fmax(certificate->within, certificate->seconds / certificate->runner_up_seconds - 1);
    return status;
}
