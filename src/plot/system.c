/* The machine: its levels, one inside the other, over the number of processes they hold, and below
 * them how far the layers of a plan reach. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/figures.h"
#include "base/text.h"
#include "library/limit.h"
#include "library/price_plan.h"
#include "plot/caption.h"
#include "plot/choose.h"
#include "plot/csv.h"
#include "plot/plot.h"
#include "system/links.h"

#define KINDS_MAX  6
#define LINES_MAX  4     /* drawn beside each other */
#define LINE_GAP   0.034 /* between them */
#define OUTSIDE    1.36  /* radius of the first relays */
#define RELAY_STEP 0.34
#define RELAY_TURN 0.16 /* radians between relays in the same direction */
#define INSIDE     0.45 /* radius of relays that join all around */
#define ALL_AROUND 0.2  /* of a mean direction: of no direction */
#define THICK_LINE 4.0
#define THIN_LINE  1.4

/* ---- a level of single links: where its children, relays and lines lie ---- */

/* A vertex's place: children lie on a circle of radius 1 from the top on, against the clock; a
 * relay outside of it, the farther the more relays are before it, in the direction of what it
 * joins, or within where it joins all around. */
struct place {
    double x, y;
};

struct layout {
    const struct hs_links *links;
    struct place *places;
    int depth[HS_LINKS_VERTICES]; /* relays on the way to a child; -1: not placed yet */
};

/* Of so many digits that what lies straight above another has its x. */
static struct place at_angle(double radius, double angle)
{
    return (struct place){round(1e9 * radius * cos(angle)) / 1e9,
                          round(1e9 * radius * sin(angle)) / 1e9};
}

/* The mean place of what it is joined with that lies before it. */
static struct place mean_before(int *joined, const struct layout *layout, int relay, int depth)
{
    struct place mean = {0, 0};
    int count = 0;

    for (size_t i = 0; i < layout->links->count; i++) {
        const struct hs_link *link = &layout->links->items[i];
        int other = link->from == relay ? link->to : link->to == relay ? link->from : -1;

        if (other < 0 || layout->depth[other] != depth - 1)
            continue;
        mean.x += layout->places[other].x;
        mean.y += layout->places[other].y;
        count++;
    }
    mean.x /= count > 0 ? count : 1;
    mean.y /= count > 0 ? count : 1;
    *joined = count;
    return mean;
}

/* Relays of this depth that none is before; returns whether there are any. */
static bool find_depth(struct layout *layout, int depth)
{
    bool found = false;

    for (size_t i = 0; i < layout->links->count; i++) {
        const struct hs_link *link = &layout->links->items[i];
        const int ends[2] = {link->from, link->to};

        for (int e = 0; e < 2; e++)
            if (layout->depth[ends[e]] == depth - 1 && layout->depth[ends[1 - e]] < 0) {
                layout->depth[ends[1 - e]] = depth;
                found = true;
            }
    }
    return found;
}

/* In its direction, turned on while another relay lies there. */
static void place_relay(struct layout *layout, int relay, int depth)
{
    int joined;
    struct place mean = mean_before(&joined, layout, relay, depth), place;
    bool around = hypot(mean.x, mean.y) < ALL_AROUND;
    double angle = atan2(mean.y, mean.x), turn = RELAY_TURN;
    /* those of several children farther out, so that lines to them do not pass over others */
    double radius = OUTSIDE + RELAY_STEP * (depth - 1 + (depth == 1 && joined > 2));
    bool taken = true;

    if (around) {
        angle = M_PI / 2;
        radius = INSIDE;
        turn = 2 * M_PI / layout->links->relays;
    }
    for (int tries = 0; taken && tries < HS_LINKS_VERTICES; tries++) {
        place = at_angle(radius, angle + tries * turn);
        taken = false;
        for (int v = layout->links->units; v < relay; v++)
            taken = taken || (layout->depth[v] >= 0 && layout->depth[v] <= depth &&
                              hypot(layout->places[v].x - place.x, layout->places[v].y - place.y) <
                                  RELAY_TURN / 2);
        layout->places[relay] = place;
    }
}

static void find_places(struct place places[HS_LINKS_VERTICES], const struct hs_links *links)
{
    struct layout layout = {.links = links, .places = places};
    int vertices = hs_links_vertices(links);

    memset(places, 0, HS_LINKS_VERTICES * sizeof(*places));
    for (int v = 0; v < vertices; v++) {
        double angle = M_PI / 2 + (v + 0.5) * 2 * M_PI / links->units;

        layout.depth[v] = v < links->units ? 0 : -1;
        if (v < links->units)
            places[v] = at_angle(1, angle);
    }
    for (int depth = 1; find_depth(&layout, depth); depth++)
        for (int v = links->units; v < vertices; v++)
            if (layout.depth[v] == depth)
                place_relay(&layout, v, depth);
}

/* ---- its kinds of links ---- */

static bool is_known(const double *rates, int count, double rate)
{
    for (int k = 0; k < count; k++)
        if (rates[k] == rate)
            return true;
    return false;
}

/* The rates there are, those between children first, of each the highest first; returns how many,
 * KINDS_MAX at most. */
static int find_kinds(double rates[KINDS_MAX], const struct hs_links *links)
{
    int count = 0;

    for (int of_relays = 0; of_relays < 2; of_relays++)
        for (double next = 1; next > 0 && count < KINDS_MAX;) {
            next = 0;
            for (size_t i = 0; i < links->count; i++) {
                const struct hs_link *link = &links->items[i];
                bool relayed = link->from >= links->units || link->to >= links->units;

                if (relayed == of_relays && !is_known(rates, count, link->bytes_per_second))
                    next = fmax(next, link->bytes_per_second);
            }
            if (next > 0)
                rates[count++] = next;
        }
    return count;
}

static int kind_of(const struct hs_links *links, const struct hs_link *link)
{
    double rates[KINDS_MAX];
    int count = find_kinds(rates, links), kind = 0;

    while (kind + 1 < count && rates[kind] != link->bytes_per_second)
        kind++;
    return kind;
}

/* ---- its blocks ---- */

/* Facts: `graph` (the level's name), `link_kinds`, `link_labels`, `one_way` (links that are);
 * before the first block. */
static void graph_write_facts(struct hs_text *out, const char *level, const struct hs_links *links)
{
    double rates[KINDS_MAX];
    int labels = 0, one_way = 0;

    for (size_t i = 0; i < links->count; i++) {
        labels += links->items[i].count > LINES_MAX;
        one_way += links->items[i].one_way;
    }
    hs_csv_fact(out, "graph", "%s", level);
    hs_csv_fact(out, "link_kinds", "%d", find_kinds(rates, links));
    hs_csv_fact(out, "link_labels", "%d", labels);
    hs_csv_fact(out, "one_way", "%d", one_way);
    hs_csv_fact(out, "relays", "%d", links->relays);
}

static void write_vertices(struct hs_text *out, const struct hs_links *links,
                           const struct place *places)
{
    hs_csv_block(out, "vertices", "vertex x y relay");
    for (int v = 0; v < hs_links_vertices(links); v++) {
        hs_csv_count(out, v);
        hs_csv_number(out, places[v].x);
        hs_csv_number(out, places[v].y);
        hs_csv_count(out, v >= links->units);
        hs_csv_row(out);
    }
}

/* Links between the same two that are drawn beside each other, and a line's place among them. */
static void write_lines(struct hs_text *out, const struct hs_link *link, int kind,
                        const struct place *places)
{
    struct place from = places[link->from], to = places[link->to];
    double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
    int lines = link->count > LINES_MAX ? 1 : link->count;

    for (int i = 0; i < lines; i++) {
        double aside = length > 0 ? LINE_GAP * (i - 0.5 * (lines - 1)) / length : 0;

        hs_csv_number(out, from.x - aside * dy);
        hs_csv_number(out, from.y + aside * dx);
        hs_csv_number(out, dx);
        hs_csv_number(out, dy);
        hs_csv_count(out, kind + 1);
        hs_csv_number(out, link->count > LINES_MAX ? THICK_LINE : THIN_LINE);
        hs_csv_count(out, link->one_way);
        hs_csv_row(out);
    }
}

static void write_labels(struct hs_text *out, const struct hs_links *links,
                         const struct place *places)
{
    hs_csv_block(out, "link_labels", "x y label");
    for (size_t i = 0; i < links->count; i++) {
        const struct hs_link *link = &links->items[i];
        char label[16];

        if (link->count <= LINES_MAX)
            continue;
        snprintf(label, sizeof(label), "%d", link->count);
        hs_csv_number(out, (places[link->from].x + places[link->to].x) / 2);
        hs_csv_number(out, (places[link->from].y + places[link->to].y) / 2);
        hs_csv_text(out, "%s", label);
        hs_csv_row(out);
    }
}

static void write_kinds(struct hs_text *out, const struct hs_links *links)
{
    double rates[KINDS_MAX];
    int kinds = find_kinds(rates, links);

    hs_csv_block(out, "link_kinds", "kind label");
    for (int k = 0; k < kinds; k++) {
        char label[96];

        snprintf(label, sizeof(label), "%s a link%s", HS_AS_RATE(rates[k]),
                 k + 1 == KINDS_MAX ? ", or another" : "");
        hs_csv_count(out, k + 1);
        hs_csv_text(out, "%s", label);
        hs_csv_row(out);
    }
}

/* The blocks `vertices`, `links` (a line for each of up to 4 links between two, from x, y by dx,
 * dy), `link_labels` (how many where they are more) and `link_kinds` (rates, those between children
 * first, of each the highest first; from the sixth on they are one). */
static void graph_write(struct hs_text *out, const struct hs_links *links)
{
    struct place places[HS_LINKS_VERTICES];

    find_places(places, links);
    hs_csv_block(out, "links", "x y dx dy kind width one_way");
    for (size_t i = 0; i < links->count; i++)
        write_lines(out, &links->items[i], kind_of(links, &links->items[i]), places);
    write_vertices(out, links, places);
    write_labels(out, links, places);
    write_kinds(out, links);
}

/* ---- levels ---- */

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
                   system->levels[layer->level].name, layer->misaligned ? " and inside it" : "");
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
        graph_write_facts(out, graph->name, &graph->links);
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
        graph_write(out, &graph_of(&result->system)->links);
    return HS_OK;
}

const struct hs_plot_kind hs_plot_system = {
    .name = "system",
    .summary = "the machine, its levels and link speeds, with the layers of a plan",
    .many = false,
    .single = true,
    .write = write,
};
