/* What is simulated. */
#include "answer/simulated.h"

#include <inttypes.h>
#include <string.h>

#include "answer/point.h"
#include "answer/systems.h"
#include "search/search.h"
#include "version.h"

#define PIECES_MAX  1024 /* mappings of the shared file that make up a message */
#define PIECE_BYTES ((uint64_t)1 << 20)

#define TOP_DEFAULT 5

/* The process count, which a mesh says, too. */
static enum hs_status take_mesh(struct hs_simulated_settings *settings, struct hs_error *err)
{
    enum hs_status status = hs_mesh_take(&settings->mesh, &settings->np, &settings->words, err);

    if (status == HS_OK && settings->np == 0)
        settings->np = (int64_t)settings->gpus.count;
    if (status == HS_OK && settings->np == 0)
        return hs_fail(err, HS_INVALID, "--np P is missing");
    if (status == HS_OK && (settings->np < 2 || settings->np > HS_SIMULATE_NP_MAX))
        return hs_fail(err, HS_INVALID, "--mesh: expected 2 to %d processes, found %" PRId64,
                       HS_SIMULATE_NP_MAX, settings->np);
    return status;
}

static enum hs_status check_settings(const struct hs_simulated_settings *settings,
                                     struct hs_error *err)
{
    char size[HS_UNIT_TEXT];
    const char *with_plans = settings->top            ? "top"
                             : settings->all          ? "all"
                             : settings->chunks.count ? "chunks"
                                                      : NULL;

    if (settings->plans.count && with_plans)
        return hs_fail(err, HS_INVALID, "--%s: not together with PLAN%s", with_plans,
                       settings->chunks.count ? ", which says its chunks itself: 4x8x4/8" : "");
    if (settings->all && settings->top)
        return hs_fail(err, HS_INVALID, "--all: not together with --top");
    if (settings->bytes.first != settings->bytes.last)
        return hs_fail(err, HS_INVALID, "--size: expected one size, found a sweep");
    if (settings->bytes.first > HS_SIMULATE_BYTES_MAX)
        return hs_fail(err, HS_INVALID, "--size: expected at most %s",
                       hs_bytes_format(size, HS_SIMULATE_BYTES_MAX));
    return hs_layout_check(settings->collective, settings->layout, err);
}

enum hs_status hs_simulated_take(struct hs_simulated_settings *settings, struct hs_error *err)
{
    enum hs_status status = take_mesh(settings, err);

    return status == HS_OK ? check_settings(settings, err) : status;
}

/* ---- plans ---- */

static enum hs_status take_typed(struct hs_result_message *message,
                                 const struct hs_search_request *request,
                                 const struct hs_argument_list *typed, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < typed->count && status == HS_OK; i++) {
        struct hs_plan plan;

        status = hs_plan_parse(&plan, typed->items[i], request->problem.group.size, err);
        if (status != HS_OK)
            return hs_error_prefix(err, status, "PLAN");
        if (hs_result_candidate(message, &plan))
            return hs_fail(err, HS_INVALID, "PLAN: %s is there twice", typed->items[i]);
        status = hs_problem_check(&request->problem, &plan, err);
        if (status != HS_OK)
            return hs_error_prefix(err, status, "PLAN");
        status = hs_result_add_prediction(message, request->system, &request->problem, &plan, err);
    }
    return status;
}

static enum hs_status take_found(struct hs_result_message *message,
                                 const struct hs_search_request *request,
                                 const struct hs_search_result *found, struct hs_error *err)
{
    struct hs_plan flat = hs_problem_flat(&request->problem);
    enum hs_status status = HS_OK;

    for (size_t i = 0; i < found->count && status == HS_OK; i++)
        status = hs_result_add_prediction(message, request->system, &request->problem,
                                          &found->plans[i].plan, err);
    if (status == HS_OK && !hs_result_candidate(message, &flat))
        status = hs_result_add_prediction(message, request->system, &request->problem, &flat, err);
    return status;
}

static enum hs_status check_count(size_t count, struct hs_error *err)
{
    if (count > HS_SIMULATE_PLANS_MAX)
        return hs_fail(err, HS_INVALID,
                       "more than %d plans to simulate: --top K takes the K with the shortest "
                       "predicted time",
                       HS_SIMULATE_PLANS_MAX);
    return HS_OK;
}

static enum hs_status add_message(struct hs_result *result, const struct hs_search_request *request,
                                  const struct hs_search_result *found,
                                  const struct hs_simulated_settings *settings,
                                  struct hs_error *err)
{
    const struct hs_argument_list *typed = &settings->plans;
    const char *strategy = typed->count    ? "given"
                           : settings->all ? "all"
                                           : hs_search_strategies[0].name;
    struct hs_result_message *message = hs_result_add_message(result);
    enum hs_status status = check_count(typed->count ? typed->count : found->count, err);

    if (status != HS_OK)
        return status;
    if (!message || !(message->strategy = hs_strdup(strategy)))
        return hs_no_memory(err);
    message->message_bytes = settings->bytes.first;
    message->datatype = HS_FLOAT32;
    message->operation = HS_SUM;
    message->splits = found->splits;
    message->looked_at = typed->count ? typed->count : found->looked_at;
    message->flat_seconds = found->flat_seconds;
    status = typed->count ? take_typed(message, request, typed, err)
                          : take_found(message, request, found, err);
    return status == HS_OK ? hs_result_rank(message, err) : status;
}

static enum hs_status choose(struct hs_result *result, const struct hs_system *system,
                             const struct hs_simulated_settings *settings, struct hs_error *err)
{
    size_t top = settings->top ? (size_t)settings->top : TOP_DEFAULT;
    struct hs_search_request request = {
        .system = system,
        .problem = hs_result_asks(result, (double)settings->bytes.first),
        .chunks = settings->chunks.count ? settings->chunks.values : NULL,
        .chunk_count = settings->chunks.count,
        .top = settings->all ? HS_SIMULATE_PLANS_MAX + 1 : top,
    };
    struct hs_search_result found;
    enum hs_status status = hs_search(&found, &hs_search_strategies[0], &request, err);

    if (status != HS_OK)
        return status;
    status = add_message(result, &request, &found, settings, err);
    hs_search_result_release(&found);
    return status;
}

/* ---- what SimGrid is given ---- */

/* SMPI's own factors are for Ethernet: off. The latency factor is s, for messages of one byte
 * alone, which are through for their sender at once: see src/simulate/simulate.h. */
static void append_flags(struct hs_text *flags, const struct hs_result *result)
{
    uint64_t piece = PIECE_BYTES;

    while (piece * PIECES_MAX < result->messages[0].message_bytes)
        piece *= 2;
    hs_text_append(flags,
                   "--cfg=smpi/simulate-computation:no --cfg=smpi/lat-factor:0:%.17g;17:0 "
                   "--cfg=smpi/send-is-detached-thresh:2 "
                   "--cfg=smpi/bw-factor:0:1.0 --cfg=network/crosstraffic:0 "
                   "--cfg=network/weight-S:0 --cfg=network/TCP-gamma:0 --cfg=smpi/test:0 "
                   "--cfg=smpi/wtime:0 --cfg=smpi/shared-malloc-blocksize:%" PRIu64
                   " --log=root.thres:warning",
                   result->system.pipeline_granularity, piece);
}

static enum hs_status say_flags(struct hs_result *result, struct hs_error *err)
{
    struct hs_text flags = {0};
    enum hs_status status;

    append_flags(&flags, result);
    status = flags.failed ? hs_no_memory(err)
                          : hs_result_set_version(result, "simgrid flags", flags.data, err);
    hs_text_release(&flags);
    return status;
}

enum hs_status hs_simulated_choose(struct hs_result *result, struct hs_system *system,
                                   const struct hs_simulated_settings *settings,
                                   const char *command, struct hs_error *err)
{
    enum hs_status status = hs_system_choose_asked(system, &settings->gpus, settings->np, err);

    if (status != HS_OK) {
        *result = (struct hs_result){0};
        return status;
    }
    hs_system_drop_parts(system);
    hs_system_fix_ways(system);
    status = hs_predicted_init(result, command, system, settings->np, err);
    result->collective = settings->collective;
    result->layout = settings->layout;
    result->mesh = settings->mesh;
    if (status == HS_OK)
        status = choose(result, system, settings, err);
    return status == HS_OK ? say_flags(result, err) : status;
}
void hs_simulated_command(struct hs_text *line, const struct hs_result *result)
{
    hs_text_append(line,
                   "smpirun -quiet -no-privatize -platform " HS_SIMULATED_PLATFORM
                   " -hostfile " HS_SIMULATED_HOSTS " -np %" PRId64 " ",
                   result->np);
    append_flags(line, result);
}

/* The same for a shell, which finds the program in PATH. */
static void say_script(struct hs_text *script, const struct hs_result *result)
{
    struct hs_text line = {0};
    char *rest = NULL;

    hs_simulated_command(&line, result);
    hs_text_append(script, "#!/bin/sh\n"
                           "program=$(command -v " HS_SIMULATED_PROGRAM ") || {\n"
                           "    echo 'there is no " HS_SIMULATED_PROGRAM " in PATH' >&2\n"
                           "    exit 1\n"
                           "}\nexec");
    script->failed = script->failed || line.failed;
    for (char *word = line.failed ? NULL : strtok_r(line.data, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        hs_text_append(script, " ");
        hs_command_word_append(script, word);
    }
    hs_text_append(script, " \"$program\" " HS_SIMULATED_RESULT "\n");
    hs_text_release(&line);
}

enum hs_status hs_simulated_files(struct hs_export_output *files, const struct hs_result *result,
                                  struct hs_error *err)
{
    struct hs_export_job job = {.result = result,
                                .result_name = "hiersearch simulate",
                                .made_by = "hiersearch " HS_VERSION};
    const struct hs_exporter *exporter;
    enum hs_status status = hs_exporter_find(&exporter, "simgrid", err);

    if (status == HS_OK)
        status = hs_export(files, exporter, &job, err);
    if (status == HS_OK)
        status = hs_result_print_line(hs_export_add_file(files, HS_SIMULATED_RESULT), result, err);
    if (status == HS_OK) {
        say_script(hs_export_add_file(files, HS_SIMULATED_SCRIPT), result);
    }
    for (size_t i = 0; status == HS_OK && i < files->count; i++)
        if (files->files[i].text.failed)
            status = hs_no_memory(err);
    return status;
}
