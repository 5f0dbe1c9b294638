#include <stddef.h>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/option_rows.h"

struct compare_words {
    struct hs_argument_list files;
    const char *predict, *output;
    bool quiet;
};

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct compare_words *words = of_rows;
    struct hs_client client = hs_client_of(context, words->output);
    enum hs_status status;

    context->quiet = words->quiet;
    status = hs_output_check(client.asker.output, words->predict, &words->files, err);
    if (status == HS_OK && words->predict) {
        status = hs_client_find(&client, words->predict, err);
        if (status != HS_OK)
            hs_error_prefix(err, status, "--predict");
    }
    if (status == HS_OK)
        status = hs_client_read(&client, &words->files, err);
    if (status == HS_OK)
        status = hs_client_answer(&client, err);
    hs_client_release(&client);
    return status;
}

#define FIELD(name) offsetof(struct compare_words, name)

static const struct hs_argument arguments[] = {
    HS_ROW_RESULTS(
        FIELD(files),
        "result files of measure or simulate, and of predict where a measured one has no "
        "predictions; logs of a library's own calls, as `hiersearch fit` reads them; - is stdin; "
        "or two "
        "profiles of a job, before and after"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    {.name = "predict",
     .letter = 'p',
     .argument = "SYSTEM",
     .group = "What is compared",
     .type = &hs_option_file,
     .words = hs_system_words,
     .offset = FIELD(predict),
     .help = "predict the measured plans for this machine (a name, a file, or a line of text), in "
             "place of the predictions in the files"},
    HS_ROW_JSON("Output", "all that is known, in one document"),
    HS_ROW_OUTPUT("Output", FIELD(output), false, "write the JSON; - is stdout, as --json"),
    HS_ROW_QUIET("Output", FIELD(quiet), "no warnings on stderr"),
    {.name = NULL},
};

const struct hs_command hs_command_compare = {
    .name = "compare",
    .summary = "predicted against measured times: errors, order, and what a wrong choice costs",
    .description =
        "For every file and message size: the error of each prediction, whether the order is right "
        "(Kendall's tau), whether the predicted winner is the fastest, and how much slower it is "
        "if "
        "not. The same for the published containment rule. Several cases get a table and a "
        "summary. "
        "Simulated times count as measured.\n"
        "Times of a library's own calls, from logs of nccl-tests, OSU's benchmarks or CSV, come "
        "size by size beside what the machine's price of that library says, and beside the "
        "fastest measured plan of a result with as many processes.\n"
        "Of two profiles of a job, such as without and with `hiersearch run`: what became of each "
        "kind of calls, and what is saved.",
    .examples = "  hiersearch compare results/here.json\n"
                "  hiersearch compare results/*.json --predict calibrated.json\n"
                "  hiersearch compare measured.json predicted.json --size 64MiB --plans all\n"
                "  hiersearch compare all_reduce_2_nodes.txt --predict '8xH100, 8xNDR400'\n"
                "  hiersearch compare measured.json all_reduce_perf.txt\n"
                "  hiersearch compare before.json after.json",
    .aside = true, /* who judges predictions; `check` judges logs */
    .usual = "predict size np nodes call algorithm plans format output",
    .arguments = arguments,
    .question = "compare",
    .options = options,
    .settings_bytes = sizeof(struct compare_words),
    .run = run,
};
