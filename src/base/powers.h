/*
 * powers.h - powers of many numbers, several at a time.
 */
#ifndef HS_BASE_POWERS_H
#define HS_BASE_POWERS_H

#include <stddef.h>

/* out[i] = values[i]^exponents[i], [count]; `out` may be `values`. By log and exp as series, each
 * step of them for several numbers at once: within 1e-15 of pow times the larger of 1 and
 * |log(out[i])|, and a few times as fast. Where a value is not between 1e-100 and 1e100, or comes
 * out so, it is pow's. */
void hs_powers(double *out, const double *values, const double *exponents, size_t count);

#endif
