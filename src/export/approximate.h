/*
 * approximate.h - what a target with fewer layers gets instead of the plan, and what that costs.
 * Internal to src/export.
 *
 * Many libraries have two layers, and one of them is the node: everything in a node, then
 * everything between nodes. Such a target can express the flat split and `ranks per node x the
 * rest`; these functions choose between them and say, in the file and to the user, what that costs
 * against the best plan.
 */
#ifndef HS_EXPORT_APPROXIMATE_H
#define HS_EXPORT_APPROXIMATE_H

#include "export/export.h"

/* Ranks of one node: as measured, where the placement is even; where nothing was measured,
 * hs_system_node_ranks; 0 where neither is known. *measured (may be NULL) says which. At
 * most np. */
int64_t hs_export_node_ranks(const struct hs_result *result, bool *measured);

/* Time of one plan over that of another for a message: measured where both are, else predicted; NaN
 * where neither is known. */
double hs_export_time_ratio(const struct hs_export_job *job, size_t message,
                            const struct hs_plan *plan, const struct hs_plan *over);

/* What a target for layers of any number and sizes gets: the plan itself, without chunks. A
 * function of this type chooses a plan for a message; *cost is its time over the best plan's, NaN
 * where it is not known. */
enum hs_status hs_export_choose_any(struct hs_plan *plan, double *cost,
                                    const struct hs_export_job *job, size_t message,
                                    struct hs_error *err);
/* What a target with the node as its inner layer gets: the best plan of two layers
 * (hs_export_best_within) if that is one of the node and the rest, else the faster of the flat
 * split and ranks per node x the rest. */
enum hs_status hs_export_choose_node(struct hs_plan *plan, double *cost,
                                     const struct hs_export_job *job, size_t message,
                                     struct hs_error *err);

/* What runs for which messages. */
struct hs_export_rule {
    struct hs_plan plan; /* no layers: the library's default call, as without the file */
    /* the plan that it stands for, of the message where it costs most */
    struct hs_plan wanted;
    size_t message;       /* and that message */
    double cost;          /* time of plan over wanted there; NaN: not known */
    uint64_t first_bytes; /* of the message, per process */
    uint64_t end_bytes;   /* first_bytes of the next; UINT64_MAX: no end */
    bool guessed;         /* first_bytes is a geometric mean: nothing better is known */
};

/* Makes the rule's plan the library's default if that was measured faster for the rule's message,
 * or was to be measured and was not, unless the job names a plan: who names one gets it. */
void hs_export_leave_alone(struct hs_export_rule *rule, const struct hs_export_job *job);

/* hs_export_header with "# ", for targets that read lines into a fixed buffer: a long line (a long
 * file name) is cut and ends in "...". */
void hs_export_header_lines(struct hs_text *text, const struct hs_export_job *job,
                            const struct hs_exporter *exporter, const char *use);

/* Lines behind a prefix, of which long ones are cut likewise. */
void hs_export_comment_lines(struct hs_text *text, const struct hs_text *whole, const char *prefix);

/* The same line as a comment ("# ") in the file and as a note for stderr. */
void hs_export_say(struct hs_export_output *out, struct hs_text *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says which plan stands in for which, and its cost, or that nothing does and the library is left
 * alone; nothing where the rule's plan is the wanted one. */
void hs_export_say_replaced(struct hs_export_output *out, struct hs_text *text,
                            const struct hs_exporter *exporter, const struct hs_export_job *job,
                            const struct hs_export_rule *rule);

/* Says which node size was taken for granted: nothing where it was measured. */
void hs_export_say_node(struct hs_export_output *out, struct hs_text *text,
                        const struct hs_export_job *job);

#endif
