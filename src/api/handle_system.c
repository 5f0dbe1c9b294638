/* Systems of the library. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/systems.h"
#include "base/notes.h"
#include "machine/node.h"
#include "machine/system_find.h"
#include "machine/topology_file.h"
#include "view/systems.h"

static enum hs_status new_system(struct hiersearch_system **system, struct hs_error *err)
{
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
    enum hs_status status = hs_system_ask(&system->system, text, &system->notes, err);

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

enum hiersearch_status hiersearch_system_parse(struct hiersearch_system **system, const char *json,
                                               const char *name, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    enum hs_status status = new_system(system, hs_error_of(error));

    if (status == HS_OK)
        status = keep(system, hs_fields_parse(&hs_system_fields, &(*system)->system, name, json,
                                              strlen(json), hs_error_of(error)));
    return hs_call_end(call, status);
}

/* What could not be found out of a node is a note. */
static enum hs_status propose(struct hiersearch_system *system, const struct hs_node *node,
                              struct hs_error *err)
{
    struct hs_error why;
    enum hs_status status = hs_node_propose(&system->system, node, &why);

    hs_say_notes(&system->notes, node->notes.data);
    if (status == HS_OK)
        return HS_OK;
    if (node->origin.files)
        return hs_fail(err, HS_INVALID, "%s: %s", node->origin.files, why.message);
    return hs_fail(err, HS_FAILED, "this node: %s", why.message);
}

static enum hs_status read_files(struct hiersearch_system *system, const char *const *paths,
                                 size_t count, struct hs_error *err)
{
    struct hs_node node;
    enum hs_status status = HS_OK;

    if (count == 0)
        return hs_fail(err, HS_INVALID, "expected files to read");
    hs_node_init(&node);
    for (size_t i = 0; i < count && status == HS_OK; i++)
        status = hs_topology_load(&node, paths[i], err);
    if (status == HS_OK)
        status = propose(system, &node, err);
    hs_node_release(&node);
    return status;
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

enum hiersearch_status hiersearch_system_here(struct hiersearch_system **system,
                                              struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_node node;
    enum hs_status status = new_system(system, hs_error_of(error));

    if (status == HS_OK) {
        hs_node_read(&node);
        status = keep(system, propose(*system, &node, hs_error_of(error)));
        hs_node_release(&node);
    }
    return hs_call_end(call, status);
}

static enum hs_status copy_to(struct hiersearch_system *copy,
                              const struct hiersearch_system *system, struct hs_error *err)
{
    enum hs_status status = hs_system_copy(&copy->system, &system->system, err);

    copy->typed = hs_strdup(system->typed);
    hs_text_append(&copy->notes, "%s", hs_notes_of(&system->notes));
    if (status == HS_OK && (copy->notes.failed || (system->typed && !copy->typed)))
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
    free(system->typed);
    free(system);
}

const char *hiersearch_system_name(const struct hiersearch_system *system)
{
    return system->system.name;
}

int64_t hiersearch_system_processes(const struct hiersearch_system *system)
{
    return hs_system_capacity(&system->system);
}

enum hiersearch_status hiersearch_system_json(char **json, const struct hiersearch_system *system,
                                              struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_text text = {0};
    enum hs_status status = hs_system_print(&text, &system->system, hs_error_of(error));

    return hs_call_end(call, hs_text_give(json, &text, status, hs_error_of(error)));
}

enum hiersearch_status hiersearch_system_line(char **line, const struct hiersearch_system *system,
                                              struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_text text = {0};

    hs_system_format(&text, &system->system);
    return hs_call_end(call, hs_text_give(line, &text, HS_OK, hs_error_of(error)));
}

const char *hiersearch_system_notes(const struct hiersearch_system *system)
{
    return hs_notes_of(&system->notes);
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

/* ---- what is to be believed ---- */

enum hiersearch_status hiersearch_system_check(char **json, const struct hiersearch_system *system,
                                               struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_text text = {0};
    struct hs_sheet sheet = hs_sheet_of(&text);
    struct hs_table table;
    enum hs_status status;

    hs_findings_init(&table);
    hs_system_say_findings(&table, &system->system, hs_system_label(system));
    hs_sheet_table(&sheet, &table);
    status = hs_sheet_end(&sheet, hs_error_of(error));
    return hs_call_end(call, hs_text_give(json, &text, status, hs_error_of(error)));
}

enum hiersearch_status hiersearch_parts_json(char **json, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_text text = {0};
    struct hs_sheet sheet = hs_sheet_of(&text);
    enum hs_status status;

    hs_parts_say(&sheet);
    status = hs_sheet_end(&sheet, hs_error_of(error));
    return hs_call_end(call, hs_text_give(json, &text, status, hs_error_of(error)));
}
