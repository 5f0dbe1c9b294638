/*
 * graph.h - what stages cost on a level whose children single links join (links.h).
 *
 * On such a first level a layer of all its units, next to each other, goes by its links as they
 * are: in rings, in groups or over packed trees (packing.h), by halving or direct exchange. Of so
 * many bytes each message is played (messages.h, play.h) as the engine sends it; of any bytes it
 * takes what the busiest link carries, and the latencies of the longest way.
 *
 * Other layers see the level as if it were a switch: what a child can send is what is left of the
 * links where every child sends to the others of its layer inside of the unit, over the shortest
 * ways (hs_graph_level).
 */
#ifndef HS_LINKS_GRAPH_H
#define HS_LINKS_GRAPH_H

#include "model/price.h"

/* What is found once of a system's links, and kept with it. */
struct hs_graph;

/* NULL: out of memory, or no level of it has links. */
struct hs_graph *hs_graph_new(const struct hs_system *system);
void hs_graph_free(struct hs_graph *graph);
/* Forgets what was found: the links are others now. */
void hs_graph_empty(struct hs_graph *graph);

/* Whether a layer is all units of a first level with links, next to each other: of these the ways
 * above have prices. */
bool hs_graph_holds(const struct hs_system *system, struct hs_layer layer);
/* hs_stage_possible, and what goes by single links there are some for. */
bool hs_graph_possible(const struct hs_system *system, struct hs_stage_key key);
/* Fills the price, whose key's layer the graph holds and whose phase is a reduce-scatter, an
 * allgather, both or an allreduce: of rings, trees or groups, by `algorithm`. Where nothing can be
 * packed (hs_packing_make) as for rings. Of halving and direct exchange, of some bytes, the lines
 * alone: the rest is known. */
void hs_graph_price(struct hs_stage_price *price, const struct hs_system *system,
                    enum hs_algorithm algorithm);
/* Seconds per byte of a collective that is one phase of all units, at least: hs_cuts_of. */
double hs_graph_bound(const struct hs_system *system, enum hs_phase phase);
/* Bytes per second that the unit with the most links can send. */
double hs_graph_sends(const struct hs_system *system);
/* Bytes per second that a child of the first level, which has links, can send of a layer by an
 * algorithm: in its worst step, over the shortest ways (hs_links_path); of rings through whole
 * units what the best rings of a unit carry. That of the level where nothing stays inside of a
 * unit. */
double hs_graph_level(const struct hs_system *system, struct hs_layer layer,
                      enum hs_algorithm algorithm);

#endif
