#include "search/regret.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/statistics.h"
#include "model/graph.h"
#include "search/letters.h"

/* Sums in another order are the same; a difference counts from here on. */
#define SAME (1 - 1e-12)

/* ---- the table ------------------------------------------------------------------------------- */

/* Rows of an edge: by each algorithm that it may go by; and, where the ways of some may differ, by
 * each two. */
static void list_edge(struct hs_regret_table *table, const struct hs_search_request *request,
                      struct hs_layer layer)
{
    unsigned algorithms = hs_search_algorithms(request);
    bool uneven = hs_search_takes_pairs(request);

    for (int a = 0; a < HS_ALGORITHM_COUNT; a++)
        for (int b = uneven ? 0 : a; b < (uneven ? HS_ALGORITHM_COUNT : a + 1); b++) {
            struct hs_regret_row *row = &table->rows[table->row_count];
            bool possible = (algorithms >> a & 1) && (algorithms >> b & 1);

            row->ways[0] = (enum hs_algorithm)a;
            row->ways[1] = (enum hs_algorithm)b;
            row->stages = hs_problem_ways(row->keys, &request->problem, layer, row->ways);
            for (int k = 0; k < row->stages; k++)
                possible = possible && hs_graph_possible(request->system, row->keys[k]);
            table->row_count += possible;
        }
}

static enum hs_status list_rows(struct hs_regret_table *table,
                                const struct hs_search_request *request, struct hs_error *err)
{
    const struct hs_lattice *lattice = &table->lattice;
    size_t most = HS_ALGORITHM_COUNT;

    if (hs_search_takes_pairs(request))
        most *= HS_ALGORITHM_COUNT;
    table->rows = calloc(lattice->edge_count * most + 1, sizeof(*table->rows));
    table->first_row = malloc((lattice->edge_count + 1) * sizeof(*table->first_row));
    if (!table->rows || !table->first_row)
        return hs_no_memory(err);
    for (size_t i = 0; i < lattice->node_count; i++)
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            table->first_row[e] = table->row_count;
            list_edge(table, request, hs_lattice_layer(lattice, i, e));
        }
    table->first_row[lattice->edge_count] = table->row_count;
    return HS_OK;
}

/* The stages of all rows: keys[places[r][k]] is stage k of row r. Rows of one edge share theirs,
 * but for draws of a belief, which go by the list. Returns how many. */
static size_t list_stages(struct hs_stage_key *keys, size_t (*places)[2],
                          const struct hs_regret_table *table)
{
    size_t stages = 0;

    for (size_t e = 0; e < table->lattice.edge_count; e++) {
        size_t first = stages;

        for (size_t r = table->first_row[e]; r < table->first_row[e + 1]; r++)
            for (int k = 0; k < table->rows[r].stages; k++) {
                size_t place = table->drawn->belief ? stages : first;

                while (place < stages && !hs_stage_key_equal(keys[place], table->rows[r].keys[k]))
                    place++;
                if (place == stages)
                    keys[stages++] = table->rows[r].keys[k];
                places[r][k] = place;
            }
    }
    return stages;
}

/* What each row takes on each machine: the sum of its stages. */
static enum hs_status price_rows(struct hs_regret_table *table, struct hs_error *err)
{
    size_t count = table->machines, stages = 0;
    struct hs_stage_key *keys = malloc((2 * table->row_count + 1) * sizeof(*keys));
    size_t(*places)[2] = calloc(table->row_count + 1, sizeof(*places));
    double *seconds = NULL;
    enum hs_status status = HS_OK;

    if (keys && places) {
        stages = list_stages(keys, places, table);
        seconds = calloc((stages + 1) * count, sizeof(*seconds));
    }
    table->relative = malloc((table->row_count + 1) * count * sizeof(*table->relative));
    if (!seconds || !table->relative)
        status = hs_no_memory(err);
    if (!status)
        status = hs_machines_seconds(seconds, table->drawn, &table->problem, keys, stages, err);
    for (size_t r = 0; !status && r < table->row_count; r++)
        for (size_t j = 0; j < count; j++) {
            double *row = &table->relative[r * count + j];

            *row = seconds[places[r][0] * count + j];
            if (table->rows[r].stages > 1)
                *row += seconds[places[r][1] * count + j];
        }
    free(keys);
    free(places);
    free(seconds);
    return status;
}

/* Least times of all nodes on each machine at once, and then of the last one alone. */
static enum hs_status find_best(struct hs_regret_table *table, struct hs_error *err)
{
    const struct hs_lattice *lattice = &table->lattice;
    size_t count = table->machines, nodes = lattice->node_count;
    double *least = calloc(nodes * count, sizeof(*least));

    table->best_seconds = malloc(count * sizeof(*table->best_seconds));
    if (!least || !table->best_seconds) {
        free(least);
        return hs_no_memory(err);
    }
    for (size_t k = 0; k < nodes * count; k++)
        least[k] = k < count ? 0 : INFINITY;
    for (size_t i = 0; i < nodes; i++)
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            const double *from = &least[i * count];
            double *to = &least[lattice->edge_end[e] * count];

            for (size_t r = table->first_row[e]; r < table->first_row[e + 1]; r++)
                for (size_t j = 0; j < count; j++) {
                    double through = from[j] + table->relative[r * count + j];

                    to[j] = through < to[j] ? through : to[j];
                }
        }
    memcpy(table->best_seconds, &least[(nodes - 1) * count], count * sizeof(*least));
    free(least);
    return HS_OK;
}

static enum hs_status fill_table(struct hs_regret_table *table,
                                 const struct hs_search_request *request, struct hs_error *err)
{
    size_t count = table->machines;
    enum hs_status status = list_rows(table, request, err);

    if (!status)
        status = price_rows(table, err);
    if (!status)
        status = find_best(table, err);
    for (size_t r = 0; !status && r < table->row_count; r++)
        for (size_t j = 0; j < count; j++)
            table->relative[r * count + j] /= table->best_seconds[j];
    return status;
}

enum hs_status hs_regret_table_init(struct hs_regret_table *table,
                                    const struct hs_search_request *request,
                                    const struct hs_machines *machines, struct hs_error *err)
{
    enum hs_status status;

    *table = (struct hs_regret_table){
        .problem = request->problem, .machines = machines->count, .drawn = machines};
    status = hs_lattice_init(&table->lattice, request->problem.group, err);
    if (status)
        return status;
    if (table->lattice.edge_count > HS_REGRET_LAYERS)
        status = hs_fail(err, HS_INVALID, "expected at most %d layers, found %zu", HS_REGRET_LAYERS,
                         table->lattice.edge_count);
    else
        status = fill_table(table, request, err);
    if (status)
        hs_regret_table_release(table);
    return status;
}

void hs_regret_table_release(struct hs_regret_table *table)
{
    free(table->rows);
    free(table->first_row);
    free(table->relative);
    free(table->best_seconds);
    hs_lattice_release(&table->lattice);
    memset(table, 0, sizeof(*table));
}

/* ---- a plan ---------------------------------------------------------------------------------- */

/* The row of a plan's layer. */
static size_t row_of(const struct hs_regret_table *table, const struct hs_plan *plan, int i)
{
    struct hs_layer layer = hs_problem_layer(&table->problem, &plan->split, i);

    for (size_t r = 0; r < table->row_count; r++)
        if (hs_layer_equal(table->rows[r].keys[0].layer, layer) &&
            table->rows[r].ways[0] == hs_plan_algorithm(plan, i, 0) &&
            table->rows[r].ways[1] == hs_plan_algorithm(plan, i, 1))
            return r;
    return table->row_count;
}

/* The plan's time over the least one on each machine. */
static void add_layers(double *relative, const struct hs_regret_table *table,
                       const struct hs_plan *plan)
{
    size_t count = table->machines;

    for (size_t j = 0; j < count; j++)
        relative[j] = 0;
    for (int i = 0; i < plan->split.count; i++) {
        size_t r = row_of(table, plan, i);

        for (size_t j = 0; j < count && r < table->row_count; j++)
            relative[j] += table->relative[r * count + j];
    }
}

enum hs_status hs_regret_of(struct hs_regret *out, const struct hs_regret_table *table,
                            const struct hs_plan *plan, struct hs_error *err)
{
    size_t count = table->machines;
    double *relative = malloc(2 * count * sizeof(*relative)), *seconds = relative + count;
    double described;

    *out = (struct hs_regret){0};
    if (!relative)
        return hs_no_memory(err);
    add_layers(relative, table, plan);
    for (size_t j = 0; j < count; j++) {
        out->mean += (relative[j] - 1) / (double)count;
        out->share += (relative[j] <= HS_REGRET_SLACK) / (double)count;
        seconds[j] = relative[j] * table->best_seconds[j];
    }
    out->mean = fmax(0, out->mean);
    for (size_t j = 0; j < count; j++)
        out->most = fmax(out->most, relative[j] - 1);
    out->worst = fmax(0, hs_order_statistic(relative, count, count - 1 - count / 20) - 1);
    out->low_seconds = hs_order_statistic(seconds, count, count / 20);
    out->high_seconds = hs_order_statistic(seconds, count, count - 1 - count / 20);
    described = hs_plan_seconds(table->drawn->believed, &table->problem, plan);
    out->low_seconds = fmin(out->low_seconds, described);
    out->high_seconds = fmax(out->high_seconds, described);
    free(relative);
    return HS_OK;
}

static bool has_layers(const struct hs_regret_table *table, const struct hs_plan *plan)
{
    for (int i = 0; i < plan->split.count; i++)
        if (row_of(table, plan, i) == table->row_count)
            return false;
    return true;
}

enum hs_status hs_regret_gain(struct hs_gain *out, const struct hs_regret_table *table,
                              const struct hs_plan *plan, const struct hs_plan *other,
                              struct hs_error *err)
{
    size_t count = table->machines;
    double *gains, *relative;

    *out = HS_GAIN_UNKNOWN;
    if (!has_layers(table, other))
        return HS_OK;
    gains = malloc(2 * count * sizeof(*gains));
    if (!gains)
        return hs_no_memory(err);
    relative = gains + count;
    add_layers(relative, table, plan);
    add_layers(gains, table, other);
    for (size_t j = 0; j < count; j++)
        gains[j] /= relative[j];
    *out = hs_gain_of(gains, count);
    free(gains);
    return HS_OK;
}

/* ---- the least ------------------------------------------------------------------------------- */

/* Weights of all rows: the mean over the machines. */
static void weigh(double *weights, const struct hs_regret_table *table)
{
    for (size_t r = 0; r < table->row_count; r++) {
        const double *row = &table->relative[r * table->machines];
        double sum = 0;

        for (size_t j = 0; j < table->machines; j++)
            sum += row[j];
        weights[r] = sum / (double)table->machines;
    }
}

/* The shortest way to a node with so many layers: the last of them. */
struct way {
    double weight; /* INFINITY: there is none */
    size_t row, from;
};

/* ways[layers * nodes + node], for 0 .. HS_LAYERS_MAX layers. Ties go to the first found, which has
 * the larger last layer. */
static void find_ways(struct way *ways, const struct hs_regret_table *table, const double *weights)
{
    const struct hs_lattice *lattice = &table->lattice;
    size_t nodes = lattice->node_count;

    for (size_t k = 0; k < (HS_LAYERS_MAX + 1) * nodes; k++)
        ways[k].weight = k == 0 ? 0 : INFINITY;
    for (size_t k = 0; k < HS_LAYERS_MAX; k++)
        for (size_t i = 0; i < nodes; i++)
            for (size_t e = lattice->first_edge[i];
                 isfinite(ways[k * nodes + i].weight) && e < lattice->first_edge[i + 1]; e++)
                for (size_t r = table->first_row[e]; r < table->first_row[e + 1]; r++) {
                    struct way *end = &ways[(k + 1) * nodes + lattice->edge_end[e]];
                    double weight = ways[k * nodes + i].weight + weights[r];

                    if (weight < end->weight * SAME)
                        *end = (struct way){weight, r, i};
                }
}

/* The plan of the way with so many layers to the last node. */
static struct hs_plan plan_of(const struct hs_regret_table *table, const struct way *ways,
                              int layers)
{
    size_t nodes = table->lattice.node_count, node = nodes - 1;
    struct hs_plan plan = {.split = {.count = layers}, .chunks = 1};

    for (int i = layers; i-- > 0; node = ways[((size_t)i + 1) * nodes + node].from) {
        const struct hs_regret_row *row = &table->rows[ways[((size_t)i + 1) * nodes + node].row];

        plan.split.sizes[i] = row->keys[0].layer.size;
        plan.algorithms[i][0] = (unsigned char)row->ways[0];
        plan.algorithms[i][1] = (unsigned char)row->ways[1];
    }
    return plan;
}

/* Infinite where a layer is none of the table's. */
static double weight_of(const struct hs_regret_table *table, const double *weights,
                        const struct hs_plan *plan)
{
    double weight = 0;

    for (int i = 0; i < plan->split.count; i++) {
        size_t r = row_of(table, plan, i);

        weight += r < table->row_count ? weights[r] : INFINITY;
    }
    return weight;
}

static void choose(struct hs_plan *out, const struct hs_regret_table *table, const double *weights,
                   const struct way *ways)
{
    const struct hs_plan guess = *out;
    size_t nodes = table->lattice.node_count;
    double least = INFINITY;
    int layers = 1;

    for (int k = 1; k <= HS_LAYERS_MAX; k++)
        least = fmin(least, ways[((size_t)k + 1) * nodes - 1].weight);
    while (ways[((size_t)layers + 1) * nodes - 1].weight > least * HS_REGRET_SLACK)
        layers++;
    if (guess.split.count > layers || weight_of(table, weights, &guess) > least * HS_REGRET_SLACK)
        *out = plan_of(table, ways, layers);
}

enum hs_status hs_regret_least(struct hs_plan *out, const struct hs_regret_table *table,
                               const struct hs_plan *guess, struct hs_error *err)
{
    size_t nodes = table->lattice.node_count;
    double *weights = malloc((table->row_count + 1) * sizeof(*weights));
    struct way *ways = calloc((HS_LAYERS_MAX + 1) * nodes, sizeof(*ways));
    bool room = weights && ways;

    *out = *guess;
    if (room && table->row_count > 0) {
        weigh(weights, table);
        find_ways(ways, table, weights);
        choose(out, table, weights, ways);
    }
    free(weights);
    free(ways);
    return room ? HS_OK : hs_no_memory(err);
}

/* ---- what to measure ------------------------------------------------------------------------- */

#define GROUPS  8 /* of machines that a known figure tells apart */
#define CHANCES 4 /* orders by chance that it is compared with */

struct ordered {
    double figure;
    size_t machine;
};

static int compare_ordered(const void *left, const void *right)
{
    const struct ordered *a = left, *b = right;

    if (a->figure != b->figure)
        return a->figure < b->figure ? -1 : 1;
    return (a->machine > b->machine) - (a->machine < b->machine);
}

/* Weights of all rows, [row_count][groups]: the means over the machines of each group, which are
 * next to each other in the list. */
static void weigh_groups(double *weights, const struct hs_regret_table *table, const size_t *list,
                         size_t groups)
{
    size_t count = table->machines, first[GROUPS + 1];

    for (size_t g = 0; g <= groups; g++)
        first[g] = g * count / groups;
    for (size_t r = 0; r < table->row_count; r++) {
        const double *row = &table->relative[r * count];
        double sums[GROUPS] = {0};

        for (size_t k = 0; k < count / groups; k++)
            for (size_t g = 0; g < groups; g++)
                sums[g] += row[list[first[g] + k]];
        for (size_t g = 0; g < groups; g++) /* some have one more */
            if (first[g] + count / groups < first[g + 1])
                sums[g] += row[list[first[g + 1] - 1]];
        for (size_t g = 0; g < groups; g++)
            weights[r * groups + g] = sums[g] / (double)(first[g + 1] - first[g]);
    }
}

/* The least path by the weights of a group. */
static double least_of_group(double *least, const struct hs_regret_table *table,
                             const double *weights, size_t groups)
{
    const struct hs_lattice *lattice = &table->lattice;

    for (size_t i = 0; i < lattice->node_count; i++)
        least[i] = i == 0 ? 0 : INFINITY;
    for (size_t i = 0; i < lattice->node_count; i++)
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++)
            for (size_t r = table->first_row[e]; r < table->first_row[e + 1]; r++)
                least[lattice->edge_end[e]] =
                    fmin(least[lattice->edge_end[e]], least[i] + weights[r * groups]);
    return least[lattice->node_count - 1];
}

/* The mean over groups of machines next to each other in the order. */
static double least_of_groups(double *room, struct ordered *order, size_t *list,
                              const struct hs_regret_table *table)
{
    size_t count = table->machines, groups = count < GROUPS ? count : GROUPS, first = 0;
    double mean = 0;

    qsort(order, count, sizeof(*order), compare_ordered);
    for (size_t j = 0; j < count; j++)
        list[j] = order[j].machine;
    weigh_groups(room, table, list, groups);
    for (size_t g = 0; g < groups; g++) {
        size_t end = (g + 1) * count / groups;

        mean += (double)(end - first) / (double)count *
                least_of_group(room + table->row_count * GROUPS, table, room + g, groups);
        first = end;
    }
    return mean;
}

/* The figure NULL: machines in an order by chance, which tells nothing. */
static enum hs_status least_known(double *out, const struct hs_regret_table *table,
                                  const double *figure, uint64_t *state, struct hs_error *err)
{
    size_t count = table->machines;
    size_t nodes = table->lattice.node_count;
    double *room = malloc((table->row_count * GROUPS + nodes) * sizeof(*room));
    struct ordered *order = malloc(count * sizeof(*order));
    size_t *list = malloc(count * sizeof(*list));
    bool enough = room && order && list;

    for (size_t j = 0; j < count && enough; j++)
        order[j] = (struct ordered){figure ? figure[j] : hs_random_uniform(state), j};
    if (enough)
        *out = least_of_groups(room, order, list, table);
    free(room);
    free(order);
    free(list);
    return enough ? HS_OK : hs_no_memory(err);
}

enum hs_status hs_regret_drop(double *out, struct hs_regret_table *table, const double *figure,
                              struct hs_error *err)
{
    double least = 0, sum = 0;
    uint64_t state = 1;
    enum hs_status status = HS_OK;

    for (int c = 0; c < CHANCES && table->by_chance == 0 && !status; c++) {
        status = least_known(&least, table, NULL, &state, err);
        sum += least;
    }
    if (table->by_chance == 0)
        table->by_chance = sum / CHANCES;
    if (!status)
        status = least_known(&least, table, figure, NULL, err);
    *out = table->by_chance - least;
    return status;
}

enum hs_status hs_regret_stage_drops(double *drops, struct hs_regret_table *table,
                                     struct hs_error *err)
{
    double *seconds = malloc(table->machines * sizeof(*seconds));
    enum hs_status status = seconds ? HS_OK : hs_no_memory(err);

    for (size_t r = 0; r < table->row_count && !status; r++) {
        drops[r] = 0;
        if (table->rows[r].stages > 1)
            continue;
        /* What differs by rounding alone is the same. */
        for (size_t j = 0; j < table->machines; j++)
            seconds[j] = (float)(table->relative[r * table->machines + j] * table->best_seconds[j] -
                                 hs_machines_gap_seconds(table->drawn, j, &table->problem,
                                                         table->rows[r].keys[0]));
        status = hs_regret_drop(&drops[r], table, seconds, err);
    }
    free(seconds);
    return status;
}

#define NEARLY 0.98

static int64_t ranks_of(struct hs_layer layer)
{
    return layer.stride * layer.size;
}

enum hs_status hs_regret_stage(struct hs_stage_key *key, double *drop,
                               struct hs_regret_table *table, struct hs_error *err)
{
    double *drops = calloc(table->row_count + 1, sizeof(*drops)), most = 0;
    enum hs_status status = drops ? HS_OK : hs_no_memory(err);
    size_t best = 0;

    if (!status)
        status = hs_regret_stage_drops(drops, table, err);
    for (size_t r = 0; r < table->row_count && !status; r++)
        most = fmax(most, drops[r]);
    for (size_t r = 0; r < table->row_count && !status; r++)
        if (drops[r] >= NEARLY * most &&
            (drops[best] < NEARLY * most ||
             ranks_of(table->rows[r].keys[0].layer) < ranks_of(table->rows[best].keys[0].layer)))
            best = r;
    *key =
        table->row_count > 0 ? table->rows[best].keys[0] : (struct hs_stage_key){.layer = {1, 1}};
    *drop = drops ? drops[best] : 0;
    free(drops);
    return status;
}

enum hs_status hs_regret_pair_drop(double *out, struct hs_regret_table *table,
                                   const struct hs_plan *one, const struct hs_plan *other,
                                   struct hs_error *err)
{
    size_t count = table->machines;
    double *ratios = malloc(2 * count * sizeof(*ratios));
    enum hs_status status;

    if (!ratios)
        return hs_no_memory(err);
    add_layers(ratios, table, one);
    add_layers(ratios + count, table, other);
    for (size_t j = 0; j < count; j++)
        ratios[j] = (float)(ratios[j] / ratios[count + j]);
    status = hs_regret_drop(out, table, ratios, err);
    free(ratios);
    return status;
}

#define RIVALS  8   /* plans that the one shown is put beside */
#define WINNERS 64  /* that are told apart */
#define PLAYED  200 /* machines whose best plan is looked for */
#define DEARER  1.1 /* a plan takes all ranks, a stage but a few: it has to tell so much more */

struct winner {
    struct hs_plan plan;
    size_t wins;
};

static int compare_winners(const void *left, const void *right)
{
    const struct winner *a = left, *b = right;

    if (a->wins != b->wins)
        return a->wins > b->wins ? -1 : 1;
    return hs_plan_compare(&a->plan, &b->plan);
}

/* The best plan of machine j. */
static struct hs_plan best_of(const struct hs_regret_table *table, size_t j, double *weights,
                              struct way *ways)
{
    size_t nodes = table->lattice.node_count;
    int layers = 1;

    for (size_t r = 0; r < table->row_count; r++)
        weights[r] = table->relative[r * table->machines + j];
    find_ways(ways, table, weights);
    for (int k = 2; k <= HS_LAYERS_MAX; k++)
        if (ways[((size_t)k + 1) * nodes - 1].weight <
            ways[((size_t)layers + 1) * nodes - 1].weight)
            layers = k;
    return plan_of(table, ways, layers);
}

/* The plans that are best on machines, those of most machines first, but for the one shown. */
static enum hs_status find_winners(struct winner winners[WINNERS], size_t *count,
                                   const struct hs_regret_table *table, const struct hs_plan *shown,
                                   struct hs_error *err)
{
    double *weights = malloc((table->row_count + 1) * sizeof(*weights));
    struct way *ways = calloc((HS_LAYERS_MAX + 1) * table->lattice.node_count, sizeof(*ways));
    bool room = weights && ways;

    *count = 0;
    for (size_t j = 0; room && table->row_count > 0 && j < table->machines && j < PLAYED; j++) {
        struct hs_plan plan = best_of(table, j, weights, ways);
        size_t i = 0;

        while (i < *count && hs_plan_compare(&winners[i].plan, &plan) != 0)
            i++;
        if (hs_plan_compare(&plan, shown) == 0 || i == WINNERS)
            continue;
        if (i == *count)
            winners[(*count)++] = (struct winner){.plan = plan};
        winners[i].wins++;
    }
    if (room)
        qsort(winners, *count, sizeof(*winners), compare_winners);
    free(weights);
    free(ways);
    return room ? HS_OK : hs_no_memory(err);
}

/* The plan that tells most beside the one shown. */
static enum hs_status propose_rival(struct hs_regret_proposal *out, struct hs_regret_table *table,
                                    const struct hs_plan *shown, struct hs_error *err)
{
    struct winner *winners = malloc(WINNERS * sizeof(*winners));
    size_t count = 0, best = 0;
    double drop, most = 0;
    enum hs_status status =
        winners ? find_winners(winners, &count, table, shown, err) : hs_no_memory(err);

    for (size_t i = 0; i < count && i < RIVALS && !status; i++) {
        status = hs_regret_pair_drop(&drop, table, shown, &winners[i].plan, err);
        if (drop > most) {
            most = drop;
            best = i;
        }
    }
    out->whole = !status && most > DEARER * fmax(0, out->measured);
    out->compared = most;
    if (out->whole)
        out->rival = winners[best].plan;
    free(winners);
    return status;
}

enum hs_status hs_regret_propose(struct hs_regret_proposal *out, struct hs_regret_table *table,
                                 const struct hs_plan *shown, struct hs_error *err)
{
    const struct hs_machines *machines = table->drawn;
    enum hs_status status;
    double known;

    *out = (struct hs_regret_proposal){.figure = NULL};
    status = hs_regret_stage(&out->stage, &out->measured, table, err);
    for (size_t f = 0; f < machines->figure_count && !status; f++) {
        status = hs_regret_drop(&known, table, machines->figures[f].off, err);
        if (!status && known > out->known) {
            out->known = known;
            out->figure = &machines->figures[f];
        }
    }
    return status ? status : propose_rival(out, table, shown, err);
}
