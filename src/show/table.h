/*
 * table.h - a view: the columns under which people and programs see records of one kind, and a
 * table of such records, which render.h writes in any format.
 *
 * Each column is one row of a macro, with everything there is to it:
 *
 *     #define COLUMNS(column)                                                                  \
 *         column(PLAN, "plan", "plan", NULL, TEXT, ALWAYS, HS_AS_PLAN(&r->plan))               \
 *         column(TIME, "seconds", "time", HS_TABLE_UNIT, SCALED, ALWAYS, r->seconds)           \
 *         column(SPREAD, "relative_ci95", "+-", "%", PERCENT, IF_ANY, r->spread)
 *
 *     enum { COLUMNS(HS_COLUMN_ID) };
 *     static const struct hs_column columns[] = {COLUMNS(HS_COLUMN_ROW)};
 *     static void add(struct hs_table *table, const struct record *r)
 *     {
 *         hs_table_row(table);
 *         COLUMNS(HS_COLUMN_PUT)
 *     }
 *
 * that is: its name here; its key for programs, whose numbers are SI (NULL: not for programs); its
 * heading for people (NULL: not for people) and the unit behind it (or NULL); how and when it is
 * shown; and its value, of the record in hand: a number (NaN: there is none; infinite: not known,
 * "-"), or text (NULL: there is none). What a table shows people, in which order and under which
 * other headings, is a list of picks.
 */
#ifndef HS_VIEW_TABLE_H
#define HS_VIEW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answer/figures.h"
#include "base/text.h"

#define HS_TABLE_COLUMNS 64
#define HS_TABLE_UNIT    "~" /* the unit of the table's times, which is known when it is shown */

/* How values are shown. */
enum hs_show {
    HS_SHOW_TEXT,      /* begins in one column; all others end in one */
    HS_SHOW_FIGURE,    /* text with a number in it: "2 to 8" */
    HS_SHOW_COUNT,     /* "128" */
    HS_SHOW_BYTES,     /* whole: "128MiB" */
    HS_SHOW_SIZE,      /* four digits: "10.67MiB" */
    HS_SHOW_TIME,      /* "16.64 ms" */
    HS_SHOW_SCALED,    /* "16.64" in the table's unit; on pages "16.64 ms" */
    HS_SHOW_RANGE,     /* of times: "1100 to 1600" in the table's unit; on pages "1.1 to 1.6 ms" */
    HS_SHOW_RATE,      /* "18.60 GB/s" */
    HS_SHOW_GIGABYTES, /* "18.60" */
    HS_SHOW_RING,      /* "18.6": GB/s of one ring */
    HS_SHOW_RATIO,     /* "1.392x" */
    HS_SHOW_PERCENT,   /* "1.2" */
    HS_SHOW_PERCENT2,  /* "1.23" */
    HS_SHOW_ERROR,     /* "+1.2" */
    HS_SHOW_ERROR2,    /* "+1.23" */
    HS_SHOW_TAU,       /* "0.78" */
    HS_SHOW_BAR        /* parts of a sum, one after the other; in text for terminals alone */
};

enum hs_when { HS_ALWAYS, HS_IF_ANY }; /* a column, or only one that has a value in some row */

struct hs_column {
    const char *key, *heading, *unit;
    enum hs_show show;
    enum hs_when when;
};

#define HS_COLUMN_ID(id, ...) id,
#define HS_COLUMN_ROW(id, key, heading, unit, show, when, value)                                   \
    {key, heading, unit, HS_SHOW_##show, HS_##when},
#define HS_COLUMN_PUT(id, key, heading, unit, show, when, value)                                   \
    hs_table_put(table, id, HS_VALUE(value));

/* A value on its way into a table. */
struct hs_value {
    double number;
    const char *text;
    const char *mark;    /* for people: behind it, such as " *"; static text, or NULL */
    const double *parts; /* of a bar, of a range: [part_count] */
    int part_count;
};
struct hs_value hs_value_number(double number);
struct hs_value hs_value_count(int64_t count);
struct hs_value hs_value_whole(uint64_t whole);
struct hs_value hs_value_text(const char *text);
struct hs_value hs_value_marked(const char *text, const char *mark);
struct hs_value hs_value_bar(const double *parts, int count);
/* From low to high; nothing where low is not finite. */
struct hs_value hs_value_range(const double range[2]);
struct hs_value hs_value_itself(struct hs_value value);
#define HS_VALUE(x)                                                                                \
    _Generic((x), double                                                                           \
             : hs_value_number, char *                                                             \
             : hs_value_text, const char *                                                         \
             : hs_value_text, uint64_t                                                             \
             : hs_value_whole, struct hs_value                                                     \
             : hs_value_itself, default                                                            \
             : hs_value_count)(x)

/* Where a number is not known although there should be one: shown as "-". */
double hs_or_dash(double number);

/* A column that people see; `heading` NULL: the column's own. */
struct hs_pick {
    size_t column;
    const char *heading;
};
struct hs_picks {
    const struct hs_pick *list; /* [count] */
    size_t count;
};

/* Made by hs_table_init; the fields above the line may be set then. */
struct hs_table {
    const char *name;         /* of its records in JSON, "candidates" */
    struct hs_picks picks;    /* count 0: all columns */
    struct hs_time_unit unit; /* of SCALED columns */
    double bar_full;          /* what a bar of full length stands for */
    size_t best, total; /* rows with a style of their own on pages; the last `total` rows add up
                                 others: for people */
    bool fold;          /* too wide a table comes in parts, not on terminals alone */
    bool cut;           /* too wide a last column is cut on a terminal */
    /* ---- */
    bool failed; /* out of memory: remembered, and said by what renders it */
    const struct hs_column *columns;
    size_t column_count, row_count, capacity;
    struct hs_cell {
        double number;
        char *text; /* owned; of a bar and a range the parts, as doubles */
        const char *mark;
        int part_count;
    } * cells; /* [row_count * column_count] owned */
};

/* Borrows the columns. `best` is no row at first. */
void hs_table_init(struct hs_table *table, const char *name, const struct hs_column *columns,
                   size_t count);
/* Begins a row without values. */
void hs_table_row(struct hs_table *table);
/* A value of the last row. */
void hs_table_put(struct hs_table *table, size_t column, struct hs_value value);
void hs_table_release(struct hs_table *table);

/* Whether no row has a value there. */
bool hs_table_is_empty(const struct hs_table *table, size_t column);
/* Appends what people see of a value, bars apart. `page`: where each time says its own unit. What
 * text holds that is not fit to be shown becomes '?'. */
void hs_cell_show(struct hs_text *out, const struct hs_table *table, size_t row, size_t column,
                  bool page);

#define HS_COUNT_OF(list) (sizeof(list) / sizeof(*(list)))
#define HS_PICK(column)                                                                            \
    {                                                                                              \
        column, NULL                                                                               \
    }
#define HS_TABLE_INIT(table, name, columns)                                                        \
    hs_table_init(table, name, columns, HS_COUNT_OF(columns))
#define HS_PICKS(list) ((struct hs_picks){list, HS_COUNT_OF(list)})

#endif
