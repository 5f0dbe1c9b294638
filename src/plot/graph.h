/*
 * graph.h - the drawing of a level of single links: where its children, its relays and the lines
 * between them lie. Internal to plot.
 */
#ifndef HS_PLOT_GRAPH_H
#define HS_PLOT_GRAPH_H

#include "base/text.h"
#include "model/links.h"

/* A vertex's place: children lie on a circle of radius 1 from the top on, against the clock; a
 * relay outside of it, the farther the more relays are before it, in the direction of what it
 * joins, or within where it joins all around. */
struct hs_graph_place {
    double x, y;
};
void hs_graph_places(struct hs_graph_place places[HS_LINKS_VERTICES], const struct hs_links *links);

/* Facts: `graph` (the level's name), `link_kinds`, `link_labels`, `one_way` (links that are);
 * before the first block. */
void hs_graph_write_facts(struct hs_text *out, const char *level, const struct hs_links *links);
/* The blocks `vertices`, `links` (a line for each of up to 4 links between two, from x, y by dx,
 * dy), `link_labels` (how many where they are more) and `link_kinds` (rates, those between children
 * first, of each the highest first; from the sixth on they are one). */
void hs_graph_write(struct hs_text *out, const struct hs_links *links);

#endif
