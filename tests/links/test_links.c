#include "all_cuts.h"
#include "graphs.h"
#include "links_equal.h"

#include "links/cuts.h"
#include "links/subsets.h"
#include "system/links.h"

/* ---- what can be ----------------------------------------------------------------------------- */

static void refuses(struct hs_links *links, const char *expected)
{
    struct hs_error err = {0};

    assert_int_equal(hs_links_check(links, "levels[0].", &err), HS_INVALID);
    assert_string_equal(err.message, expected);
    hs_links_release(links);
}

static void takes_known_machines(void **state)
{
    (void)state;
    for (int v100 = 0; v100 < 2; v100++) {
        struct hs_links links = dgx1(v100);

        assert_int_equal(hs_links_check(&links, "", NULL), HS_OK);
        assert_true(hs_links_alike(&links));
        assert_near(hs_links_sends_least(&links), v100 ? 150e9 : 80e9, 1e-12);
        hs_links_release(&links);
    }
}

static void refuses_wrong_numbers_of_vertices(void **state)
{
    struct hs_links links = graph_of(65, 0);

    (void)state;
    refuses(&links, "levels[0].links: expected 2 to 64 units, found 65");
    links = graph_of(1, 0);
    refuses(&links, "levels[0].links: expected 2 to 64 units, found 1");
    links = graph_of(60, 37);
    refuses(&links, "levels[0].relays: expected at most 96 units and relays together, found 97");
}

static void refuses_wrong_links(void **state)
{
    struct hs_links links = mesh(4, 1e9);

    (void)state;
    links.items[2].to = 4;
    refuses(&links, "levels[0].links[2].between: expected units 0 to 3, found 4");
    links = mesh(4, 1e9);
    links.items[3].from = links.items[3].to = 1;
    refuses(&links, "levels[0].links[3].between: expected two different ends, found 1 and 1");
    links = mesh(4, 1e9);
    links.items[1].count = 0;
    refuses(&links, "levels[0].links[1].count: expected 1 to 256, found 0");
    links = mesh(4, 1e9);
    links.items[5].bytes_per_second = -2e9;
    refuses(&links, "levels[0].links[5].bandwidth_GBps: expected a number above 0, found -2");
    links = mesh(4, 1e9);
    links.items[0].bytes_per_second = NAN;
    refuses(&links, "levels[0].links[0].bandwidth_GBps: expected a number above 0, found nan");
    links = mesh(4, 1e9);
    links.items[0].latency_seconds = -1e-6;
    refuses(&links, "levels[0].links[0].latency_us: expected a number from 0 on, found -1");
}

static void refuses_what_is_not_joined(void **state)
{
    struct hs_links links = graph_of(4, 0);

    (void)state;
    join(&links, 0, 1, 1, 1e9);
    join(&links, 2, 3, 1, 1e9);
    refuses(&links, "levels[0].links: not joined: no way from unit 0 to unit 2");
    links = graph_of(3, 0);
    join(&links, 0, 1, 1, 1e9);
    join_one_way(&links, 1, 2, 1e9);
    refuses(&links, "levels[0].links: one way alone: expected a way from unit 2 to unit 0, too");
    links = graph_of(2, 2);
    join(&links, 0, 1, 1, 1e9);
    join(&links, 0, 2, 1, 1e9);
    refuses(&links, "levels[0].links: no link leads to relay 1 (vertex 3)");
}

/* ---- ways and parts -------------------------------------------------------------------------- */

static void finds_ways_over_relays(void **state)
{
    struct hs_links links = graph_of(3, 3);
    int path[HS_LINKS_VERTICES];

    (void)state;
    join(&links, 0, 1, 1, 1e9);
    join(&links, 0, 3, 1, 1e9);
    join(&links, 3, 2, 1, 1e9); /* narrow */
    join(&links, 0, 4, 1, 2e9);
    join(&links, 4, 2, 1, 2e9); /* wide */
    join(&links, 1, 5, 1, 1e9);
    links.items[3].latency_seconds = 3e-6;
    assert_int_equal(hs_links_path(path, &links, 0, 1), 2);
    assert_int_equal(hs_links_path(path, &links, 0, 2), 3);
    assert_int_equal(path[1], 4);
    assert_near(hs_links_path_seconds(&links, path, 3, 1e-6), 4e-6, 1e-9);
    /* By unit 0 alone, which is no relay. */
    assert_int_equal(hs_links_path(path, &links, 1, 2), 0);
    hs_links_release(&links);
}

static void a_subset_has_its_own_links(void **state)
{
    struct hs_links links = dgx1(true), part, copy;
    int units[] = {4, 0, 1};

    (void)state;
    assert_int_equal(hs_links_subset(&part, &links, units, 3, NULL), HS_OK);
    assert_int_equal(part.units, 3);
    assert_int_equal(part.count, 2); /* 0-1 and 0-4 */
    assert_int_equal(part.items[0].from, 1);
    assert_int_equal(part.items[0].to, 2);
    assert_int_equal(part.items[1].to, 0);
    assert_int_equal(part.items[1].count, 2);
    assert_int_equal(hs_links_copy(&copy, &part, NULL), HS_OK);
    assert_true(links_equal(&copy, &part));
    copy.items[0].count++;
    assert_false(links_equal(&copy, &part));
    hs_links_release(&copy);
    hs_links_release(&part);
    hs_links_release(&links);
}

/* Two relays: one joins all, one, numbered first, units 2 and 3 alone. */
static void a_subset_has_no_relays_that_lead_nowhere(void **state)
{
    struct hs_links links = graph_of(4, 2), part;
    int units[] = {0, 1};

    (void)state;
    join(&links, 0, 1, 1, 20e9);
    join(&links, 2, 4, 1, 10e9);
    join(&links, 3, 4, 1, 10e9);
    for (int u = 0; u < 4; u++)
        join(&links, u, 5, 1, 5e9);
    assert_int_equal(hs_links_subset(&part, &links, units, 2, NULL), HS_OK);
    assert_int_equal(part.relays, 1);
    assert_int_equal(part.count, 3);
    assert_int_equal(part.items[1].to, 2);
    assert_int_equal(part.items[2].from, 1);
    assert_near(part.items[2].bytes_per_second, 5e9, 1e-9);
    assert_int_equal(hs_links_check(&part, "", NULL), HS_OK);
    hs_links_release(&part);
    hs_links_release(&links);
}

/* Whether some order of the second's units makes it the first: all orders are tried. */
static bool same_in_some_order(const struct hs_links *links, const int *a, int *b, int size, int at)
{
    double rates[HS_LINKS_VERTICES * HS_LINKS_VERTICES];
    int n = hs_links_vertices(links);

    if (at == size) {
        hs_links_rates(rates, links);
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++)
                if (rates[a[i] * n + a[j]] != rates[b[i] * n + b[j]])
                    return false;
        return true;
    }
    for (int i = at; i < size; i++) {
        int was = b[at];
        bool same;

        b[at] = b[i];
        b[i] = was;
        same = same_in_some_order(links, a, b, size, at + 1);
        b[i] = b[at];
        b[at] = was;
        if (same)
            return true;
    }
    return false;
}

static int list_units(int *units, uint64_t set)
{
    int count = 0;

    for (; set != 0; set &= set - 1)
        units[count++] = __builtin_ctzll(set);
    return count;
}

/* Kinds of subsets, by comparing each with all of those before. */
static size_t count_kinds(const struct hs_links *links, int size)
{
    int kinds[256][HS_LINKS_UNITS];
    size_t count = 0;

    for (uint64_t set = 0; set < 1ULL << links->units; set++) {
        int units[HS_LINKS_UNITS];
        bool known = false;

        if (__builtin_popcountll(set) != size)
            continue;
        list_units(units, set);
        for (size_t i = 0; i < count && !known; i++)
            known = same_in_some_order(links, kinds[i], units, size, 0);
        if (!known)
            list_units(kinds[count++], set);
    }
    return count;
}

static void subsets_that_are_alike_are_counted_once(void **state)
{
    uint64_t random = 5;

    (void)state;
    for (int trial = 0; trial < 12; trial++) {
        struct hs_links links = trial < 2 ? dgx1(trial) : random_graph(&random, 7, 0);
        /* One link between two units is one rate: then rates say all. */
        for (int size = 1; size <= 5; size++) {
            struct hs_subsets subsets;
            int64_t all = 0;
            double choices = 1;

            for (int i = 0; i < size; i++)
                choices = choices * (links.units - i) / (i + 1);
            assert_int_equal(hs_subsets_find(&subsets, &links, size, NULL), HS_OK);
            for (size_t i = 0; i < subsets.count; i++) {
                assert_int_equal(__builtin_popcountll(subsets.items[i].units), size);
                all += subsets.items[i].alike;
            }
            assert_int_equal(all, (int64_t)choices);
            if (trial < 2)
                assert_int_equal(subsets.count, count_kinds(&links, size));
            else
                assert_true(subsets.count >= count_kinds(&links, size));
            hs_subsets_release(&subsets);
        }
        hs_links_release(&links);
    }
}

static void refuses_too_many_subsets(void **state)
{
    struct hs_links links = mesh(32, 1e9);
    struct hs_subsets subsets;
    struct hs_error err = {0};

    (void)state;
    assert_int_equal(hs_subsets_find(&subsets, &links, 16, &err), HS_INVALID);
    assert_string_equal(err.message,
                        "16 of 32 units: expected at most 100000 choices, found 601080390");
    hs_links_release(&links);
}

/* ---- bounds against all cuts and partitions -------------------------------------------------- */

static void assert_bounds(const struct hs_links *links)
{
    static struct all_cuts all;
    static const enum hs_phase phases[] = {HS_ALLGATHER, HS_REDUCE_SCATTER, HS_EXCHANGE};

    cut_everywhere(&all, links);
    for (int i = 0; i < 3; i++) {
        struct hs_cuts cuts = hs_cuts_of(links, phases[i]);
        double worst = worst_cut(&all, phases[i]);

        assert_near(cuts.seconds_per_byte / worst, 1, 1e-7);
        assert_int_equal(cuts.part_count, 1);
        /* The set that is named says so itself. */
        if (phases[i] == HS_ALLGATHER)
            assert_near(__builtin_popcountll(cuts.parts[0]) / (double)links->units /
                            all.leaving[cuts.parts[0]] / worst,
                        1, 1e-7);
    }
    if (links->units <= 8) {
        struct hs_cuts cuts = hs_cuts_of(links, HS_ALLREDUCE);
        uint64_t seen = 0;
        double sum = 0, worst = worst_of_all(&all);

        assert_near(cuts.seconds_per_byte / worst, 1, 1e-7);
        for (int p = 0; p < cuts.part_count; p++) {
            sum += (cuts.entering ? all.entering : all.leaving)[cuts.parts[p]];
            assert_int_equal(seen & cuts.parts[p], 0);
            seen |= cuts.parts[p];
        }
        if (cuts.part_count > 1)
            assert_int_equal(seen, hs_links_all(links));
        assert_near((cuts.part_count > 1 ? 2 * (cuts.part_count - 1) : 1) / sum / worst, 1, 1e-7);
    }
}

static void bounds_are_the_largest_over_all_cuts_and_partitions(void **state)
{
    uint64_t random = 1;
    int trials = hs_tests_quick() ? 60 : 300;

    (void)state;
    for (int trial = 0; trial < trials; trial++) {
        int units = 2 + below(&random, 7);
        struct hs_links links = trial % 3 == 2 ? random_one_way(&random, units)
                                               : random_graph(&random, units, trial % 3 * 2);

        assert_int_equal(hs_links_check(&links, "", NULL), HS_OK);
        assert_bounds(&links);
        hs_links_release(&links);
    }
    for (int trial = 0; trial < 4; trial++) {
        struct hs_links links = random_graph(&random, 12, trial);

        assert_bounds(&links);
        hs_links_release(&links);
    }
}

static void known_machines_have_known_bounds(void **state)
{
    struct hs_links links = dgx1(false);

    (void)state;
    /* By one GPU's four links: 7 others' blocks of n / 8 at 80 GB/s. */
    assert_near(hs_cuts_of(&links, HS_ALLGATHER).seconds_per_byte, 7.0 / 8 / 80e9, 1e-12);
    /* Tutte and Nash-Williams: 16 links of 20 GB/s, 7 of them a tree. */
    assert_near(hs_cuts_of(&links, HS_ALLREDUCE).seconds_per_byte, 7.0 / 16 / 20e9, 1e-12);
    /* Four links join the two halves: 8 x 1/2 x 1/2 n. */
    assert_near(hs_cuts_of(&links, HS_EXCHANGE).seconds_per_byte, 2 / 80e9, 1e-12);
    hs_links_release(&links);
    links = graph_of(16, 1);
    for (int u = 0; u < 16; u++)
        join(&links, u, 16, 1, 1e9);
    /* A switch: as limit.h says of equal units. */
    assert_near(hs_cuts_of(&links, HS_ALLREDUCE).seconds_per_byte, 2 * 15.0 / 16 / 1e9, 1e-12);
    assert_near(hs_cuts_of(&links, HS_EXCHANGE).seconds_per_byte, 15.0 / 16 / 1e9, 1e-12);
    assert_near(hs_cuts_leaving(&links, 7), 3e9, 1e-12);
    hs_links_release(&links);
}

static void bounds_of_large_graphs_are_those_of_a_ring(void **state)
{
    struct hs_links links = graph_of(64, 0);

    (void)state;
    for (int u = 0; u < 64; u++)
        join(&links, u, (u + 1) % 64, 1, 1e9);
    assert_near(hs_cuts_of(&links, HS_ALLGATHER).seconds_per_byte, 63.0 / 64 / 2e9, 1e-12);
    assert_near(hs_cuts_of(&links, HS_ALLREDUCE).seconds_per_byte, 63.0 / 64 / 1e9, 1e-12);
    hs_links_release(&links);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("graphs of known machines pass", takes_known_machines),
    HS_TEST("too many and too few units and relays are refused", refuses_wrong_numbers_of_vertices),
    HS_TEST("a link's ends, count, rate and latency are refused by their place",
            refuses_wrong_links),
    HS_TEST("what is not joined, or one way alone, is refused", refuses_what_is_not_joined),
    HS_TEST("the way between two units passes relays, not units", finds_ways_over_relays),
    HS_TEST("a subset has the links among its units", a_subset_has_its_own_links),
    HS_TEST("a subset has no relays that lead nowhere", a_subset_has_no_relays_that_lead_nowhere),
    HS_TEST("subsets that some order makes the same are counted once",
            subsets_that_are_alike_are_counted_once),
    HS_TEST("too many subsets are refused", refuses_too_many_subsets),
    HS_TEST("bounds are the largest over all cuts and all partitions",
            bounds_are_the_largest_over_all_cuts_and_partitions),
    HS_TEST("known machines have the bounds that their papers give them",
            known_machines_have_known_bounds),
    HS_TEST("a ring of 64 has a ring's bounds", bounds_of_large_graphs_are_those_of_a_ring),
};
HS_TEST_MAIN(tests)
