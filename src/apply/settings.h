/*
 * settings.h - what `hiersearch profile` and `hiersearch run` tell the interposer, in the
 * environment of the program.
 */
#ifndef HS_APPLY_SETTINGS_H
#define HS_APPLY_SETTINGS_H

#define HS_PROFILE_FOLDER  "HIERSEARCH_PROFILE_FOLDER"  /* where ranks leave their counts */
#define HS_PROFILE_OUTPUT  "HIERSEARCH_PROFILE_OUTPUT"  /* the file that is made of them */
#define HS_PROFILE_PROGRAM "HIERSEARCH_PROFILE_PROGRAM" /* that makes it: hiersearch itself */
/* Set for that alone, by the job: its ranks have ended, their counts go once the file is made. */
#define HS_PROFILE_ENDED "HIERSEARCH_PROFILE_ENDED"
/* What libhiersearch-nccl.so has for the other interposer: writes what it counted. */
#define HS_NCCL_WRITE "hs_nccl_write"

/* Which process was started, of those that its environment comes to. */
#define HS_PROCESS "HIERSEARCH_PROCESS"

/* Of each process, the same everywhere: what libhiersearch-nccl.so carries out. */
#define HS_RUN_NCCL_PLANS "HIERSEARCH_NCCL_PLANS" /* the text of model/rules.h */

/* Of rank 0, for all; and the same everywhere in front of NCCL. */
#define HS_RUN_PLANS        "HIERSEARCH_PLANS"        /* the text of model/rules.h */
#define HS_RUN_VERIFY       "HIERSEARCH_VERIFY"       /* N: check every Nth call */
#define HS_RUN_VERIFY_BYTES "HIERSEARCH_VERIFY_BYTES" /* of a call of NCCL's, at most: 32 MiB */
#define HS_RUN_NCCL_MEMORY  "HIERSEARCH_NCCL_MEMORY"  /* bytes for reduce-scatters: 64 MiB */
#define HS_RUN_REPRODUCIBLE "HIERSEARCH_REPRODUCIBLE" /* 1: no call is left out to compare */

#endif
