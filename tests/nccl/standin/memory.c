/* memory.c - device memory: host pages that are accessible only while queued work runs; and pinned
 * host memory. See standin.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "standin.h"

struct block {
    char *begin;
    size_t bytes, mapped;
    int registrations;
    bool pinned; /* the host's, and always accessible */
    bool nccl;   /* by ncclMemAlloc */
    struct block *next;
};

static struct block *blocks;
static int open_depth;

static void protect(int access)
{
    for (struct block *at = blocks; at != NULL; at = at->next)
        if (!at->pinned && mprotect(at->begin, at->mapped, access) != 0)
            abort();
}

void standin_memory_open(void)
{
    if (open_depth++ == 0)
        protect(PROT_READ | PROT_WRITE);
}

void standin_memory_close(void)
{
    if (--open_depth == 0)
        protect(PROT_NONE);
}

static struct block *find(const void *address, size_t bytes)
{
    const char *begin = address;
    for (struct block *at = blocks; at != NULL; at = at->next)
        if (begin >= at->begin && begin + bytes <= at->begin + at->bytes)
            return at;
    return NULL;
}

size_t standin_memory_bytes(void)
{
    size_t bytes = 0;
    for (const struct block *at = blocks; at != NULL; at = at->next)
        bytes += at->pinned ? 0 : at->bytes;
    return bytes;
}

void *standin_memory_new(size_t bytes, bool pinned)
{
    struct block *block = calloc(1, sizeof *block);
    if (block == NULL)
        abort();
    block->bytes = bytes;
    block->pinned = pinned;
    block->mapped = (bytes + 4095) / 4096 * 4096 + 4096;
    block->begin =
        mmap(NULL, block->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block->begin == MAP_FAILED) {
        free(block);
        return NULL;
    }
    memset(block->begin, 0xa5, block->mapped); /* what was there before */
    if (!pinned)
        mprotect(block->begin, block->mapped, open_depth > 0 ? PROT_READ | PROT_WRITE : PROT_NONE);
    block->next = blocks;
    blocks = block;
    return block->begin;
}

void standin_memory_free(void *memory, bool pinned, const char *call)
{
    for (struct block **at = &blocks; *at != NULL; at = &(*at)->next)
        if ((*at)->begin == memory) {
            struct block *block = *at;
            if (block->pinned != pinned)
                standin_broken("memory", "%s of memory of the other kind", call);
            if (block->registrations > 0)
                standin_broken("memory", "%s of a buffer that a communicator has registered", call);
            *at = block->next;
            munmap(block->begin, block->mapped);
            free(block);
            return;
        }
    standin_broken("memory", "%s of something that is not allocated", call);
}

void standin_memory_check(const void *begin, size_t bytes, const char *what)
{
    if (find(begin, bytes) == NULL)
        standin_broken("memory", "%s reaches beyond device memory", what);
}

void standin_memory_allocate(void *begin)
{
    struct block *block = begin != NULL ? find(begin, 1) : NULL;
    if (block != NULL)
        block->nccl = true;
}

bool standin_memory_allocated(const void *address)
{
    const struct block *block = find(address, 1);
    return block != NULL && block->nccl;
}

void standin_memory_register(void *begin, int change)
{
    struct block *block = find(begin, 1);
    if (block == NULL)
        standin_broken("memory", "registration of something that is not device memory");
    block->registrations += change;
}

enum standin_memory_kind standin_memory_kind(const void *address)
{
    const struct block *block = find(address, 1);
    if (block == NULL)
        return STANDIN_ORDINARY;
    return block->pinned ? STANDIN_PINNED : STANDIN_DEVICE;
}

size_t standin_memory_count(void)
{
    size_t count = 0;
    for (struct block *at = blocks; at != NULL; at = at->next)
        count++;
    return count;
}
