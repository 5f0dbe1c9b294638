/* reduce.c - see reduce.h. The loops themselves are in reduce_loops.inc. */
#include "engine/reduce.h"

#include <stdbool.h>

#include "engine/float16.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

/* The loops below are why this file exists: vectorise them at any -O level above 0. Arrays are the
 * same or apart, so there is no dependence between iterations; without saying so GCC's check at run
 * time would send dst == a down a scalar loop. */
#if defined(__clang__)
#define HS_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#pragma GCC optimize("O3")
#define HS_INDEPENDENT _Pragma("GCC ivdep")
#endif

typedef void (*loop_function)(void *dst, const void *a, const void *b, size_t count, double np);

struct loops {
    loop_function sum[HS_DATATYPE_COUNT];
    loop_function max[HS_DATATYPE_COUNT];
    loop_function last[HS_DATATYPE_COUNT];   /* (a + b) / np */
    loop_function divide[HS_DATATYPE_COUNT]; /* a / np, b unused */
};

static inline float larger_float(float x, float y)
{
    return x > y ? x : y;
}

static inline double larger_double(double x, double y)
{
    return x > y ? x : y;
}

static inline int16_t larger_int16(int16_t x, int16_t y)
{
    if (x > y) /* not ?:, whose operands become int */
        return x;
    return y;
}

/* Sign and magnitude to two's complement order; its own inverse. */
static inline int16_t half_order(int16_t bits)
{
    return (int16_t)(bits ^ ((bits >> 15) & 0x7fff));
}

static inline uint16_t add_bfloat16(uint16_t x, uint16_t y)
{
    return hs_float_to_bfloat16(hs_bfloat16_to_float(x) + hs_bfloat16_to_float(y));
}

static inline uint16_t divide_bfloat16(uint16_t x, float divisor)
{
    return hs_float_to_bfloat16(hs_bfloat16_to_float(x) / divisor);
}

static inline uint16_t add_float16(uint16_t x, uint16_t y)
{
    return hs_float_to_float16(hs_float16_to_float(x) + hs_float16_to_float(y));
}

static inline uint16_t divide_float16(uint16_t x, float divisor)
{
    return hs_float_to_float16(hs_float16_to_float(x) / divisor);
}

#define HS_ISA
#define HS_LOOP(name) name##_base
#include "engine/reduce_loops.inc"
#undef HS_ISA
#undef HS_LOOP

#if defined(__x86_64__)
#define HS_ISA __attribute__((target("avx2,f16c")))

/* Elements 0-3 and 8-11 of sixteen, as floats; the pack instruction puts them back in that order.
 */
static HS_ISA inline __m256 widen_low(__m256i halves)
{
    return _mm256_castsi256_ps(_mm256_unpacklo_epi16(_mm256_setzero_si256(), halves));
}

/* The others. */
static HS_ISA inline __m256 widen_high(__m256i halves)
{
    return _mm256_castsi256_ps(_mm256_unpackhi_epi16(_mm256_setzero_si256(), halves));
}

/* hs_float_to_bfloat16 on eight lanes of 32 bits. */
static HS_ISA inline __m256i round_bfloat16(__m256 value)
{
    __m256i bits = _mm256_castps_si256(value);
    __m256i high = _mm256_srli_epi32(bits, 16);
    __m256i odd = _mm256_and_si256(high, _mm256_set1_epi32(1));
    __m256i bias = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
    __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, bias), 16);
    __m256i quiet = _mm256_or_si256(high, _mm256_set1_epi32(0x40));
    __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    return _mm256_blendv_epi8(rounded, quiet, is_nan);
}

#define HS_LOOP(name) name##_avx2
#define HS_F16_LANES  8
#include "engine/reduce_loops.inc"
#endif

static enum hs_isa widest_allowed = HS_ISA_COUNT;

#if defined(__x86_64__)
/* clang 14 has no __builtin_cpu_supports("f16c"). That of "avx2" asks the operating system as well.
 */
static int has_avx2_and_f16c(void)
{
    unsigned eax, ebx, ecx, edx;
    return __builtin_cpu_supports("avx2") && __get_cpuid(1, &eax, &ebx, &ecx, &edx) &&
           (ecx & bit_F16C) != 0;
}
#endif

static enum hs_isa isa_in_use(void)
{
#if defined(__x86_64__)
    static int wide = -1;
    if (wide < 0)
        wide = has_avx2_and_f16c();
    if (wide && widest_allowed >= HS_ISA_AVX2)
        return HS_ISA_AVX2;
#endif
    return HS_ISA_BASE;
}

void hs_reduce_limit(enum hs_isa widest)
{
    widest_allowed = widest;
}

static const struct loops *current_loops(void)
{
#if defined(__x86_64__)
    if (isa_in_use() == HS_ISA_AVX2)
        return &loops_avx2;
#endif
    return &loops_base;
}

static bool divides(struct hs_reduction reduction)
{
    return reduction.operation == HS_AVERAGE && reduction.divisor > 0;
}

void hs_reduce(void *dst, const void *a, const void *b, size_t count, struct hs_reduction reduction)
{
    const struct loops *loops = current_loops();
    const loop_function *row = reduction.operation == HS_MAX ? loops->max
                               : divides(reduction)          ? loops->last
                                                             : loops->sum;

    row[reduction.datatype](dst, a, b, count, divides(reduction) ? (double)reduction.divisor : 1);
}

void hs_reduce_finish(void *data, size_t count, struct hs_reduction reduction)
{
    if (divides(reduction))
        current_loops()->divide[reduction.datatype](data, data, data, count,
                                                    (double)reduction.divisor);
}
