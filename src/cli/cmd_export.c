#include <string.h>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/export_files.h"
#include "cli/option_rows.h"

struct export_words {
    struct hs_argument_list results;
    const char *output;
    bool quiet;
};

static enum hs_status export_results(struct hs_client *client, const struct export_words *words,
                                     struct hs_error *err)
{
    const struct hiersearch_question *question = client->context->question;
    const struct hs_export_target to = {words->output,
                                        *(const char *const *)hs_question_field(question, "to"),
                                        words->results.items[0]};
    struct hiersearch_exports *exports = NULL;
    struct hs_text notes = {0};
    enum hs_status status = hs_output_check(words->results.count > 1 ? words->output : NULL, NULL,
                                            &words->results, err);

    if (status == HS_OK)
        status = hs_client_read(client, &words->results, err);
    if (status == HS_OK)
        status = hs_export_inputs(&exports, client->inputs, question, &notes, err);
    hs_notes_pass_on(client->context, &notes);
    if (status == HS_OK)
        status = hs_export_files_write(client->context, exports, &to, err);
    if (status == HS_OK)
        hs_client_pass_on(client->context, hiersearch_exports_notes(exports));
    hiersearch_exports_free(exports);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct export_words *words = of_rows;
    struct hs_client client = hs_client_of(context, NULL);
    enum hs_status status;

    context->quiet = words->quiet;
    client.asker.output = words->output;
    if (words->results.count > 0)
        status = export_results(&client, words, err);
    else /* the formats */
        status = hs_client_ask(&client, err);
    if (status == HS_OK && client.answer)
        status = hs_client_print(&client, context->out, err);
    hs_client_release(&client);
    return status;
}

#define FIELD(name) offsetof(struct export_words, name)

static const struct hs_argument arguments[] = {
    {.name = "RESULT",
     .many = true,
     .files = true,
     .offset = FIELD(results),
     .usual = true,
     .help = "a result file of measure or predict, several for --to rules, and for what measure "
             "--native timed; - is stdin"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_OUTPUT(
        NULL, FIELD(output), false,
        "write there instead of to stdout; a folder (made if need be) for formats of several "
        "files"),
    HS_ROW_JSON(NULL, "of --list, as all of these"),
    HS_ROW_QUIET(NULL, FIELD(quiet), "no notes and warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_export = {
    .name = "export",
    .summary = "writes a result as configuration for other libraries and simulators",
    .description = "Writes the best plan of a result in the format of another library. Every file "
                   "begins with a comment "
                   "that says where it is from, for which versions it is, and how to use it. What "
                   "a format cannot "
                   "express is said on stderr, with what that costs. Plans by trees on single "
                   "links (8f, 8g) go to pytorch and msccl, whole.",
    .examples = "  hiersearch export --list\n"
                "  hiersearch export results/here.json --to msccl -o allreduce.xml\n"
                "  hiersearch export allreduce.json allgather.json --profile job.json --to rules\n"
                "  hiersearch export native-*.json --to ompi-tuned -o tuned.conf\n"
                "  hiersearch export results/here.json --to simgrid -o platform/\n"
                "  hiersearch predict abci --np 128 --json | hiersearch export - --to colors",
    .usual = "to output size plan profile list",
    .arguments = arguments,
    .question = "export",
    .options = options,
    .settings_bytes = sizeof(struct export_words),
    .run = run,
};
