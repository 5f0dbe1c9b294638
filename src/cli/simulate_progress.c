#include "cli/simulate.h"

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
    *progress = (struct hs_simulate_progress){.plans = simulation->count};
    hs_progress_line_init(&progress->line, quiet);
    for (size_t i = 0; i < simulation->count; i++)
        progress->work += work_of(&simulation->plans[i].plan);
}

void hs_simulate_progress_done(struct hs_simulate_progress *progress, const struct hs_plan *plan)
{
    progress->plans_done++;
    progress->work_done += work_of(plan);
    progress->done_at = hs_progress_line_elapsed(&progress->line);
}

void hs_simulate_progress_draw(struct hs_simulate_progress *progress)
{
    double elapsed = hs_progress_line_elapsed(&progress->line), left = 0;

    if (!hs_progress_line_is_due(&progress->line))
        return;
    if (progress->work_done > 0)
        left = progress->done_at * (progress->work / progress->work_done - 1) -
               (elapsed - progress->done_at);
    hs_progress_line_draw(&progress->line, progress->work_done / progress->work, left,
                          "%zu of %zu plans simulated, %.0f s", progress->plans_done,
                          progress->plans, elapsed);
}

void hs_simulate_progress_clear(struct hs_simulate_progress *progress)
{
    hs_progress_line_clear(&progress->line);
}
