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

#include "export/exporters.h"

/* Ranks of one node: as measured, where the placement is even; where nothing was measured, one unit
 * of the system's first level; 0 where neither is known. *measured (may be NULL) says which. At
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

/* hs_export_header with "# ", for targets that read lines into a fixed buffer: a long line (a long
 * file name) is cut and ends in "...". */
void hs_export_header_lines(struct hs_text *text, const struct hs_export_job *job,
                            const struct hs_exporter *exporter, const char *use);

/* The same line as a comment ("# ") in the file and as a note for stderr. */
void hs_export_say(struct hs_export_output *out, struct hs_text *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says which plan stands in for which, and its cost; says nothing where the plan is the wanted one.
 */
void hs_export_say_replaced(struct hs_export_output *out, struct hs_text *text,
                            const struct hs_exporter *exporter, const struct hs_plan *wanted,
                            const struct hs_plan *plan, double cost, const char *size);

/* Says which node size was taken for granted: nothing where it was measured. */
void hs_export_say_node(struct hs_export_output *out, struct hs_text *text,
                        const struct hs_export_job *job);

/* A note where the library's own AllReduce was measured faster than the exported plan. */
void hs_export_note_baseline(struct hs_export_output *out, const struct hs_export_job *job);

/* A file for a target with the node as its inner layer, begun: header, which plan stands in for
 * which, and the node size. *plan is the one to write. What hs_export_choose_node fails with,
 * HS_MEMORY. */
enum hs_status hs_export_begin_node(struct hs_text **text, struct hs_plan *plan,
                                    struct hs_export_output *out, const struct hs_export_job *job,
                                    const struct hs_exporter *exporter, const char *name,
                                    const char *use, struct hs_error *err);

#endif
