#include "cli/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "machine/system_find.h"

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

enum hs_status hs_inputs_load(struct hs_inputs *inputs, const struct hs_argument_list *files,
                              const struct hs_context *context, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    inputs->inputs = calloc(files->count, sizeof(*inputs->inputs));
    inputs->results = calloc(files->count, sizeof(*inputs->results));
    if (!inputs->inputs || !inputs->results)
        return hs_no_memory(err);
    for (size_t i = 0; i < files->count && status == HS_OK; i++) {
        struct hs_result *result = &inputs->results[i];

        status = hs_result_load(result, files->items[i], err);
        if (status != HS_OK)
            return status;
        inputs->count++;
        inputs->inputs[i].name = strcmp(files->items[i], "-") == 0 ? "stdin" : files->items[i];
        inputs->inputs[i].result = result;
        if (!result->complete)
            hs_warning(context, "%s is of a run that was cut short%s%s", files->items[i],
                       result->note ? ": " : "", result->note ? result->note : "");
    }
    return HS_OK;
}

void hs_inputs_release(struct hs_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        hs_result_release(&inputs->results[i]);
    free(inputs->results);
    free(inputs->inputs);
    *inputs = (struct hs_inputs){.count = 0};
}
