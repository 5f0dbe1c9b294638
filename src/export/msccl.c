/*
 * MSCCL: the plan as a program that every GPU runs, in the XML of microsoft/msccl and of RCCL.
 *
 * The message is cut into np chunks. In the reduce-scatter of layer i a process is left with 1/p_i
 * of what it had, chunks that follow each other, so a transfer is one range of chunks. That holds
 * for an AllReduce's, which goes outwards, and for one by itself in place, which begins outside and
 * ends with the chunk of the process's number; an allgather by itself is its mirror. A thread
 * block sends to one process and receives from one; what follows what across thread blocks, steps
 * say that wait for a step of another one.
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
 *
 * Where a layer's two ways go by different algorithms, the way back has a channel of its own: no
 * two thread blocks share a connection.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/list.h"
#include "export/size_rules.h"

/* Limits of the runtimes (src/include/msccl.h, src/graph/xml.h; RCCL's msccl_struct.h,
 * msccl_parser.h). */
#define STEPS_MAX      256  /* of one thread block */
#define RCCL_STEPS_MAX 64   /* in some versions of RCCL */
#define COUNT_MAX      71   /* chunks in one transfer */
#define GPUS_MAX       1024 /* children of one XML node: the parser writes beyond its array */
#define BLOCKS_MAX     32   /* thread blocks of a channel */
#define TREE_PARTS     64   /* transfers of a tree's edge each way, at most */
_Static_assert(GPUS_MAX <= TREE_PARTS * COUNT_MAX, "a tree's parts are transfers");
#define NODES_MAX                                                                                  \
    4096 /* XML nodes that a process keeps: all gpus, and its own thread blocks and steps */

static const char use[] =
    "MSCCL: export MSCCL_XML_FILES=$PWD/FILE NCCL_ALGO=MSCCL,RING,TREE\n"
    "RCCL:  a folder with this file alone; export MSCCL_ALGO_DIR=FOLDER RCCL_MSCCL_ENABLE=1\n"
    "       RCCL_MSCCL_FORCE_ENABLE=1 (a build with COMPILE_MSCCL_KERNEL)\n"
    "It is used for in-place calls of its coll of minBytes to maxBytes in a communicator of ngpus "
    "ranks,\n"
    "whose larger side is a multiple of nchunksperloop elements; others run as without it: so do\n"
    "small messages, and, with 1 to 1 bytes, all, where the library's own call is faster.";

/* One layer as a process sees it. */
struct view {
    struct hs_layer layer;
    int64_t np, rank, position; /* position: in the layer's ring */
    int64_t base;               /* first chunk of what the process holds when the layer begins */
    int64_t width;              /* chunks of a block */
    int64_t parts;              /* transfers of a block */
    bool last;                  /* of the plan, and both ways by the same algorithm */
};

/* In place, the layers inside of this one and the process's place in it and further out say which
 * chunks it has here; else those inside of it have left it a part of the message. */
static struct view view_layer(const struct hs_problem *problem, const struct hs_plan *plan,
                              int64_t rank, int i)
{
    int64_t np = problem->group.ranks;
    struct view view = {.layer = hs_split_layer(&plan->split, i), .np = np, .rank = rank};

    view.position = rank / view.layer.stride % view.layer.size;
    if (hs_problem_is_in_place(problem)) {
        view.width = view.layer.stride;
        view.base = rank - rank % (view.layer.stride * view.layer.size);
    } else {
        view.width = np / view.layer.stride / view.layer.size;
        for (int j = 0; j < i; j++) {
            struct hs_layer layer = hs_split_layer(&plan->split, j);

            view.base += rank / layer.stride % layer.size * (np / layer.stride / layer.size);
        }
    }
    view.parts = (view.width + COUNT_MAX - 1) / COUNT_MAX;
    view.last = problem->collective == HS_COLLECTIVE_ALLREDUCE && i == plan->split.count - 1 &&
                hs_plan_algorithm(plan, i, 0) == hs_plan_algorithm(plan, i, 1);
    return view;
}

/* The process at place `place` of the group. */
static int64_t process_at(const struct view *view, int64_t place)
{
    return view->rank + (place - view->position) * view->layer.stride;
}

/* The process `by` places further in the ring. */
static int64_t neighbour(const struct view *view, int64_t by)
{
    int64_t size = view->layer.size;

    return process_at(view, (view->position + by + size) % size);
}

/* ---- a process's program ---- */

/* A step of a thread block; block -1: none. */
struct point {
    int64_t block, step;
};

static const struct point nothing = {-1, -1};

struct step {
    const char *type;
    int64_t first, count; /* chunks */
    struct point wait;    /* for what */
    bool awaited;
};

struct block {
    int64_t send, receive;
    int channel, layer;
    struct step *steps; /* [count] owned */
    size_t count, capacity;
};

struct program {
    struct block *blocks; /* [count] owned */
    size_t count, capacity;
    int layer;            /* that is being made */
    struct hs_error *err; /* where memory runs out */
    enum hs_status status;
};

static void program_release(struct program *program)
{
    for (size_t b = 0; b < program->count; b++)
        free(program->blocks[b].steps);
    free(program->blocks);
}

/* The thread block of a connection, made where there is none. */
static int64_t block_of(struct program *program, int64_t send, int64_t receive, int channel)
{
    struct block *block;

    for (size_t b = 0; b < program->count; b++) {
        block = &program->blocks[b];
        if (block->send == send && block->receive == receive && block->channel == channel)
            return (int64_t)b;
    }
    block =
        hs_grow(&program->blocks, &program->capacity, program->count, sizeof(*block), program->err);
    if (!block) {
        program->status = HS_MEMORY;
        return -1;
    }
    *block = (struct block){
        .send = send, .receive = receive, .channel = channel, .layer = program->layer};
    return (int64_t)program->count++;
}

/* Chunks [first, end). */
struct chunks {
    int64_t first, end;
};

/* Appends a step and says where it is. A thread block does its steps in order anyway. */
static struct point put(struct program *program, int64_t block, const char *type,
                        struct chunks chunks, struct point wait)
{
    struct block *at = &program->blocks[block];
    struct step *step;

    if (program->status != HS_OK)
        return nothing;
    step = hs_grow(&at->steps, &at->capacity, at->count, sizeof(*step), program->err);
    if (!step) {
        program->status = HS_MEMORY;
        return nothing;
    }
    *step = (struct step){type, chunks.first, chunks.end - chunks.first,
                          wait.block == block ? nothing : wait, false};
    if (step->wait.block >= 0)
        program->blocks[wait.block].steps[wait.step].awaited = true;
    return (struct point){block, (int64_t)at->count++};
}

/* Part `part` of the block of place `place`, taken around the group. */
static struct chunks part_of(const struct view *view, int64_t place, int64_t part)
{
    int64_t size = view->layer.size, block = (place % size + size) % size;
    int64_t offset = view->base + block * view->width;

    return (struct chunks){offset + part * view->width / view->parts,
                           offset + (part + 1) * view->width / view->parts};
}

/* ---- algorithms: each phase begins after `entry` and says when it is through ---- */

static struct point scatter_by_ring(struct program *program, const struct view *view, int channel,
                                    struct point entry)
{
    int64_t size = view->layer.size, place = view->position;
    int64_t block = block_of(program, neighbour(view, 1), neighbour(view, -1), channel);

    for (int64_t part = 0; part < view->parts && program->status == HS_OK; part++) {
        put(program, block, "s", part_of(view, place - 1, part), part == 0 ? entry : nothing);
        for (int64_t back = 2; back < size; back++)
            put(program, block, "rrs", part_of(view, place - back, part), nothing);
        entry =
            put(program, block, view->last ? "rrcs" : "rrc", part_of(view, place, part), nothing);
    }
    return entry;
}

/* On the last layer the reduce-scatter has sent the process's own block already. */
static struct point gather_by_ring(struct program *program, const struct view *view, int channel,
                                   struct point entry)
{
    int64_t size = view->layer.size, place = view->position;
    int64_t block = block_of(program, neighbour(view, 1), neighbour(view, -1), channel);

    for (int64_t part = 0; part < view->parts && program->status == HS_OK; part++) {
        if (!view->last)
            put(program, block, "s", part_of(view, place, part), part == 0 ? entry : nothing);
        for (int64_t back = 1; back < size - 1; back++)
            put(program, block, "rcs", part_of(view, place - back, part), nothing);
        entry = put(program, block, "r", part_of(view, place + 1, part), nothing);
    }
    return entry;
}

/* Both ways of direct exchange: all send, then each takes what comes behind the one before. */
static struct point by_direct(struct program *program, const struct view *view, int channel,
                              struct point entry, bool scatters)
{
    int64_t size = view->layer.size, place = view->position;
    struct point through = entry;

    for (int64_t part = 0; part < view->parts; part++) {
        for (int64_t t = 1; t < size && program->status == HS_OK; t++)
            put(program, block_of(program, neighbour(view, t), neighbour(view, -t), channel), "s",
                part_of(view, scatters ? place + t : place, part), part == 0 ? entry : nothing);
        for (int64_t t = 1; t < size && program->status == HS_OK; t++)
            through =
                put(program, block_of(program, neighbour(view, t), neighbour(view, -t), channel),
                    scatters ? "rrc" : "r", part_of(view, scatters ? place : place - t, part),
                    t > 1 ? through : nothing);
    }
    return through;
}

static struct point scatter_by_direct(struct program *program, const struct view *view, int channel,
                                      struct point entry)
{
    return by_direct(program, view, channel, entry, true);
}

static struct point gather_by_direct(struct program *program, const struct view *view, int channel,
                                     struct point entry)
{
    return by_direct(program, view, channel, entry, false);
}

/* The place `by` from a place of the group, as halving counts: bits that differ, or around it. */
static int64_t halving_place(const struct view *view, int64_t by)
{
    int64_t size = view->layer.size;

    return (size & (size - 1)) == 0 ? view->position ^ by
                                    : ((view->position + by) % size + size) % size;
}

/* One distance: transfers of one place's blocks and another's in turn, as two at a time fit in a
 * connection. */
static struct point by_halving(struct program *program, const struct view *view, int channel,
                               struct point entry, int64_t apart, bool scatters)
{
    int64_t size = view->layer.size, minus = (size & (size - 1)) == 0 ? apart : -apart;
    int64_t block = block_of(program, process_at(view, halving_place(view, apart)),
                             process_at(view, halving_place(view, minus)), channel);

    for (int64_t odd = apart; odd < size; odd += 2 * apart)
        for (int64_t part = 0; part < view->parts && program->status == HS_OK; part++) {
            int64_t near = odd - apart;
            int64_t sent = scatters ? odd : size == (size & -size) ? near : -near;
            int64_t come = scatters ? near : size == (size & -size) ? odd : -odd;

            put(program, block, "s", part_of(view, halving_place(view, sent), part),
                odd == apart && part == 0 ? entry : nothing);
            entry = put(program, block, scatters ? "rrc" : "r",
                        part_of(view, halving_place(view, come), part), nothing);
        }
    return entry;
}

static struct point scatter_by_halving(struct program *program, const struct view *view,
                                       int channel, struct point entry)
{
    for (int64_t apart = 1; apart < view->layer.size && program->status == HS_OK; apart *= 2)
        entry = by_halving(program, view, channel, entry, apart, true);
    return entry;
}

static struct point gather_by_halving(struct program *program, const struct view *view, int channel,
                                      struct point entry)
{
    int64_t apart = 1;

    while (2 * apart < view->layer.size)
        apart *= 2;
    for (; apart > 0 && program->status == HS_OK; apart /= 2)
        entry = by_halving(program, view, channel, entry, apart, false);
    return entry;
}

/* As in model/algorithm_tree.c; -1: the root. */
static int64_t parent_of(int64_t place, int64_t size)
{
    int64_t low = place & -place, parent = (place - low) | (2 * low);

    if (place == 0)
        return -1;
    return parent < size ? parent : place - low;
}

static struct point by_tree(struct program *program, const struct view *view, struct point entry)
{
    int64_t size = view->layer.size, up = parent_of(view->position, size), all = size * view->width;
    int64_t parts = all < TREE_PARTS ? all : TREE_PARTS; /* of GPUS_MAX chunks: COUNT_MAX at most */
    struct point summed[TREE_PARTS];

    for (int way = 0; way < 2; way++)
        for (int64_t part = 0; part < parts && program->status == HS_OK; part++) {
            struct chunks chunks = {view->base + part * all / parts,
                                    view->base + (part + 1) * all / parts};
            struct point ready = way == 1 ? summed[part] : part == 0 ? entry : nothing;
            int64_t parent = up < 0 ? -1 : process_at(view, up), block;

            if (way == 1 && up >= 0) {
                block = block_of(program, parent, parent, 0);
                ready = put(program, block, "r", chunks, nothing);
            }
            for (int64_t c = 0; c < size && program->status == HS_OK; c++) {
                int64_t child = process_at(view, c);

                if (parent_of(c, size) != view->position)
                    continue;
                block = block_of(program, child, child, 0);
                if (way == 0)
                    ready = put(program, block, "rrc", chunks, ready);
                else
                    put(program, block, "s", chunks, ready);
            }
            if (way == 0 && up >= 0 && program->status == HS_OK)
                put(program, block_of(program, parent, parent, 0), "s", chunks, ready);
            if (way == 0)
                summed[part] = ready;
            entry = ready;
        }
    return entry;
}

/* Those that a layer of two ways can go by. */
static const struct {
    struct point (*scatter)(struct program *, const struct view *, int channel, struct point entry);
    struct point (*gather)(struct program *, const struct view *, int channel, struct point entry);
} algorithms[HS_ALGORITHM_COUNT] = {
    [HS_RING] = {scatter_by_ring, gather_by_ring},
    [HS_HALVING] = {scatter_by_halving, gather_by_halving},
    [HS_DIRECT] = {scatter_by_direct, gather_by_direct},
};

/* ---- the whole ---- */

struct stage {
    int layer;
    enum hs_algorithm algorithm;
    int channel;
    bool gathers; /* else it reduces and scatters */
};

/* One phase of a layer. An AllReduce's last layer reduces and gathers without a break, a tree for
 * both ways at once. */
static struct point run_phase(struct program *program, const struct view *view,
                              const struct stage *stage, struct point entry)
{
    enum hs_algorithm algorithm = stage->algorithm;

    program->layer = stage->layer;
    if (algorithm == HS_TREE)
        return stage->gathers ? entry : by_tree(program, view, entry);
    if (stage->gathers)
        return algorithms[algorithm].gather(program, view, stage->channel, entry);
    return algorithms[algorithm].scatter(program, view, 0, entry);
}

/* The ways of each layer in the order in which they run; returns how many. */
static int list_stages(struct stage stages[HS_STAGES_MAX], const struct hs_problem *problem,
                       const struct hs_plan *plan)
{
    const struct hs_collective_row *row = &hs_collectives[problem->collective];
    int count = 0, last = plan->split.count - 1;
    bool inside = hs_problem_begins_inside(problem);

    for (int i = 0; i <= last; i++) {
        int layer = inside ? i : last - i;

        stages[count++] = (struct stage){layer, hs_plan_algorithm(plan, layer, 0), 0,
                                         row->outward == HS_ALLGATHER};
    }
    for (int i = last; i >= 0 && row->inward == HS_ALLGATHER; i--) {
        enum hs_algorithm back = hs_plan_algorithm(plan, i, 1);

        stages[count++] = (struct stage){i, back, back != hs_plan_algorithm(plan, i, 0), true};
    }
    return count;
}

static void make_program(struct program *program, const struct hs_problem *problem,
                         const struct hs_plan *plan, int64_t rank)
{
    struct stage stages[HS_STAGES_MAX];
    struct point at = nothing;
    int count = list_stages(stages, problem, plan);

    for (int i = 0; i < count && program->status == HS_OK; i++) {
        struct view view = view_layer(problem, plan, rank, stages[i].layer);

        at = run_phase(program, &view, &stages[i], at);
    }
}

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

static void write_step(struct hs_text *text, const struct step *step, size_t number,
                       const char *buffer)
{
    hs_text_append(text,
                   "      <step s=\"%zu\" type=\"%s\" srcbuf=\"%s\" srcoff=\"%" PRId64
                   "\" dstbuf=\"%s\" dstoff=\"%" PRId64 "\" cnt=\"%" PRId64 "\" depid=\"%" PRId64
                   "\" deps=\"%" PRId64 "\" hasdep=\"%d\"/>\n",
                   number, step->type, buffer, step->first, buffer, step->first, step->count,
                   step->wait.block, step->wait.step, step->awaited);
}

static void write_gpu(struct hs_text *text, const struct program *program,
                      const struct hs_problem *problem, int64_t rank)
{
    const struct hs_collective_row *row = &hs_collectives[problem->collective];
    int64_t np = problem->group.ranks;

    hs_text_append(text,
                   "  <gpu id=\"%" PRId64 "\" i_chunks=\"%" PRId64 "\" o_chunks=\"%" PRId64
                   "\" s_chunks=\"0\">\n",
                   rank, row->ordered && !row->begins_large ? 1 : np,
                   row->ordered && row->begins_large ? 1 : np);
    for (size_t b = 0; b < program->count; b++) {
        const struct block *block = &program->blocks[b];

        hs_text_append(
            text, "    <tb id=\"%zu\" send=\"%" PRId64 "\" recv=\"%" PRId64 "\" chan=\"%d\">\n", b,
            block->send, block->receive, block->channel);
        for (size_t i = 0; i < block->count; i++)
            write_step(text, &block->steps[i], i, forms[problem->collective].buffer);
        hs_text_append(text, "    </tb>\n");
    }
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

/* What a process's thread blocks are, at most: of a channel, of their steps, and of all its XML. */
struct extent {
    int64_t blocks[2], steps, nodes;
    int layer; /* that has the most steps */
};

static void measure(struct extent *extent, const struct program *program, int64_t np)
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
    if (extent->steps > STEPS_MAX)
        return hs_fail(err, HS_INVALID,
                       "msccl: layer %d of %s (size %" PRId64 ") takes %" PRId64
                       " steps in one thread block, MSCCL runs at most %d: name a plan with "
                       "smaller layers (--plan)",
                       extent->layer + 1, text, plan->split.sizes[extent->layer], extent->steps,
                       STEPS_MAX);
    for (int c = 0; c < 2; c++)
        if (extent->blocks[c] > BLOCKS_MAX)
            return hs_fail(err, HS_INVALID,
                           "msccl: %s takes %" PRId64
                           " thread blocks of a channel, MSCCL runs at most %d: name a plan with "
                           "rings instead of direct exchange (--plan)",
                           text, extent->blocks[c], BLOCKS_MAX);
    if (extent->nodes > NODES_MAX)
        return hs_fail(err, HS_INVALID,
                       "msccl: %s takes %" PRId64 " XML nodes per process, MSCCL reads at most %d: "
                       "name a plan with smaller layers (--plan)",
                       text, extent->nodes, NODES_MAX);
    if (extent->steps > RCCL_STEPS_MAX)
        hs_export_note(out,
                       "%s takes %" PRId64
                       " steps in one thread block: MSCCL runs %d, some versions "
                       "of RCCL only %d (MSCCL_MAX_NUM_STEPS)",
                       text, extent->steps, STEPS_MAX, RCCL_STEPS_MAX);
    return HS_OK;
}

/* Appends the programs of all processes to `gpus`, within the limits of the runtimes. */
static enum hs_status write_gpus(struct hs_text *gpus, struct hs_export_output *out,
                                 const struct hs_problem *problem, const struct hs_plan *plan,
                                 struct hs_error *err)
{
    struct extent extent = {.steps = 0};
    int64_t np = problem->group.ranks;

    for (int64_t rank = 0; rank < np && !gpus->failed; rank++) {
        struct program program = {.err = err};

        make_program(&program, problem, plan, rank);
        measure(&extent, &program, np);
        if (program.status == HS_OK && extent.nodes <= NODES_MAX && extent.steps <= STEPS_MAX)
            write_gpu(gpus, &program, problem, rank);
        program_release(&program);
        if (program.status != HS_OK)
            return program.status;
    }
    return check_extent(out, plan, &extent, err);
}

/* MSCCL's programs have no calls of NCCL's in them, and none of what is not written here. */
static struct hs_plan of_those_known(struct hs_export_output *out, const struct hs_plan *plan)
{
    struct hs_plan own = *plan;
    char text[HS_SPLIT_TEXT], rings[HS_SPLIT_TEXT];

    for (int i = 0; i < own.split.count; i++)
        for (int way = 0; way < 2; way++)
            if (own.algorithms[i][way] != HS_TREE && !algorithms[own.algorithms[i][way]].scatter)
                own.algorithms[i][way] = HS_RING;
    if (hs_plan_compare(&own, plan) != 0)
        hs_export_note(out, "msccl cannot say how all layers go: plan %s is exported as %s",
                       hs_plan_format(text, plan), hs_plan_format(rings, &own));
    return own;
}

static enum hs_status write_msccl(struct hs_export_output *out, const struct hs_export_job *job,
                                  struct hs_error *err)
{
    struct hs_plan plan = of_those_known(out, hs_export_plan(job));
    int64_t np = hs_result_group(job->result).size;
    struct hs_problem problem =
        hs_result_problem(job->result, &job->result->messages[job->message]);
    const struct form *form = &forms[problem.collective];
    struct hs_text gpus = {0}, *text;
    char name[HS_SPLIT_TEXT];
    struct range range;
    enum hs_status status;

    problem.group = hs_group_world(np); /* the program counts the ranks of its communicator */
    if (np > GPUS_MAX)
        return hs_fail(err, HS_INVALID,
                       "msccl: %" PRId64 " processes, MSCCL reads at most %d: export `colours` and "
                       "run the layers with ncclCommSplit",
                       np, GPUS_MAX);
    status = write_gpus(&gpus, out, &problem, &plan, err);
    if (status == HS_OK)
        status = find_range(&range, out, job, err);
    if (status == HS_OK && gpus.failed)
        status = hs_no_memory(err);
    if (status != HS_OK) {
        hs_text_release(&gpus);
        return status;
    }
    text = hs_export_add_file(out, form->file_name);
    hs_export_header(text, job, &hs_exporter_msccl, &hs_export_comment_xml, use);
    hs_text_append(text,
                   "<algo name=\"hiersearch_%s\" proto=\"Simple\" nchannels=\"%d\" "
                   "nchunksperloop=\"%" PRId64 "\" ngpus=\"%" PRId64 "\" coll=\"%s\" "
                   "inplace=\"1\" outofplace=\"0\" minBytes=\"%" PRId64 "\" maxBytes=\"%" PRId64
                   "\">\n%s</algo>\n",
                   hs_plan_format(name, &plan), channels_of(&problem, &plan), np, np, form->coll,
                   range.min_bytes, range.max_bytes, gpus.data ? gpus.data : "");
    hs_text_release(&gpus);
    return HS_OK;
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
    .letters = true,
    .ranged = true,
    .also = HS_EXPORT_IN_PLACE,
    .groups = HS_GROUPS_BY_SIZE,
    .write = write_msccl,
};
