#include "search/expected.h"
#include "estimate/machines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "links/graph.h"
#include "search/letters.h"
#include "search/paths.h"

/* Sums in another order are the same; a difference counts from here on. */
#define SAME (1 - 1e-12)

/* ---- the table ------------------------------------------------------------------------------- */

/* Rows of an edge: by each algorithm that it may go by; and, where the ways of some may differ, by
 * each two. */
static void list_edge(struct hs_expected *expected, const struct hs_search_request *request,
                      struct hs_layer layer)
{
    unsigned algorithms = hs_search_algorithms(request);
    bool uneven = hs_search_takes_pairs(request);

    for (int a = 0; a < HS_ALGORITHM_COUNT; a++)
        for (int b = uneven ? 0 : a; b < (uneven ? HS_ALGORITHM_COUNT : a + 1); b++) {
            struct hs_edge_row *row = &expected->rows[expected->row_count];
            bool possible = (algorithms >> a & 1) && (algorithms >> b & 1);

            row->ways[0] = (enum hs_algorithm)a;
            row->ways[1] = (enum hs_algorithm)b;
            row->stages = hs_problem_ways(row->keys, &request->problem, layer, row->ways);
            for (int k = 0; k < row->stages; k++)
                possible = possible && hs_graph_possible(request->system, row->keys[k]);
            expected->row_count += possible;
        }
}

static enum hs_status list_rows(struct hs_expected *expected,
                                const struct hs_search_request *request, struct hs_error *err)
{
    const struct hs_lattice *lattice = &expected->lattice;
    size_t most = HS_ALGORITHM_COUNT;

    if (hs_search_takes_pairs(request))
        most *= HS_ALGORITHM_COUNT;
    expected->rows = calloc(lattice->edge_count * most + 1, sizeof(*expected->rows));
    expected->first_row = malloc((lattice->edge_count + 1) * sizeof(*expected->first_row));
    if (!expected->rows || !expected->first_row)
        return hs_no_memory(err);
    for (size_t i = 0; i < lattice->node_count; i++)
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            expected->first_row[e] = expected->row_count;
            list_edge(expected, request, hs_lattice_layer(lattice, i, e));
        }
    expected->first_row[lattice->edge_count] = expected->row_count;
    return HS_OK;
}

/* The stages of all rows: keys[places[r][k]] is stage k of row r. Rows of one edge share theirs,
 * but for draws of a belief, which go by the list. Returns how many. */
static size_t list_stages(struct hs_stage_key *keys, size_t (*places)[2],
                          const struct hs_expected *expected)
{
    size_t stages = 0;

    for (size_t e = 0; e < expected->lattice.edge_count; e++) {
        size_t first = stages;

        for (size_t r = expected->first_row[e]; r < expected->first_row[e + 1]; r++)
            for (int k = 0; k < expected->rows[r].stages; k++) {
                size_t place = expected->drawn->belief ? stages : first;

                while (place < stages &&
                       !hs_stage_key_equal(keys[place], expected->rows[r].keys[k]))
                    place++;
                if (place == stages)
                    keys[stages++] = expected->rows[r].keys[k];
                places[r][k] = place;
            }
    }
    return stages;
}

/* Seconds of all stages in each sample; of an MPI library by its steps, as its own call is. */
static enum hs_status price_stages(double *seconds, const struct hs_expected *expected,
                                   const struct hs_stage_key *keys, size_t stages,
                                   struct hs_error *err)
{
    if (!hs_library_prices_plans(&expected->library))
        return hs_machines_seconds(seconds, expected->drawn, &expected->problem, keys, stages, err);
    hs_library_stage_seconds_each(seconds, expected->drawn, &expected->problem, keys, stages);
    return HS_OK;
}

/* What each row takes in each sample: the sum of its stages. */
static enum hs_status price_rows(struct hs_expected *expected, struct hs_error *err)
{
    size_t count = expected->samples, stages = 0;
    struct hs_stage_key *keys = malloc((2 * expected->row_count + 1) * sizeof(*keys));
    size_t(*places)[2] = calloc(expected->row_count + 1, sizeof(*places));
    double *seconds = NULL;
    enum hs_status status = HS_OK;

    if (keys && places) {
        stages = list_stages(keys, places, expected);
        seconds = calloc((stages + 1) * count, sizeof(*seconds));
    }
    expected->relative = malloc((expected->row_count + 1) * count * sizeof(*expected->relative));
    if (!seconds || !expected->relative)
        status = hs_no_memory(err);
    if (!status)
        status = price_stages(seconds, expected, keys, stages, err);
    for (size_t r = 0; !status && r < expected->row_count; r++)
        for (size_t j = 0; j < count; j++) {
            double *row = &expected->relative[r * count + j];

            *row = seconds[places[r][0] * count + j];
            if (expected->rows[r].stages > 1)
                *row += seconds[places[r][1] * count + j];
        }
    free(keys);
    free(places);
    free(seconds);
    return status;
}

/* Least times to all nodes in each sample at once, and then to the last one alone. */
static enum hs_status find_least(struct hs_expected *expected, struct hs_error *err)
{
    const struct hs_lattice *lattice = &expected->lattice;
    size_t count = expected->samples, nodes = lattice->node_count;
    double *least = calloc(nodes * count, sizeof(*least));

    if (!least)
        return hs_no_memory(err);
    for (size_t k = 0; k < nodes * count; k++)
        least[k] = k < count ? 0 : INFINITY;
    for (size_t i = 0; i < nodes; i++)
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            const double *from = &least[i * count];
            double *to = &least[lattice->edge_end[e] * count];

            for (size_t r = expected->first_row[e]; r < expected->first_row[e + 1]; r++)
                for (size_t j = 0; j < count; j++) {
                    double through = from[j] + expected->relative[r * count + j];

                    to[j] = through < to[j] ? through : to[j];
                }
        }
    memcpy(expected->least, &least[(nodes - 1) * count], count * sizeof(*least));
    free(least);
    return HS_OK;
}

/* The row of a plan's layer. */
static size_t row_of(const struct hs_expected *expected, const struct hs_plan *plan, int i)
{
    struct hs_layer layer = hs_problem_layer(&expected->problem, &plan->split, i);

    for (size_t r = 0; r < expected->row_count; r++)
        if (hs_layer_equal(expected->rows[r].keys[0].layer, layer) &&
            expected->rows[r].ways[0] == hs_plan_algorithm(plan, i, 0) &&
            expected->rows[r].ways[1] == hs_plan_algorithm(plan, i, 1))
            return r;
    return expected->row_count;
}

static bool has_layers(const struct hs_expected *expected, const struct hs_plan *plan)
{
    bool has = expected->row_count > 0 && plan->chunks == 1;

    for (int i = 0; has && i < plan->split.count; i++)
        has = row_of(expected, plan, i) < expected->row_count;
    return has;
}

/* The sum of the rows of a plan's layers, which has_layers, in each sample. */
static void add_layers(double *sums, const struct hs_expected *expected, const struct hs_plan *plan)
{
    size_t count = expected->samples;

    for (size_t j = 0; j < count; j++)
        sums[j] = 0;
    for (int i = 0; i < plan->split.count; i++) {
        size_t r = row_of(expected, plan, i);

        for (size_t j = 0; j < count && r < expected->row_count; j++)
            sums[j] += expected->relative[r * count + j];
    }
}

/* The library's call in each sample, else the flat plan. */
static enum hs_status price_reference(struct hs_expected *expected, struct hs_error *err)
{
    const struct hs_plan flat = hs_problem_flat(&expected->problem);
    enum hs_status status = HS_OK;

    expected->reference_seconds = expected->library.seconds;
    if (hs_library_is_priced(&expected->library))
        return hs_library_seconds_each(expected->reference, &expected->library, expected->drawn,
                                       &expected->problem, err);
    if (has_layers(expected, &flat))
        add_layers(expected->reference, expected, &flat);
    else
        status = hs_machines_plan_seconds_each(expected->reference, expected->drawn,
                                               &expected->problem, &flat, err);
    expected->reference_seconds = 0;
    for (size_t j = 0; !status && j < expected->samples; j++)
        expected->reference_seconds += expected->reference[j] / (double)expected->samples;
    return status;
}

static enum hs_status fill_rows(struct hs_expected *expected,
                                const struct hs_search_request *request, struct hs_error *err)
{
    enum hs_status status = hs_lattice_init(&expected->lattice, request->problem.group, err);

    if (status)
        return status;
    if (expected->lattice.edge_count > HS_EXPECTED_EDGES)
        return hs_fail(err, HS_INVALID, "expected at most %d layers, found %zu", HS_EXPECTED_EDGES,
                       expected->lattice.edge_count);
    status = list_rows(expected, request, err);
    return status ? status : price_rows(expected, err);
}

/* Over the reference. */
static enum hs_status relate(struct hs_expected *expected, struct hs_error *err)
{
    enum hs_status status = price_reference(expected, err);

    for (size_t r = 0; r < expected->row_count && !status; r++)
        for (size_t j = 0; j < expected->samples; j++)
            expected->relative[r * expected->samples + j] /= expected->reference[j];
    for (size_t j = 0; j < expected->samples; j++)
        expected->least[j] = INFINITY;
    return status || expected->row_count == 0 ? status : find_least(expected, err);
}

enum hs_status hs_expected_init(struct hs_expected *expected,
                                const struct hs_search_request *request,
                                const struct hs_machines *machines,
                                const struct hs_library_price *library, bool exact,
                                struct hs_error *err)
{
    size_t count = machines->count;
    enum hs_status status = HS_OK;

    *expected = (struct hs_expected){.problem = request->problem,
                                     .library = *library,
                                     .samples = count,
                                     .drawn = machines,
                                     .reference = malloc((count + 1) * sizeof(double)),
                                     .least = malloc((count + 1) * sizeof(double))};
    if (!expected->reference || !expected->least)
        status = hs_no_memory(err);
    if (!status && exact)
        status = fill_rows(expected, request, err);
    if (!status)
        status = relate(expected, err);
    if (status)
        hs_expected_release(expected);
    return status;
}

void hs_expected_release(struct hs_expected *expected)
{
    free(expected->rows);
    free(expected->first_row);
    free(expected->relative);
    free(expected->reference);
    free(expected->least);
    hs_lattice_release(&expected->lattice);
    memset(expected, 0, sizeof(*expected));
}

/* ---- a plan ---------------------------------------------------------------------------------- */

enum hs_status hs_expected_ratios(double *ratios, const struct hs_expected *expected,
                                  const struct hs_plan *plan, struct hs_error *err)
{
    size_t count = expected->samples;
    enum hs_status status = HS_OK;

    if (has_layers(expected, plan)) {
        add_layers(ratios, expected, plan);
        return HS_OK;
    }
    if (hs_library_prices_plans(&expected->library))
        hs_library_plan_seconds_each(ratios, expected->drawn, &expected->problem, plan);
    else
        status =
            hs_machines_plan_seconds_each(ratios, expected->drawn, &expected->problem, plan, err);
    for (size_t j = 0; !status && j < count; j++)
        ratios[j] /= expected->reference[j];
    return status;
}

/* Of ratios[samples]; `room` has as many. */
static void estimate(struct hs_estimate *out, const struct hs_expected *expected,
                     const double *ratios, double *room)
{
    size_t count = expected->samples;
    double mean = 0;

    *out = (struct hs_estimate){0};
    for (size_t j = 0; j < count; j++) {
        double least = fmin(ratios[j], expected->least[j]);

        mean += ratios[j] / (double)count;
        out->loss += (ratios[j] - least) / (double)count;
        out->probability_best += (ratios[j] <= HS_EXPECTED_TIE * least) / (double)count;
        room[j] = ratios[j] * expected->reference[j];
    }
    out->probability_best = fmin(1, out->probability_best);
    out->seconds = mean * expected->reference_seconds;
    out->low_seconds = fmin(out->seconds, hs_order_statistic(room, count, count / 20));
    out->high_seconds = fmax(out->seconds, hs_order_statistic(room, count, count - 1 - count / 20));
    for (size_t j = 0; j < count; j++)
        room[j] = 1 / ratios[j];
    out->gain = hs_gain_of(room, count);
    out->gain.median = 1 / mean;
    out->gain.low = fmin(out->gain.low, out->gain.median);
    out->gain.high = fmax(out->gain.high, out->gain.median);
}

enum hs_status hs_estimate_of(struct hs_estimate *out, const struct hs_expected *expected,
                              const struct hs_plan *plan, struct hs_error *err)
{
    double *ratios = malloc(2 * expected->samples * sizeof(*ratios));
    enum hs_status status =
        ratios ? hs_expected_ratios(ratios, expected, plan, err) : hs_no_memory(err);

    if (!status)
        estimate(out, expected, ratios, ratios + expected->samples);
    free(ratios);
    return status;
}

enum hs_status hs_estimate_reference(struct hs_estimate *out, const struct hs_expected *expected,
                                     struct hs_error *err)
{
    const struct hs_library_price *library = &expected->library;
    double *ratios = malloc(2 * expected->samples * sizeof(*ratios));

    if (!ratios)
        return hs_no_memory(err);
    for (size_t j = 0; j < expected->samples; j++)
        ratios[j] = 1;
    estimate(out, expected, ratios, ratios + expected->samples);
    if (hs_library_is_priced(library)) { /* the price's own range, too */
        out->low_seconds = fmin(out->low_seconds, library->low_seconds);
        out->high_seconds = fmax(out->high_seconds, library->high_seconds);
    }
    free(ratios);
    return HS_OK;
}

/* ---- the least ------------------------------------------------------------------------------- */

/* Weights of all rows: the mean over the machines. */
static void weigh(double *weights, const struct hs_expected *expected)
{
    for (size_t r = 0; r < expected->row_count; r++) {
        const double *row = &expected->relative[r * expected->samples];
        double sum = 0;

        for (size_t j = 0; j < expected->samples; j++)
            sum += row[j];
        weights[r] = sum / (double)expected->samples;
    }
}

/* The shortest way to a node with so many layers: the last of them. */
struct way {
    double weight; /* INFINITY: there is none */
    size_t row, from;
};

/* ways[layers * nodes + node], for 0 .. HS_LAYERS_MAX layers. Ties go to the first found, which has
 * the larger last layer. */
static void find_ways(struct way *ways, const struct hs_expected *expected, const double *weights)
{
    const struct hs_lattice *lattice = &expected->lattice;
    size_t nodes = lattice->node_count;

    for (size_t k = 0; k < (HS_LAYERS_MAX + 1) * nodes; k++)
        ways[k].weight = k == 0 ? 0 : INFINITY;
    for (size_t k = 0; k < HS_LAYERS_MAX; k++)
        for (size_t i = 0; i < nodes; i++)
            for (size_t e = lattice->first_edge[i];
                 isfinite(ways[k * nodes + i].weight) && e < lattice->first_edge[i + 1]; e++)
                for (size_t r = expected->first_row[e]; r < expected->first_row[e + 1]; r++) {
                    struct way *end = &ways[(k + 1) * nodes + lattice->edge_end[e]];
                    double weight = ways[k * nodes + i].weight + weights[r];

                    if (weight < end->weight * SAME)
                        *end = (struct way){weight, r, i};
                }
}

/* The plan of the way with so many layers to the last node. */
static struct hs_plan plan_of(const struct hs_expected *expected, const struct way *ways,
                              int layers)
{
    size_t nodes = expected->lattice.node_count, node = nodes - 1;
    struct hs_plan plan = {.split = {.count = layers}, .chunks = 1};

    for (int i = layers; i-- > 0; node = ways[((size_t)i + 1) * nodes + node].from) {
        const struct hs_edge_row *row = &expected->rows[ways[((size_t)i + 1) * nodes + node].row];

        plan.split.sizes[i] = row->keys[0].layer.size;
        plan.algorithms[i][0] = (unsigned char)row->ways[0];
        plan.algorithms[i][1] = (unsigned char)row->ways[1];
    }
    return plan;
}

/* Ticks of an expected ratio: sums of them are exact, so plans that take as long by the formula
 * tie. */
#define RATIO_TICK 0x1p-40

/* Of each edge its best row, and what that takes. */
static void weigh_edges(hs_ticks *ticks, size_t *rows, const struct hs_expected *expected,
                        const double *weights)
{
    for (size_t e = 0; e < expected->lattice.edge_count; e++) {
        size_t best = expected->first_row[e];

        for (size_t r = best + 1; r < expected->first_row[e + 1]; r++)
            if (weights[r] < weights[best] * SAME)
                best = r;
        rows[e] = best;
        ticks[e] = best < expected->first_row[e + 1] && weights[best] / 0x1p55 < RATIO_TICK
                       ? (hs_ticks)llround(weights[best] / RATIO_TICK)
                       : HS_TICKS_LONGEST;
    }
}

/* The plan of a label, each layer by the best row of its edge. */
static struct hs_plan plan_of_label(const struct hs_paths *paths, size_t label,
                                    const struct hs_expected *expected, const size_t *rows)
{
    size_t node = expected->lattice.node_count - 1;
    struct hs_plan plan = {.split = hs_paths_split(paths, node, label), .chunks = 1};

    for (int i = (int)paths->nodes[node].data[label].layers; i-- > 0;) {
        const struct hs_label *at = &paths->nodes[node].data[label];
        const struct hs_edge_row *row = &expected->rows[rows[at->edge]];

        plan.algorithms[i][0] = (unsigned char)row->ways[0];
        plan.algorithms[i][1] = (unsigned char)row->ways[1];
        node = at->previous_node;
        label = at->previous_label;
    }
    return plan;
}

static enum hs_status best_by_rows(struct hs_estimated *plans, size_t *found, size_t top,
                                   const struct hs_expected *expected, struct hs_error *err)
{
    size_t edges = expected->lattice.edge_count, last = expected->lattice.node_count - 1;
    double *weights = malloc((expected->row_count + 1) * sizeof(*weights));
    hs_ticks *ticks = malloc((edges + 1) * sizeof(*ticks));
    size_t *rows = malloc((edges + 1) * sizeof(*rows));
    struct hs_paths paths = {0};
    enum hs_status status = weights && ticks && rows ? HS_OK : hs_no_memory(err);

    *found = 0;
    if (!status) {
        weigh(weights, expected);
        weigh_edges(ticks, rows, expected, weights);
        status = hs_paths_init(
            &paths,
            &(struct hs_paths_problem){
                .lattice = &expected->lattice, .weights = ticks, .stride = 1, .top = top},
            err);
    }
    for (size_t i = 0; !status && i < paths.nodes[last].count; i++) {
        plans[i].plan = plan_of_label(&paths, i, expected, rows);
        status = hs_estimate_of(&plans[i].estimate, expected, &plans[i].plan, err);
        *found += !status;
    }
    if (paths.nodes)
        hs_paths_release(&paths);
    free(weights);
    free(ticks);
    free(rows);
    return status;
}

#define ROUNDING 1e-9 /* times that differ by less are the same */

static int compare_plans(const void *left, const void *right)
{
    return hs_plan_compare(&((const struct hs_estimated *)left)->plan,
                           &((const struct hs_estimated *)right)->plan);
}

/* Plans that take as long but for rounding take just as long, and come in the order of search.h. */
static void settle_ties(struct hs_estimated *plans, size_t count)
{
    for (size_t first = 0, end; first < count; first = end) {
        double seconds = plans[first].estimate.seconds;

        for (end = first + 1;
             end < count && plans[end].estimate.seconds <= seconds * (1 + ROUNDING);)
            plans[end++].estimate.seconds = seconds;
        qsort(plans + first, end - first, sizeof(*plans), compare_plans);
    }
}

static int compare_estimated(const void *left, const void *right)
{
    const struct hs_estimated *a = left, *b = right;

    if (a->estimate.seconds != b->estimate.seconds)
        return a->estimate.seconds < b->estimate.seconds ? -1 : 1;
    return hs_plan_compare(&a->plan, &b->plan);
}

/* All of them over the samples; the least of each sample is the best of these. */
static enum hs_status best_of_given(struct hs_estimated *plans, size_t *found, size_t top,
                                    struct hs_expected *expected,
                                    const struct hs_search_result *given, struct hs_error *err)
{
    size_t samples = expected->samples, count = given->count;
    double *ratios = malloc((count + 1) * samples * sizeof(*ratios));
    struct hs_estimated *all = malloc((count + 1) * sizeof(*all));
    enum hs_status status = ratios && all ? HS_OK : hs_no_memory(err);

    for (size_t i = 0; i < count && !status; i++) {
        status = hs_expected_ratios(&ratios[i * samples], expected, &given->plans[i].plan, err);
        for (size_t j = 0; j < samples && !status; j++)
            expected->least[j] = fmin(expected->least[j], ratios[i * samples + j]);
    }
    for (size_t i = 0; i < count && !status; i++) {
        all[i].plan = given->plans[i].plan;
        estimate(&all[i].estimate, expected, &ratios[i * samples], &ratios[count * samples]);
    }
    *found = status ? 0 : count < top ? count : top;
    if (!status) {
        qsort(all, count, sizeof(*all), compare_estimated);
        memcpy(plans, all, *found * sizeof(*plans));
    }
    free(ratios);
    free(all);
    return status;
}

enum hs_status hs_expected_path(struct hs_plan *out, const struct hs_expected *expected,
                                const double *weights, double tie, struct hs_error *err)
{
    size_t nodes = expected->lattice.node_count;
    struct way *ways = calloc((HS_LAYERS_MAX + 1) * nodes, sizeof(*ways));
    double least = INFINITY;
    int layers = 1;

    if (!ways)
        return hs_no_memory(err);
    find_ways(ways, expected, weights);
    for (int k = 1; k <= HS_LAYERS_MAX; k++)
        least = fmin(least, ways[((size_t)k + 1) * nodes - 1].weight);
    while (ways[((size_t)layers + 1) * nodes - 1].weight > least * tie)
        layers++;
    *out = plan_of(expected, ways, layers);
    free(ways);
    return HS_OK;
}

enum hs_status hs_expected_simplest(struct hs_estimated *out, const struct hs_expected *expected,
                                    struct hs_error *err)
{
    double *weights = malloc((expected->row_count + 1) * sizeof(*weights));
    enum hs_status status = weights ? HS_OK : hs_no_memory(err);

    if (!status) {
        weigh(weights, expected);
        status = hs_expected_path(&out->plan, expected, weights, HS_EXPECTED_TIE, err);
    }
    free(weights);
    return status ? status : hs_estimate_of(&out->estimate, expected, &out->plan, err);
}

enum hs_status hs_expected_best(struct hs_estimated *plans, size_t *found, size_t top,
                                struct hs_expected *expected, const struct hs_search_result *given,
                                struct hs_error *err)
{
    enum hs_status status = expected->row_count > 0
                                ? best_by_rows(plans, found, top, expected, err)
                                : best_of_given(plans, found, top, expected, given, err);

    settle_ties(plans, *found);
    return status;
}
