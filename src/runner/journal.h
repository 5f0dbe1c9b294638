/*
 * journal.h - what a run has measured so far, on disk line by line, so that --resume goes on from
 * there.
 *
 * A file of JSON lines. The first says which run it is:
 *
 *     {"format":"hiersearch.journal/2","run":{"np":"16","backend":"host",...}}
 *
 * each other adds to one arm of one message size what is new since its last line:
 *
 *     {"bytes":67108864,"name":"4x4","ended":"open","status":"ok","samples":[0.0123,0.0121]}
 *     {"bytes":67108864,"name":"4x4","ended":"precision","status":"ok","samples":[0.0122]}
 *
 * or keeps the time of one phase of a layer, which a lazy search has measured for a message size:
 *
 *     {"bytes":67108864,"name":"layer","stride":4,"size":4,"phase":"reduce-scatter","entering":...,
 *      "seconds":0.0031,"noise":0.004,"rough":false}
 *
 * or that a layer could not be measured:
 *
 *     {"bytes":67108864,"name":"layer","stride":4,"size":4,"failed":"took more than 60 s"}
 *
 * A calibration's lines are of layers only, with what enters in "bytes" too, and with samples:
 *
 *     {"bytes":16777216,"name":"layer","stride":4,"size":4,"phase":"allgather","entering":16777216,
 *      "seconds":0.0031,"noise":0.004,"rough":false,"samples":[0.0031,0.0032,0.003]}
 *
 * Lines are written whole, in order. A kill can tear the last one only: a line without its newline
 * is ignored, and cut off when the run resumes. Rank 0 alone touches the file.
 */
#ifndef HS_RUNNER_JOURNAL_H
#define HS_RUNNER_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/fields.h"
#include "runner/race.h"
#include "system/fit.h"

#define HS_JOURNAL_FORMAT     "hiersearch.journal/2"
#define HS_JOURNAL_LAYER      "layer"      /* the name in lines of layers: no plan is called so */
#define HS_JOURNAL_COLLECTIVE "collective" /* a fact of a run: "reduce-scatter natural" */

/* What must be the same for a run to go on from another's: facts such as "np" and "16". */
struct hs_journal_run {
    struct hs_fact *facts; /* owned; hs_fields_release(&hs_journal_run_fields, run) */
    size_t count;
};
extern const struct hs_fields hs_journal_run_fields; /* a journal's first line */

/* {0} is no journal: writing to it does nothing. */
struct hs_journal {
    char *path;  /* owned */
    int fd;      /* only where path is set; locked (base/file.h) */
    char *aside; /* where the journal that was there is now; owned, or NULL */
    char *old; /* text of an earlier session, NUL-terminated, complete lines only; owned, or NULL */
    size_t old_length;
    size_t lost_lines; /* of these: blank now, because they held bytes that were never written */
    uint64_t length;   /* bytes of the file that are whole lines */
    bool unsynced;     /* written since the last sync */
    bool broken;       /* a write failed: it is said once, nothing more is written */
};

/* Begins a journal. One that is there with more than its first line holds what somebody has
 * measured: it is renamed to PATH.1 (.2, ... where that is taken), see `aside`. No file is changed
 * that does not begin as a journal, is the `output` (unless NULL), or is in use by another run:
 * HS_INVALID. HS_IO where it cannot be written, HS_MEMORY. */
enum hs_status hs_journal_create(struct hs_journal *journal, const char *path, const char *output,
                                 const struct hs_journal_run *run, struct hs_error *err);
/* Goes on with the journal at `path`; begins one where there is none, or none with a whole first
 * line. HS_INVALID: it is of another run (says what differs), or as above. */
enum hs_status hs_journal_resume(struct hs_journal *journal, const char *path, const char *output,
                                 const struct hs_journal_run *run, struct hs_error *err);

/* Cuts journal->old (old_length bytes) after its last whole line. A machine that stops can leave
 * zeros where a line was to be: such lines are blanked, counted in lost_lines, and gone past. */
void hs_journal_mend(struct hs_journal *journal);
/* Gives the arms what the earlier session measured for this message size; lines of other
 * sizes and of arms that are not there are passed over. With `retry`, time-outs and failures
 * are forgotten, so these run again. HS_INVALID with the line number for a line that is wrong,
 * HS_MEMORY. */
enum hs_status hs_journal_restore(const struct hs_journal *journal, struct hs_race *race,
                                  uint64_t message_bytes, bool retry, struct hs_error *err);

/* Whether a line would say something new: samples, layer times or an ending not written yet. */
bool hs_journal_wants(const struct hs_arm *item);
/* Writes that line; hs_journal_sync brings what was written to the disk (a killed program loses
 * nothing without it, a machine that stops does). When the disk refuses, the line is taken back,
 * `broken` is set and this fails with HS_IO once; afterwards it does nothing. */
enum hs_status hs_journal_write(struct hs_journal *journal, uint64_t message_bytes,
                                struct hs_arm *item, struct hs_error *err);
enum hs_status hs_journal_sync(struct hs_journal *journal, struct hs_error *err);

/* The time of one phase of a layer, precise or a rough look (search/lazy_planner.h); or that there
 * is none: then the point has a layer only. */
struct hs_journal_layer {
    struct hs_fit_point point;
    bool rough;
    const char *failed;        /* why; NULL: it did not. Not owned; after reading just not NULL */
    struct hs_samples samples; /* of a calibration; else empty. After reading owned */
};

/* Writes it; as hs_journal_write. */
enum hs_status hs_journal_write_layer(struct hs_journal *journal, uint64_t message_bytes,
                                      const struct hs_journal_layer *layer, struct hs_error *err);
/* The times that the earlier session kept for layers at this message size (0: at all), of np
 * processes. *layers is owned by the caller. HS_INVALID with the line number, HS_MEMORY. */
enum hs_status hs_journal_layers(struct hs_journal_layer **layers, size_t *count,
                                 const struct hs_journal *journal, uint64_t message_bytes,
                                 int64_t np, struct hs_error *err);

void hs_journal_layers_release(struct hs_journal_layer *layers, size_t count);

/* Closes the file, and removes it where `remove_file`. */
void hs_journal_close(struct hs_journal *journal, bool remove_file);

#endif
