#include "search/lazy_layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "search/paths.h"

#define ERROR_RATE 0.05
/* Rivals looked at: so many, then four times as many, as long as there may be ties behind them. */
#define TOP_FIRST 16
#define TOP_LAST  1024
/* More ticks than any path without failed layers has; 31 of them are still below 2^62. */
#define FAILED_TICKS ((hs_ticks)1 << 56)
#define TOTAL_TICKS  0x1p52

struct hs_lazy_layer *hs_lazy_layers_find(struct hs_lazy_layer *layers,
                                          const struct hs_lattice *lattice, struct hs_stage_key key)
{
    for (size_t e = 0; e < lattice->edge_count; e++)
        if (hs_stage_key_equal(layers[e].key, key) && !hs_lazy_layer_is_mixed(&layers[e]))
            return &layers[e];
    return NULL;
}

/* Of a variance, what a way has that takes this share of the time, where both are as noisy. */
static double part_of_variance(double share)
{
    return share * share / (share * share + (1 - share) * (1 - share));
}

/* One's way out and the other's way back. */
static void mix(struct hs_lazy_layer *item, const struct hs_lazy_layer *out,
                const struct hs_lazy_layer *back)
{
    double away = out->share, home = 1 - back->share, noise, gain;

    item->seconds = away * out->seconds + home * back->seconds;
    item->variance =
        part_of_variance(away) * out->variance + part_of_variance(home) * back->variance;
    noise = hs_normal_quantile(ERROR_RATE / 2) * sqrt(item->variance);
    gain = fmin(out->seconds, back->seconds) - item->seconds;
    item->status = out->status < back->status ? out->status : back->status;
    if (item->status < HS_LAZY_ROUGH || !(gain > noise))
        item->status = HS_LAZY_FAILED;
    item->again.seconds = 0;
    if (out->again.seconds == 0 || back->again.seconds == 0)
        return;
    away = out->again.share;
    home = 1 - back->again.share;
    item->again.seconds = away * out->again.seconds + home * back->again.seconds;
    item->again.variance = part_of_variance(away) * out->again.variance +
                           part_of_variance(home) * back->again.variance;
}

void hs_lazy_layers_mix(struct hs_lazy_layer *layers, const struct hs_lattice *lattice)
{
    for (size_t e = 0; e < lattice->edge_count; e++)
        if (hs_lazy_layer_is_mixed(&layers[e]))
            mix(&layers[e], &layers[layers[e].halves[0]], &layers[layers[e].halves[1]]);
}

bool hs_lazy_layer_in_plan(const struct hs_lazy_layer *item, const struct hs_plan *plan,
                           const struct hs_group *group)
{
    for (int i = 0; i < plan->split.count; i++) {
        struct hs_layer layer = hs_split_layer(&plan->split, i);

        layer.stride = hs_group_stride(group, layer.stride);
        if (hs_layer_equal(layer, item->key.layer))
            return hs_plan_algorithm(plan, i, 0) == item->key.algorithm &&
                   hs_plan_algorithm(plan, i, 1) == item->back;
    }
    return false;
}

double hs_lazy_layers_shortest(double *seconds, size_t *into, const struct hs_lattice *lattice,
                               const struct hs_lazy_layer *layers, const double *times,
                               enum hs_lazy_status least)
{
    for (size_t i = 1; i < lattice->node_count; i++)
        seconds[i] = INFINITY;
    seconds[0] = 0;
    for (size_t e = 0; e < lattice->edge_count; e++) { /* in the order of their starts */
        double there = seconds[layers[e].start] + times[e] + layers[e].order_seconds;

        if (layers[e].status < least || !(there < seconds[layers[e].end]))
            continue;
        seconds[layers[e].end] = there;
        if (into)
            into[layers[e].end] = e;
    }
    return seconds[lattice->node_count - 1];
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* The winner, and the plans that may not be told from it. */
struct rivals {
    const struct hs_lattice *lattice;
    const struct hs_lazy_layer *layers;
    struct hs_plan winner;    /* without layers: none is measured throughout */
    double seconds, variance; /* of the winner */
    double z;                 /* quantile in use: grows with the number of ties */
    struct rival {
        struct hs_plan plan;
        double seconds, variance; /* sum of its layers; variance of that sum */
        double lead_seconds;      /* behind the winner, less z times the noise: <= 0 is a tie */
    } * items; /* [count] owned; all that tie, and at least one more where there is one */
    size_t count;
    bool cut; /* there are more ties than were looked at */
};

/* Sum over the layers of `plan` that `other` does not have; other NULL: over all. Returns whether
 * all of them are measured. */
static bool add_up(double *seconds, double *variance, const struct rivals *rivals,
                   const struct hs_plan *plan, const struct hs_plan *other)
{
    const struct hs_group *group = &rivals->lattice->group;
    bool measured = true;

    for (size_t e = 0; e < rivals->lattice->edge_count; e++) {
        const struct hs_lazy_layer *item = &rivals->layers[e];

        if (!hs_lazy_layer_in_plan(item, plan, group) ||
            (other && hs_lazy_layer_in_plan(item, other, group)))
            continue;
        *seconds += item->seconds + item->order_seconds;
        *variance += item->variance;
        measured = measured && item->status >= HS_LAZY_ROUGH;
    }
    return measured;
}

/* ---- plans, best first ---------------------------------------------------------------------- */

/* Through layers of which at least `least` is known: the others weigh more than any path. */
struct best {
    struct hs_paths paths;
    size_t last, count;
};

static enum hs_status find_best(struct best *best, const struct rivals *rivals,
                                enum hs_lazy_status least, size_t top, struct hs_error *err)
{
    size_t edges = rivals->lattice->edge_count;
    hs_ticks *weights = malloc((edges + 1) * sizeof(*weights));
    double total = 0;
    enum hs_status status;

    if (!weights)
        return hs_no_memory(err);
    for (size_t e = 0; e < edges; e++)
        total += rivals->layers[e].seconds + rivals->layers[e].order_seconds;
    for (size_t e = 0; e < edges; e++)
        weights[e] =
            rivals->layers[e].status < least
                ? FAILED_TICKS
                : (hs_ticks)llrint((rivals->layers[e].seconds + rivals->layers[e].order_seconds) *
                                   (TOTAL_TICKS / total));
    best->last = rivals->lattice->node_count - 1;
    best->count = 0;
    status =
        hs_paths_init(&best->paths,
                      &(struct hs_paths_problem){
                          .lattice = rivals->lattice, .weights = weights, .stride = 1, .top = top},
                      err);
    free(weights);
    while (!status && best->count < best->paths.nodes[best->last].count &&
           best->paths.nodes[best->last].data[best->count].ticks < FAILED_TICKS)
        best->count++;
    return status;
}

static struct hs_plan plan_of(const struct best *best, const struct hs_lazy_layer *layers, size_t i)
{
    struct hs_plan plan = {.split = hs_paths_split(&best->paths, best->last, i), .chunks = 1};
    size_t node = best->last;

    for (int layer = plan.split.count; layer-- > 0;) {
        const struct hs_label *label = &best->paths.nodes[node].data[i];

        plan.algorithms[layer][0] = (unsigned char)layers[label->edge].key.algorithm;
        plan.algorithms[layer][1] = (unsigned char)layers[label->edge].back;
        node = label->previous_node;
        i = label->previous_label;
    }
    return plan;
}

enum hs_status hs_lazy_layers_winner(struct hs_plan *winner, const struct hs_lattice *lattice,
                                     const struct hs_lazy_layer *layers, struct hs_error *err)
{
    struct rivals rivals = {.lattice = lattice, .layers = layers};

    winner->split.count = 0;
    for (int least = HS_LAZY_MEASURED; least >= HS_LAZY_ROUGH && winner->split.count == 0;
         least--) {
        struct best best;
        enum hs_status status = find_best(&best, &rivals, (enum hs_lazy_status)least, 1, err);

        if (status)
            return status;
        if (best.count > 0)
            *winner = plan_of(&best, layers, 0);
        hs_paths_release(&best.paths);
    }
    return HS_OK;
}

/* ---- rivals --------------------------------------------------------------------------------- */

static struct rival compare_with_winner(const struct rivals *rivals, struct hs_plan plan)
{
    struct rival rival = {.plan = plan};
    double theirs = 0, ours = 0, noise = 0;

    add_up(&rival.seconds, &rival.variance, rivals, &plan, NULL);
    add_up(&theirs, &noise, rivals, &plan, &rivals->winner);
    add_up(&ours, &noise, rivals, &rivals->winner, &plan);
    rival.lead_seconds = theirs - ours - rivals->z * sqrt(noise);
    return rival;
}

/* All of the best but the winner; returns how many tie with it. */
static size_t list_rivals(struct rivals *rivals, const struct best *best)
{
    size_t ties = 0;

    rivals->count = 0;
    for (size_t i = 0; i < best->count; i++) {
        struct hs_plan plan = plan_of(best, rivals->layers, i);

        if (hs_plan_compare(&plan, &rivals->winner) == 0)
            continue;
        rivals->items[rivals->count] = compare_with_winner(rivals, plan);
        ties += rivals->items[rivals->count++].lead_seconds <= 0;
    }
    return ties;
}

/* The largest variance that the sum of any plan has: a longest path. */
static double largest_variance(double *longest, const struct rivals *rivals)
{
    size_t nodes = rivals->lattice->node_count;

    memset(longest, 0, nodes * sizeof(*longest));
    for (size_t e = 0; e < rivals->lattice->edge_count; e++) { /* in the order of their starts */
        const struct hs_lazy_layer *item = &rivals->layers[e];

        if (item->status >= HS_LAZY_ROUGH)
            longest[item->end] = fmax(longest[item->end], longest[item->start] + item->variance);
    }
    return longest[nodes - 1];
}

/* The `top` best sums as rivals, with a quantile that fits the number of ties among them. `cut`
 * where there may be ties behind them: sums ascend. */
static enum hs_status look_at(struct rivals *rivals, double largest, size_t top,
                              struct hs_error *err)
{
    struct best best;
    size_t ties = 0, before;
    enum hs_status status = find_best(&best, rivals, HS_LAZY_ROUGH, top, err);

    if (status)
        return status;
    free(rivals->items);
    rivals->items = malloc((best.count + 1) * sizeof(*rivals->items));
    if (rivals->items) {
        do {
            before = ties;
            rivals->z = hs_normal_quantile(ERROR_RATE / 2 / (double)(1 + ties));
            ties = list_rivals(rivals, &best);
        } while (ties > before);
        rivals->cut = best.count == top &&
                      (rivals->count == 0 ||
                       rivals->items[rivals->count - 1].seconds <=
                           rivals->seconds + rivals->z * sqrt(rivals->variance + largest));
    }
    hs_paths_release(&best.paths);
    return rivals->items ? HS_OK : hs_fail(err, HS_MEMORY, "out of memory for %zu plans", top);
}

static enum hs_status find_rivals(struct rivals *rivals, struct hs_error *err)
{
    double *longest = malloc(rivals->lattice->node_count * sizeof(*longest));
    enum hs_status status = longest ? HS_OK : hs_no_memory(err);

    rivals->cut = true;
    for (size_t top = TOP_FIRST; !status && rivals->cut && top <= TOP_LAST; top *= 4)
        status = look_at(rivals, largest_variance(longest, rivals), top, err);
    free(longest);
    return status;
}

/* ---- the certificate ------------------------------------------------------------------------ */

static enum hs_status list_ties(struct hs_certificate *certificate, const struct rivals *rivals,
                                struct hs_error *err)
{
    double z = hs_normal_quantile(ERROR_RATE / 2);

    certificate->ties = calloc(HS_CERTIFICATE_TIES, sizeof(*certificate->ties));
    if (!certificate->ties)
        return hs_no_memory(err);
    certificate->more_ties = rivals->cut;
    for (size_t i = 0; i < rivals->count; i++) {
        const struct rival *rival = &rivals->items[i];

        if (rival->lead_seconds > 0)
            continue;
        if (certificate->tie_count == HS_CERTIFICATE_TIES) {
            certificate->more_ties = true;
            break;
        }
        certificate->ties[certificate->tie_count++] =
            (struct hs_certified_plan){rival->plan, rival->seconds, z * sqrt(rival->variance)};
    }
    return HS_OK;
}

/* The best other plan, measured or not. */
static enum hs_status name_runner_up(struct hs_certificate *certificate,
                                     const struct rivals *rivals, struct hs_error *err)
{
    struct best best;
    double ignored = 0;
    enum hs_status status = find_best(&best, rivals, HS_LAZY_OPEN, 2, err);

    if (status)
        return status;
    for (size_t i = 0; i < best.count && certificate->runner_up.split.count == 0; i++) {
        struct hs_plan plan = plan_of(&best, rivals->layers, i);

        if (hs_plan_compare(&plan, &rivals->winner) == 0)
            continue;
        certificate->runner_up = plan;
        certificate->runner_up_measured =
            add_up(&certificate->runner_up_seconds, &ignored, rivals, &plan, NULL);
    }
    hs_paths_release(&best.paths);
    return HS_OK;
}

/* The winner's, by the second time if all of its layers have one. */
static void state_time(struct hs_certificate *certificate, const struct rivals *rivals)
{
    double z = hs_normal_quantile(ERROR_RATE / 2), seconds = 0, variance = 0, excess = 0, both;
    double difference;

    certificate->again = true;
    for (size_t e = 0; e < rivals->lattice->edge_count; e++) {
        const struct hs_lazy_layer *item = &rivals->layers[e];

        if (!hs_lazy_layer_in_plan(item, &rivals->winner, &rivals->lattice->group))
            continue;
        seconds += item->again.seconds + item->order_seconds;
        variance += item->again.variance;
        certificate->again = certificate->again && item->again.seconds > 0;
    }
    if (!certificate->again) {
        certificate->seconds = rivals->seconds;
        certificate->ci95_seconds = rivals->z * sqrt(rivals->variance);
        return;
    }
    difference = seconds - rivals->seconds;
    both = variance + rivals->variance;
    if (fabs(difference) > z * sqrt(both))
        excess = (difference * difference - both) / 2;
    certificate->seconds = seconds;
    certificate->ci95_seconds = z * sqrt(variance + excess);
}

static void count_layers(struct hs_certificate *certificate, const struct rivals *rivals)
{
    for (size_t e = 0; e < rivals->lattice->edge_count; e++) {
        if (hs_lazy_layer_is_mixed(&rivals->layers[e]))
            continue;
        certificate->layers++;
        certificate->layers_failed += rivals->layers[e].status == HS_LAZY_FAILED;
        certificate->layers_rough += rivals->layers[e].status == HS_LAZY_ROUGH;
        certificate->layers_measured += rivals->layers[e].status >= HS_LAZY_ROUGH;
    }
}

enum hs_status hs_lazy_layers_certify(struct hs_certificate *certificate,
                                      const struct hs_lattice *lattice,
                                      const struct hs_lazy_layer *layers, struct hs_error *err)
{
    struct rivals rivals = {.lattice = lattice, .layers = layers};
    enum hs_status status = HS_OK;

    *certificate = (struct hs_certificate){0};
    count_layers(certificate, &rivals);
    if (lattice->edge_count > 0)
        status = hs_lazy_layers_winner(&rivals.winner, lattice, layers, err);
    if (status || rivals.winner.split.count == 0)
        return status;
    add_up(&rivals.seconds, &rivals.variance, &rivals, &rivals.winner, NULL);
    status = find_rivals(&rivals, err);
    certificate->winner = rivals.winner;
    state_time(certificate, &rivals);
    if (!status)
        status = name_runner_up(certificate, &rivals, err);
    if (!status)
        status = list_ties(certificate, &rivals, err);
    free(rivals.items);
    return status;
}
