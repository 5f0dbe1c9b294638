#include "apply/counts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const struct hs_counted_call_row hs_counted_calls[HS_COUNTED_CALL_COUNT] = {
#define HS_ROW(name, text, does, together) {text, does, together},
    HS_COUNTED_CALLS(HS_ROW)
#undef HS_ROW
};
const char *const hs_counted_type_names[HS_COUNTED_TYPE_COUNT] = {
#define HS_ROW(name, text) text,
    HS_COUNTED_TYPES(HS_ROW)
#undef HS_ROW
};
const char *const hs_counted_operation_names[HS_COUNTED_OPERATION_COUNT] = {
#define HS_ROW(name, text) text,
    HS_COUNTED_OPERATIONS(HS_ROW)
#undef HS_ROW
};

bool hs_counts_path(char *path, size_t path_bytes, const char *folder, int rank)
{
    int length = snprintf(path, path_bytes, "%s/%d.counts", folder, rank);

    return length > 0 && (size_t)length < path_bytes;
}

struct hs_counts *hs_counts_create(const char *folder, int rank, int ranks, uint64_t run)
{
    char path[4096];
    struct hs_counts *counts;
    int fd;

    if (!hs_counts_path(path, sizeof(path), folder, rank)) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return NULL;
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return NULL;
    if (ftruncate(fd, sizeof(*counts)) != 0) {
        close(fd);
        return NULL;
    }
    counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (counts == MAP_FAILED)
        return NULL;
    counts->bytes = sizeof(*counts);
    counts->run = run;
    counts->rank = rank;
    counts->ranks = ranks;
    counts->began_seconds = (int64_t)time(NULL);
    gethostname(counts->host, sizeof(counts->host) - 1);
    memcpy(counts->format, HS_COUNTS_FORMAT, sizeof(HS_COUNTS_FORMAT));
    return counts;
}

/* FNV-1a of the ranks, as they are numbered in the group. */
static uint64_t hash_ranks(const int *ranks, int size)
{
    uint64_t hash = 14695981039346656037u;

    for (int i = 0; i < size; i++)
        for (int byte = 0; byte < 4; byte++)
            hash = (hash ^ ((unsigned)ranks[i] >> 8 * byte & 0xff)) * 1099511628211u;
    return hash;
}

/* The distance from each to the next; 0: there is none. */
static int progression(const int *ranks, int size)
{
    int stride = size > 1 ? ranks[1] - ranks[0] : 1;

    for (int i = 1; i < size; i++)
        if (ranks[i] - ranks[i - 1] != stride)
            return 0;
    return stride;
}

int hs_counts_group(struct hs_counts *counts, const int *ranks, int size)
{
    struct hs_counts_group *group;
    uint64_t hash = hash_ranks(ranks, size);
    uint32_t ordinal = 0;

    if (counts->group_count >= HS_COUNTS_GROUPS)
        return -1;
    for (uint32_t i = 0; i < counts->group_count; i++)
        if (counts->groups[i].ranks_hash == hash && counts->groups[i].size == size)
            ordinal++;
    group = &counts->groups[counts->group_count];
    *group = (struct hs_counts_group){.ranks_hash = hash,
                                      .ordinal = ordinal,
                                      .size = size,
                                      .first = ranks[0],
                                      .stride = progression(ranks, size),
                                      .whole = 1};
    if (group->stride == 0) {
        group->whole = (size_t)size <= HS_COUNTS_MEMBERS - counts->member_count;
        if (group->whole) {
            group->members = (uint32_t)counts->member_count;
            memcpy(counts->members + counts->member_count, ranks, (size_t)size * sizeof(*ranks));
            counts->member_count += (size_t)size;
        }
    }
    return (int)counts->group_count++;
}

uint32_t hs_counts_class(uint64_t bytes)
{
    return bytes == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(bytes);
}

/* Rows lie where their hash puts them, or behind it; a quarter stays free. */
static struct hs_counts_row *find_row(struct hs_counts *counts, const struct hs_counted *call)
{
    const struct hs_counts_row wanted = {.group = (uint32_t)call->group,
                                         .call = (uint8_t)call->call,
                                         .begun = call->begun,
                                         .type = (uint8_t)call->type,
                                         .operation = (uint8_t)call->operation,
                                         .size_class = hs_counts_class(call->bytes)};
    uint64_t hash = wanted.group * 0x9e3779b97f4a7c15u +
                    (wanted.call | wanted.begun << 8 | wanted.type << 9 | wanted.operation << 16 |
                     (uint64_t)wanted.size_class << 24) *
                        0xc2b2ae3d27d4eb4fu;
    size_t at = (size_t)(hash >> 40) % HS_COUNTS_ROWS;

    for (; counts->rows[at].calls > 0; at = (at + 1) % HS_COUNTS_ROWS)
        if (memcmp(&counts->rows[at], &wanted, offsetof(struct hs_counts_row, unused)) == 0)
            return &counts->rows[at];
    if (counts->row_count >= HS_COUNTS_ROWS / 4 * 3)
        return NULL;
    counts->rows[at] = wanted;
    counts->row_count++;
    return &counts->rows[at];
}

/* Which calls of a group are timed one by one, on all of its ranks alike: every one of the first
 * 64, then fewer and fewer. */
static bool is_sample(uint64_t number)
{
    uint64_t every = number < 64 ? 1 : number < 4096 ? 16 : number < 262144 ? 512 : 16384;

    return number % every == 0;
}

void hs_counts_add(struct hs_counts *counts, const struct hs_counted *call)
{
    struct hs_counts_row *row = call->group < 0 ? NULL : find_row(counts, call);
    uint64_t number;

    counts->nanoseconds = call->since_nanoseconds;
    if (!row) {
        counts->uncounted_calls++;
        return;
    }
    row->calls++;
    row->bytes += call->bytes;
    row->nanoseconds += call->nanoseconds;
    if (call->nanoseconds > row->longest_nanoseconds)
        row->longest_nanoseconds = call->nanoseconds;
    number = counts->groups[call->group].calls++;
    if (hs_counted_calls[call->call].together && !call->begun && is_sample(number) &&
        counts->sample_count < HS_COUNTS_SAMPLES)
        counts->samples[counts->sample_count++] = (struct hs_counts_sample){
            (uint32_t)(row - counts->rows), (uint32_t)call->group, number, call->nanoseconds};
}
