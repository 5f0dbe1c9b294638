/*
 * winners.h - the table of best plans over message sizes and process counts: the sweeps of predict,
 * what --explain says of other sizes and counts, and the report's list of all answers.
 */
#ifndef HS_VIEW_WINNERS_H
#define HS_VIEW_WINNERS_H

#include "estimate/machines.h"
#include "model/problem.h"
#include "search/search.h"
#include "show/sheet.h"

/* What people see first, and with it the other columns. */
enum hs_winners_of {
    HS_BY_SIZE,      /* predict with a sweep of sizes */
    HS_BY_COUNT,     /* predict with a sweep of process counts */
    HS_SIZE_DETAILS, /* the same with all there is */
    HS_COUNT_DETAILS,
    HS_RACED_SIZES,    /* measure with a sweep of sizes */
    HS_BY_REIGN,       /* where each reign over sizes begins */
    HS_BY_NEAR_COUNTS, /* process counts around one */
    HS_BY_INPUT        /* all that a report is about */
};

/* A plan that wins; borrows everything. Numbers that do not exist are NaN, texts NULL. */
struct hs_winner {
    struct hs_problem problem;
    const struct hs_plan *plan;       /* NULL: none */
    const char *mark;                 /* static text, " *" */
    double seconds, spread;           /* spread: half of the 95 % interval over the time */
    double low_seconds, high_seconds; /* 90 % range; NaN: nothing was sampled */
    const char *choice;               /* what the default call runs; NULL: it has no price */
    double gain, regret;              /* gain: over the default call, else over the flat plan */
    double gain_low, gain_high;       /* its 90 % range; NaN: nothing was sampled */
    const char *advice;               /* static text; NULL: the time is nominal */
    double reached;                   /* of the limit (library/limit.h) */
    bool over_default;                /* what the gain is over */
    const struct hs_plan *second;     /* the runner-up; NULL: none */
    double second_seconds;
    const char *growth;         /* how it follows from the winner of the count before */
    const char *here;           /* what a reader is to find in the table */
    const char *flat, *library; /* gains with their intervals */
    const char *how, *file;
};

/* One with its gain over the flat plan, and without what else could be said. */
struct hs_winner hs_winner_of(const struct hs_problem *problem, const struct hs_plan *plan,
                              double seconds, double flat_seconds);

void hs_winners_init(struct hs_table *table, enum hs_winners_of view);
void hs_winners_add(struct hs_table *table, const struct hs_winner *winner);

/* Prints a table whose rows are all sizes of the first count, then of the next: to programs as it
 * is, to people as matrices of count by size: plans, times, gains. Counts above `capacity` are
 * marked. Releases it. */
void hs_winners_matrices(struct hs_sheet *sheet, struct hs_table *table, size_t sizes,
                         int64_t capacity);

#endif
