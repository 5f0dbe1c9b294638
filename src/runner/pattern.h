/*
 * pattern.h - inputs whose reduction is known exactly, and the count of elements that differ from
 * it, or from what one rank put in; and inputs that are only carried.
 *
 * Element i of rank r is a small whole number that depends on both, chosen so that every partial
 * sum in every order is exact in the data type: float16 and bfloat16 have 11 and 8 bits of
 * significand, so their values shrink with the number of processes (0 and 1 only, beyond a few
 * hundred a sparse pattern of ones). The expected value is computed without communication in O(1)
 * per element. Not compared within a tolerance: one wrong bit counts.
 *
 * Where nothing is added an element has all its bits to tell whose it is and which: its rank and
 * its number, so of an all-to-all source, destination and place in the block, as 64 bits that no
 * other element has, cut to the type's. Two of 16 bits are alike by chance in one of 65536.
 */
#ifndef HS_RUNNER_PATTERN_H
#define HS_RUNNER_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/group.h"
#include "runner/pattern_math.h"

/* The number of the first element of the group that `rank` is in, where messages have room for so
 * many: elements of other groups have other numbers. */
size_t hs_pattern_begin(const struct hs_group *group, int64_t rank, size_t room);

/* Writes elements first .. first + count - 1 of rank `rank` to `data`. */
void hs_pattern_fill(void *data, const struct hs_pattern *pattern, int64_t rank, size_t first,
                     size_t count);

/* Elements first .. first + count - 1 of rank `rank`, or of the reduction. */
struct hs_pattern_part {
    int64_t rank;
    size_t first, count;
};

/* Number of elements that are not as in that part. A swapped block, a missing or doubled
 * contribution of one rank is found. */
uint64_t hs_pattern_wrong(const void *data, const struct hs_pattern *pattern,
                          struct hs_pattern_part part);

#endif
