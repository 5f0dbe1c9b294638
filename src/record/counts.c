#include "record/counts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
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

/* ---- the file ---- */

/* What is counted, and what of it is in the file. */
struct kept {
    struct hs_counts counts; /* first: this is what others have */
    char path[4096];
    int file;
    pid_t process;
    struct statx identity;
    uint32_t groups, samples; /* of them the first ones, which do not change, as members */
    uint64_t members;
    uint64_t at_once, due_nanoseconds; /* calls after which it was written; when it is next */
};

static bool identify(struct statx *identity, int file)
{
    return statx(file, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, identity) == 0;
}

static bool is_ours(const struct kept *kept)
{
    struct statx now;

    return kept->file >= 0 && identify(&now, kept->file) && now.stx_ino == kept->identity.stx_ino &&
           now.stx_dev_major == kept->identity.stx_dev_major &&
           now.stx_dev_minor == kept->identity.stx_dev_minor;
}

/* A write beyond the program's own limit would end it by a signal. */
static bool is_too_large(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < sizeof(struct hs_counts);
}

/* The program may have closed all its files, and opened others in their place. */
static int check_file(struct kept *kept)
{
    if (is_too_large())
        return EFBIG;
    if (is_ours(kept))
        return 0;
    kept->file = open(kept->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (kept->file < 0)
        return errno;
    if (is_ours(kept))
        return 0;
    close(kept->file);
    kept->file = -1;
    return ESTALE;
}

/* To where it lies in the file as it lies in memory. */
static int put(const struct kept *kept, const void *from, size_t bytes)
{
    const char *at = from;

    while (bytes > 0) {
        ssize_t written = pwrite(kept->file, at, bytes, at - (const char *)kept);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : ENOSPC;
        at += written;
        bytes -= (size_t)written;
    }
    return 0;
}

/* Whom nothing points to first; who points to it behind: rows to groups, samples to rows. */
static int write_changes(struct kept *kept, struct hs_counts_row *rows, size_t count)
{
    struct hs_counts *counts = &kept->counts;
    const uint32_t groups = counts->group_count, samples = counts->sample_count;
    const uint64_t members = counts->member_count;
    int error = check_file(kept);

    if (error == 0)
        error = put(kept, counts->groups + kept->groups,
                    (groups - kept->groups) * sizeof(*counts->groups));
    if (error == 0)
        error = put(kept, counts->members + kept->members,
                    (members - kept->members) * sizeof(*counts->members));
    if (error == 0)
        error = put(kept, counts->samples + kept->samples,
                    (samples - kept->samples) * sizeof(*counts->samples));
    if (error == 0)
        error = put(kept, counts, offsetof(struct hs_counts, rows));
    if (error != 0)
        return error;
    kept->groups = groups;
    kept->members = members;
    kept->samples = samples;
    for (struct hs_counts_row *row = rows; row < rows + count && error == 0; row++)
        if (row->changed) {
            row->changed = 0;
            error = put(kept, row, sizeof(*row));
            row->changed = error != 0;
        }
    return error;
}

static int write_rows(struct kept *kept, struct hs_counts_row *rows, size_t count)
{
    int before = errno, error;

    if (kept->process != getpid())
        return 0;
    error = write_changes(kept, rows, count);
    errno = before;
    return error;
}

int hs_counts_write(struct hs_counts *counts)
{
    return write_rows((struct kept *)counts, counts->rows, HS_COUNTS_ROWS);
}

const char *hs_counts_file(const struct hs_counts *counts)
{
    return ((const struct kept *)counts)->path;
}

int hs_counts_end(struct hs_counts *counts)
{
    struct kept *kept = (struct kept *)counts;
    int error = hs_counts_write(counts);

    if (is_ours(kept) && close(kept->file) != 0 && error == 0)
        error = errno;
    munmap(kept, sizeof(*kept));
    return error;
}

/* In the folder, which is made where there is none; NULL with errno. */
static struct kept *make(const char *folder)
{
    struct kept *kept = MAP_FAILED;

    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        kept =
            mmap(NULL, sizeof(*kept), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return kept == MAP_FAILED ? NULL : kept;
}

static bool is_made(struct kept *kept)
{
    if (kept->file < 0)
        return false;
    errno = EFBIG;
    return !is_too_large() && identify(&kept->identity, kept->file) &&
           ftruncate(kept->file, sizeof(kept->counts)) == 0;
}

/* With all that is known of who counts. Where there is no room for that in the file yet, there may
 * be later. NULL with errno where there is no file. */
static struct hs_counts *begin(struct kept *kept, int rank, int ranks, uint64_t run)
{
    struct hs_counts *counts = &kept->counts;
    struct timespec now;

    if (!is_made(kept)) {
        int error = errno;

        if (kept->file >= 0)
            close(kept->file);
        munmap(kept, sizeof(*kept));
        errno = error;
        return NULL;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    counts->bytes = sizeof(*counts);
    counts->run = run;
    counts->rank = rank;
    counts->ranks = ranks;
    counts->began_seconds = (int64_t)now.tv_sec;
    counts->began_nanoseconds = (int64_t)now.tv_nsec;
    kept->process = getpid();
    counts->pid = (int32_t)kept->process;
    gethostname(counts->host, sizeof(counts->host) - 1);
    read_command(counts->command);
    memcpy(counts->format, HS_COUNTS_FORMAT, sizeof(HS_COUNTS_FORMAT));
    (void)hs_counts_write(counts);
    return counts;
}

#define FLAGS (O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK)

struct hs_counts *hs_counts_create(const char *folder, int rank, int ranks, uint64_t run)
{
    struct kept *kept = make(folder);

    if (!kept)
        return NULL;
    if (hs_counts_path(kept->path, sizeof(kept->path), folder, rank)) {
        kept->file = open(kept->path, FLAGS | O_TRUNC, 0666);
    } else {
        kept->file = -1;
        errno = ENAMETOOLONG;
    }
    return begin(kept, rank, ranks, run);
}

#define NCCL_BEGIN "nccl."
#define NCCL_END   ".counts"
/* Files of one process number on one host's name: of containers, and of runs before. */
#define NAMESAKES 100000

struct hs_counts *hs_counts_create_nccl(const char *folder, int rank, int ranks)
{
    struct kept *kept = make(folder);
    char host[HS_COUNTS_HOST] = "";

    if (!kept)
        return NULL;
    gethostname(host, sizeof(host) - 1);
    kept->file = -1;
    errno = EEXIST;
    for (int i = 0; kept->file < 0 && errno == EEXIST && i < NAMESAKES; i++) {
        int length = snprintf(kept->path, sizeof(kept->path), "%s/" NCCL_BEGIN "%s.%ld.%d" NCCL_END,
                              folder, host, (long)getpid(), i);

        if (length > 0 && (size_t)length < sizeof(kept->path))
            kept->file = open(kept->path, FLAGS | O_EXCL, 0666);
        else
            errno = ENAMETOOLONG;
    }
    return begin(kept, rank, ranks, 0);
}

bool hs_counts_is_nccl(const char *name)
{
    size_t length = strlen(name);

    return length > strlen(NCCL_BEGIN NCCL_END) &&
           strncmp(name, NCCL_BEGIN, strlen(NCCL_BEGIN)) == 0 &&
           strcmp(name + length - strlen(NCCL_END), NCCL_END) == 0;
}

/* ---- what is counted ---- */

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
    uint64_t hash =
        wanted.group * 0x9e3779b97f4a7c15u +
        ((uint64_t)wanted.call | (uint64_t)wanted.begun << 8 | (uint64_t)wanted.type << 9 |
         (uint64_t)wanted.operation << 16 | (uint64_t)wanted.size_class << 24) *
            0xc2b2ae3d27d4eb4fu;
    size_t at = (size_t)(hash >> 40) % HS_COUNTS_ROWS;

    for (; counts->rows[at].calls > 0; at = (at + 1) % HS_COUNTS_ROWS)
        if (memcmp(&counts->rows[at], &wanted, offsetof(struct hs_counts_row, changed)) == 0)
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

/* Behind a call: of the first ones what that has changed, of later ones all. Apart, so that the
 * calls between cost next to nothing. */
static __attribute__((noinline)) void write_now(struct kept *kept, struct hs_counts_row *row)
{
    if (kept->at_once < HS_COUNTS_AT_ONCE)
        (void)write_rows(kept, row, row != NULL);
    else
        (void)hs_counts_write(&kept->counts);
    if (++kept->at_once >= HS_COUNTS_AT_ONCE)
        kept->due_nanoseconds = kept->counts.nanoseconds + HS_COUNTS_EVERY;
}

void hs_counts_add(struct hs_counts *counts, struct hs_counts_row *row,
                   const struct hs_counted *call)
{
    struct kept *kept = (struct kept *)counts;
    uint64_t number, last = counts->nanoseconds + call->nanoseconds;

    counts->nanoseconds = call->since_nanoseconds;
    if (row) {
        row->changed = 1;
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
    } else {
        counts->uncounted_calls++;
    }
    if (call->since_nanoseconds >= kept->due_nanoseconds)
        write_now(kept, row);
}
