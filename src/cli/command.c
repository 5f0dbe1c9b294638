#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "api/ask.h"
#include "cli/option_rows.h"

#define COMMANDS_MAX 32

enum hs_status hs_command_find(const struct hs_command **command,
                               const struct hs_command *const *commands, const char *name,
                               struct hs_error *err)
{
    const char *names[COMMANDS_MAX], *nearest;
    size_t count = 0;

    for (; commands[count] && count < COMMANDS_MAX; count++) {
        names[count] = commands[count]->name;
        if (strcmp(names[count], name) == 0) {
            *command = commands[count];
            return HS_OK;
        }
    }
    nearest = hs_nearest_name(name, names, count);
    if (nearest)
        return hs_fail(err, HS_INVALID, "unknown command \"%.60s\", did you mean \"%s\"?", name,
                       nearest);
    return hs_fail(err, HS_INVALID,
                   "unknown command \"%.60s\"; `hiersearch --help` lists those there are", name);
}

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

void hs_notes_pass_on(const struct hs_context *context, struct hs_text *notes)
{
    struct hs_lines lines = {.next = notes->data};

    while (!context->quiet && hs_lines_next(&lines))
        hs_text_append(context->notes, "hiersearch %s: %.*s\n", context->command->name,
                       (int)lines.length, lines.line);
    hs_text_release(notes);
}
