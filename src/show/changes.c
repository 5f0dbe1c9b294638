#include "show/changes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/profiles.h"

/* A kind of calls; NULL: the other job alone has it. */
struct change {
    const struct hs_profile *profiles[2];
    const struct hs_profile_call *calls[2]; /* before, after */
};

static const struct hs_profile_call *any(const struct change *r)
{
    return r->calls[0] ? r->calls[0] : r->calls[1];
}

static const char *group(char text[HS_PROFILE_GROUP_TEXT], const struct change *r)
{
    return hs_profile_group_format(text, r->profiles[r->calls[0] ? 0 : 1], any(r));
}

static double count(const struct change *r, int at)
{
    return r->calls[at] ? round((double)r->calls[at]->calls / (double)r->calls[at]->ranks) : NAN;
}

/* Of a call, waiting and all. */
static double mean(const struct change *r, int at)
{
    return r->calls[at] ? r->calls[at]->seconds / (double)r->calls[at]->calls : NAN;
}

static double spent(const struct change *r, int at)
{
    return r->calls[at] ? hs_profile_call_spent(r->profiles[at], r->calls[at]) : NAN;
}

static double waiting(const struct change *r, int at)
{
    return r->calls[at] ? hs_profile_call_waiting(r->calls[at]) : NAN;
}

static double working(const struct change *r, int at)
{
    return r->calls[at] ? hs_profile_call_seconds(r->calls[at]) : NAN;
}

static double or_none(double seconds)
{
    return isnan(seconds) ? 0 : seconds;
}

/* clang-format off */
#define COLUMNS(column)                                                                            \
    column(CALL, "call", "call", NULL, TEXT, ALWAYS, any(r)->call)                                 \
    column(COLLECTIVE, "collective", NULL, NULL, TEXT, ALWAYS, any(r)->collective)                 \
    column(GROUP, "groups", "groups x ranks", NULL, TEXT, ALWAYS,                                  \
           group((char[HS_PROFILE_GROUP_TEXT]){0}, r))                                             \
    column(TYPE, "datatype", "type", NULL, TEXT, IF_ANY, any(r)->datatype)                         \
    column(OPERATION, "operation", "op", NULL, TEXT, IF_ANY, any(r)->operation)                    \
    column(BYTES, "mean_bytes", "size", NULL, SIZE, ALWAYS,                                        \
           hs_profile_call_bytes(any(r)))                                                          \
    column(CALLS, "calls_per_rank_before", "calls a rank", NULL, COUNT, ALWAYS, count(r, 0))       \
    column(CALLS_AFTER, "calls_per_rank_after", "after", NULL, COUNT, ALWAYS, count(r, 1))         \
    column(MEAN, "mean_seconds_before", "a call", NULL, TIME, ALWAYS, mean(r, 0))                  \
    column(MEAN_AFTER, "mean_seconds_after", "after", NULL, TIME, ALWAYS, mean(r, 1))              \
    column(RATIO, "faster", "faster", NULL, RATIO, IF_ANY, mean(r, 0) / mean(r, 1))                \
    column(WORK, "working_seconds_before", NULL, NULL, TIME, ALWAYS, working(r, 0))                \
    column(WORK_AFTER, "working_seconds_after", NULL, NULL, TIME, ALWAYS, working(r, 1))           \
    column(WAIT, "waiting_before", "waiting", "%", PERCENT, IF_ANY, waiting(r, 0))                 \
    column(WAIT_AFTER, "waiting_after", "after", "%", PERCENT, IF_ANY, waiting(r, 1))              \
    column(SPENT, "seconds_per_rank_before", "a rank", NULL, TIME, ALWAYS, spent(r, 0))            \
    column(SPENT_AFTER, "seconds_per_rank_after", "after", NULL, TIME, ALWAYS, spent(r, 1))        \
    column(SAVED, "saved_seconds_per_rank", NULL, NULL, TIME, ALWAYS,                              \
           or_none(spent(r, 0)) - or_none(spent(r, 1)))
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

static void add(struct hs_table *table, const struct change *r)
{
    hs_table_row(table);
    COLUMNS(HS_COLUMN_PUT)
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_same(const struct hs_profile_call *a, const struct hs_profile_call *b)
{
    return strcmp(a->call, b->call) == 0 && same_text(a->datatype, b->datatype) &&
           same_text(a->operation, b->operation) && a->group_ranks == b->group_ranks &&
           a->group_stride == b->group_stride && a->groups == b->groups &&
           hs_profile_class(hs_profile_call_bytes(a)) == hs_profile_class(hs_profile_call_bytes(b));
}

static int compare_changes(const void *left, const void *right)
{
    const struct change *a = left, *b = right;
    double cost_a = fmax(or_none(spent(a, 0)), or_none(spent(a, 1)));
    double cost_b = fmax(or_none(spent(b, 0)), or_none(spent(b, 1)));

    return cost_a > cost_b ? -1 : cost_a < cost_b;
}

/* One for each kind of calls of either; returns how many. */
static size_t match(struct change *changes, const struct hs_profile *before,
                    const struct hs_profile *after)
{
    size_t all = 0;

    for (size_t i = 0; i < before->call_count; i++)
        changes[all++] = (struct change){{before, after}, {&before->calls[i], NULL}};
    for (size_t i = 0; i < after->call_count; i++) {
        size_t at = 0;

        while (at < before->call_count &&
               (changes[at].calls[1] || !is_same(changes[at].calls[0], &after->calls[i])))
            at++;
        if (at == before->call_count)
            changes[all++] = (struct change){{before, after}, {NULL, &after->calls[i]}};
        else
            changes[at].calls[1] = &after->calls[i];
    }
    if (all > 0)
        qsort(changes, all, sizeof(*changes), compare_changes);
    return all;
}

static void say_job(struct hs_sheet *sheet, const char *when, const struct hs_profile *profile)
{
    struct hs_profile_times times = hs_profile_times_of(profile);

    hs_sheet_say(sheet, "%s  %s: %s, %s of it in collectives, %s waiting, a rank%s\n", when,
                 profile->command, HS_AS_TIME(profile->seconds), HS_AS_TIME(times.spent),
                 HS_AS_TIME(times.waited), profile->finished ? "" : "; it did not end by itself");
}

/* What is saved of the time in collectives, and what of it is no waiting. */
static void say_saved(struct hs_sheet *sheet, const struct hs_profile *before,
                      const struct hs_profile *after)
{
    struct hs_profile_times b = hs_profile_times_of(before), a = hs_profile_times_of(after);
    double saved = b.spent - a.spent, work = (b.spent - b.waited) - (a.spent - a.waited);

    if (!(b.spent > 0))
        return;
    hs_sheet_stress(sheet, "%s  %s a rank in collectives", saved < 0 ? "lost  " : "saved ",
                    HS_AS_TIME(fabs(saved)));
    hs_sheet_say(sheet, ", %s %% of them; %s%s without waiting; the job takes %s\n\n",
                 HS_AS_PERCENT(fabs(saved) / b.spent, 1), work < 0 ? "-" : "",
                 HS_AS_TIME(fabs(work)), HS_AS_COMPARISON(after->seconds, before->seconds));
}

enum hs_status hs_changes_show(struct hs_sheet *sheet, const struct hs_profile *before,
                               const struct hs_profile *after, size_t most, struct hs_error *err)
{
    struct change *changes = calloc(before->call_count + after->call_count + 1, sizeof(*changes));
    struct hs_table table;
    size_t all, shown;

    if (!changes)
        return hs_no_memory(err);
    say_job(sheet, "before", before);
    say_job(sheet, "after ", after);
    say_saved(sheet, before, after);
    all = match(changes, before, after);
    HS_TABLE_INIT(&table, "changes", columns);
    table.fold = true;
    shown = hs_sheet_is_read(sheet) && most < all ? most : all;
    for (size_t i = 0; i < shown; i++)
        add(&table, &changes[i]);
    hs_sheet_table(sheet, &table);
    if (shown < all)
        hs_sheet_say(sheet, "%zu more; --top shows them\n", all - shown);
    free(changes);
    return HS_OK;
}
