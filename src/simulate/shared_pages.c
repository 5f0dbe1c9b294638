/*
 * The engine's large buffers (engine/pages.h) in a simulation: all of them are one piece of memory.
 *
 * 512 ranks of 128 MiB would not fit, and nobody reads what is in them: what is simulated is time.
 * A mapping of its own for each, as SMPI offers it, costs page tables and seconds. SMPI recognizes
 * the piece as shared and copies no message in it; it lies on one short file, mapped again and
 * again.
 */
#include <mpi.h>

#include "engine/pages.h"
#include "simulate/simulate.h"

static void *piece;
static size_t piece_bytes;

void hs_shared_pages_init(size_t bytes)
{
    if (piece)
        return;
    piece = SMPI_SHARED_MALLOC(bytes);
    piece_bytes = bytes;
}

enum hs_status hs_pages_alloc(void **out, size_t bytes, const char *purpose, struct hs_error *err)
{
    *out = NULL;
    if (bytes == 0)
        return HS_OK;
    if (!piece || bytes > piece_bytes)
        return hs_fail(err, HS_MEMORY, "cannot map %zu bytes for %s", bytes, purpose);
    *out = piece;
    return HS_OK;
}

/* What smpicc makes of free(). */
void __wrap_smpi_shared_free(void *pointer)
{
    if (pointer != piece)
        __real_smpi_shared_free(pointer);
}
