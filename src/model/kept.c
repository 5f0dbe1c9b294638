#include "model/kept.h"

#include <stdlib.h>

#define PLACES ((size_t)2 * HS_KEPT_ITEMS) /* a power of two; half of them stay free */

struct place {
    struct hs_kept_name name;
    void *item; /* owned; NULL: free */
};

struct hs_kept {
    struct place places[PLACES];
    size_t count, bytes;
};

struct hs_kept *hs_kept_new(void)
{
    return calloc(1, sizeof(struct hs_kept));
}

static uint64_t mix(uint64_t hash, int64_t value)
{
    hash = (hash ^ (uint64_t)value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Gaps are told apart by comparison. */
static size_t first_place(const struct hs_kept_name *name)
{
    uint64_t hash = mix(0, name->key.layer.stride);

    hash = mix(hash, name->key.layer.size);
    hash = mix(hash, (int64_t)name->key.phase * HS_ALGORITHM_COUNT + (int64_t)name->key.algorithm);
    hash = mix(hash, name->group.ranks);
    hash = mix(hash, name->group.stride);
    hash = mix(hash, name->group.size);
    return (size_t)mix(mix(hash, name->kind), name->detail) % PLACES;
}

static bool is_equal(const struct hs_kept_name *a, const struct hs_kept_name *b)
{
    return a->kind == b->kind && a->detail == b->detail && hs_stage_key_equal(a->key, b->key) &&
           hs_group_equal(&a->group, &b->group);
}

/* The item's, or the free one where it would stand. */
static size_t place_of(const struct hs_kept *kept, const struct hs_kept_name *name)
{
    size_t at = first_place(name);

    while (kept->places[at].item && !is_equal(&kept->places[at].name, name))
        at = (at + 1) % PLACES;
    return at;
}

void *hs_kept_find(const struct hs_kept *kept, const struct hs_kept_name *name)
{
    return kept ? kept->places[place_of(kept, name)].item : NULL;
}

void *hs_kept_add(struct hs_kept *kept, const struct hs_kept_name *name, size_t bytes)
{
    struct place *place;

    if (!kept || bytes > HS_KEPT_BYTES)
        return NULL;
    if (kept->count == HS_KEPT_ITEMS || kept->bytes > HS_KEPT_BYTES - bytes)
        hs_kept_empty(kept);
    place = &kept->places[place_of(kept, name)];
    *place = (struct place){*name, calloc(1, bytes)};
    if (place->item) {
        kept->count++;
        kept->bytes += bytes;
    }
    return place->item;
}

void hs_kept_empty(struct hs_kept *kept)
{
    for (size_t i = 0; kept && kept->count > 0; i++) {
        kept->count -= kept->places[i].item != NULL;
        free(kept->places[i].item);
        kept->places[i].item = NULL;
    }
    if (kept)
        kept->bytes = 0;
}

void hs_kept_free(struct hs_kept *kept)
{
    hs_kept_empty(kept);
    free(kept);
}
