/*
 * msccl_program.c - what a process does: thread blocks of the layers' algorithms, and what follows
 * what (msccl.c says which).
 */
#include <stdlib.h>

#include "base/list.h"
#include "export/msccl_parts.h"
#include "model/traffic.h"

static const struct hs_msccl_point nothing = HS_MSCCL_NOTHING;

/* In place, the layers inside of this one and the process's place in it and further out say which
 * chunks it has here; else those inside of it have left it a part of the message. */
static struct hs_msccl_view view_layer(const struct hs_msccl_task *task, int64_t rank, int i)
{
    const struct hs_problem *problem = &task->problem;
    const struct hs_plan *plan = task->plan;
    int64_t np = problem->group.ranks;
    struct hs_msccl_view view = {.layer = hs_split_layer(&plan->split, i), .rank = rank};

    view.position = rank / view.layer.stride % view.layer.size;
    if (hs_problem_is_natural(problem)) {
        view.width = view.layer.stride;
        view.base = rank - rank % (view.layer.stride * view.layer.size);
    } else {
        view.width = np / view.layer.stride / view.layer.size;
        for (int j = 0; j < i; j++) {
            struct hs_layer layer = hs_split_layer(&plan->split, j);

            view.base += rank / layer.stride % layer.size * (np / layer.stride / layer.size);
        }
    }
    view.base *= task->forests.multiple;
    view.width *= task->forests.multiple;
    view.parts = (view.width + HS_MSCCL_COUNT - 1) / HS_MSCCL_COUNT;
    view.last = problem->collective == HS_COLLECTIVE_ALLREDUCE && i == plan->split.count - 1 &&
                hs_plan_algorithm(plan, i, 0) == hs_plan_algorithm(plan, i, 1);
    return view;
}

/* The process at place `place` of the group. */
int64_t hs_msccl_process_at(const struct hs_msccl_view *view, int64_t place)
{
    return view->rank + (place - view->position) * view->layer.stride;
}

/* The process `by` places further in the ring. */
static int64_t neighbour(const struct hs_msccl_view *view, int64_t by)
{
    int64_t size = view->layer.size;

    return hs_msccl_process_at(view, (view->position + by + size) % size);
}

/* ---- a process's program ---- */

void hs_msccl_program_release(struct hs_msccl_program *program)
{
    for (size_t b = 0; b < program->count; b++)
        free(program->blocks[b].steps);
    free(program->blocks);
}

int64_t hs_msccl_block_of(struct hs_msccl_program *program, int64_t send, int64_t receive,
                          int channel)
{
    struct hs_msccl_block *block;

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
    *block = (struct hs_msccl_block){
        .send = send, .receive = receive, .channel = channel, .layer = program->layer};
    return (int64_t)program->count++;
}

/* One step, which waits for one at most. */
static struct hs_msccl_point append(struct hs_msccl_program *program, int64_t block,
                                    const struct hs_msccl_step *step)
{
    struct hs_msccl_block *at = &program->blocks[block];
    struct hs_msccl_step *room;

    if (program->status != HS_OK)
        return nothing;
    room = hs_grow(&at->steps, &at->capacity, at->count, sizeof(*room), program->err);
    if (!room) {
        program->status = HS_MEMORY;
        return nothing;
    }
    *room = *step;
    if (room->wait.block == block)
        room->wait = nothing;
    if (room->wait.block >= 0)
        program->blocks[room->wait.block].steps[room->wait.step].awaited = true;
    return (struct hs_msccl_point){block, (int64_t)at->count++};
}

/* Waits for all of the gate but one, which is returned. */
static struct hs_msccl_point pass_gate(struct hs_msccl_program *program, int64_t block)
{
    struct hs_msccl_point last = nothing;

    for (int i = 0; i < program->gate_count; i++) {
        if (program->gate[i].block == block)
            continue;
        if (last.block >= 0)
            append(program, block,
                   &(struct hs_msccl_step){.type = "nop", .chunks = {-1, -1}, .wait = last});
        last = program->gate[i];
    }
    return last;
}

struct hs_msccl_point hs_msccl_put(struct hs_msccl_program *program, int64_t block,
                                   const char *type, struct hs_msccl_chunks chunks,
                                   struct hs_msccl_point wait)
{
    if (program->status != HS_OK)
        return nothing;
    if (wait.block == HS_MSCCL_GATE.block)
        wait = pass_gate(program, block);
    return append(program, block,
                  &(struct hs_msccl_step){.type = type, .chunks = chunks, .wait = wait});
}

/* Part `part` of the block of place `place`, taken around the group. */
static struct hs_msccl_chunks part_of(const struct hs_msccl_view *view, int64_t place, int64_t part)
{
    int64_t size = view->layer.size, block = (place % size + size) % size;
    int64_t offset = view->base + block * view->width;

    return (struct hs_msccl_chunks){offset + part * view->width / view->parts,
                                    offset + (part + 1) * view->width / view->parts};
}

/* ---- algorithms: each phase begins after `entry` and says when it is through ---- */

static struct hs_msccl_point scatter_by_ring(struct hs_msccl_program *program,
                                             const struct hs_msccl_view *view, int channel,
                                             struct hs_msccl_point entry)
{
    int64_t size = view->layer.size, place = view->position;
    int64_t block = hs_msccl_block_of(program, neighbour(view, 1), neighbour(view, -1), channel);

    for (int64_t part = 0; part < view->parts && program->status == HS_OK; part++) {
        hs_msccl_put(program, block, "s", part_of(view, place - 1, part),
                     part == 0 ? entry : nothing);
        for (int64_t back = 2; back < size; back++)
            hs_msccl_put(program, block, "rrs", part_of(view, place - back, part), nothing);
        entry = hs_msccl_put(program, block, view->last ? "rrcs" : "rrc",
                             part_of(view, place, part), nothing);
    }
    return entry;
}

/* On the last layer the reduce-scatter has sent the process's own block already. */
static struct hs_msccl_point gather_by_ring(struct hs_msccl_program *program,
                                            const struct hs_msccl_view *view, int channel,
                                            struct hs_msccl_point entry)
{
    int64_t size = view->layer.size, place = view->position;
    int64_t block = hs_msccl_block_of(program, neighbour(view, 1), neighbour(view, -1), channel);

    for (int64_t part = 0; part < view->parts && program->status == HS_OK; part++) {
        if (!view->last)
            hs_msccl_put(program, block, "s", part_of(view, place, part),
                         part == 0 ? entry : nothing);
        for (int64_t back = 1; back < size - 1; back++)
            hs_msccl_put(program, block, "rcs", part_of(view, place - back, part), nothing);
        entry = hs_msccl_put(program, block, "r", part_of(view, place + 1, part), nothing);
    }
    return entry;
}

/* Both ways of direct exchange: all send, then each takes what comes behind the one before. */
static struct hs_msccl_point by_direct(struct hs_msccl_program *program,
                                       const struct hs_msccl_view *view, int channel,
                                       struct hs_msccl_point entry, bool scatters)
{
    int64_t size = view->layer.size, place = view->position;
    struct hs_msccl_point through = entry;

    for (int64_t part = 0; part < view->parts; part++) {
        for (int64_t t = 1; t < size && program->status == HS_OK; t++)
            hs_msccl_put(
                program,
                hs_msccl_block_of(program, neighbour(view, t), neighbour(view, -t), channel), "s",
                part_of(view, scatters ? place + t : place, part), part == 0 ? entry : nothing);
        for (int64_t t = 1; t < size && program->status == HS_OK; t++)
            through = hs_msccl_put(
                program,
                hs_msccl_block_of(program, neighbour(view, t), neighbour(view, -t), channel),
                scatters ? "rrc" : "r", part_of(view, scatters ? place : place - t, part),
                t > 1 ? through : nothing);
    }
    return through;
}

static struct hs_msccl_point scatter_by_direct(struct hs_msccl_program *program,
                                               const struct hs_msccl_view *view, int channel,
                                               struct hs_msccl_point entry)
{
    return by_direct(program, view, channel, entry, true);
}

static struct hs_msccl_point gather_by_direct(struct hs_msccl_program *program,
                                              const struct hs_msccl_view *view, int channel,
                                              struct hs_msccl_point entry)
{
    return by_direct(program, view, channel, entry, false);
}

/* The place `by` from a place of the group, as halving counts: bits that differ, or around it. */
static int64_t halving_place(const struct hs_msccl_view *view, int64_t by)
{
    int64_t size = view->layer.size;

    return (size & (size - 1)) == 0 ? view->position ^ by
                                    : ((view->position + by) % size + size) % size;
}

/* One distance: transfers of one place's blocks and another's in turn, as two at a time fit in a
 * connection. */
static struct hs_msccl_point by_halving(struct hs_msccl_program *program,
                                        const struct hs_msccl_view *view, int channel,
                                        struct hs_msccl_point entry, int64_t apart, bool scatters)
{
    int64_t size = view->layer.size, minus = (size & (size - 1)) == 0 ? apart : -apart;
    int64_t block =
        hs_msccl_block_of(program, hs_msccl_process_at(view, halving_place(view, apart)),
                          hs_msccl_process_at(view, halving_place(view, minus)), channel);

    for (int64_t odd = apart; odd < size; odd += 2 * apart)
        for (int64_t part = 0; part < view->parts && program->status == HS_OK; part++) {
            int64_t near = odd - apart;
            int64_t sent = scatters ? odd : size == (size & -size) ? near : -near;
            int64_t come = scatters ? near : size == (size & -size) ? odd : -odd;

            hs_msccl_put(program, block, "s", part_of(view, halving_place(view, sent), part),
                         odd == apart && part == 0 ? entry : nothing);
            entry = hs_msccl_put(program, block, scatters ? "rrc" : "r",
                                 part_of(view, halving_place(view, come), part), nothing);
        }
    return entry;
}

static struct hs_msccl_point scatter_by_halving(struct hs_msccl_program *program,
                                                const struct hs_msccl_view *view, int channel,
                                                struct hs_msccl_point entry)
{
    for (int64_t apart = 1; apart < view->layer.size && program->status == HS_OK; apart *= 2)
        entry = by_halving(program, view, channel, entry, apart, true);
    return entry;
}

static struct hs_msccl_point gather_by_halving(struct hs_msccl_program *program,
                                               const struct hs_msccl_view *view, int channel,
                                               struct hs_msccl_point entry)
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

static struct hs_msccl_point by_tree(struct hs_msccl_program *program,
                                     const struct hs_msccl_view *view, struct hs_msccl_point entry)
{
    int64_t size = view->layer.size, up = parent_of(view->position, size), all = size * view->width;
    int64_t parts = hs_smaller(all, HS_MSCCL_TREE_PARTS);
    struct hs_msccl_point summed[HS_MSCCL_TREE_PARTS];

    for (int way = 0; way < 2; way++)
        for (int64_t part = 0; part < parts && program->status == HS_OK; part++) {
            struct hs_msccl_chunks chunks = {view->base + part * all / parts,
                                             view->base + (part + 1) * all / parts};
            struct hs_msccl_point ready = way == 1 ? summed[part] : part == 0 ? entry : nothing;
            int64_t parent = up < 0 ? -1 : hs_msccl_process_at(view, up), block;

            if (way == 1 && up >= 0) {
                block = hs_msccl_block_of(program, parent, parent, 0);
                ready = hs_msccl_put(program, block, "r", chunks, nothing);
            }
            for (int64_t c = 0; c < size && program->status == HS_OK; c++) {
                int64_t child = hs_msccl_process_at(view, c);

                if (parent_of(c, size) != view->position)
                    continue;
                block = hs_msccl_block_of(program, child, child, 0);
                if (way == 0)
                    ready = hs_msccl_put(program, block, "rrc", chunks, ready);
                else
                    hs_msccl_put(program, block, "s", chunks, ready);
            }
            if (way == 0 && up >= 0 && program->status == HS_OK)
                hs_msccl_put(program, hs_msccl_block_of(program, parent, parent, 0), "s", chunks,
                             ready);
            if (way == 0)
                summed[part] = ready;
            entry = ready;
        }
    return entry;
}

/* Those that a layer of two ways can go by. */
static const struct {
    struct hs_msccl_point (*scatter)(struct hs_msccl_program *, const struct hs_msccl_view *,
                                     int channel, struct hs_msccl_point entry);
    struct hs_msccl_point (*gather)(struct hs_msccl_program *, const struct hs_msccl_view *,
                                    int channel, struct hs_msccl_point entry);
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
 * both ways at once; so do those that are packed. */
static struct hs_msccl_point run_phase(struct hs_msccl_program *program,
                                       const struct hs_msccl_task *task,
                                       const struct hs_msccl_view *view, const struct stage *stage,
                                       struct hs_msccl_point entry)
{
    enum hs_algorithm algorithm = stage->algorithm;

    program->layer = stage->layer;
    program->stage++;
    if (algorithm == HS_TREE)
        return stage->gathers ? entry : by_tree(program, view, entry);
    if (hs_algorithms[algorithm]->on_links) {
        if (view->last && stage->gathers)
            return entry;
        return hs_msccl_by_forest(program, view, &task->forests.of[stage->gathers],
                                  task->forests.segments, stage->channel, entry);
    }
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

void hs_msccl_program_make(struct hs_msccl_program *program, const struct hs_msccl_task *task,
                           int64_t rank, struct hs_error *err)
{
    struct stage stages[HS_STAGES_MAX];
    struct hs_msccl_point at = nothing;
    int count = list_stages(stages, &task->problem, task->plan);

    *program = (struct hs_msccl_program){.err = err};
    for (int i = 0; i < count && program->status == HS_OK; i++) {
        struct hs_msccl_view view = view_layer(task, rank, stages[i].layer);

        at = run_phase(program, task, &view, &stages[i], at);
    }
}
