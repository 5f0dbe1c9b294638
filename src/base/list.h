/*
 * list.h - lists that grow.
 */
#ifndef HS_BASE_LIST_H
#define HS_BASE_LIST_H

#include <stddef.h>

#include "base/error.h"

/* Makes room for one more element of `size` bytes behind the first `count` of a list, which it
 * returns, zeroed; the caller counts it. `items` is the address of the list's pointer, NULL at
 * first. `capacity` may be NULL where nobody keeps it: such a list may come from anywhere (exactly
 * as long as needed, from a file), and is reallocated each time, to a power of two. NULL: out of
 * memory, *err says so, and the list is as it was. */
void *hs_grow(void *items, size_t *capacity, size_t count, size_t size, struct hs_error *err);

#endif
