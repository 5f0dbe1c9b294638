#include "cli/command.h"

#include <string.h>

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

void hs_notes_pass_on(const struct hs_context *context, struct hs_text *notes)
{
    struct hs_lines lines = {.next = notes->data};

    while (!context->quiet && hs_lines_next(&lines))
        hs_text_append(context->notes, "hiersearch %s: %.*s\n", context->command->name,
                       (int)lines.length, lines.line);
    hs_text_release(notes);
}
