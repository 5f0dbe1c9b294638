/*
 * exporters.h - the rows of the exporters' table, and what the exporters share. Internal to
 * src/export.
 *
 * A new format is a file NAME.c that defines hs_exporter_NAME (with '_' for '-'), a line here, and
 * a place in hs_exporters (export.c).
 */
#ifndef HS_EXPORT_EXPORTERS_H
#define HS_EXPORT_EXPORTERS_H

#include "base/json_write.h"
#include "base/units.h"
#include "export/export.h"

extern const struct hs_exporter hs_exporter_astra_sim;
extern const struct hs_exporter hs_exporter_colours;
extern const struct hs_exporter hs_exporter_hiccl;
extern const struct hs_exporter hs_exporter_horovod;
extern const struct hs_exporter hs_exporter_jax;
extern const struct hs_exporter hs_exporter_mpich;
extern const struct hs_exporter hs_exporter_msccl;
extern const struct hs_exporter hs_exporter_nccl_env;
extern const struct hs_exporter hs_exporter_nccl_tuner;
extern const struct hs_exporter hs_exporter_ompi_han;
extern const struct hs_exporter hs_exporter_ompi_tuned;
extern const struct hs_exporter hs_exporter_ompi_tuned_json;
extern const struct hs_exporter hs_exporter_pytorch;
extern const struct hs_exporter hs_exporter_simgrid;
extern const struct hs_exporter hs_exporter_ucc;

/* A line of out->notes, without a newline at its end. */
void hs_export_note(struct hs_export_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* hs_export_header for JSON, which has no comments: a member "comment", an array of the lines. */
void hs_export_header_json(struct hs_json_writer *w, const struct hs_export_job *job,
                           const struct hs_exporter *exporter, const char *use);

/* "128MiB": the message the job is about. */
char *hs_export_size(char text[HS_UNIT_TEXT], const struct hs_export_job *job);

/* HS_INVALID where the result has no system, which `exporter` describes. */
enum hs_status hs_export_need_system(const struct hs_export_job *job,
                                     const struct hs_exporter *exporter, struct hs_error *err);

/* Any two plans in place of the best ones: hs_export_crossover for targets that cannot express
 * those. */
double hs_export_cross(const struct hs_export_job *job, size_t message, const struct hs_plan *below,
                       const struct hs_plan *above, bool *guessed);

#endif
