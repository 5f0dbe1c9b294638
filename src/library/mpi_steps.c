#include "library/mpi_steps.h"

#include <assert.h>
#include <math.h>

#include "library/limit.h"
#include "model/exchange.h"

#define REDUCE_SCATTER (1U << HS_REDUCE_SCATTER)
#define ALLGATHER      (1U << HS_ALLGATHER)
#define ALLREDUCE      (1U << HS_ALLREDUCE)
#define EXCHANGE       (1U << HS_EXCHANGE)

static const unsigned phases_of[HS_MPI_ALGORITHM_COUNT] = {
    [HS_MPI_RING] = REDUCE_SCATTER | ALLGATHER | ALLREDUCE,
    [HS_MPI_HALVING] = REDUCE_SCATTER | ALLGATHER | ALLREDUCE,
    [HS_MPI_DOUBLING] = REDUCE_SCATTER | ALLREDUCE,
    [HS_MPI_TREE] = ALLREDUCE,
    [HS_MPI_BRUCK] = ALLGATHER | EXCHANGE,
    [HS_MPI_PAIRWISE] = REDUCE_SCATTER | ALLGATHER | EXCHANGE,
    [HS_MPI_BITS] = EXCHANGE,
    [HS_MPI_SCATTER] = REDUCE_SCATTER,
    [HS_MPI_ROOT] = REDUCE_SCATTER,
    [HS_MPI_NEIGHBOR] = ALLGATHER,
    [HS_MPI_BUTTERFLY] = REDUCE_SCATTER,
};

bool hs_mpi_has_steps(enum hs_mpi_algorithm algorithm, enum hs_phase phase)
{
    return phase < HS_PAIR && phases_of[algorithm] >> phase & 1;
}

/* Steps that are being listed. */
struct listing {
    struct hs_mpi_steps *steps;
    int64_t ranks, power; /* the largest power of two among them */
    bool reduces;
};

static void add(struct listing *list, struct hs_mpi_step step)
{
    assert(list->steps->count < HS_MPI_STEPS_MAX);
    list->steps->items[list->steps->count++] = step;
}

static void swap(struct listing *list, int64_t places, double part, bool reduces)
{
    add(list, (struct hs_mpi_step){
                  .swap = true, .places = places, .part = part, .times = 1, .reduces = reduces});
}

static void shift(struct listing *list, int64_t places, double part, double times)
{
    add(list, (struct hs_mpi_step){
                  .places = places, .part = part, .times = times, .reduces = list->reduces});
}

/* Among the power of two that is left by a fold: half of them stand for two ranks each, the others,
 * with whom they swap last, for themselves. */
static void swap_folded(struct listing *list, int64_t places, double part, bool reduces)
{
    bool last = 2 * places == list->power, even = list->ranks == list->power;

    add(list, (struct hs_mpi_step){.swap = even || !last,
                                   .folded = !even && !last,
                                   .places = places,
                                   .part = part,
                                   .times = 1,
                                   .reduces = reduces});
}

/* Beyond a power of two, ranks first give `part` to a neighbour, who gives `back` in the end. */
static void fold(struct listing *list, double part, double back)
{
    if (list->ranks == list->power)
        return;
    swap(list, 1, part, list->reduces);
    swap(list, 1, back, false);
}

/* Half of all to or from the farthest, and a block to or from the nearest; of two ranks where one
 * stands for another. */
static void list_far(struct listing *list)
{
    int64_t beyond = list->ranks - list->power;

    fold(list, 1, 1 / (double)list->ranks);
    for (int64_t places = 1; places < list->power; places *= 2)
        swap_folded(list, places,
                    (double)(places + hs_smaller(places, beyond)) / (double)list->ranks,
                    list->reduces);
}

/* Halves to the nearest, quarters to those twice as far; an allreduce goes back the same way. */
static void list_near(struct listing *list, bool back)
{
    fold(list, 1, back ? 1 : 1 / (double)list->ranks);
    for (int64_t places = 1; places < list->power; places *= 2) {
        swap_folded(list, places, 1 / (2 * (double)places), list->reduces);
        if (back)
            swap_folded(list, places, 1 / (2 * (double)places), false);
    }
}

/* Blocks are then in the order of their numbers' bits the other way round. Where ranks are a power
 * of two they were laid out for that; else each goes to where it belongs. */
static void list_butterfly(struct listing *list)
{
    list_near(list, false);
    if (list->ranks != list->power)
        swap(list, list->power / 2, 1 / (double)list->ranks, false);
}

static void list_doubling(struct listing *list)
{
    fold(list, 1, 1);
    for (int64_t places = 1; places < list->power; places *= 2)
        swap_folded(list, places, 1, list->reduces);
}

static void list_tree(struct listing *list, bool reduces)
{
    list->steps->one_sends = true;
    for (int64_t places = 1; places < list->ranks; places *= 2)
        swap(list, places, 1, reduces);
}

/* What one rank then sends: a block to each other one, all at once; by the power of two that they
 * are away. */
static void list_blocks_from_root(struct listing *list)
{
    int64_t farthest = hs_mpi_power_of_two(list->ranks - 1);
    struct hs_mpi_step step = {.swap = true, .times = 1};

    for (step.places = farthest; step.places > 0; step.places /= 2) {
        step.part =
            (double)hs_smaller(step.places, list->ranks - step.places) / (double)list->ranks;
        step.along = step.places < farthest;
        add(list, step);
    }
}

/* All to one rank, one after the other. */
static void list_all_to_root(struct listing *list)
{
    struct hs_mpi_step step = {.swap = true, .part = 1, .reduces = true};

    list->steps->one_sends = true;
    for (step.places = 1; step.places < list->ranks; step.places *= 2) {
        step.times = (double)hs_smaller(step.places, list->ranks - step.places);
        add(list, step);
    }
    list_blocks_from_root(list);
}

/* Of an all-to-all the blocks that have a bit of how far they go. */
static void list_bruck(struct listing *list, bool exchange)
{
    int bit = 0;

    for (int64_t places = 1; places < list->ranks; places *= 2, bit++)
        shift(list, places,
              (double)(exchange ? hs_exchange_blocks(list->ranks, bit)
                                : hs_smaller(places, list->ranks - places)) /
                  (double)list->ranks,
              1);
}

/* A block with each: as many partners as there are below a bit differ in it and in none further. */
static void list_bits(struct listing *list)
{
    struct hs_mpi_step step = {.swap = true, .part = 1 / (double)list->ranks};

    for (step.places = 1; step.places < list->ranks; step.places *= 2) {
        step.times = (double)step.places;
        add(list, step);
    }
}

/* A block to each other one, a place further each step: as far one way as the other, and distances
 * of an octave by its ends. */
static void list_pairwise(struct listing *list)
{
    double block = 1 / (double)list->ranks;
    int64_t farthest = list->ranks / 2;

    for (int64_t places = 1; places <= farthest; places *= 2) {
        int64_t end = hs_smaller(2 * places - 1, farthest);
        double others = list->ranks % 2 == 0 && end == farthest ? 1 : 0; /* opposite: one way */
        double half = (double)(end - places + 1);

        shift(list, places, block, half);
        shift(list, end, block, half - others);
    }
}

static void list_ring(struct listing *list)
{
    shift(list, 1, 1 / (double)list->ranks, (double)(list->ranks - 1));
}

/* A block with the one, then two with the other and the one in turn; of odd ranks a ring. */
static void list_neighbor(struct listing *list)
{
    struct hs_mpi_step step = {
        .swap = true, .places = 1, .part = 1 / (double)list->ranks, .times = 1};
    int64_t half = list->ranks / 2, outside = half / 2, inside = (half - 1) / 2;

    if (list->ranks % 2) {
        list_ring(list);
        return;
    }
    add(list, step);
    step.part *= 2;
    step.outside = true;
    step.times = (double)outside;
    if (outside > 0)
        add(list, step);
    step.outside = false;
    step.times = (double)inside;
    if (inside > 0)
        add(list, step);
}

void hs_mpi_steps(struct hs_mpi_steps *steps, enum hs_mpi_algorithm algorithm, enum hs_phase phase,
                  int64_t ranks)
{
    bool both = phase == HS_ALLREDUCE;
    struct listing list = {.steps = steps,
                           .ranks = ranks,
                           .power = hs_mpi_power_of_two(ranks),
                           .reduces = phase != HS_ALLGATHER && phase != HS_EXCHANGE};

    steps->count = 0;
    steps->one_sends = false;
    switch (algorithm) {
    case HS_MPI_RING:
        list_ring(&list);
        list.reduces = false;
        if (both)
            list_ring(&list);
        break;
    case HS_MPI_HALVING:
        if (both)
            list_near(&list, true);
        else
            list_far(&list);
        break;
    case HS_MPI_DOUBLING:
        list_doubling(&list);
        break;
    case HS_MPI_TREE:
        list_tree(&list, true);
        list_tree(&list, false);
        break;
    case HS_MPI_BRUCK:
        list_bruck(&list, phase == HS_EXCHANGE);
        break;
    case HS_MPI_PAIRWISE:
        list_pairwise(&list);
        break;
    case HS_MPI_SCATTER:
        list_tree(&list, true);
        list_blocks_from_root(&list);
        break;
    case HS_MPI_ROOT:
        list_all_to_root(&list);
        break;
    case HS_MPI_NEIGHBOR:
        list_neighbor(&list);
        break;
    case HS_MPI_BUTTERFLY:
        list_butterfly(&list);
        break;
    case HS_MPI_BITS:
        list_bits(&list);
        break;
    case HS_MPI_LINEAR: /* the row of direct exchange has these */
    case HS_MPI_SCATTERED:
    case HS_MPI_SYNC:
    case HS_MPI_ALGORITHM_COUNT:
        break;
    }
}

void hs_mpi_steps_add(struct hs_steps *steps, const struct hs_mpi_step *step, int64_t first)
{
    struct hs_layer layer = steps->price->key.layer;
    int64_t places = step->places * first * (step->folded ? 2 : 1), every = steps->every;
    int64_t block = 2 * places * layer.stride;
    bool alone = layer.stride * layer.size == steps->ranks;
    struct hs_traffic traffic = hs_traffic_exchange(layer, places);
    double latency = steps->latency_seconds;

    if (!step->swap || step->outside || (layer.size % (2 * places) > 0 && !alone))
        traffic = hs_traffic_shift(layer, step->places * first);
    else
        steps->padded = (steps->ranks + block - 1) / block * block;
    if (step->folded)
        steps->every = 2 * hs_larger(1, every);
    steps->both_ways = step->outside;
    hs_steps_add_times(steps, &traffic, step->part * (double)layer.size, step->times);
    steps->both_ways = false;
    steps->padded = 0;
    steps->every = every;
    if (step->along)
        steps->latency_seconds = latency;
}

void hs_mpi_steps_fill(struct hs_steps *steps, double part)
{
    struct hs_stage_key key = steps->price->key;
    struct hs_problem problem =
        hs_limit_stage(steps->ranks, key, (double)key.layer.size); /* a block is one */

    for (size_t l = 0; l < steps->system->level_count; l++) {
        double least = part * hs_limit_crossing_seconds(steps->system, &problem, l);

        steps->busy[l] = hs_greater(steps->busy[l], least);
        steps->seconds_per_byte = hs_greater(steps->seconds_per_byte, least);
    }
}
