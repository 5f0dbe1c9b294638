/*
 * system_find.h - from what the user typed to a system: a shipped name, a path, or a line of text.
 *
 * Shipped systems are files NAME.json. They are looked for in the folders of $HIERSEARCH_CONFIGS
 * (separated by ':'), then among those installed with the program (places.h); the first folder that
 * has the name wins. Files whose NAME has other letters than names of systems (HS_SYSTEM_LETTERS)
 * are found by their path only.
 */
#ifndef HS_MACHINE_SYSTEM_FIND_H
#define HS_MACHINE_SYSTEM_FIND_H

#include <stddef.h>

#include "base/error.h"
#include "system/system.h"

/* `text` is a line of text if it contains '@', else a path if it contains '/' or ends in ".json"
 * (or is "-": stdin), else a name or
 * the beginning of one name only. HS_INVALID: unknown name (with the nearest one), unreadable or
 * wrong file. */
enum hs_status hs_system_find(struct hs_system *system, const char *text, struct hs_error *err);

/* The file that hs_system_find reads for `text` ("-": stdin), owned by the caller; NULL for a line
 * of text. HS_INVALID: unknown name. HS_MEMORY. */
enum hs_status hs_system_path(char **path, const char *text, struct hs_error *err);

struct hs_system_entry {
    char *name, *path; /* owned by the list */
};

struct hs_system_list {
    struct hs_system_entry *entries; /* [count] by name, each name once; owned */
    size_t count;
};

/* All shipped systems, without opening them. Folders that do not exist are passed over. HS_MEMORY.
 */
enum hs_status hs_system_list_read(struct hs_system_list *list, struct hs_error *err);
void hs_system_list_release(struct hs_system_list *list);

/* Names the system after a file: without folder and ending, in the letters that a name may have.
 * "-" changes nothing. */
void hs_system_name_after(struct hs_system *system, const char *output);

#endif
