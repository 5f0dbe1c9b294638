#include "api/compared.h"

#include <inttypes.h>

#include "base/notes.h"
#include "view/changes.h"

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

/* ---- two profiles of a job ---- */

enum hs_status hs_compared_profiles_check(const char *first, size_t count,
                                          const struct hs_compared_settings *settings,
                                          const char *other, struct hs_error *err)
{
    const char *option = settings->size       ? "size"
                         : other              ? other
                         : settings->widen    ? "widen"
                         : settings->keep > 0 ? "keep"
                                              : NULL;

    if (count != 2)
        return hs_fail(err, HS_INVALID,
                       "%s is the profile of a job: expected another one to compare it with, found "
                       "%zu file%s",
                       first, count, count == 1 ? "" : "s");
    if (option)
        return hs_fail(err, HS_INVALID, "%s is the profile of a job: expected no --%s", first,
                       option);
    return HS_OK;
}

enum hs_status hs_compared_profiles_show(struct hs_sheet *sheet, const struct hs_profile *before,
                                         const struct hs_profile *after, char *const names[2],
                                         struct hs_error *err)
{
    enum hs_status status;

    if (before->ranks != after->ranks)
        return hs_fail(err, HS_INVALID, "%s is of %" PRId64 " ranks, %s of %" PRId64, names[0],
                       before->ranks, names[1], after->ranks);
    status = hs_changes_show(sheet, before, after, err);
    return status == HS_OK ? hs_sheet_end(sheet, err) : status;
}
