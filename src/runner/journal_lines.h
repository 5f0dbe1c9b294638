/*
 * journal_lines.h - the lines of a journal (journal.h) as tables. Internal to runner.
 */
#ifndef HS_RUNNER_JOURNAL_LINES_H
#define HS_RUNNER_JOURNAL_LINES_H

#include "base/fields.h"
#include "runner/journal.h"

/* What is new of an arm: its lists are parts of the arm's when it is written, and its
 * own when it was read. */
struct hs_arm_line {
    uint64_t bytes;
    struct hs_arm item;
};

/* A phase of a layer, or why there is none; the text is owned when it was read. */
struct hs_layer_line {
    uint64_t bytes;
    struct hs_journal_layer layer;
};

extern const struct hs_fields hs_arm_line_fields, hs_layer_line_fields;

#endif
