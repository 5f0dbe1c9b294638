/*
 * report.h - the result of a session, whole or cut short, and its tables.
 */
#ifndef HS_MEASURE_REPORT_H
#define HS_MEASURE_REPORT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "record/result.h"
#include "runner/session.h"
#include "show/sheet.h"

/* Fills a result from what the session has so far; message sizes not begun are left out. `note` may
 * be NULL. The caller releases it, also on failure. HS_MEMORY; no usable candidate is no failure
 * here. */
enum hs_status hs_report_build(struct hs_result *result, const struct hs_session *session,
                               bool complete, const char *note, struct hs_error *err);

/* What measuring layers said, in a line or two; `message` has a certificate. */
void hs_report_certificate(struct hs_sheet *sheet, const struct hs_result *result,
                           const struct hs_result_message *message);

/* Per message size: a table of candidates and baselines, and the answer in one line; as JSON the
 * result file. `result` was built from the session; the column "layers %" (sum of the layers over
 * the whole, in the same runs) needs both. HS_MEMORY. */
enum hs_status hs_report_print(struct hs_text *out, const struct hs_session *session,
                               const struct hs_result *result, const struct hs_terminal *terminal,
                               struct hs_error *err);

#endif
