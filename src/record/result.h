/*
 * result.h - the result file (docs/result.schema.json): what was searched, predicted and measured,
 * where, and with which versions. Written by `predict` and `measure`, read by everything else.
 *
 * Ownership: a result owns all its text and arrays; hs_result_release frees them. Numbers that do
 * not exist are NaN in memory and absent in the file. Candidates come best first: by measured
 * median where measured, else by predicted time, but that the default call, where the verdict keeps
 * it, comes before plans that are no reason to leave it.
 */
#ifndef HS_RESULT_RESULT_H
#define HS_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "estimate/certificate.h"
#include "library/price_plan.h"
#include "model/mesh.h"
#include "model/plan.h"
#include "model/stage.h"
#include "record/answer.h"
#include "record/result_topology.h"
#include "system/datatype.h"
#include "system/system.h"

#define HS_RESULT_VERSION "result/2"
#define HS_RESULT_FORMAT  HS_FORMAT_OF HS_RESULT_VERSION

/* How a measurement ended. */
/* clang-format off */
#define HS_MEASURE_STATUSES(row)                                       \
    row(OK, "ok", "measured and verified")                             \
    row(WRONG, "wrong", "the reduction's data was wrong")              \
    row(TIMEOUT, "timeout", "abandoned by the watchdog")               \
    row(SKIPPED, "skipped", "not measured, see reason")                \
    row(FAILED, "failed", "the backend reported an error, see reason")
/* clang-format on */

enum hs_measure_status {
#define HS_ROW(name, text, meaning) HS_MEASURE_##name,
    HS_MEASURE_STATUSES(HS_ROW)
#undef HS_ROW
        HS_MEASURE_STATUS_COUNT
};
extern const char *const hs_measure_status_names[HS_MEASURE_STATUS_COUNT];

struct hs_measured {
    enum hs_measure_status status;
    char *reason; /* owned; why it was skipped, failed or is not to be trusted; NULL: no reason */
    double median_seconds, ci95_low_seconds, ci95_high_seconds;
    double device_median_seconds; /* by the device's own clock, NaN where there is none */
    double eager_median_seconds;  /* by the host's clock where the above are not, else NaN */
    double *samples_seconds;      /* [sample_count], each the maximum over ranks, in order; owned */
    size_t sample_count;
    uint64_t wrong_elements;
    /* [stage_count] medians of the plan's stages, in the order in which they run; owned, NULL where
     * there are none */
    struct hs_stage_time *stages;
    size_t stage_count;
    struct hs_fact *choices; /* [choice_count] owned: what the library took, by stage */
    size_t choice_count;
};

struct hs_candidate {
    struct hs_plan plan;
    double predicted_seconds; /* NaN without a model */
    /* 90 % of the samples lie between; NaN: nothing was sampled */
    double predicted_low_seconds, predicted_high_seconds;
    double probability_best; /* NaN likewise */
    bool extrapolated;
    struct hs_plan_cost *cost;    /* owned; layers of the prediction, NULL without a model */
    struct hs_measured *measured; /* owned; NULL where only predicted */
};

struct hs_baseline_result {
    char *name; /* owned, e.g. "MPI_Allreduce" */
    struct hs_measured measured;
};

/* Splits that a rule took out of the race, said once per rule. */
struct hs_pruned {
    char *rule; /* owned, e.g. "containment keep 4", "racing" */
    uint64_t splits;
};

/* Everything about one message size. */
struct hs_result_message {
    uint64_t message_bytes; /* per process, as asked for */
    uint64_t padded_bytes;  /* as measured; 0 where nothing was padded */
    enum hs_datatype datatype;
    enum hs_operation operation;
    char *strategy; /* owned */
    uint64_t splits, looked_at;
    struct hs_pruned *pruned; /* [pruned_count] owned */
    size_t pruned_count;
    struct hs_certificate *certificate; /* owned; of a lazy search, else NULL */
    struct hs_answer *answer;           /* owned; NULL: nothing was predicted */
    double flat_seconds;                /* predicted, or measured where there is a measurement */
    struct hs_plan best; /* of the candidates; chunks 0: none; it may be HS_DEFAULT_CALL */
    struct hs_baseline_result *baselines; /* [baseline_count] owned */
    size_t baseline_count;
    /* [algorithm_count] owned: the same call by the library's algorithms, forced one by one */
    struct hs_baseline_result *algorithms;
    size_t algorithm_count;
    struct hs_candidate *candidates; /* [candidate_count] owned */
    size_t candidate_count;
};

/* Where the ranks were. */
struct hs_placed_node {
    char *host; /* owned name */
    int64_t ranks;
};

struct hs_placement {
    struct hs_placed_node *nodes; /* [node_count] owned, in the order of their ranks */
    size_t node_count;
    char *note; /* owned; what is uneven or unknown, NULL when regular */
    /* Where ranks outnumber the cores of a machine: most of them per core; 0: nowhere. */
    int64_t oversubscribed_ranks, oversubscribed_cores;
};

struct hs_result {
    char *command; /* owned; the command line */
    char *created; /* owned; UTC, ISO 8601 */
    char *backend; /* owned; NULL for a prediction */
    /* [version_count] owned facts: "hiersearch", "mpi", "cuda", "kernel", ... */
    struct hs_fact *versions;
    size_t version_count;
    struct hs_fact *environment; /* [environment_count] owned: the library's variables */
    size_t environment_count;
    int64_t np;
    enum hs_collective collective;
    enum hs_layout layout;
    struct hs_mesh mesh; /* count 0: all processes call together */
    bool has_system;
    struct hs_system system; /* of a calibrated one the file keeps the fits, not their points */
    bool extrapolated;       /* np goes beyond the system as described */
    struct hs_placement placement;       /* node_count 0: not measured */
    struct hs_result_topology *topology; /* [topology_count] owned: the kinds of nodes */
    size_t topology_count;
    struct hs_result_message *messages; /* [message_count] owned */
    size_t message_count;
    bool registered; /* what was measured had registered buffers, the library's calls too */
    bool complete;   /* false: the run was cut short, `note` says why */
    char *note;      /* owned */
};

/* A machine's time comes again within this factor. */
#define HS_AGAIN_RANGE 1.1

/* A result and what to call it in messages. Borrows both. */
struct hs_named_result {
    const char *name;
    const struct hs_result *result;
};

/* The file, and a certificate in it, as tables: copying and comparing are base/fields.h. */
extern const struct hs_fields hs_result_fields, hs_certificate_fields;

/* Reads and checks everything docs/result.schema.json demands and, beyond it, that plans multiply
 * to np, that lists have an element per layer where they should, and that nothing is there twice. A
 * candidate's cost has the file's figures; what the file does not say (bottleneck, occupancy,
 * price) the model computes from the file's system; an interval that the file does not have is NaN.
 * HS_INVALID, HS_MEMORY; *result is then {0}. */
enum hs_status hs_result_load(struct hs_result *result, const char *path, struct hs_error *err);
enum hs_status hs_result_parse(struct hs_result *result, const char *name, const char *text,
                               size_t length, struct hs_error *err);
/* Complete or not at all: hs_file_replace. "-" writes to stdout. HS_INVALID without a command or a
 * creation time, HS_FAILED for an array (samples, layer times) with a number that JSON does not
 * have; single numbers of that kind are left out. HS_IO, HS_MEMORY. */
enum hs_status hs_result_save(const struct hs_result *result, const char *path,
                              struct hs_error *err);
enum hs_status hs_result_print(struct hs_text *out, const struct hs_result *result,
                               struct hs_error *err);
/* The same on one line. */
enum hs_status hs_result_print_line(struct hs_text *out, const struct hs_result *result,
                                    struct hs_error *err);
void hs_result_release(struct hs_result *result);

/* Growing the lists; the new last element, zeroed (times NaN), or NULL when out of memory. */
struct hs_result_message *hs_result_add_message(struct hs_result *result);
/* Messages by their size. */
void hs_result_sort(struct hs_result *result);
struct hs_candidate *hs_result_add_candidate(struct hs_result_message *message);
/* That of a plan; NULL: there is none. */
const struct hs_candidate *hs_result_candidate(const struct hs_result_message *message,
                                               const struct hs_plan *plan);
/* A candidate with what the model says of the plan. */
enum hs_status hs_result_add_prediction(struct hs_result_message *message,
                                        const struct hs_system *system,
                                        const struct hs_problem *problem,
                                        const struct hs_plan *plan, struct hs_error *err);
/* Gives the candidate a measurement, zeroed (times NaN), in place of the one it may have; NULL when
 * out of memory. */
struct hs_measured *hs_candidate_add_measured(struct hs_candidate *candidate);
/* Of the library's own choice, or by a forced algorithm. */
struct hs_baseline_result *hs_result_add_baseline(struct hs_result_message *message,
                                                  const char *name, bool forced);
struct hs_pruned *hs_result_add_pruned(struct hs_result_message *message, const char *rule,
                                       uint64_t splits);
/* The kind of node is {0}. */
struct hs_result_topology *hs_result_add_topology(struct hs_result *result);
/* HS_MEMORY. Replaces a fact of the same name. */
enum hs_status hs_result_set_version(struct hs_result *result, const char *name, const char *text,
                                     struct hs_error *err);

/* HS_MEMORY. Keeps those of `variables`, "NAME=value" with a NULL behind them (environ), whose name
 * begins with `prefix`, by name. */
enum hs_status hs_result_set_environment(struct hs_result *result, char *const *variables,
                                         const char *prefix, struct hs_error *err);

/* What the result is about, with so many bytes per process. */
struct hs_problem hs_result_asks(const struct hs_result *result, double bytes);
/* The processes that call, all groups of them at once. */
struct hs_group hs_result_group(const struct hs_result *result);
/* The plan of its group with the fewest layers (hs_problem_flat). */
struct hs_plan hs_result_flat(const struct hs_result *result);
/* Whether both are about the same collective, in the same order, of the same groups. */
bool hs_result_is_alike(const struct hs_result *a, const struct hs_result *b);
/* What a message of a result asks: the bytes per process are those asked for. */
struct hs_problem hs_result_problem(const struct hs_result *result,
                                    const struct hs_result_message *message);

/* Whether a measurement (or NULL) has a time. */
bool hs_measured_is_ok(const struct hs_measured *measured);
/* "reduce-scatter:1:4 RING LL 1 channel, allreduce:4:2 symmetric": what the library took; nothing
 * where that is not known. */
void hs_measured_append_choices(struct hs_text *out, const struct hs_measured *measured);
/* All its stages on that layer; NaN where there are none. */
double hs_measured_layer_seconds(const struct hs_measured *measured, struct hs_layer layer);
/* All its stages; NaN where there are none. */
double hs_measured_stages_seconds(const struct hs_measured *measured);

/* What a candidate is ranked by: measured median (status ok), else predicted time, else NaN. */
double hs_candidate_seconds(const struct hs_candidate *candidate);
/* Sorts candidates best first (measured before predicted-only, wrong, timed-out and failed ones
 * last; ties by hs_plan_compare) and sets `best` from the first. Skipped ones count as
 * predicted-only. HS_FAILED where no candidate is usable; `best` then has no layers (split.count 0)
 * and is absent in the file. */
enum hs_status hs_result_rank(struct hs_result_message *message, struct hs_error *err);

#endif
