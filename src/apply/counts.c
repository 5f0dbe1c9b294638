#include "apply/counts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

const struct hs_counted_call_row hs_counted_calls[HS_COUNTED_CALL_COUNT] = {
#define HS_ROW(name, text, does, together) {text, does, together},
    HS_COUNTED_CALLS(HS_ROW) HS_COUNTED_NCCL_CALLS(HS_ROW)
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

static void read_command(char command[HS_COUNTS_TEXT])
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, command, HS_COUNTS_TEXT - 1);

    for (ssize_t i = 0; i + 1 < length; i++)
        if (command[i] == '\0')
            command[i] = ' ';
    if (fd >= 0)
        close(fd);
}

/* The file, mapped, with all that is known of who counts; it is closed. */
static struct hs_counts *map(int fd, int rank, int ranks, uint64_t run)
{
    struct hs_counts *counts = MAP_FAILED;
    struct timespec now;

    if (ftruncate(fd, sizeof(*counts)) == 0)
        counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (counts == MAP_FAILED)
        return NULL;
    clock_gettime(CLOCK_REALTIME, &now);
    counts->bytes = sizeof(*counts);
    counts->run = run;
    counts->rank = rank;
    counts->ranks = ranks;
    counts->began_seconds = (int64_t)now.tv_sec;
    counts->began_nanoseconds = (int64_t)now.tv_nsec;
    counts->pid = (int32_t)getpid();
    gethostname(counts->host, sizeof(counts->host) - 1);
    read_command(counts->command);
    memcpy(counts->format, HS_COUNTS_FORMAT, sizeof(HS_COUNTS_FORMAT));
    return counts;
}

struct hs_counts *hs_counts_create(const char *folder, int rank, int ranks, uint64_t run)
{
    char path[4096];
    int fd;

    if (!hs_counts_path(path, sizeof(path), folder, rank)) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return NULL;
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return fd < 0 ? NULL : map(fd, rank, ranks, run);
}

#define NCCL_BEGIN "nccl."
#define NCCL_END   ".counts"
/* Files of one process number on one host's name: of containers, and of runs before. */
#define NAMESAKES 100000

struct hs_counts *hs_counts_create_nccl(const char *folder, int rank, int ranks)
{
    char path[4096], host[HS_COUNTS_HOST] = "";
    int fd = -1;

    gethostname(host, sizeof(host) - 1);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return NULL;
    for (int i = 0; fd < 0 && i < NAMESAKES; i++) {
        int length = snprintf(path, sizeof(path), "%s/" NCCL_BEGIN "%s.%ld.%d" NCCL_END, folder,
                              host, (long)getpid(), i);

        if (length < 0 || (size_t)length >= sizeof(path)) {
            errno = ENAMETOOLONG;
            return NULL;
        }
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return NULL;
    }
    return fd < 0 ? NULL : map(fd, rank, ranks, 0);
}

bool hs_counts_is_nccl(const char *name)
{
    size_t length = strlen(name);

    return length > strlen(NCCL_BEGIN NCCL_END) &&
           strncmp(name, NCCL_BEGIN, strlen(NCCL_BEGIN)) == 0 &&
           strcmp(name + length - strlen(NCCL_END), NCCL_END) == 0;
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

bool hs_counts_say_ranks(struct hs_counts_group *group, const int *ranks, int size)
{
    group->ranks_hash = hs_hash(ranks, (size_t)size * sizeof(*ranks)); /* in their order */
    group->first = ranks[0];
    group->stride = progression(ranks, size);
    return group->stride != 0;
}

int hs_counts_group(struct hs_counts *counts, const int *ranks, int size)
{
    struct hs_counts_group *group = &counts->groups[counts->group_count];

    if (counts->group_count >= HS_COUNTS_GROUPS)
        return -1;
    *group = (struct hs_counts_group){.size = size, .whole = 1, .rank = -1, .device = -1};
    if (!hs_counts_say_ranks(group, ranks, size)) {
        group->whole = (size_t)size <= HS_COUNTS_MEMBERS - counts->member_count;
        if (group->whole) {
            group->members = (uint32_t)counts->member_count;
            memcpy(counts->members + counts->member_count, ranks, (size_t)size * sizeof(*ranks));
            counts->member_count += (size_t)size;
        }
    }
    for (uint32_t i = 0; i < counts->group_count; i++)
        if (counts->groups[i].ranks_hash == group->ranks_hash && counts->groups[i].size == size)
            group->ordinal++;
    return (int)counts->group_count++;
}

int hs_counts_communicator(struct hs_counts *counts, uint64_t made_of, int size, int rank,
                           int device)
{
    if (counts->group_count >= HS_COUNTS_GROUPS)
        return -1;
    counts->groups[counts->group_count] = (struct hs_counts_group){
        .ranks_hash = made_of, .size = size, .rank = rank, .device = device};
    return (int)counts->group_count++;
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

    return (number & (every - 1)) == 0;
}

struct hs_counts_row *hs_counts_find(struct hs_counts *counts, const struct hs_counted *call)
{
    return call->group < 0 ? NULL : find_row(counts, call);
}

void hs_counts_add(struct hs_counts *counts, struct hs_counts_row *row,
                   const struct hs_counted *call)
{
    uint64_t number, last = counts->nanoseconds + call->nanoseconds;

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
    number = counts->groups[row->group].calls++;
    if (is_sample(number) && hs_counted_calls[row->call].together && !row->begun &&
        counts->sample_count < HS_COUNTS_SAMPLES)
        counts->samples[counts->sample_count++] = (struct hs_counts_sample){
            (uint32_t)(row - counts->rows), row->group, number, call->nanoseconds,
            call->since_nanoseconds > last ? call->since_nanoseconds - last : 0};
}
