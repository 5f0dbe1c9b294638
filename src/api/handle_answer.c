/* Questions become answers, and answers text: for callers of the library and for the program. */
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/file.h"
#include "detect/system_find.h"

struct hiersearch_system *hs_answer_system(const struct hiersearch_answer *answer)
{
    return answer->of.system_count > 0 ? answer->of.systems[0] : NULL;
}

const struct hs_inputs *hs_answer_inputs(const struct hiersearch_answer *answer)
{
    return answer->of.inputs ? &answer->of.inputs->inputs : NULL;
}

const struct hs_terminal *hs_answer_terminal(const struct hiersearch_answer *answer)
{
    return answer->asker.terminal ? answer->asker.terminal : &hs_terminal_of_nobody;
}

enum hs_status hs_answer_expect(const struct hiersearch_answer *answer, bool there,
                                const char *wanted, struct hs_error *err)
{
    return there
               ? HS_OK
               : hs_fail(err, HS_INVALID, "%s: expected %s", answer->question->kind->name, wanted);
}

/* The command line that asks the same. */
static enum hs_status write_command(struct hiersearch_answer *answer, struct hs_error *err)
{
    const struct hs_question_kind *kind = answer->question->kind;
    const struct hiersearch_inputs *inputs = answer->of.inputs;
    const struct hiersearch_system *system = hs_answer_system(answer);
    struct hs_text *command = &answer->command;

    if (answer->asker.command) {
        hs_text_append(command, "%s", answer->asker.command);
        return command->failed ? hs_no_memory(err) : HS_OK;
    }
    hs_text_append(command, "hiersearch %s", kind->name);
    if (system) {
        hs_text_append(command, " ");
        hs_command_word_append(command, hs_system_typed(system));
    }
    for (size_t i = 0; inputs && i < inputs->count; i++) {
        hs_text_append(command, " ");
        hs_command_word_append(command, inputs->names[i]);
    }
    hs_question_append(command, answer->question, NULL);
    return command->failed ? hs_no_memory(err) : HS_OK;
}

enum hs_status hs_ask(struct hiersearch_answer **out, const struct hiersearch_question *question,
                      const struct hs_subject *subject, const struct hs_asker *asker,
                      struct hs_error *err)
{
    struct hiersearch_answer *answer = calloc(1, sizeof(*answer));
    const struct hs_question_kind *kind = question->kind;
    enum hs_status status = HS_OK;

    *out = NULL;
    if (!answer)
        return hs_no_memory(err);
    answer->question = question;
    answer->of = *subject;
    answer->asker = *asker;
    answer->made = calloc(1, kind->made_bytes + 1);
    if (!answer->made)
        status = hs_no_memory(err);
    if (status == HS_OK)
        status = write_command(answer, err);
    if (status == HS_OK)
        status = kind->make(answer, err);
    hs_text_append(&answer->made_notes, "%s", hs_notes_of(&answer->notes));
    if (status == HS_OK)
        *out = answer;
    else
        hs_notes_give(asker->notes, &answer->notes);
    if (status != HS_OK)
        hiersearch_answer_free(answer);
    return status;
}

enum hs_status hs_answer_print(struct hs_text *out, struct hiersearch_answer *answer,
                               const char *format, struct hs_error *err)
{
    const struct hs_question_kind *kind = answer->question->kind;
    bool one_form = kind->print_at == HS_ONE_FORM;
    struct hs_print print = {.format = NULL};
    size_t index;

    if (!one_form)
        print =
            *(const struct hs_print *)((const char *)answer->question->settings + kind->print_at);
    if (!format)
        format = answer->asker.format;
    if (format && one_form)
        return hs_fail(err, HS_INVALID, "%s: its answer has one form, found \"%.40s\"", kind->name,
                       format);
    if (format && hs_name_find(&index, format, "format", hs_format_names, HS_FORMAT_COUNT, err))
        return HS_INVALID;
    if (format)
        print.format = hs_format_names[index];
    hs_text_release(&answer->notes);
    hs_text_append(&answer->notes, "%s", hs_notes_of(&answer->made_notes));
    return kind->print(out, answer, &print, err);
}

bool hs_answer_found_fault(const struct hiersearch_answer *answer)
{
    return answer->found_fault;
}

bool hs_answer_found_nothing(const struct hiersearch_answer *answer)
{
    return answer->found_nothing;
}

/* ---- of the library -------------------------------------------------------------------------- */

enum hiersearch_status hiersearch_ask(struct hiersearch_answer **answer,
                                      const struct hiersearch_question *question,
                                      struct hiersearch_system *system,
                                      const struct hiersearch_inputs *inputs,
                                      struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    const struct hs_subject subject = {&system, system != NULL, inputs};
    const struct hs_asker nobody = {.command = NULL};
    enum hs_status status = hs_expect_place(answer, err);

    if (status != HS_OK)
        return hs_call_end(call, status);
    *answer = NULL;
    status = hs_expect(question, "a question", err);
    if (status == HS_OK)
        status = hs_ask(answer, question, &subject, &nobody, err);
    if (status == HS_OK) /* the array of the one system ends with this call */
        (*answer)->of.systems = (*answer)->of.system_count > 0 ? &(*answer)->system : NULL;
    if (status == HS_OK)
        (*answer)->system = system;
    return hs_call_end(call, status);
}

enum hiersearch_status hiersearch_answer_text(char **text, size_t *length,
                                              struct hiersearch_answer *answer, const char *format,
                                              struct hiersearch_error *error)
{
    struct hs_call call = hs_call_begin();
    struct hs_error *err = hs_error_of(error);
    struct hs_text out = {0};
    enum hs_status status = hs_expect(answer, "an answer", err);

    if (length)
        *length = 0;
    if (status == HS_OK)
        status = hs_answer_print(&out, answer, format, err);
    if (length && status == HS_OK && text)
        *length = out.length;
    return hs_call_end(call, hs_text_give(text, &out, status, err));
}

const char *hiersearch_answer_notes(const struct hiersearch_answer *answer)
{
    return hs_notes_of(answer ? &answer->notes : NULL);
}

void hiersearch_answer_free(struct hiersearch_answer *answer)
{
    if (!answer)
        return;
    if (answer->made && answer->question->kind->release)
        answer->question->kind->release(answer->made);
    free(answer->made);
    hs_text_release(&answer->command);
    hs_text_release(&answer->made_notes);
    hs_text_release(&answer->notes);
    free(answer);
}

/* ---- where a program writes ------------------------------------------------------------------ */

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
