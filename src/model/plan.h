/*
 * plan.h - what can be run: a split, the algorithms of its layers, and the number of chunks; text
 * "4x8x4", "4x8x4/8" (8 chunks). A layer whose algorithm is not the ring has its letter behind the
 * size; two letters, the reduce-scatter's first, where reduce-scatter and allgather differ. The
 * last layer is an allreduce by its one letter; by two it is a reduce-scatter and an allgather.
 */
#ifndef HS_MODEL_PLAN_H
#define HS_MODEL_PLAN_H

#include "model/algorithm.h"
#include "model/split.h"

#define HS_CHUNKS_MAX 1024

struct hs_plan {
    struct hs_split split;
    int chunks; /* 1 .. HS_CHUNKS_MAX; 1 is the published algorithm */
    /* enum hs_algorithm of each layer's phase on the way out and on the way back; {0}: rings. */
    unsigned char algorithms[HS_LAYERS_MAX][2];
};

/* What stands for the library's default, by its own choice of algorithm: "default". No function
 * that prices plans takes it. */
#define HS_DEFAULT_CALL ((struct hs_plan){.chunks = 1})
#define HS_DEFAULT_NAME "default"
bool hs_plan_is_default(const struct hs_plan *plan);

/* Same rules as hs_split_parse, and letters of algorithms; "/1" is accepted and formats without it.
 */
enum hs_status hs_plan_parse(struct hs_plan *plan, const char *text, int64_t np,
                             struct hs_error *err);
/* What comes of it, or the default call, as a regular expression of a JSON Schema. */
#define HS_CALL_PATTERN                                                                            \
    "^(" HS_DEFAULT_NAME "|[1-9][0-9]*[a-z]{0,2}(x[1-9][0-9]*[a-z]{0,2})*(/[1-9][0-9]*)?)$"
char *hs_plan_format(char text[HS_SPLIT_TEXT], const struct hs_plan *plan);
/* Fewer chunks first, then hs_split_compare, then the algorithms in the order of their list. */
int hs_plan_compare(const struct hs_plan *a, const struct hs_plan *b);
/* Whether two plans differ by their chunks alone, if at all. */
bool hs_plan_same_layers(const struct hs_plan *a, const struct hs_plan *b);
/* The flat split by rings, in one chunk: what every gain was once stated against. */
struct hs_plan hs_plan_flat(int64_t np);
bool hs_plan_is_flat(const struct hs_plan *plan);
/* Whether a layer goes by another algorithm than the ring. */
bool hs_plan_has_letters(const struct hs_plan *plan);
/* Whether a layer goes by an algorithm that is ours, beside the ring, or by two. */
bool hs_plan_names_ours(const struct hs_plan *plan);
/* Algorithm of layer i; way 0 is outward, 1 inward. */
enum hs_algorithm hs_plan_algorithm(const struct hs_plan *plan, int i, int way);

#endif
