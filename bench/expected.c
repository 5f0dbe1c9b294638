/*
 * What the plan of least expected time loses where parameters are off, beside the nominal best; and
 * what one measurement takes off.
 *
 *     build/bench/expected FILE...      (make bench-expected: shipped systems and SimGrid's)
 *
 * The plan is chosen on 200 machines, a measurement on as many as predict asks; both are judged on
 * others, drawn from another seed: with the figures alone off, and below with what no price
 * explains, too, as predict draws them. Points: 4, 16 and 64 nodes (as many processes where
 * levels are no nodes), 64
 * KiB to 1 GiB in steps of 4. A loss is what a plan takes over the least of its sample.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/library/trust_price.h"
#include "../tests/problem_world.h"
#include "base/random.h"
#include "estimate/system_file.h"
#include "search/proposal.h"

#define CHOSEN_ON  HS_MACHINES_USUAL
#define ASKED_ON   HS_EXPECTED_ASKED
#define JUDGED_ON  800
#define POINTS_MAX 2000
#define PAIRS      24    /* plans at random that the one shown is put beside */
#define UNSURE     0.005 /* expected regret from which on a measurement is looked for */

struct point {
    struct hs_estimate guess, shown;
    double proposed, stage, pair, most; /* what a measurement takes off; NaN: not unsure */
};

static void check(enum hs_status status, const struct hs_error *err)
{
    if (status == HS_OK)
        return;
    fprintf(stderr, "expected: %s\n", err->message);
    exit(1);
}

/* What each measurement takes off on the machines that judge, of the layers that one stage is by
 * one algorithm, and at the end of what lies between calls, if that is any: how many. */
static size_t judge_each(double *drops, struct hs_stage_key *keys, struct hs_expected *judged,
                         struct hs_error *err)
{
    const struct hs_machines *machines = judged->drawn;
    size_t count = 0;

    check(hs_expected_stage_drops(drops, judged, err), err);
    for (size_t r = 0; r < judged->row_count; r++)
        if (judged->rows[r].stages == 1) {
            keys[count] = judged->rows[r].keys[0];
            drops[count++] = drops[r];
        }
    keys[count] = (struct hs_stage_key){.layer = {0, 0}};
    for (size_t f = 0; f < machines->figure_count; f++)
        if (machines->figures[f].what == HS_GAP_OF)
            check(hs_expected_drop(&drops[count++], judged, machines->figures[f].off, err), err);
    return count;
}

/* The split and algorithms of a way through the lattice at random. */
static struct hs_plan random_plan(const struct hs_expected *table, uint64_t *state)
{
    const struct hs_lattice *lattice = &table->lattice;
    struct hs_plan plan = {.chunks = 1};

    for (size_t node = 0; node + 1 < lattice->node_count;) {
        size_t first = lattice->first_edge[node], count = lattice->first_edge[node + 1] - first;
        size_t edge = first + hs_random_bits(state) % count;
        size_t rows = table->first_row[edge + 1] - table->first_row[edge];
        const struct hs_edge_row *row;

        if (rows == 0) { /* nothing goes there */
            node = 0;
            plan.split.count = 0;
            continue;
        }
        row = &table->rows[table->first_row[edge] + hs_random_bits(state) % rows];
        plan.split.sizes[plan.split.count] = row->keys[0].layer.size;
        plan.algorithms[plan.split.count][0] = (unsigned char)row->ways[0];
        plan.algorithms[plan.split.count++][1] = (unsigned char)row->ways[1];
        node = lattice->edge_end[edge];
    }
    return plan;
}

/* Mean of what the plan shown beside one at random takes off; *most becomes the largest. */
static double judge_pairs(double *most, struct hs_expected *judged, const struct hs_plan *shown,
                          struct hs_error *err)
{
    uint64_t state = 1;
    double drop, sum = 0;

    for (int i = 0; i < PAIRS; i++) {
        struct hs_plan other = random_plan(judged, &state);

        check(hs_expected_pair_drop(&drop, judged, shown, &other, err), err);
        sum += drop;
        *most = fmax(*most, drop);
    }
    return sum / PAIRS;
}

/* What predict would propose; at random a stage, or what lies between calls; the plan shown beside
 * one at random; and the best of all of these. */
static void judge_measurement(struct point *point, struct hs_expected *chosen,
                              struct hs_expected *judged, const struct hs_plan *shown,
                              struct hs_error *err)
{
    double *drops = calloc(judged->row_count + 2, sizeof(*drops));
    struct hs_stage_key *keys = calloc(judged->row_count + 2, sizeof(*keys));
    struct hs_proposal proposal;
    size_t count;

    point->proposed = point->stage = point->pair = point->most = NAN;
    if (drops && keys && point->shown.loss >= UNSURE) {
        check(hs_propose(&proposal, chosen, shown, err), err);
        count = judge_each(drops, keys, judged, err);
        point->stage = point->most = 0;
        for (size_t i = 0; i < count; i++) {
            point->stage += drops[i] / (double)count;
            point->most = fmax(point->most, drops[i]);
            if (hs_stage_key_equal(keys[i], proposal.stage))
                point->proposed = drops[i];
        }
        if (proposal.whole)
            check(hs_expected_pair_drop(&point->proposed, judged, shown, &proposal.rival, err),
                  err);
        point->pair = judge_pairs(&point->most, judged, shown, err);
        point->most = fmax(point->most, point->proposed);
    }
    free(drops);
    free(keys);
}

struct drawn {
    struct hs_machines few, asked, many;
};

/* Losses are in units of the flat plan's time. */
static const struct hs_library_price flat = {.seconds = NAN};

static struct point judge(const struct hs_system *system, struct drawn *drawn, int64_t np,
                          double bytes)
{
    struct hs_search_request request = {.system = system,
                                        .problem = problem_world(np, bytes),
                                        .algorithms = hs_system_algorithms(system),
                                        .top = 1};
    struct hs_expected chosen, asked, judged;
    struct hs_search_result found;
    struct hs_error err = {0};
    struct point point;
    struct hs_estimated shown;

    hs_machines_ask(&drawn->few, np);
    hs_machines_ask(&drawn->asked, np);
    hs_machines_ask(&drawn->many, np);
    check(hs_search(&found, hs_search_strategy_find("lattice"), &request, &err), &err);
    check(hs_expected_init(&chosen, &request, &drawn->few, &flat, true, &err), &err);
    check(hs_expected_init(&asked, &request, &drawn->asked, &flat, true, &err), &err);
    check(hs_expected_init(&judged, &request, &drawn->many, &flat, true, &err), &err);
    check(hs_expected_simplest(&shown, &chosen, &err), &err);
    check(hs_estimate_of(&point.guess, &judged, &found.plans[0].plan, &err), &err);
    check(hs_estimate_of(&point.shown, &judged, &shown.plan, &err), &err);
    judge_measurement(&point, &asked, &judged, &shown.plan, &err);
    hs_expected_release(&chosen);
    hs_expected_release(&asked);
    hs_expected_release(&judged);
    hs_search_result_release(&found);
    return point;
}

static void draw(struct hs_machines *machines, const struct hs_system *system, size_t count,
                 uint64_t seed, bool errors)
{
    struct hs_error err = {0};

    check(hs_machines_init(machines, system, count, seed, &err), &err);
    if (!errors)
        trust_price(machines);
}

static size_t judge_system(struct point *points, const struct hs_system *system, bool errors)
{
    int64_t node = system->level_count > 1 ? hs_system_child_ranks(system, 1) : 4;
    struct drawn drawn;
    size_t count = 0;

    draw(&drawn.few, system, CHOSEN_ON, 1, errors);
    draw(&drawn.asked, system, ASKED_ON, 1, errors);
    draw(&drawn.many, system, JUDGED_ON, 2, errors);
    for (int64_t np = 4 * node; np <= 64 * node && np <= hs_system_capacity(system); np *= 4)
        for (double bytes = 65536; bytes <= 1073741824; bytes *= 4)
            points[count++] = judge(system, &drawn, np, bytes);
    hs_machines_release(&drawn.few);
    hs_machines_release(&drawn.asked);
    hs_machines_release(&drawn.many);
    return count;
}

/* Mean over the points of a member, and its largest. */
static double mean_of(const struct point *points, size_t count, size_t offset, double *most)
{
    double sum = 0;

    *most = 0;
    for (size_t i = 0; i < count; i++) {
        double value;

        memcpy(&value, (const char *)&points[i] + offset, sizeof(value));
        sum += value / (double)count;
        *most = fmax(*most, value);
    }
    return sum;
}

static int compare_doubles(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* What is proposed over what a stage at random takes off: of the sums, and the quartiles of the
 * points; over what two plans at random do; and the best of all over what is proposed. */
static void print_measurements(const struct point *points, size_t count)
{
    double ratios[POINTS_MAX], proposed = 0, stage = 0, pair = 0, most = 0, regret = 0;
    size_t unsure = 0;

    for (size_t i = 0; i < count; i++) {
        if (isnan(points[i].proposed))
            continue;
        proposed += points[i].proposed;
        stage += points[i].stage;
        pair += points[i].pair;
        most += points[i].most;
        regret += points[i].shown.loss;
        ratios[unsure++] = points[i].proposed / fmax(1e-4, points[i].stage);
    }
    if (unsure == 0) {
        printf("        -\n");
        return;
    }
    qsort(ratios, unsure, sizeof(*ratios), compare_doubles);
    printf(" %4zu %6.2f %6.2f %6.2f %6.2f %5.1fx (%.1f to %.1f) %5.1fx %6.2fx\n", unsure,
           100 * regret / (double)unsure, 100 * proposed / (double)unsure,
           100 * stage / (double)unsure, 100 * pair / (double)unsure, proposed / fmax(1e-12, stage),
           ratios[unsure / 4], ratios[unsure * 3 / 4], proposed / fmax(1e-12, pair),
           most / fmax(1e-12, proposed));
}

#define AT(member) offsetof(struct point, member)

static void print_row(const char *name, const struct point *points, size_t count)
{
    const size_t means[] = {AT(guess.loss), AT(shown.loss)};
    double most;

    printf("%-20s %5zu", name, count);
    for (int i = 0; i < 2; i++) {
        double mean = mean_of(points, count, means[i], &most);

        printf("  %6.2f %6.1f", 100 * mean, 100 * most);
    }
    print_measurements(points, count);
}

static void print_all(char *const *paths, int path_count, bool errors)
{
    static struct point points[POINTS_MAX];
    size_t count = 0;

    printf("%-20s %5s  %13s  %13s %25s\n", errors ? "and the price's errors" : "figures off", "",
           "nominal best", "shown", "one measurement");
    for (int i = 0; i < path_count; i++) {
        struct hs_system system;
        struct hs_error err = {0};
        size_t more;

        check(hs_system_load(&system, paths[i], &err), &err);
        if (system.fits.count == 0 && count + 24 <= POINTS_MAX) {
            more = judge_system(points + count, &system, errors);
            print_row(system.name, points + count, more);
            fflush(stdout);
            count += more;
        }
        hs_system_release(&system);
    }
    print_row("all", points, count);
}

int main(int argc, char **argv)
{
    printf(
        "expected loss in %% of the flat plan's time: mean and largest of the points\n"
        "one measurement: points unsure by 0.5 %% or more, their expected loss, what the one\n"
        "proposed takes off, a stage at random, and the plan shown beside one at random; the "
        "first\n"
        "over the second (quartiles of the points) and over the third; the best of all that there\n"
        "are on the machines that judge over the first\n\n");
    print_all(argv + 1, argc - 1, false);
    printf("\n");
    print_all(argv + 1, argc - 1, true);
    return 0;
}
