/*
 * progress.h - what a person sees on stderr while it measures: a progress line (progress_line.h),
 * and, beside a terminal, a line for each candidate that is done. (Launchers give their ranks no
 * terminal, so under mpiexec it is lines.) Rank 0 only.
 */
#ifndef HS_MEASURE_PROGRESS_H
#define HS_MEASURE_PROGRESS_H

#include <stdint.h>

#include "cli/progress_line.h"
#include "runner/race.h"

struct hs_progress {
    struct hs_progress_line line; /* the time left is the budget's: "at most" */
    uint64_t bytes;               /* message size */
};

/* Looks at stderr. */
void hs_progress_init(struct hs_progress *progress, bool quiet);
/* After a step: draws, or says what is done now. */
void hs_progress_step(struct hs_progress *progress, const struct hs_race *race,
                      const struct hs_step *step, double elapsed_seconds);
/* One line of its own, "hiersearch measure: note: ..."; nothing where quiet. */
void hs_progress_note(struct hs_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
