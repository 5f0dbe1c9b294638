#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "cli/place_forms.h"
#include "cli/predict.h"
#include "machine/system_find.h"
#include "view/figures.h"

/* Forms of tables of other programs. */
#define NCCL_TESTS "nccl-tests"
static const char *const *forms(void)
{
    static const char *names[16] = {NCCL_TESTS};
    const char *const *placed = hs_place_form_words();

    for (size_t i = 0; i < 14 && placed[i]; i++)
        names[i + 1] = placed[i];
    return names;
}

#define SIZES_OF_NCCL_TESTS "8B:8GiB"

#define FIELD(name) offsetof(struct hs_predict_settings, name)

static const struct hs_argument arguments[] = {
    {.name = "SYSTEM",
     .required = true,
     .many = true,
     .files = true,
     .words = hs_system_words,
     .offset = FIELD(systems),
     .help =
         "the machine: a name that `hiersearch systems` lists; a file (the text has a '/' or ends "
         "in .json; - is stdin); the parts of a node as they are ordered, such as '8xH100, "
         "8xNDR400, 32:2' (32 nodes under a switch, 2:1); or levels from the inside out (the text "
         "has an '@'), such as nvlink:4@111.6GB/s~3.4us,ib:32@18.6GB/s~14us,spine@198GB/s. With "
         "--profile also result files of measure"},
    {.name = NULL},
};

static const struct hs_option options[] = {
    HS_ROWS_PROBLEM(FIELD(ask),
                    "; with --as nccl-tests " SIZES_OF_NCCL_TESTS ", as its -b 8 -e 8G -f 2"),
    HS_ROW_GAINS(FIELD(profile)),
    HS_ROWS_PLACED(FIELD(place)),
    HS_ROW_SECONDS("compute", NULL, "Placement", FIELD(step.compute_seconds),
                   "what a step computes for: between which times it then lies"),
    HS_ROW_FLAG(
        "overlap", 0, "Placement", FIELD(step.overlap),
        "messages along different axes travel at the same time: what that takes at least, by "
        "the links that they share, and at most"),
    {.name = "hosts",
     .argument = "NAMES",
     .group = "Placement",
     .type = &hs_option_text,
     .offset = FIELD(step.hosts),
     .help = "the nodes for --as hostfile, rankfile and srun: names with commas between, or a file "
             "(the text has a '/') with a line of each"},
    HS_ROWS_SHARDED(FIELD(hsdp)),
    HS_ROWS_SEARCH(FIELD(ask)),
    HS_ROW_TOP(FIELD(ask)),
    {.name = "as",
     .argument = "FORM",
     .group = "Output",
     .words = forms,
     .type = &hs_option_word,
     .offset = FIELD(as),
     .help = "nccl-tests: a table in its columns, size by size: what the library takes by itself "
             "and the best plan, with what bounds them (one process count); with --place the "
             "placement as another program is told it"},
    {.name = "explain",
     .argument = "PLAN",
     .group = "Output",
     .type = &hs_option_text,
     .offset = FIELD(explain),
     .help = "say why a plan (4x8x4, 4x8x4/8 with 8 chunks, or best) takes as long as it does, and "
             "at which sizes and process counts the winner changes"},
    {.name = "before",
     .argument = "SYSTEM",
     .group = "Output",
     .type = &hs_option_file,
     .words = hs_system_words,
     .offset = FIELD(before),
     .help = "the same machine as it was described before it was measured: what that changed (one "
             "process count and one size)"},
    HS_ROWS_PRINT("Output", FIELD(print),
                  "print the result file instead of a table; with several process "
                  "counts, one document per line"),
    HS_ROW_OUTPUT("Output", FIELD(output), false,
                  "write the result file (one process count; several sizes go into one file); - is "
                  "stdout, as --json"),
    HS_ROW_QUIET("Output", FIELD(quiet), "no notes and warnings on stderr"),
    {.name = NULL},
};

/* The result file, not the table, is what JSON is printed of. */
static bool is_json(const struct hs_predict_settings *settings)
{
    return hs_print_format(&settings->print) == HS_FORMAT_JSON && !settings->as;
}

static enum hs_status check_settings(const struct hs_predict_settings *settings,
                                     struct hs_error *err)
{
    bool over_np = settings->ask.np.first != settings->ask.np.last;
    bool over_bytes = settings->ask.bytes.first != settings->ask.bytes.last;

    if (settings->as && (settings->explain || over_np))
        return hs_fail(err, HS_INVALID, "--as: expected one process count, and not --explain");
    if (settings->explain && (over_np || over_bytes))
        return hs_fail(err, HS_INVALID,
                       "--explain: expected one process count and one size, found a sweep of --%s",
                       over_np ? "np" : "size");
    if (settings->before && (over_np || over_bytes || settings->explain || settings->as))
        return hs_fail(err, HS_INVALID,
                       "--before: expected one process count and one size, and neither --explain "
                       "nor --as");
    if (settings->explain && is_json(settings))
        return hs_fail(
            err, HS_INVALID,
            "--explain: not together with --json, which holds every layer's cost already");
    if (settings->output && over_np)
        return hs_fail(err, HS_INVALID,
                       "--output: a result file is about one process count; run once per --np, or "
                       "use --json, which prints one document per line");
    return HS_OK;
}

static enum hs_status finish_result(const struct hs_predict *predict, struct hs_result *result,
                                    struct hs_error *err)
{
    const struct hs_predict_settings *settings = predict->settings;
    enum hs_status status = HS_OK;

    if (is_json(settings) && settings->ask.np.first != settings->ask.np.last)
        status = hs_result_print_line(predict->context->out, result, err);
    else if (is_json(settings))
        status = hs_result_print(predict->context->out, result, err);
    if (status == HS_OK && settings->output)
        status = hs_result_save(result, settings->output, err);
    return status;
}

/* What is shown of one point is a result, except for a sweep. */
static bool wants_result(const struct hs_predict *predict, const struct hs_predict_sweep *sweep)
{
    bool shows_one = !hs_predict_is_swept(sweep, predict) && !predict->settings->explain;

    return is_json(predict->settings) || predict->settings->output || shows_one;
}

/* Who is shown points. */
struct visitor {
    const struct hs_predict *predict;
    struct hs_predict_sweep *sweep;
    struct hs_text notes; /* of the walk, which are said when they come up */
};

static enum hs_status show_point(void *of_walk, struct hs_predict_point *point,
                                 const struct hs_result *result, struct hs_error *err)
{
    struct visitor *visitor = of_walk;
    const struct hs_predict *predict = visitor->predict;

    hs_notes_pass_on(predict->context, &visitor->notes);
    if (is_json(predict->settings))
        return HS_OK;
    if (predict->settings->explain)
        return hs_predict_explain(predict, point, err);
    if (!hs_predict_is_swept(visitor->sweep, predict))
        return hs_predict_show(predict, point, result, err);
    return hs_predict_sweep_add(visitor->sweep, predict, point, err);
}

static enum hs_status run_np(struct hs_walk *walk, struct visitor *visitor, int64_t np,
                             struct hs_error *err)
{
    struct hs_result result;
    enum hs_status status = hs_walk_sizes(&result, walk, np, err);

    hs_notes_pass_on(visitor->predict->context, &visitor->notes);
    if (status == HS_OK && result.message_count > 0)
        status = finish_result(visitor->predict, &result, err);
    hs_result_release(&result);
    return status;
}

static bool is_one_prime(const struct hs_range *np)
{
    int64_t only = (int64_t)np->first;

    return np->first == np->last && only > 3 && hs_is_prime(only);
}

static enum hs_status run_sweep(const struct hs_predict *predict, struct hs_error *err)
{
    const struct hs_range *np = &predict->settings->ask.np;
    bool json = is_json(predict->settings);
    struct hs_predict_sweep sweep;
    struct visitor visitor = {.predict = predict, .sweep = &sweep};
    struct hs_predict_watch watch;
    struct hs_asked asked = hs_predict_watched(&watch, predict);
    struct hs_walk walk = {.asked = &asked,
                           .command = predict->context->command_line,
                           .notes = &visitor.notes,
                           .visit = show_point,
                           .visitor = &visitor};
    enum hs_status status = HS_OK;

    hs_predict_sweep_init(&sweep, predict);
    walk.wants_results = wants_result(predict, &sweep);
    for (uint64_t p = np->first; p != 0 && status == HS_OK; p = hs_range_next(np, p))
        status = run_np(&walk, &visitor, (int64_t)p, err);
    if (status == HS_OK && !json && hs_predict_is_swept(&sweep, predict))
        hs_predict_sweep_print(&sweep, predict);
    hs_table_release(&sweep.lines);
    if (status == HS_OK && !json)
        status = hs_sheet_end(predict->sheet, err);
    hs_text_release(&predict->sheet->lines);
    if (status == HS_OK)
        hs_predict_warn_of_extrapolation(predict);
    if (status == HS_OK && predict->settings->ask.mesh.count == 0 && is_one_prime(np))
        status = hs_predict_hint_neighbours(predict, err);
    return status;
}

/* A chunked plan is compared with plans of as many chunks, too, unless --chunks says otherwise. */
static enum hs_status take_chunks_of_plan(struct hs_predict_settings *settings,
                                          struct hs_error *err)
{
    struct hs_group group = hs_mesh_group(&settings->ask.mesh, (int64_t)settings->ask.np.first);
    struct hs_plan plan;
    enum hs_status status;

    if (!settings->explain || strcmp(settings->explain, "best") == 0)
        return HS_OK;
    status = hs_plan_parse(&plan, settings->explain, group.size, err);
    if (status != HS_OK)
        return err ? hs_error_prefix(err, status, "--explain") : status;
    if (plan.chunks > 1 && settings->ask.chunks.count == 0)
        settings->ask.chunks = (struct hs_count_list){.count = 2, .values = {1, plan.chunks}};
    return HS_OK;
}

static enum hs_status run_with_machines(struct hs_predict *predict, struct hs_error *err)
{
    struct hs_machines machines;
    enum hs_status status = hs_machines_init(&machines, predict->asked.system,
                                             hs_question_machines(predict->asked.question), 1, err);

    if (status)
        return status;
    predict->asked.machines = &machines;
    status = hs_asked_check(&predict->asked, err);
    if (status == HS_OK)
        status = predict->profile                 ? hs_predict_profile(predict, err)
                 : predict->settings->place.asked ? hs_predict_place(predict, err)
                 : predict->settings->hsdp.asked  ? hs_predict_hsdp(predict, err)
                                                  : run_sweep(predict, err);
    predict->asked.machines = NULL;
    hs_machines_release(&machines);
    return status;
}

static enum hs_status run_on_system(struct hs_context *context,
                                    struct hs_predict_settings *settings,
                                    const struct hs_profile *profile, struct hs_error *err)
{
    struct hs_system system = {.level_count = 0}, before = {.level_count = 0};
    struct hs_sheet sheet;
    struct hs_progress_line progress;
    struct hs_predict predict = {
        .context = context,
        .sheet = &sheet,
        .settings = settings,
        .asked = {.question = &settings->ask,
                  .strategy = hs_search_strategy_find(settings->ask.search),
                  .system = &system},
        .profile = profile,
        .before = settings->before ? &before : NULL,
        .progress = &progress};
    enum hs_status status;

    if (settings->ask.bytes.first == 0 && settings->as)
        hs_bytes_range_parse(&settings->ask.bytes, SIZES_OF_NCCL_TESTS, NULL);
    settings->ask.words.placed = settings->place.asked;
    if (settings->output && strcmp(settings->output, "-") == 0) {
        settings->print.format = hs_format_names[HS_FORMAT_JSON];
        settings->output = NULL;
    }
    hs_sheet_begin(&sheet, context->out, &settings->print, &context->terminal);
    status = hs_question_take(&settings->ask, err);
    if (status == HS_OK)
        status = check_settings(settings, err);
    if (status == HS_OK)
        status = take_chunks_of_plan(settings, err);
    if (status != HS_OK)
        return status;
    status = hs_find_system(&system, settings->system, context, err);
    hs_system_keep(&system);
    predict.asked.label = hs_system_is_text(settings->system) ? settings->system : system.name;
    if (status == HS_OK && settings->before) {
        status = hs_find_system(&before, settings->before, context, err);
        if (status != HS_OK)
            hs_error_prefix(err, status, "--before");
    }
    if (status == HS_OK)
        status = hs_output_check(settings->output, settings->system, NULL, err);
    hs_progress_line_init(&progress, settings->quiet);
    predict.asked.began_seconds = hs_clock_seconds();
    if (status == HS_OK)
        status = run_with_machines(&predict, err);
    hs_progress_line_clear(&progress);
    hs_system_release(&before);
    hs_system_release(&system);
    return status;
}

static enum hs_status run(struct hs_context *context, void *of_rows, struct hs_error *err)
{
    struct hs_predict_settings *settings = of_rows;
    struct hs_profile profile = {.ranks = 0};
    enum hs_status status;

    context->quiet = settings->quiet;
    settings->system = settings->systems.items[0];
    if (hs_predict_check_job(settings, err) || hs_predict_check_profile(settings, err))
        return HS_INVALID;
    if (!settings->profile)
        return run_on_system(context, settings, NULL, err);
    status = hs_inputs_profile(&profile, settings->profile, err);
    settings->ask.np =
        (struct hs_range){.first = (uint64_t)profile.ranks, .last = (uint64_t)profile.ranks};
    if (status == HS_OK && hs_inputs_is_of(settings->system, HS_RESULT_KIND))
        status = hs_predict_by_results(context, settings, &profile, err);
    else if (status == HS_OK)
        status = run_on_system(context, settings, &profile, err);
    hs_profile_release(&profile);
    return status;
}

const struct hs_command hs_command_predict = {
    .name = "predict",
    .summary = "which split of a collective is fastest on a machine, by how much, and why",
    .description = "Prices every way to split P processes into layers with the machine's latencies "
                   "and bandwidths, and prints the best ones with the share of time of each layer. "
                   "A split is written innermost layer first: 4x8x4 is 4 processes in a node, 8 "
                   "nodes, 4 groups of those. Times are for one call; busbw is bus bandwidth as "
                   "nccl-tests defines it: size / time * (P - 1) / P, and twice that of an "
                   "AllReduce. Of a broadcast and a reduce, from and to process 0, it is size / "
                   "time; these are searched and priced, but nothing here runs them.",
    .examples =
        "  hiersearch predict abci --np 128\n"
        "  hiersearch predict abci --np 128 --explain best\n"
        "  hiersearch predict dgx-h100-superpod --np 64 --as nccl-tests\n"
        "  hiersearch predict summit --np 6:4608 --size 64MiB\n"
        "  hiersearch predict perlmutter --np 256 --size 64MiB --collective reduce-scatter "
        "--order permuted\n"
        "  hiersearch predict nvlink:8@300GB/s~3us,ib@200GB/s~12us --np 1024 --chunks 1,2,4,8\n"
        "  hiersearch predict abci --np 128 --size 1MiB:1GiB -o abci-128.json\n"
        "  hiersearch predict abci --profile job.json\n"
        "  hiersearch predict allreduce.json allgather.json --profile job.json",
    .arguments = arguments,
    .options = options,
    .settings_bytes = sizeof(struct hs_predict_settings),
    .run = run,
};
