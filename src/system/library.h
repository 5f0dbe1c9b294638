/*
 * library.h - what a program asks of a library that communicates: one call of one group.
 *
 * Bytes of a call are what nccl-tests calls size: of an allreduce and a reduce-scatter those a
 * process gives, of an allgather those it gets, of an all-to-all those it gives to all.
 */
#ifndef HS_SYSTEM_LIBRARY_H
#define HS_SYSTEM_LIBRARY_H

#include <stdbool.h>

#include "system/datatype.h"

/* Libraries that a system's programs may call. name, text of a file, how people write it */
/* clang-format off */
#define HS_LIBRARIES(row)                               \
    row(NCCL, "nccl", "NCCL")                           \
    row(RCCL, "rccl", "RCCL")                           \
    row(MPICH, "mpich", "MPICH")                        \
    row(OPENMPI, "openmpi", "Open MPI")                 \
    row(OPENMPIHAN, "openmpi-han", "Open MPI with han") \
    row(CRAYMPICH, "cray-mpich", "Cray MPICH")          \
    row(INTELMPI, "intelmpi", "Intel MPI")
/* clang-format on */

enum hs_library {
    HS_LIBRARY_UNSAID, /* without a text */
#define HS_ROW(name, text, written) HS_LIBRARY_##name,
    HS_LIBRARIES(HS_ROW)
#undef HS_ROW
        HS_LIBRARY_COUNT
};
/* From HS_LIBRARY_NCCL on. */
extern const char *const hs_library_names[HS_LIBRARY_COUNT - 1];
/* As people write it; of one unsaid "the library". */
const char *hs_library_written(enum hs_library library);
/* Whose algorithms an MPI library has, by which it is priced: those made from MPICH MPICH's,
 * although they switch at other sizes; with han Open MPI's, but for its allreduce.
 * HS_LIBRARY_UNSAID: no MPI library. */
enum hs_library hs_library_mpi_rule(enum hs_library library);

/* Versions as NCCL counts them (NCCL_VERSION_CODE of nccl.h): 2.28.9 is 22809. */
#define HS_NCCL_VERSION(major, minor, patch) ((major)*10000 + (minor)*100 + (patch))
#define HS_NCCL_VERSION_USUAL                HS_NCCL_VERSION(2, 28, 9) /* where nobody says */

/* "2.28.9" of 22809, in `text`, which is returned; and back: 0 where the text is none of 2.0.0 to
 * 9.99.99. */
#define HS_NCCL_VERSION_TEXT 16
const char *hs_nccl_version_format(char text[HS_NCCL_VERSION_TEXT], int version);
int hs_nccl_version_parse(const char *text);

/* name, text, times that the bytes go around a ring */
/* clang-format off */
#define HS_LIBRARY_CALLS(row)               \
    row(ALLREDUCE, "allreduce", 2)          \
    row(ALLGATHER, "allgather", 1)          \
    row(REDUCE_SCATTER, "reducescatter", 1) \
    row(ALLTOALL, "alltoall", 1)
/* clang-format on */

enum hs_library_call {
#define HS_ROW(name, text, passes) HS_CALL_##name,
    HS_LIBRARY_CALLS(HS_ROW)
#undef HS_ROW
        HS_LIBRARY_CALL_COUNT
};
extern const char *const hs_library_call_names[HS_LIBRARY_CALL_COUNT];
extern const int hs_library_call_passes[HS_LIBRARY_CALL_COUNT];

/* How programs call NCCL: what its choice goes by beside the machine and the bytes. */
struct hs_nccl_use {
    bool registered; /* their buffers, in symmetric windows of the communicators */
    enum hs_datatype datatype;
    enum hs_operation operation;
};

#endif
