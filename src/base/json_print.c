/*
 * JSON as text.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_parts.h"
#include "base/utf8.h"

static void print_string(struct hs_text *text, const char *string)
{
    hs_text_append_bytes(text, "\"", 1);
    while (*string != '\0') {
        size_t length = hs_utf8_length(string, strlen(string));
        unsigned char byte = (unsigned char)*string;
        const char *escape = strchr("\"\"\\\\\bb\ff\nn\rr\tt", byte);

        if (length == 0) /* a host or file name may hold anything; JSON must be UTF-8 */
            hs_text_append(text, "\xef\xbf\xbd");
        else if (byte == '"' || byte == '\\')
            hs_text_append(text, "\\%c", byte);
        else if (byte < 0x20 && escape != NULL)
            hs_text_append(text, "\\%c", escape[1]);
        else if (byte < 0x20)
            hs_text_append(text, "\\u%04x", byte);
        else
            hs_text_append_bytes(text, string, length);
        string += length > 0 ? length : 1;
    }
    hs_text_append_bytes(text, "\"", 1);
}

static bool all_numbers(const struct cJSON *array)
{
    const struct cJSON *element;

    cJSON_ArrayForEach(element, array)
    {
        if (!cJSON_IsNumber(element))
            return false;
    }
    return true;
}

static bool print_value(struct hs_text *text, const struct cJSON *node, int depth);

/* Elements or members between brackets, each on its own line, or all on one. */
static bool print_children(struct hs_text *text, const struct cJSON *node, int depth)
{
    bool object = cJSON_IsObject(node), one_line = !object && all_numbers(node);
    const struct cJSON *child;

    hs_text_append(text, object ? "{" : "[");
    cJSON_ArrayForEach(child, node)
    {
        if (child != node->child)
            hs_text_append(text, one_line ? ", " : ",");
        if (!one_line)
            hs_text_append(text, "\n%*s", 2 * depth + 2, "");
        if (object) {
            print_string(text, child->string);
            hs_text_append(text, ": ");
        }
        if (!print_value(text, child, depth + 1))
            return false;
    }
    if (node->child != NULL && !one_line)
        hs_text_append(text, "\n%*s", 2 * depth, "");
    hs_text_append(text, object ? "}" : "]");
    return true;
}

/* False where a number is not finite. */
static bool print_value(struct hs_text *text, const struct cJSON *node, int depth)
{
    char number[32];

    if (cJSON_IsObject(node) || cJSON_IsArray(node))
        return print_children(text, node, depth);
    if (cJSON_IsString(node)) {
        print_string(text, node->valuestring);
    } else if (cJSON_IsNumber(node)) {
        if (!isfinite(node->valuedouble))
            return false;
        hs_text_append(text, "%s", hs_json_number_text(number, node->valuedouble));
    } else if (cJSON_IsBool(node)) {
        hs_text_append(text, cJSON_IsTrue(node) ? "true" : "false");
    } else {
        hs_text_append(text, "null");
    }
    return true;
}

enum hs_status hs_json_print(struct hs_text *text, const struct cJSON *root, struct hs_error *err)
{
    if (!print_value(text, root, 0))
        return hs_fail(err, HS_FAILED, "a number that is not finite cannot be written as JSON");
    hs_text_append(text, "\n");
    return text->failed ? hs_fail(err, HS_MEMORY, "out of memory while writing JSON") : HS_OK;
}

enum hs_status hs_json_print_owned(struct hs_text *text, struct cJSON *root, struct hs_error *err)
{
    enum hs_status status;

    if (!root)
        return hs_fail(err, HS_MEMORY, "out of memory");
    status = hs_json_print(text, root, err);
    cJSON_Delete(root);
    return status;
}
