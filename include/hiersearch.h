/*
 * hiersearch.h - the library of hiersearch: how a job should communicate on a machine.
 *
 * A system (a machine as it is described) and a question (options by name, with the values that the
 * command line takes) make a result: plans, what each takes, what the machine's library does by
 * itself, how sure that is. Results come as the documents that the program writes
 * (hiersearch-result(5)), and are read, compared, exported and used to calibrate systems.
 *
 *     struct hiersearch_system *system;
 *     struct hiersearch_question *question;
 *     struct hiersearch_result *result;
 *
 *     if (hiersearch_system_find(&system, "abci", error) == HIERSEARCH_OK &&
 *         hiersearch_question_new(&question, "predict", error) == HIERSEARCH_OK &&
 *         hiersearch_question_set(question, "np", "128", error) == HIERSEARCH_OK &&
 *         hiersearch_predict(&result, system, question, error) == HIERSEARCH_OK)
 *         ...
 *
 * Handles are opaque. Who made one frees it; every _free takes NULL. Results of a function come
 * first; where it fails, handles and texts among them are NULL. A `char **` is a text of the
 * caller's from then on: hiersearch_text_free. A `const char *` that comes back is the handle's,
 * until that changes or goes.
 *
 * Errors are values: a status, and one line in the error handle, the last argument, which may be
 * NULL: place, what was expected, what was found, in the words of the command line. Nothing is
 * printed, and no process is ended. A handle, a text or a place for a result that is NULL where
 * nothing says that it may be is HIERSEARCH_INVALID; what has no status says 0, "" or NULL of it.
 * What the program says as notes and warnings on stderr a handle keeps as lines:
 * hiersearch_answer_notes and its like.
 *
 * Threads: there is no global state. Calls on different handles may be made at the same time; one
 * handle, also a const one, is for one thread at a time (hiersearch_system_copy makes another). The
 * locale of the caller does not matter.
 *
 * HIERSEARCH_API counts what was added; symbols have the version that they came with, and none is
 * taken away in libhiersearch.so.1.
 */
#ifndef HIERSEARCH_H
#define HIERSEARCH_H

#include <stddef.h>
#include <stdint.h>

#define HIERSEARCH_API 1

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended; hiersearch_error_text says why. */
enum hiersearch_status {
    HIERSEARCH_OK = 0,
    HIERSEARCH_INVALID = 1, /* what the caller gave is wrong */
    HIERSEARCH_IO = 2,      /* the operating system refused a file */
    HIERSEARCH_MEMORY = 3,  /* out of memory */
    HIERSEARCH_FAILED = 4   /* something else failed */
};

struct hiersearch_error;
struct hiersearch_system;
struct hiersearch_question;
struct hiersearch_inputs;
struct hiersearch_answer;
struct hiersearch_result;
struct hiersearch_exports;
struct hiersearch_stages;

/* ==== Version, errors and texts ================================================================ */

/* Version of the library that runs, such as "0.1.0". */
const char *hiersearch_version(void);

/* HIERSEARCH_API of the library that runs: what a program was compiled with may be less. */
int hiersearch_api(void);

/* An error handle, without an error; NULL: out of memory. */
struct hiersearch_error *hiersearch_error_new(void);

/* Status of the last call that failed with this handle; HIERSEARCH_OK: none did. */
enum hiersearch_status hiersearch_error_status(const struct hiersearch_error *error);

/* What it said, one line; "" where none failed. */
const char *hiersearch_error_text(const struct hiersearch_error *error);

/* Frees the handle. */
void hiersearch_error_free(struct hiersearch_error *error);

/* Frees a text that came from a call as a `char **`. */
void hiersearch_text_free(char *text);

/* ==== Systems ================================================================================== */

/* The machine of a text, as the command line takes it: a name of hiersearch_system_names, the path
 * of a system file, the parts of a node ("8xH100, 8xNDR400, 32:2"), or levels from the inside out
 * ("nvlink:4@111.6GB/s~3.4us,ib:32@18.6GB/s~14us"). */
enum hiersearch_status hiersearch_system_find(struct hiersearch_system **system, const char *text,
                                              struct hiersearch_error *error);

/* The machine of a system file's text, hiersearch-system(5); `name` is what errors call it. */
enum hiersearch_status hiersearch_system_parse(struct hiersearch_system **system, const char *json,
                                               const char *name, struct hiersearch_error *error);

/* The machine that `count` files speak of, joined: what nvidia-smi topo -m, ibstat, scontrol show
 * topology and their like printed, NCCL's and hwloc's XML, Slurm's topology files. */
enum hiersearch_status hiersearch_system_from_files(struct hiersearch_system **system,
                                                    const char *const *paths, size_t count,
                                                    struct hiersearch_error *error);

/* The machine that is proposed from the node on which the process runs, by NVML and hwloc where
 * they can be loaded. */
enum hiersearch_status hiersearch_system_here(struct hiersearch_system **system,
                                              struct hiersearch_error *error);

/* Another handle of the same machine, for another thread. */
enum hiersearch_status hiersearch_system_copy(struct hiersearch_system **copy,
                                              const struct hiersearch_system *system,
                                              struct hiersearch_error *error);

/* Frees the handle. */
void hiersearch_system_free(struct hiersearch_system *system);

/* Its name. */
const char *hiersearch_system_name(const struct hiersearch_system *system);

/* How many processes its description covers. */
int64_t hiersearch_system_processes(const struct hiersearch_system *system);

/* Its system file, hiersearch-system(5). */
enum hiersearch_status hiersearch_system_json(char **json, const struct hiersearch_system *system,
                                              struct hiersearch_error *error);

/* Its levels as one line, which hiersearch_system_find takes; without the fits of a calibration. */
enum hiersearch_status hiersearch_system_line(char **text, const struct hiersearch_system *system,
                                              struct hiersearch_error *error);

/* What was said when the handle was made, "note: ..." and "warning: ...", a line each; "": nothing.
 */
const char *hiersearch_system_notes(const struct hiersearch_system *system);

/* Names of the systems that come with the library, or stand in the folders of $HIERSEARCH_CONFIGS,
 * a line each. */
enum hiersearch_status hiersearch_system_names(char **names, struct hiersearch_error *error);

/* ==== Questions ================================================================================ */

/* A question of a kind, with no option set: "predict", "place", "shard", "fit", "check", "export",
 * "plot", "report", "simulate", "systems" or "profile", as the command of that name. */
enum hiersearch_status hiersearch_question_new(struct hiersearch_question **question,
                                               const char *kind, struct hiersearch_error *error);

/* Sets an option of the command by its long name, to what the command line would take: ("size",
 * "1MiB:1GiB"), ("mesh", "tp=8,dp=64"). A flag is "true" or "false". NULL takes the option back.
 * Where the value is wrong the question stays as it was. */
enum hiersearch_status hiersearch_question_set(struct hiersearch_question *question,
                                               const char *name, const char *value,
                                               struct hiersearch_error *error);

/* The options of a kind of question: an array of objects with name, argument, default, words (where
 * the value is one of a list) and help. */
enum hiersearch_status hiersearch_options_json(char **json, const char *kind,
                                               struct hiersearch_error *error);

/* Frees the handle. */
void hiersearch_question_free(struct hiersearch_question *question);

/* ==== Answers ================================================================================== */

/* The answer to a question, computed whole, with hints, what decides and what to measure next:
 *
 *     "predict"  of a system: plans, sweeps of sizes and process counts, ("explain", PLAN),
 *                ("compare-with", SYSTEM), ("style", "nccl-tests"); with ("profile", PATH) what the best plans
 *                gain a job: gains.schema.json. Of inputs, the results that measured a job's calls,
 *                with ("profile", PATH) alone: the same by the rules that `hiersearch run` makes of
 *                them
 *     "place"    of a system: which axis of a job's mesh goes inside a node, with ("mesh", AXES) and
 *                ("messages", LIST) or ("model", SIZES) at least: placement.schema.json; with
 *                ("format", FORM) the placement as a launcher or a framework takes it, ("hosts",
 *                NAMES) its nodes
 *     "shard"    of a system: how many ways to shard a model, with ("np", P) and ("parameters", N)
 *                at least: sharding.schema.json
 *     "check"    of inputs, logs and results of measure, and a system, or NULL where they say it: are
 *                times as they should be, and if not, where are they lost: check.schema.json
 *     "fit"      of a system and inputs: the answer before and with the times, and what to measure
 *                next; hiersearch_fit makes the system
 *     "simulate" of one input, the result of a simulation
 *     "systems"  of a system: it in full, with the source of every figure, below what the node is
 *                made of that it was proposed from; ("check", "true"): what of it cannot be true; with
 *                ("name", NAME) and the format json its file under another name. Of none: the list;
 *                ("parts", "true") the parts of a line such as "8xH100, 8xNDR400"; ("here", "true")
 *                this node, also where nothing can be proposed
 *     "profile"  of one input, the profile of a job: the kinds of calls that took longest; of two,
 *                before and after: what became of each kind of calls
 *     "export"   of nothing, with ("list", "true"): the formats
 *     "plot"     of results among the inputs, or of one profile: a picture, which gnuplot draws in a
 *                process of its own, or, with ("csv", "true"), the numbers of one. HIERSEARCH_FAILED:
 *                there is no gnuplot
 *     "report"   likewise: the page of `hiersearch report`, HTML that loads nothing, about the first
 *                result. Without gnuplot it has no pictures, and says so
 *
 * What a kind does not take is NULL. The answer borrows all three: they stay as they are until it is
 * freed. */
enum hiersearch_status hiersearch_ask(struct hiersearch_answer **answer,
                                      const struct hiersearch_question *question,
                                      struct hiersearch_system *system,
                                      const struct hiersearch_inputs *inputs,
                                      struct hiersearch_error *error);

/* It as text: "text" or "md" for people, "csv" or "json" as tables, or as the document of its kind
 * (of a "predict" the result file, of several process counts one in a line; hiersearch-result(5)).
 * NULL: in the format of the question, which is text unless it says ("format", ...); what a "plot"
 * or a "report" is has one form alone. Text is UTF-8, as on a terminal without colors of 80 columns,
 * or ("width", "120"); with ("color", "always") it has them. Pictures of other types than SVG are no
 * texts: `length` bytes (NULL: they are not asked for), and a zero behind them. */
enum hiersearch_status hiersearch_answer_text(char **text, size_t *length,
                                              struct hiersearch_answer *answer, const char *format,
                                              struct hiersearch_error *error);

/* What was said of it, a line each, as the program does on stderr: complete behind
 * hiersearch_answer_text. "": nothing. */
const char *hiersearch_answer_notes(const struct hiersearch_answer *answer);

/* Frees the handle. */
void hiersearch_answer_free(struct hiersearch_answer *answer);

/* ==== Predictions as results =================================================================== */

/* What plans take on the system: the question is a "predict" with one process count. It is for many
 * calls, thousands a second: hints, what decides and what to measure next, which take many times
 * longer than the rest, are in it only with ("details", "true"); hiersearch_ask always has them. */
enum hiersearch_status hiersearch_predict(struct hiersearch_result **result,
                                          struct hiersearch_system *system,
                                          const struct hiersearch_question *question,
                                          struct hiersearch_error *error);

/* A result file of predict, measure or simulate. */
enum hiersearch_status hiersearch_result_load(struct hiersearch_result **result, const char *path,
                                              struct hiersearch_error *error);

/* The same of its text; `name` is what errors call it. */
enum hiersearch_status hiersearch_result_parse(struct hiersearch_result **result, const char *json,
                                               const char *name, struct hiersearch_error *error);

/* Its result file, hiersearch-result(5). */
enum hiersearch_status hiersearch_result_json(char **json, const struct hiersearch_result *result,
                                              struct hiersearch_error *error);

/* Writes it, complete or not at all. */
enum hiersearch_status hiersearch_result_save(const struct hiersearch_result *result,
                                              const char *path, struct hiersearch_error *error);

/* What was said when the handle was made, a line each; "": nothing. */
const char *hiersearch_result_notes(const struct hiersearch_result *result);

/* How many processes it is about. */
int64_t hiersearch_result_processes(const struct hiersearch_result *result);

/* How many message sizes it has. */
size_t hiersearch_result_count(const struct hiersearch_result *result);

/* The best plan of a message, 0 .. count - 1, as text ("4x8x4"; "default": keep the library's own
 * call), with the size of the message in bytes per process and the plan's seconds, measured where
 * they were, else expected. Each of the three may be NULL. Whether the plan is worth it is in the
 * document's verdict. HIERSEARCH_INVALID: there is no such message, or it has no best plan. */
enum hiersearch_status hiersearch_result_best(char **plan, uint64_t *bytes, double *seconds,
                                              const struct hiersearch_result *result,
                                              size_t message, struct hiersearch_error *error);

/* Frees the handle. */
void hiersearch_result_free(struct hiersearch_result *result);

/* ==== Planned stages, for callers who run them themselves ====================================== */

/* One stage of a plan: calls of one phase, in groups of `size` processes that are `stride` apart,
 * all groups at once. The struct stays as it is; what has more gets another name. */
struct hiersearch_stage {
    const char *phase;     /* "reduce-scatter", "allreduce", "allgather", ... */
    const char *algorithm; /* "ring", "halving", "direct", "tree", "native" */
    int64_t stride, size;
    double bytes;   /* that enter it per process */
    double seconds; /* that it takes by the result's system; NaN where there is none */
};

/* The stages of a plan ("4x8x4"; NULL: the best) for a message of a result, in the order in which
 * they run. "default" is one stage: the library's default call, algorithm "native". */
enum hiersearch_status hiersearch_stages_new(struct hiersearch_stages **stages,
                                             const struct hiersearch_result *result, size_t message,
                                             const char *plan, struct hiersearch_error *error);

/* How many there are. */
size_t hiersearch_stages_count(const struct hiersearch_stages *stages);

/* Stage `index`, whose texts are literals. */
enum hiersearch_status hiersearch_stages_get(struct hiersearch_stage *stage,
                                             const struct hiersearch_stages *stages, size_t index,
                                             struct hiersearch_error *error);

/* The processes that process `rank` is with in stage `index`, itself among them, in their order:
 * ranks[0 .. size - 1], an array of the caller's with as many places as the stage's size. */
enum hiersearch_status hiersearch_stages_group(int64_t *ranks,
                                               const struct hiersearch_stages *stages, size_t index,
                                               int64_t rank, struct hiersearch_error *error);

/* Frees the handle. */
void hiersearch_stages_free(struct hiersearch_stages *stages);

/* ==== What was measured: calibration =========================================================== */

/* What is to be fitted, compared or exported, empty at first. */
enum hiersearch_status hiersearch_inputs_new(struct hiersearch_inputs **inputs,
                                             struct hiersearch_error *error);

/* Adds a file, which is recognised by its content: a result; a log of nccl-tests, of OSU's
 * benchmarks, or CSV; the figures of a GPU that gpu-probe printed; the profile of a job, which is
 * compared with another one. */
enum hiersearch_status hiersearch_inputs_add_file(struct hiersearch_inputs *inputs,
                                                  const char *path, struct hiersearch_error *error);

/* Adds the text of such a file; `name` is what errors and documents call it. */
enum hiersearch_status hiersearch_inputs_add_text(struct hiersearch_inputs *inputs,
                                                  const char *name, const char *text,
                                                  struct hiersearch_error *error);

/* What was said of them, a line each; "": nothing. */
const char *hiersearch_inputs_notes(const struct hiersearch_inputs *inputs);

/* Frees the handle. */
void hiersearch_inputs_free(struct hiersearch_inputs *inputs);

/* The system calibrated by the inputs, as `hiersearch fit` does it: layers of results become fits,
 * logs of a library's own calls the constants of its price. The question is a "fit"; NULL: as
 * usual. */
enum hiersearch_status hiersearch_fit(struct hiersearch_system **fitted,
                                      const struct hiersearch_system *system,
                                      const struct hiersearch_inputs *inputs,
                                      const struct hiersearch_question *question,
                                      struct hiersearch_error *error);

/* The profile of a job that `hiersearch profile` wrote, or of the folder of counts that it left, as
 * its document. */
enum hiersearch_status hiersearch_profile_json(char **json, const char *path,
                                               struct hiersearch_error *error);

/* ==== Simulations ============================================================================== */

/* What plans are simulated with beside their predictions, in a folder with these files: result.json
 * has the plans, platform.xml and hostfile are SimGrid's, and `sh simulate.sh`, with smpirun and
 * hiersearch-simulate in PATH, puts times into result.json, which hiersearch_result_load reads. The
 * question is a "simulate". Its plans are those of ("plans", "4x8x4,4x32"), else the best ones. */
enum hiersearch_status hiersearch_simulation(struct hiersearch_exports **files,
                                             const struct hiersearch_system *system,
                                             const struct hiersearch_question *question,
                                             struct hiersearch_error *error);

/* ==== Exports ================================================================================== */

/* The formats: an array of objects with name, library, versions, summary, layers (0: any number),
 * exact, and several (whether it takes several results). */
enum hiersearch_status hiersearch_formats_json(char **json, struct hiersearch_error *error);

/* The results among the inputs as files for other libraries. The question is an "export", with
 * ("to", FORMAT) at least; of ("profile", PATH), the profile of a job, see hiersearch-export(1). */
enum hiersearch_status hiersearch_export(struct hiersearch_exports **exports,
                                         const struct hiersearch_inputs *inputs,
                                         const struct hiersearch_question *question,
                                         struct hiersearch_error *error);

/* How many files it made; one is the rule. */
size_t hiersearch_exports_count(const struct hiersearch_exports *exports);

/* The name of file `index`; NULL: there is none. */
const char *hiersearch_exports_name(const struct hiersearch_exports *exports, size_t index);

/* What is in it, with `length` bytes (NULL: they are not asked for) and a zero behind them; NULL:
 * there is no such file. */
const char *hiersearch_exports_text(const struct hiersearch_exports *exports, size_t index,
                                    size_t *length);

/* What the format could not express, and what that costs, a line each; "": nothing. */
const char *hiersearch_exports_notes(const struct hiersearch_exports *exports);

/* Frees the handle. */
void hiersearch_exports_free(struct hiersearch_exports *exports);

#ifdef __cplusplus
}
#endif

#endif
