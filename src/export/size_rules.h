/*
 * size_rules.h - a result over several message sizes as rules: from how many bytes on which plan.
 * Internal to src/export.
 *
 * A rule begins where its plan and the one before take equally long (hs_export_cross) and ends
 * where the next one begins. The first begins at 0, the last has no end.
 *
 * The plan of a rule may be the library's default (hs_export_library_call): for messages for which
 * that was measured faster, and for small ones, up to the smallest message of the result or, if
 * that is less and there is a system, to where the first plan pays as much for latency as for
 * bandwidth; and, where the job says what is called, for sizes that are not.
 */
#ifndef HS_EXPORT_SIZE_RULES_H
#define HS_EXPORT_SIZE_RULES_H

#include "export/approximate.h"

/* {0} is empty. */
struct hs_export_rules {
    struct hs_export_rule *rules; /* [count], owned, ascending; plans of neighbours differ */
    size_t count;
};

/* One rule per message of the result, neighbours of the same plan joined, and one for small
 * messages; a job with a plan has that plan for all others. `choose` is hs_export_choose_any or
 * _node. HS_INVALID, HS_MEMORY; *rules is {0} then. */
enum hs_status hs_export_rules_make(struct hs_export_rules *rules, const struct hs_export_job *job,
                                    enum hs_status (*choose)(struct hs_plan *plan, double *cost,
                                                             const struct hs_export_job *job,
                                                             size_t message, struct hs_error *err),
                                    struct hs_error *err);
void hs_export_rules_release(struct hs_export_rules *rules);

/* Comments and notes: where rules begin, plans that stand in for others, chunks that are lost,
 * boundaries that are guessed. */
void hs_export_rules_say(const struct hs_export_rules *rules, struct hs_export_output *out,
                         struct hs_text *text, const struct hs_export_job *job,
                         const struct hs_exporter *exporter);

#endif
