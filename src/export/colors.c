/* Communicators of every layer as JSON, for any program that can split a communicator. */
#include <string.h>

#include "export/export.h"

#define COLORS_NP_MAX 1024 /* processes up to which every rank's color and key are listed */
#define GROUPS_NP_MAX 64   /* and up to which the groups themselves are */

static const char use[] =
    "For each layer: MPI_Comm_split(world, color, key, &layer) or\n"
    "ncclCommSplit(world, color, key, &layer, NULL). Then phases, one behind the other: each "
    "does\n"
    "its collective on its layer, on 1 / parts of the message. Of a reduce-scatter or an "
    "allgather\n"
    "blocks[] says which block each rank has; of an all-to-all what goes to one rank of a layer\n"
    "is brought together first. colors[], keys[] and blocks[] (by rank) are listed\n"
    "up to 1024 processes, groups[] up to 64; beyond, use the formulas, with integer division.";

/* [first + what is listed of rank `index`, or of member `index` of a group, ...] */
static void put_numbers(struct hs_json_writer *w, const char *name, const struct hs_layer *layer,
                        int64_t count, int64_t first,
                        int64_t (*value)(const struct hs_layer *layer, int64_t index))
{
    double numbers[COLORS_NP_MAX];

    for (int64_t i = 0; i < count; i++)
        numbers[i] = (double)(first + value(layer, i));
    hs_json_write_numbers(w, name, numbers, (size_t)count);
}

static int64_t color(const struct hs_layer *layer, int64_t rank)
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

/* The ranks of each color, in the order of keys. */
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
    if (np <= COLORS_NP_MAX) {
        put_numbers(w, "colors", layer, np, 0, color);
        put_numbers(w, "keys", layer, np, 0, key);
    }
    if (np <= GROUPS_NP_MAX)
        put_groups(w, layer, np);
    hs_json_close(w, '}');
}

/* In the order in which they run. An AllReduce's last layer has a single call, whatever the
 * algorithms of its two ways. */
static void put_phases(struct hs_json_writer *w, const struct hs_export_job *job)
{
    struct hs_problem problem = hs_result_problem(job->result, &job->result->messages[0]);
    struct hs_stage stages[HS_STAGES_MAX];
    struct hs_plan plan = *hs_export_plan(job);
    int count;

    memset(plan.algorithms, 0, sizeof(plan.algorithms));
    count = hs_problem_stages(stages, &problem, &plan);
    hs_json_open(w, "phases", '[');
    for (int i = 0; i < count; i++) {
        hs_json_open(w, NULL, '{');
        hs_json_write_text(w, "phase", hs_phase_names[stages[i].key.phase]);
        hs_json_write_number(w, "layer", stages[i].layer);
        hs_json_write_number(w, "parts", problem.bytes / stages[i].bytes);
        hs_json_close(w, '}');
    }
    hs_json_close(w, ']');
}

/* The groups of a mesh that call: as colors and keys, too. */
static void put_mesh(struct hs_json_writer *w, const struct hs_result *result)
{
    struct hs_group group = hs_result_group(result);
    double numbers[COLORS_NP_MAX];

    if (result->mesh.count == 0)
        return;
    hs_json_open(w, "group", '{');
    hs_json_write_text(w, "mesh", hs_mesh_format((char[HS_MESH_TEXT]){0}, &result->mesh));
    hs_json_write_text(w, "axes", hs_mesh_format_over((char[HS_MESH_TEXT]){0}, &result->mesh));
    hs_json_write_number(w, "size", (double)group.size);
    if (result->np <= COLORS_NP_MAX) {
        for (int64_t rank = 0; rank < result->np; rank++)
            numbers[rank] = (double)hs_group_number(&group, rank);
        hs_json_write_numbers(w, "colors", numbers, (size_t)result->np);
        for (int64_t rank = 0; rank < result->np; rank++)
            numbers[rank] = (double)hs_group_place(&group, rank);
        hs_json_write_numbers(w, "keys", numbers, (size_t)result->np);
    }
    hs_json_close(w, '}');
}

/* Which of a group's blocks each rank has, of the smaller side. */
static void put_blocks(struct hs_json_writer *w, const struct hs_export_job *job)
{
    struct hs_problem problem = hs_result_problem(job->result, &job->result->messages[0]);
    double blocks[COLORS_NP_MAX];

    if (!hs_collectives[problem.collective].ordered || job->result->np > COLORS_NP_MAX)
        return;
    for (int64_t rank = 0; rank < job->result->np; rank++)
        blocks[rank] = (double)hs_problem_block(&problem, &hs_export_plan(job)->split,
                                                hs_group_place(&problem.group, rank));
    hs_json_write_numbers(w, "blocks", blocks, (size_t)job->result->np);
}

static enum hs_status write_colors(struct hs_export_output *out, const struct hs_export_job *job,
                                   struct hs_error *err)
{
    struct hs_json_writer w = {.text = hs_export_add_file(out, "colors.json"), .err = err};
    const struct hs_plan *plan = hs_export_plan(job);
    struct hs_problem problem = hs_result_problem(job->result, &job->result->messages[0]);
    char text[HS_SPLIT_TEXT];

    hs_json_open(&w, NULL, '{');
    hs_export_header_json(&w, job, &hs_exporter_colors, use);
    hs_json_write_text(&w, "format", "hiersearch.colors/1");
    hs_json_write_number(&w, "np", (double)job->result->np);
    hs_json_write_text(&w, "plan", hs_plan_format(text, plan));
    hs_json_write_number(&w, "chunks", plan->chunks);
    hs_json_write_text(&w, "color", "rank / (stride * size) * stride + rank % stride");
    hs_json_write_text(&w, "key", "rank / stride % size");
    put_mesh(&w, job->result);
    put_phases(&w, job);
    put_blocks(&w, job);
    hs_json_open(&w, "layers", '[');
    for (int i = 0; i < plan->split.count; i++) {
        struct hs_layer layer = hs_problem_layer(&problem, &plan->split, i);

        put_layer(&w, &layer, job->result->np);
    }
    hs_json_close(&w, ']');
    hs_json_close(&w, '}');
    return hs_json_finish(&w);
}

const struct hs_exporter hs_exporter_colors = {
    .name = "colors",
    .library = "any program",
    .versions = "MPI, NCCL",
    .summary = "communicator color and key of every rank in every layer, as JSON",
    .affects = "nothing by itself: the program makes the communicators and uses them",
    .layers = 0,
    .exact = true,
    .chunks = true,
    .also = HS_EXPORT_BY_LAYERS | HS_EXPORT_OF(ALLTOALL, NATURAL),
    .groups = HS_GROUPS_CALLED,
    .write = write_colors,
};
