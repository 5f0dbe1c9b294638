#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/predict.h"
#include "base/notes.h"
#include "result/result_gaps.h"
#include "search/lattice.h"
#include "view/bar.h"
#include "view/candidates.h"
#include "view/reach.h"

#define SIMPLER_COST 1.01  /* what fewer layers may cost */
#define FASTER       1.005 /* what rounds to more than 1.00x */
#define HINT_GAIN    1.05  /* what was not asked for is worth a note from 5 % on */
/* Layers up to which searching again for the note costs next to nothing. */
#define HINT_LAYERS 4096

bool hs_predict_is_calibrated(const struct hs_predict *predict)
{
    return predict->asked.system->fits.count > 0;
}

struct hs_plan_cost hs_predict_cost(struct hs_gaps *gaps, const struct hs_predict *predict,
                                    const struct hs_problem *problem, const struct hs_plan *plan)
{
    struct hs_plan_cost cost = hs_plan_cost(predict->asked.system, problem, plan);

    hs_gaps_add(gaps, predict->asked.system, plan, &cost);
    return cost;
}

void hs_predict_legend(const struct hs_predict *predict, const struct hs_gaps *gaps, bool spread,
                       bool beyond_np)
{
    struct hs_text legend = {0};

    if (spread && hs_predict_is_calibrated(predict))
        hs_sheet_say(predict->sheet, "+-%%: half width of the prediction's 95 %% interval, as far "
                                     "as the calibration knows it\n");
    if (beyond_np)
        hs_sheet_say(predict->sheet,
                     "* beyond the %" PRId64 " processes that the description covers\n",
                     hs_system_capacity(predict->asked.system));
    hs_gaps_legend(&legend, gaps, predict->asked.system);
    hs_sheet_say(predict->sheet, "%s", legend.data ? legend.data : "");
    hs_text_release(&legend);
}

void hs_predict_title(const struct hs_predict *predict, const struct hs_predict_point *point)
{
    int64_t np = point->request.problem.group.ranks;

    hs_sheet_say(predict->sheet, "%s: %" PRId64 " process%s%s%s, %s per process%s\n",
                 predict->asked.label, np, np == 1 ? "" : "es",
                 hs_system_nodes_text((char[HS_NODES_TEXT]){0}, predict->asked.system, np),
                 hs_mesh_aside((char[HS_MESH_ASIDE]){0}, &predict->settings->ask.mesh),
                 HS_AS_BYTES(point->bytes),
                 hs_problem_aside((char[HS_PROBLEM_TEXT]){0}, &point->request.problem));
}

void hs_predict_warn_of_extrapolation(const struct hs_predict *predict)
{
    hs_asked_say_beyond(predict->notes, &predict->asked);
}

static void say_regret(const struct hs_predict *predict, const struct hs_predict_point *point)
{
    double regret = point->found.plans[0].seconds / point->exact_seconds - 1;

    if (point->found.plans[0].seconds <= point->exact_seconds)
        hs_sheet_say(predict->sheet, "regret 0 %%: the exact search finds nothing faster\n");
    else
        hs_sheet_say(predict->sheet, "regret %.2g %%: the exact search finds %s in %s\n",
                     100 * regret, HS_AS_PLAN(&point->exact_plan),
                     HS_AS_TIME(point->exact_seconds));
}

/* Where the last node has fewer ranks: how large layers that stay in a node can be. */
static void say_units(const struct hs_predict *predict, const struct hs_predict_point *point)
{
    int64_t np = point->request.problem.group.ranks,
            node = hs_system_node_ranks(predict->asked.system);
    int64_t unit = hs_system_unit_ranks(predict->asked.system, np);

    if (unit == node)
        return;
    hs_sheet_say(predict->sheet, "nodes of %" PRId64 " and of %" PRId64 " ranks ", node, np % node);
    if (unit > 1)
        hs_sheet_say(predict->sheet, "are cut into units of %" PRId64, unit);
    else
        hs_sheet_say(predict->sheet,
                     "have no common divisor, so every layer crosses nodes: %" PRId64 " or %" PRId64
                     " processes have layers within nodes",
                     np / node * node, (np / node + 1) * node);
    hs_sheet_say(predict->sheet, "\n");
}

/* How many splits there are, and how the search dealt with them. */
static void say_search(const struct hs_predict *predict, const struct hs_predict_point *point)
{
    const struct hs_search_result *found = &point->found;
    const char *name = predict->asked.strategy->name;

    hs_sheet_say(predict->sheet, "%s split%s, ", HS_AS_COUNT(found->splits),
                 HS_PLURAL(found->splits));
    if (strcmp(name, "lattice") == 0)
        hs_sheet_say(predict->sheet, "searched exactly: shortest paths over %s layer%s (%s)\n",
                     HS_AS_COUNT(found->layers_priced), HS_PLURAL(found->layers_priced), name);
    else
        hs_sheet_say(predict->sheet, "%s plan%s priced (%s)\n", HS_AS_COUNT(found->looked_at),
                     HS_PLURAL(found->looked_at), name);
    if (point->exact_seconds > 0)
        say_regret(predict, point);
}

/* What the library does by itself, where the system says which there is: "NCCL's own AllReduce
 * (tree, LL128 by its rule) takes 94.84 us, 80.1 us to 112.3 us with 90 %: a split gains 1.124x",
 * and how sure that is. */
static void say_library(const struct hs_predict *predict, const struct hs_predict_point *point,
                        const struct hs_library_price *own)
{
    const struct hs_search_plan *best = &point->found.plans[0];
    const struct hs_problem *problem = &point->request.problem;
    const struct hs_collective_row *row = &hs_collectives[problem->collective];
    const char *name = hs_library_written(own->library);
    bool elsewhere = row->ordered && problem->order == HS_PERMUTED;
    double seconds = isnan(own->best_seconds) ? best->seconds : own->best_seconds;

    hs_sheet_say(predict->sheet, "%s's own %s%s (%s by its rule) takes %s, ", name, row->written,
                 elsewhere ? " in place" : "", own->choice, HS_AS_TIME(own->seconds));
    hs_sheet_say(predict->sheet, "%s to %s with 90 %%: ", HS_AS_TIME(own->low_seconds),
                 HS_AS_TIME(own->high_seconds));
    if (own->left_alone)
        hs_sheet_say(predict->sheet, "leave it alone\n");
    else
        hs_sheet_say(predict->sheet, "a %s gains %s\n",
                     !hs_plan_is_flat(&best->plan) ? "split"
                     : row->whole                  ? "flat exchange"
                                                   : "flat ring",
                     HS_AS_GAIN(own->gain.median));
    if (own->seconds >= seconds * HS_ADVICE_GAIN)
        hs_sheet_say(predict->sheet,
                     "%s: %s in the median of %zu machines drawn, %s with 90 %%; it gains on %.0f "
                     "%% of them, and %s by the figures as they stand\n",
                     HS_AS_PLAN(&best->plan), HS_AS_GAIN(own->gain.median),
                     predict->asked.machines->count, HS_AS_GAIN_RANGE(&own->gain),
                     100 * own->gain.share, HS_AS_RATIO(own->seconds, seconds));
    if (seconds != best->seconds)
        hs_sheet_say(predict->sheet, "by the same steps and protocols %s takes %s\n",
                     HS_AS_PLAN(&best->plan), HS_AS_TIME(seconds));
}

/* "  1.08x faster than flat in the median, 0.85x to 1.41x with 90 %; by the figures as they stand
 * 128 is ahead, by 11 %": over the machines drawn, which chose it; where none are, by the figures:
 * "  1.392x faster than flat (17.16 ms)". */
static void say_gain(const struct hs_predict *predict, const struct hs_predict_point *point)
{
    const struct hs_search_plan *best = &point->found.plans[0];
    const struct hs_plan fewest = hs_problem_flat(&point->request.problem);
    const char *flat = !hs_plan_is_flat(&fewest)                         ? HS_AS_PLAN(&fewest)
                       : hs_system_is_nccl_native(predict->asked.system) ? "NCCL's own"
                                                                         : "flat";
    double seconds = point->found.flat_seconds, median = point->gain.median;

    if (point->request.problem.group.size == 1)
        hs_sheet_say(predict->sheet, "  %s: nothing travels",
                     predict->settings->ask.mesh.count > 0 ? "groups of one" : "one process");
    else if (hs_plan_compare(&best->plan, &fewest) == 0)
        hs_sheet_say(predict->sheet, "  %s: no split %s", flat,
                     hs_predict_is_surpassed(point) ? "does better over the machines drawn"
                                                    : "is faster");
    else if (isnan(median))
        hs_sheet_say(predict->sheet, "  %s than %s (%s)", HS_AS_COMPARISON(best->seconds, seconds),
                     flat, HS_AS_TIME(seconds));
    else
        hs_sheet_say(predict->sheet, "  %s %s %s in the median, %s with 90 %%%s",
                     HS_AS_GAIN(median), median < FASTER ? "as fast as" : "faster than", flat,
                     HS_AS_GAIN_RANGE(&point->gain),
                     median < FASTER ? ", and loses least on average" : "");
    if (point->sure && hs_predict_is_surpassed(point))
        hs_sheet_say(predict->sheet, "; by the figures as they stand %s is ahead, by %.2g %%",
                     HS_AS_PLAN(&point->guess.plan),
                     100 * (1 - point->guess.seconds / best->seconds));
    hs_sheet_say(predict->sheet, "\n");
}

/* "best  4x8x4  11 to 14 ms", with what it gains, and how sure that is. */
enum hs_status hs_predict_say_answer(const struct hs_predict *predict,
                                     const struct hs_predict_point *point, struct hs_error *err)
{
    const struct hs_search_plan *best = &point->found.plans[0];
    const struct hs_plan fewest = hs_problem_flat(&point->request.problem);
    const struct hs_collective_row *row = &hs_collectives[point->request.problem.collective];
    struct hs_library_price own;
    struct hs_plan_cost cost =
        hs_plan_cost(predict->asked.system, &point->request.problem, &best->plan);

    if (hs_point_library(&own, &predict->asked, point, err))
        return HS_MEMORY;
    if (hs_library_is_priced(&own))
        say_library(predict, point, &own);
    else if (own.library && point->request.problem.group.size > 1)
        hs_sheet_say(predict->sheet, "%s's own %s has no price here: gains are over %s\n",
                     hs_library_written(own.library), row->written,
                     hs_plan_is_flat(&fewest) ? "the flat ring" : HS_AS_PLAN(&fewest));
    if (point->sure && !hs_predict_is_calibrated(predict))
        hs_sheet_stress(predict->sheet, "best  %s  %s", HS_AS_PLAN(&best->plan),
                        HS_AS_RANGE(point->regret.low_seconds, point->regret.high_seconds));
    else
        hs_sheet_stress(predict->sheet, "best  %s  %s", HS_AS_PLAN(&best->plan),
                        HS_AS_TIME(best->seconds));
    if (isfinite(cost.ci95_seconds) && hs_predict_is_calibrated(predict))
        hs_sheet_say(predict->sheet, " +- %s", HS_AS_TIME(cost.ci95_seconds));
    say_gain(predict, point);
    hs_predict_say_sure(predict, point, "      ");
    hs_reach_say(predict->sheet, "      ", predict->asked.system, &point->request.problem,
                 best->seconds);
    return HS_OK;
}

/* Takes the plan where it has fewer layers than the simplest so far, or as many and is faster. */
static void take_simpler(struct hs_search_plan *simplest, const struct hs_predict_point *point,
                         const struct hs_split *split)
{
    const struct hs_search_request *request = &point->request;
    struct hs_search_plan plan = {.plan = {.split = *split, .chunks = 1}};

    if (split->count > simplest->plan.split.count ||
        hs_group_check_split(&request->problem.group, split, NULL))
        return;
    plan.seconds = hs_plan_seconds(request->system, &request->problem, &plan.plan);
    if (plan.seconds > point->found.plans[0].seconds * SIMPLER_COST ||
        (split->count == simplest->plan.split.count && plan.seconds >= simplest->seconds))
        return;
    *simplest = plan;
}

/* Of the splits in one to three layers the one with the fewest that takes next to no longer than
 * the best plan: "       72x8 takes 0.41 % more, with 2 layers instead of 6". */
static enum hs_status say_simpler(const struct hs_predict *predict,
                                  const struct hs_predict_point *point, struct hs_error *err)
{
    const struct hs_search_plan *best = &point->found.plans[0];
    struct hs_search_plan simplest = *best;
    struct hs_lattice lattice;
    int64_t np = point->request.problem.group.size;
    bool chosen_for_layers = point->sure && !hs_predict_is_calibrated(predict);
    enum hs_status status;

    if (best->plan.split.count < 3 || point->exact_seconds > 0 || chosen_for_layers ||
        point->found.layers_priced > HINT_LAYERS)
        return HS_OK;
    status = hs_lattice_init(&lattice, point->request.problem.group, err);
    if (status != HS_OK)
        return status;
    for (size_t i = 0; i + 1 < lattice.node_count; i++)
        for (size_t e = lattice.first_edge[i]; e < lattice.first_edge[i + 1]; e++) {
            struct hs_layer layer = hs_lattice_layer(&lattice, i, e);
            int64_t inside = lattice.divisors[i];
            const int64_t sizes[] = {inside, layer.size, np / inside / layer.size};
            struct hs_split split = {.count = 0};

            for (int k = 0; k < 3; k++)
                if (sizes[k] > 1)
                    split.sizes[split.count++] = sizes[k];
            take_simpler(&simplest, point, &split);
        }
    hs_lattice_release(&lattice);
    if (simplest.plan.split.count < best->plan.split.count && simplest.seconds >= best->seconds)
        hs_sheet_say(predict->sheet, "      %s takes %.2g %% more, with %d layer%s instead of %d\n",
                     HS_AS_PLAN(&simplest.plan), 100 * (simplest.seconds / best->seconds - 1),
                     simplest.plan.split.count, HS_PLURAL(simplest.plan.split.count),
                     best->plan.split.count);
    return HS_OK;
}

/* What a caller saves who can have the blocks in the other order: "      permuted, 4x16 takes 1.2
 * ms, 1.9x faster (--order permuted)". */
static enum hs_status say_permuted(const struct hs_predict *predict,
                                   const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_search_request request = point->request;
    struct hs_search_result found;
    enum hs_status status;

    if (!hs_collectives[request.problem.collective].ordered ||
        request.problem.order == HS_PERMUTED || point->found.layers_priced > HINT_LAYERS)
        return HS_OK;
    request.problem.order = HS_PERMUTED;
    request.top = 1;
    status = hs_search(&found, hs_search_strategy_find("lattice"), &request, err);
    if (status)
        return status;
    if (found.plans[0].seconds * HINT_GAIN < point->guess.seconds)
        hs_sheet_say(
            predict->sheet,
            "      permuted, %s takes %s, %s faster, where the caller lays blocks out like "
            "that: --order permuted\n",
            HS_AS_PLAN(&found.plans[0].plan), HS_AS_TIME(found.plans[0].seconds),
            HS_AS_RATIO(point->guess.seconds, found.plans[0].seconds));
    hs_search_result_release(&found);
    return HS_OK;
}

/* What the parts of the bars are; only where there are bars. */
static void say_bars(const struct hs_predict *predict, const struct hs_predict_point *point,
                     bool cut)
{
    const struct hs_terminal *terminal = &predict->sheet->terminal;
    int layers = 1;

    for (size_t i = 0; i < hs_point_shown(&predict->asked, point); i++)
        if (point->found.plans[i].plan.split.count > layers)
            layers = point->found.plans[i].plan.split.count;
    if (layers == 1)
        return;
    hs_sheet_say(predict->sheet, "\nlayers from the inside out:");
    for (int i = 0; i < layers && i < 4; i++)
        hs_text_append(&predict->sheet->lines, "  %s%s%s %d",
                       hs_style_on(terminal, HS_STYLE_LAYER, i), hs_bar_shade(terminal, i),
                       hs_style_off(terminal), i + 1);
    hs_sheet_say(predict->sheet, "%s%s\n", layers > 4 ? ", then the same shades again" : "",
                 cut ? "; > bar is cut" : "");
}

/* One search more with 1, 2, 4 and 8 chunks; for very many layers only the plans already found. */
static enum hs_status best_with_chunks(struct hs_search_plan *best,
                                       const struct hs_predict_point *point, struct hs_error *err)
{
    static const int chunks[] = {1, 2, 4, 8};
    struct hs_search_request request = point->request;
    struct hs_search_result found;
    enum hs_status status;

    *best = point->guess;
    if (point->found.layers_priced > HINT_LAYERS) {
        for (size_t c = 1; c < 4; c++) {
            struct hs_plan plan = {.split = point->guess.plan.split, .chunks = chunks[c]};
            double seconds = hs_plan_seconds(request.system, &request.problem, &plan);

            if (seconds < best->seconds)
                *best = (struct hs_search_plan){plan, seconds};
        }
        return HS_OK;
    }
    request.chunks = chunks;
    request.chunk_count = 4;
    request.top = 1;
    status = hs_search(&found, hs_search_strategy_find("lattice"), &request, err);
    if (status != HS_OK)
        return status;
    *best = found.plans[0];
    hs_search_result_release(&found);
    return HS_OK;
}

static enum hs_status hint_at_chunks(const struct hs_predict *predict,
                                     const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_search_plan best;
    enum hs_status status;

    if (predict->settings->ask.chunks.count || !predict->notes ||
        hs_collective_is_one_way(predict->settings->ask.collective))
        return HS_OK;
    status = best_with_chunks(&best, point, err);
    if (status == HS_OK && best.seconds * HINT_GAIN < point->guess.seconds)
        hs_say_note(predict->notes, "with chunks %s takes %s, %s faster: add --chunks 1,2,4,8",
                    HS_AS_PLAN(&best.plan), HS_AS_TIME(best.seconds),
                    HS_AS_RATIO(point->guess.seconds, best.seconds));
    return status;
}

/* Where single links join the first level's children, and only what its library runs was asked for:
 * trees packed on them, and groups. */
static enum hs_status hint_at_trees(const struct hs_predict *predict,
                                    const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_search_request request = point->request;
    struct hs_search_result found;
    enum hs_status status;

    if (predict->settings->ask.algorithms || !predict->notes ||
        request.system->levels[0].fabric != HS_FABRIC_LINKS)
        return HS_OK;
    request.algorithms |= 1U << HS_FOREST | 1U << HS_GROUPS;
    request.top = 1;
    status = hs_search(&found, hs_search_strategy_find("lattice"), &request, err);
    if (status != HS_OK)
        return status;
    if (found.plans[0].seconds * HINT_GAIN < point->guess.seconds)
        hs_say_note(predict->notes,
                    "over trees packed on the links %s takes %s, %s faster: add --algorithms all",
                    HS_AS_PLAN(&found.plans[0].plan), HS_AS_TIME(found.plans[0].seconds),
                    HS_AS_RATIO(point->guess.seconds, found.plans[0].seconds));
    hs_search_result_release(&found);
    return HS_OK;
}

/* The fastest first, each source once. */
static int compare_published(const void *left, const void *right)
{
    const struct hs_published *a = left, *b = right;
    int order = strcmp(a->source, b->source);

    return order ? order : (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

/* "published, SOURCE: 4x8x4 16.64 ms, 4x32 17.29 ms": times of just this size and count. */
static enum hs_status say_published(const struct hs_predict *predict,
                                    const struct hs_predict_point *point, struct hs_error *err)
{
    const struct hs_system *system = predict->asked.system;
    struct hs_published *found = calloc(system->published.count + 1, sizeof(*found));
    size_t count = 0;

    if (!found)
        return hs_no_memory(err);
    for (size_t i = 0; i < system->published.count; i++)
        if (system->published.items[i].np == point->request.problem.group.size &&
            hs_group_is_world(&point->request.problem.group) &&
            system->published.items[i].bytes == point->bytes)
            found[count++] = system->published.items[i];
    qsort(found, count, sizeof(*found), compare_published);
    for (size_t i = 0; i < count; i++) {
        bool first = i == 0 || strcmp(found[i].source, found[i - 1].source) != 0;
        bool last = i + 1 == count || strcmp(found[i].source, found[i + 1].source) != 0;

        if (first)
            hs_sheet_say(predict->sheet, "%spublished, %s:", i > 0 ? "" : "\n", found[i].source);
        hs_sheet_say(predict->sheet, "%s %s %s%s", first ? "" : ",", found[i].call,
                     HS_AS_TIME(found[i].seconds), last ? "\n" : "");
    }
    free(found);
    return HS_OK;
}

enum hs_status hs_predict_show(const struct hs_predict *predict, struct hs_predict_point *point,
                               const struct hs_result *result, struct hs_error *err)
{
    const struct hs_result_message *message = &result->messages[result->message_count - 1];
    struct hs_candidates_source of = {.result = result,
                                      .message = message,
                                      .ranked = hs_point_shown(&predict->asked, point),
                                      .ties_once = hs_sheet_is_read(predict->sheet)};
    struct hs_table table;
    struct hs_gaps gaps = {0};
    enum hs_status status;
    bool cut;

    hs_predict_title(predict, point);
    say_units(predict, point);
    say_search(predict, point);
    hs_sheet_say(predict->sheet, "\n");
    status = hs_predict_say_answer(predict, point, err);
    if (status == HS_OK)
        status = say_simpler(predict, point, err);
    if (status == HS_OK)
        status = say_permuted(predict, point, err);
    if (status != HS_OK)
        return status;
    hs_sheet_say(predict->sheet, "\n");
    hs_candidates_table(&table, HS_OF_PREDICT, &of);
    cut = point->found.flat_seconds > table.bar_full;
    if (hs_sheet_table(predict->sheet, &table) > 0)
        say_bars(predict, point, cut);
    if (point->extrapolated || hs_predict_is_calibrated(predict))
        hs_sheet_say(predict->sheet, "\n");
    hs_result_gaps_add(&gaps, result, message);
    hs_predict_legend(predict, &gaps, true, point->extrapolated);
    status = hs_predict_say_choices(predict, point, err);
    if (status == HS_OK)
        status = hs_predict_say_changed(predict, point, err);
    if (status == HS_OK)
        status = hs_predict_say_unknown(predict, point, err);
    if (status == HS_OK)
        status = say_published(predict, point, err);
    status = status ? status : hint_at_chunks(predict, point, err);
    return status ? status : hint_at_trees(predict, point, err);
}
