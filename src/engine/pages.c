/* pages.c - see pages.h. */
#include "engine/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define PAGE_BYTES      ((size_t)4096)

enum hs_status hs_pages_reserve(void **out, size_t bytes, const char *purpose, struct hs_error *err)
{
    size_t page = bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : PAGE_BYTES;
    *out = NULL;
    if (bytes == 0)
        return HS_OK;
    if (bytes <= SIZE_MAX - page)
        *out = aligned_alloc(page, (bytes + page - 1) / page * page);
    if (*out == NULL)
        return hs_fail(err, HS_MEMORY, "cannot allocate %zu bytes for %s", bytes, purpose);
    /* Only advice: without huge pages everything works, more slowly. */
    if (page == HUGE_PAGE_BYTES)
        (void)madvise(*out, (bytes + page - 1) / page * page, MADV_HUGEPAGE);
    return HS_OK;
}

enum hs_status hs_pages_alloc(void **out, size_t bytes, const char *purpose, struct hs_error *err)
{
    enum hs_status status = hs_pages_reserve(out, bytes, purpose, err);

    if (status == HS_OK && bytes > 0)
        memset(*out, 0, bytes);
    return status;
}
