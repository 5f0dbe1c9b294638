/*
 * log_fit.h - the constants of a library's price on one machine, fitted to times of its own calls.
 *
 * What is known of the machine is the prior: its own constants, else those that ship, each with the
 * width by which machines differ (library/constants.h), so a log of two nodes moves what it says
 * something of and leaves the rest. Written into the system are those whose posterior is narrower
 * than HS_CONSTANT_LEARNED of that width.
 */
#ifndef HS_RESULT_LOG_FIT_H
#define HS_RESULT_LOG_FIT_H

#include "record/log_calls.h"

/* Replaces or adds to the system's constants, which the calls were made for. *before, *after:
 * exp(mean |ln(price / seconds)|) - 1 of these calls. HS_INVALID: none of them has a price;
 * HS_MEMORY. */
enum hs_status hs_calls_fit(struct hs_system *system, const struct hs_call_list *list,
                            double *before, double *after, struct hs_error *err);

#endif
