/* `measure` runs in the program that is linked with MPI and CUDA; it has these rows from here. */
#include "cli/cmd_measure.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/places.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/faults.h"
#include "cli/option_rows.h"
#include "search/search.h"

#define WORDS_MAX       16
#define CALIBRATE_BYTES ((uint64_t)16 << 20) /* where no size is given */

#define HS_MEASURE_PROGRAM "hiersearch-measure"

/* A program of its own, because it is linked with MPI and CUDA; by exec, so it keeps the process id
 * and the environment that mpiexec or srun gave us. Returns only where that fails. */
static enum hs_status exec_measure(struct hs_context *context, struct hs_error *err)
{
    size_t count = 0;
    char path[PATH_MAX], **argv;

    if (!hs_sibling_program(path, sizeof(path), HS_MEASURE_PROGRAM)) {
        if (context->arguments[0] && strcmp(context->arguments[0], "--help") == 0) {
            hs_context_help(context, context->command,
                            context->arguments[1] && strcmp(context->arguments[1], "all") == 0);
            return HS_OK;
        }
        return hs_fail(err, HS_FAILED,
                       "there is no " HS_MEASURE_PROGRAM
                       " beside this program, in its libexec or in PATH: "
                       "it was built without MPI");
    }
    while (context->arguments[count])
        count++;
    argv = calloc(count + 2, sizeof(*argv));
    if (!argv)
        return hs_no_memory(err);
    argv[0] = (char *)HS_MEASURE_PROGRAM;
    memcpy(argv + 1, context->arguments, count * sizeof(*argv));
    execv(path, argv);
    free(argv);
    return hs_fail(err, HS_FAILED, "cannot run %s: %s", path, strerror(errno));
}

static const char *const *search_words(void)
{
    static const char *words[WORDS_MAX + 3] = {HS_SEARCH_AUTO, HS_SEARCH_LAZY};

    for (size_t i = 0; hs_search_strategies[i].name && i < WORDS_MAX; i++)
        words[i + 2] = hs_search_strategies[i].name;
    return words;
}

#define FIELD(name) offsetof(struct hs_measure_settings, name)
#define WHAT        "What is measured"
#define WHICH       "Which plans"
#define LAYERS      "Layers in place of plans"
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
     .help = "bytes per process, such as 64MiB; a range is a sweep in powers of two, and 25MB,1GiB "
             "a list; --profile says them, too. With --calibrate (default there 16MiB) the "
             "messages of the plans to be predicted, of one size also its half, quarter and "
             "eighth"},
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
    HS_ROW_LAYOUT(WHAT, FIELD(campaign.call.layout)),
    HS_ROWS_MESH(WHAT, FIELD(campaign.call.words)),
    HS_ROW_DATATYPE(WHAT, FIELD(campaign.datatype), hs_measured_datatype_words),
    HS_ROW_OPERATION(WHAT, FIELD(campaign.operation)),
    HS_ROW_BACKEND(WHAT, FIELD(campaign.backend),
                   "what runs them; auto takes the first that works here"),
    HS_ROW_CHOICE("buffers", 0, "WHERE", hs_buffers_words, "auto", WHAT, FIELD(buffers_name),
                  "host and mpi: messages in host memory or the GPUs' (device); auto takes the "
                  "GPUs' where each rank has one and the backend can"),

    HS_ROW_FLAG("registered", 0, WHAT, FIELD(campaign.registered),
                "backends nccl: register the buffers (ncclCommRegister) with every communicator, "
                "the library's calls' too, as programs with registered memory do"),

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
        "backend host: what layers may use besides the ring, such as halving,direct, or all "
        "(default: what the machine's executor has; with --calibrate rings alone)"),
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
    HS_ROW_FLAG(
        "native", 0, WHICH, FIELD(native),
        "also the library's default call by each of its algorithms, forced on it (Open MPI 4.1 "
        "and 5.0, MPICH 4.0 and 5.0), for export --to ompi-tuned and mpich"),

    HS_ROW_FLAG("calibrate", 0, LAYERS, FIELD(calibrate),
                "measure the layers, not plans, and write the machine with fitted latencies and "
                "bandwidths to --output, for predict and measure"),
    HS_ROW_COUNT("layers", "layers", 1, 1000000, NULL, LAYERS, FIELD(layers),
                 "at most N layers: one of each level and size first, cheap ones first (default: "
                 "all)"),
    {.name = "stages",
     .argument = "LIST",
     .type = &hs_option_stages,
     .offset = FIELD(stages),
     .group = LAYERS,
     .help = "these stages alone, as predict and explain name them: phase, stride and size, with "
             "the algorithm's letter where it is not the ring, such as "
             "allreduce:4:8,reduce-scatter:1:4h; the points of a calibrated SYSTEM stay"},
    HS_ROW_COUNT("rounds", "rounds", 1, 1000, NULL, LAYERS, FIELD(rounds),
                 "passes over all of it (default: 3); the first takes --min-samples, later ones "
                 "more where it is not precise yet"),
    HS_ROW_PERCENT("max-residual", NULL, LAYERS, FIELD(max_residual),
                   "layers whose times are further off the fitted line are refused (root mean "
                   "square, the noise comes on top; default: 15%)"),

    HS_ROW_SECONDS("budget", NULL, HOW, FIELD(budget_seconds),
                   "time for all measurements together (default: 60s, with --calibrate 120s)"),
    HS_ROW_SECONDS(
        "timeout", "30s", HOW, FIELD(campaign.timeout_seconds),
        "a run that takes longer hangs: it is recorded and the job ends; --resume goes on with the "
        "others"),
    HS_ROW_PRECISION(HOW, FIELD(precision)),
    HS_ROW_COUNT("min-samples", "samples", 1, 1000000, "8", HOW, FIELD(min_samples),
                 "at least so many samples, if the budget allows"),
    HS_ROW_COUNT("max-samples", "samples", 1, 1000000, NULL, HOW, FIELD(max_samples),
                 "at most so many (default: 200, with --calibrate 50)"),
    HS_ROW_WARMUP("2", HOW, FIELD(warmup)),
    HS_ROW_COUNT("layer-runs", "runs", 0, 1000, "5", HOW, FIELD(layer_runs),
                 "runs of each plan for the times of its layers; 0: none"),
    HS_ROW_SEED(HOW, FIELD(campaign.play.seed)),
    HS_ROW_FAULTS(HOW, FIELD(campaign.play.faults)),
    {.name = "plays",
     .argument = "SYSTEM",
     .type = &hs_option_file,
     .words = hs_system_words,
     .offset = FIELD(campaign.play.system),
     .group = HOW,
     .help = "the machine that the null backend plays (default: SYSTEM)"},

    HS_ROW_OUTPUT(OUTPUT, FIELD(campaign.output), false,
                  "write the result there, with --calibrate the machine, named after it; - is "
                  "stdout, the rest then goes to stderr"),
    HS_ROWS_JOURNAL(OUTPUT, FIELD(campaign.journal), FIELD(campaign.resume), FIELD(campaign.retry)),
    HS_ROW_FLAG("details", 0, OUTPUT, FIELD(details),
                "also every candidate, layers, what the library chose, limits; with --calibrate "
                "every fit"),
    HS_ROWS_PRINT(OUTPUT, FIELD(print), "print the result file, with --calibrate the fits"),
    HS_ROW_QUIET(OUTPUT, FIELD(campaign.quiet), "no progress and no notes on stderr"),
    HS_ROW_FLAG("verbose", 'v', OUTPUT, FIELD(campaign.verbose),
                "more about placement and memory; with --calibrate every measurement, one line "
                "each"),
    {.name = NULL},
};

static enum hs_status run(struct hs_context *context, void *settings, struct hs_error *err)
{
    (void)settings;
    return exec_measure(context, err);
}

const struct hs_command hs_command_measure = {
    .name = "measure",
    .summary = "measures the promising plans on this allocation (mpiexec, srun)",
    .launcher = "mpiexec -n P",
    .description =
        "Runs the plans in turn, one run each per round, until the medians are precise "
        "or the budget is "
        "spent; plans that cannot win any more are dropped. The library's own "
        "collective (MPI_Allreduce, ncclReduceScatter, MPI_Alltoall, ...) runs beside them: the "
        "verdict compares the fastest plan with it. "
        "Every plan's data is checked, each element on each rank; wrong data makes the exit "
        "status 3. With --mesh and --group all groups call at once, and a run takes as long as the "
        "slowest of them.\n"
        "Which plans: unless the SYSTEM is calibrated, single layers are measured first, "
        "the few that decide which split is best (for at most half of the budget); then "
        "the best split, and those within noise of it, run in full.\n"
        "--calibrate measures layers alone: the phases that the collective has on every stride "
        "and size, at several message sizes, and fits latency, bandwidth and launch cost to them. "
        "Every split is a path of layers, so the machine that it writes prices all of them, at "
        "this and other numbers of processes, and other groups and collectives as far as layers "
        "are alike. SYSTEM then says which levels there are and how links are shared; its figures "
        "are replaced. Layers whose times the model does not describe are refused, with a note.",
    .examples =
        "  mpiexec -n 16 hiersearch measure --size 64MiB -o here.json\n"
        "  srun hiersearch measure abci --size 1MiB:1GiB --top 8 --budget 10min -o abci.json\n"
        "  mpiexec -n 16 hiersearch measure --size 64MiB --collective reduce-scatter "
        "-o scatter.json\n"
        "  mpiexec -n 16 hiersearch measure --size 64MiB --mesh tp=4,dp=4 --group dp -o dp.json\n"
        "  mpiexec -n 16 hiersearch measure --profile job.json --collective allreduce -o "
        "job-16.json\n"
        "  mpiexec -n 16 hiersearch measure --size 64MiB -o here.json --resume\n"
        "  mpirun -n 16 hiersearch measure --native --plans 16 --size 1KiB:16MiB -o own.json\n"
        "  mpiexec -n 16 hiersearch measure --calibrate --size 64MiB -o machine.json\n"
        "  srun hiersearch measure abci --calibrate --size 1MiB:256MiB --budget 5min "
        "-o abci-real.json\n"
        "  mpiexec -n 8 hiersearch measure machine.json --calibrate --stages allreduce:2:4 "
        "-o machine-2.json",
    .usual =
        "size collective mesh group dtype backend plans calibrate budget resume output details",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct hs_measure_settings),
    .passes_on = true,
    .run = run,
};

/* The groups of the mesh, and the machine that GPUs are of. */
static enum hs_status check_groups(struct hs_campaign_options *campaign, struct hs_error *err)
{
    struct hs_call_options *call = &campaign->call;
    int64_t np = 0; /* the launcher's business */

    if (campaign->described.gpus.count > 0 && !campaign->described.system)
        return hs_fail(err, HS_INVALID, "--gpus: of a SYSTEM whose first level is single links");
    if (hs_layout_check(call->collective, call->layout, err) ||
        hs_mesh_take(&call->mesh, &np, &call->words, err))
        return HS_INVALID;
    if (call->mesh.count > 0 && hs_mesh_group(&call->mesh, np).size < 2)
        return hs_fail(err, HS_INVALID, "--group %s: expected groups of 2 processes or more",
                       call->words.group);
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
    if (settings->job.profile) {
        int64_t np = 0;

        status = hs_mesh_take(&campaign->call.mesh, &np, &campaign->call.words, err);
        if (status == HS_OK)
            status = hs_measure_take_profile(settings, err);
        if (status == HS_OK)
            status = hs_layout_check(campaign->call.collective, campaign->call.layout, err);
        return status;
    }
    if (settings->calibrate && campaign->sizes.first == 0)
        campaign->sizes = (struct hs_range){.first = CALIBRATE_BYTES, .last = CALIBRATE_BYTES};
    if (campaign->sizes.first == 0)
        return hs_fail(err, HS_INVALID, "--size SIZE[:SIZE] is missing (or --profile FILE)");
    if (campaign->datatype >= HS_DATATYPE_COUNT)
        return hs_fail(err, HS_INVALID, "--dtype %s: such elements are priced, not measured",
                       hs_datatype_names[campaign->datatype]);
    status = hs_sizes_check(&campaign->sizes, campaign->datatype, err);
    return status == HS_OK ? check_groups(campaign, err) : status;
}

static enum hs_status check_plans(struct hs_measure_settings *settings, struct hs_error *err)
{
    const struct hs_campaign_options *campaign = &settings->campaign;
    const struct hs_collective_row *row = &hs_collectives[campaign->call.collective];
    const char *calibration = settings->layers > 0         ? "layers"
                              : settings->stages.count > 0 ? "stages"
                              : settings->rounds > 0       ? "rounds"
                              : settings->max_residual > 0 ? "max-residual"
                                                           : NULL;

    if (calibration)
        return hs_fail(err, HS_INVALID, "--%s is for --calibrate", calibration);
    if (settings->all && settings->plans)
        return hs_fail(err, HS_INVALID, "--all and --plans exclude each other");
    if (settings->all && strcmp(settings->search, HS_SEARCH_LAZY) == 0)
        return hs_fail(err, HS_INVALID, "--all and --search lazy exclude each other");
    if (!campaign->described.system && !settings->plans && !settings->all &&
        hs_search_strategy_find(settings->search))
        return hs_fail(err, HS_INVALID, "--search %s prices plans by a model: give a SYSTEM",
                       settings->search);
    for (size_t i = 0; i < settings->chunks.count; i++)
        if (settings->chunks.values[i] > 1 && hs_collective_is_one_way(campaign->call.collective))
            return hs_fail(err, HS_INVALID, "--chunks %d: chunks of %s would %s",
                           settings->chunks.values[i], row->written,
                           row->whole ? "each be an exchange of other blocks"
                                      : "leave a process a piece of each in place of its block");
    settings->top_given = settings->top > 0;
    if (!settings->top_given)
        settings->top = 8;
    return HS_OK;
}

static enum hs_status check_calibration(struct hs_measure_settings *settings, struct hs_error *err)
{
    const char *plans = settings->top > 0                                                ? "top"
                        : settings->all                                                  ? "all"
                        : settings->plans                                                ? "plans"
                        : settings->native                                               ? "native"
                        : strcmp(settings->search, HS_SEARCH_AUTO) != 0                  ? "search"
                        : settings->chunks.count != 1 || settings->chunks.values[0] != 1 ? "chunks"
                        : settings->job.profile                                          ? "profile"
                                                                                         : NULL;

    if (plans)
        return hs_fail(err, HS_INVALID, "--%s: --calibrate measures layers, no plans", plans);
    if (!settings->campaign.output)
        return hs_fail(err, HS_INVALID, "--calibrate needs -o FILE for the machine");
    if (settings->stages.count > 0 && (settings->layers > 0 || settings->algorithms))
        return hs_fail(err, HS_INVALID, "--stages: says itself what --%s would",
                       settings->layers > 0 ? "layers" : "algorithms");
    if (settings->stages.count > 0 && settings->campaign.call.mesh.count > 0)
        return hs_fail(err, HS_INVALID, "--stages: says itself what --mesh would");
    if (settings->rounds == 0)
        settings->rounds = 3;
    if (!(settings->max_residual > 0))
        settings->max_residual = 0.15;
    return HS_OK;
}

enum hs_status hs_measure_settings_check(struct hs_measure_settings *settings, struct hs_error *err)
{
    struct hs_campaign_options *campaign = &settings->campaign;
    enum hs_status status = check_call(settings, err);
    bool null_backend = strcmp(campaign->backend, HS_BACKEND_NULL) == 0;

    if (status == HS_OK)
        status =
            settings->calibrate ? check_calibration(settings, err) : check_plans(settings, err);
    if (status != HS_OK)
        return status;
    while (strcmp(settings->buffers_name, hs_buffers_names[campaign->buffers]) != 0)
        campaign->buffers++; /* one of the words */
    if (!(settings->budget_seconds > 0))
        settings->budget_seconds = settings->calibrate ? 120 : 60;
    if (settings->max_samples == 0) {
        settings->max_samples = settings->calibrate ? 50 : 200;
        if (settings->max_samples < settings->min_samples)
            settings->max_samples = settings->min_samples;
    }
    if (settings->max_samples < settings->min_samples)
        return hs_fail(err, HS_INVALID, "--max-samples %" PRId64 " is below --min-samples %" PRId64,
                       settings->max_samples, settings->min_samples);
    if (null_backend && !campaign->described.system && !campaign->play.system)
        return hs_fail(err, HS_INVALID,
                       "--backend null plays a model: give a SYSTEM, or --plays SYSTEM");
    if (campaign->play.system && !null_backend)
        return hs_fail(err, HS_INVALID, "--plays is for --backend null");
    if (campaign->play.faults && !null_backend)
        return hs_fail(err, HS_INVALID, "--faults is for --backend null");
    return hs_journal_options_check(campaign->journal, campaign->output, campaign->resume,
                                    campaign->retry, err);
}
