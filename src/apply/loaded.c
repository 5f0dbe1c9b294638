#include "apply/loaded.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct wanted {
    const char *part, *name;
    void *found;
};

static int look(struct dl_phdr_info *object, size_t bytes, void *of_wanted)
{
    struct wanted *wanted = of_wanted;
    void *library;

    (void)bytes;
    if (!strstr(object->dlpi_name, wanted->part))
        return 0;
    library = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    wanted->found = library ? dlsym(library, wanted->name) : NULL;
    if (library && !wanted->found)
        dlclose(library);
    return wanted->found != NULL;
}

void *hs_loaded_find(const char *part, const char *name)
{
    struct wanted wanted = {.part = part, .name = name};

    dl_iterate_phdr(look, &wanted);
    return wanted.found;
}

void *hs_loaded_by(const void *symbol, const char *name)
{
    struct link_map *map = NULL;
    void *library, *found;
    Dl_info about;

    if (!dladdr1(symbol, &about, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_name[0])
        return NULL;
    library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return NULL;
    found = dlsym(library, name);
    dlclose(library);
    return found;
}

static void *in_library(const char *path, const char *name, bool stays)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    void *function = library ? dlsym(library, name) : NULL;

    if (library && !(stays && function))
        dlclose(library);
    return function;
}

void *hs_loaded_cuda(const char *name)
{
    return in_library("libcuda.so.1", name, false);
}

void *hs_loaded_nvml(const char *name)
{
    return in_library("libnvidia-ml.so.1", name, false);
}

/* The first object says how many there ever were. */
static int count_libraries(struct dl_phdr_info *object, size_t bytes, void *count)
{
    (void)bytes;
    *(unsigned long long *)count = object->dlpi_adds;
    return 1;
}

void *hs_loaded_cuda_again(struct hs_loaded *known, const char *name)
{
    unsigned long long libraries = 0;

    if (known->function)
        return known->function;
    dl_iterate_phdr(count_libraries, &libraries);
    if (libraries != known->libraries)
        known->function = in_library("libcuda.so.1", name, true);
    known->libraries = libraries;
    return known->function;
}
