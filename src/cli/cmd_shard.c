#include "cli/client.h"
#include "cli/commands.h"
#include "cli/option_rows.h"

struct shard_words {
    const char *system;
    bool quiet;
};

#define FIELD(name) offsetof(struct shard_words, name)

static const struct hs_argument arguments[] = {
    HS_ROW_SYSTEM(FIELD(system), true,
                  "the machine: the parts of a node, such as '8xH100, 8xNDR400', or a name that "
                  "`hiersearch systems` lists, or a file"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROW_JSON("Output", "as --format json: the answer as a document, sharding.schema.json"),
    HS_ROW_QUIET("Output", FIELD(quiet), "no notes and warnings on stderr"),
    {.name = NULL},
};

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    const struct shard_words *words = of_rows;

    context->quiet = words->quiet;
    return hs_client_answer_about(context, words->system, err);
}

const struct hs_command hs_command_shard = {
    .name = "shard",
    .summary = "how many ways to shard a model: FSDP or HSDP",
    .description = "Evaluates every number of shards of fully sharded data parallelism by the "
                   "communication time per step and by what a GPU holds, and says which to use, or "
                   "to keep full sharding. Shards x replicas is hybrid sharding (HSDP).",
    .examples =
        "  hiersearch shard '8xH100, 8xNDR400' --np 512 --parameters 70e9 --dtype bf16\n"
        "  hiersearch shard '4xA100-mesh, 4xSS11' --np 128 --parameters 7B --dtype bf16 --units "
        "32\n"
        "  hiersearch shard '8xH100, 8xNDR400' --np 512 --parameters 70e9 --dtype bf16 --memory "
        "60GB --details\n"
        "  hiersearch shard '8xH100, 8xNDR400' --np 64 --model config.json --dtype bf16\n"
        "  hiersearch shard abci --np 64 --parameters 1B --json",
    .usual = "np parameters model dtype units memory optimizer-bytes details format",
    .arguments = arguments,
    .question = "shard",
    .options = options,
    .settings_bytes = sizeof(struct shard_words),
    .run = run,
};
