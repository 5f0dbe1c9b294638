/*
 * handles.h - what is behind the handles of include/hiersearch.h, and what its functions begin and
 * end with.
 */
#ifndef HS_API_HANDLES_H
#define HS_API_HANDLES_H

#include <locale.h>

/* Everything else of the library is hidden. */
#pragma GCC visibility push(default)
#include "hiersearch.h"
#pragma GCC visibility pop

#include "answer/check.h"
#include "answer/exports.h"
#include "answer/inputs.h"
#include "base/options.h"
#include "estimate/machines.h"
#include "show/sheet.h"

struct hiersearch_error {
    struct hs_error error;
};

struct hiersearch_system {
    struct hs_system system;
    char *typed;         /* owned: the text that it was found by; NULL: by none */
    struct hs_text node; /* what it was proposed from is made of; empty: it is described */
    struct hs_text notes;
    struct hs_machines machines; /* that fit it, once they are asked for; count 0: not yet */
};

/* What a question asks for, with the rows of its options. */
struct hs_question_kind {
    const char *name;
    const struct hs_option *rows;
    size_t settings_bytes;
};

struct hiersearch_question {
    const struct hs_question_kind *kind;
    void *settings; /* owned; filled by the rows from values */
    char **values;  /* [rows] owned; NULL: not set */
};

struct hiersearch_inputs {
    struct hs_inputs inputs;
    char **names; /* [count] owned: what inputs borrows */
    size_t count;
    struct hs_text notes;
};

struct hiersearch_exports {
    struct hs_exports exports;
    struct hs_text notes;
};

struct hiersearch_result {
    struct hs_result result;
    struct hs_text notes;
};

/* A call's locale is C's, whatever the caller has. */
struct hs_call {
    locale_t own, before;
};
struct hs_call hs_call_begin(void);
/* Returns the status as the library says it. */
enum hiersearch_status hs_call_end(struct hs_call call, enum hs_status status);

/* The error in a handle, or NULL. */
struct hs_error *hs_error_of(struct hiersearch_error *error);
/* HS_INVALID where a handle or a text is NULL that is to be there: `what`, such as "a system". */
enum hs_status hs_expect(const void *given, const char *what, struct hs_error *err);
/* The same of where an answer is to be written. */
enum hs_status hs_expect_place(const void *place, struct hs_error *err);
/* The same of a path, or of what may be one: never "-", as stdin is the caller's. */
enum hs_status hs_expect_path(const char *path, const char *what, struct hs_error *err);
/* The text is the caller's from now on, "" where it is empty; released where the status is a
 * failure, or there is no place for it (HS_INVALID). */
enum hs_status hs_text_give(char **out, struct hs_text *text, enum hs_status status,
                            struct hs_error *err);
/* What a call that makes a text and says something ends with: its text, its notes, which the caller
 * need not want (`notes` NULL), and the call. */
struct hs_page {
    struct hs_call call;
    struct hs_error *err;
    struct hs_text text, said;
};
struct hs_page hs_page_begin(struct hiersearch_error *error);
enum hiersearch_status hs_page_end(struct hs_page *page, char **out, char **notes,
                                   enum hs_status status);
/* Who reads what is made for people: nobody knows how wide, so 80 columns of UTF-8, without
 * colours. */
extern const struct hs_terminal hs_terminal_of_nobody;
/* Tables of JSON are asked for. */
extern const struct hs_print hs_print_json;
/* A document of tables, which is appended to the text. */
struct hs_sheet hs_sheet_of(struct hs_text *text);
/* Lines of notes, of a handle or NULL: never NULL. */
const char *hs_notes_of(const struct hs_text *notes);
/* What to call a system: its name, or the line of text; and in a command: as it was typed. */
const char *hs_system_label(const struct hiersearch_system *system);
const char *hs_system_typed(const struct hiersearch_system *system);

/* The settings of a question of this kind; those of no question, where NULL is one as usual, are
 * written to `usual`. HS_INVALID where it is of another kind, or none is given and `usual` is NULL.
 */
enum hs_status hs_question_settings(const void **settings, void *usual,
                                    const struct hiersearch_question *question, const char *kind,
                                    struct hs_error *err);
/* Appends " --name value" for each option that is set, but for `but` (NULL: all). */
void hs_question_append(struct hs_text *command, const struct hiersearch_question *question,
                        const char *but);

/* ---- what is printed of an answer: handle_*.c ---- */

/* `as` is the format in place of the question's, or NULL; `notes` NULL: nobody reads them. */
enum hs_status hs_predict_page(struct hs_text *out, struct hs_text *notes,
                               struct hiersearch_system *system,
                               const struct hiersearch_question *question,
                               const struct hs_print *as, struct hs_error *err);
enum hs_status hs_predict_measured_page(struct hs_text *out, const struct hiersearch_inputs *inputs,
                                        const struct hiersearch_question *question,
                                        const struct hs_print *as, struct hs_error *err);
enum hs_status hs_place_page(struct hs_text *out, struct hs_text *notes,
                             const struct hiersearch_system *system,
                             const struct hiersearch_question *question, const struct hs_print *as,
                             struct hs_error *err);
enum hs_status hs_shard_page(struct hs_text *out, struct hs_text *notes,
                             const struct hiersearch_system *system,
                             const struct hiersearch_question *question, const struct hs_print *as,
                             struct hs_error *err);
/* What a comparison is between. */
struct hs_compared_handles {
    const struct hiersearch_inputs *inputs;
    const struct hiersearch_system *system; /* NULL: the inputs predict */
};
/* What a "check" asks for. */
struct hs_check_handles {
    struct hs_check_settings asked;
    struct hs_print print;
    bool details;
};
/* Like the others; of JSON the whole answer. */
enum hs_status hs_check_page(struct hs_text *out, struct hs_text *notes,
                             const struct hs_compared_handles *handles,
                             const struct hiersearch_question *question, const struct hs_print *as,
                             struct hs_error *err);
enum hs_status hs_compare_page(struct hs_text *out, struct hs_text *notes,
                               const struct hs_compared_handles *handles,
                               const struct hiersearch_question *question,
                               const struct hs_print *as, struct hs_error *err);
enum hs_status hs_simulated_page(struct hs_text *out, struct hs_text *notes,
                                 const struct hiersearch_inputs *inputs,
                                 const struct hiersearch_question *question, struct hs_error *err);
enum hs_status hs_systems_page(struct hs_text *out, struct hs_text *notes,
                               const struct hiersearch_system *system,
                               const struct hiersearch_question *question, struct hs_error *err);
enum hs_status hs_profile_page(struct hs_text *out, const struct hiersearch_inputs *inputs,
                               const struct hiersearch_question *question, struct hs_error *err);
enum hs_status hs_formats_page(struct hs_text *out, const struct hiersearch_question *question,
                               struct hs_error *err);
enum hs_status hs_fit_page(struct hs_text *out, struct hs_text *notes,
                           const struct hs_compared_handles *handles,
                           const struct hiersearch_question *question, struct hs_error *err);

/* An empty result; one that could not be filled goes again. */
enum hs_status hs_result_new(struct hiersearch_result **result, struct hs_error *err);
enum hs_status hs_result_keep(struct hiersearch_result **result, enum hs_status status);
/* A message of a result. HS_INVALID: there is none of that number. */
enum hs_status hs_result_message_at(const struct hs_result_message **out,
                                    const struct hiersearch_result *result, size_t message,
                                    struct hs_error *err);

#endif
