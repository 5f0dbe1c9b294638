/*
 * System files (docs/system.schema.json), read and written.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include "base/units.h"
#include "model/system.h"
#include "model/system_parts.h"

static const struct hs_json_bounds one_or_more = {1, 1e6, false};

static enum hs_status read_name(char out[HS_SYSTEM_NAME], const struct hs_json *object,
                                const char *allowed, struct hs_error *err)
{
    const char *text;
    struct hs_json at;

    if (hs_json_string(&text, object, "name", err) || hs_json_member(&at, object, "name", err))
        return HS_INVALID;
    if (text[0] == '\0' || text[strspn(text, allowed)] != '\0')
        return hs_json_fail(&at, err, "expected a name of characters in %s, found \"%.40s\"",
                            "a-z, 0-9, '_', '-' and '.'", text);
    if (strlen(text) >= HS_SYSTEM_NAME)
        return hs_json_fail(&at, err, "longer than %d characters", HS_SYSTEM_NAME - 1);
    memcpy(out, text, strlen(text) + 1);
    return HS_OK;
}

static enum hs_status read_sources(struct hs_level *level, const struct hs_json *at,
                                   struct hs_error *err)
{
    static const char *const keys[] = {"arity", "fabric", "latency", "bandwidth"};
    struct hs_json source;
    enum hs_status status;

    if (!hs_json_has(at, "source"))
        return HS_OK;
    if ((status = hs_json_member(&source, at, "source", err)) ||
        (status = hs_json_object(&source, keys, sizeof(keys) / sizeof(*keys), err)) ||
        (status = hs_read_text(&level->arity_source, &source, "arity", err)) ||
        (status = hs_read_text(&level->fabric_source, &source, "fabric", err)) ||
        (status = hs_read_text(&level->latency_source, &source, "latency", err)))
        return status;
    return hs_read_text(&level->bandwidth_source, &source, "bandwidth", err);
}

/* arity: a number, or null on the last level for "as many as needed". */
static enum hs_status read_arity(struct hs_level *level, const struct hs_json *at, bool last,
                                 struct hs_error *err)
{
    if (hs_json_has(at, "arity"))
        return hs_json_integer(&level->arity, at, "arity", 1, HS_NP_MAX, err);
    if (!last)
        return hs_json_fail(at, err, "arity: missing; only the last level may lack it");
    level->arity = 0;
    return HS_OK;
}

static enum hs_status read_level(struct hs_level *level, const struct hs_json *at, bool last,
                                 struct hs_error *err)
{
    static const char *const keys[] = {"name",           "arity", "fabric",  "latency_us",
                                       "bandwidth_GBps", "ports", "striped", "source"};
    size_t fabric;
    double latency_us, bandwidth_gbps;
    enum hs_status status;

    if ((status = hs_json_object(at, keys, sizeof(keys) / sizeof(*keys), err)) ||
        (status = read_name(level->name, at, HS_LEVEL_LETTERS, err)) ||
        (status = read_arity(level, at, last, err)) ||
        (status = hs_json_choice_or(&fabric, at, "fabric", hs_fabric_names, HS_FABRIC_COUNT,
                                    HS_FABRIC_SWITCH, err)) ||
        (status = hs_json_number(&latency_us, at, "latency_us", &hs_bounds_not_negative, err)) ||
        (status =
             hs_json_number(&bandwidth_gbps, at, "bandwidth_GBps", &hs_bounds_positive, err)) ||
        (status = hs_json_integer_or(&level->ports, at, "ports", 1, HS_PORTS_MAX, 1, err)) ||
        (status = hs_json_bool_or(&level->striped, at, "striped", true, err)))
        return status;
    level->fabric = (enum hs_fabric)fabric;
    level->latency_seconds = hs_from_microseconds(latency_us);
    level->bytes_per_second = hs_from_gigabytes(bandwidth_gbps);
    return read_sources(level, at, err);
}

static enum hs_status check_unique(const struct hs_system *system, const struct hs_json *levels,
                                   struct hs_error *err)
{
    struct hs_json at = hs_json_first(levels);
    int64_t ranks = 1;

    for (size_t l = 0; l < system->level_count; l++, hs_json_next(&at)) {
        int64_t arity = system->levels[l].arity;

        for (size_t k = 0; k < l; k++)
            if (strcmp(system->levels[k].name, system->levels[l].name) == 0)
                return hs_json_fail(&at, err, "name: \"%s\" is already the name of levels[%zu]",
                                    system->levels[l].name, k);
        if (arity > 0 && ranks > INT64_MAX / 2 / arity)
            return hs_json_fail(&at, err, "arity: the arities multiply to more than 2^62 ranks");
        ranks *= arity ? arity : 1;
    }
    return HS_OK;
}

static enum hs_status read_levels(struct hs_system *system, const struct hs_json *at,
                                  struct hs_error *err)
{
    struct hs_json levels, element;
    enum hs_status status;

    if ((status = hs_json_member(&levels, at, "levels", err)) ||
        (status = hs_json_array(&system->level_count, &levels, 1, HS_LEVELS_MAX, err))) {
        system->level_count = 0;
        return status;
    }
    element = hs_json_first(&levels);
    for (size_t l = 0; l < system->level_count; l++, hs_json_next(&element)) {
        status = read_level(&system->levels[l], &element, l + 1 == system->level_count, err);
        if (status)
            return status;
    }
    return check_unique(system, &levels, err);
}

static enum hs_status check_format(const struct hs_json *at, struct hs_error *err)
{
    const char *format;
    struct hs_json member;

    if (hs_json_string(&format, at, "format", err) || hs_json_member(&member, at, "format", err))
        return HS_INVALID;
    if (strcmp(format, HS_SYSTEM_FORMAT) != 0)
        return hs_json_fail(&member, err, "expected \"%s\", found \"%.60s\"", HS_SYSTEM_FORMAT,
                            format);
    return HS_OK;
}

static enum hs_status read_system(struct hs_system *system, const struct hs_json *at,
                                  struct hs_error *err)
{
    static const char *const keys[] = {
        "format",    "name",   "title", "source", "notes", "latency_kind", "pipeline_granularity",
        "launch_us", "levels", "fits"};
    size_t kind;
    double launch_us;
    struct hs_json fits;
    enum hs_status status;

    if ((status = hs_json_object(at, keys, sizeof(keys) / sizeof(*keys), err)) ||
        (status = check_format(at, err)) ||
        (status = read_name(system->name, at, HS_SYSTEM_LETTERS, err)) ||
        (status = hs_read_text(&system->title, at, "title", err)) ||
        (status = hs_read_text(&system->source, at, "source", err)) ||
        (status = hs_read_text(&system->notes, at, "notes", err)) ||
        (status = hs_json_choice_or(&kind, at, "latency_kind", hs_latency_kind_names,
                                    HS_LATENCY_KIND_COUNT, HS_LATENCY_UNVERIFIED, err)) ||
        (status = hs_json_number_or(&system->pipeline_granularity, at, "pipeline_granularity",
                                    &one_or_more, 1, err)) ||
        (status = hs_json_number_or(&launch_us, at, "launch_us", &hs_bounds_not_negative, 0, err)))
        return status;
    system->latency_kind = (enum hs_latency_kind)kind;
    system->launch_seconds = hs_from_microseconds(launch_us);
    status = read_levels(system, at, err);
    if (status || hs_json_member(&fits, at, "fits", NULL))
        return status;
    return hs_fits_read(&system->fits, system, &fits, err);
}

enum hs_status hs_system_read(struct hs_system *system, const struct hs_json *at,
                              struct hs_error *err)
{
    enum hs_status status;

    memset(system, 0, sizeof(*system));
    status = read_system(system, at, err);
    if (status)
        hs_system_release(system);
    return status;
}

enum hs_status hs_system_load(struct hs_system *system, const char *path, struct hs_error *err)
{
    struct hs_json_document document;
    struct hs_json top;
    enum hs_status status = hs_json_load(&document, path, err);

    memset(system, 0, sizeof(*system));
    if (status)
        return status;
    top = hs_json_top(&document);
    status = hs_system_read(system, &top, err);
    hs_json_release(&document);
    return status;
}

static cJSON *sources_to_json(const struct hs_level *level)
{
    struct hs_writer source = hs_writer_begin();

    hs_writer_text(&source, "arity", level->arity_source);
    hs_writer_text(&source, "fabric", level->fabric_source);
    hs_writer_text(&source, "latency", level->latency_source);
    hs_writer_text(&source, "bandwidth", level->bandwidth_source);
    return hs_writer_finish(&source);
}

static cJSON *level_to_json(const struct hs_level *level)
{
    struct hs_writer out = hs_writer_begin();

    hs_writer_text(&out, "name", level->name);
    hs_writer_item(&out, "arity",
                   level->arity > 0 ? cJSON_CreateNumber((double)level->arity)
                                    : cJSON_CreateNull());
    hs_writer_text(&out, "fabric", hs_fabric_names[level->fabric]);
    hs_writer_number(&out, "latency_us", hs_to_microseconds(level->latency_seconds));
    hs_writer_number(&out, "bandwidth_GBps", hs_to_gigabytes(level->bytes_per_second));
    hs_writer_number(&out, "ports", (double)level->ports);
    hs_writer_item(&out, "striped", cJSON_CreateBool(level->striped));
    if (level->arity_source || level->fabric_source || level->latency_source ||
        level->bandwidth_source)
        hs_writer_item(&out, "source", sources_to_json(level));
    return hs_writer_finish(&out);
}

static cJSON *levels_to_json(const struct hs_system *system)
{
    cJSON *levels = cJSON_CreateArray();

    for (size_t l = 0; levels && l < system->level_count; l++)
        levels = hs_array_append(levels, level_to_json(&system->levels[l]));
    return levels;
}

struct cJSON *hs_system_to_json(const struct hs_system *system)
{
    struct hs_writer out = hs_writer_begin();

    hs_writer_text(&out, "format", HS_SYSTEM_FORMAT);
    hs_writer_text(&out, "name", system->name);
    hs_writer_text(&out, "title", system->title);
    hs_writer_text(&out, "source", system->source);
    hs_writer_text(&out, "notes", system->notes);
    hs_writer_text(&out, "latency_kind", hs_latency_kind_names[system->latency_kind]);
    hs_writer_number(&out, "pipeline_granularity", system->pipeline_granularity);
    hs_writer_number(&out, "launch_us", hs_to_microseconds(system->launch_seconds));
    hs_writer_item(&out, "levels", levels_to_json(system));
    if (system->fits.count > 0)
        hs_writer_item(&out, "fits", hs_fits_to_json(&system->fits, system));
    return hs_writer_finish(&out);
}

enum hs_status hs_system_print(struct hs_text *out, const struct hs_system *system,
                               struct hs_error *err)
{
    return hs_json_print_owned(out, hs_system_to_json(system), err);
}
