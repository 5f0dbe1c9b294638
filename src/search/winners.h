/*
 * winners.h - where the winner changes: over message sizes, and over process counts.
 */
#ifndef HS_SEARCH_WINNERS_H
#define HS_SEARCH_WINNERS_H

#include <stddef.h>

#include "search/search.h"

/* One plan wins from `bytes` (per process) up to the next entry's. */
struct hs_size_winner {
    double bytes; /* where its reign begins: the first entry's is the lower end of the range */
    struct hs_plan plan;
    double seconds; /* at `bytes` */
    double flat_seconds;
};

/* How the winner of a process count follows from the winner before it in the list. */
/* clang-format off */
#define HS_GROWTHS(row)                                                         \
    row(FIRST, "first", "no smaller count in the list")                         \
    row(SAME_SHAPE, "last layer grows", "rule 2 of the paper")                  \
    row(ONE_MORE, "one more layer", "rule 1 of the paper")                      \
    row(INNER, "an earlier layer grows", "the paper's wider case")              \
    row(OTHER, "new shape", "the large optimum does not contain the small one")
/* clang-format on */

enum hs_growth {
#define HS_ROW(name, text, meaning) HS_GROWTH_##name,
    HS_GROWTHS(HS_ROW)
#undef HS_ROW
        HS_GROWTH_COUNT
};
extern const char *const hs_growth_names[HS_GROWTH_COUNT];

struct hs_np_winner {
    int64_t np;
    struct hs_plan plan;
    double seconds, flat_seconds;
    enum hs_growth growth;
};

/* Winners for message sizes first .. *last bytes (the problem's bytes are ignored), ascending. Of
 * searches the request's `progress` is told as of one; once it says false, *last becomes the size
 * up to which the list goes, `first` where it is empty. With one chunk a plan's time is linear in
 * the size, a plan that wins at two sizes wins between them, and the list is complete (down to a
 * factor 1 + 1e-6 in size); with several chunk counts, an unstriped mesh inside (price.h), several
 * algorithms, or a library's calls as stages, a reign shorter than a factor 2 may be missed.
 * *winners is owned by the caller (free). HS_INVALID, HS_MEMORY. */
enum hs_status hs_size_winners(struct hs_size_winner **winners, size_t *count,
                               const struct hs_search_request *request, double first, double *last,
                               struct hs_error *err);

/* Winners for *count given process counts, ascending (the problem's group is ignored); the first of
 * them where `progress` said false, and *count is how many. *winners is the caller's to free. */
enum hs_status hs_np_winners(struct hs_np_winner **winners, const int64_t *counts, size_t *count,
                             const struct hs_search_request *request, struct hs_error *err);

/* How `large` follows from `small`. */
enum hs_growth hs_growth_of(const struct hs_split *small, const struct hs_split *large);

#endif
