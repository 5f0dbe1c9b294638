/*
 * export.h - a result as configuration that another library accepts: one const struct per target
 * format.
 *
 * An exporter turns one plan (or, for targets with tables by message size, all messages of a
 * result) into one or more files of text. It never drops a layer silently: a target with fewer
 * layers than the plan gets the best plan it can express, and says what that costs, in the file and
 * in a note for stderr.
 *
 * Who applies an export must never be worse off than without it. Where the library's default was
 * measured faster than the plan, file and stderr say so (hs_export_advice_append), and a format
 * that can leave the library alone there does, unless the caller named the plan. One that cannot,
 * and would do harm, is refused.
 *
 * Every file starts with a comment in the target's syntax (hs_export_header): made by which version
 * from which result, for which versions of the library, and how to use it, command line or
 * environment included.
 */
#ifndef HS_EXPORT_EXPORT_H
#define HS_EXPORT_EXPORT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/json_write.h"
#include "base/text.h"
#include "base/units.h"
#include "links/packing.h"
#include "record/profile_call.h"

/* What the caller wants exported. */
struct hs_export_job {
    const struct hs_result *result;
    const char *result_name;    /* the file's name, for the header */
    const char *made_by;        /* "hiersearch 0.1.0 (git describe)" */
    size_t message;             /* index of the message exporters without tables use */
    const struct hs_plan *plan; /* the plan to export; NULL: the message's best */
    /* what a job calls of it: sizes that it does not are the library's own; NULL: not known */
    const struct hs_profile_load *called;
    /* set by hs_export: the plan without its chunks or its algorithms, for formats that have none;
     * else NULL */
    const struct hs_plan *stand_in;
    unsigned letters; /* set by hs_export: the algorithms that the format has */
};

struct hs_export_file {
    char *name; /* owned; file name within the output directory, e.g. "platform.xml" */
    struct hs_text text;
    bool binary; /* no text: its bytes stay as they are */
};

/* What an exporter made. {0} is empty. */
struct hs_export_output {
    struct hs_export_file *files; /* [count], owned; one file is the rule */
    size_t count;
    struct hs_text lost; /* stands for files that there was no memory for */
    /* lines for stderr: what was approximated and what it costs; may be empty */
    struct hs_text notes;
};

/* A collective whose blocks lie in this order (collective.h), as a bit. */
#define HS_EXPORT_OF(collective, order)                                                            \
    (1U << (HS_COLLECTIVE_##collective * HS_LAYOUT_COUNT + HS_##order))
/* Both, as the library's calls define them; and in either order, for what makes the calls of
 * each layer itself. */
#define HS_EXPORT_NATURAL (HS_EXPORT_OF(REDUCE_SCATTER, NATURAL) | HS_EXPORT_OF(ALLGATHER, NATURAL))
#define HS_EXPORT_BY_LAYERS                                                                        \
    (HS_EXPORT_NATURAL | HS_EXPORT_OF(REDUCE_SCATTER, REVERSED) | HS_EXPORT_OF(ALLGATHER, REVERSED))
/* The other order that leaves rank r block r, for what runs our engine. */
#define HS_EXPORT_BY_COPIES (HS_EXPORT_OF(REDUCE_SCATTER, PACKED) | HS_EXPORT_OF(ALLGATHER, PACKED))
#define HS_EXPORT_MACHINE   UINT_MAX /* it is of the machine, whatever the result is about */

/* For whom a format's files hold in a job, and so what they can say of a result about groups of a
 * mesh, whose plan counts the ranks of one group: */
enum hs_export_groups {
    HS_GROUPS_NONE,    /* for the whole job: nothing */
    HS_GROUPS_CALLED,  /* for the calls that a program makes by them: in its own group */
    HS_GROUPS_BY_SIZE, /* for every communicator as large as a group, wherever its ranks lie */
    HS_GROUPS_BY_LAYER /* for every one as large as a layer of the plan, wherever its ranks lie */
};

/* The algorithms that go by trees on single links, and all others. */
#define HS_EXPORT_TREES   (1U << HS_FOREST | 1U << HS_GROUPS)
#define HS_EXPORT_LETTERS (((1U << HS_ALGORITHM_COUNT) - 1) & ~HS_EXPORT_TREES)

struct hs_exporter {
    const char *name;     /* as typed behind --to */
    const char *library;  /* "NCCL" */
    const char *versions; /* "2.19 and later" */
    const char *summary;  /* one line for --list */
    const char *affects;  /* what in a job it changes, for the header; NULL: it is for no job, and
                           * with `sizes` of nothing but their times */
    int layers;           /* layers it can express; 0 = any number */
    bool exact;           /* the plan as it is, or the nearest thing (said in a note) */
    /* whether it can express chunks; if not, a plan with chunks is exported as its split, and a
     * note says so */
    bool chunks;
    /* algorithms of a plan's layers that what it exports to carries out, bits 1 << enum
     * hs_algorithm; others are left out, and a note says so; of trees on single links a plan is
     * refused where it has algorithms and none of these */
    unsigned letters;
    bool rings;  /* where not: its layers are rings then; else what its library has for them */
    bool sizes;  /* its files cover all message sizes of the result; else only job->message */
    bool ranged; /* they say for which sizes they are used, so the header need not */
    /* what besides AllReduces it can say, HS_EXPORT_OF of each; all else is refused */
    unsigned also;
    enum hs_export_groups groups; /* of a format that is of the machine: nothing */
    enum hs_status (*write)(struct hs_export_output *out, const struct hs_export_job *job,
                            struct hs_error *err);
};

/* Each is defined in the file of its name, as hs_exporter_NAME ('_' for '-'); sorted by name. */
#define HS_EXPORTERS(row)                                                                          \
    row(astra_sim) row(colors) row(inductor) row(jax) row(mpich) row(msccl) row(nccl_env)          \
        row(nccl_tuner) row(ompi_han) row(ompi_tuned) row(ompi_tuned_json) row(pytorch) row(rules) \
            row(simgrid) row(ucc)
#define HS_ROW(name) extern const struct hs_exporter hs_exporter_##name;
HS_EXPORTERS(HS_ROW)
#undef HS_ROW
/* The table; ends with a NULL. */
extern const struct hs_exporter *const hs_exporters[];
/* HS_INVALID with the nearest name. */
enum hs_status hs_exporter_find(const struct hs_exporter **out, const char *name,
                                struct hs_error *err);

/* Whether several results are one file of its format: of rules one behind the other, of what tunes
 * the library's calls (hs_export_own) all at once. */
bool hs_exporter_takes_several(const struct hs_exporter *exporter);
/* Whether it can say what the result is about: its collective, and its groups. */
bool hs_exporter_can_export(const struct hs_exporter *exporter, const struct hs_result *result);
/* Whether what it writes changes nothing in a job, and says what calls of all sizes take. */
bool hs_exporter_is_of_times(const struct hs_exporter *exporter);
/* Whether that is of any use: the tuner's is not, where times are those of NCCL's own choice. */
bool hs_exporter_is_of_use(const struct hs_exporter *exporter, const struct hs_result *result);
/* "reduce-scatter natural, allgather": what besides AllReduces it can say; "any collective" where
 * it is of the machine, "-" where there is nothing. */
void hs_exporter_also_append(struct hs_text *text, const struct hs_exporter *exporter);

/* Runs the exporter. HS_INVALID with what to do instead: a result without a best plan, of one
 * process, of a collective or of groups that the format cannot say, or with message sizes that do
 * not ascend; a plan that is not of a group's processes or has what the collective has not; or
 * whatever the format cannot express. *out is {0} then. */
enum hs_status hs_export(struct hs_export_output *out, const struct hs_exporter *exporter,
                         const struct hs_export_job *job, struct hs_error *err);
void hs_export_output_release(struct hs_export_output *output);

/* Whether it is a format of rules for a library's calls. */
bool hs_export_has_own(const struct hs_exporter *exporter);
/* Whether the result has times of algorithms of the library that the format tunes. */
bool hs_export_is_own(const struct hs_exporter *exporter, const struct hs_result *result);
/* What of those algorithms is to run, of all results together, each of which is_own. HS_INVALID:
 * two are about the same calls, or nothing is faster than the library's own choice; HS_MEMORY. *out
 * is {0} then. */
enum hs_status hs_export_own(struct hs_export_output *out, const struct hs_exporter *exporter,
                             const struct hs_export_job *jobs, size_t count, struct hs_error *err);

/* ---- helpers for exporters ---- */

/* A new empty file in the output. Valid until the next one is added. Where there is no memory for
 * it, a text that takes nothing, and hs_export fails. */
struct hs_text *hs_export_add_file(struct hs_export_output *output, const char *name);

/* The plan the job is about. Never NULL after hs_export's checks. */
const struct hs_plan *hs_export_plan(const struct hs_export_job *job);

/* The best plan of a message with at most `layers` layers and one chunk; the message's plan itself
 * where it has no more. A measured plan of two or more layers comes first. Else all that can be had
 * is compared: what is measured, the candidates that were predicted, and, where there is a system,
 * all splits in two layers priced by the model; predictions are scaled by measured over predicted
 * time of the plan that is replaced, so that both kinds of time compare. *cost is its time over
 * that plan's (1.25 = 25 % slower; NaN where neither is known). A prime np gives the flat split.
 * HS_INVALID where no such plan is known. */
enum hs_status hs_export_best_within(struct hs_plan *plan, double *cost,
                                     const struct hs_export_job *job, size_t message, int layers,
                                     struct hs_error *err);

/* How a target writes comments. */
struct hs_export_comment {
    const char *open;  /* begins the comment: "<!--" or "" */
    const char *line;  /* begins each line: "# " */
    const char *close; /* ends the comment */
};
extern const struct hs_export_comment hs_export_comment_none, hs_export_comment_hash,
    hs_export_comment_xml;

/* The comment every file starts with. `use` holds the exact commands or environment, several lines.
 * What would end the comment early ("--" in XML) is broken by a blank, so keep it out of `use`. */
void hs_export_header(struct hs_text *text, const struct hs_export_job *job,
                      const struct hs_exporter *exporter, const struct hs_export_comment *comment,
                      const char *use);

/* Where the library's default call is the better one, a line each; nothing where that is not known:
 *     MPI_Allreduce is 11.5 times faster than the plan at 1MiB (measured): keep the library's
 *     default
 * and, for formats that hold for all sizes, from how many bytes on the plan is worth anything; why
 * a plan that was not named is not certain; and of groups of a mesh, whom else the file holds for.
 * In the header and, from hs_export, in the notes. */
void hs_export_advice_append(struct hs_text *text, const struct hs_export_job *job,
                             const struct hs_exporter *exporter);

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
