/*
 * random.h - numbers that look random and are the same on every machine. The state is the caller's:
 * any number, moved on by each call.
 */
#ifndef HS_BASE_RANDOM_H
#define HS_BASE_RANDOM_H

#include <stdint.h>

/* The next 64 bits: splitmix64 (Steele, Lea and Flood, OOPSLA 2014). */
uint64_t hs_random_bits(uint64_t *state);
/* Uniform in (0, 1]. */
double hs_random_uniform(uint64_t *state);
/* Standard normal, by Box and Muller's transform. */
double hs_random_normal(uint64_t *state);

#endif
