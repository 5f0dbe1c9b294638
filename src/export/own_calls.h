/*
 * own_calls.h - the communicators that a job has anyway: which of the library's algorithms for
 * which bytes, as `measure --native` timed them. Internal to src/export.
 *
 * An algorithm has the sizes for which it was the fastest, its 95 % interval below that of the
 * library's own choice, and those between two such sizes; between two algorithms their lines
 * through the measured times cross. All other bytes are the library's own choice, as without the
 * file.
 */
#ifndef HS_EXPORT_OWN_CALLS_H
#define HS_EXPORT_OWN_CALLS_H

#include "export/export.h"
#include "library/mpi_own.h"

struct hs_own_rule {
    const struct hs_mpi_own *own;
    uint64_t first_bytes, end_bytes; /* of the larger side; end_bytes is beyond */
    double gain; /* the library's time over its, at the size where that is least */
};

/* Of one collective and size of communicator. */
struct hs_own_rules {
    enum hs_collective collective;
    int64_t ranks;
    struct hs_own_rule *rules; /* [count] owned; ascending */
    size_t count;
    /* An algorithm that no size was slower with than with the library's own choice; NULL: none. */
    const struct hs_mpi_own *always;
};

/* MPICH's: mpich.env and the tables it names. The rules are sorted by collective. version: what the
 * library said of itself where it was measured, or NULL; HS_INVALID where this one is not here. */
enum hs_status hs_export_own_mpich(struct hs_export_output *out, const struct hs_own_rules *rules,
                                   size_t count, const char *version, struct hs_text *header,
                                   struct hs_error *err);

#endif
