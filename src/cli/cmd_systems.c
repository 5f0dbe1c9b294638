#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api/systems.h"
#include "cli/commands.h"
#include "cli/option_rows.h"
#include "console/help.h"
#include "machine/node.h"
#include "machine/system_find.h"
#include "machine/topology_file.h"
#include "view/sheet.h"
#include "view/systems.h"

struct systems_settings {
    struct hs_argument_list systems; /* at most one, but for --from and --check */
    struct hs_print print;
    bool text, names, here, from, parts, check, quiet;
};

static enum hs_status print_list(struct hs_context *context, struct hs_sheet *sheet,
                                 const struct hs_system_list *list, struct hs_error *err)
{
    struct hs_text notes = {0};
    struct hs_table table;

    hs_systems_init(&table);
    for (size_t i = 0; i < list->count; i++) {
        struct hs_system system;

        if (!hs_systems_load(&system, list->entries[i].path, &notes))
            continue;
        hs_systems_add(&table, &system, list->entries[i].name);
        hs_system_release(&system);
    }
    hs_notes_pass_on(context, &notes);
    hs_sheet_table(sheet, &table);
    hs_sheet_say(sheet, "\nlevels: arities from the inside out, n: as many as needed; unverified: "
                        "figures without a published source\n");
    return hs_sheet_end(sheet, err);
}

static enum hs_status print_list_as_json(struct hs_context *context, struct hs_error *err)
{
    struct hs_text notes = {0};
    enum hs_status status = hs_systems_print(context->out, &notes, err);

    hs_notes_pass_on(context, &notes);
    return status;
}

static enum hs_status run_list(struct hs_context *context, struct hs_sheet *sheet,
                               const struct systems_settings *settings, struct hs_error *err)
{
    struct hs_system_list list;
    enum hs_status status;

    if (settings->text)
        return hs_fail(err, HS_INVALID, "--text: expected a SYSTEM to print");
    if (sheet->format == HS_FORMAT_JSON)
        return print_list_as_json(context, err);
    status = hs_system_list_read(&list, err);
    if (status != HS_OK)
        return status;
    if (settings->names)
        for (size_t i = 0; i < list.count; i++)
            hs_text_append(context->out, "%s\n", list.entries[i].name);
    else
        status = print_list(context, sheet, &list, err);
    hs_system_list_release(&list);
    return status;
}

/* "name      text", the text in lines that begin in one column. */
static void say_field(struct hs_sheet *sheet, int indent, const char *name, const char *text)
{
    size_t width = (size_t)(sheet->terminal.width < 100 ? sheet->terminal.width : 100);
    size_t at = (size_t)indent + 10;
    struct hs_text harmless = {0}, wrapped = {0};

    if (!text)
        return;
    hs_text_append_foreign(&harmless, text, "?");
    hs_text_wrap(&wrapped, harmless.data ? harmless.data : "", at, at, width);
    hs_sheet_say(sheet, "%*s%-9s %s\n", indent, "", name, wrapped.data ? wrapped.data : "");
    hs_text_release(&wrapped);
    hs_text_release(&harmless);
}

static void say_fits(struct hs_sheet *sheet, const struct hs_system *system)
{
    const struct hs_fits *fits = &system->fits;
    struct hs_table table;

    if (fits->count == 0)
        return;
    hs_sheet_say(sheet, "\n");
    say_field(sheet, 0, "fitted", fits->source);
    if (isfinite(fits->launch_ci95_seconds))
        hs_sheet_say(sheet, "launch    +- %s (95 %%)\n", HS_AS_TIME(fits->launch_ci95_seconds));
    hs_sheet_say(sheet, "\n");
    hs_fits_table(&table, system, true);
    hs_sheet_table(sheet, &table);
    hs_sheet_say(sheet, "\na layer is priced by the narrowest fit there is: layer, size, level; "
                        "~ straddles; half at: bytes entering\nat which half of the bandwidth is "
                        "reached; +-%%: 95 %% interval of a layer's time\n");
    for (size_t i = 0; i < fits->refusal_count; i++) {
        const struct hs_fit_refusal *refusal = &fits->refusals[i];

        hs_sheet_say(sheet, "refused: size %" PRId64 ", stride %" PRId64 ": %s",
                     refusal->layer.size, refusal->layer.stride, refusal->why);
        if (isfinite(refusal->residual))
            hs_sheet_say(sheet, " (residual %.1f %%)", 100 * refusal->residual);
        hs_sheet_say(sheet, "\n");
    }
}

static void say_sources(struct hs_sheet *sheet, const struct hs_system *system)
{
    for (size_t l = 0; l < system->level_count; l++) {
        const char *sources[HS_LEVEL_FIGURES];

        hs_level_sources(sources, &system->levels[l]);
        hs_sheet_say(sheet, "\n%s\n", system->levels[l].name);
        for (size_t i = 0; i < HS_LEVEL_FIGURES; i++)
            say_field(sheet, 2, hs_level_figures[i],
                      sources[i] ? sources[i] : "unverified (no source given)");
    }
}

/* What NCCL's kernels get of a GPU. */
static void say_blocks(struct hs_sheet *sheet, const struct hs_system *system)
{
    const struct hs_gpu_blocks *blocks = &system->blocks;

    hs_sheet_say(sheet, "\nblocks of NCCL's kernels");
    if (blocks->GBps > 0)
        hs_sheet_say(sheet, ", one per channel: each adds %.3g GB/s at most", blocks->GBps);
    if (blocks->at_once > 0)
        hs_sheet_say(sheet, ", of which a GPU has %" PRId64 " at work at the same time",
                     blocks->at_once);
    hs_sheet_say(sheet, " (%s)\n", system->blocks_source ? system->blocks_source : "no source");
}

static void say_links(struct hs_sheet *sheet, const struct hs_level *level)
{
    const struct hs_links *links = &level->links;
    struct hs_table table;

    if (links->count == 0)
        return;
    hs_sheet_say(sheet, "\nlinks of %s: 0 to %d are its children", level->name, links->units - 1);
    if (links->relays == 1)
        hs_sheet_say(sheet, ", %d passes on what comes", links->units);
    else if (links->relays > 1)
        hs_sheet_say(sheet, ", %d to %d pass on what comes", links->units,
                     hs_links_vertices(links) - 1);
    hs_sheet_say(sheet, "\n\n");
    hs_links_table(&table, level);
    hs_sheet_table(sheet, &table);
}

static void say_system(struct hs_sheet *sheet, const struct hs_system *system)
{
    struct hs_table table;

    say_field(sheet, 0, "system", system->name);
    say_field(sheet, 0, "machine", system->title);
    say_field(sheet, 0, "source", system->source);
    say_field(sheet, 0, "notes", system->notes);
    if (hs_system_library(system))
        say_field(sheet, 0, "library", hs_library_written(hs_system_library(system)));
    say_field(sheet, 0, "parts", system->parts);
    hs_sheet_say(sheet, "latencies %s; a ring step pays %g of them; launch %s per call",
                 hs_latency_kind_names[system->latency_kind], system->pipeline_granularity,
                 HS_AS_TIME(system->launch_seconds));
    if (system->gap_seconds > 0)
        hs_sheet_say(sheet, ", %s between two", HS_AS_TIME(system->gap_seconds));
    hs_sheet_say(sheet, "\n\n");
    hs_levels_table(&table, system);
    hs_sheet_table(sheet, &table);
    hs_sheet_say(sheet,
                 "\nbandwidth: what one child can send into the level, over all its ports\n");
    for (size_t l = 0; l < system->level_count; l++)
        say_links(sheet, &system->levels[l]);
    if (system->constants.count > 0) {
        hs_sheet_say(sheet, "\nconstants of %s's price, fitted to this machine's own times\n\n",
                     hs_library_written(hs_system_library(system)));
        hs_own_constants_table(&table, system);
        hs_sheet_table(sheet, &table);
    }
    if (system->blocks.GBps > 0 || system->blocks.at_once > 0)
        say_blocks(sheet, system);
    say_fits(sheet, system);
    say_sources(sheet, system);
}

static enum hs_status show(struct hs_context *context, struct hs_sheet *sheet,
                           const struct hs_system *system, bool as_text, struct hs_error *err)
{
    if (sheet->format == HS_FORMAT_JSON)
        return hs_system_print(context->out, system, err);
    if (!as_text) {
        say_system(sheet, system);
        return hs_sheet_end(sheet, err);
    }
    hs_system_format(context->out, system);
    hs_text_append(context->out, "\n");
    for (size_t l = 0; l < system->level_count; l++)
        if (system->levels[l].links.count > 0)
            hs_note(context,
                    "a line of text has a level's bandwidth only, without the %zu links of %s, "
                    "which it shows as a switch",
                    system->levels[l].links.count, system->levels[l].name);
    if (system->fits.count > 0)
        hs_note(context, "a line of text has the levels' figures only, without the %zu fits",
                system->fits.count);
    return HS_OK;
}

/* A node, with what could not be found out, and the system that is proposed from it. To programs
 * only the latter; nothing to propose is a failure then, and always of files. */
static enum hs_status show_node(struct hs_context *context, struct hs_sheet *sheet,
                                const struct systems_settings *settings, const struct hs_node *node,
                                struct hs_error *err)
{
    struct hs_system system = {.level_count = 0};
    struct hs_text text = {0};
    struct hs_error why;
    bool told = hs_sheet_is_read(sheet) && !settings->text;
    enum hs_status status = hs_node_propose(&system, node, &why);

    if (status != HS_OK && settings->from)
        return hs_fail(err, HS_INVALID, "%s: %s", node->origin.files, why.message);
    hs_node_print(&text, node);
    if (told)
        hs_sheet_say(sheet, "%s%s\n", text.data ? text.data : "", status ? why.message : "");
    hs_text_release(&text);
    if (status == HS_OK)
        status = show(context, sheet, &system, settings->text, err);
    else if (told)
        status = hs_sheet_end(sheet, err);
    else
        status = hs_fail(err, HS_FAILED, "--here: %s", why.message);
    hs_system_release(&system);
    return status;
}

static enum hs_status run_here(struct hs_context *context, struct hs_sheet *sheet,
                               const struct systems_settings *settings, struct hs_error *err)
{
    struct hs_node node;
    enum hs_status status;

    if (settings->systems.count > 0 || settings->names)
        return hs_fail(err, HS_INVALID, "--here: this node, so neither SYSTEM nor --names");
    hs_node_read(&node);
    status = show_node(context, sheet, settings, &node, err);
    hs_node_release(&node);
    return status;
}

static enum hs_status run_from(struct hs_context *context, struct hs_sheet *sheet,
                               const struct systems_settings *settings, struct hs_error *err)
{
    const struct hs_argument_list *files = &settings->systems;
    struct hs_node node;
    enum hs_status status = HS_OK;

    if (settings->here || settings->names || settings->parts || settings->check)
        return hs_fail(err, HS_INVALID,
                       "--from: files, so none of --here, --names, --parts, --check");
    if (files->count == 0)
        return hs_fail(err, HS_INVALID, "--from: expected files to read");
    hs_node_init(&node);
    for (size_t i = 0; status == HS_OK && i < files->count; i++)
        status = hs_topology_load(&node, files->items[i], err);
    if (status == HS_OK)
        status = show_node(context, sheet, settings, &node, err);
    hs_node_release(&node);
    return status;
}

static enum hs_status run_one(struct hs_context *context, struct hs_sheet *sheet,
                              const struct systems_settings *settings, struct hs_error *err)
{
    struct hs_system system = {.level_count = 0};
    enum hs_status status;

    if (settings->names)
        return hs_fail(err, HS_INVALID, "--names: lists all, a SYSTEM is not expected");
    if (settings->systems.count > 1)
        return hs_fail(err, HS_INVALID, "unexpected argument \"%s\"", settings->systems.items[1]);
    status = hs_system_find(&system, settings->systems.items[0], err);
    if (status == HS_OK)
        status = show(context, sheet, &system, settings->text, err);
    hs_system_release(&system);
    return status;
}

static enum hs_status run_parts(struct hs_sheet *sheet, const struct systems_settings *settings,
                                struct hs_error *err)
{
    if (settings->systems.count > 0 || settings->names || settings->text || settings->here ||
        settings->check)
        return hs_fail(
            err, HS_INVALID,
            "--parts: lists all, so neither SYSTEM nor --names, --text, --here, --check");
    hs_parts_say(sheet);
    return hs_sheet_end(sheet, err);
}

/* ---- --check ---- */

/* Those named, or all that are listed, a file that is no system among them. */
static enum hs_status check_all(struct hs_table *table, size_t *found, size_t *checked,
                                const struct hs_argument_list *named, struct hs_error *err)
{
    struct hs_system_list list = {NULL, 0};
    enum hs_status status = named->count > 0 ? HS_OK : hs_system_list_read(&list, err);

    *checked = named->count > 0 ? named->count : list.count;
    for (size_t i = 0; status == HS_OK && i < *checked; i++) {
        bool of_list = named->count == 0;
        const char *text = of_list ? list.entries[i].path : named->items[i];
        struct hs_system system = {.level_count = 0};

        status = hs_system_find(&system, text, err);
        if (status == HS_OK)
            *found += hs_system_say_findings(table, &system, of_list ? list.entries[i].name : text);
        hs_system_release(&system);
    }
    hs_system_list_release(&list);
    return status;
}

static enum hs_status run_check(struct hs_context *context, struct hs_sheet *sheet,
                                const struct systems_settings *settings, struct hs_error *err)
{
    size_t found = 0, checked = 0;
    struct hs_table table;
    enum hs_status status;

    if (settings->names || settings->text || settings->here)
        return hs_fail(err, HS_INVALID, "--check: expected none of --names, --text and --here");
    hs_findings_init(&table);
    status = check_all(&table, &found, &checked, &settings->systems, err);
    if (status != HS_OK) {
        hs_table_release(&table);
        return status;
    }
    context->found_fault = found > 0;
    if (found > 0 || !hs_sheet_is_read(sheet))
        hs_sheet_table(sheet, &table);
    else
        hs_table_release(&table);
    hs_sheet_say(sheet, "%s%zu system%s checked, %zu figure%s cannot be true\n", found ? "\n" : "",
                 checked, HS_PLURAL(checked), found, HS_PLURAL(found));
    return hs_sheet_end(sheet, err);
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct systems_settings *settings = of_rows;
    struct hs_sheet sheet;

    context->quiet = settings->quiet;
    if (settings->text + (settings->print.format != NULL) + settings->names > 1)
        return hs_fail(err, HS_INVALID,
                       "--text, --names and --format (or --json) exclude each other");
    hs_sheet_begin(&sheet, context->out, &settings->print, &context->terminal);
    if (settings->from)
        return run_from(context, &sheet, settings, err);
    if (settings->parts)
        return run_parts(&sheet, settings, err);
    if (settings->here)
        return run_here(context, &sheet, settings, err);
    if (settings->check)
        return run_check(context, &sheet, settings, err);
    if (settings->systems.count == 0)
        return run_list(context, &sheet, settings, err);
    return run_one(context, &sheet, settings, err);
}

#define FIELD(name) offsetof(struct systems_settings, name)

static const struct hs_argument arguments[] = {
    {.name = "SYSTEM",
     .many = true,
     .files = true,
     .words = hs_system_words,
     .offset = FIELD(systems),
     .help = "show this one in full, with the source of every figure: a name, a file or a line of "
             "text; with --from the files to read, with --check several"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    {.name = "text",
     .type = &hs_option_flag,
     .offset = FIELD(text),
     .help = "the SYSTEM as one line of text, which predict accepts in its place"},
    HS_ROWS_PRINT(NULL, FIELD(print), "the system file; without SYSTEM an array of all"),
    {.name = "names",
     .type = &hs_option_flag,
     .offset = FIELD(names),
     .help = "only the names, one per line"},
    {.name = "here",
     .type = &hs_option_flag,
     .offset = FIELD(here),
     .help = "this node: GPUs, NICs and what joins them, and the system that is proposed from it"},
    {.name = "from",
     .type = &hs_option_flag,
     .offset = FIELD(from),
     .help = "the node that files speak of, joined, and the system that is proposed from it: what "
             "nvidia-smi topo -m, nvidia-smi -L, ibstat, rocm-smi --showtopo or scontrol show "
             "topology printed, NCCL's XML (NCCL_TOPO_DUMP_FILE), hwloc's (lstopo --of xml), "
             "Slurm's topology.conf or topology.yaml"},
    {.name = "parts",
     .type = &hs_option_flag,
     .offset = FIELD(parts),
     .help = "the parts that a line such as '8xH100, 8xNDR400' is made of, with the kind and the "
             "source of their figures"},
    {.name = "check",
     .type = &hs_option_flag,
     .offset = FIELD(check),
     .help = "figures of the SYSTEMs, or of all that come with the program, that cannot be true: "
             "against the parts that are known, and each other; exit status 1 if there are any"},
    HS_ROW_QUIET(NULL, FIELD(quiet), "no notes and warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_systems = {
    .name = "systems",
    .summary = "the machines that come with the program, and where their figures are from",
    .description = "Systems are looked for in the folders of $HIERSEARCH_CONFIGS (separated by "
                   "':'), then among those installed with the program.",
    .examples = "  hiersearch systems\n"
                "  hiersearch systems --parts\n"
                "  hiersearch systems abci\n"
                "  hiersearch systems abci --json > mine.json\n"
                "  hiersearch systems --check mine.json\n"
                "  hiersearch systems --here --json > here.json\n"
                "  hiersearch systems --from topo.txt ibstat.txt topology.conf --json > mine.json",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct systems_settings),
    .run = run,
};
