#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/simulate.h"
#include "console/terminal.h"

#define BAR_CELLS      20
#define REDRAW_SECONDS 0.2
#define REPEAT_SECONDS 10.0

static double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Messages that a process sends in it. */
static double work_of(const struct hs_plan *plan)
{
    double steps = 0;

    for (int i = 0; i < plan->split.count; i++)
        steps += 2 * (double)(plan->split.sizes[i] - 1);
    return steps * plan->chunks;
}

void hs_simulate_progress_init(struct hs_simulate_progress *progress,
                               const struct hs_simulation *simulation, bool quiet)
{
    struct hs_terminal terminal = hs_terminal_look(STDERR_FILENO);
    double now = clock_seconds();

    *progress = (struct hs_simulate_progress){.quiet = quiet,
                                              .is_terminal = terminal.is_terminal,
                                              .width = terminal.width,
                                              .began_at = now,
                                              .drawn_at = now,
                                              .plans = simulation->count};
    for (size_t i = 0; i < simulation->count; i++)
        progress->work += work_of(&simulation->plans[i].plan);
}

void hs_simulate_progress_done(struct hs_simulate_progress *progress, const struct hs_plan *plan)
{
    progress->plans_done++;
    progress->work_done += work_of(plan);
    progress->done_at = clock_seconds();
}

void hs_simulate_progress_draw(struct hs_simulate_progress *progress)
{
    double now = clock_seconds(), elapsed = now - progress->began_at, seconds = 0;
    char line[128], left[64] = "";
    char bar[BAR_CELLS + 1];

    if (progress->quiet ||
        now - progress->drawn_at < (progress->is_terminal ? REDRAW_SECONDS : REPEAT_SECONDS))
        return;
    progress->drawn_at = now;
    for (int i = 0; i < BAR_CELLS; i++)
        bar[i] = i < BAR_CELLS * progress->work_done / progress->work ? '#' : '-';
    bar[BAR_CELLS] = '\0';
    if (progress->work_done > 0)
        seconds =
            (progress->done_at - progress->began_at) * (progress->work / progress->work_done - 1) -
            (now - progress->done_at);
    if (seconds > 0)
        snprintf(left, sizeof(left), ", about %.0f s left", ceil(seconds));
    snprintf(line, sizeof(line), "[%s] %zu of %zu plans simulated, %.0f s%s", bar,
             progress->plans_done, progress->plans, elapsed, left);
    if (!progress->is_terminal) {
        fprintf(stderr, "%s\n", line);
        return;
    }
    fprintf(stderr, "\r%-*.*s", progress->width - 1, progress->width - 1, line);
    fflush(stderr);
    progress->shown = true;
}

void hs_simulate_progress_clear(struct hs_simulate_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r%*s\r", progress->width - 1, "");
    progress->shown = false;
}
