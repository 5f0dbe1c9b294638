#include "base/json_build.h"

#include <cjson/cJSON.h>
#include <math.h>

void hs_json_no_memory(struct hs_json_builder *builder)
{
    if (!builder->status)
        builder->status = hs_fail(builder->err, HS_MEMORY, "out of memory");
}

struct cJSON *hs_json_put(struct hs_json_builder *builder, struct cJSON *object, const char *key,
                          struct cJSON *item)
{
    if (cJSON_AddItemToObjectCS(object, key, item))
        return item;
    cJSON_Delete(item);
    hs_json_no_memory(builder);
    return NULL;
}

struct cJSON *hs_json_append(struct hs_json_builder *builder, struct cJSON *array,
                             struct cJSON *item)
{
    if (cJSON_AddItemToArray(array, item))
        return item;
    cJSON_Delete(item);
    hs_json_no_memory(builder);
    return NULL;
}

void hs_json_put_text(struct hs_json_builder *builder, struct cJSON *object, const char *key,
                      const char *text)
{
    if (text)
        hs_json_put(builder, object, key, cJSON_CreateString(text));
}

void hs_json_put_number(struct hs_json_builder *builder, struct cJSON *object, const char *key,
                        double value)
{
    if (isfinite(value))
        hs_json_put(builder, object, key, cJSON_CreateNumber(value));
}

void hs_json_put_bool(struct hs_json_builder *builder, struct cJSON *object, const char *key,
                      bool value)
{
    hs_json_put(builder, object, key, cJSON_CreateBool(value));
}
