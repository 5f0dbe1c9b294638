/* Results of the library. */
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/notes.h"

enum hs_status hs_result_new(struct hiersearch_result **result, struct hs_error *err)
{
    enum hs_status status = hs_expect_place(result, err);

    if (status != HS_OK)
        return status;
    *result = calloc(1, sizeof(**result));
    return *result ? HS_OK : hs_no_memory(err);
}

/* A handle that could not be filled goes again. */
enum hs_status hs_result_keep(struct hiersearch_result **result, enum hs_status status)
{
    if (status != HS_OK) {
        hiersearch_result_free(*result);
        *result = NULL;
    }
    return status;
}

static void say_cut_short(struct hiersearch_result *result, const char *name)
{
    if (!result->result.complete)
        hs_say_warning(&result->notes, "%s is of a run that was cut short%s%s", name,
                       result->result.note ? ": " : "",
                       result->result.note ? result->result.note : "");
}

static enum hs_status load(struct hiersearch_result *result, const char *path, struct hs_error *err)
{
    enum hs_status status = hs_expect_path(path, "the path of a result file", err);

    return status == HS_OK ? hs_result_load(&result->result, path, err) : status;
}

enum hiersearch_status hiersearch_result_load(struct hiersearch_result **result, const char *path,
                                              struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    enum hs_status status = hs_result_new(result, hs_error_of(error));

    if (status == HS_OK)
        status = hs_result_keep(result, load(*result, path, hs_error_of(error)));
    if (status == HS_OK)
        say_cut_short(*result, path);
    return hs_call_end(call, status);
}

static enum hs_status parse(struct hiersearch_result *result, const char *json, const char *name,
                            struct hs_error *err)
{
    enum hs_status status = hs_expect(json, "the text of a result file", err);

    if (status == HS_OK)
        status = hs_expect(name, "a name for the text", err);
    return status == HS_OK ? hs_result_parse(&result->result, name, json, strlen(json), err)
                           : status;
}

enum hiersearch_status hiersearch_result_parse(struct hiersearch_result **result, const char *json,
                                               const char *name, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    enum hs_status status = hs_result_new(result, hs_error_of(error));

    if (status == HS_OK)
        status = hs_result_keep(result, parse(*result, json, name, hs_error_of(error)));
    if (status == HS_OK)
        say_cut_short(*result, name);
    return hs_call_end(call, status);
}

enum hiersearch_status hiersearch_result_json(char **json, const struct hiersearch_result *result,
                                              struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_text text = {0};
    enum hs_status status = hs_expect(result, "a result", hs_error_of(error));

    if (status == HS_OK)
        status = hs_result_print(&text, &result->result, hs_error_of(error));
    return hs_call_end(call, hs_text_give(json, &text, status, hs_error_of(error)));
}

/* Never to stdout, which is the caller's. */
static enum hs_status save(const struct hiersearch_result *result, const char *path,
                           struct hs_error *err)
{
    enum hs_status status = hs_expect(result, "a result", err);

    if (status == HS_OK)
        status = hs_expect_path(path, "the path of a file", err);
    return status == HS_OK ? hs_result_save(&result->result, path, err) : status;
}

enum hiersearch_status hiersearch_result_save(const struct hiersearch_result *result,
                                              const char *path, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();

    return hs_call_end(call, save(result, path, hs_error_of(error)));
}

const char *hiersearch_result_notes(const struct hiersearch_result *result)
{
    return hs_notes_of(result ? &result->notes : NULL);
}

int64_t hiersearch_result_processes(const struct hiersearch_result *result)
{
    return result ? result->result.np : 0;
}

size_t hiersearch_result_count(const struct hiersearch_result *result)
{
    return result ? result->result.message_count : 0;
}

enum hiersearch_status hiersearch_result_best(char **plan, uint64_t *bytes, double *seconds,
                                              const struct hiersearch_result *result,
                                              size_t message, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    const struct hs_result_message *of;
    enum hs_status status = hs_result_message_at(&of, result, message, err);

    if (plan)
        *plan = NULL;
    if (status == HS_OK && of->best.chunks == 0)
        status = hs_fail(err, HS_INVALID, "message %zu has no best plan", message);
    if (status == HS_OK && plan) {
        *plan = hs_strdup(hs_plan_format((char[HS_SPLIT_TEXT]){0}, &of->best));
        if (!*plan)
            status = hs_no_memory(err);
    }
    if (status == HS_OK && bytes)
        *bytes = of->message_bytes;
    if (status == HS_OK && seconds) {
        const struct hs_candidate *best = hs_result_candidate(of, &of->best);

        *seconds = best ? hs_candidate_seconds(best) : NAN;
    }
    return hs_call_end(call, status);
}

enum hs_status hs_result_message_at(const struct hs_result_message **out,
                                    const struct hiersearch_result *result, size_t message,
                                    struct hs_error *err)
{
    enum hs_status status = hs_expect(result, "a result", err);

    if (status != HS_OK)
        return status;
    if (message >= result->result.message_count)
        return hs_fail(err, HS_INVALID, "expected a message below %zu, found %zu",
                       result->result.message_count, message);
    *out = &result->result.messages[message];
    return HS_OK;
}

void hiersearch_result_free(struct hiersearch_result *result)
{
    if (!result)
        return;
    hs_result_release(&result->result);
    hs_text_release(&result->notes);
    free(result);
}
