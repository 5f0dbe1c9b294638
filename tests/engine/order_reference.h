/*
 * order_reference.h - in which order an AllReduce adds its parts, after docs/model.md, "In which
 * order parts are added", and the bits that come of it: written from the document, of values, and
 * sharing nothing with the executors.
 */
#ifndef HS_TESTS_ORDER_REFERENCE_H
#define HS_TESTS_ORDER_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "half_reference.h"
#include "model/algorithm.h"
#include "model/plan.h"
#include "system/datatype.h"

#define ORDER_RANKS_MAX 64

/* A value of `datatype` has the exact double. */
static inline double order_round(enum hs_datatype datatype, double value)
{
    switch (datatype) {
    case HS_FLOAT64:
        return value;
    case HS_FLOAT16:
        return half_decode(&half_float16, half_encode(&half_float16, (float)value));
    case HS_BFLOAT16:
        return half_decode(&half_bfloat16, half_encode(&half_bfloat16, (float)value));
    case HS_FLOAT32:
    default:
        break;
    }
    return (float)value;
}

/* The type's bits of a value that it has. */
static inline void order_put(void *to, enum hs_datatype datatype, double value)
{
    float single = (float)value;
    uint16_t half =
        half_encode(datatype == HS_FLOAT16 ? &half_float16 : &half_bfloat16, (double)single);

    if (datatype == HS_FLOAT64)
        memcpy(to, &value, sizeof(value));
    else if (datatype == HS_FLOAT32)
        memcpy(to, &single, sizeof(single));
    else
        memcpy(to, &half, sizeof(half));
}

/* Part of rank `rank` of element i: of either sign and of magnitudes that are up to 2^20 apart, so
 * that another order gives other bits. Never 0, and no sum of 64 overflows float16. */
static inline double order_part(enum hs_datatype datatype, int rank, size_t i)
{
    uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u + (uint64_t)(rank + 1) * 0xbf58476d1ce4e5b9u;
    int exponent;
    double value;

    for (int k = 0; k < 3; k++) {
        x ^= x >> 31;
        x *= 0x94d049bb133111ebu;
    }
    exponent = (int)(x >> 58) % 21 - 12;
    value = 1 + (double)(x >> 12 & 0xfffffffffffu) / 0x1p44;
    return order_round(datatype, ldexp(x >> 11 & 1 ? -value : value, exponent));
}

/* As float and double add; of 16 bits in float, rounded once each time. */
static inline double order_add(enum hs_datatype datatype, enum hs_operation operation, double a,
                               double b)
{
    if (operation == HS_MAX)
        return a > b ? a : b;
    return datatype == HS_FLOAT64 ? a + b : order_round(datatype, (double)((float)a + (float)b));
}

/* What a group's places have of an element, and how it is added. */
struct order_group {
    enum hs_algorithm algorithm;
    enum hs_datatype datatype;
    enum hs_operation operation;
    int size, block; /* places; number of the block that the element is in */
    double parts[ORDER_RANKS_MAX];
};

static inline double order_add_in(const struct order_group *group, double a, double b)
{
    return order_add(group->datatype, group->operation, a, b);
}

/* One after the other: for the ring from the place behind the block's number upward, for the direct
 * exchange from that number downward. */
static inline double order_in_line(const struct order_group *group, int first, int step)
{
    int p = group->size;
    double sum = group->parts[(first % p + p) % p];

    for (int k = 1; k < p; k++)
        sum = order_add_in(group, sum, group->parts[((first + k * step) % p + p) % p]);
    return sum;
}

/* Pairs of neighbours, then pairs of pairs, counted from the block's number. */
static inline double order_in_pairs(const struct order_group *group)
{
    int p = group->size;
    bool power = (p & (p - 1)) == 0;
    double sums[ORDER_RANKS_MAX];

    for (int offset = 0; offset < p; offset++)
        sums[offset] = group->parts[power ? group->block ^ offset : (group->block + offset) % p];
    for (int far = 1; far < p; far *= 2)
        for (int offset = 0; offset + far < p; offset += 2 * far)
            sums[offset] = order_add_in(group, sums[offset], sums[offset + far]);
    return sums[0];
}

/* A place's own part, the sum of the child below it, that of the child above it. The places of a
 * tree that has `low` below its root: the root -+ low / 2, or the nearest above that is one. */
static inline double order_in_tree(const struct order_group *group, int place, int low)
{
    double sum = group->parts[place];
    int above = low / 2;

    if (place > 0 && low > 1)
        sum = order_add_in(group, sum, order_in_tree(group, place - low / 2, low / 2));
    while (above > 0 && place + above >= group->size)
        above /= 2;
    if (above > 0)
        sum = order_add_in(group, sum, order_in_tree(group, place + above, above));
    return sum;
}

static inline double order_of_group(const struct order_group *group)
{
    int low = 2;

    switch (group->algorithm) {
    case HS_RING:
        return order_in_line(group, group->block + 1, 1);
    case HS_DIRECT:
        return order_in_line(group, group->block, -1);
    case HS_HALVING:
        return order_in_pairs(group);
    case HS_TREE:
        while (low < group->size)
            low *= 2;
        return order_in_tree(group, 0, low);
    case HS_FOREST: /* by its trees */
    case HS_GROUPS:
    case HS_NATIVE:
    case HS_ALGORITHM_COUNT:
        break;
    }
    return NAN;
}

/* Whether the document says in which order: MPI's own collectives have their own, and trees on
 * single links are as they are packed. */
static inline bool order_is_known(const struct hs_plan *plan)
{
    for (int i = 0; i < plan->split.count; i++)
        if (plan->algorithms[i][0] >= HS_FOREST)
            return false;
    return true;
}

/* Element i of `count`, which the plan divides into whole blocks: layer by layer the sums of its
 * groups, of which the places with the element's block go on. */
static inline double order_of_plan(const struct hs_plan *plan, enum hs_datatype datatype,
                                   enum hs_operation operation, size_t count, size_t i)
{
    struct order_group group = {.datatype = datatype, .operation = operation};
    double values[ORDER_RANKS_MAX];
    int np = 1, left;

    for (int l = 0; l < plan->split.count; l++)
        np *= (int)plan->split.sizes[l];
    for (int r = 0; r < np; r++)
        values[r] = order_part(datatype, r, i);
    left = np;
    for (int l = 0; l < plan->split.count; l++) {
        group.size = (int)plan->split.sizes[l];
        group.algorithm = (enum hs_algorithm)plan->algorithms[l][0];
        count /= (size_t)group.size;
        group.block = (int)(i / count);
        i %= count;
        left /= group.size;
        for (int g = 0; g < left; g++) {
            memcpy(group.parts, values + g * group.size, (size_t)group.size * sizeof(double));
            values[g] = order_of_group(&group);
        }
    }
    if (operation == HS_AVERAGE)
        values[0] = datatype == HS_FLOAT64
                        ? values[0] / np
                        : order_round(datatype, (double)((float)values[0] / (float)np));
    return values[0];
}

#endif
