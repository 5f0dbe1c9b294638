/*
 * plot.h - from result files to the numbers of a plot: comma-separated values that a gnuplot script
 * draws, or a person takes elsewhere.
 *
 * A kind of plot is a const struct with one function, one file each, listed in one table; the
 * script plots/NAME.gp belongs to it. Everything that needs thought (what to show, where it lies,
 * how long it took) happens here and is tested here; the scripts only draw.
 *
 * The text has blocks, separated by two blank lines. The first block holds facts, `key,value`:
 *
 *     hiersearch.plot/1,scaling
 *     title,"abci: 4 to 2048 processes, 128MiB per process"
 *
 * Every other block begins with two comment lines, its name and its columns, so that gnuplot finds
 * it by `index "NAME"`. Times are in seconds, sizes in bytes, a number that does not exist is `?`.
 * The same results give the same text.
 */
#ifndef HS_PLOT_PLOT_H
#define HS_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answer/check.h"
#include "base/error.h"
#include "base/text.h"
#include "record/profile.h"

#define HS_PLOT_FORMAT "hiersearch.plot/1"

struct hs_plot_job {
    const struct hs_named_result *inputs; /* [input_count], at least one where no profile is */
    size_t input_count;
    uint64_t bytes;   /* message size; 0: the largest that all inputs have */
    const char *plan; /* text of a plan to show besides or instead of the best; NULL: none */
    const struct hs_profile *profile; /* in place of results; NULL: none */
    const char *profile_name;
    const struct hs_check_answer *checked; /* in place of results; NULL: none */
    const char *checked_name;
};

enum hs_plot_source { HS_PLOT_RESULTS, HS_PLOT_PROFILE, HS_PLOT_CHECKED };

struct hs_plot_kind {
    const char *name;    /* of the kind, and of its script */
    const char *summary; /* one line for --help */
    bool many;           /* takes several results; else exactly one */
    enum hs_plot_source of;
    bool single; /* has something to show of one process, which has nothing to reduce */
    /* Appends the text. HS_INVALID where the results lack what the kind shows; HS_MEMORY. */
    enum hs_status (*write)(struct hs_text *out, const struct hs_plot_job *job,
                            struct hs_error *err);
};

/* Each is defined in the file of its name, as hs_plot_NAME. */
#define HS_PLOT_KINDS(row)                                                                         \
    row(scaling) row(layers) row(bandwidth) row(gain) row(accuracy) row(system) row(calls)         \
        row(check)
#define HS_ROW(name) extern const struct hs_plot_kind hs_plot_##name;
HS_PLOT_KINDS(HS_ROW)
#undef HS_ROW
/* The table; ends with a NULL. */
extern const struct hs_plot_kind *const hs_plot_kinds[];
/* HS_INVALID with the nearest name where there is none of that name. */
enum hs_status hs_plot_kind_find(const struct hs_plot_kind **kind, const char *name,
                                 struct hs_error *err);

/* Checks the job (number of inputs, one machine), then calls the kind. Messages begin with the
 * input's name where one input is to blame. */
enum hs_status hs_plot_write(struct hs_text *out, const struct hs_plot_kind *kind,
                             const struct hs_plot_job *job, struct hs_error *err);

#endif
