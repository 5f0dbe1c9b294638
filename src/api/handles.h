/*
 * handles.h - what is behind the handles of include/hiersearch.h, and what its functions begin and
 * end with.
 */
#ifndef HS_API_HANDLES_H
#define HS_API_HANDLES_H

#include <locale.h>

#include "answer/exports.h"
#include "answer/inputs.h"
#include "api/ask.h"
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

/* A kind of question: the rows of its options, and how it is answered. */
struct hs_question_kind {
    const char *name;
    const struct hs_option *rows;
    size_t settings_bytes;
    size_t print_at;   /* of the struct hs_print in the settings; HS_ONE_FORM: there is none */
    size_t made_bytes; /* of answer->made, zeroed */
    /* Computes answer->made. */
    enum hs_status (*make)(struct hiersearch_answer *answer, struct hs_error *err);
    /* Appends it; notes go to answer->notes. */
    enum hs_status (*print)(struct hs_text *out, struct hiersearch_answer *answer,
                            const struct hs_print *print, struct hs_error *err);
    void (*release)(void *made); /* whether or not it was made; NULL: it owns nothing */
};
#define HS_ONE_FORM SIZE_MAX

extern const struct hs_question_kind hs_kind_predict, hs_kind_check, hs_kind_place, hs_kind_shard,
    hs_kind_fit, hs_kind_export, hs_kind_plot, hs_kind_report, hs_kind_simulate, hs_kind_systems,
    hs_kind_profile;

struct hiersearch_answer {
    const struct hiersearch_question *question;
    struct hs_subject of;
    struct hiersearch_system *system; /* of a caller of the library, what of.systems points to */
    struct hs_asker asker;
    struct hs_text command;    /* owned; the asker's, else made of the question */
    struct hs_text made_notes; /* owned; said while it was computed */
    struct hs_text notes;      /* owned; these, and what was said while it was printed last */
    bool found_fault, found_nothing;
    void *made; /* owned; of the kind */
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
/* Who reads what is made for people: nobody knows how wide, so 80 columns of UTF-8, without
 * colors. */
extern const struct hs_terminal hs_terminal_of_nobody;
/* Lines of notes, of a handle or NULL: never NULL. */
const char *hs_notes_of(const struct hs_text *notes);
/* Appends them to `out`, which may be NULL: of a handle that fails. */
void hs_notes_give(struct hs_text *out, const struct hs_text *notes);
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

/* The one system and the inputs that an answer is about; NULL: none is given. */
struct hiersearch_system *hs_answer_system(const struct hiersearch_answer *answer);
const struct hs_inputs *hs_answer_inputs(const struct hiersearch_answer *answer);
/* The terminal that it is printed for. */
const struct hs_terminal *hs_answer_terminal(const struct hiersearch_answer *answer);
/* "predict: expected a system", where what a kind needs is not there. HS_INVALID. */
enum hs_status hs_answer_expect(const struct hiersearch_answer *answer, bool there,
                                const char *wanted, struct hs_error *err);
/* The machines that fit a system's description are drawn once, and prices are kept. */
enum hs_status hs_system_draw(struct hiersearch_system *system, size_t count, struct hs_error *err);

/* An empty result; one that could not be filled goes again. */
enum hs_status hs_result_new(struct hiersearch_result **result, struct hs_error *err);
enum hs_status hs_result_keep(struct hiersearch_result **result, enum hs_status status);
/* A message of a result. HS_INVALID: there is none of that number. */
enum hs_status hs_result_message_at(const struct hs_result_message **out,
                                    const struct hiersearch_result *result, size_t message,
                                    struct hs_error *err);

#endif
