/*
 * graph.h - the drawing of a level of single links: where its children, its relays and the lines
 * between them lie. Internal to plot.
 */
#ifndef HS_PLOT_GRAPH_H
#define HS_PLOT_GRAPH_H

#include "base/text.h"
#include "system/links.h"

/* Facts: `graph` (the level's name), `link_kinds`, `link_labels`, `one_way` (links that are);
 * before the first block. */
void hs_graph_write_facts(struct hs_text *out, const char *level, const struct hs_links *links);
/* The blocks `vertices`, `links` (a line for each of up to 4 links between two, from x, y by dx,
 * dy), `link_labels` (how many where they are more) and `link_kinds` (rates, those between children
 * first, of each the highest first; from the sixth on they are one). */
void hs_graph_write(struct hs_text *out, const struct hs_links *links);

#endif
