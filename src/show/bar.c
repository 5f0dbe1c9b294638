#include "show/bar.h"

#include <math.h>

/* The character of part i in such bars (block characters or ASCII); four shades, then again. */
static const char *shade_of(const struct hs_terminal *terminal, int part)
{
    static const char *const blocks[] = {"\u2588", "\u2592", "\u2593", "\u2591"};
    static const char *const ascii[] = {"#", "=", "+", "-"};
    size_t shade = (size_t)part % 4;

    return terminal->blocks ? blocks[shade] : ascii[shade];
}

void hs_bar_append(struct hs_text *out, const struct hs_terminal *terminal, const double *parts,
                   size_t count, double full, size_t cells)
{
    double sum = 0;
    long drawn = 0;

    for (size_t i = 0; i < count && full > 0; i++) {
        long end;

        sum += parts[i];
        end = lround(fmin(sum / full, 2) * (double)cells);
        if (end > (long)cells)
            end = (long)cells - 1;
        if (end <= drawn)
            continue;
        hs_text_append(out, "%s", hs_style_on(terminal, HS_STYLE_LAYER, (int)i));
        for (; drawn < end; drawn++)
            hs_text_append(out, "%s", shade_of(terminal, (int)i));
        hs_text_append(out, "%s", hs_style_off(terminal));
    }
    if (full > 0 && lround(fmin(sum / full, 2) * (double)cells) > (long)cells)
        hs_text_append(out, ">");
}
