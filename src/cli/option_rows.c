#include "cli/option_rows.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/system_find.h"
#include "model/backends.h"
#include "model/datatype.h"
#include "view/sheet.h"

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

/* "2%" or "0.5 %". */
static enum hs_status parse_percent(void *field, const struct hs_option *option, const char *text,
                                    struct hs_error *err)
{
    char *end;
    double percent = strtod(text, &end);

    (void)option;
    while (*end == ' ')
        end++;
    if (end == text || strcmp(end, "%") != 0 || !(percent > 0) || !(percent < 100))
        return hs_fail(err, HS_INVALID,
                       "expected a percentage between 0%% and 100%%, found \"%.60s\"", text);
    *(double *)field = percent / 100;
    return HS_OK;
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

static enum hs_status parse_order(void *field, const struct hs_option *option, const char *text,
                                  struct hs_error *err)
{
    size_t index;
    enum hs_status status =
        hs_name_find(&index, text, "order", hs_order_names, HS_ORDER_COUNT, err);

    (void)option;
    *(enum hs_order *)field = (enum hs_order)index;
    return status;
}

enum hs_status hs_find_system(struct hs_system *system, const char *text,
                              const struct hs_context *context, struct hs_error *err)
{
    enum hs_status status = hs_system_find(system, text, err);

    if (status == HS_OK && hs_system_is_text(text) && system->notes)
        hs_note(context, "%s", system->notes);
    return status;
}

enum hs_status hs_order_check(enum hs_collective collective, enum hs_order order, bool runs,
                              struct hs_error *err)
{
    if (runs && hs_collective_check_runs(collective, err))
        return HS_INVALID;
    if (runs && order > HS_PERMUTED)
        return hs_fail(err, HS_INVALID,
                       "--order %s: predict has it alone; what runs is in-place or permuted",
                       hs_order_names[order]);
    if (order == HS_IN_PLACE || hs_collectives[collective].ordered)
        return HS_OK;
    return hs_fail(
        err, HS_INVALID,
        "--order %s: for --collective reduce-scatter or allgather; the blocks of a%s %s have one "
        "order alone",
        hs_order_names[order], hs_collectives[collective].prices_only ? "" : "n",
        hs_collectives[collective].written);
}

enum hs_status hs_mesh_take(struct hs_mesh *mesh, int64_t *np, const struct hs_mesh_words *words,
                            struct hs_error *err)
{
    *mesh = (struct hs_mesh){.count = 0};
    if (!words->mesh && !words->over)
        return HS_OK;
    if (!words->mesh || (!words->over && !words->placed))
        return hs_fail(err, HS_INVALID, "--%s: only together with --%s",
                       words->mesh ? "mesh" : "over", words->mesh ? "over" : "mesh");
    if (hs_mesh_parse(mesh, words->mesh, err))
        return hs_error_prefix(err, HS_INVALID, "--mesh");
    if (words->over && hs_mesh_parse_over(mesh, words->over, err))
        return hs_error_prefix(err, HS_INVALID, "--over");
    if (*np != 0 && *np != hs_mesh_ranks(mesh))
        return hs_fail(err, HS_INVALID, "--mesh: %s is %" PRId64 " processes, --np %" PRId64,
                       words->mesh, hs_mesh_ranks(mesh), *np);
    *np = hs_mesh_ranks(mesh);
    return HS_OK;
}

enum hs_status hs_sizes_check(const struct hs_range *sizes, enum hs_datatype datatype,
                              struct hs_error *err)
{
    size_t width = hs_datatype_bytes(datatype);

    for (uint64_t bytes = sizes->first; bytes; bytes = hs_range_next(sizes, bytes))
        if (bytes % width)
            return hs_fail(err, HS_INVALID,
                           "--size: expected a multiple of %zu, the bytes of a %s, found "
                           "%" PRIu64,
                           width, hs_datatype_names[datatype], bytes);
    return HS_OK;
}

static enum hs_status parse_json(void *field, const struct hs_option *option, const char *text,
                                 struct hs_error *err)
{
    (void)option;
    (void)text;
    (void)err;
    *(const char **)field = hs_format_names[HS_FORMAT_JSON];
    return HS_OK;
}

static enum hs_status parse_algorithms(void *field, const struct hs_option *option,
                                       const char *text, struct hs_error *err)
{
    (void)option;
    return hs_algorithms_parse(field, text, err);
}

static enum hs_status parse_stages(void *field, const struct hs_option *option, const char *text,
                                   struct hs_error *err)
{
    (void)option;
    return hs_stage_list_parse(field, text, err);
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
    static const char letters[] = "KMBT";
    char *end = NULL;
    double count = text[0] >= '0' && text[0] <= '9' ? strtod(text, &end) : NAN;
    const char *letter = end && *end ? strchr(letters, toupper((unsigned char)*end)) : NULL;

    (void)option;
    if (letter) {
        count *= pow(1000, (double)(letter - letters + 1));
        end++;
    }
    if (!end || *end || !(count >= 1 && count <= 1e15))
        return hs_fail(err, HS_INVALID,
                       "expected a number of parameters, such as 70e9 or 70B, found \"%.40s\"",
                       text);
    *(double *)field = round(count);
    return HS_OK;
}

const struct hs_option_type hs_option_bytes = {.parse = parse_bytes};
const struct hs_option_type hs_option_parameters = {.parse = parse_parameters};
const struct hs_option_type hs_option_stages = {.parse = parse_stages};
const struct hs_option_type hs_option_algorithms = {.parse = parse_algorithms};
const struct hs_option_type hs_option_json = {.is_flag = true, .parse = parse_json};
const struct hs_option_type hs_option_seconds = {.parse = parse_seconds};
const struct hs_option_type hs_option_percent = {.parse = parse_percent};
const struct hs_option_type hs_option_datatype = {.one_of_words = true, .parse = parse_datatype};
const struct hs_option_type hs_option_operation = {.one_of_words = true, .parse = parse_operation};

const struct hs_option_type hs_option_collective = {.one_of_words = true,
                                                    .parse = parse_collective};
const struct hs_option_type hs_option_order = {.one_of_words = true, .parse = parse_order};

const char *const *hs_format_words(void)
{
    return hs_format_names;
}

const char *const *hs_algorithm_words(void)
{
    static const char *words[HS_ALGORITHM_COUNT + 2] = {"all"};

    memcpy(words + 1, hs_algorithm_names, sizeof(hs_algorithm_names));
    return words;
}

const char *const *hs_color_words(void)
{
    return hs_color_names;
}

/* Read once and kept until the program ends. */
const char *const *hs_system_words(void)
{
    static const char *const none[] = {NULL};
    static const char **names;
    static struct hs_system_list list;

    if (!names && hs_system_list_read(&list, NULL) == HS_OK)
        names = calloc(list.count + 1, sizeof(*names));
    for (size_t i = 0; names && i < list.count; i++)
        names[i] = list.entries[i].name;
    return names ? names : none;
}

const char *const *hs_backend_words(void)
{
    return hs_backend_names;
}

const char *const *hs_buffers_words(void)
{
    return hs_buffers_names;
}

const char *const *hs_datatype_words(void)
{
    static const char *words[HS_DATATYPE_COUNT + 1];

    memcpy(words, hs_datatype_names, sizeof(hs_datatype_names[0]) * HS_DATATYPE_COUNT);
    return words;
}

const char *const *hs_collective_words(void)
{
    static const char *words[HS_COLLECTIVE_COUNT + 1];

    memcpy(words, hs_collective_names, sizeof(hs_collective_names[0]) * HS_COLLECTIVE_COUNT);
    return words;
}

const char *const *hs_order_words(void)
{
    static const char *words[HS_ORDER_COUNT + 1];

    memcpy(words, hs_order_names, sizeof(hs_order_names[0]) * HS_ORDER_COUNT);
    return words;
}

const char *const *hs_operation_words(void)
{
    static const char *words[HS_OPERATION_COUNT + 1];

    memcpy(words, hs_operation_names, sizeof(hs_operation_names[0]) * HS_OPERATION_COUNT);
    return words;
}

enum hs_status hs_journal_options_check(const char *journal, const char *output, bool resume,
                                        bool retry, struct hs_error *err)
{
    if (retry && !resume)
        return hs_fail(err, HS_INVALID, "--retry is for --resume");
    if (journal && strcmp(journal, "-") == 0)
        return hs_fail(err, HS_INVALID, "--journal: expected a file, found \"-\"");
    if (resume && !journal && (!output || strcmp(output, "-") == 0))
        return hs_fail(err, HS_INVALID,
                       "--resume needs the journal of the run before: give the same "
                       "-o FILE, or --journal FILE");
    return HS_OK;
}
