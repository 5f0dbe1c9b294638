/*
 * export_files.h - where what was exported goes: to stdout, into a file, or into a folder.
 */
#ifndef HS_CLI_EXPORT_FILES_H
#define HS_CLI_EXPORT_FILES_H

#include "cli/command.h"
#include "hiersearch.h"

/* Where to. Borrowed. */
struct hs_export_target {
    const char *output; /* path; NULL and "-": stdout */
    const char *format; /* for messages */
    const char *result; /* that is read, and not to be written over */
};

/* Writes what was exported: one file to the output, or several into a folder
 * of that name. Each file is complete or not at all; a folder that is made here disappears again
 * where not all files can be written. HS_INVALID:
 * several files and no folder, a file that is the result, a link or left over from another export;
 * HS_IO, HS_MEMORY. */
enum hs_status hs_export_files_write(struct hs_context *context,
                                     const struct hiersearch_exports *exports,
                                     const struct hs_export_target *to, struct hs_error *err);

#endif
