#include "apply/reasons.h"

static const char *const reasons[HS_REASON_COUNT] = {
#define HS_ROW(name, text) text,
    HS_REASONS(HS_ROW)
#undef HS_ROW
};

void hs_reasons_append(struct hs_text *text, const double calls[HS_REASON_COUNT])
{
    double sum = 0;
    const char *before = " (";

    for (int i = 0; i < HS_REASON_COUNT; i++)
        sum += calls[i];
    if (sum == 0)
        return;
    hs_text_append(text, ", %.0f left to the library", sum);
    for (int i = 0; i < HS_REASON_COUNT; i++) {
        if (calls[i] == 0)
            continue;
        hs_text_append(text, "%s%.0f %s", before, calls[i], reasons[i]);
        before = ", ";
    }
    hs_text_append(text, ")");
}
