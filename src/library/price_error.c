#include "library/price_error.h"

#include <math.h>

#define BANDS   3
#define MIDDLE  1048576.0 /* bytes, beyond */
#define LARGE   (64 * MIDDLE)
#define FREEDOM 2.0

const char *const hs_error_class_names[HS_ERROR_CLASS_COUNT] = {
#define HS_ROW(name, text, machines, m1, m2, m3, p1, p2, p3) text,
    HS_PRICE_ERRORS(HS_ROW)
#undef HS_ROW
};

static const struct {
    double machines, machine[BANDS], point[BANDS];
} rows[HS_ERROR_CLASS_COUNT] = {
#define HS_ROW(name, text, machines, m1, m2, m3, p1, p2, p3) {machines, {m1, m2, m3}, {p1, p2, p3}},
    HS_PRICE_ERRORS(HS_ROW)
#undef HS_ROW
};

int hs_error_band(double bytes)
{
    return bytes <= MIDDLE ? 0 : bytes < LARGE ? 1 : 2;
}

/* The mean of so many is not known, nor is their variance. */
double hs_error_machine(enum hs_error_class class, double bytes)
{
    double n = rows[class].machines;

    return rows[class].machine[hs_error_band(bytes)] * sqrt((1 + 1 / n) * (n + FREEDOM) / n);
}

double hs_error_point(enum hs_error_class class, double bytes)
{
    return rows[class].point[hs_error_band(bytes)];
}
