/* calibrate_plan.c - see calibrate_plan.h. */
#include "runner/calibrate_plan.h"
#include "library/price_plan.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    return a->price.level == b->price.level && a->price.misaligned == b->price.misaligned &&
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
                                     const struct hs_system *system, struct hs_problem problem)
{
    struct candidate *candidates = calloc(lattice->edge_count, sizeof(*candidates));

    for (size_t node = 0; candidates && node < lattice->node_count; node++)
        for (size_t e = lattice->first_edge[node]; e < lattice->first_edge[node + 1]; e++) {
            struct candidate *candidate = &candidates[e];

            candidate->layer = hs_lattice_layer(lattice, node, e);
            candidate->price = hs_stage_price_at(
                system, &problem.group, hs_problem_key(&problem, candidate->layer, HS_RING), 0);
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

/* What tasks are made of: whose layers, and a message size. */
struct message {
    struct hs_problem problem; /* its bytes are those of the message */
    size_t width;
    bool is_end; /* the smallest or the largest */
};

/* Elements entering the layer, in whole blocks. */
static size_t count_of(struct hs_layer layer, const struct message *message)
{
    double entering = hs_problem_entering(&message->problem, layer) / (double)message->width;
    size_t size = (size_t)layer.size, whole = (size_t)entering / size * size;

    return whole < size ? size : whole;
}

static int step_of(bool leads, enum hs_phase phase, const struct message *message)
{
    bool first = phase == hs_collectives[message->problem.collective].outward && message->is_end;

    if (leads)
        return first ? 1 : 2;
    return first ? 3 : 4;
}

/* A layer's stage, where the algorithm can do it. */
static void add_stage(struct hs_calibrate_plan *plan, const struct candidate *candidate,
                      struct hs_stage_key stage, const struct message *message)
{
    struct hs_calibrate_task *task = &plan->tasks[plan->count];
    size_t count = count_of(candidate->layer, message);
    double ring = hs_stage_seconds(&candidate->price, (double)(count * message->width)) -
                  candidate->price.launch_seconds;
    /* Prices are for both phases. */
    double part =
        (double)hs_phase_passes(stage.phase) / hs_phase_passes(candidate->price.key.phase);

    if (!hs_stage_possible(stage))
        return;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->tasks[i].count == count && hs_stage_key_equal(plan->tasks[i].stage, stage))
            return;
    *task = (struct hs_calibrate_task){.stage = stage,
                                       .count = count,
                                       .step = step_of(candidate->leads, stage.phase, message),
                                       .seconds = part * ring};
    if (count > plan->count_max)
        plan->count_max = count;
    plan->count++;
}

/* Message sizes, and whose messages they are. */
struct messages {
    uint64_t sizes[HS_CALIBRATE_SIZES_MAX];
    size_t count, width;
    struct hs_problem problem;
};

static struct message message_of(const struct messages *messages, size_t i)
{
    struct message message = {.problem = messages->problem,
                              .width = messages->width,
                              .is_end = i == 0 || i + 1 == messages->count};

    message.problem.bytes = (double)messages->sizes[i];
    return message;
}

static void add_layer(struct hs_calibrate_plan *plan, const struct candidate *candidate,
                      const struct messages *messages, unsigned algorithms)
{
    const struct hs_collective_row *row = &hs_collectives[messages->problem.collective];
    struct hs_layer layer = candidate->layer;
    bool exchanges = row->outcome == HS_OUTCOME_EXCHANGED;
    bool last = row->last == HS_ALLREDUCE && hs_problem_is_last(&messages->problem, layer);

    algorithms = 1U << HS_RING | (candidate->leads ? algorithms : 0);
    for (size_t i = 0; i < messages->count * HS_ALGORITHM_COUNT; i++) {
        enum hs_algorithm algorithm = (enum hs_algorithm)(i / messages->count);
        struct message message = message_of(messages, i % messages->count);
        struct hs_stage_key stage = {row->outward, algorithm, layer};

        if (!(algorithms >> algorithm & 1))
            continue;
        add_stage(plan, candidate, stage, &message);
        stage.phase = row->inward;
        if (stage.phase != HS_PHASE_COUNT)
            add_stage(plan, candidate, stage, &message);
        stage.phase = HS_ALLREDUCE;
        if (!exchanges && (last || i % messages->count == 0))
            add_stage(plan, candidate, stage, &message);
    }
    plan->layer_count++;
}

/* ---- stages that were named ---------------------------------------------------------------- */

static bool is_named(const struct hs_calibrate_extent *extent)
{
    return extent->stages && extent->stages->count > 0;
}

static void add_named(struct hs_calibrate_plan *plan, const struct candidate *candidate,
                      const struct messages *messages, const struct hs_stage_list *stages)
{
    size_t before = plan->count;

    for (size_t i = 0; i < stages->count * messages->count; i++) {
        struct hs_stage_key stage = stages->keys[i / messages->count];
        struct message message = message_of(messages, i % messages->count);

        message.is_end = true;
        if (hs_layer_equal(stage.layer, candidate->layer))
            add_stage(plan, candidate, stage, &message);
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
                           const struct hs_system *system, const struct hs_problem *problem,
                           const struct hs_calibrate_extent *extent, struct hs_error *err)
{
    struct messages messages = {.width = extent->width, .problem = *problem};
    size_t count = lattice->edge_count;
    struct candidate *candidates;

    messages.count = hs_calibrate_sizes(messages.sizes, &extent->sizes, extent->width);
    assert(count > 0 && messages.count > 0); /* 2 ranks or more; a range begins above 0 */
    candidates = list_layers(lattice, system, message_of(&messages, messages.count - 1).problem);
    plan->tasks =
        calloc(count * messages.count * HS_PHASE_COUNT * HS_ALGORITHM_COUNT, sizeof(*plan->tasks));
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
        add_layer(plan, &candidates[i], &messages, extent->algorithms);
    for (size_t i = 0; i < count && is_named(extent); i++)
        add_named(plan, &candidates[i], &messages, extent->stages);
    qsort(plan->tasks, plan->count, sizeof(*plan->tasks), compare_tasks);
    free(candidates);
    return HS_OK;
}

enum hs_status hs_calibrate_plan_make(struct hs_calibrate_plan *plan,
                                      const struct hs_system *system,
                                      const struct hs_problem *problem,
                                      const struct hs_calibrate_extent *extent,
                                      struct hs_error *err)
{
    struct hs_lattice lattice;
    enum hs_status status;

    *plan = (struct hs_calibrate_plan){0};
    if (problem->group.size < 2)
        return hs_fail(err, HS_INVALID,
                       "one process has no layer to measure; start it under a launcher: mpiexec "
                       "-n 4 hiersearch measure --calibrate ...");
    status = hs_lattice_init(&lattice, problem->group, err);
    if (status != HS_OK)
        return status;
    status = make(plan, &lattice, system, problem, extent, err);
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
double hs_every_split_seconds(uint64_t *splits, const struct hs_system *system,
                              const struct hs_problem *problem)
{
    struct hs_lattice lattice;
    struct hs_error ignored;
    double *paths, *seconds, total;

    *splits = 0;
    if (hs_lattice_init(&lattice, problem->group, &ignored) != HS_OK)
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
                hs_problem_price(system, problem, hs_problem_key(problem, layer, HS_RING), 0);

            paths[end] += paths[node];
            seconds[end] +=
                seconds[node] +
                paths[node] * hs_stage_seconds(&price, hs_problem_entering(problem, layer));
        }
    total = seconds[lattice.node_count - 1];
    free(paths);
    hs_lattice_release(&lattice);
    return total;
}
