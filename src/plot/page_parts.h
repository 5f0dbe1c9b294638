/*
 * page_parts.h - what the files of the page share: the result in question, and one function per
 * section. Internal to plot.
 */
#ifndef HS_PLOT_PAGE_PARTS_H
#define HS_PLOT_PAGE_PARTS_H

#include "plot/choose.h"
#include "plot/page.h"

/* One message of a result, with its winner and what to compare it with. Times are all measured or
 * all predicted, as the winner's is. */
struct hs_page_subject {
    const struct hs_plot_input *input;
    const struct hs_result *result;
    const struct hs_result_message *message;
    const struct hs_candidate *best; /* NULL: no candidate can be used */
    bool measured;
    struct hs_plot_time best_time, flat_time, library_time; /* NaN: not known */
    const char *library;                                    /* NULL: none */
    bool best_is_flat;
};

struct hs_page_subject hs_page_subject(const struct hs_plot_input *input,
                                       const struct hs_result_message *message);

/* slower / faster with the interval that follows from theirs; NaN where unknown. The interval is on
 * the safe side: smallest over largest, largest over smallest. */
struct hs_plot_time hs_page_gain(struct hs_plot_time slower, struct hs_plot_time faster);

/* Sections, each with its heading. */
void hs_page_answer(struct hs_text *out, const struct hs_page_subject *subject);
void hs_page_why(struct hs_text *out, const struct hs_page_subject *subject);
void hs_page_pictures(struct hs_text *out, const struct hs_page *page);
void hs_page_candidates(struct hs_text *out, const struct hs_page_subject *subject);
void hs_page_all_answers(struct hs_text *out, const struct hs_page *page);
void hs_page_environment(struct hs_text *out, const struct hs_page *page);
void hs_page_use(struct hs_text *out, const struct hs_page *page);

#endif
