#include "detect/system_find.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/places.h"
#include "estimate/system_file.h"

#define SUFFIX ".json"

static bool ends_in_suffix(const char *name)
{
    size_t length = strlen(name);

    return length > strlen(SUFFIX) && strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0;
}

/* Files of other names are no systems to list: the names go to terminals and shells. */
static bool names_system(const char *file)
{
    size_t length = strlen(file);

    return ends_in_suffix(file) && file[0] != '.' && strspn(file, HS_SYSTEM_LETTERS) == length;
}

static bool list_has(const struct hs_system_list *list, const char *name, size_t length)
{
    for (size_t i = 0; i < list->count; i++)
        if (strlen(list->entries[i].name) == length &&
            memcmp(list->entries[i].name, name, length) == 0)
            return true;
    return false;
}

static enum hs_status list_add(struct hs_system_list *list, const char *folder, const char *file,
                               struct hs_error *err)
{
    size_t length = strlen(file) - strlen(SUFFIX);
    struct hs_system_entry entry = {NULL, NULL}, *entries;

    entries = realloc(list->entries, (list->count + 1) * sizeof(*entries));
    if (!entries)
        return hs_no_memory(err);
    list->entries = entries;
    entry.name = strndup(file, length);
    if (asprintf(&entry.path, "%s/%s", folder, file) < 0)
        entry.path = NULL;
    list->entries[list->count++] = entry;
    if (!entry.name || !entry.path)
        return hs_no_memory(err);
    return HS_OK;
}

static enum hs_status list_add_folder(struct hs_system_list *list, const char *folder,
                                      struct hs_error *err)
{
    DIR *directory = opendir(folder);
    enum hs_status status = HS_OK;
    struct dirent *file;

    if (!directory)
        return HS_OK;
    while (status == HS_OK && (file = readdir(directory)) != NULL)
        if (names_system(file->d_name) &&
            !list_has(list, file->d_name, strlen(file->d_name) - strlen(SUFFIX)))
            status = list_add(list, folder, file->d_name, err);
    closedir(directory);
    return status;
}

/* The folders of $HIERSEARCH_CONFIGS. */
static enum hs_status list_add_environment(struct hs_system_list *list, struct hs_error *err)
{
    const char *folders = getenv("HIERSEARCH_CONFIGS");
    enum hs_status status = HS_OK;
    char *copy, *rest, *folder;

    if (!folders)
        return HS_OK;
    copy = rest = strdup(folders);
    if (!copy)
        return hs_no_memory(err);
    while (status == HS_OK && (folder = strsep(&rest, ":")) != NULL)
        if (folder[0])
            status = list_add_folder(list, folder, err);
    free(copy);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct hs_system_entry *)a)->name,
                  ((const struct hs_system_entry *)b)->name);
}

enum hs_status hs_system_list_read(struct hs_system_list *list, struct hs_error *err)
{
    char share[PATH_MAX];
    enum hs_status status;

    *list = (struct hs_system_list){NULL, 0};
    status = list_add_environment(list, err);
    if (status == HS_OK && hs_share_path(share, sizeof(share), "configs"))
        status = list_add_folder(list, share, err);
    if (status != HS_OK) {
        hs_system_list_release(list);
        return status;
    }
    if (list->count)
        qsort(list->entries, list->count, sizeof(list->entries[0]), by_name);
    return HS_OK;
}

void hs_system_list_release(struct hs_system_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->entries[i].name);
        free(list->entries[i].path);
    }
    free(list->entries);
    *list = (struct hs_system_list){NULL, 0};
}

/* Its letters and digits, small: "DGX H100" and "dgx-h100" are one. */
static void squeeze(char squeezed[HS_SYSTEM_NAME], const char *typed)
{
    size_t length = 0;

    for (; *typed && length + 1 < HS_SYSTEM_NAME; typed++)
        if (!strchr(" -_", *typed))
            squeezed[length++] = (char)tolower((unsigned char)*typed);
    squeezed[length] = '\0';
}

/* The entry of this name, or the only one whose name begins so, as people write it; NULL where none
 * does or several do, of which *like becomes the first. */
static const struct hs_system_entry *find_entry(const struct hs_system_list *list,
                                                const char *typed,
                                                const struct hs_system_entry **like)
{
    const struct hs_system_entry *begins[2] = {NULL, NULL}, *same = NULL;
    char wanted[HS_SYSTEM_NAME], name[HS_SYSTEM_NAME];

    *like = NULL;
    squeeze(wanted, typed);
    for (size_t i = 0; i < list->count && wanted[0]; i++) {
        const struct hs_system_entry *entry = &list->entries[i];

        squeeze(name, entry->name);
        if (strcmp(entry->name, typed) == 0)
            return entry;
        if (strcmp(name, wanted) == 0)
            same = entry;
        else if (strncmp(name, wanted, strlen(wanted)) == 0)
            begins[begins[0] != NULL] = entry;
        else if (!*like && strstr(name, wanted))
            *like = entry;
    }
    if (begins[1])
        *like = begins[0];
    return same ? same : begins[1] ? NULL : begins[0];
}

static enum hs_status fail_unknown(const struct hs_system_list *list, const char *text,
                                   const struct hs_system_entry *like, struct hs_error *err)
{
    const char **names, *nearest;

    if (strchr(text, '.') && access(text, F_OK) == 0)
        return hs_fail(err, HS_INVALID,
                       "%.60s: a file, but not a system's, whose name ends in %s: `hiersearch "
                       "systems --from` makes one of what speaks of a node, `hiersearch fit` of a "
                       "log and a system to start from",
                       text, SUFFIX);
    names = calloc(list->count + 1, sizeof(*names));
    if (!names)
        return hs_no_memory(err);
    for (size_t i = 0; i < list->count; i++)
        names[i] = list->entries[i].name;
    nearest = like ? like->name : hs_nearest_name(text, names, list->count);
    free(names);
    if (nearest)
        return hs_fail(err, HS_INVALID, "unknown system \"%.60s\", did you mean \"%s\"?", text,
                       nearest);
    return hs_fail(err, HS_INVALID,
                   "unknown system \"%.60s\", expected a name that `hiersearch systems` lists, a "
                   "path such as ./x.json, parts such as \"8xH100, 8xNDR400\", or levels such as "
                   "nvlink:8@300GB/s,ib@200GB/s",
                   text);
}

static enum hs_status find_named(char **path, const char *name, struct hs_error *err)
{
    const struct hs_system_entry *found, *like;
    struct hs_system_list list;
    enum hs_status status = hs_system_list_read(&list, err);

    if (status != HS_OK)
        return status;
    found = find_entry(&list, name, &like);
    if (found)
        *path = hs_strdup(found->path);
    else
        status = fail_unknown(&list, name, like, err);
    hs_system_list_release(&list);
    return found && !*path ? hs_no_memory(err) : status;
}

enum hs_status hs_system_path(char **path, const char *text, struct hs_error *err)
{
    *path = NULL;
    if (hs_system_is_text(text))
        return HS_OK;
    if (!strchr(text, '/') && !ends_in_suffix(text) && strcmp(text, "-") != 0)
        return find_named(path, text, err);
    *path = hs_strdup(text);
    return *path ? HS_OK : hs_no_memory(err);
}

enum hs_status hs_system_find(struct hs_system *system, const char *text, struct hs_error *err)
{
    char *path;
    enum hs_status status = hs_system_path(&path, text, err);

    if (status == HS_OK)
        status = path ? hs_system_load(system, path, err) : hs_system_parse(system, text, err);
    free(path);
    return status;
}

void hs_system_name_after(struct hs_system *system, const char *output)
{
    const char *slash = strrchr(output, '/'), *base = slash ? slash + 1 : output;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base), kept = 0;

    if (strcmp(output, "-") == 0)
        return;
    for (size_t i = 0; i < length && kept + 1 < sizeof(system->name); i++) {
        int letter = tolower((unsigned char)base[i]);

        system->name[kept++] =
            isascii(letter) && (isalnum(letter) || strchr("_-.", letter)) ? (char)letter : '_';
    }
    system->name[kept] = '\0';
}
