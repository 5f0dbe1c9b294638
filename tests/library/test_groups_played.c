/*
 * What groups cost that lie unevenly on nodes and racks, all of them at once, by the price and by
 * their messages, played one by one: rings and pairwise exchanges of random machines by levels,
 * whose links are those of the levels' children. No constant is shared by both.
 */
#include "systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/statistics.h"
#include "library/limit.h"
#include "library/price_library.h"
#include "links/play.h"

#define RANKS_MAX 144
#define DRAWN_MAX 72   /* of random machines */
#define AT_ONCE   1e-9 /* seconds that the player sees together (links/play.c), each step */

static int64_t random_of(uint64_t *state, int64_t first, int64_t last)
{
    return first + (int64_t)(hs_random_bits(state) % (uint64_t)(last - first + 1));
}

#define CHANNELS_MAX 18

/* Messages of one call of all groups. Every child of level l has a link up and one down; where NCCL
 * calls a node has those of its NICs in the place of one for all. */
struct call {
    const struct hs_system *system;
    struct hs_group group;
    int64_t nics;                      /* of a node; 0: it is not NCCL that calls */
    int channels;                      /* rings at once, each of a share of the bytes */
    int first_link[HS_LEVELS_MAX + 1]; /* of a level's children, up; down follows */
    double rates[4 * RANKS_MAX * HS_LEVELS_MAX];
    int64_t next[CHANNELS_MAX][RANKS_MAX], before[CHANNELS_MAX][RANKS_MAX]; /* in a ring */
    struct hs_play_way *ways;
    int (*links)[2 * HS_LEVELS_MAX];
    int way_of[CHANNELS_MAX][RANKS_MAX][RANKS_MAX]; /* -1: none yet */
    int way_count;
    struct hs_play_message *messages;
    size_t count;
};

static int64_t links_of_child(const struct call *call, size_t level)
{
    return level == 1 && call->nics > 0 ? call->nics : 1;
}

/* The link up that a rank's bytes take: the one of its NIC where there are some. */
static int link_of(const struct call *call, size_t level, int64_t rank)
{
    int64_t child = hs_system_child_ranks(call->system, level);
    int64_t each = links_of_child(call, level);

    return call->first_link[level] + (int)(2 * (rank / child * each + rank % child * each / child));
}

static void lay_links(struct call *call)
{
    int next = 0;

    for (size_t l = 0; l < call->system->level_count; l++) {
        int64_t child = hs_system_child_ranks(call->system, l), each = links_of_child(call, l);
        int64_t children = (call->group.ranks + child - 1) / child;

        call->first_link[l] = next;
        for (int64_t c = 0; c < 2 * children * each; c++)
            call->rates[next++] = call->system->levels[l].bytes_per_second / (double)each;
    }
    call->first_link[call->system->level_count] = next;
    memset(call->way_of, -1, sizeof(call->way_of));
}

/* A channel's ring goes around the ranks of a group node by node, and around those of a node from
 * another one on than the channel before, so that each leaves by another NIC. */
static void lay_rings(struct call *call)
{
    int64_t node = hs_system_child_ranks(call->system, 1), size = call->group.size;

    for (int channel = 0; channel < call->channels; channel++)
        for (int64_t rank = 0; rank < call->group.ranks; rank++) {
            int64_t ring[RANKS_MAX], first = 0, turn;

            if (hs_group_place(&call->group, rank) > 0)
                continue;
            for (int64_t place = 0; place <= size; place++) {
                int64_t at = place < size ? hs_group_rank(&call->group, rank, place) / node : -1;

                if (at == hs_group_rank(&call->group, rank, first) / node)
                    continue;
                turn = channel * (place - first) / call->channels;
                for (int64_t i = first; i < place; i++)
                    ring[i] = hs_group_rank(&call->group, rank,
                                            first + (i - first + turn) % (place - first));
                first = place < size ? place : 0;
            }
            for (int64_t i = 0; i < size; i++) {
                call->next[channel][ring[i]] = ring[(i + 1) % size];
                call->before[channel][ring[(i + 1) % size]] = ring[i];
            }
        }
}

/* Up to the innermost unit that holds both, and down again. */
static int way_between(struct call *call, int channel, int64_t from, int64_t to)
{
    int *way = &call->way_of[channel][from][to];
    int *links = call->links[call->way_count], count = 0;
    double latency = 0;

    if (*way >= 0)
        return *way;
    for (size_t l = 0; l < call->system->level_count; l++) {
        int64_t child = hs_system_child_ranks(call->system, l);

        if (from / child == to / child)
            break;
        links[count++] = link_of(call, l, from);
        links[count++] = link_of(call, l, to) + 1;
        latency = fmax(latency, call->system->levels[l].latency_seconds);
    }
    call->ways[call->way_count] = (struct hs_play_way){
        .links = links, .count = count, .latency_seconds = latency, .nth = channel};
    return *way = call->way_count++;
}

/* Step by step: in a ring a rank's message goes to the next one and waits for what came in the step
 * before, in an exchange to the one `step` places on. */
static void lay_messages(struct call *call, int steps, bool ring, double bytes)
{
    int64_t size = call->group.size, ranks = call->group.ranks, each = ranks * call->channels;

    for (int step = 0; step < steps; step++)
        for (int channel = 0; channel < call->channels; channel++)
            for (int64_t rank = 0; rank < ranks; rank++) {
                int64_t place = hs_group_place(&call->group, rank);
                int64_t to = ring ? call->next[channel][rank]
                                  : hs_group_rank(&call->group, rank, (place + step + 1) % size);
                int64_t before = (step - 1) * each + channel * ranks + call->before[channel][rank];

                call->messages[call->count++] =
                    (struct hs_play_message){.from = (int)rank,
                                             .to = (int)to,
                                             .way = way_between(call, channel, rank, to),
                                             .sends = channel,
                                             .uses = channel,
                                             .sent_behind = ring && step > 0 ? (int)before : -1,
                                             .posted_behind = -1,
                                             .used_behind = -1,
                                             .bytes = bytes / (double)size / call->channels};
            }
}

/* Rings of an AllReduce, a reduce-scatter or an allgather, else an exchange of pairs. */
static double play(const struct hs_system *system, const struct hs_problem *problem, int64_t nics)
{
    struct call *call = calloc(1, sizeof(*call));
    bool ring = problem->collective != HS_COLLECTIVE_ALLTOALL;
    int steps =
        (problem->collective == HS_COLLECTIVE_ALLREDUCE ? 2 : 1) * (int)(problem->group.size - 1);
    size_t messages, ways;
    struct hs_played played;

    assert_non_null(call);
    call->system = system;
    call->group = problem->group;
    call->nics = nics;
    call->channels = ring && nics > 0 ? (int)nics : 1;
    messages = (size_t)(steps * problem->group.ranks * call->channels);
    ways = ring ? (size_t)(problem->group.ranks * call->channels) : messages;
    call->messages = calloc(messages, sizeof(*call->messages));
    call->ways = calloc(ways, sizeof(*call->ways));
    call->links = calloc(ways, sizeof(*call->links));
    assert_true(call->messages && call->ways && call->links);
    lay_links(call);
    lay_rings(call);
    lay_messages(call, steps, ring, problem->bytes);
    assert_int_equal(hs_play(&played,
                             &(struct hs_play){.messages = call->messages,
                                               .count = call->count,
                                               .ways = call->ways,
                                               .way_count = call->way_count,
                                               .rates = call->rates,
                                               .link_count = call->first_link[system->level_count],
                                               .units = (int)problem->group.ranks,
                                               .ways_each = call->channels},
                             NULL),
                     HS_OK);
    free(call->messages);
    free(call->ways);
    free(call->links);
    free(call);
    return played.seconds;
}

/* Nodes, racks of nodes where there are, and what joins these, with a taper of 1 to 64. */
static struct hs_system draw_system(uint64_t *random)
{
    static const int64_t nodes[] = {4, 6, 8, 8, 12}, racks[] = {2, 3, 4};
    struct hs_system system = {
        .name = "drawn", .level_count = (size_t)random_of(random, 2, 3), .pipeline_granularity = 1};
    double rate = 1e9 * exp(2 + 3 * hs_random_uniform(random));

    for (size_t l = 0; l < system.level_count; l++) {
        struct hs_level *level = &system.levels[l];
        int64_t arity = l == 0 ? nodes[random_of(random, 0, 4)] : racks[random_of(random, 0, 2)];

        snprintf(level->name, sizeof(level->name), "l%zu", l);
        level->arity = l + 1 == system.level_count ? 0 : arity;
        level->fabric = HS_FABRIC_SWITCH;
        level->bytes_per_second = rate;
        level->latency_seconds = 1e-6 * (double)(l + 1);
        level->ports = 1;
        level->striped = true;
        rate *= (double)arity / exp(4.16 * hs_random_uniform(random));
    }
    return system;
}

/* tp or ep in the ranks' order, or dp beside it: sizes that do not divide a node among them. */
static struct hs_group draw_group(uint64_t *random)
{
    static const int64_t sizes[] = {3, 5, 6, 7, 9, 10, 12, 16};
    int64_t inner = sizes[random_of(random, 0, 7)];
    int64_t others = random_of(random, 2, DRAWN_MAX / inner);
    struct hs_group group = {.ranks = inner * others, .stride = 1, .size = inner};

    if (random_of(random, 0, 2) == 0)
        group = (struct hs_group){.ranks = inner * others, .stride = inner, .size = others};
    return group;
}

static const struct {
    enum hs_collective collective;
    double least, most; /* price over play */
} kinds[] = {
    {HS_COLLECTIVE_ALLREDUCE, 0.98, 1.25},
    {HS_COLLECTIVE_ALLGATHER, 0.98, 1.25},
    {HS_COLLECTIVE_ALLTOALL, 0.98, 1.1},
};

#define AT(place) hs_order_statistic(ratios, draws, place)

static void groups_cost_what_their_messages_take(void **state)
{
    enum { DRAWS = 400 };
    static double ratios[DRAWS];

    (void)state;
    for (size_t k = 0; k < HS_COUNT(kinds); k++) {
        uint64_t drawn = 36 + k, *random = &drawn;
        size_t draws = hs_tests_quick() ? 100 : DRAWS, below = 0;

        for (size_t i = 0; i < draws; i++) {
            struct hs_system system = draw_system(random);
            struct hs_problem problem = {.collective = kinds[k].collective,
                                         .layout = HS_NATURAL,
                                         .group = draw_group(random),
                                         .bytes = exp(12 + 7 * hs_random_uniform(random))};
            struct hs_plan flat = hs_problem_flat(&problem);
            double played = play(&system, &problem, 0);
            double priced = hs_plan_seconds(&system, &problem, &flat);
            struct hs_text text = {0};

            double limit = hs_limit_of(&system, &problem).seconds;

            limit -= AT_ONCE * (double)problem.group.size;
            ratios[i] = priced / played;
            below += played < limit;
            if (played < limit || ratios[i] < kinds[k].least || ratios[i] > kinds[k].most) {
                hs_system_format(&text, &system);
                print_error(
                    "%s: %lld of %lld, stride %lld, %s of %g: priced %g, played %g, limit %g: %g\n",
                    text.data, (long long)problem.group.size, (long long)problem.group.ranks,
                    (long long)problem.group.stride, hs_collective_names[problem.collective],
                    problem.bytes, priced, played, limit, ratios[i]);
            }
            hs_text_release(&text);
        }
        print_message("# %s: price over play of %zu machines: median %.3f, 5 %% to 95 %% %.3f to "
                      "%.3f, %.3f to %.3f\n",
                      hs_collective_names[kinds[k].collective], draws, AT(draws / 2),
                      AT(draws / 20), AT(draws - 1 - draws / 20), AT(0), AT(draws - 1));
        assert_int_equal(below, 0);
    }
}

/* ---- NCCL's calls, on machines in parts ---- */

/* Groups of a machine, of which the first lie evenly: whole nodes, or equal shares of one. */
static const struct {
    const char *machine;
    struct {
        int64_t size, others;
    } groups[9];
} in_parts[] = {
    {"8xH100, 8xNDR400", {{16, 2}, {32, 2}, {3, 16}, {5, 16}, {6, 12}, {12, 8}, {10, 12}}},
    {"8xA100, 4xHDR200", {{16, 2}, {32, 2}, {3, 16}, {5, 16}, {6, 12}, {12, 8}, {10, 12}}},
    {"4xGH200, 4xSS11", {{8, 4}, {16, 2}, {3, 16}, {5, 16}, {6, 12}, {12, 8}, {10, 12}}},
    {"8xB200, 2xHDR200", {{16, 2}, {3, 16}, {5, 16}, {6, 12}, {7, 8}}},
    {"8xH100, 8xNDR400, 2:4", {{16, 4}, {32, 2}, {24, 4}, {24, 2}, {3, 16}, {6, 12}, {12, 6}}},
    {"4xH100-mesh, 4xNDR200, 4:4", {{16, 4}, {32, 2}, {12, 6}, {24, 4}, {20, 4}, {6, 12}, {12, 3}}},
    {"4xA100-mesh, 4xHDR100, 4:2", {{16, 4}, {3, 16}, {6, 12}, {12, 6}}},
    {"9xGB200, 9xNDR400", {{18, 2}, {9, 4}, {8, 9}, {6, 6}, {12, 3}, {5, 9}}},
};

/* NCCL's own overheads and flags: the same for groups as for whole nodes. */
#define TO_NCCL   0.9
#define FROM_NCCL 1.4

static void nccls_calls_of_groups_are_as_far_from_their_messages_as_those_of_nodes(void **state)
{
    double least = INFINITY, most = 0;

    (void)state;
    for (size_t m = 0; m < HS_COUNT(in_parts); m++)
        for (size_t k = 1; k < HS_COUNT(kinds); k++) {
            struct hs_system system = parse(in_parts[m].machine);

            for (size_t g = 0; in_parts[m].groups[g].size; g++) {
                int64_t size = in_parts[m].groups[g].size;
                struct hs_problem problem = {.collective = kinds[k].collective,
                                             .layout = HS_NATURAL,
                                             .group = {.ranks = size * in_parts[m].groups[g].others,
                                                       .stride = 1,
                                                       .size = size},
                                             .bytes = 256 * 1048576.0};
                struct hs_plan flat = hs_problem_flat(&problem);
                double played = play(&system, &problem, system.nccl.parts.nic_count);
                double call = hs_library_price(&system, &problem, 4).seconds / played;
                double plan = hs_plan_seconds(&system, &problem, &flat) / played;

                if (fmin(call, plan) < TO_NCCL || fmax(call, plan) > FROM_NCCL)
                    fail_msg("%s: %s of %lld of %lld: %g times what its messages take, as a plan "
                             "%g times",
                             in_parts[m].machine, hs_collective_names[problem.collective],
                             (long long)size, (long long)problem.group.ranks, call, plan);
                least = fmin(least, call);
                most = fmax(most, call);
            }
            hs_system_release(&system);
        }
    print_message("# NCCL's price over play: %.3f to %.3f\n", least, most);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("groups that lie unevenly cost what their messages take, all at once",
            groups_cost_what_their_messages_take),
    HS_TEST("NCCL's calls of groups are as far from their messages as those of whole nodes",
            nccls_calls_of_groups_are_as_far_from_their_messages_as_those_of_nodes),
};
HS_TEST_MAIN(tests)
