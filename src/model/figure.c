#include "model/figure.h"

const struct hs_figure_kind_row hs_figure_kinds[HS_FIGURE_KIND_COUNT] = {
#define HS_ROW(name, text, bandwidth, latency, meaning) {text, meaning, bandwidth, latency},
    HS_FIGURE_KINDS(HS_ROW)
#undef HS_ROW
};
