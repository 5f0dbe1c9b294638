#include "answer/exports.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/notes.h"
#include "model/rules.h"
#include "version.h"

#define MADE_BY "hiersearch " HS_VERSION

const char *const *hs_export_words(void)
{
    static _Thread_local const char *names[64];
    size_t count = 0;

    for (; count < 63 && hs_exporters[count]; count++)
        names[count] = hs_exporters[count]->name;
    names[count] = NULL;
    return names;
}

/* ---- which message --------------------------------------------------------------------------- */

/* "1MiB, 64MiB": the sizes there are, or the first few of them. */
static void append_sizes(struct hs_text *text, const struct hs_result *result)
{
    char size[HS_UNIT_TEXT];

    for (size_t i = 0; i < result->message_count && i < 16; i++)
        hs_text_append(text, "%s%s", i ? ", " : "",
                       hs_bytes_format(size, result->messages[i].message_bytes));
    if (result->message_count > 16)
        hs_text_append(text, ", ...");
}

/* The nearest size stands for others up to so many times as large or small. */
#define NEAR_ENOUGH 4.0

/* How many times as large or small as a message of the result. */
static double times_off(const struct hs_result *result, size_t message, uint64_t bytes)
{
    double ratio = (double)result->messages[message].message_bytes / (double)bytes;

    return ratio < 1 ? 1 / ratio : ratio;
}

static enum hs_status find_size(const struct hs_exports *exports, struct hs_export_job *job,
                                struct hs_error *err)
{
    const struct hs_result *result = job->result;
    const char *asked = exports->settings->size;
    struct hs_text sizes = {0};
    uint64_t bytes;
    enum hs_status status = hs_bytes_parse(&bytes, asked, err);

    if (status != HS_OK)
        return hs_error_prefix(err, status, "--size");
    job->message = 0;
    for (size_t i = 1; i < result->message_count; i++)
        if (times_off(result, i, bytes) < times_off(result, job->message, bytes))
            job->message = i;
    if (result->message_count > 0 && times_off(result, job->message, bytes) <= NEAR_ENOUGH) {
        if (times_off(result, job->message, bytes) > 1)
            hs_say_note(
                exports->notes, "%s has no %s: exported is what is best for %s, the nearest size",
                job->result_name, asked, HS_AS_BYTES(result->messages[job->message].message_bytes));
        return HS_OK;
    }
    append_sizes(&sizes, result);
    status = hs_fail(err, HS_INVALID, "--size %s: %s has %s", asked, job->result_name,
                     sizes.data ? sizes.data : "no message size");
    hs_text_release(&sizes);
    return status;
}

/* The nearest to the size that costs the job most. */
static size_t costliest_message(const struct hs_result *result,
                                const struct hs_profile_load *called)
{
    const struct hs_profile_size *most = &called->sizes[0];
    size_t message = 0;

    for (size_t i = 1; i < called->size_count; i++)
        if (called->sizes[i].cost > most->cost)
            most = &called->sizes[i];
    for (size_t i = 1; i < result->message_count; i++)
        if (times_off(result, i, most->bytes) < times_off(result, message, most->bytes))
            message = i;
    return message;
}

/* Without --size that of a job, or the largest message: there the layers matter most. */
static enum hs_status choose_message(const struct hs_exports *exports, struct hs_export_job *job,
                                     const struct hs_exporter *exporter, struct hs_error *err)
{
    const struct hs_result *result = job->result;

    if (exports->settings->size)
        return find_size(exports, job, err);
    if (result->message_count == 0)
        return HS_OK; /* hs_export says it */
    job->message = job->called ? costliest_message(result, job->called) : result->message_count - 1;
    if (result->message_count > 1 && !exporter->sizes)
        hs_say_note(exports->notes, "of %zu message sizes %s is exported, %s; --size chooses",
                    result->message_count,
                    job->called ? "the nearest to what costs the job most" : "the largest",
                    HS_AS_BYTES(result->messages[job->message].message_bytes));
    return HS_OK;
}

/* ---- results --------------------------------------------------------------------------------- */

enum hs_status hs_export_check(const struct hs_export_question *asked, bool more,
                               struct hs_error *err)
{
    const struct hs_exports_settings *settings = &asked->settings;

    if (!asked->list && asked->print.format)
        return hs_fail(err, HS_INVALID, "--format: of --list; what is exported has its own, --to");
    if (asked->list &&
        (more || asked->profile || settings->format || settings->plan || settings->size))
        return hs_fail(err, HS_INVALID, "--list: stands alone");
    return HS_OK;
}

enum hs_status hs_exports_begin(struct hs_exports *exports, struct hs_error *err)
{
    const struct hs_exports_settings *settings = exports->settings;
    const struct hs_exporter *exporter;
    enum hs_status status;

    if (!settings->format)
        return hs_fail(err, HS_INVALID, "expected --to FORMAT; --list names the formats");
    status = hs_exporter_find(&exporter, settings->format, err);
    if (status == HS_OK && exports->second && !hs_exporter_takes_several(exporter))
        return hs_fail(err, HS_INVALID,
                       "--to %s: expected one RESULT, found %s, too; plans holds several",
                       settings->format, exports->second);
    if (status == HS_OK && exports->second && (settings->plan || settings->size))
        return hs_fail(err, HS_INVALID, "--%s: of one RESULT", settings->plan ? "plan" : "size");
    if (status == HS_OK && exports->profile)
        status = hs_profile_loads(&exports->loads, &exports->load_count, exports->profile, err);
    return status;
}

static const struct hs_profile_load *find_called(const struct hs_exports *exports,
                                                 const struct hs_result *result)
{
    struct hs_group group = hs_result_group(result);

    for (size_t i = 0; i < exports->load_count; i++)
        if (exports->loads[i].collective == result->collective &&
            hs_group_equal(&exports->loads[i].group, &group))
            return &exports->loads[i];
    return NULL;
}

static enum hs_status run_job(const struct hs_exports *exports, struct hs_export_job *job,
                              struct hs_export_output *output, struct hs_error *err)
{
    const struct hs_exports_settings *settings = exports->settings;
    const struct hs_exporter *exporter;
    struct hs_plan plan;
    enum hs_status status = hs_exporter_find(&exporter, settings->format, err);

    if (status == HS_OK && settings->plan) {
        status = hs_plan_parse(&plan, settings->plan, hs_result_group(job->result).size, err);
        if (status != HS_OK)
            return hs_error_prefix(err, status, "--plan");
        job->plan = &plan;
    }
    if (status == HS_OK)
        status = choose_message(exports, job, exporter, err);
    if (status == HS_OK)
        status = hs_export(output, exporter, job, err);
    job->plan = NULL;
    return status;
}

/* Of several results the text goes behind that of those before. */
static void join_output(struct hs_export_output *all, struct hs_export_output *output)
{
    if (all->count == 0) {
        *all = *output;
        return;
    }
    hs_text_append_bytes(&all->files[0].text, output->files[0].text.data,
                         output->files[0].text.length);
    if (output->notes.length > 0)
        hs_text_append_bytes(&all->notes, output->notes.data, output->notes.length);
    hs_export_output_release(output);
}

/* Who names a plan gets it. */
static bool is_own(const struct hs_exports *exports, const struct hs_result *result)
{
    const struct hs_exporter *exporter;

    return !exports->settings->plan &&
           hs_exporter_find(&exporter, exports->settings->format, NULL) == HS_OK &&
           hs_export_is_own(exporter, result);
}

static enum hs_status keep_own(struct hs_exports *exports, const struct hs_export_job *job,
                               struct hs_error *err)
{
    struct hs_export_job *own = hs_grow(&exports->own, NULL, exports->own_count, sizeof(*own), err);

    if (!own)
        return HS_MEMORY;
    *own = *job;
    exports->own_count++;
    return HS_OK;
}

static enum hs_status export_own(struct hs_exports *exports, struct hs_error *err)
{
    const struct hs_exporter *exporter;
    enum hs_status status = hs_exporter_find(&exporter, exports->settings->format, err);

    return status == HS_OK
               ? hs_export_own(&exports->output, exporter, exports->own, exports->own_count, err)
               : status;
}

enum hs_status hs_exports_add(struct hs_exports *exports, struct hs_result *result,
                              const char *name, struct hs_error *err)
{
    struct hs_export_output output = {0};
    struct hs_export_job job = {
        .result = result,
        .result_name = name,
        .made_by = HS_GIT_DESCRIBE[0] ? MADE_BY " (" HS_GIT_DESCRIBE ")" : MADE_BY,
    };
    enum hs_status status = HS_OK;

    hs_result_sort(result);
    if (exports->profile && exports->profile->ranks != result->np)
        return hs_fail(err, HS_INVALID, "%s: of %" PRId64 " processes, %s of %" PRId64, name,
                       result->np, exports->profile_name, exports->profile->ranks);
    if (exports->profile)
        job.called = find_called(exports, result);
    if (exports->profile && !job.called)
        hs_say_note(exports->notes, "%s is about what the job does not call: left out", name);
    else if (is_own(exports, result))
        status = keep_own(exports, &job, err);
    else if (exports->second && strcmp(exports->settings->format, "rules") != 0)
        return hs_fail(err, HS_INVALID,
                       "%s: has no times of the library's own algorithms (measure --native), which "
                       "--to %s of several results is about",
                       name, exports->settings->format);
    else
        status = run_job(exports, &job, &output, err);
    if (status == HS_OK && output.count > 0)
        join_output(&exports->output, &output);
    if (status == HS_OK && !result->complete)
        hs_say_warning(exports->notes, "%s is of a run that was cut short%s%s", name,
                       result->note ? ": " : "", result->note ? result->note : "");
    return status;
}

enum hs_status hs_exports_end(struct hs_exports *exports, struct hs_error *err)
{
    struct hs_rules rules = {.count = 0};
    enum hs_status status = HS_OK;

    if (exports->own_count > 0)
        return export_own(exports, err);
    if (exports->output.count == 0)
        return hs_fail(err, HS_INVALID, "no RESULT is about what the job of %s calls",
                       exports->profile_name);
    if (exports->second)
        status = hs_rules_parse(&rules, exports->output.files[0].text.data, err);
    hs_rules_release(&rules);
    return status == HS_OK ? HS_OK : hs_error_prefix(err, status, "rules of these results");
}

void hs_exports_say(struct hs_exports *exports)
{
    hs_say_notes(exports->notes, exports->output.notes.data);
}

void hs_exports_release(struct hs_exports *exports)
{
    hs_export_output_release(&exports->output);
    free(exports->own);
    free(exports->loads);
}
