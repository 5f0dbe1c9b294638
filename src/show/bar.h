/*
 * bar.h - bars of parts, for terminals.
 */
#ifndef HS_VIEW_BAR_H
#define HS_VIEW_BAR_H

#include "base/text.h"
#include "show/terminal.h"

/* Appends a bar of parts, `cells` columns long where the parts add up to `full`. Each part's end is
 * rounded on its own, so the bar's length is right to half a column however many parts there are. A
 * bar for more than `full` is cut and ends in '>'. */
void hs_bar_append(struct hs_text *out, const struct hs_terminal *terminal, const double *parts,
                   size_t count, double full, size_t cells);

#endif
