#include "plot/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "answer/figures.h"
#include "plot/plot.h"

#define TICKS 8

static void begin_cell(struct hs_text *out)
{
    if (out->length > 0 && out->data[out->length - 1] != '\n')
        hs_text_append(out, ",");
}

static void append_cell(struct hs_text *out, const char *format, va_list arguments)
{
    char buffer[4096];
    const char *quote;
    size_t begin;

    vsnprintf(buffer, sizeof(buffer), format, arguments);
    quote = strchr(buffer, ',') ? "\"" : "";
    begin_cell(out);
    hs_text_append(out, "%s", quote);
    begin = out->length;
    hs_text_append_foreign(out, buffer[0] ? buffer : "-", " ");
    for (; begin < out->length; begin++)
        if (out->data[begin] == '"')
            out->data[begin] = '\'';
    hs_text_append(out, "%s", quote);
}

void hs_csv_text(struct hs_text *out, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    append_cell(out, format, arguments);
    va_end(arguments);
}

void hs_csv_fact(struct hs_text *out, const char *key, const char *format, ...)
{
    va_list arguments;

    hs_text_append(out, "%s", key);
    va_start(arguments, format);
    append_cell(out, format, arguments);
    va_end(arguments);
    hs_text_append(out, "\n");
}

void hs_csv_begin(struct hs_text *out, const char *kind)
{
    hs_csv_fact(out, HS_PLOT_FORMAT, "%s", kind);
}

void hs_csv_block(struct hs_text *out, const char *name, const char *columns)
{
    hs_text_append(out, "\n\n# %s\n# ", name);
    for (; *columns; columns++)
        hs_text_append_bytes(out, *columns == ' ' ? "," : columns, 1);
    hs_text_append(out, "\n");
}

void hs_csv_label(struct hs_text *out, struct hs_text *label)
{
    hs_csv_text(out, "%s", label->data ? label->data : "");
    hs_csv_row(out);
    out->failed = out->failed || label->failed;
    hs_text_release(label);
}

void hs_csv_number(struct hs_text *out, double number)
{
    begin_cell(out);
    if (isfinite(number))
        hs_text_append(out, "%.9g", number);
    else
        hs_text_append(out, "?");
}

void hs_csv_count(struct hs_text *out, int64_t count)
{
    begin_cell(out);
    hs_text_append(out, "%" PRId64, count);
}

void hs_csv_time(struct hs_text *out, struct hs_plot_time time)
{
    hs_csv_number(out, time.seconds);
    hs_csv_number(out, isfinite(time.low) ? time.low : time.seconds);
    hs_csv_number(out, isfinite(time.high) ? time.high : time.seconds);
}

void hs_csv_row(struct hs_text *out)
{
    hs_text_append(out, "\n");
}

void hs_csv_size(struct hs_text *out, uint64_t bytes)
{
    hs_csv_number(out, (double)bytes);
    hs_csv_text(out, "%s", HS_AS_BYTES(bytes));
    hs_csv_row(out);
}

void hs_csv_sizes(struct hs_text *out, const struct hs_result_message *const *messages,
                  size_t count)
{
    size_t step = (count + TICKS - 1) / TICKS;

    hs_csv_block(out, "sizes", "bytes label");
    for (size_t m = 0; m < count; m += step)
        hs_csv_size(out, messages[m]->message_bytes);
}

void hs_csv_time_unit(struct hs_text *out, double largest_seconds)
{
    static const struct {
        const char *name, *factor;
        double seconds;
    } units[] = {{"s", "1", 1}, {"ms", "1000", 1e-3}, {"us", "1000000", 1e-6}};
    size_t i = 0;

    while (i < 2 && largest_seconds < units[i].seconds)
        i++;
    hs_csv_fact(out, "time_unit", "%s", units[i].name);
    hs_csv_fact(out, "time_factor", "%s", units[i].factor);
}

void hs_csv_rate_unit(struct hs_text *out, const char *prefix, double largest_bytes_per_second)
{
    bool giga = largest_bytes_per_second >= 1e9;
    char key[64];

    snprintf(key, sizeof(key), "%srate_unit", prefix);
    hs_csv_fact(out, key, "%s", giga ? "GB/s" : "MB/s");
    snprintf(key, sizeof(key), "%srate_factor", prefix);
    hs_csv_fact(out, key, "%s", giga ? "0.000000001" : "0.000001");
}
