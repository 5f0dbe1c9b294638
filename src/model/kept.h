/*
 * kept.h - what was found of a stage once and does not depend on the bytes of a call: found again
 * by its group and key, for as long as its machine stays as it is.
 *
 * A store is for one thread at a time, and bounded: one that is full is emptied before it takes
 * more.
 */
#ifndef HS_MODEL_KEPT_H
#define HS_MODEL_KEPT_H

#include "model/group.h"
#include "model/stage.h"

#define HS_KEPT_ITEMS 16384
#define HS_KEPT_BYTES ((size_t)32 << 20)

/* Kinds of items, and who keeps them. */
enum hs_kept_kind {
    HS_KEPT_PRICE,      /* price.c: of a stage, for any bytes */
    HS_KEPT_NCCL_CALLS, /* price_nccl.c: of a layer */
    HS_KEPT_NCCL_PACES, /* the same: of one run on machines drawn */
    HS_KEPT_DRAWN,      /* machine_prices.c: of a stage on machines drawn */
    HS_KEPT_ERRORS      /* the same: by how much NCCL's are off there */
};

/* Members that mean nothing for a kind of item are 0. */
struct hs_kept_name {
    enum hs_kept_kind kind;
    struct hs_group group;
    struct hs_stage_key key;
    int64_t detail; /* what else an item depends on */
};

struct hs_kept; /* NULL: keeps nothing, and finds nothing */

/* NULL: out of memory. */
struct hs_kept *hs_kept_new(void);
/* NULL: it is not there. What comes back holds until something is added. */
void *hs_kept_find(const struct hs_kept *kept, const struct hs_kept_name *name);
/* Room for what is not there yet, zeroed, which hs_kept_find gives back; NULL: out of memory, or
 * more than HS_KEPT_BYTES, or nothing is kept: callers do without. */
void *hs_kept_add(struct hs_kept *kept, const struct hs_kept_name *name, size_t bytes);
void hs_kept_empty(struct hs_kept *kept);
void hs_kept_free(struct hs_kept *kept);

#endif
