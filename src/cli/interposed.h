/*
 * interposed.h - becoming somebody else's program with libhiersearch-mpi.so in front of its MPI
 * library, and libhiersearch-nccl.so in front of NCCL.
 */
#ifndef HS_CLI_INTERPOSED_H
#define HS_CLI_INTERPOSED_H

#include "cli/command.h"

#define HS_INTERPOSER "libhiersearch-mpi.so"
#define HS_OF_NCCL    "libhiersearch-nccl.so"

/* The program, and what goes in front of its libraries. All is borrowed, from argv. */
struct hs_interposed {
    struct hs_argument_list program; /* its name, found in PATH, and its arguments; one at least */
    const char *interposer;          /* NULL: that of this build */
    const char *profile;             /* where its profile goes; NULL: nothing is counted */
    bool nccl;                       /* the one in front of NCCL, too; without MPI that alone */
    bool nccl_alone;                 /* as without MPI, where no interposer is given */
};

/* Argument, struct hs_argument_list: the program's command line behind `--`; it may have options of
 * its own. */
#define HS_ROW_PROGRAM(place, must, text)                                                          \
    {                                                                                              \
        .name = "PROGRAM", .required = (must), .many = true, .behind = true, .files = true,        \
        .offset = (place), .help = (text)                                                          \
    }
/* const char *: struct hs_interposed has it. */
#define HS_ROW_INTERPOSER(place)                                                                   \
    HS_ROW_FILE("interposer", 0, NULL, place, false,                                               \
                "the " HS_INTERPOSER " that was built for the program's MPI library (default: "    \
                "the one that came with hiersearch)")

/* Sets a variable that the program will find (apply/settings.h), in place of one that is there; the
 * value is copied. HS_MEMORY. */
enum hs_status hs_interposed_set(const char *name, const char *value, struct hs_error *err);
/* Becomes the program, with what is open and the process id as they are, so that its launcher sees
 * the process that it started. Does not return where it works. HS_INVALID where the profile cannot
 * be written there, or the interposer is no file that can be read; HS_FAILED where the libraries
 * are not beside this program, or the program cannot be run; HS_MEMORY. The environment is then
 * changed all the same. */
enum hs_status hs_interposed_become(const struct hs_interposed *interposed, struct hs_error *err);

#endif
