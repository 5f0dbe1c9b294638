#include "cli/client.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/list.h"

struct hs_client hs_client_of(struct hs_context *context, const char *output)
{
    bool to_stdout = output && strcmp(output, "-") == 0;

    return (struct hs_client){
        .context = context,
        .asker = {.command = context->command_line,
                  .output = to_stdout ? NULL : output,
                  .format = to_stdout ? hs_format_names[HS_FORMAT_JSON] : NULL,
                  .terminal = &context->terminal}};
}

void hs_client_pass_on(const struct hs_context *context, const char *notes)
{
    struct hs_text lines = {0};

    hs_text_append(&lines, "%s", notes);
    hs_notes_pass_on(context, &lines);
}

enum hs_status hs_client_keep(struct hs_client *client, struct hiersearch_system *system,
                              struct hs_error *err)
{
    struct hiersearch_system **place;

    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
    place = hs_grow(&client->systems, NULL, client->system_count, sizeof(*place), err);
    if (!place) {
        hiersearch_system_free(system);
        return HS_MEMORY;
    }
    *place = system;
    client->system_count++;
    return HS_OK;
}

enum hs_status hs_client_find(struct hs_client *client, const char *text, struct hs_error *err)
{
    struct hiersearch_system *system;
    enum hs_status status = hs_system_open(&system, text, err);

    if (status != HS_OK)
        return status;
    hs_client_pass_on(client->context, hiersearch_system_notes(system));
    return hs_client_keep(client, system, err);
}

enum hs_status hs_client_read(struct hs_client *client, const struct hs_argument_list *files,
                              struct hs_error *err)
{
    enum hs_status status = hs_inputs_open(&client->inputs, files->items, files->count, err);

    hs_client_pass_on(client->context, hiersearch_inputs_notes(client->inputs));
    return status;
}

enum hs_status hs_client_ask(struct hs_client *client, struct hs_error *err)
{
    const struct hs_subject subject = {client->systems, client->system_count, client->inputs};
    struct hs_text notes = {0};
    enum hs_status status;

    client->asker.notes = &notes;
    status = hs_ask(&client->answer, client->context->question, &subject, &client->asker, err);
    hs_notes_pass_on(client->context, &notes);
    return status;
}

enum hs_status hs_client_print(struct hs_client *client, struct hs_text *out, struct hs_error *err)
{
    enum hs_status status = hs_answer_print(out, client->answer, NULL, err);

    hs_client_pass_on(client->context, hiersearch_answer_notes(client->answer));
    return status;
}

enum hs_status hs_client_answer(struct hs_client *client, struct hs_error *err)
{
    struct hs_text document = {0};
    enum hs_status status = hs_client_ask(client, err);

    if (status == HS_OK)
        status = hs_client_print(client, client->context->out, err);
    if (status == HS_OK && client->asker.output)
        status = hs_answer_print(&document, client->answer, hs_format_names[HS_FORMAT_JSON], err);
    if (status == HS_OK && client->asker.output)
        status = hs_file_replace(client->asker.output, document.data, document.length, err);
    hs_text_release(&document);
    return status;
}

enum hs_status hs_client_answer_about(struct hs_context *context, const char *system,
                                      struct hs_error *err)
{
    struct hs_client client = hs_client_of(context, NULL);
    enum hs_status status = hs_client_find(&client, system, err);

    if (status == HS_OK)
        status = hs_client_answer(&client, err);
    hs_client_release(&client);
    return status;
}

void hs_client_release(struct hs_client *client)
{
    hiersearch_answer_free(client->answer);
    hiersearch_inputs_free(client->inputs);
    for (size_t i = 0; i < client->system_count; i++)
        hiersearch_system_free(client->systems[i]);
    free(client->systems);
}

enum hs_status hs_output_write(const char *output, const struct hs_text *data,
                               struct hs_context *context, struct hs_error *err)
{
    if (output && strcmp(output, "-") != 0)
        return hs_file_replace(output, data->data, data->length, err);
    hs_text_append_bytes(context->out, data->data, data->length);
    return HS_OK;
}

enum hs_status hs_client_draw(struct hs_context *context, const struct hs_argument_list *files,
                              const char *output, struct hs_error *err)
{
    struct hs_client client = hs_client_of(context, NULL);
    struct hs_text drawn = {0};
    enum hs_status status = hs_output_check(output, NULL, files, err);

    if (status == HS_OK)
        status = hs_client_read(&client, files, err);
    if (status == HS_OK)
        status = hs_client_ask(&client, err);
    if (status == HS_OK)
        status = hs_client_print(&client, &drawn, err);
    if (status == HS_OK)
        status = hs_output_write(output, &drawn, context, err);
    hs_text_release(&drawn);
    hs_client_release(&client);
    return status;
}
