#include "show/logs.h"

#include <math.h>

/* Said where some calls are in place. */
static const char *place(const struct hs_comparison *comparison, const struct hs_compare_log *r)
{
    for (size_t i = 0; i < comparison->log_count; i++)
        if (comparison->logs[i].in_place)
            return r->in_place ? "in" : "out";
    return NULL;
}

/* clang-format off */
#define COLUMNS(column)                                                                            \
    column(FILE_NAME, "file", "log", NULL, TEXT, ALWAYS, r->file)                                \
    column(CALL, "call", "call", NULL, TEXT, ALWAYS, hs_library_call_names[r->call])               \
    column(NODES, "nodes", "nodes", NULL, COUNT, IF_ANY, r->nodes ? (double)r->nodes : NAN)        \
    column(NP, "np", "np", NULL, COUNT, ALWAYS, r->np)                                             \
    column(BYTES, "message_bytes", "size", NULL, BYTES, ALWAYS, r->message_bytes)                  \
    column(PLACE, "place", "place", NULL, FIGURE, IF_ANY, place(comparison, r))                    \
    column(TIME, "seconds", "library", "us", SCALED, ALWAYS, r->seconds)                           \
    column(PREDICTED, "predicted_seconds", "predicted", "us", SCALED, IF_ANY,                      \
           r->predicted_seconds)                                                                   \
    column(LOW, "low_seconds", "from", "us", SCALED, IF_ANY, r->low_seconds)                       \
    column(HIGH, "high_seconds", "to", "us", SCALED, IF_ANY, r->high_seconds)                      \
    column(ERROR_OF, "error", "error", "%", ERROR, IF_ANY, r->error)                               \
    column(PLAN, "plan", "best plan", NULL, FIGURE, IF_ANY,                                        \
           r->measured ? HS_AS_PLAN(&r->plan) : NULL)                                              \
    column(PLAN_TIME, "plan_seconds", "measured", "us", SCALED, IF_ANY, r->plan_seconds)           \
    column(GAIN, "gain", "gain", NULL, RATIO, IF_ANY, r->gain)
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

#define PICK(id, ...) HS_PICK(id),
static const struct hs_pick picks[] = {COLUMNS(PICK)};

void hs_logs_table(struct hs_table *table, const struct hs_comparison *comparison, bool files)
{
    HS_TABLE_INIT(table, "logs", columns);
    table->picks = HS_PICKS(picks);
    if (!files) {
        table->picks.list++;
        table->picks.count--;
    }
    table->unit = (struct hs_time_unit){"us", 1e-6, 2};
    for (size_t i = 0; i < comparison->log_count; i++) {
        const struct hs_compare_log *r = &comparison->logs[i];

        hs_table_row(table);
        COLUMNS(HS_COLUMN_PUT)
    }
}
