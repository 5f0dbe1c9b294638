/*
 * pattern_math.h - the arithmetic of pattern.h, for the host and for GPUs.
 *
 * Let L be the largest whole number up to which the data type has them all: 2^8, 2^11, 2^24, 2^53.
 *
 * Sum. Rank r adds to element i one of
 *   - dense: 1 + (r + k) mod M where np <= L/2, with M = L/2/np: every rank shows in every element;
 *   - sparse: (r + k) mod T == 0 beyond, with T = np / (L/2), rounded up;
 *
 * and, for the one rank that owns element i (i mod np), an extra c. k < M (or T) and c < L/2 come
 * from a hash of i, so that blocks differ from each other. All are non-negative and their total is
 * at most L: no order of additions rounds. The sum over r of (r + k) mod M is that of np/M full
 * cycles and one partial cycle.
 *
 * Max. The owner's value is c - L/4, the others' lie 1 .. L/8 below it.
 */
#ifndef HS_RUNNER_PATTERN_MATH_H
#define HS_RUNNER_PATTERN_MATH_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "engine/device_code.h"
#include "engine/float16.h"
#include "system/datatype.h"

struct hs_pattern {
    enum hs_datatype datatype;
    enum hs_operation operation;
    int64_t np;   /* ranks of a group */
    bool carried; /* nothing is added, whatever the operation */
};

#define HS_PATTERN_REDUCED (-1) /* in place of a rank: the reduction over all; not if carried */

/* What does not change from element to element. */
struct hs_pattern_plan {
    uint64_t np, half; /* L/2 */
    uint64_t cycle;    /* M, or T if sparse */
    bool sparse, max;
};

/* What the hash of an element's number decides. */
struct hs_pattern_draw {
    uint64_t shift; /* k */
    uint64_t extra; /* c */
};

HS_BOTH uint64_t hs_pattern_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* L / 2 */
HS_BOTH uint64_t hs_pattern_half(enum hs_datatype datatype)
{
    switch (datatype) {
    case HS_FLOAT32:
        return (uint64_t)1 << 23;
    case HS_FLOAT64:
        return (uint64_t)1 << 52;
    case HS_FLOAT16:
        return (uint64_t)1 << 10;
    case HS_BFLOAT16:
    default: /* priced alone */
        break;
    }
    return (uint64_t)1 << 7;
}

HS_BOTH struct hs_pattern_plan hs_pattern_plan_of(const struct hs_pattern *pattern)
{
    struct hs_pattern_plan plan;
    plan.np = (uint64_t)pattern->np;
    plan.half = hs_pattern_half(pattern->datatype);
    plan.max = pattern->operation == HS_MAX;
    assert(pattern->np >= 1);
    plan.sparse = !plan.max && plan.np > plan.half;
    if (plan.max)
        plan.cycle = plan.half / 4;
    else if (plan.sparse)
        plan.cycle = (plan.np + plan.half - 1) / plan.half;
    else
        plan.cycle = plan.half / plan.np;
    /* Beyond 2^20 different values nothing is gained, and the products below stay in 64 bits. */
    plan.cycle = hs_pattern_smaller(plan.cycle, (uint64_t)1 << 20);
    return plan;
}

/* The mixing steps of splitmix64. */
HS_BOTH uint64_t hs_pattern_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

HS_BOTH struct hs_pattern_draw hs_pattern_draw_of(const struct hs_pattern_plan *plan,
                                                  uint64_t element)
{
    uint64_t hash = hs_pattern_mix(element + UINT64_C(0x9e3779b97f4a7c15));
    struct hs_pattern_draw drawn;
    drawn.shift = ((hash & 0xffffffffu) * plan->cycle) >> 32;
    drawn.extra = (hash >> 11) & (plan->half - 1);
    return drawn;
}

/* Element i of rank r that is carried, in the low bits: i below 2^40 and r below 2^24 make numbers
 * that are all different, and the mixing keeps them so. Never all ones, which is what spoils. */
HS_BOTH uint64_t hs_pattern_carried(enum hs_datatype datatype, uint64_t rank, uint64_t i)
{
    unsigned bits = datatype == HS_FLOAT64 ? 64 : datatype == HS_FLOAT32 ? 32 : 16;
    uint64_t ones = UINT64_MAX >> (64 - bits);
    uint64_t value = hs_pattern_mix(((rank << 40) ^ i) + UINT64_C(0x9e3779b97f4a7c15)) & ones;
    return value == ones ? ones - 1 : value;
}

/* What rank r adds; `rank_in_cycle` is r mod plan->cycle. */
HS_BOTH int64_t hs_pattern_contribution(const struct hs_pattern_plan *plan,
                                        struct hs_pattern_draw drawn, uint64_t rank_in_cycle,
                                        bool owner)
{
    uint64_t position = rank_in_cycle + drawn.shift;
    if (position >= plan->cycle)
        position -= plan->cycle;
    if (plan->max) {
        int64_t top = (int64_t)drawn.extra - (int64_t)(plan->half / 2);
        return owner ? top : top - 1 - (int64_t)position;
    }
    uint64_t base = plan->sparse ? position == 0 : 1 + position;
    return (int64_t)(base + (owner ? drawn.extra : 0));
}

/* Sum over r < np of (r + k) mod M. */
HS_BOTH uint64_t hs_pattern_sum_of_cycles(uint64_t np, uint64_t cycle, uint64_t shift)
{
    uint64_t full = np / cycle, rest = np % cycle;
    uint64_t before_wrap = hs_pattern_smaller(rest, cycle - shift);
    uint64_t after_wrap = rest - before_wrap;
    uint64_t sum = full * (cycle * (cycle - 1) / 2);
    sum += before_wrap * shift;
    if (before_wrap > 0)
        sum += before_wrap * (before_wrap - 1) / 2;
    if (after_wrap > 0)
        sum += after_wrap * (after_wrap - 1) / 2;
    return sum;
}

/* Number of r < np with (r + k) mod T == 0: the first such r is T - k (or 0), then every T. */
HS_BOTH uint64_t hs_pattern_sparse_ones(uint64_t np, uint64_t cycle, uint64_t shift)
{
    uint64_t first = shift == 0 ? 0 : cycle - shift;
    return first >= np ? 0 : (np - first + cycle - 1) / cycle;
}

HS_BOTH int64_t hs_pattern_reduction(const struct hs_pattern_plan *plan,
                                     struct hs_pattern_draw drawn)
{
    if (plan->max)
        return (int64_t)drawn.extra - (int64_t)(plan->half / 2);
    if (plan->sparse)
        return (int64_t)(hs_pattern_sparse_ones(plan->np, plan->cycle, drawn.shift) + drawn.extra);
    return (int64_t)(plan->np + hs_pattern_sum_of_cycles(plan->np, plan->cycle, drawn.shift) +
                     drawn.extra);
}

/* What element i is to be in full: of a rank, or the reduction (HS_PATTERN_REDUCED). */
HS_BOTH int64_t hs_pattern_expected(const struct hs_pattern_plan *plan, int64_t rank, uint64_t i)
{
    struct hs_pattern_draw drawn = hs_pattern_draw_of(plan, i);
    if (rank == HS_PATTERN_REDUCED)
        return hs_pattern_reduction(plan, drawn);
    return hs_pattern_contribution(plan, drawn, (uint64_t)rank % plan->cycle,
                                   i % plan->np == (uint64_t)rank);
}

/* What divides it when it is stored. */
HS_BOTH int64_t hs_pattern_divisor(const struct hs_pattern *pattern, int64_t rank)
{
    return rank == HS_PATTERN_REDUCED && pattern->operation == HS_AVERAGE ? pattern->np : 1;
}

/* Writes value / divisor as reduce.h defines it: float16 and bfloat16 divide in float (up to 4096
 * processes that second rounding cannot change the result). */
HS_BOTH void hs_pattern_store(void *element, enum hs_datatype datatype, int64_t value,
                              int64_t divisor)
{
    float as_float = (float)value / (float)divisor;
    double as_double = (double)value / (double)divisor;
    uint16_t half;
    switch (datatype) {
    case HS_FLOAT32:
        memcpy(element, &as_float, sizeof as_float);
        break;
    case HS_FLOAT64:
        memcpy(element, &as_double, sizeof as_double);
        break;
    case HS_FLOAT16:
        half = hs_float_to_float16(as_float);
        memcpy(element, &half, sizeof half);
        break;
    case HS_BFLOAT16:
        half = hs_float_to_bfloat16(as_float);
        memcpy(element, &half, sizeof half);
        break;
    default: /* priced alone */
        assert(false);
    }
}

#endif
