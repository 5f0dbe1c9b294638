/*
 * pages.h - large buffers: zeroed, present in memory, on huge pages where the system gives them.
 *
 * Huge pages matter: a copy between processes looks up every page of both sides.
 */
#ifndef HS_ENGINE_PAGES_H
#define HS_ENGINE_PAGES_H

#include <stddef.h>

#include "base/error.h"

/* At least `bytes` bytes at a multiple of 4096 (2 MiB for large ones); freed with free(). *out is
 * NULL for 0 bytes. HS_MEMORY names the size and what it was for. Local. */
enum hs_status hs_pages_alloc(void **out, size_t bytes, const char *purpose, struct hs_error *err);
/* The same, but not zeroed: pages come to be where they are written to first. */
enum hs_status hs_pages_reserve(void **out, size_t bytes, const char *purpose,
                                struct hs_error *err);

#endif
