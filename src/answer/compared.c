#include "answer/compared.h"

#include <inttypes.h>
#include <string.h>

#include "base/notes.h"

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
    if (inputs->probe_file)
        return hs_fail(err, HS_INVALID, "%s: figures of a GPU, expected results or logs",
                       inputs->probe_file);
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
                                 .keep = (size_t)settings->beam,
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

const char *const *hs_compared_plans_words(void)
{
    static const char *const words[] = {"none", "worst", "all", NULL}; /* enum hs_compare_rows */

    return words;
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
           : question->compare.beam > 0 ? "beam"
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

enum hs_status hs_compared_check_profiles(const struct hs_inputs *inputs,
                                          const struct hs_compared_question *question,
                                          const char *other, struct hs_error *err)
{
    const struct hs_input_profile *before = inputs->profiles, *after = before + 1;
    enum hs_status status = check_profiles(inputs, option_of_results(question, other), err);

    if (status == HS_OK && before->profile.ranks != after->profile.ranks)
        return hs_fail(err, HS_INVALID, "%s is of %" PRId64 " ranks, %s of %" PRId64, before->file,
                       before->profile.ranks, after->file, after->profile.ranks);
    return status;
}
