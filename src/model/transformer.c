#include "model/transformer.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

/* Bytes of a gradient in 32 bits. */
#define FULL_BYTES 4
/* As Megatron has it where nothing is said. */
#define TOP_EXPERTS    2
#define PARAMETERS_MAX 1e15

/* ---- parameters ------------------------------------------------------------------------------ */

/* Elements of all heads, and of those that have keys of their own. */
static double query_width(const struct hs_transformer *model)
{
    const struct hs_attention *attention = &model->attention;

    return attention->heads > 0 && attention->head > 0
               ? (double)attention->heads * (double)attention->head
               : (double)model->hidden;
}

static double key_width(const struct hs_transformer *model)
{
    const struct hs_attention *attention = &model->attention;

    return attention->heads > 0 && attention->groups > 0
               ? query_width(model) * (double)attention->groups / (double)attention->heads
               : query_width(model);
}

/* Matrices that make queries of a hidden state, keys and values, and a hidden state of what comes
 * out; of multi-latent attention through ranks in between, each with a norm (DeepSeek-AI,
 * "DeepSeek-V2", 2024, section 2.1). */
static double attention_of(const struct hs_transformer *model)
{
    const struct hs_attention *a = &model->attention;
    double hidden = (double)model->hidden, heads = (double)a->heads, rank = (double)a->query_rank;
    double query = heads * (double)(a->plain + a->rotary);
    double keys = key_width(model), width = query_width(model);

    if (a->key_rank > 0)
        return (rank > 0 ? rank * (hidden + query + 1) : hidden * query) +
               hidden * (double)(a->key_rank + a->rotary) + (double)a->key_rank +
               (double)a->key_rank * heads * (double)(a->plain + a->value) +
               heads * (double)a->value * hidden;
    return 2 * hidden * (width + keys) + (model->gated ? 0 : width + 2 * keys + hidden);
}

static double feed_forward_of(const struct hs_transformer *model, double width)
{
    double hidden = (double)model->hidden;

    return model->gated ? 3 * hidden * width : 2 * hidden * width + width + hidden;
}

/* Megatron's where none is given: two thirds of 4 h, in 64s, where there are three matrices. */
static double usual_width(const struct hs_transformer *model)
{
    if (model->feed_forward > 0)
        return (double)model->feed_forward;
    return (double)(model->gated ? model->hidden * 8 / 3 / 64 * 64 : 4 * model->hidden);
}

static int64_t expert_layers(const struct hs_transformer *model)
{
    int64_t dense = model->experts.dense_layers;

    return model->experts.count == 0 || dense >= model->layers ? 0 : model->layers - dense;
}

enum hs_status hs_transformer_count(struct hs_transformer_count *out,
                                    const struct hs_transformer *model, struct hs_error *err)
{
    const struct hs_experts *experts = &model->experts;
    double hidden = (double)model->hidden, norm = model->gated ? hidden : 2 * hidden;
    double usual = usual_width(model), sparse = (double)expert_layers(model);
    double width = experts->hidden > 0 ? (double)experts->hidden : usual;
    double shared = experts->shared_hidden > 0 ? (double)experts->shared_hidden
                                               : (double)experts->shared * width;

    *out = (struct hs_transformer_count){.experts = 0};
    if (model->uncounted && (model->parameters == 0 || sparse > 0))
        return hs_fail(err, HS_INVALID,
                       "parameters are counted of layers with the hidden_act \"silu\"%s",
                       sparse > 0 ? "" : ": give parameters=N, too");
    out->experts = sparse * (double)experts->count * feed_forward_of(model, width);
    if (model->parameters > 0) {
        out->others = (double)model->parameters - out->experts;
        return out->others >= 0
                   ? HS_OK
                   : hs_fail(err, HS_INVALID, "parameters: expected those of %.4g experts or more",
                             out->experts);
    }
    out->others = (double)model->layers * (attention_of(model) + 2 * norm) + norm +
                  ((double)model->layers - sparse) * feed_forward_of(model, usual) +
                  sparse * hidden * (double)experts->count +
                  (double)model->vocabulary * hidden * (model->untied ? 2 : 1);
    if (sparse > 0 && shared > 0)
        out->others += sparse * feed_forward_of(model, shared);
    if (!model->gated)
        out->others += (double)model->sequence * hidden;
    if (out->others + out->experts > PARAMETERS_MAX)
        return hs_fail(err, HS_INVALID, "expected at most %g parameters, counted %.4g",
                       PARAMETERS_MAX, out->others + out->experts);
    return HS_OK;
}

/* ---- what goes along each axis --------------------------------------------------------------- */

enum { TP, PP, CP, EP, DP, FSDP, AXES };

/* A step as a rank of the fullest stage has it. */
struct step {
    struct hs_job *job;
    const struct hs_transformer *model;
    int64_t size[AXES];
    unsigned bit[AXES];                       /* of axes of more than one rank */
    int64_t batches, layers, sparse, forward; /* the last: times that the way forward is gone */
    double element, block;                    /* bytes */
    double others, experts;                   /* parameters that a rank has without data's axes */
    bool too_much;
};

static enum hs_status find_axes(struct step *step, const struct hs_mesh *mesh, struct hs_error *err)
{
    static const struct {
        const char *name;
        int axis;
    } names[] = {{"tp", TP}, {"pp", PP},     {"cp", CP},           {"ep", EP},
                 {"dp", DP}, {"fsdp", FSDP}, {"dp_replicate", DP}, {"dp_shard", FSDP}};

    for (int i = 0; i < AXES; i++)
        step->size[i] = 1;
    for (int a = 0; a < mesh->count; a++) {
        size_t n = 0;

        while (n < HS_COUNT_OF(names) && strcmp(mesh->axes[a].name, names[n].name) != 0)
            n++;
        if (n == HS_COUNT_OF(names))
            return hs_fail(err, HS_INVALID,
                           "the mesh has the axis \"%s\", expected tp, pp, cp, ep, dp and fsdp; "
                           "of others --messages says what they communicate",
                           mesh->axes[a].name);
        if (step->bit[names[n].axis])
            return hs_fail(err, HS_INVALID, "the mesh has the axis \"%s\" by two names",
                           names[n].name);
        step->size[names[n].axis] = mesh->axes[a].size;
        step->bit[names[n].axis] = mesh->axes[a].size > 1 ? 1U << a : 0;
    }
    return HS_OK;
}

/* What a command line says of the axes is as the mesh has them. */
static enum hs_status check_axes(const struct step *step, struct hs_error *err)
{
    const struct hs_training *training = &step->model->training;
    const struct {
        const char *name;
        int64_t said, size;
    } axes[] = {
        {"tensor-model-parallel-size", training->tensor, step->size[TP]},
        {"expert-tensor-parallel-size", training->expert_tensor, step->size[TP]},
        {"pipeline-model-parallel-size", training->pipeline, step->size[PP]},
        {"context-parallel-size", training->contexts, step->size[CP]},
        {"expert-model-parallel-size", training->expert, step->size[EP]},
    };

    for (size_t i = 0; i < HS_COUNT_OF(axes); i++)
        if (axes[i].said > 0 && axes[i].said != axes[i].size)
            return hs_fail(err, HS_INVALID, "%s: expected %lld, as the mesh has it, found %lld",
                           axes[i].name, (long long)axes[i].size, (long long)axes[i].said);
    return HS_OK;
}

/* Whether experts can lie so. */
static enum hs_status check_experts(const struct step *step, struct hs_error *err)
{
    const struct hs_transformer *model = step->model;

    if (step->sparse == 0)
        return step->size[EP] > 1 ? hs_fail(err, HS_INVALID,
                                            "the mesh has the axis \"ep\", and the model no "
                                            "experts: num-experts is missing")
                                  : HS_OK;
    if (model->experts.count % step->size[EP] != 0)
        return hs_fail(err, HS_INVALID, "num-experts: expected a multiple of ep, %lld, found %lld",
                       (long long)step->size[EP], (long long)model->experts.count);
    if (step->size[TP] > 1 && !model->training.sequence_parallel)
        return hs_fail(err, HS_INVALID,
                       "experts with tp: sequence-parallel is missing, without which Megatron "
                       "does not train them");
    return HS_OK;
}

static enum hs_status check_batch(struct step *step, struct hs_error *err)
{
    const struct hs_transformer *model = step->model;
    const struct {
        const char *name;
        int64_t value;
    } needed[] = {{"seq-length", model->sequence},
                  {"micro-batch-size", model->micro_batch},
                  {"global-batch-size", model->global_batch}};
    int64_t batch = model->micro_batch * step->size[EP] * step->size[DP] * step->size[FSDP];

    for (size_t i = 0; i < HS_COUNT_OF(needed); i++)
        if (needed[i].value == 0)
            return hs_fail(err, HS_INVALID,
                           "%s is missing, as in num-layers=80,hidden-size=8192,seq-length=4096,"
                           "micro-batch-size=1,global-batch-size=512",
                           needed[i].name);
    if (model->global_batch % batch != 0)
        return hs_fail(err, HS_INVALID,
                       "global-batch-size: expected a multiple of micro-batch-size x dp%s%s, %lld, "
                       "found %lld",
                       step->size[FSDP] > 1 ? " x fsdp" : "", step->size[EP] > 1 ? " x ep" : "",
                       (long long)batch, (long long)model->global_batch);
    step->batches = model->global_batch / batch;
    return HS_OK;
}

static void add(struct step *step, unsigned over, enum hs_collective collective, double bytes,
                double calls)
{
    step->too_much = step->too_much || calls > HS_JOB_CALLS_MAX || bytes > (double)HS_BYTES_MAX;
    if (over && bytes >= 1 && calls >= 1 && !step->too_much)
        step->job->messages[step->job->count++] = (struct hs_job_message){
            .over = over, .collective = collective, .bytes = bytes, .calls = (int64_t)calls};
}

/* Of a sendrecv the collective is the AllGather whose step it is (job.h). */
static void add_sends(struct step *step, int axis, double bytes, double calls)
{
    size_t before = step->job->count;

    add(step, step->bit[axis], HS_COLLECTIVE_ALLGATHER, bytes, calls);
    if (step->job->count > before)
        step->job->messages[before].sends = true;
}

/* What shared experts are given is as what a dense layer is. */
static void add_tensor(struct step *step)
{
    const struct hs_experts *experts = &step->model->experts;
    bool shared = experts->shared > 0 || experts->shared_hidden > 0;
    double halves = 2 * (double)step->layers - (shared ? 0 : (double)step->sparse);
    double top = (double)(experts->top > 0 ? experts->top : TOP_EXPERTS) * step->block;
    double batches = (double)step->batches, forward = (double)step->forward;
    double chosen = (double)step->sparse * (forward + 1) * batches;
    unsigned over = step->bit[TP];

    if (!step->model->training.sequence_parallel) {
        add(step, over, HS_COLLECTIVE_ALLREDUCE, step->block, halves * (forward + 1) * batches);
        return;
    }
    add(step, over, HS_COLLECTIVE_ALLGATHER, step->block, halves * (forward + 2) * batches);
    add(step, over, HS_COLLECTIVE_REDUCE_SCATTER, step->block, halves * (forward + 1) * batches);
    add(step, over, HS_COLLECTIVE_ALLGATHER, top, chosen);
    add(step, over, HS_COLLECTIVE_REDUCE_SCATTER, top, chosen);
}

static void add_context(struct step *step)
{
    const struct hs_transformer *model = step->model;
    double ranks = (double)step->size[CP], calls = (double)step->layers * (double)step->batches;
    double keys =
        ceil(2 * step->block * key_width(model) / (double)model->hidden / (double)step->size[TP]);
    double forward = (double)step->forward;

    if (model->training.context == HS_CONTEXT_GATHER) {
        add(step, step->bit[CP], HS_COLLECTIVE_ALLGATHER, keys * ranks, (forward + 1) * calls);
        add(step, step->bit[CP], HS_COLLECTIVE_REDUCE_SCATTER, keys * ranks, calls);
    } else {
        add_sends(step, CP, keys, (forward + 2) * (ranks - 1) * calls);
    }
}

static void add_experts(struct step *step)
{
    int64_t top = step->model->experts.top;
    double tokens = step->block * (double)(top > 0 ? top : TOP_EXPERTS);

    add(step, step->bit[EP], HS_COLLECTIVE_ALLTOALL, ceil(tokens / (double)step->size[TP]),
        2 * (double)step->sparse * (double)(step->forward + 1) * (double)step->batches);
}

static enum hs_status add_pipeline(struct step *step, struct hs_error *err)
{
    const struct hs_training *training = &step->model->training;
    int64_t stages = 1, parts = training->sequence_parallel ? step->size[TP] : 1;

    if (training->stage_layers > 0) {
        stages = step->layers / training->stage_layers;
        if (step->layers % training->stage_layers != 0)
            return hs_fail(err, HS_INVALID,
                           "num-layers-per-virtual-pipeline-stage: expected a part of %lld layers, "
                           "found %lld",
                           (long long)step->layers, (long long)training->stage_layers);
    }
    add_sends(step, PP, ceil(step->block / (double)parts),
              2 * (double)stages * (double)step->batches);
    return HS_OK;
}

/* Parameters that are replicated along some axes, or sharded along them and fsdp; in so many
 * layers. */
static void add_data(struct step *step, unsigned over, double shards, double parameters,
                     int64_t layers)
{
    const struct hs_training *training = &step->model->training;
    double weights = ceil(parameters) * step->element;
    double gradients = ceil(parameters) *
                       (training->full_gradients ? fmax(step->element, FULL_BYTES) : step->element);

    if (step->bit[FSDP] && layers > 0) {
        double calls = (double)layers * (double)step->batches, units = (double)layers;

        add(step, over | step->bit[FSDP], HS_COLLECTIVE_ALLGATHER, ceil(weights / units),
            2 * calls);
        add(step, over | step->bit[FSDP], HS_COLLECTIVE_REDUCE_SCATTER, ceil(gradients / units),
            calls);
        add(step, step->bit[DP], HS_COLLECTIVE_ALLREDUCE,
            ceil(gradients / units / shards / (double)step->size[FSDP]), calls);
    } else if (training->distributed_optimizer) {
        add(step, over | step->bit[DP], HS_COLLECTIVE_REDUCE_SCATTER, gradients, 1);
        add(step, over | step->bit[DP], HS_COLLECTIVE_ALLGATHER, weights, 1);
    } else {
        add(step, over | step->bit[DP], HS_COLLECTIVE_ALLREDUCE, gradients, 1);
    }
}

/* Sizes of what a rank has, in bytes and layers. */
static enum hs_status measure(struct step *step, struct hs_error *err)
{
    const struct hs_transformer *model = step->model;
    double stages = (double)(step->size[TP] * step->size[PP]);
    struct hs_transformer_count count;

    if (hs_transformer_count(&count, model, err))
        return HS_INVALID;
    if (model->attention.key_rank > 0 && step->size[CP] > 1)
        return hs_fail(err, HS_INVALID, "what multi-latent attention sends along cp is not known");
    step->layers = (model->layers + step->size[PP] - 1) / step->size[PP];
    step->sparse = expert_layers(model) < step->layers ? expert_layers(model) : step->layers;
    step->forward = model->training.recompute == HS_RECOMPUTE_FULL ? 2 : 1;
    step->block = ceil((double)model->micro_batch * (double)model->sequence *
                       (double)model->hidden * step->element / (double)step->size[CP]);
    step->others = count.others / stages;
    step->experts = count.experts / stages / (double)step->size[EP];
    return HS_OK;
}

enum hs_status hs_transformer_messages(struct hs_job *job, const struct hs_transformer *model,
                                       size_t element_bytes, struct hs_error *err)
{
    struct step step = {.job = job, .model = model, .element = (double)element_bytes};
    double contexts;

    if (find_axes(&step, &job->mesh, err) || check_axes(&step, err) || check_batch(&step, err) ||
        measure(&step, err) || check_experts(&step, err))
        return HS_INVALID;
    contexts = (double)step.size[CP];
    add_tensor(&step);
    add_context(&step);
    add_experts(&step);
    if (add_pipeline(&step, err))
        return HS_INVALID;
    add_data(&step, step.bit[CP] | step.bit[EP], contexts * (double)step.size[EP], step.others,
             step.layers);
    add_data(&step, step.bit[CP], contexts, step.experts, step.sparse);
    if (step.too_much)
        return hs_fail(err, HS_INVALID,
                       "expected messages of at most 1 PiB, and at most %d calls per step",
                       HS_JOB_CALLS_MAX);
    if (job->count == 0)
        return hs_fail(err, HS_INVALID, "a mesh of one rank communicates nothing");
    return HS_OK;
}
