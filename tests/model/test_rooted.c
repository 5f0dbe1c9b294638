/*
 * Prices of broadcasts, reduces, scatters and gathers against every message of theirs, counted one
 * by one on every link and played piece by piece, and against the formulas of the papers
 * (rooted.h).
 */
#include "systems.h"
#include <math.h>
#include <string.h>

#include "model/step_messages.h"

static double seconds_of(const struct hs_system *system, int64_t np, enum hs_phase phase,
                         enum hs_algorithm algorithm, struct hs_layer layer, double bytes)
{
    struct hs_stage_key key = {phase, algorithm, layer};
    struct hs_group world = hs_group_world(np);
    struct hs_stage_price price = hs_stage_price_at(system, &world, key, bytes);
    struct hs_stage_price any = hs_stage_price(system, np, key);

    assert_near(hs_stage_seconds(&any, bytes), hs_stage_seconds(&price, bytes), 1e-12);
    return hs_stage_seconds(&price, bytes);
}

static const char *const machines[] = {
    "net@10GB/s~2us",
    "a:4@100GB/s~1us,b:4@20GB/s~3us,c@30GB/s~5us",
    "a:mesh:4@90GB/s~1us/1p!,b:4@50GB/s~2us/2p!,c@64GB/s~4us",
    "a:3@50GB/s~1us,b:2@40GB/s~2us/3p!,c:3@30GB/s~4us,d@60GB/s~6us",
    "a:2@100GB/s~1us,b:mesh:4@60GB/s~2us/1p!,c@50GB/s~3us",
    "a:6@100GB/s~2us/2p!,b@25GB/s~3us/4p!",
    "a:5@30GB/s~2us,b@90GB/s~1us;s=2",
};

/* ---- steps ---- */

/* A step of messages that have the same bytes: that of the level at which it takes longest. */
static struct hs_price_line step_of(const struct hs_system *system, int64_t np,
                                    const struct messages *messages, double bytes)
{
    struct hs_price_line step = {0, 0};
    double latency = 0, out = 0;

    for (size_t l = 0; l < system->level_count; l++) {
        double link = busiest(messages, system, l, np, false), load;

        if (link == 0)
            break;
        out = fmax(out, busiest(messages, system, l, np, true));
        load = fmax(out, link);
        latency = fmax(latency, system->levels[l].latency_seconds * system->pipeline_granularity);
        if (latency + load * bytes >= step.latency_seconds + step.seconds_per_byte * bytes)
            step = (struct hs_price_line){latency, load};
    }
    return step;
}

/* A binomial tree in the first block: who has several places' blocks sends the upper half on. */
static double tree(const struct hs_system *system, int64_t np, struct hs_layer layer, double bytes,
                   bool whole)
{
    double latency = 0, moving = 0, ports[HS_LEVELS_MAX] = {0}, most = 0;
    int64_t half = 1;

    while (2 * half < layer.size)
        half *= 2;
    for (; half >= 1; half /= 2) {
        static struct messages messages;
        int64_t roots = layer.size - half < half ? layer.size - half : half;
        double sent = whole ? bytes : bytes * (double)roots / (double)layer.size;
        struct hs_price_line step;

        memset(&messages, 0, sizeof(messages));
        for (int64_t place = 0; place + half < layer.size; place += 2 * half)
            for (int64_t b = 0; b < layer.stride; b++)
                messages.amounts[b + place * layer.stride][b + (place + half) * layer.stride] = 1;
        step = step_of(system, np, &messages, sent);
        latency += step.latency_seconds;
        moving += step.seconds_per_byte * sent;
        for (size_t l = 0; l < system->level_count; l++)
            ports[l] += busiest(&messages, system, l, np, true) * sent;
    }
    for (size_t l = 0; l < system->level_count; l++)
        most = fmax(most, ports[l]); /* no link of a child carries more in less */
    return latency + fmax(moving, most);
}

/* ---- chains ---- */

/* What each hop of a chain takes for so many bytes, all hops of all groups at work. */
static double hop_seconds(const struct hs_system *system, int64_t np,
                          const struct messages *messages, const int64_t ends[2], double bytes)
{
    double latency = 0, load = 0;

    for (size_t l = 0; l < system->level_count; l++) {
        if (child_of(system, l, ends[0]) == child_of(system, l, ends[1]))
            break;
        load = fmax(load, busiest(messages, system, l, np, false));
        latency = fmax(latency, system->levels[l].latency_seconds * system->pipeline_granularity);
    }
    return latency + load * bytes;
}

/* Pieces go hop by hop, one at a time on each; `scatters`: piece i stops at the place size - 1 - i,
 * else all go to the end. The last group to be through. */
static double played(const struct hs_system *system, int64_t np, struct hs_layer layer, int pieces,
                     double bytes, bool scatters)
{
    static struct messages messages;
    double last = 0;

    memset(&messages, 0, sizeof(messages));
    for (int64_t x = 0; x + layer.stride < layer.stride * layer.size; x++)
        messages.amounts[x][x + layer.stride] = 1;
    for (int64_t b = 0; b < layer.stride; b++) {
        double hop[RANKS_MAX] = {0}, free_at[RANKS_MAX] = {0};

        for (int64_t k = 0; k + 1 < layer.size; k++)
            hop[k] =
                hop_seconds(system, np, &messages,
                            (int64_t[]){b + k * layer.stride, b + (k + 1) * layer.stride}, bytes);
        for (int i = 0; i < pieces; i++) {
            double when = 0;

            for (int64_t k = 0; k + 1 < layer.size - (scatters ? i : 0); k++) {
                bool follows = i > 0 && !scatters; /* as fast as messages can be given */

                when = fmax(when, free_at[k]) + hop[k];
                if (follows && hop[k] < 0.5e-6)
                    when = fmax(when, free_at[k] + 0.5e-6);
                free_at[k] = when;
            }
            last = fmax(last, when);
        }
    }
    return last;
}

static void expect(double found, double expected, const char *machine, struct hs_stage_key key,
                   double bytes)
{
    if (!(fabs(found - expected) <= 1e-9 * expected))
        fail_msg("%s, %s of %g bytes: %.12g, counted %.12g", machine,
                 hs_stage_key_format((char[HS_STAGE_KEY_TEXT]){0}, key), bytes, found, expected);
}

static void look_at_scatter(const char *machine, const struct hs_system *system, int64_t np,
                            struct hs_layer layer, double bytes)
{
    struct hs_stage_key chain = {HS_SCATTER, HS_RING, layer},
                        halves = {HS_SCATTER, HS_HALVING, layer};

    expect(seconds_of(system, np, HS_SCATTER, HS_RING, layer, bytes),
           played(system, np, layer, (int)layer.size - 1, bytes / (double)layer.size, true),
           machine, chain, bytes);
    expect(seconds_of(system, np, HS_SCATTER, HS_HALVING, layer, bytes),
           tree(system, np, layer, bytes, false), machine, halves, bytes);
}

/* A last layer is one block of all ranks. */
static void look_at_broadcast(const char *machine, const struct hs_system *system, int64_t np,
                              struct hs_layer layer, double bytes)
{
    struct hs_stage_key chain = {HS_BROADCAST, HS_RING, layer},
                        branches = {HS_BROADCAST, HS_TREE, layer};
    struct hs_group world = hs_group_world(np);
    struct hs_stage_price price = hs_stage_price_at(system, &world, chain, bytes);
    int pieces = (int)(price.steps - (double)(layer.size - 2) + 0.5);

    assert_true(pieces >= 1);
    expect(hs_stage_seconds(&price, bytes),
           played(system, np, layer, pieces, bytes / pieces, false), machine, chain, bytes);
    expect(seconds_of(system, np, HS_BROADCAST, HS_TREE, layer, bytes),
           tree(system, np, layer, bytes, true), machine, branches, bytes);
}

static void each_layer(void (*look)(const char *, const struct hs_system *, int64_t,
                                    struct hs_layer, double),
                       bool last)
{
    static const double sizes[] = {64, 3e4, 2e6, 1e9};

    for (size_t m = 0; m < HS_COUNT(machines); m++) {
        struct hs_system system = parse(machines[m]);

        for (int64_t np = 2; np <= 24; np++)
            for (int64_t stride = 1; stride < np; stride++)
                for (int64_t size = 2; stride * size <= np; size++)
                    for (size_t i = 0; i < HS_COUNT(sizes); i++)
                        if (np % (stride * size) == 0 && (!last || np == stride * size))
                            look(machines[m], &system, np, (struct hs_layer){stride, size},
                                 sizes[i]);
        hs_system_release(&system);
    }
}

static void scatters_equal_a_count_of_their_messages(void **state)
{
    (void)state;
    each_layer(look_at_scatter, false);
}

static void broadcasts_equal_a_count_of_their_messages(void **state)
{
    (void)state;
    each_layer(look_at_broadcast, true);
}

/* ---- mirrors and sums ---- */

static void look_at_sums(const char *machine, const struct hs_system *system, int64_t np,
                         struct hs_layer layer, double bytes)
{
    for (int a = HS_RING; a <= HS_HALVING; a++) {
        enum hs_algorithm algorithm = (enum hs_algorithm)a;
        double scatter = seconds_of(system, np, HS_SCATTER, algorithm, layer, bytes);
        double gather = seconds_of(system, np, HS_ALLGATHER, algorithm, layer, bytes);
        double reduce = seconds_of(system, np, HS_REDUCE_SCATTER, algorithm, layer, bytes);

        expect(seconds_of(system, np, HS_GATHER, algorithm, layer, bytes), scatter, machine,
               (struct hs_stage_key){HS_GATHER, algorithm, layer}, bytes);
        expect(seconds_of(system, np, HS_SPREAD, algorithm, layer, bytes), scatter + gather,
               machine, (struct hs_stage_key){HS_SPREAD, algorithm, layer}, bytes);
        expect(seconds_of(system, np, HS_COLLECT, algorithm, layer, bytes), reduce + scatter,
               machine, (struct hs_stage_key){HS_COLLECT, algorithm, layer}, bytes);
        expect(seconds_of(system, np, HS_REDUCE, algorithm, layer, bytes),
               algorithm == HS_RING ? seconds_of(system, np, HS_BROADCAST, algorithm, layer, bytes)
                                    : reduce + scatter,
               machine, (struct hs_stage_key){HS_REDUCE, algorithm, layer}, bytes);
    }
    expect(seconds_of(system, np, HS_BROADCAST, HS_HALVING, layer, bytes),
           seconds_of(system, np, HS_SCATTER, HS_HALVING, layer, bytes) +
               seconds_of(system, np, HS_ALLGATHER, HS_HALVING, layer, bytes),
           machine, (struct hs_stage_key){HS_BROADCAST, HS_HALVING, layer}, bytes);
    assert_near(seconds_of(system, np, HS_REDUCE, HS_TREE, layer, bytes),
                seconds_of(system, np, HS_BROADCAST, HS_TREE, layer, bytes), 1e-12);
}

static void mirrors_take_as_long_and_pairs_their_two_together(void **state)
{
    (void)state;
    each_layer(look_at_sums, false);
}

/* ---- the papers ---- */

/* Chan, Heimlich, Purkayastha and van de Geijn 2007, table of lower bounds and sections 4 and 7;
 * Thakur, Rabenseifner and Gropp 2005, section 4: p processes on one switch. */
static void on_one_switch_they_take_what_the_papers_say(void **state)
{
    const double alpha = 2e-6, beta = 1 / 10e9, bytes = 3e6;
    struct hs_system system = parse("net@10GB/s~2us");

    (void)state;
    for (int64_t p = 2; p <= 64; p *= 2) {
        struct hs_layer all = {1, p};
        double lg = log2((double)p), part = (double)(p - 1) / (double)p * bytes * beta;

        assert_near(seconds_of(&system, p, HS_SCATTER, HS_HALVING, all, bytes), lg * alpha + part,
                    1e-9);
        assert_near(seconds_of(&system, p, HS_BROADCAST, HS_TREE, all, bytes),
                    lg * (alpha + bytes * beta), 1e-9);
        assert_near(seconds_of(&system, p, HS_BROADCAST, HS_HALVING, all, bytes),
                    2 * lg * alpha + 2 * part, 1e-9);
        assert_near(seconds_of(&system, p, HS_SCATTER, HS_HALVING, all, bytes) +
                        seconds_of(&system, p, HS_ALLGATHER, HS_RING, all, bytes),
                    (lg + (double)p - 1) * alpha + 2 * part, 1e-9);
        assert_near(seconds_of(&system, p, HS_SCATTER, HS_RING, all, bytes),
                    ((double)p - 1) * alpha + part, 1e-9);
    }
    hs_system_release(&system);
}

/* (p - 2 + S) (alpha + m beta / S) for the S that makes it least. */
static void a_chain_is_cut_into_the_pieces_that_are_best(void **state)
{
    struct hs_system system = parse("net@10GB/s~2us");

    (void)state;
    for (int64_t p = 2; p <= 4096; p *= 2)
        for (double bytes = 8; bytes < 1e11; bytes *= 7) {
            double least = INFINITY, others = (double)p - 2;
            double found =
                seconds_of(&system, p, HS_BROADCAST, HS_RING, (struct hs_layer){1, p}, bytes);

            for (double pieces = 1; pieces < 1e8; pieces = ceil(pieces * 1.001))
                least = fmin(least, (others + pieces) * (2e-6 + bytes / 10e9 / pieces));
            assert_true(found >= least * (1 - 1e-5) && found <= least * 1.02);
        }
    hs_system_release(&system);
}

/* A chain through k of the 4 children of a striped mesh draws on k - 1 of each one's 3 links. */
static void a_striped_mesh_has_the_links_between_children_in_use(void **state)
{
    struct hs_system system = parse("mesh:mesh:4@90GB/s~1us,net@9GB/s~1us");

    (void)state;
    assert_near(seconds_of(&system, 2, HS_BROADCAST, HS_RING, (struct hs_layer){1, 2}, 9e9),
                1e-6 + 0.3, 1e-9);
    assert_near(seconds_of(&system, 4, HS_SCATTER, HS_RING, (struct hs_layer){1, 4}, 9e9),
                3e-6 + 0.075, 1e-9);
    hs_system_release(&system);
}

/* Of a scatter the groups of the root's block alone: two nodes of eight, four ranks of each node in
 * the layer (4, 4); and all groups of all blocks in the allgather behind it. */
static void a_scatter_shares_links_with_the_roots_groups_alone(void **state)
{
    struct hs_system system = parse("node:3@100GB/s~1us,net@10GB/s~2us");
    struct hs_layer layer = {1, 2};

    (void)state;
    /* Pairs 0 1 and 2 3 of nodes of three: the first stays inside, the second does not. */
    assert_near(seconds_of(&system, 12, HS_SCATTER, HS_RING, layer, 1e9), 1e-6 + 0.5 / 100, 1e-9);
    assert_true(seconds_of(&system, 12, HS_ALLGATHER, HS_RING, layer, 1e9) > 0.5 / 10);
    hs_system_release(&system);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("scatters equal a count of their messages", scatters_equal_a_count_of_their_messages),
    HS_TEST("broadcasts equal a count of their messages",
            broadcasts_equal_a_count_of_their_messages),
    HS_TEST("mirrors take as long, and pairs their two together",
            mirrors_take_as_long_and_pairs_their_two_together),
    HS_TEST("on one switch they take what the papers say",
            on_one_switch_they_take_what_the_papers_say),
    HS_TEST("a chain is cut into the pieces that are best",
            a_chain_is_cut_into_the_pieces_that_are_best),
    HS_TEST("a striped mesh has the links between children in use",
            a_striped_mesh_has_the_links_between_children_in_use),
    HS_TEST("a scatter shares links with the root's groups alone",
            a_scatter_shares_links_with_the_roots_groups_alone),
};
HS_TEST_MAIN(tests)
