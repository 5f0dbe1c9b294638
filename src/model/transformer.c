#include "model/transformer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

#define WORD      64 /* bytes of a name or a value, its end included */
#define SIZES_MAX ((int64_t)1 << 40)

/* The sizes, as Megatron's options call them. */
static const struct {
    const char *name;
    size_t offset;
} sizes[] = {
    {"num-layers", offsetof(struct hs_transformer, layers)},
    {"hidden-size", offsetof(struct hs_transformer, hidden)},
    {"seq-length", offsetof(struct hs_transformer, sequence)},
    {"micro-batch-size", offsetof(struct hs_transformer, micro_batch)},
    {"global-batch-size", offsetof(struct hs_transformer, global_batch)},
    {"parameters", offsetof(struct hs_transformer, parameters)},
    {"num-attention-heads", offsetof(struct hs_transformer, heads)},
    {"num-query-groups", offsetof(struct hs_transformer, query_groups)},
};
#define SIZES    (sizeof(sizes) / sizeof(*sizes))
#define REQUIRED 5 /* the first ones; then parameters, which may have a letter behind */

static int64_t *size_at(struct hs_transformer *model, size_t i)
{
    return (int64_t *)((char *)model + sizes[i].offset);
}

/* The word at *text, up to a blank, a comma or `stop`; *text behind it. */
static enum hs_status next_word(char word[WORD], const char **text, char stop, struct hs_error *err)
{
    const char ends[] = {' ', '\t', '\r', '\n', ',', stop, '\0'};
    size_t length = strcspn(*text, ends);

    if (length >= WORD)
        return hs_fail(err, HS_INVALID, "expected NAME=NUMBER, found \"%.40s...\"", *text);
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    return HS_OK;
}

static enum hs_status read_size(struct hs_transformer *model, const char **text,
                                struct hs_error *err)
{
    const char *names[SIZES];
    char name[WORD], value[WORD];
    size_t i;
    double parameters;

    for (i = 0; i < SIZES; i++)
        names[i] = sizes[i].name;
    *text += strncmp(*text, "--", 2) == 0 ? 2 : 0;
    if (next_word(name, text, '=', err) || hs_name_find(&i, name, "size", names, SIZES, err))
        return HS_INVALID;
    *text += strspn(*text, " \t\r\n=");
    if (next_word(value, text, ',', err))
        return HS_INVALID;
    if (*size_at(model, i) != 0)
        return hs_fail(err, HS_INVALID, "%s is given twice", name);
    if (i != REQUIRED)
        return hs_count_parse(size_at(model, i), value, name, 1, SIZES_MAX, err);
    if (hs_parameters_parse(&parameters, value, err))
        return hs_error_prefix(err, HS_INVALID, name);
    model->parameters = (int64_t)parameters;
    return HS_OK;
}

enum hs_status hs_transformer_parse(struct hs_transformer *model, const char *text,
                                    struct hs_error *err)
{
    *model = (struct hs_transformer){0};
    for (text += strspn(text, " \t\r\n,"); *text; text += strspn(text, " \t\r\n,"))
        if (read_size(model, &text, err))
            return HS_INVALID;
    for (size_t i = 0; i < REQUIRED; i++)
        if (*size_at(model, i) == 0)
            return hs_fail(err, HS_INVALID,
                           "%s is missing, as in num-layers=80,hidden-size=8192,seq-length=4096,"
                           "micro-batch-size=1,global-batch-size=512",
                           sizes[i].name);
    return HS_OK;
}

enum { TP, PP, CP, DP, AXES };

/* Ranks along each axis that the messages know, and its bit. */
struct axes {
    int64_t size[AXES];
    unsigned bit[AXES];
};

static enum hs_status find_axes(struct axes *axes, const struct hs_mesh *mesh, struct hs_error *err)
{
    static const char *const names[AXES] = {"tp", "pp", "cp", "dp"};

    *axes = (struct axes){{1, 1, 1, 1}, {0}};
    for (int a = 0; a < mesh->count; a++) {
        int axis = 0;

        while (axis < AXES && strcmp(mesh->axes[a].name, names[axis]) != 0)
            axis++;
        if (axis == AXES)
            return hs_fail(err, HS_INVALID,
                           "the mesh has the axis \"%s\", expected tp, pp, cp and dp; of others "
                           "--messages says what they communicate",
                           mesh->axes[a].name);
        axes->size[axis] = mesh->axes[a].size;
        axes->bit[axis] = mesh->axes[a].size > 1 ? 1U << a : 0;
    }
    return HS_OK;
}

static void add(struct hs_job *job, struct hs_job_message message)
{
    if (message.over && message.bytes >= 1 && message.calls > 0)
        job->messages[job->count++] = message;
}

enum hs_status hs_transformer_messages(struct hs_job *job, const struct hs_transformer *model,
                                       size_t element_bytes, struct hs_error *err)
{
    struct axes axes;
    int64_t batch, steps, layers;
    double element = (double)element_bytes, block, weights, keys;

    if (find_axes(&axes, &job->mesh, err))
        return HS_INVALID;
    batch = model->micro_batch * axes.size[DP];
    if (model->global_batch % batch != 0)
        return hs_fail(err, HS_INVALID,
                       "global-batch-size: expected a multiple of micro-batch-size x dp, %lld, "
                       "found %lld",
                       (long long)batch, (long long)model->global_batch);
    steps = model->global_batch / batch;
    layers = (model->layers + axes.size[PP] - 1) / axes.size[PP]; /* of the fullest stage */
    if ((double)layers * (double)steps * 4 * (double)axes.size[CP] > HS_JOB_CALLS_MAX)
        return hs_fail(err, HS_INVALID, "expected at most %d calls per step", HS_JOB_CALLS_MAX);
    block = ceil((double)model->micro_batch * (double)model->sequence * (double)model->hidden *
                 element / (double)axes.size[CP]);
    weights = model->parameters > 0 ? (double)model->parameters
                                    : 12 * (double)model->layers * pow((double)model->hidden, 2);
    weights = ceil(weights / (double)(axes.size[TP] * axes.size[PP])) * element;
    keys = model->heads > 0 && model->query_groups > 0
               ? fmin(1, (double)model->query_groups / (double)model->heads)
               : 1;
    if (block > (double)HS_BYTES_MAX || weights > (double)HS_BYTES_MAX)
        return hs_fail(err, HS_INVALID, "expected messages of at most 1 PiB");
    add(job, (struct hs_job_message){.over = axes.bit[TP],
                                     .collective = HS_COLLECTIVE_ALLREDUCE,
                                     .bytes = block,
                                     .calls = 4 * layers * steps});
    add(job, (struct hs_job_message){.over = axes.bit[CP],
                                     .sends = true,
                                     .collective = HS_COLLECTIVE_ALLGATHER,
                                     .bytes = ceil(2 * keys * block / (double)axes.size[TP]),
                                     .calls = 3 * (axes.size[CP] - 1) * layers * steps});
    add(job, (struct hs_job_message){.over = axes.bit[PP],
                                     .sends = true,
                                     .collective = HS_COLLECTIVE_ALLGATHER,
                                     .bytes = block,
                                     .calls = 2 * steps});
    for (int i = 0; i < 2; i++)
        add(job, (struct hs_job_message){.over = axes.bit[DP] | axes.bit[CP],
                                         .collective = i ? HS_COLLECTIVE_ALLGATHER
                                                         : HS_COLLECTIVE_REDUCE_SCATTER,
                                         .bytes = weights,
                                         .calls = 1});
    if (job->count == 0)
        return hs_fail(err, HS_INVALID, "a mesh of one rank communicates nothing");
    return HS_OK;
}
