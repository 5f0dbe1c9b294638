/*
 * asked.h - a question, its answer and that as text, in one call, as tests have them.
 */
#ifndef HS_TESTS_API_ASKED_H
#define HS_TESTS_API_ASKED_H

#include <stdbool.h>
#include <stddef.h>

#include "hiersearch.h"

struct asked {
    const char *kind; /* where no question is given: one without options, */
    const char *flag; /* but for this one; NULL: none */
    const struct hiersearch_question *question;
    struct hiersearch_system *system;
    const struct hiersearch_inputs *inputs;
    const char *format;
    size_t *length; /* NULL: not asked for */
};

static bool append_notes(char **notes, const char *said)
{
    *notes = strdup(said);
    return *notes != NULL;
}

/* Both texts are the caller's; `notes` NULL: nobody reads them. NULL where it fails. */
__attribute__((unused)) static enum hiersearch_status
answered(char **text, char **notes, const struct asked *asked, struct hiersearch_error *error)
{
    struct hiersearch_question *own = NULL;
    struct hiersearch_answer *answer = NULL;
    const struct hiersearch_question *question = asked->question;
    enum hiersearch_status status = HIERSEARCH_OK;

    if (text)
        *text = NULL;
    if (notes)
        *notes = NULL;
    if (asked->length)
        *asked->length = 0;
    if (!question && asked->kind) {
        status = hiersearch_question_new(&own, asked->kind, error);
        if (status == HIERSEARCH_OK && asked->flag)
            status = hiersearch_question_set(own, asked->flag, "true", error);
        question = own;
    }
    if (status == HIERSEARCH_OK)
        status = hiersearch_ask(&answer, question, asked->system, asked->inputs, error);
    if (status == HIERSEARCH_OK)
        status = hiersearch_answer_text(text, asked->length, answer, asked->format, error);
    if (status == HIERSEARCH_OK && notes && !append_notes(notes, hiersearch_answer_notes(answer)))
        status = HIERSEARCH_MEMORY;
    hiersearch_answer_free(answer);
    hiersearch_question_free(own);
    return status;
}

#endif
