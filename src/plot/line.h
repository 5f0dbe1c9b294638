/*
 * line.h - time against bytes as a straight line: what is paid at once, and what each byte costs.
 */
#ifndef HS_PLOT_LINE_H
#define HS_PLOT_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define HS_LINE_POINTS_MIN 3

struct hs_line {
    bool valid; /* enough points, and a byte costs more than nothing */
    double seconds, seconds_per_byte;
};

/* Least squares of relative errors, sum ((a + b bytes) / seconds - 1)^2, so that small messages
 * count as much as large ones. A negative `a` is taken as 0. Points whose seconds are not above 0
 * are left out. */
struct hs_line hs_line_fit(const double *bytes, const double *seconds, size_t count);

#endif
