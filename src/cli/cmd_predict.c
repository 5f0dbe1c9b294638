#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "cli/place_forms.h"
#include "cli/predict.h"
#include "machine/system_find.h"
#include "view/figures.h"

#define TOP_MAX     10000 /* each candidate of a result file holds the cost of all its layers */
#define KEEP_MAX    1000
#define TOP_CHECKED 1000 /* from so many on the size of the result is looked at */

static const char *const *strategy_names(void)
{
    static const char *names[16];
    size_t count = 0;

    for (; count < 15 && hs_search_strategies[count].name; count++)
        names[count] = hs_search_strategies[count].name;
    names[count] = NULL;
    return names;
}

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

#define MACHINES_USUAL      "200"
#define SIZE_USUAL          "128MiB"
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
    {.name = "np",
     .letter = 'n',
     .argument = "P[:P]",
     .group = "Problem",
     .type = &hs_option_np_range,
     .offset = FIELD(np),
     .usual = true,
     .help = "processes (one per GPU); 4:2048 is a sweep 4, 8, ..., 2048, and 24,64 a list; "
             "--mesh says it, too"},
    {.name = "size",
     .letter = 's',
     .argument = "SIZE[:SIZE]",
     .group = "Problem",
     .type = &hs_option_bytes_range,
     .offset = FIELD(bytes),
     .help = "message per process; 1MiB:1GiB is a sweep in powers of two, and 25MB,1GiB a list "
             "(default " SIZE_USUAL "; with --as nccl-tests " SIZES_OF_NCCL_TESTS
             ", as its -b 8 -e 8G -f 2)"},
    HS_ROW_DATATYPE("Problem", FIELD(datatype)),
    HS_ROW_COLLECTIVE("Problem", FIELD(collective)),
    HS_ROW_ORDER("Problem", FIELD(order)),
    HS_ROWS_MESH("Problem", FIELD(words)),
    HS_ROW_FILE("profile", 0, "A job", FIELD(profile), false,
                "what the best plans gain a job that `hiersearch profile` counted (or FILE.ranks, "
                "which it left): kind of call by kind of call, by the model of SYSTEM; or, with "
                "result files in its place, by the times that were measured of the plans that "
                "`hiersearch run` would take and of the library's own"),
    HS_ROW_FLAG(
        "place", 0, "Placement", FIELD(place.asked),
        "where the axes of --mesh are to lie on the machine: the order of axes, or of parts "
        "of them, by which the --messages of a step take least"),
    {.name = "messages",
     .argument = "LIST",
     .group = "Placement",
     .type = &hs_option_text,
     .offset = FIELD(place.messages),
     .help = "what a step communicates, AXES:COLLECTIVE[:ORDER]:SIZE[*CALLS] with commas between, "
             "such as tp:allreduce:64MiB*160,dp:reduce-scatter:1GiB, or a file of such lines"},
    HS_ROW_SECONDS("compute", NULL, "Placement", FIELD(place.compute_seconds),
                   "what a step computes for: between which times it then lies"),
    HS_ROW_FLAG(
        "overlap", 0, "Placement", FIELD(place.overlap),
        "messages along different axes travel at the same time: what that takes at least, by "
        "the links that they share, and at most"),
    {.name = "hosts",
     .argument = "NAMES",
     .group = "Placement",
     .type = &hs_option_text,
     .offset = FIELD(place.hosts),
     .help = "the nodes for --as hostfile, rankfile and srun: names with commas between, or a file "
             "(the text has a '/') with a line of each"},
    HS_ROW_FLAG(
        "hsdp", 0, "Sharding", FIELD(hsdp.asked),
        "in how many shards a model's --parameters are to lie, and how often: what each way "
        "communicates in a step of fully sharded data parallelism, and what a GPU holds"),
    {.name = "parameters",
     .argument = "N",
     .group = "Sharding",
     .type = &hs_option_parameters,
     .offset = FIELD(hsdp.parameters),
     .help = "of the model, such as 70e9 or 70B"},
    HS_ROW_COUNT(
        "units", "units", 0, 100000, NULL, "Sharding", FIELD(hsdp.units),
        "in which it is wrapped, such as its layers, each gathered by itself (default 64)"),
    {.name = "memory",
     .argument = "SIZE",
     .group = "Sharding",
     .type = &hs_option_bytes,
     .offset = FIELD(hsdp.memory),
     .help = "that a GPU has for them, activations apart"},
    {.name = "optimizer-bytes",
     .argument = "N",
     .group = "Sharding",
     .type = &hs_option_text,
     .offset = FIELD(hsdp.optimizer),
     .help =
         "what the optimizer keeps of each parameter (default: Adam's two moments, in 32 bits or "
         "those of --dtype if they are more, and a copy in 32 of weights of fewer)"},
    {.name = "search",
     .argument = "NAME",
     .group = "Search",
     .fallback = "lattice",
     .words = strategy_names,
     .type = &hs_option_word,
     .offset = FIELD(search),
     .help = "how to search"},
    HS_ROW_CHUNKS(
        "Search", FIELD(chunks),
        "chunk counts to try, such as 1,2,4,8: parts of the message that overlap in different "
        "layers (default 1)"),
    HS_ROW_ALGORITHMS(
        "Search", FIELD(algorithms),
        "what layers may go by besides the ring, such as halving,direct, or all; plans then say "
        "it by a letter, as in 4dx8h (default: what who executes there has: `hiersearch systems`)"),
    {.name = "keep",
     .argument = "N",
     .group = "Search",
     .min = 1,
     .max = KEEP_MAX,
     .noun = "number of plans",
     .type = &hs_option_count,
     .offset = FIELD(keep),
     .help = "containment: plans kept at each scale (default 4)"},
    {.name = "widen",
     .group = "Search",
     .type = &hs_option_flag,
     .offset = FIELD(widen),
     .help = "containment: let any layer grow, not the last alone"},
    HS_ROW_SECONDS("budget", NULL, "Search", FIELD(budget_seconds),
                   "end the search after so long with what was found by then, and say what was "
                   "not looked at (default: none)"),
    HS_ROW_COUNT(
        "machines", "machines", 0, HS_MACHINES_MAX, MACHINES_USUAL, "Search", FIELD(machines),
        "machines that fit the description, drawn by how far its figures may be off: first "
        "comes the plan that loses least over them, of those within 1 % the one with the "
        "fewest layers; 0: the fastest by the figures as they stand"),
    {.name = "top",
     .letter = 'k',
     .argument = "K",
     .group = "Output",
     .fallback = "5",
     .min = 1,
     .max = TOP_MAX,
     .noun = "number of plans",
     .type = &hs_option_count,
     .offset = FIELD(top),
     .help = "plans to show; the flat split is always shown too"},
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

/* The process count, which a mesh says, too. */
static enum hs_status take_mesh(struct hs_predict_settings *settings, struct hs_error *err)
{
    struct hs_range *np = &settings->np;
    int64_t only = (int64_t)np->first;

    if (settings->words.mesh && np->first != np->last)
        return hs_fail(err, HS_INVALID,
                       "--mesh: expected one process count, found a sweep of --np");
    settings->words.placed = settings->place.asked;
    if (hs_mesh_take(&settings->mesh, &only, &settings->words, err))
        return HS_INVALID;
    if (only == 0)
        return hs_fail(err, HS_INVALID, "--np P[:P] is missing");
    if (settings->mesh.count > 0)
        *np = (struct hs_range){.first = (uint64_t)only, .last = (uint64_t)only};
    return HS_OK;
}

static enum hs_status check_settings(const struct hs_predict_settings *settings,
                                     struct hs_error *err)
{
    bool over_np = settings->np.first != settings->np.last;
    bool over_bytes = settings->bytes.first != settings->bytes.last;
    bool containment = strcmp(settings->search, "containment") == 0;

    if ((settings->keep || settings->widen) && !containment)
        return hs_fail(err, HS_INVALID, "--%s: only for --search containment",
                       settings->keep ? "keep" : "widen");
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
    return hs_order_check(settings->collective, settings->order, false, err);
}

static enum hs_status finish_result(const struct hs_predict *predict, struct hs_result *result,
                                    struct hs_error *err)
{
    const struct hs_predict_settings *settings = predict->settings;
    enum hs_status status = HS_OK;

    if (is_json(settings) && settings->np.first != settings->np.last)
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

static enum hs_status run_point(const struct hs_predict *predict, struct hs_predict_sweep *sweep,
                                struct hs_result *result, struct hs_predict_point *point,
                                struct hs_error *err)
{
    enum hs_status status = HS_OK;

    if (wants_result(predict, sweep))
        status = hs_predict_result_add(result, predict, point, err);
    if (status != HS_OK || is_json(predict->settings))
        return status;
    if (predict->settings->explain)
        return hs_predict_explain(predict, point, err);
    if (!hs_predict_is_swept(sweep, predict))
        return hs_predict_show(predict, point, result, err);
    return hs_predict_sweep_add(sweep, predict, point, err);
}

/* Whether the budget is spent; the first point is searched in any case. Said once. */
static bool has_ended(const struct hs_predict *predict, struct hs_predict_sweep *sweep, int64_t np,
                      uint64_t bytes)
{
    if (sweep->points == 0 || hs_predict_has_time(predict))
        return false;
    if (!sweep->ended)
        hs_warning(predict->context,
                   "--budget: not looked at: %" PRId64 " processes with %s, and all behind it", np,
                   HS_AS_BYTES(bytes));
    sweep->ended = true;
    return true;
}

/* A result says itself that it is not whole. */
static enum hs_status cut_short(struct hs_result *result, const char *what, struct hs_error *err)
{
    struct hs_text note = {0};

    result->complete = false;
    hs_text_append(&note, "%s%s%s", result->note ? result->note : "--budget: not looked at: ",
                   result->note ? "; " : "", what);
    free(result->note);
    result->note = note.data;
    return note.failed ? hs_no_memory(err) : HS_OK;
}

static enum hs_status leave_out(const struct hs_predict *predict, struct hs_result *result,
                                const struct hs_predict_point *point, struct hs_error *err)
{
    struct hs_text what = {0};
    enum hs_status status;

    hs_text_append(&what, "%s of %" PRId64 " processes with %s", point->found.left_out,
                   point->request.problem.group.size, HS_AS_BYTES(point->bytes));
    status = what.failed ? hs_no_memory(err) : cut_short(result, what.data, err);
    if (status == HS_OK)
        hs_warning(predict->context, "--budget: not looked at: %s", what.data);
    hs_text_release(&what);
    return status;
}

static size_t count_sizes(const struct hs_range *bytes)
{
    size_t count = 0;

    for (uint64_t b = bytes->first; b != 0; b = hs_range_next(bytes, b))
        count++;
    return count;
}

/* After the first message size: a file that nothing could read back is not worth the others. */
static enum hs_status check_readable(const struct hs_predict *predict,
                                     const struct hs_result *result, struct hs_error *err)
{
    char all[HS_FIGURE_TEXT];
    struct hs_text one = {0};
    size_t sizes = count_sizes(&predict->settings->bytes);
    enum hs_status status = HS_OK;

    if (sizes < 2 || result->message_count == 0 || predict->settings->top < TOP_CHECKED)
        return HS_OK;
    status = hs_result_print(&one, result, err);
    if (status == HS_OK && one.length > HS_JSON_BYTES_MAX / sizes)
        status = hs_fail(err, HS_INVALID,
                         "--top: %zu sizes of %" PRId64 " plans would make a result of %s, and "
                         "%s can be read back: ask for fewer plans or sizes",
                         sizes, predict->settings->top,
                         hs_bytes_figure(all, (double)(one.length * sizes)),
                         HS_AS_BYTES(HS_JSON_BYTES_MAX));
    hs_text_release(&one);
    return status;
}

/* All sizes of one process count. */
static enum hs_status run_sizes(const struct hs_predict *predict, struct hs_predict_sweep *sweep,
                                struct hs_result *result, int64_t np, struct hs_error *err)
{
    const struct hs_range *bytes = &predict->settings->bytes;
    enum hs_status status = HS_OK;

    for (uint64_t b = bytes->first; b != 0 && status == HS_OK; b = hs_range_next(bytes, b)) {
        struct hs_predict_point point;

        if (has_ended(predict, sweep, np, b))
            return result->message_count > 0 ? cut_short(result, "other message sizes", err)
                                             : HS_OK;
        status = hs_predict_point_init(&point, predict, np, b, err);
        if (status != HS_OK)
            return status;
        status = run_point(predict, sweep, result, &point, err);
        if (status == HS_OK && point.found.left_out[0])
            status = leave_out(predict, result, &point, err);
        if (status == HS_OK && b == bytes->first)
            status = check_readable(predict, result, err);
        hs_predict_point_release(&point);
        sweep->points++;
    }
    return status;
}

static enum hs_status run_np(const struct hs_predict *predict, struct hs_predict_sweep *sweep,
                             int64_t np, struct hs_error *err)
{
    struct hs_result result;
    enum hs_status status =
        hs_predict_result_init(&result, predict->context, predict->system, np, err);

    result.collective = predict->settings->collective;
    result.order = predict->settings->order;
    result.mesh = predict->settings->mesh;
    if (status == HS_OK)
        status = run_sizes(predict, sweep, &result, np, err);
    if (status == HS_OK && wants_result(predict, sweep) && result.message_count > 0)
        status = finish_result(predict, &result, err);
    hs_result_release(&result);
    return status;
}

/* What has no price is no candidate: who asks for it shall know. */
static enum hs_status check_algorithms(const struct hs_predict *predict, struct hs_error *err)
{
    for (int a = 0; a < HS_ALGORITHM_COUNT; a++)
        if ((predict->settings->algorithms >> a & 1) &&
            !hs_system_prices(predict->system, (enum hs_algorithm)a))
            return hs_fail(err, HS_INVALID,
                           "--algorithms %s: %s names no MPI library (library: mpich or openmpi) "
                           "whose rule could price it%s",
                           hs_algorithm_names[a], predict->label,
                           predict->system->fits.count > 0 ? ", and none was measured" : "");
    return HS_OK;
}

/* A group of NCCL's calls is one launch: what each further one costs was published nowhere. */
static enum hs_status check_priced(const struct hs_predict *predict, struct hs_error *err)
{
    if (predict->settings->order == HS_GROUPED && hs_system_is_nccl_native(predict->system))
        return hs_fail(err, HS_INVALID,
                       "--order grouped: what NCCL's calls take in a group has no price; expected "
                       "in-place, permuted or packed on %s",
                       predict->label);
    return check_algorithms(predict, err);
}

static bool is_one_prime(const struct hs_range *np)
{
    int64_t only = (int64_t)np->first;

    return np->first == np->last && only > 3 && hs_is_prime(only);
}

static enum hs_status run_sweep(const struct hs_predict *predict, struct hs_error *err)
{
    const struct hs_range *np = &predict->settings->np;
    bool json = is_json(predict->settings);
    struct hs_predict_sweep sweep;
    enum hs_status status = HS_OK;

    hs_predict_sweep_init(&sweep, predict);
    for (uint64_t p = np->first; p != 0 && status == HS_OK; p = hs_range_next(np, p))
        status = run_np(predict, &sweep, (int64_t)p, err);
    if (status == HS_OK && !json && hs_predict_is_swept(&sweep, predict))
        hs_predict_sweep_print(&sweep, predict);
    hs_table_release(&sweep.lines);
    if (status == HS_OK && !json)
        status = hs_sheet_end(predict->sheet, err);
    hs_text_release(&predict->sheet->lines);
    if (status == HS_OK)
        hs_predict_warn_of_extrapolation(predict);
    if (status == HS_OK && predict->settings->mesh.count == 0 && is_one_prime(np))
        status = hs_predict_hint_neighbours(predict, err);
    return status;
}

/* A chunked plan is compared with plans of as many chunks, too, unless --chunks says otherwise. */
static enum hs_status take_chunks_of_plan(struct hs_predict_settings *settings,
                                          struct hs_error *err)
{
    struct hs_group group = hs_mesh_group(&settings->mesh, (int64_t)settings->np.first);
    struct hs_plan plan;
    enum hs_status status;

    if (!settings->explain || strcmp(settings->explain, "best") == 0)
        return HS_OK;
    status = hs_plan_parse(&plan, settings->explain, group.size, err);
    if (status != HS_OK)
        return err ? hs_error_prefix(err, status, "--explain") : status;
    if (plan.chunks > 1 && settings->chunks.count == 0)
        settings->chunks = (struct hs_count_list){.count = 2, .values = {1, plan.chunks}};
    return HS_OK;
}

/* The advice needs some, whatever the plan is chosen by. */
static enum hs_status run_with_machines(struct hs_predict *predict, struct hs_error *err)
{
    size_t count = (size_t)predict->settings->machines;
    struct hs_machines machines;
    enum hs_status status =
        hs_machines_init(&machines, predict->system, count > 0 ? count : HS_MACHINES_USUAL, 1, err);

    if (status)
        return status;
    predict->machines = &machines;
    status = check_priced(predict, err);
    if (status == HS_OK)
        status = predict->profile                 ? hs_predict_profile(predict, err)
                 : predict->settings->place.asked ? hs_predict_place(predict, err)
                 : predict->settings->hsdp.asked  ? hs_predict_hsdp(predict, err)
                                                  : run_sweep(predict, err);
    predict->machines = NULL;
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
    struct hs_predict predict = {.context = context,
                                 .sheet = &sheet,
                                 .settings = settings,
                                 .system = &system,
                                 .profile = profile,
                                 .before = settings->before ? &before : NULL,
                                 .progress = &progress};
    enum hs_status status;

    if (settings->bytes.first == 0)
        hs_bytes_range_parse(&settings->bytes, settings->as ? SIZES_OF_NCCL_TESTS : SIZE_USUAL,
                             NULL);
    if (settings->output && strcmp(settings->output, "-") == 0) {
        settings->print.format = hs_format_names[HS_FORMAT_JSON];
        settings->output = NULL;
    }
    hs_sheet_begin(&sheet, context->out, &settings->print, &context->terminal);
    status = take_mesh(settings, err);
    if (status == HS_OK)
        status = check_settings(settings, err);
    if (status == HS_OK)
        status = take_chunks_of_plan(settings, err);
    if (status != HS_OK)
        return status;
    predict.strategy = hs_search_strategy_find(settings->search);
    status = hs_find_system(&system, settings->system, context, err);
    predict.label = hs_system_is_text(settings->system) ? settings->system : system.name;
    if (status == HS_OK && settings->before) {
        status = hs_find_system(&before, settings->before, context, err);
        if (status != HS_OK)
            hs_error_prefix(err, status, "--before");
    }
    if (status == HS_OK)
        status = hs_output_check(settings->output, settings->system, NULL, err);
    hs_progress_line_init(&progress, settings->quiet);
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
    settings->np =
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
