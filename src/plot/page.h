/*
 * page.h - a report: results as one HTML page that stands alone (no scripts, nothing loaded).
 *
 * The answer comes first, then why, pictures, tables, where it ran and how to use it. The page is
 * about the first input; further ones add to the pictures and to the table of all answers.
 */
#ifndef HS_PLOT_PAGE_H
#define HS_PLOT_PAGE_H

#include "plot/plot.h"
#include "show/html.h"

struct hs_page_picture {
    const char *kind; /* of plot: also its anchor */
    const char *svg;  /* as gnuplot wrote it */
};

struct hs_page {
    const struct hs_plot_job *job;
    const struct hs_page_picture *pictures; /* [picture_count], in the order of the page */
    size_t picture_count;
    const char *made_by; /* "hiersearch 0.1.0 (git)" */
    const char *missing; /* why there are no pictures, or NULL */
};

/* Appends the page. HS_INVALID where the first input lacks job->bytes, or has no message;
 * HS_MEMORY. */
enum hs_status hs_page_write(struct hs_text *out, const struct hs_page *page, struct hs_error *err);
/* The same of the profile of a job, page->job->profile. HS_MEMORY. */
enum hs_status hs_page_write_profile(struct hs_text *out, const struct hs_page *page,
                                     struct hs_error *err);

/* The values `pictures` and `missing` of a page. */
void hs_page_add_pictures(struct hs_html_values *values, const struct hs_page *page);

#endif
