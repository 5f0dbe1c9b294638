/*
 * loaded.h - functions of libraries that somebody else's program has loaded, for itself alone
 * perhaps: in nobody else's scope.
 */
#ifndef HS_APPLY_LOADED_H
#define HS_APPLY_LOADED_H

/* What a library has by that name, of those whose path has `part` in it, the first that has it; it
 * stays loaded then. NULL: none. */
void *hs_loaded_find(const char *part, const char *name);
/* What that name means to the library that has this function or variable: its own, or that of a
 * library that it is linked with. NULL: it has none, or is the program itself. */
void *hs_loaded_by(const void *symbol, const char *name);
/* The same of CUDA's driver, where the program has loaded it. */
void *hs_loaded_cuda(const char *name);
void *hs_loaded_nvml(const char *name);

/* What hs_loaded_cuda answered before; {0}: it was not asked. Of one thread and one name. */
struct hs_loaded {
    void *function;
    unsigned long long libraries; /* that the process had loaded when none was found */
};
/* The same for who asks at every call: a function that was found is the answer from then on, its
 * library stays loaded; where none was, it is looked for again once the program has loaded
 * something. (To look is to search all folders of libraries where there is no CUDA.) */
void *hs_loaded_cuda_again(struct hs_loaded *known, const char *name);

#endif
