#include "show/nccl_tests.h"
#include "library/price_plan.h"

#include <math.h>

#define BOUND_BY_LATENCY "latency"

/* nccl-tests' own words. */
static const char *type_of(enum hs_datatype datatype)
{
    static const char *const types[HS_DATATYPE_PRICED_COUNT] = {
        [HS_FLOAT32] = "float",     [HS_FLOAT64] = "double", [HS_FLOAT16] = "half",
        [HS_BFLOAT16] = "bfloat16", [HS_FLOAT8] = "f8e4m3",  [HS_INT8] = "int8",
        [HS_INT32] = "int32",       [HS_INT64] = "int64"};

    return types[datatype];
}

/* Half of the time or more goes by whatever the bytes; else the level that holds them up. */
static const char *library_bound(const struct hs_nccl_tests_row *r)
{
    const struct hs_library_price *price = &r->library;

    if (!hs_library_is_priced(price))
        return NULL;
    return 2 * price->latency_seconds >= price->seconds ? BOUND_BY_LATENCY
                                                        : r->system->levels[price->level].name;
}

static const char *plan_bound(const struct hs_nccl_tests_row *r)
{
    struct hs_plan_cost cost;
    const struct hs_stage_cost *slowest = &cost.stages[0];

    if (hs_plan_is_default(r->plan))
        return library_bound(r);
    cost = hs_plan_cost(r->system, &r->problem, r->plan);
    if (cost.latency_seconds + cost.launch_seconds >= cost.bandwidth_seconds)
        return BOUND_BY_LATENCY;
    for (int i = 1; i < cost.count; i++)
        if (cost.stages[i].bandwidth_seconds > slowest->bandwidth_seconds)
            slowest = &cost.stages[i];
    return r->system->levels[slowest->bottleneck].name;
}

static const char *redop(const struct hs_nccl_tests_row *r)
{
    bool reduces = hs_collectives[r->problem.collective].outcome == HS_OUTCOME_REDUCED;

    return reduces ? hs_operation_names[HS_SUM] : "none";
}

static const char *rule(const struct hs_nccl_tests_row *r)
{
    return hs_library_is_priced(&r->library) ? r->library.choice : NULL;
}

#define ALGBW(seconds) (r->problem.bytes / (seconds))
#define BUSBW(seconds) hs_problem_bus_bandwidth(&r->problem, seconds)
#define LIBRARY(bandwidth)                                                                         \
    (hs_library_is_priced(&r->library) ? bandwidth(r->library.seconds) : (double)NAN)

/* clang-format off */
#define COLUMNS(column)                                                                            \
    column(SIZE, "message_bytes", "size", "B", COUNT, ALWAYS, r->problem.bytes)                    \
    column(COUNT, "count", "count", NULL, COUNT, ALWAYS,                                           \
           floor(r->problem.bytes / (double)hs_datatype_bytes(r->datatype)))                       \
    column(TYPE, "type", "type", NULL, FIGURE, ALWAYS, type_of(r->datatype))                       \
    column(REDOP, "redop", "redop", NULL, FIGURE, ALWAYS, redop(r))                                \
    column(RULE, "library_choice", "by itself", NULL, FIGURE, IF_ANY, rule(r))                     \
    column(LIBRARY, "library_seconds", "time", "us", SCALED, IF_ANY, r->library.seconds)           \
    column(LOW, "library_low_seconds", NULL, "us", SCALED, IF_ANY, r->library.low_seconds)         \
    column(HIGH, "library_high_seconds", NULL, "us", SCALED, IF_ANY, r->library.high_seconds)      \
    column(LIBRARY_ALGBW, "library_algorithm_bytes_per_second", "algbw", NULL, GIGABYTES, IF_ANY,  \
           LIBRARY(ALGBW))                                                                         \
    column(LIBRARY_BUSBW, "library_bus_bytes_per_second", "busbw", NULL, GIGABYTES, IF_ANY,        \
           LIBRARY(BUSBW))                                                                         \
    column(LIBRARY_BOUND, "library_bound", "bound", NULL, FIGURE, IF_ANY, library_bound(r))        \
    column(PLAN, "plan", "best plan", NULL, FIGURE, ALWAYS, HS_AS_PLAN(r->plan))                   \
    column(TIME, "seconds", "time", "us", SCALED, ALWAYS, r->seconds)                              \
    column(ALGBW_, "algorithm_bytes_per_second", "algbw", NULL, GIGABYTES, ALWAYS,                 \
           ALGBW(r->seconds))                                                                      \
    column(BUSBW_, "bus_bytes_per_second", "busbw", NULL, GIGABYTES, ALWAYS, BUSBW(r->seconds))    \
    column(BOUND, "bound", "bound", NULL, FIGURE, ALWAYS, plan_bound(r))                           \
    column(OVER, "gain_over_library", NULL, NULL, RATIO, IF_ANY,                                   \
           rule(r) ? r->gain.median : (double)NAN)                                                 \
    column(LOW_GAIN, "gain_low", NULL, NULL, RATIO, IF_ANY, r->gain.low)                           \
    column(HIGH_GAIN, "gain_high", NULL, NULL, RATIO, IF_ANY, r->gain.high)                        \
    column(GAIN, NULL, "gain", NULL, FIGURE, IF_ANY,                                               \
           rule(r) ? HS_AS_GAIN(r->gain.median) : NULL)                                            \
    column(RANGE, NULL, "90 % range", NULL, FIGURE, IF_ANY,                                        \
           r->gain.low < r->gain.high ? HS_AS_GAIN_RANGE(&r->gain) : NULL)
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

void hs_nccl_tests_init(struct hs_table *table)
{
    HS_TABLE_INIT(table, "nccl_tests", columns);
    table->unit = (struct hs_time_unit){"us", 1e-6, 2};
}

void hs_nccl_tests_add(struct hs_table *table, const struct hs_nccl_tests_row *r)
{
    hs_table_row(table);
    COLUMNS(HS_COLUMN_PUT)
}

/* Of the rows; NaN where one has none. */
static double average(const struct hs_table *table, size_t column)
{
    double sum = 0;

    for (size_t i = 0; i < table->row_count; i++)
        sum += table->cells[i * table->column_count + column].number;
    return sum / (double)table->row_count;
}

void hs_nccl_tests_print(struct hs_sheet *sheet, struct hs_table *table)
{
    double library = table->failed ? NAN : average(table, LIBRARY_BUSBW);
    double plans = table->failed ? NAN : average(table, BUSBW_);

    hs_sheet_table(sheet, table);
    hs_sheet_say(sheet, "\n");
    if (isfinite(library))
        hs_sheet_say(sheet, "Avg bus bandwidth by itself : %s GB/s\n", HS_AS_GIGABYTES(library));
    hs_sheet_say(sheet, "Avg bus bandwidth best plans: %s GB/s\n", HS_AS_GIGABYTES(plans));
}
