#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/option_rows.h"
#include "cli/systems_here.h"
#include "console/figures.h"
#include "console/help.h"
#include "console/table.h"
#include "machine/system_find.h"

struct systems_settings {
    const char *system;
    bool text, json, names, here, quiet;
};

/* Figures of a level, each with its source; a mesh or switch is a figure too. */
#define LEVEL_FIGURES 4

static void level_sources(const char *sources[LEVEL_FIGURES], const struct hs_level *level)
{
    sources[0] = level->arity_source;
    sources[1] = level->fabric_source;
    sources[2] = level->latency_source;
    sources[3] = level->bandwidth_source;
}

static bool is_unverified(const char *source)
{
    return !source || strncasecmp(source, "unverified", strlen("unverified")) == 0;
}

static size_t unverified_figures(const struct hs_system *system)
{
    const char *sources[LEVEL_FIGURES];
    size_t count = 0;

    for (size_t l = 0; l < system->level_count; l++) {
        level_sources(sources, &system->levels[l]);
        for (size_t i = 0; i < LEVEL_FIGURES; i++)
            count += is_unverified(sources[i]);
    }
    return count;
}

/* Texts of a file may hold what a terminal would obey. */
static void clean(char *text)
{
    for (; text && *text; text++) {
        unsigned char c = (unsigned char)text[0], next = (unsigned char)text[1];

        if (c < 0x20 || c == 0x7F || (c == 0xC2 && next >= 0x80 && next < 0xA0)) {
            if (c == 0xC2)
                *text++ = '?';
            *text = '?';
        }
    }
}

static void clean_system(struct hs_system *system)
{
    clean(system->title);
    clean(system->source);
    clean(system->notes);
    clean(system->fits.source);
    for (size_t i = 0; i < system->fits.refusal_count; i++)
        clean(system->fits.refusals[i].why);
    for (size_t l = 0; l < system->level_count; l++) {
        clean(system->levels[l].arity_source);
        clean(system->levels[l].fabric_source);
        clean(system->levels[l].latency_source);
        clean(system->levels[l].bandwidth_source);
    }
}

static void append_ranks(struct hs_table *table, size_t column, const struct hs_system *system)
{
    int64_t ranks = hs_system_capacity(system);

    if (ranks == INT64_MAX)
        hs_table_cell(table, column, "any");
    else
        hs_table_cell(table, column, "%" PRId64, ranks);
}

static void append_arities(struct hs_table *table, size_t column, const struct hs_system *system)
{
    for (size_t l = 0; l < system->level_count; l++) {
        hs_table_cell(table, column, "%s", l ? " x " : "");
        if (system->levels[l].arity)
            hs_table_cell(table, column, "%" PRId64, system->levels[l].arity);
        else
            hs_table_cell(table, column, "n");
    }
}

static void add_system(struct hs_table *table, const struct hs_system *system, const char *name)
{
    hs_table_row(table);
    hs_table_cell(table, 0, "%s", name);
    append_ranks(table, 1, system);
    append_arities(table, 2, system);
    hs_table_cell(table, 3, "%zu of %zu", unverified_figures(system),
                  LEVEL_FIGURES * system->level_count);
    hs_table_cell(table, 4, "%s", system->title ? system->title : "");
}

/* A broken file among the shipped ones is said and passed over: the others are still of use. */
static bool load_entry(const struct hs_context *context, struct hs_system *system,
                       const struct hs_system_entry *entry)
{
    struct hs_error error;

    memset(system, 0, sizeof(*system));
    if (hs_system_load(system, entry->path, &error) == HS_OK)
        return true;
    hs_warning(context, "%s", error.message);
    hs_system_release(system);
    return false;
}

static void print_list(struct hs_context *context, const struct hs_system_list *list)
{
    struct hs_table table = {.column_count = 0};

    hs_table_column(&table, "system", false);
    hs_table_column(&table, "processes", true);
    hs_table_column(&table, "levels", false);
    hs_table_column(&table, "unverified", true);
    hs_table_column(&table, "machine", false);
    for (size_t i = 0; i < list->count; i++) {
        struct hs_system system;

        if (!load_entry(context, &system, &list->entries[i]))
            continue;
        clean_system(&system);
        add_system(&table, &system, list->entries[i].name);
        hs_system_release(&system);
    }
    if (context->terminal.is_terminal)
        hs_table_cut(&table, (size_t)context->terminal.width);
    hs_table_print(context->out, &table, &context->terminal);
    hs_table_release(&table);
    hs_text_append(
        context->out,
        "\nlevels: arities from the inside out, n: as many as needed; unverified: figures without "
        "a published source\n");
}

static enum hs_status print_list_as_json(struct hs_context *context,
                                         const struct hs_system_list *list, struct hs_error *err)
{
    struct hs_json_writer w = {.text = context->out, .err = err};

    hs_json_open(&w, NULL, '[');
    for (size_t i = 0; i < list->count; i++) {
        struct hs_system system;

        if (!load_entry(context, &system, &list->entries[i]))
            continue;
        hs_fields_write(&w, NULL, &hs_system_fields, &system);
        hs_system_release(&system);
    }
    hs_json_close(&w, ']');
    return hs_json_finish(&w);
}

static enum hs_status run_list(struct hs_context *context, const struct systems_settings *settings,
                               struct hs_error *err)
{
    struct hs_system_list list;
    enum hs_status status;

    if (settings->text)
        return hs_fail(err, HS_INVALID, "--text: expected a SYSTEM to print");
    status = hs_system_list_read(&list, err);
    if (status != HS_OK)
        return status;
    if (settings->json)
        status = print_list_as_json(context, &list, err);
    else if (settings->names)
        for (size_t i = 0; i < list.count; i++)
            hs_text_append(context->out, "%s\n", list.entries[i].name);
    else
        print_list(context, &list);
    hs_system_list_release(&list);
    return status;
}

static void append_field(struct hs_context *context, const char *name, const char *text)
{
    int width = context->terminal.width < 100 ? context->terminal.width : 100;

    if (!text)
        return;
    hs_text_append(context->out, "%-9s ", name);
    hs_text_wrap(context->out, text, 10, 10, (size_t)width);
    hs_text_append(context->out, "\n");
}

static void print_levels(struct hs_context *context, const struct hs_system *system)
{
    static const char *const headings[] = {"level",     "arity", "fabric",  "latency",
                                           "bandwidth", "ports", "striped", "ranks per child"};
    struct hs_table table = {.column_count = 0};
    char text[HS_UNIT_TEXT];

    for (size_t c = 0; c < sizeof(headings) / sizeof(headings[0]); c++)
        hs_table_column(&table, headings[c], c == 1 || c == 3 || c == 4 || c == 5 || c == 7);
    for (size_t l = 0; l < system->level_count; l++) {
        const struct hs_level *level = &system->levels[l];

        hs_table_row(&table);
        hs_table_cell(&table, 0, "%s", level->name);
        if (level->arity)
            hs_table_cell(&table, 1, "%" PRId64, level->arity);
        else
            hs_table_cell(&table, 1, "any");
        hs_table_cell(&table, 2, "%s", hs_fabric_names[level->fabric]);
        hs_table_cell(&table, 3, "%s", hs_seconds_format(text, level->latency_seconds));
        hs_table_cell(&table, 4, "%s", hs_bandwidth_format(text, level->bytes_per_second));
        hs_table_cell(&table, 5, "%" PRId64, level->ports);
        hs_table_cell(&table, 6, "%s", !level->striped ? "no" : level->ports > 1 ? "yes" : "-");
        hs_table_cell(&table, 7, "%" PRId64, hs_system_child_ranks(system, l));
    }
    hs_table_print(context->out, &table, &context->terminal);
    hs_table_release(&table);
}

/* "level ib, straddling", "size 4 on ib", "layer of size 4, stride 8 on ib" in columns of their
 * own. */
static void add_fit(struct hs_table *table, const struct hs_system *system,
                    const struct hs_fit *fit)
{
    char text[HS_UNIT_TEXT], figure[HS_FIGURE_TEXT];

    hs_table_row(table);
    hs_table_cell(table, 0, "%s%s", system->levels[fit->level].name, fit->straddles ? " ~" : "");
    hs_table_cell(table, 1, "%s", hs_fit_scope_names[fit->scope]);
    if (fit->min_size == fit->max_size)
        hs_table_cell(table, 2, "%" PRId64, fit->min_size);
    else
        hs_table_cell(table, 2, "%" PRId64 " to %" PRId64, fit->min_size, fit->max_size);
    if (fit->scope == HS_FIT_LAYER)
        hs_table_cell(table, 3, "%" PRId64, fit->stride);
    hs_table_cell(table, 4, "%s", hs_seconds_format(text, fit->latency_seconds));
    if (isfinite(fit->latency_ci95_seconds))
        hs_table_cell(table, 4, " +- %s", hs_seconds_format(text, fit->latency_ci95_seconds));
    hs_table_cell(table, 5, "%s", hs_bandwidth_format(text, fit->bytes_per_second));
    if (isfinite(fit->bandwidth_ci95_bytes_per_second))
        hs_table_cell(table, 5, " +- %s",
                      hs_bandwidth_format(text, fit->bandwidth_ci95_bytes_per_second));
    if (fit->scope != HS_FIT_LEVEL)
        hs_table_cell(table, 6, "%s",
                      hs_bytes_figure(figure, hs_fit_half_bandwidth_bytes(fit, system)));
    if (isfinite(fit->relative_ci95))
        hs_table_cell(table, 7, "%.1f", 100 * fit->relative_ci95);
    hs_table_cell(table, 8, "%" PRId64, fit->points);
    hs_table_cell(table, 9, "%.1f", 100 * fit->residual);
    hs_table_cell(table, 10, "%s", hs_bytes_figure(figure, fit->min_bytes));
    hs_table_cell(table, 10, " to %s", hs_bytes_figure(figure, fit->max_bytes));
}

static void print_refusals(struct hs_context *context, const struct hs_fits *fits)
{
    for (size_t i = 0; i < fits->refusal_count; i++) {
        const struct hs_fit_refusal *refusal = &fits->refusals[i];

        hs_text_append(context->out, "refused: size %" PRId64 ", stride %" PRId64 ": %s",
                       refusal->layer.size, refusal->layer.stride, refusal->why);
        if (isfinite(refusal->residual))
            hs_text_append(context->out, " (residual %.1f %%)", 100 * refusal->residual);
        hs_text_append(context->out, "\n");
    }
}

static void print_fits(struct hs_context *context, const struct hs_system *system)
{
    static const char *const headings[] = {"level",   "fit of",     "size",          "stride",
                                           "latency", "bandwidth",  "half at",       "+-%",
                                           "points",  "residual %", "bytes entering"};
    struct hs_table table = {.column_count = 0};
    const struct hs_fits *fits = &system->fits;
    char launch[HS_UNIT_TEXT];

    if (fits->count == 0)
        return;
    hs_text_append(context->out, "\n");
    append_field(context, "fitted", fits->source);
    if (isfinite(fits->launch_ci95_seconds))
        hs_text_append(context->out, "launch    +- %s (95 %%)\n",
                       hs_seconds_format(launch, fits->launch_ci95_seconds));
    hs_text_append(context->out, "\n");
    for (size_t c = 0; c < sizeof(headings) / sizeof(headings[0]); c++)
        hs_table_column(&table, headings[c], c > 1 && c != 4 && c != 5 && c != 10);
    for (size_t i = 0; i < fits->count; i++)
        add_fit(&table, system, &fits->items[i]);
    hs_table_print(context->out, &table, &context->terminal);
    hs_table_release(&table);
    hs_text_append(context->out,
                   "\na layer is priced by the narrowest fit there is: layer, size, "
                   "level; ~ straddles; half at: bytes entering\nat which half of the "
                   "bandwidth is reached; +-%%: 95 %% interval of a layer's time\n");
    print_refusals(context, fits);
}

static void print_sources(struct hs_context *context, const struct hs_system *system)
{
    static const char *const figures[LEVEL_FIGURES] = {"arity", "fabric", "latency", "bandwidth"};
    int width = context->terminal.width < 100 ? context->terminal.width : 100;

    for (size_t l = 0; l < system->level_count; l++) {
        const char *sources[LEVEL_FIGURES];

        level_sources(sources, &system->levels[l]);
        hs_text_append(context->out, "\n%s\n", system->levels[l].name);
        for (size_t i = 0; i < LEVEL_FIGURES; i++) {
            hs_text_append(context->out, "  %-9s ", figures[i]);
            hs_text_wrap(context->out, sources[i] ? sources[i] : "unverified (no source given)", 12,
                         12, (size_t)width);
            hs_text_append(context->out, "\n");
        }
    }
}

static void print_system(struct hs_context *context, const struct hs_system *system)
{
    char launch[HS_UNIT_TEXT];

    append_field(context, "system", system->name);
    append_field(context, "machine", system->title);
    append_field(context, "source", system->source);
    append_field(context, "notes", system->notes);
    hs_text_append(context->out,
                   "latencies %s; a ring step pays %g of them; launch %s per call\n\n",
                   hs_latency_kind_names[system->latency_kind], system->pipeline_granularity,
                   hs_seconds_format(launch, system->launch_seconds));
    print_levels(context, system);
    hs_text_append(context->out,
                   "\nbandwidth: what one child can send into the level, over all its ports\n");
    print_fits(context, system);
    print_sources(context, system);
}

static enum hs_status show(struct hs_context *context, struct hs_system *system,
                           const struct systems_settings *settings, struct hs_error *err)
{
    if (settings->json)
        return hs_system_print(context->out, system, err);
    if (settings->text) {
        hs_system_format(context->out, system);
        hs_text_append(context->out, "\n");
        if (system->fits.count > 0)
            hs_note(context, "a line of text has the levels' figures only, without the %zu fits",
                    system->fits.count);
    } else {
        clean_system(system);
        print_system(context, system);
    }
    return HS_OK;
}

static enum hs_status run_here(struct hs_context *context, const struct systems_settings *settings,
                               struct hs_error *err)
{
    struct hs_system system = {.level_count = 0};
    bool proposed = false;
    enum hs_status status;

    if (settings->system || settings->names)
        return hs_fail(err, HS_INVALID, "--here: this node, so neither SYSTEM nor --names");
    status = hs_systems_here(context, &system, &proposed, settings->json || settings->text, err);
    if (status == HS_OK && proposed)
        status = show(context, &system, settings, err);
    hs_system_release(&system);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct systems_settings *settings = of_rows;
    struct hs_system system = {.level_count = 0};
    enum hs_status status;

    context->quiet = settings->quiet;
    if (settings->text + settings->json + settings->names > 1)
        return hs_fail(err, HS_INVALID, "--text, --json and --names exclude each other");
    if (settings->here)
        return run_here(context, settings, err);
    if (!settings->system)
        return run_list(context, settings, err);
    if (settings->names)
        return hs_fail(err, HS_INVALID, "--names: lists all, a SYSTEM is not expected");
    status = hs_system_find(&system, settings->system, err);
    if (status == HS_OK)
        status = show(context, &system, settings, err);
    hs_system_release(&system);
    return status;
}

#define FIELD(name) offsetof(struct systems_settings, name)

static const struct hs_argument arguments[] = {
    HS_ROW_SYSTEM(
        FIELD(system), false,
        "show this one in full, with the source of every figure: a name, a file or a line of "
        "text"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    {.name = "text",
     .type = &hs_option_flag,
     .offset = FIELD(text),
     .help = "the SYSTEM as one line of text, which predict accepts in its place"},
    {.name = "json",
     .type = &hs_option_flag,
     .offset = FIELD(json),
     .help = "the system file; without SYSTEM an array of all"},
    {.name = "names",
     .type = &hs_option_flag,
     .offset = FIELD(names),
     .help = "only the names, one per line"},
    {.name = "here",
     .type = &hs_option_flag,
     .offset = FIELD(here),
     .help = "this node: GPUs, NICs and what joins them, and the system that is proposed from it"},
    HS_ROW_QUIET(NULL, FIELD(quiet), "no notes and warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_systems = {
    .name = "systems",
    .summary = "the machines that come with the program, and where their figures are from",
    .description = "Systems are looked for in the folders of $HIERSEARCH_CONFIGS (separated by "
                   "':'), then among those installed with the program.",
    .examples = "  hiersearch systems\n"
                "  hiersearch systems abci\n"
                "  hiersearch systems abci --json > mine.json\n"
                "  hiersearch systems --here --json > here.json",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct systems_settings),
    .run = run,
};
