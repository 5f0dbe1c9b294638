/* Systems of the library. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer/systems.h"
#include "api/handles.h"
#include "detect/system_find.h"
#include "estimate/system_file.h"
#include "show/systems_show.h"

static enum hs_status new_system(struct hiersearch_system **system, struct hs_error *err)
{
    enum hs_status status = hs_expect_place(system, err);

    if (status != HS_OK)
        return status;
    *system = calloc(1, sizeof(**system));
    return *system ? HS_OK : hs_no_memory(err);
}

/* A handle that could not be filled goes again. */
static enum hs_status keep(struct hiersearch_system **system, enum hs_status status)
{
    if (status != HS_OK) {
        hiersearch_system_free(*system);
        *system = NULL;
    }
    return status;
}

const char *hs_system_label(const struct hiersearch_system *system)
{
    return system->typed && hs_system_is_text(system->typed) ? system->typed : system->system.name;
}

const char *hs_system_typed(const struct hiersearch_system *system)
{
    return system->typed ? system->typed : system->system.name;
}

static enum hs_status find(struct hiersearch_system *system, const char *text, struct hs_error *err)
{
    enum hs_status status = hs_expect_path(text, "the text of a system", err);

    if (status == HS_OK)
        status = hs_system_ask(&system->system, text, &system->notes, err);
    system->typed = hs_strdup(text);
    return status == HS_OK && !system->typed ? hs_no_memory(err) : status;
}

enum hiersearch_status hiersearch_system_find(struct hiersearch_system **system, const char *text,
                                              struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    enum hs_status status = new_system(system, hs_error_of(error));

    if (status == HS_OK)
        status = keep(system, find(*system, text, hs_error_of(error)));
    return hs_call_end(call, status);
}

static enum hs_status parse(struct hiersearch_system *system, const char *json, const char *name,
                            struct hs_error *err)
{
    enum hs_status status = hs_expect(json, "the text of a system file", err);

    if (status == HS_OK)
        status = hs_expect(name, "a name for the text", err);
    return status == HS_OK
               ? hs_fields_parse(&hs_system_fields, &system->system, name, json, strlen(json), err)
               : status;
}

enum hiersearch_status hiersearch_system_parse(struct hiersearch_system **system, const char *json,
                                               const char *name, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    enum hs_status status = new_system(system, hs_error_of(error));

    if (status == HS_OK)
        status = keep(system, parse(*system, json, name, hs_error_of(error)));
    return hs_call_end(call, status);
}

static enum hs_status read_files(struct hiersearch_system *system, const char *const *paths,
                                 size_t count, struct hs_error *err)
{
    enum hs_status status = count > 0 ? hs_expect(paths, "paths", err) : HS_OK;

    for (size_t i = 0; i < count && status == HS_OK; i++)
        status = hs_expect_path(paths[i], "the path of a file", err);
    return status == HS_OK ? hs_system_of_files(&system->system, &system->node, &system->notes,
                                                paths, count, err)
                           : status;
}

enum hiersearch_status hiersearch_system_from_files(struct hiersearch_system **system,
                                                    const char *const *paths, size_t count,
                                                    struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    enum hs_status status = new_system(system, hs_error_of(error));

    if (status == HS_OK)
        status = keep(system, read_files(*system, paths, count, hs_error_of(error)));
    return hs_call_end(call, status);
}

static enum hs_status read_here(struct hiersearch_system *system, struct hs_error *err)
{
    struct hs_node node;
    enum hs_status status;

    hs_node_read(&node);
    status = hs_system_of_node(&system->system, &system->node, &system->notes, &node, err);
    hs_node_release(&node);
    return status == HS_FAILED ? hs_error_prefix(err, status, "this node") : status;
}

enum hiersearch_status hiersearch_system_here(struct hiersearch_system **system,
                                              struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    enum hs_status status = new_system(system, hs_error_of(error));

    if (status == HS_OK)
        status = keep(system, read_here(*system, hs_error_of(error)));
    return hs_call_end(call, status);
}

static enum hs_status copy_to(struct hiersearch_system *copy,
                              const struct hiersearch_system *system, struct hs_error *err)
{
    enum hs_status status = hs_expect(system, "a system", err);

    if (status != HS_OK)
        return status;
    status = hs_system_copy(&copy->system, &system->system, err);
    copy->typed = hs_strdup(system->typed);
    hs_text_append(&copy->notes, "%s", hs_notes_of(&system->notes));
    hs_text_append(&copy->node, "%s", hs_notes_of(&system->node));
    if (status == HS_OK &&
        (copy->notes.failed || copy->node.failed || (system->typed && !copy->typed)))
        status = hs_no_memory(err);
    return status;
}

enum hiersearch_status hiersearch_system_copy(struct hiersearch_system **copy,
                                              const struct hiersearch_system *system,
                                              struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    enum hs_status status = new_system(copy, hs_error_of(error));

    if (status == HS_OK)
        status = keep(copy, copy_to(*copy, system, hs_error_of(error)));
    return hs_call_end(call, status);
}

void hiersearch_system_free(struct hiersearch_system *system)
{
    if (!system)
        return;
    if (system->machines.count > 0)
        hs_machines_release(&system->machines);
    hs_system_release(&system->system);
    hs_text_release(&system->notes);
    hs_text_release(&system->node);
    free(system->typed);
    free(system);
}

const char *hiersearch_system_name(const struct hiersearch_system *system)
{
    return system ? system->system.name : "";
}

int64_t hiersearch_system_processes(const struct hiersearch_system *system)
{
    return system ? hs_system_capacity(&system->system) : 0;
}

enum hiersearch_status hiersearch_system_json(char **json, const struct hiersearch_system *system,
                                              struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_text text = {0};
    enum hs_status status = hs_expect(system, "a system", hs_error_of(error));

    if (status == HS_OK)
        status = hs_system_print(&text, &system->system, hs_error_of(error));
    return hs_call_end(call, hs_text_give(json, &text, status, hs_error_of(error)));
}

enum hiersearch_status hiersearch_system_line(char **line, const struct hiersearch_system *system,
                                              struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_text text = {0};
    enum hs_status status = hs_expect(system, "a system", hs_error_of(error));

    if (status == HS_OK)
        hs_system_format(&text, &system->system);
    return hs_call_end(call, hs_text_give(line, &text, status, hs_error_of(error)));
}

const char *hiersearch_system_notes(const struct hiersearch_system *system)
{
    return hs_notes_of(system ? &system->notes : NULL);
}

enum hiersearch_status hiersearch_system_names(char **names, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_text text = {0};
    struct hs_system_list list;
    enum hs_status status = hs_system_list_read(&list, hs_error_of(error));

    for (size_t i = 0; status == HS_OK && i < list.count; i++)
        hs_text_append(&text, "%s\n", list.entries[i].name);
    if (status == HS_OK)
        hs_system_list_release(&list);
    return hs_call_end(call, hs_text_give(names, &text, status, hs_error_of(error)));
}

enum hiersearch_status hiersearch_systems_json(char **json, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_text text = {0};
    enum hs_status status = hs_systems_print(&text, NULL, hs_error_of(error));

    return hs_call_end(call, hs_text_give(json, &text, status, hs_error_of(error)));
}

/* ---- what is to be believed, and what is printed ---- */

/* What "systems" says, of `system` or, NULL, of all. */
static enum hs_status show(const struct hs_systems_page *page,
                           const struct hiersearch_system *system, struct hs_error *err)
{
    struct hs_checked checked;
    enum hs_status status = hs_systems_settings_check(page->settings, system != NULL, err);

    if (status != HS_OK)
        return status;
    if (!system)
        return hs_systems_show(page, err);
    if (!page->settings->check)
        return hs_systems_show_one(page, &system->system, system->node.data, err);
    hs_checked_init(&checked);
    hs_checked_add(&checked, &system->system, hs_system_label(system));
    return hs_checked_end(page->sheet, &checked, HS_OK, err);
}

enum hs_status hs_systems_page(struct hs_text *out, struct hs_text *notes,
                               const struct hiersearch_system *system,
                               const struct hiersearch_question *question, struct hs_error *err)
{
    const struct hs_systems_settings *settings = question->settings;
    struct hs_sheet sheet;
    const struct hs_systems_page page = {settings, &sheet, notes};
    enum hs_status status;

    hs_sheet_begin(&sheet, out, &settings->print, &hs_terminal_of_nobody);
    status = show(&page, system, err);
    hs_text_release(&sheet.lines);
    return status;
}

/* A document of what these settings ask for. */
static enum hiersearch_status document(char **json, const struct hiersearch_system *system,
                                       const struct hs_systems_settings *settings,
                                       struct hiersearch_error *error)
{
    struct hs_page out = hs_page_begin(error);
    struct hs_sheet sheet = hs_sheet_of(&out.text);
    const struct hs_systems_page page = {settings, &sheet, NULL};
    enum hs_status status = settings->check ? hs_expect(system, "a system", out.err) : HS_OK;

    if (status == HS_OK)
        status = show(&page, system, out.err);
    return hs_page_end(&out, json, NULL, status);
}

enum hiersearch_status hiersearch_system_check(char **json, const struct hiersearch_system *system,
                                               struct hiersearch_error *error)
{
    return document(json, system, &(const struct hs_systems_settings){.check = true}, error);
}

enum hiersearch_status hiersearch_parts_json(char **json, struct hiersearch_error *error)
{
    return document(json, NULL, &(const struct hs_systems_settings){.parts = true}, error);
}
