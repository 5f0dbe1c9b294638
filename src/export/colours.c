/* Communicators of every layer as JSON, for any program that can split a communicator. */
#include "export/exporters.h"

#define COLOURS_NP_MAX 1024 /* processes up to which every rank's colour and key are listed */
#define GROUPS_NP_MAX  64   /* and up to which the groups themselves are */

static const char use[] =
    "For each layer: MPI_Comm_split(world, colour, key, &layer) or\n"
    "ncclCommSplit(world, colour, key, &layer, NULL). Then reduce-scatter on layers[0], [1], ...,\n"
    "allreduce on the last, allgather back from the last but one to layers[0]; layer i gets\n"
    "1 / stride of the message. colours[] and keys[] (by rank) are listed up to 1024 processes,\n"
    "groups[] up to 64; beyond, use the formulas, with integer division.";

/* [first + what is listed of rank `index`, or of member `index` of a group, ...] */
static void put_numbers(struct hs_json_writer *w, const char *name, const struct hs_layer *layer,
                        int64_t count, int64_t first,
                        int64_t (*value)(const struct hs_layer *layer, int64_t index))
{
    double numbers[COLOURS_NP_MAX];

    for (int64_t i = 0; i < count; i++)
        numbers[i] = (double)(first + value(layer, i));
    hs_json_write_numbers(w, name, numbers, (size_t)count);
}

static int64_t colour(const struct hs_layer *layer, int64_t rank)
{
    return rank / (layer->stride * layer->size) * layer->stride + rank % layer->stride;
}

static int64_t key(const struct hs_layer *layer, int64_t rank)
{
    return rank / layer->stride % layer->size;
}

static int64_t member(const struct hs_layer *layer, int64_t index)
{
    return index * layer->stride;
}

/* The ranks of each colour, in the order of keys. */
static void put_groups(struct hs_json_writer *w, const struct hs_layer *layer, int64_t np)
{
    hs_json_open(w, "groups", '[');
    for (int64_t group = 0; group < np / layer->size; group++)
        put_numbers(w, NULL, layer, layer->size,
                    group / layer->stride * layer->stride * layer->size + group % layer->stride,
                    member);
    hs_json_close(w, ']');
}

static void put_layer(struct hs_json_writer *w, const struct hs_layer *layer, int64_t np)
{
    hs_json_open(w, NULL, '{');
    hs_json_write_number(w, "stride", (double)layer->stride);
    hs_json_write_number(w, "size", (double)layer->size);
    if (np <= COLOURS_NP_MAX) {
        put_numbers(w, "colours", layer, np, 0, colour);
        put_numbers(w, "keys", layer, np, 0, key);
    }
    if (np <= GROUPS_NP_MAX)
        put_groups(w, layer, np);
    hs_json_close(w, '}');
}

static void put_phase(struct hs_json_writer *w, const char *name, int layer)
{
    hs_json_open(w, NULL, '{');
    hs_json_write_text(w, "phase", name);
    hs_json_write_number(w, "layer", layer);
    hs_json_close(w, '}');
}

static void put_phases(struct hs_json_writer *w, int layers)
{
    hs_json_open(w, "phases", '[');
    for (int i = 0; i < layers - 1; i++)
        put_phase(w, "reduce-scatter", i);
    put_phase(w, "allreduce", layers - 1);
    for (int i = layers - 2; i >= 0; i--)
        put_phase(w, "allgather", i);
    hs_json_close(w, ']');
}

static enum hs_status write_colours(struct hs_export_output *out, const struct hs_export_job *job,
                                    struct hs_error *err)
{
    struct hs_json_writer w = {.text = hs_export_add_file(out, "colours.json"), .err = err};
    const struct hs_plan *plan = hs_export_plan(job);
    char text[HS_SPLIT_TEXT];

    hs_json_open(&w, NULL, '{');
    hs_export_header_json(&w, job, &hs_exporter_colours, use);
    hs_json_write_text(&w, "format", "hiersearch.colours/1");
    hs_json_write_number(&w, "np", (double)job->result->np);
    hs_json_write_text(&w, "plan", hs_plan_format(text, plan));
    hs_json_write_number(&w, "chunks", plan->chunks);
    hs_json_write_text(&w, "colour", "rank / (stride * size) * stride + rank % stride");
    hs_json_write_text(&w, "key", "rank / stride % size");
    put_phases(&w, plan->split.count);
    hs_json_open(&w, "layers", '[');
    for (int i = 0; i < plan->split.count; i++) {
        struct hs_layer layer = hs_split_layer(&plan->split, i);

        put_layer(&w, &layer, job->result->np);
    }
    hs_json_close(&w, ']');
    hs_json_close(&w, '}');
    return hs_json_finish(&w);
}

const struct hs_exporter hs_exporter_colours = {
    .name = "colours",
    .library = "any program",
    .versions = "MPI, NCCL",
    .summary = "communicator colour and key of every rank in every layer, as JSON",
    .affects = "nothing by itself: the program makes the communicators and uses them",
    .layers = 0,
    .exact = true,
    .chunks = true,
    .write = write_colours,
};
