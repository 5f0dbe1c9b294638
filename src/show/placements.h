/*
 * placements.h - tables of the orders in which a mesh's axes can lie on a machine, and of what a
 * job's messages take in one.
 */
#ifndef HS_VIEW_PLACEMENTS_H
#define HS_VIEW_PLACEMENTS_H

#include "answer/placed.h"
#include "answer/sharded.h"
#include "show/sheet.h"

/* An order, the `number`-th best. `given` is the job's own. */
struct hs_placement_row {
    const struct hs_axes_result *result;
    const struct hs_job *job;
    size_t number; /* from 1 */
    double given_seconds;
};
void hs_placements_init(struct hs_table *table);
void hs_placements_add(struct hs_table *table, const struct hs_placement_row *row);

/* A message in an order. */
struct hs_job_row {
    const struct hs_job *job;
    const struct hs_axes_call *call;
    double step_seconds;    /* of all messages */
    double library_seconds; /* of the library's own call; NaN: it has no price */
};
void hs_job_rows_init(struct hs_table *table);
void hs_job_rows_add(struct hs_table *table, const struct hs_job_row *row);

/* A model in `shards`, each `replicas` times. */
struct hs_shards_row {
    int64_t shards, replicas;
    double shard_seconds, replica_seconds; /* of a step: along either axis */
    double library_seconds;                /* by the library's own calls; NaN: they have no price */
    double memory_bytes;                   /* of a GPU, activations apart */
    const char *fits;                      /* "no": it is more than a GPU has; NULL */
    const struct hs_plan *gather, *reduce; /* NULL: there is none */
};
void hs_shards_init(struct hs_table *table);
void hs_shards_add(struct hs_table *table, const struct hs_shards_row *row);

/* The orders, as many as --top says, and what each message takes in the best one. */
void hs_placed_show(struct hs_sheet *sheet, const struct hs_placed *placed);

/* A row for each way. */
void hs_sharded_show(struct hs_sheet *sheet, const struct hs_sharded *sharded);

#endif
