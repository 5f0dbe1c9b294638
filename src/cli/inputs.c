#include "cli/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "detect/system_find.h"

enum hs_status hs_output_check(const char *output, const char *system,
                               const struct hs_argument_list *results, struct hs_error *err)
{
    size_t count = results ? results->count : 0;
    const char **inputs;
    char *path = NULL;
    enum hs_status status = HS_OK;

    if (!output || strcmp(output, "-") == 0)
        return HS_OK;
    if (system)
        status = hs_system_path(&path, system, err);
    inputs = calloc(count + 1, sizeof(*inputs));
    if (status == HS_OK && !inputs)
        status = hs_no_memory(err);
    for (size_t i = 0; i < count && inputs; i++)
        inputs[i] = results->items[i];
    if (path && inputs)
        inputs[count++] = path;
    if (status == HS_OK)
        status = hs_file_writable(output, inputs, count, err);
    free(inputs);
    free(path);
    return status;
}

enum hs_status hs_output_write(const char *output, const struct hs_text *data,
                               struct hs_context *context, struct hs_error *err)
{
    if (output && strcmp(output, "-") != 0)
        return hs_file_replace(output, data->data, data->length, err);
    hs_text_append_bytes(context->out, data->data, data->length);
    return HS_OK;
}

enum hs_status hs_inputs_load(struct hs_inputs *inputs, const struct hs_argument_list *files,
                              const struct hs_context *context, struct hs_error *err)
{
    struct hs_text notes = {0};
    enum hs_status status = HS_OK;

    if (inputs->takes_profile && hs_inputs_is_profile(files->items[0])) {
        if (files->count > 1)
            return hs_fail(err, HS_INVALID, "%s is the profile of a job: expected no %s beside it",
                           files->items[0], files->items[1]);
        inputs->profile_file = files->items[0];
        return hs_inputs_profile(&inputs->profile, files->items[0], err);
    }
    for (size_t i = 0; i < files->count && status == HS_OK; i++)
        status = inputs->takes_any ? hs_inputs_add_any(inputs, files->items[i], NULL, &notes, err)
                                   : hs_inputs_add(inputs, files->items[i], &notes, err);
    hs_notes_pass_on(context, &notes);
    return status;
}

enum hs_status hs_inputs_load_any(struct hs_inputs *inputs, const struct hs_argument_list *files,
                                  const struct hs_context *context, struct hs_error *err)
{
    inputs->takes_logs = HS_LOGS_OF_CALLS;
    inputs->takes_any = true;
    return hs_inputs_load(inputs, files, context, err);
}
