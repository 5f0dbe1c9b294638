/* The machine: its levels, one inside the other, over the number of processes they hold, and below
 * them how far the layers of a plan reach. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "answer/figures.h"
#include "library/limit.h"
#include "library/price_plan.h"
#include "plot/caption.h"
#include "plot/choose.h"
#include "plot/csv.h"
#include "plot/graph.h"
#include "plot/plot.h"

/* Processes at the right end of the drawing: the whole machine, or as much as is used of one
 * without end. */
static double right_end(const struct hs_result *result)
{
    const struct hs_system *system = &result->system;
    int64_t capacity = hs_system_capacity(system);
    double end = (double)result->np;

    if (capacity < INT64_MAX)
        return fmax(end, (double)capacity);
    return fmax(2 * end, 4 * (double)hs_system_child_ranks(system, system->level_count - 1));
}

static double unit_ranks(const struct hs_result *result, size_t level)
{
    int64_t ranks = hs_system_child_ranks(&result->system, level + 1);

    return ranks < INT64_MAX ? (double)ranks : right_end(result);
}

/* "ib joins 32 groups of 4 through 2 ports each; each has 18.60 GB/s, latency 4.800 us: 5.511 ms at
 * least", for what has to cross it. */
static void write_level_label(struct hs_text *out, const struct hs_system *system,
                              const struct hs_problem *problem, size_t l)
{
    const struct hs_level *level = &system->levels[l];
    double least = hs_limit_crossing_seconds(system, problem, l);
    int64_t child = hs_system_child_ranks(system, l);
    struct hs_text label = {0};

    hs_text_append(&label, "%s joins ", level->name);
    if (level->arity > 0)
        hs_text_append(&label, "%" PRId64 " ", level->arity);
    else
        hs_text_append(&label, "all "); /* short: what stands behind it is cut at the right edge */
    if (l == 0)
        hs_text_append(&label, "processes");
    else
        hs_text_append(&label, "groups of %" PRId64, child);
    if (level->ports > 1)
        hs_text_append(&label, " through %" PRId64 " ports each%s", level->ports,
                       level->striped ? "" : " (not striped)");
    hs_text_append(&label, "%s; each has %s, latency %s",
                   level->fabric == HS_FABRIC_MESH    ? " in a mesh"
                   : level->fabric == HS_FABRIC_LINKS ? " by single links"
                                                      : "",
                   HS_AS_RATE(level->bytes_per_second), HS_AS_TIME(level->latency_seconds));
    if (least > 0)
        hs_text_append(&label, ": %s at least", HS_AS_TIME(least));
    hs_csv_label(out, &label);
}

/* The outermost level is on top; each has a line for its label above the levels inside it. */
static void write_levels(struct hs_text *out, const struct hs_result *result,
                         const struct hs_problem *problem)
{
    const struct hs_system *system = &result->system;
    struct hs_limit limit = hs_limit_of(system, problem);
    size_t count = system->level_count;

    hs_csv_block(out, "levels", "level first last y_low y_high open limits label");
    for (size_t l = count; l-- > 0;) {
        double inset = (double)(count - 1 - l);

        hs_csv_count(out, (int64_t)l + 1);
        hs_csv_number(out, 1);
        hs_csv_number(out, unit_ranks(result, l));
        hs_csv_number(out, 0.12 * inset);
        hs_csv_number(out, (double)count - inset);
        hs_csv_count(out, system->levels[l].arity == 0);
        hs_csv_count(out, limit.level == (int)l);
        write_level_label(out, system, problem, l);
    }
}

static void write_layer_label(struct hs_text *out, const struct hs_system *system,
                              const struct hs_plan_cost *cost, int i)
{
    const struct hs_stage_cost *layer = &cost->stages[i];
    struct hs_text label = {0};

    hs_text_append(&label, "layer %d: rings of %" PRId64 ", stride %" PRId64 ", over %s%s", i + 1,
                   layer->key.layer.size, layer->key.layer.stride,
                   system->levels[layer->level].name, layer->straddles ? " and inside it" : "");
    if (layer->rings_per_link > 0)
        hs_text_append(&label, "; %" PRId64 " ring%s on a link, %s each", layer->rings_per_link,
                       layer->rings_per_link == 1 ? "" : "s",
                       HS_AS_RATE(layer->ring_bytes_per_second));
    hs_text_append(&label, "; %s", HS_AS_TIME(layer->seconds));
    if (system->fits.count > 0 && isfinite(layer->relative_ci95))
        hs_text_append(&label, " +- %.1f %%", 100 * layer->relative_ci95);
    hs_text_append(&label, "%s", system->fits.count > 0 && layer->extrapolated ? " *" : "");
    hs_csv_label(out, &label);
}

static void write_layers(struct hs_text *out, const struct hs_result *result,
                         const struct hs_plan_cost *cost)
{
    hs_csv_block(out, "layers", "layer first last y level label");
    for (int i = 0; i < cost->count; i++) {
        const struct hs_stage_cost *stage = &cost->stages[i];

        hs_csv_count(out, i + 1);
        hs_csv_count(out, stage->key.layer.stride);
        hs_csv_count(out, stage->key.layer.stride * stage->key.layer.size);
        hs_csv_number(out, -(double)i - 1);
        hs_csv_count(out, stage->level + 1);
        write_layer_label(out, &result->system, cost, i);
    }
}

static void write_tick(struct hs_text *out, double ranks, const char *label)
{
    hs_csv_number(out, ranks);
    hs_csv_text(out, "%s", label);
    hs_csv_row(out);
}

static void write_ticks(struct hs_text *out, const struct hs_result *result)
{
    char label[32];
    bool has_np = result->np == 1;

    hs_csv_block(out, "ticks", "processes label");
    write_tick(out, 1, "1");
    for (size_t l = 0; l < result->system.level_count; l++) {
        double ranks = unit_ranks(result, l);

        if (l + 1 == result->system.level_count && result->system.levels[l].arity == 0)
            continue;
        if (l > 0 && ranks <= unit_ranks(result, l - 1))
            continue; /* a level of one child */
        has_np = has_np || fabs(ranks - (double)result->np) < 0.5;
        snprintf(label, sizeof(label), "%.0f", ranks);
        write_tick(out, ranks, label);
    }
    if (!has_np) {
        snprintf(label, sizeof(label), "%" PRId64, result->np);
        write_tick(out, (double)result->np, label);
    }
}

/* "this plan reaches 84 % of what the links allow: the limit is 5.511 ms, by slingshot" */
static void append_limit(struct hs_text *out, const struct hs_result *result,
                         const struct hs_plan_cost *cost, const struct hs_problem *problem)
{
    struct hs_limit limit = hs_limit_of(&result->system, problem);

    if (cost->count > 0 && limit.level >= 0)
        hs_text_append(out,
                       "the plan reaches %s %% of what the links allow: the limit is %s, by %s",
                       HS_AS_PERCENT(hs_limit_reached(&limit, cost->seconds), 0),
                       HS_AS_TIME(limit.seconds), result->system.levels[limit.level].name);
}

/* The innermost level of single links, which is drawn; NULL: there is none. */
static const struct hs_level *graph_of(const struct hs_system *system)
{
    for (size_t l = 0; l < system->level_count; l++)
        if (system->levels[l].links.count > 0)
            return &system->levels[l];
    return NULL;
}

static void write_facts(struct hs_text *out, const struct hs_plot_job *job,
                        const struct hs_plan *plan, const struct hs_plan_cost *cost,
                        const struct hs_problem *problem)
{
    const struct hs_result *result = job->inputs[0].result;
    const struct hs_level *graph = graph_of(&result->system);
    struct hs_text remark = {0};

    append_limit(&remark, result, cost, problem);
    hs_csv_begin(out, "system");
    if (cost->count > 0)
        hs_plot_caption(out, job, remark.data,
                        "levels, and layers of %s (%" PRId64 " processes, %s), predicted %s",
                        HS_AS_PLAN(plan), result->np, HS_AS_BYTES(job->bytes),
                        HS_AS_TIME(cost->seconds));
    else
        hs_plot_caption(out, job, NULL, "levels");
    out->failed = out->failed || remark.failed;
    hs_text_release(&remark);
    hs_csv_fact(out, "levels", "%zu", result->system.level_count);
    hs_csv_fact(out, "layers", "%d", cost->count);
    hs_csv_fact(out, "np", "%" PRId64, result->np);
    hs_csv_fact(out, "end", "%#.9g", right_end(result));
    hs_csv_fact(out, "plan", "%s", cost->count ? HS_AS_PLAN(plan) : "-");
    if (graph)
        hs_graph_write_facts(out, graph->name, &graph->links);
}

static enum hs_status write(struct hs_text *out, const struct hs_plot_job *job,
                            struct hs_error *err)
{
    const struct hs_result *result = job->inputs[0].result;
    struct hs_plan_cost cost = {.count = 0};
    struct hs_plan plan;
    struct hs_problem problem;
    struct hs_plot_job at_size = *job; /* the size is chosen here */
    enum hs_status status = hs_plot_bytes(&at_size.bytes, job, err);

    if (status == HS_OK && !result->has_system)
        return hs_fail(err, HS_INVALID,
                       "%s: does not say what the machine is; measure with one, as in "
                       "`hiersearch measure SYSTEM`",
                       job->inputs[0].name);
    if (status == HS_OK)
        status = hs_plot_plan(&plan, job, err);
    if (status != HS_OK)
        return status;
    if (!job->plan)
        plan = hs_plot_message(result, at_size.bytes)->best;
    problem = hs_result_asks(result, (double)at_size.bytes);
    if (plan.split.count > 0 && result->np > 1)
        cost = hs_plot_cost(result, hs_plot_message(result, at_size.bytes), &plan);
    write_facts(out, &at_size, &plan, &cost, &problem);
    write_levels(out, result, &problem);
    write_layers(out, result, &cost);
    write_ticks(out, result);
    if (graph_of(&result->system))
        hs_graph_write(out, &graph_of(&result->system)->links);
    return HS_OK;
}

const struct hs_plot_kind hs_plot_system = {
    .name = "system",
    .summary = "the machine, its levels and link speeds, with the layers of a plan",
    .many = false,
    .single = true,
    .write = write,
};
