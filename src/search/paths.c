#include "search/paths.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "search/strategies.h"

/* A candidate for the next label of a node: label `rank` of the edge's start, and that edge. */
struct step {
    hs_ticks ticks;
    size_t edge;
    uint32_t start, rank, layers;
};

/* The edges that end in each node: edges[first[i]] .. edges[first[i + 1] - 1]. */
struct incoming {
    size_t *first, *edges;
    uint32_t *starts;
};

static void incoming_release(struct incoming *incoming)
{
    free(incoming->first);
    free(incoming->edges);
    free(incoming->starts);
}

static enum hs_status incoming_init(struct incoming *incoming, const struct hs_lattice *lattice,
                                    struct hs_error *err)
{
    size_t nodes = lattice->node_count, *next;

    incoming->first = calloc(nodes + 2, sizeof(*incoming->first));
    incoming->edges = malloc((lattice->edge_count + 1) * sizeof(*incoming->edges));
    incoming->starts = malloc((lattice->edge_count + 1) * sizeof(*incoming->starts));
    if (!incoming->first || !incoming->edges || !incoming->starts) {
        incoming_release(incoming);
        return hs_no_memory(err);
    }
    /* Counting sort by end: `next` is `first` one place ahead, and falls into place while it is
     * used. */
    next = incoming->first + 1;
    for (size_t e = 0; e < lattice->edge_count; e++)
        if (lattice->edge_end[e] + 1 < nodes)
            next[lattice->edge_end[e] + 1]++;
    for (size_t i = 1; i < nodes; i++)
        next[i] += next[i - 1];
    for (size_t i = 0; i < nodes; i++) {
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            size_t place = next[lattice->edge_end[e]]++;

            incoming->edges[place] = e;
            incoming->starts[place] = (uint32_t)i;
        }
    }
    return HS_OK;
}

/* Sizes of the layers of a label, innermost first. */
static void label_sizes(int64_t *sizes, const struct hs_paths *paths, size_t node, size_t label)
{
    const int64_t *divisors = paths->lattice->divisors;

    for (uint32_t i = paths->nodes[node].data[label].layers; i-- > 0;) {
        const struct hs_label *at = &paths->nodes[node].data[label];

        sizes[i] = divisors[node] / divisors[at->previous_node];
        node = at->previous_node;
        label = at->previous_label;
    }
}

/* Tie of ticks and layers: the smaller size at the first difference. Both steps end in `node`. */
static int compare_sizes(const struct hs_paths *paths, size_t node, const struct step *a,
                         const struct step *b)
{
    int64_t x[HS_LAYERS_MAX + 1], y[HS_LAYERS_MAX + 1];
    const int64_t *divisors = paths->lattice->divisors;

    label_sizes(x, paths, a->start, a->rank);
    label_sizes(y, paths, b->start, b->rank);
    x[a->layers - 1] = divisors[node] / divisors[a->start];
    y[b->layers - 1] = divisors[node] / divisors[b->start];
    for (uint32_t i = 0; i < a->layers; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static bool step_before(const struct hs_paths *paths, size_t node, const struct step *a,
                        const struct step *b)
{
    int difference;

    if (a->ticks != b->ticks)
        return a->ticks < b->ticks;
    if (a->layers != b->layers)
        return a->layers < b->layers;
    difference = compare_sizes(paths, node, a, b);
    return difference < 0 || (difference == 0 && a->edge < b->edge);
}

/* Heap with the best step on top. */
static void sink(struct step *heap, size_t count, size_t at, const struct hs_paths *paths,
                 size_t node)
{
    for (;;) {
        size_t best = at;
        struct step kept;

        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            if (step_before(paths, node, &heap[child], &heap[best]))
                best = child;
        if (best == at)
            return;
        kept = heap[at];
        heap[at] = heap[best];
        heap[best] = kept;
        at = best;
    }
}

static struct step step_of(const struct hs_paths *paths, uint32_t start, size_t edge, uint32_t rank,
                           hs_ticks weight)
{
    const struct hs_label *label = &paths->nodes[start].data[rank];

    assert(rank < paths->nodes[start].count); /* every node has a path: its own flat layer */
    return (struct step){.ticks = label->ticks + weight,
                         .edge = edge,
                         .start = start,
                         .rank = rank,
                         .layers = label->layers + 1};
}

static enum hs_status append_label(struct hs_labels *labels, size_t *capacity,
                                   const struct step *step, struct hs_error *err)
{
    struct hs_label *label = hs_grow(&labels->data, capacity, labels->count, sizeof(*label), err);

    if (!label)
        return HS_MEMORY;
    *label = (struct hs_label){.ticks = step->ticks,
                               .previous_node = step->start,
                               .previous_label = step->rank,
                               .layers = step->layers,
                               .edge = (uint32_t)step->edge};
    labels->count++;
    return HS_OK;
}

/* Merges the sorted label lists of the nodes before `node`, each shifted by its edge's weight:
 * adding a layer changes no order within a list, ties included. */
static enum hs_status merge_labels(struct hs_paths *paths, size_t node, struct step *heap,
                                   const struct incoming *incoming,
                                   const struct hs_paths_problem *problem, struct hs_error *err)
{
    struct hs_labels *labels = &paths->nodes[node];
    size_t count = 0, capacity = 0;

    for (size_t i = incoming->first[node]; i < incoming->first[node + 1]; i++) {
        size_t edge = incoming->edges[i];

        heap[count++] =
            step_of(paths, incoming->starts[i], edge, 0, problem->weights[edge * problem->stride]);
    }
    for (size_t at = count / 2; at-- > 0;)
        sink(heap, count, at, paths, node);
    while (count > 0 && labels->count < problem->top) {
        struct step *best = &heap[0];

        if (append_label(labels, &capacity, best, err))
            return HS_MEMORY;
        if (best->rank + 1 < paths->nodes[best->start].count)
            *best = step_of(paths, best->start, best->edge, best->rank + 1,
                            problem->weights[best->edge * problem->stride]);
        else
            heap[0] = heap[--count];
        sink(heap, count, 0, paths, node);
    }
    return HS_OK;
}

enum hs_status hs_paths_init(struct hs_paths *paths, const struct hs_paths_problem *problem,
                             struct hs_error *err)
{
    const struct hs_lattice *lattice = problem->lattice;
    struct incoming incoming = {0};
    struct step *heap = malloc((lattice->edge_count + 1) * sizeof(*heap));
    size_t capacity = 0;
    enum hs_status status = HS_OK;

    *paths = (struct hs_paths){.lattice = lattice};
    paths->nodes = calloc(lattice->node_count, sizeof(*paths->nodes));
    if (!heap || !paths->nodes)
        status = hs_no_memory(err);
    if (!status)
        status = incoming_init(&incoming, lattice, err);
    if (!status) {
        status = append_label(&paths->nodes[0], &capacity, &(struct step){.ticks = 0}, err);
        for (size_t node = 1; node < lattice->node_count && !status &&
                              hs_search_goes_on(problem->run, node, lattice->node_count);
             node++)
            status = merge_labels(paths, node, heap, &incoming, problem, err);
        incoming_release(&incoming);
    }
    free(heap);
    if (status)
        hs_paths_release(paths);
    return status;
}

void hs_paths_release(struct hs_paths *paths)
{
    if (paths->nodes)
        for (size_t i = 0; i < paths->lattice->node_count; i++)
            free(paths->nodes[i].data);
    free(paths->nodes);
    memset(paths, 0, sizeof(*paths));
}

struct hs_split hs_paths_split(const struct hs_paths *paths, size_t node, size_t label)
{
    struct hs_split split = {.count = (int)paths->nodes[node].data[label].layers};

    if (split.count == 0)
        return hs_split_flat(1);
    label_sizes(split.sizes, paths, node, label);
    return split;
}

void hs_distances_to_end(hs_ticks *distance, const struct hs_lattice *lattice,
                         const hs_ticks *weights, size_t stride)
{
    distance[(lattice->node_count - 1) * stride] = 0;
    for (size_t i = lattice->node_count - 1; i-- > 0;) {
        hs_ticks *from = &distance[i * stride];

        *from = INT64_MAX;
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++) {
            hs_ticks through = weights[e * stride] + distance[lattice->edge_end[e] * stride];

            *from = through < *from ? through : *from;
        }
    }
}
