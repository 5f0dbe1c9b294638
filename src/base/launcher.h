/*
 * launcher.h - which process of a job this one is, by what its launcher left in the environment:
 * what can be known before MPI begins, or without it.
 */
#ifndef HS_BASE_LAUNCHER_H
#define HS_BASE_LAUNCHER_H

#include <stdbool.h>

/* The number of this process, from 0 on, and of how many: of torchrun, Open MPI, PMI (MPICH, Intel
 * MPI), PMIx, PALS (Cray) or Slurm, the first of them that says both; false, and *rank -1 and
 * *ranks 0, where none does. With `ranks` NULL the number alone is enough. torchrun's, which others
 * may have set for something else, always needs both. */
bool hs_launcher_rank(int *rank, int *ranks);
/* Whether this process is to say what all of its job would: the one with the number 0, or that has
 * none. */
bool hs_launcher_is_root(void);

#endif
