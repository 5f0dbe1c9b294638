#include "show/profiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_TEXT HS_PROFILE_GROUP_TEXT
#define PART_TEXT  72 /* two sizes and " to " */

struct row {
    const struct hs_profile *profile;
    const struct hs_profile_call *call;
};

static bool is_nccl(const struct hs_profile_call *call)
{
    return strncmp(call->call, "nccl", 4) == 0;
}

/* What times are of, where it is not the whole call. */
static const char *timed(const struct row *r)
{
    return r->call->begun ? "begin" : NULL;
}

static double of_rank(const struct row *r)
{
    return hs_profile_call_spent(r->profile, r->call);
}

/* Of the job: what NCCL's calls take of it is not known. */
static double share(const struct row *r)
{
    return is_nccl(r->call) ? (double)NAN : of_rank(r) / r->profile->seconds;
}

/* clang-format off */
/* Which calls they are: of rows with a profile and a call. */
#define WHO_COLUMNS(column, P)                                                                     \
    column(P##CALL, "call", "call", NULL, TEXT, ALWAYS, r->call->call)                             \
    column(P##COLLECTIVE, "collective", NULL, NULL, TEXT, ALWAYS, r->call->collective)             \
    column(P##GROUP, "groups", "groups (ranks)", NULL, TEXT, ALWAYS,                               \
           hs_profile_group_format((char[GROUP_TEXT]){0}, r->profile, r->call))                    \
    column(P##RANKS, "group_ranks", NULL, NULL, COUNT, ALWAYS, r->call->group_ranks)               \
    column(P##STRIDE, "group_stride", NULL, NULL, COUNT, ALWAYS, r->call->group_stride)
#define SIZE_COLUMNS(column, P)                                                                    \
    column(P##BYTES, "mean_bytes", "size", NULL, SIZE, ALWAYS, hs_profile_call_bytes(r->call))     \
    column(P##CALLS, "calls_per_rank", "calls per rank", NULL, COUNT, ALWAYS,                      \
           (int64_t)llround((double)r->call->calls / (double)r->call->ranks))
#define COLUMNS(column)                                                                            \
    WHO_COLUMNS(column, )                                                                          \
    column(TYPE, "datatype", "type", NULL, TEXT, IF_ANY, r->call->datatype)                        \
    column(OPERATION, "operation", "op", NULL, TEXT, IF_ANY, r->call->operation)                   \
    SIZE_COLUMNS(column, )                                                                         \
    column(TIMED, "timed", "timed", NULL, TEXT, IF_ANY, timed(r))                                  \
    column(MEAN, "mean_seconds", "per call", NULL, TIME, ALWAYS,                                   \
           r->call->seconds / (double)r->call->calls)                                              \
    column(LONGEST, "longest_seconds", "longest", NULL, TIME, ALWAYS, r->call->longest_seconds)    \
    column(SECONDS, "seconds_per_rank", "per rank", NULL, TIME, ALWAYS, of_rank(r))                \
    column(SHARE, "share", "share of run time", "%", PERCENT, ALWAYS,                              \
           share(r))                                                                               \
    column(WAITING, "waiting", "waiting", "%", PERCENT, IF_ANY,                                 \
           hs_profile_call_waiting(r->call))
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

static void add(struct hs_table *table, const struct row *r)
{
    hs_table_row(table);
    COLUMNS(HS_COLUMN_PUT)
}

#undef COLUMNS

void hs_profile_calls_table(struct hs_table *table, const struct hs_profile *profile, size_t most)
{
    HS_TABLE_INIT(table, "calls", columns);
    table->fold = true;
    for (size_t i = 0; i < profile->call_count && i < most; i++)
        add(table, &(struct row){profile, &profile->calls[i]});
}

/* ---- kinds of calls added up ---- */

struct part {
    enum hs_profile_by by;
    const struct hs_profile_call *first; /* of those that are added up */
    const struct hs_profile *profile;
    uint64_t class_bytes;                 /* by size: a power of two, or 0 */
    double calls, bytes, seconds, waited; /* of the job's mean rank; waited NaN: not known */
    bool timed;
};

static bool is_of(const struct part *part, const struct hs_profile_call *call)
{
    const struct hs_profile_call *first = part->first;

    switch (part->by) {
    case HS_PROFILE_BY_CALL:
        return strcmp(first->call, call->call) == 0;
    case HS_PROFILE_BY_GROUP:
        return first->group_ranks == call->group_ranks &&
               first->group_stride == call->group_stride && first->groups == call->groups;
    case HS_PROFILE_BY_SIZE:
        return part->class_bytes == hs_profile_class(hs_profile_call_bytes(call));
    }
    return false;
}

static void add_to_part(struct part *part, const struct hs_profile_call *call)
{
    double waited = hs_profile_call_waited(part->profile, call);

    part->calls += hs_profile_call_count(part->profile, call);
    part->bytes += call->bytes / (double)part->profile->ranks;
    if (is_nccl(call))
        return;
    part->timed = true;
    part->seconds += hs_profile_call_spent(part->profile, call);
    if (!isnan(waited))
        part->waited = (isnan(part->waited) ? 0 : part->waited) + waited;
}

static const char *part_group(char text[GROUP_TEXT], const struct part *r)
{
    return r->by == HS_PROFILE_BY_GROUP ? hs_profile_group_format(text, r->profile, r->first)
                                        : NULL;
}

/* "1MiB to 2MiB" */
static const char *part_size(char text[PART_TEXT], const struct part *r)
{
    if (r->by != HS_PROFILE_BY_SIZE)
        return NULL;
    if (r->class_bytes == 0)
        snprintf(text, PART_TEXT, "0B");
    else
        snprintf(text, PART_TEXT, "%s to %s", HS_AS_SIZE((double)r->class_bytes),
                 HS_AS_SIZE(2 * (double)r->class_bytes));
    return text;
}

/* clang-format off */
#define PART_COLUMNS(column)                                                                       \
    column(P_CALL, "call", "call", NULL, TEXT, IF_ANY,                                             \
           r->by == HS_PROFILE_BY_CALL ? r->first->call : NULL)                                    \
    column(P_GROUP, "groups", "groups (ranks)", NULL, TEXT, IF_ANY,                                \
           part_group((char[GROUP_TEXT]){0}, r))                                                   \
    column(P_SIZE, "bytes", "size", NULL, TEXT, IF_ANY,                                            \
           part_size((char[PART_TEXT]){0}, r))                                            \
    column(P_CALLS, "calls_per_rank", "calls per rank", NULL, COUNT, ALWAYS,                       \
           (int64_t)llround(r->calls))                                                             \
    column(P_BYTES, "bytes_per_rank", "bytes per rank", NULL, SIZE, ALWAYS, r->bytes)              \
    column(P_SECONDS, "seconds_per_rank", "per rank", NULL, TIME, IF_ANY,                          \
           r->timed ? r->seconds : (double)NAN)                                                    \
    column(P_SHARE, "share", "share of run time", "%", PERCENT, IF_ANY,                            \
           r->timed ? r->seconds / r->profile->seconds : (double)NAN)                              \
    column(P_WAITED, "waited_seconds_per_rank", "waiting", NULL, TIME, IF_ANY, r->waited)
/* clang-format on */

enum { PART_COLUMNS(HS_COLUMN_ID) };
static const struct hs_column part_columns[] = {PART_COLUMNS(HS_COLUMN_ROW)};

static void add_part(struct hs_table *table, const struct part *r)
{
    hs_table_row(table);
    PART_COLUMNS(HS_COLUMN_PUT)
}

static int compare_parts(const void *left, const void *right)
{
    const struct part *a = left, *b = right;

    if (a->by == HS_PROFILE_BY_SIZE)
        return a->class_bytes < b->class_bytes ? -1 : a->class_bytes > b->class_bytes;
    if (a->seconds != b->seconds)
        return a->seconds > b->seconds ? -1 : 1;
    return a->bytes > b->bytes ? -1 : a->bytes < b->bytes;
}

void hs_profile_parts_table(struct hs_table *table, const struct hs_profile *profile,
                            enum hs_profile_by by)
{
    struct part *parts = calloc(profile->call_count + 1, sizeof(*parts));
    size_t count = 0;

    HS_TABLE_INIT(table, "parts", part_columns);
    table->failed = !parts;
    for (size_t i = 0; i < profile->call_count && parts; i++) {
        const struct hs_profile_call *call = &profile->calls[i];
        size_t at = 0;

        while (at < count && !is_of(&parts[at], call))
            at++;
        if (at == count)
            parts[count++] =
                (struct part){.by = by,
                              .first = call,
                              .profile = profile,
                              .class_bytes = hs_profile_class(hs_profile_call_bytes(call)),
                              .waited = NAN};
        add_to_part(&parts[at], call);
    }
    if (count > 0)
        qsort(parts, count, sizeof(*parts), compare_parts);
    for (size_t i = 0; i < count; i++)
        add_part(table, &parts[i]);
    free(parts);
}

/* ---- all of it ---- */

/* A node may have ranks at several places of the list. */
size_t hs_profile_nodes(const struct hs_profile *profile)
{
    size_t nodes = 0;

    for (size_t i = 0; i < profile->node_count; i++) {
        size_t before = 0;

        while (before < i && strcmp(profile->nodes[before].host, profile->nodes[i].host) != 0)
            before++;
        nodes += before == i;
    }
    return nodes;
}

struct hs_profile_times hs_profile_times_of(const struct hs_profile *profile)
{
    struct hs_profile_times times = {0, 0};

    for (size_t i = 0; i < profile->call_count; i++) {
        const struct hs_profile_call *call = &profile->calls[i];
        double waited = hs_profile_call_waited(profile, call);

        if (is_nccl(call))
            continue;
        times.spent += hs_profile_call_spent(profile, call);
        times.waited += isnan(waited) ? 0 : waited;
    }
    return times;
}

static void say_times(struct hs_sheet *sheet, const struct hs_profile *profile)
{
    struct hs_profile_times times = hs_profile_times_of(profile);
    double sampled = 0;
    size_t mpi_rows = 0;

    for (size_t i = 0; i < profile->call_count; i++) {
        const struct hs_profile_call *call = &profile->calls[i];

        mpi_rows += !is_nccl(call);
        if (!is_nccl(call) && !isnan(hs_profile_call_waiting(call)))
            sampled += (double)call->sampled_calls;
    }
    if (profile->call_count == 0) {
        hs_sheet_say(sheet, "it called no collective that is counted\n");
        return;
    }
    if (mpi_rows == 0)
        return;
    hs_sheet_stress(sheet, "collectives  %s of %s per rank, %.1f %% of run time\n",
                    HS_AS_TIME(times.spent), HS_AS_TIME(profile->seconds),
                    100 * times.spent / profile->seconds);
    if (sampled > 0)
        hs_sheet_say(
            sheet,
            "waiting      %s of it for the slowest rank; a plan cannot reduce it (%.0f calls timed "
            "on all ranks)\n",
            HS_AS_TIME(times.waited), sampled);
}

/* A GPU carries its calls out later: only the host's part has a time here. */
static void say_nccl(struct hs_sheet *sheet, const struct hs_profile *profile)
{
    double begun = 0, calls = 0, bytes = 0, ranks = (double)profile->ranks;

    for (size_t i = 0; i < profile->call_count; i++)
        if (is_nccl(&profile->calls[i])) {
            begun += profile->calls[i].seconds / ranks;
            calls += (double)profile->calls[i].calls / ranks;
            bytes += profile->calls[i].bytes / ranks;
        }
    if (calls > 0)
        hs_sheet_stress(sheet,
                        "NCCL         %.0f calls with %s per rank, enqueued in %s; how long GPUs "
                        "took is not known\n",
                        calls, HS_AS_SIZE(bytes), HS_AS_TIME(begun));
}

void hs_profile_show(struct hs_sheet *sheet, const struct hs_profile *profile, size_t most)
{
    struct hs_table table;
    size_t nodes = hs_profile_nodes(profile);

    hs_sheet_say(sheet, "%s: %" PRId64 " ranks on %zu node%s, %s\n", profile->command,
                 profile->ranks, nodes, nodes == 1 ? "" : "s", profile->library);
    if (!profile->finished)
        hs_sheet_say(sheet, "it did not end by itself: what was called until then counts\n");
    if (profile->missing_ranks > 0)
        hs_sheet_say(sheet, "there are no counts of %" PRId64 " ranks\n", profile->missing_ranks);
    if (profile->uncounted_calls > 0)
        hs_sheet_say(sheet,
                     "%" PRId64 " calls are not in the table: more kinds of calls than there is "
                     "room for, or calls between two groups\n",
                     profile->uncounted_calls);
    if (profile->rank_order)
        hs_sheet_say(sheet, "ranks are in the order of %s\n", profile->rank_order);
    say_times(sheet, profile);
    say_nccl(sheet, profile);
    if (profile->call_count == 0)
        return;
    hs_sheet_say(sheet, "\n");
    hs_profile_calls_table(&table, profile, hs_sheet_is_read(sheet) ? most : SIZE_MAX);
    hs_sheet_table(sheet, &table);
    if (profile->call_count > most)
        hs_sheet_say(sheet, "%zu more; --top shows them\n", profile->call_count - most);
}
