/*
 * counts_files.h - the files of a folder in which processes count (counts.h), as who reads them
 * finds them.
 */
#ifndef HS_APPLY_COUNTS_FILES_H
#define HS_APPLY_COUNTS_FILES_H

#include <stdbool.h>

#include "base/error.h"
#include "record/counts.h"

/* MPI's ranks of which there are files, ascending; owned by the caller. HS_MEMORY. A folder that is
 * not there has none. */
enum hs_status hs_counts_ranks(int **ranks, size_t *count, const char *folder,
                               struct hs_error *err);
/* One of them, in memory; NULL where there is none. All that it says can be followed, added up and
 * told: HS_INVALID where it is no such file, or what it holds cannot be. Freed by the caller. What
 * a killed rank was about to write is not there: a sample may be of a row without calls. */
enum hs_status hs_counts_load(struct hs_counts **counts, const char *path, struct hs_error *err);
/* Removes them all, and the folder, if nothing else is in it. */
void hs_counts_remove(const char *folder);

#endif
