#include "all_trees.h"
#include "graphs.h"

#include "links/cuts.h"
#include "links/packing.h"

static const enum hs_phase phases[] = {HS_ALLGATHER, HS_REDUCE_SCATTER, HS_ALLREDUCE};

typedef enum hs_status make_function(struct hs_packing *packing, const struct hs_links *links,
                                     enum hs_phase phase, struct hs_error *err);

static struct hs_packing make(make_function *how, const struct hs_links *links, enum hs_phase phase)
{
    struct hs_packing packing;
    struct hs_error err = {0};

    assert_status_is(how(&packing, links, phase, &err), HS_OK, &err);
    return packing;
}

/* ---- what every packing must be: counted anew ------------------------------------------------ */

/* From each unit to the root, by these arcs, in fewer steps than there are units. */
static void assert_spans(const int *towards, int root, int units)
{
    assert_int_equal(towards[root], -1);
    for (int u = 0; u < units; u++) {
        int at = u, steps = 0;

        while (at != root) {
            assert_in_range(at, 0, units - 1);
            assert_true(steps++ < units);
            at = towards[at];
        }
    }
}

/* Adds what an arc loads links with, each of which there must be. */
static void load(double *loads, const double *rates, const struct hs_packing *packing, int from,
                 int to, int route, double bytes, int vertices)
{
    unsigned char direct[2] = {(unsigned char)from, (unsigned char)to};
    const unsigned char *way = route < 0 ? direct : packing->routes[route].vertices;
    int count = route < 0 ? 2 : packing->routes[route].count;

    assert_int_equal(way[0], from);
    assert_int_equal(way[count - 1], to);
    for (int i = 0; i + 1 < count; i++) {
        assert_true(rates[way[i] * vertices + way[i + 1]] > 0);
        loads[way[i] * vertices + way[i + 1]] += bytes;
    }
}

static void assert_is_packing(const struct hs_packing *packing, const struct hs_links *links,
                              enum hs_phase phase)
{
    static double loads[HS_LINKS_VERTICES * HS_LINKS_VERTICES], rates[sizeof(loads) / 8];
    double shares[HS_LINKS_UNITS] = {0}, sum = 0, busiest = 0;
    int n = links->units, vertices = hs_links_vertices(links);

    memset(loads, 0, sizeof(loads));
    hs_links_rates(rates, links);
    for (size_t t = 0; t < packing->count; t++) {
        const struct hs_tree *tree = &packing->trees[t];
        double bytes = tree->share / (phase == HS_ALLREDUCE ? 1 : n);

        assert_true(tree->share > 0);
        shares[tree->root] += tree->share;
        sum += tree->share;
        if (phase != HS_ALLGATHER)
            assert_spans(tree->up, tree->root, n);
        if (phase != HS_REDUCE_SCATTER)
            assert_spans(tree->down, tree->root, n);
        for (int u = 0; u < n; u++) {
            assert_true(phase != HS_ALLGATHER || tree->up[u] == -1);
            assert_true(phase != HS_REDUCE_SCATTER || tree->down[u] == -1);
            if (tree->up[u] >= 0)
                load(loads, rates, packing, u, tree->up[u], tree->up_route[u], bytes, vertices);
            if (tree->down[u] >= 0)
                load(loads, rates, packing, tree->down[u], u, tree->down_route[u], bytes, vertices);
        }
    }
    for (int u = 0; u < n && phase != HS_ALLREDUCE; u++)
        assert_near(shares[u], 1, 1e-9);
    assert_near(sum, phase == HS_ALLREDUCE ? 1 : n, 1e-9);
    for (int i = 0; i < vertices * vertices; i++)
        if (loads[i] > 0)
            busiest = fmax(busiest, loads[i] / rates[i]);
    assert_near(packing->seconds_per_byte, busiest, 1e-9);
}

/* How near the limit it is; at most just at it. */
static double reached(make_function *how, const struct hs_links *links, enum hs_phase phase)
{
    struct hs_packing packing = make(how, links, phase);
    double part = hs_cuts_of(links, phase).seconds_per_byte / packing.seconds_per_byte;

    assert_is_packing(&packing, links, phase);
    assert_true(part <= 1 + 1e-6);
    hs_packing_release(&packing);
    return part;
}

static void trees_reach_the_limit_of_random_graphs(void **state)
{
    uint64_t random = 3;
    int trials = hs_tests_quick() ? 60 : 500;
    double least = 1;

    (void)state;
    for (int trial = 0; trial < trials; trial++) {
        int units = 4 + below(&random, 13), relays = trial % 4 == 3 ? 1 + below(&random, 3) : 0;
        struct hs_links links = random_graph(&random, units, relays);

        for (int p = 0; p < 3; p++)
            least = fmin(least, reached(hs_packing_make, &links, phases[p]));
        assert_true(least >= 0.99);
        hs_links_release(&links);
    }
    print_message("# least part of the limit: %.6f\n", least);
}

/* All rates are whole numbers of few: trees of equal weight are looked for. A relay reaches all. */
static struct hs_links even_graph(uint64_t *random)
{
    int units = 4 + below(random, 13), more = below(random, 2 * units);
    struct hs_links links = graph_of(units, 1);

    for (int u = 1; u < units; u++)
        join(&links, below(random, u), u, 1 + below(random, 2), 50e9);
    for (int i = 0; i < more; i++) {
        int u = below(random, units);

        join(&links, u, (u + 1 + below(random, units - 1)) % units, 1, 50e9);
    }
    for (int u = 0; u < units; u++)
        join(&links, u, units, 1, 25e9);
    return links;
}

static void trees_of_equal_weight_are_packings_too(void **state)
{
    uint64_t random = 11;

    (void)state;
    for (int trial = 0; trial < (hs_tests_quick() ? 40 : 200); trial++) {
        struct hs_links links = even_graph(&random);

        for (int p = 0; p < 2; p++)
            assert_true(reached(hs_packing_make, &links, phases[p]) >= 0.99);
        links.fixed_ways = true;
        for (int p = 0; p < 2; p++)
            reached(hs_packing_make, &links, phases[p]);
        hs_links_release(&links);
    }
}

/* Edmonds' theorem asks for no symmetry; of an allreduce trees are at least as good as the two
 * phases one after the other, which are trees up and trees down. */
static void trees_reach_the_limit_of_graphs_one_way(void **state)
{
    uint64_t random = 4;
    int trials = hs_tests_quick() ? 30 : 150;

    (void)state;
    for (int trial = 0; trial < trials; trial++) {
        struct hs_links links = random_one_way(&random, 3 + below(&random, 8));
        struct hs_packing packing[3];

        assert_true(reached(hs_packing_make, &links, HS_ALLGATHER) >= 0.999);
        assert_true(reached(hs_packing_make, &links, HS_REDUCE_SCATTER) >= 0.999);
        reached(hs_packing_make, &links, HS_ALLREDUCE);
        for (int p = 0; p < 3; p++)
            packing[p] = make(hs_packing_make, &links, phases[p]);
        assert_true(packing[2].seconds_per_byte <=
                    (packing[0].seconds_per_byte + packing[1].seconds_per_byte) * (1 + 1e-6));
        for (int p = 0; p < 3; p++)
            hs_packing_release(&packing[p]);
        hs_links_release(&links);
    }
}

static void rings_and_groups_are_packings_too(void **state)
{
    uint64_t random = 6;

    (void)state;
    for (int trial = 0; trial < (hs_tests_quick() ? 20 : 100); trial++) {
        struct hs_links links = trial % 3 == 2
                                    ? random_one_way(&random, 2 + below(&random, 9))
                                    : random_graph(&random, 2 + below(&random, 9), trial % 3 * 2);

        for (int p = 0; p < 3; p++) {
            reached(hs_packing_make_rings, &links, phases[p]);
            reached(hs_packing_make_groups, &links, phases[p]);
        }
        hs_links_release(&links);
    }
}

/* ---- known machines -------------------------------------------------------------------------- */

/* ForestColl's k, with x the least B(S) / |S|: the trees that a root has of one unit each, where
 * every link's rate and x are whole numbers of units; by definition 1 of arXiv 2402.06787. */
static int trees_of_forestcoll(int links_of_all, int blocks)
{
    int k = links_of_all;

    for (int a = links_of_all, b = blocks; b != 0;) {
        int rest = a % b;

        a = b;
        b = rest;
        k = links_of_all / a;
    }
    return k;
}

/* `of_allreduce`: it has no more, either, though there the number is of other trees. */
static void assert_few_trees(const struct hs_links *links, int k, bool of_allreduce)
{
    for (int p = 0; p < (of_allreduce ? 3 : 2); p++) {
        struct hs_packing packing = make(hs_packing_make, links, phases[p]);

        assert_true(packing.count <= (size_t)(k * links->units));
        hs_packing_release(&packing);
    }
}

/* P100s at 18 GB/s a link; two at each PCIe switch (8 to 11), two of these at each CPU (12, 13). */
static struct hs_links dgx1_with_pcie(void)
{
    struct hs_links links = dgx1(false);

    for (size_t i = 0; i < links.count; i++)
        links.items[i].bytes_per_second = 18e9;
    links.relays = 6;
    for (int gpu = 0; gpu < 8; gpu++)
        join(&links, gpu, 8 + gpu / 2, 1, 12e9);
    for (int pcie_switch = 0; pcie_switch < 4; pcie_switch++)
        join(&links, 8 + pcie_switch, 12 + pcie_switch / 2, 1, 12e9);
    join(&links, 12, 13, 1, 6e9);
    return links;
}

static void a_dgx1_has_few_trees(void **state)
{
    struct hs_links links = dgx1(false);

    (void)state;
    /* Four links of 20 GB/s enter a GPU, for seven blocks: 4 trees; of V100 six for seven. */
    assert_int_equal(trees_of_forestcoll(4, 7), 4);
    assert_few_trees(&links, 4, true);
    hs_links_release(&links);
    links = dgx1(true);
    assert_few_trees(&links, trees_of_forestcoll(6, 7), true);
    hs_links_release(&links);
    /* With PCIe 84 GB/s enter a GPU, in units of 6 that all rates are whole numbers of: 14. */
    links = dgx1_with_pcie();
    assert_int_equal(trees_of_forestcoll(14, 7), 2);
    assert_few_trees(&links, 2, false);
    hs_links_release(&links);
    links = mesh(8, 64e9);
    assert_few_trees(&links, trees_of_forestcoll(7, 7), true);
    hs_links_release(&links);
}

static void two_ways_at_once_add_up(void **state)
{
    struct hs_links links = graph_of(2, 1);
    struct hs_packing packing;

    (void)state;
    join(&links, 0, 1, 1, 50e9);
    join(&links, 0, 2, 1, 32e9);
    join(&links, 2, 1, 1, 32e9);
    packing = make(hs_packing_make, &links, HS_ALLGATHER);
    assert_near(packing.seconds_per_byte, 0.5 / 82e9, 1e-6);
    assert_int_equal(packing.count, 4);
    assert_near(packing.trees[0].share, 50 / 82.0, 1e-6);
    assert_int_equal(packing.route_count, 2);
    hs_packing_release(&packing);
    packing = make(hs_packing_make_rings, &links, HS_ALLGATHER);
    assert_near(packing.seconds_per_byte, 0.5 / 50e9, 1e-9);
    hs_packing_release(&packing);
    hs_links_release(&links);
}

/* ---- fixed ways ------------------------------------------------------------------------------ */

/* An arc's way is that of hs_links_path; of rings, where there is none, by other units. */
static void assert_goes(const struct hs_packing *packing, const struct hs_links *links, int from,
                        int to, int route)
{
    int path[HS_LINKS_VERTICES], count = hs_links_path(path, links, from, to);

    if (count == 0)
        count = hs_links_path_by_units(path, links, from, to);
    if (route < 0) {
        assert_int_equal(count, 2);
        return;
    }
    assert_int_equal(packing->routes[route].count, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(packing->routes[route].vertices[i], path[i]);
}

static void assert_goes_by_fixed_ways(const struct hs_packing *packing,
                                      const struct hs_links *links)
{
    for (size_t t = 0; t < packing->count; t++)
        for (int u = 0; u < packing->units; u++) {
            const struct hs_tree *tree = &packing->trees[t];

            if (tree->up[u] >= 0)
                assert_goes(packing, links, u, tree->up[u], tree->up_route[u]);
            if (tree->down[u] >= 0)
                assert_goes(packing, links, tree->down[u], u, tree->down_route[u]);
        }
}

/* Some of its links only one way, as long as all are joined. */
static void turn_some(struct hs_links *links, uint64_t *random)
{
    for (size_t i = 0; i < links->count; i++) {
        links->items[i].one_way = below(random, 3) == 0;
        if (hs_links_check(links, "", NULL) != HS_OK)
            links->items[i].one_way = false;
    }
}

static void all_goes_by_fixed_ways(void **state)
{
    static make_function *const makers[] = {hs_packing_make, hs_packing_make_groups,
                                            hs_packing_make_rings};
    uint64_t random = 9;

    (void)state;
    for (int trial = 0; trial < (hs_tests_quick() ? 40 : 200); trial++) {
        struct hs_links links = random_graph(&random, 2 + below(&random, 9), 1 + trial % 4);

        if (trial % 3 == 2)
            turn_some(&links, &random);
        links.fixed_ways = true;
        for (int p = 0; p < 3 && hs_links_check(&links, "", NULL) == HS_OK; p++)
            for (int m = 0; m < 3; m++) {
                struct hs_packing packing = make(makers[m], &links, phases[p]);

                assert_is_packing(&packing, &links, phases[p]);
                assert_goes_by_fixed_ways(&packing, &links);
                hs_packing_release(&packing);
            }
        hs_links_release(&links);
    }
}

static void no_trees_by_fixed_ways_are_faster(void **state)
{
    uint64_t random = 10;
    int slower = 0, compared = 0;

    (void)state;
    for (int trial = 0; trial < (hs_tests_quick() ? 40 : 300); trial++) {
        struct hs_links links = random_graph(&random, 2 + below(&random, 4), 1 + below(&random, 3));

        if (trial % 2 == 1)
            turn_some(&links, &random);
        for (int p = 0; p < 3 && hs_links_check(&links, "", NULL) == HS_OK; p++) {
            struct hs_packing packing, choosing;

            if (phases[p] == HS_ALLREDUCE && links.units > 4)
                continue;
            links.fixed_ways = true;
            packing = make(hs_packing_make, &links, phases[p]);
            links.fixed_ways = false;
            choosing = make(hs_packing_make, &links, phases[p]);
            assert_near(packing.seconds_per_byte, fastest_of_all_trees(&links, phases[p]), 1e-6);
            assert_true(choosing.seconds_per_byte <= packing.seconds_per_byte * (1 + 1e-6));
            slower += packing.seconds_per_byte > choosing.seconds_per_byte * (1 + 1e-3);
            compared++;
            hs_packing_release(&packing);
            hs_packing_release(&choosing);
        }
        hs_links_release(&links);
    }
    print_message("# by fixed ways %d of %d are slower\n", slower, compared);
    assert_true(slower > 0);
}

static void of_two_ways_the_direct_one_is_fixed(void **state)
{
    struct hs_links links = graph_of(2, 1);
    struct hs_packing packing;

    (void)state;
    join(&links, 0, 1, 1, 50e9);
    join(&links, 0, 2, 1, 320e9);
    join(&links, 2, 1, 1, 320e9);
    links.fixed_ways = true;
    packing = make(hs_packing_make, &links, HS_ALLGATHER);
    assert_near(packing.seconds_per_byte, 0.5 / 50e9, 1e-6);
    assert_int_equal(packing.route_count, 0);
    hs_packing_release(&packing);
    hs_links_release(&links);
}

/* ---- rings ----------------------------------------------------------------------------------- */

/* The most rings, each of a link of each arc that it passes: every choice is tried. `first`: an
 * order below which the next ring's is not, as one of them comes first anyway. */
static int most_rings(int slots[6][6], int units, int *order, int length, unsigned left)
{
    int most = 0, at = order[length - 1];

    if (left == 0) {
        if (slots[at][0] == 0)
            return 0;
        for (int i = 0; i < units; i++)
            slots[order[i]][order[(i + 1) % units]]--;
        int again[6] = {0};

        most = 1 + most_rings(slots, units, again, 1, (1U << units) - 2);
        for (int i = 0; i < units; i++)
            slots[order[i]][order[(i + 1) % units]]++;
        return most;
    }
    for (int v = 1; v < units; v++)
        if ((left >> v & 1) && slots[at][v] > 0) {
            int found;

            order[length] = v;
            found = most_rings(slots, units, order, length + 1, left & ~(1U << v));
            most = found > most ? found : most;
        }
    return most;
}

static void as_many_rings_as_there_are(void **state)
{
    uint64_t random = 8;

    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        int units = 3 + below(&random, 3), slots[6][6] = {{0}}, order[6] = {0}, most;
        struct hs_links links = graph_of(units, 0);
        struct hs_packing packing;

        for (int u = 0; u < units; u++)
            for (int v = 0; v < u; v++)
                if (below(&random, 4) > 0) {
                    join(&links, u, v, 1, 1e9);
                    slots[u][v] = slots[v][u] = 1;
                }
        most = most_rings(slots, units, order, 1, (1U << units) - 2);
        if (most > 0) {
            packing = make(hs_packing_make_rings, &links, HS_ALLGATHER);
            assert_int_equal(packing.count, most * units);
            assert_near(packing.seconds_per_byte, (units - 1.0) / units / most / 1e9, 1e-9);
            hs_packing_release(&packing);
        }
        hs_links_release(&links);
    }
}

/* NCCL's on a DGX-1: 4 of P100, 6 of V100, all links in use; on 8 that all have links with each
 * other 7 (Tillson 1980). */
static void known_machines_have_their_rings(void **state)
{
    struct hs_links machines[] = {dgx1(false), dgx1(true), mesh(8, 1e9), mesh(4, 1e9)};
    static const size_t rings[] = {4, 6, 7, 2};

    (void)state;
    for (size_t m = 0; m < HS_COUNT(machines); m++) {
        struct hs_packing packing = make(hs_packing_make_rings, &machines[m], HS_ALLREDUCE);

        assert_int_equal(packing.count, rings[m] * (size_t)machines[m].units);
        hs_packing_release(&packing);
        hs_links_release(&machines[m]);
    }
}

/* Three GPUs of which two have no link: through the host, as slow as its links. */
static void without_a_ring_the_host_is_in_it(void **state)
{
    struct hs_links links = graph_of(3, 1);
    struct hs_packing packing;

    (void)state;
    join(&links, 0, 1, 1, 20e9);
    join(&links, 1, 2, 1, 20e9);
    for (int u = 0; u < 3; u++)
        join(&links, u, 3, 1, 10e9);
    packing = make(hs_packing_make_rings, &links, HS_ALLREDUCE);
    assert_near(packing.seconds_per_byte, 2 * 2.0 / 3 / 10e9, 1e-9);
    assert_int_equal(packing.route_count, 1);
    hs_packing_release(&packing);
    hs_links_release(&links);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void groups_are_as_few_as_there_are(void **state)
{
    struct hs_links links = dgx1(true), part;
    int groups[HS_LINKS_UNITS], seven[] = {0, 1, 2, 3, 4, 5, 7};
    struct hs_packing packing;

    (void)state;
    assert_int_equal(hs_packing_groups(groups, &links), 2);
    for (int u = 0; u < 8; u++)
        assert_int_equal(groups[u], u / 4);
    /* Uneven ones: 4 and 3. Within a group a unit takes from the first that is reached. */
    assert_int_equal(hs_links_subset(&part, &links, seven, 7, NULL), HS_OK);
    assert_int_equal(hs_packing_groups(groups, &part), 2);
    packing = make(hs_packing_make_groups, &part, HS_ALLGATHER);
    for (size_t t = 0; t < packing.count; t++) {
        int entries[2] = {0};

        for (int u = 0; u < 7; u++) {
            int from = packing.trees[t].down[u];

            if (from < 0 || groups[from] != groups[u])
                entries[groups[u]]++;
            else
                assert_true(from == packing.trees[t].root ||
                            groups[packing.trees[t].down[from]] != groups[from]);
        }
        assert_int_equal(entries[0], 1);
        assert_int_equal(entries[1], 1);
    }
    hs_packing_release(&packing);
    hs_links_release(&part);
    hs_links_release(&links);
}

/* ---- ways of use ----------------------------------------------------------------------------- */

static void the_same_call_gives_the_same_trees(void **state)
{
    struct hs_links links = dgx1(true);

    (void)state;
    for (int p = 0; p < 3; p++) {
        struct hs_packing one = make(hs_packing_make, &links, phases[p]);
        struct hs_packing other = make(hs_packing_make, &links, phases[p]);

        assert_int_equal(one.count, other.count);
        for (size_t t = 0; t < one.count; t++) {
            assert_memory_equal(one.trees[t].up, other.trees[t].up, sizeof(one.trees[t].up));
            assert_memory_equal(one.trees[t].down, other.trees[t].down, sizeof(one.trees[t].down));
            assert_true(one.trees[t].share == other.trees[t].share);
        }
        hs_packing_release(&one);
        hs_packing_release(&other);
    }
    hs_links_release(&links);
}

static void refuses_what_it_cannot_pack(void **state)
{
    struct hs_links links = graph_of(4, 0);
    struct hs_packing packing;
    struct hs_error err = {0};

    (void)state;
    join(&links, 0, 1, 1, 1e9);
    assert_int_equal(hs_packing_make(&packing, &links, HS_ALLGATHER, &err), HS_INVALID);
    assert_string_equal(err.message, "links: not joined: no way between some of 4 units");
    assert_int_equal(hs_packing_make_rings(&packing, &links, HS_ALLGATHER, &err), HS_INVALID);
    assert_string_equal(err.message, "links: not joined: no way between some of 4 units");
    assert_int_equal(hs_packing_make(&packing, &links, HS_EXCHANGE, &err), HS_INVALID);
    assert_string_equal(err.message, "packing trees: expected a reduce-scatter, an allgather or "
                                     "an allreduce, found exchange");
    links.units = 1;
    links.count = 0;
    assert_int_equal(hs_packing_make(&packing, &links, HS_ALLGATHER, &err), HS_OK);
    assert_int_equal(packing.count, 0);
    hs_packing_release(&packing);
    hs_links_release(&links);
}

/* No weights below WEIGHT_LEAST of the fastest pair's are trees: there were none, which took no
 * time. */
static void refuses_links_that_are_next_to_none(void **state)
{
    make_function *const functions[] = {hs_packing_make, hs_packing_make_groups};
    struct hs_links links = graph_of(3, 0);

    (void)state;
    join(&links, 0, 1, 1, 1e12);
    join(&links, 1, 2, 1, 1);
    for (int i = 0; i < 6; i++) {
        struct hs_packing packing;
        struct hs_error err = {0};

        assert_int_equal(functions[i / 3](&packing, &links, phases[i % 3], &err), HS_FAILED);
        assert_string_equal(err.message,
                            "packing trees: some links carry less than 1e-9 of others");
        assert_int_equal(packing.count, 0);
    }
    hs_links_release(&links);
}

/* The largest there is: 64 units on a switch. */
static void packs_the_largest_graphs(void **state)
{
    struct hs_links links = graph_of(64, 1);

    (void)state;
    for (int u = 0; u < 64; u++)
        join(&links, u, 64, 1, 1e9);
    for (int p = 0; p < 3; p++)
        assert_true(reached(hs_packing_make, &links, phases[p]) >= 0.999);
    hs_links_release(&links);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("packed trees reach 99 % of the limit of random graphs",
            trees_reach_the_limit_of_random_graphs),
    HS_TEST("trees of equal weight are packings, too", trees_of_equal_weight_are_packings_too),
    HS_TEST("packed trees reach it where links lead one way",
            trees_reach_the_limit_of_graphs_one_way),
    HS_TEST("rings and groups are packings, too, and below no limit",
            rings_and_groups_are_packings_too),
    HS_TEST("a DGX-1 and a mesh have no more trees per root than ForestColl's k",
            a_dgx1_has_few_trees),
    HS_TEST("two ways at once carry what both can", two_ways_at_once_add_up),
    HS_TEST("where ways are fixed trees, groups and rings go by them", all_goes_by_fixed_ways),
    HS_TEST("no trees by fixed ways are faster: all of them in one program",
            no_trees_by_fixed_ways_are_faster),
    HS_TEST("of two ways the direct one is fixed", of_two_ways_the_direct_one_is_fixed),
    HS_TEST("as many rings are found as trying all finds", as_many_rings_as_there_are),
    HS_TEST("known machines have the rings that are known", known_machines_have_their_rings),
    HS_TEST("a ring that lacks links goes through the host", without_a_ring_the_host_is_in_it),
    HS_TEST("groups are as few as there are, even uneven, and entered once",
            groups_are_as_few_as_there_are),
    HS_TEST("the same call gives the same trees", the_same_call_gives_the_same_trees),
    HS_TEST("other phases and units that are not joined are refused", refuses_what_it_cannot_pack),
    HS_TEST("links that are next to none are refused", refuses_links_that_are_next_to_none),
    HS_TEST("64 units on a switch are packed", packs_the_largest_graphs),
};
HS_TEST_MAIN(tests)
