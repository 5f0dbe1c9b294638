/* Predictions and results of the library. */
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/jobs.h"
#include "api/point.h"
#include "base/clock.h"
#include "base/notes.h"

/* ---- predictions ----------------------------------------------------------------------------- */

/* A question that is asked of a system. */
struct asking {
    struct hs_job_question question;
    struct hs_asked asked;
    struct hs_walk walk;
    struct hs_text command, notes;
    struct hs_profile profile; /* of the question; ranks 0: it has none */
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

/* What is asked goes together; of a profile, which is read, it has the number of ranks. */
static enum hs_status take_profile(struct hs_job_question *question, struct hs_profile *profile,
                                   struct hs_error *err)
{
    enum hs_status status =
        hs_job_take(&question->ask, &question->place, &question->hsdp, false, err);

    if (status != HS_OK || !question->profile)
        return status;
    status =
        hs_job_check_profile(&question->ask, hs_job_asked(&question->place, &question->hsdp), err);
    if (status == HS_OK)
        status = hs_inputs_profile(profile, question->profile, err);
    question->ask.np =
        (struct hs_range){.first = (uint64_t)profile->ranks, .last = (uint64_t)profile->ranks};
    return status;
}

static enum hs_status take(struct hs_job_question *question, struct hs_profile *profile,
                           struct hs_error *err)
{
    enum hs_status status = take_profile(question, profile, err);

    question->ask.words.placed = question->place.asked;
    return status == HS_OK ? hs_question_take(&question->ask, err) : status;
}

/* What is asked of a job, NULL of one collective. */
static const char *of_job(const struct asking *asking)
{
    return asking->question.profile ? "profile"
                                    : hs_job_asked(&asking->question.place, &asking->question.hsdp);
}

/* Release in any case. */
static enum hs_status ask(struct asking *asking, struct hiersearch_system *system,
                          const struct hiersearch_question *question, struct hs_error *err)
{
    const void *settings;
    enum hs_status status = hs_question_settings(&settings, NULL, question, "predict", err);

    memset(asking, 0, sizeof(*asking));
    if (status != HS_OK)
        return status;
    asking->question = *(const struct hs_job_question *)settings;
    status = take(&asking->question, &asking->profile, err);
    if (status == HS_OK)
        status = draw(system, hs_question_machines(&asking->question.ask), err);
    if (status != HS_OK)
        return status;
    hs_text_append(&asking->command, "hiersearch predict ");
    hs_command_word_append(&asking->command, hs_system_label(system));
    hs_question_append(&asking->command, question);
    if (asking->command.failed)
        return hs_no_memory(err);
    asking->asked =
        (struct hs_asked){.question = &asking->question.ask,
                          .strategy = hs_search_strategy_find(asking->question.ask.search),
                          .system = &system->system,
                          .machines = &system->machines,
                          .label = hs_system_label(system),
                          .began_seconds = hs_clock_seconds()};
    asking->walk = (struct hs_walk){.asked = &asking->asked,
                                    .command = asking->command.data,
                                    .notes = &asking->notes,
                                    .wants_results = true};
    return hs_asked_check(&asking->asked, err);
}

static void release(struct asking *asking)
{
    hs_text_release(&asking->command);
    hs_text_release(&asking->notes);
    hs_profile_release(&asking->profile);
}

static enum hs_status predict(struct hiersearch_result *result, struct asking *asking,
                              struct hs_error *err)
{
    const struct hs_range *np = &asking->question.ask.np;
    enum hs_status status;

    if (of_job(asking))
        return hs_fail(err, HS_INVALID,
                       "--%s: its answer is no result, hiersearch_predict_json has it",
                       of_job(asking));
    if (np->first != np->last)
        return hs_fail(err, HS_INVALID,
                       "--np: expected one process count, found several, which "
                       "hiersearch_predict_json takes");
    status = hs_walk_sizes(&result->result, &asking->walk, (int64_t)np->first, err);
    hs_asked_say_beyond(&asking->notes, &asking->asked);
    result->notes = asking->notes;
    asking->notes = (struct hs_text){0};
    return status;
}

static enum hs_status new_result(struct hiersearch_result **result, struct hs_error *err)
{
    *result = calloc(1, sizeof(**result));
    return *result ? HS_OK : hs_no_memory(err);
}

/* A handle that could not be filled goes again. */
static enum hs_status keep(struct hiersearch_result **result, enum hs_status status)
{
    if (status != HS_OK) {
        hiersearch_result_free(*result);
        *result = NULL;
    }
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
    enum hs_status status = ask(&asking, system, question, err);

    *result = NULL;
    if (status == HS_OK)
        status = new_result(result, err);
    if (status == HS_OK)
        status = keep(result, predict(*result, &asking, err));
    release(&asking);
    return hs_call_end(call, status);
}

static enum hs_status predict_one(struct hs_text *out, struct asking *asking, int64_t np,
                                  struct hs_error *err)
{
    const struct hs_range *all = &asking->question.ask.np;
    struct hs_result result;
    enum hs_status status = hs_walk_sizes(&result, &asking->walk, np, err);

    if (status == HS_OK && result.message_count > 0)
        status = all->first == all->last ? hs_result_print(out, &result, err)
                                         : hs_result_print_line(out, &result, err);
    hs_result_release(&result);
    return status;
}

static enum hs_status predict_all(struct hs_text *out, struct asking *asking, struct hs_error *err)
{
    const struct hs_range *np = &asking->question.ask.np;
    enum hs_status status = HS_OK;

    for (uint64_t p = np->first; status == HS_OK && p != 0; p = hs_range_next(np, p))
        status = predict_one(out, asking, (int64_t)p, err);
    return status;
}

static enum hs_status answer_job(struct hs_text *out, const struct asking *asking,
                                 struct hs_error *err)
{
    struct hs_sheet sheet = hs_sheet_of(out);

    return hs_job_answer(&sheet, &asking->asked, &asking->question,
                         asking->question.profile ? &asking->profile : NULL, err);
}

enum hiersearch_status hiersearch_predict_json(char **json, struct hiersearch_system *system,
                                               const struct hiersearch_question *question,
                                               struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    struct hs_text text = {0};
    struct asking asking;
    enum hs_status status = ask(&asking, system, question, err);

    if (status == HS_OK)
        status =
            of_job(&asking) ? answer_job(&text, &asking, err) : predict_all(&text, &asking, err);
    release(&asking);
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

static enum hs_status predict_measured(struct hs_text *out, const struct hs_inputs *inputs,
                                       const struct hiersearch_question *asked,
                                       struct hs_error *err)
{
    struct hs_profile profile = {.ranks = 0};
    struct hs_gains gains = {.count = 0};
    struct hs_sheet sheet = hs_sheet_of(out);
    struct hs_job_question question;
    const void *settings;
    enum hs_status status = hs_question_settings(&settings, NULL, asked, "predict", err);

    if (status != HS_OK)
        return status;
    question = *(const struct hs_job_question *)settings;
    status = check_measured(inputs, question.profile, err);
    if (status == HS_OK)
        status = take_profile(&question, &profile, err);
    if (status == HS_OK)
        status = hs_gains_by_results(&gains, inputs, &profile, err);
    if (status == HS_OK) {
        hs_gains_show(&sheet, &gains);
        status = hs_sheet_end(&sheet, err);
    }
    hs_gains_release(&gains);
    hs_profile_release(&profile);
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
    enum hs_status status = predict_measured(&text, &inputs->inputs, question, err);

    return hs_call_end(call, hs_text_give(json, &text, status, err));
}

/* ---- results --------------------------------------------------------------------------------- */

static void say_cut_short(struct hiersearch_result *result, const char *name)
{
    if (!result->result.complete)
        hs_say_warning(&result->notes, "%s is of a run that was cut short%s%s", name,
                       result->result.note ? ": " : "",
                       result->result.note ? result->result.note : "");
}

enum hiersearch_status hiersearch_result_load(struct hiersearch_result **result, const char *path,
                                              struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    enum hs_status status = new_result(result, hs_error_of(error));

    if (status == HS_OK)
        status = keep(result, hs_result_load(&(*result)->result, path, hs_error_of(error)));
    if (status == HS_OK)
        say_cut_short(*result, path);
    return hs_call_end(call, status);
}

enum hiersearch_status hiersearch_result_parse(struct hiersearch_result **result, const char *json,
                                               const char *name, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    enum hs_status status = new_result(result, hs_error_of(error));

    if (status == HS_OK)
        status = keep(result, hs_result_parse(&(*result)->result, name, json, strlen(json),
                                              hs_error_of(error)));
    if (status == HS_OK)
        say_cut_short(*result, name);
    return hs_call_end(call, status);
}

enum hiersearch_status hiersearch_result_json(char **json, const struct hiersearch_result *result,
                                              struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_text text = {0};
    enum hs_status status = hs_result_print(&text, &result->result, hs_error_of(error));

    return hs_call_end(call, hs_text_give(json, &text, status, hs_error_of(error)));
}

/* Never to stdout, which is the caller's. */
static enum hs_status save(const struct hiersearch_result *result, const char *path,
                           struct hs_error *err)
{
    if (strcmp(path, "-") == 0)
        return hs_fail(err, HS_INVALID, "expected a file to write, found \"-\"");
    return hs_result_save(&result->result, path, err);
}

enum hiersearch_status hiersearch_result_save(const struct hiersearch_result *result,
                                              const char *path, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();

    return hs_call_end(call, save(result, path, hs_error_of(error)));
}

const char *hiersearch_result_notes(const struct hiersearch_result *result)
{
    return hs_notes_of(&result->notes);
}

int64_t hiersearch_result_processes(const struct hiersearch_result *result)
{
    return result->result.np;
}

size_t hiersearch_result_count(const struct hiersearch_result *result)
{
    return result->result.message_count;
}

static double seconds_of(const struct hs_result_message *message, const struct hs_plan *plan)
{
    for (size_t i = 0; i < message->candidate_count; i++)
        if (hs_plan_compare(&message->candidates[i].plan, plan) == 0)
            return hs_candidate_seconds(&message->candidates[i]);
    return NAN;
}

enum hiersearch_status hiersearch_result_best(char **plan, uint64_t *bytes, double *seconds,
                                              const struct hiersearch_result *result,
                                              size_t message, struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    const struct hs_result_message *of;
    enum hs_status status = hs_result_message_at(&of, result, message, err);

    if (plan)
        *plan = NULL;
    if (status == HS_OK && of->best.split.count == 0)
        status = hs_fail(err, HS_INVALID, "message %zu has no best plan", message);
    if (status == HS_OK && plan) {
        *plan = hs_strdup(hs_plan_format((char[HS_SPLIT_TEXT]){0}, &of->best));
        if (!*plan)
            status = hs_no_memory(err);
    }
    if (status == HS_OK && bytes)
        *bytes = of->message_bytes;
    if (status == HS_OK && seconds)
        *seconds = seconds_of(of, &of->best);
    return hs_call_end(call, status);
}

enum hs_status hs_result_message_at(const struct hs_result_message **out,
                                    const struct hiersearch_result *result, size_t message,
                                    struct hs_error *err)
{
    if (message >= result->result.message_count)
        return hs_fail(err, HS_INVALID, "expected a message below %zu, found %zu",
                       result->result.message_count, message);
    *out = &result->result.messages[message];
    return HS_OK;
}

void hiersearch_result_free(struct hiersearch_result *result)
{
    if (!result)
        return;
    hs_result_release(&result->result);
    hs_text_release(&result->notes);
    free(result);
}
