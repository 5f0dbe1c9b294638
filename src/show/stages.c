#include "show/stages.h"
#include "library/price_plan.h"

#include <math.h>
#include <stdio.h>

#define LEVEL_BYTES (2 * HS_SYSTEM_NAME + 16)

/* A layer, or all of them. */
struct record {
    const struct hs_system *system;
    const struct hs_stage_cost *stage; /* NULL: all layers */
    double seconds, latency, bandwidth, launch, share;
};

static const char *level(const struct record *r, char text[LEVEL_BYTES])
{
    const struct hs_stage_cost *stage = r->stage;
    bool other = stage && stage->bottleneck != stage->level;

    if (!stage)
        return "all layers";
    snprintf(text, LEVEL_BYTES, "%s%s%s%s%s", r->system->levels[stage->level].name,
             stage->misaligned ? " ~" : "", other ? " (" : "",
             other ? r->system->levels[stage->bottleneck].name : "", other ? " slowest)" : "");
    return text;
}

/* Of a layer that goes out by one algorithm and comes back by another. */
static struct hs_value way(const struct record *r)
{
    bool apart = r->stage && r->stage->key.phase != HS_PAIR &&
                 r->stage->key.phase != HS_ALLREDUCE && r->stage->key.phase != HS_EXCHANGE;

    return hs_value_marked(apart ? hs_phase_names[r->stage->key.phase] : NULL,
                           apart ? hs_algorithm_clauses[r->stage->key.algorithm] : NULL);
}

/* Of a calibrated system. */
static struct hs_value fit(const struct record *r)
{
    bool known = r->stage && r->system->fits.count > 0;

    return hs_value_marked(known ? hs_fit_scope_names[r->stage->fit_scope] : NULL,
                           known && r->stage->extrapolated ? " *" : NULL);
}

static double spread(const struct record *r)
{
    return r->stage && r->system->fits.count > 0 ? hs_or_dash(r->stage->relative_ci95) : NAN;
}

#define OF(member) (r->stage ? (double)r->stage->member : (double)NAN)

/* clang-format off */
#define COLUMNS(column)                                                                            \
    column(LAYER, "layer", "layer", NULL, COUNT, ALWAYS, OF(layer) + 1)                            \
    column(SIZE, "size", "size", NULL, COUNT, ALWAYS, OF(key.layer.size))                          \
    column(STRIDE, "stride", "stride", NULL, COUNT, ALWAYS, OF(key.layer.stride))                  \
    column(LEVEL, "level", "level", NULL, TEXT, ALWAYS, level(r, (char[LEVEL_BYTES]){0}))          \
    column(RINGS, "rings_per_link", "rings", NULL, COUNT, ALWAYS, OF(rings_per_link))              \
    column(RING, "ring_bytes_per_second", "GB/s/ring", NULL, RING, ALWAYS,                         \
           OF(ring_bytes_per_second))                                                              \
    column(BYTES, "bytes_entering", "bytes in", NULL, SIZE, ALWAYS, OF(bytes))                     \
    column(TIME, "seconds", "time", HS_TABLE_UNIT, SCALED, ALWAYS, r->seconds)                     \
    column(SHARE, "share", "share", "%", PERCENT, ALWAYS, hs_or_dash(r->share))                    \
    column(LATENCY, "latency_share", "latency", "%", PERCENT, ALWAYS,                              \
           hs_or_dash(r->latency / r->seconds))                                                    \
    column(BANDWIDTH, "bandwidth_share", "bandw.", "%", PERCENT, ALWAYS,                           \
           hs_or_dash(r->bandwidth / r->seconds))                                                  \
    column(LAUNCH, "launch_share", "launch", "%", PERCENT, IF_ANY,                                 \
           r->system->launch_seconds + r->system->gap_seconds > 0 || r->launch > 0                 \
               ? hs_or_dash(r->launch / r->seconds)                                                \
               : NAN)                                                                              \
    column(FIT, "fit", "priced by", NULL, TEXT, IF_ANY, fit(r))                                    \
    column(SPREAD, "relative_ci95", "+-%", NULL, PERCENT, IF_ANY, spread(r))                       \
    column(WAY, "way", "way", NULL, TEXT, IF_ANY, way(r))
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

static const struct hs_pick of_report[] = {HS_PICK(LAYER),
                                           HS_PICK(SIZE),
                                           HS_PICK(STRIDE),
                                           HS_PICK(LEVEL),
                                           HS_PICK(BYTES),
                                           {RINGS, "rings on a link"},
                                           {RING, "GB/s of a ring"},
                                           HS_PICK(TIME),
                                           HS_PICK(SHARE),
                                           {LATENCY, "of it latency"},
                                           {LAUNCH, "launch"},
                                           HS_PICK(WAY),
                                           HS_PICK(FIT),
                                           {SPREAD, "95 % interval +-%"}};

static void add(struct hs_table *table, const struct record *r)
{
    hs_table_row(table);
    COLUMNS(HS_COLUMN_PUT)
}

void hs_stages_table(struct hs_table *table, const struct hs_system *system,
                     const struct hs_plan_cost *cost, bool report)
{
    struct record all = {.system = system,
                         .latency = cost->latency_seconds,
                         .bandwidth = cost->bandwidth_seconds,
                         .launch = cost->launch_seconds};

    for (int i = 0; i < cost->count; i++)
        all.seconds += cost->stages[i].seconds;
    all.share = all.seconds / all.seconds; /* not known where nothing takes time */
    HS_TABLE_INIT(table, "layers", columns);
    if (report)
        table->picks = HS_PICKS(of_report);
    table->unit = hs_time_unit_for(all.seconds);
    table->total = 1;
    for (int i = 0; i < cost->count; i++) {
        const struct hs_stage_cost *stage = &cost->stages[i];

        add(table, &(struct record){.system = system,
                                    .stage = stage,
                                    .seconds = stage->seconds,
                                    .latency = stage->latency_seconds,
                                    .bandwidth = stage->bandwidth_seconds,
                                    .launch = stage->launch_seconds,
                                    .share = stage->seconds / all.seconds});
    }
    add(table, &all);
}
