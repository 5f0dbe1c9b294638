/*
 * fit.h - a system calibrated by times that exist already: layers of our own results, or calls in
 * logs of other programs.
 */
#ifndef HS_API_FIT_H
#define HS_API_FIT_H

#include "answer/logs.h"
#include "answer/rows.h"
#include "record/points.h"

#define HS_FIT_RESIDUAL_MAX 1000 /* percent */

struct hs_fit_settings {
    const char *name, *source; /* NULL: as it is, and how many there are */
    int64_t max_residual_percent;
    bool force;
    struct hs_log_options log;
};

/* Rows of it. */
#define HS_ROWS_FIT(place)                                                                         \
    {.name = "name",                                                                               \
     .argument = "NAME",                                                                           \
     .type = &hs_option_text,                                                                      \
     .offset = (place) + offsetof(struct hs_fit_settings, name),                                   \
     .help = "name of the system in the file (default: that of SYSTEM, of a line of text the "     \
             "file's)"},                                                                           \
        {.name = "source",                                                                         \
         .argument = "TEXT",                                                                       \
         .type = &hs_option_text,                                                                  \
         .offset = (place) + offsetof(struct hs_fit_settings, source),                             \
         .help = "where the times come from, for the file (default: how many there are)"},         \
        {.name = "max-residual",                                                                   \
         .argument = "PERCENT",                                                                    \
         .type = &hs_option_count,                                                                 \
         .noun = "percentage",                                                                     \
         .min = 1,                                                                                 \
         .max = HS_FIT_RESIDUAL_MAX,                                                               \
         .fallback = "15",                                                                         \
         .offset = (place) + offsetof(struct hs_fit_settings, max_residual_percent),               \
         .help = "layers whose times are further off the fitted line are refused (root mean "      \
                 "square)"},                                                                       \
        {.name = "force",                                                                          \
         .type = &hs_option_flag,                                                                  \
         .offset = (place) + offsetof(struct hs_fit_settings, force),                              \
         .help = "write the machine although its prices are more than 10 % off at a size of its "  \
                 "logs"},                                                                          \
        HS_ROWS_LOG((place) + offsetof(struct hs_fit_settings, log))

/* Of what the answer is shown again, before and with the times. */
struct hs_fit_again {
    int64_t np;            /* 0: of as many processes as were measured */
    struct hs_range bytes; /* first 0: of the largest message measured */
};

/* Rows of it. */
#define HS_ROWS_FIT_AGAIN(place)                                                                   \
    HS_ROW_COUNT(                                                                                  \
        "for", "processes", 1, HS_NP_MAX, NULL, "The answer shown again",                          \
        (place) + offsetof(struct hs_fit_again, np),                                               \
        "best plan of so many processes, before and with the times (default: of as many as "       \
        "were measured)"),                                                                         \
    {                                                                                              \
        .name = "size", .letter = 's', .argument = "SIZE", .group = "The answer shown again",      \
        .type = &hs_option_bytes_range, .offset = (place) + offsetof(struct hs_fit_again, bytes),  \
        .help = "for this message per process (default: the largest measured)"                     \
    }
/* One size. HS_INVALID. */
enum hs_status hs_fit_again_check(const struct hs_fit_again *again, struct hs_error *err);

/* What a "fit" is asked. */
struct hs_fit_question {
    struct hs_fit_settings fit;
    struct hs_fit_again again;
    struct hs_print print; /* of the answer that is shown again */
};

/* What the inputs hold: layers of our own results, and calls in logs of other programs. */
struct hs_fit_times {
    const struct hs_inputs *inputs; /* set before */
    struct hs_point_list points;    /* the last `kept` of them of the system itself */
    size_t kept;
    struct hs_gap_points gaps;
    struct hs_call_list calls;
};

/* The system gets what its GPUs' own figures say, by which calls in logs are priced, too.
 * HS_INVALID, HS_MEMORY; release in any case. */
enum hs_status hs_fit_gather(struct hs_fit_times *times, struct hs_system *system,
                             const struct hs_fit_settings *settings, struct hs_text *notes,
                             struct hs_error *err);
/* Calibrates it, says by what and how well, and names it. HS_INVALID; HS_FAILED: its prices do not
 * reproduce its logs, with the worst size, unless forced; HS_MEMORY. */
enum hs_status hs_fit_system(struct hs_system *system, const struct hs_fit_times *times,
                             const struct hs_fit_settings *settings, struct hs_text *notes,
                             struct hs_error *err);
void hs_fit_times_release(struct hs_fit_times *times);

#endif
