#include "cli/progress_line.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "show/terminal.h"

#define BAR_CELLS      20
#define REDRAW_SECONDS 0.2
#define REPEAT_SECONDS 10.0
#define FIRST_SECONDS  1.0

void hs_progress_line_init(struct hs_progress_line *line, bool quiet)
{
    struct hs_terminal terminal = hs_terminal_look(STDERR_FILENO);
    double now = hs_clock_seconds();

    *line = (struct hs_progress_line){.quiet = quiet,
                                      .is_terminal = terminal.is_terminal,
                                      .left_is = "about",
                                      .width = terminal.width,
                                      .began_at = now,
                                      .drawn_at = now};
}

bool hs_progress_line_is_due(const struct hs_progress_line *line)
{
    double interval = !line->is_terminal                 ? REPEAT_SECONDS
                      : line->drawn_at == line->began_at ? FIRST_SECONDS
                                                         : REDRAW_SECONDS;

    return !line->quiet && hs_clock_seconds() - line->drawn_at >= interval;
}

double hs_progress_line_elapsed(const struct hs_progress_line *line)
{
    return hs_clock_seconds() - line->began_at;
}

/* "[#####-----] ", where that leaves room for the text. */
static void append_bar(char bar[BAR_CELLS + 4], double done, bool has_room)
{
    if (!has_room) {
        bar[0] = '\0';
        return;
    }
    memset(bar, '-', BAR_CELLS + 1);
    for (int i = 0; i < BAR_CELLS && i < BAR_CELLS * done; i++)
        bar[i + 1] = '#';
    bar[0] = '[';
    memcpy(bar + BAR_CELLS + 1, "] ", sizeof("] "));
}

void hs_progress_line_draw(struct hs_progress_line *line, double done, double left_seconds,
                           const char *format, ...)
{
    char text[256], left[48] = "", bar[BAR_CELLS + 4];
    int columns = line->width - 1, room;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (left_seconds > 0)
        snprintf(left, sizeof(left), ", %s %.0f s left", line->left_is, ceil(left_seconds));
    line->drawn_at = hs_clock_seconds();
    room = line->is_terminal ? columns - (int)strlen(left) : (int)sizeof(text) + BAR_CELLS + 4;
    append_bar(bar, done, done >= 0 && (int)strlen(text) + BAR_CELLS + 3 <= room);
    room -= (int)strlen(bar);
    if (!line->is_terminal) {
        fprintf(stderr, "%s%s%s\n", bar, text, left);
        return;
    }
    fprintf(stderr, "\r%s%.*s%s", bar, room, text, left);
    columns -=
        (int)(strlen(bar) + strlen(left)) + ((int)strlen(text) < room ? (int)strlen(text) : room);
    fprintf(stderr, "%*s", columns > 0 ? columns : 0, "");
    fflush(stderr);
    line->shown = true;
}

void hs_progress_line_clear(struct hs_progress_line *line)
{
    if (line->shown)
        fprintf(stderr, "\r%*s\r", line->width - 1, "");
    line->shown = false;
}
