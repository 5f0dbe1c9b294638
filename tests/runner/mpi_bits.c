/*
 * mpi_bits.c - an AllReduce's result is the same bits on all ranks and in every run, and those of
 * the order that docs/model.md says ("In which order parts are added").
 *
 *     mpiexec.mpich -n 6 mpi_bits
 *
 * Every split of np, letters of all algorithms each way, every type and operation, chunks: on the
 * engine `host`, twice, with ranks held up at other places of the run. Parts differ in sign and by
 * up to 2^20 in magnitude, so that another order gives other bits. Rank 0 prints TAP; the exit
 * status is 1 where a line is not ok.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/idle.h"

#include "../engine/order_reference.h"
#include "job.h"

#define ELEMENTS (64 * 3) /* for each rank: whole blocks, in several segments */

/* Parts, and results of two runs. */
struct bits {
    void *engine, *input, *output;
    char *kept; /* the first run's output; then rank 0's */
    size_t count, width;
    uint64_t chance;
};

static unsigned chance(struct bits *bits, unsigned sides)
{
    bits->chance ^= bits->chance << 13;
    bits->chance ^= bits->chance >> 7;
    bits->chance ^= bits->chance << 17;
    return (unsigned)(bits->chance >> 33) % sides;
}

/* Runs it; now and then this rank is away for a while, at its begin or between two messages. */
static void run_held_up(struct bits *bits, const struct hs_work *work, uint64_t seed)
{
    const struct hs_engine *engine = hs_backend_host.engine;
    struct hs_idle idle = {.ranks_here = np, .oversubscribed = true};
    struct hs_error err;
    bool done = false, moved;

    bits->chance = (seed + 1) * 0x9e3779b97f4a7c15u + (uint64_t)my_rank * 0xbf58476d1ce4e5b9u;
    memset(bits->output, 0xa5, bits->count * bits->width);
    stop_if(engine->prepare(bits->engine, work, &err), &err);
    if (chance(bits, (unsigned)np) == 0)
        usleep(chance(bits, 1500));
    stop_if(engine->start(bits->engine, work, &err), &err);
    while (!done) {
        stop_if(engine->test(bits->engine, &done, &moved, &err), &err);
        if (moved && chance(bits, 12) == 0)
            usleep(chance(bits, 400));
        hs_idle_looked(&idle, moved || done);
    }
}

/* Elements of this rank's output that are not the order's. */
static uint64_t not_in_order(const struct bits *bits, const struct hs_work *work)
{
    const struct hs_plan *plan = &work->task->plan;
    uint64_t wrong = 0;

    for (size_t i = 0; i < bits->count; i++) {
        char expected[8];

        order_put(expected, work->datatype,
                  order_of_plan(plan, work->datatype, work->operation, bits->count, i));
        wrong += memcmp(expected, (char *)bits->output + i * bits->width, bits->width) != 0;
    }
    return wrong;
}

/* What goes wrong with one plan: [0] ranks differ, [1] runs differ, [2] the order is another. */
static void check_plan(struct bits *bits, const struct hs_plan *plan, enum hs_datatype datatype,
                       enum hs_operation operation, uint64_t wrong[3])
{
    struct hs_task task = {.kind = HS_TASK_PLAN, .plan = *plan, .count = bits->count};
    struct hs_work work = {.task = &task,
                           .line = 1,
                           .datatype = datatype,
                           .operation = operation,
                           .input = bits->input,
                           .output = bits->output,
                           .room = bits->count};
    size_t bytes = bits->count * bits->width;
    char text[HS_SPLIT_TEXT];
    uint64_t before = wrong[0] + wrong[1] + wrong[2];

    for (size_t i = 0; i < bits->count; i++)
        order_put((char *)bits->input + i * bits->width, datatype,
                  order_part(datatype, my_rank, i));
    run_held_up(bits, &work, 1);
    memcpy(bits->kept, bits->output, bytes);
    run_held_up(bits, &work, 77777);
    wrong[1] += memcmp(bits->kept, bits->output, bytes) != 0;
    MPI_Bcast(bits->kept, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    wrong[0] += memcmp(bits->kept, bits->output, bytes) != 0;
    if (order_is_known(plan) && plan->chunks == 1)
        wrong[2] += not_in_order(bits, &work);
    if (wrong[0] + wrong[1] + wrong[2] > before)
        fprintf(stderr, "# rank %d: %s, %s of %s: ranks %llu, runs %llu, order %llu\n", my_rank,
                hs_plan_format(text, plan), hs_operation_names[operation],
                hs_datatype_names[datatype], (unsigned long long)wrong[0],
                (unsigned long long)wrong[1], (unsigned long long)wrong[2]);
}

/* Letters by number: every pair of them on the last layer, others in turn below; then the tree. */
static bool letter(struct hs_plan *plan, int number)
{
    static const unsigned char algorithms[] = {HS_RING, HS_HALVING, HS_DIRECT, HS_NATIVE};
    int last = plan->split.count - 1;

    for (int i = 0; i <= last; i++) {
        int pair = number + 5 * (last - i);

        plan->algorithms[i][0] = algorithms[pair / 4 % 4];
        plan->algorithms[i][1] = algorithms[pair % 4];
    }
    if (number >= 16)
        plan->algorithms[last][0] = plan->algorithms[last][1] = HS_TREE;
    return number <= 16;
}

static void check_type(struct bits *bits, enum hs_datatype datatype, uint64_t wrong[3])
{
    bits->width = hs_datatype_bytes(datatype);
    for (int s = 0; s < split_count; s++) {
        struct hs_plan plan = {.split = splits[s]};

        for (int number = 0; letter(&plan, number); number++) {
            enum hs_operation operation = (enum hs_operation)((number + s) % HS_OPERATION_COUNT);

            plan.chunks = number % 4 == 3 ? 3 : 1;
            check_plan(bits, &plan, datatype, operation, wrong);
        }
    }
}

/* Types in which another order gives other bits for fewer than one element in 50: nothing is shown
 * by them. */
static uint64_t order_is_of_no_account(size_t count)
{
    struct hs_plan ring = {.split = hs_split_flat(np), .chunks = 1}, direct = ring;
    uint64_t types = 0;

    direct.algorithms[0][0] = direct.algorithms[0][1] = HS_DIRECT;
    for (int type = 0; type < HS_DATATYPE_COUNT; type++) {
        size_t differ = 0;

        for (size_t i = 0; i < count; i++)
            differ += order_of_plan(&ring, (enum hs_datatype)type, HS_SUM, count, i) !=
                      order_of_plan(&direct, (enum hs_datatype)type, HS_SUM, count, i);
        types += differ * 50 < count;
    }
    return np > 2 ? types : 0;
}

int main(int argc, char **argv)
{
    struct hs_engine_config config = {.comm = MPI_COMM_WORLD,
                                      .memory = &hs_memory_host,
                                      .segment_bytes = 256,
                                      .segments_in_flight = 3};
    struct bits bits = {.count = 0};
    struct hs_error err;

    start_job(&argc, &argv);
    bits.count = (size_t)np * ELEMENTS;
    bits.input = malloc(bits.count * 8);
    bits.output = malloc(bits.count * 8);
    bits.kept = malloc(bits.count * 8);
    if (!bits.input || !bits.output || !bits.kept)
        abort();
    stop_if(hs_backend_host.open(&bits.engine, &config, &err), &err);
    for (int type = 0; type < HS_DATATYPE_COUNT; type++) {
        uint64_t wrong[3] = {0};
        const char *name = hs_datatype_names[type];
        char sentence[120];

        check_type(&bits, (enum hs_datatype)type, wrong);
        snprintf(sentence, sizeof sentence, "%s: all ranks have the same bits", name);
        tell(wrong[0], sentence);
        snprintf(sentence, sizeof sentence, "%s: so have two runs of other timing", name);
        tell(wrong[1], sentence);
        snprintf(sentence, sizeof sentence, "%s: they are those of the order that is said", name);
        tell(wrong[2], sentence);
    }
    tell(order_is_of_no_account(bits.count), "another order gives other bits");
    hs_backend_host.engine->close(bits.engine);
    free(bits.input);
    free(bits.output);
    free(bits.kept);
    return end_job();
}
