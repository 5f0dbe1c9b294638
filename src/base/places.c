#include "base/places.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

bool hs_program_path(char *path, size_t path_bytes, const char *relative)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    char *slash;

    if (length <= 0)
        return false;
    program[length] = '\0';
    slash = strrchr(program, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return (size_t)snprintf(path, path_bytes, "%s/%s", program, relative) < path_bytes;
}

/* The first "DIR/before/name" that exists. */
static bool find_near(char *path, size_t path_bytes, const char *const *before, size_t count,
                      const char *name)
{
    char relative[PATH_MAX];

    for (size_t i = 0; i < count; i++)
        if (snprintf(relative, sizeof(relative), "%s%s", before[i], name) < PATH_MAX &&
            hs_program_path(path, path_bytes, relative) && access(path, F_OK) == 0)
            return true;
    return false;
}

bool hs_share_path(char *path, size_t path_bytes, const char *name)
{
    static const char *const places[] = {"share/hiersearch/", "../share/hiersearch/",
                                         "../../share/hiersearch/"};

    return find_near(path, path_bytes, places, COUNT(places), name);
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

    return find_near(path, path_bytes, places, COUNT(places), name) ||
           find_in_path(path, path_bytes, name, F_OK);
}

bool hs_program_in_path(char *path, size_t path_bytes, const char *name)
{
    return find_in_path(path, path_bytes, name, X_OK);
}
