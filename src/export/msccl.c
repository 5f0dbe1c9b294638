/*
 * MSCCL: the plan as a program that every GPU runs, in the XML of microsoft/msccl and of RCCL.
 *
 * The message is cut into np chunks, or as many times more. In the reduce-scatter of layer i a
 * process is left with 1/p_i of what it had, chunks that follow each other, so a transfer is one
 * range of chunks. That holds for an AllReduce's, which goes outwards, and for one by itself in
 * place, which begins outside and ends with the chunks of the process's number; an allgather by
 * itself is its mirror. A thread block sends to one process and receives from one; what follows
 * what across thread blocks, steps say that wait for a step of another one.
 *
 *  - ring: a thread block per layer sends to the next process and receives from the one before;
 *    process k of p:
 *        reduce-scatter:  send block k-1; receive, reduce, send k-2, k-3, ...; receive, reduce k
 *        allgather:       send block k; receive, copy, send k-1, k-2, ...; receive k+1
 *    The last layer, whose blocks are single chunks, does both without a break. A range that is too
 *    long for one transfer is sent in parts, each going all the way round the ring before the next:
 *    sending all parts first would deadlock, because only two transfers fit between two processes.
 *  - direct: a thread block for each other process; what comes is reduced in their order.
 *  - halving: a thread block for each distance 2^j, nearest first in the reduce-scatter, farthest
 *    first in the allgather, with the one that differs in bit j, or, where p is no power of two,
 *    with those 2^j further and before. A block whose place is 2^j (2 m + 1) further goes there.
 *  - tree: a thread block for each edge, which has all chunks up and then all down, one behind the
 *    other.
 *  - trees on single links: two thread blocks for each other process that one has an edge with, one
 *    sends and one receives (msccl_forest.c). There are as many chunks as keep their shares.
 *
 * Where a layer's two ways go by different algorithms, the way back has a channel of its own: no
 * two thread blocks share a connection.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "export/msccl_parts.h"
#include "export/size_rules.h"

#define BLOCKS_MAX 32 /* thread blocks of a channel (src/include/msccl.h) */
/* XML nodes that a process keeps: all gpus, and its own thread blocks and steps (xml.h) */
#define NODES_MAX 4096

static const char use[] =
    "MSCCL: export MSCCL_XML_FILES=$PWD/FILE NCCL_ALGO=MSCCL,RING,TREE\n"
    "RCCL:  a folder with this file alone; export MSCCL_ALGO_DIR=FOLDER RCCL_MSCCL_ENABLE=1\n"
    "       RCCL_MSCCL_FORCE_ENABLE=1 (a build with COMPILE_MSCCL_KERNEL)\n"
    "It is used for in-place calls of its coll of minBytes to maxBytes in a communicator of ngpus "
    "ranks,\n"
    "whose larger side is a multiple of nchunksperloop elements; others run as without it: so do\n"
    "small messages, and, with 1 to 1 bytes, all, where the library's default call is faster.";

static int channels_of(const struct hs_problem *problem, const struct hs_plan *plan)
{
    int channels = 1;

    for (int i = 0; i < plan->split.count; i++)
        if (problem->collective == HS_COLLECTIVE_ALLREDUCE &&
            hs_plan_algorithm(plan, i, 0) != hs_plan_algorithm(plan, i, 1))
            channels = 2;
    return channels;
}

/* As the runtimes know it. In place: all chunks are in the buffer of the larger side. */
static const struct form {
    const char *coll, *file_name, *buffer;
} forms[HS_COLLECTIVE_COUNT] = {
    [HS_COLLECTIVE_ALLREDUCE] = {"allreduce", "allreduce.xml", "i"},
    [HS_COLLECTIVE_REDUCE_SCATTER] = {"reduce_scatter", "reduce_scatter.xml", "i"},
    [HS_COLLECTIVE_ALLGATHER] = {"allgather", "allgather.xml", "o"},
};

static void write_step(struct hs_text *text, const struct hs_msccl_step *step, size_t number,
                       const char *buffer)
{
    hs_text_append(text,
                   "      <step s=\"%zu\" type=\"%s\" srcbuf=\"%s\" srcoff=\"%" PRId64
                   "\" dstbuf=\"%s\" dstoff=\"%" PRId64 "\" cnt=\"%" PRId64 "\" depid=\"%" PRId64
                   "\" deps=\"%" PRId64 "\" hasdep=\"%d\"/>\n",
                   number, step->type, buffer, step->chunks.first, buffer, step->chunks.first,
                   step->chunks.end - step->chunks.first, step->wait.block, step->wait.step,
                   step->awaited);
}

static void write_gpu(struct hs_text *text, const struct hs_msccl_program *program,
                      const struct hs_msccl_task *task, int64_t rank)
{
    const struct hs_collective_row *row = &hs_collectives[task->problem.collective];
    const char *buffer = forms[task->problem.collective].buffer;
    int64_t block_chunks = task->forests.multiple, all = task->problem.group.ranks * block_chunks;

    hs_text_append(text,
                   "  <gpu id=\"%" PRId64 "\" i_chunks=\"%" PRId64 "\" o_chunks=\"%" PRId64
                   "\" s_chunks=\"0\">\n",
                   rank, row->ordered && !row->begins_large ? block_chunks : all,
                   row->ordered && row->begins_large ? block_chunks : all);
    for (size_t b = 0; b < program->count; b++) {
        const struct hs_msccl_block *block = &program->blocks[b];

        hs_text_append(
            text, "    <tb id=\"%zu\" send=\"%" PRId64 "\" recv=\"%" PRId64 "\" chan=\"%d\">\n", b,
            block->send, block->receive, block->channel);
        for (size_t i = 0; i < block->count; i++)
            write_step(text, &block->steps[i], i, buffer);
        hs_text_append(text, "    </tb>\n");
    }
    hs_text_append(text, "  </gpu>\n");
}

/* ---- message sizes ---- */

#define NEVER 1 /* bytes that no call has: fewer than processes */

struct range {
    int64_t min_bytes, max_bytes;
};

/* The message's plan without its chunks; where there is none, the library's default call. */
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
 * NEVER where the library's default call is faster: that is no multiple of np elements. */
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

/* What a process's thread blocks are, at most: of a channel, of their steps, and of all its XML. */
struct extent {
    int64_t blocks[2], steps, nodes;
    int layer; /* that has the most steps */
};

static void measure_one(struct extent *extent, const struct hs_msccl_program *program, int64_t np)
{
    int64_t blocks[2] = {0, 0}, nodes = 1 + np + (int64_t)program->count;

    for (size_t b = 0; b < program->count; b++) {
        int64_t steps = (int64_t)program->blocks[b].count;

        blocks[program->blocks[b].channel]++;
        nodes += steps;
        if (steps > extent->steps) {
            extent->steps = steps;
            extent->layer = program->blocks[b].layer;
        }
    }
    for (int c = 0; c < 2; c++)
        extent->blocks[c] = blocks[c] > extent->blocks[c] ? blocks[c] : extent->blocks[c];
    extent->nodes = nodes > extent->nodes ? nodes : extent->nodes;
}

static enum hs_status check_extent(struct hs_export_output *out, const struct hs_plan *plan,
                                   const struct extent *extent, struct hs_error *err)
{
    char text[HS_SPLIT_TEXT];

    hs_plan_format(text, plan);
    if (extent->steps > HS_MSCCL_STEPS)
        return hs_fail(err, HS_INVALID,
                       "msccl: layer %d of %s (size %" PRId64 ") takes %" PRId64
                       " steps in one thread block, MSCCL runs at most %d: name a plan with "
                       "smaller layers (--plan)",
                       extent->layer + 1, text, plan->split.sizes[extent->layer], extent->steps,
                       HS_MSCCL_STEPS);
    for (int c = 0; c < 2; c++)
        if (extent->blocks[c] > BLOCKS_MAX)
            return hs_fail(err, HS_INVALID,
                           "msccl: %s takes %" PRId64
                           " thread blocks of a channel, MSCCL runs at most %d: name a plan with "
                           "rings instead (--plan)",
                           text, extent->blocks[c], BLOCKS_MAX);
    if (extent->nodes > NODES_MAX)
        return hs_fail(err, HS_INVALID,
                       "msccl: %s takes %" PRId64 " XML nodes per process, MSCCL reads at most %d: "
                       "name a plan with smaller layers (--plan)",
                       text, extent->nodes, NODES_MAX);
    if (extent->steps > HS_MSCCL_RCCL_STEPS)
        hs_export_note(out,
                       "%s takes %" PRId64
                       " steps in one thread block: MSCCL runs %d, some versions "
                       "of RCCL only %d (MSCCL_MAX_NUM_STEPS)",
                       text, extent->steps, HS_MSCCL_STEPS, HS_MSCCL_RCCL_STEPS);
    return HS_OK;
}

/* The programs of all processes: their extent, and, within the limits of the runtimes, appended to
 * `gpus` unless that is NULL. */
static enum hs_status make_gpus(struct extent *extent, struct hs_text *gpus,
                                const struct hs_msccl_task *task, struct hs_error *err)
{
    int64_t np = task->problem.group.ranks;

    *extent = (struct extent){.steps = 0};
    for (int64_t rank = 0; rank < np && !(gpus && gpus->failed); rank++) {
        struct hs_msccl_program program;
        enum hs_status status;

        hs_msccl_program_make(&program, task, rank, err);
        status = program.status;
        measure_one(extent, &program, np);
        if (gpus && status == HS_OK && extent->nodes <= NODES_MAX &&
            extent->steps <= HS_MSCCL_STEPS)
            write_gpu(gpus, &program, task, rank);
        hs_msccl_program_release(&program);
        if (status != HS_OK)
            return status;
    }
    return HS_OK;
}

static bool fits(const struct extent *extent, int64_t steps)
{
    return extent->steps <= steps && extent->nodes <= NODES_MAX;
}

/* Chunks that keep the trees' shares, fewer where all transfers of those would be too many; and as
 * many segments as all runtimes have room for beside what else there is. */
static enum hs_status cut_trees(double *more, struct hs_msccl_task *task,
                                const struct hs_system *system, struct hs_error *err)
{
    struct extent extent = {.steps = 0};
    int64_t most = HS_MSCCL_CHUNKS, steps;
    enum hs_status status;

    do {
        status = hs_msccl_forests_cut(more, task, system, most, err);
        if (status == HS_OK)
            status = make_gpus(&extent, NULL, task, err);
        most /= 2;
    } while (status == HS_OK && !fits(&extent, HS_MSCCL_STEPS) &&
             most >= task->problem.group.ranks);
    steps = extent.steps > HS_MSCCL_RCCL_STEPS ? extent.steps : HS_MSCCL_RCCL_STEPS;
    for (int64_t s = hs_msccl_segments(task); status == HS_OK && s > 1; s /= 2) {
        task->forests.segments = s;
        status = make_gpus(&extent, NULL, task, err);
        if (fits(&extent, steps))
            return status;
    }
    task->forests.segments = 1;
    return status;
}

static enum hs_status make_trees(struct hs_msccl_task *task, struct hs_export_output *out,
                                 const struct hs_export_job *job, struct hs_error *err)
{
    enum hs_status status = hs_msccl_forests_make(task, out, job, err);
    char text[HS_SPLIT_TEXT];
    double more;

    if (status != HS_OK ||
        task->forests.of[0].packing.count + task->forests.of[1].packing.count == 0)
        return status;
    status = cut_trees(&more, task, &job->result->system, err);
    if (status == HS_OK)
        hs_export_note(out,
                       "msccl: shares of the trees of %s in %" PRId64
                       " chunks of the message: the busiest link carries %.1f %% more than packed",
                       hs_plan_format(text, task->plan),
                       task->problem.group.ranks * task->forests.multiple, 100 * fmax(more - 1, 0));
    return status;
}

/* MSCCL's programs have no calls of NCCL's in them, and none of what is not written here. */
static struct hs_plan of_those_known(struct hs_export_output *out, const struct hs_plan *plan)
{
    struct hs_plan own = *plan;
    char text[HS_SPLIT_TEXT], rings[HS_SPLIT_TEXT];

    for (int i = 0; i < own.split.count; i++)
        for (int way = 0; way < 2; way++)
            if (own.algorithms[i][way] == HS_NATIVE)
                own.algorithms[i][way] = HS_RING;
    if (hs_plan_compare(&own, plan) != 0)
        hs_export_note(out, "msccl cannot say how all layers go: plan %s is exported as %s",
                       hs_plan_format(text, plan), hs_plan_format(rings, &own));
    return own;
}

static void write_algo(struct hs_export_output *out, const struct hs_export_job *job,
                       const struct hs_msccl_task *task, const struct range *range,
                       const char *gpus)
{
    const struct form *form = &forms[task->problem.collective];
    struct hs_text *text = hs_export_add_file(out, form->file_name);
    int64_t np = task->problem.group.ranks;
    char name[HS_SPLIT_TEXT];

    hs_export_header(text, job, &hs_exporter_msccl, &hs_export_comment_xml, use);
    hs_text_append(text,
                   "<algo name=\"hiersearch_%s\" proto=\"Simple\" nchannels=\"%d\" "
                   "nchunksperloop=\"%" PRId64 "\" ngpus=\"%" PRId64 "\" coll=\"%s\" "
                   "inplace=\"1\" outofplace=\"0\" minBytes=\"%" PRId64 "\" maxBytes=\"%" PRId64
                   "\">\n%s</algo>\n",
                   hs_plan_format(name, task->plan), channels_of(&task->problem, task->plan),
                   np * task->forests.multiple, np, form->coll, range->min_bytes, range->max_bytes,
                   gpus);
}

static enum hs_status write_msccl(struct hs_export_output *out, const struct hs_export_job *job,
                                  struct hs_error *err)
{
    struct hs_plan plan = of_those_known(out, hs_export_plan(job));
    int64_t np = hs_result_group(job->result).size;
    struct hs_msccl_task task = {
        .problem = hs_result_problem(job->result, &job->result->messages[job->message]),
        .plan = &plan};
    struct hs_text gpus = {0};
    struct extent extent;
    struct range range;
    enum hs_status status;

    task.problem.group = hs_group_world(np); /* the program counts the ranks of its communicator */
    if (np > HS_MSCCL_GPUS)
        return hs_fail(err, HS_INVALID,
                       "msccl: %" PRId64 " processes, MSCCL reads at most %d: export `colors` and "
                       "run the layers with ncclCommSplit",
                       np, HS_MSCCL_GPUS);
    status = make_trees(&task, out, job, err);
    if (status == HS_OK)
        status = make_gpus(&extent, &gpus, &task, err);
    if (status == HS_OK)
        status = check_extent(out, &plan, &extent, err);
    if (status == HS_OK)
        status = find_range(&range, out, job, err);
    if (status == HS_OK && gpus.failed)
        status = hs_no_memory(err);
    if (status == HS_OK)
        write_algo(out, job, &task, &range, gpus.data ? gpus.data : "");
    hs_text_release(&gpus);
    hs_msccl_forests_release(&task.forests);
    return status;
}

const struct hs_exporter hs_exporter_msccl = {
    .name = "msccl",
    .library = "MSCCL and RCCL",
    .versions = "NCCL 2.12 with msccl, RCCL with MSCCL",
    .summary = "the plan as an MSCCL program in XML, one thread block per layer",
    .affects =
        "calls of its collective and sizes in every communicator of ngpus ranks; NCCL_ALGO also "
        "keeps all others from NVLS and CollNet",
    .layers = 0,
    .exact = true,
    .chunks = false,
    .letters = HS_EXPORT_LETTERS | HS_EXPORT_TREES,
    .ranged = true,
    .also = HS_EXPORT_NATURAL,
    .groups = HS_GROUPS_BY_SIZE,
    .write = write_msccl,
};
