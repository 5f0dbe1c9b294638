/* price_errors.h - rows of price_error.h: what FIT=errors prints, of the last `make bench-cpu`. */
#ifndef HS_LIBRARY_PRICE_ERRORS_H
#define HS_LIBRARY_PRICE_ERRORS_H

/* Name, text, machines that it was estimated from; deviations of a machine, and at a point: up to
 * 1 MiB, up to 64 MiB, from 64 MiB on. */
/* clang-format off */
#define HS_PRICE_ERRORS(row)                                                               \
    row(NODE, "NVLink nodes", 9, 0.06, 0.06, 0.05, 0.20, 0.09, 0.06)                       \
    row(RACK, "NVL racks", 3, 0.19, 0.33, 0.11, 0.09, 0.09, 0.21)                          \
    row(BOARD, "boards", 5, 0.18, 0.45, 0.45, 0.25, 0.24, 0.27)                            \
    row(NETWORK, "several nodes", 9, 0.11, 0.07, 0.08, 0.20, 0.21, 0.08)                   \
    row(EXCHANGE, "all-to-all of several nodes", 1, 0.11, 0.11, 0.11, 0.11, 0.09, 0.07)    \
    row(RCCL_NODE, "RCCL nodes", 4, 0.11, 0.11, 0.07, 0.11, 0.10, 0.05)                    \
    row(RCCL_NETWORK, "RCCL, several nodes", 5, 0.09, 0.24, 0.06, 0.09, 0.19, 0.11)        \
    row(CPU, "CPU nodes", 3, 0.13, 0.14, 0.07, 0.30, 0.33, 0.26)                           \
    row(CPU_RANKS, "CPU nodes of several ranks", 6, 0.64, 0.53, 0.48, 0.75, 0.53, 0.36)    \
    row(SYMMETRIC, "symmetric memory", 1, 0.11, 0.17, 0.11, 0.09, 0.07, 0.07)              \
    row(UNMEASURED, "kernels without a measurement", 1, 0.3, 0.3, 0.3, 0.2, 0.2, 0.2)
/* clang-format on */

#endif
