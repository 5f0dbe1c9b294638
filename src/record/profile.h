/*
 * profile.h - the profile of a job (docs/profile.schema.json): which collectives it called, in
 * which groups, how large, how often, and how long they took. Made of what its ranks counted
 * (record/merge.h).
 */
#ifndef HS_RESULT_PROFILE_H
#define HS_RESULT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/fields.h"
#include "record/result.h"

#define HS_PROFILE_VERSION   "profile/1"
#define HS_PROFILE_FORMAT    HS_FORMAT_OF HS_PROFILE_VERSION
#define HS_PROFILE_CALLS_MAX 100000

/* Calls that are alike: of one function, in groups of one shape, of one size to a factor of two, of
 * one type and operation. Sums are over all ranks that made them. */
struct hs_profile_call {
    char *call;                 /* owned, "MPI_Iallreduce", "ncclAllReduce" */
    char *collective;           /* owned, "allreduce" */
    char *datatype, *operation; /* owned, NULL: it has none */
    int64_t group_ranks;        /* of one group */
    int64_t group_stride; /* ranks of the job from one to the next; 0: they are no progression */
    int64_t groups;       /* that made such calls: of different ranks */
    int64_t ranks, calls;
    bool begun;   /* times are those of beginning the calls; what they take is not known */
    double bytes; /* of the larger side, at each rank */
    double seconds, rank_seconds; /* of all ranks; of the one that took longest */
    double longest_seconds;       /* of one call */
    int64_t sampled_calls;        /* which all ranks of a group timed one by one */
    /* In these, mean over a group, in all; of it in waiting for the last one's work; and what else
     * ranks were in it longer than the shortest. NaN: none was sampled. */
    double sampled_seconds, waited_seconds, skewed_seconds;
};

struct hs_profile {
    char *command, *library; /* owned */
    char *created;           /* owned, UTC, ISO 8601: when the job began */
    char *rank_order;        /* owned, what NCCL's processes are ordered by; NULL: MPI's ranks */
    bool finished;           /* all ranks reached MPI_Finalize; or, without MPI, exit */
    int64_t ranks, missing_ranks;
    double seconds; /* of the job: of its longest rank */
    int64_t uncounted_calls;
    struct hs_placed_node *nodes; /* [node_count] owned, in the order of their ranks */
    size_t node_count;
    struct hs_profile_call *calls; /* [call_count] owned, those that took longest first */
    size_t call_count;
};

extern const struct hs_fields hs_profile_fields;

/* HS_INVALID with the place, HS_MEMORY. */
enum hs_status hs_profile_load(struct hs_profile *profile, const char *path, struct hs_error *err);
enum hs_status hs_profile_parse(struct hs_profile *profile, const char *name, const char *text,
                                size_t length, struct hs_error *err);
/* Appends the text of a file. HS_MEMORY. */
enum hs_status hs_profile_print(struct hs_text *out, const struct hs_profile *profile,
                                struct hs_error *err);
void hs_profile_release(struct hs_profile *profile);

#endif
