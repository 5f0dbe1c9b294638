/* outcome.c - see outcome.h. */
#include "runner/outcome.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "answer/figures.h"
#include "base/units.h"
#include "runner/report.h"
#include "show/terminal.h"

static size_t count_status(const struct hs_campaign *campaign, enum hs_measure_status status)
{
    size_t count = 0;

    for (size_t i = 0; i < campaign->size_count; i++)
        for (size_t j = 0; j < campaign->sizes[i].race.count; j++)
            count += campaign->sizes[i].race.items[j].status == status;
    return count;
}

/* Nothing is left to try again. */
static bool is_whole(const struct hs_campaign *campaign)
{
    bool whole = true;

    if (campaign->settings.calibrate)
        return campaign->grid.measured_tasks == campaign->grid.plan.count;
    for (int status = 0; status < HS_MEASURE_STATUS_COUNT; status++)
        whole = whole && (status == HS_MEASURE_OK ||
                          count_status(campaign, (enum hs_measure_status)status) == 0);
    return whole;
}

/* Anything at all? An old file is not replaced by nothing. */
static bool has_news(const struct hs_campaign *campaign)
{
    for (size_t i = 0; i < campaign->size_count; i++) {
        const struct hs_size_run *run = &campaign->sizes[i];

        for (size_t j = 0; run->begun && j < run->race.count; j++)
            if (run->race.items[j].seconds.count > 0 || run->race.items[j].status != HS_MEASURE_OK)
                return true;
    }
    return campaign->grid.measured_tasks > 0;
}

/* A line each. */
static void say(struct hs_campaign *campaign, const struct hs_text *notes)
{
    struct hs_lines lines = {.next = notes->data};

    hs_progress_line_clear(&campaign->progress.line);
    while (hs_lines_next(&lines))
        hs_progress_note(&campaign->progress, "%.*s", (int)lines.length, lines.line);
}

/* Locked. Makes the report of what was measured and writes its file; `why`: what cut the campaign
 * short, NULL: nothing. */
static enum hs_status write_report(struct hs_report *report, struct hs_campaign *campaign,
                                   const char *why, struct hs_error *err)
{
    enum hs_status status = hs_report_fill(report, campaign, why, err);

    if (status == HS_OK && campaign->settings.campaign.output)
        status = hs_report_save(report, campaign, err);
    say(campaign, &report->notes);
    return status;
}

/* The report for people, on stdout, or on what is left of it. */
static enum hs_status print_report(const struct hs_report *report,
                                   const struct hs_campaign *campaign, struct hs_error *err)
{
    const struct hs_campaign_options *options = &campaign->settings.campaign;
    bool to_stdout = options->output && strcmp(options->output, "-") == 0;
    FILE *stream = to_stdout ? stderr : stdout;
    struct hs_terminal terminal = hs_terminal_look(fileno(stream));
    struct hs_text text = {0};
    enum hs_status status;

    /* Open MPI's launcher gives its ranks a terminal of its own, wherever the output really goes:
     * colors are there where they are asked for. */
    if (campaign->ranks.np > 1)
        terminal.color = false;
    if (to_stdout && options->quiet)
        return HS_OK;
    status = hs_report_print(&text, report, campaign, &terminal, err);
    if (status == HS_OK &&
        (fwrite(text.data, 1, text.length, stream) != text.length || fflush(stream) != 0))
        status = hs_fail(err, HS_IO, "standard output: %s", strerror(errno));
    hs_text_release(&text);
    return status;
}

/* The first arm whose data was wrong, and how many others; or a size where none can be used. */
static enum hs_status check_usable(const struct hs_campaign *campaign,
                                   const struct hs_result *result, struct hs_error *err)
{
    const struct hs_campaign_options *options = &campaign->settings.campaign;
    bool has_journal = options->journal || (options->output && strcmp(options->output, "-") != 0);
    size_t wrong = count_status(campaign, HS_MEASURE_WRONG);
    char more[64] = "";

    if (wrong > 1)
        snprintf(more, sizeof(more), "; so were %zu more", wrong - 1);
    for (size_t i = 0; wrong > 0 && i < campaign->size_count; i++)
        for (size_t j = 0; j < campaign->sizes[i].race.count; j++) {
            const struct hs_arm *item = &campaign->sizes[i].race.items[j];

            if (item->status == HS_MEASURE_WRONG)
                return hs_fail(err, HS_WRONG, "the data of %s was wrong at %s: %s%s", item->name,
                               HS_AS_BYTES(campaign->sizes[i].bytes), item->reason, more);
        }
    for (size_t i = 0; i < result->message_count; i++)
        if (result->messages[i].best.chunks == 0 || !result->messages[i].candidates[0].measured ||
            result->messages[i].candidates[0].measured->status != HS_MEASURE_OK)
            return hs_fail(err, HS_FAILED, "no candidate was measured without fault at %s%s",
                           HS_AS_BYTES(result->messages[i].message_bytes),
                           has_journal && !options->retry
                               ? "; --resume --retry runs time-outs and failures again"
                               : "");
    return HS_OK;
}

enum hs_status hs_outcome_save(struct hs_campaign *campaign, enum hs_status status,
                               struct hs_error *err)
{
    struct hs_report report = {0};
    struct hs_error second = {0};
    enum hs_status written = HS_OK, printed;
    char why[HS_ERROR_MESSAGE_BYTES];

    if (status == HS_OK && campaign->settings.campaign.verbose)
        hs_progress_note(
            &campaign->progress, "the backend held at most %s per rank",
            hs_bytes_figure((char[HS_FIGURE_TEXT]){0}, (double)campaign->memory_bytes));
    hs_guard_expect(campaign->guard, "writing what was measured", HS_GUARD_NOBODY, INFINITY);
    hs_guard_lock(campaign->guard);
    if (status == HS_OK) {
        status = write_report(&report, campaign, NULL, err);
        if (status == HS_OK) {
            /* What is written needs no journal, whatever becomes of the tables. */
            hs_journal_close(&campaign->journal,
                             is_whole(campaign) && !campaign->settings.campaign.journal);
            printed = print_report(&report, campaign, err);
            status = check_usable(campaign, &report.result, err);
            status = status == HS_OK ? printed : status;
        }
    } else if (campaign->settings.campaign.output && has_news(campaign)) {
        snprintf(why, sizeof(why), "%s", err->message);
        written = write_report(&report, campaign, why, &second);
        if (written != HS_OK)
            hs_error_set(err, status, "%.500s; and %.500s", why, second.message);
    }
    hs_guard_finishing(campaign->guard, hs_status_exit(status));
    hs_guard_unlock(campaign->guard);
    hs_report_release(&report);
    return status;
}

/* ---- cut short ----------------------------------------------------------------------------- */

/* Where what took too long was a stage alone, its layer cannot be measured; else an arm of the
 * race. */
static void mark_timeout(struct hs_campaign *campaign, const struct hs_guard_end *end)
{
    const struct hs_step *step = &campaign->step;
    bool racing = campaign->current < campaign->size_count;
    char why[HS_REASON_BYTES];
    struct hs_journal_layer line = {.point.key = step->task.stage, .failed = why};
    struct hs_error ignored; /* what matters is said in any case */

    if (end->event != HS_GUARD_TIMEOUT)
        return;
    snprintf(why, sizeof(why), "%s took more than %s", end->what, HS_AS_TIME(end->limit_seconds));
    if (!step->end && step->task.kind == HS_TASK_STAGE)
        hs_journal_write_layer(&campaign->journal,
                               racing ? campaign->sizes[campaign->current].bytes
                                      : campaign->settings.campaign.sizes.last,
                               &line, &ignored);
    else if (racing && end->subject != HS_GUARD_NOBODY)
        hs_race_fault(&campaign->sizes[campaign->current].race, end->subject, HS_MEASURE_TIMEOUT,
                      why);
}

void hs_outcome_cut_short(void *context, const struct hs_guard_end *end)
{
    struct hs_campaign *campaign = context;
    const char *output = campaign->settings.campaign.output;
    const char *journal = campaign->journal.path;
    bool saves;
    struct hs_report report = {0};
    struct hs_error error = {0};
    char why[HS_GUARD_END_TEXT];
    enum hs_status status = HS_OK;

    hs_guard_end_format(why, end);
    mark_timeout(campaign, end);
    saves = output && has_news(campaign);
    hs_progress_line_clear(&campaign->progress.line);
    if (campaign->planner && campaign->planner->journal)
        campaign->planner->journal(campaign);
    hs_campaign_sync(campaign);
    if (saves)
        status = write_report(&report, campaign, why, &error);
    fprintf(stderr, "hiersearch measure: %s", why);
    if (status != HS_OK)
        fprintf(stderr, "; %s", error.message);
    else if (saves)
        fprintf(stderr, "; %s has what was measured", output);
    else if (journal && campaign->lazy)
        fprintf(stderr, "; %s has the layers that were measured", journal);
    else if (campaign->settings.calibrate)
        fprintf(stderr, "; nothing was measured before");
    fprintf(stderr, "%s\n",
            journal && (saves || campaign->lazy) ? ", --resume goes on from there" : "");
    hs_report_release(&report);
}
