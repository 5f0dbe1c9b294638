#include "answer/systems.h"

#include <string.h>

#include "base/json_write.h"
#include "base/notes.h"
#include "detect/system_find.h"
#include "detect/topology_file.h"
#include "estimate/system_file.h"

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

bool hs_system_is_part(const struct hs_system *system, const struct hs_count_list *gpus, int64_t np)
{
    const struct hs_level *level = &system->levels[0];

    return gpus->count > 0 || (np > 1 && level->fabric == HS_FABRIC_LINKS && np < level->arity);
}

enum hs_status hs_system_choose_asked(struct hs_system *system, const struct hs_count_list *gpus,
                                      int64_t np, struct hs_error *err)
{
    struct hs_count_list first = {.count = 0};
    enum hs_status status;

    if (!hs_system_is_part(system, gpus, np))
        return HS_OK;
    if (gpus->count > 0) {
        status = hs_system_choose(system, gpus->values, (int)gpus->count, err);
        return status && err ? hs_error_prefix(err, status, "--gpus") : status;
    }
    while ((int64_t)first.count < np) {
        first.values[first.count] = (int)first.count;
        first.count++;
    }
    status = hs_system_choose(system, first.values, (int)first.count, err);
    return status == HS_INVALID ? HS_OK : status;
}

enum hs_status hs_system_of_node(struct hs_system *system, struct hs_text *found,
                                 struct hs_text *notes, const struct hs_node *node,
                                 struct hs_error *err)
{
    struct hs_error why;
    enum hs_status status = hs_node_propose(system, node, &why);

    hs_node_print(found, node);
    hs_say_notes(notes, node->notes.data);
    if (status == HS_OK)
        return HS_OK;
    if (node->origin.files)
        return hs_fail(err, HS_INVALID, "%s: %s", node->origin.files, why.message);
    return hs_fail(err, HS_FAILED, "%s", why.message);
}

enum hs_status hs_system_of_files(struct hs_system *system, struct hs_text *found,
                                  struct hs_text *notes, const char *const *paths, size_t count,
                                  struct hs_error *err)
{
    struct hs_node node;
    enum hs_status status = HS_OK;

    if (count == 0)
        return hs_fail(err, HS_INVALID, "expected files to read");
    hs_node_init(&node);
    for (size_t i = 0; i < count && status == HS_OK; i++)
        status = hs_topology_load(&node, paths[i], err);
    if (status == HS_OK)
        status = hs_system_of_node(system, found, notes, &node, err);
    hs_node_release(&node);
    return status;
}
