#include "answer/rows.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/search.h"

static enum hs_status parse_seconds(void *field, const struct hs_option *option, const char *text,
                                    struct hs_error *err)
{
    double seconds;
    enum hs_status status = hs_seconds_parse(&seconds, text, err);

    (void)option;
    if (status == HS_OK && !(seconds > 0))
        status = hs_fail(err, HS_INVALID, "expected a time above 0, found \"%.60s\"", text);
    if (status == HS_OK)
        *(double *)field = seconds;
    return status;
}

static enum hs_status parse_bytes(void *field, const struct hs_option *option, const char *text,
                                  struct hs_error *err)
{
    (void)option;
    return hs_bytes_parse(field, text, err);
}

/* As people write them of models. */
static enum hs_status parse_parameters(void *field, const struct hs_option *option,
                                       const char *text, struct hs_error *err)
{
    (void)option;
    return hs_parameters_parse(field, text, err);
}

static enum hs_status parse_datatype(void *field, const struct hs_option *option, const char *text,
                                     struct hs_error *err)
{
    (void)option;
    return hs_datatype_parse(field, text, err);
}

static enum hs_status parse_operation(void *field, const struct hs_option *option, const char *text,
                                      struct hs_error *err)
{
    (void)option;
    return hs_operation_parse(field, text, err);
}

static enum hs_status parse_collective(void *field, const struct hs_option *option,
                                       const char *text, struct hs_error *err)
{
    (void)option;
    return hs_collective_parse(field, text, err);
}

static enum hs_status parse_layout(void *field, const struct hs_option *option, const char *text,
                                   struct hs_error *err)
{
    size_t index;
    enum hs_status status =
        hs_name_find(&index, text, "layout", hs_layout_names, HS_LAYOUT_COUNT, err);

    (void)option;
    *(enum hs_layout *)field = (enum hs_layout)index;
    return status;
}

static enum hs_status parse_algorithms(void *field, const struct hs_option *option,
                                       const char *text, struct hs_error *err)
{
    (void)option;
    return hs_algorithms_parse(field, text, err);
}

const struct hs_option_type hs_option_seconds = {.parse = parse_seconds};
const struct hs_option_type hs_option_bytes = {.parse = parse_bytes};
const struct hs_option_type hs_option_parameters = {.parse = parse_parameters};
const struct hs_option_type hs_option_datatype = {.one_of_words = true, .parse = parse_datatype};
const struct hs_option_type hs_option_operation = {.one_of_words = true, .parse = parse_operation};
const struct hs_option_type hs_option_collective = {.one_of_words = true,
                                                    .parse = parse_collective};
const struct hs_option_type hs_option_layout = {.one_of_words = true, .parse = parse_layout};
const struct hs_option_type hs_option_algorithms = {.parse = parse_algorithms};

const char *const *hs_datatype_words(void)
{
    static _Thread_local const char *words[HS_DATATYPE_PRICED_COUNT + 1];

    memcpy(words, hs_datatype_names, sizeof(hs_datatype_names));
    return words;
}

const char *const *hs_measured_datatype_words(void)
{
    static _Thread_local const char *words[HS_DATATYPE_COUNT + 1];

    memcpy(words, hs_datatype_names, HS_DATATYPE_COUNT * sizeof(*words));
    return words;
}

const char *const *hs_operation_words(void)
{
    static _Thread_local const char *words[HS_OPERATION_COUNT + 1];

    memcpy(words, hs_operation_names, sizeof(hs_operation_names));
    return words;
}

const char *const *hs_collective_words(void)
{
    static _Thread_local const char *words[HS_COLLECTIVE_COUNT + 1];

    memcpy(words, hs_collective_names, sizeof(hs_collective_names));
    return words;
}

const char *const *hs_layout_words(void)
{
    static _Thread_local const char *words[HS_LAYOUT_COUNT + 1];

    memcpy(words, hs_layout_names, sizeof(hs_layout_names));
    return words;
}

const char *const *hs_strategy_words(void)
{
    return hs_search_strategy_names;
}

const char *const *hs_algorithm_words(void)
{
    static _Thread_local const char *words[HS_ALGORITHM_COUNT + 2] = {"all"};

    memcpy(words + 1, hs_algorithm_names, sizeof(hs_algorithm_names));
    return words;
}

const char *const *hs_format_words(void)
{
    return hs_format_names;
}

const char *const *hs_color_words(void)
{
    return hs_color_names;
}

enum hs_status hs_layout_check(enum hs_collective collective, enum hs_layout layout,
                               struct hs_error *err)
{
    if (layout == HS_NATURAL || hs_collectives[collective].ordered)
        return HS_OK;
    return hs_fail(
        err, HS_INVALID,
        "--layout %s: for --collective reduce-scatter or allgather; the blocks of an %s have one "
        "order alone",
        hs_layout_names[layout], hs_collectives[collective].written);
}

enum hs_status hs_mesh_take(struct hs_mesh *mesh, int64_t *np, const struct hs_mesh_words *words,
                            struct hs_error *err)
{
    *mesh = (struct hs_mesh){.count = 0};
    if (!words->mesh && !words->group)
        return HS_OK;
    if (!words->mesh || (!words->group && !words->placed))
        return hs_fail(err, HS_INVALID, "--%s: only together with --%s",
                       words->mesh ? "mesh" : "group",
                       words->mesh ? "group, the axes that a group spans" : "mesh");
    if (hs_mesh_parse(mesh, words->mesh, err))
        return hs_error_prefix(err, HS_INVALID, "--mesh");
    if (words->group && hs_mesh_parse_over(mesh, words->group, err))
        return hs_error_prefix(err, HS_INVALID, "--group");
    if (*np != 0 && *np != hs_mesh_ranks(mesh))
        return hs_fail(err, HS_INVALID, "--mesh: %s is %" PRId64 " processes, --np %" PRId64,
                       words->mesh, hs_mesh_ranks(mesh), *np);
    *np = hs_mesh_ranks(mesh);
    return HS_OK;
}
