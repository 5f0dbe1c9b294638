#include "apply/loaded.h"

#include <dlfcn.h>
#include <link.h>
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

void *hs_loaded_cuda(const char *name)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void *function = library ? dlsym(library, name) : NULL;

    if (library)
        dlclose(library);
    return function;
}
