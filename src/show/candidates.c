#include "show/candidates.h"
#include "library/limit.h"
#include "library/price_plan.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define REMARK_BYTES 512
#define SAME         1e-12 /* relative: rounding */
#define FLAT_ROOM    1.5   /* a flat bar longer than this many times the others is cut */

/* ---- columns ---- */

/* One row, whatever it is of. Numbers that do not exist are NaN. */
struct record {
    const struct hs_candidates_source *of;
    const char *name, *mark; /* of the plan, or of the library's function */
    struct hs_problem asked;
    double rank; /* NaN: there for comparison, or a baseline */
    double seconds, spread, best_seconds, predicted, predicted_spread;
    const struct hs_candidate *candidate; /* NULL: a baseline */
    const struct hs_measured *measured;   /* NULL: not measured */
};

/* Half of the 95 % interval over the time; NaN: not known. */
static double measured_spread(const struct hs_measured *measured)
{
    return (measured->ci95_high_seconds - measured->ci95_low_seconds) / 2 /
           measured->median_seconds;
}

/* Half of a prediction's 95 % interval over its time: infinite where the system is calibrated and
 * it is not known. */
static double cost_spread(const struct hs_system *system, const struct hs_plan_cost *cost)
{
    return system->fits.count > 0 ? hs_or_dash(cost->ci95_seconds / cost->seconds) : NAN;
}

/* What is there for comparison has no rank. */
static struct hs_value rank(const struct record *r)
{
    return (struct hs_value){.number = r->rank,
                             .mark = !r->candidate || !isnan(r->rank)          ? NULL
                                     : hs_plan_is_default(&r->candidate->plan) ? "-"
                                                                               : "flat"};
}

static double busbw(const struct record *r)
{
    double rate = hs_problem_bus_bandwidth(&r->asked, r->seconds);

    return isnan(r->seconds) ? NAN : r->asked.group.size > 1 ? rate : hs_or_dash(NAN);
}

static double reached(const struct record *r)
{
    struct hs_limit limit;

    if (!r->of->result->has_system)
        return NAN;
    limit = hs_limit_of(&r->of->result->system, &r->asked);
    return hs_limit_reached(&limit, r->seconds);
}

static double error(const struct record *r)
{
    return r->measured ? r->predicted / r->seconds - 1 : NAN;
}

/* A library does not say how many its call has. */
static double layers(const struct record *r)
{
    return r->candidate && !hs_plan_is_default(&r->candidate->plan) ? r->candidate->plan.split.count
                                                                    : (double)NAN;
}

/* Sum of the layers (means over ranks) over the whole of the same runs (the slowest rank): below
 * 100 % by what lies between layers and by how early the other ranks are done, above it where
 * chunks overlap. */
static double layers_share(const struct record *r)
{
    if (!r->candidate || !hs_measured_is_ok(r->measured) || !r->of->whole_seconds)
        return NAN;
    return hs_measured_stages_seconds(r->measured) /
           r->of->whole_seconds(r->of->timings, r->of->message, &r->candidate->plan);
}

/* Only data that was looked at can be right. */
static double wrong(const struct record *r)
{
    const char *backend = r->of->result->backend;
    bool looked_at = r->measured && backend && strcmp(backend, "simgrid") != 0 &&
                     (hs_measured_is_ok(r->measured) || r->measured->status == HS_MEASURE_WRONG);

    return looked_at ? (double)r->measured->wrong_elements : NAN;
}

static const char *status(const struct record *r)
{
    return r->measured ? hs_measure_status_names[r->measured->status] : "predicted";
}

/* What a measurement that failed, or is not to be trusted, is to be said of. */
static const char *remark(const struct record *r, char text[REMARK_BYTES])
{
    const char *reason = r->measured ? r->measured->reason : NULL;

    if (!r->measured || r->measured->status == HS_MEASURE_OK)
        return reason;
    snprintf(text, REMARK_BYTES, "%s%s%s", status(r), reason ? ": " : "", reason ? reason : "");
    return text;
}

/* The layers' shares of the plan's time (with chunks layers overlap: scaled to the time). */
static struct hs_value bar(const struct record *r, double parts[HS_STAGES_MAX])
{
    const struct hs_plan_cost *cost = r->candidate ? r->candidate->cost : NULL;
    double sum = 0;

    for (int i = 0; cost && i < cost->count; i++)
        sum += cost->stages[i].seconds;
    for (int i = 0; cost && i < cost->count; i++)
        parts[i] = cost->stages[i].seconds / sum * cost->seconds;
    return hs_value_bar(parts, cost && sum > 0 ? cost->count : 0);
}

/* How many times as fast as the default call, or as the flat plan. */
static double gain(const struct record *r)
{
    const struct hs_answer *answer = r->of->message->answer;

    if (!answer)
        return NAN;
    if (!r->candidate)
        return answer->usual && strcmp(r->name, answer->usual->name) == 0 ? 1 : (double)NAN;
    return (answer->usual ? answer->usual->seconds : r->of->message->flat_seconds) /
           hs_candidate_seconds(r->candidate);
}

#define OF(pointer, member) ((pointer) ? (double)(pointer)->member : (double)NAN)

/* clang-format off */
#define COLUMNS(column)                                                                            \
    column(NP, "np", NULL, NULL, COUNT, ALWAYS, r->asked.group.size)                               \
    column(BYTES, "message_bytes", NULL, NULL, BYTES, ALWAYS, r->asked.bytes)                      \
    column(RANK, "rank", "rank", NULL, COUNT, ALWAYS, rank(r))                                     \
    column(PLAN, "plan", "plan", NULL, TEXT, ALWAYS, hs_value_marked(r->name, r->mark))            \
    column(TIME, "seconds", "time", HS_TABLE_UNIT, SCALED, ALWAYS, r->seconds)                     \
    column(SPREAD, "relative_ci95", "+-%", NULL, PERCENT, IF_ANY, r->spread)                       \
    column(FAULT, NULL, "fault", NULL, TEXT, IF_ANY,                                               \
           hs_measured_is_ok(r->measured) ? NULL : remark(r, (char[REMARK_BYTES]){0}))             \
    column(RATIO, "ratio_to_best", "vs best", NULL, RATIO, ALWAYS,                                 \
           isnan(r->seconds) ? NAN : hs_or_dash(r->seconds / r->best_seconds))                     \
    column(GAIN, "gain", "gain", NULL, RATIO, IF_ANY, gain(r))                                     \
    column(BEST, "probability_best", "best in", "%", PERCENT, IF_ANY,                              \
           OF(r->candidate, probability_best))                                                     \
    column(BUSBW, "busbw_bytes_per_second", "busbw", "GB/s", GIGABYTES, ALWAYS, busbw(r))          \
    column(REACHED, "share_of_limit", NULL, NULL, PERCENT, IF_ANY, reached(r))                     \
    column(LAYERS, "layers", "layers", NULL, COUNT, ALWAYS, layers(r))                             \
    column(PREDICTED, "predicted_seconds", "predicted", HS_TABLE_UNIT, SCALED, IF_ANY,             \
           r->predicted)                                                                           \
    column(INTERVAL, "predicted_relative_ci95", "+-%", NULL, PERCENT, IF_ANY, r->predicted_spread) \
    column(LOW, "predicted_low_seconds", NULL, NULL, TIME, IF_ANY,                                 \
           OF(r->candidate, predicted_low_seconds))                                                \
    column(HIGH, "predicted_high_seconds", NULL, NULL, TIME, IF_ANY,                               \
           OF(r->candidate, predicted_high_seconds))                                               \
    column(RANGE, NULL, "predicted, 90 %", HS_TABLE_UNIT, RANGE, IF_ANY,                           \
           hs_value_range((double[]){OF(r->candidate, predicted_low_seconds),                      \
                                     OF(r->candidate, predicted_high_seconds)}))                   \
    column(MISS, "error", "error", "%", ERROR, IF_ANY, error(r))                                   \
    column(FINE_MISS, NULL, "error", "%", ERROR2, IF_ANY, error(r))                                \
    column(SHARE, "layers_over_whole", "layers", "%", PERCENT, IF_ANY, layers_share(r))            \
    column(SAMPLES, "samples", "samples", NULL, COUNT, ALWAYS, OF(r->measured, sample_count))      \
    column(WRONG, "wrong_elements", "#wrong", NULL, COUNT, ALWAYS, wrong(r))                       \
    column(STATUS, "status", "status", NULL, TEXT, ALWAYS, status(r))                              \
    column(REASON, "reason", NULL, NULL, TEXT, IF_ANY, r->measured ? r->measured->reason : NULL)   \
    column(REMARK, NULL, "remark", NULL, TEXT, ALWAYS, remark(r, (char[REMARK_BYTES]){0}))         \
    column(BAR, NULL, "where the time goes", NULL, BAR, IF_ANY,                                    \
           bar(r, (double[HS_STAGES_MAX]){0}))
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

static void add(struct hs_table *table, const struct record *r)
{
    hs_table_row(table);
    COLUMNS(HS_COLUMN_PUT)
}

/* ---- what people see of them ---- */

/* clang-format off */
#define P HS_PICK
static const struct hs_pick
    of_predict[] = {{RANK, "#"}, P(PLAN), P(TIME), {RANGE, "90 % range"}, P(GAIN), P(BUSBW)},
    of_details[] = {{RANK, "#"}, P(PLAN), P(TIME),   {RANGE, "90 % range"}, P(GAIN),
                    P(BEST), P(BUSBW), P(LAYERS), P(BAR)},
    of_simulate[] = {P(PLAN), P(PREDICTED), {TIME, "simulated"}, P(FINE_MISS), P(BUSBW),
                     {INTERVAL, "predicted +-%"}},
    of_measure[] = {{RANK, "#"}, P(PLAN), {TIME, ""}, P(SPREAD), P(RATIO), P(BUSBW), P(PREDICTED),
                    P(INTERVAL), P(MISS), P(SHARE), P(SAMPLES), P(WRONG), P(REMARK)},
    of_race[] = {P(PLAN), {TIME, ""}, P(SPREAD), P(GAIN), P(BUSBW), P(SAMPLES), P(WRONG), P(FAULT)},
    of_report[] = {P(RANK), {PLAN, "split"}, P(TIME), P(SPREAD), {RATIO, "to the best"}, P(BUSBW),
                   P(PREDICTED), P(INTERVAL), P(RANGE), P(MISS), P(STATUS), {REASON, "because"}};
#undef P
/* clang-format on */

/* ---- of a result ---- */

/* What the table's times have in common: the unit of the fastest. */
static double smallest_seconds(const struct hs_result_message *message)
{
    double smallest = INFINITY;

    for (size_t i = 0; i < message->candidate_count; i++)
        smallest = fmin(smallest, hs_candidate_seconds(&message->candidates[i]));
    for (size_t i = 0; i < message->baseline_count; i++)
        if (hs_measured_is_ok(&message->baselines[i].measured))
            smallest = fmin(smallest, message->baselines[i].measured.median_seconds);
    return isfinite(smallest) ? smallest : 1;
}

static struct record record_of(const struct hs_candidates_source *of, const char *name,
                               const struct hs_measured *measured)
{
    const struct hs_result_message *message = of->message;
    bool ok = hs_measured_is_ok(measured);

    return (struct record){
        .of = of,
        .name = name,
        .asked = hs_result_problem(of->result, message),
        .rank = NAN,
        .seconds = ok ? measured->median_seconds : NAN,
        .spread = ok ? measured_spread(measured) : NAN,
        .best_seconds =
            message->candidate_count ? hs_candidate_seconds(&message->candidates[0]) : NAN,
        .predicted = NAN,
        .predicted_spread = NAN,
        .measured = measured,
    };
}

/* Candidates right behind i that take as long. */
static size_t count_ties(const struct hs_candidates_source *of, size_t i)
{
    const struct hs_candidate *candidates = of->message->candidates;
    double seconds = candidates[i].predicted_seconds;
    size_t ties = 0;

    while (of->ties_once && i + ties + 1 < of->ranked &&
           !hs_plan_is_flat(&candidates[i + ties + 1].plan) &&
           !hs_plan_is_default(&candidates[i].plan) &&
           fabs(candidates[i + ties + 1].predicted_seconds - seconds) <= SAME * seconds)
        ties++;
    return ties;
}

/* With so many ties behind it. */
static void add_candidate(struct hs_table *table, const struct hs_candidates_source *of, size_t i,
                          size_t ties, bool report)
{
    const struct hs_candidate *candidate = &of->message->candidates[i];
    const struct hs_system *system = &of->result->system;
    char name[HS_SPLIT_TEXT + 32];
    struct record r = record_of(of, name, candidate->measured);

    snprintf(name, sizeof(name), "%s%s", HS_AS_PLAN(&candidate->plan),
             report && hs_plan_is_flat(&candidate->plan) ? " (flat)" : "");
    if (ties > 0)
        snprintf(name, sizeof(name), "%s (+%zu equal)", HS_AS_PLAN(&candidate->plan), ties);
    r.candidate = candidate;
    r.mark = candidate->extrapolated && (!report || system->fits.count > 0) ? " *" : NULL;
    r.rank = of->ranked == 0 || i < of->ranked ? (double)i + 1 : NAN;
    r.predicted = candidate->predicted_seconds;
    if (candidate->cost)
        r.predicted_spread = cost_spread(system, candidate->cost);
    if (!of->result->backend) {
        r.seconds = r.predicted;
        r.spread = r.predicted_spread;
        r.predicted = r.predicted_spread = NAN;
    }
    add(table, &r);
}

/* A flat split that takes far longer than the others would leave their bars no room. */
static double full_bar(const struct hs_candidates_source *of)
{
    const struct hs_result_message *message = of->message;
    size_t last = (of->ranked ? of->ranked : message->candidate_count) - 1;
    double slowest = hs_candidate_seconds(&message->candidates[last]);

    return fmax(slowest, fmin(message->flat_seconds, FLAT_ROOM * slowest));
}

/* What gains are over, which is there whatever the limit. */
static bool is_reference(const struct hs_candidates_source *of, size_t i)
{
    const struct hs_answer *answer = of->message->answer;
    const struct hs_plan *plan = &of->message->candidates[i].plan;
    const struct hs_plan flat = hs_result_flat(of->result);

    if (!answer)
        return false;
    return answer->usual ? hs_plan_is_default(plan) : hs_plan_compare(plan, &flat) == 0;
}

/* The library's default call, by its choice or by forced algorithms: those that took from `from` to
 * below `to` seconds, what has no time as if it took INFINITY. */
static void add_library(struct hs_table *table, const struct hs_candidates_source *of, double from,
                        double to)
{
    const struct hs_result_message *message = of->message;
    size_t own = message->baseline_count;

    for (size_t i = 0; i < own + message->algorithm_count; i++) {
        const struct hs_baseline_result *call =
            i < own ? &message->baselines[i] : &message->algorithms[i - own];
        struct record r = record_of(of, call->name, &call->measured);
        double seconds = isfinite(r.seconds) ? r.seconds : DBL_MAX;

        if (seconds >= from && seconds < to)
            add(table, &r);
    }
}

void hs_candidates_table(struct hs_table *table, enum hs_candidates_of view,
                         const struct hs_candidates_source *of)
{
    const struct hs_picks picks[] = {
        [HS_OF_PREDICT] = HS_PICKS(of_predict),   [HS_OF_DETAILS] = HS_PICKS(of_details),
        [HS_OF_SIMULATE] = HS_PICKS(of_simulate), [HS_OF_RACE] = HS_PICKS(of_race),
        [HS_OF_MEASURE] = HS_PICKS(of_measure),   [HS_OF_REPORT] = HS_PICKS(of_report)};
    const struct hs_result_message *message = of->message;
    size_t count = message->candidate_count;
    double last = 0; /* the slowest so far: calls come where their times are */

    HS_TABLE_INIT(table, "candidates", columns);
    table->picks = picks[view];
    table->unit = hs_time_unit_for(smallest_seconds(message));
    table->bar_full = count > 0 ? full_bar(of) : 0;
    for (size_t i = 0; i < count; i++) {
        size_t ties = count_ties(of, i);

        if (of->limit > 0 && i >= of->limit && !is_reference(of, i))
            continue;
        if (hs_measured_is_ok(message->candidates[i].measured)) {
            double seconds = fmax(last, hs_candidate_seconds(&message->candidates[i]));

            add_library(table, of, last, seconds);
            last = seconds;
        }
        add_candidate(table, of, i, ties, view == HS_OF_REPORT);
        i += ties;
    }
    add_library(table, of, last, INFINITY);
}
