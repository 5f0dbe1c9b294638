/* progress.c - see progress.h. */
#include "runner/progress.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/units.h"

void hs_progress_init(struct hs_progress *progress, bool quiet)
{
    *progress = (struct hs_progress){.bytes = 0};
    hs_progress_line_init(&progress->line, quiet);
    progress->line.left_is = "at most";
}

void hs_progress_note(struct hs_progress *progress, const char *format, ...)
{
    char text[HS_ERROR_MESSAGE_BYTES];
    struct hs_error line; /* its writer takes control characters out */
    va_list arguments;

    if (progress->line.quiet)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    hs_error_set(&line, HS_OK, "%s", text);
    hs_progress_line_clear(&progress->line);
    fprintf(stderr, "hiersearch measure: note: %s\n", line.message);
}

static void draw(struct hs_progress *progress, const struct hs_contest *contest,
                 double elapsed_seconds)
{
    const struct hs_contestant *best = hs_contest_best(contest);
    size_t done = hs_contest_done(contest);
    char size[HS_UNIT_TEXT], ahead[HS_SPLIT_TEXT + 64] = "", seconds[HS_UNIT_TEXT];

    if (!hs_progress_line_is_due(&progress->line))
        return;
    if (best)
        snprintf(ahead, sizeof(ahead), "  %s %s ahead", best->name,
                 hs_seconds_format(seconds, hs_contestant_median(best)));
    hs_progress_line_draw(&progress->line, (double)done / (double)contest->count,
                          contest->rules.budget_seconds - elapsed_seconds,
                          "%s  %zu of %zu done%s%s", hs_bytes_format(size, progress->bytes), done,
                          contest->count, contest->phase == HS_CONTEST_LAYERS ? " (layers)" : "",
                          ahead);
}

static void say_done(struct hs_progress *progress, const struct hs_contest *contest,
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
    progress->line.drawn_at = hs_clock_seconds();
}

void hs_progress_step(struct hs_progress *progress, const struct hs_contest *contest,
                      const struct hs_step *step, double elapsed_seconds)
{
    const struct hs_contestant *item = &contest->items[step->item];

    if (!progress->line.quiet && !progress->line.is_terminal && hs_contestant_done(item) &&
        !step->timed)
        say_done(progress, contest, item);
    draw(progress, contest, elapsed_seconds);
}
