#include "answer/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct hs_time_unit hs_time_unit_for(double smallest)
{
    static const struct hs_time_unit units[] = {{"s", 1, 3}, {"ms", 1e-3, 3}, {"us", 1e-6, 3}};
    struct hs_time_unit unit = units[2];

    for (size_t i = 0; i < 3; i++) {
        if (smallest >= units[i].seconds) {
            unit = units[i];
            break;
        }
    }
    if (smallest / unit.seconds >= 1000)
        unit.decimals = 0;
    else if (smallest / unit.seconds >= 100)
        unit.decimals = 1;
    else if (smallest / unit.seconds >= 10)
        unit.decimals = 2;
    return unit;
}

/* More digits than a text has room for become an exponent. */
static char *format_fixed(char text[HS_FIGURE_TEXT], double value, int decimals, const char *mark)
{
    if (fabs(value) < 1e20)
        snprintf(text, HS_FIGURE_TEXT, "%.*f%s", decimals, value, mark);
    else
        snprintf(text, HS_FIGURE_TEXT, "%.4g%s", value, mark);
    return text;
}

char *hs_time_figure(char text[HS_FIGURE_TEXT], double seconds, const struct hs_time_unit *unit)
{
    return format_fixed(text, seconds / unit->seconds, unit->decimals, "");
}

char *hs_ratio_figure(char text[HS_FIGURE_TEXT], double a, double b)
{
    double ratio = b > 0 ? a / b : 0;

    if (b > 0)
        return format_fixed(text, ratio, ratio < 9.9995 ? 3 : ratio < 999.95 ? 1 : 0, "x");
    snprintf(text, HS_FIGURE_TEXT, "-");
    return text;
}

char *hs_gain_figure(char text[HS_FIGURE_TEXT], double ratio)
{
    return format_fixed(text, ratio, ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0, "x");
}

char *hs_gain_range_figure(char text[HS_FIGURE_TEXT], const struct hs_gain *gain)
{
    char low[HS_FIGURE_TEXT], high[HS_FIGURE_TEXT];

    hs_gain_figure(low, gain->low);
    hs_gain_figure(high, gain->high);
    snprintf(text, HS_FIGURE_TEXT, "%.13s to %.13s", low, high);
    return text;
}

char *hs_comparison_figure(char text[HS_FIGURE_TEXT], double seconds, double other_seconds)
{
    bool faster = seconds <= other_seconds;
    char ratio[HS_FIGURE_TEXT];

    hs_ratio_figure(ratio, faster ? other_seconds : seconds, faster ? seconds : other_seconds);
    snprintf(text, HS_FIGURE_TEXT, "%.20s %s", ratio, faster ? "faster" : "slower");
    return text;
}

/* Rounded to so many decimals first, so that what rounds to 0 has no sign of its own. */
static double rounded_percent(double share, int decimals)
{
    double percent = 100 * share;

    return fabs(percent) < 0.5 * pow(10, -decimals) ? 0 : percent;
}

char *hs_percent_figure(char text[HS_FIGURE_TEXT], double share, int decimals)
{
    if (isfinite(share))
        return format_fixed(text, rounded_percent(share, decimals), decimals, "");
    snprintf(text, HS_FIGURE_TEXT, "-");
    return text;
}

char *hs_error_figure(char text[HS_FIGURE_TEXT], double error, int decimals)
{
    char digits[HS_FIGURE_TEXT];

    hs_percent_figure(digits, error, decimals);
    snprintf(text, HS_FIGURE_TEXT, "%s%.30s", digits[0] == '-' ? "" : "+", digits);
    return text;
}

char *hs_gigabytes_figure(char text[HS_FIGURE_TEXT], double bytes_per_second)
{
    double rate = bytes_per_second * 1e-9;

    if (!isfinite(rate))
        snprintf(text, HS_FIGURE_TEXT, "-");
    else if (rate > 0 && rate < 0.995)
        snprintf(text, HS_FIGURE_TEXT, "%.3g", rate);
    else
        format_fixed(text, rate, 2, "");
    return text;
}

char *hs_count_figure(char text[HS_FIGURE_TEXT], uint64_t count)
{
    char digits[HS_FIGURE_TEXT];
    size_t length, written = 0;

    if (count == UINT64_MAX) {
        snprintf(text, HS_FIGURE_TEXT, "over 1.8e19");
        return text;
    }
    length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count);
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[written++] = ',';
        text[written++] = digits[i];
    }
    text[written] = '\0';
    return text;
}

char *hs_share_figure(char text[HS_FIGURE_TEXT], double share)
{
    if (share >= 1 || share <= 0)
        snprintf(text, HS_FIGURE_TEXT, share >= 1 ? "all" : "none of");
    else if (share > 0.99 || share < 0.01)
        snprintf(text, HS_FIGURE_TEXT, share > 0.99 ? "over 99 %% of" : "under 1 %% of");
    else
        snprintf(text, HS_FIGURE_TEXT, "%.0f %% of", 100 * share);
    return text;
}
