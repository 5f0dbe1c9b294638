/*
 * progress.h - what a person sees on stderr while it measures: on a terminal one line that is
 * written over, else a line for each candidate that is done, and one every ten seconds. (Launchers
 * give their ranks no terminal, so under mpiexec it is lines.) Rank 0 only.
 */
#ifndef HS_MEASURE_PROGRESS_H
#define HS_MEASURE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/contest.h"

struct hs_progress {
    const char *command; /* "measure": whose notes these are */
    bool quiet;
    bool is_terminal;
    int width;       /* columns */
    bool shown;      /* a line is there that must be cleared */
    double drawn_at; /* monotonic seconds */
    uint64_t bytes;  /* message size */
};

/* Looks at stderr. */
void hs_progress_init(struct hs_progress *progress, bool quiet);
/* After a step: draws, or says what is done now. */
void hs_progress_step(struct hs_progress *progress, const struct hs_contest *contest,
                      const struct hs_step *step, double elapsed_seconds);
/* The same for anything else that takes long: shows `line` in place of the one before, on a
 * terminal at most ten times a second, elsewhere every ten seconds. */
void hs_progress_line(struct hs_progress *progress, const char *line);
/* One line of its own, "hiersearch measure: note: ..."; nothing where quiet. */
void hs_progress_note(struct hs_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Takes the line away. */
void hs_progress_clear(struct hs_progress *progress);

#endif
