/*
 * hash.h - one number of many bytes, by which equal bytes are recognised, among friends. All of it
 * is here, for what is linked with nothing else of ours.
 */
#ifndef HS_BASE_HASH_H
#define HS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a of 64 bits (draft-eastlake-fnv, section 2). Of numbers wider than a byte it is another one
 * on a machine of the other byte order. */
static inline uint64_t hs_hash(const void *data, size_t bytes)
{
    const unsigned char *from = (const unsigned char *)data;
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ from[i]) * UINT64_C(1099511628211);
    return hash;
}

#endif
