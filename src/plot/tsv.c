#include "plot/tsv.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "plot/plot.h"
#include "view/figures.h"

#define TICKS 8

static void append_clean(struct hs_text *out, const char *text)
{
    size_t begin = out->length;

    hs_text_append_foreign(out, text, " ");
    for (; begin < out->length; begin++)
        if (out->data[begin] == '"')
            out->data[begin] = '\'';
}

void hs_tsv_fact(struct hs_text *out, const char *key, const char *format, ...)
{
    struct hs_text value = {0};
    va_list arguments;
    char buffer[4096];

    va_start(arguments, format);
    vsnprintf(buffer, sizeof(buffer), format, arguments);
    va_end(arguments);
    append_clean(&value, buffer);
    hs_text_append(out, "%s\t%s\n", key, value.data ? value.data : "-");
    out->failed = out->failed || value.failed;
    hs_text_release(&value);
}

void hs_tsv_begin(struct hs_text *out, const char *kind)
{
    hs_tsv_fact(out, HS_PLOT_FORMAT, "%s", kind);
}

void hs_tsv_block(struct hs_text *out, const char *name, const char *columns)
{
    hs_text_append(out, "\n\n# %s\n# ", name);
    for (; *columns; columns++)
        hs_text_append_bytes(out, *columns == ' ' ? "\t" : columns, 1);
    hs_text_append(out, "\n");
}

static void begin_cell(struct hs_text *out)
{
    if (out->length > 0 && out->data[out->length - 1] != '\n')
        hs_text_append(out, "\t");
}

void hs_tsv_text(struct hs_text *out, const char *text)
{
    begin_cell(out);
    append_clean(out, text[0] ? text : "-");
}

void hs_tsv_number(struct hs_text *out, double number)
{
    begin_cell(out);
    if (isfinite(number))
        hs_text_append(out, "%.9g", number);
    else
        hs_text_append(out, "?");
}

void hs_tsv_count(struct hs_text *out, int64_t count)
{
    begin_cell(out);
    hs_text_append(out, "%" PRId64, count);
}

void hs_tsv_time(struct hs_text *out, struct hs_plot_time time)
{
    hs_tsv_number(out, time.seconds);
    hs_tsv_number(out, isfinite(time.low) ? time.low : time.seconds);
    hs_tsv_number(out, isfinite(time.high) ? time.high : time.seconds);
}

void hs_tsv_row(struct hs_text *out)
{
    hs_text_append(out, "\n");
}

void hs_tsv_size(struct hs_text *out, uint64_t bytes)
{
    hs_tsv_number(out, (double)bytes);
    hs_tsv_text(out, HS_AS_BYTES(bytes));
    hs_tsv_row(out);
}

void hs_tsv_sizes(struct hs_text *out, const struct hs_result_message *const *messages,
                  size_t count)
{
    size_t step = (count + TICKS - 1) / TICKS;

    hs_tsv_block(out, "sizes", "bytes label");
    for (size_t m = 0; m < count; m += step)
        hs_tsv_size(out, messages[m]->message_bytes);
}

void hs_tsv_time_unit(struct hs_text *out, double largest_seconds)
{
    static const struct {
        const char *name, *factor;
        double seconds;
    } units[] = {{"s", "1", 1}, {"ms", "1000", 1e-3}, {"us", "1000000", 1e-6}};
    size_t i = 0;

    while (i < 2 && largest_seconds < units[i].seconds)
        i++;
    hs_tsv_fact(out, "time_unit", "%s", units[i].name);
    hs_tsv_fact(out, "time_factor", "%s", units[i].factor);
}

void hs_tsv_rate_unit(struct hs_text *out, const char *prefix, double largest_bytes_per_second)
{
    bool giga = largest_bytes_per_second >= 1e9;
    char key[64];

    snprintf(key, sizeof(key), "%srate_unit", prefix);
    hs_tsv_fact(out, key, "%s", giga ? "GB/s" : "MB/s");
    snprintf(key, sizeof(key), "%srate_factor", prefix);
    hs_tsv_fact(out, key, "%s", giga ? "0.000000001" : "0.000001");
}
