/* report.c - see report.h. */
#include "runner/report.h"
#include "estimate/system_file.h"
#include "library/price_plan.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "answer/figures.h"
#include "base/file.h"
#include "base/statistics.h"
#include "cli/startup.h"
#include "engine/cuda_aware.h"
#include "model/backends.h"
#include "record/answer_measured.h"
#include "search/expected.h"
#include "version.h"

/* ---- measurements -------------------------------------------------------------------------- */

static bool copy_numbers(double **out, const struct hs_samples *samples)
{
    size_t bytes = samples->count * sizeof(**out);

    *out = NULL;
    if (samples->count == 0)
        return true;
    *out = malloc(bytes);
    if (*out)
        memcpy(*out, samples->values, bytes);
    return *out != NULL;
}

static bool copy_layers(struct hs_measured *measured, const struct hs_arm *item)
{
    if (item->layers.whole.count == 0)
        return true;
    measured->stages = calloc((size_t)item->layers.count, sizeof(*measured->stages));
    if (!measured->stages)
        return false;
    measured->stage_count = (size_t)item->layers.count;
    for (int s = 0; s < item->layers.count; s++) {
        measured->stages[s].key = item->layers.stages[s].key;
        measured->stages[s].seconds = hs_samples_median(&item->layers.stages[s].seconds);
    }
    return true;
}

static bool copy_choices(struct hs_measured *measured, const struct hs_arm *item)
{
    if (item->choice_count == 0)
        return true;
    measured->choices = calloc(item->choice_count, sizeof(*measured->choices));
    if (!measured->choices)
        return false;
    measured->choice_count = item->choice_count;
    for (size_t i = 0; i < item->choice_count; i++) {
        struct hs_fact *to = &measured->choices[i];

        to->name = hs_strdup(item->choices[i].name);
        to->text = hs_strdup(item->choices[i].text);
        if (!to->name || !to->text)
            return false;
    }
    return true;
}

/* Why it is not to be trusted fully, or has no measurement. */
static void reason_of(char *text, size_t bytes, const struct hs_arm *item, double precision)
{
    snprintf(text, bytes, "%s", item->reason);
    if (text[0])
        return;
    if (item->ending == HS_ENDING_OPEN && item->seconds.count == 0)
        snprintf(text, bytes, "the run was cut short before its turn");
    else if (item->ending == HS_ENDING_OPEN)
        snprintf(text, bytes, "the run was cut short after %zu samples", item->seconds.count);
    else if (item->ending == HS_ENDING_RACED)
        snprintf(text, bytes, "dropped after %zu samples: cannot win", item->seconds.count);
    else if (item->ending == HS_ENDING_SPENT)
        snprintf(text, bytes, "out of time before reaching +-%.3g %%", 100 * precision);
}

static enum hs_status fill_measured(struct hs_measured *measured, const struct hs_arm *item,
                                    double precision, struct hs_error *err)
{
    struct hs_summary summary;
    char reason[HS_REASON_BYTES];

    measured->status = item->status;
    if (item->status == HS_MEASURE_OK && item->seconds.count == 0)
        measured->status = HS_MEASURE_SKIPPED;
    measured->wrong_elements = item->wrong_elements;
    reason_of(reason, sizeof(reason), item, precision);
    if (reason[0] && !(measured->reason = hs_strdup(reason)))
        return hs_no_memory(err);
    if (!copy_numbers(&measured->samples_seconds, &item->seconds) || !copy_layers(measured, item))
        return hs_no_memory(err);
    if (!copy_choices(measured, item))
        return hs_no_memory(err);
    measured->sample_count = item->seconds.count;
    measured->device_median_seconds = hs_samples_median(&item->device);
    measured->eager_median_seconds = hs_samples_median(&item->eager);
    if (item->seconds.count == 0)
        return HS_OK;
    if (hs_summarise(&summary, item->seconds.values, item->seconds.count, err) != HS_OK)
        return HS_MEMORY;
    measured->median_seconds = summary.median;
    if (summary.ci_valid) {
        measured->ci95_low_seconds = summary.ci_low;
        measured->ci95_high_seconds = summary.ci_high;
    }
    return HS_OK;
}

/* ---- one message size ---------------------------------------------------------------------- */

static enum hs_status add_candidate(struct hs_result_message *message,
                                    const struct hs_campaign *campaign,
                                    const struct hs_problem *problem, const struct hs_arm *item,
                                    struct hs_error *err)
{
    struct hs_candidate *candidate;
    enum hs_status status = HS_OK;

    if (campaign->has_system)
        status = hs_result_add_prediction(message, &campaign->system, problem, &item->plan, err);
    else if (!hs_result_add_candidate(message))
        status = hs_no_memory(err);
    if (status)
        return status;
    candidate = &message->candidates[message->candidate_count - 1];
    candidate->plan = item->plan;
    if (!hs_candidate_add_measured(candidate))
        return hs_no_memory(err);
    return fill_measured(candidate->measured, item, campaign->settings.precision, err);
}

static enum hs_status add_arm(struct hs_result_message *message, const struct hs_campaign *campaign,
                              const struct hs_problem *problem, const struct hs_arm *item,
                              struct hs_error *err)
{
    struct hs_baseline_result *baseline;

    if (item->plan.split.count > 0)
        return add_candidate(message, campaign, problem, item, err);
    baseline = hs_result_add_baseline(message, item->name, item->native >= HS_NATIVES_MAX);
    return baseline ? fill_measured(&baseline->measured, item, campaign->settings.precision, err)
                    : hs_no_memory(err);
}

/* What machines drawn can say something of: plans in one chunk, each layer by one algorithm. */
static bool is_drawn(const struct hs_plan *plan, const struct hs_system *system)
{
    bool drawn = plan->chunks == 1;

    for (int i = 0; i < plan->split.count; i++) {
        enum hs_algorithm algorithm = hs_plan_algorithm(plan, i, 0);

        drawn = drawn && algorithm == hs_plan_algorithm(plan, i, 1) &&
                (algorithm == HS_RING || !hs_system_is_nccl_native(system));
    }
    return drawn;
}

static enum hs_status draw_ranges(struct hs_result_message *message,
                                  const struct hs_search_request *request,
                                  const struct hs_machines *machines, struct hs_error *err)
{
    struct hs_expected expected;
    struct hs_estimate estimate;
    struct hs_library_price library =
        hs_library_price(request->system, &request->problem, hs_datatype_bytes(message->datatype));
    enum hs_status status = hs_expected_init(&expected, request, machines, &library, true, err);

    if (status)
        return status == HS_INVALID ? HS_OK : status; /* too many layers: there are no ranges */
    for (size_t i = 0; i < message->candidate_count && !status; i++) {
        struct hs_candidate *candidate = &message->candidates[i];

        if (!is_drawn(&candidate->plan, request->system))
            continue;
        status = hs_estimate_of(&estimate, &expected, &candidate->plan, err);
        if (status || !candidate->cost)
            continue;
        hs_plan_cost_scale(candidate->cost, estimate.seconds / candidate->cost->seconds);
        candidate->predicted_seconds = estimate.seconds;
        candidate->predicted_low_seconds = estimate.low_seconds;
        candidate->predicted_high_seconds = estimate.high_seconds;
    }
    hs_expected_release(&expected);
    return status;
}

/* Of predictions from figures as described, as predict has them. */
static enum hs_status add_ranges(struct hs_result *result, const struct hs_campaign *campaign,
                                 struct hs_error *err)
{
    const struct hs_system *system = &campaign->system;
    int64_t np = campaign->ranks.np;
    struct hs_machines machines;
    enum hs_status status;

    if (!campaign->has_system || system->fits.count > 0 || hs_result_group(result).size < 2)
        return HS_OK;
    status = hs_machines_init(&machines, system, HS_MACHINES_USUAL, 1, err);
    if (status)
        return status;
    hs_machines_ask(&machines, np);
    for (size_t m = 0; m < result->message_count && !status; m++) {
        struct hs_result_message *message = &result->messages[m];
        struct hs_search_request request = {.system = system,
                                            .problem = hs_result_problem(result, message),
                                            .algorithms = HS_ALGORITHMS_ALL};

        status = draw_ranges(message, &request, &machines, err);
    }
    hs_machines_release(&machines);
    return status;
}

/* The flat split's time by rings: measured, else predicted. */
static void fill_flat(struct hs_result_message *message, const struct hs_result *result)
{
    struct hs_plan plan = hs_result_flat(result);
    const struct hs_candidate *flat = hs_result_candidate(message, &plan);

    if (flat)
        message->flat_seconds = hs_candidate_seconds(flat);
}

static enum hs_status add_pruned(struct hs_result_message *message, const struct hs_size_run *run,
                                 struct hs_error *err)
{
    size_t dropped = hs_race_dropped(&run->race);

    if (run->candidates.pruned > 0 &&
        !hs_result_add_pruned(message, run->candidates.rule, run->candidates.pruned))
        return hs_no_memory(err);
    if (dropped > 0 && !hs_result_add_pruned(message, "racing", dropped))
        return hs_no_memory(err);
    return HS_OK;
}

static enum hs_status add_certificate(struct hs_result_message *message,
                                      const struct hs_size_run *run, struct hs_error *err)
{
    if (run->certificate.layers == 0)
        return HS_OK;
    message->certificate = calloc(1, sizeof(*message->certificate));
    if (!message->certificate)
        return hs_no_memory(err);
    return hs_fields_copy(&hs_certificate_fields, message->certificate, &run->certificate, err);
}

/* What the race says of the winner: how far its whole is off, and whether some other plan beat
 * it. */
static void confront(struct hs_result_message *message, const struct hs_campaign *campaign,
                     const struct hs_race *race)
{
    struct hs_certificate *certificate = message->certificate;
    const struct hs_arm *best = hs_race_best(race), *item;
    char name[HS_SPLIT_TEXT];

    if (certificate->winner.split.count == 0)
        return;
    item = hs_race_find(race, hs_plan_format(name, &certificate->winner));
    if (item && item->status == HS_MEASURE_OK && item->seconds.count > 0)
        hs_certificate_widen(certificate, hs_arm_median(item),
                             HS_NORMAL95 * hs_samples_noise(&item->seconds) * hs_arm_median(item));
    certificate->certain = hs_certificate_is_certain(certificate) && certificate->again && best &&
                           hs_plan_same_layers(&best->plan, &certificate->winner) &&
                           !hs_campaign_oversubscribed(campaign, NULL);
}

static enum hs_status add_size(struct hs_result *result, const struct hs_campaign *campaign,
                               const struct hs_size_run *run, struct hs_error *err)
{
    struct hs_result_message *message = hs_result_add_message(result);
    struct hs_problem problem = hs_campaign_problem(campaign, (double)run->bytes);
    enum hs_status status;

    if (!message)
        return hs_no_memory(err);
    message->message_bytes = run->bytes;
    message->padded_bytes = run->padded_bytes;
    message->datatype = campaign->settings.campaign.datatype;
    message->operation = campaign->settings.campaign.operation;
    message->splits = run->candidates.splits;
    message->looked_at = run->candidates.looked_at;
    message->flat_seconds = NAN;
    if (run->candidates.strategy && !(message->strategy = hs_strdup(run->candidates.strategy)))
        return hs_no_memory(err);
    status = add_certificate(message, run, err);
    if (status == HS_OK)
        status = add_pruned(message, run, err);
    for (size_t i = 0; i < run->race.count && status == HS_OK; i++)
        status = add_arm(message, campaign, &problem, &run->race.items[i], err);
    if (status != HS_OK)
        return status;
    if (message->certificate)
        confront(message, campaign, &run->race);
    fill_flat(message, result);
    hs_result_rank(message, NULL);
    return hs_answer_measured(message, result, err);
}

/* ---- the run ------------------------------------------------------------------------------- */

/* The first line, blanks and tabs as one blank each. */
static void first_line(char *text)
{
    char *to = text;

    for (const char *from = text; *from && *from != '\n'; from++) {
        if (isspace((unsigned char)*from) && (to == text || to[-1] == ' '))
            continue;
        *to++ = isspace((unsigned char)*from) ? ' ' : *from;
    }
    *to = '\0';
}

static enum hs_status fill_versions(struct hs_result *result, const struct hs_campaign *campaign,
                                    struct hs_error *err)
{
    const char *describe = HS_GIT_DESCRIBE;
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "", kernel[160], memory[HS_FIGURE_TEXT];
    struct utsname system;
    int length;
    enum hs_status status = hs_result_set_version(result, "hiersearch", HS_VERSION, err);

    if (status == HS_OK && describe[0])
        status = hs_result_set_version(result, "git", describe, err);
    MPI_Get_library_version(library, &length);
    first_line(library);
    if (status == HS_OK)
        status = hs_result_set_version(result, "mpi", library, err);
    if (status == HS_OK && uname(&system) == 0) {
        snprintf(kernel, sizeof(kernel), "%.64s %.64s", system.sysname, system.release);
        status = hs_result_set_version(result, "kernel", kernel, err);
    }
    if (status == HS_OK)
        status = hs_result_set_version(result, "mpi_cuda_aware", hs_mpi_cuda_aware(), err);
    if (status == HS_OK && campaign->device[0])
        status = hs_result_set_version(result, "device", campaign->device, err);
    if (status == HS_OK && campaign->machine.driver[0])
        status = hs_result_set_version(result, "driver", campaign->machine.driver, err);
    if (status == HS_OK && campaign->memory_bytes > 0)
        status =
            hs_result_set_version(result, "memory_per_rank",
                                  hs_bytes_figure(memory, (double)campaign->memory_bytes), err);
    return status;
}

static enum hs_status fill_placement(struct hs_placement *placement,
                                     const struct hs_campaign *campaign, struct hs_error *err)
{
    const struct hs_rank_order *order = &campaign->order;
    size_t count = (size_t)order->node_count;

    placement->nodes = calloc(count, sizeof(*placement->nodes));
    if (!placement->nodes)
        return hs_no_memory(err);
    placement->node_count = count;
    placement->oversubscribed_ranks =
        hs_campaign_oversubscribed(campaign, &placement->oversubscribed_cores);
    for (size_t i = 0; i < count; i++) {
        placement->nodes[i].ranks = order->nodes[i].ranks;
        placement->nodes[i].host = hs_strdup(order->nodes[i].host);
        if (!placement->nodes[i].host)
            return hs_no_memory(err);
    }
    if (order->note[0] && !(placement->note = hs_strdup(order->note)))
        return hs_no_memory(err);
    return HS_OK;
}

static enum hs_status build(struct hs_result *result, const struct hs_campaign *campaign,
                            bool complete, const char *note, struct hs_error *err)
{
    enum hs_status status = HS_OK;

    *result = (struct hs_result){.np = campaign->ranks.np,
                                 .collective = campaign->settings.campaign.call.collective,
                                 .layout = campaign->settings.campaign.call.layout,
                                 .mesh = campaign->settings.campaign.call.mesh,
                                 .registered = campaign->settings.campaign.registered,
                                 .complete = complete};
    result->command = hs_strdup(campaign->command_line);
    result->created = hs_strdup(campaign->created);
    result->backend = hs_strdup(campaign->backend->name);
    if (!result->command || !result->created || !result->backend ||
        (note && !(result->note = hs_strdup(note))))
        return hs_no_memory(err);
    if (campaign->has_system) {
        status = hs_system_copy(&result->system, &campaign->system, err);
        result->has_system = status == HS_OK;
        result->extrapolated = campaign->ranks.np > hs_system_capacity(&campaign->system);
    }
    if (status == HS_OK)
        status = fill_versions(result, campaign, err);
    if (status == HS_OK && hs_backend_is_nccl(campaign->backend->name))
        status = hs_result_set_environment(result, environ, "NCCL_", err);
    if (status == HS_OK)
        status = fill_placement(&result->placement, campaign, err);
    if (status == HS_OK)
        status = hs_machine_report(result, &campaign->machine, &campaign->order, err);
    for (size_t i = 0; i < campaign->size_count && status == HS_OK; i++)
        if (campaign->sizes[i].begun)
            status = add_size(result, campaign, &campaign->sizes[i], err);
    return status == HS_OK ? add_ranges(result, campaign, err) : status;
}

enum hs_status hs_report_fill(struct hs_report *report, struct hs_campaign *campaign,
                              const char *why, struct hs_error *err)
{
    if (campaign->settings.calibrate)
        return hs_report_fit(campaign, why, &report->notes, err);
    return build(&report->result, campaign, !why, why, err);
}

enum hs_status hs_report_save(const struct hs_report *report, const struct hs_campaign *campaign,
                              struct hs_error *err)
{
    const char *path = campaign->settings.campaign.output;
    struct hs_text text = {0};
    enum hs_status status;

    if (!campaign->settings.calibrate)
        return hs_result_save(&report->result, path, err);
    status = hs_system_print(&text, &campaign->system, err);
    if (status == HS_OK && strcmp(path, "-") != 0)
        status = hs_file_replace(path, text.data, text.length, err);
    else if (status == HS_OK)
        status = hs_stdout_write(&text, err);
    hs_text_release(&text);
    return status;
}

void hs_report_release(struct hs_report *report)
{
    hs_result_release(&report->result);
    hs_text_release(&report->notes);
}
