/*
 * jobs.h - how answers about whole jobs are laid out: what was asked, the verdict, a table, and
 * what it rests on, in HS_ANSWER_LINES lines where nobody asks for more.
 */
#ifndef HS_SHOW_JOBS_H
#define HS_SHOW_JOBS_H

#include "answer/jobs.h"
#include "show/sheet.h"

/* Made by hs_job_page_begin; lines are added to its texts, then it is printed. */
struct hs_job_page {
    struct hs_sheet *sheet; /* borrowed */
    bool details;           /* as many lines as there are */
    struct hs_text title, verdict, tail;
};

void hs_job_page_begin(struct hs_job_page *page, struct hs_sheet *sheet, bool details);
/* A line of prose of one of the texts. */
void hs_job_page_add(const struct hs_job_page *page, struct hs_text *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of all lines of a list, "WORD: line". The first alone without details. */
void hs_job_page_add_lines(struct hs_job_page *page, const char *word,
                           const struct hs_job_lines *lines);
/* Commands, which are not broken, "WORD: command". */
void hs_job_page_add_commands(struct hs_job_page *page, const char *word,
                              const struct hs_job_lines *lines);
/* The title and the verdict; drops last lines of the tail where a table of `count` rows, or three
 * of them, does not fit. Returns how many rows the table may have then, 2 at least. */
size_t hs_job_page_print(struct hs_job_page *page, size_t count);
/* The tail; releases the page. HS_MEMORY. */
enum hs_status hs_job_page_end(struct hs_job_page *page, struct hs_error *err);

#define HS_RATIO_TEXT 48
/* A time over that of what the job has now: "4.51x faster", "1.20x slower", "the same". */
char *hs_job_ratio(char text[HS_RATIO_TEXT], double ratio);
#define HS_AS_JOB_RATIO(ratio) hs_job_ratio((char[HS_RATIO_TEXT]){0}, ratio)
/* " (90 % interval 96 to 120 ms)"; "" where nothing was sampled. */
char *hs_job_range(char text[HS_RATIO_TEXT], const struct hs_job_sum *sum);
#define HS_AS_JOB_RANGE(sum) hs_job_range((char[HS_RATIO_TEXT]){0}, sum)
/* The same without brackets, for a cell; NULL. */
const char *hs_job_range_cell(char text[HS_RATIO_TEXT], const struct hs_job_sum *sum);
/* "; 90 % interval 1.02x to 2.09x; faster in 97 % of samples"; "" likewise. What is faster in
 * nearly all has the interval alone. */
#define HS_GAIN_TEXT 96
char *hs_job_gain_range(char text[HS_GAIN_TEXT], const struct hs_job_verdict *verdict);
#define HS_AS_JOB_GAIN_RANGE(verdict) hs_job_gain_range((char[HS_GAIN_TEXT]){0}, verdict)

#endif
