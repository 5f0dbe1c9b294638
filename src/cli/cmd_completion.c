#include <string.h>

#include "cli/commands.h"

struct completion_settings {
    const char *shell;
};

/* The scripts as they are kept, which is how `make install` installs them. */
static const char bash[] =
#include "cli/completion/bash.inc"
    ;
static const char fish[] =
#include "cli/completion/fish.inc"
    ;
static const char zsh[] =
#include "cli/completion/zsh.inc"
    ;

static const char *const scripts[] = {bash, fish, zsh};

static const char *const *shell_names(void)
{
    static const char *const names[] = {"bash", "fish", "zsh", NULL};

    return names;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct completion_settings *settings = of_rows;
    const char *const *names = shell_names();

    for (size_t i = 0; names[i]; i++) {
        if (strcmp(names[i], settings->shell) == 0) {
            hs_text_append(context->out, "%s", scripts[i]);
            return HS_OK;
        }
    }
    return hs_fail(err, HS_INVALID, "unknown shell \"%.60s\", expected one of: bash, fish, zsh",
                   settings->shell);
}
static const struct hs_argument arguments[] = {
    {.name = "SHELL",
     .help = "bash, fish or zsh",
     .required = true,
     .words = shell_names,
     .offset = offsetof(struct completion_settings, shell)},
    {.name = NULL},
};

const struct hs_command hs_command_completion = {
    .name = "completion",
    .aside = true,
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
