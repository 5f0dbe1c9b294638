/* measure_options.c - see measure_options.h. */
#include "measure/measure_options.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "measure/candidates.h"
#include "model/plan.h"
#include "runner/backend.h"
#include "search/search.h"

#define WORDS_MAX 16

/* ---- types --------------------------------------------------------------------------------- */

static enum hs_status parse_seconds(void *field, const struct hs_option *option, const char *text,
                                    struct hs_error *err)
{
    double seconds;
    enum hs_status status = hs_seconds_parse(&seconds, text, err);

    (void)option;
    if (status == HS_OK && !(seconds > 0))
        status = hs_fail(err, HS_INVALID, "expected a time above 0, found \"%.60s\"", text);
    if (status == HS_OK)
        *(double *)field = seconds;
    return status;
}

/* "2%" or "0.5 %". */
static enum hs_status parse_percent(void *field, const struct hs_option *option, const char *text,
                                    struct hs_error *err)
{
    char *end;
    double percent = strtod(text, &end);

    (void)option;
    while (*end == ' ')
        end++;
    if (end == text || strcmp(end, "%") != 0 || !(percent > 0) || !(percent < 100))
        return hs_fail(err, HS_INVALID,
                       "expected a percentage between 0%% and 100%%, found \"%.60s\"", text);
    *(double *)field = percent / 100;
    return HS_OK;
}

static const struct hs_option_type option_seconds = {.parse = parse_seconds};
static const struct hs_option_type option_percent = {.parse = parse_percent};

static const char *const *backend_words(void)
{
    static const char *words[WORDS_MAX + 2] = {"auto"};

    for (size_t i = 0; hs_backends[i] && i < WORDS_MAX; i++)
        words[i + 1] = hs_backends[i]->name;
    return words;
}

static const char *const *search_words(void)
{
    static const char *words[WORDS_MAX + 1];

    for (size_t i = 0; hs_search_strategies[i].name && i < WORDS_MAX; i++)
        words[i] = hs_search_strategies[i].name;
    return words;
}

static const char *const *datatype_words(void)
{
    static const char *words[HS_DATATYPE_COUNT + 1];

    memcpy(words, hs_datatype_names, sizeof(hs_datatype_names[0]) * HS_DATATYPE_COUNT);
    return words;
}

static const char *const *operation_words(void)
{
    static const char *words[HS_OPERATION_COUNT + 1];

    memcpy(words, hs_operation_names, sizeof(hs_operation_names[0]) * HS_OPERATION_COUNT);
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
         "of text (see `hiersearch systems`). Without it all splits are measured"},
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
    {.name = "dtype",
     .argument = "TYPE",
     .type = &hs_option_word,
     FIELD(datatype_name),
     .group = WHAT,
     .help = "type of the elements",
     .fallback = "float32",
     .words = datatype_words},
    {.name = "op",
     .argument = "OP",
     .type = &hs_option_word,
     FIELD(operation_name),
     .group = WHAT,
     .help = "reduction",
     .fallback = "sum",
     .words = operation_words},
    {.name = "backend",
     .letter = 'b',
     .argument = "NAME",
     .type = &hs_option_word,
     FIELD(backend),
     .group = WHAT,
     .help = "what runs the splits; auto takes the first that works here",
     .fallback = "auto",
     .words = backend_words},

    {.name = "top",
     .argument = "N",
     .type = &hs_option_count,
     FIELD(top),
     .group = WHICH,
     .min = 1,
     .max = HS_CANDIDATES_MAX,
     .fallback = "8",
     .help = "measure the N plans that the model finds best; the flat split comes on top"},
    {.name = "all",
     .type = &hs_option_flag,
     FIELD(all),
     .group = WHICH,
     .help = "measure every split, up to 4096"},
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
     .help = "how the model's best are found",
     .fallback = "lattice",
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

    {.name = "budget",
     .argument = "TIME",
     .type = &option_seconds,
     FIELD(budget_seconds),
     .group = HOW,
     .fallback = "60s",
     .help = "time for all measurements together"},
    {.name = "timeout",
     .argument = "TIME",
     .type = &option_seconds,
     FIELD(timeout_seconds),
     .group = HOW,
     .fallback = "30s",
     .help = "a run of a split that takes longer hangs: it is recorded and the job ends; --resume "
             "goes on with the others"},
    {.name = "precision",
     .argument = "PERCENT",
     .type = &option_percent,
     FIELD(precision),
     .group = HOW,
     .fallback = "2%",
     .help = "sample until the 95 % confidence interval of the median is within this"},
    {.name = "min-samples",
     .argument = "N",
     .type = &hs_option_count,
     FIELD(min_samples),
     .group = HOW,
     .min = 1,
     .max = 1000000,
     .fallback = "8",
     .help = "at least so many samples, if the "
             "budget allows"},
    {.name = "max-samples",
     .argument = "N",
     .type = &hs_option_count,
     FIELD(max_samples),
     .group = HOW,
     .min = 1,
     .max = 1000000,
     .fallback = "200",
     .help = "at most so many"},
    {.name = "warmup",
     .argument = "N",
     .type = &hs_option_count,
     FIELD(warmup),
     .group = HOW,
     .min = 0,
     .max = 1000,
     .fallback = "2",
     .help = "runs of each before the first that counts"},
    {.name = "layers",
     .argument = "N",
     .type = &hs_option_count,
     FIELD(layers),
     .group = HOW,
     .min = 0,
     .max = 1000,
     .fallback = "5",
     .help = "runs of each for the times of single layers"},
    {.name = "no-layers",
     .type = &hs_option_flag,
     FIELD(no_layers),
     .group = HOW,
     .help = "no times of single layers"},
    {.name = "seed",
     .argument = "N",
     .type = &hs_option_count,
     FIELD(seed),
     .group = HOW,
     .min = 0,
     .max = INT64_MAX,
     .fallback = "1",
     .help = "of the null backend's noise"},
    {.name = "faults",
     .argument = "TEXT",
     .type = &hs_option_text,
     FIELD(faults),
     .group = HOW,
     .help = "faults that the null backend plays"},

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
         "when all is measured without fault)"},
    {.name = "resume",
     .letter = 'r',
     .type = &hs_option_flag,
     FIELD(resume),
     .group = OUTPUT,
     .help = "go on from the journal of a run that was cut short"},
    {.name = "retry",
     .type = &hs_option_flag,
     FIELD(retry),
     .group = OUTPUT,
     .help = "with --resume: try again what hung or failed"},
    {.name = "quiet",
     .letter = 'q',
     .type = &hs_option_flag,
     FIELD(quiet),
     .group = OUTPUT,
     .help = "no progress and no notes on stderr"},
    {.name = "verbose",
     .letter = 'v',
     .type = &hs_option_flag,
     FIELD(verbose),
     .group = OUTPUT,
     .help = "more about placement, memory and layers"},
    {.name = NULL},
};

const struct hs_command hs_measure_command = {
    .name = "measure",
    .summary = "under mpiexec or srun: run the few splits that matter, and write down the times",
    .description = "Runs the splits in turn, one run each per round, until the medians are precise "
                   "or the budget is "
                   "spent; splits that cannot win any more are dropped. The library's own "
                   "AllReduce runs beside them. "
                   "Every split's data is checked; wrong data makes the exit status 3.\n"
                   "Without a SYSTEM every split is measured if there are at most 128 plans; the "
                   "searches need a model.",
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
    if (settings->max_samples < settings->min_samples)
        return hs_fail(err, HS_INVALID, "--max-samples %" PRId64 " is below --min-samples %" PRId64,
                       settings->max_samples, settings->min_samples);
    if (settings->all && settings->plans)
        return hs_fail(err, HS_INVALID, "--all and --plans exclude each other");
    if (!settings->system && strcmp(settings->search, hs_search_strategies[0].name) != 0)
        return hs_fail(err, HS_INVALID, "--search %s prices plans by a model: give a SYSTEM",
                       settings->search);
    if (null_backend && !settings->system)
        return hs_fail(err, HS_INVALID, "--backend null plays a model: give a SYSTEM");
    if (settings->faults && !null_backend)
        return hs_fail(err, HS_INVALID, "--faults is for --backend null");
    if (settings->retry && !settings->resume)
        return hs_fail(err, HS_INVALID, "--retry is for --resume");
    if (settings->resume && !settings->journal &&
        (!settings->output || strcmp(settings->output, "-") == 0))
        return hs_fail(err, HS_INVALID,
                       "--resume needs the journal of the run before: give the same "
                       "-o FILE, or --journal FILE");
    if (settings->no_layers)
        settings->layers = 0;
    return HS_OK;
}
