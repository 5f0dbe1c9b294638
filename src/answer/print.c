/*
 * A comparison as JSON (docs/compare.md). The tables are for writing alone: what they reach through
 * pointers is not theirs.
 */
#include <math.h>

#include "answer/compare.h"
#include "base/fields.h"
#include "base/units.h"

#define VERSION "comparison/1"
#define FORMAT  HS_FORMAT_OF VERSION

/* A comparison, and what it does not say itself. */
struct document {
    const char *command, *predictor;
    const struct hs_comparison *comparison;
};

static const struct hs_fields comparison_fields, case_fields, growth_fields;

/* ---- plans ---- */

static const char *format_plan(char text[HS_FIELD_TEXT], const void *value,
                               const struct hs_place *place)
{
    (void)place;
    return hs_plan_format(text, value);
}

/* A point of the case, by its index. */
static const char *format_point(char text[HS_FIELD_TEXT], const void *value,
                                const struct hs_place *place)
{
    const struct hs_compare_case *one = hs_place_of(place, &case_fields);

    return hs_plan_format(text, &one->points[*(const size_t *)value].plan);
}

static const char *format_winner(char text[HS_FIELD_TEXT], const void *value,
                                 const struct hs_place *place)
{
    const struct hs_compare_case *one = hs_place_of(place, &case_fields);

    (void)value;
    return hs_plan_format(text, &one->points[0].plan);
}

/* The winner of a case, by the case's index. */
static const char *format_winner_of(char text[HS_FIELD_TEXT], const void *value,
                                    const struct hs_place *place)
{
    const struct hs_comparison *all = hs_place_of(place, &comparison_fields);

    return hs_plan_format(text, &all->cases[*(const size_t *)value].points[0].plan);
}

/* A point of the larger case, by its index. */
static const char *format_reached(char text[HS_FIELD_TEXT], const void *value,
                                  const struct hs_place *place)
{
    const struct hs_comparison *all = hs_place_of(place, &comparison_fields);
    const struct hs_compare_growth *growth = hs_place_of(place, &growth_fields);

    return hs_plan_format(text, &all->cases[growth->large].points[*(const size_t *)value].plan);
}

static const struct hs_field_custom plan = {NULL, format_plan, HS_PLAN_PATTERN},
                                    point = {NULL, format_point, HS_PLAN_PATTERN},
                                    winner = {NULL, format_winner, HS_PLAN_PATTERN},
                                    winner_of = {NULL, format_winner_of, HS_PLAN_PATTERN},
                                    reached = {NULL, format_reached, HS_PLAN_PATTERN};

/* ---- rows ---- */

#define SIGNED .min = -1, .max = (double)INFINITY
/* Both ends of an interval, which follow each other. */
#define ENDS(type, low)                                                                            \
    .offset = offsetof(type, low), .size = 2 * sizeof(double), HS_OPTIONAL, .min = 2, .max = 2
_Static_assert(offsetof(struct hs_compare_point, high_seconds) ==
                       offsetof(struct hs_compare_point, low_seconds) + sizeof(double) &&
                   offsetof(struct hs_compare_regret, high) ==
                       offsetof(struct hs_compare_regret, low) + sizeof(double),
               "the ends of an interval follow each other");

#define POINT(member) HS_AT(struct hs_compare_point, member)

static const struct hs_field point_rows[] = {
    {"plan", HS_CUSTOM, POINT(plan), .custom = &plan},
    {"predicted_seconds", HS_NUMBER, POINT(predicted_seconds), HS_NOT_NEGATIVE},
    {"measured_seconds", HS_NUMBER, POINT(measured_seconds), HS_NOT_NEGATIVE, .above = true},
    {"ci95_seconds", HS_SECONDS, ENDS(struct hs_compare_point, low_seconds),
     .about = "Low and high end of the 95 % confidence interval of the measured median."},
    {"error", HS_NUMBER, POINT(error), SIGNED, .about = "Predicted over measured, - 1."},
    {"predicted_rank", HS_WHOLE, POINT(predicted_rank), .about = "From 1."},
    {"ties_best", HS_BOOL, POINT(ties_best),
     .about = "Its interval overlaps that of the fastest plan; true for that one itself."},
    {"extrapolated", HS_BOOL, POINT(extrapolated), HS_WITHOUT(0), .about = "The prediction is."},
};
static const struct hs_fields point_fields = {.name = "candidate",
                                              HS_ROWS(point_rows, struct hs_compare_point)};

/* ---- the containment rule in a case ---- */

#define CASE(member) HS_AT(struct hs_compare_case, member)

static bool keeps_any(const struct hs_place *place)
{
    const struct hs_compare_case *one = place->object;

    return one->rule.kept > 0;
}

static bool rule_ran(const struct hs_place *place)
{
    const struct hs_compare_case *one = place->object;

    return !one->rule.missing;
}

static const struct hs_field kept_rows[] = {
    {"chosen", HS_CUSTOM, CASE(rule.chosen), .custom = &point,
     .about = "Of the measured plans that the rule keeps, the one with the shortest predicted "
              "time."},
    {"chosen_regret", HS_NUMBER, CASE(rule.chosen_regret.value), HS_NOT_NEGATIVE},
    {"chosen_regret_interval", HS_SECONDS, ENDS(struct hs_compare_case, rule.chosen_regret.low)},
    {"fastest", HS_CUSTOM, CASE(rule.fastest), .custom = &point,
     .about = "Of these, the one with the shortest measured time."},
    {"fastest_regret", HS_NUMBER, CASE(rule.fastest_regret.value), HS_NOT_NEGATIVE},
    {"fastest_regret_interval", HS_SECONDS, ENDS(struct hs_compare_case, rule.fastest_regret.low)},
};
static const struct hs_fields kept_fields = {HS_ROWS(kept_rows, struct hs_compare_case)};

static const struct hs_field ran_rows[] = {
    {"looked_at", HS_WHOLE, CASE(rule.looked_at), .about = "Plans that the rule priced."},
    {"model_best", HS_CUSTOM, CASE(rule.best.plan), .custom = &plan,
     .about = "The best of all plans by the model."},
    {"model_best_measured", HS_BOOL, CASE(rule.best_measured)},
    {"rule_best", HS_CUSTOM, CASE(rule.pick.plan), .custom = &plan,
     .about = "The best that the rule finds, by the model."},
    {"model_loss", HS_NUMBER, CASE(rule.loss), SIGNED,
     .about = "Predicted time of rule_best over that of model_best, - 1."},
    {"kept", HS_WHOLE, CASE(rule.kept), .about = "Measured plans that the rule keeps."},
    {"keeps_winner", HS_BOOL, CASE(rule.keeps_winner)},
    {"chosen", HS_PART, HS_OPTIONAL, .fields = &kept_fields, .when = keeps_any},
};
static const struct hs_fields ran_fields = {HS_ROWS(ran_rows, struct hs_compare_case)};

static const struct hs_field rule_rows[] = {
    {"missing", HS_TEXT, HS_OWNED(struct hs_compare_case, rule.missing), HS_OPTIONAL,
     .about = "Why the rule was not run; all other fields are absent then."},
    {"looked_at", HS_PART, HS_OPTIONAL, .fields = &ran_fields, .when = rule_ran},
};
static const struct hs_fields rule_fields = {.name = "rule",
                                             HS_ROWS(rule_rows, struct hs_compare_case)};

/* ---- a case ---- */

static const struct hs_field backend_rows[] = {
    {"backend", HS_TEXT, HS_OWNED(struct hs_result, backend), HS_OPTIONAL}};
static const struct hs_fields backend_fields = {HS_ROWS(backend_rows, struct hs_result)};

static const struct hs_field file_rows[] = {
    {"file", HS_TEXT, HS_OWNED(struct hs_named_result, name), .about = "Of the measurement."}};
static const struct hs_fields file_fields = {HS_ROWS(file_rows, struct hs_named_result)};

static const struct hs_field result_rows[] = {{"backend", HS_PART,
                                               HS_OWNED(struct hs_named_result, result),
                                               HS_OPTIONAL, .fields = &backend_fields}};
static const struct hs_fields result_fields = {HS_ROWS(result_rows, struct hs_named_result)};

static const struct hs_field size_rows[] = {{"message_bytes", HS_WHOLE,
                                             HS_AT(struct hs_result_message, message_bytes),
                                             .about = "Per process."}};
static const struct hs_fields size_fields = {HS_ROWS(size_rows, struct hs_result_message)};

static const struct hs_field system_rows[] = {
    {"system", HS_TEXT, HS_AT(struct hs_system, name), .about = "The machine of the prediction."}};
static const struct hs_fields system_fields = {HS_ROWS(system_rows, struct hs_system)};

static const struct hs_fields document_fields;

/* NOLINTNEXTLINE(readability-non-const-parameter): as hs_field_custom has it */
static const char *format_predictor(char text[HS_FIELD_TEXT], const void *value,
                                    const struct hs_place *place)
{
    const struct hs_compare_case *one = place->object;
    const struct document *document = hs_place_of(place, &document_fields);

    (void)text, (void)value;
    return one->predicted ? one->predicted->name : document->predictor;
}
static const struct hs_field_custom predictor = {NULL, format_predictor, NULL};

static double worst_error(const struct hs_place *place)
{
    const struct hs_compare_case *one = place->object;

    return one->points[one->score.worst].error;
}

static const struct hs_field case_rows[] = {
    {"file", HS_PART, HS_OWNED(struct hs_compare_case, measured), .fields = &file_fields},
    {"predicted_by", HS_CUSTOM, .custom = &predictor, HS_OPTIONAL,
     .about = "A file, or the machine of --predict."},
    {"np", HS_INTEGER, CASE(np), .min = 1, .max = HS_NP_MAX, .about = "Processes."},
    {"message_bytes", HS_PART, HS_OWNED(struct hs_compare_case, message), .fields = &size_fields},
    {"backend", HS_PART, HS_OWNED(struct hs_compare_case, measured), HS_OPTIONAL,
     .fields = &result_fields},
    {"system", HS_PART, HS_OWNED(struct hs_compare_case, system), HS_OPTIONAL,
     .fields = &system_fields},
    {"plans", HS_WHOLE, CASE(count), .about = "That are compared."},
    {"unpredicted", HS_WHOLE, CASE(unpredicted),
     .about = "Measured plans without a prediction, left out."},
    {"faulty", HS_WHOLE, CASE(faulty), .about = "Plans whose measurement failed, left out."},
    {"mean_error", HS_NUMBER, CASE(score.mean_error), HS_NOT_NEGATIVE, .about = "Of their size."},
    {"mean_signed_error", HS_NUMBER, CASE(score.mean_signed_error), SIGNED},
    {"worst_error", HS_NUMBER, SIGNED, .compute = worst_error},
    {"worst_plan", HS_CUSTOM, CASE(score.worst), .custom = &point},
    {"tau", HS_NUMBER, CASE(score.tau), HS_OPTIONAL, .min = -1, .max = 1,
     .about = "Kendall's tau-b; absent where an order means nothing."},
    {"measured_winner", HS_CUSTOM, .custom = &winner},
    {"predicted_winner", HS_CUSTOM, CASE(score.predicted_best), .custom = &point},
    {"predicted_ties", HS_WHOLE, CASE(score.predicted_ties),
     .about = "Plans that share the shortest predicted time, itself included."},
    {"noise_ties", HS_WHOLE, CASE(score.noise_ties),
     .about = "Plans that tie the fastest, itself included."},
    {"found", HS_BOOL, CASE(score.found), .about = "The predicted winner is the measured one."},
    {"found_within_noise", HS_BOOL, CASE(score.found_in_noise), .about = "It ties it."},
    {"winner_rank", HS_WHOLE, CASE(score.winner_rank),
     .about = "Of the measured winner in the prediction, from 1."},
    {"winner_rank_within_noise", HS_WHOLE, CASE(score.noise_rank),
     .about = "The best of all that tie the winner."},
    {"top3", HS_BOOL, CASE(score.top), .about = "winner_rank is at most 3."},
    {"top3_within_noise", HS_BOOL, CASE(score.top_in_noise)},
    {"regret", HS_NUMBER, CASE(score.regret.value), HS_NOT_NEGATIVE,
     .about = "Measured time of the predicted winner over the shortest, - 1."},
    {"regret_interval", HS_SECONDS, ENDS(struct hs_compare_case, score.regret.low),
     .about = "Its low and high end."},
    {"containment", HS_OBJECT, .fields = &rule_fields},
    {"candidates", HS_LIST, HS_LIST_AT(struct hs_compare_case, points, count), .min = 1,
     .max = (double)INFINITY, .fields = &point_fields, .about = "Fastest first."},
};
static const struct hs_fields case_fields = {.name = "case",
                                             HS_ROWS(case_rows, struct hs_compare_case)};

/* ---- from one process count to a larger one ---- */

#define REACH(member) HS_AT(struct hs_compare_reach, member)

static bool reaches_any(const struct hs_place *place)
{
    const struct hs_compare_reach *reach = place->object;

    return reach->fastest != HS_COMPARE_NONE;
}

static const struct hs_field fastest_rows[] = {
    {"fastest", HS_CUSTOM, REACH(fastest), .custom = &reached},
    {"within_noise", HS_BOOL, REACH(in_noise), .about = "It ties the larger count's winner."},
    {"regret", HS_NUMBER, REACH(regret.value), HS_NOT_NEGATIVE},
    {"regret_interval", HS_SECONDS, ENDS(struct hs_compare_reach, regret.low)},
};
static const struct hs_fields fastest_fields = {HS_ROWS(fastest_rows, struct hs_compare_reach)};

static const struct hs_field reach_rows[] = {
    {"reached", HS_WHOLE, REACH(reached), .about = "Measured plans that the rule's steps reach."},
    {"fastest", HS_PART, HS_OPTIONAL, .fields = &fastest_fields, .when = reaches_any},
};
static const struct hs_fields reach_fields = {.name = "reach",
                                              HS_ROWS(reach_rows, struct hs_compare_reach)};

#define GROWTH(member) HS_AT(struct hs_compare_growth, member)

static const struct hs_field growth_rows[] = {
    {"small_case", HS_WHOLE, GROWTH(small), .about = "Index in cases."},
    {"large_case", HS_WHOLE, GROWTH(large)},
    {"small_np", HS_INTEGER, GROWTH(small_np), .min = 1, .max = HS_NP_MAX},
    {"large_np", HS_INTEGER, GROWTH(large_np), .min = 1, .max = HS_NP_MAX},
    {"small_winner", HS_CUSTOM, GROWTH(small), .custom = &winner_of},
    {"large_winner", HS_CUSTOM, GROWTH(large), .custom = &winner_of},
    {"growth", HS_CHOICE, GROWTH(growth), HS_NAMES(hs_growth_names),
     .about = "How the larger winner follows from the smaller."},
    {"contains", HS_BOOL, GROWTH(contains),
     .about = "Steps of the rule lead from the smaller winner to the larger."},
    {"kept", HS_WHOLE, GROWTH(kept), .about = "Plans of the smaller count that are extended."},
    {"from_winner", HS_OBJECT, GROWTH(alone), .fields = &reach_fields},
    {"from_kept", HS_OBJECT, GROWTH(wide), .fields = &reach_fields},
};
static const struct hs_fields growth_fields = {.name = "growth",
                                               HS_ROWS(growth_rows, struct hs_compare_growth)};

/* ---- logs ---- */

#define LOG(member) HS_AT(struct hs_compare_log, member)

/* NOLINTBEGIN(readability-non-const-parameter): as all of its kind */
static const char *format_measured(char text[HS_FIELD_TEXT], const void *value,
                                   const struct hs_place *place)
{
    const struct hs_compare_log *one = place->object;

    (void)text, (void)value;
    return one->measured->name;
}
/* NOLINTEND(readability-non-const-parameter) */
static const struct hs_field_custom measured = {NULL, format_measured, NULL};

#define WITH_PLAN HS_OPTIONAL, HS_OTHER(struct hs_compare_log, measured)

/* NOLINTBEGIN(bugprone-sizeof-expression): a pointer tells whether there is a plan */
static const struct hs_field log_rows[] = {
    {"file", HS_TEXT, HS_OWNED(struct hs_compare_log, file)},
    {"call", HS_CHOICE, LOG(call), HS_NAMES(hs_library_call_names)},
    {"np", HS_INTEGER, LOG(np), .min = 1, .max = HS_NP_MAX, .about = "Processes."},
    {"nodes", HS_INTEGER, LOG(nodes), HS_WITHOUT(0), .min = 1, .max = HS_NP_MAX},
    {"message_bytes", HS_WHOLE, LOG(message_bytes), .about = "As nccl-tests counts them."},
    {"in_place", HS_BOOL, LOG(in_place), HS_WITHOUT(0)},
    {"seconds", HS_NUMBER, LOG(seconds), HS_NOT_NEGATIVE, .above = true, .about = "In the log."},
    {"predicted_seconds", HS_NUMBER, LOG(predicted_seconds), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "The price of the same call on the machine."},
    {"range90_seconds", HS_SECONDS, ENDS(struct hs_compare_log, low_seconds),
     .about = "Low and high end of its 90 % range."},
    {"error", HS_NUMBER, LOG(error), HS_OPTIONAL, SIGNED, .about = "Predicted over log, - 1."},
    {"plan", HS_CUSTOM, LOG(plan), WITH_PLAN, .custom = &plan,
     .about = "The fastest measured plan of the same AllReduce among the results."},
    {"plan_file", HS_CUSTOM, LOG(measured), WITH_PLAN, .custom = &measured,
     .about = "Which it is of."},
    {"plan_seconds", HS_NUMBER, LOG(plan_seconds), HS_OPTIONAL, HS_NOT_NEGATIVE},
    {"gain", HS_NUMBER, LOG(gain), HS_OPTIONAL, HS_NOT_NEGATIVE,
     .about = "Of the plan over the library: above 1 it is faster."},
};
/* NOLINTEND(bugprone-sizeof-expression) */
static const struct hs_fields log_fields = {.name = "log",
                                            HS_ROWS(log_rows, struct hs_compare_log)};

/* ---- all of them ---- */

static double overall_worst_error(const struct hs_place *place)
{
    const struct hs_comparison *all = place->object;
    const struct hs_compare_case *worst = &all->cases[all->summary.worst_case];

    return worst->points[worst->score.worst].error;
}

static double worst_regret(const struct hs_place *place)
{
    const struct hs_comparison *all = place->object;
    size_t worst = all->summary.regret_case;

    return worst == HS_COMPARE_NONE ? NAN : all->cases[worst].score.regret.value;
}

static double worst_loss(const struct hs_place *place)
{
    const struct hs_comparison *all = place->object;
    const struct hs_compare_summary *summary = &all->summary;

    if (summary->rule.cases == 0)
        return NAN;
    return summary->rule.lost ? all->cases[summary->rule.loss_case].rule.loss : 0;
}

static double worst_rule_regret(const struct hs_place *place)
{
    const struct hs_comparison *all = place->object;
    size_t worst = all->summary.rule.regret_case;

    return worst == HS_COMPARE_NONE ? NAN : all->cases[worst].rule.fastest_regret.value;
}

#define ALL(member) HS_AT(struct hs_comparison, member)
#define MAY_BE_NONE HS_OPTIONAL, HS_NOT_NEGATIVE

#define OF_LOGS(member) ALL(log_summary.member)

static const struct hs_field log_summary_rows[] = {
    {"priced", HS_WHOLE, OF_LOGS(priced), .about = "Calls that have a price on the machine."},
    {"inside", HS_WHOLE, OF_LOGS(inside), .about = "Of these, within its range."},
    {"mean_error", HS_NUMBER, OF_LOGS(mean_error), MAY_BE_NONE, .about = "Of their size."},
    {"mean_signed_error", HS_NUMBER, OF_LOGS(mean_signed_error), HS_OPTIONAL, SIGNED},
    {"met", HS_WHOLE, OF_LOGS(met), .about = "Calls that meet a measured plan."},
    {"won", HS_WHOLE, OF_LOGS(won), .about = "Of these, where the plan is faster."},
    {"mean_gain", HS_NUMBER, OF_LOGS(mean_gain), MAY_BE_NONE, .about = "Geometric."},
};
static const struct hs_fields log_summary_fields = {
    HS_ROWS(log_summary_rows, struct hs_comparison)};

static const struct hs_field summary_rows[] = {
    {"cases", HS_WHOLE, ALL(case_count)},
    {"plans", HS_WHOLE, ALL(summary.plans)},
    {"mean_error", HS_NUMBER, ALL(summary.mean_error), HS_NOT_NEGATIVE,
     .about = "Of their size, each plan once."},
    {"worst_error", HS_NUMBER, SIGNED, .compute = overall_worst_error},
    {"mean_tau", HS_NUMBER, ALL(summary.mean_tau), HS_OPTIONAL, .min = -1, .max = 1},
    {"tau_cases", HS_WHOLE, ALL(summary.tau_cases), .about = "Cases with a tau."},
    {"choices", HS_WHOLE, ALL(summary.choices), .about = "Cases with 2 plans or more."},
    {"found", HS_WHOLE, ALL(summary.found)},
    {"found_within_noise", HS_WHOLE, ALL(summary.found_in_noise)},
    {"top3_choices", HS_WHOLE, ALL(summary.top_choices), .about = "Cases of more than 3 plans."},
    {"top3", HS_WHOLE, ALL(summary.top)},
    {"top3_within_noise", HS_WHOLE, ALL(summary.top_in_noise)},
    {"mean_regret", HS_NUMBER, ALL(summary.mean_regret), MAY_BE_NONE},
    {"worst_regret", HS_NUMBER, MAY_BE_NONE, .compute = worst_regret},
    {"rule_cases", HS_WHOLE, ALL(summary.rule.cases), .about = "Cases in which the rule ran."},
    {"rule_lost_by_model", HS_WHOLE, ALL(summary.rule.lost),
     .about = "Of these, where by the model it lost the optimum."},
    {"rule_worst_model_loss", HS_NUMBER, HS_OPTIONAL, SIGNED, .compute = worst_loss},
    {"rule_choices", HS_WHOLE, ALL(summary.rule.choices),
     .about = "Of rule_cases, those with 2 measured plans or more."},
    {"rule_keeps_winner", HS_WHOLE, ALL(summary.rule.winner)},
    {"rule_measured", HS_WHOLE, ALL(summary.rule.measured),
     .about = "Of rule_choices, where it keeps a measured plan at all; the regrets are of these."},
    {"rule_mean_regret", HS_NUMBER, ALL(summary.rule.mean_regret), MAY_BE_NONE},
    {"rule_worst_regret", HS_NUMBER, MAY_BE_NONE, .compute = worst_rule_regret},
    {"growths", HS_WHOLE, ALL(growth_count)},
    {"growths_contained", HS_WHOLE, ALL(summary.contained)},
};
static const struct hs_fields summary_fields = {HS_ROWS(summary_rows, struct hs_comparison)};

static const struct hs_field settings_rows[] = {
    {"beam", HS_WHOLE, ALL(keep), .about = "Plans that the rule keeps at each scale."},
    {"widen", HS_BOOL, ALL(widen), .about = "Any layer may grow, not only the last."},
};
static const struct hs_fields settings_fields = {HS_ROWS(settings_rows, struct hs_comparison)};

static const struct hs_field comparison_rows[] = {
    {"containment", HS_OBJECT, .fields = &settings_fields, .about = "The rule, as used."},
    {"cases", HS_LIST, HS_LIST_AT(struct hs_comparison, cases, case_count), .max = (double)INFINITY,
     .fields = &case_fields,
     .about = "One per message size of a measured file; none where there are logs alone."},
    {"growth", HS_LIST, HS_LIST_AT(struct hs_comparison, growths, growth_count),
     .max = (double)INFINITY, .fields = &growth_fields,
     .about = "The rule on measured times, from each process count to a larger one."},
    {"summary", HS_OBJECT, HS_OPTIONAL, HS_OTHER(struct hs_comparison, case_count),
     .fields = &summary_fields},
    {"logs", HS_LIST, HS_LIST_AT(struct hs_comparison, logs, log_count), HS_OPTIONAL,
     .max = (double)INFINITY, .fields = &log_fields, .about = "Calls of logs."},
    {"logs_summary", HS_OBJECT, HS_OPTIONAL, HS_OTHER(struct hs_comparison, log_count),
     .fields = &log_summary_fields},
};
static const struct hs_fields comparison_fields = {HS_ROWS(comparison_rows, struct hs_comparison)};

static const struct hs_field document_rows[] = {
    {"format", HS_CONSTANT, .text = FORMAT},
    {"command", HS_TEXT, HS_OWNED(struct document, command),
     .about = "The command line that made it."},
    {"cases", HS_PART, HS_OWNED(struct document, comparison), .fields = &comparison_fields},
};
static const struct hs_fields document_fields = {
    .id = HS_SCHEMA_ID VERSION,
    .title = "hiersearch comparison",
    .about = "Predicted against measured times, as hiersearch compare writes them "
             "(docs/compare.md). Times are in seconds, errors and regrets are fractions; what does "
             "not exist is absent. Counts above 2^53 - 1 are decimal text.",
    HS_ROWS(document_rows, struct document),
};

enum hs_status hs_comparison_print(struct hs_text *out, const struct hs_comparison *comparison,
                                   const char *predictor_name, const char *command,
                                   struct hs_error *err)
{
    struct document document = {command, predictor_name, comparison};

    return hs_fields_print(out, &document_fields, &document, false, err);
}

enum hs_status hs_comparison_print_schema(struct hs_text *out, struct hs_error *err)
{
    return hs_fields_print_schema(out, &document_fields, err);
}
