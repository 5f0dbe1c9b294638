#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/place_forms.h"
#include "cli/predict.h"
#include "search/axes.h"
#include "view/figures.h"
#include "view/placements.h"

#define JOB_BYTES_MAX ((size_t)1 << 20)
/* Cutting axes is said to help from so much on: fewer of them are easier to apply. */
#define CUT_GAIN 1.01

/* Of a model: as many layers as large ones have, about. */
#define UNITS_USUAL 64
/* Bytes of a parameter: more than any optimizer keeps. */
#define OPTIMIZER_MOST 1024

/* The first of the words that is given without the flag that it belongs to. */
static const char *stray_word(const struct hs_predict_settings *settings)
{
    const struct hs_place_words *place = &settings->place;
    const struct hs_hsdp_words *hsdp = &settings->hsdp;

    if (!place->asked &&
        (place->messages || place->hosts || place->overlap || place->compute_seconds > 0))
        return place->messages  ? "--messages: only with --place"
               : place->hosts   ? "--hosts: only with --place"
               : place->overlap ? "--overlap: only with --place"
                                : "--compute: only with --place";
    if (!place->asked && settings->as && hs_place_is_form(settings->as))
        return "--as: a placement's form is only for --place";
    if (!hsdp->asked &&
        (hsdp->parameters > 0 || hsdp->units > 0 || hsdp->memory > 0 || hsdp->optimizer))
        return hsdp->parameters > 0 ? "--parameters: only with --hsdp"
               : hsdp->units > 0    ? "--units: only with --hsdp"
               : hsdp->memory > 0   ? "--memory: only with --hsdp"
                                    : "--optimizer-bytes: only with --hsdp";
    return NULL;
}

static enum hs_status read_optimizer(struct hs_hsdp_words *words, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    if (words->optimizer)
        status = hs_count_parse(&words->optimizer_bytes, words->optimizer, "bytes per parameter", 0,
                                OPTIMIZER_MOST, err);
    return status ? hs_error_prefix(err, status, "--optimizer-bytes") : HS_OK;
}

/* A job of several messages is no point of a search, nor a result. */
enum hs_status hs_predict_check_job(struct hs_predict_settings *settings, struct hs_error *err)
{
    const char *stray = stray_word(settings), *asked = settings->place.asked ? "place" : "hsdp";

    if (stray)
        return hs_fail(err, HS_INVALID, "%s", stray);
    if (!settings->place.asked && !settings->hsdp.asked)
        return HS_OK;
    if (settings->place.asked && (!settings->ask.words.mesh || !settings->place.messages))
        return hs_fail(err, HS_INVALID, "--place: expected --%s",
                       settings->ask.words.mesh ? "messages, such as tp:allreduce:64MiB*160"
                                                : "mesh, such as tp=8,dp=64");
    if (settings->hsdp.asked && (settings->hsdp.parameters == 0 || settings->ask.words.mesh))
        return hs_fail(err, HS_INVALID,
                       "--hsdp: expected --parameters, such as 70e9, and no --mesh");
    if (settings->hsdp.asked &&
        (settings->place.asked || settings->ask.np.first != settings->ask.np.last))
        return hs_fail(err, HS_INVALID, "--hsdp: expected one process count, and not --place");
    if (settings->ask.words.over || settings->ask.bytes.first > 0 || settings->explain ||
        settings->before || settings->output || settings->ask.chunks.count > 0 ||
        settings->ask.budget_seconds > 0 ||
        strcmp(settings->ask.search, hs_search_strategies[0].name) != 0)
        return hs_fail(err, HS_INVALID,
                       "--%s: not together with --over, --size, --explain, --before, --output, "
                       "--chunks, --budget or --search",
                       asked);
    if (settings->as && !(settings->place.asked && hs_place_is_form(settings->as)))
        return hs_fail(err, HS_INVALID, "--%s: not together with --as %s", asked, settings->as);
    if (settings->hsdp.units == 0)
        settings->hsdp.units = UNITS_USUAL;
    return read_optimizer(&settings->hsdp, err);
}

/* A job's messages as typed, or a file of them, which has no ':' in its name. */
static enum hs_status read_job(struct hs_job *job, const struct hs_predict *predict,
                               struct hs_error *err)
{
    const char *text = predict->settings->place.messages;
    char *data = NULL;
    size_t length;
    enum hs_status status = HS_OK;

    *job = (struct hs_job){.mesh = predict->settings->ask.mesh};
    if (!strchr(text, ':')) {
        status = hs_file_read(&data, &length, text, JOB_BYTES_MAX, err);
        text = data;
    }
    if (status == HS_OK)
        status = hs_job_parse(job, text, err);
    free(data);
    return status == HS_OK ? status : hs_error_prefix(err, status, "--messages");
}

/* ---- what is said ---------------------------------------------------------------------------- */

static void say_title(const struct hs_predict *predict, const struct hs_job *job)
{
    int64_t np = hs_mesh_ranks(&job->mesh);

    hs_sheet_say(predict->sheet, "%s: %" PRId64 " processes%s", predict->asked.label, np,
                 hs_system_nodes_text((char[HS_NODES_TEXT]){0}, predict->asked.system, np));
    hs_sheet_say(predict->sheet, ", mesh %s, %zu message%s a step\n",
                 hs_mesh_format((char[HS_MESH_TEXT]){0}, &job->mesh), job->count,
                 HS_PLURAL(job->count));
}

static void say_best(const struct hs_predict *predict, const struct hs_job *job,
                     const struct hs_axes_result *result, double given_seconds)
{
    const struct hs_axes_order *best = &result->orders[0];

    hs_sheet_stress(
        predict->sheet, "best  %s  %s",
        hs_axes_layout_format((char[HS_AXES_LAYOUT_TEXT]){0}, &best->layout, &job->mesh),
        HS_AS_TIME(best->seconds));
    hs_sheet_say(predict->sheet, " of communication a step, innermost axis first, ");
    if (given_seconds > best->seconds)
        hs_sheet_say(predict->sheet, "%s faster than as given\n",
                     HS_AS_GAIN(given_seconds / best->seconds));
    else
        hs_sheet_say(predict->sheet, "as given\n");
}

static void say_sure(const struct hs_predict *predict, const struct hs_axes_result *result,
                     const struct hs_axes_sure *sure)
{
    size_t orders = result->count < HS_AXES_SURE_ORDERS ? result->count : HS_AXES_SURE_ORDERS;

    hs_sheet_say(predict->sheet,
                 "      %s with 90 %%; of %zu order%s the best on %.0f %% of the %zu machines that "
                 "fit the description, on 95 %% of them at most %s %% slower than the best\n",
                 HS_AS_RANGE(sure->low_seconds, sure->high_seconds), orders, HS_PLURAL(orders),
                 100 * sure->share, predict->asked.machines->count, HS_AS_PERCENT(sure->worst, 1));
}

/* Messages at the same time, where that is asked for. */
static void say_overlap(const struct hs_predict *predict, const struct hs_axes_overlap *overlap)
{
    hs_sheet_say(predict->sheet,
                 "      along different axes at the same time %s, as %s does alone, to %s\n",
                 HS_AS_TIME(overlap->least_seconds),
                 overlap->pace < 0
                     ? "one axis"
                     : hs_pace_text((char[HS_PACE_TEXT]){0}, predict->asked.system, overlap->pace),
                 HS_AS_TIME(overlap->most_seconds));
}

/* What is communication need not add to a step's time, as far as computing hides it. */
static void say_step(const struct hs_predict *predict, const struct hs_axes_overlap *overlap)
{
    double compute = predict->settings->place.compute_seconds;

    if (predict->settings->place.overlap)
        say_overlap(predict, overlap);
    if (compute > 0)
        hs_sheet_say(
            predict->sheet,
            "      beside %s of computing a step takes %s, if all of it is hidden, to %s\n",
            HS_AS_TIME(compute), HS_AS_TIME(fmax(compute, overlap->least_seconds)),
            HS_AS_TIME(compute + overlap->most_seconds));
    else
        hs_sheet_say(predict->sheet,
                     "      %swhat computing hides of them is not known (--compute "
                     "bounds it)\n",
                     predict->settings->place.overlap ? "" : "messages one after the other; ");
}

/* Whether cutting axes is worth it. */
static bool is_cut_better(const struct hs_axes_result *result)
{
    return result->cut.count > 0 && result->orders[0].seconds > CUT_GAIN * result->cut_seconds;
}

static void say_cut(const struct hs_predict *predict, const struct hs_job *job,
                    const struct hs_axes_result *result)
{
    const struct hs_axes_order *best = &result->orders[0];

    if (is_cut_better(result))
        hs_sheet_say(
            predict->sheet, "      with axes cut %s takes %s, %s faster\n",
            hs_axes_layout_format((char[HS_AXES_LAYOUT_TEXT]){0}, &result->cut, &job->mesh),
            HS_AS_TIME(result->cut_seconds), HS_AS_GAIN(best->seconds / result->cut_seconds));
    hs_sheet_say(predict->sheet, "%s placement%s weighed exactly, every message by its best plan",
                 HS_AS_COUNT(result->weighed), HS_PLURAL(result->weighed));
    if (result->cut.count == 0)
        hs_sheet_say(predict->sheet, "; axes are not cut where a message goes along several");
    else if (!is_cut_better(result))
        hs_sheet_say(predict->sheet, "; cutting axes gains nothing");
    hs_sheet_say(predict->sheet, "\n\n");
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void show_orders(const struct hs_predict *predict, const struct hs_job *job,
                        const struct hs_axes_result *result, double given_seconds)
{
    size_t top = (size_t)predict->settings->ask.top;
    struct hs_table table;

    hs_placements_init(&table);
    table.best = 0;
    for (size_t i = 0; i < result->count && i < top; i++)
        hs_placements_add(&table, &(struct hs_placement_row){result, job, i + 1, given_seconds});
    hs_sheet_table(predict->sheet, &table);
}

static void show_messages(const struct hs_predict *predict, const struct hs_job *job,
                          const struct hs_axes_result *result)
{
    const struct hs_axes_order *best = &result->orders[0];
    struct hs_table table;

    hs_sheet_say(predict->sheet, "\nIts messages\n");
    hs_job_rows_init(&table);
    for (size_t m = 0; m < job->count; m++) {
        const struct hs_axes_call *call = &result->calls[best->calls[m]];
        struct hs_library_price own =
            hs_library_price(predict->asked.system, &call->problem,
                             hs_datatype_bytes(predict->settings->ask.datatype));

        hs_job_rows_add(&table,
                        &(struct hs_job_row){job, call, best->seconds,
                                             hs_library_is_priced(&own) ? own.seconds : NAN});
    }
    hs_sheet_table(predict->sheet, &table);
}

static enum hs_status show(const struct hs_predict *predict, const struct hs_job *job,
                           const struct hs_axes_result *result, struct hs_error *err)
{
    double given = hs_axes_given(result, job)->seconds;
    struct hs_axes_overlap overlap;
    struct hs_axes_sure sure;
    enum hs_status status = HS_OK;

    say_title(predict, job);
    say_best(predict, job, result, given);
    if (predict->settings->ask.machines > 0 && !predict->asked.machines->belief) {
        status = hs_axes_be_sure(&sure, result, job, predict->asked.machines, err);
        if (status != HS_OK)
            return status;
        say_sure(predict, result, &sure);
    }
    overlap = hs_axes_overlap_of(&result->orders[0], result, job, predict->asked.system);
    if (!predict->settings->place.overlap)
        overlap.least_seconds = overlap.most_seconds;
    say_step(predict, &overlap);
    say_cut(predict, job, result);
    show_orders(predict, job, result, given);
    show_messages(predict, job, result);
    return hs_sheet_end(predict->sheet, err);
}

/* The order, or that with axes cut where this is to be applied and gains. */
static const struct hs_axes_layout *layout_to_apply(const struct hs_axes_result *result)
{
    return is_cut_better(result) ? &result->cut : &result->orders[0].layout;
}

struct hs_search_request hs_predict_job_request(const struct hs_predict *predict)
{
    unsigned algorithms = predict->settings->ask.algorithms;

    return (struct hs_search_request){
        .system = predict->asked.system,
        .algorithms = algorithms ? algorithms : hs_system_algorithms(predict->asked.system),
        .serial_calls = hs_system_is_nccl_native(predict->asked.system)};
}

enum hs_status hs_predict_place(const struct hs_predict *predict, struct hs_error *err)
{
    const struct hs_predict_settings *settings = predict->settings;
    struct hs_search_request request = hs_predict_job_request(predict);
    struct hs_axes_result result;
    struct hs_job job;
    enum hs_status status = read_job(&job, predict, err);

    if (status == HS_OK)
        status = hs_axes_search(&result, &request, &job, err);
    if (status != HS_OK)
        return status;
    if (settings->as)
        status = hs_place_form_print(
            predict->context, settings->as,
            &(struct hs_place_job){.job = &job,
                                   .order = &result.orders[0].layout,
                                   .layout = layout_to_apply(&result),
                                   .node_ranks = hs_system_node_ranks(predict->asked.system),
                                   .hosts = settings->place.hosts},
            err);
    else
        status = show(predict, &job, &result, err);
    hs_axes_result_release(&result);
    return status;
}
