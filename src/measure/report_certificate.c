/* report_certificate.c - what a lazy search is sure of, in words: see report.h. */
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "console/figures.h"
#include "measure/report.h"

/* "5 of 10 layers measured (3 roughly)" */
static void append_layers(struct hs_text *out, const struct hs_certificate *certificate)
{
    hs_text_append(out, "%zu of %zu layers measured", certificate->layers_measured,
                   certificate->layers);
    if (certificate->layers_rough > 0)
        hs_text_append(out, " (%zu roughly)", certificate->layers_rough);
    if (certificate->layers_failed > 0)
        hs_text_append(out, ", %zu could not be", certificate->layers_failed);
}

/* How sure the winner is. */
static void append_claim(struct hs_text *out, const struct hs_certificate *certificate)
{
    double margin = hs_certificate_margin(certificate);
    char split[HS_SPLIT_TEXT];

    if (certificate->within == 0)
        hs_text_append(out, "no other split takes less");
    else if (isfinite(certificate->within))
        hs_text_append(out, "no other split takes less by more than %.1f %%",
                       100 * certificate->within / (1 + certificate->within));
    else
        hs_text_append(out, "others could take less by any amount");
    if (isfinite(margin))
        hs_text_append(out, " (next: %s, %s%.1f %% %s)",
                       hs_split_format(split, &certificate->runner_up),
                       certificate->runner_up_measured ? "" : "expected to take ",
                       100 * fabs(margin), margin >= 0 ? "more" : "less");
}

static void append_ties(struct hs_text *out, const struct hs_certificate *certificate)
{
    char split[HS_SPLIT_TEXT];

    if (certificate->tie_count == 0)
        return;
    hs_text_append(out, "not told apart from it by the noise:");
    for (size_t i = 0; i < certificate->tie_count; i++)
        hs_text_append(out, "%s %s", i ? "," : "",
                       hs_split_format(split, &certificate->ties[i].split));
    hs_text_append(out, "%s\n", certificate->more_ties ? " and others" : "");
}

/* Mean and worst difference of the sums of layers from the wholes. */
static void append_sums(struct hs_text *out, const struct hs_result_message *message)
{
    const struct hs_candidate *worst = NULL;
    double sum = 0, most = 0, seconds, ci95;
    size_t count = 0;
    char text[HS_SPLIT_TEXT];

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
        hs_text_append(
            out,
            "sum of layers against the whole: %.1f %% off on average, at worst %+.1f %% (%s)\n",
            100 * sum / (double)count, 100 * most, hs_plan_format(text, &worst->plan));
}

void hs_report_certificate(struct hs_text *out, const struct hs_result_message *message)
{
    const struct hs_certificate *certificate = message->certificate;
    char split[HS_SPLIT_TEXT], seconds[HS_UNIT_TEXT];

    if (certificate->winner.count == 0) {
        hs_text_append(out, "by its layers  nothing is certain: ");
        append_layers(out, certificate);
        hs_text_append(out, ", no split throughout\n");
        return;
    }
    hs_text_append(out, "by its layers  %s  %s +- %.1f %%  ",
                   hs_split_format(split, &certificate->winner),
                   hs_seconds_format(seconds, certificate->seconds),
                   100 * certificate->ci95_seconds / certificate->seconds);
    append_layers(out, certificate);
    hs_text_append(out, "; ");
    append_claim(out, certificate);
    hs_text_append(out, "\n");
    append_ties(out, certificate);
    append_sums(out, message);
}
