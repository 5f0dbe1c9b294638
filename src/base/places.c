#include "base/places.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* "DIR/relative", DIR the folder of a file. */
static bool beside(char *path, size_t path_bytes, const char *file, const char *relative)
{
    const char *slash = strrchr(file, '/');

    return slash && (size_t)snprintf(path, path_bytes, "%.*s/%s", (int)(slash - file), file,
                                     relative) < path_bytes;
}

static bool find_program(char program[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", program, PATH_MAX - 1);

    if (length > 0)
        program[length] = '\0';
    return length > 0;
}

bool hs_program_path(char *path, size_t path_bytes, const char *relative)
{
    char program[PATH_MAX];

    return find_program(program) && beside(path, path_bytes, program, relative);
}

/* The file that this code is in: the library, where it is in one, else the program. */
static bool find_ours(char file[PATH_MAX])
{
    static const char here;
    const void *entry = (const void *)getauxval(AT_ENTRY); /* of the program */
    Dl_info ours, program;

    if (dladdr(&here, &ours) && dladdr(entry, &program) && ours.dli_fbase != program.dli_fbase)
        return realpath(ours.dli_fname, file) != NULL;
    return find_program(file);
}

/* The first "DIR/before/name" that exists, DIR the folder of a file. */
static bool find_near(char *path, size_t path_bytes, const char *file, const char *const before[3],
                      const char *name)
{
    char relative[PATH_MAX];

    for (size_t i = 0; i < 3; i++)
        if (snprintf(relative, sizeof(relative), "%s%s", before[i], name) < PATH_MAX &&
            beside(path, path_bytes, file, relative) && access(path, F_OK) == 0)
            return true;
    return false;
}

bool hs_share_path(char *path, size_t path_bytes, const char *name)
{
    static const char *const places[] = {"share/hiersearch/", "../share/hiersearch/",
                                         "../../share/hiersearch/"};
    char ours[PATH_MAX];

    return find_ours(ours) && find_near(path, path_bytes, ours, places, name);
}

static bool find_in_path(char *path, size_t path_bytes, const char *name, int how)
{
    const char *at = getenv("PATH");

    for (size_t length; at && *at; at += length + (at[length] == ':')) {
        length = strcspn(at, ":");
        if (length > 0 &&
            (size_t)snprintf(path, path_bytes, "%.*s/%s", (int)length, at, name) < path_bytes &&
            access(path, how) == 0)
            return true;
    }
    return false;
}

bool hs_sibling_program(char *path, size_t path_bytes, const char *name)
{
    static const char *const places[] = {"", "../libexec/hiersearch/", "../libexec/"};
    char program[PATH_MAX];

    return (find_program(program) && find_near(path, path_bytes, program, places, name)) ||
           find_in_path(path, path_bytes, name, F_OK);
}

bool hs_program_in_path(char *path, size_t path_bytes, const char *name)
{
    return find_in_path(path, path_bytes, name, X_OK);
}
