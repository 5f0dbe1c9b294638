/*
 * calibrate_report.h - what a calibration leaves behind: the system file, tables, and words to the
 * user. Rank 0, with the guard's lock held.
 */
#ifndef HS_MEASURE_CALIBRATE_REPORT_H
#define HS_MEASURE_CALIBRATE_REPORT_H

#include "base/error.h"
#include "base/text.h"
#include "runner/calibrate.h"

/* Fits the points, names the system and writes the file. `partial`: why the run was cut short,
 * NULL: it was not. Notes for people, a line each, are appended to `notes`. On failure the old file
 * is as it was. */
enum hs_status hs_calibrate_write(struct hs_calibrate_run *run, const char *partial,
                                  struct hs_text *notes, struct hs_error *err);

/* ", 4 groups of 4 over dp of tp=4,dp=4, reduce-scatter in-place"; of all ranks' AllReduces "". */
void hs_calibrate_calls_append(struct hs_text *out, const struct hs_calibrate_run *run);

/* Fits by level and size, launch cost, and what it took. HS_MEMORY. */
enum hs_status hs_calibrate_print(struct hs_text *out, const struct hs_calibrate_run *run,
                                  struct hs_error *err);

#endif
