/*
 * merge.h - a job's profile, of what its ranks counted.
 */
#ifndef HS_APPLY_MERGE_H
#define HS_APPLY_MERGE_H

#include <stdbool.h>

#include "apply/counts.h"
#include "base/error.h"
#include "result/profile.h"

/* Makes a profile of the files in the folder that are of the run of the lowest rank there, or,
 * where MPI's ranks left none, of NCCL's last run (processes.h); others are of a run before.
 * HS_INVALID: there is none, or one is not ours or of another build; HS_MEMORY. */
enum hs_status hs_profile_merge(struct hs_profile *profile, const char *folder,
                                struct hs_error *err);
/* Removes what hs_profile_merge reads there, and the folder, if nothing else is in it. */
void hs_counts_remove(const char *folder);

/* A file of counts, in memory of this process alone; NULL where there is none. HS_INVALID: it is no
 * such file. Whether what it says can be followed (what a killed rank was about to write may not
 * be) is another question. */
enum hs_status hs_counts_map(struct hs_counts **counts, const char *path, struct hs_error *err);
bool hs_counts_are_sound(const struct hs_counts *counts);
void hs_counts_unmap(struct hs_counts *counts);

#endif
