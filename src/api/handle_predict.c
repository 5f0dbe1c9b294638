/* Predictions of the library. */
#include <string.h>

#include "answer/predict.h"
#include "api/handles.h"
#include "base/clock.h"
#include "estimate/system_file.h"
#include "library/price_plan.h"
#include "show/predict.h"

static const struct hs_option rows[] = {
    HS_ROWS_PREDICT(0),
    HS_ROWS_SHOWN("Output", offsetof(struct hs_predict_settings, print)),
    {.name = NULL},
};

/* A question that is asked of a system, and the answer. */
struct asking {
    struct hs_predict_settings settings;
    struct hs_predict predict;
    struct hs_profile profile;       /* of the question; ranks 0: it has none */
    struct hs_system before;         /* likewise */
    struct hiersearch_system chosen; /* where it is of some of its GPUs; else {0} */
    struct hs_prediction prediction; /* of one collective */
    struct hs_gains gains;           /* of a job */
};

enum hs_status hs_system_draw(struct hiersearch_system *system, size_t count, struct hs_error *err)
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
                           const struct hs_asker *asker, struct hs_error *err)
{
    const void *settings;
    enum hs_status status = hs_question_settings(&settings, NULL, question, "predict", err);

    if (status != HS_OK)
        return status;
    asking->settings = *(const struct hs_predict_settings *)settings;
    if (asker->format)
        asking->settings.print.format = asker->format;
    asking->settings.output = asker->output;
    asking->predict = (struct hs_predict){.settings = &asking->settings};
    if (asking->settings.profile)
        asking->predict.profile = &asking->profile;
    return hs_predict_take(&asking->settings, &asking->profile, err);
}

/* Some of its GPUs, or with an algorithm of its library, where it is asked of such. */
static enum hs_status choose(struct hiersearch_system **chosen, struct asking *asking,
                             struct hiersearch_system *system, struct hs_error *err)
{
    enum hs_status status;

    *chosen = system;
    if (!hs_question_changes(&asking->settings.ask, &system->system))
        return HS_OK;
    if (hs_question_is_part(&asking->settings.ask, &system->system))
        asking->predict.whole = &system->system;
    *chosen = &asking->chosen;
    status = hs_system_copy(&asking->chosen.system, &system->system, err);
    return status == HS_OK ? hs_question_choose(&asking->chosen.system, &asking->settings.ask, err)
                           : status;
}

/* The question is taken, the system chosen, its samples drawn. Release in any case. */
static enum hs_status ask(struct asking *asking, struct hiersearch_system *system,
                          const struct hiersearch_question *question, const struct hs_asker *asker,
                          struct hs_error *err)
{
    const struct hs_question *problem = &asking->settings.ask;
    struct hiersearch_system *chosen;
    enum hs_status status = take(asking, question, asker, err);

    if (status == HS_OK)
        status = choose(&chosen, asking, system, err);
    if (status == HS_OK)
        status = hs_system_draw(chosen, hs_question_machines(problem), err);
    if (status != HS_OK)
        return status;
    asking->predict.system = hs_system_typed(system);
    asking->predict.command = asker->command;
    asking->predict.asked = (struct hs_asked){
        .question = problem,
        .strategy = hs_search_strategy_find(problem->search),
        .system = &chosen->system,
        .machines = &chosen->machines,
        .label = hs_system_is_text(hs_system_typed(system)) ? system->typed : chosen->system.name,
        .typed = hs_system_typed(system),
        .further = asking->settings.details,
        .began_seconds = hs_clock_seconds(),
        .watch = asker->watch,
        .watcher = asker->watcher};
    return hs_asked_check(&asking->predict.asked, err);
}

static void release(void *made)
{
    struct asking *asking = made;

    hs_prediction_release(&asking->prediction);
    hs_gains_release(&asking->gains);
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
    return settings->explain        ? "explain"
           : settings->compare_with ? "compare-with"
           : settings->style        ? "style"
           : settings->profile      ? "profile"
                                    : NULL;
}

static enum hs_status predict(struct hiersearch_result *result, const struct asking *asking,
                              struct hs_error *err)
{
    const struct hs_range *np = &asking->settings.ask.np;
    const char *other = no_result(&asking->settings);
    struct hs_walk walk = {.asked = &asking->predict.asked,
                           .command = asking->predict.command,
                           .notes = &result->notes};
    enum hs_status status;

    if (other)
        return hs_fail(err, HS_INVALID, "--%s: its answer is no result, hiersearch_ask has it",
                       other);
    if (np->first != np->last)
        return hs_fail(err, HS_INVALID,
                       "--np: expected one process count, found several, which hiersearch_ask "
                       "takes");
    status = hs_walk_sizes(&result->result, &walk, (int64_t)np->first, err);
    hs_asked_say_beyond(&result->notes, walk.asked);
    return status;
}

/* As hs_ask has it, without an answer to print. */
static enum hs_status ask_command(struct hs_text *command, const struct hiersearch_system *system,
                                  const struct hiersearch_question *question, struct hs_error *err)
{
    hs_text_append(command, "hiersearch predict ");
    hs_command_word_append(command, hs_system_typed(system));
    hs_question_append(command, question, NULL);
    return command->failed ? hs_no_memory(err) : HS_OK;
}

enum hiersearch_status hiersearch_predict(struct hiersearch_result **result,
                                          struct hiersearch_system *system,
                                          const struct hiersearch_question *question,
                                          struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    struct asking asking;
    struct hs_text command = {0};
    enum hs_status status = hs_expect(system, "a system", err);

    memset(&asking, 0, sizeof(asking));
    if (!result)
        return hs_call_end(call, hs_expect_place(result, err));
    *result = NULL;
    if (status == HS_OK)
        status = ask_command(&command, system, question, err);
    if (status == HS_OK)
        status = ask(&asking, system, question, &(struct hs_asker){.command = command.data}, err);
    if (status == HS_OK)
        status = hs_result_new(result, err);
    if (status == HS_OK)
        status = hs_result_keep(result, predict(*result, &asking, err));
    release(&asking);
    hs_text_release(&command);
    return hs_call_end(call, status);
}

/* ---- anything, as an answer ------------------------------------------------------------------ */

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

static enum hs_status find_before(struct asking *asking, struct hs_text *notes,
                                  struct hs_error *err)
{
    const char *text = asking->settings.compare_with;
    enum hs_status status;

    if (!text)
        return HS_OK;
    status = hs_system_ask(&asking->before, text, notes, err);
    if (status == HS_OK)
        status = hs_predict_take_before(&asking->predict, &asking->before, err);
    return status == HS_OK || !err ? status : hs_error_prefix(err, status, "--compare-with");
}

static enum hs_status make(struct hiersearch_answer *answer, struct hs_error *err)
{
    struct asking *asking = answer->made;
    struct hiersearch_system *system = hs_answer_system(answer);
    const struct hs_inputs *inputs = hs_answer_inputs(answer);
    struct hs_asker asker = answer->asker;
    enum hs_status status = hs_answer_expect(
        answer, !system != !inputs, "a system, or the results that measured a job's calls", err);

    if (status == HS_OK && inputs) {
        status = check_measured(
            inputs, *(const char **)hs_question_field(answer->question, "profile"), err);
        if (status == HS_OK)
            status = take(asking, answer->question, &asker, err);
        return status == HS_OK ? hs_gains_by_results(&asking->gains, inputs, &asking->profile, err)
                               : status;
    }
    asker.command = answer->command.data;
    if (status == HS_OK)
        status = ask(asking, system, answer->question, &asker, err);
    asking->predict.notes = &answer->notes;
    asking->predict.asked.further = true;
    if (status == HS_OK)
        status = find_before(asking, &answer->notes, err);
    if (status != HS_OK)
        return status;
    if (!asking->predict.profile)
        return hs_predict_make(&asking->prediction, &asking->predict, err);
    status = hs_gains_by_model(&asking->gains, &asking->predict.asked, &asking->profile,
                               asking->settings.profile, err);
    if (status == HS_OK)
        hs_asked_say_beyond(&answer->notes, &asking->predict.asked);
    return status;
}

static enum hs_status print(struct hs_text *out, struct hiersearch_answer *answer,
                            const struct hs_print *print, struct hs_error *err)
{
    const struct asking *asking = answer->made;
    struct hs_predict predict = asking->predict;

    predict.out = out;
    predict.notes = &answer->notes;
    predict.terminal = hs_answer_terminal(answer);
    return predict.profile ? hs_predict_print_gains(&predict, &asking->gains, print, err)
                           : hs_predict_print(&predict, &asking->prediction, print, err);
}

const struct hs_question_kind hs_kind_predict = {
    .name = "predict",
    .rows = rows,
    .settings_bytes = sizeof(struct hs_predict_settings),
    .print_at = offsetof(struct hs_predict_settings, print),
    .made_bytes = sizeof(struct asking),
    .make = make,
    .print = print,
    .release = release,
};
