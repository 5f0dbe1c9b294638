/*
 * Result files (docs/result.schema.json): the top level.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/units.h"
#include "estimate/system_file.h"
#include "record/result.h"
#include "record/result_parts.h"

#define FORMAT_FAMILY HS_FORMAT_OF "result/"

/* ---- format and date ---- */

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
static enum hs_status check_format(void *object, const struct hs_place *place, struct hs_error *err)
{
    const char *format, *age;
    struct hs_json at = hs_json_find(place->at, "format");
    enum hs_status status;

    (void)object;
    if (!at.node)
        return hs_json_fail(&at, err, "missing");
    if ((status = hs_json_read_string(&format, &at, err)) || strcmp(format, HS_RESULT_FORMAT) == 0)
        return status;
    if (strncmp(format, FORMAT_FAMILY, strlen(FORMAT_FAMILY)) != 0)
        return hs_json_unexpected(&at, err, "\"" HS_RESULT_FORMAT "\"");
    age = format_number(format) > format_number(HS_RESULT_FORMAT) ? "a newer" : "an older";
    return hs_json_fail(&at, err, "\"%.60s\" is %s format; this version reads \"%s\"", format,
                        format_number(format) < 0 ? "an unknown" : age, HS_RESULT_FORMAT);
}

/* "2026-01-31T12:00:00Z", every field in its range. */
static bool is_date(const char *text)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:ddZ";
    static const struct {
        int at, min, max;
    } fields[] = {{5, 1, 12}, {8, 1, 31}, {11, 0, 23}, {14, 0, 59}, {17, 0, 60}};
    bool right = strlen(text) == strlen(shape);

    for (size_t i = 0; right && shape[i]; i++)
        right = shape[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == shape[i];
    for (size_t i = 0; right && i < sizeof(fields) / sizeof(*fields); i++) {
        const char *digits = text + fields[i].at;
        int value = 10 * (digits[0] - '0') + digits[1] - '0';

        right = value >= fields[i].min && value <= fields[i].max;
    }
    return right;
}

static const struct hs_text_form date = {
    is_date, "UTC like 2026-01-31T12:00:00Z",
    "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|"
    "60)Z$"};

/* ---- where the ranks were ---- */

static const struct hs_field node_rows[] = {
    {"host", HS_TEXT, HS_OWNED(struct hs_placed_node, host), .min = 1},
    {"ranks", HS_INTEGER, HS_AT(struct hs_placed_node, ranks), .min = 1, .max = HS_NP_MAX},
};
const struct hs_fields hs_placed_node_fields = {HS_ROWS(node_rows, struct hs_placed_node)};

static enum hs_status check_ranks(void *object, const struct hs_place *place, struct hs_error *err)
{
    const struct hs_placement *placement = object;
    const struct hs_result *result = hs_place_of(place, &hs_result_fields);
    int64_t ranks = 0;

    for (size_t i = 0; i < placement->node_count; i++)
        ranks += placement->nodes[i].ranks;
    if (placement->node_count > 0 && ranks != result->np)
        return hs_field_fail(place, "nodes", err,
                             "expected ranks that add up to np = %lld, found %lld",
                             (long long)result->np, (long long)ranks);
    return HS_OK;
}

static const struct hs_field placement_rows[] = {
    {"nodes", HS_LIST, HS_LIST_AT(struct hs_placement, nodes, node_count),
     .max = HS_RESULT_NODES_MAX, .fields = &hs_placed_node_fields,
     .about = "In the order of their ranks; empty where not known."},
    {"note", HS_TEXT, HS_OWNED(struct hs_placement, note), HS_OPTIONAL,
     .about = "What is uneven or unknown."},
    {"oversubscribed_ranks", HS_INTEGER, HS_AT(struct hs_placement, oversubscribed_ranks),
     HS_WITHOUT(0), .min = 1, .max = HS_NP_MAX,
     .about =
         "Ranks that share oversubscribed_cores cores of a machine; absent: every rank has one."},
    {"oversubscribed_cores", HS_INTEGER, HS_AT(struct hs_placement, oversubscribed_cores),
     HS_WITHOUT(0), .min = 1, .max = HS_NP_MAX},
};
static const struct hs_fields placement_fields = {HS_ROWS(placement_rows, struct hs_placement),
                                                  .check = check_ranks};

static bool has_placement(const struct hs_place *place)
{
    const struct hs_result *result = place->object;

    return result->placement.node_count > 0 || result->placement.note;
}

/* ---- the groups of a mesh ---- */

static enum hs_status parse_mesh(void *value, const char *text, const struct hs_place *place,
                                 struct hs_error *why)
{
    const struct hs_result *result = hs_place_of(place, &hs_result_fields);
    struct hs_mesh *parsed = value;

    if (hs_mesh_parse(parsed, text, why))
        return HS_INVALID;
    if (!hs_json_find(place->at, "group").node)
        return hs_fail(why, HS_INVALID, "expected over beside it, the axes that a group spans");
    if (hs_mesh_ranks(parsed) != result->np)
        return hs_fail(why, HS_INVALID, "%s is %lld processes, np is %lld", text,
                       (long long)hs_mesh_ranks(parsed), (long long)result->np);
    return HS_OK;
}

static const char *format_mesh(char text[HS_FIELD_TEXT], const void *value,
                               const struct hs_place *place)
{
    (void)place;
    return hs_mesh_format(text, value);
}

static enum hs_status parse_over(void *value, const char *text, const struct hs_place *place,
                                 struct hs_error *why)
{
    (void)place;
    if (((const struct hs_mesh *)value)->count == 0)
        return hs_fail(why, HS_INVALID, "expected mesh beside it, which has the axes");
    return hs_mesh_parse_over(value, text, why);
}

static const char *format_over(char text[HS_FIELD_TEXT], const void *value,
                               const struct hs_place *place)
{
    (void)place;
    return hs_mesh_format_over(text, value);
}

#define AXIS_PATTERN "[A-Za-z][A-Za-z0-9_-]{0,14}"
static const struct hs_field_custom mesh = {parse_mesh, format_mesh,
                                            "^" AXIS_PATTERN "=[0-9]+(," AXIS_PATTERN "=[0-9]+)*$"};
static const struct hs_field_custom over = {parse_over, format_over,
                                            "^" AXIS_PATTERN "(," AXIS_PATTERN ")*$"};

/* ---- the top ---- */

static enum hs_status check_result(void *object, const struct hs_place *place, struct hs_error *err)
{
    const struct hs_result *result = object;
    struct hs_json list = hs_json_find(place->at, "topology");

    for (size_t i = 0; i < result->topology_count; i++)
        if (result->topology[i].host_count == 0) {
            struct hs_json at = hs_json_element(&list, i), hosts = hs_json_find(&at, "hosts");

            return hs_json_fail(&hosts, err, "expected at least one host");
        }
    return HS_OK;
}

static bool has_environment(const struct hs_place *place)
{
    return ((const struct hs_result *)place->object)->environment_count > 0;
}

#define RESULT(member)      HS_AT(struct hs_result, member)
#define TEXT(member)        HS_OWNED(struct hs_result, member)
#define LIST(member, count) HS_LIST_AT(struct hs_result, member, count)

static const struct hs_field result_rows[] = {
    {"format", HS_CONSTANT, .text = HS_RESULT_FORMAT},
    {"command", HS_TEXT, TEXT(command), .about = "The command line that made the file."},
    {"created", HS_TEXT, TEXT(created), .form = &date, .about = "When, in UTC."},
    {"backend", HS_TEXT, TEXT(backend), HS_OPTIONAL,
     .about = "What ran the plans; absent in a prediction."},
    {"versions", HS_FACTS, LIST(versions, version_count), .max = HS_RESULT_NAMES_MAX,
     .about = "Named facts: hiersearch, mpi, cuda, nccl, driver, kernel and the like."},
    {"environment", HS_FACTS, LIST(environment, environment_count), HS_OPTIONAL,
     .max = HS_ENVIRONMENT_MAX, .when = has_environment,
     .about = "The variables NCCL_* as NCCL had them on the first rank, those of its nccl.conf and "
              "those that were set for it included; with the backends nccl."},
    {"np", HS_INTEGER, RESULT(np), .min = 1, .max = HS_NP_MAX, .about = "Processes."},
    {"collective", HS_CHOICE, RESULT(collective), HS_WITHOUT(HS_COLLECTIVE_ALLREDUCE),
     HS_NAMES(hs_collective_names),
     .about = "What all processes call. The bytes of a message are those of the larger side: what "
              "enters a reduce-scatter, what an allgather leaves."},
    {"layout", HS_CHOICE, RESULT(layout), HS_WITHOUT(HS_NATURAL), HS_NAMES(hs_layout_names),
     .about =
         "Which block of the smaller side rank r has: block r (natural), the one of r's digits "
         "the other way round (reversed), or block r by the stages of reversed and one copy "
         "(packed)."},
    {"mesh", HS_CUSTOM, RESULT(mesh), HS_OTHER(struct hs_result, mesh.count), HS_OPTIONAL,
     .custom = &mesh,
     .about = "The processes as a mesh, innermost axis first, such as tp=8,dp=64, whose product is "
              "np; absent where all processes call together."},
    {"group", HS_CUSTOM, RESULT(mesh), HS_OTHER(struct hs_result, mesh.over), HS_OPTIONAL,
     .custom = &over,
     .about = "The axes of mesh that a group spans, innermost first: all such groups call at once, "
              "and plans multiply to the ranks of one of them."},
    {"system", HS_OBJECT, RESULT(system), HS_OTHER(struct hs_result, has_system), HS_OPTIONAL,
     .fields = &hs_system_fields,
     .about = "The machine that the predictions are for, as in a system file, of a calibrated one "
              "without the points of its fits; absent where none was given."},
    {"extrapolated", HS_BOOL, RESULT(extrapolated), HS_WITH(false),
     .about = "np goes beyond the machine as described."},
    {"placement", HS_OBJECT, RESULT(placement), HS_OPTIONAL, .fields = &placement_fields,
     .when = has_placement, .about = "Where the ranks were; absent in a prediction."},
    {"topology", HS_LIST, LIST(topology, topology_count), HS_OPTIONAL, .max = HS_TOPOLOGY_KINDS_MAX,
     .fields = &hs_topology_fields,
     .about = "What the nodes are made of, as systems --here shows it: one element per kind of "
              "node; absent in a prediction."},
    {"registered", HS_BOOL, RESULT(registered), HS_WITHOUT(false),
     .about = "Buffers were registered with NCCL's communicators, those of the library's calls "
              "included."},
    {"complete", HS_BOOL, RESULT(complete), .about = "false: the run was cut short."},
    {"note", HS_TEXT, TEXT(note), HS_OPTIONAL,
     .about = "What a reader of the results should know, above all why the run was cut short."},
    {"results", HS_LIST, LIST(messages, message_count), .max = HS_RESULT_MESSAGES_MAX,
     .fields = &hs_message_fields, .about = "One per message size."},
};

const struct hs_fields hs_result_fields = {
    .id = HS_SCHEMA_ID HS_RESULT_VERSION,
    .title = "hiersearch result file",
    .about =
        "What was searched, predicted and measured, where, and with which versions. Rules that a "
        "schema cannot state are checked by the reader: every plan multiplies to np, best is one "
        "of the candidates and was not measured as wrong, timeout or failed, lists of layers are "
        "as long as the plan, layers name a level of the system, ranks of the nodes add up to np, "
        "an interval lies around its prediction and belongs to a system with fits, links are as "
        "many as GPUs and nvswitch_links at most nvlinks, and no message size, plan, rule or "
        "baseline is there twice. Counts above 2^53 - 1 are decimal text, because a double skips "
        "some.",
    HS_ROWS(result_rows, struct hs_result),
    .begin = check_format,
    .check = check_result,
};

enum hs_status hs_result_load(struct hs_result *result, const char *path, struct hs_error *err)
{
    return hs_fields_load(&hs_result_fields, result, path, err);
}

enum hs_status hs_result_parse(struct hs_result *result, const char *name, const char *text,
                               size_t length, struct hs_error *err)
{
    return hs_fields_parse(&hs_result_fields, result, name, text, length, err);
}

static enum hs_status print(struct hs_text *out, const struct hs_result *result, bool compact,
                            struct hs_error *err)
{
    if (!result->command || !result->created)
        return hs_fail(err, HS_INVALID, "%s: missing, a result has to say how it was made",
                       result->command ? "created" : "command");
    return hs_fields_print(out, &hs_result_fields, result, compact, err);
}

enum hs_status hs_result_print(struct hs_text *out, const struct hs_result *result,
                               struct hs_error *err)
{
    return print(out, result, false, err);
}

enum hs_status hs_result_print_line(struct hs_text *out, const struct hs_result *result,
                                    struct hs_error *err)
{
    return print(out, result, true, err);
}

/* ferror, because fwrite on a line-buffered stream can hide a failed write from its own result and
 * fflush's. */
static enum hs_status write_stdout(const struct hs_text *text, struct hs_error *err)
{
    if (fwrite(text->data, 1, text->length, stdout) != text->length || fflush(stdout) != 0 ||
        ferror(stdout))
        return hs_fail(err, HS_IO, "standard output: %s", strerror(errno));
    return HS_OK;
}

enum hs_status hs_result_save(const struct hs_result *result, const char *path,
                              struct hs_error *err)
{
    struct hs_text text = {0};
    enum hs_status status = hs_result_print(&text, result, err);

    if (!status)
        status = strcmp(path, "-") == 0 ? write_stdout(&text, err)
                                        : hs_file_replace(path, text.data, text.length, err);
    hs_text_release(&text);
    return status;
}

void hs_result_release(struct hs_result *result)
{
    if (result)
        hs_fields_release(&hs_result_fields, result);
}
