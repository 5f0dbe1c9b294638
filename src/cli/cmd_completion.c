#include <string.h>

#include "cli/commands.h"
#include "console/completion.h"
#include "console/describe.h"

#define NAMES_MAX 15

struct completion_settings {
    const char *shell;
};

static const char *const *shell_names(void)
{
    static const char *names[NAMES_MAX + 1];
    size_t count = 0;

    for (; count < NAMES_MAX && hs_shells[count]; count++)
        names[count] = hs_shells[count]->name;
    names[count] = NULL;
    return names;
}

static enum hs_status append_script(struct hs_text *out, const struct hs_shell *shell,
                                    struct hs_error *err)
{
    enum hs_status status = HS_OK;

    shell->begin(out);
    for (const struct hs_command *const *c = hs_commands; *c && status == HS_OK; c++)
        status = hs_describe(out, *c, shell->name, err);
    shell->end(out, hs_commands);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct completion_settings *settings = of_rows;
    struct hs_text list = {0};

    for (const struct hs_shell *const *shell = hs_shells; *shell; shell++) {
        if (strcmp((*shell)->name, settings->shell) == 0) {
            hs_text_release(&list);
            return append_script(context->out, *shell, err);
        }
        hs_text_append(&list, "%s%s", list.length ? ", " : "", (*shell)->name);
    }
    hs_error_set(err, HS_INVALID, "unknown shell \"%.60s\", expected one of: %s", settings->shell,
                 list.data ? list.data : "");
    hs_text_release(&list);
    return HS_INVALID;
}

static const struct hs_argument arguments[] = {
    {.name = "SHELL",
     .help = "bash, fish or zsh",
     .required = true,
     .completion = HS_COMPLETE_WORDS,
     .words = shell_names,
     .offset = offsetof(struct completion_settings, shell)},
    {.name = NULL},
};

const struct hs_command hs_command_completion = {
    .name = "completion",
    .summary = "a shell's completion script",
    .description =
        "Prints a script that completes commands, options, files, system names and all words that "
        "an option takes. `make install` and the Debian package put the scripts where the shells "
        "look for them; these are the places for one user.\n"
        "bash: in this session `source <(hiersearch completion bash)`, for all write it to "
        "~/.local/share/bash-completion/completions/hiersearch\n"
        "fish: in this session `hiersearch completion fish | source`, for all write it to "
        "~/.config/fish/completions/hiersearch.fish\n"
        "zsh: in this session `source <(hiersearch completion zsh)`, for all write it to a file "
        "_hiersearch in a folder of $fpath",
    .examples = "  hiersearch completion zsh > ~/.zfunc/_hiersearch",
    .arguments = arguments,
    .settings_bytes = sizeof(struct completion_settings),
    .run = run,
};
