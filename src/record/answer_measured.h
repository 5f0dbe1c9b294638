/*
 * answer_measured.h - the answer about a message size whose candidates were measured.
 */
#ifndef HS_RECORD_ANSWER_MEASURED_H
#define HS_RECORD_ANSWER_MEASURED_H

#include "record/result.h"

/* Answers a message whose candidates were measured and ranked: compares the fastest plan with the
 * library's default call, the first baseline without fault, else with the flat plan. Where a plan's
 * median is m with the 95 % interval [a, b], the logarithm of its time has the standard error
 * log(b / a) / (2 * 1.96); the gain's is that of both. `plan` from a gain of HS_ADVICE_GAIN on
 * whose 90 % range is above 1, `default` below that gain, else `undecided`; also where one of both
 * has too few samples for an interval. Nothing where there is nothing to compare. HS_MEMORY. */
enum hs_status hs_answer_measured(struct hs_result_message *message, const struct hs_result *result,
                                  struct hs_error *err);

#endif
