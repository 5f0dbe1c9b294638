/*
 * nccl_real.h - the functions of the NCCL that a program calls, or of RCCL, AMD's library with the
 * same names and types, behind those of libhiersearch-nccl.so that have these names.
 */
#ifndef HS_APPLY_NCCL_REAL_H
#define HS_APPLY_NCCL_REAL_H

typedef void hs_nccl_function(void);

/* By name and by the place of the call: programs may have several NCCLs. NULL, which is said once
 * a call on stderr: none that is loaded has it. `name` lives as long as the process. */
hs_nccl_function *hs_nccl_real(const char *name, const void *caller);

/* By name alone, of any that the program has loaded, NCCL before RCCL. NULL: none. */
void *hs_nccl_loaded(const char *name);

#endif
