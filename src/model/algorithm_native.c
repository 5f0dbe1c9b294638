/*
 * The library's own collectives, as the backend host calls them: MPI_Ireduce_scatter_block,
 * MPI_Iallgather and MPI_Iallreduce among the ranks of a group. What runs is the library's rule
 * (library_mpi.h), and its traffic is counted step by step, each step through before the next.
 * Where figures are fitted to measured times these count, in the ring's shape; so do the ring's of
 * an exchange, whose rules are not modelled.
 */
#include <math.h>

#include "model/library_mpi.h"
#include "model/steps.h"

#define ELEMENT_BYTES 4.0 /* of float32: rules count elements */
/* MPICH, inside a node: longer messages are halved and gathered, not sent whole. */
#define NODE_SHORT_BYTES 2048.0

/* One phase, that is being priced. */
struct native {
    struct hs_steps steps;
    struct hs_layer layer;
    int64_t first; /* places between two of those that take part */
    int64_t among; /* how many do */
};

/* All of a group send so many blocks to the one `places` further, around it, so often. */
static void shift(struct native *native, int64_t places, double blocks, double times)
{
    struct hs_traffic traffic = hs_traffic_shift(native->layer, places);

    hs_steps_add_times(&native->steps, &traffic, blocks, times);
}

/* Those that take part swap them with the one `places` of theirs away. */
static void swap(struct native *native, int64_t places, double blocks, double times)
{
    int64_t distance = places * native->first;
    struct hs_traffic traffic = hs_traffic_exchange(native->layer, distance);

    if (native->layer.size % (2 * distance))
        shift(native, distance, blocks, times);
    else
        hs_steps_add_times(&native->steps, &traffic, blocks, times);
}

/* Beyond a power of two, ranks first give all that they have to a neighbour, who gives `back`. */
static void fold(struct native *native, double blocks, double back)
{
    if (native->among == hs_mpi_power_of_two(native->among))
        return;
    swap(native, 1, blocks, 1);
    swap(native, 1, back, 1);
}

/* Halves of all blocks to the nearest, quarters to those twice as far; each `times`. */
static void halve(struct native *native, double times)
{
    double all = (double)native->layer.size;

    fold(native, all, all);
    for (int64_t places = 1; 2 * places <= native->among; places *= 2)
        swap(native, places, all / (2 * (double)places), times);
}

/* All blocks to all powers of two; by a binomial tree one of each group sends at a time. */
static void send_all(struct native *native, bool tree, double times)
{
    double all = (double)native->layer.size;

    if (tree)
        native->steps.senders = native->layer.stride;
    else
        fold(native, all, all);
    for (int64_t places = 1; places < native->among && (tree || 2 * places <= native->among);
         places *= 2)
        swap(native, places, all, times);
}

/* A block to each other one, a place further each step: distances of an octave by its ends. */
static void send_pairwise(struct native *native)
{
    int64_t size = native->layer.size;

    for (int64_t places = 1; places < size; places *= 2) {
        int64_t end = hs_smaller(2 * places, size) - 1;
        double half = (double)(end - places + 1) / 2;

        shift(native, places, 1, half);
        shift(native, end, 1, half);
    }
}

/* One rank's tree, after which it sends each other one a block, or has what they sent. */
static void send_from_root(struct native *native)
{
    int64_t farthest = hs_mpi_power_of_two(native->layer.size - 1);

    send_all(native, true, 1);
    swap(native, farthest, (double)native->layer.size - 1, 1);
}

static void send_steps(struct native *native, enum hs_mpi_steps steps)
{
    int64_t size = native->layer.size;
    double part = (double)size / (double)hs_mpi_power_of_two(size);

    switch (steps) {
    case HS_MPI_STEPS_RING:
        shift(native, 1, 1, (double)(size - 1));
        break;
    case HS_MPI_STEPS_FAR:
        fold(native, (double)size, 1);
        for (int64_t places = 1; 2 * places <= size; places *= 2)
            swap(native, places, (double)places * part, 1);
        break;
    case HS_MPI_STEPS_BRUCK:
        for (int64_t places = 1; places < size; places *= 2)
            shift(native, places, (double)hs_smaller(places, size - places), 1);
        break;
    case HS_MPI_STEPS_PAIRWISE:
        send_pairwise(native);
        break;
    case HS_MPI_STEPS_TREE_SCATTER:
        send_from_root(native);
        break;
    case HS_MPI_STEPS_DOUBLING:
        send_all(native, false, 1);
        break;
    case HS_MPI_STEPS_HALVING:
        halve(native, 2);
        break;
    case HS_MPI_STEPS_TREE:
        send_all(native, true, 2);
        break;
    case HS_MPI_STEPS_RINGS:
        shift(native, 1, 1, 2 * (double)(size - 1));
        break;
    case HS_MPI_STEPS_LINEAR: /* the row of direct exchange has it */
        break;
    }
}

/* Places of a group that share a node, where nodes are full of them. */
static int64_t tasks_of(const struct hs_system *system, struct hs_layer layer)
{
    int64_t node = hs_system_child_ranks(system, 1), tasks = node / layer.stride;

    if (system->level_count < 2 || layer.stride > node || node % layer.stride ||
        tasks >= layer.size || layer.size % tasks)
        return 1;
    return tasks;
}

/* MPICH's allreduce where nodes have several ranks: inside, between one of each, inside. */
static void send_nodes_first(struct native *native, int64_t tasks, double bytes)
{
    int64_t size = native->layer.size;

    native->among = tasks;
    if (bytes <= NODE_SHORT_BYTES)
        send_all(native, true, 2);
    else
        halve(native, 4);
    native->first = tasks;
    native->among = size / tasks;
    native->steps.senders = native->layer.stride;
    if (hs_mpi_steps(HS_LIBRARY_MPICH, HS_ALLREDUCE, native->among, bytes, bytes / ELEMENT_BYTES,
                     false) == HS_MPI_STEPS_DOUBLING)
        send_all(native, false, 1);
    else
        halve(native, 2);
}

/* One phase by the rule, for price->bytes. */
static void price_phase(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks)
{
    struct hs_stage_key key = price->key;
    enum hs_library library = hs_system_library(system);
    enum hs_mpi_steps steps = hs_mpi_steps(library, key.phase, key.layer.size, price->bytes,
                                           price->bytes / ELEMENT_BYTES, key.layer.stride > 1);
    struct native native = {.steps = {.price = price, .system = system, .ranks = ranks},
                            .layer = key.layer,
                            .first = 1,
                            .among = key.layer.size};
    int64_t tasks = tasks_of(system, key.layer);

    if (steps == HS_MPI_STEPS_LINEAR) {
        hs_algorithm_DIRECT.price(price, system, ranks);
        return;
    }
    if (library == HS_LIBRARY_MPICH && key.phase == HS_ALLREDUCE && tasks > 1)
        send_nodes_first(&native, tasks, price->bytes);
    else
        send_steps(&native, steps);
    price->key.phase = HS_ALLGATHER; /* steps are counted in full */
    hs_steps_finish(&native.steps);
    price->key.phase = key.phase;
}

/* One behind the other. */
static void add_prices(struct hs_stage_price *price, const struct hs_stage_price *other)
{
    struct hs_price_line lines[HS_PRICE_LINES_MAX];
    int count = price->line_count;

    for (int i = 0; i < count; i++)
        lines[i] = price->lines[i];
    price->line_count = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < other->line_count; k++)
            hs_stage_add_line(price,
                              (struct hs_price_line){
                                  lines[i].latency_seconds + other->lines[k].latency_seconds,
                                  lines[i].seconds_per_byte + other->lines[k].seconds_per_byte});
    price->steps += other->steps;
}

static void price_native(struct hs_stage_price *price, const struct hs_system *system,
                         int64_t ranks)
{
    struct hs_stage_price back = *price;

    if (!hs_system_has_rule(system) || price->key.phase == HS_EXCHANGE) {
        hs_algorithm_RING.price(price, system, ranks);
        return;
    }
    if (price->key.layer.size == 1)
        return;
    if (price->key.phase != HS_PAIR) {
        price_phase(price, system, ranks);
        return;
    }
    price->key.phase = HS_REDUCE_SCATTER;
    price_phase(price, system, ranks);
    price->key.phase = HS_PAIR;
    back.key.phase = HS_ALLGATHER;
    price_phase(&back, system, ranks);
    add_prices(price, &back);
}

const struct hs_algorithm_row hs_algorithm_NATIVE = {
    .phases = 1U << HS_REDUCE_SCATTER | 1U << HS_ALLGATHER | 1U << HS_ALLREDUCE |
              1U << HS_EXCHANGE | 1U << HS_PAIR,
    .uneven = true,
    .by_bytes = hs_steps_by_bytes,
    .price = price_native,
};
