#include "answer/systems.h"
#include "cli/commands.h"
#include "cli/option_rows.h"
#include "detect/system_find.h"
#include "show/systems_show.h"

struct systems_words {
    struct hs_argument_list systems; /* at most one, but for --from and --check */
    struct hs_systems_settings ask;
    bool from, quiet;
};

static enum hs_status run_from(const struct hs_systems_page *page,
                               const struct systems_words *words, struct hs_error *err)
{
    const struct hs_argument_list *files = &words->systems;
    struct hs_system system = {.level_count = 0};
    struct hs_text found = {0};
    enum hs_status status;

    if (files->count == 0)
        return hs_fail(err, HS_INVALID, "--from: expected files to read");
    status = hs_system_of_files(&system, &found, NULL, (const char *const *)files->items,
                                files->count, err);
    if (status == HS_OK)
        status = hs_systems_show_one(page, &system, found.data, err);
    hs_text_release(&found);
    hs_system_release(&system);
    return status;
}

static enum hs_status run_one(const struct hs_systems_page *page,
                              const struct hs_argument_list *systems, struct hs_error *err)
{
    struct hs_system system = {.level_count = 0};
    enum hs_status status;

    if (systems->count > 1)
        return hs_fail(err, HS_INVALID, "unexpected argument \"%s\"", systems->items[1]);
    status = hs_system_find(&system, systems->items[0], err);
    if (status == HS_OK)
        status = hs_systems_show_one(page, &system, NULL, err);
    hs_system_release(&system);
    return status;
}

/* Those named, a file that is no system among them, or all. */
static enum hs_status run_check(struct hs_context *context, struct hs_sheet *sheet,
                                const struct hs_argument_list *named, struct hs_error *err)
{
    struct hs_checked checked;
    enum hs_status status = HS_OK;

    hs_checked_init(&checked);
    if (named->count == 0)
        status = hs_checked_add_all(&checked, err);
    for (size_t i = 0; status == HS_OK && i < named->count; i++) {
        struct hs_system system = {.level_count = 0};

        status = hs_system_find(&system, named->items[i], err);
        if (status == HS_OK)
            hs_checked_add(&checked, &system, named->items[i]);
        hs_system_release(&system);
    }
    context->found_fault = checked.found > 0;
    return hs_checked_end(sheet, &checked, status, err);
}

static enum hs_status run_as_asked(struct hs_context *context, const struct hs_systems_page *page,
                                   const struct systems_words *words, struct hs_error *err)
{
    const struct hs_systems_settings *ask = &words->ask;
    enum hs_status status;

    if (words->from && (ask->here || ask->names || ask->parts || ask->check))
        return hs_fail(err, HS_INVALID,
                       "--from: files, so none of --here, --names, --parts, --check");
    status = hs_systems_settings_check(ask, words->from || words->systems.count > 0, err);
    if (status != HS_OK)
        return status;
    if (words->from)
        return run_from(page, words, err);
    if (ask->check)
        return run_check(context, page->sheet, &words->systems, err);
    if (words->systems.count == 0)
        return hs_systems_show(page, err);
    return run_one(page, &words->systems, err);
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct systems_words *words = of_rows;
    struct hs_sheet sheet;
    struct hs_text notes = {0};
    enum hs_status status;

    context->quiet = words->quiet;
    hs_sheet_begin(&sheet, context->out, &words->ask.print, &context->terminal);
    status = run_as_asked(context, &(const struct hs_systems_page){&words->ask, &sheet, &notes},
                          words, err);
    hs_text_release(&sheet.lines);
    hs_notes_pass_on(context, &notes);
    return status;
}

#define FIELD(name) offsetof(struct systems_words, name)

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
    HS_ROWS_SYSTEMS(FIELD(ask)),
    {.name = "from",
     .type = &hs_option_flag,
     .offset = FIELD(from),
     .help = "the node that files speak of, joined, and the system that is proposed from it: what "
             "nvidia-smi topo -m, nvidia-smi -L, ibstat, rocm-smi --showtopo or scontrol show "
             "topology printed, NCCL's XML (NCCL_TOPO_DUMP_FILE), hwloc's (lstopo --of xml), "
             "Slurm's topology.conf or topology.yaml"},
    HS_ROWS_PRINT(NULL, FIELD(ask.print), "the system file; without SYSTEM an array of all"),
    HS_ROW_QUIET(NULL, FIELD(quiet), "no notes and warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_systems = {
    .name = "systems",
    .summary = "the shipped machines and the sources of their figures; this machine",
    .description = "Systems are looked for in the folders of $HIERSEARCH_CONFIGS (separated by "
                   "':'), then among those installed with the program.",
    .examples =
        "  hiersearch systems\n"
        "  hiersearch systems --parts\n"
        "  hiersearch systems abci\n"
        "  hiersearch systems abci --json > mine.json\n"
        "  hiersearch systems --check mine.json\n"
        "  hiersearch systems --here --json > here.json\n"
        "  hiersearch systems --from topo.txt ibstat.txt topology.conf --name mine --json > "
        "mine.json",
    .usual = "here from parts text check name json",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct systems_words),
    .run = run,
};
