#include "cli/client.h"
#include "cli/commands.h"
#include "cli/option_rows.h"

struct place_words {
    const char *system;
    bool quiet;
};

#define FIELD(name) offsetof(struct place_words, name)

static const struct hs_argument arguments[] = {
    HS_ROW_SYSTEM(FIELD(system), true,
                  "the machine: the parts of a node, such as '8xH100, 8xNDR400', or a name that "
                  "`hiersearch systems` lists, or a file"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_JSON("Output", "as --format json: the answer as a document, placement.schema.json"),
    HS_ROW_QUIET("Output", FIELD(quiet), "no notes and warnings on stderr"),
    {.name = NULL},
};

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct place_words *words = of_rows;

    context->quiet = words->quiet;
    return hs_client_answer_about(context, words->system, err);
}

const struct hs_command hs_command_place = {
    .name = "place",
    .summary = "which axis of a job's mesh goes inside a node: TP, PP, DP, EP",
    .description =
        "Evaluates every order of the axes of --mesh on a machine, and every way of splitting "
        "them, by the communication time per step, each message as `hiersearch predict` would run "
        "it, and says which order to use, or to keep yours. --format prints it for a launcher or "
        "a framework.",
    .examples =
        "  hiersearch place '8xH100, 8xNDR400' --mesh tp=8,pp=4,dp=16 --model layers=80,"
        "hidden=8192,sequence=4096,micro-batch=1,global-batch=512\n"
        "  hiersearch place '8xH100, 8xNDR400' --mesh dp=64,tp=8 --messages "
        "tp:allreduce:64MiB*160,dp:reduce-scatter:1GiB\n"
        "  hiersearch place abci --mesh dp=16,tp=4 --messages tp:allreduce:64MiB --format srun\n"
        "  hiersearch place abci --mesh dp=2,tp=4 --messages tp:allreduce:64MiB --format hostfile "
        "--hosts n1,n2",
    .usual = "mesh messages model dtype compute details hosts format",
    .arguments = arguments,
    .question = "place",
    .options = options,
    .settings_bytes = sizeof(struct place_words),
    .run = run,
};
