#include "answer/shard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/point.h"
#include "search/lattice.h"

/* Bytes of a parameter: more than any optimizer keeps. */
#define OPTIMIZER_MOST 1024
/* What Adam keeps of a parameter: two moments, and of weights in 16 bits a copy besides, all in 32
 * (Rajbhandari and others, "ZeRO", 2020, section 3.1: K = 12). */
#define MOMENTS    2
#define FULL_BYTES 4
/* Units of a model of which no more than its parameters is known. */
#define UNITS 64

/* Its layers are the units. */
static enum hs_status read_model(struct hs_shard_settings *settings, struct hs_error *err)
{
    struct hs_transformer_count count;

    if (hs_transformer_parse(&settings->sizes, settings->model, err) ||
        hs_transformer_count(&count, &settings->sizes, err))
        return hs_error_prefix(err, err->status, "--model");
    settings->parameters = count.others + count.experts;
    if (settings->units == 0)
        settings->units = settings->sizes.layers;
    return HS_OK;
}

enum hs_status hs_shard_take(struct hs_shard_settings *settings, struct hs_error *err)
{
    struct hs_question *ask = &settings->ask;

    if (ask->np.first != ask->np.last)
        return hs_fail(err, HS_INVALID, "--np: expected one process count, found a sweep");
    if (!settings->parameters == !settings->model)
        return hs_fail(err, HS_INVALID,
                       "expected one of --parameters, such as 70e9, and --model, such as "
                       "config.json");
    if (settings->model && read_model(settings, err))
        return err->status;
    if (settings->units == 0)
        settings->units = UNITS;
    if (settings->optimizer && hs_count_parse(&settings->optimizer_bytes, settings->optimizer,
                                              "bytes per parameter", 0, OPTIMIZER_MOST, err))
        return hs_error_prefix(err, HS_INVALID, "--optimizer-bytes");
    ask->search = hs_search_strategies[0].name;
    ask->collective = HS_COLLECTIVE_ALLGATHER; /* for the check of its order of blocks */
    return hs_question_take(ask, err);
}

/* What is the same in all ways. */
static enum hs_status describe(struct hs_sharding *out, const struct hs_asked *asked,
                               const struct hs_shard_settings *settings, struct hs_error *err)
{
    const struct hs_gpu *gpu = &asked->system->nccl.parts.gpu;
    int64_t bytes = (int64_t)hs_datatype_bytes(settings->ask.datatype);

    out->np = (int64_t)settings->ask.np.first;
    out->parameters = settings->parameters;
    out->units = settings->units;
    out->datatype = settings->ask.datatype;
    out->unit_bytes = ceil(settings->parameters / (double)settings->units) * (double)bytes;
    out->weights = bytes;
    out->optimizer = settings->optimizer_bytes;
    if (!settings->optimizer)
        out->optimizer = MOMENTS * (bytes < FULL_BYTES ? FULL_BYTES : bytes) +
                         (bytes < FULL_BYTES ? FULL_BYTES : 0);
    out->all = 2 * bytes + out->optimizer;
    out->memory = (double)settings->memory;
    if (settings->memory == 0 &&
        gpu->memory_GB > 0) { /* of a line, whoever runs on it, or a file */
        out->memory = gpu->memory_GB * 1e9;
        out->gpu = gpu->name;
    }
    return hs_job_write(&out->machine, err, "%s", asked->typed ? asked->typed : asked->label);
}

/* ---- one way --------------------------------------------------------------------------------- */

/* Fully sharded, a unit is gathered for the way forward and for the way back, its gradients are
 * reduced and scattered; then replicas reduce their shards. */
static struct hs_job job_of(const struct hs_sharding *out, const struct hs_asked *asked,
                            const struct hs_sharding_way *way)
{
    enum hs_layout order = asked->question->layout;
    double bytes = out->unit_bytes;
    struct hs_job job = {
        .mesh = {2, {{"dp_shard", way->shards}, {"dp_replicate", way->replicas}}, 0}};

    if (way->shards > 1) {
        job.messages[job.count++] = (struct hs_job_message){.over = 1,
                                                            .collective = HS_COLLECTIVE_ALLGATHER,
                                                            .layout = order,
                                                            .bytes = bytes,
                                                            .calls = 2 * out->units};
        job.messages[job.count++] =
            (struct hs_job_message){.over = 1,
                                    .collective = HS_COLLECTIVE_REDUCE_SCATTER,
                                    .layout = order,
                                    .bytes = bytes,
                                    .calls = out->units};
    }
    if (way->replicas > 1)
        job.messages[job.count++] =
            (struct hs_job_message){.over = 2,
                                    .collective = HS_COLLECTIVE_ALLREDUCE,
                                    .bytes = ceil(bytes / (double)way->shards),
                                    .calls = out->units};
    return job;
}

static struct hs_plan *plan_of(struct hs_sharding_way *way, enum hs_collective collective)
{
    return collective == HS_COLLECTIVE_ALLGATHER        ? &way->gather
           : collective == HS_COLLECTIVE_REDUCE_SCATTER ? &way->scatter
                                                        : &way->reduce;
}

static enum hs_status weigh(struct hs_sharding_way *way, struct hs_sharding *out,
                            const struct hs_asked *asked, struct hs_error *err)
{
    static const int order[] = {0, 1};
    size_t samples = hs_job_samples(asked);
    struct hs_job job = job_of(out, asked, way);
    enum hs_status status = hs_job_sum_init(&way->sum, samples, err);

    for (size_t m = 0; m < job.count && !status; m++) {
        const struct hs_job_message *message = &job.messages[m];
        double calls = (double)message->calls;
        struct hs_job_price price = {.each = NULL};
        struct hs_problem problem;

        status = hs_job_problem(&problem, &job, m, order, err);
        if (!status)
            status = hs_job_price(&price, asked, message, &problem, err);
        if (!status) {
            hs_job_sum_add(&way->sum, &price, calls, samples);
            *(message->over == 1 ? &way->shard_seconds : &way->replica_seconds) +=
                calls * price.seconds;
            way->library_seconds += calls * price.library_seconds;
            *plan_of(way, message->collective) = price.plan;
        }
        if (!status && !out->evidence && price.answer)
            status = hs_job_write(&out->evidence, err, "%s", price.answer->evidence);
        if (!status && out->assumptions.count == 0)
            status = hs_job_add_assumptions(&out->assumptions, &price, err);
        hs_job_price_release(&price);
    }
    way->memory_bytes = out->parameters * (double)out->all / (double)way->shards +
                        HS_SHARD_UNITS_WHOLE * out->unit_bytes;
    way->fits = out->memory == 0 || way->memory_bytes <= out->memory;
    return status ? status : hs_job_sum_end(&way->sum, samples, err);
}

/* ---- which comes first ----------------------------------------------------------------------- */

static int by_fit_and_seconds(const void *left, const void *right)
{
    const struct hs_sharding_way *a = left, *b = right;

    if (a->fits != b->fits)
        return a->fits ? -1 : 1;
    if (a->fits && a->sum.seconds != b->sum.seconds)
        return a->sum.seconds < b->sum.seconds ? -1 : 1;
    return a->shards > b->shards ? -1 : a->shards < b->shards;
}

/* Against full sharding; where only that would fit there is nothing to decide. */
static enum hs_status decide(struct hs_sharding *out, size_t samples, struct hs_error *err)
{
    size_t full = 0;
    double seconds;
    enum hs_status status;

    qsort(out->ways, out->count, sizeof(*out->ways), by_fit_and_seconds);
    while (out->ways[full].shards != out->np)
        full++;
    seconds = out->ways[full].sum.seconds;
    for (size_t i = 0; i < out->count; i++)
        out->ways[i].ratio = seconds > 0 ? out->ways[i].sum.seconds / seconds : 1;
    out->verdict = (struct hs_job_verdict){HS_JOB_NONE, NAN, NAN, NAN, NAN};
    if (!out->ways[0].fits)
        return HS_OK;
    status = hs_job_decide(&out->verdict, &out->ways[0].sum, &out->ways[full].sum, samples, err);
    for (; out->verdict.advice == HS_JOB_KEEP && full > 0 && !status; full--) {
        status = hs_job_add_line(&out->ties, err, "%" PRId64 " shards x %" PRId64 " replicas",
                                 out->ways[0].shards, out->ways[0].replicas);
        hs_job_sum_release(&out->ways[0].sum);
        memmove(out->ways, out->ways + 1, --out->count * sizeof(*out->ways));
    }
    return status;
}

/* ---- sentences ------------------------------------------------------------------------------- */

static enum hs_status say_next(struct hs_sharding *out, const struct hs_asked *asked,
                               struct hs_error *err)
{
    const struct hs_sharding_way *first = &out->ways[0];
    struct hs_text line = {0};
    enum hs_status status;

    if (out->verdict.advice == HS_JOB_USE && first->shards == 1)
        return hs_job_add_line(&out->next, err, "model = DistributedDataParallel(model)");
    if (out->verdict.advice == HS_JOB_USE)
        return hs_job_add_line(&out->next, err,
                               "mesh = init_device_mesh(\"cuda\", (%" PRId64 ", %" PRId64
                               "), mesh_dim_names=(\"dp_replicate\", \"dp_shard\")); "
                               "fully_shard(unit, mesh=mesh)",
                               first->replicas, first->shards);
    if (out->verdict.advice != HS_JOB_UNDECIDED)
        return HS_OK;
    hs_text_append(&line, "mpiexec -n %" PRId64 " hiersearch measure ", out->np);
    hs_command_word_append(&line, out->machine);
    hs_text_append(&line,
                   " --mesh dp_shard=%" PRId64 ",dp_replicate=%" PRId64
                   " --group dp_shard --collective allgather --size %s --dtype %s -o shard.json",
                   first->shards, first->replicas, HS_AS_BYTES((uint64_t)out->unit_bytes),
                   hs_datatype_names[asked->question->datatype]);
    status = line.failed ? hs_no_memory(err) : hs_job_add_line(&out->next, err, "%s", line.data);
    hs_text_release(&line);
    return status;
}

static enum hs_status say_assumptions(struct hs_sharding *out,
                                      const struct hs_shard_settings *settings,
                                      struct hs_error *err)
{
    enum hs_status status =
        settings->model ? hs_job_add_model(&out->assumptions, &settings->sizes, err) : HS_OK;

    if (!status)
        status = hs_job_add_line(
            &out->assumptions, err,
            "%" PRId64 " bytes per parameter are sharded (weights %" PRId64 ", gradients %" PRId64
            ", optimizer %" PRId64 "), %d of %" PRId64 " units are whole, activations are extra",
            out->all, out->weights, out->weights, out->optimizer, HS_SHARD_UNITS_WHOLE, out->units);
    if (!status)
        status = hs_job_add_line(&out->assumptions, err,
                                 "calls go one after the other; what computing hides of them is "
                                 "not known");
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

enum hs_status hs_shard(struct hs_sharding *out, const struct hs_asked *asked,
                        const struct hs_shard_settings *settings, struct hs_error *err)
{
    struct hs_problem problem =
        hs_problem_of(HS_COLLECTIVE_ALLREDUCE, HS_NATURAL, (int64_t)settings->ask.np.first, 0);
    struct hs_point_watcher watcher = {asked, &problem};
    size_t samples = hs_job_samples(asked);
    struct hs_lattice shards;
    enum hs_status status;

    memset(out, 0, sizeof(*out));
    out->samples = (int64_t)samples;
    status = describe(out, asked, settings, err);
    if (status)
        return status;
    status = hs_lattice_init(&shards, hs_group_world(out->np), err);
    if (status)
        return status;
    problem.bytes = out->unit_bytes;
    out->possible = shards.node_count;
    out->ways = calloc(out->possible, sizeof(*out->ways));
    if (!out->ways)
        status = hs_no_memory(err);
    /* Full sharding first: it is what the others are held against, and fits if any does. */
    for (size_t i = 0;
         i < out->possible && !status && (hs_point_goes_on(&watcher, i, out->possible) || i == 0);
         i++) {
        struct hs_sharding_way *way = &out->ways[out->count++];

        way->shards = shards.divisors[out->possible - 1 - i];
        way->replicas = out->np / way->shards;
        status = weigh(way, out, asked, err);
    }
    hs_lattice_release(&shards);
    if (!status && !out->evidence)
        status = hs_job_write(&out->evidence, err, "one process does not communicate");
    if (!status)
        status = decide(out, samples, err);
    if (!status)
        status = say_assumptions(out, settings, err);
    return status ? status : say_next(out, asked, err);
}

void hs_sharding_release(struct hs_sharding *sharding)
{
    for (size_t i = 0; i < sharding->count; i++)
        hs_job_sum_release(&sharding->ways[i].sum);
    free(sharding->ways);
    free(sharding->machine);
    free(sharding->evidence);
    hs_job_lines_release(&sharding->ties);
    hs_job_lines_release(&sharding->assumptions);
    hs_job_lines_release(&sharding->next);
    memset(sharding, 0, sizeof(*sharding));
}

/* ---- the document ---------------------------------------------------------------------------- */

#define VERSION "sharding/1"

#define WAY(member)    HS_AT(struct hs_sharding_way, member)
#define ANSWER(member) HS_AT(struct hs_sharding, member)
#define LINES(items, count)                                                                        \
    HS_LIST_AT(struct hs_sharding, items, count), .max = 1000, .fields = &hs_job_line_fields

static bool is_sharded(const struct hs_place *place)
{
    return ((const struct hs_sharding_way *)place->object)->shards > 1;
}
static bool is_replicated(const struct hs_place *place)
{
    return ((const struct hs_sharding_way *)place->object)->replicas > 1;
}
static bool has_memory(const struct hs_place *place)
{
    return ((const struct hs_sharding *)place->object)->memory > 0;
}

static const struct hs_field way_rows[] = {
    {"shards", HS_INTEGER, WAY(shards), .min = 1, .max = HS_NP_MAX},
    {"replicas", HS_INTEGER, WAY(replicas), .min = 1, .max = HS_NP_MAX},
    {"memory_bytes", HS_NUMBER, WAY(memory_bytes), HS_NOT_NEGATIVE,
     .about = "Of a GPU, without activations."},
    {"fits", HS_BOOL, WAY(fits), .about = "Into the memory of a GPU, where that is known."},
    {"seconds", HS_NUMBER, WAY(sum.seconds), HS_NOT_NEGATIVE,
     .about = "Communication time per step, expected over the samples."},
    {"low_seconds", HS_NUMBER, WAY(sum.low_seconds), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Low end of the 90 % range of that; absent where nothing was sampled."},
    {"high_seconds", HS_NUMBER, WAY(sum.high_seconds), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Its high end."},
    {"ratio", HS_NUMBER, WAY(ratio), HS_NOT_NEGATIVE,
     .about = "Its time over that of full sharding."},
    {"shard_seconds", HS_NUMBER, WAY(shard_seconds), HS_NOT_NEGATIVE,
     .about = "Of all-gathers and reduce-scatters, per step."},
    {"replica_seconds", HS_NUMBER, WAY(replica_seconds), HS_NOT_NEGATIVE,
     .about = "Of all-reduces, per step."},
    {"library_seconds", HS_NUMBER, WAY(library_seconds), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Per step by the library's default calls; absent where they have no price."},
    {"gather_plan", HS_CUSTOM, WAY(gather), .custom = &hs_plan_custom, HS_OPTIONAL,
     .when = is_sharded, .about = "Of the all-gather; default: the library's default call."},
    {"scatter_plan", HS_CUSTOM, WAY(scatter), .custom = &hs_plan_custom, HS_OPTIONAL,
     .when = is_sharded, .about = "Of the reduce-scatter."},
    {"reduce_plan", HS_CUSTOM, WAY(reduce), .custom = &hs_plan_custom, HS_OPTIONAL,
     .when = is_replicated, .about = "Of the all-reduce."},
};
static const struct hs_fields way_fields = {.name = "sharding_way",
                                            HS_ROWS(way_rows, struct hs_sharding_way)};

static const struct hs_field rows[] = {
    {"format", HS_CONSTANT, .text = HS_FORMAT_OF VERSION},
    {"machine", HS_TEXT, HS_OWNED(struct hs_sharding, machine), .min = 1},
    {"np", HS_INTEGER, ANSWER(np), .min = 1, .max = HS_NP_MAX},
    {"parameters", HS_NUMBER, ANSWER(parameters), HS_NOT_NEGATIVE, .above = true},
    {"units", HS_INTEGER, ANSWER(units), .min = 1, .max = 100000,
     .about = "In which the model is wrapped."},
    {"unit_bytes", HS_NUMBER, ANSWER(unit_bytes), HS_NOT_NEGATIVE, .above = true,
     .about = "Of the weights of one whole unit."},
    {"bytes_per_parameter", HS_INTEGER, ANSWER(all), .max = 10000,
     .about = "That are sharded: weights, gradients and what the optimizer keeps."},
    {"memory_of_gpu_bytes", HS_NUMBER, ANSWER(memory), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .when = has_memory, .about = "What the ways have to fit into; absent where it is not known."},
    {"verdict", HS_OBJECT, ANSWER(verdict), .fields = &hs_job_verdict_fields,
     .about = "On the first way, against full sharding."},
    {"evidence", HS_TEXT, HS_OWNED(struct hs_sharding, evidence), .min = 1,
     .about = "What was measured of this machine, or of machines of its class."},
    {"samples", HS_INTEGER, ANSWER(samples), .max = 1e6,
     .about = "Samples of the uncertain parameters that times are expected over; 0: nominal "
              "times."},
    {"ways", HS_LIST, HS_LIST_AT(struct hs_sharding, ways, count), .min = 1, .max = 10000,
     .fields = &way_fields,
     .about = "The verdict's first, then those that fit, by time, then the others, by memory."},
    {"possible", HS_WHOLE, ANSWER(possible),
     .about = "Ways that there are, of which --budget may have left some out."},
    {"ties", HS_LIST, LINES(ties.items, ties.count),
     .about = "Ways that are faster than full sharding by less than 3 %."},
    {"assumptions", HS_LIST, LINES(assumptions.items, assumptions.count)},
    {"next", HS_LIST, LINES(next.items, next.count),
     .about = "What to do next: a line of PyTorch, or a command."},
};
static const struct hs_fields sharding_fields = {
    .id = HS_SCHEMA_ID VERSION,
    .title = "hiersearch sharding",
    .about = "How many ways to shard a model, as hiersearch shard writes it (docs/job.md). Times "
             "are in seconds; what does not exist is absent.",
    HS_ROWS(rows, struct hs_sharding),
};

enum hs_status hs_sharding_print(struct hs_text *out, const struct hs_sharding *sharding,
                                 struct hs_error *err)
{
    return hs_fields_print(out, &sharding_fields, sharding, false, err);
}

enum hs_status hs_sharding_print_schema(struct hs_text *out, struct hs_error *err)
{
    return hs_fields_print_schema(out, &sharding_fields, err);
}
