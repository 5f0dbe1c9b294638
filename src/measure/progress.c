/* progress.c - see progress.h. */
#include "measure/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/units.h"
#include "console/terminal.h"

#define BAR_CELLS      20
#define REDRAW_SECONDS 0.1
#define REPEAT_SECONDS 10.0

void hs_progress_init(struct hs_progress *progress, bool quiet)
{
    struct hs_terminal terminal = hs_terminal_look(STDERR_FILENO);

    *progress = (struct hs_progress){.command = "measure",
                                     .quiet = quiet,
                                     .is_terminal = terminal.is_terminal,
                                     .width = terminal.width,
                                     .drawn_at = hs_clock_seconds()};
}

void hs_progress_clear(struct hs_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r%*s\r", progress->width - 1, "");
    progress->shown = false;
}

void hs_progress_note(struct hs_progress *progress, const char *format, ...)
{
    char text[HS_ERROR_MESSAGE_BYTES];
    struct hs_error line; /* its writer takes control characters out */
    va_list arguments;

    if (progress->quiet)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    hs_error_set(&line, HS_OK, "%s", text);
    hs_progress_clear(progress);
    fprintf(stderr, "hiersearch %s: note: %s\n", progress->command, line.message);
}

/* "64MiB [######------] 5 of 9 done  4x4 12.31 ms ahead  at most 41 s left" */
static void format_line(char *line, size_t bytes, const struct hs_progress *progress,
                        const struct hs_contest *contest, double elapsed_seconds)
{
    const struct hs_contestant *best = hs_contest_best(contest);
    size_t done = hs_contest_done(contest);
    double left = fmax(contest->rules.budget_seconds - elapsed_seconds, 0);
    char size[HS_UNIT_TEXT], ahead[HS_SPLIT_TEXT + 64] = "", seconds[HS_UNIT_TEXT];
    char bar[BAR_CELLS + 1];

    if (best)
        snprintf(ahead, sizeof(ahead), "  %s %s ahead", best->name,
                 hs_seconds_format(seconds, hs_contestant_median(best)));
    for (size_t i = 0; i < BAR_CELLS; i++)
        bar[i] = i < BAR_CELLS * done / contest->count ? '#' : '-';
    bar[BAR_CELLS] = '\0';
    snprintf(line, bytes, "%s [%s] %zu of %zu done%s  at most %.0f s left%s",
             hs_bytes_format(size, progress->bytes), bar, done, contest->count, ahead, ceil(left),
             contest->phase == HS_CONTEST_LAYERS ? " (layers)" : "");
}

/* Whether the line before has been there long enough. */
static bool is_due(const struct hs_progress *progress)
{
    double age_seconds = hs_clock_seconds() - progress->drawn_at;

    return age_seconds >= (progress->is_terminal ? REDRAW_SECONDS : REPEAT_SECONDS);
}

static void draw_line(struct hs_progress *progress, const char *line)
{
    progress->drawn_at = hs_clock_seconds();
    if (!progress->is_terminal) {
        fprintf(stderr, "%s\n", line);
        return;
    }
    fprintf(stderr, "\r%-*.*s", progress->width - 1, progress->width - 1, line);
    fflush(stderr);
    progress->shown = true;
}

void hs_progress_line(struct hs_progress *progress, const char *line)
{
    if (!progress->quiet && is_due(progress))
        draw_line(progress, line);
}

static void draw(struct hs_progress *progress, const struct hs_contest *contest,
                 double elapsed_seconds)
{
    char line[512];

    if (!is_due(progress))
        return;
    format_line(line, sizeof(line), progress, contest, elapsed_seconds);
    draw_line(progress, line);
}

static void say_done(const struct hs_progress *progress, const struct hs_contest *contest,
                     const struct hs_contestant *item)
{
    char size[HS_UNIT_TEXT], median[HS_UNIT_TEXT];

    fprintf(stderr, "%s  %zu of %zu  %s  ", hs_bytes_format(size, progress->bytes),
            hs_contest_done(contest), contest->count, item->name);
    if (item->status == HS_MEASURE_OK)
        fprintf(stderr, "%s  %zu sample%s (%s)\n",
                hs_seconds_format(median, hs_contestant_median(item)), item->seconds.count,
                item->seconds.count == 1 ? "" : "s", hs_ending_names[item->ending]);
    else
        fprintf(stderr, "%s: %s\n", hs_measure_status_names[item->status], item->reason);
}

void hs_progress_step(struct hs_progress *progress, const struct hs_contest *contest,
                      const struct hs_step *step, double elapsed_seconds)
{
    const struct hs_contestant *item = &contest->items[step->contestant];

    if (progress->quiet)
        return;
    if (!progress->is_terminal && hs_contestant_done(item) && step->kind != HS_STEP_LAYERS) {
        say_done(progress, contest, item);
        progress->drawn_at = hs_clock_seconds();
    }
    draw(progress, contest, elapsed_seconds);
}
