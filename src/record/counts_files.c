/* counts_files.c - see counts_files.h. */
#include "record/counts_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"

/* Of a row, and of all ranks together: as many as a profile can say. */
#define CALLS_MAX ((uint64_t)1 << 53)

static bool is_header_sound(const struct hs_counts *counts)
{
    return memcmp(counts->format, HS_COUNTS_FORMAT, sizeof(HS_COUNTS_FORMAT)) == 0 &&
           counts->bytes == sizeof(*counts) && counts->group_count <= HS_COUNTS_GROUPS &&
           counts->sample_count <= HS_COUNTS_SAMPLES && counts->began_nanoseconds >= 0 &&
           counts->began_nanoseconds < 1000000000 && counts->began_seconds >= 0 &&
           counts->began_seconds < INT64_MAX / 4000000000 && counts->nanoseconds < INT64_MAX / 4 &&
           counts->uncounted_calls <= CALLS_MAX &&
           memchr(counts->host, '\0', sizeof(counts->host)) &&
           memchr(counts->library, '\0', sizeof(counts->library)) &&
           memchr(counts->command, '\0', sizeof(counts->command));
}

static bool is_row_sound(const struct hs_counts *counts, const struct hs_counts_row *row)
{
    return row->calls == 0 ||
           (row->group < counts->group_count && row->call < HS_COUNTED_CALL_COUNT &&
            row->begun <= 1 && row->type < HS_COUNTED_TYPE_COUNT &&
            row->operation < HS_COUNTED_OPERATION_COUNT && row->size_class <= 64 &&
            row->calls <= CALLS_MAX && row->bytes <= INT64_MAX && row->nanoseconds <= INT64_MAX &&
            row->longest_nanoseconds <= row->nanoseconds);
}

static bool is_sound(const struct hs_counts *counts)
{
    bool sound = true;

    for (size_t i = 0; sound && i < HS_COUNTS_ROWS; i++)
        sound = is_row_sound(counts, &counts->rows[i]);
    for (size_t i = 0; sound && i < counts->sample_count; i++)
        sound = counts->samples[i].row < HS_COUNTS_ROWS &&
                counts->samples[i].group < counts->group_count &&
                counts->samples[i].nanoseconds <= INT64_MAX &&
                counts->samples[i].before_nanoseconds <= INT64_MAX;
    for (size_t i = 0; sound && i < counts->group_count; i++)
        sound = counts->groups[i].size > 0 && counts->groups[i].rank >= -1 &&
                counts->groups[i].rank < counts->groups[i].size;
    return sound;
}

/* From where it lies in the file to where it lies in memory. */
static bool get(int fd, struct hs_counts *counts, size_t offset, size_t bytes)
{
    char *to = (char *)counts + offset;

    while (bytes > 0) {
        ssize_t got = pread(fd, to, bytes, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        offset += (size_t)got;
        bytes -= (size_t)got;
    }
    return true;
}

#define GET(member, count)                                                                         \
    get(fd, counts, offsetof(struct hs_counts, member), (count) * sizeof(counts->member[0]))

/* Rows first: the rank may be at work, and what they point to was written before them. */
static bool read_counts(int fd, struct hs_counts *counts)
{
    struct stat about;

    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
           about.st_size == (off_t)sizeof(*counts) && GET(rows, HS_COUNTS_ROWS) &&
           get(fd, counts, 0, offsetof(struct hs_counts, rows)) && is_header_sound(counts) &&
           GET(groups, counts->group_count) && GET(samples, counts->sample_count) &&
           is_sound(counts);
}

enum hs_status hs_counts_load(struct hs_counts **counts, const char *path, struct hs_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    enum hs_status status = HS_OK;

    *counts = NULL;
    if (fd < 0 && errno == ENOENT)
        return HS_OK;
    if (fd < 0)
        return hs_fail(err, HS_INVALID, "%s: %s", path, strerror(errno));
    *counts = calloc(1, sizeof(**counts));
    if (!*counts)
        status = hs_no_memory(err);
    else if (!read_counts(fd, *counts))
        status =
            hs_fail(err, HS_INVALID, "%s: no counts of this build of hiersearch, or spoilt", path);
    close(fd);
    if (status != HS_OK) {
        free(*counts);
        *counts = NULL;
    }
    return status;
}

/* The rank that a file is of; -1: it is none of MPI's. */
static int rank_of(const char *name)
{
    char *end;
    long rank = strtol(name, &end, 10);

    return name[0] >= '0' && name[0] <= '9' && strcmp(end, ".counts") == 0 && rank < INT_MAX
               ? (int)rank
               : -1;
}

static int compare_ranks(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;

    return a < b ? -1 : a > b;
}

enum hs_status hs_counts_ranks(int **ranks, size_t *count, const char *folder, struct hs_error *err)
{
    DIR *files = opendir(folder);
    struct dirent *file;
    enum hs_status status = HS_OK;

    *ranks = NULL;
    *count = 0;
    while (files && status == HS_OK && (file = readdir(files))) {
        int rank = rank_of(file->d_name), *place;

        if (rank < 0)
            continue;
        place = hs_grow(ranks, NULL, *count, sizeof(*place), err);
        if (place)
            (*ranks)[(*count)++] = rank;
        else
            status = HS_MEMORY;
    }
    if (files)
        closedir(files);
    if (*count > 0)
        qsort(*ranks, *count, sizeof(**ranks), compare_ranks);
    return status;
}

void hs_counts_remove(const char *folder)
{
    DIR *files = opendir(folder);
    struct dirent *file;

    while (files && (file = readdir(files)))
        if (rank_of(file->d_name) >= 0 || hs_counts_is_nccl(file->d_name))
            unlinkat(dirfd(files), file->d_name, 0);
    if (files)
        closedir(files);
    rmdir(folder);
}
