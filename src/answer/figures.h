/*
 * figures.h - numbers as people see them: four significant digits, one unit per column.
 */
#ifndef HS_ANSWER_FIGURES_H
#define HS_ANSWER_FIGURES_H

#include <stdint.h>

#include "base/units.h"
#include "estimate/machines.h"
#include "model/plan.h"

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
/* The same of figures that are guessed: three digits, "1.39x", "12.4x". */
char *hs_gain_figure(char text[HS_FIGURE_TEXT], double ratio);
/* The 90 % range of a gain: "0.85x to 1.41x". */
char *hs_gain_range_figure(char text[HS_FIGURE_TEXT], const struct hs_gain *gain);
/* How a time compares with another one: "1.392x faster", "1.100x slower". */
char *hs_comparison_figure(char text[HS_FIGURE_TEXT], double seconds, double other_seconds);
/* 100 * share with so many decimals: "12.3"; never "-0.0"; "-" where the share is not finite. */
char *hs_percent_figure(char text[HS_FIGURE_TEXT], double share, int decimals);
/* The same with its sign: "+1.2". */
char *hs_error_figure(char text[HS_FIGURE_TEXT], double error, int decimals);
/* Bytes per second in GB/s, at least three digits of them: "15.88", "0.0213"; "-" where not finite.
 */
char *hs_gigabytes_figure(char text[HS_FIGURE_TEXT], double bytes_per_second);
/* A share of samples, for "in ... 200 samples": "68 % of"; "all", "over 99 % of", "none of". */
char *hs_share_figure(char text[HS_FIGURE_TEXT], double share);
/* "524,288"; UINT64_MAX, where counts saturate, is "over 1.8e19". */
char *hs_count_figure(char text[HS_FIGURE_TEXT], uint64_t count);

/* The same, and what plan.h formats, as an argument of printf; the text lasts as long as the block
 * that it stands in (and units.h has such). */
#define HS_AS_PLAN(plan)       hs_plan_format((char[HS_SPLIT_TEXT]){0}, plan)
#define HS_AS_COUNT(count)     hs_count_figure((char[HS_FIGURE_TEXT]){0}, count)
#define HS_AS_RATIO(a, b)      hs_ratio_figure((char[HS_FIGURE_TEXT]){0}, a, b)
#define HS_AS_GAIN(ratio)      hs_gain_figure((char[HS_FIGURE_TEXT]){0}, ratio)
#define HS_AS_GAIN_RANGE(gain) hs_gain_range_figure((char[HS_FIGURE_TEXT]){0}, gain)
#define HS_AS_COMPARISON(seconds, other)                                                           \
    hs_comparison_figure((char[HS_FIGURE_TEXT]){0}, seconds, other)
#define HS_AS_PERCENT(share, decimals) hs_percent_figure((char[HS_FIGURE_TEXT]){0}, share, decimals)
#define HS_AS_SHARE(share)             hs_share_figure((char[HS_FIGURE_TEXT]){0}, share)
#define HS_AS_GIGABYTES(bytes_per_second)                                                          \
    hs_gigabytes_figure((char[HS_FIGURE_TEXT]){0}, bytes_per_second)

#endif
