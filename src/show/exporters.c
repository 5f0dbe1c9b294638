#include "show/exporters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "export/export.h"

/* clang-format off */
#define COLUMNS(column)                                                                            \
    column(FORMAT, "format", "format", NULL, TEXT, ALWAYS, e->name)                                \
    column(LIBRARY, "library", "for", NULL, TEXT, ALWAYS, e->library)                              \
    column(VERSIONS, "versions", "versions", NULL, TEXT, ALWAYS, e->versions)                      \
    column(LAYERS, "layers", "layers", NULL, COUNT, ALWAYS, layers)                                \
    column(CHUNKS, "chunks", "chunks", NULL, TEXT, ALWAYS, e->chunks ? "yes" : "no")               \
    column(EXACT, "plan", "plan", NULL, TEXT, ALWAYS, e->exact ? "exact" : "nearest")              \
    column(ALSO, "also", "besides AllReduces", NULL, TEXT, ALWAYS, also.data)                      \
    column(GROUPS, "groups", "of a mesh", NULL, TEXT, ALWAYS, groups_of(e))                        \
    column(COMMAND, NULL, NULL, NULL, TEXT, IF_ANY, command.data)                                  \
    column(SUMMARY, "summary", "what it is", NULL, TEXT, ALWAYS, e->summary)
/* clang-format on */

enum { COLUMNS(HS_COLUMN_ID) };
static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};

static const struct hs_pick of_result[] = {
    HS_PICK(LIBRARY), {COMMAND, "command"}, HS_PICK(SUMMARY)};

/* What it says of groups of a mesh. */
static const char *groups_of(const struct hs_exporter *exporter)
{
    static const char *const texts[] = {
        [HS_GROUPS_NONE] = "-",
        [HS_GROUPS_CALLED] = "groups",
        [HS_GROUPS_BY_SIZE] = "by their size",
        [HS_GROUPS_BY_LAYER] = "by layers' sizes",
    };

    return exporter->also == HS_EXPORT_MACHINE ? "any groups" : texts[exporter->groups];
}

/* With a result, the command line that exports it. */
static void put(struct hs_table *table, const struct hs_exporter *e, const struct hs_result *result,
                const char *name)
{
    struct hs_value layers = {.number = e->layers ? e->layers : (double)NAN,
                              .mark = e->layers ? NULL : "any"};
    struct hs_text command = {0}, also = {0};

    hs_exporter_also_append(&also, e);
    if (result)
        hs_command_line_append(&command, "hiersearch export", 3,
                               (char *[]){(char *)name, "--to", (char *)e->name});
    table->failed = table->failed || command.failed || also.failed;
    hs_table_row(table);
    COLUMNS(HS_COLUMN_PUT)
    hs_text_release(&command);
    hs_text_release(&also);
}

/* By the libraries that its row names. */
static bool is_of_library(const struct hs_exporter *exporter, const struct hs_result *result)
{
    if (hs_export_is_nccl_native(&(struct hs_export_job){.result = result}))
        return strstr(exporter->library, "NCCL") || strstr(exporter->library, "PyTorch");
    return strstr(exporter->library, "MPI") != NULL;
}

void hs_exporters_of_result(struct hs_table *table, const struct hs_result *result,
                            const char *name, bool of_library)
{
    HS_TABLE_INIT(table, "formats", columns);
    table->cut = true;
    table->picks = HS_PICKS(of_result);
    for (size_t i = 0; hs_exporters[i]; i++)
        if (hs_exporter_can_export(hs_exporters[i], result) &&
            hs_exporter_is_of_use(hs_exporters[i], result) &&
            is_of_library(hs_exporters[i], result) == of_library)
            put(table, hs_exporters[i], result, name);
}

enum hs_status hs_export_list(struct hs_sheet *sheet, struct hs_error *err)
{
    struct hs_table table;

    HS_TABLE_INIT(&table, "formats", columns);
    table.cut = true;
    for (size_t i = 0; hs_exporters[i]; i++)
        put(&table, hs_exporters[i], NULL, NULL);
    hs_sheet_table(sheet, &table);
    hs_sheet_say(sheet,
                 "\nlayers: how many it can express; plan: exported unchanged, or the nearest "
                 "that the target has\n");
    return hs_sheet_end(sheet, err);
}
