/*
 * MSCCL: the plan as a program that every GPU runs, in the XML of microsoft/msccl and of RCCL.
 *
 * The message is cut into np chunks. A thread block per layer sends to the next process of that
 * layer's ring and receives from the one before. In the reduce-scatter of layer i a process is left
 * with 1/p_i of what it had, chunks that follow each other, so a transfer is one range of chunks:
 *
 *     reduce-scatter of p blocks, process k:  send block k-1; receive, reduce, send k-2, k-3, ...;
 * receive, reduce k allgather:                              send block k; receive, copy, send k-1,
 * k-2, ...; receive k+1
 *
 * The last layer, whose blocks are single chunks, does both without a break. A range that is too
 * long for one transfer is sent in parts, each going all the way round the ring before the next:
 * sending all parts first would deadlock, because only two transfers fit between two processes.
 */
#include <inttypes.h>

#include "export/size_rules.h"

/* Limits of the runtimes (src/include/msccl.h, src/graph/xml.h; RCCL's msccl_struct.h,
 * msccl_parser.h). */
#define STEPS_MAX      256  /* of one thread block */
#define RCCL_STEPS_MAX 64   /* in some versions of RCCL */
#define COUNT_MAX      71   /* chunks in one transfer */
#define GPUS_MAX       1024 /* children of one XML node: the parser writes beyond its array */
#define NODES_MAX                                                                                  \
    4096 /* XML nodes that a process keeps: all gpus, and its own thread blocks and steps */

static const char use[] =
    "MSCCL: export MSCCL_XML_FILES=$PWD/FILE NCCL_ALGO=MSCCL,RING,TREE\n"
    "RCCL:  a folder with this file alone; export MSCCL_ALGO_DIR=FOLDER RCCL_MSCCL_ENABLE=1\n"
    "       RCCL_MSCCL_FORCE_ENABLE=1 (a build with COMPILE_MSCCL_KERNEL)\n"
    "It is used for in-place allreduces of minBytes to maxBytes in a communicator of ngpus ranks,\n"
    "whose element count is a multiple of nchunksperloop; other calls run as without it: so do\n"
    "small messages, and, with 1 to 1 bytes, all, where the library's own call is faster.";

/* One layer as a process sees it. */
struct view {
    struct hs_layer layer;
    int64_t np, rank, position; /* position: in the layer's ring */
    int64_t base;               /* first chunk of what the process holds when the layer begins */
    int64_t width;              /* chunks of a block */
    int64_t parts;              /* transfers of a block */
    bool last;
};

static struct view view_layer(const struct hs_plan *plan, int64_t np, int64_t rank, int i)
{
    struct view view = {.layer = hs_split_layer(&plan->split, i), .np = np, .rank = rank};

    for (int j = 0; j <= i; j++) {
        struct hs_layer layer = hs_split_layer(&plan->split, j);

        view.base +=
            j < i ? rank / layer.stride % layer.size * (np / layer.stride / layer.size) : 0;
    }
    view.position = rank / view.layer.stride % view.layer.size;
    view.width = np / view.layer.stride / view.layer.size;
    view.parts = (view.width + COUNT_MAX - 1) / COUNT_MAX;
    view.last = i == plan->split.count - 1;
    return view;
}

static int64_t reduce_scatter_steps(const struct view *view)
{
    return view->parts * view->layer.size;
}

static int64_t all_steps(const struct view *view)
{
    return view->last ? 2 * view->layer.size - 1 : 2 * reduce_scatter_steps(view);
}

/* The process `by` places further in the ring. */
static int64_t neighbour(const struct view *view, int64_t by)
{
    int64_t size = view->layer.size, position = (view->position + by + size) % size;

    return view->rank + (position - view->position) * view->layer.stride;
}

/* What a step waits for: -1, -1 nothing. */
struct dependency {
    int64_t block, step;
};

/* A thread block that is being written. */
struct writer {
    struct hs_text *text;
    struct view view;
    int64_t step;
    struct dependency first, gather; /* of the first step of all, and of the allgather */
    int64_t awaited[2];              /* steps that others wait for; -1: none */
};

/* Step that works on part `part` of the block `back` places behind the process. */
static void write_step(struct writer *writer, const char *type, int64_t back, int64_t part,
                       const struct dependency *wait)
{
    const struct view *view = &writer->view;
    int64_t size = view->layer.size, block = ((view->position - back) % size + size) % size;
    int64_t begin = part * view->width / view->parts, end = (part + 1) * view->width / view->parts;
    int64_t offset = view->base + block * view->width + begin;
    bool awaited = writer->step == writer->awaited[0] || writer->step == writer->awaited[1];

    hs_text_append(writer->text,
                   "      <step s=\"%" PRId64 "\" type=\"%s\" srcbuf=\"i\" srcoff=\"%" PRId64
                   "\" dstbuf=\"i\" dstoff=\"%" PRId64 "\" cnt=\"%" PRId64 "\" depid=\"%" PRId64
                   "\" deps=\"%" PRId64 "\" hasdep=\"%d\"/>\n",
                   writer->step, type, offset, offset, end - begin, wait->block, wait->step,
                   awaited);
    writer->step++;
}

static const struct dependency nothing = {-1, -1};

static void write_reduce_scatter(struct writer *writer)
{
    int64_t size = writer->view.layer.size;

    for (int64_t part = 0; part < writer->view.parts; part++) {
        write_step(writer, "s", 1, part, part == 0 ? &writer->first : &nothing);
        for (int64_t back = 2; back < size; back++)
            write_step(writer, "rrs", back, part, &nothing);
        write_step(writer, writer->view.last ? "rrcs" : "rrc", size, part, &nothing);
    }
}

/* On the last layer the reduce-scatter has sent the process's own block already. */
static void write_allgather(struct writer *writer)
{
    int64_t size = writer->view.layer.size;

    for (int64_t part = 0; part < writer->view.parts; part++) {
        if (!writer->view.last)
            write_step(writer, "s", 0, part, part == 0 ? &writer->gather : &nothing);
        for (int64_t back = 1; back < size - 1; back++)
            write_step(writer, "rcs", back, part, &nothing);
        write_step(writer, "r", size - 1, part, &nothing);
    }
}

static void write_block(struct hs_text *text, const struct hs_plan *plan, int64_t np, int64_t rank,
                        int i)
{
    struct writer writer = {.text = text, .view = view_layer(plan, np, rank, i)};
    int64_t steps = all_steps(&writer.view);

    writer.first = writer.gather = nothing;
    writer.awaited[0] = i > 0 ? steps - 1 : -1;
    writer.awaited[1] = writer.view.last ? -1 : reduce_scatter_steps(&writer.view) - 1;
    if (i > 0) {
        struct view inner = view_layer(plan, np, rank, i - 1);

        writer.first = (struct dependency){i - 1, reduce_scatter_steps(&inner) - 1};
    }
    if (!writer.view.last) {
        struct view outer = view_layer(plan, np, rank, i + 1);

        writer.gather = (struct dependency){i + 1, all_steps(&outer) - 1};
    }
    hs_text_append(text,
                   "    <tb id=\"%d\" send=\"%" PRId64 "\" recv=\"%" PRId64 "\" chan=\"0\">\n", i,
                   neighbour(&writer.view, 1), neighbour(&writer.view, -1));
    write_reduce_scatter(&writer);
    write_allgather(&writer);
    hs_text_append(text, "    </tb>\n");
}

static void write_gpu(struct hs_text *text, const struct hs_plan *plan, int64_t np, int64_t rank)
{
    hs_text_append(text,
                   "  <gpu id=\"%" PRId64 "\" i_chunks=\"%" PRId64 "\" o_chunks=\"%" PRId64
                   "\" s_chunks=\"0\">\n",
                   rank, np, np);
    for (int i = 0; i < plan->split.count; i++)
        write_block(text, plan, np, rank, i);
    hs_text_append(text, "  </gpu>\n");
}

/* ---- message sizes ---- */

#define NEVER 1 /* bytes that no call has: fewer than processes */

struct range {
    int64_t min_bytes, max_bytes;
};

/* The message's plan without its chunks; where there is none, the library's own call. */
static enum hs_status choose_split(struct hs_plan *plan, double *cost,
                                   const struct hs_export_job *job, size_t message,
                                   struct hs_error *err)
{
    (void)err;
    *plan = *hs_export_wanted(job, message);
    plan->chunks = 1;
    *cost = 1;
    return HS_OK;
}

static void say_guess(struct hs_export_output *out, const struct hs_export_rule *rule)
{
    if (rule->guessed)
        hs_export_note(out,
                       "the size at which the best plan changes, %" PRIu64
                       " bytes, is the geometric "
                       "mean of the sizes in the result: the times do not tell",
                       rule->first_bytes);
}

/* Sizes for which the plan is to run: those of the rule that the job's message is in. NEVER to
 * NEVER where the library's own call is faster: that is no multiple of np elements. */
static enum hs_status find_range(struct range *range, struct hs_export_output *out,
                                 const struct hs_export_job *job, struct hs_error *err)
{
    uint64_t bytes = job->result->messages[job->message].message_bytes;
    const struct hs_export_rule *rule;
    struct hs_export_rules rules;
    enum hs_status status = hs_export_rules_make(&rules, job, choose_split, err);

    *range = (struct range){NEVER, NEVER};
    if (status != HS_OK)
        return status;
    for (rule = rules.rules; rule->end_bytes <= bytes; rule++)
        continue;
    if (rule->plan.split.count > 0) {
        *range = (struct range){(int64_t)rule->first_bytes, HS_BYTES_MAX};
        say_guess(out, rule);
    }
    if (rule->plan.split.count > 0 && rule->end_bytes != UINT64_MAX) {
        range->max_bytes = (int64_t)rule->end_bytes - 1;
        say_guess(out, rule + 1);
    }
    hs_export_rules_release(&rules);
    return HS_OK;
}

/* ---- limits ---- */

static enum hs_status check_steps(struct hs_export_output *out, const struct hs_export_job *job,
                                  struct hs_error *err)
{
    const struct hs_plan *plan = hs_export_plan(job);
    int64_t np = job->result->np, nodes = 1 + np + plan->split.count, most = 0;
    char text[HS_SPLIT_TEXT];

    for (int i = 0; i < plan->split.count; i++) {
        struct view view = view_layer(plan, np, 0, i);
        int64_t steps = all_steps(&view);

        if (steps > STEPS_MAX)
            return hs_fail(err, HS_INVALID,
                           "msccl: layer %d of %s (size %" PRId64 ") takes %" PRId64
                           " steps in one thread block, MSCCL runs at most %d: name a plan with "
                           "smaller layers (--plan)",
                           i + 1, hs_plan_format(text, plan), view.layer.size, steps, STEPS_MAX);
        nodes += steps;
        most = steps > most ? steps : most;
    }
    if (nodes > NODES_MAX)
        return hs_fail(err, HS_INVALID,
                       "msccl: %s takes %" PRId64 " XML nodes per process, MSCCL reads at most %d: "
                       "name a plan with smaller layers (--plan)",
                       hs_plan_format(text, plan), nodes, NODES_MAX);
    if (most > RCCL_STEPS_MAX)
        hs_export_note(out,
                       "%s takes %" PRId64
                       " steps in one thread block: MSCCL runs %d, some versions "
                       "of RCCL only %d (MSCCL_MAX_NUM_STEPS)",
                       hs_plan_format(text, plan), most, STEPS_MAX, RCCL_STEPS_MAX);
    return HS_OK;
}

static enum hs_status write_msccl(struct hs_export_output *out, const struct hs_export_job *job,
                                  struct hs_error *err)
{
    const struct hs_plan *plan = hs_export_plan(job);
    int64_t np = job->result->np;
    char name[HS_SPLIT_TEXT];
    struct hs_text *text;
    struct range range;
    enum hs_status status;

    if (np > GPUS_MAX)
        return hs_fail(err, HS_INVALID,
                       "msccl: %" PRId64 " processes, MSCCL reads at most %d: export `colours` and "
                       "run the layers with ncclCommSplit",
                       np, GPUS_MAX);
    status = check_steps(out, job, err);
    if (status == HS_OK)
        status = find_range(&range, out, job, err);
    if (status != HS_OK)
        return status;
    text = hs_export_add_file(out, "allreduce.xml");
    hs_export_header(text, job, &hs_exporter_msccl, &hs_export_comment_xml, use);
    hs_text_append(text,
                   "<algo name=\"hiersearch_%s\" proto=\"Simple\" nchannels=\"1\" "
                   "nchunksperloop=\"%" PRId64 "\" ngpus=\"%" PRId64 "\" coll=\"allreduce\" "
                   "inplace=\"1\" outofplace=\"0\" minBytes=\"%" PRId64 "\" maxBytes=\"%" PRId64
                   "\">\n",
                   hs_split_format(name, &plan->split), np, np, range.min_bytes, range.max_bytes);
    for (int64_t rank = 0; rank < np && !text->failed; rank++)
        write_gpu(text, plan, np, rank);
    hs_text_append(text, "</algo>\n");
    return HS_OK;
}

const struct hs_exporter hs_exporter_msccl = {
    .name = "msccl",
    .library = "MSCCL and RCCL",
    .versions = "NCCL 2.12 with msccl, RCCL with MSCCL",
    .summary = "the plan as an MSCCL program in XML, one thread block per layer",
    .affects =
        "allreduces of these sizes in every communicator of ngpus ranks; NCCL_ALGO also keeps "
        "all others from NVLS and CollNet",
    .layers = 0,
    .exact = true,
    .chunks = false,
    .ranged = true,
    .write = write_msccl,
};
