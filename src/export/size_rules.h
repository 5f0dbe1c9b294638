/*
 * size_rules.h - a result over several message sizes as rules: from how many bytes on which plan.
 * Internal to src/export.
 *
 * A rule begins where its plan and the one before take equally long (hs_export_crossover) and ends
 * where the next one begins. The last has no end. The first begins at the smallest message of the
 * result or, if that is less and there is a system, where its plan pays as much for latency as for
 * bandwidth: below, a library's own choice for small messages is better than rings.
 */
#ifndef HS_EXPORT_SIZE_RULES_H
#define HS_EXPORT_SIZE_RULES_H

#include "export/approximate.h"

struct hs_export_rule {
    struct hs_plan plan; /* one chunk */
    /* the best plan that it stands for, of the message where it costs most */
    struct hs_plan wanted;
    size_t message;       /* and that message */
    double cost;          /* time of plan over wanted there; NaN: not known */
    uint64_t first_bytes; /* of the message, per process */
    uint64_t end_bytes;   /* first_bytes of the next; UINT64_MAX: no end */
    bool guessed;         /* first_bytes is a geometric mean: nothing better is known */
};

/* {0} is empty. */
struct hs_export_rules {
    struct hs_export_rule *rules; /* [count], owned, ascending, plans of neighbours differ */
    size_t count;
};

/* One rule per message of the result, neighbours of the same plan joined; a job with a plan has one
 * rule. `choose` is hs_export_choose_any or _node. HS_INVALID, HS_MEMORY; *rules is {0} then. */
enum hs_status hs_export_rules_make(struct hs_export_rules *rules, const struct hs_export_job *job,
                                    enum hs_status (*choose)(struct hs_plan *plan, double *cost,
                                                             const struct hs_export_job *job,
                                                             size_t message, struct hs_error *err),
                                    struct hs_error *err);
void hs_export_rules_release(struct hs_export_rules *rules);

/* Comments and notes: plans that stand in for others, chunks that are lost, boundaries that are
 * guessed. */
void hs_export_rules_say(const struct hs_export_rules *rules, struct hs_export_output *out,
                         struct hs_text *text, const struct hs_export_job *job,
                         const struct hs_exporter *exporter);

#endif
