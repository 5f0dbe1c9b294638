/*
 * format.h - how an answer is to be printed, in words of options: the format, colors, and the
 * width of text.
 */
#ifndef HS_BASE_FORMAT_H
#define HS_BASE_FORMAT_H

#include <stdint.h>

#define HS_TERMINAL_WIDTH     80 /* where nothing says otherwise */
#define HS_TERMINAL_WIDTH_MIN 40
#define HS_TERMINAL_WIDTH_MAX 400

/* clang-format off */
#define HS_FORMATS(row) \
    row(TEXT, "text") row(JSON, "json") row(CSV, "csv") row(MD, "md")
/* clang-format on */
enum hs_format {
#define HS_ROW(name, text) HS_FORMAT_##name,
    HS_FORMATS(HS_ROW)
#undef HS_ROW
        HS_FORMAT_COUNT
};
extern const char *const hs_format_names[HS_FORMAT_COUNT + 1]; /* ends with a NULL */
extern const char *const hs_color_names[4];                    /* auto, always, never, NULL */

/* What was asked for, in these words; NULL: nothing, so text, with colors where they are seen. */
struct hs_print {
    const char *format, *color;
    int64_t width; /* 0: the terminal's; else as on a terminal of so many columns */
};
enum hs_format hs_print_format(const struct hs_print *print);

#endif
