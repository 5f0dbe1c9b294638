/* measure_options.c - see measure_options.h. */
#include "measure/measure_options.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "measure/candidates.h"
#include "measure/option_kinds.h"
#include "model/plan.h"
#include "runner/backend.h"
#include "search/search.h"

#define WORDS_MAX   16
#define TOP_DEFAULT 8

/* ---- words ---------------------------------------------------------------------------------- */

static const char *const *buffers_words(void)
{
    static const char *words[HS_BUFFERS_COUNT + 1];

    memcpy(words, hs_buffers_names, sizeof(hs_buffers_names[0]) * HS_BUFFERS_COUNT);
    return words;
}

static const char *const *search_words(void)
{
    static const char *words[WORDS_MAX + 3] = {HS_SEARCH_AUTO, HS_SEARCH_LAZY};

    for (size_t i = 0; hs_search_strategies[i].name && i < WORDS_MAX; i++)
        words[i + 2] = hs_search_strategies[i].name;
    return words;
}

/* ---- rows ---------------------------------------------------------------------------------- */

#define FIELD(name) .offset = offsetof(struct hs_measure_settings, name)
#define WHAT        "What is measured"
#define WHICH       "Which splits"
#define HOW         "How it is measured"
#define OUTPUT      "Output"

static const struct hs_argument arguments[] = {
    {.name = "SYSTEM",
     FIELD(system),
     .completion = HS_COMPLETE_SYSTEMS,
     .help =
         "the machine, for the model that chooses the splits: a shipped name, a path, or a line "
         "of text (see `hiersearch systems`). Without it, where the ranks are is all that is "
         "known"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    {.name = "size",
     .letter = 's',
     .argument = "SIZE[:SIZE]",
     .type = &hs_option_bytes_range,
     FIELD(sizes),
     .group = WHAT,
     .required = true,
     .help = "bytes per process, such as 64MiB; a range is a sweep in powers of two"},
    HS_ROW_DATATYPE(FIELD(datatype_name), WHAT),
    HS_ROW_OPERATION(FIELD(operation_name), WHAT),
    HS_ROW_BACKEND(FIELD(backend), WHAT,
                   "what runs the splits; auto takes the first that works here"),
    {.name = "buffers",
     .argument = "WHERE",
     .type = &hs_option_word,
     FIELD(buffers_name),
     .group = WHAT,
     .help = "host and mpi: messages in host memory or the GPUs' (device); auto takes the GPUs' "
             "where each rank has one and the backend can",
     .fallback = "auto",
     .words = buffers_words},

    {.name = "top",
     .argument = "N",
     .type = &hs_option_count,
     FIELD(top),
     .group = WHICH,
     .min = 1,
     .max = HS_CANDIDATES_MAX,
     .help = "measure the N plans that the model finds best; after layers, at most N splits that "
             "could be the best (default: 8); the flat split comes on top"},
    HS_ROW_FLAG("all", 0, FIELD(all), WHICH, "measure every split, up to 4096"),
    {.name = "plans",
     .argument = "PLAN,...",
     .type = &hs_option_text,
     FIELD(plans),
     .group = WHICH,
     .help = "measure these, such as 4x8x4,4x32/8 (8 chunks); the flat split comes on top"},
    {.name = "search",
     .argument = "NAME",
     .type = &hs_option_word,
     FIELD(search),
     .group = WHICH,
     .help = "how splits are chosen: lazy measures single layers until the best is certain, the "
             "others ask the model; auto is lattice for a calibrated SYSTEM or with SYSTEM and "
             "--top, else lazy",
     .fallback = HS_SEARCH_AUTO,
     .words = search_words},
    {.name = "chunks",
     .argument = "N,...",
     .type = &hs_option_count_list,
     FIELD(chunks),
     .group = WHICH,
     .min = 1,
     .max = HS_CHUNKS_MAX,
     .fallback = "1",
     .help = "numbers of chunks to try for each split"},

    HS_ROW_SECONDS("budget", FIELD(budget_seconds), HOW, "60s",
                   "time for all measurements together"),
    HS_ROW_SECONDS(
        "timeout", FIELD(timeout_seconds), HOW, "30s",
        "a run of a split that takes longer hangs: it is recorded and the job ends; --resume "
        "goes on with the others"),
    HS_ROW_PRECISION(FIELD(precision), HOW),
    HS_ROW_RUNS("min-samples", FIELD(min_samples), HOW, 1, 1000000, "8",
                "at least so many samples, if the "
                "budget allows"),
    HS_ROW_RUNS("max-samples", FIELD(max_samples), HOW, 1, 1000000, "200", "at most so many"),
    HS_ROW_WARMUP(FIELD(warmup), HOW, "2"),
    HS_ROW_RUNS("layers", FIELD(layers), HOW, 0, 1000, "5",
                "runs of each for the times of single layers"),
    HS_ROW_FLAG("no-layers", 0, FIELD(no_layers), HOW, "no times of single layers"),
    HS_ROW_SEED(FIELD(seed), HOW),
    HS_ROW_FAULTS(FIELD(faults), HOW),

    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .type = &hs_option_file,
     FIELD(output),
     .group = OUTPUT,
     .help = "write the result there; - is stdout, the table then goes to stderr"},
    {.name = "journal",
     .argument = "FILE",
     .type = &hs_option_file,
     FIELD(journal),
     .group = OUTPUT,
     .help =
         "what is measured so far, for --resume (default: FILE.journal beside the output; removed "
         "when all is measured without fault); the journal of an earlier run is kept as FILE.1"},
    HS_ROW_FLAG("resume", 'r', FIELD(resume), OUTPUT,
                "go on from the journal of a run that was cut short"),
    HS_ROW_FLAG("retry", 0, FIELD(retry), OUTPUT, "with --resume: try again what hung or failed"),
    HS_ROW_NO_NOTES(FIELD(quiet), OUTPUT),
    HS_ROW_FLAG("verbose", 'v', FIELD(verbose), OUTPUT, "more about placement, memory and layers"),
    {.name = NULL},
};

const struct hs_command hs_measure_command = {
    .name = "measure",
    .summary = "under mpiexec or srun: run the few splits that matter, and write down the times",
    .description =
        "Runs the splits in turn, one run each per round, until the medians are precise "
        "or the budget is "
        "spent; splits that cannot win any more are dropped. The library's own "
        "AllReduce runs beside them. "
        "Every split's data is checked; wrong data makes the exit status 3.\n"
        "Which splits: unless the SYSTEM is calibrated, single layers are measured first, "
        "the few that decide which split is best (for at most half of the budget); then "
        "the best split, and those that the noise does not tell from it, run as a whole.",
    .examples =
        "  mpiexec -n 16 hiersearch measure --size 64MiB -o here.json\n"
        "  srun hiersearch measure abci --size 1MiB:1GiB --top 8 --budget 10min -o abci.json\n"
        "  mpiexec -n 16 hiersearch measure --size 64MiB -o here.json --resume",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct hs_measure_settings),
};

/* ---- together ------------------------------------------------------------------------------ */

static enum hs_status check_sizes(const struct hs_measure_settings *settings, struct hs_error *err)
{
    size_t width = hs_datatype_bytes(settings->datatype);

    for (uint64_t bytes = settings->sizes.first; bytes;
         bytes = hs_range_next(&settings->sizes, bytes))
        if (bytes % width)
            return hs_fail(err, HS_INVALID,
                           "--size: expected a multiple of %zu, the bytes of a %s, found "
                           "%" PRIu64,
                           width, hs_datatype_names[settings->datatype], bytes);
    return HS_OK;
}

enum hs_status hs_measure_settings_check(struct hs_measure_settings *settings, struct hs_error *err)
{
    enum hs_status status = hs_datatype_parse(&settings->datatype, settings->datatype_name, err);
    bool null_backend = strcmp(settings->backend, hs_backend_null.name) == 0;

    if (status == HS_OK)
        status = hs_operation_parse(&settings->operation, settings->operation_name, err);
    if (status == HS_OK)
        status = check_sizes(settings, err);
    if (status != HS_OK)
        return status;
    while (strcmp(settings->buffers_name, hs_buffers_names[settings->buffers]) != 0)
        settings->buffers++; /* one of the words */
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
    if (!settings->system && !settings->plans && !settings->all &&
        hs_search_strategy_find(settings->search))
        return hs_fail(err, HS_INVALID, "--search %s prices plans by a model: give a SYSTEM",
                       settings->search);
    if (null_backend && !settings->system)
        return hs_fail(err, HS_INVALID, "--backend null plays a model: give a SYSTEM");
    if (settings->faults && !null_backend)
        return hs_fail(err, HS_INVALID, "--faults is for --backend null");
    if (settings->retry && !settings->resume)
        return hs_fail(err, HS_INVALID, "--retry is for --resume");
    if (settings->journal && strcmp(settings->journal, "-") == 0)
        return hs_fail(err, HS_INVALID, "--journal: expected a file, found \"-\"");
    if (settings->resume && !settings->journal &&
        (!settings->output || strcmp(settings->output, "-") == 0))
        return hs_fail(err, HS_INVALID,
                       "--resume needs the journal of the run before: give the same "
                       "-o FILE, or --journal FILE");
    if (settings->no_layers)
        settings->layers = 0;
    return HS_OK;
}
