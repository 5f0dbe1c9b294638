#include "cli/option_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer/systems.h"
#include "api/ask.h"
#include "detect/system_find.h"
#include "model/backends.h"
#include "show/sheet.h"
#include "system/datatype.h"

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

static enum hs_status parse_stages(void *field, const struct hs_option *option, const char *text,
                                   struct hs_error *err)
{
    (void)option;
    return hs_stage_list_parse(field, text, err);
}

const struct hs_option_type hs_option_stages = {.parse = parse_stages};
const struct hs_option_type hs_option_json = {.is_flag = true, .parse = parse_json};
const struct hs_option_type hs_option_percent = {.parse = parse_percent};

/* Read once and kept until the program ends. */
const char *const *hs_backend_words(void)
{
    return hs_backend_names;
}

const char *const *hs_buffers_words(void)
{
    return hs_buffers_names;
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

/* ---- the table of a command ------------------------------------------------------------------ */

size_t hs_command_question_at(const struct hs_command *command)
{
    return (command->settings_bytes + 15) / 16 * 16;
}

static bool is_same_group(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

struct hs_option *hs_command_rows(const struct hs_command *command)
{
    const struct hs_question_kind *kind;
    const struct hs_option none = {.name = NULL}, *asked = &none, *own = command->options;
    size_t asked_count = 0, own_count = own ? hs_option_count_rows(own) : 0, count = 0, bytes;
    struct hs_option *rows;
    bool placed[64] = {false};

    if (command->question && hs_question_kind_find(&kind, command->question, NULL) == HS_OK)
        asked = hs_question_rows(kind, &bytes);
    asked_count = hs_option_count_rows(asked);
    rows = calloc(asked_count + own_count + 1, sizeof(*rows));
    for (size_t i = 0; rows && i < asked_count; i++) {
        if (!command->argued || strcmp(asked[i].name, command->argued) != 0) {
            rows[count] = asked[i];
            rows[count++].offset += hs_command_question_at(command);
        }
        if (i + 1 < asked_count && is_same_group(asked[i].group, asked[i + 1].group))
            continue;
        for (size_t k = 0; k < own_count; k++)
            if (!placed[k] && is_same_group(own[k].group, asked[i].group)) {
                rows[count++] = own[k];
                placed[k] = true;
            }
    }
    for (size_t k = 0; rows && k < own_count; k++)
        if (!placed[k])
            rows[count++] = own[k];
    for (size_t i = 0; rows && i < count; i++) { /* --json is of the question, too */
        const struct hs_option *format;

        if (asked_count > 0 && rows[i].type == &hs_option_json &&
            hs_option_find(&format, rows, "format", NULL) == HS_OK)
            rows[i].offset = format->offset;
    }
    return rows;
}
