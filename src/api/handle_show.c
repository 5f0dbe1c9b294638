/* Answers of the library as the commands print them. */
#include <string.h>

#include "api/handles.h"

static enum hs_status expect_handles(bool there, const char *kind, const char *wanted,
                                     struct hs_error *err)
{
    return there ? HS_OK : hs_fail(err, HS_INVALID, "%s: expected %s", kind, wanted);
}

static enum hs_status show(struct hs_text *out, struct hs_text *notes,
                           const struct hiersearch_question *question,
                           struct hiersearch_system *system, const struct hiersearch_inputs *inputs,
                           struct hs_error *err)
{
    const char *kind = question ? question->kind->name : "";
    const struct hs_compared_handles handles = {inputs, system};
    enum hs_status status = hs_expect(question, "a question", err);

    if (status != HS_OK)
        return status;
    if (strcmp(kind, "predict") == 0) {
        status = expect_handles(!system != !inputs, kind,
                                "a system, or the results that measured a job's calls", err);
        if (status != HS_OK)
            return status;
        return system ? hs_predict_page(out, notes, system, question, NULL, err)
                      : hs_predict_measured_page(out, inputs, question, NULL, err);
    }
    if (strcmp(kind, "place") == 0)
        return hs_place_page(out, notes, system, question, NULL, err);
    if (strcmp(kind, "shard") == 0)
        return hs_shard_page(out, notes, system, question, NULL, err);
    if (strcmp(kind, "check") == 0) {
        status = expect_handles(inputs, kind, "inputs: logs", err);
        return status ? status : hs_check_page(out, notes, &handles, question, NULL, err);
    }
    if (strcmp(kind, "compare") == 0) {
        status = expect_handles(inputs, kind, "inputs, which are compared", err);
        return status ? status : hs_compare_page(out, notes, &handles, question, NULL, err);
    }
    if (strcmp(kind, "fit") == 0) {
        status = expect_handles(system && inputs, kind, "a system, and inputs", err);
        return status ? status : hs_fit_page(out, notes, &handles, question, err);
    }
    if (strcmp(kind, "simulate") == 0) {
        status = expect_handles(inputs, kind, "inputs: the result that was simulated", err);
        return status ? status : hs_simulated_page(out, notes, inputs, question, err);
    }
    if (strcmp(kind, "systems") == 0)
        return hs_systems_page(out, notes, system, question, err);
    if (strcmp(kind, "profile") == 0) {
        status = expect_handles(inputs, kind, "inputs: the profile of a job", err);
        return status ? status : hs_profile_page(out, inputs, question, err);
    }
    if (strcmp(kind, "export") == 0)
        return hs_formats_page(out, question, err);
    return hs_fail(err, HS_INVALID,
                   "%s: its answer is no text; expected a question of kind predict, place, shard, "
                   "compare, fit, simulate, systems, profile or export",
                   kind);
}

enum hiersearch_status hiersearch_show(char **text, char **notes,
                                       const struct hiersearch_question *question,
                                       struct hiersearch_system *system,
                                       const struct hiersearch_inputs *inputs,
                                       struct hiersearch_error *error)
{
    struct hs_page page = hs_page_begin(error);
    enum hs_status status =
        show(&page.text, notes ? &page.said : NULL, question, system, inputs, page.err);

    return hs_page_end(&page, text, notes, status);
}
