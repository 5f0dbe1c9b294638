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
#include "links/packing.h"

extern const struct hs_exporter hs_exporter_astra_sim;
extern const struct hs_exporter hs_exporter_colors;
extern const struct hs_exporter hs_exporter_inductor;
extern const struct hs_exporter hs_exporter_jax;
extern const struct hs_exporter hs_exporter_mpich;
extern const struct hs_exporter hs_exporter_msccl;
extern const struct hs_exporter hs_exporter_nccl_env;
extern const struct hs_exporter hs_exporter_nccl_tuner;
extern const struct hs_exporter hs_exporter_ompi_han;
extern const struct hs_exporter hs_exporter_ompi_tuned;
extern const struct hs_exporter hs_exporter_ompi_tuned_json;
extern const struct hs_exporter hs_exporter_pytorch;
extern const struct hs_exporter hs_exporter_rules;
extern const struct hs_exporter hs_exporter_simgrid;
extern const struct hs_exporter hs_exporter_ucc;

/* Whether what it writes changes nothing in a job, and says what calls of all sizes take. */
bool hs_exporter_is_of_times(const struct hs_exporter *exporter);

/* A line of out->notes, without a newline at its end. */
void hs_export_note(struct hs_export_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* hs_export_header for JSON, which has no comments: a member "comment", an array of the lines. */
void hs_export_header_json(struct hs_json_writer *w, const struct hs_export_job *job,
                           const struct hs_exporter *exporter, const char *use);

/* The lines, which it releases, likewise. */
void hs_export_comment_json(struct hs_json_writer *w, struct hs_text *lines);

/* A name on one line, whatever it is. */
void hs_export_name_append(struct hs_text *text, const char *name);

/* "128MiB": the message the job is about. */
char *hs_export_size(char text[HS_UNIT_TEXT], const struct hs_export_job *job);

/* HS_INVALID where the result has no system, which `exporter` describes. */
enum hs_status hs_export_need_system(const struct hs_export_job *job,
                                     const struct hs_exporter *exporter, struct hs_error *err);

/* Where there is no plan for a message: its default call is kept, or nothing is known. HS_INVALID.
 * */
enum hs_status hs_export_fail_unplanned(const struct hs_export_job *job, size_t message,
                                        struct hs_error *err);
/* The plan that is asked for a message: the named one, or the message's best, which may be none. */
const struct hs_plan *hs_export_wanted(const struct hs_export_job *job, size_t message);

/* Leaves a plan only these algorithms, bits 1 << enum hs_algorithm. */
void hs_export_keep_letters(struct hs_plan *plan, unsigned letters);

/* Packs the trees of a stage, which goes by some, on the links of the result's system as NCCL uses
 * them: one way between two GPUs. A note says how much longer that takes than what was planned,
 * where it does. HS_FAILED: the solver gave up. HS_MEMORY. */
enum hs_status hs_export_pack(struct hs_packing *packing, struct hs_export_output *out,
                              const struct hs_export_job *job, struct hs_stage_key key,
                              struct hs_error *err);

/* The library's default call, as without the file: a plan without layers. */
extern const struct hs_plan hs_export_library_call;

/* Measured time of a plan for a message; of one without layers, the fastest of the library's own
 * calls. NaN where it was not measured without fault. */
double hs_export_measured(const struct hs_result_message *message, const struct hs_plan *plan);
/* Whether the plan's 95 % interval ends before that of the other one begins; true where one of them
 * has none. */
bool hs_export_told_apart(const struct hs_result_message *message, const struct hs_plan *plan,
                          const struct hs_plan *slower);
/* Predicted time, by the model where the file has none; NaN where there is neither. */
double hs_export_predicted(const struct hs_result *result, const struct hs_result_message *message,
                           const struct hs_plan *plan);

/* A plan's time over that of the library's default call, which was measured: above 1 the library is
 * faster. A plan that was not measured is set against the message's best plan, by predictions. NaN
 * where that, too, is not known. */
double hs_export_library_gain(const struct hs_export_job *job, size_t message,
                              const struct hs_plan *plan);
/* The fastest of the library's calls that were measured; NULL: none was. */
const struct hs_baseline_result *hs_export_library(const struct hs_result_message *message);

/* The library's default that was to be measured, for which there was no time left, so that nothing
 * says that a plan is faster; NULL: one was measured, or none was to be. */
const struct hs_baseline_result *hs_export_untimed(const struct hs_result_message *message);

/* Bytes that enter a layer of the job's collective where the message has so many: rounded up;
 * UINT64_MAX stays. */
uint64_t hs_export_entering(const struct hs_export_job *job, struct hs_layer layer, uint64_t bytes);

/* From how many bytes on the plan is worth anything: the message's own, which is the smallest that
 * is known, or, if that is less and there is a system, where the plan pays as much for latency as
 * for bandwidth. */
uint64_t hs_export_first_bytes(const struct hs_export_job *job, size_t message,
                               const struct hs_plan *plan);

/* Whether NCCL chose by itself in each layer's communicator, in a prediction or as it was measured:
 * then whatever is forced on it makes it another. */
bool hs_export_is_nccl_native(const struct hs_export_job *job);
/* Whether its calls are NCCL's, or RCCL's in a prediction: those of libhiersearch-nccl.so. */
bool hs_export_is_for_nccl(const struct hs_export_job *job);

/* Message size between those of message i and message i + 1 (sizes ascend) from which on the plan
 * `above` is to run in place of `below`, in bytes: where their times cross, by linear interpolation
 * of the measured times where both are measured at both sizes, else by the cost model; else the
 * geometric mean of the sizes, and `guessed` is true. A plan without layers is the library's own
 * call. */
double hs_export_cross(const struct hs_export_job *job, size_t message, const struct hs_plan *below,
                       const struct hs_plan *above, bool *guessed);

#endif
