#include "search/axes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "library/price_plan.h"
#include "search/letters.h"

/* ---- placements ------------------------------------------------------------------------------ */

struct hs_axes_layout hs_axes_layout_of(const struct hs_mesh *mesh)
{
    struct hs_axes_layout layout = {.count = 0};

    for (int a = 0; a < mesh->count; a++)
        if (mesh->axes[a].size > 1) {
            layout.parts[layout.count].axis = a;
            layout.parts[layout.count++].size = mesh->axes[a].size;
        }
    return layout;
}

char *hs_axes_layout_format(char text[HS_AXES_LAYOUT_TEXT], const struct hs_axes_layout *layout,
                            const struct hs_mesh *mesh)
{
    size_t length = 0;

    snprintf(text, HS_AXES_LAYOUT_TEXT, "one process");
    for (int i = 0; i < layout->count && length < HS_AXES_LAYOUT_TEXT; i++)
        length += (size_t)snprintf(text + length, HS_AXES_LAYOUT_TEXT - length, "%s%s=%" PRId64,
                                   i > 0 ? "," : "", mesh->axes[layout->parts[i].axis].name,
                                   layout->parts[i].size);
    return text;
}

int64_t hs_axes_layout_rank(const struct hs_axes_layout *layout, const struct hs_mesh *mesh,
                            int64_t rank)
{
    int64_t digits[HS_AXES_MAX], place = 0, stride = 1;

    for (int a = 0; a < mesh->count; a++) {
        digits[a] = rank % mesh->axes[a].size;
        rank /= mesh->axes[a].size;
    }
    for (int i = 0; i < layout->count; i++) {
        int axis = layout->parts[i].axis;
        int64_t size = layout->parts[i].size;

        place += digits[axis] % size * stride;
        digits[axis] /= size;
        stride *= size;
    }
    return place;
}

/* ---- whole axes ------------------------------------------------------------------------------ */

/* All that is known of one search. */
struct run {
    struct hs_axes_result *out;
    const struct hs_search_request *request;
    const struct hs_job *job;
    bool given; /* the order that the job has, and no other */
};

/* The best plan of a message where its groups lie so; each is searched once. */
static enum hs_status find_call(uint32_t *out, struct run *run, size_t message,
                                const struct hs_problem *problem, struct hs_error *err)
{
    struct hs_axes_result *result = run->out;
    struct hs_search_request request = *run->request;
    struct hs_search_result found;
    struct hs_axes_call *call;
    enum hs_status status;

    for (size_t c = 0; c < result->call_count; c++)
        if (result->calls[c].message == message &&
            hs_group_equal(&result->calls[c].problem.group, &problem->group)) {
            *out = (uint32_t)c;
            return HS_OK;
        }
    call = hs_grow(&result->calls, &result->call_capacity, result->call_count, sizeof(*call), err);
    if (!call)
        return HS_MEMORY;
    request.problem = *problem;
    request.chunks = NULL;
    request.top = 1;
    if (run->job->messages[message].sends) { /* neighbours exchange: nothing to split */
        struct hs_plan flat = hs_problem_flat(problem);

        *call = (struct hs_axes_call){
            .message = message,
            .problem = *problem,
            .plan = flat,
            .seconds = hs_plan_seconds(request.system, problem, &flat) /
                       hs_job_message_steps(&run->job->messages[message], problem)};
        *out = (uint32_t)result->call_count++;
        return HS_OK;
    }
    status = hs_search(&found, &hs_search_strategies[0], &request, err);
    if (status != HS_OK)
        return status;
    *call = (struct hs_axes_call){.message = message,
                                  .problem = *problem,
                                  .plan = found.plans[0].plan,
                                  .seconds = found.plans[0].seconds};
    hs_search_result_release(&found);
    *out = (uint32_t)result->call_count++;
    return HS_OK;
}

/* The axes in this order, of one rank or more; `axes` has mesh.count of them. */
static enum hs_status add_order(struct run *run, const int *axes, size_t *capacity,
                                struct hs_error *err)
{
    struct hs_axes_result *result = run->out;
    const struct hs_job *job = run->job;
    struct hs_axes_order *order =
        hs_grow(&result->orders, capacity, result->count, sizeof(*order), err);
    enum hs_status status = HS_OK;

    if (!order)
        return HS_MEMORY;
    for (int i = 0; i < job->mesh.count; i++)
        if (job->mesh.axes[axes[i]].size > 1) {
            order->layout.parts[order->layout.count].axis = axes[i];
            order->layout.parts[order->layout.count++].size = job->mesh.axes[axes[i]].size;
        }
    for (size_t m = 0; m < job->count && status == HS_OK; m++) {
        struct hs_problem problem;

        status = hs_job_problem(&problem, job, m, axes, err);
        if (status == HS_OK)
            status = find_call(&order->calls[m], run, m, &problem, err);
        if (status == HS_OK)
            order->seconds +=
                (double)job->messages[m].calls * result->calls[order->calls[m]].seconds;
    }
    result->count += status == HS_OK;
    return status;
}

/* The next order in the order of a dictionary; false behind the last. */
static bool next_order(int *axes, int count)
{
    int i = count - 2, j = count - 1, held;

    while (i >= 0 && axes[i] > axes[i + 1])
        i--;
    if (i < 0)
        return false;
    while (axes[j] < axes[i])
        j--;
    held = axes[i];
    axes[i] = axes[j];
    axes[j] = held;
    for (int low = i + 1, high = count - 1; low < high; low++, high--) {
        held = axes[low];
        axes[low] = axes[high];
        axes[high] = held;
    }
    return true;
}

static int by_seconds(const void *left, const void *right)
{
    const struct hs_axes_order *a = left, *b = right;

    if (a->seconds != b->seconds)
        return a->seconds < b->seconds ? -1 : 1;
    for (int i = 0; i < a->layout.count; i++)
        if (a->layout.parts[i].axis != b->layout.parts[i].axis)
            return a->layout.parts[i].axis - b->layout.parts[i].axis;
    return 0;
}

/* Axes of one rank lie anywhere: they stay outside of the others, whose orders are weighed. */
static enum hs_status add_orders(struct run *run, struct hs_error *err)
{
    const struct hs_mesh *mesh = &run->job->mesh;
    int axes[HS_AXES_MAX] = {0}, count = 0, all;
    size_t capacity = 0;
    enum hs_status status;

    for (int a = 0; a < mesh->count; a++)
        if (mesh->axes[a].size > 1)
            axes[count++] = a;
    all = count;
    for (int a = 0; a < mesh->count; a++)
        if (mesh->axes[a].size == 1)
            axes[all++] = a;
    do {
        status = add_order(run, axes, &capacity, err);
    } while (status == HS_OK && !run->given && next_order(axes, count));
    if (status == HS_OK)
        qsort(run->out->orders, run->out->count, sizeof(*run->out->orders), by_seconds);
    return status;
}

/* ---- cut axes -------------------------------------------------------------------------------- */

/* An axis with `others` ranks of other axes inside of each of its own: what its messages take from
 * each of its divisors to each larger one, [nodes][nodes]. */
struct part_times {
    int64_t others;
    double *seconds; /* owned */
};

struct cut_axis {
    struct hs_lattice lattice; /* of the axis alone: its divisors */
    struct part_times *times;  /* [count] owned */
    size_t count, capacity;
};

struct cut_search {
    const struct run *run;
    struct cut_axis axes[HS_AXES_MAX];
    size_t node_count;
};

/* Adds the shortest ways of a message through parts of an axis. */
static enum hs_status add_shortest(double *seconds, const struct hs_lattice *lattice,
                                   const struct hs_weights *weights, double factor,
                                   struct hs_error *err)
{
    size_t nodes = lattice->node_count;
    hs_ticks *least = malloc(nodes * sizeof(*least));

    if (!least)
        return hs_no_memory(err);
    for (size_t start = 0; start < nodes; start++) {
        for (size_t i = 0; i < nodes; i++)
            least[i] = i == start ? 0 : INT64_MAX;
        for (size_t i = start; i < nodes; i++)
            for (size_t e = lattice->first_edge[i];
                 least[i] < INT64_MAX && e < lattice->first_edge[i + 1]; e++) {
                hs_ticks weight;

                hs_weights_least(&weight, weights, e);
                if (least[i] + weight < least[lattice->edge_end[e]])
                    least[lattice->edge_end[e]] = least[i] + weight;
            }
        for (size_t i = start; i < nodes; i++)
            if (least[i] < INT64_MAX)
                seconds[start * nodes + i] += factor * (double)least[i];
    }
    free(least);
    return HS_OK;
}

/* A message along one axis, whose neighbours are `others` ranks apart. */
static enum hs_status add_message(double *seconds, const struct cut_search *search, size_t message,
                                  int64_t others, struct hs_error *err)
{
    static const int one_chunk = 1;
    const struct hs_job_message *asked = &search->run->job->messages[message];
    int64_t ranks = hs_mesh_ranks(&search->run->job->mesh), size = 1;
    struct hs_search_request request = *search->run->request;
    struct hs_strategy_run run = {.request = &request, .steps = 1};
    struct hs_weights weights = {.components = 1};
    enum hs_status status;

    for (int a = 0; a < search->run->job->mesh.count; a++)
        if (asked->over >> a & 1)
            size *= search->run->job->mesh.axes[a].size;
    request.problem = hs_problem_of(asked->collective, asked->layout, ranks, asked->bytes);
    request.problem.group = (struct hs_group){.ranks = ranks, .stride = others, .size = size};
    request.chunks = &one_chunk;
    request.chunk_count = 1;
    status = hs_lattice_init(&run.lattice, request.problem.group, err);
    if (status != HS_OK)
        return status;
    run.prices = hs_lattice_prices(&run.lattice, &request);
    status = run.prices ? hs_tick_choose(&run.tick_seconds, &request, &run.lattice, run.prices, err)
                        : hs_no_memory(err);
    if (status == HS_OK)
        status = hs_weights_init(&weights, &run, 1, err);
    if (status == HS_OK)
        status = add_shortest(seconds, &run.lattice, &weights,
                              (double)asked->calls * run.tick_seconds, err);
    hs_weights_release(&weights);
    free(run.prices);
    hs_lattice_release(&run.lattice);
    return status;
}

/* What an axis' messages take where so many ranks of others lie inside; made where it is new. */
static enum hs_status find_times(const double **out, struct cut_search *search, int axis,
                                 int64_t others, struct hs_error *err)
{
    struct cut_axis *cut = &search->axes[axis];
    const struct hs_job *job = search->run->job;
    size_t nodes = cut->lattice.node_count;
    struct part_times *times;
    enum hs_status status = HS_OK;

    for (size_t t = 0; t < cut->count; t++)
        if (cut->times[t].others == others) {
            *out = cut->times[t].seconds;
            return HS_OK;
        }
    times = hs_grow(&cut->times, &cut->capacity, cut->count, sizeof(*times), err);
    if (!times)
        return HS_MEMORY;
    times->others = others;
    times->seconds = calloc(nodes * nodes, sizeof(*times->seconds));
    if (!times->seconds)
        return hs_no_memory(err);
    cut->count++;
    *out = times->seconds;
    for (size_t m = 0; m < job->count && status == HS_OK; m++)
        if (job->messages[m].over == 1U << axis)
            status = add_message(times->seconds, search, m, others, err);
    return status;
}

/* How much of each axis lies inside: node numbers, digits of the index of a node of all. */
struct position {
    size_t nodes[HS_AXES_MAX];
    int64_t ranks; /* in all */
};

static struct position position_of(const struct cut_search *search, size_t index)
{
    struct position position = {.ranks = 1};

    for (int a = 0; a < search->run->job->mesh.count; a++) {
        const struct hs_lattice *lattice = &search->axes[a].lattice;

        position.nodes[a] = index % lattice->node_count;
        position.ranks *= lattice->divisors[position.nodes[a]];
        index /= lattice->node_count;
    }
    return position;
}

/* The least way to a node of all: the last part's axis, and where it begins. */
struct cut_label {
    double seconds;
    int parts;
    int axis;
    size_t from;
    uint64_t ways[HS_AXES_MAX]; /* to it, by the last part's axis; saturating */
};

static void count_ways(struct cut_label *to, const struct cut_label *from, bool first, int axis)
{
    for (int last = 0; last < HS_AXES_MAX; last++)
        if (last != axis && to->ways[axis] <= UINT64_MAX - from->ways[last])
            to->ways[axis] += from->ways[last];
        else if (last != axis)
            to->ways[axis] = UINT64_MAX;
    to->ways[axis] += first && to->ways[axis] < UINT64_MAX;
}

/* All parts of an axis that may follow at a node. */
static enum hs_status extend_axis(struct cut_label *labels, struct cut_search *search, size_t index,
                                  int axis, struct hs_error *err)
{
    struct position position = position_of(search, index);
    const struct hs_lattice *lattice = &search->axes[axis].lattice;
    size_t node = position.nodes[axis], step = 1;
    const double *seconds;
    enum hs_status status;

    if (node + 1 == lattice->node_count)
        return HS_OK;
    status = find_times(&seconds, search, axis, position.ranks / lattice->divisors[node], err);
    if (status != HS_OK)
        return status;
    for (int a = 0; a < axis; a++)
        step *= search->axes[a].lattice.node_count;
    for (size_t e = lattice->first_edge[node]; e < lattice->first_edge[node + 1]; e++) {
        size_t end = lattice->edge_end[e];
        struct cut_label *to = &labels[index + (end - node) * step];
        double sum = labels[index].seconds + seconds[node * lattice->node_count + end];
        int parts = labels[index].parts + 1;

        count_ways(to, &labels[index], index == 0, axis);
        if (sum < to->seconds || (sum == to->seconds && parts < to->parts)) {
            to->seconds = sum;
            to->parts = parts;
            to->axis = axis;
            to->from = index;
        }
    }
    return HS_OK;
}

/* From the last node back to the first; the parts come the outermost first. */
static void read_labels(struct hs_axes_layout *out, const struct cut_search *search,
                        const struct cut_label *labels)
{
    struct hs_axes_layout layout = {.count = labels[search->node_count - 1].parts};
    size_t index = search->node_count - 1;

    for (int i = layout.count - 1; i >= 0; i--) {
        int axis = labels[index].axis;
        const int64_t *divisors = search->axes[axis].lattice.divisors;
        struct position to = position_of(search, index);
        struct position from = position_of(search, labels[index].from);

        layout.parts[i].axis = axis;
        layout.parts[i].size = divisors[to.nodes[axis]] / divisors[from.nodes[axis]];
        index = labels[index].from;
    }
    *out = layout;
}

static enum hs_status find_cut(struct hs_axes_result *out, struct cut_search *search,
                               struct hs_error *err)
{
    struct cut_label *labels = calloc(search->node_count, sizeof(*labels)), *last;
    enum hs_status status = HS_OK;

    if (!labels)
        return hs_no_memory(err);
    for (size_t i = 1; i < search->node_count; i++)
        labels[i].seconds = INFINITY;
    for (size_t i = 0; i < search->node_count && status == HS_OK; i++)
        for (int a = 0; a < search->run->job->mesh.count && status == HS_OK; a++)
            status = extend_axis(labels, search, i, a, err);
    last = &labels[search->node_count - 1];
    if (status == HS_OK) {
        read_labels(&out->cut, search, labels);
        out->cut_seconds = last->seconds;
        out->weighed = 0;
        for (int a = 0; a < HS_AXES_MAX; a++)
            out->weighed = out->weighed > UINT64_MAX - last->ways[a] ? UINT64_MAX
                                                                     : out->weighed + last->ways[a];
    }
    free(labels);
    return status;
}

/* Whether each message is a collective along one axis: a pipeline's next rank may lie in another
 * part of a cut axis. */
static bool are_single(const struct hs_job *job)
{
    for (size_t m = 0; m < job->count; m++)
        if (job->messages[m].sends || (job->messages[m].over & (job->messages[m].over - 1)))
            return false;
    return true;
}

static enum hs_status search_cut(struct run *run, struct hs_error *err)
{
    struct cut_search search = {.run = run, .node_count = 1};
    const struct hs_mesh *mesh = &run->job->mesh;
    enum hs_status status = HS_OK;

    for (int a = 0; a < mesh->count && status == HS_OK; a++) {
        status = hs_lattice_init(&search.axes[a].lattice, hs_group_world(mesh->axes[a].size), err);
        if (status == HS_OK && search.node_count <= HS_AXES_NODES_MAX)
            search.node_count *= search.axes[a].lattice.node_count;
    }
    if (status == HS_OK && search.node_count > 1 && search.node_count <= HS_AXES_NODES_MAX)
        status = find_cut(run->out, &search, err);
    for (int a = 0; a < mesh->count; a++) {
        for (size_t t = 0; t < search.axes[a].count; t++)
            free(search.axes[a].times[t].seconds);
        free(search.axes[a].times);
        hs_lattice_release(&search.axes[a].lattice);
    }
    return status;
}

/* ---- all together ---------------------------------------------------------------------------- */

static enum hs_status search(struct run *run, struct hs_error *err)
{
    struct hs_axes_result *out = run->out;
    enum hs_status status;

    *out = (struct hs_axes_result){.count = 0};
    status = add_orders(run, err);
    out->weighed = out->count;
    if (status == HS_OK && !run->given && are_single(run->job))
        status = search_cut(run, err);
    if (status != HS_OK)
        hs_axes_result_release(out);
    return status;
}

enum hs_status hs_axes_search(struct hs_axes_result *out, const struct hs_search_request *request,
                              const struct hs_job *job, struct hs_error *err)
{
    return search(&(struct run){.out = out, .request = request, .job = job}, err);
}

enum hs_status hs_axes_search_given(struct hs_axes_result *out,
                                    const struct hs_search_request *request,
                                    const struct hs_job *job, struct hs_error *err)
{
    return search(&(struct run){.out = out, .request = request, .job = job, .given = true}, err);
}

void hs_axes_result_release(struct hs_axes_result *result)
{
    free(result->orders);
    free(result->calls);
    *result = (struct hs_axes_result){.count = 0};
}

const struct hs_axes_order *hs_axes_given(const struct hs_axes_result *result,
                                          const struct hs_job *job)
{
    struct hs_axes_layout given = hs_axes_layout_of(&job->mesh);

    for (size_t i = 0; i < result->count; i++) {
        const struct hs_axes_layout *layout = &result->orders[i].layout;
        int same = 0;

        while (same < given.count && layout->parts[same].axis == given.parts[same].axis)
            same++;
        if (same == given.count)
            return &result->orders[i];
    }
    return NULL;
}

/* ---- at the same time ------------------------------------------------------------------------ */

/* What the messages along these axes (bits), and no others, take in a step. */
static double along_seconds(const struct hs_axes_order *order, const struct hs_axes_result *result,
                            const struct hs_job *job, unsigned over)
{
    double seconds = 0;

    for (size_t m = 0; m < job->count; m++)
        if (job->messages[m].over == over)
            seconds += (double)job->messages[m].calls * result->calls[order->calls[m]].seconds;
    return seconds;
}

struct hs_axes_overlap hs_axes_overlap_of(const struct hs_axes_order *order,
                                          const struct hs_axes_result *result,
                                          const struct hs_job *job, const struct hs_system *system)
{
    struct hs_axes_overlap overlap = {.most_seconds = order->seconds, .pace = -1};
    double busy[HS_PACES_MAX] = {0};

    for (size_t m = 0; m < job->count; m++) {
        const struct hs_axes_call *call = &result->calls[order->calls[m]];
        struct hs_plan_cost cost = hs_plan_cost(system, &call->problem, &call->plan);
        double along = along_seconds(order, result, job, job->messages[m].over);

        overlap.least_seconds = fmax(overlap.least_seconds, along);
        for (int l = 0; l < hs_system_paces(system); l++)
            busy[l] += (double)job->messages[m].calls * cost.busy_seconds[l] /
                       hs_job_message_steps(&job->messages[m], &call->problem);
    }
    for (int l = 0; l < hs_system_paces(system); l++)
        if (busy[l] > overlap.least_seconds) {
            overlap.least_seconds = busy[l];
            overlap.pace = l;
        }
    overlap.least_seconds = fmin(overlap.least_seconds, overlap.most_seconds);
    return overlap;
}
