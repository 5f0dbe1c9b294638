/* order.c - what happened before what, and the rule `race`. See standin.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "standin.h"

struct access {
    struct standin_range range;
    const char *what;
    int stream;
    uint32_t tick;
};

struct standin_clock standin_host_clock;
static struct access *accesses;
static size_t access_count, access_room;

void standin_broken(const char *rule, const char *format, ...)
{
    char line[512];
    va_list arguments;
    int length = snprintf(line, sizeof line, "standin: %s: ", rule);
    va_start(arguments, format);
    vsnprintf(line + length, sizeof line - (size_t)length - 1, format, arguments);
    va_end(arguments);
    strcat(line, "\n");
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        _exit(STANDIN_STATUS + 1);
    _exit(STANDIN_STATUS);
}

void standin_clock_merge(struct standin_clock *into, const struct standin_clock *from)
{
    for (int i = 0; i < STANDIN_STREAMS; i++)
        if (into->ticks[i] < from->ticks[i])
            into->ticks[i] = from->ticks[i];
}

/* What the host has waited for is before everything that it will ask for. */
static void forget_old(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < access_count; i++)
        if (standin_host_clock.ticks[accesses[i].stream] < accesses[i].tick)
            accesses[kept++] = accesses[i];
    access_count = kept;
}

static bool overlap(const struct standin_range *a, const struct standin_range *b)
{
    return a->begin < b->begin + b->bytes && b->begin < a->begin + a->bytes;
}

void standin_host_access(const char *what, const void *begin, size_t bytes, bool write)
{
    const struct standin_range range = {(char *)begin, bytes, write};
    forget_old();
    for (size_t i = 0; i < access_count; i++)
        if ((accesses[i].range.write || write) && overlap(&accesses[i].range, &range))
            standin_broken("race", "%s while %s on stream %d is not known to have ended", what,
                           accesses[i].what, accesses[i].stream);
}

void standin_access(const char *what, const struct standin_range *ranges, int stream, uint32_t tick,
                    const struct standin_clock *clock)
{
    forget_old();
    for (int r = 0; r < STANDIN_RANGES; r++) {
        if (ranges[r].bytes == 0)
            continue;
        for (size_t i = 0; i < access_count; i++) {
            const struct access *old = &accesses[i];
            bool conflict =
                (old->range.write || ranges[r].write) && overlap(&old->range, &ranges[r]);
            bool same = old->stream == stream && old->tick == tick;
            if (conflict && !same && clock->ticks[old->stream] < old->tick)
                standin_broken("race",
                               "%s on stream %d and %s on stream %d, with nothing between them",
                               old->what, old->stream, what, stream);
        }
        if (access_count == access_room) {
            access_room = 2 * access_room + 64;
            accesses = realloc(accesses, access_room * sizeof *accesses);
            if (accesses == NULL)
                abort();
        }
        accesses[access_count++] = (struct access){ranges[r], what, stream, tick};
    }
}
