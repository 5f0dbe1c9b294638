/*
 * export_results.h - what the tests of exports share: results made in memory, and jobs about them.
 */
#ifndef HS_TESTS_EXPORT_RESULTS_H
#define HS_TESTS_EXPORT_RESULTS_H

#include "test.h"

#include "export/export.h"

#define MIB 1048576.0

static inline struct hs_result make_result(int64_t np, const char *system)
{
    struct hs_result result = {.np = np, .complete = true};
    struct hs_error err;

    result.command = hs_strdup("test");
    result.created = hs_strdup("2026-01-31T12:00:00Z");
    if (system) {
        result.has_system = true;
        assert_status_is(hs_system_parse(&result.system, system, &err), HS_OK, &err);
    }
    return result;
}

static inline struct hs_plan plan_of(const char *text)
{
    struct hs_plan plan;
    struct hs_error err;

    assert_status_is(hs_plan_parse(&plan, text, 0, &err), HS_OK, &err);
    return plan;
}

static inline void add_message(struct hs_result *result, double bytes)
{
    struct hs_result_message *message = hs_result_add_message(result);

    assert_non_null(message);
    message->message_bytes = (uint64_t)bytes;
}

/* To the last message. `measured` NaN: only predicted. */
static inline struct hs_candidate *add(struct hs_result *result, const char *plan, double predicted,
                                       double measured)
{
    struct hs_result_message *message = &result->messages[result->message_count - 1];
    struct hs_candidate *candidate = hs_result_add_candidate(message);

    candidate->plan = plan_of(plan);
    candidate->predicted_seconds = predicted;
    if (!isnan(measured)) {
        hs_candidate_add_measured(candidate);
        candidate->measured->median_seconds = measured;
    }
    return candidate;
}

static inline void rank_all(struct hs_result *result)
{
    for (size_t i = 0; i < result->message_count; i++)
        hs_result_rank(&result->messages[i], NULL);
}

/* One message of 64 MiB whose only candidate is the plan. */
static inline struct hs_result result_with(const char *plan, const char *system)
{
    struct hs_plan parsed = plan_of(plan);
    struct hs_result result = make_result(hs_split_product(&parsed.split), system);

    add_message(&result, 64 * MIB);
    add(&result, plan, 1e-3, NAN);
    rank_all(&result);
    return result;
}

static inline struct hs_export_job job_of(const struct hs_result *result)
{
    return (struct hs_export_job){
        .result = result, .result_name = "here.json", .made_by = "hiersearch 9"};
}

#endif
