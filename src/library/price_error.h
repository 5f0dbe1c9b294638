/*
 * price_error.h - how far a library's price is off on a machine that nobody measured, beside what
 * its constants may be off: on every size alike, since no machine is quite its class; and at a
 * point. Both are estimated from machines left out of the fit, by class and by size.
 *
 * `make bench-accuracy-published FIT=errors` estimates the rows anew and prints them, `make
 * bench-cpu` that of CPU_RANKS.
 */
#ifndef HS_LIBRARY_PRICE_ERROR_H
#define HS_LIBRARY_PRICE_ERROR_H

#include "library/price_errors.h"

enum hs_error_class {
#define HS_ROW(name, text, machines, m1, m2, m3, p1, p2, p3) HS_ERROR_##name,
    HS_PRICE_ERRORS(HS_ROW)
#undef HS_ROW
        HS_ERROR_CLASS_COUNT
};
extern const char *const hs_error_class_names[HS_ERROR_CLASS_COUNT];
/* Classes that have draws of their own: CPU_RANKS has CPU's, no machine being of both, kernels of
 * registered buffers their node's or network's. */
#define HS_ERROR_DRAWS HS_ERROR_CPU_RANKS

/* Standard deviations of log(seconds), of calls of so many bytes. The first, common to all of a
 * machine's calls of the class, is that of a machine yet to be seen: the fewer machines the class
 * has, the wider (a t distribution's of as many and 2 degrees of freedom). */
double hs_error_machine(enum hs_error_class class, double bytes);
/* Of sizes that err alike, 0 to 2. */
int hs_error_band(double bytes);
double hs_error_point(enum hs_error_class class, double bytes);

#endif
