/*
 * cases.h - which measurement is compared with which prediction. Internal to compare.
 */
#ifndef HS_COMPARE_CASES_H
#define HS_COMPARE_CASES_H

#include "answer/compare.h"

/* Whether the file has a measurement to compare with, of `bytes` or (0) of any size. */
bool hs_compare_has_measured(const struct hs_named_result *input, uint64_t bytes);
/* The candidate was measured: status ok, a time above 0. */
bool hs_compare_is_measured(const struct hs_candidate *candidate);
/* Same figures, names and sources; false where one is NULL. */
bool hs_compare_same_system(const struct hs_system *a, const struct hs_system *b);
/* The machine that a file names, or NULL. */
const struct hs_system *hs_compare_system_of(const struct hs_result *result);

/* Fills out->cases, scored. With no case at all: HS_OK and no cases. */
enum hs_status hs_compare_find_cases(struct hs_comparison *out, const struct hs_compare_job *job,
                                     struct hs_error *err);
/* Why the input is in no case: one clause, without the input's name. */
void hs_compare_say_why(char *why, size_t bytes, const struct hs_compare_job *job,
                        const struct hs_named_result *input);
/* Fills out->logs, and what they say together. HS_INVALID: there are logs, and nothing meets them.
 */
enum hs_status hs_compare_take_logs(struct hs_comparison *out, const struct hs_compare_job *job,
                                    struct hs_error *err);
/* Fills out->growths from the cases. */
enum hs_status hs_compare_find_growths(struct hs_comparison *out, struct hs_error *err);
/* Fills out->summary from cases and growths. */
void hs_compare_summarise(struct hs_comparison *out);

#endif
