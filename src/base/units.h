/*
 * units.h - quantities as people write them, SI inside.
 *
 * Sizes: 1, 512B, 64KiB, 128MiB, 1GiB, 1TiB (powers of 1024) and 1kB, 1MB, 1GB, 1TB (powers of
 * 1000); a fraction is allowed where the result is a whole number of bytes (1.5KiB). Also as people
 * type them: 64K and 1G are powers of 1024 (as in nccl-tests and the OSU benchmarks), 64KB and
 * 25mb powers of 1000, 1gib in any case of letters.
 * Times: 4.8us, 20ms, 3s, 2min (or 2m), 1h, 0.5ns.  Bandwidths: 111.6GB/s, 100Gb/s or 100Gbps
 * (bits), 23GiB/s, 50GBps.
 * One blank between number and unit is allowed. Parsers reject empty text, unknown units (with the
 * nearest one named), trailing text, NaN, infinities, negative numbers and overflow.
 *
 * Every parse(format(x)) gives x back, as long as x has at most the digits that format prints.
 */
#ifndef HS_BASE_UNITS_H
#define HS_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define HS_UNIT_TEXT 32                  /* bytes enough for any formatted quantity */
#define HS_BYTES_MAX ((uint64_t)1 << 50) /* 1 PiB: largest message size accepted */
#define HS_NP_MAX    ((int64_t)1 << 31)  /* largest process count accepted */

/* Times that come from outside are 0 or in this range, which holds whatever a system within its own
 * bounds (system/system.h) can cost: so quotients of times, their squares, and sums of these stay
 * finite. */
#define HS_SECONDS_MIN 1e-60
#define HS_SECONDS_MAX 1e64
bool hs_seconds_usable(double seconds);

/* Message size, 1 B .. HS_BYTES_MAX. HS_INVALID otherwise; the text says what was expected. */
enum hs_status hs_bytes_parse(uint64_t *bytes, const char *text, struct hs_error *err);
/* Seconds, >= 0 and finite; a unit is required (except for 0). */
enum hs_status hs_seconds_parse(double *seconds, const char *text, struct hs_error *err);
/* Bytes per second, > 0 and finite; a unit is required. */
enum hs_status hs_bandwidth_parse(double *bytes_per_second, const char *text, struct hs_error *err);
/* Whole number within [min, max], decimal digits only. `what` names it in the error. */
enum hs_status hs_count_parse(int64_t *count, const char *text, const char *what, int64_t min,
                              int64_t max, struct hs_error *err);

/* A model's parameters, 1 .. 1e15, rounded: "70e9", "70B", "350M". */
enum hs_status hs_parameters_parse(double *count, const char *text, struct hs_error *err);

/* The formatters write at most HS_UNIT_TEXT bytes to `text` and return it. */
/* Exact, in a binary unit, or in a decimal one where that takes fewer digits ("128MiB", "25MB"). */
char *hs_bytes_format(char text[HS_UNIT_TEXT], uint64_t bytes);
/* Four significant digits and a fitting unit: "16.64 ms", "4.800 us", "0 s". */
char *hs_seconds_format(char text[HS_UNIT_TEXT], double seconds);
/* Two digits each, in the unit of the first, > 0: "3.7 to 14 ms"; one where both are the same. */
char *hs_seconds_range_format(char text[HS_UNIT_TEXT], double low, double high);
/* The same in a unit of so many seconds, which is not written: "1100 to 14000". */
char *hs_seconds_range_in(char text[HS_UNIT_TEXT], double low, double high, double unit);
/* Four significant digits: "18.60 GB/s". */
char *hs_bandwidth_format(char text[HS_UNIT_TEXT], double bytes_per_second);
/* Bytes that need not be whole, to four digits: "10.67MiB", "96B". */
char *hs_bytes_figure(char text[HS_UNIT_TEXT], double bytes);

/* The same as an argument of printf; the text lasts as long as the block that it stands in. */
#define HS_AS_TIME(seconds)          hs_seconds_format((char[HS_UNIT_TEXT]){0}, seconds)
#define HS_AS_RANGE(low, high)       hs_seconds_range_format((char[HS_UNIT_TEXT]){0}, low, high)
#define HS_AS_RATE(bytes_per_second) hs_bandwidth_format((char[HS_UNIT_TEXT]){0}, bytes_per_second)
#define HS_AS_BYTES(bytes)           hs_bytes_format((char[HS_UNIT_TEXT]){0}, bytes)
#define HS_AS_SIZE(bytes)            hs_bytes_figure((char[HS_UNIT_TEXT]){0}, bytes)

/* The greatest number that divides both, a where b is 0; a > 0, b >= 0. */
int64_t hs_common_divisor(int64_t a, int64_t b);

/* The ending of a noun that is counted: "" or "s". */
#define HS_PLURAL(count) ((count) == 1 ? "" : "s")

/* Values in turn. A sweep in powers of two: "4:2048" is 4, 8, ..., 2048; the last value is included
 * even when it is not first * 2^k ("6:100" is 6 12 24 48 96 100). "64" is 64 alone. A list holds
 * values and sweeps, "8,16:64,100", and is taken in ascending order, each value once. */
#define HS_RANGE_VALUES 51 /* of a list; as many as the longest sweep has */
struct hs_range {
    uint64_t first, last;
    uint64_t values[HS_RANGE_VALUES]; /* [count], ascending: of a list; first and last among them */
    size_t count;                     /* 0: no list but a sweep */
};
enum hs_status hs_np_range_parse(struct hs_range *range, const char *text, struct hs_error *err);
enum hs_status hs_bytes_range_parse(struct hs_range *range, const char *text, struct hs_error *err);
/* Next value after `value`, or 0 at the end. Start with range.first. */
uint64_t hs_range_next(const struct hs_range *range, uint64_t value);

#endif
