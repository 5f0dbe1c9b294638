#include "answer/compared.h"

#include <inttypes.h>
#include <string.h>

#include "base/notes.h"
#include "show/changes.h"
#include "show/compare_show.h"

/* What prices a library's calls: the system that predicts, which then must; else the first of a
 * result that can. */
static const struct hs_system *find_pricer(const struct hs_inputs *inputs,
                                           const struct hs_system *predicts)
{
    for (size_t i = 0; i < inputs->count && !predicts; i++) {
        const struct hs_result *result = inputs->inputs[i].result;

        if (result->has_system && hs_calls_model(&result->system))
            return &result->system;
    }
    return predicts;
}

static enum hs_status gather(struct hs_compared *compared,
                             const struct hs_compared_settings *settings, struct hs_text *notes,
                             struct hs_error *err)
{
    const struct hs_inputs *inputs = compared->inputs;
    struct hs_log_options log = settings->log;

    compared->calls_system = find_pricer(inputs, compared->system);
    if (inputs->count == 0 && inputs->log_count == 0)
        return hs_fail(err, HS_INVALID, "there is nothing to compare: expected results or logs");
    if (inputs->count == 0 && !compared->system)
        return hs_fail(err, HS_INVALID,
                       "%s: a log alone: --predict SYSTEM says which machine's prices it is "
                       "compared with, or give a result of measure",
                       inputs->logs[0].file);
    log.may_lack_price = inputs->count > 0;
    hs_logs_say_ignored(notes, inputs, &log);
    return hs_logs_gather(&compared->calls, compared->calls_system, inputs, &log, err);
}

enum hs_status hs_compared_make(struct hs_compared *compared,
                                const struct hs_compared_settings *settings, struct hs_text *notes,
                                struct hs_error *err)
{
    const struct hs_inputs *inputs = compared->inputs;
    struct hs_compare_job job = {.inputs = inputs->inputs,
                                 .input_count = inputs->count,
                                 .system = compared->system,
                                 .calls = inputs->log_count > 0 ? &compared->calls : NULL,
                                 .keep = (size_t)settings->keep,
                                 .widen = settings->widen};
    struct hs_comparison *comparison = &compared->comparison;
    enum hs_status status = gather(compared, settings, notes, err);

    job.calls_system = compared->calls_system;
    if (status == HS_OK && settings->size) {
        status = hs_bytes_parse(&job.message_bytes, settings->size, err);
        if (status != HS_OK)
            hs_error_prefix(err, status, "--size");
    }
    if (status == HS_OK)
        status = hs_compare_results(comparison, &job, err);
    for (size_t i = 0; status == HS_OK && i < comparison->unused_count; i++)
        hs_say_warning(notes, "%s is not used: it %s", comparison->unused[i].input->name,
                       comparison->unused[i].why);
    return status;
}

void hs_compared_release(struct hs_compared *compared)
{
    hs_comparison_release(&compared->comparison);
    hs_call_list_release(&compared->calls);
}

/* ---- as it is printed ---- */

const char *const *hs_compared_plans_words(void)
{
    static const char *const words[] = {"none", "worst", "all", NULL}; /* enum hs_compare_rows */

    return words;
}

/* Without --plans one case shows its largest errors; several are a table. */
static enum hs_compare_rows rows_of(const struct hs_compared_words *words)
{
    const char *const *known = hs_compared_plans_words();
    int at = 0;

    while (words->plans && known[at] && strcmp(words->plans, known[at]) != 0)
        at++;
    return words->plans ? (enum hs_compare_rows)at : HS_COMPARE_WORST_ROWS;
}

static enum hs_status show(const struct hs_compare_view *view,
                           const struct hs_compared_words *words, struct hs_error *err)
{
    const struct hs_comparison *comparison = view->comparison;
    enum hs_compare_rows rows = rows_of(words);
    enum hs_status status = HS_OK;

    if (comparison->case_count == 0)
        return HS_OK;
    if (comparison->case_count == 1)
        return hs_compare_show_case(view, &comparison->cases[0], rows, err);
    for (size_t i = 0; i < comparison->case_count && words->plans && rows; i++) {
        if (status == HS_OK)
            status = hs_compare_show_case(view, &comparison->cases[i], rows, err);
        hs_sheet_say(view->sheet, "\n");
    }
    hs_compare_show_cases(view);
    hs_compare_show_growths(view);
    hs_compare_show_summary(view);
    return status;
}

enum hs_status hs_compared_print(struct hs_text *out, const struct hs_compared *compared,
                                 const struct hs_compared_words *words, const char *command,
                                 const struct hs_terminal *terminal, struct hs_error *err)
{
    struct hs_sheet sheet;
    struct hs_compare_view view = {.sheet = &sheet,
                                   .comparison = &compared->comparison,
                                   .predictor = compared->predictor,
                                   .noise = words->noise};
    const char *priced_for = compared->predictor || !compared->calls_system
                                 ? compared->predictor
                                 : hs_system_called(compared->calls_system);
    enum hs_status status, ended;

    if (hs_print_format(&words->print) == HS_FORMAT_JSON)
        return hs_comparison_print(out, view.comparison, view.predictor, command, err);
    hs_sheet_begin(&sheet, out, &words->print, terminal);
    status = show(&view, words, err);
    if (status == HS_OK)
        hs_compare_show_logs(&view, priced_for);
    ended = hs_sheet_end(&sheet, err);
    return status == HS_OK ? ended : status;
}

/* ---- two profiles of a job ---- */

/* The first option that is given and that only results have. */
static const char *option_of_results(const struct hs_compared_question *question, const char *other)
{
    return question->compare.size       ? "size"
           : other                      ? other
           : question->words.plans      ? "plans"
           : question->words.noise      ? "noise"
           : question->compare.widen    ? "widen"
           : question->compare.keep > 0 ? "keep"
                                        : NULL;
}

static enum hs_status check_profiles(const struct hs_inputs *inputs, const char *option,
                                     struct hs_error *err)
{
    size_t count = inputs->profile_count + inputs->count + inputs->log_count;
    const char *first = inputs->profiles[0].file;

    if (count != 2)
        return hs_fail(err, HS_INVALID,
                       "%s is the profile of a job: expected another one to compare it with, found "
                       "%zu file%s",
                       first, count, count == 1 ? "" : "s");
    if (option)
        return hs_fail(err, HS_INVALID, "%s is the profile of a job: expected no --%s", first,
                       option);
    if (inputs->profile_count < count)
        return hs_fail(err, HS_INVALID, "%s is the profile of a job, %s is none", first,
                       inputs->count > 0 ? inputs->inputs[0].name : inputs->logs[0].file);
    return HS_OK;
}

enum hs_status hs_compared_profiles_show(struct hs_sheet *sheet, const struct hs_inputs *inputs,
                                         const struct hs_compared_question *question,
                                         const char *other, struct hs_error *err)
{
    enum hs_status status = check_profiles(inputs, option_of_results(question, other), err);
    const struct hs_input_profile *before = inputs->profiles, *after = before + 1;

    if (status != HS_OK)
        return status;
    if (before->profile.ranks != after->profile.ranks)
        return hs_fail(err, HS_INVALID, "%s is of %" PRId64 " ranks, %s of %" PRId64, before->file,
                       before->profile.ranks, after->file, after->profile.ranks);
    status = hs_changes_show(sheet, &before->profile, &after->profile, err);
    return status == HS_OK ? hs_sheet_end(sheet, err) : status;
}
