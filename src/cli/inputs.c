#include "cli/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/logs.h"
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

static enum hs_status load_one(struct hs_inputs *inputs, const char *file,
                               const struct hs_context *context, struct hs_error *err)
{
    struct hs_result *result = &inputs->results[inputs->count];
    struct hs_input_log *log = inputs->logs ? &inputs->logs[inputs->log_count] : NULL;
    const char *name = strcmp(file, "-") == 0 ? "stdin" : file;
    struct hs_gpu_probe *probe = inputs->takes_probe ? &inputs->probe : NULL;
    enum hs_status status =
        log ? hs_log_load(&log->log, result, probe, file, err) : hs_result_load(result, file, err);

    if (status != HS_OK)
        return status;
    status = hs_collective_check_runs(result->collective, err);
    if (status != HS_OK) {
        hs_result_release(result);
        return hs_error_prefix(err, status, name);
    }
    if (log && log->log.point_count == 0 && result->np == 0) {
        inputs->probe_file = name;
        return HS_OK;
    }
    if (log && log->log.point_count > 0) {
        log->file = name;
        inputs->log_count++;
        hs_pass_on(context, log->log.notes.data);
        return HS_OK;
    }
    inputs->inputs[inputs->count++] = (struct hs_plot_input){name, result};
    if (!result->complete)
        hs_warning(context, "%s is of a run that was cut short%s%s", name, result->note ? ": " : "",
                   result->note ? result->note : "");
    return HS_OK;
}

enum hs_status hs_inputs_load(struct hs_inputs *inputs, const struct hs_argument_list *files,
                              const struct hs_context *context, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    inputs->inputs = calloc(files->count, sizeof(*inputs->inputs));
    inputs->results = calloc(files->count, sizeof(*inputs->results));
    if (!inputs->inputs || !inputs->results)
        return hs_no_memory(err);
    for (size_t i = 0; i < files->count && status == HS_OK; i++)
        status = load_one(inputs, files->items[i], context, err);
    return status;
}

enum hs_status hs_inputs_load_any(struct hs_inputs *inputs, const struct hs_argument_list *files,
                                  const struct hs_context *context, struct hs_error *err)
{
    inputs->logs = calloc(files->count, sizeof(*inputs->logs));
    if (!inputs->logs)
        return hs_no_memory(err);
    return hs_inputs_load(inputs, files, context, err);
}

void hs_inputs_release(struct hs_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        hs_result_release(&inputs->results[i]);
    for (size_t i = 0; i < inputs->log_count; i++)
        hs_log_release(&inputs->logs[i].log);
    free(inputs->results);
    free(inputs->inputs);
    free(inputs->logs);
    hs_fields_release(&hs_gpu_probe_fields, &inputs->probe);
    *inputs = (struct hs_inputs){.count = 0};
}
