/*
 * msccl_forest.c - trees that are packed on single links, in MSCCL's programs.
 *
 * A thread block sends to one other process and another one receives from it, so that no link waits
 * for another, and both ways of one are used at once. What goes over them is in the order of turns
 * (engine/executor_forest.c): segment s of a tree goes over an edge in turn s + h. A send waits for
 * what it is made of, and an addition for the one before it in its segment; both are of turns
 * before, or of the same turn and tree and an earlier place. So all that anything waits for comes
 * earlier in one order of all transfers, which every thread block keeps: nothing locks up, however
 * few transfers a connection holds.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "export/msccl_parts.h"

#define ELEMENT_BYTES 4    /* as most messages have: they must be a multiple of the chunks */
#define NEAR          1.01 /* times what the busiest link has to carry */

/* ---- shares in chunks ---- */

/* Where the trees that share a block with tree `first` end. */
static size_t group_end(const struct hs_packing *packing, size_t first)
{
    size_t end = first + 1;

    if (packing->phase == HS_ALLREDUCE)
        return packing->count;
    while (end < packing->count && packing->trees[end].root == packing->trees[first].root)
        end++;
    return end;
}

/* Whole chunks of trees [first, end): rounded down, what is left to those that lost most. */
static void cut_group(struct hs_msccl_forest *forest, int64_t chunks, size_t first, size_t end)
{
    int64_t left = chunks, at = 0;

    for (size_t i = first; i < end; i++) {
        forest->parts[i].first = 0;
        forest->parts[i].end = (int64_t)(forest->shares[i] * (double)chunks);
        left -= forest->parts[i].end;
    }
    for (; left > 0; left--) {
        size_t most = first;
        double lost = -INFINITY;

        for (size_t i = first; i < end; i++)
            if (forest->shares[i] * (double)chunks - (double)forest->parts[i].end > lost) {
                lost = forest->shares[i] * (double)chunks - (double)forest->parts[i].end;
                most = i;
            }
        forest->parts[most].end++;
    }
    for (size_t i = first; i < end; i++) {
        forest->packing.trees[i].share = (double)forest->parts[i].end / (double)chunks;
        forest->parts[i].first += at;
        forest->parts[i].end += at;
        at = forest->parts[i].end;
    }
}

/* Cuts for so many chunks of the message for each process; *more is what the busiest link has to
 * carry then over what it has by the packed shares. */
static enum hs_status cut(double *more, struct hs_msccl_forest *forest, int64_t multiple,
                          const struct hs_system *system, struct hs_error *err)
{
    struct hs_packing *packing = &forest->packing;
    double before = packing->seconds_per_byte;
    enum hs_status status;

    for (size_t i = 0; i < packing->count; i = group_end(packing, i))
        cut_group(forest, forest->width * multiple, i, group_end(packing, i));
    status = hs_packing_time(packing, &system->levels[0].links, err);
    *more = packing->seconds_per_byte / before;
    packing->seconds_per_byte = before;
    return status;
}

static enum hs_status cut_all(double *more, struct hs_msccl_forests *forests, int64_t multiple,
                              const struct hs_system *system, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    *more = 1;
    for (int way = 0; way < 2 && status == HS_OK; way++) {
        double here = 1;

        if (forests->of[way].packing.count > 0)
            status = cut(&here, &forests->of[way], multiple, system, err);
        *more = fmax(*more, here);
    }
    forests->multiple = multiple;
    return status;
}

/* Whether a message that the plan's processes divide has so many times as many whole parts. */
static bool divides(const struct hs_msccl_task *task, int64_t multiple)
{
    int64_t bytes = (int64_t)task->problem.bytes, np = task->problem.group.ranks;
    int64_t unit = bytes % (np * ELEMENT_BYTES) == 0 ? np * ELEMENT_BYTES : ELEMENT_BYTES;

    return multiple == 1 || bytes % (unit * multiple) == 0;
}

enum hs_status hs_msccl_forests_cut(double *more, struct hs_msccl_task *task,
                                    const struct hs_system *system, int64_t most,
                                    struct hs_error *err)
{
    int64_t np = task->problem.group.ranks, best = 1;
    double least = INFINITY;

    for (int64_t multiple = 1; least > NEAR && (multiple == 1 || multiple * np <= most);
         multiple++) {
        if (!divides(task, multiple))
            continue;
        if (cut_all(more, &task->forests, multiple, system, err) != HS_OK)
            return HS_MEMORY;
        if (*more < least - 1e-9) {
            least = *more;
            best = multiple;
        }
    }
    return cut_all(more, &task->forests, best, system, err);
}

/* ---- packing ---- */

/* Chunks of a block, or of an allreduce's message, where a message has one for each process. */
static int64_t width_of(const struct hs_problem *problem, const struct hs_stage_key *key)
{
    if (key->phase == HS_ALLREDUCE)
        return problem->group.ranks;
    return hs_problem_is_natural(problem) ? key->layer.stride
                                          : problem->group.ranks / key->layer.size;
}

static enum hs_status pack(struct hs_msccl_task *task, struct hs_export_output *out,
                           const struct hs_export_job *job, const struct hs_stage_key *key,
                           struct hs_error *err)
{
    struct hs_msccl_forest *forest = &task->forests.of[key->phase == HS_ALLGATHER];
    enum hs_status status = hs_export_pack(&forest->packing, out, job, *key, err);
    size_t count = forest->packing.count;

    if (status != HS_OK)
        return status;
    forest->width = width_of(&task->problem, key);
    forest->parts = calloc(count, sizeof(*forest->parts));
    forest->shares = calloc(count, sizeof(*forest->shares));
    if (!forest->parts || !forest->shares)
        return hs_no_memory(err);
    for (size_t i = 0; i < count; i++)
        forest->shares[i] = forest->packing.trees[i].share;
    return HS_OK;
}

enum hs_status hs_msccl_forests_make(struct hs_msccl_task *task, struct hs_export_output *out,
                                     const struct hs_export_job *job, struct hs_error *err)
{
    struct hs_stage stages[HS_STAGES_MAX];
    int count = hs_problem_stages(stages, &task->problem, task->plan);
    enum hs_status status = HS_OK;

    task->forests = (struct hs_msccl_forests){.multiple = 1, .segments = 1};
    for (int i = 0; i < count && status == HS_OK; i++)
        if (hs_algorithms[stages[i].key.algorithm]->on_links)
            status = pack(task, out, job, &stages[i].key, err);
    if (status != HS_OK)
        hs_msccl_forests_release(&task->forests);
    return status;
}

void hs_msccl_forests_release(struct hs_msccl_forests *forests)
{
    for (int way = 0; way < 2; way++) {
        hs_packing_release(&forests->of[way].packing);
        free(forests->of[way].shares);
        free(forests->of[way].parts);
    }
    *forests = (struct hs_msccl_forests){.multiple = 1, .segments = 1};
}

/* As engine/executor_forest.c cuts so many bytes. */
static double segments_of(const struct hs_packing *packing, double bytes)
{
    double longest = 0;

    for (size_t i = 0; i < packing->count; i++)
        longest = fmax(longest, packing->trees[i].share);
    if (packing->phase != HS_ALLREDUCE)
        longest /= packing->units;
    return fmin(hs_packing_segments(packing, bytes), bytes * longest / HS_PACKING_SEGMENT_BYTES);
}

int64_t hs_msccl_segments(const struct hs_msccl_task *task)
{
    double most = 1;
    int64_t segments = 1;

    for (int way = 0; way < 2; way++) {
        const struct hs_packing *packing = &task->forests.of[way].packing;
        double bytes = task->problem.bytes;

        if (packing->count == 0)
            continue;
        if (hs_problem_is_natural(&task->problem))
            bytes *= packing->units / (double)task->problem.group.ranks;
        most = fmax(most, segments_of(packing, bytes));
    }
    while (2 * segments <= (int64_t)most)
        segments *= 2;
    return segments;
}

/* ---- a process's transfers ---- */

/* An edge of a tree at a process, one way. */
struct edge {
    int tree, other; /* its number; place at the other end */
    int turn;        /* of segment 0 */
    bool sends, down;
};

/* A segment of it. */
struct transfer {
    struct edge edge;
    int64_t segment;
    int sender;
};

/* What a place does in a tree that goes up and, behind that, down. */
static size_t list_edges(struct edge *edges, const struct hs_packing *packing, int number,
                         int place)
{
    const struct hs_tree *tree = &packing->trees[number];
    int far[HS_LINKS_UNITS], before = 0;
    size_t count = 0;

    for (int down = packing->phase == HS_ALLGATHER; down <= (packing->phase != HS_REDUCE_SCATTER);
         down++) {
        const int *next = down ? tree->down : tree->up;

        if (down)
            hs_tree_depths(far, next, packing->units);
        else
            before = hs_tree_heights(far, next, packing->units);
        for (int u = 0; u < packing->units; u++)
            if (next[u] >= 0 && (u == place || next[u] == place))
                edges[count++] = (struct edge){.tree = number,
                                               .other = u == place ? next[u] : u,
                                               .turn = down ? before + far[u] - 1 : far[u],
                                               .sends = (u == place) != (bool)down,
                                               .down = down};
    }
    return count;
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_turn(const void *left, const void *right)
{
    const struct transfer *a = left, *b = right;
    int order = compare(a->edge.turn + a->segment, b->edge.turn + b->segment);

    if (order == 0)
        order = compare(a->edge.tree, b->edge.tree);
    if (order == 0)
        order = compare(a->edge.turn, b->edge.turn);
    return order != 0 ? order : compare(a->sender, b->sender);
}

/* All of a place, in their order; NULL: no memory. */
static struct transfer *list_transfers(size_t *count, const struct hs_packing *packing, int place,
                                       int64_t segments)
{
    struct edge edges[2 * HS_LINKS_UNITS];
    size_t most = packing->count * 2 * (size_t)packing->units * (size_t)segments;
    struct transfer *transfers = calloc(most, sizeof(*transfers));

    *count = 0;
    for (size_t tree = 0; tree < packing->count && transfers; tree++) {
        size_t here = list_edges(edges, packing, (int)tree, place);

        for (size_t e = 0; e < here; e++)
            for (int64_t s = 0; s < segments; s++)
                transfers[(*count)++] =
                    (struct transfer){edges[e], s, edges[e].sends ? place : edges[e].other};
    }
    if (transfers)
        qsort(transfers, *count, sizeof(*transfers), by_turn);
    return transfers;
}

/* ---- a process's steps ---- */

/* A phase that is being written. */
struct stage {
    struct hs_msccl_program *program;
    const struct hs_msccl_view *view;
    const struct hs_msccl_forest *forest;
    int64_t segments;
    int channel;
    struct hs_msccl_point entry;
    struct hs_msccl_point *latest; /* [trees * segments] the last that changed it here */
    struct hs_msccl_point gate[HS_LINKS_UNITS]; /* the last of each thread block that ends it */
    int gate_count;
};

/* Chunks of a segment of a tree. */
static struct hs_msccl_chunks chunks_of(const struct stage *stage, const struct transfer *transfer)
{
    struct hs_msccl_chunks part = stage->forest->parts[transfer->edge.tree];
    const struct hs_packing *packing = &stage->forest->packing;
    int64_t base = stage->view->base, count = part.end - part.first;

    if (packing->phase != HS_ALLREDUCE)
        base += packing->trees[transfer->edge.tree].root * stage->view->width;
    return (struct hs_msccl_chunks){base + part.first + count * transfer->segment / stage->segments,
                                    base + part.first +
                                        count * (transfer->segment + 1) / stage->segments};
}

/* What the phase ends with is the last that came, or was added where a tree ends. */
static void add_to_gate(struct stage *stage, struct hs_msccl_point point)
{
    int i = 0;

    while (i < stage->gate_count && stage->gate[i].block != point.block)
        i++;
    assert(i < HS_LINKS_UNITS);
    stage->gate[i] = point;
    stage->gate_count = i == stage->gate_count ? i + 1 : stage->gate_count;
}

/* What a transfer waits for. What comes down has the sum in it, to which this place has sent its
 * part: nothing here reads what it takes the place of. */
static struct hs_msccl_point wait_of(const struct stage *stage, const struct transfer *transfer,
                                     struct hs_msccl_point latest, int64_t block)
{
    struct hs_msccl_block *at = &stage->program->blocks[block];

    if (transfer->edge.down && !transfer->edge.sends)
        return HS_MSCCL_NOTHING;
    if (latest.block >= 0 || at->entered == stage->program->stage)
        return latest;
    at->entered = stage->program->stage;
    return stage->entry;
}

static void put_transfer(struct stage *stage, const struct transfer *transfer)
{
    const struct edge *edge = &transfer->edge;
    int64_t peer = hs_msccl_process_at(stage->view, edge->other);
    struct hs_msccl_chunks all = chunks_of(stage, transfer);
    struct hs_msccl_point *latest =
        &stage->latest[edge->tree * stage->segments + transfer->segment];
    struct hs_msccl_point wait, point = HS_MSCCL_NOTHING;
    int64_t block, parts = (all.end - all.first + HS_MSCCL_COUNT - 1) / HS_MSCCL_COUNT;

    if (parts == 0)
        return;
    block = edge->sends ? hs_msccl_block_of(stage->program, peer, -1, stage->channel)
                        : hs_msccl_block_of(stage->program, -1, peer, stage->channel);
    if (block < 0)
        return;
    wait = wait_of(stage, transfer, *latest, block);
    for (int64_t p = 0; p < parts; p++) {
        struct hs_msccl_chunks chunks = {all.first + p * (all.end - all.first) / parts,
                                         all.first + (p + 1) * (all.end - all.first) / parts};

        point = hs_msccl_put(stage->program, block,
                             edge->sends  ? "s"
                             : edge->down ? "r"
                                          : "rrc",
                             chunks, p == 0 ? wait : HS_MSCCL_NOTHING);
    }
    if (edge->sends)
        return;
    *latest = point;
    if (edge->down || stage->forest->packing.trees[edge->tree].root == (int)stage->view->position)
        add_to_gate(stage, point);
}

struct hs_msccl_point hs_msccl_by_forest(struct hs_msccl_program *program,
                                         const struct hs_msccl_view *view,
                                         const struct hs_msccl_forest *forest, int64_t segments,
                                         int channel, struct hs_msccl_point entry)
{
    size_t trees = forest->packing.count, count;
    struct transfer *transfers =
        list_transfers(&count, &forest->packing, (int)view->position, segments);
    struct stage stage = {program,
                          view,
                          forest,
                          segments,
                          channel,
                          entry,
                          calloc(trees * (size_t)segments, sizeof(*stage.latest)),
                          {{0}},
                          0};

    if (!transfers || !stage.latest)
        program->status = hs_no_memory(program->err);
    for (size_t i = 0; i < trees * (size_t)segments && program->status == HS_OK; i++)
        stage.latest[i] = HS_MSCCL_NOTHING;
    for (size_t i = 0; i < count && program->status == HS_OK; i++)
        put_transfer(&stage, &transfers[i]);
    free(transfers);
    free(stage.latest);
    program->gate_count = stage.gate_count;
    for (int i = 0; i < stage.gate_count; i++)
        program->gate[i] = stage.gate[i];
    return HS_MSCCL_GATE;
}
