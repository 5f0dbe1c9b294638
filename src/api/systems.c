#include "api/systems.h"

#include <string.h>

#include "base/json_write.h"
#include "base/notes.h"
#include "machine/system_find.h"
#include "model/check.h"
#include "view/parts.h"
#include "view/systems.h"

enum hs_status hs_system_ask(struct hs_system *system, const char *text, struct hs_text *notes,
                             struct hs_error *err)
{
    enum hs_status status = hs_system_find(system, text, err);

    if (status == HS_OK && hs_system_is_text(text) && system->notes)
        hs_say_note(notes, "%s", system->notes);
    return status;
}

bool hs_systems_load(struct hs_system *system, const char *path, struct hs_text *notes)
{
    struct hs_error error;

    memset(system, 0, sizeof(*system));
    if (hs_system_load(system, path, &error) == HS_OK)
        return true;
    hs_say_warning(notes, "%s", error.message);
    hs_system_release(system);
    return false;
}

enum hs_status hs_systems_print(struct hs_text *out, struct hs_text *notes, struct hs_error *err)
{
    struct hs_json_writer w = {.text = out, .err = err};
    struct hs_system_list list;
    enum hs_status status = hs_system_list_read(&list, err);

    if (status != HS_OK)
        return status;
    hs_json_open(&w, NULL, '[');
    for (size_t i = 0; i < list.count; i++) {
        struct hs_system system;

        if (!hs_systems_load(&system, list.entries[i].path, notes))
            continue;
        hs_fields_write(&w, NULL, &hs_system_fields, &system);
        hs_system_release(&system);
    }
    hs_json_close(&w, ']');
    hs_system_list_release(&list);
    return hs_json_finish(&w);
}

enum hs_status hs_system_rename(struct hs_system *system, const char *name, struct hs_error *err)
{
    size_t length = strlen(name);

    if (length == 0 || length >= sizeof(system->name) ||
        name[strspn(name, HS_SYSTEM_LETTERS)] != '\0')
        return hs_fail(err, HS_INVALID,
                       "--name: expected at most %zu characters of a-z, 0-9, '_', '-' and '.', "
                       "found \"%.40s\"",
                       sizeof(system->name) - 1, name);
    memcpy(system->name, name, length + 1);
    return HS_OK;
}

size_t hs_system_say_findings(struct hs_table *table, const struct hs_system *system,
                              const char *name)
{
    struct hs_finding findings[HS_FINDINGS_MAX];
    size_t count = hs_system_check(findings, system);

    for (size_t i = 0; i < count; i++)
        hs_findings_add(table, &findings[i], name);
    return count;
}

void hs_parts_say(struct hs_sheet *sheet)
{
    struct hs_table table;

    hs_sheet_say(sheet, "GPUs, and what one sends to the others of its node\n\n");
    hs_gpus_table(&table);
    hs_sheet_table(sheet, &table);
    hs_sheet_say(sheet, "\nNICs\n\n");
    hs_nics_table(&table);
    hs_sheet_table(sheet, &table);
    hs_sheet_say(sheet, "\nNodes whose calls over the network were measured\n\n");
    hs_fitted_nodes_table(&table);
    hs_sheet_table(sheet, &table);
    hs_sheet_say(sheet, "\nkind: where the rate is from, and so its range; times: the same of what "
                        "calls take\n");
    for (size_t k = 0; k < HS_FIGURE_KIND_COUNT; k++)
        hs_sheet_say(sheet, "%-9s  %s\n", hs_figure_kinds[k].name, hs_figure_kinds[k].meaning);
    hs_sheet_say(sheet, "a GPU may be followed by -mesh, -pcie3, -pcie4 or -pcie5, a NIC by -tcp: "
                        "'8xH100-pcie5, 2xNDR400-tcp'\n");
}
