/*
 * progress_line.h - how far a long piece of work has come, on one line of stderr.
 *
 * On a terminal the line is drawn again and again in its place; elsewhere a line is written now and
 * then. What is done in a second shows nothing.
 */
#ifndef HS_CONSOLE_PROGRESS_LINE_H
#define HS_CONSOLE_PROGRESS_LINE_H

#include <stdbool.h>

struct hs_progress_line {
    bool quiet, is_terminal;
    bool shown;          /* a line stands on the terminal */
    const char *left_is; /* what the time left is: "about", or "at most" */
    int width;
    double began_at, drawn_at; /* seconds of a clock that never goes back */
};

/* Begins now. Where `quiet`, nothing is ever written. */
void hs_progress_line_init(struct hs_progress_line *line, bool quiet);

/* Whether it is time to draw again; cheap enough to ask often. */
bool hs_progress_line_is_due(const struct hs_progress_line *line);

/* Seconds since the beginning. */
double hs_progress_line_elapsed(const struct hs_progress_line *line);

/* Draws "[####----] TEXT, about 12 s left". `done` is the part that is done, 0 to 1 (below 0: no
 * bar), and `left_seconds` what is expected to remain (not above 0: not said). Where the terminal
 * is narrow, the bar goes first, then the end of the text. */
void hs_progress_line_draw(struct hs_progress_line *line, double done, double left_seconds,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Takes the line off the terminal; before anything else is written there. */
void hs_progress_line_clear(struct hs_progress_line *line);

#endif
