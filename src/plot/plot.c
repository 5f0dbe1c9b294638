#include "plot/plot.h"

#include <string.h>

#include "estimate/system_file.h"

const struct hs_plot_kind *const hs_plot_kinds[] = {
#define HS_ROW(name) &hs_plot_##name,
    HS_PLOT_KINDS(HS_ROW)
#undef HS_ROW
        NULL,
};

#define KIND_COUNT (sizeof(hs_plot_kinds) / sizeof(hs_plot_kinds[0]) - 1)

enum hs_status hs_plot_kind_find(const struct hs_plot_kind **kind, const char *name,
                                 struct hs_error *err)
{
    const char *names[KIND_COUNT], *nearest;

    for (size_t i = 0; i < KIND_COUNT; i++) {
        names[i] = hs_plot_kinds[i]->name;
        if (strcmp(names[i], name) == 0) {
            *kind = hs_plot_kinds[i];
            return HS_OK;
        }
    }
    nearest = hs_nearest_name(name, names, KIND_COUNT);
    return hs_fail(err, HS_INVALID, "no kind of plot is called \"%.60s\"%s%s%s", name,
                   nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                   nearest ? "\"?" : "");
}

/* Lines of levels have no name: they are the same where their figures are. */
static bool is_same_machine(const struct hs_system *a, const struct hs_system *b)
{
    return strcmp(hs_system_called(a), hs_system_called(b)) == 0 &&
           (strcmp(hs_system_called(a), HS_SYSTEM_OF_TEXT) != 0 || hs_system_equal(a, b));
}

/* A plot over several results compares what ran on one machine. A result without a machine may have
 * run anywhere. */
static enum hs_status check_machines(const struct hs_plot_job *job, struct hs_error *err)
{
    const struct hs_named_result *first = NULL;

    for (size_t i = 0; i < job->input_count; i++) {
        const struct hs_named_result *input = &job->inputs[i];

        if (!hs_result_is_alike(job->inputs[0].result, input->result))
            return hs_fail(err, HS_INVALID,
                           "results of two collectives in one plot: %s is about %s, %s about %s",
                           job->inputs[0].name,
                           hs_collective_names[job->inputs[0].result->collective], input->name,
                           hs_collective_names[input->result->collective]);
        if (!input->result->has_system)
            continue;
        if (first && !is_same_machine(&first->result->system, &input->result->system))
            return hs_fail(err, HS_INVALID,
                           "results of two machines in one plot: %s is of %s, %s is of %s",
                           first->name, hs_system_called(&first->result->system), input->name,
                           hs_system_called(&input->result->system));
        first = first ? first : input;
    }
    return HS_OK;
}

/* Of a profile one kind is, of an answer of check another, all others of results. */
static enum hs_status check_input(const struct hs_plot_kind *kind, const struct hs_plot_job *job,
                                  struct hs_error *err)
{
    static const char *const expected[] = {[HS_PLOT_RESULTS] = "results",
                                           [HS_PLOT_PROFILE] =
                                               "the profile of a job (hiersearch profile)",
                                           [HS_PLOT_CHECKED] = "the answer of check --json"};
    enum hs_plot_source source = job->checked   ? HS_PLOT_CHECKED
                                 : job->profile ? HS_PLOT_PROFILE
                                                : HS_PLOT_RESULTS;

    if (kind->of == source)
        return HS_OK;
    return hs_fail(err, HS_INVALID, "%s: expected %s, found %s%s", kind->name, expected[kind->of],
                   source == HS_PLOT_CHECKED   ? job->checked_name
                   : source == HS_PLOT_PROFILE ? job->profile_name
                                               : job->inputs[0].name,
                   source == HS_PLOT_CHECKED   ? ", an answer of check"
                   : source == HS_PLOT_PROFILE ? ", the profile of a job"
                                               : "");
}

enum hs_status hs_plot_write(struct hs_text *out, const struct hs_plot_kind *kind,
                             const struct hs_plot_job *job, struct hs_error *err)
{
    enum hs_status status = check_input(kind, job, err);

    if (status != HS_OK)
        return status;
    if (!kind->many && job->input_count > 1)
        return hs_fail(err, HS_INVALID, "%s: expected one result file, found %zu", kind->name,
                       job->input_count);
    for (size_t i = 0; i < job->input_count; i++) {
        const struct hs_named_result *input = &job->inputs[i];

        if (input->result->message_count == 0)
            return hs_fail(err, HS_INVALID, "%s: has no message size, so there is nothing to show",
                           input->name);
        if (input->result->np == 1 && !kind->single)
            return hs_fail(err, HS_INVALID,
                           "%s: is of one process, which has nothing to reduce, so there is "
                           "nothing to show",
                           input->name);
    }
    if (job->input_count > 0)
        status = check_machines(job, err);
    if (status == HS_OK)
        status = kind->write(out, job, err);
    if (status == HS_OK && out->failed)
        return hs_no_memory(err);
    return status;
}
