#include "show/jobs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROWS_WANTED 3 /* for which assumptions are left to --details */

void hs_job_page_begin(struct hs_job_page *page, struct hs_sheet *sheet, bool details)
{
    *page = (struct hs_job_page){.sheet = sheet, .details = details};
}

void hs_job_page_add(const struct hs_job_page *page, struct hs_text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    hs_sheet_append_line(page->sheet, text, format, arguments);
    va_end(arguments);
}

void hs_job_page_add_commands(struct hs_job_page *page, const char *word,
                              const struct hs_job_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        hs_text_append(&page->tail, "%s%s\n", i == 0 ? word : "      ", lines->items[i]);
}

void hs_job_page_add_lines(struct hs_job_page *page, const char *word,
                           const struct hs_job_lines *lines)
{
    for (size_t i = 0; i < lines->count && (i == 0 || page->details); i++)
        hs_job_page_add(page, &page->tail, "%s%s", i == 0 ? word : "", lines->items[i]);
}

/* Drops the last lines, what goes on among them, until so many rows fit. */
static void shorten(struct hs_job_page *page, size_t others, size_t rows)
{
    struct hs_text *tail = &page->tail;

    while (tail->length > 0 &&
           others + hs_sheet_lines(page->sheet, tail) + rows > HS_ANSWER_LINES) {
        bool goes_on;

        do {
            tail->length--;
            while (tail->length > 0 && tail->data[tail->length - 1] != '\n')
                tail->length--;
            goes_on = tail->data[tail->length] == ' ';
            tail->data[tail->length] = '\0';
        } while (goes_on && tail->length > 0);
    }
}

size_t hs_job_page_print(struct hs_job_page *page, size_t count)
{
    /* Two empty lines, and the heads of columns. */
    size_t others =
        hs_sheet_lines(page->sheet, &page->title) + hs_sheet_lines(page->sheet, &page->verdict) + 3;

    if (!page->details)
        shorten(page, others, count < ROWS_WANTED ? count : ROWS_WANTED);
    hs_sheet_say(page->sheet, "%s\n", page->title.data ? page->title.data : "");
    hs_sheet_stress(page->sheet, "%s", page->verdict.data ? page->verdict.data : "");
    hs_sheet_say(page->sheet, "\n");
    others += hs_sheet_lines(page->sheet, &page->tail);
    return page->details || others + 2 > HS_ANSWER_LINES ? page->details ? SIZE_MAX : 2
                                                         : HS_ANSWER_LINES - others;
}

enum hs_status hs_job_page_end(struct hs_job_page *page, struct hs_error *err)
{
    bool failed = page->title.failed || page->verdict.failed || page->tail.failed;
    enum hs_status status;

    hs_sheet_say(page->sheet, "%s", page->tail.data ? page->tail.data : "");
    hs_text_release(&page->title);
    hs_text_release(&page->verdict);
    hs_text_release(&page->tail);
    status = hs_sheet_end(page->sheet, err);
    return failed ? hs_no_memory(err) : status;
}

char *hs_job_ratio(char text[HS_RATIO_TEXT], double ratio)
{
    if (fabs(ratio - 1) < 0.005)
        snprintf(text, HS_RATIO_TEXT, "the same");
    else if (ratio > 0 && ratio < 1)
        snprintf(text, HS_RATIO_TEXT, "%s faster", HS_AS_GAIN(1 / ratio));
    else
        snprintf(text, HS_RATIO_TEXT, "%s slower", HS_AS_GAIN(ratio));
    return text;
}

const char *hs_job_range_cell(char text[HS_RATIO_TEXT], const struct hs_job_sum *sum)
{
    if (!(sum->low_seconds < sum->high_seconds))
        return NULL;
    snprintf(text, HS_RATIO_TEXT, "%s", HS_AS_RANGE(sum->low_seconds, sum->high_seconds));
    return text;
}

char *hs_job_range(char text[HS_RATIO_TEXT], const struct hs_job_sum *sum)
{
    text[0] = '\0';
    if (sum->low_seconds < sum->high_seconds)
        snprintf(text, HS_RATIO_TEXT, " (90 %% interval %s)",
                 HS_AS_RANGE(sum->low_seconds, sum->high_seconds));
    return text;
}

char *hs_job_gain_range(char text[HS_GAIN_TEXT], const struct hs_job_verdict *verdict)
{
    struct hs_gain gain = {verdict->gain, verdict->gain_low, verdict->gain_high, verdict->share};
    int length = 0;

    text[0] = '\0';
    if (isfinite(verdict->gain_low))
        length = snprintf(text, HS_GAIN_TEXT, "; 90 %% interval %s", HS_AS_GAIN_RANGE(&gain));
    if (length > 0 && verdict->share < 0.99)
        snprintf(text + length, HS_GAIN_TEXT - (size_t)length, "; faster in %s samples",
                 HS_AS_SHARE(verdict->share));
    return text;
}
