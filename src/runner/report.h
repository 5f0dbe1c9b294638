/*
 * report.h - what a campaign has measured, whole or cut short: the result, or the machine that a
 * calibration fits; their files, and what people read. Rank 0, with the guard's lock held.
 */
#ifndef HS_RUNNER_REPORT_H
#define HS_RUNNER_REPORT_H

#include "base/error.h"
#include "base/text.h"
#include "record/result.h"
#include "runner/campaign.h"
#include "show/sheet.h"

struct hs_report {
    struct hs_result result; /* {0} of a calibration, whose campaign->system it becomes */
    struct hs_text notes;    /* for people, a line each */
};

/* Fills a {0} from what was measured so far; message sizes not begun are left out. `why`: what cut
 * the campaign short, NULL: nothing. The caller releases it, also on failure. HS_MEMORY; of a
 * calibration HS_INVALID: too few points, HS_FAILED: no fit. No usable candidate is no failure
 * here. */
enum hs_status hs_report_fill(struct hs_report *report, struct hs_campaign *campaign,
                              const char *why, struct hs_error *err);
/* Writes the file --output; on failure the old one is as it was. HS_IO, HS_MEMORY. */
enum hs_status hs_report_save(const struct hs_report *report, const struct hs_campaign *campaign,
                              struct hs_error *err);
/* The verdict, a table and what follows from them: at most 14 lines; with --details all; as JSON
 * the result file, or the fits. HS_MEMORY. */
enum hs_status hs_report_print(struct hs_text *out, const struct hs_report *report,
                               const struct hs_campaign *campaign,
                               const struct hs_terminal *terminal, struct hs_error *err);
void hs_report_release(struct hs_report *report);

/* report_system.c: fits the points of a calibration to campaign->system, and names it. */
enum hs_status hs_report_fit(struct hs_campaign *campaign, const char *why, struct hs_text *notes,
                             struct hs_error *err);
/* ", 4 groups of 4 over dp of tp=4,dp=4, reduce-scatter natural"; of all ranks' AllReduces "". */
void hs_report_calls_append(struct hs_text *out, const struct hs_campaign *campaign);

#endif
