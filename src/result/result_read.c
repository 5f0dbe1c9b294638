/*
 * Reading of result files: the top level.
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "result/result_read.h"

#define COUNT(array)  (sizeof(array) / sizeof(*(array)))
#define FORMAT_FAMILY "hiersearch.result/"

/* The number behind the family's name, or -1 where there is none. */
static long format_number(const char *format)
{
    const char *digits = format + strlen(FORMAT_FAMILY);

    if (*digits == '\0' || digits[strspn(digits, "0123456789")] != '\0')
        return -1;
    return strtol(digits, NULL, 10);
}

/* Looked at before anything else: another format has other keys, and saying so helps more than
 * naming one. */
static enum hs_status check_format(const struct hs_json *top, struct hs_error *err)
{
    const char *format, *age;
    struct hs_json at;
    enum hs_status status;

    if ((status = hs_json_member(&at, top, "format", err)) ||
        (status = hs_json_string(&format, top, "format", err)))
        return status;
    if (strcmp(format, HS_RESULT_FORMAT) == 0)
        return HS_OK;
    if (strncmp(format, FORMAT_FAMILY, strlen(FORMAT_FAMILY)) != 0)
        return hs_json_fail(&at, err, "expected \"%s\", found \"%.60s\"", HS_RESULT_FORMAT, format);
    age = format_number(format) > format_number(HS_RESULT_FORMAT) ? "a newer" : "an older";
    return hs_json_fail(&at, err, "\"%.60s\" is %s format; this version reads \"%s\"", format,
                        format_number(format) < 0 ? "an unknown" : age, HS_RESULT_FORMAT);
}

/* "2026-01-31T12:00:00Z", every field in its range. */
static enum hs_status read_created(char **out, const struct hs_json *top, struct hs_error *err)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:ddZ";
    static const struct {
        int at, min, max;
    } fields[] = {{5, 1, 12}, {8, 1, 31}, {11, 0, 23}, {14, 0, 59}, {17, 0, 60}};
    struct hs_json at;
    const char *text;
    bool right;
    enum hs_status status;

    if ((status = hs_json_member(&at, top, "created", err)) ||
        (status = hs_result_read_name(out, top, "created", err)))
        return status;
    text = *out;
    right = strlen(text) == strlen(shape);
    for (size_t i = 0; right && shape[i]; i++)
        right = shape[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == shape[i];
    for (size_t i = 0; right && i < COUNT(fields); i++) {
        const char *digits = text + fields[i].at;
        int value = 10 * (digits[0] - '0') + digits[1] - '0';

        right = value >= fields[i].min && value <= fields[i].max;
    }
    if (!right)
        return hs_json_fail(&at, err, "expected UTC like 2026-01-31T12:00:00Z, found \"%.40s\"",
                            text);
    return HS_OK;
}

/* An object with any names: one fact each. */
static enum hs_status read_versions(struct hs_result *result, const struct hs_json *top,
                                    struct hs_error *err)
{
    struct hs_json versions;
    size_t count = 0;
    enum hs_status status = hs_json_member(&versions, top, "versions", err);

    if (status)
        return status;
    if (!cJSON_IsObject(versions.node))
        return hs_json_fail(&versions, err, "expected an object of names and texts");
    for (const cJSON *node = versions.node->child; node; node = node->next) {
        const char *text;

        if (node->string[0] == '\0')
            return hs_json_fail(&versions, err, "there is a fact without a name");
        if (++count > HS_RESULT_NAMES_MAX)
            return hs_json_fail(&versions, err, "expected %d facts at most", HS_RESULT_NAMES_MAX);
        if ((status = hs_json_string(&text, &versions, node->string, err)) ||
            (status = hs_result_set_version(result, node->string, text, err)))
            return status;
    }
    return HS_OK;
}

static enum hs_status read_nodes(struct hs_placement *placement, const struct hs_json *at,
                                 int64_t np, struct hs_error *err)
{
    static const char *const keys[] = {"host", "ranks"};
    struct hs_json array, element;
    void *list = NULL;
    int64_t ranks = 0;
    enum hs_status status = hs_result_read_list(&list, &placement->node_count, &array, at, "nodes",
                                                HS_RESULT_NODES_MAX, sizeof(char *), err);

    if (status)
        return status;
    placement->hosts = list;
    placement->ranks_per_node = calloc(placement->node_count + 1, sizeof(int64_t));
    if (!placement->ranks_per_node)
        return hs_fail(err, HS_MEMORY, "out of memory");
    element = hs_json_first(&array);
    for (size_t i = 0; i < placement->node_count; i++, hs_json_next(&element)) {
        if ((status = hs_json_object(&element, keys, COUNT(keys), err)) ||
            (status = hs_result_read_name(&placement->hosts[i], &element, "host", err)) ||
            (status = hs_json_integer(&placement->ranks_per_node[i], &element, "ranks", 1,
                                      HS_NP_MAX, err)))
            return status;
        ranks += placement->ranks_per_node[i];
    }
    if (placement->node_count > 0 && ranks != np)
        return hs_json_fail(&array, err, "expected ranks that add up to np = %lld, found %lld",
                            (long long)np, (long long)ranks);
    return HS_OK;
}

static enum hs_status read_placement(struct hs_result *result, const struct hs_json *top,
                                     struct hs_error *err)
{
    static const char *const keys[] = {"nodes", "note"};
    struct hs_json at;
    enum hs_status status;

    if (!hs_result_there(top, "placement"))
        return HS_OK;
    if ((status = hs_json_member(&at, top, "placement", err)) ||
        (status = hs_json_object(&at, keys, COUNT(keys), err)) ||
        (status = hs_result_read_text(&result->placement.note, &at, "note", err)))
        return status;
    return read_nodes(&result->placement, &at, result->np, err);
}

static enum hs_status read_topology(struct hs_result *result, const struct hs_json *top,
                                    struct hs_error *err)
{
    struct hs_json array, at;
    size_t count;
    enum hs_status status;

    if (!hs_result_there(top, "topology"))
        return HS_OK;
    if ((status = hs_json_member(&array, top, "topology", err)) ||
        (status = hs_json_array(&count, &array, 0, HS_TOPOLOGY_KINDS_MAX, err)))
        return status;
    at = hs_json_first(&array);
    for (size_t i = 0; i < count; i++, hs_json_next(&at)) {
        struct hs_result_topology *kind = hs_result_add_topology(result);

        if (!kind)
            return hs_fail(err, HS_MEMORY, "out of memory");
        if ((status = hs_result_topology_read(kind, &at, err)))
            return status;
        struct hs_json hosts = hs_result_member(&at, "hosts");
        if (kind->host_count == 0)
            return hs_json_fail(&hosts, err, "expected at least one host");
    }
    return HS_OK;
}

static enum hs_status read_system(struct hs_result *result, const struct hs_json *top,
                                  struct hs_error *err)
{
    struct hs_json at;
    enum hs_status status;

    if (!hs_result_there(top, "system"))
        return HS_OK;
    if ((status = hs_json_member(&at, top, "system", err)) ||
        (status = hs_system_read(&result->system, &at, err)))
        return status;
    result->has_system = true;
    return HS_OK;
}

static enum hs_status size_twice(const struct hs_json *message, uint64_t bytes, size_t earlier,
                                 struct hs_error *err)
{
    struct hs_json at = hs_result_member(message, "message_bytes");

    return hs_json_fail(&at, err, "%" PRIu64 " is already that of results[%zu]", bytes, earlier);
}

static enum hs_status read_messages(struct hs_result *result, const struct hs_json *top,
                                    struct hs_error *err)
{
    struct hs_json array, at;
    size_t count;
    enum hs_status status;

    if ((status = hs_json_member(&array, top, "results", err)) ||
        (status = hs_json_array(&count, &array, 0, HS_RESULT_MESSAGES_MAX, err)))
        return status;
    at = hs_json_first(&array);
    for (size_t i = 0; i < count; i++, hs_json_next(&at)) {
        struct hs_result_message *message = hs_result_add_message(result);

        if (!message)
            return hs_fail(err, HS_MEMORY, "out of memory");
        if ((status = hs_result_read_message(message, &at, result, err)))
            return status;
        for (size_t k = 0; k < i; k++)
            if (result->messages[k].message_bytes == message->message_bytes)
                return size_twice(&at, message->message_bytes, k, err);
    }
    return HS_OK;
}

static enum hs_status read_top(struct hs_result *result, const struct hs_json *top,
                               struct hs_error *err)
{
    static const char *const keys[] = {
        "format",       "command",   "created",  "backend",  "versions", "np",     "system",
        "extrapolated", "placement", "topology", "complete", "note",     "results"};
    struct hs_json at;
    enum hs_status status;

    if ((cJSON_IsObject(top->node) && (status = check_format(top, err))) ||
        (status = hs_json_object(top, keys, COUNT(keys), err)) ||
        (status = hs_json_member(&at, top, "command", err)) ||
        (status = hs_result_read_text(&result->command, top, "command", err)) ||
        (status = read_created(&result->created, top, err)) ||
        (status = hs_result_read_text(&result->backend, top, "backend", err)) ||
        (status = read_versions(result, top, err)) ||
        (status = hs_json_integer(&result->np, top, "np", 1, HS_NP_MAX, err)) ||
        (status = read_system(result, top, err)) ||
        (status = hs_json_bool_or(&result->extrapolated, top, "extrapolated", false, err)) ||
        (status = read_placement(result, top, err)) || (status = read_topology(result, top, err)) ||
        (status = hs_result_read_bool(&result->complete, top, "complete", err)) ||
        (status = hs_result_read_text(&result->note, top, "note", err)))
        return status;
    return read_messages(result, top, err);
}

/* Takes the document, whether it was parsed or not. */
static enum hs_status read_document(struct hs_result *result, struct hs_json_document *document,
                                    enum hs_status parsed, struct hs_error *err)
{
    enum hs_status status = parsed;
    struct hs_json top;

    memset(result, 0, sizeof(*result));
    if (status)
        return status;
    top = hs_json_top(document);
    status = read_top(result, &top, err);
    if (status)
        hs_result_release(result);
    hs_json_release(document);
    return status;
}

enum hs_status hs_result_load(struct hs_result *result, const char *path, struct hs_error *err)
{
    struct hs_json_document document;

    return read_document(result, &document, hs_json_load(&document, path, err), err);
}

enum hs_status hs_result_parse(struct hs_result *result, const char *name, const char *text,
                               size_t length, struct hs_error *err)
{
    struct hs_json_document document;

    return read_document(result, &document, hs_json_parse(&document, name, text, length, err), err);
}
