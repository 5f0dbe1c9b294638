/*
 * The one-line form of a system, parsed and written. The grammar is in system.h.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "system/link_rates.h"
#include "system/system_parts.h"

#define TEXT_MAX 1024 /* longest line accepted */

/* A piece of the line: [start, end) without the separator behind it. */
struct piece {
    char text[TEXT_MAX];
};

/* Copies everything up to the first character of `stops` into *piece and returns what follows: the
 * stop, or the end of the text. */
static const char *take(struct piece *piece, const char *text, const char *stops)
{
    size_t length = strcspn(text, stops);

    memcpy(piece->text, text, length);
    piece->text[length] = '\0';
    return text + length;
}

static enum hs_status parse_name(struct hs_level *level, const char *text, struct hs_error *err)
{
    size_t length = strspn(text, HS_LEVEL_LETTERS);

    if (length == 0 || text[length] != '\0')
        return hs_fail(err, HS_INVALID,
                       "expected a level's name of a-z, 0-9, '_' and '-', found \"%.40s\"", text);
    if (length >= sizeof(level->name))
        return hs_fail(err, HS_INVALID, "level name \"%.40s...\" is longer than %zu characters",
                       text, sizeof(level->name) - 1);
    memcpy(level->name, text, length + 1);
    return HS_OK;
}

/* [":mesh" | ":switch"] [":" ARITY]; returns what follows through *rest. */
static enum hs_status parse_shape(struct hs_level *level, const char **rest, struct hs_error *err)
{
    struct piece piece;
    bool fabric_seen = false;

    while (**rest == ':') {
        *rest = take(&piece, *rest + 1, ":@~/,;");
        if (!fabric_seen && strcmp(piece.text, "mesh") == 0) {
            level->fabric = HS_FABRIC_MESH;
        } else if (!fabric_seen && strcmp(piece.text, "switch") == 0) {
            level->fabric = HS_FABRIC_SWITCH;
        } else {
            if (level->arity != 0)
                return hs_fail(err, HS_INVALID, "the arity is given twice");
            if (hs_count_parse(&level->arity, piece.text, "arity", 1, HS_NP_MAX, err))
                return HS_INVALID;
        }
        fabric_seen = true;
    }
    return HS_OK;
}

/* "/" PORTS "p" ["!"] */
static enum hs_status parse_ports(struct hs_level *level, const char **rest, struct hs_error *err)
{
    struct piece piece;
    size_t length;

    if (**rest != '/')
        return HS_OK;
    *rest = take(&piece, *rest + 1, ",;");
    length = strlen(piece.text);
    if (length > 0 && piece.text[length - 1] == '!') {
        level->striped = false;
        piece.text[--length] = '\0';
    }
    if (length < 2 || piece.text[length - 1] != 'p')
        return hs_fail(err, HS_INVALID, "expected ports such as 2p or 2p!, found \"%.40s\"",
                       piece.text);
    piece.text[length - 1] = '\0';
    return hs_count_parse(&level->ports, piece.text, "number of ports", 1, HS_PORTS_MAX, err);
}

/* The end of a bandwidth: its unit has a '/' of its own ("GB/s"), so the ports are what follows
 * "/s". */
static const char *take_bandwidth(struct piece *piece, const char *text)
{
    const char *end = text + strcspn(text, "|~,;/");
    size_t length;

    if (end[0] == '/' && end[1] == 's')
        end += 2;
    length = (size_t)(end - text);
    memcpy(piece->text, text, length);
    piece->text[length] = '\0';
    return end;
}

static enum hs_status check_seconds(double seconds, const char *what, struct hs_error *err)
{
    if (seconds <= HS_LATENCY_MAX)
        return HS_OK;
    return hs_fail(err, HS_INVALID, "%s: expected at most %g s, found %g s", what, HS_LATENCY_MAX,
                   seconds);
}

static enum hs_status check_figures(const struct hs_level *level, struct hs_error *err)
{
    char what[HS_SYSTEM_NAME + 32];

    if (!(level->bytes_per_second >= HS_BANDWIDTH_MIN &&
          level->bytes_per_second <= HS_BANDWIDTH_MAX))
        return hs_fail(err, HS_INVALID,
                       "bandwidth of level %s: expected %g to %g B/s, found %g B/s", level->name,
                       HS_BANDWIDTH_MIN, HS_BANDWIDTH_MAX, level->bytes_per_second);
    snprintf(what, sizeof(what), "latency of level %s", level->name);
    return isnan(level->latency_seconds) ? HS_OK : check_seconds(level->latency_seconds, what, err);
}

/* ---- latencies that are not given ---- */

/* By NCCL's own model. */
static const struct kind {
    const char *name;
    double latency_seconds;
    const char *link;
} kinds[] = {
#define NVLINK HS_NCCL_NVLINK_STEP_SECONDS, "NVLink"
#define PCI    HS_NCCL_PCIE_STEP_SECONDS, "PCI"
#define NET    HS_NCCL_NETWORK_STEP_SECONDS, "a network"
    {"nvlink", NVLINK}, {"nvswitch", NVLINK}, {"nvl", NVLINK},     {"xgmi", NVLINK}, {"pcie", PCI},
    {"pci", PCI},       {"ib", NET},          {"infiniband", NET}, {"roce", NET},    {"eth", NET},
    {"ethernet", NET},  {"efa", NET},         {"slingshot", NET},  {"opa", NET},     {"net", NET},
    {"network", NET},   {"rail", NET},        {"leaf", NET},       {"spine", NET},
};

/* "ib", "ib2", "ib-rail": the name begins with the kind's, and no letter follows. */
static const struct kind *kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t length = strlen(kinds[i].name);

        if (strncmp(name, kinds[i].name, length) == 0 && !isalpha((unsigned char)name[length]))
            return &kinds[i];
    }
    return NULL;
}

static void note_latency(struct hs_text *notes, const struct hs_level *level,
                         const struct kind *kind)
{
    hs_text_append(notes, "%s%s (", notes->length ? ", " : "no latency (~) is given for ",
                   level->name);
    if (kind)
        hs_text_append(notes, "%g us, a step over %s)", kind->latency_seconds * 1e6, kind->link);
    else
        hs_text_append(notes, "0: short messages will look faster than they are)");
}

/* In place of those that are not given. */
static enum hs_status fill_latencies(struct hs_system *system, struct hs_error *err)
{
    struct hs_text notes = {0};
    bool given = false;

    for (struct hs_level *level = system->levels, *end = level + system->level_count; level < end;
         level++) {
        const struct kind *kind = kind_of(level->name);

        if (!isnan(level->latency_seconds)) {
            given = true;
        } else if (given) {
            level->latency_seconds = level[-1].latency_seconds;
        } else {
            level->latency_seconds = kind ? kind->latency_seconds : 0;
            note_latency(&notes, level, kind);
        }
    }
    if (notes.failed)
        return hs_no_memory(err);
    system->notes = notes.data;
    return HS_OK;
}

static enum hs_status parse_latency(struct hs_level *level, const char **rest, struct hs_error *err)
{
    struct piece piece;

    *rest = take(&piece, *rest + 1, "/,;");
    return hs_seconds_parse(&level->latency_seconds, piece.text, err);
}

static enum hs_status parse_level(struct hs_level *level, const char **rest, struct hs_error *err)
{
    struct piece piece;

    level->striped = true;
    level->ports = 1;
    level->latency_seconds = NAN; /* not given */
    *rest = take(&piece, *rest, ":@~/,;");
    if (parse_name(level, piece.text, err) || parse_shape(level, rest, err))
        return HS_INVALID;
    if (**rest != '@')
        return hs_fail(err, HS_INVALID,
                       "expected '@' and a bandwidth such as @18.6GB/s, found %s%.20s",
                       **rest ? "" : "nothing", *rest);
    *rest = take_bandwidth(&piece, *rest + 1);
    if (hs_bandwidth_parse(&level->bytes_per_second, piece.text, err))
        return HS_INVALID;
    if (**rest == '|') {
        *rest = take_bandwidth(&piece, *rest + 1);
        if (hs_bandwidth_parse(&level->shared_bytes_per_second, piece.text, err))
            return HS_INVALID;
    }
    if (**rest == '~' && parse_latency(level, rest, err))
        return HS_INVALID;
    return check_figures(level, err) ? HS_INVALID : parse_ports(level, rest, err);
}

static enum hs_status check_levels(const struct hs_system *system, struct hs_error *err)
{
    int64_t ranks = 1;

    for (size_t l = 0; l < system->level_count; l++) {
        const struct hs_level *level = &system->levels[l];

        for (size_t k = 0; k < l; k++)
            if (strcmp(level->name, system->levels[k].name) == 0)
                return hs_fail(err, HS_INVALID, "two levels are called \"%s\"", level->name);
        if (level->arity == 0 && l + 1 < system->level_count)
            return hs_fail(err, HS_INVALID, "level \"%s\": only the last level may lack an arity",
                           level->name);
        if (level->arity > 0 && ranks > INT64_MAX / 2 / level->arity)
            return hs_fail(err, HS_INVALID, "the arities multiply to more than 2^62 ranks");
        ranks *= level->arity ? level->arity : 1;
    }
    return HS_OK;
}

#define NO_NCCL "library=nccl: expected a line of GPUs, such as \"8xH100, 8xNDR400\""

/* ";library=mpich"; of GPUs ";library=nccl-2.27.7" */
static enum hs_status parse_library(struct hs_system *system, const char *text,
                                    struct hs_error *err)
{
    size_t library;

    if (strncmp(text, "nccl-", 5) == 0) {
        system->nccl.version = hs_nccl_version_parse(text + 5);
        if (system->nccl.version == 0)
            return hs_fail(err, HS_INVALID,
                           "expected library=nccl-VERSION, such as nccl-2.27.7, "
                           "found \"library=%.40s\"",
                           text);
        free(system->library_version);
        system->library_version = strdup(text + 5);
        system->library = HS_LIBRARY_NCCL;
        return system->library_version ? HS_OK : hs_no_memory(err);
    }
    if (hs_name_find(&library, text, "library", hs_library_names, HS_LIBRARY_COUNT - 1, err))
        return HS_INVALID;
    system->library = (enum hs_library)(library + HS_LIBRARY_NCCL);
    return HS_OK;
}

/* ";s=2", ";launch=10us" or ";library=mpich" */
static enum hs_status parse_setting(struct hs_system *system, const char *text,
                                    struct hs_error *err)
{
    if (strncmp(text, "s=", 2) == 0) {
        char *end;

        system->pipeline_granularity = isdigit((unsigned char)text[2]) ? strtod(text + 2, &end) : 0;
        if (!(system->pipeline_granularity >= 1 && system->pipeline_granularity <= 1e6) || *end)
            return hs_fail(err, HS_INVALID,
                           "expected s=NUMBER with a number from 1 to 1e6, found "
                           "\"%.40s\"",
                           text);
        return HS_OK;
    }
    if (strncmp(text, "launch=", 7) == 0)
        return hs_seconds_parse(&system->launch_seconds, text + 7, err)
                   ? HS_INVALID
                   : check_seconds(system->launch_seconds, "launch", err);
    if (strncmp(text, "gap=", 4) == 0)
        return hs_seconds_parse(&system->gap_seconds, text + 4, err)
                   ? HS_INVALID
                   : check_seconds(system->gap_seconds, "gap", err);
    if (strncmp(text, "copy=", 5) == 0)
        return hs_bandwidth_parse(&system->copy_bytes_per_second, text + 5, err);
    if (strncmp(text, "executor=", 9) == 0) {
        size_t index = 0;
        enum hs_status status = hs_name_find(&index, text + 9, "executor", hs_executed_by_names,
                                             HS_EXECUTED_BY_COUNT, err);

        system->executor = (enum hs_executed_by)index;
        return status;
    }
    if (strncmp(text, "library=", 8) == 0)
        return parse_library(system, text + 8, err);
    return hs_fail(
        err, HS_INVALID,
        "expected s=NUMBER, launch=TIME, gap=TIME, copy=BANDWIDTH, executor=NAME or library=NAME "
        "behind ';', found "
        "\"%.40s\"",
        text);
}

static enum hs_status parse_settings(struct hs_system *system, const char **rest,
                                     struct hs_error *err)
{
    struct piece piece;

    while (**rest == ';') {
        *rest = take(&piece, *rest + 1 + strspn(*rest + 1, " "), ";");
        if (parse_setting(system, piece.text, err))
            return HS_INVALID;
    }
    return HS_OK;
}

/* PARTS-LINE {";" ...} */
static enum hs_status parse_parts(struct hs_system *system, const char *text, struct hs_error *err)
{
    struct piece parts;
    const char *rest = take(&parts, text, ";");
    bool set = *rest == ';', nccl;

    if (parse_settings(system, &rest, err))
        return HS_INVALID;
    nccl = system->library == HS_LIBRARY_NCCL;
    for (size_t end = strlen(parts.text); end > 0 && parts.text[end - 1] == ' ';)
        parts.text[--end] = '\0';
    if (hs_system_of_parts(system, parts.text, err))
        return HS_INVALID;
    if (system->nccl.parts.gpu.link == HS_LINK_MEMORY)
        return nccl ? hs_fail(err, HS_INVALID, NO_NCCL) : HS_OK;
    if (set && !(nccl && system->parts && strchr(text, ';') == strrchr(text, ';')))
        return hs_fail(err, HS_INVALID,
                       "expected nothing but \"; library=nccl-VERSION\" behind a line of GPUs, "
                       "found \"%.40s\": other settings are of processors, as in \"96xMilan, "
                       "1xHDR100; library=openmpi\"",
                       strchr(text, ';'));
    return HS_OK;
}

static enum hs_status parse_line(struct hs_system *system, const char *text, struct hs_error *err)
{
    const char *rest = text;

    do {
        struct hs_level *level = &system->levels[system->level_count];

        if (system->level_count == HS_LEVELS_MAX)
            return hs_fail(err, HS_INVALID, "more than %d levels", HS_LEVELS_MAX);
        if (rest != text)
            rest++;
        if (parse_level(level, &rest, err))
            return HS_INVALID;
        system->level_count++;
    } while (*rest == ',');
    if (parse_settings(system, &rest, err))
        return HS_INVALID;
    if (system->library == HS_LIBRARY_NCCL)
        return hs_fail(err, HS_INVALID, NO_NCCL);
    if (*rest)
        return hs_fail(err, HS_INVALID, "expected ',' or ';' between levels, found \"%.40s\"",
                       rest);
    return check_levels(system, err) ? HS_INVALID : fill_latencies(system, err);
}

bool hs_system_is_text(const char *text)
{
    size_t length = strlen(text);

    return strchr(text, '@') != NULL || (hs_parts_begin(text) && !strchr(text, '/') &&
                                         (length < 5 || strcmp(text + length - 5, ".json") != 0));
}

enum hs_status hs_system_parse(struct hs_system *system, const char *text, struct hs_error *err)
{
    char prefix[96];
    enum hs_status status;

    memset(system, 0, sizeof(*system));
    if (strlen(text) >= TEXT_MAX)
        return hs_fail(err, HS_INVALID, "system \"%.40s...\": longer than %d characters", text,
                       TEXT_MAX - 1);
    memcpy(system->name, HS_SYSTEM_OF_TEXT, sizeof(HS_SYSTEM_OF_TEXT));
    system->pipeline_granularity = 1;
    status = hs_parts_begin(text) ? parse_parts(system, text, err) : parse_line(system, text, err);
    if (status == HS_OK)
        return HS_OK;
    hs_system_release(system);
    if (status != HS_INVALID)
        return status;
    snprintf(prefix, sizeof(prefix), "system \"%.60s%s\"", text, strlen(text) > 60 ? "..." : "");
    return hs_error_prefix(err, HS_INVALID, prefix);
}

/* Appends the shortest number in `unit` that the parser reads back as exactly this value, if there
 * is one: as plain decimals ("100GB/s") where that works, else with an exponent. */
static bool append_exact(struct hs_text *out, double value, double unit_value, const char *unit,
                         enum hs_status (*parse)(double *, const char *, struct hs_error *))
{
    double number = value / unit_value, back;
    bool plain = number == 0 || (number >= 1e-3 && number < 1e15);
    char text[64];

    for (int digits = plain ? 0 : 18; digits < 36; digits++) {
        if (digits < 18)
            snprintf(text, sizeof(text), "%.*f%s", digits, number, unit);
        else
            snprintf(text, sizeof(text), "%.*g%s", digits - 17, number, unit);
        if (parse(&back, text, NULL) == HS_OK && back == value) {
            hs_text_append(out, "%s", text);
            return true;
        }
    }
    return false;
}

static void append_bandwidth(struct hs_text *out, double bytes_per_second)
{
    if (!append_exact(out, bytes_per_second, 1e9, "GB/s", hs_bandwidth_parse))
        append_exact(out, bytes_per_second, 1, "B/s", hs_bandwidth_parse);
}

static void append_seconds(struct hs_text *out, double seconds)
{
    if (!append_exact(out, seconds, 1e-6, "us", hs_seconds_parse))
        append_exact(out, seconds, 1, "s", hs_seconds_parse);
}

static void format_level(struct hs_text *out, const struct hs_level *level)
{
    hs_text_append(out, "%s", level->name);
    if (level->fabric == HS_FABRIC_MESH)
        hs_text_append(out, ":mesh");
    if (level->arity > 0)
        hs_text_append(out, ":%" PRId64, level->arity);
    hs_text_append(out, "@");
    append_bandwidth(out, level->bytes_per_second);
    if (level->shared_bytes_per_second > 0) {
        hs_text_append(out, "|");
        append_bandwidth(out, level->shared_bytes_per_second);
    }
    hs_text_append(out, "~");
    append_seconds(out, level->latency_seconds);
    if (level->ports > 1 || !level->striped)
        hs_text_append(out, "/%" PRId64 "p%s", level->ports, level->striped ? "" : "!");
}

void hs_system_format(struct hs_text *out, const struct hs_system *system)
{
    for (size_t l = 0; l < system->level_count; l++) {
        if (l > 0)
            hs_text_append(out, ",");
        format_level(out, &system->levels[l]);
    }
    hs_text_append(out, ";s=%.17g", system->pipeline_granularity);
    if (system->launch_seconds > 0) {
        hs_text_append(out, ";launch=");
        append_seconds(out, system->launch_seconds);
    }
    if (system->gap_seconds > 0) {
        hs_text_append(out, ";gap=");
        append_seconds(out, system->gap_seconds);
    }
    if (system->copy_bytes_per_second > 0) {
        hs_text_append(out, ";copy=");
        append_bandwidth(out, system->copy_bytes_per_second);
    }
    if (system->executor != HS_BY_LIBRARY)
        hs_text_append(out, ";executor=%s", hs_executed_by_names[system->executor]);
    if (system->library > HS_LIBRARY_NCCL)
        hs_text_append(out, ";library=%s", hs_library_names[system->library - HS_LIBRARY_NCCL]);
}
