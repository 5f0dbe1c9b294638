/*
 * The library's own collectives, as the backend host calls them: MPI_Ireduce_scatter_block,
 * MPI_Iallgather, MPI_Iallreduce and MPI_Ialltoall among the ranks of a group. What runs is the
 * library's rule (library_mpi.h), and its traffic is counted step by step, each step through before
 * the next.
 */
#include "library/price_native.h"

#include "library/library_mpi.h"
#include "library/mpi_steps.h"
#include "model/exchange.h"

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

/* Each of the algorithm's steps so often. */
static void send_steps(struct native *native, enum hs_mpi_algorithm algorithm, double times)
{
    struct hs_mpi_steps sent;

    hs_mpi_steps(&sent, algorithm, native->steps.price->key.phase, native->among);
    native->steps.every = native->first;
    native->steps.senders = sent.one_sends ? native->layer.stride : 0;
    for (int i = 0; i < sent.count; i++) {
        sent.items[i].times *= times;
        hs_mpi_steps_add(&native->steps, &sent.items[i], native->first);
    }
}

/* MPICH's allreduce goes by nodes: places of a group that share one, where nodes are full of them;
 * 1: it does not. */
static int64_t tasks_of(const struct hs_system *system, struct hs_stage_key key)
{
    struct hs_layer layer = key.layer;
    int64_t node, tasks;

    if (key.phase != HS_ALLREDUCE ||
        hs_library_mpi_rule(hs_system_library(system)) != HS_LIBRARY_MPICH)
        return 1;
    node = hs_system_node_ranks(system);
    tasks = node / layer.stride;
    if (layer.stride > node || node % layer.stride || tasks >= layer.size || layer.size % tasks)
        return 1;
    return tasks;
}

/* MPICH's allreduce where nodes have several ranks: inside, between one of each, inside. */
static void send_nodes_first(struct native *native, int64_t tasks, double bytes)
{
    bool is_short = bytes <= NODE_SHORT_BYTES;

    native->among = tasks;
    send_steps(native, is_short ? HS_MPI_TREE : HS_MPI_HALVING, is_short ? 1 : 2);
    native->first = tasks;
    native->among = native->layer.size / tasks;
    send_steps(native,
               hs_mpi_nonblocking(HS_LIBRARY_MPICH, HS_ALLREDUCE, native->among, bytes,
                                  bytes / ELEMENT_BYTES, false),
               1);
}

/* One phase by the rule, for price->bytes. */
static void price_phase(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks)
{
    struct hs_stage_key key = price->key;
    enum hs_library library = hs_system_library(system);
    enum hs_mpi_algorithm algorithm =
        hs_mpi_nonblocking(library, key.phase, key.layer.size, price->bytes,
                           price->bytes / ELEMENT_BYTES, key.layer.stride > 1);
    struct native native = {
        .steps = {.price = price, .system = system, .ranks = ranks, .waits = true},
        .layer = key.layer,
        .first = 1,
        .among = key.layer.size};
    int64_t tasks = tasks_of(system, key);

    if (!hs_mpi_has_steps(algorithm, key.phase)) {
        hs_exchange_price_at_once(price, system, ranks, hs_mpi_waits(algorithm, key.layer.size));
        return;
    }
    if (tasks > 1)
        send_nodes_first(&native, tasks, price->bytes);
    else
        send_steps(&native, algorithm, 1);
    hs_mpi_steps_fill(&native.steps, 1);
    price->key.phase = HS_ALLGATHER; /* steps are counted in full */
    hs_steps_finish(&native.steps);
    price->key.phase = key.phase;
}

/* Two phases, one behind the other, as one: its line is the sum of theirs for price->bytes. */
static void price_both(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks)
{
    static const enum hs_phase phases[] = {HS_REDUCE_SCATTER, HS_ALLGATHER};
    struct hs_stage_price parts[2] = {*price, *price};
    struct hs_price_line sum = {0, 0};
    double moving[2];
    const struct hs_stage_price *slower;

    for (int i = 0; i < 2; i++) {
        struct hs_price_line line;

        parts[i].key.phase = phases[i];
        price_phase(&parts[i], system, ranks);
        line = hs_stage_largest_line(&parts[i], price->bytes);
        moving[i] = line.seconds_per_byte;
        sum.latency_seconds += line.latency_seconds;
        sum.seconds_per_byte += line.seconds_per_byte;
        price->steps += parts[i].steps;
        price->level = (int)hs_larger(price->level, parts[i].level);
        price->misaligned = price->misaligned || parts[i].misaligned;
    }
    slower = &parts[moving[1] > moving[0]];
    price->ring_bytes_per_second = slower->ring_bytes_per_second;
    price->bottleneck = slower->bottleneck;
    price->rings_per_link = slower->rings_per_link;
    for (int l = 0; l <= price->level && sum.seconds_per_byte > 0; l++)
        price->occupancy[l] =
            (moving[0] * parts[0].occupancy[l] + moving[1] * parts[1].occupancy[l]) /
            sum.seconds_per_byte;
    hs_stage_add_line(price, sum);
}

void hs_native_price(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks)
{
    if (price->key.layer.size == 1)
        return;
    if (price->key.phase == HS_PAIR)
        price_both(price, system, ranks);
    else
        price_phase(price, system, ranks);
}
