/*
 * forests.h - trees, and those that a layer's stages are carried out by: packed by one who
 * knows the links, and handed on to those who do not, also as a line of text.
 *
 *     trees forest allgather 4 100000000000 0:1000000000000:-:.,0,0,1 1:...
 *
 * Behind algorithm, phase and units: bytes per second that they carry (1 / seconds_per_byte), which
 * says into how many segments messages are cut; and each tree: root, share in 1e-12, to whom each
 * unit hands on what it has added up, and from whom each gets the result; '.': nobody, '-': the
 * phase has no such way. Whole numbers alone: a program's locale may have another decimal point.
 */
#ifndef HS_MODEL_FORESTS_H
#define HS_MODEL_FORESTS_H

#include "base/text.h"
#include "model/stage.h"
#include "system/links.h"

/* A way from one unit to another that is not the direct link: over relays. */
struct hs_route {
    int count; /* of vertices, both ends included: >= 3 */
    unsigned char vertices[HS_LINKS_VERTICES];
};

/* A tree over all units. Whom unit u takes from is another unit; -1 where u is the root, or the
 * phase has no such way. */
struct hs_tree {
    int root;
    /* Of the root's block (allgather, reduce-scatter: those of one root sum to 1), of the message
     * (allreduce: all sum to 1); > 0. */
    double share;
    int up[HS_LINKS_UNITS];   /* to whom it hands on what it has added up; not of an allgather */
    int down[HS_LINKS_UNITS]; /* from whom it gets the result; not of a reduce-scatter */
    /* By which of the packing's routes, from u to up[u] and from down[u] to u; -1: directly. */
    int up_route[HS_LINKS_UNITS], down_route[HS_LINKS_UNITS];
};

struct hs_packing {
    enum hs_phase phase;
    int units;
    struct hs_tree *trees; /* [count] owned; by root, of one root the largest share first */
    size_t count;
    struct hs_route *routes; /* [route_count] owned */
    size_t route_count;
    /* Of what each unit holds in the end (allgather, all blocks together), at first
     * (reduce-scatter), of the message (allreduce); latencies apart. */
    double seconds_per_byte;
};

/* Releases what it owns and zeroes it; of {0}, too. */
void hs_packing_release(struct hs_packing *packing);

/* Phases that trees carry out: the first of the list. */
#define HS_FORESTS (HS_ALLREDUCE + 1)

/* Of the layer (1, units), by algorithm: packed trees, and rings that have links of their own, as
 * chains. Nothing where it is not by trees. */
struct hs_forests {
    int units; /* 0: no links are known */
    struct hs_packing of[HS_ALGORITHM_COUNT][HS_FORESTS];
};

/* The trees of a stage; NULL: it is not by any, or `forests` is. */
const struct hs_packing *hs_forests_find(const struct hs_forests *forests, struct hs_stage_key key);
/* Appends a line for each algorithm and phase that there are trees of. */
void hs_forests_append(struct hs_text *text, const struct hs_forests *forests);
/* Takes the line in, behind its first word; changes it. The same trees may come again: the last
 * line says how fast they are. HS_INVALID: it is not such a line, its algorithm goes by no trees,
 * they do not reach all units from their root, shares do not sum to 1, other trees of this kind are
 * known, or of other units. HS_MEMORY. */
enum hs_status hs_forests_read(struct hs_forests *forests, char *line, struct hs_error *err);
/* Releases what it owns and zeroes it; of {0}, too. */
void hs_forests_release(struct hs_forests *forests);

#endif
