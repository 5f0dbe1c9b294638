/* step.c - see step.h. */
#include "runner/step.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "library/mpi_own.h"

char *hs_step_format(char text[HS_STEP_TEXT], const struct hs_step *step,
                     const char *const (*natives)[HS_NATIVES_MAX + 1])
{
    const struct hs_task *task = &step->task;
    char plan[HS_SPLIT_TEXT];

    switch (task->kind) {
    case HS_TASK_PLAN:
        snprintf(text, HS_STEP_TEXT, "%s", hs_plan_format(plan, &task->plan));
        break;
    case HS_TASK_STAGE:
        snprintf(text, HS_STEP_TEXT, "the %s of size %" PRId64 " at stride %" PRId64,
                 hs_phase_names[task->stage.phase], task->stage.layer.size,
                 task->stage.layer.stride);
        break;
    case HS_TASK_NATIVE:
        snprintf(text, HS_STEP_TEXT, "%s",
                 hs_task_is_forced(task) ? hs_mpi_own[task->native - HS_NATIVES_MAX].name
                                         : natives[task->collective][task->native]);
        break;
    }
    return text;
}

void hs_step_outcome_clear(struct hs_step_outcome *outcome)
{
    struct hs_samples seconds = outcome->seconds, device = outcome->device, eager = outcome->eager;

    free(outcome->rank_seconds);
    *outcome = (struct hs_step_outcome){.seconds = seconds, .device = device, .eager = eager};
    outcome->seconds.count = outcome->device.count = outcome->eager.count = 0;
}

void hs_step_outcome_release(struct hs_step_outcome *outcome)
{
    hs_step_outcome_clear(outcome);
    hs_samples_release(&outcome->seconds);
    hs_samples_release(&outcome->device);
    hs_samples_release(&outcome->eager);
}
