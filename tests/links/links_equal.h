/* links_equal.h - whether two graphs are the same, link by link. */
#ifndef HS_TESTS_LINKS_EQUAL_H
#define HS_TESTS_LINKS_EQUAL_H

#include "system/links.h"

static inline bool links_equal(const struct hs_links *a, const struct hs_links *b)
{
    bool equal = a->units == b->units && a->relays == b->relays && a->count == b->count;

    for (size_t i = 0; equal && i < a->count; i++)
        equal = a->items[i].from == b->items[i].from && a->items[i].to == b->items[i].to &&
                a->items[i].count == b->items[i].count &&
                a->items[i].one_way == b->items[i].one_way &&
                a->items[i].bytes_per_second == b->items[i].bytes_per_second &&
                a->items[i].latency_seconds == b->items[i].latency_seconds;
    return equal;
}

#endif
