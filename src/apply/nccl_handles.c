#include "apply/nccl_handles.h"
#include "library/price_nccl.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NOT_ASKED = -2 };

struct known {
    hs_nccl_comm handle;       /* NULL: it is not at its place yet, or was not when looked at */
    const hs_nccl_comm *place; /* NULL: it has been there */
    uint64_t made_of, splits, shrinks;
    struct hs_nccl_group of;
};

static struct known *all;
static size_t count, capacity;
static uint64_t numbered; /* what this process made by itself */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- what they are made of ---- */

uint64_t hs_nccl_hash(const void *data, size_t bytes)
{
    const unsigned char *from = data;
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ from[i]) * 1099511628211u;
    return hash;
}

uint64_t hs_nccl_of_ids(const hs_nccl_id *ids, int id_count)
{
    return ids && id_count > 0 ? hs_nccl_hash(ids, sizeof(*ids) * (size_t)id_count) : 0;
}

/* No other process's: host, process, moment, number. */
uint64_t hs_nccl_of_process(void)
{
    struct {
        char host[HS_COUNTS_HOST];
        int64_t pid, seconds, nanoseconds;
        uint64_t number;
    } self;
    struct timespec now;

    memset(&self, 0, sizeof(self));
    clock_gettime(CLOCK_REALTIME, &now);
    gethostname(self.host, sizeof(self.host) - 1);
    self.pid = getpid();
    self.seconds = (int64_t)now.tv_sec;
    self.nanoseconds = (int64_t)now.tv_nsec;
    pthread_mutex_lock(&lock);
    self.number = numbered++;
    pthread_mutex_unlock(&lock);
    return hs_nccl_hash(&self, sizeof(self));
}

/* What is at a place that the program may have given back meanwhile: the kernel looks. NULL: it is
 * nowhere. */
static hs_nccl_comm at(const hs_nccl_comm *place)
{
    hs_nccl_comm found = NULL;
    int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return NULL;
    if (pread(fd, &found, sizeof(hs_nccl_comm), (off_t)(uintptr_t)place) !=
        (ssize_t)sizeof(hs_nccl_comm))
        found = NULL;
    close(fd);
    return found;
}

/* The one with this handle; of those that were not at their place yet the latest one that is there
 * now. */
static struct known *find(hs_nccl_comm handle)
{
    for (size_t i = count; i-- > 0;)
        if (all[i].handle == handle)
            return &all[i];
    for (size_t i = count; i-- > 0;)
        if (all[i].place && at(all[i].place) == handle) {
            all[i].handle = handle;
            all[i].place = NULL;
            return &all[i];
        }
    return NULL;
}

static uint64_t of_parent(hs_nccl_comm handle, bool shrinks, int color)
{
    struct known *parent;
    struct {
        uint64_t parent, number;
        int64_t shrinks, color;
    } of = {.shrinks = shrinks, .color = color};

    pthread_mutex_lock(&lock);
    parent = handle ? find(handle) : NULL;
    if (parent) {
        of.parent = parent->made_of;
        of.number = shrinks ? parent->shrinks++ : parent->splits++;
    }
    pthread_mutex_unlock(&lock);
    return parent ? hs_nccl_hash(&of, sizeof(of)) : 0;
}

uint64_t hs_nccl_of_split(hs_nccl_comm parent, int color)
{
    uint64_t made_of = of_parent(parent, false, color);

    return color == HS_NCCL_NO_COLOR ? 0 : made_of;
}

uint64_t hs_nccl_of_shrink(hs_nccl_comm parent)
{
    return of_parent(parent, true, 0);
}

/* ---- handles ---- */

static void forget(size_t i)
{
    memmove(all + i, all + i + 1, (--count - i) * sizeof(*all));
}

/* The new one, zeroed. NULL: no memory. */
static struct known *add(void)
{
    struct known *grown;

    if (count == capacity) {
        grown = realloc(all, (2 * capacity + 16) * sizeof(*all));
        if (!grown)
            return NULL;
        all = grown;
        capacity = 2 * capacity + 16;
    }
    all[count] = (struct known){.of = {NOT_ASKED, 0}};
    return &all[count++];
}

void hs_nccl_made(hs_nccl_comm *place, hs_nccl_comm before, uint64_t made_of)
{
    hs_nccl_comm handle;
    struct known *made;

    if (!place || made_of == 0)
        return;
    handle = *place;
    pthread_mutex_lock(&lock);
    for (size_t i = count; i-- > 0;)
        if (all[i].place == place || (handle && handle != before && all[i].handle == handle))
            forget(i);
    made = add();
    if (made) {
        made->made_of = made_of;
        made->handle = handle != before ? handle : NULL;
        made->place = made->handle ? NULL : place;
    }
    pthread_mutex_unlock(&lock);
}

void hs_nccl_ended(hs_nccl_comm handle)
{
    struct known *ended;

    pthread_mutex_lock(&lock);
    ended = handle ? find(handle) : NULL;
    if (ended)
        forget((size_t)(ended - all));
    pthread_mutex_unlock(&lock);
}

/* What is kept of a handle; one that was made in a way that is not seen is of this process alone.
 * NULL: no memory. */
static struct known *find_or_add(hs_nccl_comm handle, uint64_t alone)
{
    struct known *known = find(handle);

    if (!known && (known = add())) {
        known->handle = handle;
        known->made_of = alone;
    }
    return known;
}

struct hs_nccl_group hs_nccl_group_of(struct hs_counts *counts, hs_nccl_comm handle,
                                      hs_nccl_ask *ask, const void *caller)
{
    struct hs_nccl_group of = {NOT_ASKED, 0};
    struct hs_nccl_said said;
    struct known *known;
    uint64_t alone;

    pthread_mutex_lock(&lock);
    known = find(handle);
    if (known)
        of = known->of;
    pthread_mutex_unlock(&lock);
    if (of.group != NOT_ASKED)
        return of;
    of.group = -1;
    if (!handle || !ask(&said, handle, caller) || said.rank < 0 || said.size <= said.rank)
        return of;
    alone = hs_nccl_of_process();
    of.size = said.size;
    pthread_mutex_lock(&lock);
    known = find_or_add(handle, alone);
    if (known && known->of.group == NOT_ASKED) {
        of.group =
            hs_counts_communicator(counts, known->made_of, said.size, said.rank, said.device);
        known->of = of;
    } else if (known) {
        of = known->of;
    }
    pthread_mutex_unlock(&lock);
    return of;
}
