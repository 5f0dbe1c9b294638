#include "search/ranking.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

/* Order of search.h: ticks, then hs_plan_compare. */
static int compare_ranked(const void *a, const void *b)
{
    const struct hs_ranked *x = a, *y = b;

    if (x->ticks != y->ticks)
        return x->ticks < y->ticks ? -1 : 1;
    return hs_plan_compare(&x->plan, &y->plan);
}

void hs_ranking_init(struct hs_ranking *ranking, size_t top)
{
    *ranking = (struct hs_ranking){.top = top};
}

void hs_ranking_release(struct hs_ranking *ranking)
{
    free(ranking->plans);
    memset(ranking, 0, sizeof(*ranking));
}

bool hs_ranking_admits(const struct hs_ranking *ranking, hs_ticks ticks)
{
    return ranking->count < ranking->top || ticks <= ranking->plans[0].ticks;
}

static void swap(struct hs_ranked *a, struct hs_ranked *b)
{
    struct hs_ranked kept = *a;

    *a = *b;
    *b = kept;
}

static void sift_down(struct hs_ranking *ranking, size_t at)
{
    for (;;) {
        size_t worst = at;

        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < ranking->count; child++)
            if (compare_ranked(&ranking->plans[child], &ranking->plans[worst]) > 0)
                worst = child;
        if (worst == at)
            return;
        swap(&ranking->plans[at], &ranking->plans[worst]);
        at = worst;
    }
}

static void sift_up(struct hs_ranking *ranking, size_t at)
{
    while (at > 0 && compare_ranked(&ranking->plans[at], &ranking->plans[(at - 1) / 2]) > 0) {
        swap(&ranking->plans[at], &ranking->plans[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

enum hs_status hs_ranking_add(struct hs_ranking *ranking, hs_ticks ticks,
                              const struct hs_plan *plan, struct hs_error *err)
{
    struct hs_ranked added = {.ticks = ticks, .plan = *plan};

    if (ranking->count == ranking->top) {
        if (compare_ranked(&added, &ranking->plans[0]) < 0) {
            ranking->plans[0] = added;
            sift_down(ranking, 0);
        }
        return HS_OK;
    }
    if (!hs_grow(&ranking->plans, &ranking->capacity, ranking->count, sizeof(added), err))
        return HS_MEMORY;
    ranking->plans[ranking->count++] = added;
    sift_up(ranking, ranking->count - 1);
    return HS_OK;
}

void hs_ranking_sort(struct hs_ranking *ranking)
{
    if (ranking->count > 0)
        qsort(ranking->plans, ranking->count, sizeof(*ranking->plans), compare_ranked);
}
