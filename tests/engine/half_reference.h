/*
 * half_reference.h - float16 and bfloat16 by arithmetic on doubles, independent of the bit
 * operations in src/engine/float16.h: a value is sign * significand * 2^exponent, rounding is that
 * of nearbyint.
 */
#ifndef HS_TESTS_HALF_REFERENCE_H
#define HS_TESTS_HALF_REFERENCE_H

#include <math.h>
#include <stdint.h>

/* A binary format of 16 bits: `digits` stored significand bits, least normal exponent, bias. */
struct half_format {
    int digits, exponent_min, exponent_max;
};

static const struct half_format half_float16 = {10, -14, 15};
static const struct half_format half_bfloat16 = {7, -126, 127};

static inline double half_decode(const struct half_format *format, uint16_t bits)
{
    int field = (bits & 0x7fff) >> format->digits;
    int fraction = bits & ((1 << format->digits) - 1);
    double sign = bits & 0x8000 ? -1.0 : 1.0;
    if (field == format->exponent_max - format->exponent_min + 2)
        return fraction != 0 ? NAN : sign * INFINITY;
    if (field == 0)
        return sign * ldexp(fraction, format->exponent_min - format->digits);
    return sign * ldexp(fraction + (1 << format->digits),
                        field - 1 + format->exponent_min - format->digits);
}

/* Nearest value, ties to even. A NaN gives one particular NaN. */
static inline uint16_t half_encode(const struct half_format *format, double value)
{
    int fields = format->exponent_max - format->exponent_min + 2; /* of infinity */
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    uint16_t infinity = (uint16_t)(fields << format->digits);
    value = fabs(value);
    if (isnan(value))
        return (uint16_t)(infinity + 1);
    if (isinf(value))
        return (uint16_t)(sign | infinity);
    int exponent = value == 0 ? format->exponent_min : ilogb(value);
    if (exponent < format->exponent_min)
        exponent = format->exponent_min;
    /* in units of the last place; 2^(digits+1) of them carry into the next exponent by themselves
     */
    double units = nearbyint(ldexp(value, format->digits - exponent));
    if (ldexp(units, exponent - format->digits) >= ldexp(1, format->exponent_max + 1))
        return (uint16_t)(sign | infinity);
    return (uint16_t)(sign | (uint16_t)((exponent - format->exponent_min) * (1 << format->digits) +
                                        (int)units));
}

#endif
