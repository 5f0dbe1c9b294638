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
                               const struct hs_result_message *message, bool quiet)
{
    *progress = (struct hs_simulate_progress){.message = message};
    hs_progress_line_init(&progress->line, quiet);
    for (size_t i = 0; i < message->candidate_count; i++)
        progress->work += work_of(&message->candidates[i].plan);
}

void hs_simulate_progress_done(struct hs_simulate_progress *progress)
{
    if (progress->done == progress->message->candidate_count)
        return;
    progress->work_done += work_of(&progress->message->candidates[progress->done++].plan);
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
                          "%zu of %zu plans simulated, %.0f s", progress->done,
                          progress->message->candidate_count, elapsed);
}
