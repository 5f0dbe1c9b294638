/*
 * profile_call.h - a row of a job's profile as a problem that has plans, and what measured results
 * say of it.
 */
#ifndef HS_RESULT_PROFILE_CALL_H
#define HS_RESULT_PROFILE_CALL_H

#include "model/mesh.h"
#include "model/problem.h"
#include "record/profile.h"

#define HS_PROFILE_WHY 96

/* The problem of its mean size, blocks in place, of all groups of its shape at once: a profile says
 * neither which of them call at the same time nor where they begin. *mesh has its groups as --mesh
 * and --group say them; none: all ranks. False where no plan can be known; the reason is in `why`:
 * another function (gather), blocks of different sizes (MPI_Alltoallv), one rank, no bytes, ranks
 * that are no progression, groups that do not divide the job. */
bool hs_profile_call_problem(struct hs_problem *problem, struct hs_mesh *mesh,
                             char why[HS_PROFILE_WHY], const struct hs_profile *profile,
                             const struct hs_profile_call *call);

/* The part of its time that ranks waited for the last one's work; NaN: none was timed. */
double hs_profile_call_waiting(const struct hs_profile_call *call);
/* Mean of a call in seconds, waiting taken off where it is known; NaN where a call only begins what
 * is carried out later. */
double hs_profile_call_seconds(const struct hs_profile_call *call);
/* The part of that mean that the rank took that was in the call shortest; 1: not known. The rest is
 * skew between ranks, of which another algorithm may leave more or less. */
double hs_profile_call_sure(const struct hs_profile_call *call);
/* Calls, seconds in them with waiting, and seconds of that waiting (NaN: not known), of the job's
 * mean rank. */
double hs_profile_call_count(const struct hs_profile *profile, const struct hs_profile_call *call);
double hs_profile_call_spent(const struct hs_profile *profile, const struct hs_profile_call *call);
double hs_profile_call_waited(const struct hs_profile *profile, const struct hs_profile_call *call);

/* Its mean size. */
double hs_profile_call_bytes(const struct hs_profile_call *call);
/* The power of two that a size is at least, and less than twice; 0: less than a byte. */
uint64_t hs_profile_class(double bytes);

#define HS_PROFILE_GROUP_TEXT 64
/* "all 16", "2 x 8, 2 apart". Returns `text`. */
char *hs_profile_group_format(char text[HS_PROFILE_GROUP_TEXT], const struct hs_profile *profile,
                              const struct hs_profile_call *call);

/* ---- a job's problems, the sizes of each together ---- */

struct hs_profile_size {
    uint64_t bytes; /* mean of a kind of calls, rounded */
    double cost;
};
#define HS_PROFILE_SIZES 51 /* as many as an option's list can have; others are left out */

/* What groups of one shape call of one collective. */
struct hs_profile_load {
    enum hs_collective collective;
    struct hs_mesh mesh; /* none: all ranks */
    struct hs_group group;
    /* Seconds of the job's mean rank, waiting taken off where it is known. Calls that only begin
     * what is carried out later cost per byte what the others do; where there are no others, as
     * much as by 1 GB/s. */
    double cost;
    struct hs_profile_size sizes[HS_PROFILE_SIZES]; /* [size_count], ascending */
    size_t size_count;
};

/* Of all kinds of calls that have a problem: *loads, owned by the caller, costliest first. */
enum hs_status hs_profile_loads(struct hs_profile_load **loads, size_t *count,
                                const struct hs_profile *profile, struct hs_error *err);

/* ---- what results say ---- */

/* What a result measured, in seconds per call, at a size that it need not have. */
struct hs_measured_at {
    double library; /* the fastest of the library's calls */
    double plan;
    bool beyond; /* the library's: longer than all that it was measured with, and so a guess */
};
/* The library's time between two sizes that were measured goes as a power of the bytes; below the
 * smallest it is that of the smallest, beyond the largest it grows with the bytes. The plan's time
 * is a part of it, which goes between sizes at which both were measured as a power, too, and
 * beyond them stays. NaN where neither was measured. */
struct hs_measured_at hs_result_measured_at(const struct hs_result *result,
                                            const struct hs_plan *plan, double bytes);

#endif
