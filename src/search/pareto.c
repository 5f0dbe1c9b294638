#include "search/pareto.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "search/paths.h"

/* A path from 1 to a node. Labels live in one arena; `previous` is an index into it. */
struct label {
    hs_ticks sum[HS_PACES_MAX];
    uint32_t previous, node, layers;
    uint32_t next; /* of the same node while it waits to be looked at; NO_LABEL ends the list */
};

#define NO_LABEL UINT32_MAX

struct pareto {
    struct hs_strategy_run *run;
    const struct hs_lattice *lattice;
    const hs_ticks *weights;
    int components, chunks;
    size_t top;
    hs_ticks bound;       /* no plan above this is among the best */
    hs_ticks *distance;   /* [components][node_count] to the end */
    struct label *labels; /* arena */
    size_t count, capacity;
    uint32_t *waiting; /* [node_count] first label of each node's list */
};

static hs_ticks largest(const hs_ticks *sum, int components)
{
    hs_ticks most = sum[0];

    for (int l = 1; l < components; l++)
        most = sum[l] > most ? sum[l] : most;
    return most;
}

/* Ticks of a path over the lattice, by its real cost. */
static hs_ticks path_ticks(const struct pareto *pareto, const struct hs_split *split)
{
    const struct hs_lattice *lattice = pareto->lattice;
    hs_ticks sum[HS_PACES_MAX] = {0};
    size_t node = 0;
    int64_t stride = 1;

    for (int i = 0; i < split->count && split->sizes[i] > 1; i++) {
        size_t e = lattice->first_edge[node];

        stride *= split->sizes[i];
        while (lattice->divisors[lattice->edge_end[e]] != stride)
            e++;
        for (int l = 0; l < pareto->components; l++)
            sum[l] += pareto->weights[e * (size_t)pareto->components + (size_t)l];
        node = lattice->edge_end[e];
    }
    return largest(sum, pareto->components);
}

/* Asks now and then, in the middle of the work at a node. */
static bool may_go_on(const struct pareto *pareto, size_t node, size_t count)
{
    return count % 64 != 0 || hs_search_goes_on(pareto->run, node, pareto->lattice->node_count);
}

static bool known(const struct hs_ranking *ranking, const struct hs_plan *plan)
{
    for (size_t i = 0; i < ranking->count; i++)
        if (hs_plan_compare(&ranking->plans[i].plan, plan) == 0)
            return true;
    return false;
}

/* The best paths of one component alone are good plans: their real costs bound the search. */
static enum hs_status seed_bound(struct pareto *pareto, struct hs_ranking *seeds, int component,
                                 struct hs_error *err)
{
    const struct hs_lattice *lattice = pareto->lattice;
    size_t last = lattice->node_count - 1;
    struct hs_paths_problem problem = {.lattice = lattice,
                                       .weights = pareto->weights + component,
                                       .stride = (size_t)pareto->components,
                                       .top = pareto->top,
                                       .run = pareto->run};
    struct hs_paths paths;
    enum hs_status status = hs_paths_init(&paths, &problem, err);

    if (status)
        return status;
    pareto->run->step++;
    for (size_t i = 0; i < paths.nodes[last].count && !status && may_go_on(pareto, 0, i); i++) {
        struct hs_plan plan = {.split = hs_paths_split(&paths, last, i), .chunks = pareto->chunks};

        if (!known(seeds, &plan))
            status = hs_ranking_add(seeds, path_ticks(pareto, &plan.split), &plan, err);
    }
    hs_paths_release(&paths);
    return status;
}

/* The K-th best of what the ranking holds and of the seeds. */
static enum hs_status find_bound(struct pareto *pareto, const struct hs_ranking *ranking,
                                 struct hs_error *err)
{
    struct hs_ranking seeds;
    enum hs_status status = HS_OK;

    hs_ranking_init(&seeds, pareto->top);
    for (size_t i = 0; i < ranking->count && !status; i++)
        status = hs_ranking_add(&seeds, ranking->plans[i].ticks, &ranking->plans[i].plan, err);
    for (int l = 0; l < pareto->components && !status; l++)
        status = seed_bound(pareto, &seeds, l, err);
    pareto->bound = !status && seeds.count == seeds.top ? seeds.plans[0].ticks : INT64_MAX;
    hs_ranking_release(&seeds);
    return status;
}

static void label_sizes(int64_t *sizes, const struct pareto *pareto, uint32_t label)
{
    const int64_t *divisors = pareto->lattice->divisors;

    for (uint32_t i = pareto->labels[label].layers; i-- > 0;) {
        const struct label *at = &pareto->labels[label];

        sizes[i] = divisors[at->node] / divisors[pareto->labels[at->previous].node];
        label = at->previous;
    }
}

/* Order of ties between two labels of a node: fewer layers, then smaller sizes. */
static bool ties_before(const struct pareto *pareto, uint32_t a, uint32_t b)
{
    int64_t x[HS_LAYERS_MAX + 1], y[HS_LAYERS_MAX + 1];
    uint32_t layers = pareto->labels[a].layers;

    if (layers != pareto->labels[b].layers)
        return layers < pareto->labels[b].layers;
    label_sizes(x, pareto, a);
    label_sizes(y, pareto, b);
    for (uint32_t i = 0; i < layers; i++)
        if (x[i] != y[i])
            return x[i] < y[i];
    return false;
}

/* Whether a comes before b whatever follows. */
static bool dominates(const struct pareto *pareto, uint32_t a, uint32_t b)
{
    const hs_ticks *x = pareto->labels[a].sum, *y = pareto->labels[b].sum;
    bool all_smaller = true;

    for (int l = 0; l < pareto->components; l++) {
        if (x[l] > y[l])
            return false;
        all_smaller = all_smaller && x[l] < y[l];
    }
    return all_smaller || ties_before(pareto, a, b);
}

/* Appends edge e to label `from`; drops the result where the bound says so. */
static enum hs_status extend(struct pareto *pareto, uint32_t from, size_t e, struct hs_error *err)
{
    size_t nodes = pareto->lattice->node_count, components = (size_t)pareto->components;
    uint32_t end = pareto->lattice->edge_end[e];
    struct label *label;

    if (pareto->count + 1 >= NO_LABEL)
        return hs_no_memory(err);
    label = hs_grow(&pareto->labels, &pareto->capacity, pareto->count, sizeof(*label), err);
    if (!label)
        return HS_MEMORY;
    for (size_t l = 0; l < components; l++) {
        label->sum[l] = pareto->labels[from].sum[l] + pareto->weights[e * components + l];
        if (label->sum[l] + pareto->distance[l * nodes + end] > pareto->bound)
            return HS_OK;
    }
    label->previous = from;
    label->node = end;
    label->layers = pareto->labels[from].layers + 1;
    label->next = pareto->waiting[end];
    pareto->waiting[end] = (uint32_t)pareto->count++;
    return HS_OK;
}

/* A label that waits at a node, and the sum of its components. Labels are looked at in the order of
 * that sum, then of ties: those that dominate a label stand before it, so one pass is enough. */
struct by_sum {
    hs_ticks total;
    uint32_t label;
};

static int compare_total(const void *a, const void *b, void *pareto)
{
    const struct by_sum *x = a, *y = b;

    if (x->total != y->total)
        return x->total < y->total ? -1 : 1;
    return ties_before(pareto, x->label, y->label) ? -1 : x->label != y->label;
}

static size_t gather(struct pareto *pareto, size_t node, struct by_sum **list, struct hs_error *err)
{
    size_t count = 0;

    for (uint32_t i = pareto->waiting[node]; i != NO_LABEL; i = pareto->labels[i].next)
        count++;
    *list = malloc((count + 1) * sizeof(**list));
    if (!*list) {
        hs_no_memory(err);
        return 0;
    }
    count = 0;
    for (uint32_t i = pareto->waiting[node]; i != NO_LABEL; i = pareto->labels[i].next) {
        struct by_sum *entry = &(*list)[count++];

        entry->label = i;
        entry->total = 0;
        for (int l = 0; l < pareto->components; l++)
            entry->total += pareto->labels[i].sum[l] / pareto->components;
    }
    qsort_r(*list, count, sizeof(**list), compare_total, pareto);
    return count;
}

/* Keeps the labels that fewer than K kept ones dominate, in place; returns how many. */
static size_t keep_best(const struct pareto *pareto, size_t node, struct by_sum *list, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count && may_go_on(pareto, node, i); i++) {
        size_t better = 0;

        for (size_t k = 0; k < kept && better < pareto->top; k++)
            better += dominates(pareto, list[k].label, list[i].label);
        if (better < pareto->top)
            list[kept++] = list[i];
    }
    return kept;
}

static enum hs_status settle(struct pareto *pareto, size_t node, struct hs_error *err)
{
    const struct hs_lattice *lattice = pareto->lattice;
    struct by_sum *list;
    size_t count = gather(pareto, node, &list, err);
    enum hs_status status = HS_OK;

    if (!list)
        return HS_MEMORY;
    count = keep_best(pareto, node, list, count);
    for (size_t i = 0; i < count && !status && may_go_on(pareto, node, i); i++)
        for (size_t e = lattice->first_edge[node]; e < lattice->first_edge[node + 1] && !status;
             e++)
            status = extend(pareto, list[i].label, e, err);
    free(list);
    return status;
}

static enum hs_status collect(const struct pareto *pareto, struct hs_ranking *ranking,
                              struct hs_error *err)
{
    size_t last = pareto->lattice->node_count - 1;
    enum hs_status status = HS_OK;

    for (uint32_t i = pareto->waiting[last]; i != NO_LABEL && !status; i = pareto->labels[i].next) {
        struct hs_plan plan = {.chunks = pareto->chunks};
        hs_ticks ticks = largest(pareto->labels[i].sum, pareto->components);

        if (!hs_ranking_admits(ranking, ticks))
            continue;
        plan.split.count = (int)pareto->labels[i].layers;
        label_sizes(plan.split.sizes, pareto, i);
        if (plan.split.count == 0)
            plan.split = hs_split_flat(1);
        if (!hs_plan_is_offered(pareto->run->request, &plan))
            continue;
        status = hs_ranking_add(ranking, ticks, &plan, err);
    }
    return status;
}

static enum hs_status allocate(struct pareto *pareto, struct hs_error *err)
{
    size_t nodes = pareto->lattice->node_count;

    pareto->capacity = 1024;
    pareto->labels = calloc(pareto->capacity, sizeof(*pareto->labels));
    pareto->waiting = malloc(nodes * sizeof(*pareto->waiting));
    pareto->distance = malloc((size_t)pareto->components * nodes * sizeof(*pareto->distance));
    if (!pareto->labels || !pareto->waiting || !pareto->distance)
        return hs_no_memory(err);
    for (size_t i = 0; i < nodes; i++)
        pareto->waiting[i] = NO_LABEL;
    pareto->labels[0].next = NO_LABEL;
    pareto->waiting[0] = 0;
    pareto->count = 1;
    for (int l = 0; l < pareto->components; l++)
        hs_distances_to_end(pareto->distance + (size_t)l * nodes, pareto->lattice,
                            pareto->weights + l, (size_t)pareto->components);
    return HS_OK;
}

enum hs_status hs_pareto_search(struct hs_strategy_run *run, const hs_ticks *weights,
                                int components, int chunks, struct hs_error *err)
{
    struct hs_ranking *ranking = &run->ranking;
    const struct hs_lattice *lattice = &run->lattice;
    struct pareto pareto = {.run = run,
                            .lattice = lattice,
                            .weights = weights,
                            .components = components,
                            .chunks = chunks,
                            .top = ranking->top + hs_plans_not_offered(run->request, chunks)};
    enum hs_status status = allocate(&pareto, err);

    if (!status)
        status = find_bound(&pareto, ranking, err);
    for (size_t node = 0; node + 1 < lattice->node_count && !status && !run->stopped; node++)
        if (pareto.waiting[node] != NO_LABEL)
            status = settle(&pareto, node, err);
    if (!status && !run->stopped)
        status = collect(&pareto, ranking, err);
    run->looked_at += pareto.count;
    free(pareto.labels);
    free(pareto.waiting);
    free(pareto.distance);
    return status;
}
