/* report_certificate.c - what a lazy search is sure of, in words: see report.h. */
#include <math.h>

#include "measure/report.h"

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

/* How sure the winner is. */
static void say_claim(struct hs_sheet *sheet, const struct hs_certificate *certificate)
{
    double margin = hs_certificate_margin(certificate);

    if (certificate->within == 0)
        hs_sheet_say(sheet, "no other split takes less");
    else if (isfinite(certificate->within))
        hs_sheet_say(sheet, "no other split takes less by more than %.1f %%",
                     100 * certificate->within / (1 + certificate->within));
    else
        hs_sheet_say(sheet, "others could take less by any amount");
    if (isfinite(margin))
        hs_sheet_say(sheet, " (next: %s, %s%.1f %% %s)", HS_AS_SPLIT(&certificate->runner_up),
                     certificate->runner_up_measured ? "" : "expected to take ", 100 * fabs(margin),
                     margin >= 0 ? "more" : "less");
}

static void say_ties(struct hs_sheet *sheet, const struct hs_certificate *certificate)
{

    if (certificate->tie_count == 0)
        return;
    hs_sheet_say(sheet, "not told apart from it by the noise:");
    for (size_t i = 0; i < certificate->tie_count; i++)
        hs_sheet_say(sheet, "%s %s", i ? "," : "", HS_AS_SPLIT(&certificate->ties[i].split));
    hs_sheet_say(sheet, "%s\n", certificate->more_ties ? " and others" : "");
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
            !hs_certificate_find(&seconds, &ci95, message->certificate, &candidate->plan.split))
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

void hs_report_certificate(struct hs_sheet *sheet, const struct hs_result_message *message)
{
    const struct hs_certificate *certificate = message->certificate;

    if (certificate->winner.count == 0) {
        hs_sheet_say(sheet, "by its layers  nothing is certain: ");
        say_layers(sheet, certificate);
        hs_sheet_say(sheet, ", no split throughout\n");
        return;
    }
    hs_sheet_say(sheet, "by its layers  %s  %s +- %.1f %%  ", HS_AS_SPLIT(&certificate->winner),
                 HS_AS_TIME(certificate->seconds),
                 100 * certificate->ci95_seconds / certificate->seconds);
    say_layers(sheet, certificate);
    hs_sheet_say(sheet, "; ");
    say_claim(sheet, certificate);
    hs_sheet_say(sheet, "\n");
    say_ties(sheet, certificate);
    say_sums(sheet, message);
}
