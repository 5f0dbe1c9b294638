/*
 * ask.h - the one way in. A question, with the systems and inputs that it is about, becomes an
 * answer, and an answer becomes text: for hiersearch_ask and its like of include/hiersearch.h, and
 * for the command line, which is a client of these functions and of show/ alone.
 *
 * Beside the public functions a program has here what no handle carries: the rows of options, its
 * terminal, who watches the progress, stdin ("-") as a file, and errors as struct hs_error.
 */
#ifndef HS_API_ASK_H
#define HS_API_ASK_H

/* Everything else of the library is hidden. */
#pragma GCC visibility push(default)
#include "hiersearch.h"
#pragma GCC visibility pop

#include "base/error.h"
#include "base/format.h"
#include "base/options.h"
#include "base/text.h"

struct hs_terminal;

/* ---- questions ---- */

struct hs_question_kind;

/* HS_INVALID, with the nearest name, where there is no such kind. */
enum hs_status hs_question_kind_find(const struct hs_question_kind **kind, const char *name,
                                     struct hs_error *err);
/* The rows of its options, for settings of so many bytes. */
const struct hs_option *hs_question_rows(const struct hs_question_kind *kind, size_t *bytes);

struct hiersearch_question {
    const struct hs_question_kind *kind;
    void *settings; /* owned; filled by the rows from values */
    char **values;  /* [rows] owned; NULL: not set. NULL: all is borrowed, and was read already */
};

/* The field of an option of a question, as its row's type says. */
void *hs_question_field(const struct hiersearch_question *question, const char *name);

/* ---- systems and inputs: as hiersearch_system_find and its like, but "-" is stdin ---- */

enum hs_status hs_system_open(struct hiersearch_system **system, const char *text,
                              struct hs_error *err);
enum hs_status hs_system_open_files(struct hiersearch_system **system, const char *const *paths,
                                    size_t count, struct hs_error *err);
enum hs_status hs_inputs_open(struct hiersearch_inputs **inputs, char *const *paths, size_t count,
                              struct hs_error *err);
/* Whether a text names a file that is read, and that is no system's: a log, of nothing that is a
 * machine's line or name. */
bool hs_is_log_file(const char *text);
/* Whether it is a result file; not of stdin, which is read but once. */
bool hs_is_result_file(const char *path);
/* HS_INVALID where the output cannot be written, or is a file that is read: that of the system's
 * text, or one of the results. Each may be NULL, and "-" is stdout. */
enum hs_status hs_output_check(const char *output, const char *system,
                               const struct hs_argument_list *results, struct hs_error *err);

/* ---- answers ---- */

/* What a question is about; borrowed by the answer. */
struct hs_subject {
    struct hiersearch_system *const *systems; /* [system_count] */
    size_t system_count;
    const struct hiersearch_inputs *inputs; /* NULL: none */
};

/* Who asks; {0}: a caller of the library. Borrowed by the answer. */
struct hs_asker {
    const char *command;                /* line, for documents; NULL: made of the question */
    const char *output;                 /* path: the answer becomes a file, too; NULL: none */
    const char *format;                 /* in place of the question's; NULL */
    const struct hs_terminal *terminal; /* NULL: nobody knows, so 80 columns without colors */
    /* Told now and then how far the search of a point is; NULL: nobody. */
    void (*watch)(void *watcher, int64_t processes, uint64_t bytes, uint64_t done, uint64_t all);
    void *watcher;
    struct hs_text *notes; /* where there is no answer, what was said before it failed; NULL */
};

/* Computes the answer whole, all hints with it. The question, the subject and who asks stay as they
 * are until it is freed. HS_INVALID, HS_IO, HS_MEMORY, HS_FAILED. */
enum hs_status hs_ask(struct hiersearch_answer **answer, const struct hiersearch_question *question,
                      const struct hs_subject *subject, const struct hs_asker *asker,
                      struct hs_error *err);
/* Appends it in a format; NULL: that of the question. HS_INVALID: a form cannot say it. */
enum hs_status hs_answer_print(struct hs_text *out, struct hiersearch_answer *answer,
                               const char *format, struct hs_error *err);
/* Whether what was asked about is at fault, which a program's exit status says: complete once it is
 * printed. */
bool hs_answer_found_fault(const struct hiersearch_answer *answer);
/* Likewise, whether what was given does not decide. */
bool hs_answer_found_nothing(const struct hiersearch_answer *answer);
/* The calibrated system of a "fit", the answer's. */
const struct hiersearch_system *hs_answer_fitted(const struct hiersearch_answer *answer);

/* Appends its system file. HS_MEMORY. */
enum hs_status hs_system_document(struct hs_text *out, const struct hiersearch_system *system,
                                  struct hs_error *err);

/* What hiersearch_fit does; `notes` are of a call that fails, or NULL. */
enum hs_status hs_fit(struct hiersearch_system **fitted, const struct hiersearch_system *system,
                      const struct hiersearch_inputs *inputs,
                      const struct hiersearch_question *question, struct hs_text *notes,
                      struct hs_error *err);
/* What hiersearch_export does; notes likewise. */
enum hs_status hs_export_inputs(
    struct hiersearch_exports **exports, const struct hiersearch_inputs *inputs,
    const struct hiersearch_question *question, struct hs_text *notes,
    struct hs_error
        *err); /* What hiersearch_simulation does; `command`: the line, for its result. */
enum hs_status hs_simulation(struct hiersearch_exports **files,
                             const struct hiersearch_system *system,
                             const struct hiersearch_question *question, const char *command,
                             struct hs_error *err);

#endif
