/*
 * merge.h - a job's profile, of what its ranks counted.
 */
#ifndef HS_APPLY_MERGE_H
#define HS_APPLY_MERGE_H

#include "base/error.h"
#include "record/profile.h"

/* Makes a profile of the files in the folder that are of the run of the lowest rank there, or,
 * where MPI's ranks left none, of NCCL's last run (processes.h); others are of a run before.
 * What is made can be printed and read again. HS_INVALID: there is none, or one is not ours, of
 * another build, or holds what cannot be; HS_MEMORY. */
enum hs_status hs_profile_merge(struct hs_profile *profile, const char *folder,
                                struct hs_error *err);

#endif
