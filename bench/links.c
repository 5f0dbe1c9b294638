/*
 * links.c - what trees packed on a node's links reach (links/packing.h), on the systems named:
 * every choice of 2 and more of a node's GPUs, or of 16 some that are drawn.
 *
 *     links NAME...      of configs/NAME.json
 *
 * Bounds by maximum flows stand against all cuts and partitions (tests/links/all_cuts.h), the trees
 * of a root against ForestColl's k (arXiv 2402.06787, section 4: q / gcd(q, all rates), where p / q
 * is the least |S| / B(S)), times against those of rings, and those of trees that have one way
 * alone between two units (struct hs_links, fixed_ways) against those that choose.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../tests/links/all_cuts.h"
#include "base/random.h"
#include "estimate/system_file.h"
#include "links/cuts.h"
#include "links/packing.h"
#include "links/subsets.h"
#include "system/system.h"

#define DRAWN       200
#define ALL_UP_TO   8  /* units of a node of which all choices are taken */
#define CUTS_UP_TO  16 /* vertices of which all sets are looked at */
#define PARTS_UP_TO 8

static const enum hs_phase phases[] = {HS_ALLGATHER, HS_REDUCE_SCATTER, HS_ALLREDUCE};

/* Of a machine, or of its choices of one size. */
struct tally {
    int kinds, choices, apart;
    double least_reached, bound_off;           /* of what was asked of all; relative */
    int few, counted;                          /* roots' trees no more than ForestColl's, and all */
    double trees, forestcoll;                  /* summed over what is counted */
    double lost_sum, lost_most;                /* by one way alone, over phases; relative */
    double rings_sum, rings_least, rings_most; /* rings' time over trees' */
    double direct_sum, direct_most; /* trees over direct links alone against rings, where joined */
    int direct;
};

static void check(enum hs_status status, const struct hs_error *err)
{
    if (status == HS_OK)
        return;
    fprintf(stderr, "links: %s\n", err->message);
    exit(1);
}

static long gcd(long a, long b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* Rates are whole kB/s. */
static double forestcoll_trees(const struct hs_links *links)
{
    struct hs_cuts cuts = hs_cuts_of(links, HS_ALLGATHER);
    long sent = lround(hs_cuts_leaving(links, cuts.parts[0]) / 1e3);
    long q = sent / gcd(sent, __builtin_popcountll(cuts.parts[0])), rest = q;

    for (size_t i = 0; i < links->count; i++)
        rest = gcd(rest, lround(links->items[i].count * links->items[i].bytes_per_second / 1e3));
    return (double)(q / rest);
}

/* How far the bounds are from what all cuts and partitions say. */
static double compare_bounds(const struct hs_links *links)
{
    static struct all_cuts all;
    double off = 0;

    if (hs_links_vertices(links) > CUTS_UP_TO)
        return 0;
    cut_everywhere(&all, links);
    for (int p = 0; p < 2; p++)
        off = fmax(
            off,
            fabs(hs_cuts_of(links, phases[p]).seconds_per_byte / worst_cut(&all, phases[p]) - 1));
    if (links->units <= PARTS_UP_TO)
        off = fmax(off,
                   fabs(hs_cuts_of(links, HS_ALLREDUCE).seconds_per_byte / worst_of_all(&all) - 1));
    return off;
}

/* The same units without relays. */
static struct hs_links without_relays(const struct hs_links *links)
{
    struct hs_links direct;
    struct hs_error err = {0};
    size_t kept = 0;

    check(hs_links_copy(&direct, links, &err), &err);
    for (size_t i = 0; i < direct.count; i++)
        if (direct.items[i].from < links->units && direct.items[i].to < links->units)
            direct.items[kept++] = direct.items[i];
    direct.count = kept;
    direct.relays = 0;
    return direct;
}

/* What trees of direct links gain over rings that take relays only where they must. */
static void tally_direct(struct tally *tally, const struct hs_links *links, double rings, int alike)
{
    struct hs_links direct = without_relays(links);
    struct hs_packing trees;
    struct hs_error err = {0};

    if (hs_links_check(&direct, "", NULL) == HS_OK) {
        double gain;

        check(hs_packing_make(&trees, &direct, HS_ALLREDUCE, &err), &err);
        gain = rings / trees.seconds_per_byte;
        tally->direct += alike;
        tally->direct_sum += alike * gain;
        tally->direct_most = fmax(tally->direct_most, gain);
        hs_packing_release(&trees);
    }
    hs_links_release(&direct);
}

/* What trees lose that have one way alone. */
static void tally_fixed(struct tally *tally, const struct hs_links *links,
                        const struct hs_packing *choosing, int alike)
{
    struct hs_links fixed = *links;
    struct hs_packing trees;
    struct hs_error err = {0};
    double lost;

    fixed.fixed_ways = true;
    check(hs_packing_make(&trees, &fixed, choosing->phase, &err), &err);
    lost = 1 - choosing->seconds_per_byte / trees.seconds_per_byte;
    tally->lost_sum += alike * lost;
    tally->lost_most = fmax(tally->lost_most, lost);
    hs_packing_release(&trees);
}

static void tally_graph(struct tally *tally, const struct hs_links *links, int alike)
{
    struct hs_error err = {0};
    struct hs_packing trees, rings;

    tally->kinds++;
    tally->choices += alike;
    if (hs_links_check(links, "", NULL) != HS_OK) {
        tally->apart += alike;
        return;
    }
    tally->bound_off = fmax(tally->bound_off, compare_bounds(links));
    for (int p = 0; p < 3; p++) {
        double bound = hs_cuts_of(links, phases[p]).seconds_per_byte, gain, k;

        check(hs_packing_make(&trees, links, phases[p], &err), &err);
        tally->least_reached = fmin(tally->least_reached, bound / trees.seconds_per_byte);
        tally_fixed(tally, links, &trees, alike);
        if (p == 0) {
            k = forestcoll_trees(links);
            tally->counted++;
            tally->few += (double)trees.count <= k * links->units;
            tally->trees += (double)trees.count / links->units;
            tally->forestcoll += k;
        }
        if (p == 2) {
            check(hs_packing_make_rings(&rings, links, phases[p], &err), &err);
            gain = rings.seconds_per_byte / trees.seconds_per_byte;
            tally->rings_sum += alike * gain;
            tally->rings_least = fmin(tally->rings_least, gain);
            tally->rings_most = fmax(tally->rings_most, gain);
            tally_direct(tally, links, rings.seconds_per_byte, alike);
            hs_packing_release(&rings);
        }
        hs_packing_release(&trees);
    }
}

static struct tally nothing(void)
{
    return (struct tally){.least_reached = INFINITY, .rings_least = INFINITY};
}

static void add(struct tally *sum, const struct tally *one)
{
    sum->kinds += one->kinds;
    sum->choices += one->choices;
    sum->apart += one->apart;
    sum->least_reached = fmin(sum->least_reached, one->least_reached);
    sum->bound_off = fmax(sum->bound_off, one->bound_off);
    sum->few += one->few;
    sum->counted += one->counted;
    sum->trees += one->trees;
    sum->forestcoll += one->forestcoll;
    sum->lost_sum += one->lost_sum;
    sum->lost_most = fmax(sum->lost_most, one->lost_most);
}

/* One drawn set of 2 to all units. */
static uint64_t draw(uint64_t *state, int units)
{
    int size = 2 + (int)(hs_random_bits(state) % (uint64_t)(units - 1));
    uint64_t set = 0;

    while (__builtin_popcountll(set) < size)
        set |= 1ULL << hs_random_bits(state) % (uint64_t)units;
    return set;
}

/* The graph of a set of units, in their order. */
static enum hs_status graph_of_set(struct hs_links *part, const struct hs_links *links,
                                   uint64_t units, struct hs_error *err)
{
    int list[HS_LINKS_UNITS], count = 0;

    for (; units != 0; units &= units - 1)
        list[count++] = __builtin_ctzll(units);
    return hs_links_subset(part, links, list, count, err);
}

static void tally_set(struct tally *tally, const struct hs_links *links, uint64_t set, int alike)
{
    struct hs_links part;
    struct hs_error err = {0};

    check(graph_of_set(&part, links, set, &err), &err);
    tally_graph(tally, &part, alike);
    hs_links_release(&part);
}

/* Choices of one size. */
static struct tally tally_size(const struct hs_links *links, int size)
{
    struct tally tally = nothing();
    struct hs_subsets subsets;
    struct hs_error err = {0};

    check(hs_subsets_find(&subsets, links, size, &err), &err);
    for (size_t i = 0; i < subsets.count; i++)
        tally_set(&tally, links, subsets.items[i].units, (int)subsets.items[i].alike);
    hs_subsets_release(&subsets);
    return tally;
}

/* Of a processor, to pack all of a node's choices, apart from all that is compared. */
static double time_choices(const struct hs_links *links)
{
    clock_t begin = clock();
    struct hs_error err = {0};

    for (int size = links->units > ALL_UP_TO ? links->units : 2; size <= links->units; size++) {
        struct hs_subsets subsets;

        check(hs_subsets_find(&subsets, links, size, &err), &err);
        for (size_t i = 0; i < subsets.count; i++) {
            struct hs_links part;

            check(graph_of_set(&part, links, subsets.items[i].units, &err), &err);
            for (int p = 0; p < 3 && hs_links_check(&part, "", NULL) == HS_OK; p++) {
                struct hs_packing trees;

                check(hs_packing_make(&trees, &part, phases[p], &err), &err);
                hs_packing_release(&trees);
            }
            hs_links_release(&part);
        }
        hs_subsets_release(&subsets);
    }
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

static void print_size(const char *name, int size, const struct tally *tally)
{
    int joined = tally->choices - tally->apart;

    printf("%-18s %2d of them  trees over rings %.2f to %.2f, mean %.2f", name, size,
           tally->rings_least, tally->rings_most, tally->rings_sum / joined);
    if (tally->direct > 0)
        printf("; of direct links alone %.2f, at most %.2f (%d of %d choices)",
               tally->direct_sum / tally->direct, tally->direct_most, tally->direct, joined);
    printf("\n");
}

static void tally_machine(const char *name, const struct hs_links *links)
{
    struct tally sum = nothing(), one;
    uint64_t state = 1;

    if (links->units > ALL_UP_TO) {
        for (int i = 0; i < DRAWN; i++) {
            one = nothing();
            tally_set(&one, links, draw(&state, links->units), 1);
            add(&sum, &one);
        }
        one = tally_size(links, links->units);
        add(&sum, &one);
        print_size(name, links->units, &one);
    }
    for (int size = 2; size <= links->units && links->units <= ALL_UP_TO; size++) {
        one = tally_size(links, size);
        add(&sum, &one);
        print_size(name, size, &one);
    }
    printf(
        "%-18s %d choices, %d kinds, %d apart: at least %.2f %% of the bound, which is off by "
        "%.0e; "
        "trees of a root %.1f, ForestColl's k %.1f, no more of %d of %d; by one way alone %.1f %% "
        "slower, at most %.1f %%; %s %.3f s of a processor\n\n",
        name, sum.choices, sum.kinds, sum.apart, 100 * sum.least_reached, sum.bound_off,
        sum.trees / sum.counted, sum.forestcoll / sum.counted, sum.few, sum.counted,
        100 * sum.lost_sum / (3 * (sum.choices - sum.apart)), 100 * sum.lost_most,
        links->units > ALL_UP_TO ? "all its units" : "all choices", time_choices(links));
}

/* A level's own links, or those of a mesh. */
static struct hs_links links_of(const struct hs_level *level)
{
    struct hs_links links = {.units = (int)level->arity};
    struct hs_error err = {0};

    if (level->fabric == HS_FABRIC_LINKS) {
        check(hs_links_copy(&links, &level->links, &err), &err);
        return links;
    }
    links.items = calloc((size_t)(links.units * links.units), sizeof(*links.items));
    if (!links.items)
        check(hs_no_memory(&err), &err);
    for (int u = 0; u < links.units; u++)
        for (int v = 0; v < u; v++)
            links.items[links.count++] =
                (struct hs_link){.from = v,
                                 .to = u,
                                 .count = 1,
                                 .bytes_per_second = level->bytes_per_second / (links.units - 1)};
    return links;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct hs_system system;
        struct hs_error err = {0};
        struct hs_links links;
        char path[256];

        snprintf(path, sizeof(path), "configs/%s.json", argv[i]);
        check(hs_system_load(&system, path, &err), &err);
        links = links_of(&system.levels[0]);
        tally_machine(argv[i], &links);
        hs_links_release(&links);
        hs_system_release(&system);
    }
    return 0;
}
