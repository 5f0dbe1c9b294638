/* calibrate_options.c - see calibrate_options.h. */
#include "measure/calibrate_options.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "measure/option_kinds.h"
#include "runner/backend.h"

#define FIELD(name) .offset = offsetof(struct hs_calibrate_settings, name)
#define WHAT        "What is measured"
#define HOW         "How it is measured"
#define OUTPUT      "Output"

static const struct hs_argument arguments[] = {
    {.name = "SYSTEM",
     FIELD(system),
     .completion = HS_COMPLETE_SYSTEMS,
     .help = "description to start from: a shipped name, a path, or a line of text (see "
             "`hiersearch systems`). It says which levels there are and how links are shared; its "
             "figures are replaced. Without it the levels are nodes and racks as the ranks are "
             "placed"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    {.name = "size",
     .letter = 's',
     .argument = "SIZE[:SIZE]",
     .type = &hs_option_bytes_range,
     FIELD(sizes),
     .group = WHAT,
     .fallback = "16MiB",
     .help = "message of the splits to be predicted, bytes per process; layers get their share of "
             "it, and of a half, a quarter and an eighth of it. A range: of its powers of two"},
    HS_ROW_DATATYPE(FIELD(datatype_name), WHAT),
    HS_ROW_OPERATION(FIELD(operation_name), WHAT),
    HS_ROW_BACKEND(FIELD(backend), WHAT,
                   "what runs the layers; auto takes the first that works here"),
    {.name = "layers",
     .argument = "N",
     .type = &hs_option_count,
     FIELD(layers),
     .group = WHAT,
     .min = 1,
     .max = 1000000,
     .help = "measure at most N layers: one of each level and size first, cheap ones first "
             "(default: all)"},

    HS_ROW_SECONDS("budget", FIELD(budget_seconds), HOW, "120s",
                   "time for all measurements together; what there was no time for is said"),
    HS_ROW_SECONDS(
        "timeout", FIELD(timeout_seconds), HOW, "30s",
        "a run of a layer that takes longer hangs: the job ends with a calibration of what "
        "was measured"),
    HS_ROW_PRECISION(FIELD(precision), HOW),
    HS_ROW_RUNS(
        "rounds", FIELD(rounds), HOW, 1, 1000, "3",
        "go through everything so often; the first round takes --min-samples, later ones more "
        "where it is not precise yet"),
    HS_ROW_PERCENT(
        "max-residual", FIELD(max_residual), HOW, "15%",
        "layers whose times are further off the fitted line are refused (root mean square; "
        "what the noise explains comes on top)"),
    HS_ROW_RUNS("min-samples", FIELD(min_samples), HOW, 1, 1000000, "8",
                "so many samples of each in the first round, if the budget allows"),
    HS_ROW_RUNS("max-samples", FIELD(max_samples), HOW, 1, 1000000, "50",
                "at most so many of each in all"),
    HS_ROW_WARMUP(FIELD(warmup), HOW, "1"),
    HS_ROW_SEED(FIELD(seed), HOW),
    HS_ROW_FAULTS(FIELD(faults), HOW),
    {.name = "plays",
     .argument = "SYSTEM",
     .type = &hs_option_system,
     FIELD(plays),
     .group = HOW,
     .help = "the machine that the null backend plays (default: SYSTEM)"},

    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .type = &hs_option_file,
     FIELD(output),
     .group = OUTPUT,
     .required = true,
     .help = "write the system file there, named after it; - is stdout, the table then goes to "
             "stderr"},
    HS_ROW_NO_NOTES(FIELD(quiet), OUTPUT),
    HS_ROW_FLAG("verbose", 'v', FIELD(verbose), OUTPUT, "also every measurement, one line each"),
    {.name = NULL},
};

const struct hs_command hs_calibrate_command = {
    .name = "calibrate",
    .summary = "under mpiexec or srun: measure layers, and write the system with its real figures",
    .description =
        "Measures layers, not splits: the reduce-scatter, allgather and allreduce of every stride "
        "and size, at several message sizes, and fits latency, bandwidth and launch cost to them. "
        "Every split is a path of layers, so the file that this writes prices all of them, "
        "at this and other numbers of processes, for predict and measure.\n"
        "Layers whose times the model does not describe are refused and said.",
    .examples =
        "  mpiexec -n 16 hiersearch calibrate --size 64MiB -o here.json\n"
        "  srun hiersearch calibrate abci --size 1MiB:256MiB --budget 5min -o abci-real.json\n"
        "  hiersearch predict here.json --np 16 --size 64MiB",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct hs_calibrate_settings),
};

static enum hs_status check_sizes(const struct hs_calibrate_settings *settings,
                                  struct hs_error *err)
{
    size_t width = hs_datatype_bytes(settings->datatype);

    if (settings->sizes.first % width == 0 && settings->sizes.last % width == 0)
        return HS_OK;
    return hs_fail(err, HS_INVALID,
                   "--size: expected a multiple of %zu, the bytes of a %s, found %" PRIu64, width,
                   hs_datatype_names[settings->datatype],
                   settings->sizes.first % width ? settings->sizes.first : settings->sizes.last);
}

enum hs_status hs_calibrate_settings_check(struct hs_calibrate_settings *settings,
                                           struct hs_error *err)
{
    enum hs_status status = hs_datatype_parse(&settings->datatype, settings->datatype_name, err);
    bool null_backend = strcmp(settings->backend, hs_backend_null.name) == 0;

    if (status == HS_OK)
        status = hs_operation_parse(&settings->operation, settings->operation_name, err);
    if (status == HS_OK)
        status = check_sizes(settings, err);
    if (status != HS_OK)
        return status;
    if (settings->max_samples < settings->min_samples)
        return hs_fail(err, HS_INVALID, "--max-samples %" PRId64 " is below --min-samples %" PRId64,
                       settings->max_samples, settings->min_samples);
    if (null_backend && !settings->system && !settings->plays)
        return hs_fail(err, HS_INVALID,
                       "--backend null plays a model: give a SYSTEM, or --plays SYSTEM");
    if (settings->plays && !null_backend)
        return hs_fail(err, HS_INVALID, "--plays is for --backend null");
    if (settings->faults && !null_backend)
        return hs_fail(err, HS_INVALID, "--faults is for --backend null");
    return HS_OK;
}
