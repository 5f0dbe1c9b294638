/* `measure` runs in the program that is linked with MPI and CUDA; it has these rows from here. */
#include "cli/cmd_measure.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "cli/become_measure.h"
#include "cli/commands.h"
#include "cli/faults.h"
#include "cli/option_rows.h"
#include "search/search.h"

#define WORDS_MAX   16
#define TOP_DEFAULT 8

static const char *const *search_words(void)
{
    static const char *words[WORDS_MAX + 3] = {HS_SEARCH_AUTO, HS_SEARCH_LAZY};

    for (size_t i = 0; hs_search_strategies[i].name && i < WORDS_MAX; i++)
        words[i + 2] = hs_search_strategies[i].name;
    return words;
}

#define FIELD(name) offsetof(struct hs_measure_settings, name)
#define WHAT        "What is measured"
#define WHICH       "Which splits"
#define HOW         "How it is measured"
#define OUTPUT      "Output"

static const struct hs_argument arguments[] = {
    HS_ROW_SYSTEM(
        FIELD(campaign.described.system), false,
        "the machine, for the model that chooses the plans: as for predict. Without it, only the "
        "nodes of the ranks are known"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    {.name = "size",
     .letter = 's',
     .argument = "SIZE[:SIZE]",
     .type = &hs_option_bytes_range,
     .offset = FIELD(campaign.sizes),
     .group = WHAT,
     .help = "bytes per process, such as 64MiB; a range is a sweep in "
             "powers of two, and 25MB,1GiB a list; --profile says them, too"},
    HS_ROW_GPUS(WHAT, FIELD(campaign.described.gpus), "default: the first"),
    HS_ROW_FILE("profile", 0, WHAT, FIELD(job.profile), false,
                "the sizes that a job calls, which `hiersearch profile` counted (or FILE.ranks, "
                "which it left), each for as much of the budget as it costs the job; of what "
                "costs most of the collective and groups that are given"),
    {.name = "collective",
     .argument = "NAME",
     .group = WHAT,
     .words = hs_collective_words,
     .type = &hs_option_text,
     .offset = FIELD(job.collective),
     .help = "what all processes call; the size is that of the larger side, what enters a "
             "reduce-scatter and what an allgather leaves (default allreduce, or with --profile "
             "what costs most)"},
    HS_ROW_ORDER(WHAT, FIELD(campaign.call.order)),
    HS_ROWS_MESH(WHAT, FIELD(campaign.call.words)),
    HS_ROW_DATATYPE(WHAT, FIELD(campaign.datatype)),
    HS_ROW_OPERATION(WHAT, FIELD(campaign.operation)),
    HS_ROW_BACKEND(WHAT, FIELD(campaign.backend),
                   "what runs the splits; auto takes the first that works here"),
    HS_ROW_CHOICE("buffers", 0, "WHERE", hs_buffers_words, "auto", WHAT, FIELD(buffers_name),
                  "host and mpi: messages in host memory or the GPUs' (device); auto takes the "
                  "GPUs' where each rank has one and the backend can"),

    HS_ROW_COUNT(
        "top", "plans", 1, HS_CANDIDATES_MAX, NULL, WHICH, FIELD(top),
        "measure the N plans that the model finds best; after layers, at most N splits that "
        "could be the best (default: 8); the flat split comes on top"),
    HS_ROW_FLAG("all", 0, WHICH, FIELD(all),
                "measure every split by every one of --algorithms, up to 4096 plans"),
    {.name = "plans",
     .argument = "PLAN,...",
     .type = &hs_option_text,
     .offset = FIELD(plans),
     .group = WHICH,
     .help = "measure these, such as 4x8x4,4x32/8 (8 chunks); the flat split comes on top"},
    HS_ROW_ALGORITHMS(
        WHICH, FIELD(algorithms),
        "backend host: what layers may go by besides the ring where the model chooses, such as "
        "halving,direct, or all (default: what who executes on SYSTEM has)"),
    HS_ROW_CHOICE("search", 0, "NAME", search_words, HS_SEARCH_AUTO, WHICH, FIELD(search),
                  "how splits are chosen: lazy measures single layers until the best is certain, "
                  "the others ask the model; auto is lattice for a calibrated SYSTEM or with "
                  "SYSTEM and --top, else lazy"),
    {.name = "chunks",
     .argument = "N,...",
     .type = &hs_option_count_list,
     .offset = FIELD(chunks),
     .group = WHICH,
     .noun = "number of chunks",
     .min = 1,
     .max = HS_CHUNKS_MAX,
     .fallback = "1",
     .help = "numbers of chunks to try for each split"},

    HS_ROW_SECONDS("budget", "60s", HOW, FIELD(budget_seconds),
                   "time for all measurements together"),
    HS_ROW_SECONDS(
        "timeout", "30s", HOW, FIELD(campaign.timeout_seconds),
        "a run of a split that takes longer hangs: it is recorded and the job ends; --resume "
        "goes on with the others"),
    HS_ROW_PRECISION(HOW, FIELD(precision)),
    HS_ROW_COUNT("min-samples", "samples", 1, 1000000, "8", HOW, FIELD(min_samples),
                 "at least so many samples, if the budget allows"),
    HS_ROW_COUNT("max-samples", "samples", 1, 1000000, "200", HOW, FIELD(max_samples),
                 "at most so many"),
    HS_ROW_WARMUP("2", HOW, FIELD(warmup)),
    HS_ROW_COUNT("layers", "runs", 0, 1000, "5", HOW, FIELD(layers),
                 "runs of each for the times of single layers"),
    HS_ROW_FLAG("no-layers", 0, HOW, FIELD(no_layers), "no times of single layers"),
    HS_ROW_SEED(HOW, FIELD(campaign.play.seed)),
    HS_ROW_FAULTS(HOW, FIELD(campaign.play.faults)),

    HS_ROW_OUTPUT(OUTPUT, FIELD(campaign.output), false,
                  "write the result there; - is stdout, the table then goes to stderr"),
    HS_ROWS_JOURNAL(OUTPUT, FIELD(campaign.journal), FIELD(campaign.resume), FIELD(campaign.retry)),
    HS_ROWS_PRINT(OUTPUT, FIELD(print), "print the result file instead of tables"),
    HS_ROW_QUIET(OUTPUT, FIELD(campaign.quiet), "no progress and no notes on stderr"),
    HS_ROW_FLAG("verbose", 'v', OUTPUT, FIELD(campaign.verbose),
                "more about placement, memory and layers"),
    {.name = NULL},
};

static enum hs_status run(struct hs_context *context, void *settings, struct hs_error *err)
{
    (void)settings;
    return hs_become_measure(context, HS_MEASURE_PROGRAM, err);
}

const struct hs_command hs_command_measure = {
    .name = "measure",
    .summary = "measures the promising plans on this allocation (mpiexec, srun)",
    .launcher = "mpiexec -n P",
    .description =
        "Runs the splits in turn, one run each per round, until the medians are precise "
        "or the budget is "
        "spent; splits that cannot win any more are dropped. The library's own "
        "collective (MPI_Allreduce, ncclReduceScatter, MPI_Alltoall, ...) runs beside them. "
        "Every split's data is checked, each element on each rank; wrong data makes the exit "
        "status 3. With --mesh and --over all groups call at once, and a run takes as long as the "
        "slowest of them.\n"
        "Which splits: unless the SYSTEM is calibrated, single layers are measured first, "
        "the few that decide which split is best (for at most half of the budget); then "
        "the best split, and those that the noise does not tell from it, run as a whole.",
    .examples =
        "  mpiexec -n 16 hiersearch measure --size 64MiB -o here.json\n"
        "  srun hiersearch measure abci --size 1MiB:1GiB --top 8 --budget 10min -o abci.json\n"
        "  mpiexec -n 16 hiersearch measure --size 64MiB --collective reduce-scatter "
        "-o scatter.json\n"
        "  mpiexec -n 16 hiersearch measure --size 64MiB --mesh tp=4,dp=4 --over dp -o dp.json\n"
        "  mpiexec -n 16 hiersearch measure --profile job.json --collective allreduce -o "
        "job-16.json\n"
        "  mpiexec -n 16 hiersearch measure --size 64MiB -o here.json --resume",
    .usual = "size collective mesh over dtype backend plans budget precision resume output verbose",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct hs_measure_settings),
    .passes_on = true,
    .run = run,
};

enum hs_status hs_campaign_check(struct hs_campaign_options *campaign, struct hs_error *err)
{
    struct hs_call_options *call = &campaign->call;
    int64_t np = 0; /* the launcher's business */

    if (campaign->described.gpus.count > 0 && !campaign->described.system)
        return hs_fail(err, HS_INVALID, "--gpus: of a SYSTEM whose first level is single links");
    if (hs_order_check(call->collective, call->order, err) ||
        hs_mesh_take(&call->mesh, &np, &call->words, err))
        return HS_INVALID;
    if (call->mesh.count > 0 && hs_mesh_group(&call->mesh, np).size < 2)
        return hs_fail(err, HS_INVALID, "--over %s: expected groups of 2 processes or more",
                       call->words.over);
    return HS_OK;
}

static enum hs_status check_chunks(const struct hs_measure_settings *settings, struct hs_error *err)
{
    const struct hs_campaign_options *campaign = &settings->campaign;
    const struct hs_collective_row *row = &hs_collectives[campaign->call.collective];

    bool one_way = hs_collective_is_one_way(campaign->call.collective);

    for (size_t i = 0; i < settings->chunks.count && one_way; i++)
        if (settings->chunks.values[i] > 1)
            return hs_fail(err, HS_INVALID, "--chunks %d: chunks of %s would %s",
                           settings->chunks.values[i], row->written,
                           row->whole ? "each be an exchange of other blocks"
                                      : "leave a process a piece of each in place of its block");
    return HS_OK;
}

/* What is called, by whom, and with how many bytes. */
static enum hs_status check_call(struct hs_measure_settings *settings, struct hs_error *err)
{
    struct hs_campaign_options *campaign = &settings->campaign;
    enum hs_status status = HS_OK;

    if (settings->job.collective)
        status = hs_collective_parse(&campaign->call.collective, settings->job.collective, err);
    if (status != HS_OK)
        return hs_error_prefix(err, status, "--collective");
    if (settings->job.profile && campaign->sizes.first > 0)
        return hs_fail(err, HS_INVALID, "--size: --profile says the sizes");
    if (!settings->job.profile && campaign->sizes.first == 0)
        return hs_fail(err, HS_INVALID, "--size SIZE[:SIZE] is missing (or --profile FILE)");
    if (settings->job.profile) {
        int64_t np = 0;

        status = hs_mesh_take(&campaign->call.mesh, &np, &campaign->call.words, err);
        if (status == HS_OK)
            status = hs_measure_take_profile(settings, err);
        if (status == HS_OK)
            status = hs_order_check(campaign->call.collective, campaign->call.order, err);
        return status;
    }
    status = hs_sizes_check(&campaign->sizes, campaign->datatype, err);
    return status == HS_OK ? hs_campaign_check(campaign, err) : status;
}

enum hs_status hs_measure_settings_check(struct hs_measure_settings *settings, struct hs_error *err)
{
    enum hs_status status = check_call(settings, err);
    bool null_backend = strcmp(settings->campaign.backend, HS_BACKEND_NULL) == 0;

    if (status != HS_OK)
        return status;
    while (strcmp(settings->buffers_name, hs_buffers_names[settings->campaign.buffers]) != 0)
        settings->campaign.buffers++; /* one of the words */
    if (settings->max_samples < settings->min_samples)
        return hs_fail(err, HS_INVALID, "--max-samples %" PRId64 " is below --min-samples %" PRId64,
                       settings->max_samples, settings->min_samples);
    if (settings->all && settings->plans)
        return hs_fail(err, HS_INVALID, "--all and --plans exclude each other");
    settings->top_given = settings->top > 0;
    if (!settings->top_given)
        settings->top = TOP_DEFAULT;
    if (settings->all && strcmp(settings->search, HS_SEARCH_LAZY) == 0)
        return hs_fail(err, HS_INVALID, "--all and --search lazy exclude each other");
    if (!settings->campaign.described.system && !settings->plans && !settings->all &&
        hs_search_strategy_find(settings->search))
        return hs_fail(err, HS_INVALID, "--search %s prices plans by a model: give a SYSTEM",
                       settings->search);
    status = check_chunks(settings, err);
    if (status != HS_OK)
        return status;
    if (null_backend && !settings->campaign.described.system)
        return hs_fail(err, HS_INVALID, "--backend null plays a model: give a SYSTEM");
    if (settings->campaign.play.faults && !null_backend)
        return hs_fail(err, HS_INVALID, "--faults is for --backend null");
    status = hs_journal_options_check(settings->campaign.journal, settings->campaign.output,
                                      settings->campaign.resume, settings->campaign.retry, err);
    if (status != HS_OK)
        return status;
    if (settings->no_layers)
        settings->layers = 0;
    return HS_OK;
}
