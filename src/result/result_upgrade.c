/*
 * Result files of format 1. There the measured times of a plan's stages were two lists by layer,
 * "layers_seconds": {"reduce_scatter": [...], "allgather": [...]}, the last of the first the
 * allreduce of the last layer.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include "result/result_parts.h"

/* One of the two lists, if it has so many elements. */
static const cJSON *times_of(const cJSON *times, const char *phase, int count)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(times, phase);

    return cJSON_IsArray(list) && cJSON_GetArraySize(list) == count ? list : NULL;
}

static bool add_stage(cJSON *list, struct hs_stage_key key, const cJSON *seconds)
{
    cJSON *stage = cJSON_CreateObject(), *copy = cJSON_Duplicate(seconds, true);
    char text[HS_STAGE_KEY_TEXT];

    if (!cJSON_AddStringToObject(stage, "stage", hs_stage_key_format(text, key)) ||
        !cJSON_AddItemToObject(stage, "seconds", copy)) {
        cJSON_Delete(copy);
        cJSON_Delete(stage);
        return false;
    }
    return cJSON_AddItemToArray(list, stage);
}

/* The lists as one, in the order of the plan's stages; NULL where they are none of this plan. */
static cJSON *make_stages(const cJSON *times, const struct hs_plan *plan, bool *complete)
{
    struct hs_problem problem = hs_problem_world(hs_split_product(&plan->split), 1);
    const cJSON *out = times_of(times, "reduce_scatter", plan->split.count);
    const cJSON *back = times_of(times, "allgather", plan->split.count - 1);
    struct hs_stage stages[HS_STAGES_MAX];
    int count = hs_problem_stages(stages, &problem, plan);
    cJSON *list = out && back ? cJSON_CreateArray() : NULL;

    for (int i = 0; list && i < count && *complete; i++) {
        bool inward = stages[i].key.phase == HS_ALLGATHER;

        *complete = add_stage(list, stages[i].key,
                              cJSON_GetArrayItem(inward ? back : out, stages[i].layer));
    }
    return list;
}

static bool upgrade_candidate(cJSON *candidate)
{
    const cJSON *plan_text = cJSON_GetObjectItemCaseSensitive(candidate, "plan");
    cJSON *measured = cJSON_GetObjectItemCaseSensitive(candidate, "measured");
    cJSON *times = cJSON_GetObjectItemCaseSensitive(measured, "layers_seconds"), *list;
    struct hs_plan plan;
    bool complete = true;

    if (!times || !cJSON_IsString(plan_text) ||
        hs_plan_parse(&plan, plan_text->valuestring, 0, NULL) != HS_OK ||
        !(list = make_stages(times, &plan, &complete)))
        return complete;
    cJSON_DeleteItemFromObjectCaseSensitive(measured, "layers_seconds");
    return cJSON_AddItemToObject(measured, "stages", list) && complete;
}

enum hs_status hs_result_upgrade(struct cJSON *file, struct hs_error *err)
{
    cJSON *messages = cJSON_GetObjectItemCaseSensitive(file, "results"), *message, *candidate;
    bool complete = cJSON_ReplaceItemInObjectCaseSensitive(file, "format",
                                                           cJSON_CreateString(HS_RESULT_FORMAT));

    cJSON_ArrayForEach(message, messages)
    {
        cJSON_ArrayForEach(candidate, cJSON_GetObjectItemCaseSensitive(message, "candidates"))
        {
            complete = upgrade_candidate(candidate) && complete;
        }
    }
    return complete ? HS_OK : hs_no_memory(err);
}
