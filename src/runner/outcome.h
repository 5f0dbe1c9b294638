/*
 * outcome.h - what a session leaves behind, at its end and when it is cut short: journal lines, the
 * result file, and the words to the user. Rank 0, with the guard's lock held unless said.
 */
#ifndef HS_MEASURE_OUTCOME_H
#define HS_MEASURE_OUTCOME_H

#include "base/error.h"
#include "runner/session.h"

/* Writes what the journal does not have yet and syncs it: of one contestant of one size, or of all.
 * A disk that refuses is noted once; the run goes on. */
void hs_outcome_journal_one(struct hs_session *session, const struct hs_bout *bout,
                            struct hs_contestant *item);
void hs_outcome_journal(struct hs_session *session);

/* The end of a whole run: the result on disk, tables on stdout, the journal removed where nothing
 * is left to try again. Takes the lock, and tells the guard that all is written. HS_WRONG: a
 * candidate's data was wrong; HS_FAILED: no candidate can be used; HS_IO: the result cannot be
 * written, the old file and the journal are as they were. */
enum hs_status hs_outcome_save(struct hs_session *session, struct hs_error *err);

/* The end of a run that failed: what was measured before is written as a partial result. Returns
 * the status it was given; err has its message, to which is added why the result could not be
 * written either. */
enum hs_status hs_outcome_failed(struct hs_session *session, enum hs_status status,
                                 struct hs_error *err);

/* The guard's on_end: context is the session. Notes the time-out in the contestant it hit, writes
 * journal and partial result, and says so in one line. */
void hs_outcome_cut_short(void *context, const struct hs_guard_end *end);

#endif
