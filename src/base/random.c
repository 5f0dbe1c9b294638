#include "base/random.h"

#include <math.h>

#define PI 3.14159265358979323846

uint64_t hs_random_bits(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

double hs_random_uniform(uint64_t *state)
{
    return ((double)(hs_random_bits(state) >> 11) + 1) * 0x1p-53;
}

double hs_random_normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(hs_random_uniform(state)));

    return radius * cos(2 * PI * hs_random_uniform(state));
}
