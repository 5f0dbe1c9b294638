#include "base/format.h"

#include <string.h>

const char *const hs_format_names[HS_FORMAT_COUNT + 1] = {
#define HS_ROW(name, text) text,
    HS_FORMATS(HS_ROW)
#undef HS_ROW
};

const char *const hs_color_names[] = {"auto", "always", "never", NULL};

enum hs_format hs_print_format(const struct hs_print *print)
{
    int format = 0;

    while (print->format && strcmp(hs_format_names[format], print->format) != 0)
        format++;
    return (enum hs_format)format;
}
