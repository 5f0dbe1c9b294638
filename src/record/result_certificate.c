/*
 * Result files: what a lazy search found (estimate/certificate.h).
 */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "record/result.h"
#include "record/result_parts.h"

static enum hs_status parse_plan(void *value, const char *text, const struct hs_place *place,
                                 struct hs_error *why)
{
    const struct hs_result *result = hs_place_of(place, &hs_result_fields);

    if (strchr(text, '/'))
        return hs_fail(why, HS_INVALID, "plan \"%.200s\": expected one without chunks", text);
    return hs_plan_parse(value, text, hs_result_group(result).size, why);
}

static const struct hs_field_custom plan = {parse_plan, hs_result_format_plan,
                                            "^[1-9][0-9]*[a-z]{0,2}(x[1-9][0-9]*[a-z]{0,2})*$"};

static enum hs_status check_counts(void *object, const struct hs_place *place, struct hs_error *err)
{
    const struct hs_certificate *certificate = object;

    if (certificate->layers_measured > certificate->layers ||
        certificate->layers_failed > certificate->layers - certificate->layers_measured)
        return hs_json_fail(place->at, err,
                            "expected at most as many layers measured and failed as there are");
    if (certificate->layers_rough > certificate->layers_measured)
        return hs_json_fail(place->at, err,
                            "expected at most as many rough layers as measured ones");
    return HS_OK;
}

#define CERTIFICATE(member)    HS_AT(struct hs_certificate, member)
#define TIE(member)            HS_AT(struct hs_certified_plan, member)
#define INTERVAL(type, middle) HS_OTHER(type, middle), HS_OPTIONAL

static const struct hs_field tie_rows[] = {
    {"split", HS_CUSTOM, TIE(plan), .custom = &plan},
    {"seconds", HS_TIME, TIE(seconds)},
    {"ci95_seconds", HS_INTERVAL, TIE(ci95_seconds), INTERVAL(struct hs_certified_plan, seconds)},
};
static const struct hs_fields tie_fields = {HS_ROWS(tie_rows, struct hs_certified_plan)};

static const struct hs_field runner_up_rows[] = {
    {"split", HS_CUSTOM, CERTIFICATE(runner_up), .custom = &plan},
    {"seconds", HS_TIME, CERTIFICATE(runner_up_seconds)},
    {"measured", HS_BOOL, CERTIFICATE(runner_up_measured)},
};
static const struct hs_fields runner_up_fields = {HS_ROWS(runner_up_rows, struct hs_certificate)};

static const struct hs_field winner_rows[] = {
    {"winner", HS_CUSTOM, CERTIFICATE(winner), .custom = &plan,
     .about = "The plan with the smallest sum among those whose layers were all measured: layer "
              "sizes, innermost first, with letters of algorithms, as in 4x8hx4."},
    {"seconds", HS_TIME, CERTIFICATE(seconds)},
    {"ci95_seconds", HS_INTERVAL, CERTIFICATE(ci95_seconds),
     INTERVAL(struct hs_certificate, seconds)},
    {"again", HS_BOOL, CERTIFICATE(again), HS_WITH(false),
     .about = "Its layers were measured a second time, of which seconds is the sum."},
    {"certain", HS_BOOL, CERTIFICATE(certain), HS_WITH(false),
     .about = "Nothing known, of ranks that share cores and of wholes too, speaks against the "
              "winner being the best."},
    {"within", HS_NUMBER, CERTIFICATE(within), HS_WITHOUT((double)INFINITY),
     .max = HS_SECONDS_MAX / HS_SECONDS_MIN,
     .about = "No other plan takes less than seconds / (1 + within), at 95 %; 0: the winner is "
              "the best."},
    {"runner_up", HS_OBJECT, HS_OTHER(struct hs_certificate, runner_up.split.count), HS_OPTIONAL,
     .fields = &runner_up_fields},
    {"ties", HS_LIST, HS_LIST_AT(struct hs_certificate, ties, tie_count),
     .max = HS_CERTIFICATE_TIES, .fields = &tie_fields,
     .about = "Plans that the noise does not tell from the winner, best first."},
    {"more_ties", HS_BOOL, CERTIFICATE(more_ties)},
};
static const struct hs_fields winner_fields = {HS_ROWS(winner_rows, struct hs_certificate)};

static const struct hs_field certificate_rows[] = {
    {"layers_measured", HS_WHOLE, CERTIFICATE(layers_measured),
     .about = "How many of the layers were measured."},
    {"layers_rough", HS_WHOLE, CERTIFICATE(layers_rough),
     .about = "How many of those with a few samples only."},
    {"layers_failed", HS_WHOLE, CERTIFICATE(layers_failed),
     .about = "How many could not be, which excludes plans that need them."},
    {"layers", HS_WHOLE, CERTIFICATE(layers),
     .about = "Layers (stride, size) that np has, by each algorithm that they may go "
              "by."},
    {"winner", HS_PART, HS_OTHER(struct hs_certificate, winner.split.count), HS_OPTIONAL,
     .fields = &winner_fields},
};

const struct hs_fields hs_certificate_fields = {
    HS_ROWS(certificate_rows, struct hs_certificate),
    .check = check_counts,
    .rules = "\"dependentRequired\": { \"winner\": [\"seconds\", \"ties\", \"more_ties\"] }",
};
