#include "record/merge.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/list.h"
#include "base/text.h"
#include "record/counts_files.h"
#include "record/processes.h"

#define SECONDS(nanoseconds) (1e-9 * (double)(nanoseconds))
/* Samples that are looked at, of all ranks together. */
#define SAMPLES_MAX ((size_t)1 << 22)
/* Calls of a row, of all ranks together. */
#define CALLS_MAX ((int64_t)1 << 53)

/* Which ranks made calls of a row of the profile. */
struct caller {
    size_t row; /* of the profile */
    uint64_t ranks_hash;
};
/* One call on one rank. */
struct timed {
    uint64_t ranks_hash, number;
    uint32_t ordinal;
    int32_t group_ranks;
    size_t row;
    double seconds, before_seconds;
};
/* What tells rows apart, beside what the profile shows. */
struct key {
    uint32_t size_class;
    uint8_t call, begun, type, operation;
};

struct merge {
    struct hs_profile *profile;
    struct key *keys; /* [profile->call_count] */
    struct caller *callers;
    size_t caller_count;
    struct timed *timed;
    size_t timed_count, timed_per_rank;
    size_t call_capacity, caller_capacity, timed_capacity, node_capacity;
    uint64_t run;
    int64_t seen_ranks, began; /* of the first file: nanoseconds since 1970 */
    struct hs_seat *seats;     /* [seen_ranks] */
};

/* ---- one rank ---- */

static void name_call(struct hs_profile_call *call, const struct hs_counts_row *row)
{
    const struct hs_counted_call_row *of = &hs_counted_calls[row->call];
    char name[64];
    bool is_nccl = row->call >= HS_COUNTED_NCCL_FIRST;
    size_t length = (size_t)snprintf(name, sizeof(name), "%s%s",
                                     is_nccl      ? ""
                                     : row->begun ? "MPI_I"
                                                  : "MPI_",
                                     of->name);

    if (row->begun && !is_nccl && length > 5)
        name[5] |= 0x20; /* MPI_Iallreduce */
    call->call = hs_strdup(name);
    call->begun = row->begun;
    call->collective = hs_strdup(of->does);
    if (row->type != HS_COUNTED_TYPE_NONE)
        call->datatype = hs_strdup(hs_counted_type_names[row->type]);
    if (row->operation != HS_COUNTED_OPERATION_NONE)
        call->operation = hs_strdup(hs_counted_operation_names[row->operation]);
}

/* The row of the profile for these calls, a new one where there is none: SIZE_MAX without memory.
 * Rows of ranks are much the same. */
static size_t find_row(struct merge *merge, const struct hs_counts_row *row,
                       const struct hs_counts_group *group, struct hs_error *err)
{
    struct hs_profile *profile = merge->profile;
    const struct key key = {row->size_class, row->call, row->begun, row->type, row->operation};
    struct hs_profile_call *call;
    struct key *new_key;

    for (size_t i = 0; i < profile->call_count; i++)
        if (merge->keys && memcmp(&merge->keys[i], &key, sizeof(key)) == 0 &&
            profile->calls[i].group_ranks == group->size &&
            profile->calls[i].group_stride == group->stride)
            return i;
    new_key = hs_grow(&merge->keys, NULL, profile->call_count, sizeof(key), err);
    call = new_key ? hs_grow(&profile->calls, &merge->call_capacity, profile->call_count,
                             sizeof(*call), err)
                   : NULL;
    if (!call)
        return SIZE_MAX;
    *new_key = key;
    name_call(call, row);
    call->group_ranks = group->size;
    call->group_stride = group->stride;
    call->sampled_seconds = call->waited_seconds = call->skewed_seconds = NAN;
    return profile->call_count++;
}

static enum hs_status too_many(struct hs_error *err)
{
    return hs_fail(err, HS_INVALID, "calls of all ranks together: expected at most 2^53");
}

static enum hs_status add_row(struct merge *merge, size_t *at, const struct hs_counts *counts,
                              const struct hs_counts_row *row, struct hs_error *err)
{
    const struct hs_counts_group *group = &counts->groups[row->group];
    struct hs_profile_call *call;
    struct caller *caller;

    *at = find_row(merge, row, group, err);
    caller = *at == SIZE_MAX ? NULL
                             : hs_grow(&merge->callers, &merge->caller_capacity,
                                       merge->caller_count, sizeof(*caller), err);
    if (!caller)
        return HS_MEMORY;
    *caller = (struct caller){*at, group->ranks_hash};
    merge->caller_count++;
    call = &merge->profile->calls[*at];
    if ((int64_t)row->calls > CALLS_MAX - call->calls)
        return too_many(err);
    call->calls += (int64_t)row->calls;
    call->bytes += (double)row->bytes;
    call->seconds += SECONDS(row->nanoseconds);
    call->longest_seconds = fmax(call->longest_seconds, SECONDS(row->longest_nanoseconds));
    return HS_OK;
}

static enum hs_status add_samples(struct merge *merge, const size_t *rows,
                                  const struct hs_counts *counts, struct hs_error *err)
{
    for (size_t i = 0; i < counts->sample_count && i < merge->timed_per_rank; i++) {
        const struct hs_counts_sample *sample = &counts->samples[i];
        const struct hs_counts_group *group = &counts->groups[sample->group];
        struct timed *timed;

        if (rows[sample->row] == SIZE_MAX) /* it was about to be written */
            continue;
        timed =
            hs_grow(&merge->timed, &merge->timed_capacity, merge->timed_count, sizeof(*timed), err);
        if (!timed)
            return HS_MEMORY;
        *timed = (struct timed){.ranks_hash = group->ranks_hash,
                                .number = sample->number,
                                .ordinal = group->ordinal,
                                .group_ranks = group->size,
                                .row = rows[sample->row],
                                .seconds = SECONDS(sample->nanoseconds),
                                .before_seconds = SECONDS(sample->before_nanoseconds)};
        merge->timed_count++;
    }
    return HS_OK;
}

/* A rank's calls of one row of the profile may be in several groups of one shape. A rank is a GPU
 * of the process. */
static enum hs_status add_rank_seconds(struct hs_profile *profile, const size_t *rows,
                                       const struct hs_counts *counts, int32_t device,
                                       struct hs_error *err)
{
    double *seconds = malloc((profile->call_count + 1) * sizeof(*seconds));

    if (!seconds)
        return hs_no_memory(err);
    for (size_t i = 0; i < profile->call_count; i++)
        seconds[i] = -1;
    for (size_t at = 0; at < HS_COUNTS_ROWS; at++)
        if (rows[at] != SIZE_MAX && counts->groups[counts->rows[at].group].device == device)
            seconds[rows[at]] = fmax(seconds[rows[at]], 0) + SECONDS(counts->rows[at].nanoseconds);
    for (size_t i = 0; i < profile->call_count; i++) {
        profile->calls[i].rank_seconds = fmax(profile->calls[i].rank_seconds, seconds[i]);
        profile->calls[i].ranks += seconds[i] >= 0;
    }
    free(seconds);
    return HS_OK;
}

static enum hs_status add_node(struct merge *merge, const char *host, struct hs_error *err)
{
    struct hs_profile *profile = merge->profile;
    struct hs_placed_node *node =
        profile->node_count > 0 ? &profile->nodes[profile->node_count - 1] : NULL;

    if (!node || strcmp(node->host, host) != 0) {
        node = hs_grow(&profile->nodes, &merge->node_capacity, profile->node_count, sizeof(*node),
                       err);
        if (!node)
            return HS_MEMORY;
        node->host = hs_strdup(host[0] ? host : "?");
        profile->node_count++;
    }
    node->ranks++;
    return HS_OK;
}

/* Of each GPU that groups have, once. */
static enum hs_status add_gpus_seconds(struct hs_profile *profile, const size_t *rows,
                                       const struct hs_counts *counts, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (uint32_t g = 0; g < counts->group_count && status == HS_OK; g++) {
        uint32_t before = 0;

        while (counts->groups[before].device != counts->groups[g].device)
            before++;
        if (before == g)
            status = add_rank_seconds(profile, rows, counts, counts->groups[g].device, err);
    }
    return status;
}

static enum hs_status add_calls(struct merge *merge, const struct hs_counts *counts,
                                struct hs_error *err)
{
    struct hs_profile *profile = merge->profile;
    size_t *rows = malloc(HS_COUNTS_ROWS * sizeof(*rows));
    enum hs_status status = rows ? HS_OK : hs_no_memory(err);

    for (size_t at = 0; at < HS_COUNTS_ROWS && status == HS_OK; at++) {
        rows[at] = SIZE_MAX;
        if (counts->rows[at].calls > 0)
            status = add_row(merge, &rows[at], counts, &counts->rows[at], err);
    }
    if (status == HS_OK)
        status = add_samples(merge, rows, counts, err);
    if (status == HS_OK)
        status = add_gpus_seconds(profile, rows, counts, err);
    free(rows);
    if (status == HS_OK && (int64_t)counts->uncounted_calls > CALLS_MAX - profile->uncounted_calls)
        status = too_many(err);
    if (status != HS_OK)
        return status;
    profile->seconds = fmax(profile->seconds, SECONDS(counts->nanoseconds));
    profile->uncounted_calls += (int64_t)counts->uncounted_calls;
    return HS_OK;
}

static enum hs_status add_rank(struct merge *merge, const struct hs_counts *counts,
                               struct hs_error *err)
{
    struct hs_seat *seat =
        hs_grow(&merge->seats, NULL, (size_t)merge->seen_ranks, sizeof(*seat), err);
    enum hs_status status = seat ? add_node(merge, counts->host, err) : HS_MEMORY;

    if (status != HS_OK)
        return status;
    *seat = (struct hs_seat){.pid = counts->pid, .rank = counts->rank};
    memcpy(seat->host, counts->host, sizeof(seat->host));
    merge->seen_ranks++;
    merge->profile->finished = merge->profile->finished && counts->finished;
    return add_calls(merge, counts, err);
}

/* ---- all ranks ---- */

static int compare_callers(const void *left, const void *right)
{
    const struct caller *a = left, *b = right;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->ranks_hash < b->ranks_hash ? -1 : a->ranks_hash > b->ranks_hash;
}

static void count_groups(struct merge *merge)
{
    if (merge->caller_count > 0)
        qsort(merge->callers, merge->caller_count, sizeof(*merge->callers), compare_callers);
    for (size_t i = 0; i < merge->caller_count; i++)
        if (i == 0 || compare_callers(&merge->callers[i - 1], &merge->callers[i]) != 0)
            merge->profile->calls[merge->callers[i].row].groups++;
}

static int compare_timed(const void *left, const void *right)
{
    const struct timed *a = left, *b = right;

    if (a->ranks_hash != b->ranks_hash)
        return a->ranks_hash < b->ranks_hash ? -1 : 1;
    if (a->ordinal != b->ordinal)
        return a->ordinal < b->ordinal ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* A call that all of its ranks [count] timed, in the mean of them. Nobody leaves before the last
 * one has come, so the one that was there shortest came last, and what another took longer it
 * waited: for work where that took the longest rank longer before the call; else because the calls
 * before, or this one, let some go sooner than others. */
static void add_sample(struct hs_profile_call *call, const struct timed *timed, size_t count)
{
    double least = INFINITY, most_before = 0, share = 1 / (double)count;

    for (size_t i = 0; i < count; i++) {
        least = fmin(least, timed[i].seconds);
        most_before = fmax(most_before, timed[i].before_seconds);
    }
    if (call->sampled_calls++ == 0)
        call->sampled_seconds = call->waited_seconds = call->skewed_seconds = 0;
    for (size_t i = 0; i < count; i++) {
        double longer = timed[i].seconds - least;
        double waited = fmin(longer, most_before - timed[i].before_seconds);

        call->sampled_seconds += share * timed[i].seconds;
        call->waited_seconds += share * waited;
        call->skewed_seconds += share * (longer - waited);
    }
}

static void add_waiting(struct merge *merge)
{
    size_t end;

    if (merge->timed_count > 0)
        qsort(merge->timed, merge->timed_count, sizeof(*merge->timed), compare_timed);
    for (size_t begin = 0; begin < merge->timed_count; begin = end) {
        const struct timed *first = &merge->timed[begin];

        end = begin + 1;
        while (end < merge->timed_count && compare_timed(first, &merge->timed[end]) == 0)
            end++;
        if ((int64_t)(end - begin) == first->group_ranks)
            add_sample(&merge->profile->calls[first->row], first, end - begin);
    }
}

static int compare_calls(const void *left, const void *right)
{
    const struct hs_profile_call *a = left, *b = right;

    bool nccl = strncmp(a->call, "nccl", 4) == 0;

    if (nccl != (strncmp(b->call, "nccl", 4) == 0))
        return nccl ? 1 : -1;
    if (nccl && a->bytes != b->bytes) /* what it takes is not known */
        return a->bytes > b->bytes ? -1 : 1;
    if (a->seconds != b->seconds)
        return a->seconds > b->seconds ? -1 : 1;
    return strcmp(a->call, b->call);
}

/* ---- files ---- */

static void add_library(struct hs_profile *profile, const char *library)
{
    char both[2 * HS_COUNTS_TEXT + 4];

    snprintf(both, sizeof(both), "%s%s%s", profile->library ? profile->library : "",
             profile->library ? ", " : "", library);
    free(profile->library);
    profile->library = hs_strdup(both);
}

static void describe(struct hs_profile *profile, const struct hs_counts *counts)
{
    char created[32] = "";
    time_t began = (time_t)counts->began_seconds;
    struct tm utc;

    if (gmtime_r(&began, &utc))
        strftime(created, sizeof(created), "%Y-%m-%dT%H:%M:%SZ", &utc);
    profile->command = hs_strdup(counts->command);
    add_library(profile, counts->library);
    profile->created = hs_strdup(created);
    profile->ranks = counts->ranks;
}

static enum hs_status add_file(struct merge *merge, const char *folder, int rank,
                               struct hs_error *err)
{
    char path[PATH_MAX];
    struct hs_counts *counts;
    enum hs_status status;

    if (!hs_counts_path(path, sizeof(path), folder, rank))
        return hs_fail(err, HS_INVALID, "%s: too long a path", folder);
    status = hs_counts_load(&counts, path, err);
    if (status != HS_OK || !counts)
        return status;
    if (counts->rank != rank || counts->ranks <= rank) {
        status =
            hs_fail(err, HS_INVALID, "%s: no counts of this build of hiersearch, or spoilt", path);
    } else {
        if (merge->seen_ranks == 0) {
            merge->run = counts->run;
            merge->began = counts->began_seconds * 1000000000 + counts->began_nanoseconds;
            merge->timed_per_rank = SAMPLES_MAX / (size_t)counts->ranks;
            describe(merge->profile, counts);
        }
        if (counts->run == merge->run)
            status = add_rank(merge, counts, err);
    }
    free(counts);
    return status;
}

/* What MPI's ranks counted; the first file says how many there are. */
static enum hs_status add_mpi(struct merge *merge, const char *folder, struct hs_error *err)
{
    struct hs_profile *profile = merge->profile;
    size_t count;
    int *ranks;
    enum hs_status status = hs_counts_ranks(&ranks, &count, folder, err);

    for (size_t i = 0; i < count && status == HS_OK && (i == 0 || ranks[i] < profile->ranks); i++)
        status = add_file(merge, folder, ranks[i], err);
    free(ranks);
    profile->missing_ranks = profile->ranks - merge->seen_ranks;
    profile->finished = profile->finished && profile->missing_ranks == 0;
    return status;
}

/* The job is NCCL's alone: what MPI's ranks would have told. */
static enum hs_status describe_processes(struct merge *merge, const struct hs_processes *processes,
                                         struct hs_error *err)
{
    struct hs_profile *profile = merge->profile;
    enum hs_status status = HS_OK;

    describe(profile, processes->counts[0]);
    profile->ranks = processes->ranks;
    profile->missing_ranks = processes->missing_ranks;
    profile->finished = processes->missing_ranks == 0;
    profile->rank_order = hs_strdup(processes->order);
    for (size_t i = 0; i < processes->count && status == HS_OK; i++) {
        profile->finished = profile->finished && processes->counts[i]->finished;
        for (int64_t rank = 0; rank < processes->gpus[i] && status == HS_OK; rank++)
            status = add_node(merge, processes->counts[i]->host, err);
    }
    return status;
}

/* What processes counted of NCCL. */
static enum hs_status add_nccl(struct merge *merge, const char *folder, bool *any,
                               struct hs_error *err)
{
    struct hs_processes processes;
    enum hs_status status = hs_processes_load(&processes, folder, merge->began, err);

    if (status != HS_OK)
        return status;
    *any = processes.count > 0;
    status = hs_processes_place(&processes, merge->seats, (size_t)merge->seen_ranks, err);
    if (status == HS_OK && *any && merge->seen_ranks == 0)
        status = describe_processes(merge, &processes, err);
    else if (status == HS_OK && *any)
        add_library(merge->profile, processes.counts[0]->library);
    for (size_t i = 0; i < processes.count && status == HS_OK; i++)
        status = add_calls(merge, processes.counts[i], err);
    hs_processes_release(&processes);
    return status;
}

/* What is made of them can be read again: counts may hold what no job does. */
static enum hs_status check_again(const struct hs_profile *profile, const char *folder,
                                  struct hs_error *err)
{
    struct hs_profile again = {0};
    struct hs_text text = {0};
    enum hs_status status = hs_profile_print(&text, profile, err);

    if (status == HS_OK)
        status = hs_profile_parse(&again, folder, text.data, text.length, err);
    hs_profile_release(&again);
    hs_text_release(&text);
    return status;
}

enum hs_status hs_profile_merge(struct hs_profile *profile, const char *folder,
                                struct hs_error *err)
{
    struct merge merge = {.profile = profile};
    bool any = false;
    enum hs_status status;

    *profile = (struct hs_profile){.finished = true};
    status = add_mpi(&merge, folder, err);
    if (status == HS_OK)
        status = add_nccl(&merge, folder, &any, err);
    if (status == HS_OK && merge.seen_ranks == 0 && !any)
        status = hs_fail(err, HS_INVALID,
                         "%s: there are no counts of a job's ranks: was it started by `hiersearch "
                         "profile`, and did it call MPI_Init, or make a communicator of NCCL?",
                         folder);
    if (status == HS_OK) {
        count_groups(&merge);
        add_waiting(&merge);
        if (profile->call_count > 0)
            qsort(profile->calls, profile->call_count, sizeof(*profile->calls), compare_calls);
        status = check_again(profile, folder, err);
    }
    if (status != HS_OK)
        hs_profile_release(profile);
    free(merge.keys);
    free(merge.callers);
    free(merge.timed);
    free(merge.seats);
    return status;
}
