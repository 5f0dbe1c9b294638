/*
 * plan.h - what can be run: a split and the number of chunks; text "4x8x4" or "4x8x4/8" (8 chunks).
 *
 * Every layer is a ring today. A second algorithm per layer would be a field here and a suffix of
 * the layer in the text; nothing else names the algorithm.
 */
#ifndef HS_MODEL_PLAN_H
#define HS_MODEL_PLAN_H

#include "model/split.h"

#define HS_CHUNKS_MAX 1024

struct hs_plan {
    struct hs_split split;
    int chunks; /* 1 .. HS_CHUNKS_MAX; 1 is the published algorithm */
};

/* Same rules as hs_split_parse; "/1" is accepted and formats without it. */
enum hs_status hs_plan_parse(struct hs_plan *plan, const char *text, int64_t np,
                             struct hs_error *err);
char *hs_plan_format(char text[HS_SPLIT_TEXT], const struct hs_plan *plan);
/* Fewer chunks first, then hs_split_compare. */
int hs_plan_compare(const struct hs_plan *a, const struct hs_plan *b);

#endif
