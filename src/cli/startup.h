/*
 * startup.h - what every main of ours does first and last.
 */
#ifndef HS_CONSOLE_STARTUP_H
#define HS_CONSOLE_STARTUP_H

#include "base/error.h"
#include "base/text.h"

/* Opens stand-ins for those of the files 0, 1 and 2 that the caller had closed, so that a file that
 * we open does not become number 1. Reading or writing the stand-ins fails. Ends the process
 * where even that is impossible. A write beyond the limit on the size of files fails from now on,
 * and ends nobody (SIGXFSZ). */
void hs_standard_files_keep(void);

/* Writes all of the text to stdout, or says why not. HS_IO, HS_MEMORY. */
enum hs_status hs_stdout_write(const struct hs_text *text, struct hs_error *err);

#endif
