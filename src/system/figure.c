#include "system/figure.h"

#include <string.h>

const struct hs_figure_kind_row hs_figure_kinds[HS_FIGURE_KIND_COUNT] = {
#define HS_ROW(name, text, bandwidth, latency, meaning) {text, meaning, bandwidth, latency},
    HS_FIGURE_KINDS(HS_ROW)
#undef HS_ROW
};

const char *const hs_figure_kind_names[HS_FIGURE_KIND_COUNT] = {
#define HS_ROW(name, text, bandwidth, latency, meaning) text,
    HS_FIGURE_KINDS(HS_ROW)
#undef HS_ROW
};

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

enum hs_figure_kind hs_figure_kind_of(const char *source)
{
    if (!source)
        return HS_FIGURE_VENDOR;
    for (int kind = 0; kind < HS_FIGURE_KIND_COUNT; kind++)
        if (begins(source, hs_figure_kinds[kind].name))
            return (enum hs_figure_kind)kind;
    if (begins(source, "unverified"))
        return HS_FIGURE_GUESS;
    if (begins(source, "calibrated"))
        return HS_FIGURE_FITTED;
    return strstr(source, "measured") ? HS_FIGURE_PUBLISHED : HS_FIGURE_VENDOR;
}
