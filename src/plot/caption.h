/*
 * caption.h - what stands above and below every plot: what it is about, which machine, what was
 * measured and with which versions. Internal to plot.
 */
#ifndef HS_PLOT_CAPTION_H
#define HS_PLOT_CAPTION_H

#include "plot/plot.h"

/* What to call the machine: the system's name, else the hosts, else "unknown machine". */
void hs_plot_machine(struct hs_text *out, const struct hs_plot_job *job);
/* Facts `title` ("abci: WHAT"), `caption1` to `caption3` and `caption_lines`. `remark`, which may
 * be NULL, comes first in the caption, then what a calibrated system extrapolates. */
void hs_plot_caption(struct hs_text *out, const struct hs_plot_job *job, const char *remark,
                     const char *what, ...) __attribute__((format(printf, 4, 5)));
/* Facts `caption1` to `caption3` and `caption_lines` of a text. */
void hs_plot_lines(struct hs_text *out, const char *text);

#endif
