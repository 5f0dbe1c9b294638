#include <stddef.h>
#include <string.h>

#include "base/file.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/option_rows.h"
#include "cli/simulate.h"

struct simulate_words {
    const char *system; /* as typed */
    struct hs_argument_list plans;
    const char *output; /* path; NULL: no file */
    bool quiet;
};

#define FIELD(name) offsetof(struct simulate_words, name)

static const struct hs_argument arguments[] = {
    HS_ROW_SYSTEM(FIELD(system), true,
                  "the machine: a name, a file, or levels, innermost first, as for predict"),
    {.name = "PLAN",
     .many = true,
     .offset = FIELD(plans),
     .help = "plans to simulate, such as 4x8x4, or 4x8x4/8 with 8 chunks"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_JSON("Output", "print the result file instead of a table"),
    HS_ROW_OUTPUT("Output", FIELD(output), false, "write the result file; - is stdout, as --json"),
    HS_ROW_QUIET("Output", FIELD(quiet), "no progress, notes and warnings on stderr"),
    {.name = NULL},
};

/* The result of a simulation becomes the client's input, of which it asks. */
static enum hs_status simulate(struct hs_client *client, const struct simulate_words *words,
                               struct hs_error *err)
{
    const struct hs_context *context = client->context;
    struct hiersearch_exports *files = NULL;
    struct hs_text document = {0};
    enum hs_status status =
        hs_simulation(&files, client->systems[0], context->question, context->command_line, err);

    if (status == HS_OK)
        status = hs_simulate_available(err);
    if (status == HS_OK)
        status = hs_simulate_run(&document, files, words->quiet, err);
    if (status == HS_OK && (hiersearch_inputs_new(&client->inputs, NULL) != HIERSEARCH_OK ||
                            hiersearch_inputs_add_text(client->inputs, HS_SIMULATED_RESULT,
                                                       document.data, NULL) != HIERSEARCH_OK))
        status = hs_no_memory(err);
    hs_text_release(&document);
    hiersearch_exports_free(files);
    return status == HS_OK ? hs_client_answer(client, err) : status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct simulate_words *words = of_rows;
    struct hs_client client = hs_client_of(context, words->output);
    struct hs_text plans = {0};
    enum hs_status status;

    context->quiet = words->quiet;
    for (size_t i = 0; i < words->plans.count; i++)
        hs_text_append(&plans, "%s%s", i > 0 ? "," : "", words->plans.items[i]);
    *(const char **)hs_question_field(context->question, "plans") = plans.data;
    status = plans.failed ? hs_no_memory(err) : hs_client_find(&client, words->system, err);
    if (status == HS_OK)
        status = hs_output_check(client.asker.output, words->system, NULL, err);
    if (status == HS_OK)
        status = simulate(&client, words, err);
    hs_client_release(&client);
    hs_text_release(&plans);
    return status;
}

const struct hs_command hs_command_simulate = {
    .name = "simulate",
    .aside = true,
    .summary = "run plans in a simulated network (SimGrid), beside their predictions",
    .description =
        "Runs the host backend's own algorithms for P simulated processes on the platform that "
        "`export --to simgrid` writes of the machine, in SimGrid's flow-level network (SMPI), and "
        "prints each plan's simulated time beside the predicted one; the error is predicted over "
        "simulated time. The simulation is deterministic: each plan is run once. Messages of a "
        "ring step are whole blocks, and pay the machine's pipeline_granularity times its "
        "latency; computing takes no time and data is not checked. Needs SimGrid (Debian and "
        "Ubuntu: libsimgrid-dev) when hiersearch is built and when it runs.",
    .examples = "  hiersearch simulate abci --np 64\n"
                "  hiersearch simulate abci --np 128 4x8x4 4x32 128\n"
                "  hiersearch simulate summit --np 48 --all --size 64MiB -o summit-48.json\n"
                "  hiersearch simulate abci --np 64 --all --chunks 1,2,4",
    .usual = "np size collective chunks all output format",
    .arguments = arguments,
    .question = "simulate",
    .argued = "plans",
    .options = options,
    .settings_bytes = sizeof(struct simulate_words),
    .run = run,
};
