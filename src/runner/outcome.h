/*
 * outcome.h - what a campaign leaves behind, at its end and when it is cut short: the result or the
 * machine, the report, and the words to the user. Rank 0.
 */
#ifndef HS_RUNNER_OUTCOME_H
#define HS_RUNNER_OUTCOME_H

#include "base/error.h"
#include "runner/campaign.h"

/* The end of a campaign that came to `status`: the file on disk, the report on stdout, the journal
 * removed where nothing is left to try again. Where it failed (err has its message), what was
 * measured before is written, as partial, and the status and message stay, with why that could not
 * be written either. Takes the lock, and tells the guard that all is written. HS_WRONG: a
 * candidate's data was wrong; HS_FAILED: no candidate can be used, or no fit; HS_INVALID: too few
 * points; HS_IO: the file cannot be written, the old one and the journal are as they were. */
enum hs_status hs_outcome_save(struct hs_campaign *campaign, enum hs_status status,
                               struct hs_error *err);

/* The guard's on_end: context is the campaign. Notes the time-out in what it hit, writes journal
 * and what was measured, and says so in one line. */
void hs_outcome_cut_short(void *context, const struct hs_guard_end *end);

#endif
