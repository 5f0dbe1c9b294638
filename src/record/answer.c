/* Result files: the answer about one message size. */
#include "record/answer.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "base/text.h"
#include "base/units.h"
#include "record/result_parts.h"

const char *const hs_advice_names[HS_ADVICE_COUNT] = {
#define HS_ROW(name, text, meaning) text,
    HS_ADVICES(HS_ROW)
#undef HS_ROW
};

#define VERDICT(member) HS_AT(struct hs_verdict, member)

static const struct hs_field verdict_rows[] = {
    {"advice", HS_CHOICE, VERDICT(advice), HS_NAMES(hs_advice_names),
     .about = "plan: use the plan; default: keep the library's default call; undecided: cannot "
              "tell, because the gain is not likely enough or rests on a guess."},
    {"plan", HS_CUSTOM, VERDICT(plan), .custom = &hs_plan_custom,
     .about = "The first candidate, which is `best`: of a measured result the fastest plan, also "
              "where the library's default call is faster."},
    {"gain", HS_NUMBER, VERDICT(gain), HS_NOT_NEGATIVE,
     .about = "Expected: the default's time over the plan's; of the flat plan where the default "
              "has no price."},
    {"gain_low", HS_NUMBER, VERDICT(gain_low), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Low end of the 90 % range of that; absent where nothing was sampled, or too little "
              "measured."},
    {"gain_high", HS_NUMBER, VERDICT(gain_high), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Its high end."},
    {"share", HS_NUMBER, VERDICT(share), HS_OPTIONAL, .max = 1,
     .about = "Share of the samples in which the plan is faster than the default; measured, the "
              "probability that it is."},
};

/* A range with its estimate in it. */
static enum hs_status check_verdict(void *object, const struct hs_place *place,
                                    struct hs_error *err)
{
    const struct hs_verdict *verdict = object;

    if (isnan(verdict->gain_low) != isnan(verdict->gain_high))
        return hs_field_fail(place, "gain_low", err, "expected both ends of the range or none");
    if (isnan(verdict->gain_low) ||
        (verdict->gain_low <= verdict->gain && verdict->gain <= verdict->gain_high))
        return HS_OK;
    return hs_field_fail(place, "gain", err,
                         "expected one between gain_low and gain_high, found %g", verdict->gain);
}

static const struct hs_fields verdict_fields = {
    .name = "verdict", HS_ROWS(verdict_rows, struct hs_verdict), .check = check_verdict};

#define USUAL(member) HS_AT(struct hs_default_call, member)

static const struct hs_field default_rows[] = {
    {"name", HS_TEXT, HS_OWNED(struct hs_default_call, name), .min = 1,
     .about = "The library: NCCL, MPICH, Open MPI; measured, its call: MPI_Allreduce."},
    {"version", HS_TEXT, HS_OWNED(struct hs_default_call, version), HS_OPTIONAL, .min = 1,
     .about = "NCCL's, by whose rules it chooses."},
    {"choice", HS_TEXT, HS_OWNED(struct hs_default_call, choice), .min = 1,
     .about = "The algorithm that it chooses, and its protocol where it has some."},
    {"seconds", HS_TIME, USUAL(seconds), .above = true},
    {"low_seconds", HS_TIME, USUAL(low_seconds), .about = "Low end of the 90 % range."},
    {"high_seconds", HS_TIME, USUAL(high_seconds), .about = "Its high end."},
};

static enum hs_status check_default(void *object, const struct hs_place *place,
                                    struct hs_error *err)
{
    const struct hs_default_call *usual = object;

    if (usual->low_seconds <= usual->seconds && usual->seconds <= usual->high_seconds)
        return HS_OK;
    return hs_field_fail(place, "seconds", err,
                         "expected one between its low and high end, found %g", usual->seconds);
}

static const struct hs_fields default_fields = {
    .name = "default", HS_ROWS(default_rows, struct hs_default_call), .check = check_default};

static const struct hs_field hint_rows[] = {
    {"option", HS_TEXT, HS_OWNED(struct hs_hint, option), HS_OPTIONAL, .min = 1,
     .about = "What to add to the command."},
    {"text", HS_TEXT, HS_OWNED(struct hs_hint, text), .min = 1},
    {"gain", HS_NUMBER, HS_AT(struct hs_hint, gain), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Over the first candidate."},
};
static const struct hs_fields hint_fields = {HS_ROWS(hint_rows, struct hs_hint)};

static const struct hs_field line_rows[] = {{NULL, HS_TEXT, .owned = true, .min = 1}};
static const struct hs_fields line_fields = {HS_ROWS(line_rows, char *)};

static const struct hs_field tie_rows[] = {
    {NULL, HS_CUSTOM, .size = sizeof(struct hs_plan), .custom = &hs_plan_custom},
};
static const struct hs_fields tie_fields = {HS_ROWS(tie_rows, struct hs_plan)};

#define ANSWER(member)       HS_AT(struct hs_answer, member)
#define LINES(member, count) HS_LIST_AT(struct hs_answer, member, count)
#define LINES_MAX            64

static const struct hs_field answer_rows[] = {
    {"verdict", HS_OBJECT, ANSWER(verdict), .fields = &verdict_fields},
    {"evidence", HS_TEXT, HS_OWNED(struct hs_answer, evidence), .min = 1,
     .about = "What was measured of this machine, or of machines of its class."},
    {"default", HS_OBJECT, HS_OWNED(struct hs_answer, usual), HS_OPTIONAL,
     .fields = &default_fields,
     .about = "The library's default call; absent where it has no price."},
    {"no_default", HS_TEXT, HS_OWNED(struct hs_answer, no_default), HS_OPTIONAL, .min = 1,
     .about = "Why it has none: gains are over the flat plan then."},
    {"bound_seconds", HS_TIME, ANSWER(bound_seconds), HS_OPTIONAL,
     .about = "What the links allow: no call and no plan takes less."},
    {"bound_by", HS_TEXT, HS_OWNED(struct hs_answer, bound_by), HS_OPTIONAL, .min = 1,
     .about = "The level that sets the bound."},
    {"samples", HS_INTEGER, ANSWER(samples), .max = 1e6,
     .about =
         "Samples of the uncertain parameters that times are expected over; 0: nominal times."},
    {"ties", HS_LIST, LINES(ties, tie_count), HS_OPTIONAL, .max = HS_RESULT_CANDIDATES_MAX,
     .fields = &tie_fields,
     .about = "Plans that are faster than the first candidate by too little: by less than 3 % "
              "than the default, or by less than 1 % than one of fewer layers; measured, those "
              "within noise of it."},
    {"decides", HS_TEXT, HS_OWNED(struct hs_answer, decides), HS_OPTIONAL, .min = 1,
     .about = "The uncertain parameter that the choice of a plan depends on most."},
    {"hints", HS_LIST, LINES(hints, hint_count), .max = LINES_MAX, .fields = &hint_fields,
     .about = "What was not asked for and would be faster."},
    {"assumptions", HS_LIST, LINES(assumptions, assumption_count), .max = LINES_MAX,
     .fields = &line_fields},
    {"next", HS_LIST, LINES(next, next_count), .max = LINES_MAX, .fields = &line_fields,
     .about = "The measurement that would tell most, as command lines."},
};

const struct hs_fields hs_answer_fields = {HS_ROWS(answer_rows, struct hs_answer)};
