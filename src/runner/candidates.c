/* candidates.c - see candidates.h. */
#include "runner/candidates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "links/graph.h"
#include "search/lattice.h"
#include "search/search.h"

static enum hs_status add_plan(struct hs_candidates *candidates, const struct hs_plan *plan,
                               struct hs_error *err)
{
    struct hs_plan *plans;

    if (candidates->count == HS_CANDIDATES_MAX)
        return hs_fail(err, HS_INVALID, "more than %d plans to measure", HS_CANDIDATES_MAX);
    plans = realloc(candidates->plans, (candidates->count + 1) * sizeof(*plans));
    if (!plans)
        return hs_no_memory(err);
    candidates->plans = plans;
    plans[candidates->count++] = *plan;
    return HS_OK;
}

static bool has_plan(const struct hs_candidates *candidates, const struct hs_plan *plan)
{
    for (size_t i = 0; i < candidates->count; i++)
        if (hs_plan_compare(&candidates->plans[i], plan) == 0)
            return true;
    return false;
}

/* With each number of chunks; where they gain nothing with the fewest. */
static enum hs_status add_in_chunks(struct hs_candidates *candidates, const struct hs_plan *whole,
                                    const struct hs_measure_settings *settings,
                                    const struct hs_problem *problem, struct hs_error *err)
{
    bool gains = !settings->serial_calls || hs_problem_overlaps(problem, whole);
    size_t counts = gains ? settings->chunks.count : 1;
    struct hs_plan plan = *whole;
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < counts && status == HS_OK; i++) {
        plan.chunks = settings->chunks.values[i];
        if (!has_plan(candidates, &plan))
            status = add_plan(candidates, &plan, err);
    }
    return status;
}

static enum hs_status add_flat(struct hs_candidates *candidates, const struct hs_problem *problem,
                               struct hs_error *err)
{
    struct hs_plan flat = hs_problem_flat(problem);

    return has_plan(candidates, &flat) ? HS_OK : add_plan(candidates, &flat, err);
}

/* ---- --plans ------------------------------------------------------------------------------- */

/* A layer of one phase has one algorithm. */
static enum hs_status check_ways(const struct hs_problem *problem, const struct hs_plan *plan,
                                 struct hs_error *err)
{
    bool one_way = hs_collective_is_one_way(problem->collective);

    for (int i = 0; i < plan->split.count && one_way; i++)
        if (hs_plan_algorithm(plan, i, 0) != hs_plan_algorithm(plan, i, 1))
            return hs_fail(err, HS_INVALID,
                           "layer %d: expected one algorithm, %s does not come back", i + 1,
                           hs_collectives[problem->collective].written);
    return HS_OK;
}

static enum hs_status add_text(struct hs_candidates *candidates, const char *text, size_t length,
                               const struct hs_problem *problem, struct hs_error *err)
{
    char word[HS_SPLIT_TEXT];
    struct hs_plan plan;
    enum hs_status status;

    if (length >= sizeof(word))
        return hs_fail(err, HS_INVALID, "expected plans such as 4x8x4, found \"%.60s...\"", text);
    memcpy(word, text, length);
    word[length] = '\0';
    status = hs_plan_parse(&plan, word, problem->group.size, err);
    if (status == HS_OK && ((status = check_ways(problem, &plan, err)) ||
                            (status = hs_problem_check(problem, &plan, err))))
        return hs_error_prefix(err, status, word);
    if (status == HS_OK && has_plan(candidates, &plan))
        status = hs_fail(err, HS_INVALID, "the plan \"%s\" is there twice", word);
    return status == HS_OK ? add_plan(candidates, &plan, err) : status;
}

/* Plans with commas between. */
static enum hs_status add_list(struct hs_candidates *candidates, const char *text,
                               const struct hs_problem *problem, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    while (status == HS_OK) {
        const char *end = strchr(text, ',');

        status =
            add_text(candidates, text, end ? (size_t)(end - text) : strlen(text), problem, err);
        if (!end)
            break;
        text = end + 1;
    }
    return status;
}

/* ---- all plans ----------------------------------------------------------------------------- */

/* A walk through all paths of the lattice. */
struct walk {
    struct hs_candidates *candidates;
    const struct hs_lattice *lattice;
    const struct hs_measure_settings *settings;
    const struct hs_system *system; /* NULL: not known */
    const struct hs_problem *problem;
    struct hs_plan plan;
};

static bool is_possible(const struct walk *walk, struct hs_stage_key key)
{
    return walk->system ? hs_graph_possible(walk->system, key)
                        : hs_stage_possible(key) && !hs_algorithms[key.algorithm]->on_links;
}

static enum hs_status visit(struct walk *walk, size_t node, struct hs_error *err);

/* The last layer of the plan so far by each algorithm, or each two, and from `node` on all that can
 * follow. */
static enum hs_status visit_algorithms(struct walk *walk, size_t node, struct hs_error *err)
{
    int last = walk->plan.split.count - 1;
    struct hs_layer layer = hs_problem_layer(walk->problem, &walk->plan.split, last);
    bool one_way = hs_collective_is_one_way(walk->problem->collective);
    unsigned algorithms =
        hs_algorithms_distinct(walk->settings->algorithms | 1U << HS_RING, layer.size);
    enum hs_status status = HS_OK;

    for (int pair = 0; pair < HS_ALGORITHM_COUNT * HS_ALGORITHM_COUNT && status == HS_OK; pair++) {
        const enum hs_algorithm ways[2] = {(enum hs_algorithm)(pair / HS_ALGORITHM_COUNT),
                                           (enum hs_algorithm)(pair % HS_ALGORITHM_COUNT)};
        struct hs_stage_key keys[2];
        int count = hs_problem_ways(keys, walk->problem, layer, ways);

        if (!(algorithms >> ways[0] & 1) || !(algorithms >> ways[1] & 1) ||
            (one_way && ways[0] != ways[1]) || !is_possible(walk, keys[0]) ||
            !is_possible(walk, keys[count - 1]))
            continue;
        for (int way = 0; way < 2; way++)
            walk->plan.algorithms[last][way] = (unsigned char)ways[way];
        status = visit(walk, node, err);
    }
    return status;
}

static enum hs_status visit(struct walk *walk, size_t node, struct hs_error *err)
{
    const struct hs_lattice *lattice = walk->lattice;
    enum hs_status status = HS_OK;

    if (node + 1 == lattice->node_count)
        return add_in_chunks(walk->candidates, &walk->plan, walk->settings, walk->problem, err);
    for (size_t e = lattice->first_edge[node]; e < lattice->first_edge[node + 1] && status == HS_OK;
         e++) {
        size_t end = lattice->edge_end[e];

        walk->plan.split.sizes[walk->plan.split.count++] =
            lattice->divisors[end] / lattice->divisors[node];
        status = visit_algorithms(walk, end, err);
        walk->plan.split.count--;
    }
    return status;
}

static enum hs_status add_all(struct hs_candidates *candidates, const struct hs_lattice *lattice,
                              const struct hs_measure_settings *settings,
                              const struct hs_system *system, const struct hs_problem *problem,
                              struct hs_error *err)
{
    struct walk walk = {.candidates = candidates,
                        .lattice = lattice,
                        .settings = settings,
                        .system = system,
                        .problem = problem};
    enum hs_status status;

    if (candidates->splits > HS_CANDIDATES_MAX / settings->chunks.count)
        return hs_fail(
            err, HS_INVALID,
            "--all: %" PRId64 " processes have %" PRIu64 " splits, with %zu chunk counts each; at "
            "most %d plans are measured; without --all the search chooses",
            lattice->group.size, candidates->splits, settings->chunks.count, HS_CANDIDATES_MAX);
    status = visit(&walk, 0, err);
    if (status == HS_INVALID)
        return hs_fail(err, HS_INVALID,
                       "--all: %" PRId64 " processes have more than %d plans by these algorithms; "
                       "--algorithms ring measures the splits alone, without --all the search "
                       "chooses",
                       lattice->group.size, HS_CANDIDATES_MAX);
    candidates->looked_at = candidates->count;
    return status;
}

/* ---- the search ---------------------------------------------------------------------------- */

static enum hs_status add_searched(struct hs_candidates *candidates,
                                   const struct hs_measure_settings *settings,
                                   const struct hs_system *system, const struct hs_problem *problem,
                                   struct hs_error *err)
{
    const struct hs_search_strategy *strategy = hs_search_strategy_find(settings->search);
    struct hs_search_request request = {.system = system,
                                        .problem = *problem,
                                        .algorithms = settings->algorithms,
                                        .chunks = settings->chunks.values,
                                        .chunk_count = settings->chunks.count,
                                        .serial_calls = settings->serial_calls,
                                        .top = (size_t)settings->top};
    struct hs_search_result found = {0};
    enum hs_status status = hs_search(&found, strategy, &request, err);

    if (status != HS_OK)
        return status;
    for (size_t i = 0; i < found.count && status == HS_OK; i++)
        status = add_plan(candidates, &found.plans[i].plan, err);
    candidates->strategy = strategy->name;
    candidates->looked_at = found.looked_at;
    hs_search_result_release(&found);
    return status;
}

/* ---- what a lazy search has left ----------------------------------------------------------- */

/* A runner-up nearer than this, or expected to be faster, is measured too: sums of layers miss the
 * whole by a few percent. */
#define CLOSE 0.05

static enum hs_status add_survivors(struct hs_candidates *candidates,
                                    const struct hs_certificate *certificate,
                                    const struct hs_measure_settings *settings,
                                    const struct hs_problem *problem, struct hs_error *err)
{
    size_t left = (size_t)settings->top - 1;
    enum hs_status status = add_in_chunks(candidates, &certificate->winner, settings, problem, err);

    for (size_t i = 0; i < certificate->tie_count && left > 0 && status == HS_OK; i++, left--)
        status = add_in_chunks(candidates, &certificate->ties[i].plan, settings, problem, err);
    if (status == HS_OK && left > 0 && hs_certificate_margin(certificate) < CLOSE)
        status = add_in_chunks(candidates, &certificate->runner_up, settings, problem, err);
    return status;
}

/* Splits of which no plan is a candidate. */
static void count_pruned(struct hs_candidates *candidates,
                         const struct hs_measure_settings *settings)
{
    uint64_t distinct = 0;

    for (size_t i = 0; i < candidates->count; i++) {
        size_t before = 0;

        while (before < i &&
               hs_split_compare(&candidates->plans[before].split, &candidates->plans[i].split) != 0)
            before++;
        distinct += before == i;
    }
    candidates->pruned = candidates->splits - distinct;
    if (settings->plans)
        snprintf(candidates->rule, sizeof(candidates->rule), "not in --plans");
    else if (candidates->strategy && strcmp(candidates->strategy, HS_SEARCH_LAZY) == 0)
        snprintf(candidates->rule, sizeof(candidates->rule), "lazy: slower by their layers");
    else
        snprintf(candidates->rule, sizeof(candidates->rule), "%s: beyond the best %" PRId64,
                 settings->search, settings->top);
}

/* The end of a choice that has come to `status`: the flat split is among them, and what was left
 * out is counted; or there are none. */
static enum hs_status finish(struct hs_candidates *candidates,
                             const struct hs_measure_settings *settings,
                             const struct hs_problem *problem, enum hs_status status,
                             struct hs_error *err)
{
    if (status == HS_OK)
        status = add_flat(candidates, problem, err);
    if (status != HS_OK)
        hs_candidates_release(candidates);
    else
        count_pruned(candidates, settings);
    return status;
}

enum hs_status hs_candidates_choose(struct hs_candidates *candidates,
                                    const struct hs_measure_settings *settings,
                                    const struct hs_system *system,
                                    const struct hs_problem *problem, struct hs_error *err)
{
    int64_t np = problem->group.size;
    struct hs_lattice lattice;
    enum hs_status status = hs_lattice_init(&lattice, problem->group, err);

    *candidates = (struct hs_candidates){0};
    if (status != HS_OK)
        return status;
    candidates->splits = lattice.path_count;
    if (settings->plans) {
        status = add_list(candidates, settings->plans, problem, err);
        if (status != HS_OK)
            hs_error_prefix(err, status, "--plans");
        candidates->looked_at = candidates->count;
    } else if (np == 1) {
        candidates->looked_at = 1;
    } else if (settings->all || !system) { /* a prime np may have no system */
        status = add_all(candidates, &lattice, settings, system, problem, err);
    } else {
        status = add_searched(candidates, settings, system, problem, err);
    }
    hs_lattice_release(&lattice);
    return finish(candidates, settings, problem, status, err);
}

enum hs_status hs_candidates_survive(struct hs_candidates *candidates,
                                     const struct hs_certificate *certificate,
                                     const struct hs_measure_settings *settings,
                                     const struct hs_system *fitted,
                                     const struct hs_problem *problem, struct hs_error *err)
{
    struct hs_measure_settings asked = *settings;
    struct hs_lattice lattice;
    enum hs_status status = hs_lattice_init(&lattice, problem->group, err);

    *candidates = (struct hs_candidates){0};
    if (status != HS_OK)
        return status;
    candidates->splits = lattice.path_count;
    hs_lattice_release(&lattice);
    asked.search = hs_search_strategies[0].name;
    if (certificate->winner.split.count > 0)
        status = add_survivors(candidates, certificate, settings, problem, err);
    else
        status = add_searched(candidates, &asked, fitted, problem, err);
    candidates->strategy = HS_SEARCH_LAZY;
    candidates->looked_at = certificate->layers_measured;
    return finish(candidates, settings, problem, status, err);
}

void hs_candidates_release(struct hs_candidates *candidates)
{
    free(candidates->plans);
    *candidates = (struct hs_candidates){0};
}
