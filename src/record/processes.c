#include "record/processes.h"

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
#include "record/counts_files.h"

/* ---- files ---- */

static int64_t began(const struct hs_counts *counts)
{
    return counts->began_seconds * 1000000000 + counts->began_nanoseconds;
}

static int64_t ended(const struct hs_counts *counts)
{
    return began(counts) + (int64_t)counts->nanoseconds;
}

static enum hs_status add_file(struct hs_processes *processes, const char *folder, const char *name,
                               struct hs_error *err)
{
    struct hs_counts **counts =
        hs_grow(&processes->counts, NULL, processes->count, sizeof(struct hs_counts *), err);
    char path[PATH_MAX];
    enum hs_status status;

    if (!counts)
        return HS_MEMORY;
    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
        return hs_fail(err, HS_INVALID, "%s: too long a path", folder);
    status = hs_counts_load(counts, path, err);
    if (status != HS_OK || !*counts)
        return status;
    processes->count++;
    if ((*counts)->run != 0)
        return hs_fail(err, HS_INVALID, "%s: no counts of this build of hiersearch, or spoilt",
                       path);
    return HS_OK;
}

static int compare_begins(const void *left, const void *right)
{
    const struct hs_counts *a = *(struct hs_counts *const *)left,
                           *b = *(struct hs_counts *const *)right;

    return began(a) < began(b) ? -1 : began(a) > began(b);
}

/* A communicator, as one process has it. */
struct member {
    uint64_t made_of;
    size_t file, group;
    int32_t size, rank, device;
    int64_t number; /* of the job */
};

static int compare_members(const void *left, const void *right)
{
    const struct member *a = left, *b = right;

    if (a->made_of != b->made_of)
        return a->made_of < b->made_of ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->file < b->file ? -1 : a->file > b->file;
}

static bool is_one_communicator(const struct member *a, const struct member *b)
{
    return a->made_of == b->made_of && a->size == b->size;
}

/* All members of all communicators, those of one side by side. NULL: no memory. */
static struct member *list_members(const struct hs_processes *processes, size_t *member_count,
                                   struct hs_error *err)
{
    struct member *members;
    size_t count = 0;

    *member_count = 0;
    for (size_t i = 0; i < processes->count; i++)
        count += processes->counts[i]->group_count;
    members = calloc(count + 1, sizeof(*members));
    if (!members) {
        hs_no_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < processes->count; i++)
        for (size_t g = 0; g < processes->counts[i]->group_count; g++) {
            const struct hs_counts_group *group = &processes->counts[i]->groups[g];

            members[(*member_count)++] = (struct member){
                group->ranks_hash, i, g, group->size, group->rank, group->device, 0};
        }
    qsort(members, count, sizeof(*members), compare_members);
    return members;
}

/* Of the communicators whose members lie on both sides of `first` the earliest file. */
static size_t reach_back(const struct member *members, size_t member_count, size_t first)
{
    size_t reached = first, end;

    for (size_t at = 0; at < member_count; at = end) {
        size_t least = members[at].file, most = least;

        for (end = at + 1; end < member_count && is_one_communicator(&members[at], &members[end]);
             end++) {
            least = members[end].file < least ? members[end].file : least;
            most = members[end].file > most ? members[end].file : most;
        }
        if (most >= first && least < reached)
            reached = least;
    }
    return reached;
}

/* Files are sorted by their begin. The first one of the last run. */
static size_t find_first(const struct hs_processes *processes, const struct member *members,
                         size_t member_count, int64_t since)
{
    size_t first = 0, reached;
    int64_t last_end = INT64_MIN;

    for (size_t i = 0; i < processes->count; i++) {
        int64_t end = ended(processes->counts[i]);

        if (since > 0 && end < since)
            first = i + 1;
        else if (since == 0 && i > 0 && began(processes->counts[i]) > last_end)
            first = i;
        last_end = end > last_end ? end : last_end;
    }
    /* Clocks of hosts differ: who has a communicator together is of one run. */
    while ((reached = reach_back(members, member_count, first)) < first)
        first = reached;
    return first;
}

static enum hs_status drop_runs_before(struct hs_processes *processes, int64_t since,
                                       struct hs_error *err)
{
    size_t member_count, first;
    struct member *members = list_members(processes, &member_count, err);

    if (!members)
        return HS_MEMORY;
    first = find_first(processes, members, member_count, since);
    free(members);
    for (size_t i = 0; i < first; i++)
        free(processes->counts[i]);
    processes->count -= first;
    memmove(processes->counts, processes->counts + first,
            processes->count * sizeof(struct hs_counts *));
    return HS_OK;
}

enum hs_status hs_processes_load(struct hs_processes *processes, const char *folder, int64_t since,
                                 struct hs_error *err)
{
    DIR *files = opendir(folder);
    struct dirent *file;
    enum hs_status status = HS_OK;

    *processes = (struct hs_processes){.order = ""};
    while (files && status == HS_OK && (file = readdir(files)))
        if (hs_counts_is_nccl(file->d_name))
            status = add_file(processes, folder, file->d_name, err);
    if (files)
        closedir(files);
    if (status == HS_OK && processes->count > 0) {
        qsort(processes->counts, processes->count, sizeof(struct hs_counts *), compare_begins);
        status = drop_runs_before(processes, since, err);
    }
    if (status != HS_OK)
        hs_processes_release(processes);
    return status;
}

void hs_processes_release(struct hs_processes *processes)
{
    for (size_t i = 0; i < processes->count; i++)
        free(processes->counts[i]);
    free(processes->counts);
    free(processes->gpus);
    *processes = (struct hs_processes){.order = ""};
}

/* ---- which ranks they are ---- */

/* A process, and what it is sorted by. */
struct placed {
    struct hs_counts *counts;
    int64_t order;
};

static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    int hosts = strcmp(a->counts->host, b->counts->host);

    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (hosts != 0)
        return hosts;
    return a->counts->pid < b->counts->pid ? -1 : a->counts->pid > b->counts->pid;
}

/* Sorts; whether none is unknown (-1) and all differ. */
static bool is_order(struct placed *placed, size_t count)
{
    qsort(placed, count, sizeof(*placed), compare_placed);
    for (size_t i = 0; i < count; i++)
        if (placed[i].order < 0 || (i > 0 && placed[i].order == placed[i - 1].order))
            return false;
    return true;
}

static bool order_by_seats(struct placed *placed, size_t count, const struct hs_seat *seats,
                           size_t seat_count)
{
    for (size_t i = 0; i < count; i++) {
        placed[i].order = -1;
        for (size_t s = 0; s < seat_count && placed[i].order < 0; s++)
            if (seats[s].pid == placed[i].counts->pid &&
                strcmp(seats[s].host, placed[i].counts->host) == 0)
                placed[i].order = seats[s].rank;
    }
    return seat_count > 0 && is_order(placed, count);
}

static bool order_by_environment(struct placed *placed, size_t count)
{
    for (size_t i = 0; i < count; i++)
        placed[i].order =
            placed[i].counts->ranks == placed[0].counts->ranks ? placed[i].counts->rank : -1;
    return is_order(placed, count);
}

/* The group of the counts that is this communicator; NULL: it is not in it. */
static const struct hs_counts_group *find_group(const struct hs_counts *counts, uint64_t made_of)
{
    for (uint32_t g = 0; g < counts->group_count; g++)
        if (counts->groups[g].ranks_hash == made_of)
            return &counts->groups[g];
    return NULL;
}

/* By the ranks in the largest communicator, if all are in it. */
static bool order_by_communicator(struct placed *placed, size_t count, int64_t *size)
{
    uint64_t largest = 0;

    *size = 0;
    for (size_t i = 0; i < count; i++)
        for (uint32_t g = 0; g < placed[i].counts->group_count; g++)
            if (placed[i].counts->groups[g].size > *size) {
                *size = placed[i].counts->groups[g].size;
                largest = placed[i].counts->groups[g].ranks_hash;
            }
    for (size_t i = 0; i < count; i++) {
        const struct hs_counts_group *group = find_group(placed[i].counts, largest);

        placed[i].order = group ? group->rank : -1;
    }
    return is_order(placed, count);
}

/* Sorts the processes. Returns how many ranks there are of one to a process, whose rank is then its
 * order; 0: not known. */
static int64_t order_processes(struct hs_processes *processes, struct placed *placed,
                               const struct hs_seat *seats, size_t seat_count)
{
    const size_t count = processes->count;
    int64_t ranks = (int64_t)seat_count;

    for (size_t i = 0; i < count; i++)
        placed[i].counts = processes->counts[i];
    if (order_by_seats(placed, count, seats, seat_count)) {
        processes->order = "MPI_COMM_WORLD";
    } else if (order_by_environment(placed, count)) {
        processes->order = "the environment of the processes";
        ranks = placed[0].counts->ranks;
    } else if (order_by_communicator(placed, count, &ranks)) {
        processes->order = "the largest communicator";
    } else {
        processes->order = "hosts and process numbers, as nothing else is known";
        ranks = 0;
        for (size_t i = 0; i < count; i++)
            placed[i].order = 0;
        qsort(placed, count, sizeof(*placed), compare_placed);
    }
    for (size_t i = 0; i < count; i++)
        processes->counts[i] = placed[i].counts;
    return ranks;
}

/* ---- a rank is a GPU of a process ---- */

static int compare_gpus(const void *left, const void *right)
{
    const struct member *a = *(struct member *const *)left, *b = *(struct member *const *)right;

    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return a->device < b->device ? -1 : a->device > b->device;
}

/* Numbers members by process and GPU, from 0, and counts the GPUs of each process: one where it
 * made a communicator and called nothing. */
static enum hs_status number_gpus(struct hs_processes *processes, struct member *members,
                                  size_t member_count, struct hs_error *err)
{
    struct member **by_gpu = calloc(member_count + 1, sizeof(struct member *));
    int64_t number = 0;
    size_t at = 0;

    processes->gpus = calloc(processes->count + 1, sizeof(*processes->gpus));
    if (!by_gpu || !processes->gpus) {
        free(by_gpu);
        return hs_no_memory(err);
    }
    for (size_t m = 0; m < member_count; m++)
        by_gpu[m] = &members[m];
    qsort(by_gpu, member_count, sizeof(struct member *), compare_gpus);
    for (size_t file = 0; file < processes->count; file++) {
        int64_t gpus = 0;

        for (; at < member_count && by_gpu[at]->file == file; at++) {
            gpus += gpus == 0 || by_gpu[at]->device != by_gpu[at - 1]->device;
            by_gpu[at]->number = number + gpus - 1;
        }
        processes->gpus[file] = gpus > 0 ? gpus : 1;
        number += processes->gpus[file];
    }
    free(by_gpu);
    processes->ranks = number;
    return HS_OK;
}

/* Says of one communicator's members which ranks it has, if all are known. */
static enum hs_status say_ranks(struct hs_processes *processes, const struct member *members,
                                size_t count, struct hs_error *err)
{
    int *ranks = calloc(count, sizeof(*ranks));
    bool whole = count == (size_t)members[0].size;

    if (!ranks)
        return hs_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        whole = whole && members[i].rank == (int32_t)i && members[i].number <= INT_MAX;
        ranks[i] = (int)members[i].number;
    }
    for (size_t i = 0; whole && i < count; i++)
        hs_counts_say_ranks(&processes->counts[members[i].file]->groups[members[i].group], ranks,
                            (int)count);
    free(ranks);
    return HS_OK;
}

/* Of all communicators; and how many ranks of one are missing at most. */
static enum hs_status say_all_ranks(struct hs_processes *processes, const struct member *members,
                                    size_t member_count, struct hs_error *err)
{
    enum hs_status status = HS_OK;
    size_t end;

    for (size_t at = 0; at < member_count && status == HS_OK; at = end) {
        int64_t missing;

        end = at + 1;
        while (end < member_count && is_one_communicator(&members[at], &members[end]))
            end++;
        missing = members[at].size - (int64_t)(end - at);
        if (missing > processes->missing_ranks)
            processes->missing_ranks = missing;
        status = say_ranks(processes, &members[at], end - at, err);
    }
    return status;
}

/* `ranks`: of one to a process, which is its order's; 0: that is not known. */
static enum hs_status number_ranks(struct hs_processes *processes, const struct placed *placed,
                                   int64_t ranks, struct hs_error *err)
{
    size_t member_count;
    struct member *members = list_members(processes, &member_count, err);
    enum hs_status status =
        members ? number_gpus(processes, members, member_count, err) : HS_MEMORY;
    bool numbered = ranks > 0 && processes->ranks == (int64_t)processes->count;

    for (size_t m = 0; m < member_count && numbered && status == HS_OK; m++)
        members[m].number = placed[members[m].file].order;
    if (status == HS_OK)
        status = say_all_ranks(processes, members, member_count, err);
    if (numbered)
        processes->missing_ranks = ranks - (int64_t)processes->count;
    processes->ranks = numbered ? ranks : processes->ranks + processes->missing_ranks;
    free(members);
    return status;
}

enum hs_status hs_processes_place(struct hs_processes *processes, const struct hs_seat *seats,
                                  size_t seat_count, struct hs_error *err)
{
    struct placed *placed = calloc(processes->count + 1, sizeof(*placed));
    enum hs_status status = HS_OK;

    if (!placed)
        return hs_no_memory(err);
    if (processes->count > 0) {
        int64_t ranks = order_processes(processes, placed, seats, seat_count);

        status = number_ranks(processes, placed, ranks, err);
    }
    free(placed);
    return status;
}
