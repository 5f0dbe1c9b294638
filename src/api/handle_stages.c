/* The stages of a plan, for callers who run them themselves. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "library/price_plan.h"

struct hiersearch_stages {
    struct hs_stage stages[HS_STAGES_MAX];
    double seconds[HS_STAGES_MAX];
    size_t count;
    int64_t ranks; /* of the machine */
};

/* Of the result's system, where it has one that prices the stage. */
static double price(const struct hs_result *result, const struct hs_problem *problem,
                    const struct hs_stage *stage)
{
    struct hs_stage_price price;

    if (!result->has_system || !hs_system_prices(&result->system, stage->key.algorithm))
        return NAN;
    price = hs_problem_price(&result->system, problem, stage->key, stage->bytes);
    return hs_stage_seconds(&price, stage->bytes);
}

static enum hs_status fill(struct hiersearch_stages *stages, const struct hs_result *result,
                           const struct hs_result_message *message, const char *text,
                           struct hs_error *err)
{
    struct hs_problem problem = hs_result_problem(result, message);
    struct hs_plan plan = message->best;
    enum hs_status status = HS_OK;
    bool is_default;

    if (text && strcmp(text, HS_DEFAULT_NAME) == 0)
        plan = HS_DEFAULT_CALL;
    else if (text)
        status = hs_plan_parse(&plan, text, problem.group.size, err);
    else if (plan.chunks == 0)
        status = hs_fail(err, HS_INVALID, "the message has no best plan");
    is_default = status == HS_OK && hs_plan_is_default(&plan);
    if (is_default) { /* one layer of all, by the library */
        plan = hs_problem_flat(&problem);
        plan.algorithms[0][0] = plan.algorithms[0][1] = HS_NATIVE;
    }
    if (status == HS_OK)
        status = hs_problem_check(&problem, &plan, err);
    if (status != HS_OK)
        return status;
    stages->count = (size_t)hs_problem_stages(stages->stages, &problem, &plan);
    stages->ranks = result->np;
    for (size_t i = 0; i < stages->count; i++)
        stages->seconds[i] = is_default && message->answer && message->answer->usual
                                 ? message->answer->usual->seconds
                                 : price(result, &problem, &stages->stages[i]);
    return HS_OK;
}

enum hiersearch_status hiersearch_stages_new(struct hiersearch_stages **stages,
                                             const struct hiersearch_result *result, size_t message,
                                             const char *plan, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    const struct hs_result_message *of;
    enum hs_status status = hs_result_message_at(&of, result, message, err);

    if (!stages)
        return hs_call_end(call, hs_expect_place(stages, err));
    *stages = NULL;
    if (status == HS_OK) {
        *stages = calloc(1, sizeof(**stages));
        status = *stages ? fill(*stages, &result->result, of, plan, err) : hs_no_memory(err);
    }
    if (status != HS_OK) {
        hiersearch_stages_free(*stages);
        *stages = NULL;
    }
    return hs_call_end(call, status);
}

size_t hiersearch_stages_count(const struct hiersearch_stages *stages)
{
    return stages ? stages->count : 0;
}

static enum hs_status check_index(const struct hiersearch_stages *stages, size_t index,
                                  struct hs_error *err)
{
    enum hs_status status = hs_expect(stages, "stages", err);

    if (status != HS_OK || index < stages->count)
        return status;
    return hs_fail(err, HS_INVALID, "expected a stage below %zu, found %zu", stages->count, index);
}

enum hiersearch_status hiersearch_stages_get(struct hiersearch_stage *stage,
                                             const struct hiersearch_stages *stages, size_t index,
                                             struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    enum hs_status status = check_index(stages, index, hs_error_of(error));

    if (status == HS_OK)
        status = hs_expect_place(stage, hs_error_of(error));
    if (status == HS_OK) {
        const struct hs_stage *from = &stages->stages[index];

        *stage = (struct hiersearch_stage){.phase = hs_phase_names[from->key.phase],
                                           .algorithm = hs_algorithm_names[from->key.algorithm],
                                           .stride = from->key.layer.stride,
                                           .size = from->key.layer.size,
                                           .bytes = from->bytes,
                                           .seconds = stages->seconds[index]};
    }
    return hs_call_end(call, status);
}

enum hiersearch_status hiersearch_stages_group(int64_t *ranks,
                                               const struct hiersearch_stages *stages, size_t index,
                                               int64_t rank, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    enum hs_status status = check_index(stages, index, hs_error_of(error));

    if (status == HS_OK)
        status = hs_expect_place(ranks, hs_error_of(error));
    if (status == HS_OK && (rank < 0 || rank >= stages->ranks))
        status = hs_fail(hs_error_of(error), HS_INVALID,
                         "expected a process from 0 to %" PRId64 ", found %" PRId64,
                         stages->ranks - 1, rank);
    if (status == HS_OK) {
        struct hs_layer layer = stages->stages[index].key.layer;
        int64_t first = rank - rank / layer.stride % layer.size * layer.stride;

        for (int64_t i = 0; i < layer.size; i++)
            ranks[i] = first + i * layer.stride;
    }
    return hs_call_end(call, status);
}

void hiersearch_stages_free(struct hiersearch_stages *stages)
{
    free(stages);
}
