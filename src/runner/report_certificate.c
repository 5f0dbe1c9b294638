/* report_certificate.c - what a lazy search is sure of, in words: see report.h. */
#include <inttypes.h>
#include <math.h>

#include "record/doubt.h"
#include "runner/report.h"

/* "5 of 10 layers measured (3 roughly)" */
static void say_layers(struct hs_sheet *sheet, const struct hs_certificate *certificate)
{
    hs_sheet_say(sheet, "%zu of %zu layers measured", certificate->layers_measured,
                 certificate->layers);
    if (certificate->layers_rough > 0)
        hs_sheet_say(sheet, " (%zu roughly)", certificate->layers_rough);
    if (certificate->layers_failed > 0)
        hs_sheet_say(sheet, ", %zu could not be", certificate->layers_failed);
}

/* What speaks against the winner being the best. */
static void say_doubts(struct hs_sheet *sheet, const struct hs_result *result,
                       const struct hs_result_message *message)
{
    const struct hs_placement *placement = &result->placement;
    struct hs_text layers = {0};

    hs_sheet_say(sheet, "not certain: ");
    if (placement->crowded_ranks > 0)
        hs_sheet_say(sheet, "%" PRId64 " ranks share %" PRId64 " core%s, ",
                     placement->crowded_ranks, placement->crowded_cores,
                     HS_PLURAL(placement->crowded_cores));
    hs_doubt_layers_append(&layers, message);
    hs_sheet_say(sheet, "%s", layers.data ? layers.data : "");
    hs_text_release(&layers);
}

/* How sure the winner is. */
static void say_claim(struct hs_sheet *sheet, const struct hs_result *result,
                      const struct hs_result_message *message)
{
    const struct hs_certificate *certificate = message->certificate;
    double margin = hs_certificate_margin(certificate);

    if (certificate->certain)
        hs_sheet_say(sheet, "no other split takes less");
    else
        say_doubts(sheet, result, message);
    if (isfinite(margin))
        hs_sheet_say(sheet, " (next: %s, %s%.1f %% %s)", HS_AS_PLAN(&certificate->runner_up),
                     certificate->runner_up_measured ? "" : "expected to take ", 100 * fabs(margin),
                     margin >= 0 ? "more" : "less");
}

/* Whether it is in the table. */
static bool was_run(const struct hs_result_message *message, const struct hs_plan *plan)
{
    for (size_t i = 0; i < message->candidate_count; i++)
        if (hs_plan_same_layers(&message->candidates[i].plan, plan))
            return true;
    return false;
}

static void say_ties(struct hs_sheet *sheet, const struct hs_result_message *message)
{
    const struct hs_certificate *certificate = message->certificate;
    size_t others = 0;

    if (certificate->tie_count == 0)
        return;
    hs_sheet_say(sheet, "not told apart from it by the noise:");
    for (size_t i = 0; i < certificate->tie_count; i++)
        if (was_run(message, &certificate->ties[i].plan))
            hs_sheet_say(sheet, "%s %s", i > others ? "," : "",
                         HS_AS_PLAN(&certificate->ties[i].plan));
        else
            others++;
    if (others > 0)
        hs_sheet_say(sheet, "%s %zu%s that did not run", others < certificate->tie_count ? "," : "",
                     others, certificate->more_ties ? " or more" : "");
    hs_sheet_say(sheet, "\n");
}

/* Mean and worst difference of the sums of layers from the wholes. */
static void say_sums(struct hs_sheet *sheet, const struct hs_result_message *message)
{
    const struct hs_candidate *worst = NULL;
    double sum = 0, most = 0, seconds, ci95;
    size_t count = 0;

    for (size_t i = 0; i < message->candidate_count; i++) {
        const struct hs_candidate *candidate = &message->candidates[i];
        const struct hs_measured *measured = candidate->measured;
        double difference;

        if (candidate->plan.chunks != 1 || !measured || measured->status != HS_MEASURE_OK ||
            !(measured->median_seconds > 0) ||
            !hs_certificate_find(&seconds, &ci95, message->certificate, &candidate->plan))
            continue;
        difference = seconds / measured->median_seconds - 1;
        sum += fabs(difference);
        count++;
        if (!worst || fabs(difference) > fabs(most)) {
            most = difference;
            worst = candidate;
        }
    }
    if (worst)
        hs_sheet_say(
            sheet,
            "sum of layers against the whole: %.1f %% off on average, at worst %+.1f %% (%s)\n",
            100 * sum / (double)count, 100 * most, HS_AS_PLAN(&worst->plan));
}

void hs_report_certificate(struct hs_sheet *sheet, const struct hs_result *result,
                           const struct hs_result_message *message)
{
    const struct hs_certificate *certificate = message->certificate;

    if (certificate->winner.split.count == 0) {
        hs_sheet_say(sheet, "by its layers  nothing is certain: ");
        say_layers(sheet, certificate);
        hs_sheet_say(sheet, ", no split throughout\n");
        return;
    }
    hs_sheet_say(sheet, "by its layers  %s  %s +- %.1f %%  ", HS_AS_PLAN(&certificate->winner),
                 HS_AS_TIME(certificate->seconds),
                 100 * certificate->ci95_seconds / certificate->seconds);
    say_layers(sheet, certificate);
    hs_sheet_say(sheet, "; ");
    say_claim(sheet, result, message);
    hs_sheet_say(sheet, "\n");
    say_ties(sheet, message);
    say_sums(sheet, message);
}
