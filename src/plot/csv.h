/*
 * csv.h - writing the text that plot.h describes. Internal to plot.
 *
 * Text from result files may hold anything. In a cell, control characters become blanks and double
 * quotes single ones, and a cell with a comma stands in double quotes, so that a cell stays a cell.
 */
#ifndef HS_PLOT_CSV_H
#define HS_PLOT_CSV_H

#include <stdint.h>

#include "base/text.h"
#include "plot/choose.h"

void hs_csv_begin(struct hs_text *out, const char *kind);
/* One line of the first block. */
void hs_csv_fact(struct hs_text *out, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* `columns` are separated by blanks. A name must not be the beginning of another block's. */
void hs_csv_block(struct hs_text *out, const char *name, const char *columns);

/* Cells of a row, each behind the one before it; hs_csv_row ends the row. Empty text is "-". */
void hs_csv_text(struct hs_text *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A label that ends its row; releases it. */
void hs_csv_label(struct hs_text *out, struct hs_text *label);
void hs_csv_number(struct hs_text *out, double number);
void hs_csv_count(struct hs_text *out, int64_t count);
/* Three cells; a time without an interval is its own ends. */
void hs_csv_time(struct hs_text *out, struct hs_plot_time time);
void hs_csv_row(struct hs_text *out);

/* A row for the tick of a message size on an axis; and a block `sizes` with at most eight, of
 * messages by their size. */
void hs_csv_size(struct hs_text *out, uint64_t bytes);
void hs_csv_sizes(struct hs_text *out, const struct hs_result_message *const *messages,
                  size_t count);

/* Facts `time_unit` and `time_factor`: the unit for an axis of times up to `largest_seconds`. */
void hs_csv_time_unit(struct hs_text *out, double largest_seconds);
/* Facts `PREFIXrate_unit` and `PREFIXrate_factor`: likewise for rates. */
void hs_csv_rate_unit(struct hs_text *out, const char *prefix, double largest_bytes_per_second);

#endif
