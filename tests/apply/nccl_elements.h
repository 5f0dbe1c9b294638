/* nccl_elements.h - what elements of NCCL's calls are in tests, and what must come out. */
#ifndef HS_TESTS_NCCL_ELEMENTS_H
#define HS_TESTS_NCCL_ELEMENTS_H

#include <math.h>
#include <nccl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/float16.h"

static size_t width_of(ncclDataType_t type)
{
    return type == ncclFloat64 || type == ncclInt64   ? 8
           : type == ncclFloat32 || type == ncclInt32 ? 4
                                                      : 2;
}

static void put(void *data, size_t i, ncclDataType_t type, double value)
{
    switch (type) {
    case ncclFloat64:
        ((double *)data)[i] = value;
        break;
    case ncclFloat32:
        ((float *)data)[i] = (float)value;
        break;
    case ncclInt64:
        ((int64_t *)data)[i] = (int64_t)value;
        break;
    case ncclInt32:
        ((int32_t *)data)[i] = (int32_t)value;
        break;
    case ncclFloat16:
        ((uint16_t *)data)[i] = hs_float_to_float16((float)value);
        break;
    default:
        ((uint16_t *)data)[i] = hs_float_to_bfloat16((float)value);
        break;
    }
}

static double get(const void *data, size_t i, ncclDataType_t type)
{
    switch (type) {
    case ncclFloat64:
        return ((const double *)data)[i];
    case ncclFloat32:
        return (double)((const float *)data)[i];
    case ncclInt64:
        return (double)((const int64_t *)data)[i];
    case ncclInt32:
        return (double)((const int32_t *)data)[i];
    case ncclFloat16:
        return (double)hs_float16_to_float(((const uint16_t *)data)[i]);
    default:
        return (double)hs_bfloat16_to_float(((const uint16_t *)data)[i]);
    }
}

/* What rank `of` has: small whole numbers, whose sums and products are exact in all types. */
static double value_of(int of, size_t i, int turn)
{
    static const double values[] = {1, 2, -1, 1, -2, 1, 1};

    return values[((size_t)of * 3 + i * 5 + i / 97 + (size_t)turn) % 7];
}

static bool is_whole(ncclDataType_t type)
{
    return type == ncclInt32 || type == ncclInt64;
}

/* Of ranks first, first + step, ... [size]. */
struct members {
    int first, step, size;
};

static double expected(struct members among, size_t i, int turn, ncclRedOp_t operation)
{
    double value = value_of(among.first, i, turn);

    for (int k = 1; k < among.size; k++) {
        double next = value_of(among.first + k * among.step, i, turn);

        value = operation == ncclProd  ? value * next
                : operation == ncclMax ? fmax(value, next)
                : operation == ncclMin ? fmin(value, next)
                                       : value + next;
    }
    return value;
}

static bool is_near(double found, double sum, struct members among, ncclDataType_t type,
                    ncclRedOp_t operation)
{
    double mean = sum / among.size;

    if (operation != ncclAvg)
        return found == sum;
    if (is_whole(type))
        return found == trunc(mean);
    return fabs(found - mean) <=
           (width_of(type) == 2 ? 0.05 : 1e-5); /* factors are rounded to the type */
}

#endif
