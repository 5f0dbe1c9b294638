/*
 * The answer of a lazy search: the best split measured throughout, and what could still be faster.
 *
 * Two splits differ only in the layers that they do not share, so only these layers' noise counts
 * between them. The winner was chosen for being the smallest of several noisy sums and is likely to
 * be an underestimate; with k splits that noise alone could have put in front, each statement
 * is made at 1 - 5 %/k, so that all hold together in 95 % of cases (Bonferroni).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "search/lazy_parts.h"

#define ERROR_RATE 0.05
#define ROUNDING   1e-9 /* sums in another order */
#define TOP_FIRST  16
#define TOP_LAST   1024 /* rivals looked at */

static const struct hs_lazy_layer *layer_of(const struct hs_lazy *lazy,
                                            const struct hs_split *split, int i)
{
    return hs_lazy_find(lazy, hs_split_layer(split, i));
}

static bool has_layer(const struct hs_split *split, struct hs_layer layer)
{
    for (int i = 0; i < split->count; i++)
        if (hs_layer_equal(hs_split_layer(split, i), layer))
            return true;
    return false;
}

/* Sum over the layers of `split` that `other` does not have; other NULL: over all. */
static void add_up(double *seconds, double *variance, const struct hs_lazy *lazy,
                   const struct hs_split *split, const struct hs_split *other)
{
    for (int i = 0; i < split->count; i++) {
        const struct hs_lazy_layer *item = layer_of(lazy, split, i);

        if (other && has_layer(other, item->layer))
            continue;
        *seconds += item->seconds;
        *variance += item->variance;
    }
}

/* The best splits, best first, through layers of which at least `least` is known; the caller
 * releases the paths. */
static enum hs_status find_best(struct hs_paths *paths, const struct hs_lazy *lazy,
                                enum hs_lazy_status least, size_t top, struct hs_error *err)
{
    double tick_seconds;
    hs_ticks *weights = hs_lazy_weights(&tick_seconds, lazy, least);
    enum hs_status status;

    if (!weights)
        return hs_no_memory(err);
    status = hs_paths_init(paths, &lazy->lattice, weights, 1, top, err);
    free(weights);
    return status;
}

/* Through precisely measured layers; where there is none, through roughly measured ones. */
static enum hs_status find_winner(struct hs_rivals *rivals, const struct hs_lazy *lazy,
                                  struct hs_error *err)
{
    size_t last = lazy->lattice.node_count - 1;
    enum hs_status status = HS_OK;

    for (int least = HS_LAZY_MEASURED; least >= HS_LAZY_ROUGH && rivals->winner.count == 0;
         least--) {
        struct hs_paths paths;

        status = find_best(&paths, lazy, (enum hs_lazy_status)least, 1, err);
        if (status)
            break;
        if (!hs_lazy_unusable(paths.nodes[last].data[0].ticks)) {
            rivals->winner = hs_paths_split(&paths, last, 0);
            add_up(&rivals->seconds, &rivals->variance, lazy, &rivals->winner, NULL);
        }
        hs_paths_release(&paths);
    }
    return status;
}

/* ---- rivals -------------------------------------------------------------------------------- */

static struct hs_rival compare_with_winner(const struct hs_lazy *lazy,
                                           const struct hs_rivals *rivals,
                                           const struct hs_split *split)
{
    struct hs_rival rival = {.split = *split};
    double theirs = 0, ours = 0, noise = 0;

    add_up(&rival.seconds, &rival.variance, lazy, split, NULL);
    add_up(&theirs, &noise, lazy, split, &rivals->winner);
    add_up(&ours, &noise, lazy, &rivals->winner, split);
    rival.lead_seconds = theirs - ours - rivals->z * sqrt(noise);
    return rival;
}

/* From paths, best first; paths through failed layers and the winner itself are passed over. */
static enum hs_status list_rivals(struct hs_rivals *rivals, const struct hs_lazy *lazy,
                                  const struct hs_paths *paths, struct hs_error *err)
{
    size_t last = lazy->lattice.node_count - 1;
    const struct hs_labels *labels = &paths->nodes[last];

    free(rivals->items);
    rivals->count = 0;
    rivals->items = malloc((labels->count + 1) * sizeof(*rivals->items));
    if (!rivals->items)
        return hs_no_memory(err);
    for (size_t i = 0; i < labels->count; i++) {
        struct hs_split split = hs_paths_split(paths, last, i);

        if (hs_lazy_unusable(labels->data[i].ticks))
            break;
        if (hs_split_compare(&split, &rivals->winner) != 0)
            rivals->items[rivals->count++] = compare_with_winner(lazy, rivals, &split);
    }
    return HS_OK;
}

static size_t count_ties(const struct hs_rivals *rivals)
{
    size_t ties = 0;

    for (size_t i = 0; i < rivals->count; i++)
        ties += rivals->items[i].lead_seconds <= 0;
    return ties;
}

/* The largest variance that the sum of any split has: a longest path. */
static enum hs_status find_largest_variance(double *largest, const struct hs_lazy *lazy,
                                            struct hs_error *err)
{
    size_t nodes = lazy->lattice.node_count;
    double *longest = calloc(nodes, sizeof(*longest));

    if (!longest)
        return hs_no_memory(err);
    for (size_t e = 0; e < lazy->lattice.edge_count; e++) { /* in the order of their starts */
        const struct hs_lazy_layer *item = &lazy->layers[e];

        if (item->status >= HS_LAZY_ROUGH)
            longest[item->end] = fmax(longest[item->end], longest[item->start] + item->variance);
    }
    *largest = longest[nodes - 1];
    free(longest);
    return HS_OK;
}

/* Whether every split behind the list is out of reach: sums ascend. */
static bool covers_all(const struct hs_rivals *rivals, double largest_variance, bool all)
{
    if (all || rivals->winner.count == 0)
        return true;
    return rivals->count > 0 &&
           rivals->items[rivals->count - 1].seconds >
               rivals->seconds + rivals->z * sqrt(rivals->variance + largest_variance);
}

/* The `top` best sums, as rivals, with a quantile that fits the number of ties among them. */
static enum hs_status look_at(struct hs_rivals *rivals, bool *all, const struct hs_lazy *lazy,
                              size_t top, struct hs_error *err)
{
    struct hs_paths paths;
    size_t ties = 0, before;
    enum hs_status status = find_best(&paths, lazy, HS_LAZY_ROUGH, top, err);

    if (status)
        return status;
    do {
        before = ties;
        rivals->z = hs_normal_quantile(ERROR_RATE / 2 / (double)(1 + ties));
        status = list_rivals(rivals, lazy, &paths, err);
        ties = count_ties(rivals);
    } while (!status && ties > before);
    *all = paths.nodes[lazy->lattice.node_count - 1].count < top;
    hs_paths_release(&paths);
    return status;
}

enum hs_status hs_rivals_init(struct hs_rivals *rivals, const struct hs_lazy *lazy,
                              struct hs_error *err)
{
    double largest_variance = 0;
    bool all = false;
    enum hs_status status;

    *rivals = (struct hs_rivals){0};
    status = find_winner(rivals, lazy, err);
    if (!status)
        status = find_largest_variance(&largest_variance, lazy, err);
    for (size_t top = TOP_FIRST; !status; top *= 4) {
        status = look_at(rivals, &all, lazy, top, err);
        rivals->cut = !status && !covers_all(rivals, largest_variance, all);
        if (!rivals->cut || top >= TOP_LAST)
            break;
    }
    if (status)
        hs_rivals_release(rivals);
    return status;
}

void hs_rivals_release(struct hs_rivals *rivals)
{
    free(rivals->items);
    memset(rivals, 0, sizeof(*rivals));
}

/* ---- certificate --------------------------------------------------------------------------- */

static enum hs_status list_ties(struct hs_certificate *certificate, const struct hs_rivals *rivals,
                                struct hs_error *err)
{
    double z = hs_normal_quantile(ERROR_RATE / 2);

    certificate->ties = calloc(HS_CERTIFICATE_TIES, sizeof(*certificate->ties));
    if (!certificate->ties)
        return hs_no_memory(err);
    certificate->more_ties = rivals->cut;
    for (size_t i = 0; i < rivals->count; i++) {
        const struct hs_rival *rival = &rivals->items[i];

        if (rival->lead_seconds > 0)
            continue;
        if (certificate->tie_count == HS_CERTIFICATE_TIES) {
            certificate->more_ties = true;
            break;
        }
        certificate->ties[certificate->tie_count++] =
            (struct hs_certified_split){rival->split, rival->seconds, z * sqrt(rival->variance)};
    }
    return HS_OK;
}

/* The best other split, measured or not. */
static enum hs_status name_runner_up(struct hs_certificate *certificate, const struct hs_lazy *lazy,
                                     struct hs_error *err)
{
    size_t last = lazy->lattice.node_count - 1;
    struct hs_paths paths;
    enum hs_status status = find_best(&paths, lazy, HS_LAZY_OPEN, 2, err);

    if (status)
        return status;
    for (size_t i = 0; i < paths.nodes[last].count && certificate->runner_up.count == 0; i++) {
        struct hs_split split = hs_paths_split(&paths, last, i);
        double ignored = 0;

        if (hs_lazy_unusable(paths.nodes[last].data[i].ticks) ||
            hs_split_compare(&split, &certificate->winner) == 0)
            continue;
        certificate->runner_up = split;
        certificate->runner_up_measured = true;
        add_up(&certificate->runner_up_seconds, &ignored, lazy, &split, NULL);
        for (int l = 0; l < split.count; l++)
            if (layer_of(lazy, &split, l)->status == HS_LAZY_OPEN)
                certificate->runner_up_measured = false;
    }
    hs_paths_release(&paths);
    return HS_OK;
}

/* By how much the winner may be slower than some other split, on all machines drawn but 5 %. */
static enum hs_status find_within(struct hs_certificate *certificate, const struct hs_lazy *lazy,
                                  struct hs_error *err)
{
    size_t edges = lazy->lattice.edge_count;
    double *seconds = calloc(lazy->lattice.node_count, sizeof(*seconds));
    double *losses = calloc(lazy->draw_count, sizeof(*losses));

    for (size_t d = 0; seconds && losses && d < lazy->draw_count; d++) {
        const double *times = lazy->draws + d * edges;
        double best = hs_lazy_shortest(seconds, NULL, lazy, times, HS_LAZY_OPEN), own = 0;

        for (int i = 0; i < certificate->winner.count; i++)
            own += times[layer_of(lazy, &certificate->winner, i) - lazy->layers];
        losses[d] = best > 0 ? fmax(0, own / best - 1) : INFINITY;
        if (losses[d] < ROUNDING)
            losses[d] = 0;
    }
    if (seconds && losses)
        certificate->within = hs_lazy_upper(losses, lazy->draw_count, ERROR_RATE);
    free(seconds);
    free(losses);
    return seconds && losses ? HS_OK : hs_no_memory(err);
}

static void count_layers(struct hs_certificate *certificate, const struct hs_lazy *lazy)
{
    certificate->layers = lazy->lattice.edge_count;
    certificate->layers_measured = hs_lazy_measured(lazy, &certificate->layers_rough);
    for (size_t e = 0; e < lazy->lattice.edge_count; e++)
        certificate->layers_failed += lazy->layers[e].status == HS_LAZY_FAILED;
}

enum hs_status hs_lazy_certificate(struct hs_certificate *certificate, struct hs_lazy *lazy,
                                   struct hs_error *err)
{
    struct hs_rivals rivals = {0};
    enum hs_status status = HS_OK;

    *certificate = (struct hs_certificate){0};
    count_layers(certificate, lazy);
    if (lazy->lattice.edge_count > 0)
        status = hs_lazy_refresh(lazy, err);
    if (!status && lazy->lattice.edge_count > 0)
        status = hs_rivals_init(&rivals, lazy, err);
    if (status || rivals.winner.count == 0) {
        hs_rivals_release(&rivals);
        return status;
    }
    certificate->winner = rivals.winner;
    certificate->seconds = rivals.seconds;
    certificate->ci95_seconds = rivals.z * sqrt(rivals.variance);
    status = find_within(certificate, lazy, err);
    if (!status)
        status = name_runner_up(certificate, lazy, err);
    if (!status)
        status = list_ties(certificate, &rivals, err);
    hs_rivals_release(&rivals);
    return status;
}
