/* The divisor lattice: nodes are divisors, lines are layers, a path from 1 to P is a split. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plot/caption.h"
#include "plot/choose.h"
#include "plot/curve.h"
#include "plot/kinds.h"
#include "plot/lattice_layout.h"
#include "plot/tsv.h"
#include "search/lattice.h"
#include "view/figures.h"

#define NODES_MAX    400 /* more would be a black disc */
#define LABELLED_MAX 80  /* above it only nodes of candidates have their number */
#define LABEL_PIXELS 140 /* of "x 64: 15.41 ms" between two nodes */
#define ALL_EDGES_MAX                                                                              \
    1200 /* above it, of the layers in no candidate only those of a prime size                     \
          */

/* What a layer is in. */
enum use { IN_NONE, IN_CANDIDATE, IN_SHOWN };

struct drawing {
    struct hs_lattice lattice;
    struct hs_plot_node *nodes;         /* owned */
    unsigned char *edge_use, *node_use; /* enum use, per edge and node; owned */
    struct hs_plan shown;
    size_t edges_left_out, edges_in_none, edges_in_candidates;
    bool measured;
};

static void drawing_release(struct drawing *drawing)
{
    free(drawing->node_use);
    free(drawing->edge_use);
    free(drawing->nodes);
    hs_lattice_release(&drawing->lattice);
}

/* ---- which layers are used ---- */

static size_t node_of(const struct hs_lattice *lattice, int64_t divisor)
{
    size_t low = 0, high = lattice->node_count - 1;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (lattice->divisors[middle] < divisor)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t edge_of(const struct hs_lattice *lattice, size_t from, size_t to)
{
    size_t edge = lattice->first_edge[from];

    while (lattice->edge_end[edge] != to)
        edge++;
    return edge;
}

static void raise_use(unsigned char *use, enum use to)
{
    if (*use < to)
        *use = (unsigned char)to;
}

static void mark(struct drawing *drawing, const struct hs_split *split, enum use use)
{
    const struct hs_lattice *lattice = &drawing->lattice;
    size_t node = 0;

    raise_use(&drawing->node_use[0], use);
    for (int i = 0; i < split->count && lattice->edge_count > 0; i++) {
        struct hs_layer layer = hs_split_layer(split, i);
        size_t next = node_of(lattice, layer.stride * layer.size);

        raise_use(&drawing->edge_use[edge_of(lattice, node, next)], use);
        raise_use(&drawing->node_use[next], use);
        node = next;
    }
}

static bool is_prime_step(const struct hs_lattice *lattice, size_t from, size_t to)
{
    int64_t size = lattice->divisors[to] / lattice->divisors[from];

    for (int64_t p = 2; p * p <= size; p++)
        if (size % p == 0)
            return false;
    return true;
}

static bool is_drawn(const struct drawing *drawing, size_t from, size_t edge)
{
    return drawing->edge_use[edge] != IN_NONE || drawing->lattice.edge_count <= ALL_EDGES_MAX ||
           is_prime_step(&drawing->lattice, from, drawing->lattice.edge_end[edge]);
}

static void count_edges(struct drawing *drawing)
{
    for (size_t node = 0; node < drawing->lattice.node_count; node++)
        for (size_t e = drawing->lattice.first_edge[node];
             e < drawing->lattice.first_edge[node + 1]; e++) {
            drawing->edges_left_out += !is_drawn(drawing, node, e);
            drawing->edges_in_none += drawing->edge_use[e] == IN_NONE;
            drawing->edges_in_candidates += drawing->edge_use[e] == IN_CANDIDATE;
        }
}

static enum hs_status drawing_init(struct drawing *drawing, const struct hs_result *result,
                                   const struct hs_result_message *message, struct hs_error *err)
{
    enum hs_status status = hs_lattice_init(&drawing->lattice, hs_result_group(result), err);

    if (status != HS_OK)
        return status;
    if (drawing->lattice.node_count > NODES_MAX)
        return hs_fail(err, HS_INVALID,
                       "%lld processes have %zu divisors; a drawing is readable up to %d",
                       (long long)result->np, drawing->lattice.node_count, NODES_MAX);
    drawing->nodes = hs_lattice_layout(&drawing->lattice);
    drawing->edge_use = calloc(drawing->lattice.edge_count + 1, 1);
    drawing->node_use = calloc(drawing->lattice.node_count, 1);
    if (!drawing->nodes || !drawing->edge_use || !drawing->node_use)
        return hs_no_memory(err);
    for (size_t i = 0; i < message->candidate_count; i++)
        mark(drawing, &message->candidates[i].plan.split, IN_CANDIDATE);
    mark(drawing, &drawing->shown.split, IN_SHOWN);
    drawing->measured = hs_plot_best_measured(message) != NULL;
    count_edges(drawing);
    return HS_OK;
}

/* ---- the text ---- */

/* Every line's points, then an empty line, at which gnuplot lifts the pen. */
static void write_edges(struct hs_text *out, const struct drawing *drawing, enum use use,
                        const char *name)
{
    const struct hs_lattice *lattice = &drawing->lattice;

    hs_tsv_block(out, name, "x y");
    for (size_t node = 0; node < lattice->node_count; node++)
        for (size_t e = lattice->first_edge[node]; e < lattice->first_edge[node + 1]; e++) {
            struct hs_plot_node curve[HS_CURVE_POINTS];

            if (drawing->edge_use[e] != use || !is_drawn(drawing, node, e))
                continue;
            hs_lattice_curve(curve, drawing->nodes, lattice->node_count, node,
                             lattice->edge_end[e]);
            for (int i = 0; i < HS_CURVE_POINTS; i++)
                hs_text_append(out, "%.4g\t%.4g\n", curve[i].x, curve[i].y);
            hs_text_append(out, "\n");
        }
}

static bool is_labelled(const struct drawing *drawing, size_t node)
{
    return drawing->lattice.node_count <= LABELLED_MAX || drawing->node_use[node] != IN_NONE;
}

static void write_nodes(struct hs_text *out, const struct drawing *drawing)
{
    hs_tsv_block(out, "nodes", "x y use label");
    for (size_t i = 0; i < drawing->lattice.node_count; i++) {
        hs_tsv_number(out, drawing->nodes[i].x);
        hs_tsv_number(out, drawing->nodes[i].y);
        hs_tsv_count(out, drawing->node_use[i]);
        if (is_labelled(drawing, i))
            hs_tsv_count(out, drawing->lattice.divisors[i]);
        else
            hs_tsv_text(out, "");
        hs_tsv_row(out);
    }
}

/* The point of the line's middle half that is farthest from all nodes. A label is about four times
 * as wide as high, and a column is about two rows wide. */
static struct hs_plot_node label_place(const struct drawing *drawing,
                                       const struct hs_plot_node curve[HS_CURVE_POINTS])
{
    struct hs_plot_node place = curve[HS_CURVE_POINTS / 2];
    double farthest = -1;

    for (int i = HS_CURVE_POINTS / 4; i <= 3 * HS_CURVE_POINTS / 4; i++) {
        double nearest = INFINITY;

        for (size_t k = 0; k < drawing->lattice.node_count; k++)
            nearest = fmin(nearest, fmax(fabs(curve[i].x - drawing->nodes[k].x),
                                         fabs(curve[i].y - drawing->nodes[k].y)));
        if (nearest > farthest + 1e-9) {
            farthest = nearest;
            place = curve[i];
        }
    }
    return place;
}

/* Whether size and time fit between the layer's two nodes: the drawing is about 900 pixels wide,
 * 1140 from thirteen columns on. */
static bool fits_label(const struct drawing *drawing, size_t from, size_t to)
{
    double columns = drawing->nodes[drawing->lattice.node_count - 1].x;
    double share = (drawing->nodes[to].x - drawing->nodes[from].x) / columns;

    return share * (columns > 12 ? 1140 : 900) >= LABEL_PIXELS;
}

/* Whether a calibrated system prices the layer outside of what was measured. */
static bool is_extrapolated(const struct hs_result *result, const struct hs_stage_price *price,
                            double bytes)
{
    const struct hs_fits *fits = &result->system.fits;
    const struct hs_fit *fit = hs_fits_find(fits, price->level, price->straddles, price->key);

    return fits->count > 0 && (!fit || hs_fit_extrapolates(fit, price->key.layer, bytes));
}

/* On each layer of the path: its size, and its predicted time where the model knows it. */
static void write_labels(struct hs_text *out, const struct drawing *drawing,
                         const struct hs_result *result, double bytes)
{
    const struct hs_lattice *lattice = &drawing->lattice;
    const struct hs_problem asked = hs_result_asks(result, bytes);
    size_t node = 0;

    hs_tsv_block(out, "labels", "x y text");
    for (int i = 0; i < drawing->shown.split.count && lattice->edge_count > 0; i++) {
        struct hs_layer layer = hs_split_layer(&drawing->shown.split, i);
        size_t next = node_of(lattice, layer.stride * layer.size);
        struct hs_plot_node curve[HS_CURVE_POINTS], at;

        hs_lattice_curve(curve, drawing->nodes, lattice->node_count, node, next);
        at = label_place(drawing, curve);
        hs_tsv_number(out, at.x);
        hs_tsv_number(out, at.y);
        hs_text_append(out, "\tx %lld", (long long)layer.size);
        if (result->has_system && fits_label(drawing, node, next)) {
            struct hs_layer of_all = hs_problem_layer(&asked, &drawing->shown.split, i);
            struct hs_stage_price price = hs_plot_price(result, of_all);
            double entering = hs_problem_entering(&asked, of_all);

            hs_text_append(out, ": %s%s", HS_AS_TIME(hs_stage_seconds(&price, entering)),
                           is_extrapolated(result, &price, entering) ? " *" : "");
        }
        hs_text_append(out, "\n");
        node = next;
    }
}

static void write_facts(struct hs_text *out, const struct hs_plot_job *job,
                        const struct drawing *drawing, const struct hs_result_message *message)
{
    char splits[32], remark[256];
    double high = 0, low = 0;
    size_t labelled = 0, unlabelled = 0;

    for (size_t i = 0; i < drawing->lattice.node_count; i++) {
        high = fmax(high, drawing->nodes[i].y);
        low = fmin(low, drawing->nodes[i].y);
        labelled += drawing->node_use[i] != IN_SHOWN && is_labelled(drawing, i);
        unlabelled += !is_labelled(drawing, i);
    }
    snprintf(splits, sizeof(splits), "%llu", (unsigned long long)message->splits);
    snprintf(remark, sizeof(remark),
             "a path from 1 to %lld is a split: %s%s splits, %zu divisors, %zu layers%s",
             (long long)drawing->lattice.group.size, message->splits == UINT64_MAX ? "over " : "",
             splits, drawing->lattice.node_count, drawing->lattice.edge_count,
             drawing->measured && job->inputs[0].result->has_system
                 ? "; times on the path are predicted"
                 : "");
    hs_tsv_begin(out, "lattice");
    hs_plot_caption(out, job, remark, "the divisors of %lld, %s per process",
                    (long long)drawing->lattice.group.size, HS_AS_BYTES(message->message_bytes));
    hs_tsv_fact(out, "shown", "%s", drawing->shown.split.count ? HS_AS_PLAN(&drawing->shown) : "-");
    hs_tsv_fact(out, "is_best", "%d", !job->plan);
    hs_tsv_fact(out, "measured", "%d", drawing->measured);
    hs_tsv_fact(out, "nodes", "%zu", drawing->lattice.node_count);
    hs_tsv_fact(out, "edges_shown", "%d",
                drawing->lattice.edge_count ? drawing->shown.split.count : 0);
    hs_tsv_fact(out, "edges_in_candidates", "%zu", drawing->edges_in_candidates);
    hs_tsv_fact(out, "edges_in_none", "%zu", drawing->edges_in_none);
    hs_tsv_fact(out, "edges_left_out", "%zu", drawing->edges_left_out);
    hs_tsv_fact(out, "labelled", "%zu", labelled);
    hs_tsv_fact(out, "unlabelled", "%zu", unlabelled);
    hs_tsv_fact(out, "columns", "%.9g", drawing->nodes[drawing->lattice.node_count - 1].x);
    hs_tsv_fact(out, "height", "%.9g", high - low);
}

static enum hs_status write(struct hs_text *out, const struct hs_plot_job *job,
                            struct hs_error *err)
{
    const struct hs_result *result = job->inputs[0].result;
    struct drawing drawing = {.measured = false};
    const struct hs_result_message *message;
    struct hs_plot_job at_size = *job; /* the size is chosen here */
    enum hs_status status = hs_plot_bytes(&at_size.bytes, job, err);

    if (status == HS_OK)
        status = hs_plot_plan(&drawing.shown, job, err);
    if (status != HS_OK)
        return status;
    message = hs_plot_message(result, at_size.bytes);
    if (!job->plan)
        drawing.shown = message->best;
    status = drawing_init(&drawing, result, message, err);
    if (status == HS_OK) {
        write_facts(out, &at_size, &drawing, message);
        write_edges(out, &drawing, IN_NONE, "in_none");
        write_edges(out, &drawing, IN_CANDIDATE, "in_candidates");
        write_edges(out, &drawing, IN_SHOWN, "on_path");
        write_nodes(out, &drawing);
        write_labels(out, &drawing, result, (double)at_size.bytes);
    }
    drawing_release(&drawing);
    return status;
}

const struct hs_plot_kind hs_plot_lattice = {
    .name = "lattice",
    .summary = "the divisor lattice with the best path and what was considered",
    .many = false,
    .write = write,
};
