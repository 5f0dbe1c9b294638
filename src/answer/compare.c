#include "answer/compare.h"

#include <stdlib.h>
#include <string.h>

#include "answer/cases.h"

static enum hs_status check_inputs(const struct hs_compare_job *job, struct hs_error *err)
{
    for (size_t i = 0; i < job->input_count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct hs_named_result *a = &job->inputs[k], *b = &job->inputs[i];

            if (strcmp(a->name, b->name) == 0)
                return hs_fail(err, HS_INVALID, "%s: is given twice, its cases would count twice",
                               b->name);
            if (!hs_result_is_alike(a->result, b->result))
                return hs_fail(err, HS_INVALID, "%s: is about %s, %s about %s", b->name,
                               hs_collective_names[b->result->collective], a->name,
                               hs_collective_names[a->result->collective]);
        }
    return HS_OK;
}

/* The first file that could be half of a case: a measured one, else the first. */
static enum hs_status fail_nothing(const struct hs_compare_job *job, struct hs_error *err)
{
    const struct hs_named_result *input = &job->inputs[0];
    char why[256];

    for (size_t i = 0; i < job->input_count; i++)
        if (hs_compare_has_measured(&job->inputs[i], 0)) {
            hs_compare_say_why(why, sizeof(why), job, &job->inputs[i]);
            return hs_fail(err, HS_INVALID, "%s: %s", job->inputs[i].name, why);
        }
    return hs_fail(err, HS_INVALID,
                   "%s: has no measured candidate%s; measure with `hiersearch measure SYSTEM`, or "
                   "simulate",
                   input->name, job->input_count > 1 ? ", nor has any other of the files" : "");
}

static bool is_used(const struct hs_comparison *comparison, const struct hs_compare_job *job,
                    const struct hs_named_result *input)
{
    if (job->calls_system && job->calls_system == hs_compare_system_of(input->result))
        return true;
    for (size_t i = 0; i < comparison->case_count; i++)
        if (comparison->cases[i].measured == input || comparison->cases[i].predicted == input)
            return true;
    for (size_t i = 0; i < comparison->log_count; i++)
        if (comparison->logs[i].measured == input)
            return true;
    return false;
}

static enum hs_status list_unused(struct hs_comparison *out, const struct hs_compare_job *job,
                                  struct hs_error *err)
{
    out->unused = calloc(job->input_count + 1, sizeof(*out->unused));
    if (!out->unused)
        return hs_no_memory(err);
    for (size_t i = 0; i < job->input_count; i++) {
        struct hs_compare_unused *unused = &out->unused[out->unused_count];

        if (is_used(out, job, &job->inputs[i]))
            continue;
        unused->input = &job->inputs[i];
        hs_compare_say_why(unused->why, sizeof(unused->why), job, unused->input);
        out->unused_count++;
    }
    return HS_OK;
}

enum hs_status hs_compare_results(struct hs_comparison *out, const struct hs_compare_job *job,
                                  struct hs_error *err)
{
    enum hs_status status = check_inputs(job, err);

    *out = (struct hs_comparison){.keep = job->keep ? job->keep : HS_COMPARE_KEEP,
                                  .widen = job->widen};
    if (status == HS_OK)
        status = hs_compare_find_cases(out, job, err);
    if (status == HS_OK)
        status = hs_compare_take_logs(out, job, err);
    if (status == HS_OK && out->case_count == 0 && out->log_count == 0)
        status = fail_nothing(job, err);
    if (status == HS_OK)
        status = list_unused(out, job, err);
    if (status == HS_OK)
        status = hs_compare_find_growths(out, err);
    if (status == HS_OK)
        hs_compare_summarise(out);
    else
        hs_comparison_release(out);
    return status;
}

void hs_comparison_release(struct hs_comparison *comparison)
{
    for (size_t i = 0; i < comparison->case_count; i++)
        free(comparison->cases[i].points);
    free(comparison->cases);
    free(comparison->growths);
    free(comparison->logs);
    free(comparison->unused);
    *comparison = (struct hs_comparison){.case_count = 0};
}
