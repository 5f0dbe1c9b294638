#include <inttypes.h>
#include <stdlib.h>

#include "answer/predict.h"
#include "estimate/system_file.h"
#include "library/limit.h"
#include "library/price_plan.h"
#include "links/subsets.h"
#include "show/choices.h"
#include "show/figures.h"

#define KINDS_MAX 200 /* each is a search */

/* What a choice is priced by: the question, and where its seconds go. */
struct choices {
    const struct hs_predict *predict;
    struct hs_search_request request;
    struct hs_choice *items; /* [count] */
    size_t count;
    int64_t all, apart; /* choices, and those of them that no links join */
};

static int take_bits(int units[64], uint64_t bits)
{
    int count = 0;

    for (int u = 0; u < 64; u++)
        if (bits >> u & 1)
            units[count++] = u;
    return count;
}

static enum hs_status price(struct choices *choices, const struct hs_subset *subset,
                            struct hs_error *err)
{
    struct hs_choice *choice = &choices->items[choices->count];
    struct hs_search_result found;
    struct hs_system system;
    int units[64], count = take_bits(units, subset->units);
    enum hs_status status = hs_system_copy(&system, choices->predict->whole, err);

    if (status != HS_OK)
        return status;
    choices->all += subset->alike;
    status = hs_system_choose(&system, units, count, err);
    if (status == HS_INVALID)
        choices->apart += subset->alike;
    if (status == HS_OK) {
        hs_system_keep(&system);
        choices->request.system = &system;
        status = hs_search(&found, hs_search_strategy_find("lattice"), &choices->request, err);
        if (status == HS_OK) {
            *choice = (struct hs_choice){
                .units = subset->units,
                .alike = subset->alike,
                .plan = found.plans[0].plan,
                .seconds = found.plans[0].seconds,
                .limit_seconds = hs_limit_of(&system, &choices->request.problem).seconds};
            choices->count++;
            hs_search_result_release(&found);
        }
    } else if (status == HS_INVALID) {
        status = HS_OK;
    }
    hs_system_release(&system);
    return status;
}

static int by_seconds(const void *left, const void *right)
{
    const struct hs_choice *a = left, *b = right;

    if (a->seconds != b->seconds)
        return a->seconds < b->seconds ? -1 : 1;
    return a->units < b->units ? -1 : a->units > b->units;
}

/* "28 choices of 6 of the 8 of nvlink are of 7 kinds: ..." and the best and the worst of them. */
static void say(const struct choices *choices, size_t kinds)
{
    const struct hs_predict *predict = choices->predict;
    const struct hs_level *level = &predict->whole->levels[0];
    const struct hs_choice *best = &choices->items[0], *worst = &choices->items[choices->count - 1];
    size_t shown = (size_t)predict->settings->ask.top;
    struct hs_table table;

    hs_sheet_say(predict->sheet,
                 "\n%" PRId64 " choices of %" PRId64 " of the %" PRId64 " of %s are of %zu kind%s",
                 choices->all, choices->request.problem.group.size, level->arity, level->name,
                 kinds, kinds == 1 ? "" : "s");
    if (choices->apart > 0)
        hs_sheet_say(predict->sheet, ", %" PRId64 " of them without a way between all",
                     choices->apart);
    if (worst->seconds > best->seconds * (1 + 1e-9))
        hs_sheet_say(predict->sheet, ": the worst, %s, takes %s as long as the best, %s",
                     hs_choice_format((char[HS_CHOICE_UNITS_TEXT]){0}, worst->units),
                     HS_AS_GAIN(worst->seconds / best->seconds),
                     hs_choice_format((char[HS_CHOICE_UNITS_TEXT]){0}, best->units));
    else
        hs_sheet_say(predict->sheet, ": all take as long");
    hs_sheet_say(predict->sheet, "\n\n");
    if (shown + 1 < choices->count) { /* the best, and the worst as the last */
        choices->items[shown] = *worst;
        hs_choices_table(&table, choices->items, shown + 1);
    } else {
        hs_choices_table(&table, choices->items, choices->count);
    }
    hs_sheet_table(predict->sheet, &table);
}

/* One call of some of the first level's children, which nobody asked for. */
static bool has_choice(const struct hs_predict *predict, const struct hs_predict_point *point)
{
    const struct hs_group *group = &point->request.problem.group;

    return predict->whole && predict->settings->ask.gpus.count == 0 && group->size == group->ranks;
}

enum hs_status hs_predict_say_choices(const struct hs_predict *predict,
                                      const struct hs_predict_point *point, struct hs_error *err)
{
    struct choices choices = {.predict = predict, .request = point->request};
    struct hs_subsets subsets = {.count = 0};
    enum hs_status status;

    if (!has_choice(predict, point))
        return HS_OK;
    choices.request.top = 1;
    choices.request.progress = NULL;
    status = hs_subsets_find(&subsets, &predict->whole->levels[0].links,
                             (int)point->request.problem.group.size, err);
    if (status == HS_INVALID || subsets.count > KINDS_MAX) {
        hs_sheet_say(predict->sheet,
                     "\nchoices of %" PRId64 " of the %" PRId64 " of %s are of more than %d kinds, "
                     "too many to compare: --gpus asks for one\n",
                     point->request.problem.group.size, predict->whole->levels[0].arity,
                     predict->whole->levels[0].name, KINDS_MAX);
        status = HS_OK;
    } else if (status == HS_OK) {
        choices.items = calloc(subsets.count + 1, sizeof(*choices.items));
        status = choices.items ? HS_OK : hs_no_memory(err);
        for (size_t i = 0; status == HS_OK && i < subsets.count; i++)
            status = price(&choices, &subsets.items[i], err);
        if (status == HS_OK && choices.count > 0) {
            qsort(choices.items, choices.count, sizeof(*choices.items), by_seconds);
            say(&choices, subsets.count);
        }
    }
    free(choices.items);
    hs_subsets_release(&subsets);
    return status;
}
