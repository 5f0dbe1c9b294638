/*
 * float16.h - float16 (IEEE 754 binary16) and bfloat16 as bit patterns: to float and back.
 *
 * To float is exact. Back rounds to nearest, ties to even; too large gives infinity, a NaN stays a
 * (quiet) NaN of the same sign. No branches, so that compilers vectorise loops over them; the
 * results are those of the processors' conversion instructions, bit for bit.
 */
#ifndef HS_ENGINE_FLOAT16_H
#define HS_ENGINE_FLOAT16_H

#include <stdint.h>
#include <string.h>

#include "engine/device_code.h"

HS_BOTH float hs_bits_to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

HS_BOTH uint32_t hs_float_to_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* condition ? yes : no, by masks: GCC turns a chain of ?: into jumps, and then vectorises nothing.
 */
HS_BOTH uint32_t hs_choose(int condition, uint32_t yes, uint32_t no)
{
    uint32_t mask = 0u - (uint32_t)condition;
    return (yes & mask) | (no & ~mask);
}

HS_BOTH float hs_bfloat16_to_float(uint16_t half)
{
    return hs_bits_to_float((uint32_t)half << 16);
}

HS_BOTH uint16_t hs_float_to_bfloat16(float value)
{
    uint32_t bits = hs_float_to_bits(value);
    uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    uint32_t quiet = (bits >> 16) | 0x40u;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

HS_BOTH float hs_float16_to_float(uint16_t half)
{
    /* Exponent and significand moved in place read as a value 2^112 too small, subnormals included.
     */
    uint32_t moved = ((uint32_t)half & 0x7fffu) << 13;
    uint32_t bits = hs_float_to_bits(hs_bits_to_float(moved) * 0x1p112f);
    uint32_t special = hs_choose(moved >= 0x0f800000u, 0x7f800000u, 0u);
    uint32_t quiet = hs_choose(moved > 0x0f800000u, 0x00400000u, 0u);
    return hs_bits_to_float(bits | special | quiet | ((uint32_t)half & 0x8000u) << 16);
}

HS_BOTH uint16_t hs_float_to_float16(float value)
{
    uint32_t bits = hs_float_to_bits(value);
    uint32_t magnitude = bits & 0x7fffffffu;
    /* Rebias the exponent by 15 - 127 and round at bit 13; a carry moves into the exponent. */
    uint32_t normal = (magnitude + 0xc8000fffu + ((magnitude >> 13) & 1u)) >> 13;
    /* Adding 0.5 lines a float16 subnormal up with the last bits of a float: that sum rounds. */
    uint32_t tiny = hs_float_to_bits(hs_bits_to_float(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
    uint32_t half = hs_choose(magnitude < 0x38800000u, tiny, normal);
    half = hs_choose(magnitude >= 0x47800000u, 0x7c00u, half);
    half = hs_choose(magnitude > 0x7f800000u, nan, half);
    return (uint16_t)(half | (bits >> 16 & 0x8000u));
}

#endif
