#include "show/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int width_of(int fd, bool is_terminal)
{
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    struct winsize size;

    if (width <= 0 && is_terminal && ioctl(fd, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width <= 0)
        return HS_TERMINAL_WIDTH;
    if (width < HS_TERMINAL_WIDTH_MIN)
        return HS_TERMINAL_WIDTH_MIN;
    return (int)(width > HS_TERMINAL_WIDTH_MAX ? HS_TERMINAL_WIDTH_MAX : width);
}

struct hs_terminal hs_terminal_look(int fd)
{
    const char *no_color = getenv("NO_COLOR"), *kind = getenv("TERM");
    struct hs_terminal terminal = {.is_terminal = isatty(fd) == 1};

    terminal.width = width_of(fd, terminal.is_terminal);
    terminal.blocks = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    terminal.color =
        terminal.is_terminal && !(no_color && no_color[0]) && kind && strcmp(kind, "dumb") != 0;
    return terminal;
}

const char *hs_style_on(const struct hs_terminal *terminal, enum hs_style style, int layer)
{
    static const char *const layers[] = {"\033[34m", "\033[33m", "\033[36m",
                                         "\033[35m", "\033[32m", "\033[31m"};

    if (!terminal->color)
        return "";
    switch (style) {
    case HS_STYLE_BOLD:
        return "\033[1m";
    case HS_STYLE_DIM:
        return "\033[2m";
    case HS_STYLE_LAYER:
        break;
    }
    return layers[(size_t)layer % (sizeof(layers) / sizeof(layers[0]))];
}

const char *hs_style_off(const struct hs_terminal *terminal)
{
    return terminal->color ? "\033[0m" : "";
}

size_t hs_text_columns(const char *text)
{
    size_t columns = 0;

    for (; *text; text++) {
        if (*text == '\033') {
            while (*text && *text != 'm')
                text++;
            if (!*text)
                break;
        } else if (((unsigned char)*text & 0xC0) != 0x80) {
            columns++;
        }
    }
    return columns;
}
