/*
 * choices.h - which of a node's GPUs a job may get, as a table: a row per kind of choice.
 */
#ifndef HS_VIEW_CHOICES_H
#define HS_VIEW_CHOICES_H

#include "model/plan.h"
#include "show/table.h"

/* A choice, and all that are like it (subsets.h). */
struct hs_choice {
    uint64_t units; /* bits */
    int64_t alike;
    struct hs_plan plan; /* the best for it */
    double seconds;
    double limit_seconds; /* 0: none is known */
};

/* In their order; what is gained or lost is over the first. */
void hs_choices_table(struct hs_table *table, const struct hs_choice *choices, size_t count);
/* "0,1,4,6" of bits; returns text. */
#define HS_CHOICE_UNITS_TEXT 192
char *hs_choice_format(char text[HS_CHOICE_UNITS_TEXT], uint64_t units);

#endif
