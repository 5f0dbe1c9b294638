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
                              const char *file, const struct hs_log_options *options,
                              const struct hs_context *context, struct hs_error *err)
{
    struct hs_log_facts facts = {.ranks = options->np,
                                 .nodes = options->nodes,
                                 .algorithm = options->algorithm,
                                 .may_lack_price = options->may_lack_price};
    struct hs_log log;
    size_t call = 0;
    enum hs_status status = hs_log_load(&log, file, err);

    if (!status && options->call) {
        facts.call_known = true;
        status = hs_name_find(&call, options->call, "collective", hs_library_call_names,
                              HS_LIBRARY_CALL_COUNT, err);
        facts.call = (enum hs_library_call)call;
    }
    if (!status) {
        hs_pass_on(context, log.notes.data);
        status = hs_log_calls(list, system, &log, file, &facts, err);
    }
    hs_log_release(&log);
    return status;
}
