/*
 * doubt.h - why the winner of a message size, as it was measured, is not certain.
 */
#ifndef HS_RESULT_DOUBT_H
#define HS_RESULT_DOUBT_H

#include "base/text.h"
#include "record/result.h"

/* Samples from which a median has a 95 % interval. */
#define HS_DOUBT_SAMPLES 6

/* What its layers say against the winner: nothing without a certificate, or where that is certain.
 */
void hs_doubt_layers_append(struct hs_text *out, const struct hs_result_message *message);
/* Both, separated by a comma. */
void hs_doubt_all_append(struct hs_text *out, const struct hs_result *result,
                         const struct hs_result_message *message);

#endif
