/*
 * figures.h - numbers as the tables show them: four significant digits, one unit per column.
 */
#ifndef HS_CLI_FIGURES_H
#define HS_CLI_FIGURES_H

#include <stdint.h>

#define HS_FIGURE_TEXT 32 /* bytes enough for any of these */

/* The unit in which a column of times is shown. */
struct hs_time_unit {
    const char *name; /* "us" */
    double seconds;   /* 1e-6 */
    int decimals;     /* so that the smallest time of the column has four significant digits */
};

/* The unit in which `smallest` (seconds, > 0) has one to three digits before the point. */
struct hs_time_unit hs_time_unit_for(double smallest);
/* Seconds in that unit, without its name. All of these write to `text` and return it. */
char *hs_time_figure(char text[HS_FIGURE_TEXT], double seconds, const struct hs_time_unit *unit);

/* a / b as "1.392x": three decimals below 10, one below 1000, else none; "-" where b is 0. */
char *hs_ratio_figure(char text[HS_FIGURE_TEXT], double a, double b);
/* How a time compares with another one: "1.392x faster", "1.100x slower". */
char *hs_comparison_figure(char text[HS_FIGURE_TEXT], double seconds, double other_seconds);
/* 100 * part / whole as "12.3"; "-" where whole is 0. */
char *hs_percent_figure(char text[HS_FIGURE_TEXT], double part, double whole);
/* "524,288"; UINT64_MAX, where counts saturate, is "over 1.8e19". */
char *hs_count_figure(char text[HS_FIGURE_TEXT], uint64_t count);
/* Bytes that need not be whole, to four digits: "10.67MiB", "96B". */
char *hs_bytes_figure(char text[HS_FIGURE_TEXT], double bytes);

#endif
