/* Whole jobs: where the axes of a mesh lie, how many ways to shard a model. */
#include "api/handles.h"
#include "estimate/system_file.h"
#include "show/placements.h"
#include "show/shardings.h"

/* What such an answer is made of. The handle's system stays as it is: some of its GPUs may be
 * chosen. */
struct asking {
    struct hs_system system;
    struct hs_machines machines;
    struct hs_asked asked;
};

static enum hs_status ask(struct asking *asking, const struct hiersearch_answer *answer,
                          const struct hs_question *question, struct hs_error *err)
{
    const struct hiersearch_system *system = hs_answer_system(answer);
    enum hs_status status = hs_answer_expect(answer, system, "a system", err);

    if (status == HS_OK)
        status = hs_system_copy(&asking->system, &system->system, err);
    return status == HS_OK ? hs_job_ask(&asking->asked, &asking->machines, &asking->system,
                                        question, hs_system_typed(system), err)
                           : status;
}

static void release(struct asking *asking)
{
    if (asking->machines.count > 0)
        hs_machines_release(&asking->machines);
    hs_system_release(&asking->system);
}

/* ---- place ----------------------------------------------------------------------------------- */

static const struct hs_option place_rows[] = {
    HS_ROWS_PLACE(0),
    {.name = NULL},
};

struct placed {
    struct hs_place_question question; /* what it leaves open is as usual */
    struct asking asking;
    struct hs_place_answer placement;
};

static enum hs_status make_place(struct hiersearch_answer *answer, struct hs_error *err)
{
    struct placed *placed = answer->made;
    struct hs_place_settings *settings = &placed->question.settings;
    enum hs_status status;

    placed->question = *(const struct hs_place_question *)answer->question->settings;
    status = hs_place_take(settings, err);
    if (status == HS_OK)
        status = ask(&placed->asking, answer, &settings->ask, err);
    if (status == HS_OK)
        status = hs_place(&placed->placement, &placed->asking.asked, settings, err);
    if (status == HS_OK)
        hs_asked_say_beyond(&answer->notes, &placed->asking.asked);
    return status;
}

static enum hs_status print_place(struct hs_text *out, struct hiersearch_answer *answer,
                                  const struct hs_print *print, struct hs_error *err)
{
    struct placed *placed = answer->made;
    struct hs_place_question question = placed->question;

    question.print = *print;
    return hs_place_show(out, &answer->notes, &placed->placement, &question,
                         hs_answer_terminal(answer), err);
}

static void release_place(void *made)
{
    struct placed *placed = made;

    hs_place_release(&placed->placement);
    release(&placed->asking);
}

const struct hs_question_kind hs_kind_place = {
    .name = "place",
    .rows = place_rows,
    .settings_bytes = sizeof(struct hs_place_question),
    .print_at = offsetof(struct hs_place_question, print),
    .made_bytes = sizeof(struct placed),
    .make = make_place,
    .print = print_place,
    .release = release_place,
};

/* ---- shard ----------------------------------------------------------------------------------- */

static const struct hs_option shard_rows[] = {
    HS_ROWS_SHARD(0),
    {.name = NULL},
};

struct sharded {
    struct hs_shard_question question;
    struct asking asking;
    struct hs_sharding sharding;
};

static enum hs_status make_shard(struct hiersearch_answer *answer, struct hs_error *err)
{
    struct sharded *sharded = answer->made;
    struct hs_shard_settings *settings = &sharded->question.settings;
    enum hs_status status;

    sharded->question = *(const struct hs_shard_question *)answer->question->settings;
    status = hs_shard_take(settings, err);
    if (status == HS_OK)
        status = ask(&sharded->asking, answer, &settings->ask, err);
    if (status == HS_OK)
        status = hs_shard(&sharded->sharding, &sharded->asking.asked, settings, err);
    if (status == HS_OK)
        hs_asked_say_beyond(&answer->notes, &sharded->asking.asked);
    return status;
}

static enum hs_status print_shard(struct hs_text *out, struct hiersearch_answer *answer,
                                  const struct hs_print *print, struct hs_error *err)
{
    struct sharded *sharded = answer->made;
    struct hs_shard_question question = sharded->question;

    question.print = *print;
    return hs_sharding_show(out, &sharded->sharding, &question, hs_answer_terminal(answer), err);
}

static void release_shard(void *made)
{
    struct sharded *sharded = made;

    hs_sharding_release(&sharded->sharding);
    release(&sharded->asking);
}

const struct hs_question_kind hs_kind_shard = {
    .name = "shard",
    .rows = shard_rows,
    .settings_bytes = sizeof(struct hs_shard_question),
    .print_at = offsetof(struct hs_shard_question, print),
    .made_bytes = sizeof(struct sharded),
    .make = make_shard,
    .print = print_shard,
    .release = release_shard,
};
