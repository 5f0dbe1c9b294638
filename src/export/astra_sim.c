/*
 * ASTRA-sim (analytical, congestion unaware): one network dimension per layer, innermost first.
 *
 * A dimension is a ring with the bandwidth that one ring of the layer gets and the latency of its
 * steps, so links that layers share are in the figures. With collective-optimization localBWAware
 * ASTRA-sim does what a split does: reduce-scatter from the first dimension to the last, allgather
 * back.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "export/approximate.h"
#include "library/price_plan.h"

#define NP_MAX 16384 /* a workload file for each process */

/* ASTRA-sim's "GB/s" are 2^30 bytes per second. */
#define ASTRA_GB (1024.0 * 1024.0 * 1024.0)

static const char use[] =
    "AstraSim_Analytical_Congestion_Unaware --workload-configuration=workload \\\n"
    "  --system-configuration=system.json --remote-memory-configuration=memory.json \\\n"
    "  --network-configuration=network.yml\n"
    "in the folder of these files. bandwidth is in 2^30 bytes/s, latency in ns.";

/* ---- network ---- */

static void append_closed_form(struct hs_text *text, const struct hs_plan_cost *cost,
                               const struct hs_plan *plan)
{
    double ns = (cost->latency_seconds + cost->bandwidth_seconds) * 1e9;

    if (plan->chunks > 1)
        hs_text_append(text,
                       "# %d chunks: the model predicts %.0f ns; dimensions overlap as if each had "
                       "links of its own\n",
                       plan->chunks, (cost->seconds - cost->launch_seconds) * 1e9);
    else
        hs_text_append(text,
                       "# closed form: %.0f ns = sum over layers of 2 (p - 1) latency + "
                       "2 (p - 1) / p * bytes / stride / bandwidth\n",
                       ns);
}

static void append_list(struct hs_text *text, const char *key, const struct hs_plan_cost *cost,
                        double (*value)(const struct hs_stage_cost *stage))
{
    hs_text_append(text, "%s: [ ", key);
    for (int i = 0; i < cost->count; i++)
        hs_text_append(text, "%s%.17g", i ? ", " : "", value(&cost->stages[i]));
    hs_text_append(text, " ]\n");
}

static double count_of(const struct hs_stage_cost *stage)
{
    return (double)stage->key.layer.size;
}

static double bandwidth_of(const struct hs_stage_cost *stage)
{
    return stage->ring_bytes_per_second / ASTRA_GB;
}

/* Of one ring step: the s of the model is in it. */
static double latency_of(const struct hs_stage_cost *stage)
{
    return stage->latency_seconds / (2 * (double)(stage->key.layer.size - 1)) * 1e9;
}

static struct hs_plan_cost cost_of(const struct hs_export_job *job, int chunks)
{
    struct hs_problem problem =
        hs_result_problem(job->result, &job->result->messages[job->message]);
    struct hs_plan plan = *hs_export_plan(job);

    plan.chunks = chunks;
    return hs_plan_cost(&job->result->system, &problem, &plan);
}

static void add_network(struct hs_export_output *out, const struct hs_export_job *job)
{
    struct hs_plan_cost whole = cost_of(job, hs_export_plan(job)->chunks), one = cost_of(job, 1);
    struct hs_text *text = hs_export_add_file(out, "network.yml");

    hs_export_header(text, job, &hs_exporter_astra_sim, &hs_export_comment_hash, use);
    if (hs_export_is_nccl_native(job))
        hs_export_say(out, text,
                      "astra-sim: NCCL chooses its algorithm in each layer; a dimension is a ring "
                      "that takes as long as its calls do at %s, and at no other size",
                      hs_export_size((char[HS_UNIT_TEXT]){0}, job));
    append_closed_form(text, &whole, hs_export_plan(job));
    hs_text_append(text, "topology: [ ");
    for (int i = 0; i < one.count; i++)
        hs_text_append(text, "%sRing", i ? ", " : "");
    hs_text_append(text, " ]\n");
    append_list(text, "npus_count", &one, count_of);
    append_list(text, "bandwidth", &one, bandwidth_of);
    append_list(text, "latency", &one, latency_of);
}

/* ---- system and memory ---- */

/* A list that is shorter than the dimensions would make ASTRA-sim reduce over fewer of them. */
static void put_rings(struct hs_json_writer *w, const char *key, int count)
{
    hs_json_open(w, key, '[');
    for (int i = 0; i < count; i++)
        hs_json_write_text(w, NULL, "ring");
    hs_json_close(w, ']');
}

static void put_system(struct hs_json_writer *w, const struct hs_plan *plan)
{
    int count = plan->split.count;

    hs_json_write_text(w, "scheduling-policy", "FIFO");
    hs_json_write_number(w, "endpoint-delay", 1); /* 0 fails an assertion */
    hs_json_write_number(w, "active-chunks-per-dimension", 1);
    hs_json_write_number(w, "preferred-dataset-splits", plan->chunks);
    put_rings(w, "all-reduce-implementation", count);
    put_rings(w, "all-gather-implementation", count);
    put_rings(w, "reduce-scatter-implementation", count);
    put_rings(w, "all-to-all-implementation", count);
    hs_json_write_text(w, "collective-optimization", "localBWAware");
    hs_json_write_number(w, "local-mem-bw", 1e9); /* no time for local memory */
}

static void put_memory(struct hs_json_writer *w, const struct hs_plan *plan)
{
    (void)plan;
    hs_json_write_text(w, "memory-type", "NO_MEMORY_EXPANSION");
}

static enum hs_status add_json(struct hs_export_output *out, const struct hs_export_job *job,
                               const char *name,
                               void (*put)(struct hs_json_writer *w, const struct hs_plan *plan),
                               struct hs_error *err)
{
    struct hs_json_writer w = {.text = hs_export_add_file(out, name), .err = err};

    hs_json_open(&w, NULL, '{');
    hs_export_header_json(&w, job, &hs_exporter_astra_sim, use);
    put(&w, hs_export_plan(job));
    hs_json_close(&w, '}');
    return hs_json_finish(&w);
}

/* ---- workload: Chakra's protobuf, by hand ---- */

/* Fields of et_def.proto that are written. */
enum {
    METADATA_VERSION = 1,
    METADATA_ATTRIBUTE = 2,
    NODE_NAME = 2,
    NODE_TYPE = 3,
    NODE_ATTRIBUTE = 10,
    LIST_VALUES = 1,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_INT64 = 9,
    ATTRIBUTE_BOOL = 27,
    ATTRIBUTE_BOOLS = 28,
    ATTRIBUTE_STRING = 29
};

#define COMM_COLL_NODE 7
#define ALL_REDUCE     0

static void append_varint(struct hs_text *text, uint64_t value)
{
    do {
        char byte = (char)((value & 0x7F) | (value > 0x7F ? 0x80 : 0));

        hs_text_append_bytes(text, &byte, 1);
        value >>= 7;
    } while (value);
}

static void append_number(struct hs_text *text, int field, uint64_t value)
{
    append_varint(text, (uint64_t)field << 3);
    append_varint(text, value);
}

static void append_bytes(struct hs_text *text, int field, const char *bytes, size_t length)
{
    append_varint(text, (uint64_t)field << 3 | 2);
    append_varint(text, length);
    hs_text_append_bytes(text, bytes, length);
}

/* Takes the inner message over. A message that is empty because memory ran out makes the outer
 * fail, too. */
static void append_message(struct hs_text *text, int field, struct hs_text *inner)
{
    text->failed = text->failed || inner->failed;
    if (inner->data)
        append_bytes(text, field, inner->data, inner->length);
    hs_text_release(inner);
}

static void append_attribute(struct hs_text *text, const char *name, int field, uint64_t value)
{
    struct hs_text attribute = {0};

    append_bytes(&attribute, ATTRIBUTE_NAME, name, strlen(name));
    append_number(&attribute, field, value);
    append_message(text, NODE_ATTRIBUTE, &attribute);
}

/* The allreduce goes over all dimensions. Without this, releases until 2025 take the first one
 * alone. */
static void append_dimensions(struct hs_text *text, int count)
{
    char each_true[HS_LAYERS_MAX];
    struct hs_text attribute = {0}, list = {0};

    memset(each_true, 1, sizeof(each_true));
    append_bytes(&list, LIST_VALUES, each_true, (size_t)count);
    append_bytes(&attribute, ATTRIBUTE_NAME, "involved_dim", strlen("involved_dim"));
    append_message(&attribute, ATTRIBUTE_BOOLS, &list);
    append_message(text, NODE_ATTRIBUTE, &attribute);
}

/* Messages of a trace follow each other, each behind its length. */
static void append_delimited(struct hs_text *text, struct hs_text *message)
{
    text->failed = text->failed || message->failed;
    append_varint(text, message->length);
    if (message->data)
        hs_text_append_bytes(text, message->data, message->length);
    hs_text_release(message);
}

/* The comment is an attribute that nobody reads. */
static void append_metadata(struct hs_text *text, const struct hs_export_job *job)
{
    struct hs_text message = {0}, attribute = {0}, comment = {0};

    hs_export_header(&comment, job, &hs_exporter_astra_sim, &hs_export_comment_none, use);
    append_bytes(&attribute, ATTRIBUTE_NAME, "comment", strlen("comment"));
    append_message(&attribute, ATTRIBUTE_STRING, &comment);
    append_bytes(&message, METADATA_VERSION, "1.0.0", strlen("1.0.0"));
    append_message(&message, METADATA_ATTRIBUTE, &attribute);
    append_delimited(text, &message);
}

/* One allreduce; its id is 0, which protobuf leaves out. */
static void append_allreduce(struct hs_text *text, uint64_t bytes, int dimensions)
{
    struct hs_text node = {0};

    append_bytes(&node, NODE_NAME, "allreduce", strlen("allreduce"));
    append_number(&node, NODE_TYPE, COMM_COLL_NODE);
    append_attribute(&node, "is_cpu_op", ATTRIBUTE_BOOL, 0);
    append_attribute(&node, "comm_type", ATTRIBUTE_INT64, ALL_REDUCE);
    append_attribute(&node, "comm_size", ATTRIBUTE_INT64, bytes);
    append_dimensions(&node, dimensions);
    append_delimited(text, &node);
}

/* ASTRA-sim opens a file per process; all are alike. */
static void add_workloads(struct hs_export_output *out, const struct hs_export_job *job)
{
    struct hs_text trace = {0};

    append_metadata(&trace, job);
    append_allreduce(&trace, job->result->messages[job->message].message_bytes,
                     hs_export_plan(job)->split.count);
    for (int64_t rank = 0; rank < hs_result_group(job->result).size; rank++) {
        char name[64];
        struct hs_text *text;

        snprintf(name, sizeof(name), "workload.%" PRId64 ".et", rank);
        text = hs_export_add_file(out, name);
        if (out->count > 0)
            out->files[out->count - 1].binary = true;
        hs_text_append_bytes(text, trace.data, trace.length);
        text->failed = text->failed || trace.failed;
    }
    hs_text_release(&trace);
}

static void note_launch(struct hs_export_output *out, const struct hs_export_job *job)
{
    struct hs_plan_cost cost = cost_of(job, hs_export_plan(job)->chunks);

    if (cost.launch_seconds > 0)
        hs_export_note(out,
                       "astra-sim: the launch of the calls (%g us of %g us in all) is not in its "
                       "model",
                       cost.launch_seconds * 1e6, cost.seconds * 1e6);
}

static enum hs_status write_astra_sim(struct hs_export_output *out, const struct hs_export_job *job,
                                      struct hs_error *err)
{
    const struct hs_result *result = job->result;
    const struct hs_answer *answer = result->messages[job->message].answer;
    const struct hs_default_call *usual = answer ? answer->usual : NULL;
    enum hs_status status = hs_export_need_system(job, &hs_exporter_astra_sim, err);

    if (status != HS_OK)
        return status;
    if (hs_export_is_nccl_native(job) && hs_plan_is_flat(hs_export_plan(job)))
        return hs_fail(err, HS_INVALID,
                       "%s: the flat plan is one NCCL call%s%s%s, and astra-sim's "
                       "dimensions are rings: expected a plan with layers (--plan)",
                       job->result_name, usual ? " (" : "", usual ? usual->choice : "",
                       usual ? ")" : "");
    if (hs_result_group(result).size > NP_MAX)
        return hs_fail(err, HS_INVALID,
                       "astra-sim: needs a workload file for each of %" PRId64
                       " processes, expected "
                       "at most %d: predict fewer, the rule is the same",
                       hs_result_group(result).size, NP_MAX);
    add_network(out, job);
    if ((status = add_json(out, job, "system.json", put_system, err)) ||
        (status = add_json(out, job, "memory.json", put_memory, err)))
        return status;
    add_workloads(out, job);
    note_launch(out, job);
    return HS_OK;
}

const struct hs_exporter hs_exporter_astra_sim = {
    .name = "astra-sim",
    .library = "ASTRA-sim",
    .versions = "2.x, analytical network",
    .summary = "network, system and workload files, one dimension per layer",
    .layers = 0,
    .exact = true,
    .chunks = true,
    .rings = true,
    .groups = HS_GROUPS_CALLED,
    .write = write_astra_sim,
};
