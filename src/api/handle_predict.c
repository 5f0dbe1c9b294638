/* Predictions of the library. */
#include <string.h>

#include "answer/predict.h"
#include "answer/systems.h"
#include "api/handles.h"
#include "base/clock.h"
#include "estimate/system_file.h"
#include "library/price_plan.h"

/* A question that is asked of a system. */
struct asking {
    struct hs_predict_settings settings;
    struct hs_predict predict;
    struct hs_text command;
    struct hs_profile profile;       /* of the question; ranks 0: it has none */
    struct hs_system before;         /* likewise */
    struct hiersearch_system chosen; /* where it is of some of its GPUs; else {0} */
};

/* The machines that fit a system's description are drawn once, and prices are kept. */
static enum hs_status draw(struct hiersearch_system *system, size_t count, struct hs_error *err)
{
    enum hs_status status;

    hs_system_keep(&system->system);
    if (system->machines.count == count)
        return HS_OK;
    if (system->machines.count > 0)
        hs_machines_release(&system->machines);
    status = hs_machines_init(&system->machines, &system->system, count, 1, err);
    if (status != HS_OK)
        system->machines.count = 0;
    return status;
}

/* The settings of the question. */
static enum hs_status take(struct asking *asking, const struct hiersearch_question *question,
                           const struct hs_print *as, struct hs_error *err)
{
    const void *settings;
    enum hs_status status = hs_question_settings(&settings, NULL, question, "predict", err);

    if (status != HS_OK)
        return status;
    asking->settings = *(const struct hs_predict_settings *)settings;
    if (as)
        asking->settings.print = *as;
    asking->predict =
        (struct hs_predict){.settings = &asking->settings, .terminal = &hs_terminal_of_nobody};
    if (asking->settings.profile)
        asking->predict.profile = &asking->profile;
    return HS_OK;
}

static enum hs_status find_before(struct asking *asking, struct hs_text *notes,
                                  struct hs_error *err)
{
    const char *text = asking->settings.before;
    enum hs_status status;

    if (!text)
        return HS_OK;
    status = hs_system_ask(&asking->before, text, notes, err);
    if (status == HS_OK)
        status = hs_predict_take_before(&asking->predict, &asking->before, err);
    return status == HS_OK || !err ? status : hs_error_prefix(err, status, "--before");
}

static enum hs_status say_command(struct asking *asking, const struct hiersearch_system *system,
                                  const struct hiersearch_question *question, struct hs_error *err)
{
    hs_text_append(&asking->command, "hiersearch predict ");
    hs_command_word_append(&asking->command, hs_system_typed(system));
    hs_question_append(&asking->command, question, NULL);
    asking->predict.command = asking->command.data;
    return asking->command.failed ? hs_no_memory(err) : HS_OK;
}

/* Some of its GPUs, where it is asked of such. */
static enum hs_status choose(struct hiersearch_system **chosen, struct asking *asking,
                             struct hiersearch_system *system, struct hs_error *err)
{
    enum hs_status status;

    *chosen = system;
    if (!hs_question_is_part(&asking->settings.ask, &system->system))
        return HS_OK;
    asking->predict.whole = &system->system;
    *chosen = &asking->chosen;
    status = hs_system_copy(&asking->chosen.system, &system->system, err);
    return status == HS_OK ? hs_question_choose(&asking->chosen.system, &asking->settings.ask, err)
                           : status;
}

/* Release in any case. */
static enum hs_status ask(struct asking *asking, struct hiersearch_system *system,
                          const struct hiersearch_question *question, const struct hs_print *as,
                          struct hs_error *err)
{
    const struct hs_question *problem = &asking->settings.ask;
    struct hiersearch_system *chosen;
    enum hs_status status;

    memset(asking, 0, sizeof(*asking));
    status = hs_expect(system, "a system", err);
    if (status == HS_OK)
        status = take(asking, question, as, err);
    if (status == HS_OK)
        status = hs_predict_take(&asking->settings, &asking->profile, err);
    if (status == HS_OK)
        status = choose(&chosen, asking, system, err);
    if (status == HS_OK)
        status = draw(chosen, hs_question_machines(problem), err);
    if (status != HS_OK)
        return status;
    asking->predict.system = hs_system_typed(system);
    asking->predict.asked = (struct hs_asked){.question = problem,
                                              .strategy = hs_search_strategy_find(problem->search),
                                              .system = &chosen->system,
                                              .machines = &chosen->machines,
                                              .label = hs_system_label(chosen),
                                              .typed = hs_system_typed(system),
                                              .further = as || asking->settings.details,
                                              .began_seconds = hs_clock_seconds()};
    return say_command(asking, system, question, err);
}

static void release(struct asking *asking)
{
    hs_text_release(&asking->command);
    hs_profile_release(&asking->profile);
    hs_system_release(&asking->before);
    if (asking->chosen.machines.count > 0)
        hs_machines_release(&asking->chosen.machines);
    hs_system_release(&asking->chosen.system);
}

/* ---- one collective, as a result ------------------------------------------------------------- */

/* What is asked of a job, or to be said in words, NULL of one collective. */
static const char *no_result(const struct hs_predict_settings *settings)
{
    return settings->explain   ? "explain"
           : settings->before  ? "before"
           : settings->as      ? "as"
           : settings->profile ? "profile"
                               : NULL;
}

/* Whether people read it. */
static bool is_shown(const struct hs_predict_settings *settings)
{
    return settings->explain || settings->before || settings->as;
}

static enum hs_status predict(struct hiersearch_result *result, const struct asking *asking,
                              struct hs_error *err)
{
    const struct hs_range *np = &asking->settings.ask.np;
    const char *other = no_result(&asking->settings);
    struct hs_walk walk = {.asked = &asking->predict.asked,
                           .command = asking->command.data,
                           .notes = &result->notes,
                           .wants_results = true};
    enum hs_status status;

    if (other)
        return hs_fail(err, HS_INVALID, "--%s: its answer is no result, %s has it", other,
                       is_shown(&asking->settings) ? "hiersearch_show" : "hiersearch_predict_json");
    if (np->first != np->last)
        return hs_fail(err, HS_INVALID,
                       "--np: expected one process count, found several, which "
                       "hiersearch_predict_json takes");
    status = hs_asked_check(walk.asked, err);
    if (status == HS_OK)
        status = hs_walk_sizes(&result->result, &walk, (int64_t)np->first, err);
    hs_asked_say_beyond(&result->notes, walk.asked);
    return status;
}

enum hiersearch_status hiersearch_predict(struct hiersearch_result **result,
                                          struct hiersearch_system *system,
                                          const struct hiersearch_question *question,
                                          struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    struct asking asking;
    enum hs_status status;

    if (!result)
        return hs_call_end(call, hs_expect_place(result, err));
    *result = NULL;
    status = ask(&asking, system, question, NULL, err);
    if (status == HS_OK)
        status = hs_result_new(result, err);
    if (status == HS_OK)
        status = hs_result_keep(result, predict(*result, &asking, err));
    release(&asking);
    return hs_call_end(call, status);
}

/* ---- anything, as it is printed -------------------------------------------------------------- */

enum hs_status hs_predict_page(struct hs_text *out, struct hs_text *notes,
                               struct hiersearch_system *system,
                               const struct hiersearch_question *question,
                               const struct hs_print *as, struct hs_error *err)
{
    struct asking asking;
    enum hs_status status = ask(&asking, system, question, as, err);

    if (status == HS_OK)
        status = find_before(&asking, notes, err);
    asking.predict.out = out;
    asking.predict.notes = notes;
    if (status == HS_OK)
        status = hs_predict_answer(&asking.predict, err);
    release(&asking);
    return status;
}

enum hiersearch_status hiersearch_predict_json(char **json, struct hiersearch_system *system,
                                               const struct hiersearch_question *question,
                                               struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    struct hs_text text = {0};
    enum hs_status status = hs_predict_page(&text, NULL, system, question, &hs_print_json, err);

    return hs_call_end(call, hs_text_give(json, &text, status, err));
}

/* Of results alone: logs are no answer to a plan. */
static enum hs_status check_measured(const struct hs_inputs *inputs, const char *profile,
                                     struct hs_error *err)
{
    if (!profile)
        return hs_fail(err, HS_INVALID, "expected a question with --profile, which is of a job");
    if (inputs->log_count > 0)
        return hs_fail(err, HS_INVALID, "%s: a log, expected results of measure",
                       inputs->logs[0].file);
    if (inputs->count == 0)
        return hs_fail(err, HS_INVALID, "expected a result of measure");
    return hs_inputs_check_results(inputs, err);
}

enum hs_status hs_predict_measured_page(struct hs_text *out, const struct hiersearch_inputs *inputs,
                                        const struct hiersearch_question *question,
                                        const struct hs_print *as, struct hs_error *err)
{
    struct asking asking;
    enum hs_status status;

    memset(&asking, 0, sizeof(asking));
    status = hs_expect(inputs, "inputs", err);
    if (status == HS_OK)
        status = take(&asking, question, as, err);
    asking.predict.out = out;
    if (status == HS_OK)
        status = check_measured(&inputs->inputs, asking.settings.profile, err);
    if (status == HS_OK)
        status = hs_predict_take(&asking.settings, &asking.profile, err);
    if (status == HS_OK)
        status = hs_predict_by_results(&asking.predict, &inputs->inputs, err);
    release(&asking);
    return status;
}

enum hiersearch_status hiersearch_predict_measured(char **json,
                                                   const struct hiersearch_inputs *inputs,
                                                   const struct hiersearch_question *question,
                                                   struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    struct hs_text text = {0};
    enum hs_status status = hs_predict_measured_page(&text, inputs, question, &hs_print_json, err);

    return hs_call_end(call, hs_text_give(json, &text, status, err));
}
