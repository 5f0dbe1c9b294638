/*
 * stage.h - a phase on a layer by an algorithm; its key is the identity of everything that is
 * priced, measured, journaled and drawn. Data type, operation and backend are the context of a
 * measurement, not part of a key.
 *
 * As text a key is PHASE:STRIDE:SIZE with the algorithm's letter behind it: "reduce-scatter:4:8",
 * "allreduce:32:4".
 */
#ifndef HS_MODEL_STAGE_H
#define HS_MODEL_STAGE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/fields.h"
#include "model/algorithm.h"
#include "system/stage_key.h"

/* Calls of a library that a phase takes: 2 of a pair, else 1. */
int hs_phase_calls(enum hs_phase phase);
/* How often a phase takes all of its bytes around a group: an allreduce and a pair twice. */
int hs_phase_passes(enum hs_phase phase);

/* How long a stage takes, or took. */
struct hs_stage_time {
    struct hs_stage_key key;
    double seconds;
};

bool hs_stage_key_equal(struct hs_stage_key a, struct hs_stage_key b);
/* Stride, size, phase, algorithm. < 0, 0, > 0 as for strcmp. */
int hs_stage_key_compare(struct hs_stage_key a, struct hs_stage_key b);

#define HS_STAGE_KEY_TEXT 80 /* bytes enough for any key */

/* Returns `text`. */
char *hs_stage_key_format(char text[HS_STAGE_KEY_TEXT], struct hs_stage_key key);
/* HS_INVALID with what was expected: an unknown phase, a stride below 1, a size below 2 (a lone
 * process is allreduce:1:1), a product above HS_NP_MAX, an algorithm that cannot do the phase or
 * the size. */
enum hs_status hs_stage_key_parse(struct hs_stage_key *key, const char *text, struct hs_error *err);

#define HS_STAGE_LIST_MAX 64

struct hs_stage_list {
    struct hs_stage_key keys[HS_STAGE_LIST_MAX];
    size_t count;
};

/* Keys with commas between; a pair is its two. HS_INVALID as above, and more than
 * HS_STAGE_LIST_MAX. */
enum hs_status hs_stage_list_parse(struct hs_stage_list *list, const char *text,
                                   struct hs_error *err);

/* A key as a field of a file. */
extern const struct hs_field_custom hs_stage_key_custom;

/* Whether the algorithm can do the phase in groups of this size. */
bool hs_stage_possible(struct hs_stage_key key);

#endif
