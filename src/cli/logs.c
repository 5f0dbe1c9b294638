#include "cli/logs.h"

#include <string.h>

#include "console/command.h"

void hs_pass_on(const struct hs_context *context, const char *notes)
{
    while (notes && *notes) {
        size_t length = strcspn(notes, "\n");

        hs_note(context, "%.*s", (int)length, notes);
        notes += length + (notes[length] != '\0');
    }
}

enum hs_status hs_logs_gather(struct hs_call_list *list, const struct hs_system *system,
                              const struct hs_inputs *inputs, const struct hs_log_options *options,
                              struct hs_error *err)
{
    struct hs_log_facts facts = {.ranks = options->np,
                                 .nodes = options->nodes,
                                 .algorithm = options->algorithm,
                                 .call_known = options->call != NULL,
                                 .may_lack_price = options->may_lack_price};
    size_t call = 0;
    enum hs_status status = HS_OK;

    if (options->call)
        status = hs_name_find(&call, options->call, "collective", hs_library_call_names,
                              HS_LIBRARY_CALL_COUNT, err);
    facts.call = (enum hs_library_call)call;
    for (size_t i = 0; i < inputs->log_count && !status; i++)
        status =
            hs_log_calls(list, system, &inputs->logs[i].log, inputs->logs[i].file, &facts, err);
    return status;
}
