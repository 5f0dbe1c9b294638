/*
 * interposed.h - becoming somebody else's program with libhiersearch-mpi.so in front of its MPI
 * library, and libhiersearch-nccl.so in front of NCCL.
 */
#ifndef HS_CLI_INTERPOSED_H
#define HS_CLI_INTERPOSED_H

#include "console/command.h"

#define HS_INTERPOSER "libhiersearch-mpi.so"
#define HS_OF_NCCL    "libhiersearch-nccl.so"

struct hs_interposed {
    struct hs_argument_list program;
    const char *interposer; /* NULL: that of this build */
    const char *profile;    /* where its profile goes; NULL: nothing is counted */
    bool nccl;              /* the one in front of NCCL, too; without MPI that alone */
    bool nccl_alone;        /* as without MPI, where no interposer is given */
};

#define HS_ROW_PROGRAM(place, must, text)                                                          \
    {                                                                                              \
        .name = "PROGRAM", .required = (must), .many = true, .behind = true, .files = true,        \
        .offset = (place), .help = (text)                                                          \
    }
#define HS_ROW_INTERPOSER(place)                                                                   \
    HS_ROW_FILE("interposer", 0, NULL, place, false,                                               \
                "the " HS_INTERPOSER " that was built for the program's MPI library (default: "    \
                "the one that came with hiersearch)")

/* In the environment. HS_MEMORY. */
enum hs_status hs_interposed_set(const char *name, const char *value, struct hs_error *err);
/* Does not return where it works. HS_INVALID, HS_FAILED. */
enum hs_status hs_interposed_become(const struct hs_interposed *interposed, struct hs_error *err);

#endif
