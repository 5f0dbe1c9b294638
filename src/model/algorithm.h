/*
 * algorithm.h - how a phase is done inside a group: one row per algorithm, one file per row.
 *
 * A row says which phases it can do, for which sizes, and what it costs: its traffic, counted on
 * the links of a system (price.h). How it is carried out stands in a table of the engine that is
 * keyed by the same list.
 */
#ifndef HS_MODEL_ALGORITHM_H
#define HS_MODEL_ALGORITHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "system/stage_key.h"

struct hs_stage_price;
struct hs_system;

struct hs_algorithm_row {
    unsigned phases; /* bits 1 << enum hs_phase that it can do */
    /* Whether its reduce-scatter and allgather may take different times. Those of the others load
     * the same links, the other way round, and their allreduce takes no longer than both: among
     * even ones no layer is faster by two algorithms than by one. */
    bool uneven;
    /* Whether it goes by single links, and is there for layers alone that hs_graph_holds. */
    bool on_links;
    /* Whether it can do groups of this size; NULL: of any. */
    bool (*admits)(int64_t size);
    /* Whether what it takes depends on the bytes in such a way that a price is no few lines; NULL:
     * never. */
    bool (*by_bytes)(const struct hs_system *system, int64_t ranks, struct hs_layer layer);
    /* Fills, for price->key of `ranks` ranks on `system` and messages of price->bytes entering it,
     * by its traffic alone (without fits): the latency and seconds per byte of the phase, the share
     * of the bandwidth, bottleneck, level and occupancy. */
    void (*price)(struct hs_stage_price *price, const struct hs_system *system, int64_t ranks);
};
/* In the order of the list; each is defined in a file of its own, algorithm_NAME.c. */
extern const struct hs_algorithm_row *const hs_algorithms[HS_ALGORITHM_COUNT];
#define HS_ROW(name, text, letter, meaning)                                                        \
    extern const struct hs_algorithm_row hs_algorithm_##name;
HS_ALGORITHMS(HS_ROW)
#undef HS_ROW

/* What is put behind the name of a layer that goes by it: " by halving"; "" for the ring. */
extern const char *const hs_algorithm_clauses[HS_ALGORITHM_COUNT];

/* Whether one of these, bits 1 << enum hs_algorithm, is uneven. */
bool hs_algorithms_uneven(unsigned algorithms);
/* Those of these that are none of the others in groups of this size: of two processes halving and
 * direct exchange are the ring. */
unsigned hs_algorithms_distinct(unsigned algorithms, int64_t size);
/* The algorithm of that letter; false: there is none. */
bool hs_algorithm_find(enum hs_algorithm *out, char letter);
/* Names with commas between, or "all" of ours, as bits 1 << enum hs_algorithm; the ring is always
 * among them. HS_INVALID: an unknown name, with the nearest. */
enum hs_status hs_algorithms_parse(unsigned *algorithms, const char *text, struct hs_error *err);

#endif
