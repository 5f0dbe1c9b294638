/*
 * settings.h - what `hiersearch profile` tells the interposer, in the environment of the program.
 */
#ifndef HS_APPLY_SETTINGS_H
#define HS_APPLY_SETTINGS_H

#define HS_PROFILE_FOLDER  "HIERSEARCH_PROFILE_FOLDER"  /* where ranks leave their counts */
#define HS_PROFILE_OUTPUT  "HIERSEARCH_PROFILE_OUTPUT"  /* the file that is made of them */
#define HS_PROFILE_PROGRAM "HIERSEARCH_PROFILE_PROGRAM" /* that makes it: hiersearch itself */

#endif
