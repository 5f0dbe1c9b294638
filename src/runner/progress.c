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

static void draw(struct hs_progress *progress, const struct hs_race *race, double elapsed_seconds)
{
    const struct hs_arm *best = hs_race_best(race);
    size_t done = hs_race_done(race);
    char size[HS_UNIT_TEXT], ahead[HS_SPLIT_TEXT + 64] = "", seconds[HS_UNIT_TEXT];

    if (!hs_progress_line_is_due(&progress->line))
        return;
    if (best)
        snprintf(ahead, sizeof(ahead), "  %s %s ahead", best->name,
                 hs_seconds_format(seconds, hs_arm_median(best)));
    hs_progress_line_draw(&progress->line, (double)done / (double)race->count,
                          race->rules.budget_seconds - elapsed_seconds, "%s  %zu of %zu done%s%s",
                          hs_bytes_format(size, progress->bytes), done, race->count,
                          race->phase == HS_RACE_LAYERS ? " (layers)" : "", ahead);
}

static void say_done(struct hs_progress *progress, const struct hs_race *race,
                     const struct hs_arm *item)
{
    char size[HS_UNIT_TEXT], median[HS_UNIT_TEXT];

    fprintf(stderr, "%s  %zu of %zu  %s  ", hs_bytes_format(size, progress->bytes),
            hs_race_done(race), race->count, item->name);
    if (item->status == HS_MEASURE_OK)
        fprintf(stderr, "%s  %zu sample%s (%s)\n", hs_seconds_format(median, hs_arm_median(item)),
                item->seconds.count, item->seconds.count == 1 ? "" : "s",
                hs_ending_names[item->ending]);
    else
        fprintf(stderr, "%s: %s\n", hs_measure_status_names[item->status], item->reason);
    progress->line.drawn_at = hs_clock_seconds();
}

void hs_progress_step(struct hs_progress *progress, const struct hs_race *race,
                      const struct hs_step *step, double elapsed_seconds)
{
    const struct hs_arm *item = &race->items[step->item];

    if (!progress->line.quiet && !progress->line.is_terminal && hs_arm_done(item) && !step->timed)
        say_done(progress, race, item);
    draw(progress, race, elapsed_seconds);
}
