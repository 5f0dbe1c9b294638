/*
 * subsets.h - which units of a link graph (links.h) a job may get, those that are the same for it
 * counted once.
 *
 * Two subsets are alike where one's units can be numbered so that all links among them, and over
 * relays, are the other's: then everything that can be said of one holds for the other.
 */
#ifndef HS_LINKS_SUBSETS_H
#define HS_LINKS_SUBSETS_H

#include "system/links.h"

#define HS_SUBSETS_MAX 100000 /* that are looked at */

struct hs_subset {
    uint64_t units; /* bits: of those alike the least number */
    int64_t alike;  /* how many there are, itself included */
};
struct hs_subsets {
    struct hs_subset *items; /* [count] owned; by units */
    size_t count;
};

/* One of each kind of `size` units, 1 .. links->units; joined or not. HS_INVALID: more than
 * HS_SUBSETS_MAX subsets have so many. HS_MEMORY. */
enum hs_status hs_subsets_find(struct hs_subsets *subsets, const struct hs_links *links, int size,
                               struct hs_error *err);
void hs_subsets_release(struct hs_subsets *subsets);

#endif
