/*
 * split.h - ordered layer sizes p1 x p2 x ... x ph, innermost (stride 1) first; text "4x8x4".
 */
#ifndef HS_MODEL_SPLIT_H
#define HS_MODEL_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "system/stage_key.h"

#define HS_LAYERS_MAX 31  /* 2^31 processes in layers of 2 */
#define HS_SPLIT_TEXT 160 /* bytes enough for any split or plan as text */

struct hs_split {
    int count;                    /* layers, 1 .. HS_LAYERS_MAX */
    int64_t sizes[HS_LAYERS_MAX]; /* each >= 2 (1 only in the flat split of one process) */
};

/* Reads decimal digits at *text into *value and moves *text behind them; false where there are none
 * or the number is above HS_NP_MAX. */
bool hs_size_read(int64_t *value, const char **text);

/* Text to split. `np` > 0 demands that the product is np; 0 takes any product up to HS_NP_MAX.
 * HS_INVALID: a layer of size 1 (except "1" itself), empty layers, trailing text, too many layers,
 * another product (said with the product found). */
enum hs_status hs_split_parse(struct hs_split *split, const char *text, int64_t np,
                              struct hs_error *err);
/* Writes at most HS_SPLIT_TEXT bytes and returns `text`. */
char *hs_split_format(char text[HS_SPLIT_TEXT], const struct hs_split *split);

/* Of 1 and of a prime number of processes the flat split is the only one. */
bool hs_is_prime(int64_t number);
/* The flat split: one layer of np processes. */
struct hs_split hs_split_flat(int64_t np);
/* Processes: the product of its sizes; of none 1. */
int64_t hs_split_product(const struct hs_split *split);
/* Layer i with its stride, i = 0 .. count - 1. */
struct hs_layer hs_split_layer(const struct hs_split *split, int i);
/* Order of ties everywhere: fewer layers first, then the smaller size at the first difference.
 * < 0, 0, > 0 as for strcmp. */
int hs_split_compare(const struct hs_split *a, const struct hs_split *b);

#endif
