/* Communicators of every layer as JSON, for any program that can split a communicator. */
#include <inttypes.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/json.h"
#include "export/exporters.h"

#define COLOURS_NP_MAX 1024 /* processes up to which every rank's colour and key are listed */
#define GROUPS_NP_MAX  64   /* and up to which the groups themselves are */

static const char use[] =
    "For each layer: MPI_Comm_split(world, colour, key, &layer) or\n"
    "ncclCommSplit(world, colour, key, &layer, NULL). Then reduce-scatter on layers[0], [1], ...,\n"
    "allreduce on the last, allgather back from the last but one to layers[0]; layer i gets\n"
    "1 / stride of the message. colours[] and keys[] (by rank) are listed up to 1024 processes,\n"
    "groups[] up to 64; beyond, use the formulas, with integer division.";

/* What a listed number is of rank `index`, or of member `index` of a group. */
static cJSON *number_list(const struct hs_layer *layer, int64_t count,
                          int64_t (*value)(const struct hs_layer *layer, int64_t index))
{
    cJSON *list = cJSON_CreateArray();

    for (int64_t i = 0; i < count && list; i++) {
        cJSON *number = cJSON_CreateNumber((double)value(layer, i));

        if (!number || !cJSON_AddItemToArray(list, number)) {
            cJSON_Delete(list);
            list = NULL;
        }
    }
    return list;
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
static bool add_groups(cJSON *object, const struct hs_layer *layer, int64_t np)
{
    cJSON *groups = cJSON_AddArrayToObject(object, "groups");

    for (int64_t group = 0; group < np / layer->size && groups; group++) {
        int64_t first = group / layer->stride * layer->stride * layer->size + group % layer->stride;
        cJSON *ranks = number_list(layer, layer->size, member), *rank;

        cJSON_ArrayForEach(rank, ranks)
            cJSON_SetNumberValue(rank, rank->valuedouble + (double)first);
        if (!ranks || !cJSON_AddItemToArray(groups, ranks))
            return false;
    }
    return groups != NULL;
}

static bool add_lists(cJSON *object, const struct hs_layer *layer, int64_t np)
{
    cJSON *colours, *keys;

    if (np > COLOURS_NP_MAX)
        return true;
    colours = number_list(layer, np, colour);
    keys = number_list(layer, np, key);
    return cJSON_AddItemToObject(object, "colours", colours) &&
           cJSON_AddItemToObject(object, "keys", keys) &&
           (np > GROUPS_NP_MAX || add_groups(object, layer, np));
}

static bool add_layer(cJSON *layers, const struct hs_layer *layer, int64_t np)
{
    cJSON *object = cJSON_CreateObject();

    return object && cJSON_AddItemToArray(layers, object) &&
           cJSON_AddNumberToObject(object, "stride", (double)layer->stride) &&
           cJSON_AddNumberToObject(object, "size", (double)layer->size) &&
           add_lists(object, layer, np);
}

static bool add_phase(cJSON *phases, const char *name, int layer)
{
    cJSON *object = cJSON_CreateObject();

    return object && cJSON_AddItemToArray(phases, object) &&
           cJSON_AddStringToObject(object, "phase", name) &&
           cJSON_AddNumberToObject(object, "layer", layer);
}

static bool add_phases(cJSON *root, int layers)
{
    cJSON *phases = cJSON_AddArrayToObject(root, "phases");
    bool added = phases != NULL;

    for (int i = 0; i < layers - 1 && added; i++)
        added = add_phase(phases, "reduce-scatter", i);
    added = added && add_phase(phases, "allreduce", layers - 1);
    for (int i = layers - 2; i >= 0 && added; i--)
        added = add_phase(phases, "allgather", i);
    return added;
}

static bool fill(cJSON *root, const struct hs_export_job *job)
{
    const struct hs_plan *plan = hs_export_plan(job);
    char text[HS_SPLIT_TEXT];
    cJSON *layers;
    bool added = hs_export_header_json(root, job, &hs_exporter_colours, use) &&
                 cJSON_AddStringToObject(root, "format", "hiersearch.colours/1") &&
                 cJSON_AddNumberToObject(root, "np", (double)job->result->np) &&
                 cJSON_AddStringToObject(root, "plan", hs_plan_format(text, plan)) &&
                 cJSON_AddNumberToObject(root, "chunks", plan->chunks) &&
                 cJSON_AddStringToObject(root, "colour",
                                         "rank / (stride * size) * stride + rank % stride") &&
                 cJSON_AddStringToObject(root, "key", "rank / stride % size") &&
                 add_phases(root, plan->split.count);

    layers = added ? cJSON_AddArrayToObject(root, "layers") : NULL;
    added = layers != NULL;
    for (int i = 0; i < plan->split.count && added; i++) {
        struct hs_layer layer = hs_split_layer(&plan->split, i);

        added = add_layer(layers, &layer, job->result->np);
    }
    return added;
}

static enum hs_status write_colours(struct hs_export_output *out, const struct hs_export_job *job,
                                    struct hs_error *err)
{
    struct hs_text *text = hs_export_add_file(out, "colours.json");
    cJSON *root = cJSON_CreateObject();
    enum hs_status status;

    if (!text || !root || !fill(root, job))
        status = hs_fail(err, HS_MEMORY, "out of memory");
    else
        status = hs_json_print(text, root, err);
    cJSON_Delete(root);
    return status;
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
