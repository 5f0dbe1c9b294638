#include "console/completion.h"

#include <string.h>

const struct hs_shell *const hs_shells[] = {&hs_shell_bash, &hs_shell_fish, &hs_shell_zsh, NULL};

void hs_completion_words(struct hs_text *out, const char *const *(*words)(void))
{
    const char *const *list = words ? words() : NULL;

    for (size_t i = 0; list && list[i]; i++)
        hs_text_append(out, "%s%s", i ? " " : "", list[i]);
}

/* Where the first sentence ends, or its first part. */
static size_t short_length(const char *help)
{
    size_t length = 0;

    while (help[length] && help[length] != ';' && help[length] != '\n' &&
           !(help[length] == '.' && help[length + 1] == ' '))
        length++;
    return length;
}

void hs_completion_say(struct hs_text *out, const char *help, const char *escape,
                       const char *before)
{
    size_t length = short_length(help);

    for (size_t i = 0; i < length; i++)
        hs_text_append(out, "%s%c", strchr(escape, help[i]) ? before : "", help[i]);
}
