#include "show/shardings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- the table ------------------------------------------------------------------------------- */

struct row {
    const struct hs_sharding *sharding;
    const struct hs_sharding_way *way;
};

static const struct hs_plan *gather(const struct row *r)
{
    return r->way->shards > 1 ? &r->way->gather : NULL;
}
static const struct hs_plan *scatter(const struct row *r)
{
    return r->way->shards > 1 ? &r->way->scatter : NULL;
}
static const struct hs_plan *reduce(const struct row *r)
{
    return r->way->replicas > 1 ? &r->way->reduce : NULL;
}

static const char *against_full(char text[HS_RATIO_TEXT], const struct row *r)
{
    return r->way->replicas == 1 ? "full sharding" : hs_job_ratio(text, r->way->ratio);
}

/* clang-format off */
#define COLUMNS(column)                                                                            \
    column(SHARDS, "shards", "shards", NULL, COUNT, ALWAYS, r->way->shards)                        \
    column(REPLICAS, "replicas", "x replicas", NULL, COUNT, ALWAYS, r->way->replicas)              \
    column(MEMORY, "memory_bytes", "per GPU", NULL, SIZE, ALWAYS, r->way->memory_bytes)            \
    column(FITS, "fits", "fits", NULL, TEXT, IF_ANY, r->way->fits ? NULL : "no")                   \
    column(TIME, "seconds", "comm per step", NULL, TIME, ALWAYS, r->way->sum.seconds)              \
    column(RANGE, NULL, "90 % interval", NULL, FIGURE, IF_ANY,                                     \
           hs_job_range_cell((char[HS_RATIO_TEXT]){0}, &r->way->sum))                              \
    column(LOW, "low_seconds", NULL, NULL, TIME, IF_ANY, r->way->sum.low_seconds)                  \
    column(HIGH, "high_seconds", NULL, NULL, TIME, IF_ANY, r->way->sum.high_seconds)               \
    column(RATIO, "ratio", NULL, NULL, RATIO, ALWAYS, r->way->ratio)                               \
    column(AGAINST, NULL, "vs full sharding", NULL, TEXT, ALWAYS,                                  \
           against_full((char[HS_RATIO_TEXT]){0}, r))                                              \
    column(SHARD, "shard_seconds", "all-gather, reduce-scatter", NULL, TIME, ALWAYS,               \
           r->way->shard_seconds)                                                                  \
    column(GATHER, "gather_plan", "gather plan", NULL, TEXT, IF_ANY,                               \
           gather(r) ? HS_AS_PLAN(gather(r)) : NULL)                                               \
    column(SCATTER, "scatter_plan", "scatter plan", NULL, TEXT, IF_ANY,                            \
           scatter(r) ? HS_AS_PLAN(scatter(r)) : NULL)                                             \
    column(REPLICA, "replica_seconds", "all-reduce", NULL, TIME, ALWAYS, r->way->replica_seconds)  \
    column(REDUCE, "reduce_plan", "reduce plan", NULL, TEXT, IF_ANY,                               \
           reduce(r) ? HS_AS_PLAN(reduce(r)) : NULL)                                               \
    column(OWN, "library_seconds", "library's default", NULL, TIME, IF_ANY, r->way->library_seconds)
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

static void add(struct hs_table *table, const struct row *r)
{
    hs_table_row(table);
    COLUMNS(HS_COLUMN_PUT)
}

#undef COLUMNS

/* Of those that fit the first, and full sharding among them. */
static void print_ways(struct hs_sheet *sheet, const struct hs_sharding *sharding, size_t rows,
                       bool details)
{
    static const struct hs_pick brief[] = {HS_PICK(SHARDS), HS_PICK(REPLICAS), HS_PICK(MEMORY),
                                           HS_PICK(TIME),   HS_PICK(RANGE),    HS_PICK(AGAINST)};
    bool all = details || !hs_sheet_is_read(sheet);
    size_t shown = sharding->count, full = 0;
    struct hs_table table;

    HS_TABLE_INIT(&table, "shards", columns);
    if (sharding->verdict.advice != HS_JOB_NONE)
        table.best = 0;
    while (sharding->ways[full].replicas > 1)
        full++;
    if (!all) {
        table.picks = HS_PICKS(brief);
        for (size_t fit = sharding->count; fit > 0 && sharding->ways[0].fits; fit--)
            shown = sharding->ways[fit - 1].fits ? shown : fit - 1;
        shown = shown < rows ? shown : rows;
    }
    for (size_t i = 0; i < shown; i++)
        add(&table,
            &(struct row){sharding, &sharding->ways[i + 1 == shown && full >= shown ? full : i]});
    hs_sheet_table(sheet, &table);
}

/* ---- sentences ------------------------------------------------------------------------------- */

#define WAY_TEXT 64

static const char *way_text(char text[WAY_TEXT], const struct hs_sharding_way *way)
{
    if (way->replicas == 1)
        snprintf(text, WAY_TEXT, "%" PRId64 " shard%s", way->shards, HS_PLURAL(way->shards));
    else if (way->shards == 1)
        snprintf(text, WAY_TEXT, "no shards, %" PRId64 " replicas", way->replicas);
    else
        snprintf(text, WAY_TEXT, "%" PRId64 " shards x %" PRId64 " replicas", way->shards,
                 way->replicas);
    return text;
}
#define AS_WAY(way) way_text((char[WAY_TEXT]){0}, way)

static const struct hs_sharding_way *full_of(const struct hs_sharding *sharding)
{
    size_t i = 0;

    while (sharding->ways[i].replicas > 1)
        i++;
    return &sharding->ways[i];
}

#define FITTING_TEXT 96

/* What the ways have to fit into. */
static const char *fitting_text(char text[FITTING_TEXT], const struct hs_sharding *sharding)
{
    if (sharding->memory == 0)
        snprintf(text, FITTING_TEXT, "if it fits (--memory SIZE checks)");
    else
        snprintf(text, FITTING_TEXT, "the fastest that fits into %s of %s",
                 HS_AS_BYTES((uint64_t)sharding->memory), sharding->gpu ? sharding->gpu : "a GPU");
    return text;
}

static void add_verdict(struct hs_job_page *page, const struct hs_sharding *sharding)
{
    const struct hs_sharding_way *first = &sharding->ways[0], *full = full_of(sharding);
    char others[2 * WAY_TEXT] = "No other way that fits is expected to be faster";
    const char *fitting = fitting_text((char[FITTING_TEXT]){0}, sharding);

    switch (sharding->verdict.advice) {
    case HS_JOB_KEEP:
        if (sharding->ties.count > 0)
            snprintf(others, sizeof(others), "%s%s faster by less than 3 %%",
                     sharding->ties.items[0], sharding->ties.count > 1 ? " and others are" : " is");
        hs_job_page_add(page, &page->verdict,
                        "Keep full sharding, %s: %s of communication per step%s, %s per GPU. %s.",
                        AS_WAY(first), HS_AS_TIME(first->sum.seconds), HS_AS_JOB_RANGE(&first->sum),
                        HS_AS_SIZE(first->memory_bytes), others);
        break;
    case HS_JOB_USE:
        hs_job_page_add(page, &page->verdict,
                        "Use %s, %s: %s of communication per step, %s than full sharding (%s%s).",
                        AS_WAY(first), fitting, HS_AS_TIME(first->sum.seconds),
                        HS_AS_JOB_RATIO(first->ratio), HS_AS_TIME(full->sum.seconds),
                        HS_AS_JOB_GAIN_RANGE(&sharding->verdict));
        break;
    case HS_JOB_UNDECIDED:
        hs_job_page_add(page, &page->verdict,
                        "Cannot tell whether %s, %s, is faster than full sharding: expected %s "
                        "against %s per step (%s%s).",
                        AS_WAY(first), fitting, HS_AS_TIME(first->sum.seconds),
                        HS_AS_TIME(full->sum.seconds), HS_AS_JOB_RATIO(first->ratio),
                        HS_AS_JOB_GAIN_RANGE(&sharding->verdict));
        break;
    case HS_JOB_NONE:
        hs_job_page_add(page, &page->verdict,
                        "Nothing fits: full sharding needs %s per GPU, %s has %s.",
                        HS_AS_SIZE(full->memory_bytes), sharding->gpu ? sharding->gpu : "a GPU",
                        HS_AS_BYTES((uint64_t)sharding->memory));
        break;
    case HS_JOB_ADVICE_COUNT:
        break;
    }
    if (sharding->count < sharding->possible)
        hs_job_page_add(page, &page->verdict,
                        "Only %zu of %zu ways were evaluated before --budget ended, those of most "
                        "shards.",
                        sharding->count, sharding->possible);
}

/* How frameworks are told it. */
static void add_settings(struct hs_job_page *page, const struct hs_sharding *sharding)
{
    const struct hs_sharding_way *best = &sharding->ways[0];
    struct hs_text *tail = &page->tail;

    if (sharding->verdict.advice == HS_JOB_NONE || best->shards == 1)
        return;
    hs_text_append(tail,
                   "PyTorch: mesh = init_device_mesh(\"cuda\", (%" PRId64 ", %" PRId64
                   "), mesh_dim_names=(\"dp_replicate\", \"dp_shard\")); fully_shard(unit, "
                   "mesh=mesh)\n",
                   best->replicas, best->shards);
    hs_text_append(tail,
                   "torchtitan: data_parallel_replicate_degree = %" PRId64
                   ", data_parallel_shard_degree = %" PRId64 "\n",
                   best->replicas, best->shards);
    hs_text_append(tail,
                   "Megatron: --use-megatron-fsdp --data-parallel-sharding-strategy "
                   "optim_grads_params --outer-dp-sharding-strategy no_shard "
                   "--num-distributed-optimizer-instances %" PRId64 "\n",
                   best->replicas);
    hs_text_append(tail,
                   "DeepSpeed: \"zero_optimization\": {\"stage\": 3, \"mics_shard_size\": %" PRId64
                   "} (MiCS); \"zero_hpz_partition_size\" is not the same: it shards over all and "
                   "keeps a second copy of the weights alone\n",
                   best->shards);
}

enum hs_status hs_sharding_show(struct hs_text *out, const struct hs_sharding *sharding,
                                const struct hs_shard_question *question,
                                const struct hs_terminal *terminal, struct hs_error *err)
{
    bool in_billions = sharding->parameters >= 1e6;
    struct hs_job_page page;
    struct hs_sheet sheet;
    size_t rows;

    if (hs_print_format(&question->print) == HS_FORMAT_JSON)
        return hs_sharding_print(out, sharding, err);
    hs_sheet_begin(&sheet, out, &question->print, terminal);
    hs_job_page_begin(&page, &sheet, question->details);
    hs_job_page_add(&page, &page.title, "%s: %" PRId64 " ranks, %.4g%s parameters, %s (predicted)",
                    sharding->machine, sharding->np, sharding->parameters / (in_billions ? 1e9 : 1),
                    in_billions ? " billion" : "", hs_datatype_names[sharding->datatype]);
    add_verdict(&page, sharding);
    hs_job_page_add(&page, &page.tail, "Evidence: %s", sharding->evidence);
    if (question->details)
        add_settings(&page, sharding);
    else
        hs_job_page_add_commands(
            &page,
            sharding->verdict.advice == HS_JOB_USE ? "PyTorch: " : "Next: ", &sharding->next);
    hs_job_page_add_lines(&page, "Assumed: ", &sharding->assumptions);
    rows = hs_job_page_print(&page, sharding->count);
    print_ways(&sheet, sharding, rows, question->details);
    return hs_job_page_end(&page, err);
}
