/*
 * answer.h - the answer about one message size: what to do, how sure that is and on what evidence,
 * what the library's default call takes, what the links allow, and what to do next. Computed whole
 * (answer/), written into result files, and printed from there.
 */
#ifndef HS_RESULT_ANSWER_H
#define HS_RESULT_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "base/fields.h"
#include "model/plan.h"

/* clang-format off */
#define HS_ADVICES(row)                                                          \
    row(DEFAULT, "default", "keep the library's default call")                   \
    row(PLAN, "plan", "use the plan")                                            \
    row(UNDECIDED, "undecided", "cannot tell: measure what `next` names")
/* clang-format on */

enum hs_advice {
#define HS_ROW(name, text, meaning) HS_ADVICE_##name,
    HS_ADVICES(HS_ROW)
#undef HS_ROW
        HS_ADVICE_COUNT
};
extern const char *const hs_advice_names[HS_ADVICE_COUNT];

/* A plan is worth it where it is expected to gain so much over the default call, and gains at all
 * in so many samples. */
#define HS_ADVICE_GAIN  1.03
#define HS_ADVICE_SHARE 0.75

/* Gains are over the default call, where that has no price over the flat plan: its time over the
 * plan's, above 1 where the plan is faster. */
struct hs_verdict {
    enum hs_advice advice;
    struct hs_plan plan; /* the first candidate; HS_DEFAULT_CALL: the library's default call */
    double gain;         /* expected */
    double gain_low, gain_high; /* 90 % of the samples lie between; NaN: nothing was sampled */
    double share;               /* of samples with a gain above 1; NaN likewise */
};

/* The library's default call. */
struct hs_default_call {
    char *name;                                /* owned; "NCCL" */
    char *version;                             /* owned; NCCL's, "2.28.9"; NULL: of others */
    char *choice;                              /* owned; algorithm and protocol: "Tree, LL128" */
    double seconds, low_seconds, high_seconds; /* the 90 % range */
};

/* Something that was not asked for and would be faster, or a known fault of the library's call. */
struct hs_hint {
    char *option; /* owned; "--chunks 1,2,4,8"; NULL: none gives it */
    char *text;   /* owned; a sentence */
    double gain;  /* over the first candidate; NaN: none is claimed */
};

struct hs_answer {
    struct hs_verdict verdict;
    char *evidence;                /* owned; what is known of machines like it */
    struct hs_default_call *usual; /* owned; NULL: without a price, and */
    char *no_default;              /* owned; why; NULL where there is one */
    double bound_seconds;          /* no plan takes less; NaN: no bound is known */
    char *bound_by;                /* owned; the level that sets it; NULL likewise */
    int64_t samples;               /* 0: times are nominal */
    struct hs_plan *ties;          /* [tie_count] owned: faster than the first by too little */
    size_t tie_count;
    char *decides; /* owned; the parameter that matters most; NULL: none does, or nobody asked */
    struct hs_hint *hints; /* [hint_count] owned */
    size_t hint_count;
    char **assumptions; /* [assumption_count] owned, each owned; likewise: */
    size_t assumption_count;
    char **next; /* command lines */
    size_t next_count;
};

/* The fields, which stand in a message, and a plan as one. */
extern const struct hs_fields hs_answer_fields;
extern const struct hs_field_custom hs_plan_custom;

#endif
