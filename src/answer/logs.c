#include "answer/logs.h"

#include <inttypes.h>
#include <string.h>

#include "base/notes.h"

/* Whether there is something to say of the option, which is now said. */
static bool say_ignored(struct hs_text *notes, const char *file, const char *what, int64_t said,
                        int64_t asked)
{
    if (said == 0 || asked == 0 || said == asked)
        return false;
    hs_say_note(notes,
                "%s: says %" PRId64 " %s, which count: %" PRId64 " is for logs that do not say",
                file, said, what, asked);
    return true;
}

void hs_logs_say_ignored(struct hs_text *notes, const struct hs_inputs *inputs,
                         const struct hs_log_options *options)
{
    for (size_t i = 0; i < inputs->log_count; i++) {
        const char *file = inputs->logs[i].file;
        bool ranks = false, nodes = false;

        for (size_t r = 0; r < inputs->logs[i].log.run_count; r++) {
            const struct hs_log_run *run = &inputs->logs[i].log.runs[r];

            if (hs_log_is_contradictory(&inputs->logs[i].log, run))
                continue;
            ranks = ranks || say_ignored(notes, file, "ranks", run->ranks, options->np);
            nodes = nodes || say_ignored(notes, file, "nodes", run->nodes, options->nodes);
        }
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
        if (inputs->logs[i].log.point_count == 0 && inputs->takes_logs != HS_LOGS_OF_ANY)
            return hs_fail(err, HS_INVALID, "%s: expected times of %s", inputs->logs[i].file,
                           "allreduce, allgather, reducescatter or alltoall");
        else
            status =
                hs_log_calls(list, system, &inputs->logs[i].log, inputs->logs[i].file, &facts, err);
    return status;
}
