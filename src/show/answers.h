/*
 * answers.h - the answer of a result, in sentences: what the text output, the report and the plots
 * say of a verdict, all from the result file.
 */
#ifndef HS_VIEW_ANSWERS_H
#define HS_VIEW_ANSWERS_H

#include "record/result.h"
#include "show/sheet.h"

/* A message of a result with an answer. Borrows both. */
struct hs_answer_source {
    const struct hs_result *result;
    const struct hs_result_message *message;
};

/* "Keep NCCL's default", "Use 8x16", "Cannot tell whether 8x16 is faster": without a full stop. */
void hs_answer_append_title(struct hs_text *out, const struct hs_answer_source *of);
/* The title with its time, range and gain: one sentence. */
void hs_answer_append_verdict(struct hs_text *out, const struct hs_answer_source *of);
/* "first among 4 neighboring processes, then across 8 such groups": how the first plan reads;
 * nothing of one layer. */
void hs_answer_append_meaning(struct hs_text *out, const struct hs_answer_source *of);
/* How likely that is, and why it is no clearer: one sentence. */
void hs_answer_append_odds(struct hs_text *out, const struct hs_answer_source *of);
/* "NCCL's default" or "the flat plan": what gains are over. */
void hs_answer_append_reference(struct hs_text *out, const struct hs_answer_source *of);

/* Verdict, table of candidates and what follows from them: as many rows as HS_ANSWER_LINES leave,
 * with `details` all. */
void hs_answer_say(struct hs_sheet *sheet, const struct hs_answer_source *of, size_t shown,
                   bool details);

#endif
