/* calibrate_plan.c - see calibrate_plan.h. */
#include "measure/calibrate_plan.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/price.h"
#include "search/lattice.h"

/* A layer, before its tasks. */
struct candidate {
    struct hs_layer layer;
    struct hs_stage_price price;
    double seconds; /* with the largest message */
    bool leads;
};

/* ---- message sizes ------------------------------------------------------------------------- */

size_t hs_calibrate_sizes(uint64_t sizes[HS_CALIBRATE_SIZES_MAX], const struct hs_range *range,
                          size_t width)
{
    struct hs_range fractions = *range;
    size_t all = 0, kept = 0, each;

    if (range->first == range->last && range->last / 8 >= width)
        fractions = (struct hs_range){range->last / 8 / width * width, range->last, {0}, 0};
    for (uint64_t bytes = fractions.first; bytes; bytes = hs_range_next(&fractions, bytes))
        all++;
    each = (all + HS_CALIBRATE_SIZES_MAX - 3) / (HS_CALIBRATE_SIZES_MAX - 1);
    if (each < 1)
        each = 1;
    for (uint64_t bytes = fractions.first, at = 0; bytes;
         bytes = hs_range_next(&fractions, bytes), at++)
        if (at % each == 0 || bytes == fractions.last) {
            assert(kept < HS_CALIBRATE_SIZES_MAX);
            sizes[kept++] = bytes;
        }
    return kept;
}

/* ---- layers -------------------------------------------------------------------------------- */

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->leads != y->leads)
        return x->leads ? -1 : 1;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    if (x->layer.stride != y->layer.stride)
        return x->layer.stride < y->layer.stride ? -1 : 1;
    return (x->layer.size > y->layer.size) - (x->layer.size < y->layer.size);
}

static bool same_class(const struct candidate *a, const struct candidate *b)
{
    return a->price.level == b->price.level && a->price.straddles == b->price.straddles &&
           a->layer.size == b->layer.size;
}

/* The cheapest of each class leads it: sorted by time, the first one met. */
static void choose_leaders(struct candidate *candidates, size_t count)
{
    qsort(candidates, count, sizeof(*candidates), compare_candidates);
    for (size_t i = 0; i < count; i++) {
        candidates[i].leads = true;
        for (size_t j = 0; j < i && candidates[i].leads; j++)
            candidates[i].leads = !same_class(&candidates[i], &candidates[j]);
    }
    qsort(candidates, count, sizeof(*candidates), compare_candidates);
}

static struct candidate *list_layers(const struct hs_lattice *lattice,
                                     const struct hs_system *system, double bytes)
{
    struct candidate *candidates = calloc(lattice->edge_count, sizeof(*candidates));
    struct hs_problem problem = hs_problem_world(lattice->group.ranks, bytes);

    for (size_t node = 0; candidates && node < lattice->node_count; node++)
        for (size_t e = lattice->first_edge[node]; e < lattice->first_edge[node + 1]; e++) {
            struct candidate *candidate = &candidates[e];

            candidate->layer = hs_lattice_layer(lattice, node, e);
            candidate->price = hs_stage_price(system, problem.group.ranks,
                                              hs_problem_key(&problem, candidate->layer, HS_RING));
            candidate->seconds = hs_stage_seconds(&candidate->price,
                                                  hs_problem_entering(&problem, candidate->layer));
        }
    return candidates;
}

/* ---- tasks --------------------------------------------------------------------------------- */

static int compare_tasks(const void *a, const void *b)
{
    const struct hs_calibrate_task *x = a, *y = b;

    if (x->step != y->step)
        return x->step - y->step;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    if (!hs_stage_key_equal(x->stage, y->stage))
        return hs_stage_key_compare(x->stage, y->stage);
    return (x->count > y->count) - (x->count < y->count);
}

/* Elements entering the layer, in whole blocks. */
static size_t count_of(struct hs_layer layer, uint64_t bytes, size_t width)
{
    uint64_t entering = bytes / width / (uint64_t)layer.stride, size = (uint64_t)layer.size;

    return entering < size ? size : (size_t)(entering / size * size);
}

static int step_of(bool leads, enum hs_phase phase, bool is_end)
{
    bool first = phase == HS_REDUCE_SCATTER && is_end;

    if (leads)
        return first ? 1 : 2;
    return first ? 3 : 4;
}

static void add_task(struct hs_calibrate_plan *plan, const struct candidate *candidate,
                     struct hs_stage_key stage, size_t count, size_t width, bool is_end)
{
    struct hs_calibrate_task *task = &plan->tasks[plan->count];
    double ring = hs_stage_seconds(&candidate->price, (double)(count * width)) -
                  candidate->price.launch_seconds;
    /* Prices are for both phases. */
    double part =
        (double)hs_phase_passes(stage.phase) / hs_phase_passes(candidate->price.key.phase);

    for (size_t i = 0; i < plan->count; i++)
        if (plan->tasks[i].count == count && hs_stage_key_equal(plan->tasks[i].stage, stage))
            return;
    *task = (struct hs_calibrate_task){.stage = stage,
                                       .count = count,
                                       .step = step_of(candidate->leads, stage.phase, is_end),
                                       .seconds = part * ring};
    if (count > plan->count_max)
        plan->count_max = count;
    plan->count++;
}

/* A layer's stage, where the algorithm can do it. */
static void add_stage(struct hs_calibrate_plan *plan, const struct candidate *candidate,
                      struct hs_stage_key stage, uint64_t bytes, size_t width, bool is_end)
{
    if (hs_stage_possible(stage))
        add_task(plan, candidate, stage, count_of(candidate->layer, bytes, width), width, is_end);
}

static void add_layer(struct hs_calibrate_plan *plan, const struct candidate *candidate,
                      const uint64_t *sizes, size_t size_count, int64_t np,
                      const struct hs_calibrate_extent *extent)
{
    struct hs_layer layer = candidate->layer;
    bool last = layer.stride * layer.size == np;
    unsigned algorithms = 1U << HS_RING | (candidate->leads ? extent->algorithms : 0);

    for (size_t i = 0; i < size_count * HS_ALGORITHM_COUNT; i++) {
        enum hs_algorithm algorithm = (enum hs_algorithm)(i / size_count);
        uint64_t bytes = sizes[i % size_count];
        bool is_end = i % size_count == 0 || i % size_count + 1 == size_count;
        struct hs_stage_key stage = {HS_REDUCE_SCATTER, algorithm, layer};

        if (!(algorithms >> algorithm & 1))
            continue;
        add_stage(plan, candidate, stage, bytes, extent->width, is_end);
        stage.phase = HS_ALLGATHER;
        add_stage(plan, candidate, stage, bytes, extent->width, is_end);
        stage.phase = HS_ALLREDUCE;
        if (last || i % size_count == 0)
            add_stage(plan, candidate, stage, bytes, extent->width, is_end);
    }
    plan->layer_count++;
}

/* ---- stages that were named ---------------------------------------------------------------- */

static bool is_named(const struct hs_calibrate_extent *extent)
{
    return extent->stages && extent->stages->count > 0;
}

static void add_named(struct hs_calibrate_plan *plan, const struct candidate *candidate,
                      const uint64_t *sizes, size_t size_count,
                      const struct hs_calibrate_extent *extent)
{
    size_t before = plan->count;

    for (size_t i = 0; i < extent->stages->count * size_count; i++) {
        struct hs_stage_key stage = extent->stages->keys[i / size_count];

        if (hs_layer_equal(stage.layer, candidate->layer))
            add_stage(plan, candidate, stage, sizes[i % size_count], extent->width, true);
    }
    plan->layer_count += plan->count > before;
}

/* How far a layer is from another one: no unit. */
static double distance(struct hs_layer a, struct hs_layer b)
{
    return fabs(log((double)a.stride / (double)b.stride)) +
           fabs(log((double)a.size / (double)b.size));
}

static enum hs_status check_named(const struct hs_calibrate_extent *extent,
                                  const struct candidate *candidates, size_t count, int64_t np,
                                  struct hs_error *err)
{
    for (size_t s = 0; s < extent->stages->count; s++) {
        struct hs_stage_key key = extent->stages->keys[s], near = key;
        char wanted[HS_STAGE_KEY_TEXT], nearest[HS_STAGE_KEY_TEXT];

        near.layer = candidates[0].layer;
        for (size_t i = 0; i < count; i++)
            if (distance(candidates[i].layer, key.layer) < distance(near.layer, key.layer))
                near.layer = candidates[i].layer;
        if (hs_layer_equal(near.layer, key.layer))
            continue;
        near.algorithm = hs_stage_possible(near) ? near.algorithm : HS_RING;
        return hs_fail(err, HS_INVALID,
                       "--stages: %" PRId64 " ranks have no %s: stride times size divides their "
                       "number; did you mean %s?",
                       np, hs_stage_key_format(wanted, key), hs_stage_key_format(nearest, near));
    }
    return HS_OK;
}

static enum hs_status make(struct hs_calibrate_plan *plan, const struct hs_lattice *lattice,
                           const struct hs_system *system, const struct hs_calibrate_extent *extent,
                           struct hs_error *err)
{
    uint64_t sizes[HS_CALIBRATE_SIZES_MAX] = {0};
    size_t size_count = hs_calibrate_sizes(sizes, &extent->sizes, extent->width),
           count = lattice->edge_count;
    struct candidate *candidates;

    assert(count > 0 && size_count > 0); /* np >= 2, and a range begins above 0 */
    candidates = list_layers(lattice, system, (double)sizes[size_count - 1]);
    plan->tasks =
        calloc(count * size_count * HS_PHASE_COUNT * HS_ALGORITHM_COUNT, sizeof(*plan->tasks));
    if (!candidates || !plan->tasks) {
        free(candidates);
        return hs_fail(err, HS_MEMORY, "out of memory for %zu layers", count);
    }
    choose_leaders(candidates, count);
    if (is_named(extent) && check_named(extent, candidates, count, lattice->group.size, err)) {
        free(candidates);
        return HS_INVALID;
    }
    if (extent->max_layers > 0 && extent->max_layers < count) {
        plan->layers_left_out = count - extent->max_layers;
        count = extent->max_layers;
    }
    for (size_t i = 0; i < count && !is_named(extent); i++)
        add_layer(plan, &candidates[i], sizes, size_count, lattice->group.size, extent);
    for (size_t i = 0; i < count && is_named(extent); i++)
        add_named(plan, &candidates[i], sizes, size_count, extent);
    qsort(plan->tasks, plan->count, sizeof(*plan->tasks), compare_tasks);
    free(candidates);
    return HS_OK;
}

enum hs_status hs_calibrate_plan_make(struct hs_calibrate_plan *plan,
                                      const struct hs_system *system, int64_t np,
                                      const struct hs_calibrate_extent *extent,
                                      struct hs_error *err)
{
    struct hs_lattice lattice;
    enum hs_status status;

    *plan = (struct hs_calibrate_plan){0};
    if (np < 2)
        return hs_fail(err, HS_INVALID,
                       "one process has no layer to measure; start it under a launcher: mpiexec "
                       "-n 4 hiersearch calibrate ...");
    status = hs_lattice_init(&lattice, hs_group_world(np), err);
    if (status != HS_OK)
        return status;
    status = make(plan, &lattice, system, extent, err);
    hs_lattice_release(&lattice);
    return status;
}

void hs_calibrate_plan_release(struct hs_calibrate_plan *plan)
{
    free(plan->tasks);
    *plan = (struct hs_calibrate_plan){0};
}

/* ---- what measuring every split would take ------------------------------------------------- */

/* Paths that reach each node, and the summed time of those paths. */
double hs_every_split_seconds(uint64_t *splits, const struct hs_system *system, int64_t np,
                              double bytes)
{
    struct hs_problem problem = hs_problem_world(np, bytes);
    struct hs_lattice lattice;
    struct hs_error ignored;
    double *paths, *seconds, total;

    *splits = 0;
    if (hs_lattice_init(&lattice, hs_group_world(np), &ignored) != HS_OK)
        return NAN;
    *splits = lattice.path_count;
    paths = calloc(2 * lattice.node_count, sizeof(*paths));
    if (!paths) {
        hs_lattice_release(&lattice);
        return NAN;
    }
    seconds = paths + lattice.node_count;
    paths[0] = 1;
    for (size_t node = 0; node + 1 < lattice.node_count; node++)
        for (size_t e = lattice.first_edge[node]; e < lattice.first_edge[node + 1]; e++) {
            size_t end = lattice.edge_end[e];
            struct hs_layer layer = hs_lattice_layer(&lattice, node, e);
            struct hs_stage_price price =
                hs_stage_price(system, np, hs_problem_key(&problem, layer, HS_RING));

            paths[end] += paths[node];
            seconds[end] +=
                seconds[node] +
                paths[node] * hs_stage_seconds(&price, hs_problem_entering(&problem, layer));
        }
    total = seconds[lattice.node_count - 1];
    free(paths);
    hs_lattice_release(&lattice);
    return total;
}
