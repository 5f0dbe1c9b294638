/*
 * mpi_groups.c - collectives of all groups of a mesh at once, on both backends in host memory.
 *
 *     mpiexec.mpich -n 8 mpi_groups
 *
 * Every mesh of up to three axes, every choice of axes, every split of a group that spans no gap:
 * each element of every rank's output against the numbers that the ranks with its other coordinates
 * began with. So for the library's calls, one of each group, also over gaps. Rank 0 prints TAP;
 * the exit status is 1 where a line is not ok.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/mesh.h"

#include "job.h"

#define COUNT 4099 /* prime */

/* A mesh, the ranks of this rank's group in order, and this one's place among them. */
struct party {
    struct hs_mesh mesh;
    struct hs_group group;
    int members[64], size, place;
};

/* The coordinates that a group's members share. */
static int others_of(const struct hs_mesh *mesh, int rank)
{
    int others = 0;

    for (int i = 0; i < mesh->count; i++) {
        int size = (int)mesh->axes[i].size;

        if (!(mesh->over >> i & 1))
            others = others * size + rank % size;
        rank /= size;
    }
    return others;
}

static void gather_party(struct party *party)
{
    party->group = hs_mesh_group(&party->mesh, np);
    party->size = 0;
    for (int rank = 0; rank < np; rank++)
        if (others_of(&party->mesh, rank) == others_of(&party->mesh, my_rank)) {
            if (rank == my_rank)
                party->place = party->size;
            party->members[party->size++] = rank;
        }
}

static float expected(const struct party *party, const struct hs_work *work, int owner, size_t i)
{
    float sum = 0;

    if (i >= work->task->count)
        return 0;
    if (hs_collectives[work->task->collective].outcome != HS_OUTCOME_REDUCED)
        return element_of(work->task->collective, party->members[owner], i);
    for (int k = 0; k < party->size; k++)
        sum += element_of(work->task->collective, party->members[k], i);
    return work->operation == HS_AVERAGE ? sum / (float)party->size : sum;
}

/* Block k is what member k had in the block of this one's place. */
static uint64_t wrong_of_exchange(const float *output, const struct party *party,
                                  const struct hs_work *work, size_t part)
{
    uint64_t wrong = 0;

    for (int owner = 0; owner < party->size; owner++)
        for (size_t i = 0; i < part; i++)
            wrong += output[(size_t)owner * part + i] !=
                     expected(party, work, owner, (size_t)party->place * part + i);
    return wrong;
}

/* Runs it; the elements that are not as they should be. */
static uint64_t wrong_of(const struct blocks *blocks, const struct party *party,
                         const struct hs_work *work)
{
    const struct hs_task *task = work->task;
    struct hs_problem problem = hs_task_problem(task);
    size_t part = hs_task_padded(task, 1) / (size_t)party->size;
    const float *output = blocks->output;
    uint64_t wrong = 0;

    for (size_t i = 0; i < blocks->room; i++) {
        int64_t mine = hs_problem_block(&problem, &task->plan.split, party->place);
        bool own = i / part == (size_t)mine && task->collective == HS_COLLECTIVE_ALLGATHER;

        ((float *)blocks->input)[i] =
            i < task->count ? element_of(task->collective, my_rank, i) : 0;
        ((float *)blocks->output)[i] = own ? ((float *)blocks->input)[i] : -1000;
    }
    run_engine(blocks, work);
    if (task->collective == HS_COLLECTIVE_ALLTOALL)
        return wrong_of_exchange(output, party, work, part);
    for (int owner = 0; owner < party->size; owner++) {
        size_t first = (size_t)hs_problem_block(&problem, &task->plan.split, owner) * part;
        bool here = task->collective != HS_COLLECTIVE_REDUCE_SCATTER || owner == party->place;

        for (size_t i = first; here && i < first + part && i < task->count; i++)
            wrong += output[i] != expected(party, work, owner, i);
    }
    if (task->collective == HS_COLLECTIVE_ALLREDUCE) /* what no equal blocks cover */
        for (size_t i = part * (size_t)party->size; i < task->count; i++)
            wrong += output[i] != expected(party, work, 0, i);
    return wrong;
}

static struct hs_work work_of(const struct blocks *blocks, const struct hs_task *task,
                              enum hs_operation operation)
{
    return (struct hs_work){.task = task,
                            .line = 1,
                            .datatype = HS_FLOAT32,
                            .operation = operation,
                            .input = blocks->input,
                            .output = blocks->output,
                            .room = blocks->room};
}

/* All collectives and orders by one split, in letters where the backend has them. */
static uint64_t run_split(const struct blocks *blocks, const struct party *party,
                          const struct hs_split *split)
{
    static const unsigned char algorithms[] = {HS_RING, HS_HALVING, HS_DIRECT};
    uint64_t wrong = 0;

    for (int i = 0; i < HS_COLLECTIVE_COUNT * HS_LAYOUT_COUNT * 2; i++) {
        struct hs_task task = {.kind = HS_TASK_PLAN,
                               .plan = {.split = *split, .chunks = 1},
                               .collective = (enum hs_collective)(i / 2 % HS_COLLECTIVE_COUNT),
                               .layout = (enum hs_layout)(i / 2 / HS_COLLECTIVE_COUNT),
                               .group = party->group,
                               .count = COUNT};
        struct hs_work work = work_of(blocks, &task, i % 2 ? HS_AVERAGE : HS_SUM);

        if (!hs_collective_is_one_way(task.collective))
            task.plan.chunks = 1 + i % 3;
        for (int k = 0; blocks->backend->any_algorithm && k < split->count; k++)
            task.plan.algorithms[k][0] = task.plan.algorithms[k][1] =
                algorithms[(i + k) % (task.collective == HS_COLLECTIVE_ALLTOALL ? 2 : 3)];
        wrong += wrong_of(blocks, party, &work);
    }
    return wrong;
}

/* The library's default call of each collective that it has one of. */
static uint64_t run_natives(const struct blocks *blocks, const struct party *party)
{
    uint64_t wrong = 0;

    for (int i = 0; i < HS_COLLECTIVE_COUNT * 2; i++) {
        enum hs_collective collective = (enum hs_collective)(i / 2);
        struct hs_task task = {.kind = HS_TASK_NATIVE,
                               .plan = hs_plan_flat(party->size),
                               .collective = collective,
                               .group = party->group,
                               .count = COUNT};
        struct hs_work work = work_of(blocks, &task, i % 2 ? HS_AVERAGE : HS_SUM);

        if (blocks->backend->engine->natives[collective][0])
            wrong += wrong_of(blocks, party, &work);
    }
    return wrong;
}

static uint64_t run_splits(const struct blocks *blocks, const struct party *party,
                           struct hs_split split, int64_t rest)
{
    uint64_t wrong = 0;

    if (rest == 1)
        return hs_group_check_split(&party->group, &split, NULL) == HS_OK
                   ? run_split(blocks, party, &split)
                   : 0;
    for (int64_t size = 2; size <= rest; size++)
        if (rest % size == 0) {
            struct hs_split longer = split;

            longer.sizes[longer.count++] = size;
            wrong += run_splits(blocks, party, longer, rest / size);
        }
    return wrong;
}

/* Two axes, three where np has as many factors. */
static uint64_t run_meshes(const struct blocks *blocks)
{
    uint64_t wrong = 0;

    for (int a = 1; a <= np; a++)
        for (int b = 1; np % a == 0 && b <= np / a; b++) {
            struct party party = {.mesh = {.count = 3, .axes = {{"a", a}, {"b", b}, {"c", 1}}}};

            if (a == 1 || b == 1 || np / a % b != 0)
                continue;
            party.mesh.axes[2].size = np / a / b;
            for (party.mesh.over = 1; party.mesh.over < 8; party.mesh.over++) {
                gather_party(&party);
                if (party.size > 1)
                    wrong += run_splits(blocks, &party, (struct hs_split){0}, party.size) +
                             run_natives(blocks, &party);
            }
        }
    return wrong;
}

static void groups_are_right(const struct hs_backend *backend, const char *sentence)
{
    struct hs_engine_config config = {.comm = MPI_COMM_WORLD,
                                      .memory = &hs_memory_host,
                                      .segment_bytes = 4096,
                                      .segments_in_flight = 3};
    struct blocks blocks = {
        .backend = backend, .memory = config.memory, .room = COUNT + (size_t)np};
    size_t bytes = blocks.room * sizeof(float);
    struct hs_error err;

    stop_if(backend->open(&blocks.engine, &config, &err), &err);
    stop_if(blocks.memory->allocate(&blocks.input, bytes, "the input", &err), &err);
    stop_if(blocks.memory->allocate(&blocks.output, bytes, "the output", &err), &err);
    tell(run_meshes(&blocks), sentence);
    backend->engine->close(blocks.engine);
    blocks.memory->release(blocks.input);
    blocks.memory->release(blocks.output);
}

int main(int argc, char **argv)
{
    start_job(&argc, &argv);
    groups_are_right(&hs_backend_host, "host: all groups of a mesh at once get what is theirs");
    groups_are_right(&hs_backend_mpi, "mpi: all groups of a mesh at once get what is theirs");
    return end_job();
}
