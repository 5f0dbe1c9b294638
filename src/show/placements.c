#include "show/placements.h"

#include <math.h>
#include <stdio.h>

#include "library/price_library.h"

static const struct hs_axes_order *order(const struct hs_placement_row *r)
{
    return &r->result->orders[r->number - 1];
}

static const char *layout(char text[HS_AXES_LAYOUT_TEXT], const struct hs_placement_row *r)
{
    return hs_axes_layout_format(text, &order(r)->layout, &r->job->mesh);
}

/* Whether a message before it goes along the same axes. */
static bool is_told(const struct hs_job *job, size_t message)
{
    for (size_t m = 0; m < message; m++)
        if (job->messages[m].over == job->messages[message].over)
            return true;
    return false;
}

/* What the messages of axes take in a step, "tp 12.3 ms, dp 4 ms". */
static const char *parts(char text[HS_MESH_TEXT], const struct hs_placement_row *r)
{
    struct hs_mesh mesh = r->job->mesh;
    size_t length = 0;

    text[0] = '\0';
    for (size_t m = 0; m < r->job->count && length < HS_MESH_TEXT; m++) {
        char over[HS_MESH_TEXT];

        if (is_told(r->job, m))
            continue;
        mesh.over = r->job->messages[m].over;
        length += (size_t)snprintf(
            text + length, HS_MESH_TEXT - length, "%s%s %s", length > 0 ? ", " : "",
            hs_mesh_format_over(over, &mesh),
            HS_AS_TIME(hs_axes_along_seconds(order(r), r->result, r->job, mesh.over)));
    }
    return text;
}

/* clang-format off */
#define COLUMNS(column)                                                                            \
    column(NUMBER, "rank", "#", NULL, COUNT, ALWAYS, (int64_t)r->number)                           \
    column(ORDER, "order", "innermost first", NULL, TEXT, ALWAYS,                                  \
           layout((char[HS_AXES_LAYOUT_TEXT]){0}, r))                                              \
    column(TIME, "seconds", "a step", NULL, TIME, ALWAYS, order(r)->seconds)                       \
    column(GAIN, "gain_over_given", "faster than as given", NULL, RATIO, ALWAYS,                   \
           hs_or_dash(r->given_seconds / order(r)->seconds))                                       \
    column(PARTS, "axes", "of which", NULL, TEXT, ALWAYS, parts((char[HS_MESH_TEXT]){0}, r))
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

void hs_placements_init(struct hs_table *table)
{
    HS_TABLE_INIT(table, "placements", columns);
}

void hs_placements_add(struct hs_table *table, const struct hs_placement_row *r)
{
    hs_table_row(table);
    COLUMNS(HS_COLUMN_PUT)
}

#undef COLUMNS

static const struct hs_job_message *message(const struct hs_job_row *r)
{
    return &r->job->messages[r->call->message];
}

static const char *over(char text[HS_MESH_TEXT], const struct hs_job_row *r)
{
    struct hs_mesh mesh = r->job->mesh;

    mesh.over = message(r)->over;
    return hs_mesh_format_over(text, &mesh);
}

static const char *ordered(const struct hs_job_row *r)
{
    return hs_collectives[message(r)->collective].ordered ? hs_order_names[message(r)->order]
                                                          : NULL;
}

/* clang-format off */
#define JOB_COLUMNS(column)                                                                        \
    column(OVER, "over", "axis", NULL, TEXT, ALWAYS, over((char[HS_MESH_TEXT]){0}, r))             \
    column(COLLECTIVE, "collective", "collective", NULL, TEXT, ALWAYS,                             \
           hs_collective_names[message(r)->collective])                                            \
    column(BLOCKS, "order", "blocks", NULL, TEXT, IF_ANY, ordered(r))                              \
    column(BYTES, "message_bytes", "size", NULL, BYTES, ALWAYS, message(r)->bytes)                 \
    column(CALLS, "calls", "calls", NULL, COUNT, ALWAYS, message(r)->calls)                        \
    column(GROUP, "ranks", "ranks", NULL, COUNT, ALWAYS, r->call->problem.group.size)              \
    column(PLAN, "plan", "plan", NULL, TEXT, ALWAYS, HS_AS_PLAN(&r->call->plan))                   \
    column(CALL, "seconds", "a call", NULL, TIME, ALWAYS, r->call->seconds)                        \
    column(LIBRARY, "library_seconds", "the library's own", NULL, TIME, IF_ANY,                    \
           r->library_seconds)                                                                     \
    column(STEP, "step_seconds", "a step", NULL, TIME, ALWAYS,                                     \
           r->call->seconds * (double)message(r)->calls)                                           \
    column(SHARE, "share", "of all", "%", PERCENT, ALWAYS,                                         \
           r->call->seconds * (double)message(r)->calls / r->step_seconds)
/* clang-format on */

enum { JOB_COLUMNS(HS_COLUMN_ID) };
static const struct hs_column job_columns[] = {JOB_COLUMNS(HS_COLUMN_ROW)};

void hs_job_rows_init(struct hs_table *table)
{
    HS_TABLE_INIT(table, "messages", job_columns);
}

void hs_job_rows_add(struct hs_table *table, const struct hs_job_row *r)
{
    hs_table_row(table);
    JOB_COLUMNS(HS_COLUMN_PUT)
}

#undef JOB_COLUMNS

/* clang-format off */
#define SHARD_COLUMNS(column)                                                                      \
    column(SHARDS, "dp_shard", "shards", NULL, COUNT, ALWAYS, r->shards)                           \
    column(REPLICAS, "dp_replicate", "replicas", NULL, COUNT, ALWAYS, r->replicas)                 \
    column(MEMORY, "memory_bytes", "a GPU holds", NULL, SIZE, ALWAYS, r->memory_bytes)             \
    column(FITS, "fits", "fits", NULL, TEXT, IF_ANY, r->fits)                                      \
    column(SHARD, "shard_seconds", "gathered, scattered", NULL, TIME, ALWAYS, r->shard_seconds)    \
    column(GATHER, "gather_plan", "by", NULL, TEXT, IF_ANY,                                        \
           r->gather ? HS_AS_PLAN(r->gather) : NULL)                                               \
    column(REPLICA, "replica_seconds", "reduced", NULL, TIME, ALWAYS, r->replica_seconds)          \
    column(REDUCE, "reduce_plan", "by", NULL, TEXT, IF_ANY,                                        \
           r->reduce ? HS_AS_PLAN(r->reduce) : NULL)                                               \
    column(SUM, "seconds", "a step", NULL, TIME, ALWAYS, r->shard_seconds + r->replica_seconds)    \
    column(OWN, "library_seconds", "the library's own", NULL, TIME, IF_ANY, r->library_seconds)
/* clang-format on */

enum { SHARD_COLUMNS(HS_COLUMN_ID) };
static const struct hs_column shard_columns[] = {SHARD_COLUMNS(HS_COLUMN_ROW)};

void hs_shards_init(struct hs_table *table)
{
    HS_TABLE_INIT(table, "shards", shard_columns);
}

void hs_shards_add(struct hs_table *table, const struct hs_shards_row *r)
{
    hs_table_row(table);
    SHARD_COLUMNS(HS_COLUMN_PUT)
}

static void show_orders(struct hs_sheet *sheet, const struct hs_placed *placed)
{
    size_t top = (size_t)placed->asked->question->top;
    struct hs_table table;

    hs_placements_init(&table);
    table.best = 0;
    for (size_t i = 0; i < placed->result.count && i < top; i++)
        hs_placements_add(&table, &(struct hs_placement_row){&placed->result, &placed->job, i + 1,
                                                             placed->given_seconds});
    hs_sheet_table(sheet, &table);
}

static void show_messages(struct hs_sheet *sheet, const struct hs_placed *placed)
{
    const struct hs_asked *asked = placed->asked;
    const struct hs_axes_order *best = &placed->result.orders[0];
    struct hs_table table;

    hs_sheet_say(sheet, "\nIts messages\n");
    hs_job_rows_init(&table);
    for (size_t m = 0; m < placed->job.count; m++) {
        const struct hs_axes_call *call = &placed->result.calls[best->calls[m]];
        struct hs_library_price own = hs_library_price(
            asked->system, &call->problem, hs_datatype_bytes(asked->question->datatype));

        hs_job_rows_add(&table,
                        &(struct hs_job_row){&placed->job, call, best->seconds,
                                             hs_library_is_priced(&own) ? own.seconds : NAN});
    }
    hs_sheet_table(sheet, &table);
}

void hs_placed_show(struct hs_sheet *sheet, const struct hs_placed *placed)
{
    show_orders(sheet, placed);
    show_messages(sheet, placed);
}

void hs_sharded_show(struct hs_sheet *sheet, const struct hs_sharded *sharded)
{
    struct hs_table table;

    hs_shards_init(&table);
    if (sharded->best)
        table.best = (size_t)(sharded->best - sharded->ways);
    for (size_t i = 0; i < sharded->count; i++) {
        const struct hs_sharded_way *way = &sharded->ways[i];

        hs_shards_add(&table, &(struct hs_shards_row){
                                  .shards = way->shards,
                                  .replicas = way->replicas,
                                  .shard_seconds = way->seconds[0],
                                  .replica_seconds = way->seconds[1],
                                  .library_seconds = way->library_seconds,
                                  .memory_bytes = way->memory_bytes,
                                  .fits = way->fits ? NULL : "no",
                                  .gather = way->plans[0].split.count > 0 ? &way->plans[0] : NULL,
                                  .reduce = way->plans[1].split.count > 0 ? &way->plans[1] : NULL});
    }
    hs_sheet_table(sheet, &table);
}
