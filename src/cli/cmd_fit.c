#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/option_rows.h"

struct fit_words {
    const char *system;
    struct hs_argument_list results;
    const char *output;
    bool quiet;
};

static enum hs_status write_system(struct hs_context *context,
                                   const struct hiersearch_system *system, const char *output,
                                   struct hs_error *err)
{
    struct hs_text text = {0};
    enum hs_status status = hs_system_document(&text, system, err);

    if (status == HS_OK)
        status = hs_output_write(output, &text, context, err);
    hs_text_release(&text);
    return status;
}

/* stdout is for the system, so the answer is not asked again. */
static enum hs_status fit_alone(const struct hs_client *client, struct hs_error *err)
{
    const struct hiersearch_question *question = client->context->question;
    const int64_t *np = hs_question_field(question, "for");
    const struct hs_range *size = hs_question_field(question, "size");
    struct hiersearch_system *fitted = NULL;
    struct hs_text notes = {0};
    enum hs_status status = HS_OK;

    if (*np > 0 || size->first > 0)
        return hs_fail(err, HS_INVALID,
                       "--%s: the answer goes to stdout, and so does the system: --output FILE",
                       *np > 0 ? "for" : "size");
    status = hs_fit(&fitted, client->systems[0], client->inputs, question, &notes, err);
    hs_notes_pass_on(client->context, &notes);
    if (status == HS_OK)
        hs_client_pass_on(client->context, hiersearch_system_notes(fitted));
    if (status == HS_OK)
        status = write_system(client->context, fitted, NULL, err);
    hiersearch_system_free(fitted);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct fit_words *words = of_rows;
    struct hs_client client = hs_client_of(context, words->output);
    enum hs_status status;

    client.asker.format = NULL;
    context->quiet = words->quiet;
    status = hs_output_check(words->output, words->system, &words->results, err);
    if (status == HS_OK)
        status = hs_client_find(&client, words->system, err);
    if (status == HS_OK)
        status = hs_client_read(&client, &words->results, err);
    if (status == HS_OK && !client.asker.output)
        status = fit_alone(&client, err);
    else if (status == HS_OK)
        status = hs_client_ask(&client, err);
    if (status == HS_OK && client.answer)
        status = write_system(context, hs_answer_fitted(client.answer), words->output, err);
    if (status == HS_OK && client.answer)
        status = hs_client_print(&client, context->out, err);
    hs_client_release(&client);
    return status;
}

#define FIELD(field) offsetof(struct fit_words, field)

static const struct hs_argument arguments[] = {
    HS_ROW_SYSTEM(FIELD(system), true,
                  "description to start from: shipped name, file, or line of text"),
    HS_ROW_RESULTS(FIELD(results),
                   "result files of measure or simulate with layer times; or logs of a library's "
                   "calls: the output of nccl-tests, also of -J, of OSU's benchmarks, or CSV "
                   "(bytes, seconds, and np, nodes, call); or what gpu-probe says of a GPU"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_OUTPUT(NULL, FIELD(output), false, "the calibrated system file (default: stdout)"),
    HS_ROW_QUIET(NULL, FIELD(quiet), "no notes on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_fit = {
    .name = "fit",
    .summary = "calibrates a machine from results and logs",
    .description =
        "Fits latency, bandwidth and launch cost of a system to the layer times that "
        "measure (or simulate) "
        "left in result files, without measuring anything again, and writes a system "
        "file that predict and "
        "measure take. `measure --calibrate` does the same with measurements made for the "
        "purpose.\n"
        "With logs of nccl-tests, or of OSU's benchmarks where the machine's library is "
        "MPICH or Open MPI, of a few nodes and any sizes, the constants of that "
        "library's price become those of this machine, and larger counts are predicted "
        "by them.\n"
        "What gpu-probe says of a GPU, by itself or with such logs, limits what NCCL's "
        "calls move by what a kernel's blocks add.",
    .examples = "  hiersearch fit abci results/abci-*.json -o abci-fitted.json\n"
                "  hiersearch fit '8xH100, 8xNDR400' all_reduce_2_nodes.txt -o here.json\n"
                "  hiersearch fit '8xH100, 8xNDR400' probe.json -o here.json\n"
                "  hiersearch fit 'node:4@20GB/s~0.5us,ib@12GB/s~2us;library=mpich' osu.txt --np 8 "
                "--nodes 2 -o cpus.json\n"
                "  hiersearch predict abci-fitted.json --np 512 --size 128MiB",
    .usual = "output np nodes call algorithm force for size",
    .arguments = arguments,
    .question = "fit",
    .options = options,
    .settings_bytes = sizeof(struct fit_words),
    .run = run,
};
