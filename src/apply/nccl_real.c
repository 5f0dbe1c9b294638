/* nccl_real.c - see nccl_real.h. */
#include "apply/nccl_real.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apply/loaded.h"

static bool is_ours(const void *symbol)
{
    static const char here[] = "";
    Dl_info theirs, ours;

    return dladdr(symbol, &theirs) && dladdr(here, &ours) && theirs.dli_fbase == ours.dli_fbase;
}

/* A library that a program loads for itself alone, as Python does, is in nobody else's scope. */
static void *find_by_caller(const char *name, const void *caller)
{
    void *symbol = hs_loaded_by(caller, name);

    return symbol && !is_ours(symbol) ? symbol : NULL;
}

void *hs_nccl_loaded(const char *name)
{
    void *found = hs_loaded_find("libnccl.so", name);

    return found ? found : hs_loaded_find("librccl.so", name);
}

/* As the dynamic linker binds a caller's name, but for what is in front of us. A call may have a
 * pointer of ours from elsewhere: then it is any NCCL that is loaded. */
static void *find(const char *name, const void *caller)
{
    void *found = dlsym(RTLD_NEXT, name);
    Dl_info about;

    if (!found)
        found = find_by_caller(name, caller);
    if (!found)
        found = hs_nccl_loaded(name);
    if (found && dladdr(found, &about))
        dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD); /* stays: what is known stays true */
    return found;
}

hs_nccl_function *hs_nccl_real(const char *name, const void *caller)
{
    enum { PLACES = 64 };
    static _Thread_local struct {
        const char *name;
        const void *caller;
        hs_nccl_function *known;
    } places[PLACES];
    size_t at = ((uintptr_t)caller ^ (uintptr_t)name >> 3) % PLACES;

    if (places[at].name != name || places[at].caller != caller || !places[at].known) {
        void *found = find(name, caller);

        places[at].name = name;
        places[at].caller = caller;
        memcpy(&places[at].known, &found, sizeof(found));
        if (!found)
            fprintf(stderr, "hiersearch: %s: no NCCL that is loaded has it\n", name);
    }
    return places[at].known;
}
