#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "console/roff.h"
#include "manual/manual.h"

#define LOCAL "#/$defs/"

static const char *text_of(const cJSON *node, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(node, key));
}

static const cJSON *number_of(const cJSON *node, const char *key)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(node, key);

    return cJSON_IsNumber(number) ? number : NULL;
}

/* What a node that refers to another one of the same schema stands for. */
static const cJSON *resolve(const cJSON *schema, const cJSON *node)
{
    const char *reference = text_of(node, "$ref");

    if (!reference || strncmp(reference, LOCAL, strlen(LOCAL)) != 0)
        return node;
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(schema, "$defs"),
                                            reference + strlen(LOCAL));
}

static void append_value(struct hs_text *out, const cJSON *value)
{
    if (cJSON_IsString(value))
        hs_text_append(out, "%s", value->valuestring);
    else if (cJSON_IsNumber(value))
        hs_text_append(out, "%.16g", value->valuedouble);
    else
        hs_text_append(out, "%s", cJSON_IsTrue(value) ? "true" : "false");
}

static void append_range(struct hs_text *out, const cJSON *node)
{
    const cJSON *min = number_of(node, "minimum"), *max = number_of(node, "maximum");
    const cJSON *above = number_of(node, "exclusiveMinimum");

    if (above)
        hs_text_append(out, " above %.16g", above->valuedouble);
    if (min && max)
        hs_text_append(out, " from %.16g to %.16g", min->valuedouble, max->valuedouble);
    else if (min)
        hs_text_append(out, " of at least %.16g", min->valuedouble);
    else if (max)
        hs_text_append(out, " up to %.16g", max->valuedouble);
}

/* "text of at most 63 characters that matches ..." */
static void append_string(struct hs_text *out, const cJSON *node)
{
    const cJSON *min = number_of(node, "minLength"), *max = number_of(node, "maxLength");
    const char *pattern = text_of(node, "pattern");

    hs_text_append(out, "%s", min && min->valuedouble > 0 && !max ? "text, not empty" : "text");
    if (max)
        hs_text_append(out, " of at most %g characters", max->valuedouble);
    if (pattern)
        hs_text_append(out, " that matches %s", pattern);
}

static void append_choices(struct hs_text *out, const cJSON *list)
{
    const cJSON *choice;

    cJSON_ArrayForEach(choice, list)
    {
        hs_text_append(out, choice == list->child ? "" : choice->next ? ", " : " or ");
        append_value(out, choice);
    }
}

static void append_type(struct hs_text *out, const cJSON *schema, const cJSON *node);

static void append_array(struct hs_text *out, const cJSON *schema, const cJSON *node)
{
    const cJSON *items = resolve(schema, cJSON_GetObjectItemCaseSensitive(node, "items"));
    const cJSON *min = number_of(node, "minItems"), *max = number_of(node, "maxItems");

    hs_text_append(out, "array");
    if (min && max && min->valuedouble == max->valuedouble)
        hs_text_append(out, " of %.16g", min->valuedouble);
    else if (min && max)
        hs_text_append(out, " of %.16g to %.16g", min->valuedouble, max->valuedouble);
    else if (max)
        hs_text_append(out, " of at most %.16g", max->valuedouble);
    if (items && !cJSON_GetObjectItemCaseSensitive(items, "properties")) {
        hs_text_append(out, ", each: ");
        append_type(out, schema, items);
    }
}

static void append_alternatives(struct hs_text *out, const cJSON *schema, const cJSON *list)
{
    const cJSON *one;

    cJSON_ArrayForEach(one, list)
    {
        hs_text_append(out, one == list->child ? "" : ", or ");
        append_type(out, schema, resolve(schema, one));
    }
}

static void append_type(struct hs_text *out, const cJSON *schema, const cJSON *node)
{
    const cJSON *fixed = cJSON_GetObjectItemCaseSensitive(node, "const");
    const cJSON *choices = cJSON_GetObjectItemCaseSensitive(node, "enum");
    const cJSON *alternatives = cJSON_GetObjectItemCaseSensitive(node, "oneOf");
    const char *type = text_of(node, "type");

    if (fixed)
        append_value(out, fixed);
    else if (choices)
        append_choices(out, choices);
    else if (alternatives)
        append_alternatives(out, schema, alternatives);
    else if (!type)
        hs_text_append(out, "object");
    else if (strcmp(type, "string") == 0)
        append_string(out, node);
    else if (strcmp(type, "array") == 0)
        append_array(out, schema, node);
    else if (strcmp(type, "boolean") == 0)
        hs_text_append(out, "true or false");
    else {
        hs_text_append(out, "%s", strcmp(type, "integer") == 0 ? "whole number" : type);
        append_range(out, node);
    }
}

static bool is_required(const cJSON *object, const char *name)
{
    const cJSON *one;

    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(object, "required"))
    {
        if (strcmp(one->valuestring, name) == 0)
            return true;
    }
    return false;
}

/* Path, type and meaning of one field. `node` is as the schema has it, `target` what it refers
 * to. */
static void append_field(struct hs_text *out, const cJSON *schema, const char *path,
                         const cJSON *object, const cJSON *node, const cJSON *target,
                         bool described)
{
    const cJSON *fallback = cJSON_GetObjectItemCaseSensitive(node, "default");
    const char *meaning = text_of(node, "description");
    struct hs_text type = {0};

    append_type(&type, schema, target);
    hs_text_append(&type, is_required(object, node->string) ? ", always there" : "");
    if (fallback) {
        hs_text_append(&type, ", default ");
        append_value(&type, fallback);
    }
    hs_text_append(out, ".TP\n\\fB");
    hs_roff_inline(out, path);
    hs_text_append(out, "\\fR\n");
    hs_roff_paragraph(out, type.data);
    meaning = meaning ? meaning : text_of(target, "description");
    if (described && meaning) {
        hs_text_append(out, ".br\n");
        hs_roff_paragraph(out, meaning);
    }
    hs_text_release(&type);
}

static void append_object(struct hs_text *out, const cJSON *schema, const char *path,
                          const cJSON *object, bool described)
{
    const cJSON *node;

    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(object, "properties"))
    {
        const cJSON *target = resolve(schema, node);
        const cJSON *items = cJSON_GetObjectItemCaseSensitive(target, "items");
        struct hs_text here = {0};

        hs_text_append(&here, "%s%s%s", path, node->string, items ? "[]" : "");
        append_field(out, schema, here.data, object, node, target, described);
        hs_text_append(&here, ".");
        append_object(out, schema, here.data, items ? resolve(schema, items) : target, described);
        hs_text_release(&here);
    }
}

void hs_schema_fields(struct hs_text *out, const struct cJSON *schema, bool described)
{
    append_object(out, schema, "", schema, described);
}
