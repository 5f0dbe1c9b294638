/*
 * figure.h - where a figure of a machine comes from, and how far it may be off for that.
 *
 * log(figure) is taken as normal around log of what is stated; the deviations below are of that
 * logarithm. A range is what lies within HS_FIGURE_RANGE deviations: nine of ten.
 */
#ifndef HS_SYSTEM_FIGURE_H
#define HS_SYSTEM_FIGURE_H

#define HS_FIGURE_RANGE 1.645

/* Bounds of figures, per second and in seconds: no time of HS_NP_MAX processes, HS_BYTES_MAX and
 * HS_CHUNKS_MAX is infinite, 0 for want of digits, or beyond HS_SECONDS_MAX. */
#define HS_BANDWIDTH_MIN 1.0
#define HS_BANDWIDTH_MAX 1e27
#define HS_LATENCY_MAX   1e6

/* name, text, deviation of a bandwidth, of a latency, meaning */
/* clang-format off */
#define HS_FIGURE_KINDS(row)                                                \
    row(PUBLISHED, "published", 0.05, 0.15, "measured and published")       \
    row(FITTED, "fitted", 0.05, 0.15, "fitted to measurements")             \
    row(VENDOR, "vendor", 0.12, 0.40, "the maker's data sheet")             \
    row(GUESS, "guess", 0.30, 0.60, "by likeness to other machines")
/* clang-format on */

enum hs_figure_kind {
#define HS_ROW(name, text, bandwidth, latency, meaning) HS_FIGURE_##name,
    HS_FIGURE_KINDS(HS_ROW)
#undef HS_ROW
        HS_FIGURE_KIND_COUNT
};

struct hs_figure_kind_row {
    const char *name, *meaning;
    double bandwidth_deviation, latency_deviation; /* of the logarithm */
};

extern const struct hs_figure_kind_row hs_figure_kinds[HS_FIGURE_KIND_COUNT];
extern const char *const hs_figure_kind_names[HS_FIGURE_KIND_COUNT];

/* The kind that a system file's source says, where the file does not say the kind itself: the
 * text begins with its name, with "calibrated"
 * (fitted) or with "unverified" (a guess), or says that something was "measured"; any other is a
 * data sheet's, as is a figure without one (NULL), which somebody typed. */
enum hs_figure_kind hs_figure_kind_of(const char *source);

#endif
