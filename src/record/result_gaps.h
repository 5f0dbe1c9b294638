/*
 * result_gaps.h - what the predictions of a result extrapolate (estimate/gaps.h).
 */
#ifndef HS_RESULT_RESULT_GAPS_H
#define HS_RESULT_RESULT_GAPS_H

#include "estimate/gaps.h"
#include "record/result.h"

/* Adds all candidates of the message that have the cost of their layers. */
void hs_result_gaps_add(struct hs_gaps *gaps, const struct hs_result *result,
                        const struct hs_result_message *message);
/* Appends "* prediction extrapolated: ..." and a newline for one message; nothing where there are
 * no gaps. */
void hs_result_gaps_append(struct hs_text *out, const struct hs_result *result,
                           const struct hs_result_message *message);

#endif
