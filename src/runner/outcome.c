/* outcome.c - see outcome.h. */
#include "runner/outcome.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "runner/report.h"
#include "answer/figures.h"
#include "show/terminal.h"

/* MPI_Finalize can hang (Debian's MPICH 4.0.2 over TCP does): everything is on disk by then. */
#define FINALIZE_SECONDS 5.0

static void write_one(struct hs_session *session, const struct hs_bout *bout,
                      struct hs_contestant *item)
{
    struct hs_error error;

    if (hs_journal_wants(item))
        hs_campaign_journaled(
            &session->campaign,
            hs_journal_write(&session->campaign.journal, bout->bytes, item, &error), &error);
}

void hs_outcome_journal_one(struct hs_session *session, const struct hs_bout *bout,
                            struct hs_contestant *item)
{
    write_one(session, bout, item);
    hs_campaign_sync(&session->campaign);
}

void hs_outcome_journal(struct hs_session *session)
{
    for (size_t b = 0; b < session->bout_count; b++)
        for (size_t i = 0; session->bouts[b].begun && i < session->bouts[b].contest.count; i++)
            write_one(session, &session->bouts[b], &session->bouts[b].contest.items[i]);
    hs_campaign_sync(&session->campaign);
}

/* ---- the end ------------------------------------------------------------------------------- */

static size_t count_status(const struct hs_session *session, enum hs_measure_status status)
{
    size_t count = 0;

    for (size_t b = 0; b < session->bout_count; b++)
        for (size_t i = 0; i < session->bouts[b].contest.count; i++)
            count += session->bouts[b].contest.items[i].status == status;
    return count;
}

static bool all_measured(const struct hs_session *session)
{
    for (int status = 0; status < HS_MEASURE_STATUS_COUNT; status++)
        if (status != HS_MEASURE_OK && count_status(session, (enum hs_measure_status)status) > 0)
            return false;
    return true;
}

/* The first contestant whose data was wrong, and how many others. */
static enum hs_status fail_wrong(const struct hs_session *session, struct hs_error *err)
{
    size_t others = count_status(session, HS_MEASURE_WRONG) - 1;
    char more[64] = "", size[HS_UNIT_TEXT];

    if (others)
        snprintf(more, sizeof(more), "; so were %zu more", others);
    for (size_t b = 0; b < session->bout_count; b++)
        for (size_t i = 0; i < session->bouts[b].contest.count; i++) {
            const struct hs_contestant *item = &session->bouts[b].contest.items[i];

            if (item->status == HS_MEASURE_WRONG)
                return hs_fail(err, HS_WRONG, "the data of %s was wrong at %s: %s%s", item->name,
                               hs_bytes_format(size, session->bouts[b].bytes), item->reason, more);
        }
    return HS_OK;
}

/* The tables, on stdout, or on what is left of it. */
static enum hs_status print_tables(const struct hs_session *session, const struct hs_result *result,
                                   struct hs_error *err)
{
    const char *output = session->settings.campaign.output;
    bool to_stdout = output && strcmp(output, "-") == 0;
    FILE *stream = to_stdout ? stderr : stdout;
    struct hs_terminal terminal = hs_terminal_look(fileno(stream));
    struct hs_text text = {0};
    enum hs_status status;

    /* Open MPI's launcher gives its ranks a terminal of its own, wherever the output really goes:
     * colours are there where they are asked for. */
    if (session->campaign.ranks.np > 1)
        terminal.colour = false;
    if (to_stdout && session->settings.campaign.quiet)
        return HS_OK;
    status = hs_report_print(&text, session, result, &terminal, err);
    if (status != HS_OK)
        return status;
    if (fwrite(text.data, 1, text.length, stream) != text.length || fflush(stream) != 0)
        status = hs_fail(err, HS_IO, "standard output: %s", strerror(errno));
    hs_text_release(&text);
    return status;
}

static void note_memory(struct hs_session *session)
{
    char memory[HS_FIGURE_TEXT];

    if (session->settings.campaign.verbose)
        hs_progress_note(&session->campaign.progress, "the backend held at most %s per rank",
                         hs_bytes_figure(memory, (double)session->campaign.memory_bytes));
}

static enum hs_status check_usable(const struct hs_session *session, const struct hs_result *result,
                                   struct hs_error *err)
{
    const struct hs_measure_settings *settings = &session->settings;
    bool has_journal = settings->campaign.journal ||
                       (settings->campaign.output && strcmp(settings->campaign.output, "-") != 0);
    char size[HS_UNIT_TEXT];

    for (size_t i = 0; i < result->message_count; i++)
        if (result->messages[i].best.chunks == 0 || !result->messages[i].candidates[0].measured ||
            result->messages[i].candidates[0].measured->status != HS_MEASURE_OK)
            return hs_fail(err, HS_FAILED, "no candidate was measured without fault at %s%s",
                           hs_bytes_format(size, result->messages[i].message_bytes),
                           has_journal && !settings->campaign.retry
                               ? "; --resume --retry runs time-outs and failures again"
                               : "");
    return HS_OK;
}

enum hs_status hs_outcome_save(struct hs_session *session, struct hs_error *err)
{
    struct hs_result result = {0};
    enum hs_status status, printed;

    note_memory(session);
    hs_guard_lock(session->campaign.guard);
    status = hs_report_build(&result, session, true, NULL, err);
    if (status == HS_OK)
        status = session->settings.campaign.output
                     ? hs_result_save(&result, session->settings.campaign.output, err)
                     : HS_OK;
    if (status == HS_OK) {
        /* What is written needs no journal, whatever becomes of the tables. */
        hs_journal_close(&session->campaign.journal,
                         all_measured(session) && !session->settings.campaign.journal);
        printed = print_tables(session, &result, err);
        if (count_status(session, HS_MEASURE_WRONG) > 0)
            status = fail_wrong(session, err);
        else
            status = check_usable(session, &result, err);
        status = status == HS_OK ? printed : status;
    }
    hs_guard_finishing(session->campaign.guard, hs_status_exit(status), FINALIZE_SECONDS);
    hs_guard_unlock(session->campaign.guard);
    hs_result_release(&result);
    return status;
}

/* ---- cut short ----------------------------------------------------------------------------- */

static void mark_timeout(struct hs_session *session, const struct hs_guard_end *end)
{
    char reason[HS_REASON_BYTES], limit[HS_UNIT_TEXT];

    if (end->event != HS_GUARD_TIMEOUT || session->current >= session->bout_count)
        return;
    if (hs_campaign_hung(&session->campaign, session->bouts[session->current].bytes, end))
        return;
    snprintf(reason, sizeof(reason), "%s took more than %s", end->what,
             hs_seconds_format(limit, end->limit_seconds));
    if (end->subject == HS_GUARD_NOBODY)
        return;
    hs_contest_fault(&session->bouts[session->current].contest, end->subject, HS_MEASURE_TIMEOUT,
                     reason);
}

/* Anything at all? An old result is not replaced by nothing. */
static bool has_news(const struct hs_session *session)
{
    for (size_t b = 0; b < session->bout_count; b++)
        for (size_t i = 0; session->bouts[b].begun && i < session->bouts[b].contest.count; i++)
            if (session->bouts[b].contest.items[i].seconds.count > 0 ||
                session->bouts[b].contest.items[i].status != HS_MEASURE_OK)
                return true;
    return false;
}

/* Whether there was something to write; *status says whether that worked. */
static bool save_partial(enum hs_status *status, const struct hs_session *session, const char *why,
                         struct hs_error *err)
{
    struct hs_result result = {0};

    *status = HS_OK;
    if (!session->settings.campaign.output || !has_news(session))
        return false;
    *status = hs_report_build(&result, session, false, why, err);
    if (*status == HS_OK)
        *status = hs_result_save(&result, session->settings.campaign.output, err);
    hs_result_release(&result);
    return true;
}

enum hs_status hs_outcome_failed(struct hs_session *session, enum hs_status status,
                                 struct hs_error *err)
{
    struct hs_error second = {0};
    enum hs_status saved;
    char why[HS_ERROR_MESSAGE_BYTES];

    snprintf(why, sizeof(why), "%s", err->message);
    hs_guard_lock(session->campaign.guard);
    save_partial(&saved, session, why, &second);
    hs_guard_unlock(session->campaign.guard);
    if (saved != HS_OK)
        hs_error_set(err, status, "%.500s; and %.500s", why, second.message);
    return status;
}

static void say_cut_short(const struct hs_session *session, const char *why)
{
    struct hs_error error = {0};
    enum hs_status status;
    bool saved = save_partial(&status, session, why, &error);

    if (!saved && session->lazy && session->campaign.journal.path)
        fprintf(stderr,
                "hiersearch measure: %s; %s has the layers that were measured, --resume goes on "
                "from there\n",
                why, session->campaign.journal.path);
    else if (!saved)
        fprintf(stderr, "hiersearch measure: %s\n", why);
    else if (status != HS_OK)
        fprintf(stderr, "hiersearch measure: %s; %s\n", why, error.message);
    else if (session->campaign.journal.path)
        fprintf(stderr,
                "hiersearch measure: %s; %s has what was measured, --resume goes on from there\n",
                why, session->settings.campaign.output);
    else
        fprintf(stderr, "hiersearch measure: %s; what was measured is written\n", why);
}

void hs_outcome_cut_short(void *context, const struct hs_guard_end *end)
{
    struct hs_session *session = context;
    char why[HS_GUARD_END_TEXT];

    hs_guard_end_format(why, end);
    mark_timeout(session, end);
    hs_progress_line_clear(&session->campaign.progress.line);
    hs_outcome_journal(session);
    say_cut_short(session, why);
}
