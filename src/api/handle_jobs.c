/* Whole jobs: where the axes of a mesh lie, how many ways to shard a model. */
#include <string.h>

#include "api/handles.h"
#include "estimate/system_file.h"
#include "show/placements.h"
#include "show/shardings.h"

/* What an answer is made of, until it is printed. */
struct asking {
    struct hs_system system;
    struct hs_machines machines;
    struct hs_asked asked;
};

/* The handle's system stays as it is: some of its GPUs may be chosen. Release in any case. */
static enum hs_status ask(struct asking *asking, const struct hiersearch_system *system,
                          const struct hs_question *question, struct hs_error *err)
{
    enum hs_status status = hs_system_copy(&asking->system, &system->system, err);

    return status ? status
                  : hs_job_ask(&asking->asked, &asking->machines, &asking->system, question,
                               hs_system_typed(system), err);
}

static void release(struct asking *asking)
{
    if (asking->machines.count > 0)
        hs_machines_release(&asking->machines);
    hs_system_release(&asking->system);
}

enum hs_status hs_place_page(struct hs_text *out, struct hs_text *notes,
                             const struct hiersearch_system *system,
                             const struct hiersearch_question *question, const struct hs_print *as,
                             struct hs_error *err)
{
    struct asking asking = {.machines = {.count = 0}};
    struct hs_place_answer placement = {.np = 0};
    struct hs_place_question own;
    const void *settings;
    enum hs_status status = hs_expect(system, "a system", err);

    if (!status)
        status = hs_question_settings(&settings, NULL, question, "place", err);
    if (status)
        return status;
    own = *(const struct hs_place_question *)settings;
    if (as)
        own.print = *as;
    status = hs_place_take(&own.settings, err);
    if (!status)
        status = ask(&asking, system, &own.settings.ask, err);
    if (!status)
        status = hs_place(&placement, &asking.asked, &own.settings, err);
    if (!status)
        status = hs_place_show(out, notes, &placement, &own, &hs_terminal_of_nobody, err);
    if (!status)
        hs_asked_say_beyond(notes, &asking.asked);
    hs_place_release(&placement);
    release(&asking);
    return status;
}

enum hs_status hs_shard_page(struct hs_text *out, struct hs_text *notes,
                             const struct hiersearch_system *system,
                             const struct hiersearch_question *question, const struct hs_print *as,
                             struct hs_error *err)
{
    struct asking asking = {.machines = {.count = 0}};
    struct hs_sharding sharding = {.np = 0};
    struct hs_shard_question own;
    const void *settings;
    enum hs_status status = hs_expect(system, "a system", err);

    if (!status)
        status = hs_question_settings(&settings, NULL, question, "shard", err);
    if (status)
        return status;
    own = *(const struct hs_shard_question *)settings;
    if (as)
        own.print = *as;
    status = hs_shard_take(&own.settings, err);
    if (!status)
        status = ask(&asking, system, &own.settings.ask, err);
    if (!status)
        status = hs_shard(&sharding, &asking.asked, &own.settings, err);
    if (!status)
        status = hs_sharding_show(out, &sharding, &own, &hs_terminal_of_nobody, err);
    if (!status)
        hs_asked_say_beyond(notes, &asking.asked);
    hs_sharding_release(&sharding);
    release(&asking);
    return status;
}

enum hiersearch_status hiersearch_place(char **json, char **notes,
                                        const struct hiersearch_system *system,
                                        const struct hiersearch_question *question,
                                        struct hiersearch_error *error)
{
    struct hs_page page = hs_page_begin(error);
    enum hs_status status = hs_place_page(&page.text, notes ? &page.said : NULL, system, question,
                                          &hs_print_json, page.err);

    return hs_page_end(&page, json, notes, status);
}

enum hiersearch_status hiersearch_shard(char **json, char **notes,
                                        const struct hiersearch_system *system,
                                        const struct hiersearch_question *question,
                                        struct hiersearch_error *error)
{
    struct hs_page page = hs_page_begin(error);
    enum hs_status status = hs_shard_page(&page.text, notes ? &page.said : NULL, system, question,
                                          &hs_print_json, page.err);

    return hs_page_end(&page, json, notes, status);
}
