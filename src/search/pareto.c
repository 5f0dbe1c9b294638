#include "search/pareto.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "search/paths.h"

/* A path from 1 to a node. Labels live in one arena; `previous` is an index into it. */
struct label {
    uint32_t previous, node, layers;
    uint32_t next; /* of the same node while it waits to be looked at; NO_LABEL ends the list */
    struct hs_front front;
    size_t seen_by; /* 1 + the place of the sum that it was last counted for */
};

#define NO_LABEL UINT32_MAX
#define GONE     (-1) /* first component of a sum that was dropped */

struct pareto {
    struct hs_strategy_run *run;
    const struct hs_lattice *lattice;
    const struct hs_weights *weights;
    size_t components;
    int chunks;
    size_t top;
    hs_ticks bound;       /* no plan above this is among the best */
    hs_ticks *least;      /* [edge_count][components] of an edge's rows */
    hs_ticks *distance;   /* [node_count][components] to the end */
    struct label *labels; /* arena */
    size_t count, capacity;
    struct hs_sums sums; /* of all labels */
    uint32_t *waiting;   /* [node_count] first label of each node's list */
};

/* Ticks of a path over the lattice, as good algorithms as there are at first sight. */
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
        hs_weights_add_usual(sum, pareto->weights, e);
        node = lattice->edge_end[e];
    }
    return hs_largest_ticks(sum, pareto->components);
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

/* The best paths of one component alone are good plans: what they cost bounds the search. */
static enum hs_status seed_bound(struct pareto *pareto, struct hs_ranking *seeds, size_t component,
                                 struct hs_error *err)
{
    const struct hs_lattice *lattice = pareto->lattice;
    size_t last = lattice->node_count - 1;
    struct hs_paths_problem problem = {.lattice = lattice,
                                       .weights = pareto->least + component,
                                       .stride = pareto->components,
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
    for (size_t l = 0; l < pareto->components && !status; l++)
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

/* A sum of a label that waits at a node, and its components together. Sums are looked at in the
 * order of that, then of ties: those that dominate one stand before it, so one pass is enough. */
struct by_sum {
    hs_ticks total;
    uint32_t label;
    size_t sum;
};

/* Whether a comes before b whatever follows. */
static bool dominates(const struct pareto *pareto, const struct by_sum *a, const struct by_sum *b)
{
    const hs_ticks *x = &pareto->sums.ticks[a->sum * pareto->components];
    const hs_ticks *y = &pareto->sums.ticks[b->sum * pareto->components];
    bool all_smaller = true;

    for (size_t l = 0; l < pareto->components; l++) {
        if (x[l] > y[l])
            return false;
        all_smaller = all_smaller && x[l] < y[l];
    }
    return all_smaller || ties_before(pareto, a->label, b->label);
}

/* Appends edge e to label `from`, by all of its rows; drops what is left without sums. */
static enum hs_status extend(struct pareto *pareto, uint32_t from, size_t e, struct hs_error *err)
{
    const struct hs_weights *weights = pareto->weights;
    uint32_t end = pareto->lattice->edge_end[e];
    struct hs_front_step step = {.rows = &weights->ticks[weights->first[e] * pareto->components],
                                 .row_count = weights->first[e + 1] - weights->first[e],
                                 .rest = &pareto->distance[end * pareto->components],
                                 .bound = pareto->bound};
    struct hs_front front;
    struct label *label;

    if (hs_front_extend(&front, &pareto->sums, pareto->labels[from].front, &step, err))
        return HS_MEMORY;
    if (front.count == 0)
        return HS_OK;
    if (pareto->count + 1 >= NO_LABEL)
        return hs_no_memory(err);
    label = hs_grow(&pareto->labels, &pareto->capacity, pareto->count, sizeof(*label), err);
    if (!label)
        return HS_MEMORY;
    *label = (struct label){.previous = from,
                            .node = end,
                            .layers = pareto->labels[from].layers + 1,
                            .next = pareto->waiting[end],
                            .front = front};
    pareto->waiting[end] = (uint32_t)pareto->count++;
    return HS_OK;
}

static int compare_total(const void *a, const void *b, void *pareto)
{
    const struct by_sum *x = a, *y = b;

    if (x->total != y->total)
        return x->total < y->total ? -1 : 1;
    if (x->label == y->label)
        return (x->sum > y->sum) - (x->sum < y->sum);
    return ties_before(pareto, x->label, y->label) ? -1 : 1;
}

static struct by_sum entry_of(const struct pareto *pareto, uint32_t label, size_t sum)
{
    struct by_sum entry = {.label = label, .sum = sum};

    for (size_t l = 0; l < pareto->components; l++)
        entry.total +=
            pareto->sums.ticks[sum * pareto->components + l] / (hs_ticks)pareto->components;
    return entry;
}

static size_t gather(struct pareto *pareto, size_t node, struct by_sum **list, struct hs_error *err)
{
    size_t count = 0;

    for (uint32_t i = pareto->waiting[node]; i != NO_LABEL; i = pareto->labels[i].next)
        count += pareto->labels[i].front.count;
    *list = malloc((count + 1) * sizeof(**list));
    if (!*list) {
        hs_no_memory(err);
        return 0;
    }
    count = 0;
    for (uint32_t i = pareto->waiting[node]; i != NO_LABEL; i = pareto->labels[i].next)
        for (size_t s = 0; s < pareto->labels[i].front.count; s++)
            (*list)[count++] = entry_of(pareto, i, pareto->labels[i].front.first + s);
    qsort_r(*list, count, sizeof(**list), compare_total, pareto);
    return count;
}

/* Marks the sums that kept ones of K labels dominate. */
static void drop_dominated(struct pareto *pareto, size_t node, struct by_sum *list, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count && may_go_on(pareto, node, i); i++) {
        size_t better = 0;

        for (size_t k = 0; k < kept && better < pareto->top; k++) {
            struct label *label = &pareto->labels[list[k].label];

            if (label->seen_by == i + 1 || !dominates(pareto, &list[k], &list[i]))
                continue;
            label->seen_by = i + 1;
            better++;
        }
        if (better < pareto->top)
            list[kept++] = list[i];
        else
            pareto->sums.ticks[list[i].sum * pareto->components] = GONE;
    }
}

/* Closes the gaps in a label's front. */
static void close_gaps(struct pareto *pareto, struct hs_front *front)
{
    size_t components = pareto->components, kept = front->first;
    hs_ticks *ticks = pareto->sums.ticks;

    for (size_t s = front->first; s < front->first + front->count; s++)
        if (ticks[s * components] != GONE)
            memmove(&ticks[kept++ * components], &ticks[s * components],
                    components * sizeof(*ticks));
    front->count = kept - front->first;
}

static enum hs_status settle(struct pareto *pareto, size_t node, struct hs_error *err)
{
    const struct hs_lattice *lattice = pareto->lattice;
    struct by_sum *list;
    size_t count = gather(pareto, node, &list, err);
    enum hs_status status = HS_OK;

    if (!list)
        return HS_MEMORY;
    drop_dominated(pareto, node, list, count);
    free(list);
    for (uint32_t i = pareto->waiting[node];
         i != NO_LABEL && !status && may_go_on(pareto, node, pareto->count);
         i = pareto->labels[i].next) {
        close_gaps(pareto, &pareto->labels[i].front);
        if (pareto->labels[i].front.count == 0)
            continue;
        for (size_t e = lattice->first_edge[node]; e < lattice->first_edge[node + 1] && !status;
             e++)
            status = extend(pareto, i, e, err);
    }
    return status;
}

static enum hs_status collect(const struct pareto *pareto, struct hs_ranking *ranking,
                              struct hs_error *err)
{
    size_t last = pareto->lattice->node_count - 1;
    enum hs_status status = HS_OK;

    for (uint32_t i = pareto->waiting[last]; i != NO_LABEL && !status; i = pareto->labels[i].next) {
        struct hs_plan plan = {.chunks = pareto->chunks};
        hs_ticks ticks = hs_front_least(&pareto->sums, pareto->labels[i].front);

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
    size_t nodes = pareto->lattice->node_count, edges = pareto->lattice->edge_count;
    size_t size = pareto->components * sizeof(hs_ticks);

    pareto->capacity = 1024;
    pareto->labels = calloc(pareto->capacity, sizeof(*pareto->labels));
    pareto->waiting = malloc(nodes * sizeof(*pareto->waiting));
    pareto->least = malloc((edges + 1) * size);
    pareto->distance = malloc(nodes * size);
    if (!pareto->labels || !pareto->waiting || !pareto->least || !pareto->distance)
        return hs_no_memory(err);
    for (size_t i = 0; i < nodes; i++)
        pareto->waiting[i] = NO_LABEL;
    pareto->labels[0].next = NO_LABEL;
    pareto->waiting[0] = 0;
    pareto->count = 1;
    for (size_t e = 0; e < edges; e++)
        hs_weights_least(&pareto->least[e * pareto->components], pareto->weights, e);
    for (size_t l = 0; l < pareto->components; l++)
        hs_distances_to_end(pareto->distance + l, pareto->lattice, pareto->least + l,
                            pareto->components);
    return hs_front_begin(&pareto->labels[0].front, &pareto->sums, err);
}

enum hs_status hs_pareto_search(struct hs_strategy_run *run, const struct hs_weights *weights,
                                int chunks, struct hs_error *err)
{
    struct hs_ranking *ranking = &run->ranking;
    const struct hs_lattice *lattice = &run->lattice;
    struct pareto pareto = {.run = run,
                            .lattice = lattice,
                            .weights = weights,
                            .components = weights->components,
                            .sums = {.components = weights->components},
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
    free(pareto.sums.ticks);
    free(pareto.waiting);
    free(pareto.least);
    free(pareto.distance);
    return status;
}
