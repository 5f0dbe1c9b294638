/*
 * Documents and cursors.
 */
#include "base/json.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_parts.h"
#include "base/text.h"

/* ---- places and complaints ---- */

#define PATH_SHOWN                                                                                 \
    400 /* characters of a path in a message: the reason behind it must stay visible */

static bool plain_key(const char *key)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

    return key[0] != '\0' && strspn(key, letters) == strlen(key);
}

/* levels[1].bandwidth_GBps; a key that is no plain word is written ["in brackets"]. */
static void append_path(struct hs_text *path, const struct hs_json *at)
{
    if (at->parent == NULL)
        return;
    append_path(path, at->parent);
    if (at->key == NULL)
        hs_text_append(path, "[%zu]", at->index);
    else if (plain_key(at->key))
        hs_text_append(path, "%s%.60s", path->length > 0 ? "." : "", at->key);
    else
        hs_text_append(path, "[\"%.60s\"]", at->key);
}

enum hs_status hs_json_fail(const struct hs_json *at, struct hs_error *err, const char *format, ...)
{
    struct hs_text path = {0};
    char reason[HS_ERROR_MESSAGE_BYTES];
    const char *shown;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    append_path(&path, at);
    shown = path.data != NULL ? path.data : "";
    if (path.length > PATH_SHOWN)
        shown += path.length - PATH_SHOWN;
    hs_error_set(err, HS_INVALID, "%.300s: %s%s%s%s", at->document->name,
                 path.length > PATH_SHOWN ? "..." : "", shown, path.length > 0 ? ": " : "", reason);
    hs_text_release(&path);
    return HS_INVALID;
}

const char *hs_json_describe(char text[HS_JSON_FOUND], const struct hs_json *at)
{
    const struct cJSON *node = at->node;
    char number[32];

    if (!node)
        return "nothing";
    if (cJSON_IsObject(node))
        return "an object";
    if (cJSON_IsArray(node))
        return "an array";
    if (cJSON_IsBool(node))
        return cJSON_IsTrue(node) ? "true" : "false";
    if (cJSON_IsNull(node))
        return "null";
    if (cJSON_IsNumber(node))
        snprintf(text, HS_JSON_FOUND, "%s", hs_json_number_text(number, node->valuedouble));
    else
        snprintf(text, HS_JSON_FOUND, "\"%.60s%s\"", node->valuestring,
                 strlen(node->valuestring) > 60 ? "..." : "");
    return text;
}

enum hs_status hs_json_unexpected(const struct hs_json *at, struct hs_error *err, const char *what)
{
    char found[HS_JSON_FOUND];

    return hs_json_fail(at, err, "expected %s, found %s", what, hs_json_describe(found, at));
}

/* ---- documents ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The first key (in sorted order) that an object has twice, or NULL. Sorted and not compared pair
 * by pair: a hostile object may have millions of keys. */
static enum hs_status find_duplicate(const char **duplicate, const struct cJSON *object,
                                     struct hs_error *err)
{
    size_t count = (size_t)cJSON_GetArraySize(object), n = 0;
    const struct cJSON *child;
    const char **names;

    *duplicate = NULL;
    if (count < 2)
        return HS_OK;
    names = malloc(count * sizeof(*names));
    if (names == NULL)
        return hs_no_memory(err);
    cJSON_ArrayForEach(child, object) names[n++] = child->string;
    qsort(names, count, sizeof(*names), compare_names);
    for (size_t i = 1; i < count && *duplicate == NULL; i++) {
        if (strcmp(names[i - 1], names[i]) == 0)
            *duplicate = names[i];
    }
    free(names);
    return HS_OK;
}

/* Recursion ends at HS_JSON_DEPTH, which the scanner has checked. */
static enum hs_status check_duplicates(const struct hs_json *at, struct hs_error *err)
{
    struct hs_json child = {.document = at->document, .parent = at};
    enum hs_status status;

    if (cJSON_IsObject(at->node)) {
        status = find_duplicate(&child.key, at->node, err);
        if (status != HS_OK)
            return status;
        if (child.key != NULL)
            return hs_json_fail(&child, err, "the key appears twice in one object");
    }
    cJSON_ArrayForEach(child.node, at->node)
    {
        child.key = child.node->string;
        status = check_duplicates(&child, err);
        if (status != HS_OK)
            return status;
        child.index++;
    }
    return HS_OK;
}

enum hs_status hs_json_parse(struct hs_json_document *document, const char *name, const char *text,
                             size_t length, struct hs_error *err)
{
    enum hs_status status;
    struct hs_json top;

    *document = (struct hs_json_document){0};
    status = hs_json_scan(name, text, length, err);
    if (status != HS_OK)
        return status;
    document->name = hs_strdup(name);
    /* What the scanner accepts, cJSON accepts (fuzzed); so a refusal is a lack of memory. */
    document->root = cJSON_ParseWithLengthOpts(text, length, NULL, false);
    if (document->name == NULL || document->root == NULL) {
        status = hs_fail(err, HS_MEMORY, "%s: out of memory", name);
    } else {
        top = hs_json_top(document);
        status = check_duplicates(&top, err);
    }
    if (status != HS_OK)
        hs_json_release(document);
    return status;
}

enum hs_status hs_json_load(struct hs_json_document *document, const char *path,
                            struct hs_error *err)
{
    enum hs_status status;
    size_t length;
    char *text;

    *document = (struct hs_json_document){0};
    status = hs_file_read(&text, &length, path, HS_JSON_BYTES_MAX, err);
    if (status != HS_OK)
        return status;
    status = hs_json_parse(document, strcmp(path, "-") == 0 ? "standard input" : path, text, length,
                           err);
    free(text);
    return status;
}

void hs_json_release(struct hs_json_document *document)
{
    if (document == NULL)
        return;
    cJSON_Delete(document->root);
    free(document->name);
    *document = (struct hs_json_document){0};
}

struct hs_json hs_json_top(const struct hs_json_document *document)
{
    return (struct hs_json){.node = document->root, .document = document};
}

/* ---- objects and arrays ---- */

/* "a", "b" or "c" */
void hs_json_append_names(struct hs_text *out, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hs_text_append(out, "%s\"%s\"", i == 0 ? "" : i + 1 < count ? ", " : " or ", names[i]);
}

/* Whether the name is among them; *next is where to look first: most files keep the order. */
static bool contains(size_t *next, const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++, ++*next) {
        if (*next >= count)
            *next = 0;
        if (strcmp(names[*next], name) == 0) {
            ++*next;
            return true;
        }
    }
    return false;
}

static enum hs_status unknown_key(const struct hs_json *object, const char *key,
                                  const char *const *keys, size_t count, struct hs_error *err)
{
    const char *nearest = hs_nearest_name(key, keys, count);
    struct hs_json at = {.document = object->document, .parent = object, .key = key};
    struct hs_text all = {0};

    if (nearest != NULL)
        return hs_json_fail(&at, err, "unknown key, did you mean \"%s\"?", nearest);
    hs_json_append_names(&all, keys, count);
    hs_json_fail(&at, err, "unknown key, expected %s", all.data != NULL ? all.data : "none");
    hs_text_release(&all);
    return HS_INVALID;
}

enum hs_status hs_json_object(const struct hs_json *at, const char *const *keys, size_t key_count,
                              struct hs_error *err)
{
    const struct cJSON *child;
    size_t next = 0;

    if (!cJSON_IsObject(at->node))
        return hs_json_unexpected(at, err, "an object");
    cJSON_ArrayForEach(child, at->node)
    {
        if (!contains(&next, keys, key_count, child->string))
            return unknown_key(at, child->string, keys, key_count, err);
    }
    return HS_OK;
}

struct hs_json hs_json_find(const struct hs_json *object, const char *key)
{
    struct hs_json member = {.document = object->document, .parent = object, .key = key};

    if (cJSON_IsObject(object->node))
        member.node = cJSON_GetObjectItemCaseSensitive(object->node, key);
    return member;
}

bool hs_json_is_object(const struct hs_json *at)
{
    return cJSON_IsObject(at->node);
}

bool hs_json_is_null(const struct hs_json *at)
{
    return cJSON_IsNull(at->node);
}

enum hs_status hs_json_array(size_t *count, const struct hs_json *at, size_t min, size_t max,
                             struct hs_error *err)
{
    *count = 0;
    if (!cJSON_IsArray(at->node))
        return hs_json_unexpected(at, err, "an array");
    *count = (size_t)cJSON_GetArraySize(at->node);
    if (*count < min)
        return hs_json_fail(at, err, "expected an array of at least %zu elements, found %zu", min,
                            *count);
    if (*count > max)
        return hs_json_fail(at, err, "expected an array of at most %zu elements, found %zu", max,
                            *count);
    return HS_OK;
}

struct hs_json hs_json_element(const struct hs_json *array, size_t index)
{
    struct hs_json element = {.document = array->document, .parent = array, .index = index};

    if (cJSON_IsArray(array->node) && index <= INT32_MAX)
        element.node = cJSON_GetArrayItem(array->node, (int)index);
    return element;
}

struct hs_json hs_json_first(const struct hs_json *container)
{
    struct hs_json element = {.document = container->document, .parent = container};

    if (container->node)
        element.node = container->node->child;
    element.key = element.node ? element.node->string : NULL;
    return element;
}

void hs_json_next(struct hs_json *element)
{
    element->node = element->node->next;
    element->key = element->node ? element->node->string : NULL;
    element->index++;
}
