/* The containment rule of Ueno and Yokota (CCGRID 2019, section V) on plans that were measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/compare.h"

static const struct hs_compare_regret no_regret = {NAN, NAN, NAN};

/* Chunk counts of the points, ascending; 0 where there are more than a search takes. */
static size_t list_chunks(int chunks[HS_CHUNK_CHOICES], const struct hs_compare_point *points,
                          size_t count)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        size_t at = 0;

        while (at < found && chunks[at] < points[i].plan.chunks)
            at++;
        if (at < found && chunks[at] == points[i].plan.chunks)
            continue;
        if (found == HS_CHUNK_CHOICES)
            return 0;
        memmove(&chunks[at + 1], &chunks[at], (found - at) * sizeof(*chunks));
        chunks[at] = points[i].plan.chunks;
        found++;
    }
    return found;
}

static bool keeps(const struct hs_search_result *kept, const struct hs_plan *plan)
{
    for (size_t i = 0; i < kept->count; i++)
        if (hs_plan_compare(&kept->plans[i].plan, plan) == 0)
            return true;
    return false;
}

static void look_at_points(struct hs_compare_rule *out, const struct hs_search_result *kept,
                           const struct hs_compare_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (hs_plan_compare(&points[i].plan, &out->best.plan) == 0)
            out->best_measured = true;
        if (!keeps(kept, &points[i].plan))
            continue;
        out->kept++;
        if (out->fastest == HS_COMPARE_NONE)
            out->fastest = i;
        if (out->chosen == HS_COMPARE_NONE ||
            points[i].predicted_rank < points[out->chosen].predicted_rank)
            out->chosen = i;
    }
    out->keeps_winner = out->fastest == 0;
    if (out->kept == 0)
        return;
    out->chosen_regret = hs_compare_regret_of(points, count, out->chosen);
    out->fastest_regret = hs_compare_regret_of(points, count, out->fastest);
}

static enum hs_status search(struct hs_search_result *out, const char *strategy,
                             struct hs_search_request request, size_t top, struct hs_error *err)
{
    request.top = top;
    return hs_search(out, hs_search_strategy_find(strategy), &request, err);
}

enum hs_status hs_compare_rule(struct hs_compare_rule *out, const struct hs_compare_point *points,
                               size_t count, const struct hs_search_request *request,
                               struct hs_error *err)
{
    struct hs_search_request own = *request;
    struct hs_search_result all = {.count = 0}, kept = {.count = 0};
    int chunks[HS_CHUNK_CHOICES];
    enum hs_status status;

    *out = (struct hs_compare_rule){.chosen = HS_COMPARE_NONE,
                                    .fastest = HS_COMPARE_NONE,
                                    .chosen_regret = no_regret,
                                    .fastest_regret = no_regret};
    own.chunks = chunks;
    own.chunk_count = list_chunks(chunks, points, count);
    if (!request->system)
        out->missing = "the machine is not known";
    else if (request->problem.group.size == 1)
        out->missing = "one process has one plan";
    else if (own.chunk_count == 0)
        out->missing = "the plans have more different numbers of chunks than a search takes";
    if (out->missing)
        return HS_OK;
    status = search(&all, "lattice", own, 1, err);
    if (status == HS_OK)
        status = search(&kept, "containment", own, HS_TOP_MAX, err);
    if (status == HS_OK) {
        out->looked_at = kept.looked_at;
        out->best = all.plans[0];
        out->pick = kept.plans[0];
        if (hs_plan_compare(&out->best.plan, &out->pick.plan) != 0)
            out->loss = out->pick.seconds / out->best.seconds - 1;
        look_at_points(out, &kept, points, count);
    }
    hs_search_result_release(&all);
    hs_search_result_release(&kept);
    return status;
}

bool hs_compare_reaches(const struct hs_split *small, const struct hs_split *large, bool widen)
{
    if (large->count < small->count)
        return false;
    for (int i = 0; i < small->count; i++) {
        bool may_grow = widen || i == small->count - 1;

        if (may_grow ? large->sizes[i] % small->sizes[i] != 0 : large->sizes[i] != small->sizes[i])
            return false;
    }
    return true;
}
