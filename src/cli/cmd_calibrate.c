/* `calibrate` runs in the program that is linked with MPI and CUDA, as `measure` does. */
#include "cli/cmd_calibrate.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "cli/become_measure.h"
#include "cli/commands.h"
#include "cli/faults.h"
#include "cli/option_rows.h"
#include "model/backends.h"

#define FIELD(name) offsetof(struct hs_calibrate_settings, name)
#define WHAT        "What is measured"
#define HOW         "How it is measured"
#define OUTPUT      "Output"

static const struct hs_argument arguments[] = {
    HS_ROW_SYSTEM(
        FIELD(campaign.described.system), false,
        "description to start from: a shipped name, a path, or a line of text (see `hiersearch "
        "systems`). It says which levels there are and how links are shared; its figures are "
        "replaced. Without it the levels are nodes and racks as the ranks are placed"),
    {.name = NULL},
};

static const struct hs_option options[] = {
    {.name = "size",
     .letter = 's',
     .argument = "SIZE[:SIZE]",
     .type = &hs_option_bytes_range,
     .offset = FIELD(campaign.sizes),
     .group = WHAT,
     .fallback = "16MiB",
     .help = "message of the splits to be predicted, bytes per process; layers get their share of "
             "it, and of a half, a quarter and an eighth of it. A range: of its powers of two"},
    HS_ROW_GPUS(WHAT, FIELD(campaign.described.gpus), "default: the first"),
    HS_ROW_COLLECTIVE(WHAT, FIELD(campaign.call.collective), hs_collective_words),
    HS_ROW_ORDER(WHAT, FIELD(campaign.call.order)),
    HS_ROWS_MESH(WHAT, FIELD(campaign.call.words)),
    HS_ROW_DATATYPE(WHAT, FIELD(campaign.datatype)),
    HS_ROW_OPERATION(WHAT, FIELD(campaign.operation)),
    HS_ROW_BACKEND(WHAT, FIELD(campaign.backend),
                   "what runs the layers; auto takes the first that works here"),
    HS_ROW_ALGORITHMS(
        WHAT, FIELD(algorithms),
        "backend host: what is measured besides the ring, on one layer of each level and size, "
        "such as halving,direct, or all (default: rings alone)"),
    HS_ROW_COUNT("layers", "layers", 1, 1000000, NULL, WHAT, FIELD(layers),
                 "measure at most N layers: one of each level and size first, cheap ones first "
                 "(default: all)"),

    {.name = "stages",
     .argument = "LIST",
     .type = &hs_option_stages,
     .offset = FIELD(stages),
     .group = WHAT,
     .help = "these stages alone, as predict and explain name them: phase, stride and size, with "
             "the algorithm's letter where it is not the ring, such as "
             "allreduce:4:8,reduce-scatter:1:4h; what a calibrated SYSTEM was made from stays"},
    HS_ROW_SECONDS("budget", "120s", HOW, FIELD(budget_seconds),
                   "time for all measurements together; what there was no time for is said"),
    HS_ROW_SECONDS(
        "timeout", "30s", HOW, FIELD(campaign.timeout_seconds),
        "a run of a layer that takes longer hangs: the job ends with a calibration of what "
        "was measured; --resume goes on without that layer"),
    HS_ROW_PRECISION(HOW, FIELD(precision)),
    HS_ROW_COUNT(
        "rounds", "rounds", 1, 1000, "3", HOW, FIELD(rounds),
        "go through everything so often; the first round takes --min-samples, later ones more "
        "where it is not precise yet"),
    HS_ROW_PERCENT(
        "max-residual", "15%", HOW, FIELD(max_residual),
        "layers whose times are further off the fitted line are refused (root mean square; "
        "what the noise explains comes on top)"),
    HS_ROW_COUNT("min-samples", "samples", 1, 1000000, "8", HOW, FIELD(min_samples),
                 "so many samples of each in the first round, if the budget allows"),
    HS_ROW_COUNT("max-samples", "samples", 1, 1000000, "50", HOW, FIELD(max_samples),
                 "at most so many of each in all"),
    HS_ROW_WARMUP("1", HOW, FIELD(warmup)),
    HS_ROW_SEED(HOW, FIELD(campaign.play.seed)),
    HS_ROW_FAULTS(HOW, FIELD(campaign.play.faults)),
    {.name = "plays",
     .argument = "SYSTEM",
     .type = &hs_option_file,
     .words = hs_system_words,
     .offset = FIELD(plays),
     .group = HOW,
     .help = "the machine that the null backend plays (default: SYSTEM)"},

    HS_ROW_OUTPUT(OUTPUT, FIELD(campaign.output), true,
                  "write the system file there, named after it; - is stdout, the table then goes "
                  "to stderr"),
    HS_ROWS_JOURNAL(OUTPUT, FIELD(campaign.journal), FIELD(campaign.resume), FIELD(campaign.retry)),
    HS_ROWS_PRINT(OUTPUT, FIELD(print), "the fits, without what is said of them"),
    HS_ROW_QUIET(OUTPUT, FIELD(campaign.quiet), "no progress and no notes on stderr"),
    HS_ROW_FLAG("verbose", 'v', OUTPUT, FIELD(campaign.verbose),
                "also every measurement, one line each"),
    {.name = NULL},
};

static enum hs_status run(struct hs_context *context, void *settings, struct hs_error *err)
{
    (void)settings;
    return hs_become_measure(context, HS_CALIBRATE_PROGRAM, err);
}

const struct hs_command hs_command_calibrate = {
    .name = "calibrate",
    .summary = "under mpiexec or srun: measure layers, and write the system with its real figures",
    .launcher = "mpiexec -n P",
    .description =
        "Measures layers, not splits: the reduce-scatter, allgather and allreduce of every stride "
        "and size, at several message sizes, and fits latency, bandwidth and launch cost to them. "
        "Every split is a path of layers, so the file that this writes prices all of them, "
        "at this and other numbers of processes, for predict and measure.\n"
        "--collective and --mesh with --over measure only what such calls need: their phases, on "
        "the layers of such groups, with what enters these. Times are kept by phase, stride and "
        "size, so they price other groups and collectives too, as far as layers are alike.\n"
        "Layers whose times the model does not describe are refused and said.",
    .examples =
        "  mpiexec -n 16 hiersearch calibrate --size 64MiB -o here.json\n"
        "  srun hiersearch calibrate abci --size 1MiB:256MiB --budget 5min -o abci-real.json\n"
        "  hiersearch predict here.json --np 16 --size 64MiB\n"
        "  srun hiersearch calibrate abci --mesh tp=4,dp=8 --over dp --collective reduce-scatter "
        "-o dp.json\n"
        "  mpiexec -n 8 hiersearch calibrate here.json --stages allreduce:2:4 -o here-2.json",
    .usual = "size collective mesh over budget backend output verbose",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct hs_calibrate_settings),
    .passes_on = true,
    .run = run,
};

enum hs_status hs_calibrate_settings_check(struct hs_calibrate_settings *settings,
                                           struct hs_error *err)
{
    enum hs_status status =
        hs_sizes_check(&settings->campaign.sizes, settings->campaign.datatype, err);
    bool null_backend = strcmp(settings->campaign.backend, HS_BACKEND_NULL) == 0;

    if (status != HS_OK)
        return status;
    if (settings->stages.count > 0 && (settings->layers > 0 || settings->algorithms))
        return hs_fail(err, HS_INVALID, "--stages: says itself what --%s would",
                       settings->layers > 0 ? "layers" : "algorithms");
    if (hs_campaign_check(&settings->campaign, err))
        return HS_INVALID;
    if (settings->stages.count > 0 && settings->campaign.call.mesh.count > 0)
        return hs_fail(err, HS_INVALID, "--stages: says itself what --mesh would");
    if (settings->max_samples < settings->min_samples)
        return hs_fail(err, HS_INVALID, "--max-samples %" PRId64 " is below --min-samples %" PRId64,
                       settings->max_samples, settings->min_samples);
    if (null_backend && !settings->campaign.described.system && !settings->plays)
        return hs_fail(err, HS_INVALID,
                       "--backend null plays a model: give a SYSTEM, or --plays SYSTEM");
    if (settings->plays && !null_backend)
        return hs_fail(err, HS_INVALID, "--plays is for --backend null");
    if (settings->campaign.play.faults && !null_backend)
        return hs_fail(err, HS_INVALID, "--faults is for --backend null");
    return hs_journal_options_check(settings->campaign.journal, settings->campaign.output,
                                    settings->campaign.resume, settings->campaign.retry, err);
}
