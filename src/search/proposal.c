#include "search/proposal.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

#define GROUPS  8 /* of machines that a known figure tells apart */
#define CHANCES 4 /* orders by chance that it is compared with */

struct ordered {
    double figure;
    size_t machine;
};

static int compare_ordered(const void *left, const void *right)
{
    const struct ordered *a = left, *b = right;

    if (a->figure != b->figure)
        return a->figure < b->figure ? -1 : 1;
    return (a->machine > b->machine) - (a->machine < b->machine);
}

/* Weights of all rows, [row_count][groups]: the means over the machines of each group, which are
 * next to each other in the list. */
static void weigh_groups(double *weights, const struct hs_expected *expected, const size_t *list,
                         size_t groups)
{
    size_t count = expected->samples, first[GROUPS + 1];

    for (size_t g = 0; g <= groups; g++)
        first[g] = g * count / groups;
    for (size_t r = 0; r < expected->row_count; r++) {
        const double *row = &expected->relative[r * count];
        double sums[GROUPS] = {0};

        for (size_t k = 0; k < count / groups; k++)
            for (size_t g = 0; g < groups; g++)
                sums[g] += row[list[first[g] + k]];
        for (size_t g = 0; g < groups; g++) /* some have one more */
            if (first[g] + count / groups < first[g + 1])
                sums[g] += row[list[first[g + 1] - 1]];
        for (size_t g = 0; g < groups; g++)
            weights[r * groups + g] = sums[g] / (double)(first[g + 1] - first[g]);
    }
}

/* The least path by the weights of a group. */
static double least_of_group(double *least, const struct hs_expected *expected,
                             const double *weights, size_t groups)
{
    const struct hs_lattice *lattice = &expected->lattice;

    for (size_t i = 0; i < lattice->node_count; i++)
        least[i] = i == 0 ? 0 : INFINITY;
    for (size_t i = 0; i < lattice->node_count; i++)
        for (size_t e = lattice->first_edge[i]; e < lattice->first_edge[i + 1]; e++)
            for (size_t r = expected->first_row[e]; r < expected->first_row[e + 1]; r++)
                least[lattice->edge_end[e]] =
                    fmin(least[lattice->edge_end[e]], least[i] + weights[r * groups]);
    return least[lattice->node_count - 1];
}

/* The mean over groups of machines next to each other in the order. */
static double least_of_groups(double *room, struct ordered *order, size_t *list,
                              const struct hs_expected *expected)
{
    size_t count = expected->samples, groups = count < GROUPS ? count : GROUPS, first = 0;
    double mean = 0;

    qsort(order, count, sizeof(*order), compare_ordered);
    for (size_t j = 0; j < count; j++)
        list[j] = order[j].machine;
    weigh_groups(room, expected, list, groups);
    for (size_t g = 0; g < groups; g++) {
        size_t end = (g + 1) * count / groups;

        mean += (double)(end - first) / (double)count *
                least_of_group(room + expected->row_count * GROUPS, expected, room + g, groups);
        first = end;
    }
    return mean;
}

/* The figure NULL: machines in an order by chance, which tells nothing. */
static enum hs_status least_known(double *out, const struct hs_expected *expected,
                                  const double *figure, uint64_t *state, struct hs_error *err)
{
    size_t count = expected->samples;
    size_t nodes = expected->lattice.node_count;
    double *room = malloc((expected->row_count * GROUPS + nodes) * sizeof(*room));
    struct ordered *order = malloc(count * sizeof(*order));
    size_t *list = malloc(count * sizeof(*list));
    bool enough = room && order && list;

    for (size_t j = 0; j < count && enough; j++)
        order[j] = (struct ordered){figure ? figure[j] : hs_random_uniform(state), j};
    if (enough)
        *out = least_of_groups(room, order, list, expected);
    free(room);
    free(order);
    free(list);
    return enough ? HS_OK : hs_no_memory(err);
}

enum hs_status hs_expected_drop(double *out, struct hs_expected *expected, const double *figure,
                                struct hs_error *err)
{
    double least = 0, sum = 0;
    uint64_t state = 1;
    enum hs_status status = HS_OK;

    for (int c = 0; c < CHANCES && expected->by_chance == 0 && !status; c++) {
        status = least_known(&least, expected, NULL, &state, err);
        sum += least;
    }
    if (expected->by_chance == 0)
        expected->by_chance = sum / CHANCES;
    if (!status)
        status = least_known(&least, expected, figure, NULL, err);
    *out = expected->by_chance - least;
    return status;
}

enum hs_status hs_expected_stage_drops(double *drops, struct hs_expected *expected,
                                       struct hs_error *err)
{
    double *seconds = malloc(expected->samples * sizeof(*seconds));
    enum hs_status status = seconds ? HS_OK : hs_no_memory(err);

    for (size_t r = 0; r < expected->row_count && !status; r++) {
        drops[r] = 0;
        if (expected->rows[r].stages > 1)
            continue;
        /* What differs by rounding alone is the same. */
        for (size_t j = 0; j < expected->samples; j++)
            seconds[j] =
                (float)(expected->relative[r * expected->samples + j] * expected->reference[j] -
                        hs_machines_gap_seconds(expected->drawn, j, &expected->problem,
                                                expected->rows[r].keys[0]));
        status = hs_expected_drop(&drops[r], expected, seconds, err);
    }
    free(seconds);
    return status;
}

#define NEARLY 0.98

static int64_t ranks_of(struct hs_layer layer)
{
    return layer.stride * layer.size;
}

enum hs_status hs_expected_stage(struct hs_stage_key *key, double *drop,
                                 struct hs_expected *expected, struct hs_error *err)
{
    double *drops = calloc(expected->row_count + 1, sizeof(*drops)), most = 0;
    enum hs_status status = drops ? HS_OK : hs_no_memory(err);
    size_t best = 0;

    if (!status)
        status = hs_expected_stage_drops(drops, expected, err);
    for (size_t r = 0; r < expected->row_count && !status; r++)
        most = fmax(most, drops[r]);
    for (size_t r = 0; r < expected->row_count && !status; r++)
        if (drops[r] >= NEARLY * most &&
            (drops[best] < NEARLY * most || ranks_of(expected->rows[r].keys[0].layer) <
                                                ranks_of(expected->rows[best].keys[0].layer)))
            best = r;
    *key = expected->row_count > 0 ? expected->rows[best].keys[0]
                                   : (struct hs_stage_key){.layer = {1, 1}};
    *drop = drops ? drops[best] : 0;
    free(drops);
    return status;
}

enum hs_status hs_expected_pair_drop(double *out, struct hs_expected *expected,
                                     const struct hs_plan *one, const struct hs_plan *other,
                                     struct hs_error *err)
{
    size_t count = expected->samples;
    double *ratios = malloc(2 * count * sizeof(*ratios));
    enum hs_status status;

    if (!ratios)
        return hs_no_memory(err);
    status = hs_expected_ratios(ratios, expected, one, err);
    if (!status)
        status = hs_expected_ratios(ratios + count, expected, other, err);
    for (size_t j = 0; j < count && !status; j++)
        ratios[j] = (float)(ratios[j] / ratios[count + j]);
    if (!status)
        status = hs_expected_drop(out, expected, ratios, err);
    free(ratios);
    return status;
}

#define RIVALS  8   /* plans that the one shown is put beside */
#define WINNERS 64  /* that are told apart */
#define PLAYED  200 /* machines whose best plan is looked for */
#define DEARER  1.1 /* a plan takes all ranks, a stage but a few: it has to tell so much more */

struct winner {
    struct hs_plan plan;
    size_t wins;
};

static int compare_winners(const void *left, const void *right)
{
    const struct winner *a = left, *b = right;

    if (a->wins != b->wins)
        return a->wins > b->wins ? -1 : 1;
    return hs_plan_compare(&a->plan, &b->plan);
}

/* The plans that are best on machines, those of most machines first, but for the one shown. */
static enum hs_status find_winners(struct winner winners[WINNERS], size_t *count,
                                   const struct hs_expected *expected, const struct hs_plan *shown,
                                   struct hs_error *err)
{
    double *weights = malloc((expected->row_count + 1) * sizeof(*weights));
    enum hs_status status = weights ? HS_OK : hs_no_memory(err);

    *count = 0;
    for (size_t j = 0; !status && expected->row_count > 0 && j < expected->samples && j < PLAYED;
         j++) {
        struct hs_plan plan;
        size_t i = 0;

        for (size_t r = 0; r < expected->row_count; r++)
            weights[r] = expected->relative[r * expected->samples + j];
        status = hs_expected_path(&plan, expected, weights, 1, err);
        if (status)
            break;
        while (i < *count && hs_plan_compare(&winners[i].plan, &plan) != 0)
            i++;
        if (hs_plan_compare(&plan, shown) == 0 || i == WINNERS)
            continue;
        if (i == *count)
            winners[(*count)++] = (struct winner){.plan = plan};
        winners[i].wins++;
    }
    if (!status)
        qsort(winners, *count, sizeof(*winners), compare_winners);
    free(weights);
    return status;
}

/* The plan that tells most beside the one shown. */
static enum hs_status propose_rival(struct hs_proposal *out, struct hs_expected *expected,
                                    const struct hs_plan *shown, struct hs_error *err)
{
    struct winner *winners = malloc(WINNERS * sizeof(*winners));
    size_t count = 0, best = 0;
    double drop, most = 0;
    enum hs_status status =
        winners ? find_winners(winners, &count, expected, shown, err) : hs_no_memory(err);

    for (size_t i = 0; i < count && i < RIVALS && !status; i++) {
        status = hs_expected_pair_drop(&drop, expected, shown, &winners[i].plan, err);
        if (drop > most) {
            most = drop;
            best = i;
        }
    }
    out->whole = !status && most > DEARER * fmax(0, out->measured);
    out->compared = most;
    if (out->whole)
        out->rival = winners[best].plan;
    free(winners);
    return status;
}

enum hs_status hs_propose(struct hs_proposal *out, struct hs_expected *expected,
                          const struct hs_plan *shown, struct hs_error *err)
{
    const struct hs_machines *machines = expected->drawn;
    enum hs_status status;
    double known;

    *out = (struct hs_proposal){.figure = NULL};
    status = hs_expected_stage(&out->stage, &out->measured, expected, err);
    for (size_t f = 0; f < machines->figure_count && !status; f++) {
        status = hs_expected_drop(&known, expected, machines->figures[f].off, err);
        if (!status && known > out->known) {
            out->known = known;
            out->figure = &machines->figures[f];
        }
    }
    return status ? status : propose_rival(out, expected, shown, err);
}
