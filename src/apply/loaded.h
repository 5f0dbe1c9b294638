/*
 * loaded.h - functions of libraries that somebody else's program has loaded, for itself alone
 * perhaps: in nobody else's scope.
 */
#ifndef HS_APPLY_LOADED_H
#define HS_APPLY_LOADED_H

/* What a library has by that name, of those whose path has `part` in it, the first that has it; it
 * stays loaded then. NULL: none. */
void *hs_loaded_find(const char *part, const char *name);
/* The same of CUDA's driver, where the program has loaded it. */
void *hs_loaded_cuda(const char *name);

#endif
