/* counts_files.c - see counts_files.h. */
#include "apply/counts_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum hs_status hs_counts_map(struct hs_counts **counts, const char *path, struct hs_error *err)
{
    struct stat about;
    void *data;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    *counts = NULL;
    if (fd < 0 && errno == ENOENT)
        return HS_OK;
    if (fd < 0)
        return hs_fail(err, HS_INVALID, "%s: %s", path, strerror(errno));
    if (fstat(fd, &about) != 0)
        about.st_size = -1;
    data = about.st_size == (off_t)sizeof(**counts)
               ? mmap(NULL, sizeof(**counts), PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0)
               : MAP_FAILED;
    close(fd);
    *counts = data == MAP_FAILED ? NULL : data;
    return *counts ? HS_OK
                   : hs_fail(err, HS_INVALID, "%s: no counts of this build of hiersearch", path);
}

void hs_counts_unmap(struct hs_counts *counts)
{
    munmap(counts, sizeof(*counts));
}

bool hs_counts_are_sound(const struct hs_counts *counts)
{
    bool sound = memcmp(counts->format, HS_COUNTS_FORMAT, sizeof(HS_COUNTS_FORMAT)) == 0 &&
                 counts->bytes == sizeof(*counts) && counts->group_count <= HS_COUNTS_GROUPS &&
                 counts->sample_count <= HS_COUNTS_SAMPLES && counts->began_nanoseconds >= 0 &&
                 counts->began_nanoseconds < 1000000000 && counts->began_seconds >= 0 &&
                 counts->began_seconds < INT64_MAX / 4000000000 &&
                 counts->nanoseconds < INT64_MAX / 4 &&
                 memchr(counts->host, '\0', sizeof(counts->host)) &&
                 memchr(counts->library, '\0', sizeof(counts->library)) &&
                 memchr(counts->command, '\0', sizeof(counts->command));

    for (size_t i = 0; sound && i < HS_COUNTS_ROWS; i++) {
        const struct hs_counts_row *row = &counts->rows[i];

        sound = row->calls == 0 ||
                (row->group < counts->group_count && row->call < HS_COUNTED_CALL_COUNT &&
                 row->type < HS_COUNTED_TYPE_COUNT && row->operation < HS_COUNTED_OPERATION_COUNT);
    }
    for (size_t i = 0; sound && i < counts->sample_count; i++)
        sound = counts->samples[i].row < HS_COUNTS_ROWS &&
                counts->rows[counts->samples[i].row].calls > 0 &&
                counts->samples[i].group < counts->group_count;
    for (size_t i = 0; sound && i < counts->group_count; i++)
        sound = counts->groups[i].size > 0 && counts->groups[i].rank >= -1 &&
                counts->groups[i].rank < counts->groups[i].size;
    return sound;
}

int hs_counts_first_rank(const char *folder)
{
    int first = -1;
    DIR *files = opendir(folder);
    struct dirent *file;

    while (files && (file = readdir(files))) {
        char *end;
        long rank = strtol(file->d_name, &end, 10);

        if (end > file->d_name && strcmp(end, ".counts") == 0 && rank >= 0 && rank < INT_MAX &&
            (first < 0 || rank < first))
            first = (int)rank;
    }
    if (files)
        closedir(files);
    return first;
}

/* The first file of NCCL's there; false: there is none. */
static bool first_nccl(char path[PATH_MAX], const char *folder)
{
    DIR *files = opendir(folder);
    struct dirent *file;
    bool found = false;

    while (files && !found && (file = readdir(files)))
        found = hs_counts_is_nccl(file->d_name) &&
                snprintf(path, PATH_MAX, "%s/%s", folder, file->d_name) < PATH_MAX;
    if (files)
        closedir(files);
    return found;
}

void hs_counts_remove(const char *folder)
{
    char path[PATH_MAX];
    int rank;

    while ((rank = hs_counts_first_rank(folder)) >= 0)
        if (!hs_counts_path(path, sizeof(path), folder, rank) || unlink(path) != 0)
            return;
    while (first_nccl(path, folder))
        if (unlink(path) != 0)
            return;
    rmdir(folder);
}
