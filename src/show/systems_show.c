#include "show/systems_show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/systems.h"
#include "base/notes.h"
#include "base/text.h"
#include "detect/node.h"
#include "detect/system_find.h"
#include "estimate/system_file.h"
#include "show/systems.h"
#include "show/table.h"
#include "system/parts.h"

#define TEXT_BYTES 64

/* ---- the catalogue of parts, with the kinds of its figures and where they are from ---- */

/* An end of the 90 % range of a GPU's rate, in bytes per second: of -1 the lower. */
static double range_end(const struct hs_gpu *gpu, int end)
{
    double deviation = hs_figure_kinds[gpu->rate].bandwidth_deviation;

    return fmin(gpu->peak_GBps, gpu->nvlink_GBps * exp(end * HS_FIGURE_RANGE * deviation)) * 1e9;
}

/* Bytes; NaN: not known. */
static double memory_of(const struct hs_gpu *gpu)
{
    return gpu->memory_GB > 0 ? gpu->memory_GB * 1e9 : (double)NAN;
}

/* "A100-mesh, SS11" */
static const char *parts_text(char text[TEXT_BYTES], const struct hs_fitted_node *node)
{
    snprintf(text, TEXT_BYTES, "%s%s, %s", node->gpu, node->mesh ? "-mesh" : "", node->nic);
    return text;
}

/* clang-format off */
#define GPUS(column)                                                                               \
    column(GPU, "gpu", "GPU", NULL, TEXT, ALWAYS, gpu->name)                                       \
    column(LINKS, "links", "links", NULL, TEXT, ALWAYS, hs_link_names[gpu->link])                  \
    column(GPU_RATE, "bytes_per_second", "rate", NULL, RATE, ALWAYS, gpu->nvlink_GBps * 1e9)       \
    column(GPU_LOW, "low", "90 % from", NULL, RATE, ALWAYS, range_end(gpu, -1))                    \
    column(GPU_HIGH, "high", "to", NULL, RATE, ALWAYS, range_end(gpu, 1))                          \
    column(GPU_KIND, "kind", "kind", NULL, TEXT, ALWAYS, hs_figure_kinds[gpu->rate].name)          \
    column(PEAK, "peak_bytes_per_second", "peak", NULL, RATE, ALWAYS, gpu->peak_GBps * 1e9)        \
    column(SLOT, "slot_bytes_per_second", "slot", NULL, RATE, ALWAYS, gpu->slot_GBps * 1e9)        \
    column(MEMORY, "memory_bytes", NULL, NULL, COUNT, ALWAYS, memory_of(gpu))                      \
    column(MEMORY_TEXT, NULL, "memory", NULL, FIGURE, ALWAYS,                                      \
           gpu->memory_GB > 0 ? HS_AS_BYTES((uint64_t)memory_of(gpu)) : NULL)                      \
    column(GPU_TIMES, "times", "times", NULL, TEXT, ALWAYS, hs_figure_kinds[gpu->times].name)      \
    column(GPU_SOURCE, "source", "source", NULL, TEXT, ALWAYS, gpu->source)

#define NICS(column)                                                                               \
    column(NIC, "nic", "NIC", NULL, TEXT, ALWAYS, nic->name)                                       \
    column(CLASS, "class", "class", NULL, TEXT, ALWAYS, hs_nic_class_names[nic->class])            \
    column(LINE, "bytes_per_second", "line rate", NULL, RATE, ALWAYS, nic->line_GBps * 1e9)        \
    column(NIC_TIMES, "times", "times", NULL, TEXT, ALWAYS, hs_figure_kinds[nic->times].name)      \
    column(NIC_SOURCE, "source", "source", NULL, TEXT, ALWAYS, nic->source)

#define NODES(column)                                                                              \
    column(NODE, "parts", "measured together", NULL, TEXT, ALWAYS,                                 \
           parts_text((char[TEXT_BYTES]){0}, node))                                                \
    column(DOMAINS, "nodes", "up to nodes", NULL, COUNT, ALWAYS, node->domains)                    \
    column(NODE_SOURCE, "source", "source", NULL, TEXT, ALWAYS, node->source)
/* clang-format on */

enum { GPUS(HS_COLUMN_ID) };
enum { NICS(HS_COLUMN_ID) };
enum { NODES(HS_COLUMN_ID) };
static const struct hs_column gpus[] = {GPUS(HS_COLUMN_ROW)}, nics[] = {NICS(HS_COLUMN_ROW)},
                              nodes[] = {NODES(HS_COLUMN_ROW)};

static void gpus_table(struct hs_table *table)
{
    HS_TABLE_INIT(table, "gpus", gpus);
    table->cut = true;
    for (size_t i = 0; i < hs_gpu_count; i++) {
        const struct hs_gpu *gpu = &hs_gpus[i];

        hs_table_row(table);
        GPUS(HS_COLUMN_PUT)
    }
}

static void nics_table(struct hs_table *table)
{
    HS_TABLE_INIT(table, "nics", nics);
    table->cut = true;
    for (size_t i = 0; i < hs_nic_count; i++) {
        const struct hs_nic *nic = &hs_nics[i];

        hs_table_row(table);
        NICS(HS_COLUMN_PUT)
    }
}

/* Nodes that the constants of a price were fitted to. */
static void fitted_nodes_table(struct hs_table *table)
{
    HS_TABLE_INIT(table, "nodes", nodes);
    table->cut = true;
    for (size_t i = 0; i < hs_fitted_node_count; i++) {
        const struct hs_fitted_node *node = &hs_fitted_nodes[i];

        hs_table_row(table);
        NODES(HS_COLUMN_PUT)
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void say_list(const struct hs_systems_page *page, const struct hs_system_list *list)
{
    struct hs_table table;

    hs_systems_init(&table);
    for (size_t i = 0; i < list->count; i++) {
        struct hs_system system;

        if (!hs_systems_load(&system, list->entries[i].path, page->notes))
            continue;
        hs_systems_add(&table, &system, list->entries[i].name);
        hs_system_release(&system);
    }
    hs_sheet_table(page->sheet, &table);
    hs_sheet_say(page->sheet, "\nlevels: arities, innermost first, n: as many as needed; "
                              "unverified: figures without a published source\n");
}

static enum hs_status show_list(const struct hs_systems_page *page, struct hs_error *err)
{
    struct hs_system_list list;
    enum hs_status status;

    if (page->sheet->format == HS_FORMAT_JSON)
        return hs_systems_print(page->sheet->out, page->notes, err);
    status = hs_system_list_read(&list, err);
    if (status != HS_OK)
        return status;
    if (page->settings->names)
        for (size_t i = 0; i < list.count; i++)
            hs_text_append(page->sheet->out, "%s\n", list.entries[i].name);
    else
        say_list(page, &list);
    hs_system_list_release(&list);
    return hs_sheet_end(page->sheet, err);
}

static void say_parts(struct hs_sheet *sheet)
{
    struct hs_table table;

    hs_sheet_say(sheet, "GPUs, and what one sends to the others of its node\n\n");
    gpus_table(&table);
    hs_sheet_table(sheet, &table);
    hs_sheet_say(sheet, "\nNICs\n\n");
    nics_table(&table);
    hs_sheet_table(sheet, &table);
    hs_sheet_say(sheet, "\nNodes whose calls over the network were measured\n\n");
    fitted_nodes_table(&table);
    hs_sheet_table(sheet, &table);
    hs_sheet_say(sheet, "\nkind: where the rate is from, and so its range; times: the same of what "
                        "calls take\n");
    for (size_t k = 0; k < HS_FIGURE_KIND_COUNT; k++)
        hs_sheet_say(sheet, "%-9s  %s\n", hs_figure_kinds[k].name, hs_figure_kinds[k].meaning);
    hs_sheet_say(sheet, "a GPU may be followed by -mesh, -pcie3, -pcie4 or -pcie5, a NIC by -tcp: "
                        "'8xH100-pcie5, 2xNDR400-tcp'\n"
                        "joined by single links: 8xP100-cube, 8xV100-cube (DGX-1), 4xV100-power9, "
                        "6xV100-power9 (AC922), 8xA100-bridged, 8xA6000-bridged (pairs; or fewer), "
                        "8xMI250X, 16xMI250X\n");
}

/* ---- one of them in full --------------------------------------------------------------------- */

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
    hs_fits_table(&table, system, HS_FITS_OF_LAYERS);
    hs_sheet_table(sheet, &table);
    hs_sheet_say(sheet, "\na layer is priced by the narrowest fit there is: layer, size, level; "
                        "~ misaligned; half at: bytes entering\nat which half of the bandwidth is "
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
    if (system->parts && hs_parts_are_open(&system->nccl.parts))
        say_field(sheet, 0, "assumed",
                  "one switch joins all nodes; a line that ends in \", 32:2\" has 32 nodes per "
                  "leaf switch and 2:1 oversubscription above");
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

/* Of a line of parts that line: its levels alone would be rings, which NCCL's calls are not. */
static void say_line(const struct hs_systems_page *page, const struct hs_system *system)
{
    bool of_parts = hs_system_called(system) == system->parts && system->constants.count == 0;

    if (of_parts)
        hs_text_append(page->sheet->out, "%s", system->parts);
    else
        hs_system_format(page->sheet->out, system);
    hs_text_append(page->sheet->out, "\n");
    if (hs_system_is_nccl_native(system) && !of_parts)
        hs_say_note(page->notes,
                    "a line of text has the levels' figures only: stages are rings there, not "
                    "NCCL's calls, as its parts have them; '%s' is a line, too, without its "
                    "own levels%s",
                    system->parts, system->constants.count > 0 ? " and constants" : "");
    for (size_t l = 0; l < system->level_count; l++)
        if (system->levels[l].links.count > 0)
            hs_say_note(page->notes,
                        "a line of text has a level's bandwidth only, without the %zu links of %s, "
                        "which it shows as a switch",
                        system->levels[l].links.count, system->levels[l].name);
    if (system->fits.count > 0)
        hs_say_note(page->notes,
                    "a line of text has the levels' figures only, without the %zu fits",
                    system->fits.count);
}

static enum hs_status show_one(const struct hs_systems_page *page, const struct hs_system *system,
                               const char *node, struct hs_error *err)
{
    if (page->settings->text) {
        say_line(page, system);
        return HS_OK;
    }
    if (page->sheet->format == HS_FORMAT_JSON)
        return hs_system_print(page->sheet->out, system, err);
    if (node && hs_sheet_is_read(page->sheet))
        hs_sheet_say(page->sheet, "%s\n", node);
    say_system(page->sheet, system);
    return hs_sheet_end(page->sheet, err);
}

enum hs_status hs_systems_show_one(const struct hs_systems_page *page,
                                   const struct hs_system *system, const char *node,
                                   struct hs_error *err)
{
    struct hs_system named = *system; /* what it owns stays the other's */

    if (page->settings->name && hs_system_rename(&named, page->settings->name, err))
        return HS_INVALID;
    return show_one(page, &named, node, err);
}

/* What could not be found out is said to people; to programs only what is proposed. */
static enum hs_status show_here(const struct hs_systems_page *page, struct hs_error *err)
{
    bool told = hs_sheet_is_read(page->sheet) && !page->settings->text;
    struct hs_system system = {.level_count = 0};
    struct hs_text found = {0};
    struct hs_error why;
    struct hs_node *node = malloc(sizeof(*node));
    enum hs_status status;

    if (!node)
        return hs_no_memory(err);
    hs_node_read(node);
    status = hs_system_of_node(&system, &found, NULL, node, &why);
    hs_node_release(node);
    free(node);
    if (status == HS_OK) {
        status = hs_systems_show_one(page, &system, found.data, err);
    } else if (told) {
        hs_sheet_say(page->sheet, "%s%s\n", found.data ? found.data : "", why.message);
        status = hs_sheet_end(page->sheet, err);
    } else {
        status = hs_fail(err, HS_FAILED, "--here: %s", why.message);
    }
    hs_text_release(&found);
    hs_system_release(&system);
    return status;
}

/* ---- what cannot be true --------------------------------------------------------------------- */

void hs_checked_init(struct hs_checked *checked)
{
    *checked = (struct hs_checked){.count = 0};
    hs_findings_init(&checked->findings);
}

/* Not in the frame of who has the system: stacks may be small. */
__attribute__((noinline)) void hs_checked_add(struct hs_checked *checked,
                                              const struct hs_system *system, const char *name)
{
    struct hs_finding findings[HS_FINDINGS_MAX];
    size_t count = hs_system_check(findings, system);

    for (size_t i = 0; i < count; i++)
        hs_findings_add(&checked->findings, &findings[i], name);
    checked->found += count;
    checked->count++;
}

enum hs_status hs_checked_add_all(struct hs_checked *checked, struct hs_error *err)
{
    struct hs_system_list list = {NULL, 0};
    enum hs_status status = hs_system_list_read(&list, err);

    for (size_t i = 0; status == HS_OK && i < list.count; i++) {
        struct hs_system system = {.level_count = 0};

        status = hs_system_find(&system, list.entries[i].path, err);
        if (status == HS_OK)
            hs_checked_add(checked, &system, list.entries[i].name);
        hs_system_release(&system);
    }
    hs_system_list_release(&list);
    return status;
}

enum hs_status hs_checked_end(struct hs_sheet *sheet, struct hs_checked *checked,
                              enum hs_status status, struct hs_error *err)
{
    size_t count = checked->count, found = checked->found;

    if (status != HS_OK || (found == 0 && hs_sheet_is_read(sheet)))
        hs_table_release(&checked->findings);
    else
        hs_sheet_table(sheet, &checked->findings);
    if (status != HS_OK)
        return status;
    hs_sheet_say(sheet, "%s%zu system%s checked, %zu figure%s cannot be true\n", found ? "\n" : "",
                 count, HS_PLURAL(count), found, HS_PLURAL(found));
    return hs_sheet_end(sheet, err);
}

/* ---- what was asked -------------------------------------------------------------------------- */

enum hs_status hs_systems_settings_check(const struct hs_systems_settings *settings, bool one,
                                         struct hs_error *err)
{
    if (settings->text + (settings->print.format != NULL) + settings->names > 1)
        return hs_fail(err, HS_INVALID,
                       "--text, --names and --format (or --json) exclude each other");
    if (settings->parts && (one || settings->names || settings->text || settings->here ||
                            settings->check || settings->name))
        return hs_fail(
            err, HS_INVALID,
            "--parts: lists all, so neither SYSTEM nor --names, --text, --here, --check, --name");
    if (settings->here && (one || settings->names))
        return hs_fail(err, HS_INVALID, "--here: this node, so neither SYSTEM nor --names");
    if (settings->check && (settings->names || settings->text || settings->here || settings->name))
        return hs_fail(err, HS_INVALID,
                       "--check: expected none of --names, --text, --here, --name");
    if (settings->names && one)
        return hs_fail(err, HS_INVALID, "--names: lists all, a SYSTEM is not expected");
    if (settings->text && !one && !settings->here)
        return hs_fail(err, HS_INVALID, "--text: expected a SYSTEM to print");
    if (settings->name && (settings->text || (!one && !settings->here)))
        return hs_fail(err, HS_INVALID,
                       "--name: expected a SYSTEM that is shown, or printed as a file");
    return HS_OK;
}

enum hs_status hs_systems_show(const struct hs_systems_page *page, struct hs_error *err)
{
    if (page->settings->parts) {
        say_parts(page->sheet);
        return hs_sheet_end(page->sheet, err);
    }
    if (page->settings->here)
        return show_here(page, err);
    return show_list(page, err);
}
