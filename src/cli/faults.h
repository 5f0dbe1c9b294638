/*
 * faults.h - what can be made to go wrong, or to vary, in the backend `null`.
 *
 * A text such as "noise=0.05,slow=3:1.5,wrong=4x4" lists faults, separated by commas; the table
 * below is grammar and help at once. PLAN is a plan as text ("4x8x4", "4x8x4/8") for the number of
 * processes of the job, or of a group of its mesh; FACTOR is a number above 0 that a time is
 * multiplied by.
 */
#ifndef HS_MODEL_FAULTS_H
#define HS_MODEL_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/plan.h"

/* Kind, name, value, what it does */
/* clang-format off */
#define HS_FAULTS(row)                                                                             \
    row(NOISE, "noise", "SIGMA", "times vary by a lognormal factor of median 1")                   \
    row(OUTLIER, "outlier", "PROBABILITY:FACTOR", "now and then a run takes FACTOR times as long") \
    row(SLOW, "slow", "RANK:FACTOR", "every run takes FACTOR times as long on this rank")          \
    row(BIAS, "bias", "PLAN:FACTOR", "the plan takes FACTOR times as long as predicted")           \
    row(DELAY, "delay", "SECONDS", "every run also waits this long in real time (0.2, 200ms)")     \
    row(WRONG, "wrong", "PLAN[:RANK]", "the plan leaves one wrong element, on rank 0 or this one") \
    row(FAIL, "fail", "PLAN", "the plan fails with an error on all ranks")                         \
    row(HANG, "hang", "PLAN", "the plan never ends, on any rank")                                  \
    row(CRASH, "crash", "PLAN", "the last rank ends itself with SIGKILL in the plan")
/* clang-format on */

enum hs_fault_kind {
#define HS_ROW(kind, name, value, help) HS_FAULT_##kind,
    HS_FAULTS(HS_ROW)
#undef HS_ROW
        HS_FAULT_COUNT
};

struct hs_fault {
    enum hs_fault_kind kind;
    struct hs_plan plan; /* bias, wrong, fail, hang, crash; else zero */
    int64_t rank;        /* slow, wrong; else 0 */
    double number;       /* noise: sigma; outlier: probability; delay: seconds; else 0 */
    double factor;       /* outlier, slow, bias; else 0 */
};

#define HS_FAULTS_MAX 32

/* {0} is no faults. */
struct hs_faults {
    int count;
    struct hs_fault items[HS_FAULTS_MAX];
};

/* NULL and "" are no faults. HS_INVALID: "faults: ..." says which, what was expected, what was
 * found: an unknown name, a value that does not fit, a plan of other than `callers` processes, a
 * rank that np does not have, the same fault twice. Faults of one kind for several plans or ranks
 * are allowed. */
enum hs_status hs_faults_parse(struct hs_faults *faults, const char *text, int64_t np,
                               int64_t callers, struct hs_error *err);

/* Whether this plan has a fault of this kind (wrong, fail, hang, crash). */
bool hs_faults_hit(const struct hs_faults *faults, enum hs_fault_kind kind,
                   const struct hs_plan *plan);
/* The rank where the plan leaves a wrong element; -1: nowhere. */
int64_t hs_faults_wrong_rank(const struct hs_faults *faults, const struct hs_plan *plan);
/* What the plan's true time is of the predicted one: its bias, else 1. */
double hs_faults_bias(const struct hs_faults *faults, const struct hs_plan *plan);
/* Seconds that every run waits; 0 without delay. */
double hs_faults_delay_seconds(const struct hs_faults *faults);

/* A number that names one run: `what` ran (a plan's text, say), at which message size, for which
 * time. The same on all ranks and in every job with the same seed, whatever ran in between. */
uint64_t hs_faults_draw(uint64_t seed, const char *what, uint64_t message_bytes, uint64_t run);
/* Factor on the time of that run on `rank`: noise and outlier (drawn, the same on all ranks) and
 * slow. */
double hs_faults_factor(const struct hs_faults *faults, uint64_t draw, int64_t rank);

#endif
