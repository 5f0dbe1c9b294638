/*
 * result_parts.h - the tables of a result file, one per source. Internal to result.
 */
#ifndef HS_RESULT_RESULT_PARTS_H
#define HS_RESULT_RESULT_PARTS_H

#include "base/fields.h"

/* Longest lists that are read; docs/result.schema.json has the same numbers. */
enum {
    HS_RESULT_CANDIDATES_MAX = 1000000,
    HS_RESULT_SAMPLES_MAX = 1000000,
    HS_RESULT_NODES_MAX = 1000000,
    HS_RESULT_MESSAGES_MAX = 1024,
    HS_RESULT_NAMES_MAX = 256, /* baselines, rules, versions */
    HS_ENVIRONMENT_MAX = 4096
};

/* The objects of a file, one table each: a message, a candidate and a baseline of it, their
 * measurement, what a rule pruned, and a node of the placement. */
extern const struct hs_fields hs_message_fields, hs_candidate_fields, hs_measured_fields,
    hs_baseline_fields, hs_pruned_fields, hs_placed_node_fields;

/* A plan's text, for rows. */
const char *hs_result_format_plan(char text[HS_FIELD_TEXT], const void *plan,
                                  const struct hs_place *place);

#endif
