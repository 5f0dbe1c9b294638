/*
 * compared.h - predicted against measured times of inputs: results, and logs of a library's own
 * calls.
 */
#ifndef HS_API_COMPARED_H
#define HS_API_COMPARED_H

#include "answer/compare.h"
#include "answer/logs.h"

#define HS_COMPARED_KEEP_MAX 1024

struct hs_compared_settings {
    const char *size; /* NULL: all */
    int64_t beam;     /* 0: HS_COMPARE_KEEP */
    bool widen;
    struct hs_log_options log;
};

/* Rows of it. */
#define HS_ROW_COMPARED_SIZE(place)                                                                \
    {                                                                                              \
        .name = "size", .letter = 's', .argument = "SIZE", .group = "What is compared",            \
        .type = &hs_option_text, .offset = (place) + offsetof(struct hs_compared_settings, size),  \
        .help = "this message size alone (default: all)"                                           \
    }
#define HS_ROWS_COMPARED(place)                                                                    \
    {.name = "beam",                                                                               \
     .argument = "N",                                                                              \
     .group = "Containment rule",                                                                  \
     .min = 1,                                                                                     \
     .max = HS_COMPARED_KEEP_MAX,                                                                  \
     .noun = "number of plans",                                                                    \
     .type = &hs_option_count,                                                                     \
     .offset = (place) + offsetof(struct hs_compared_settings, beam),                              \
     .help = "plans kept at each scale (default 4)"},                                              \
        {.name = "widen",                                                                          \
         .group = "Containment rule",                                                              \
         .type = &hs_option_flag,                                                                  \
         .offset = (place) + offsetof(struct hs_compared_settings, widen),                         \
         .help = "let any layer grow, not the last alone"},                                        \
        HS_ROWS_LOG((place) + offsetof(struct hs_compared_settings, log))

/* How it is shown. */
struct hs_compared_words {
    const char *plans; /* none, worst or all; NULL: as many as fit what is compared */
    bool noise;        /* a choice within the winner's noise counts as found */
    struct hs_print print;
};
const char *const *hs_compared_plans_words(void);

/* Rows of it, but for those of its print. */
#define HS_ROWS_COMPARED_SHOWN(place)                                                              \
    {.name = "plans",                                                                              \
     .argument = "WHICH",                                                                          \
     .group = "Output",                                                                            \
     .type = &hs_option_word,                                                                      \
     .words = hs_compared_plans_words,                                                             \
     .offset = (place) + offsetof(struct hs_compared_words, plans),                                \
     .help = "plans to show for each case: none, all, or the worst: both winners and the five "    \
             "largest errors (default: worst for one case, none for several)"},                    \
    {                                                                                              \
        .name = "noise", .group = "Output", .type = &hs_option_flag,                               \
        .offset = (place) + offsetof(struct hs_compared_words, noise),                             \
        .help = "count a predicted winner as found, and a rank as reached, where intervals of "    \
                "95 % overlap (default: said separately)"                                          \
    }

/* What a "compare" is asked. */
struct hs_compared_question {
    struct hs_compared_settings compare;
    struct hs_compared_words words;
};

struct hs_compared {
    const struct hs_inputs *inputs; /* set before */
    const struct hs_system *system; /* set before: predicts in place of the inputs; NULL: they do */
    const char *predictor;          /* set before: what to call it; NULL */
    const char *command;            /* set before: the line, for the document */
    const struct hs_system *calls_system; /* that prices a library's calls; NULL: none */
    struct hs_call_list calls;            /* owned */
    struct hs_comparison comparison;      /* owned */
};

/* HS_INVALID, HS_MEMORY as hs_compare_results; release in any case. Says which inputs are not used.
 */
enum hs_status hs_compared_make(struct hs_compared *compared,
                                const struct hs_compared_settings *settings, struct hs_text *notes,
                                struct hs_error *err);
void hs_compared_release(struct hs_compared *compared);

/* ---- two profiles of a job, before and after ---- */

/* Of inputs with profiles: HS_INVALID where anything is given but two, of as many ranks. `other`:
 * an option that only results have, where one is given; NULL. show/changes.h prints what became of
 * their calls. */
enum hs_status hs_compared_check_profiles(const struct hs_inputs *inputs,
                                          const struct hs_compared_question *question,
                                          const char *other, struct hs_error *err);

#endif
