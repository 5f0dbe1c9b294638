#include "cli/interposed.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply/settings.h"
#include "base/file.h"
#include "base/places.h"

/* Bytes of a string of the environment: Linux's MAX_ARG_STRLEN. */
#define SETTING_MOST ((size_t)32 * 4096)

enum hs_status hs_interposed_set(const char *name, const char *value, struct hs_error *err)
{
    if (strlen(name) + strlen(value) + 2 > SETTING_MOST)
        return hs_fail(err, HS_INVALID,
                       "%s: what these results say takes %zu bytes, and a setting in a program's "
                       "environment has %zu at most: expected results of fewer sizes or groups",
                       name, strlen(value), SETTING_MOST);
    return setenv(name, value, 1) == 0 ? HS_OK : hs_no_memory(err);
}

/* The path of a file that need not be there, from the root: the program may change its folder. */
static enum hs_status absolute(char path[PATH_MAX], const char *file, struct hs_error *err)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(file, '/');
    int length;

    if (slash)
        length = snprintf(path, PATH_MAX, "%.*s", (int)(slash == file ? 1 : slash - file), file);
    else
        length = snprintf(path, PATH_MAX, ".");
    if (length >= PATH_MAX || !realpath(path, folder))
        return hs_fail(err, HS_INVALID, "%s: %s", path,
                       strerror(length >= PATH_MAX ? ENAMETOOLONG : errno));
    length = snprintf(path, PATH_MAX, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder,
                      slash ? slash + 1 : file);
    return length < PATH_MAX ? HS_OK
                             : hs_fail(err, HS_INVALID, "%s: %s", file, strerror(ENAMETOOLONG));
}

/* Beside this program, or where `make install` puts it. */
static bool find_library(char path[PATH_MAX], const char *name)
{
    static const char *const folders[] = {"", "../lib/hiersearch/"};
    char place[PATH_MAX];

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        snprintf(place, sizeof(place), "%s%s", folders[i], name);
        if (hs_program_path(path, PATH_MAX, place) && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* What is loaded before the program's libraries: in front of MPI's, and of NCCL's. */
static enum hs_status find_interposers(char both[2 * PATH_MAX],
                                       const struct hs_interposed *interposed, struct hs_error *err)
{
    char of_mpi[PATH_MAX] = "", of_nccl[PATH_MAX] = "";
    const char *given = interposed->interposer;
    bool has_mpi, has_nccl = interposed->nccl && find_library(of_nccl, HS_OF_NCCL);

    if (given && (!realpath(given, of_mpi) || access(of_mpi, R_OK) != 0))
        return hs_fail(err, HS_INVALID, "--interposer: %s: %s", given, strerror(errno));
    if (interposed->nccl_alone && !has_nccl)
        return hs_fail(err, HS_FAILED,
                       "there is no " HS_OF_NCCL " beside this program or in ../lib/hiersearch");
    has_mpi = given || (!interposed->nccl_alone && find_library(of_mpi, HS_INTERPOSER));
    if (!has_mpi && !has_nccl)
        return hs_fail(err, HS_FAILED,
                       "there is no " HS_INTERPOSER
                       " beside this program or in ../lib/hiersearch: it was "
                       "built without MPI");
    snprintf(both, (size_t)2 * PATH_MAX, "%s%s%s", has_mpi ? of_mpi : "",
             has_mpi && has_nccl ? ":" : "", has_nccl ? of_nccl : "");
    return HS_OK;
}

/* In front of what the user has there. */
static enum hs_status preload(const char *libraries, struct hs_error *err)
{
    const char *before = getenv("LD_PRELOAD");
    struct hs_text both = {0};
    enum hs_status status;

    hs_text_append(&both, "%s%s%s", libraries, before && before[0] ? ":" : "",
                   before ? before : "");
    status = both.failed ? hs_no_memory(err) : hs_interposed_set("LD_PRELOAD", both.data, err);
    hs_text_release(&both);
    return status;
}

/* What the interposer counts, and who makes a file of it. */
static enum hs_status set_profile(const char *profile, struct hs_error *err)
{
    char output[PATH_MAX], folder[PATH_MAX + 8], program[PATH_MAX];
    enum hs_status status;

    if (strcmp(profile, "-") == 0)
        return hs_fail(err, HS_INVALID, "-o -: expected a file, as stdout is the program's own");
    status = absolute(output, profile, err);
    if (status == HS_OK)
        status = hs_file_writable(output, NULL, 0, err);
    if (status == HS_OK && !realpath("/proc/self/exe", program))
        status = hs_fail(err, HS_FAILED, "/proc/self/exe: %s", strerror(errno));
    if (status == HS_OK) {
        snprintf(folder, sizeof(folder), "%s.ranks", output);
        status = hs_interposed_set(HS_PROFILE_FOLDER, folder, err);
    }
    if (status == HS_OK)
        status = hs_interposed_set(HS_PROFILE_OUTPUT, output, err);
    return status == HS_OK ? hs_interposed_set(HS_PROFILE_PROGRAM, program, err) : status;
}

enum hs_status hs_interposed_become(const struct hs_interposed *interposed, struct hs_error *err)
{
    const struct hs_argument_list *program = &interposed->program;
    char **argv = calloc(program->count + 1, sizeof(*argv));
    char *libraries = malloc((size_t)2 * PATH_MAX);
    enum hs_status status = argv && libraries ? HS_OK : hs_no_memory(err);
    char process[32];

    if (status == HS_OK && interposed->profile)
        status = set_profile(interposed->profile, err);
    if (status == HS_OK)
        status = find_interposers(libraries, interposed, err);
    if (status == HS_OK)
        status = preload(libraries, err);
    snprintf(process, sizeof(process), "%ld", (long)getpid());
    if (status == HS_OK)
        status = hs_interposed_set(HS_PROCESS, process, err);
    if (status == HS_OK) {
        memcpy(argv, program->items, program->count * sizeof(*argv));
        execvp(argv[0], argv);
        status = hs_fail(err, HS_FAILED, "cannot run %s: %s", argv[0], strerror(errno));
    }
    free(libraries);
    free(argv);
    return status;
}
