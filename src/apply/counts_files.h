/*
 * counts_files.h - the files of a folder in which processes count (counts.h), as who reads them
 * finds them.
 */
#ifndef HS_APPLY_COUNTS_FILES_H
#define HS_APPLY_COUNTS_FILES_H

#include <stdbool.h>

#include "apply/counts.h"
#include "base/error.h"

/* The lowest of MPI's ranks of which there is one; -1: there is none. */
int hs_counts_first_rank(const char *folder);
/* One of them, in memory of this process alone; NULL where there is none. HS_INVALID: it is no such
 * file. Whether what it says can be followed (what a killed rank was about to write may not be) is
 * another question. */
enum hs_status hs_counts_map(struct hs_counts **counts, const char *path, struct hs_error *err);
bool hs_counts_are_sound(const struct hs_counts *counts);
void hs_counts_unmap(struct hs_counts *counts);
/* Removes them all, and the folder, if nothing else is in it. */
void hs_counts_remove(const char *folder);

#endif
