#include "base/powers.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* In two halves where a processor has no vectors of four: the same steps, so the same numbers. */
#define AT_ONCE 4
#define INLINE  static inline __attribute__((always_inline))

typedef double numbers __attribute__((vector_size(AT_ONCE * sizeof(double))));
typedef uint64_t bits __attribute__((vector_size(AT_ONCE * sizeof(uint64_t))));

#define FRACTION_BITS 52
#define ROOT_OF_HALF  UINT64_C(0x3fe6a09e667f3bcd) /* the double's bits */
#define BIAS          2048                         /* keeps exponents above 0 */
#define WHOLE         0x1p52                       /* with an integer in its last bits */
#define WHOLE_BITS    UINT64_C(0x4330000000000000)
#define ROUND         0x1.8p52             /* added and taken away: the nearest integer */
#define LOG2_HIGH     0x1.62e42fefa0000p-1 /* log 2 in two parts; times a small integer exact */
#define LOG2_LOW      0x1.cf79abc9e3b3ap-40
#define LOG2_E        0x1.71547652b82fep+0

/* x = 2^e m with m from sqrt(1/2) to sqrt(2), log m = 2 artanh(s) by its series, s = (m - 1) /
 * (m + 1). */
INLINE void take_log(numbers *x)
{
    bits raw = (bits)*x;
    bits exponent = (raw - ROOT_OF_HALF + ((uint64_t)BIAS << FRACTION_BITS)) >> FRACTION_BITS;
    numbers e = (numbers)(exponent | WHOLE_BITS) - (WHOLE + BIAS);
    numbers m = (numbers)(raw - ((exponent - BIAS) << FRACTION_BITS));
    numbers s = (m - 1) / (m + 1), z = s * s, sum = z * (1 / 23.0) + 1 / 21.0;

    sum = ((sum * z + 1 / 19.0) * z + 1 / 17.0) * z + 1 / 15.0;
    sum = ((sum * z + 1 / 13.0) * z + 1 / 11.0) * z + 1 / 9.0;
    sum = ((sum * z + 1 / 7.0) * z + 1 / 5.0) * z + 1 / 3.0;
    *x = e * LOG2_HIGH + (2 * s + (2 * s * z * sum + e * LOG2_LOW));
}

/* e^t = 2^k e^r with |r| up to log(2) / 2, by its series. */
INLINE void take_exp(numbers *t)
{
    numbers rounded = *t * LOG2_E + ROUND, k = rounded - ROUND;
    numbers r = (*t - k * LOG2_HIGH) - k * LOG2_LOW, sum = r * (1 / 6227020800.0) + 1 / 479001600.0;

    sum = ((sum * r + 1 / 39916800.0) * r + 1 / 3628800.0) * r + 1 / 362880.0;
    sum = ((sum * r + 1 / 40320.0) * r + 1 / 5040.0) * r + 1 / 720.0;
    sum = ((sum * r + 1 / 120.0) * r + 1 / 24.0) * r + 1 / 6.0;
    sum = 1 + (r + r * r * (sum * r + 0.5));
    *t = (numbers)((bits)sum + ((bits)rounded << FRACTION_BITS));
}

#define LARGEST     1e100
#define LARGEST_LOG 230.0

/* Of all: the values, and the logarithms of their powers. */
INLINE bool is_usual(const numbers *values, const numbers *logs)
{
    bits usual = (bits)((*values > 1 / LARGEST) & (*values < LARGEST) & (*logs > -LARGEST_LOG) &
                        (*logs < LARGEST_LOG));

    return (usual[0] & usual[1] & usual[2] & usual[3]) != 0;
}

INLINE void raise_some(double *out, const double *values, const double *exponents)
{
    numbers value, exponent, logs, power;

    memcpy(&value, values, sizeof(value));
    memcpy(&exponent, exponents, sizeof(exponent));
    logs = value;
    take_log(&logs);
    logs *= exponent;
    power = logs;
    take_exp(&power);
    for (size_t k = 0; k < AT_ONCE && !is_usual(&value, &logs); k++)
        power[k] = pow(value[k], exponent[k]);
    memcpy(out, &power, sizeof(power));
}

INLINE void raise_each(double *out, const double *values, const double *exponents, size_t count)
{
    double last[2][AT_ONCE] = {{1, 1, 1, 1}, {1, 1, 1, 1}};
    size_t whole = count - count % AT_ONCE, rest = (count - whole) * sizeof(double);

    for (size_t i = 0; i < whole; i += AT_ONCE)
        raise_some(&out[i], &values[i], &exponents[i]);
    if (rest == 0)
        return;
    memcpy(last[0], &values[whole], rest);
    memcpy(last[1], &exponents[whole], rest);
    raise_some(last[0], last[0], last[1]);
    memcpy(&out[whole], last[0], rest);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void raise_wide(double *out, const double *values,
                                                       const double *exponents, size_t count)
{
    raise_each(out, values, exponents, count);
}
#endif

void hs_powers(double *out, const double *values, const double *exponents, size_t count)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        raise_wide(out, values, exponents, count);
        return;
    }
#endif
    raise_each(out, values, exponents, count);
}
